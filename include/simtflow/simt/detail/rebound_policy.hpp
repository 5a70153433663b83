// SPDX-License-Identifier: BSL-1.0
//
// A boxed policy over masks of another type: lanes keep their numbers.
#pragma once

#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_state.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class To, class From>
constexpr To converted(const From& from) {
  constexpr std::uint32_t words = (To::capacity < From::capacity ? To::capacity : From::capacity) / 64;
  To to;
  for (std::uint32_t w = 0; w < words; ++w) to.add_word(w, from.word(w));
  return to;
}

// \pre of each call: the inner masks have every lane that is named.
template <class Mask, class Inner>
class rebound_policy {
  using inner_fragment = basic_fragment<Inner>;

 public:
  using mask_type = Mask;
  using fragment_type = basic_fragment<Mask>;

  explicit rebound_policy(basic_any_policy<Inner> inside) : inside_(std::move(inside)) {}

  [[nodiscard]] policy_abilities abilities() const { return inside_.abilities(); }
  void start(const fragment_type& f) { inside_.start(in(f)); }
  std::optional<fragment_type> next() { return out(inside_.next()); }
  std::optional<fragment_type> take() { return out(inside_.take()); }
  void advance(const fragment_type& f, std::span<const fragment_type> to) {
    targets_.clear();
    for (const fragment_type& t : to) targets_.push_back(in(t));
    inside_.advance(in(f), targets_);
  }
  void park(const fragment_type& f) { inside_.park(in(f)); }
  void release(const fragment_type& f) { inside_.release(in(f)); }
  void ended(const Mask& lanes) { inside_.ended(converted<Inner>(lanes)); }
  bool let_go() { return inside_.let_go(); }
  void first_thread(std::uint32_t t) { inside_.first_thread(t); }
  [[nodiscard]] std::size_t depth() const { return inside_.depth(); }
  [[nodiscard]] std::size_t overhead() const { return inside_.overhead(); }
  [[nodiscard]] Mask blocked() const { return converted<Mask>(inside_.blocked()); }
  [[nodiscard]] bool never_joins() const { return inside_.never_joins(); }
  friend bool operator==(const rebound_policy& a, const rebound_policy& b) { return a.inside_ == b.inside_; }
  [[nodiscard]] policy_work work() const { return inside_.work(); }
  void read(policy_state<Mask>& out) const {
    policy_state<Inner> state;
    inside_.read(state);
    out.what = state.what;
    out.with_running = state.with_running;
    out.entries.clear();
    for (const policy_state_entry<Inner>& e : state.entries)
      out.entries.push_back({e.block, e.until, e.likely, converted<Mask>(e.lanes), e.role});
  }

 private:
  static inner_fragment in(const fragment_type& f) { return {f.block, converted<Inner>(f.lanes)}; }
  static std::optional<fragment_type> out(const std::optional<inner_fragment>& f) {
    if (!f) return std::nullopt;
    return fragment_type{f->block, converted<Mask>(f->lanes)};
  }

  basic_any_policy<Inner> inside_;
  std::vector<inner_fragment> targets_;
};

// The policy over the masks that are asked for.
template <class Mask, class Inner>
basic_any_policy<Mask> rebound(basic_any_policy<Inner> policy) {
  if constexpr (std::same_as<Mask, Inner>)
    return policy;
  else
    return basic_any_policy<Mask>(rebound_policy<Mask, Inner>(std::move(policy)));
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

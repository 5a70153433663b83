// SPDX-License-Identifier: BSL-1.0
//
// A boxed policy that is watched: it adds up its mechanism's own work over all of its copies, and tells a listener what
// it holds whenever it has named lanes or has been told where lanes went.
#pragma once

#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/policy_state.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace lab {

/// The state of one instance of a policy.
template <class Mask>
struct watched_state : simtflow::policy_state<Mask> {
  std::uint32_t first_thread = 0;  ///< the instance: the first thread that it manages
  bool has_named = false;          ///< the policy has named a fragment, and has not been told what became of it
};

template <class Mask>
using state_listener = std::function<void(const watched_state<Mask>&)>;

template <class Mask>
class watched_policy : public simtflow::basic_any_policy<Mask> {
  using box = simtflow::basic_any_policy<Mask>;
  using fragment = simtflow::basic_fragment<Mask>;

 public:
  explicit watched_policy(box policy) : box(std::move(policy)), total_(std::make_shared<simtflow::policy_work>()) {}
  /// A copy of a policy that runs has counted nothing: the original will.
  watched_policy(const watched_policy& o)
      : box(static_cast<const box&>(o)), first_thread_(o.first_thread_), total_(o.total_), listener_(o.listener_) {}
  watched_policy(watched_policy&& o) noexcept
      : box(static_cast<box&&>(o)),
        first_thread_(o.first_thread_),
        started_(std::exchange(o.started_, false)),
        total_(std::move(o.total_)),
        listener_(std::move(o.listener_)) {}
  watched_policy& operator=(const watched_policy& o) {
    count_work();
    box::operator=(o);
    first_thread_ = o.first_thread_;
    total_ = o.total_;
    listener_ = o.listener_;
    return *this;
  }
  watched_policy& operator=(watched_policy&& o) noexcept {
    count_work();
    box::operator=(static_cast<box&&>(o));
    first_thread_ = o.first_thread_;
    started_ = std::exchange(o.started_, false);
    total_ = std::move(o.total_);
    listener_ = std::move(o.listener_);
    return *this;
  }
  ~watched_policy() { count_work(); }

  void start(const fragment& f) {
    count_work();
    box::start(f);
    started_ = true;
  }
  std::optional<fragment> next() {
    std::optional<fragment> chosen = box::next();
    tell(chosen.has_value());
    return chosen;
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    box::advance(f, out);
    tell(false);
  }
  void park(const fragment& f) {
    box::park(f);
    tell(false);
  }
  void release(const fragment& f) {
    box::release(f);
    tell(false);
  }
  void ended(const Mask& lanes) {
    box::ended(lanes);
    tell(false);
  }
  bool let_go() {
    const bool yes = box::let_go();
    tell(false);
    return yes;
  }
  void first_thread(std::uint32_t t) {
    first_thread_ = t;
    box::first_thread(t);
  }

  /// Tells the listener what this policy and all its later copies hold.
  void listen(state_listener<Mask> listener) {
    listener_ = std::make_shared<const state_listener<Mask>>(std::move(listener));
  }

  /// The work of this policy and all its copies in runs that are over once those are gone. It stays when they go.
  [[nodiscard]] std::shared_ptr<const simtflow::policy_work> total_work() const { return total_; }

 private:
  void count_work() {
    if (std::exchange(started_, false)) *total_ += this->work();
  }
  void tell(bool has_named) const {
    if (!listener_) return;
    watched_state<Mask> state;
    this->read(state);
    state.first_thread = first_thread_;
    state.has_named = has_named;
    (*listener_)(state);
  }

  std::uint32_t first_thread_ = 0;
  bool started_ = false;
  std::shared_ptr<simtflow::policy_work> total_;
  std::shared_ptr<const state_listener<Mask>> listener_;
};

}  // namespace lab

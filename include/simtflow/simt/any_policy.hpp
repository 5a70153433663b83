// SPDX-License-Identifier: BSL-1.0
//
// A policy that is chosen at run time: a box around any policy of one mask type. One executor runs all boxes, so code
// that handles many policies is compiled once and not once for each policy.
//
//   simtflow::any_policy policy = fair ? any_policy(policies::mimd()) : any_policy(policies::ipdom_stack(ipdoms));
//   simtflow::run(policy, program, {.threads = 64});
//
// A box has every optional member of a policy. A member that the policy inside lacks does nothing or answers with
// nothing (no lane, 0, false), as the executor assumes of policies without it. abilities() says which members the
// policy inside has. A box costs an indirect call for each call, and an allocation for each copy.
#pragma once

#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_state.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace simtflow {
inline namespace v0 {

namespace detail {

// The order of the conditions matters: the compiler cannot check that the box is a policy while it defines the box.
template <class P, class Box, class Mask>
concept boxable_policy =
    !std::derived_from<P, Box> && reconvergence_policy<P> && std::same_as<typename P::mask_type, Mask>;

}  // namespace detail

/// A box around a policy over masks of type Mask. Copies are independent of each other.
/// \pre of every function but the destructor and assignment: the box has not been moved from.
template <class Mask>
class basic_any_policy {
 public:
  using mask_type = Mask;                      ///< lanes of one instance
  using fragment_type = basic_fragment<Mask>;  ///< lanes at a block

  /// Boxes a policy.
  template <detail::boxable_policy<basic_any_policy, Mask> P>
  explicit basic_any_policy(P policy) : inside_(std::make_unique<model<P>>(std::move(policy))) {}
  /// Copies the policy inside.
  basic_any_policy(const basic_any_policy& o) : inside_(o.inside_->copy()) {}
  /// Takes over the policy inside.
  basic_any_policy(basic_any_policy&&) noexcept = default;
  /// Replaces the policy inside by a copy of the other; allocates a box only if the types differ.
  basic_any_policy& operator=(const basic_any_policy& o) {
    if (inside_ == nullptr || !inside_->assign(*o.inside_)) inside_ = o.inside_->copy();
    return *this;
  }
  /// Replaces the policy inside by the other.
  basic_any_policy& operator=(basic_any_policy&&) noexcept = default;
  /// Ends the policy inside.
  ~basic_any_policy() = default;

  /// The abilities of the policy inside.
  [[nodiscard]] policy_abilities abilities() const { return inside_->abilities(); }

  /// As of the policy inside.
  void start(const fragment_type& f) { inside_->start(f); }
  /// As of the policy inside.
  std::optional<fragment_type> next() { return inside_->next(); }
  /// As of the policy inside. \pre abilities().overlaps.
  std::optional<fragment_type> take() { return inside_->take(); }
  /// As of the policy inside.
  void advance(const fragment_type& f, std::span<const fragment_type> out) { inside_->advance(f, out); }
  /// As of the policy inside. \pre abilities().parks.
  void park(const fragment_type& f) { inside_->park(f); }
  /// As of the policy inside. \pre abilities().parks.
  void release(const fragment_type& f) { inside_->release(f); }
  /// As of the policy inside; nothing without abilities().hears_of_ended.
  void ended(const Mask& lanes) { inside_->ended(lanes); }
  /// As of the policy inside; false without abilities().lets_go.
  bool let_go() { return inside_->let_go(); }
  /// As of the policy inside; nothing without abilities().asks_first_thread.
  void first_thread(std::uint32_t t) { inside_->first_thread(t); }
  /// As of the policy inside; 0 without abilities().tells_depth.
  [[nodiscard]] std::size_t depth() const { return inside_->depth(); }
  /// As of the policy inside; 0 without abilities().tells_overhead.
  [[nodiscard]] std::size_t overhead() const { return inside_->overhead(); }
  /// As of the policy inside; no lane without abilities().tells_blocked.
  [[nodiscard]] Mask blocked() const { return inside_->blocked(); }
  /// As of the policy inside; false without abilities().can_keep_groups.
  [[nodiscard]] bool never_joins() const { return inside_->never_joins(); }
  /// True if both hold policies of one type that are equal. Never without abilities().comparable.
  friend bool operator==(const basic_any_policy& a, const basic_any_policy& b) { return a.inside_->equals(*b.inside_); }

  /// work_of() the policy inside.
  [[nodiscard]] policy_work work() const { return inside_->work(); }
  /// read_state() of the policy inside.
  void read(policy_state<Mask>& out) const { inside_->read(out); }

 private:
  struct base {
    base() = default;
    base(const base&) = default;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    [[nodiscard]] virtual std::unique_ptr<base> copy() const = 0;
    [[nodiscard]] virtual bool assign(const base& other) = 0;
    [[nodiscard]] virtual policy_abilities abilities() const = 0;
    virtual void start(const fragment_type& f) = 0;
    virtual std::optional<fragment_type> next() = 0;
    virtual std::optional<fragment_type> take() = 0;
    virtual void advance(const fragment_type& f, std::span<const fragment_type> out) = 0;
    virtual void park(const fragment_type& f) = 0;
    virtual void release(const fragment_type& f) = 0;
    virtual void ended(const Mask& lanes) = 0;
    virtual bool let_go() = 0;
    virtual void first_thread(std::uint32_t t) = 0;
    [[nodiscard]] virtual std::size_t depth() const = 0;
    [[nodiscard]] virtual std::size_t overhead() const = 0;
    [[nodiscard]] virtual Mask blocked() const = 0;
    [[nodiscard]] virtual bool never_joins() const = 0;
    [[nodiscard]] virtual const void* type() const = 0;
    [[nodiscard]] virtual bool equals(const base& other) const = 0;
    [[nodiscard]] virtual policy_work work() const = 0;
    virtual void read(policy_state<Mask>& out) const = 0;
  };

  template <class P>
  struct model final : base {
    static constexpr char tag = 0;  // its address tells types apart without RTTI

    explicit model(P p) : policy(std::move(p)) {}
    [[nodiscard]] std::unique_ptr<base> copy() const override { return std::make_unique<model>(policy); }
    // False if the types differ.
    [[nodiscard]] bool assign(const base& other) override {
      if (other.type() != &tag) return false;
      policy = static_cast<const model&>(other).policy;
      return true;
    }
    [[nodiscard]] policy_abilities abilities() const override { return abilities_of(policy); }
    void start(const fragment_type& f) override { policy.start(f); }
    std::optional<fragment_type> next() override { return policy.next(); }
    std::optional<fragment_type> take() override {
      if constexpr (overlapping_policy<P>) return policy.take();
      return std::nullopt;
    }
    void advance(const fragment_type& f, std::span<const fragment_type> out) override { policy.advance(f, out); }
    void park([[maybe_unused]] const fragment_type& f) override {
      if constexpr (parking_policy<P>) policy.park(f);
    }
    void release([[maybe_unused]] const fragment_type& f) override {
      if constexpr (parking_policy<P>) policy.release(f);
    }
    void ended([[maybe_unused]] const Mask& lanes) override {
      if constexpr (policy_with_ended<P>) policy.ended(lanes);
    }
    bool let_go() override {
      if constexpr (policy_that_lets_go<P>) return policy.let_go();
      return false;
    }
    void first_thread([[maybe_unused]] std::uint32_t t) override {
      if constexpr (policy_with_first_thread<P>) policy.first_thread(t);
    }
    [[nodiscard]] std::size_t depth() const override {
      if constexpr (policy_with_depth<P>) return static_cast<std::size_t>(policy.depth());
      return 0;
    }
    [[nodiscard]] std::size_t overhead() const override {
      if constexpr (policy_with_overhead<P>) return static_cast<std::size_t>(policy.overhead());
      return 0;
    }
    [[nodiscard]] Mask blocked() const override {
      if constexpr (policy_with_blocked<P>) return policy.blocked();
      return Mask{};
    }
    [[nodiscard]] bool never_joins() const override {
      if constexpr (policy_without_joins<P>) return policy.never_joins();
      return false;
    }
    [[nodiscard]] const void* type() const override { return &tag; }
    [[nodiscard]] bool equals([[maybe_unused]] const base& other) const override {
      if constexpr (comparable_policy<P>)
        return other.type() == &tag && policy == static_cast<const model&>(other).policy;
      return false;
    }
    [[nodiscard]] policy_work work() const override { return work_of(policy); }
    void read(policy_state<Mask>& out) const override { read_state(policy, out); }

    P policy;
  };

  std::unique_ptr<base> inside_;
};

/// A box around a policy over masks of up to 64 lanes.
using any_policy = basic_any_policy<lane_mask>;

}  // namespace v0
}  // namespace simtflow

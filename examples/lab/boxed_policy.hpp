// SPDX-License-Identifier: BSL-1.0
//
// A policy whose type is chosen at run time: a box with virtual functions around any policy of one mask type and scope.
// One executor then runs them all, so a run is compiled once and not once for every policy.
#pragma once

#include <simtflow/simt/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace lab {

// In this order: whether a box is a policy cannot be asked while it is being defined.
template <class P, class Box>
concept boxable = !std::same_as<P, Box> && simtflow::reconvergence_policy<P>;

template <class Mask, simtflow::policy_scope Scope>
class boxed_policy {
 public:
  using mask_type = Mask;
  using fragment = simtflow::basic_fragment<Mask>;
  static constexpr simtflow::policy_scope scope = Scope;

  template <boxable<boxed_policy> P>
  explicit boxed_policy(P policy) : inside_(std::make_unique<model<P>>(std::move(policy))) {
    static_assert(simtflow::scope_of<P> == Scope);
  }
  boxed_policy(const boxed_policy& o) : inside_(o.inside_->copy()) {}
  boxed_policy(boxed_policy&&) noexcept = default;
  boxed_policy& operator=(const boxed_policy& o) {
    inside_ = o.inside_->copy();
    return *this;
  }
  boxed_policy& operator=(boxed_policy&&) noexcept = default;
  ~boxed_policy() = default;

  void start(const fragment& f) { inside_->start(f); }
  std::optional<fragment> next() { return inside_->next(); }
  void advance(const fragment& f, std::span<const fragment> out) { inside_->advance(f, out); }
  void park(const fragment& f) { inside_->park(f); }
  void release(const fragment& f) { inside_->release(f); }
  /// 0 if the policy does not tell.
  [[nodiscard]] std::size_t depth() const { return inside_->depth(); }
  [[nodiscard]] std::size_t overhead() const { return inside_->overhead(); }
  [[nodiscard]] Mask blocked() const { return inside_->blocked(); }
  /// What the policy inside promises.
  [[nodiscard]] simtflow::progress_class promises() const { return inside_->promises(); }

 private:
  struct base {
    base() = default;
    base(const base&) = default;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    [[nodiscard]] virtual std::unique_ptr<base> copy() const = 0;
    virtual void start(const fragment& f) = 0;
    virtual std::optional<fragment> next() = 0;
    virtual void advance(const fragment& f, std::span<const fragment> out) = 0;
    virtual void park(const fragment& f) = 0;
    virtual void release(const fragment& f) = 0;
    [[nodiscard]] virtual std::size_t depth() const = 0;
    [[nodiscard]] virtual std::size_t overhead() const = 0;
    [[nodiscard]] virtual Mask blocked() const = 0;
    [[nodiscard]] virtual simtflow::progress_class promises() const = 0;
  };
  template <class P>
  struct model final : base {
    explicit model(P p) : policy(std::move(p)) {}
    [[nodiscard]] std::unique_ptr<base> copy() const override { return std::make_unique<model>(policy); }
    void start(const fragment& f) override { policy.start(f); }
    std::optional<fragment> next() override { return policy.next(); }
    void advance(const fragment& f, std::span<const fragment> out) override { policy.advance(f, out); }
    void park(const fragment& f) override {
      if constexpr (simtflow::parking_policy<P>) policy.park(f);
    }
    void release(const fragment& f) override {
      if constexpr (simtflow::parking_policy<P>) policy.release(f);
    }
    [[nodiscard]] std::size_t depth() const override {
      if constexpr (simtflow::policy_with_depth<P>) return static_cast<std::size_t>(policy.depth());
      return 0;
    }
    [[nodiscard]] std::size_t overhead() const override {
      if constexpr (simtflow::policy_with_overhead<P>) return static_cast<std::size_t>(policy.overhead());
      return 0;
    }
    [[nodiscard]] Mask blocked() const override {
      if constexpr (simtflow::policy_with_blocked<P>) return policy.blocked();
      return Mask{};
    }
    [[nodiscard]] simtflow::progress_class promises() const override { return simtflow::progress_of<P>; }
    P policy;
  };

  std::unique_ptr<base> inside_;
};

}  // namespace lab

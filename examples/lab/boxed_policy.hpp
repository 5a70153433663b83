// SPDX-License-Identifier: BSL-1.0
//
// A policy whose type is chosen at run time: a box with virtual functions around any policy of one mask type and scope.
// One executor then runs them all, so a run is compiled once and not once for every policy.
#pragma once

#include "lab/policy_state.hpp"
#include <simtflow/simt/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace lab {

/// What mechanisms count of their own work, added up over all warps and thread blocks that ran under copies of one box.
struct policy_work {
  std::uint64_t insertions = 0;       ///< into a sorted list
  std::uint64_t entries_walked = 0;   ///< to find the place for that
  std::uint64_t no_op_fetches = 0;    ///< blocks fetched for no lane
  std::uint64_t merge_conflicts = 0;  ///< threads that found their home lane taken
  std::uint64_t fragmentations = 0;   ///< warps left partly empty
  std::uint64_t unarmed_waits = 0;    ///< at convergence barriers that nobody armed

  void add(const policy_work& other) {
    insertions += other.insertions;
    entries_walked += other.entries_walked;
    no_op_fetches += other.no_op_fetches;
    merge_conflicts += other.merge_conflicts;
    fragmentations += other.fragmentations;
    unarmed_waits += other.unarmed_waits;
  }
};

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
  explicit boxed_policy(P policy)
      : work_(std::make_shared<policy_work>()), inside_(std::make_unique<model<P>>(std::move(policy), work_.get())) {
    static_assert(simtflow::scope_of<P> == Scope);
  }
  boxed_policy(const boxed_policy& o)
      : first_thread_(o.first_thread_), work_(o.work_), listener_(o.listener_), inside_(o.inside_->copy()) {}
  boxed_policy(boxed_policy&&) noexcept = default;
  boxed_policy& operator=(const boxed_policy& o) {
    inside_ = o.inside_->copy();  // frees the old one, which may count its work
    first_thread_ = o.first_thread_;
    work_ = o.work_;
    listener_ = o.listener_;
    return *this;
  }
  boxed_policy& operator=(boxed_policy&& o) noexcept {
    inside_ = std::move(o.inside_);
    first_thread_ = o.first_thread_;
    work_ = std::move(o.work_);
    listener_ = std::move(o.listener_);
    return *this;
  }
  ~boxed_policy() = default;

  void start(const fragment& f) { inside_->start(f); }
  std::optional<fragment> next() {
    std::optional<fragment> chosen = inside_->next();
    tell(chosen.has_value());
    return chosen;
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    inside_->advance(f, out);
    tell(false);
  }
  void park(const fragment& f) {
    inside_->park(f);
    tell(false);
  }
  void release(const fragment& f) {
    inside_->release(f);
    tell(false);
  }
  void ended(const Mask& lanes) {
    inside_->ended(lanes);
    tell(false);
  }
  /// False if the policy inside has no let_go().
  bool let_go() {
    const bool yes = inside_->let_go();
    tell(false);
    return yes;
  }
  void first_thread(std::uint32_t t) {
    first_thread_ = t;
    inside_->first_thread(t);
  }
  /// 0 if the policy does not tell.
  [[nodiscard]] std::size_t depth() const { return inside_->depth(); }
  [[nodiscard]] std::size_t overhead() const { return inside_->overhead(); }
  [[nodiscard]] Mask blocked() const { return inside_->blocked(); }
  /// What the policy inside promises.
  [[nodiscard]] simtflow::progress_class promises() const { return inside_->promises(); }
  /// Whether it has park() and release().
  [[nodiscard]] bool parks() const { return inside_->parks(); }
  /// Whether its states can be compared; if not, no two boxes of it are equal.
  [[nodiscard]] bool comparable() const { return inside_->comparable(); }
  /// True if lanes can wait for each other at collectives under it (policy_without_joins).
  [[nodiscard]] bool never_joins() const { return inside_->never_joins(); }
  friend bool operator==(const boxed_policy& a, const boxed_policy& b) { return a.inside_->equals(*b.inside_); }

  /// Tells the listener what this box and all its later copies hold (state_listener).
  void listen(state_listener<Mask> listener) {
    listener_ = std::make_shared<const state_listener<Mask>>(std::move(listener));
  }

  /// Of this box and all its copies: of runs that are over once those are gone. It stays when the boxes go.
  [[nodiscard]] std::shared_ptr<const policy_work> work() const { return work_; }

 private:
  struct base {
    base() = default;
    base(const base&) = default;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    [[nodiscard]] virtual std::unique_ptr<base> copy() const = 0;
    virtual void start(const fragment& f) = 0;
    virtual std::optional<fragment> next() = 0;
    virtual void read(policy_state<Mask>& out) const = 0;
    virtual void advance(const fragment& f, std::span<const fragment> out) = 0;
    virtual void park(const fragment& f) = 0;
    virtual void release(const fragment& f) = 0;
    virtual void ended(const Mask& lanes) = 0;
    virtual bool let_go() = 0;
    virtual void first_thread(std::uint32_t t) = 0;
    [[nodiscard]] virtual std::size_t depth() const = 0;
    [[nodiscard]] virtual std::size_t overhead() const = 0;
    [[nodiscard]] virtual Mask blocked() const = 0;
    [[nodiscard]] virtual simtflow::progress_class promises() const = 0;
    [[nodiscard]] virtual bool parks() const = 0;
    [[nodiscard]] virtual bool comparable() const = 0;
    [[nodiscard]] virtual bool never_joins() const = 0;
    [[nodiscard]] virtual bool equals(const base& other) const = 0;
  };
  template <class P>
  struct model final : base {
    model(P p, policy_work* sum) : policy(std::move(p)), work(sum) {}
    ~model() override { count_work(); }
    [[nodiscard]] std::unique_ptr<base> copy() const override { return std::make_unique<model>(policy, work); }
    void start(const fragment& f) override {
      count_work();
      policy.start(f);
      started = true;
    }
    std::optional<fragment> next() override { return policy.next(); }
    void read(policy_state<Mask>& out) const override { read_state(policy, out); }
    void advance(const fragment& f, std::span<const fragment> out) override { policy.advance(f, out); }
    void park(const fragment& f) override {
      if constexpr (simtflow::parking_policy<P>) policy.park(f);
    }
    void release(const fragment& f) override {
      if constexpr (simtflow::parking_policy<P>) policy.release(f);
    }
    void ended(const Mask& lanes) override {
      if constexpr (requires { policy.ended(lanes); }) policy.ended(lanes);
    }
    bool let_go() override {
      if constexpr (simtflow::policy_that_lets_go<P>) return policy.let_go();
      return false;
    }
    void first_thread(std::uint32_t t) override {
      if constexpr (simtflow::policy_with_first_thread<P>) policy.first_thread(t);
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
    [[nodiscard]] bool parks() const override { return simtflow::parking_policy<P>; }
    [[nodiscard]] bool comparable() const override { return simtflow::comparable_policy<P>; }
    [[nodiscard]] bool never_joins() const override {
      if constexpr (simtflow::policy_without_joins<P>) return policy.never_joins();
      return false;
    }
    [[nodiscard]] bool equals(const base& other) const override {
      if constexpr (simtflow::comparable_policy<P>) {
        const auto* o = dynamic_cast<const model*>(&other);
        return o != nullptr && policy == o->policy;
      } else {
        return false;
      }
    }
    // What the policy counted since start(). A copy of a policy that runs counts nothing: the original will.
    void count_work() {
      if (!started) return;
      if constexpr (requires { policy.insertions(); }) work->insertions += policy.insertions();
      if constexpr (requires { policy.entries_walked(); }) work->entries_walked += policy.entries_walked();
      if constexpr (requires { policy.no_op_fetches(); }) work->no_op_fetches += policy.no_op_fetches();
      if constexpr (requires { policy.merge_conflicts(); }) work->merge_conflicts += policy.merge_conflicts();
      if constexpr (requires { policy.fragmentations(); }) work->fragmentations += policy.fragmentations();
      if constexpr (requires { policy.unarmed_waits(); }) work->unarmed_waits += policy.unarmed_waits();
      started = false;
    }

    P policy;
    policy_work* work;  // lives as long as a box does
    bool started = false;
  };

  void tell(bool has_named) const {
    if (!listener_) return;
    policy_state<Mask> state;
    inside_->read(state);
    state.first_thread = first_thread_;
    state.has_named = has_named;
    (*listener_)(state);
  }

  std::uint32_t first_thread_ = 0;
  std::shared_ptr<policy_work> work_;
  std::shared_ptr<const state_listener<Mask>> listener_;
  std::unique_ptr<base> inside_;  // goes first: it counts its work
};

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// The instances of a policy in a run, and the threads that each of them manages: a warp, a thread block or all resident
// thread blocks (policy_scope).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

enum class instance_state : unsigned char { runs, waits, done };

// Lanes of one thread block that ran a block that ends in a barrier, with the place of their targets in `pending`; or
// lanes that wait inside a block, at a collective.
template <class Mask>
struct parked_lanes {
  basic_fragment<Mask> at;
  std::size_t first, count;
  std::uint32_t thread_block, barrier;
  bool open;            // true if the lanes continue at the end of the round
  bool inside = false;  // true if they wait at a collective
  friend constexpr bool operator==(const parked_lanes&, const parked_lanes&) = default;
};

template <class Policy>
struct instance {
  using mask_type = typename Policy::mask_type;

  Policy policy;
  std::uint32_t index = 0, first_thread = 0;
  std::uint32_t threads = 0;  // the most threads that run together
  mask_type live{};
  instance_state state = instance_state::runs;
  // The places of live lanes that do not wait: one entry for each group that came from one execution of a block.
  std::vector<basic_fragment<mask_type>> places{};
  std::vector<parked_lanes<mask_type>> waiting{};
  std::vector<basic_fragment<mask_type>> pending{};
  // By barrier. barrier_model::warp_arrival: lanes that their warp left out when it arrived last. Warp-sized arrivals:
  // lanes that have come there before other lanes of their warp.
  std::vector<mask_type> behind{};
  mask_type ran{};  // lanes that ran since the run last noted its state, if it looks for livelocks
  // `inside`: lanes that have run only a part of the block at which they stand. `comes`: true if lanes have reached a
  // collective or ended since the run last looked at collectives, or if another warp may let waiting lanes go on.
  mask_type inside{};
  bool comes = false;

  // True if the rest of a run is the same with either of them.
  static constexpr bool same(const instance& a, const instance& b) {
    return a.state == b.state && a.live == b.live && a.places == b.places && a.waiting == b.waiting &&
           a.pending == b.pending && a.behind == b.behind && a.inside == b.inside && a.comes == b.comes &&
           a.policy == b.policy;
  }
};

// Warps by the numbers of their threads: their lanes of one kind together, and the number of warps.
template <class Mask>
struct home_warps {
  Mask lanes{};
  std::uint32_t number = 0;
};

template <class Policy>
class instances {
 public:
  using mask_type = typename Policy::mask_type;
  using instance_type = instance<Policy>;

  // Each instance gets a copy of the prototype.
  constexpr explicit instances(Policy prototype) : prototype_(std::move(prototype)) {
    if constexpr (policy_of_run_time_abilities<Policy>) scope_ = abilities_of(prototype_).scope;
  }

  // Puts all threads at the entry, or none if thread blocks join later. \pre shape is checked
  constexpr void start(const launch& shape, bool joins_later = false) {
    shape_ = shape;
    std::uint32_t each = 1, wide = shape.threads, blocks = shape.resident_blocks;  // instances of a thread block, lanes
    if (scope() == policy_scope::warp) {
      wide = shape.warp_width;
      each = shape.threads / wide + (shape.threads % wide != 0 ? 1 : 0);
    }
    if (scope() == policy_scope::core) {
      wide = shape.threads * blocks;
      blocks = 1;
    }
    per_block_ = each;
    active_ = shape.threads == 0 ? 0 : std::size_t{each} * blocks;
    while (all_.size() < active_) all_.push_back(instance_type{prototype_});
    std::uint32_t block = 0, in_block = 0;
    for (std::size_t w = 0; w < active_; ++w) {
      instance_type& me = all_[w];
      me.index = static_cast<std::uint32_t>(w);
      const std::uint32_t first = in_block * wide;
      me.first_thread = block * shape.threads + first;
      const std::uint32_t left = (scope() == policy_scope::core ? wide : shape.threads) - first;
      const std::uint32_t lanes = left < wide ? left : wide;
      me.threads = lanes < shape.warp_width ? lanes : shape.warp_width;
      me.live = joins_later ? mask_type{} : mask_type::first_lanes(lanes);
      me.state = joins_later ? instance_state::done : instance_state::runs;
      me.places.assign(joins_later ? 0 : 1, {shape.entry, me.live});
      me.waiting.clear();
      me.pending.clear();
      me.inside = mask_type{};
      me.comes = false;
      if constexpr (policy_with_first_thread<Policy>) me.policy.first_thread(me.first_thread);
      me.policy.start({shape.entry, me.live});
      if (++in_block == each) {
        in_block = 0;
        ++block;
      }
    }
  }

  [[nodiscard]] constexpr const Policy& prototype() const { return prototype_; }
  [[nodiscard]] constexpr const launch& shape() const { return shape_; }
  // A constant, unless the policy's type leaves the scope open.
  [[nodiscard]] constexpr policy_scope scope() const {
    if constexpr (policy_of_run_time_abilities<Policy>)
      return scope_;
    else
      return scope_of<Policy>;
  }

  [[nodiscard]] constexpr std::span<instance_type> all() { return std::span<instance_type>(all_).first(active_); }
  [[nodiscard]] constexpr std::span<const instance_type> all() const {
    return std::span<const instance_type>(all_).first(active_);
  }
  // The instances that manage the threads of a thread block.
  [[nodiscard]] constexpr std::span<instance_type> of_block(std::uint32_t thread_block) {
    if (scope() == policy_scope::core) return all().first(1);
    return all().subspan(std::size_t{thread_block} * per_block_, per_block_);
  }
  // The thread block of an instance. \pre its scope is not the core
  [[nodiscard]] constexpr std::uint32_t block_of(const instance_type& me) const { return me.index / per_block_; }

  [[nodiscard]] static constexpr mask_type lanes_between(std::uint32_t first, std::uint32_t last) {
    return mask_type::first_lanes(last) - mask_type::first_lanes(first);
  }
  // The lanes of a thread block under core scope.
  [[nodiscard]] constexpr mask_type lanes_of_block(std::uint32_t thread_block) const {
    return lanes_between(thread_block * shape_.threads, (thread_block + 1) * shape_.threads);
  }

  // Calls a function for each warp that some lanes of an instance belong to, with all lanes of the warp, also ended
  // lanes, and its thread block.
  template <class F>
  constexpr void for_each_home(const instance_type& me, const mask_type& lanes, const F& f) const {
    if (scope() == policy_scope::warp) {
      if (lanes.any()) f(mask_type::first_lanes(me.threads), me.first_thread / shape_.threads);
      return;
    }
    for (mask_type rest = lanes; rest.any();) {
      const std::uint32_t block = rest.first() / shape_.threads, in_block = rest.first() % shape_.threads;
      const std::uint32_t first = in_block - in_block % shape_.warp_width, left = shape_.threads - first;
      const std::uint32_t start = block * shape_.threads + first;
      const mask_type all = lanes_between(start, start + (left < shape_.warp_width ? left : shape_.warp_width));
      rest -= all;
      f(all, scope() == policy_scope::core ? block : me.first_thread / shape_.threads);
    }
  }

  // The warps that lanes of an instance belong to, with the lanes of `live` in them.
  [[nodiscard]] constexpr home_warps<mask_type> homes(const instance_type& me, const mask_type& lanes,
                                                      const mask_type& live) const {
    home_warps<mask_type> h;
    for_each_home(me, lanes, [&](const mask_type& all, std::uint32_t) {
      h.lanes |= all & live;
      ++h.number;
    });
    return h;
  }

 private:
  Policy prototype_;
  std::vector<instance_type> all_;  // the first active_ instances take part in this run
  std::size_t active_ = 0;
  std::uint32_t per_block_ = 1;
  policy_scope scope_ = policy_scope::warp;
  launch shape_{};
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

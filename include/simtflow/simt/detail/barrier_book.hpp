// SPDX-License-Identifier: BSL-1.0
//
// The barriers of the resident thread blocks: the threads that have arrived, misuses, and the time when a barrier
// opens.
//
// A barrier with a thread count opens once so many threads have arrived. A barrier without a thread count opens at the
// end of a round, once all live threads of its thread block have arrived (or all threads: launch::ended_threads_count).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/detail/instances.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Policy>
class barrier_book {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;
  using instance_type = instance<Policy>;

  // A barrier that has opened. Inside the template, because a vector and a span of a plain type are looked at whenever
  // the header is included.
  struct opening {
    std::uint32_t thread_block, barrier;
    friend constexpr bool operator==(const opening&, const opening&) = default;
  };

  // An arrival: lanes that ran a block that ends in a barrier.
  struct arrival {
    fragment_type f;
    std::uint32_t barrier;
    std::uint32_t count;                     // threads that the barrier opens for; 0: all
    bool waits;                              // false: the lanes are counted and go on
    std::span<const fragment_type> targets;  // where they go afterwards
  };

  // \param warp_sized true if a warp counts as warp_width threads (program_with_warp_sized_arrivals).
  constexpr void start(instances<Policy>& crew, bool warp_sized) {
    const launch& shape = crew.shape();
    warp_sized_ = warp_sized && shape.barriers != barrier_model::warp_arrival;
    if (warp_sized_ || shape.barriers == barrier_model::warp_arrival)
      for (instance_type& me : crew.all()) me.behind.assign(named_barriers, mask_type{});
    barriers_.assign(std::size_t{named_barriers} * shape.resident_blocks, barrier{});
    opened_.clear();
    num_openings_ = 0;
    changed_ = false;
  }

  // Another thread block takes the place of one that has ended. \pre core scope
  constexpr void forget(instances<Policy>& crew, std::uint32_t thread_block) {
    for (std::uint32_t id = 0; id < named_barriers; ++id) at({thread_block, id}) = barrier{};
    for (mask_type& lanes : crew.all().front().behind) lanes -= crew.lanes_of_block(thread_block);
  }

  // Counts lanes that have come to a barrier and, if they wait, adds them to me.waiting. Returns the outcome that ends
  // the run if the lanes may not be there, else nullopt.
  constexpr std::optional<outcome> arrive(instances<Policy>& crew, instance_type& me, const arrival& a) {
    const launch& shape = crew.shape();
    if (!a.waits && a.count == 0) return outcome::barrier_misuse;
    if (shape.barriers != barrier_model::thread_arrival) {
      const mask_type whole = crew.homes(me, a.f.lanes, me.live).lanes;
      const bool complete = a.f.lanes == whole;
      if (shape.barriers == barrier_model::warp_arrival) {
        mask_type& behind = me.behind[a.barrier];
        const bool realigns = complete && !a.f.lanes.is_subset_of(behind);  // including the lanes that had arrived then
        if (!realigns && (behind & a.f.lanes).any()) return outcome::barrier_misaligned;
        behind -= whole;
        behind |= whole - a.f.lanes;
      } else if (!complete) {
        return a.waits && shape.barriers == barrier_model::whole_warp ? outcome::barrier_deadlock
                                                                      : outcome::barrier_misuse;
      }
    }
    if (crew.scope() != policy_scope::core)
      return counted(crew, me, a, a.f.lanes, {crew.block_of(me), a.barrier}) ? std::nullopt
                                                                             : std::optional(outcome::barrier_misuse);
    for (mask_type rest = a.f.lanes; rest.any();) {
      const std::uint32_t block = rest.first() / shape.threads;
      const mask_type part = a.f.lanes & crew.lanes_of_block(block);
      rest -= part;
      if (!counted(crew, me, a, part, {block, a.barrier})) return outcome::barrier_misuse;
    }
    return std::nullopt;
  }

  // Lanes have ended, for which barriers may have waited.
  constexpr void ended(instances<Policy>& crew, instance_type& me, const mask_type& gone) {
    changed_ = true;
    if (warp_sized_) count_without(crew, me, gone);
  }

  // At the end of a round: opens each barrier for all threads at which all threads have arrived. Returns true if there
  // are barriers in opened(). These are all barriers that have opened since forget_opened().
  constexpr bool open_complete(instances<Policy>& crew) {
    changed_ = false;
    for (std::uint32_t i = 0; i < barriers_.size(); ++i) {
      if (!barriers_[i].used || barriers_[i].count != 0) continue;
      const opening where{i / named_barriers, i % named_barriers};
      if (barriers_[i].arrived == expected(crew, where.thread_block)) open(crew, where);
    }
    return !opened_.empty();
  }

  [[nodiscard]] constexpr std::span<const opening> opened() const { return opened_; }
  constexpr void forget_opened() { opened_.clear(); }
  // True if threads have arrived or ended since the last round ended.
  [[nodiscard]] constexpr bool changed() const { return changed_; }
  // The number of barriers that have opened since start().
  [[nodiscard]] constexpr std::uint64_t num_openings() const { return num_openings_; }

  // True if the rest of a run is the same with either of them.
  static constexpr bool same(const barrier_book& a, const barrier_book& b) {
    return a.changed_ == b.changed_ && a.barriers_ == b.barriers_ && a.opened_ == b.opened_;
  }

 private:
  // A barrier since it last opened.
  struct barrier {
    std::uint64_t arrived = 0;  // threads, or under warp_arrival warps
    std::uint64_t absent = 0;   // warp-sized arrivals: missing lanes of warps with all live lanes here
    std::uint32_t count = 0;    // the count of the first arrival
    bool used = false;
    // True if so many threads open a barrier that has a count. Absent lanes count as arrived as far as the count needs
    // them.
    [[nodiscard]] constexpr bool opens_for(std::uint64_t threads) const {
      return threads <= count && count <= threads + absent;
    }
    friend constexpr bool operator==(const barrier&, const barrier&) = default;
  };

  constexpr barrier& at(opening where) {
    return barriers_[std::size_t{where.thread_block} * named_barriers + where.barrier];
  }

  // Counts lanes of one thread block, and parks them if they wait. Returns false if the thread counts are wrong.
  constexpr bool counted(instances<Policy>& crew, instance_type& me, const arrival& a, const mask_type& lanes,
                         opening where) {
    const launch& shape = crew.shape();
    const bool by_warp = shape.barriers == barrier_model::warp_arrival;
    std::uint32_t count = a.count;
    barrier& b = at(where);
    if (b.used && b.count != count) {             // all threads, counted in two ways?
      const auto is_all = [&](std::uint32_t n) {  // of the threads, or of the lanes of their warps
        return n == shape.threads ||
               n == (std::uint64_t{shape.threads} + shape.warp_width - 1) / shape.warp_width * shape.warp_width;
      };
      if ((count != 0 && b.count != 0) || !is_all(count + b.count)) return false;  // one of them is 0
      count = b.count;
    }
    b.used = true;
    b.count = count;
    b.arrived += by_warp ? crew.homes(me, lanes, me.live).number : lanes.count();
    if (warp_sized_) {
      me.behind[where.barrier] |= lanes;
      b.absent += lacked(crew, me, lanes, where.barrier);
    }
    if (a.waits) {
      const std::size_t first = me.pending.size();
      for (const fragment_type& o : a.targets) {
        if (crew.scope() != policy_scope::core)
          me.pending.push_back(o);
        else if (const mask_type part = o.lanes & lanes; part.any())
          me.pending.push_back({o.block, part});
      }
      me.waiting.push_back(
          {{a.f.block, lanes}, first, me.pending.size() - first, where.thread_block, where.barrier, false});
    }
    changed_ = true;
    if (count == 0) return true;  // opens for all threads: open_complete() opens it at the end of the round
    const std::uint64_t threads = b.arrived * (by_warp ? shape.warp_width : 1);
    if (b.opens_for(threads)) open(crew, where);
    return threads <= count;
  }

  // The number of lanes that warps in `lanes` lack, over the warps with all live lanes at the barrier. These warps
  // begin anew.
  static constexpr std::uint64_t lacked(const instances<Policy>& crew, instance_type& me, const mask_type& lanes,
                                        std::uint32_t barrier) {
    mask_type& come = me.behind[barrier];
    std::uint64_t sum = 0;
    crew.for_each_home(me, lanes, [&](const mask_type& all, std::uint32_t) {
      if ((come & all).none() || !(all & me.live).is_subset_of(come)) return;
      sum += crew.shape().warp_width - (crew.shape().ended_threads_count ? all : come & all).count();
      come -= all;
    });
    return sum;
  }

  // Lanes have ended, and barriers may have waited for them with other lanes of their warps.
  [[gnu::noinline]] constexpr void count_without(instances<Policy>& crew, instance_type& me, const mask_type& gone) {
    for (std::uint32_t id = 0; id < named_barriers; ++id) {
      if (me.behind[id].none()) continue;
      crew.for_each_home(me, gone, [&](const mask_type& all, std::uint32_t block) {
        barrier& b = at({block, id});
        b.absent += lacked(crew, me, gone & all, id);
        if (b.count != 0 && b.opens_for(b.arrived)) open(crew, {block, id});
      });
    }
  }

  // The barrier opens for the lanes that wait there now: they go on at the end of the round.
  constexpr void open(instances<Policy>& crew, opening where) {
    at(where) = barrier{};
    for (instance_type& me : crew.of_block(where.thread_block)) {
      if (warp_sized_ && crew.scope() != policy_scope::core)
        me.behind[where.barrier] = mask_type{};
      else if (warp_sized_)
        me.behind[where.barrier] -= crew.lanes_of_block(where.thread_block);
      for (parked_lanes<mask_type>& p : me.waiting)
        if (p.thread_block == where.thread_block && p.barrier == where.barrier && !p.inside) p.open = true;
    }
    opened_.push_back(where);
    ++num_openings_;
  }

  // The number of arrivals that open a barrier for all threads of a thread block.
  static constexpr std::uint64_t expected(instances<Policy>& crew, std::uint32_t thread_block) {
    const launch& shape = crew.shape();
    const bool by_warp = shape.barriers == barrier_model::warp_arrival;
    if (shape.ended_threads_count)
      return by_warp ? (shape.threads - 1) / shape.warp_width + 1 : std::uint64_t{shape.threads};
    std::uint64_t n = 0;
    for (const instance_type& me : crew.of_block(thread_block)) {
      mask_type live = me.live;
      if (crew.scope() == policy_scope::core) live &= crew.lanes_of_block(thread_block);
      n += by_warp ? crew.homes(me, live, live).number : live.count();
    }
    return n;
  }

  std::vector<barrier> barriers_;  // by resident thread block, then number
  std::vector<opening> opened_;    // since the last round ended
  std::uint64_t num_openings_ = 0;
  bool warp_sized_ = false;
  bool changed_ = false;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

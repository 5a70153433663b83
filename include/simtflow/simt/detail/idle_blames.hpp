// SPDX-License-Identifier: BSL-1.0
//
// Finds the causes of the idle lanes beside a group, for the profiles of counts (simt/observers/branch_profile.hpp) and
// of cycles (timing/branch_costs.hpp). The first of them has the definitions. It follows the events of a run, and keeps
// sets of home lanes for each static warp: who has parted from whom at which branch, who waits, who has ended.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/parted_threads.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/idle_cause.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Idle lanes with one cause and one block.
struct idle_charge {
  idle_blame to;
  std::uint32_t lanes;
};

class idle_blames {
 public:
  // Begins a run: no threads have parted.
  constexpr void start(const event::started& e) {
    const std::uint32_t blocks = e.thread_blocks == 0 ? 1 : e.thread_blocks, threads = e.threads / blocks;
    if (threads != threads_ || e.warp_width != width_ || e.threads != seats_.size()) {
      threads_ = threads;
      width_ = e.warp_width;
      seats_.clear();
      warps_each_ = threads == 0 ? 0 : (threads - 1) / width_ + 1;
      for (std::uint32_t b = 0; b < blocks; ++b)
        for (std::uint32_t t = 0; t < threads; ++t) seats_.push_back({b * warps_each_ + t / width_, t % width_});
      warps_ = std::size_t{blocks} * warps_each_;
    }
    parted_.start(warps_, width_);
    waiting_.assign(warps_ * parted_.words(), 0);
    ended_.assign(warps_ * parted_.words(), 0);
    for (std::vector<std::uint64_t>* set : {&idle_, &some_, &others_}) set->resize(parted_.words());
    stops_.assign(seats_.size(), {});
    if (instances_.size() != e.warps) instances_.resize(e.warps);
    for (instance& me : instances_) {
      me.lanes.clear();
      me.known = false;
    }
  }
  // Other threads come to the place of a thread block that has ended.
  constexpr void restart(std::uint32_t thread_block) {
    for (std::uint32_t w = 0; w < warps_each_; ++w) {
      const std::size_t warp = std::size_t{thread_block} * warps_each_ + w;
      parted_.restart(static_cast<std::uint32_t>(warp));
      for (std::size_t i = 0; i < parted_.words(); ++i)
        waiting_[warp * parted_.words() + i] = ended_[warp * parted_.words() + i] = 0;
    }
    for (std::uint32_t t = 0; t < threads_; ++t) stops_[std::size_t{thread_block} * threads_ + t] = {};
    forget();
  }
  [[nodiscard]] constexpr std::uint32_t width() const { return width_; }

  // The idle lanes beside lanes of an instance that issue. The first charge is of the branch at which the group's first
  // thread has parted last, among those at which idle lanes have; without such a branch, of the first cause of exited,
  // barrier, schedule, ragged_warp. Valid until the next call.
  // \param joined true if the lanes may have come from several places
  template <class Mask>
  constexpr std::span<const idle_charge> look(std::uint32_t number, std::uint32_t first_thread, const Mask& lanes,
                                              bool joined) {
    instance& me = instances_[number];
    if (!me.known || !are(me, lanes)) {
      me.first_thread = first_thread;
      if (joined) join(me, lanes);
      me.lanes.resize(Mask::capacity / 64);
      for (std::size_t i = 0; i < me.lanes.size(); ++i) me.lanes[i] = lanes.word(i);
      me.known = true;
      me.idle.clear();
      if (const std::uint32_t active = lanes.count(); active < width_) find(me, lanes, active);
    }
    return me.idle;
  }
  // The cause of one idle lane of an instance. \pre look() was called for these lanes; the lane does not run.
  template <class Mask>
  [[nodiscard]] constexpr idle_blame blame(std::uint32_t first_thread, const Mask& lanes, std::uint32_t lane) const {
    const std::size_t leader = std::size_t{first_thread} + lanes.first(), thread = std::size_t{first_thread} + lane;
    const bool at_home = thread - (leader - seats_[leader].home) < width_;
    if (thread >= seats_.size() || (at_home && seats_[thread].warp != seats_[leader].warp))
      return {idle_cause::ragged_warp, no_block};
    const seat& from = seats_[leader];
    const block_id parted_at = at_home ? parted_.between(from.warp, from.home, seats_[thread].home) : no_block;
    const stop& stands = stops_[thread];
    if (stands.block != no_block && stands.waits_for == 0)
      return {idle_cause::exited, parted_at == no_block ? stands.block : parted_at};
    if (stands.waits_for != 0) return {idle_cause::barrier, stands.block};
    return {parted_at == no_block ? idle_cause::schedule : idle_cause::branch, parted_at};
  }

  // Lanes went to different places.
  template <class Mask>
  constexpr void part(const event::diverged<Mask>& e) {
    instance& me = instances_[e.warp];
    if (!are(me, e.lanes)) join(me, e.lanes);  // they have waited, and went on together
    me.known = false;
    for (std::size_t i = 0; i < e.to.size(); ++i)
      for (std::size_t k = i + 1; k < e.to.size(); ++k) part(me, e.to[i].lanes, e.to[k].lanes, e.block);
  }
  // Threads have ended.
  template <class Mask>
  constexpr void end(const event::exited<Mask>& e) {
    stand(e.warp, e.block, e.lanes, 0, ended_);
  }
  // Threads wait.
  template <class Mask>
  constexpr void wait(const event::waits<Mask>& e) {
    stand(e.warp, e.block, e.lanes, e.barrier + 1, waiting_);
  }
  // Threads wait no longer.
  constexpr void release(const event::released& e) {
    const std::size_t first = std::size_t{e.thread_block} * threads_;
    for (std::size_t t = first; t < first + threads_ && t < stops_.size(); ++t) {
      if (stops_[t].waits_for != e.barrier + 1) continue;
      stops_[t] = {};
      waiting_[seats_[t].warp * parted_.words() + seats_[t].home / 64] &= ~(std::uint64_t{1} << seats_[t].home % 64);
    }
    forget();
  }

 private:
  // The place of a thread in the static warps.
  struct seat {
    std::uint32_t warp, home;
  };
  // The block in which a thread ended, or waits for a barrier with that number - 1.
  struct stop {
    block_id block = no_block;
    std::uint32_t waits_for = 0;  // 0: none
  };
  // An instance of the policy.
  struct instance {
    std::uint32_t first_thread = 0;
    std::vector<std::uint64_t> lanes{};  // that ran last; empty: none have
    std::vector<idle_charge> idle{};     // beside them
    bool known = false;                  // `idle` holds for the next issue of the same lanes
  };

  constexpr void forget() {
    for (instance& me : instances_) me.known = false;
  }
  template <class Mask>
  constexpr void stand(std::uint32_t number, block_id block, const Mask& lanes, std::uint32_t barrier,
                       std::vector<std::uint64_t>& set) {
    instance& me = instances_[number];
    me.known = false;
    lanes.for_each([&](std::uint32_t lane) { stops_[std::size_t{me.first_thread} + lane] = {block, barrier}; });
    for_each_warp(me, lanes, [&](std::uint32_t warp) {
      for (std::size_t i = 0; i < some_.size(); ++i) set[warp * some_.size() + i] |= some_[i];
    });
  }
  // True if the lanes are those that ran last.
  template <class Mask>
  static constexpr bool are(const instance& me, const Mask& lanes) {
    bool same = !me.lanes.empty();
    for (std::size_t i = 0; i < me.lanes.size(); ++i) same = same && me.lanes[i] == lanes.word(i);
    return same;
  }

  // The threads of a static warp, cut out of a set of lanes of an instance.
  template <class Mask>
  constexpr void cut(const instance& me, const Mask& lanes, std::uint32_t warp, lane_words out) const {
    const std::uint32_t first = warp / warps_each_ * threads_ + warp % warps_each_ * width_;
    cut_lanes(lanes, first - me.first_thread, threads_of(warp), out);
  }
  // Threads of a static warp: fewer than its width if the thread block ends within it.
  [[nodiscard]] constexpr std::uint32_t threads_of(std::uint32_t warp) const {
    const std::uint32_t rest = threads_ - warp % warps_each_ * width_;
    return rest < width_ ? rest : width_;
  }
  // Calls f(warp) for each static warp that has some of the lanes; they are in some_.
  template <class Mask, class F>
  constexpr void for_each_warp(const instance& me, const Mask& lanes, F&& f) {
    std::uint32_t left = lanes.count();
    for (std::uint32_t warp = left == 0 ? 0 : seats_[me.first_thread + lanes.first()].warp; left != 0; ++warp) {
      cut(me, lanes, warp, some_);
      const std::uint32_t count = count_lanes(some_);
      if (count == 0) continue;
      f(warp);
      left -= count;
    }
  }

  // Finds the causes of the idle lanes.
  template <class Mask>
  constexpr void find(instance& me, const Mask& active_lanes, std::uint32_t active) {
    const std::size_t first = std::size_t{me.first_thread} + active_lanes.first();
    const seat leader = seats_[first];
    const std::uint32_t threads = threads_of(leader.warp);
    const std::size_t words = some_.size();

    // Home lanes that no active thread has: the lowest, as many as are idle.
    for (std::size_t i = 0; i < words; ++i) idle_[i] = first_lanes_word(width_, i);
    for_each_warp(me, active_lanes, [&](std::uint32_t) {
      for (std::size_t i = 0; i < words; ++i) idle_[i] &= ~some_[i];
    });
    std::uint32_t more = count_lanes(idle_) - (width_ - active);
    for (std::size_t i = words; more != 0;) {
      std::uint64_t& word = idle_[i - 1];
      if (word == 0) {
        --i;
        continue;
      }
      word &= ~(std::uint64_t{1} << (63 - std::countl_zero(word)));
      --more;
    }

    // Sets: some_ has the threads that have ended, others_ those that live and do not wait, idle_ those that wait.
    std::uint32_t ragged = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t idle = idle_[i] & first_lanes_word(threads, i), ended = ended_[leader.warp * words + i];
      ragged += static_cast<std::uint32_t>(std::popcount(idle_[i] ^ idle));
      some_[i] = idle & ended;
      idle_[i] = idle & ~ended & waiting_[leader.warp * words + i];
      others_[i] = idle & ~ended & ~idle_[i];
    }
    parted_.for_each(leader.warp, leader.home, [&](block_id branch, const_lane_words lanes) {
      std::uint32_t ended = 0, apart = 0;
      for (std::size_t i = 0; i < words; ++i) {
        ended += static_cast<std::uint32_t>(std::popcount(some_[i] & lanes[i]));
        apart += static_cast<std::uint32_t>(std::popcount(others_[i] & lanes[i]));
        some_[i] &= ~lanes[i];
        others_[i] &= ~lanes[i];
      }
      if (apart != 0) me.idle.push_back({{idle_cause::branch, branch}, apart});
      if (ended != 0) me.idle.push_back({{idle_cause::exited, branch}, ended});
    });
    const stop* const stops = stops_.data() + first - leader.home;
    for_each_lane(some_, [&](std::uint32_t home) { add(me, {idle_cause::exited, stops[home].block}, 1); });
    for_each_lane(idle_, [&](std::uint32_t home) { add(me, {idle_cause::barrier, stops[home].block}, 1); });
    if (const std::uint32_t apart = count_lanes(others_); apart != 0)
      me.idle.push_back({{idle_cause::schedule, no_block}, apart});
    if (ragged != 0) me.idle.push_back({{idle_cause::ragged_warp, no_block}, ragged});
  }
  static constexpr void add(instance& me, const idle_blame& to, std::uint32_t lanes) {
    for (idle_charge& c : me.idle)
      if (c.to == to) {
        c.lanes += lanes;
        return;
      }
    me.idle.push_back({to, lanes});
  }

  // Threads have run together: no branch has parted them.
  template <class Mask>
  constexpr void join(const instance& me, const Mask& lanes) {
    for_each_warp(me, lanes, [&](std::uint32_t warp) { parted_.join(warp, some_); });
  }
  // A branch has sent threads to different places.
  template <class Mask>
  constexpr void part(const instance& me, const Mask& some, const Mask& others, block_id branch) {
    for_each_warp(me, some, [&](std::uint32_t warp) {
      cut(me, others, warp, others_);
      if (count_lanes(others_) != 0) parted_.part(warp, some_, others_, branch);
    });
  }

  std::uint32_t threads_ = 0, width_ = 0;  // of a thread block; of a warp
  std::uint32_t warps_each_ = 0;           // static warps of a thread block
  std::size_t warps_ = 0;                  // static warps
  std::vector<seat> seats_;                // by thread
  parted_threads parted_;
  std::vector<stop> stops_;                          // by thread
  std::vector<std::uint64_t> waiting_, ended_;       // by static warp: home lanes of threads
  std::vector<instance> instances_;                  // of the policy
  std::vector<std::uint64_t> idle_, some_, others_;  // sets of home lanes
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

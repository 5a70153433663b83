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

#include <array>
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
    stops_.resize(warps_);
    for (stops& all : stops_) all.clear();
    for (std::vector<std::uint64_t>* set : {&idle_, &some_, &others_}) set->resize(parted_.words());
    if (instances_.size() != e.warps) instances_.resize(e.warps);
    by_warp_ = e.warps == warps_;
    for (instance& me : instances_) {
      me.lanes.clear();
      me.known = me.outside.known = false;
    }
  }
  // Other threads come to the place of a thread block that has ended.
  constexpr void restart(std::uint32_t thread_block) {
    for (std::uint32_t w = 0; w < warps_each_; ++w) {
      const std::size_t warp = std::size_t{thread_block} * warps_each_ + w;
      parted_.restart(static_cast<std::uint32_t>(warp));
      for (std::size_t i = 0; i < parted_.words(); ++i)
        waiting_[warp * parted_.words() + i] = ended_[warp * parted_.words() + i] = 0;
      stops_[warp].clear();
    }
    forget();
  }
  [[nodiscard]] constexpr std::uint32_t width() const { return width_; }

  // The idle lanes beside lanes of an instance that issue. The first charge is of the branch that an idle lane left
  // last; without such a branch, of the first cause of exited, barrier, schedule, ragged_warp, and of the block where
  // threads of the warp have stopped first. Valid until the next call.
  // \param active how many there are, \param joined true if they may have come from several places
  template <class Mask>
  constexpr std::span<const idle_charge> look(std::uint32_t number, std::uint32_t first_thread, const Mask& lanes,
                                              std::uint32_t active, bool joined) {
    instance& me = instances_[number];
    if (!me.known || !are(me, lanes)) {
      me.first_thread = first_thread;
      if (joined) join(me, lanes);
      me.lanes.resize(Mask::capacity / 64);
      for (std::size_t i = 0; i < me.lanes.size(); ++i) me.lanes[i] = lanes.word(i);
      me.known = true;
      me.idle.clear();
      if (active < width_) {
        if (parted_.words() == 1)
          find<1>(me, lanes, active);
        else
          find<0>(me, lanes, active);
      }
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
    const seat& at = seats_[thread];
    const stops& stop = stops_[at.warp];
    for (std::size_t k = 0; k < stop.blocks.size(); ++k) {
      if ((stop.lanes[k * parted_.words() + at.home / 64] >> at.home % 64 & 1) == 0) continue;
      if (stop.waits_for[k] != 0) return {idle_cause::barrier, stop.blocks[k]};
      return {idle_cause::exited, parted_at == no_block ? stop.blocks[k] : parted_at};
    }
    return {parted_at == no_block ? idle_cause::schedule : idle_cause::branch, parted_at};
  }

  // Lanes went to different places.
  template <class Mask>
  constexpr void part(const event::diverged<Mask>& e) {
    instance& me = instances_[e.warp];
    if (!are(me, e.lanes)) join(me, e.lanes);  // they have waited, and went on together
    me.known = false;
    for_each_warp(me, e.lanes, [&](std::uint32_t warp) {
      groups_.clear();
      for (const auto& f : e.to) {
        cut(me, f.lanes, warp, others_);
        if (count_lanes(others_) != 0) groups_.insert(groups_.end(), others_.begin(), others_.end());
      }
      if (groups_.size() > others_.size()) parted_.part(warp, e.block, some_, groups_);
    });
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
    const std::size_t words = parted_.words();
    for (std::uint32_t w = 0; w < warps_each_; ++w) {
      const std::size_t warp = std::size_t{e.thread_block} * warps_each_ + w;
      stops& stop = stops_[warp];
      for (std::size_t k = stop.blocks.size(); k-- > 0;) {
        if (stop.waits_for[k] != e.barrier + 1) continue;
        for (std::size_t i = 0; i < words; ++i) waiting_[warp * words + i] &= ~stop.lanes[k * words + i];
        stop.erase(k, words);
      }
    }
    forget();
  }

 private:
  // The place of a thread in the static warps.
  struct seat {
    std::uint32_t warp, home;
  };
  // The places where threads of a static warp have stopped, the earliest first: the block in which they ended, or wait
  // for a barrier with that number - 1.
  struct stops {
    std::vector<block_id> blocks{};
    std::vector<std::uint32_t> waits_for{};  // 0: they have ended
    std::vector<std::uint64_t> lanes{};
    std::uint64_t changes = 0;  // up to now
    constexpr void clear() {
      ++changes;
      blocks.clear();
      waits_for.clear();
      lanes.clear();
    }
    constexpr void add(block_id block, std::uint32_t barrier, const_lane_words more) {
      ++changes;
      for (std::size_t k = 0; k < blocks.size(); ++k)
        if (blocks[k] == block && waits_for[k] == barrier) {
          for (std::size_t i = 0; i < more.size(); ++i) lanes[k * more.size() + i] |= more[i];
          return;
        }
      blocks.push_back(block);
      waits_for.push_back(barrier);
      for (const std::uint64_t word : more) lanes.push_back(word);
    }
    constexpr void erase(std::size_t k, std::size_t words) {
      ++changes;
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
      waits_for.erase(waits_for.begin() + static_cast<std::ptrdiff_t>(k));
      const auto first = lanes.begin() + static_cast<std::ptrdiff_t>(k * words);
      lanes.erase(first, first + static_cast<std::ptrdiff_t>(words));
    }
  };
  // The idle lanes beside all threads of the latest entry of a warp's log. A loop changes the entry in each iteration,
  // but not these.
  struct outside_charges {
    std::vector<idle_charge> charges{};
    std::uint64_t before = 0, changes = 0;  // of the log and of the stops, for which they hold
    std::uint32_t leader = 0;               // for which they hold,
    bool for_all = false;                   // or for each thread of the entry
    bool known = false;
  };
  // An instance of the policy.
  struct instance {
    std::uint32_t first_thread = 0;
    std::vector<std::uint64_t> lanes{};  // that ran last; empty: none have
    std::vector<idle_charge> idle{};     // beside them
    bool known = false;                  // `idle` holds for the next issue of the same lanes
    outside_charges outside{};           // if it is a static warp
  };

  constexpr void forget() {
    for (instance& me : instances_) me.known = false;
  }
  template <class Mask>
  constexpr void stand(std::uint32_t number, block_id block, const Mask& lanes, std::uint32_t barrier,
                       std::vector<std::uint64_t>& set) {
    instance& me = instances_[number];
    me.known = false;
    for_each_warp(me, lanes, [&](std::uint32_t warp) {
      for (std::size_t i = 0; i < some_.size(); ++i) set[warp * some_.size() + i] |= some_[i];
      stops_[warp].add(block, barrier, some_);
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
    if (by_warp_) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = lanes.word(i);
      return;
    }
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
    if (by_warp_) {
      cut(me, lanes, 0, some_);
      f(static_cast<std::uint32_t>(&me - instances_.data()));
      return;
    }
    std::uint32_t left = lanes.count();
    for (std::uint32_t warp = left == 0 ? 0 : seats_[me.first_thread + lanes.first()].warp; left != 0; ++warp) {
      cut(me, lanes, warp, some_);
      const std::uint32_t count = count_lanes(some_);
      if (count == 0) continue;
      f(warp);
      left -= count;
    }
  }

  // Finds the causes of the idle lanes. \param Words of a set, or 0: sets of one word stay in registers.
  template <std::size_t Words, class Mask>
  constexpr void find(instance& me, const Mask& active_lanes, std::uint32_t active) {
    const std::size_t words = Words == 0 ? some_.size() : Words;
    const seat leader = seats_[std::size_t{me.first_thread} + active_lanes.first()];
    // Home lanes that no active thread has: the lowest, as many as are idle.
    if (by_warp_) {
      if (find_from_latest<Words>(me, leader, active_lanes)) return;
      for (std::size_t i = 0; i < words; ++i) idle_[i] = first_lanes_word(width_, i) & ~active_lanes.word(i);
    } else {
      for (std::size_t i = 0; i < words; ++i) idle_[i] = first_lanes_word(width_, i);
      for_each_warp(me, active_lanes, [&](std::uint32_t) {
        for (std::size_t i = 0; i < words; ++i) idle_[i] &= ~some_[i];
      });
      keep_lowest(width_ - active);
    }
    charge<Words>(leader, {}, me.idle);
  }
  // Finds them if the active lanes are a group of the latest entry of their warp, and the entry's other threads go on.
  // \returns false if they are not.
  template <std::size_t Words, class Mask>
  constexpr bool find_from_latest(instance& me, const seat& leader, const Mask& active_lanes) {
    const std::size_t words = Words == 0 ? some_.size() : Words;
    const auto latest = parted_.latest(leader.warp, leader.home);
    if (latest.all.empty()) return false;
    std::uint64_t differ = 0;
    std::uint32_t inside = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t others = latest.all[i] & ~latest.group[i], at = leader.warp * words + i;
      differ |= latest.group[i] ^ active_lanes.word(i);
      differ |= others & (~latest.live[i] | ended_[at] | waiting_[at]);
      inside += count_word(others);
    }
    if (differ != 0) return false;
    outside_charges& outside = me.outside;
    if (!outside.known || outside.before != latest.before || outside.changes != stops_[leader.warp].changes ||
        (!outside.for_all && outside.leader != leader.home)) {
      for (std::size_t i = 0; i < words; ++i) idle_[i] = first_lanes_word(width_, i) & ~latest.all[i];
      outside.charges.clear();
      outside.for_all = charge<Words>(leader, latest.all, outside.charges);
      outside.known = true;
      outside.before = latest.before;
      outside.changes = stops_[leader.warp].changes;
      outside.leader = leader.home;
    }
    add(me.idle, {idle_cause::branch, latest.branch}, inside);
    for (const idle_charge& c : outside.charges) add(me.idle, c.to, c.lanes);
    return true;
  }
  // Adds the causes of the lanes in idle_ to a list. \param company threads of the leader's warp; or none
  // \returns true if they are the same for every leader among these.
  template <std::size_t Words>
  constexpr bool charge(const seat& leader, const_lane_words company, std::vector<idle_charge>& to) {
    const std::size_t words = Words == 0 ? some_.size() : Words;
    std::array<std::uint64_t, 5 * Words + 1> local{};
    if constexpr (Words == 0) sets_.resize(5 * words);
    const auto set = [&](std::size_t k) {
      return lane_words((Words == 0 ? sets_.data() : local.data()) + k * words, words);
    };
    const lane_words ended = set(0), waiting = set(1), others = set(2), open = set(3), parted = set(4);
    const std::uint32_t threads = threads_of(leader.warp);
    std::uint32_t ragged = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t idle = idle_[i] & first_lanes_word(threads, i);
      ragged += count_word(idle_[i] ^ idle);
      ended[i] = idle & ended_[leader.warp * words + i];
      waiting[i] = idle & ~ended[i] & waiting_[leader.warp * words + i];
      others[i] = idle & ~ended[i] & ~waiting[i];
      open[i] = ended[i] | others[i];
    }
    const auto left_at = [&](block_id branch, const_lane_words lanes) {
      std::uint32_t gone = 0, apart = 0;
      for (std::size_t i = 0; i < words; ++i) {
        gone += count_word(ended[i] & lanes[i]);
        apart += count_word(others[i] & lanes[i]);
        ended[i] &= ~lanes[i];
        others[i] &= ~lanes[i];
      }
      add(to, {idle_cause::branch, branch}, apart);
      add(to, {idle_cause::exited, branch}, gone);
    };
    bool for_all = false;
    if (company.empty())
      parted_.decide<Words>(leader.warp, leader.home, open, parted, left_at);
    else
      for_all = parted_.decide_for_all<Words>(leader.warp, leader.home, company, open, parted, left_at);
    if (const stops& stop = stops_[leader.warp]; !stop.blocks.empty())
      for (const bool of_ended : {true, false})
        for (std::size_t k = 0; k < stop.blocks.size(); ++k) {
          if ((stop.waits_for[k] == 0) != of_ended) continue;
          std::uint32_t count = 0;
          for (std::size_t i = 0; i < words; ++i)
            count += count_word((of_ended ? ended : waiting)[i] & stop.lanes[k * words + i]);
          add(to, {of_ended ? idle_cause::exited : idle_cause::barrier, stop.blocks[k]}, count);
        }
    add(to, {idle_cause::schedule, no_block}, count_lanes(others));
    add(to, {idle_cause::ragged_warp, no_block}, ragged);
    return for_all;
  }
  // Leaves the lowest so many of idle_.
  constexpr void keep_lowest(std::uint32_t count) {
    std::uint32_t more = count_lanes(idle_) - count;
    for (std::size_t i = idle_.size(); more != 0;) {
      std::uint64_t& word = idle_[i - 1];
      if (word == 0) {
        --i;
        continue;
      }
      word &= ~(std::uint64_t{1} << (63 - std::countl_zero(word)));
      --more;
    }
  }
  static constexpr void add(std::vector<idle_charge>& charges, const idle_blame& to, std::uint32_t lanes) {
    if (lanes == 0) return;
    for (idle_charge& c : charges)
      if (c.to == to) {
        c.lanes += lanes;
        return;
      }
    charges.push_back({to, lanes});
  }

  // Threads have run together: no branch has parted them.
  template <class Mask>
  constexpr void join(const instance& me, const Mask& lanes) {
    for_each_warp(me, lanes, [&](std::uint32_t warp) { parted_.join(warp, some_); });
  }

  std::uint32_t threads_ = 0, width_ = 0;  // of a thread block; of a warp
  std::uint32_t warps_each_ = 0;           // static warps of a thread block
  bool by_warp_ = true;                    // each instance of the policy is a static warp
  std::size_t warps_ = 0;                  // static warps
  std::vector<seat> seats_;                // by thread
  parted_threads parted_;
  std::vector<stops> stops_;                                // by static warp
  std::vector<std::uint64_t> waiting_, ended_;              // by static warp: home lanes of threads
  std::vector<instance> instances_;                         // of the policy
  std::vector<std::uint64_t> idle_, some_, others_, sets_;  // sets of home lanes
  std::vector<std::uint64_t> groups_;                       // several of them
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

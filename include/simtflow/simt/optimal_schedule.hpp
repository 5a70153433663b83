// SPDX-License-Identifier: BSL-1.0
//
// The best that any mechanism could do. A schedule is a sequence of blocks; a lane runs along whenever its next block
// comes up. The cheapest sequence that brings every lane to its end is a shortest common supersequence of the lanes'
// paths, with each block weighted with its instructions. Every policy costs at least that much, whatever it merges:
//
//   lower_bound <= optimum <= every policy
//
// The search is A* over position vectors. It is exact and exponential in the number of lanes with different paths (the
// problem is NP-hard for many lanes), so it has a limit on states. The estimate is the lower bound of the remaining
// cost: for each block the largest number of visits left in one path. It is consistent, so the first schedule found is
// the best. Two things keep the search small. Lanes with equal paths count as one lane. A block runs at once if only
// lanes that stand at it still have to visit it: in any schedule its first occurrence takes all these lanes along and
// can be moved to the front.
//
// Literature: D. Maier, The complexity of some problems on subsequences and supersequences, JACM 25, 1978; P. Hart, N.
// Nilsson, B. Raphael, A formal basis for the heuristic determination of minimum cost paths, 1968.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/search_states.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How a search for the best schedule ended.
enum class schedule_status : unsigned char {
  optimal,      ///< the schedule is the best there is
  state_limit,  ///< the search gave up; cost() is still a lower bound
  too_large     ///< no search: the product of (path length + 1) over the distinct paths does not fit into 64 bits
};

/// "optimal", "state-limit", "too-large".
[[nodiscard]] constexpr const char* to_string(schedule_status status) {
  switch (status) {
    case schedule_status::optimal:
      return "optimal";
    case schedule_status::state_limit:
      return "state-limit";
    case schedule_status::too_large:
      return "too-large";
  }
  return "";
}

/// The limits after which the search gives up.
struct schedule_limits {
  std::size_t states = 1'000'000;  ///< position vectors kept, about 100 bytes each
};

/// Searches for the cheapest schedule of one warp's lanes. Keep it between searches: it reuses every buffer.
class optimal_schedule {
 public:
  /// Lane i follows path path_of_lane[i]. `weights[b]`: instructions in b; blocks beyond the end of the table have 1.
  /// \pre every path exists. No lane, or empty paths: the empty schedule.
  /// Complexity: at most `states` position vectors, each O(distinct paths ^ 2) and a heap operation; space also
  /// path length times distinct blocks for each distinct path.
  constexpr schedule_status find(const block_paths& paths, std::span<const std::uint32_t> path_of_lane,
                                 std::span<const std::uint32_t> weights = {}, const schedule_limits& limit = {}) {
    schedule_.clear();
    states_.clear();
    cost_ = 0;
    if (!take(paths, path_of_lane)) {
      cost_ = bound(weights);
      return schedule_status::too_large;
    }
    cost_ = bound(weights);
    states_.reach(0, 0, cost_, none, no_block);
    while (!states_.finished()) {
      const detail::search_states::open best = states_.pop();
      if (states_[best.state].closed) continue;
      states_.close(best.state);
      cost_ = best.estimate;  // never falls: the estimate is consistent
      if (states_[best.state].code == goal_) {
        write(best.state);
        return schedule_status::optimal;
      }
      if (states_.size() >= limit.states) return schedule_status::state_limit;
      expand(best.state, weights);
    }
    return schedule_status::optimal;  // never reached: the goal can be reached from everywhere
  }

  /// The cost of the best schedule; a lower bound of it if the search was not optimal.
  [[nodiscard]] constexpr std::uint64_t cost() const { return cost_; }
  /// The best schedule; empty if it was not found.
  [[nodiscard]] constexpr std::span<const block_id> schedule() const { return schedule_; }
  /// Position vectors that were reached.
  [[nodiscard]] constexpr std::size_t states() const { return states_.size(); }

 private:
  static constexpr std::uint32_t none = detail::search_states::none;

  struct lane {
    std::uint32_t first = 0, length = 0;  // its blocks are word_[first .. first + length), numbered densely
    std::size_t left = 0;                 // left_[left + at * blocks + b]: visits to b from position `at` on
    std::uint64_t stride = 1;             // of its position in a code
  };
  // Reads the distinct paths. False if their position vectors do not fit into a code.
  constexpr bool take(const block_paths& paths, std::span<const std::uint32_t> path_of_lane) {
    lane_.clear();
    word_.clear();
    left_.clear();
    name_.clear();
    number_.clear();
    std::uint64_t stride = 1;
    bool fits = true;
    for (const std::uint32_t p : path_of_lane) {
      const std::span<const block_id> path = paths[p];
      bool known = path.empty();
      for (std::size_t i = 0; i < lane_.size() && !known; ++i) known = same(lane_[i], path);
      if (known) continue;
      lane l;
      l.first = static_cast<std::uint32_t>(word_.size());
      l.length = static_cast<std::uint32_t>(path.size());
      l.stride = stride;
      const std::uint64_t places = std::uint64_t{l.length} + 1;
      fits = fits && stride <= ~std::uint64_t{0} / places;
      stride *= places;
      for (const block_id b : path) {
        if (b >= number_.size()) {
          const std::size_t before = number_.size();
          for (std::size_t i = before; i <= b; ++i) number_.push_back(none);
        }
        if (number_[b] == none) {
          number_[b] = static_cast<std::uint32_t>(name_.size());
          name_.push_back(b);
        }
        word_.push_back(number_[b]);
      }
      lane_.push_back(l);
    }
    goal_ = 0;
    const std::size_t blocks = name_.size();
    for (lane& l : lane_) {
      l.left = left_.size();
      left_.insert(left_.end(), (l.length + std::size_t{1}) * blocks, 0);
      for (std::size_t at = l.length; at-- > 0;) {
        for (std::size_t b = 0; b < blocks; ++b)
          left_[l.left + at * blocks + b] = left_[l.left + (at + 1) * blocks + b];
        ++left_[l.left + at * blocks + word_[l.first + static_cast<std::size_t>(at)]];
      }
      goal_ += l.stride * l.length;
    }
    return fits;
  }

  constexpr bool same(const lane& l, std::span<const block_id> path) const {
    if (l.length != path.size()) return false;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (name_[word_[l.first + i]] != path[i]) return false;
    return true;
  }

  static constexpr std::uint64_t weight(std::span<const std::uint32_t> weights, block_id b) {
    return b < weights.size() ? weights[b] : 1;
  }

  // The lower bound of whole paths.
  constexpr std::uint64_t bound(std::span<const std::uint32_t> weights) const {
    std::uint64_t sum = 0;
    for (std::uint32_t b = 0; b < name_.size(); ++b) {
      std::uint64_t most = 0;
      for (const lane& l : lane_)
        if (left_[l.left + b] > most) most = left_[l.left + b];
      sum += most * weight(weights, name_[b]);
    }
    return sum;
  }

  constexpr void expand(std::uint32_t from, std::span<const std::uint32_t> weights) {
    const detail::search_states::state s = states_[from];
    const std::size_t blocks = name_.size();
    where_.clear();
    next_.clear();  // by lane: its next block; `none` at its end
    for (const lane& l : lane_) {
      const std::uint64_t at = s.code / l.stride % (std::uint64_t{l.length} + 1);
      where_.push_back(static_cast<std::uint32_t>(at));
      next_.push_back(at < l.length ? word_[l.first + static_cast<std::size_t>(at)] : none);
    }
    const auto left = [&](std::size_t i, std::uint32_t b) { return left_[lane_[i].left + where_[i] * blocks + b]; };
    std::uint32_t forced = none;
    for (std::size_t i = 0; i < lane_.size() && forced == none; ++i) {
      if (next_[i] == none) continue;
      forced = next_[i];
      for (std::size_t j = 0; j < lane_.size(); ++j)
        if (next_[j] != next_[i] && left(j, next_[i]) != 0) forced = none;
    }
    for (std::size_t i = 0; i < lane_.size(); ++i) {
      const std::uint32_t b = next_[i];
      if (b == none || (forced != none && b != forced)) continue;
      bool done = false;  // as the next block of an earlier lane
      for (std::size_t j = 0; j < i; ++j) done = done || next_[j] == b;
      if (done) continue;
      std::uint64_t code = s.code;
      std::uint32_t before = 0, after = 0;  // most visits to b left
      for (std::size_t j = 0; j < lane_.size(); ++j) {
        const std::uint32_t n = left(j, b);
        const std::uint32_t m = next_[j] == b ? n - 1 : n;
        if (next_[j] == b) code += lane_[j].stride;
        if (n > before) before = n;
        if (m > after) after = m;
      }
      const std::uint64_t w = weight(weights, name_[b]);
      states_.reach(code, s.cost + w, s.rest - w * (before - after), from, b);
      if (forced != none) return;
    }
  }

  constexpr void write(std::uint32_t at) {
    for (; states_[at].from != none; at = states_[at].from) schedule_.push_back(name_[states_[at].by]);
    for (std::size_t low = 0, high = schedule_.size(); low + 1 < high; ++low) {
      const block_id kept = schedule_[low];
      schedule_[low] = schedule_[--high];
      schedule_[high] = kept;
    }
  }

  std::vector<lane> lane_;             // one for each distinct path
  std::vector<std::uint32_t> word_;    // paths in dense block numbers
  std::vector<std::uint32_t> left_;    // by lane, position, block
  std::vector<block_id> name_;         // by dense block number
  std::vector<std::uint32_t> number_;  // by block
  std::uint64_t goal_ = 0, cost_ = 0;
  detail::search_states states_;
  std::vector<std::uint32_t> where_, next_;
  std::vector<block_id> schedule_;
};

}  // namespace v0
}  // namespace simtflow

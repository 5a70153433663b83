// SPDX-License-Identifier: BSL-1.0
//
// The scoreboard: what the next instruction of a warp waits for. It knows every result that is under way, and each
// fragment in flight holds the results that its lanes wait for. When lanes are regrouped, the new fragments hold the
// results of the old ones.
//
//   one_in_flight   an instruction waits until all results of its warp are there (TBC paper, section 2.2)
//   registers       it waits for the results that write a register that it reads (RAW) or writes (WAW). Registers are
//                   read in order at issue, so no instruction waits to write a register that another one reads
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A result under way: a number that the scoreboard gives out again once the result is there and nobody holds it.
using result_token = std::uint32_t;

/// How long an instruction waits, and whether it waits for memory.
struct scoreboard_wait {
  cycle until = 0;      ///< the first cycle in which it may issue; `never`: not known yet
  bool memory = false;  ///< true if one of the results comes from memory
};

/// The results under way in one core. The memory that registers are listed in must outlive them.
class scoreboard {
 public:
  /// Nothing is under way.
  explicit scoreboard(scoreboard_kind kind) : kind_(kind) {}

  /// Notes the result of an instruction that issues, held once. `ready` is the cycle in which a dependent instruction
  /// may issue, `never` if settle() will tell. O(1) amortised.
  [[nodiscard]] result_token open(std::span<const std::uint32_t> writes, cycle ready, bool memory) {
    result_token t;
    if (free_.empty()) {
      t = static_cast<result_token>(results_.size());
      results_.emplace_back();
    } else {
      t = free_.back();
      free_.pop_back();
    }
    results_[t] = {writes.data(), static_cast<std::uint32_t>(writes.size()), 1, ready, memory};
    return t;
  }
  /// Tells when the result is there. \pre open() was given `never`. O(1).
  void settle(result_token t, cycle ready) {
    results_[t].ready = ready;
    if (results_[t].holders == 0) free_.push_back(t);
  }
  /// True if the instruction of a class opens a result: it writes something, or everything counts.
  [[nodiscard]] bool tracks(const instruction& in) const {
    return in.writes != 0 || kind_ == scoreboard_kind::one_in_flight;
  }

  /// Another fragment holds the results too. O(results).
  void hold(std::span<const result_token> results) {
    for (const result_token t : results) ++results_[t].holders;
  }
  /// A fragment does not hold these results any more, and the list is empty. O(results).
  void drop(std::vector<result_token>& results) {
    for (const result_token t : results) drop_one(t);
    results.clear();
  }

  /// Removes the results from a fragment's list that are there at cycle `now`. O(results).
  void forget_arrived(std::vector<result_token>& results, cycle now) {
    std::size_t kept = 0;
    for (const result_token t : results) {
      if (results_[t].ready <= now)
        drop_one(t);
      else
        results[kept++] = t;
    }
    results.resize(kept);
  }

  /// How long an instruction with these registers waits for the results that its fragment holds; {0, false}: not at
  /// all. `registers` are those that it reads and writes. O(results times registers).
  [[nodiscard]] scoreboard_wait wait(std::span<const result_token> results,
                                     std::span<const std::uint32_t> registers) const {
    scoreboard_wait w;
    for (const result_token t : results) {
      const result& r = results_[t];
      if (kind_ == scoreboard_kind::registers && !touches(r, registers)) continue;
      if (r.ready > w.until) w.until = r.ready;
      w.memory = w.memory || r.memory;
    }
    return w;
  }

  /// How long until all results that a fragment holds are there. O(results).
  [[nodiscard]] scoreboard_wait wait_for_all(std::span<const result_token> results) const {
    scoreboard_wait w;
    for (const result_token t : results) {
      if (results_[t].ready > w.until) w.until = results_[t].ready;
      w.memory = w.memory || results_[t].memory;
    }
    return w;
  }

 private:
  struct result {
    const std::uint32_t* writes = nullptr;
    std::uint32_t num_writes = 0, holders = 0;
    cycle ready = 0;
    bool memory = false;
  };

  static bool touches(const result& r, std::span<const std::uint32_t> registers) {
    for (std::uint32_t i = 0; i < r.num_writes; ++i)
      for (const std::uint32_t used : registers)
        if (r.writes[i] == used) return true;
    return false;
  }
  void drop_one(result_token t) {
    if (--results_[t].holders == 0 && results_[t].ready != never) free_.push_back(t);
  }

  scoreboard_kind kind_;
  std::vector<result> results_;
  std::vector<result_token> free_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

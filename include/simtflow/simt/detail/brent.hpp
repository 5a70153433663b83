// SPDX-License-Identifier: BSL-1.0
//
// The proof of a livelock: Brent's cycle detection (An Improved Monte Carlo Factorization Algorithm, BIT 20, 1980) over
// the state of the whole run. The run notes its state after 1, 2, 4, 8, ... blocks. A run that comes back to the last
// noted state repeats itself forever, because the rest of a run depends on the state alone.
#pragma once

#include <simtflow/simt/detail/barrier_book.hpp>
#include <simtflow/simt/detail/instances.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Policy>
class livelock_proof {
 public:
  constexpr void start() {
    power_ = 0;
    since_ = 0;
  }

  // After a block: true if the run is back in the last noted state.
  // \param at the instance that has just run, \param turn the number of blocks of its turn that it ran before.
  template <class Program>
  constexpr bool state_came_back(instances<Policy>& crew, const barrier_book<Policy>& book, std::size_t at,
                                 std::uint32_t turn, std::uint64_t steps, Program& program) {
    if (power_ != 0) {
      ++since_;
      if (is_noted_state(crew, book, at, turn) && program.as_remembered()) return true;
      if (since_ < power_) return false;
    }
    power_ = power_ == 0 ? 1 : 2 * power_;
    since_ = 0;
    program.remember();
    note(crew, book, at, turn, steps);
    return false;
  }

  // The number of steps when the state was noted last.
  [[nodiscard]] constexpr std::uint64_t noted_step() const { return step_; }

  // Notes the state of the run; `at` and `turn` as above.
  constexpr void note(instances<Policy>& crew, const barrier_book<Policy>& book, std::size_t at, std::uint32_t turn,
                      std::uint64_t steps) {
    noted_.assign(crew.all().begin(), crew.all().end());
    book_ = book;
    at_ = at;
    turn_ = turn;
    step_ = steps;
    // If one instance runs alone and nothing will happen at the end of the round, its position in its turn does not
    // matter.
    alone_ = !book.changed() && book.opened().empty();
    for (std::size_t w = 0; w < noted_.size(); ++w) {
      crew.all()[w].ran = {};
      if (w != at && noted_[w].state == instance_state::runs) alone_ = false;
    }
  }

  // Whether it is in the state that was noted last.
  constexpr bool is_noted_state(const instances<Policy>& crew, const barrier_book<Policy>& book, std::size_t at,
                                std::uint32_t turn) const {
    const bool alone = alone_ && book.num_openings() == book_.num_openings();
    if (at != at_ || (!alone && turn != turn_)) return false;
    const auto all = crew.all();
    if (!instance<Policy>::same(all[at], noted_[at])) return false;  // the instance that has just changed
    for (std::size_t w = 0; w < all.size(); ++w)
      if (w != at && !instance<Policy>::same(all[w], noted_[w])) return false;
    return barrier_book<Policy>::same(book, book_);
  }

 private:
  std::uint64_t power_ = 0, since_ = 0;  // blocks after which the state is noted anew, blocks since it was noted
  std::vector<instance<Policy>> noted_;
  barrier_book<Policy> book_;
  std::size_t at_ = 0;
  std::uint32_t turn_ = 0;
  std::uint64_t step_ = 0;
  bool alone_ = false;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

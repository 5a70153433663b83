// SPDX-License-Identifier: BSL-1.0
//
// The expected costs that melding compares: how often warps visit a melded block, and what that makes of its code.
//
// One visit of the branch is the unit. A part p of all warps has threads in both arms, a part q0 in arm 0 alone, a
// part q1 in arm 1 alone. Let a warp execute block x of arm 0 f(x) times for each time that it enters the arm, and
// likewise block y of arm 1. Then warps with threads of arm 0 visit x
//
//   first  = (p + q0) * f(x) times,
//   second = (p + q1) * f(y) times is the same for y, and
//   all    = p * max(f(x), f(y)) + q0 * f(x) + q1 * f(y) times is one block visited in place of both.
//
// first + second - all = p * min(f(x), f(y)) visits have threads of both arms. That is all that costs ask for:
//
//   a pair        first * w(i) + second * w(j) is what it weighed, all * (max(w(i), w(j)) + selects) is what it weighs
//   a run of one  executed under a predicate it weighs one issue an instruction for each of the all - first visits
//   side          without its threads (an issue never weighs more than the instruction); under a branch it weighs the
//                 branch in all visits and divergence_cost in the visits with threads of both arms
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Expected visits of a block that takes the place of two, for each visit of the branch, in units of
/// 1 / meld_costs::one.
struct meld_visits {
  std::int64_t first = 0;   ///< with threads of arm 0 that have something to do in the block
  std::int64_t second = 0;  ///< the same of arm 1
  std::int64_t all = 0;     ///< with threads of either arm

  /// With threads of both arms.
  [[nodiscard]] constexpr std::int64_t both() const { return first + second - all; }
  /// Without threads of an arm.
  [[nodiscard]] constexpr std::int64_t without(unsigned arm) const { return all - (arm == 0 ? first : second); }
};

/// The costs of one branch and its arms, in fixed point, so that all machines compute the same.
class meld_costs {
 public:
  static constexpr std::int64_t one = 4096;  ///< what 1 is in fixed point

  constexpr explicit meld_costs(const meld_options& options)
      : branch_(options.predication_cost), divergence_(options.divergence_cost) {}

  /// Takes up a branch. `alone0` and `alone1` are the parts of warps with all threads in arm 0 and in arm 1.
  constexpr void take_up(double parted, double alone0, double alone1) {
    parted_ = between(parted, 1);
    alone_[0] = between(alone0, 1);
    alone_[1] = between(alone1, 1);
  }

  /// The visits of a block that takes the place of two, which warps in its arm visit so often for each time that they
  /// enter the arm.
  [[nodiscard]] constexpr meld_visits visits(double in_arm_0, double in_arm_1) const {
    const double f0 = between(in_arm_0, most_visits), f1 = between(in_arm_1, most_visits);
    const double most = f0 > f1 ? f0 : f1;
    meld_visits v{fixed((parted_ + alone_[0]) * f0), fixed((parted_ + alone_[1]) * f1),
                  fixed(parted_ * most + alone_[0] * f0 + alone_[1] * f1)};
    // Rounded apart, three numbers may disagree by one unit.
    const std::int64_t larger = v.first > v.second ? v.first : v.second;
    if (v.all < larger) v.all = larger;
    if (v.all > v.first + v.second) v.all = v.first + v.second;
    return v;
  }

  /// The weight of a visit that issues an instruction of this weight for no thread.
  [[nodiscard]] constexpr std::int64_t issue(std::uint32_t weight) const { return weight < branch_ ? weight : branch_; }
  /// The branch around a run of one side.
  [[nodiscard]] constexpr std::int64_t branch(const meld_visits& v) const {
    return v.all * branch_ + v.both() * divergence_;
  }
  /// The branch around pieces of one side or of both, which all warps come to.
  [[nodiscard]] constexpr std::int64_t branch() const { return one * branch_ + fixed(parted_) * divergence_; }
  /// The same two for a warp with threads in both arms, in units of 1.
  [[nodiscard]] constexpr std::int64_t parted_branch() const { return branch_ + divergence_; }
  /// The weight of a branch by itself.
  [[nodiscard]] constexpr std::int64_t plain_branch() const { return branch_; }
  /// The branch of a block of arm `arm` made to take `slot` for the other arm's threads: a select in all visits, the
  /// branch in visits of those threads alone, and divergence where the arm's own threads go another way.
  [[nodiscard]] constexpr std::int64_t forced(const meld_visits& v, unsigned arm, double other_way) const {
    return (v.all + v.without(arm)) * branch_ + fixed(between(other_way, 1)) * v.both() / one * divergence_;
  }
  /// A number in units of 1 / one.
  [[nodiscard]] static constexpr std::int64_t fixed(double x) {
    return static_cast<std::int64_t>(x * static_cast<double>(one) + (x < 0 ? -0.5 : 0.5));
  }

 private:
  static constexpr double most_visits = 1 << 16;
  static constexpr double between(double x, double most) { return !(x > 0) ? 0 : x > most ? most : x; }

  std::int64_t branch_, divergence_;
  double parted_ = 0.5, alone_[2] = {0.25, 0.25};
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

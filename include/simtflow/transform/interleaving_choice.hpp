// SPDX-License-Identifier: BSL-1.0
//
// Input and output of the choice of branches to interleave (interleave_order.hpp): the code that is judged, prices, and
// what was chosen.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/issue_clock.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The reasons why the arms of a branch are not interleaved.
enum class interleave_refusal : unsigned char {
  none,          ///< they are
  uniform,       ///< threads of a warp do not diverge at the branch
  no_two_arms,   ///< it has no two arms of its own that join; interleaving_choice::arms says why
  convergent,    ///< a block of an arm must be executed by the same threads together as before
  waits,         ///< threads may wait for other threads in a loop of an arm
  too_long,      ///< its arms have more instructions than are tried
  no_stall,      ///< no arm waits for a register where it could be cut
  does_not_pay,  ///< the expected time does not fall
  overlaps       ///< the branch is in an arm of one that pays more, or around one
};

/// The reason in words that follow the name of a branch.
[[nodiscard]] constexpr std::string_view describe(interleave_refusal reason) {
  switch (reason) {
    case interleave_refusal::none:
      return "is interleaved";
    case interleave_refusal::uniform:
      return "does not diverge";
    case interleave_refusal::no_two_arms:
      return "has no two arms of its own";
    case interleave_refusal::convergent:
      return "has an arm in which threads must come together as before";
    case interleave_refusal::waits:
      return "has an arm with a loop in which threads may wait for others";
    case interleave_refusal::too_long:
      return "has arms that are too long to be tried";
    case interleave_refusal::no_stall:
      return "has no arm that waits for a load where it could be cut";
    case interleave_refusal::does_not_pay:
      return "would not become faster";
    case interleave_refusal::overlaps:
      return "lies in an arm of a branch that pays more, or around one";
  }
  return "";
}

/// Code that interleaving can judge. `is_cuttable(i)`: the block may be cut in front of instruction i. `waits(b)`:
/// threads may wait for others in b (an atomic or volatile access). The rest is as for melding (meldable_code.hpp).
template <class M>
concept interleavable_code = latency_code<M> && requires(const M& m, block_id b, std::uint32_t i) {
  { m.is_cuttable(i) } -> std::convertible_to<bool>;
  { m.is_convergent_block(b) } -> std::convertible_to<bool>;
  { m.waits(b) } -> std::convertible_to<bool>;
  { m.is_divergent(b) } -> std::convertible_to<bool>;
  { m.likelihood(b) } -> std::convertible_to<branch_likelihood>;
  { m.frequency(b) } -> std::convertible_to<double>;
};

/// The prices of interleaving.
struct interleave_prices {
  std::uint32_t guard_instructions = 3;    ///< of a cut: the test, its branch, a jump
  std::uint32_t guard_cycles = 12;         ///< of a cut, from the first of them until the next phase begins
  std::uint32_t warps = 1;                 ///< warps that take turns at one scheduler, at least 1
  std::uint32_t most_cuts = 4;             ///< of one branch: values that live across a cut keep registers of both arms
  std::uint32_t most_instructions = 4096;  ///< of both arms; branches with longer arms are left as they are
};

/// The place where a phase of an arm begins.
struct phase_begin {
  block_id block = no_block;      ///< no_block: nothing of the arm is left
  std::uint32_t instruction = 0;  ///< of the block: the first one after the cut

  friend constexpr bool operator==(const phase_begin&, const phase_begin&) = default;
};

/// One branch, judged.
struct interleaving_choice {
  block_id branch = no_block;                            ///< the block that it ends
  interleave_refusal reason = interleave_refusal::none;  ///< none: both arms are to be cut
  meld_refusal arms = meld_refusal::none;                ///< with no_two_arms: why
  block_id at = no_block;                                ///< with convergent and waits: the block
  double before = 0,                                     ///< expected cycles of a warp that comes to the branch
      after = 0;                                         ///< the same with the cuts
  double frequency = 0;                                  ///< warps that come to the branch
  /// By slot of the branch, where the phases after the cuts begin.
  std::vector<phase_begin> cuts[2];

  /// True if both arms are to be cut.
  [[nodiscard]] constexpr bool pays() const { return reason == interleave_refusal::none; }
};

}  // namespace v0
}  // namespace simtflow

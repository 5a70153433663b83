// SPDX-License-Identifier: BSL-1.0
//
// The options of melding (meld.hpp), and the reasons for which a branch is not melded.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How much may be melded.
enum class meld_mode : unsigned char {
  full,    ///< blocks and regions, as meld.hpp describes
  fusion,  ///< branch fusion: only arms of a single block each
  tail     ///< tail merging: only the instructions in which both arms' last blocks end alike, whatever they weigh
};

/// The mode's name: "full", "fusion" or "tail".
[[nodiscard]] constexpr std::string_view to_string(meld_mode mode) {
  switch (mode) {
    case meld_mode::full:
      return "full";
    case meld_mode::fusion:
      return "fusion";
    case meld_mode::tail:
      return "tail";
  }
  return "";
}

/// How pairs of pieces and pairs of instructions are scored.
enum class meld_score : unsigned char {
  expected,  ///< by the expected cost of what is written, as meld.hpp describes
  paper      ///< as the paper prints it: MP_B and MP_S decide and score, selects cost nothing
};

/// The score's name: "expected" or "paper".
[[nodiscard]] constexpr std::string_view to_string(meld_score score) {
  switch (score) {
    case meld_score::expected:
      return "expected";
    case meld_score::paper:
      return "paper";
  }
  return "";
}

/// How to look for branches to meld.
struct meld_options {
  /// The least part of the weight of two pieces that melding them has to save a warp with threads of both sides; no
  /// melding saves more than 0.5.
  double threshold = 0.2;
  meld_mode mode = meld_mode::full;         ///< how much may be melded
  bool all_branches = false;                ///< true: also branches that are not divergent
  std::uint32_t predication_cost = 3;       ///< the weight of a branch, and of an issue for no thread
  std::uint32_t divergence_cost = 3;        ///< what a branch weighs more if the threads of a warp part at it
  meld_score score = meld_score::expected;  ///< how pairs are scored
};

/// Whether runs of instructions of one side get a branch around them. Plans do not ask; writers of melded code do.
enum class meld_unpredication : unsigned char {
  automatic,  ///< where the branch is expected to cost less than what other threads would execute for nothing
  always,     ///< every run
  never       ///< only runs that other threads must not execute, even under a predicate
};

/// The name: "auto", "always" or "never".
[[nodiscard]] constexpr std::string_view to_string(meld_unpredication how) {
  switch (how) {
    case meld_unpredication::automatic:
      return "auto";
    case meld_unpredication::always:
      return "always";
    case meld_unpredication::never:
      return "never";
  }
  return "";
}

/// Why a branch is not melded.
enum class meld_refusal : unsigned char {
  none,                ///< it is melded
  not_two_way,         ///< its successors are not two different blocks
  uniform,             ///< it is not divergent
  no_join,             ///< it has no immediate post-dominator: threads end in an arm, or stay there
  empty_arm,           ///< one arm has no instruction and no branch
  arms_meet,           ///< the arms have a block in common
  returns,             ///< an arm leads back to the branch without passing the join
  not_dominated,       ///< control also enters an arm elsewhere
  convergent,          ///< an arm has a convergent instruction
  not_a_diamond,       ///< the mode asks for arms of one block, or for arms that end in one block
  nothing_compatible,  ///< no two pieces, or no two of their instructions, can become one
  pinned,              ///< the same, where pieces with pinned instructions were left out
  gave_up,             ///< the same, where a search for an isomorphism was cut short
  below_threshold      ///< pieces could be melded, but that saves too little
};

/// The refusal in one or two words: "uniform", "no join", "below threshold"; "none" for none. The reason as the end of
/// a sentence is describe() in io/describe_meld_plan.hpp.
[[nodiscard]] constexpr std::string_view to_string(meld_refusal r) {
  switch (r) {
    case meld_refusal::none:
      return "none";
    case meld_refusal::not_two_way:
      return "not two-way";
    case meld_refusal::uniform:
      return "uniform";
    case meld_refusal::no_join:
      return "no join";
    case meld_refusal::empty_arm:
      return "empty arm";
    case meld_refusal::arms_meet:
      return "arms meet";
    case meld_refusal::returns:
      return "returns";
    case meld_refusal::not_dominated:
      return "not dominated";
    case meld_refusal::convergent:
      return "convergent";
    case meld_refusal::not_a_diamond:
      return "not a diamond";
    case meld_refusal::nothing_compatible:
      return "nothing compatible";
    case meld_refusal::pinned:
      return "pinned";
    case meld_refusal::gave_up:
      return "gave up";
    case meld_refusal::below_threshold:
      return "below threshold";
  }
  return "";
}

/// A branch that is not melded. Blocks with fewer than two successors are no branches.
struct meld_refused {
  block_id branch = no_block;                ///< the block that ends in it
  meld_refusal reason = meld_refusal::none;  ///< why it is not

  friend constexpr bool operator==(const meld_refused&, const meld_refused&) = default;
};

/// The first branch that can be melded, and those that were looked at before it.
struct meld_search {
  bool found = false;                 ///< there is a plan
  meld_plan plan;                     ///< if found
  std::vector<meld_refused> refused;  ///< in the order in which they were looked at: inner branches before outer ones
};

}  // namespace v0
}  // namespace simtflow

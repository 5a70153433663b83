// SPDX-License-Identifier: BSL-1.0
//
// A plan to meld the arms of one branch, as plain data: which instructions of its two arms become one, in which order
// all of them stand, and what blocks come of that. meld.hpp makes such plans; whoever knows the code applies them.
//
// *left* is the arm that slot 0 of the branch leads to, *right* the arm of slot 1. An arm is a sequence of *pieces*:
// parts of the graph that control enters at one block and leaves for the beginning of the next piece, the last one for
// the join. A plan is a sequence of pieces too. All threads go through a melded one together; one of a single side is
// the piece as it stood, for the threads of that side alone. Between two melded pieces the left ones come first, then
// the right ones: together they are one if-else.
//
// A plan is complete: every instruction of both arms stands in exactly one slot, and the arms' old blocks are no longer
// needed. The branch ends its block no more: control goes on to the first piece, and from the last one to the join.
//
// Invariants, which a walk over the plan and both arms can check in linear time:
//
//   order     Pieces cover the blocks, and blocks cover the slots and the successors, in order and without holes.
//   blocks    Every block of an arm stands in one block of the plan, on its side; a cut block stands in several ones.
//             Blocks that only go on and have no instructions stand nowhere.
//   slots     The instructions of one side in a block of the plan follow each other in the code. They begin with the
//             first one of their block if that begins here, else where the part before ended. They end with the last
//             one if the block ends here.
//   parts     Only a block with one way out is cut. Its first part begins it, its last part ends it, and each part is
//             in a melded piece of its own.
//   a side    A piece of one side has no block of the other one; its blocks end as this side and force nothing. Left
//             pieces do not follow right ones without a melded piece between.
//   ways      Successors lie in the piece, or are piece_end. There are as many as the block that `ends_as` names has
//             successors in the code, in the order of its slots.
//   forced    A side without a block of its own, or with one that does not end here, takes slot `forced` from the first
//             block of the piece to its end, each block once, or never comes. A whole block beside a region's block
//             also ends like that: it has one way out.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022). Their region replication is a block here that threads of one side only pass.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// In a slot: that side has no instruction there.
inline constexpr std::uint32_t no_instruction = 0xFFFF'FFFFU;
/// No outcome of a branch.
inline constexpr std::uint32_t no_outcome = 0xFFFF'FFFFU;
/// As a successor: control leaves the piece for the next one, or after the last one for the join.
inline constexpr std::uint32_t piece_end = 0xFFFF'FFFFU;

/// The side that threads belong to.
enum class meld_side : unsigned char {
  both,  ///< of the left and of the right side
  left,  ///< threads for which the branch takes slot 0
  right  ///< threads for which it takes slot 1
};

/// The side in a word: "both", "left" or "right".
[[nodiscard]] constexpr std::string_view to_string(meld_side side) {
  switch (side) {
    case meld_side::both:
      return "both";
    case meld_side::left:
      return "left";
    case meld_side::right:
      return "right";
  }
  return "";
}

/// An instruction to be. Both given: they become one, operands that differ are selected. One given: threads of that
/// side execute it, the others do not; between two melded slots the left side comes first.
struct meld_slot {
  std::uint32_t left = no_instruction;   ///< of the left arm
  std::uint32_t right = no_instruction;  ///< of the right arm

  friend constexpr bool operator==(const meld_slot&, const meld_slot&) = default;
};

/// A block to be: its instructions in order, then a branch, or a jump if it has one successor.
///
/// `ends_as` tells which branch that is:
///   both         the branches of `left` and `right`, made one: the condition is selected. Successors are in the
///                slot order of the left one; if `swapped`, slot k is slot 1 - k of the right one, with an
///                inverted condition.
///   left, right  the branch of this side's block, in its slot order. In a melded piece threads of the other side
///                always take slot `forced`; if that is no_outcome they never get here.
///
/// A block of the code with one way out may be cut. Its parts then stand in several blocks of the plan, in order. A
/// side that does not end here is only led through: its threads take slot `forced`, as if they had nothing to do.
struct meld_block {
  block_id left = no_block;      ///< what threads of the left side do here; no_block: nothing, if they get here at all
  block_id right = no_block;     ///< the same for the right side
  std::uint32_t first_slot = 0;  ///< where its instructions begin in meld_plan::all_slots
  std::uint32_t num_slots = 0;   ///< how many they are
  bool swapped = false;          ///< see above
  std::uint32_t forced = no_outcome;    ///< see above
  std::uint32_t first_successor = 0;    ///< from here on in meld_plan::successors: indices into blocks, or piece_end
  std::uint32_t num_successors = 0;     ///< as many as the branch has outcomes
  meld_side ends_as = meld_side::both;  ///< see above
  bool left_begins = true;              ///< True if block `left` begins here: its phis are here
  bool left_ends = true;                ///< True if block `left` ends here: its branch is here
  bool right_begins = true;             ///< True if block `right` begins here: its phis are here
  bool right_ends = true;               ///< True if block `right` ends here: its branch is here

  friend constexpr bool operator==(const meld_block&, const meld_block&) = default;
};

/// A piece to be: the blocks [first_block, first_block + num_blocks) of meld_plan::blocks, entered at the first one.
struct meld_piece {
  meld_side side = meld_side::both;  ///< both: melded; else the piece is that side's, as it stands
  std::uint32_t first_block = 0;     ///< in meld_plan::blocks
  std::uint32_t num_blocks = 0;      ///< at least one
  double profit = 0;                 ///< melded: weight_saved by the weight of the two pieces that it is made of
  std::uint32_t weight_saved = 0;    ///< melded: what pairs save a warp with threads of both sides, less selects

  friend constexpr bool operator==(const meld_piece&, const meld_piece&) = default;
};

/// One branch melded once.
struct meld_plan {
  block_id branch = no_block;             ///< the block with the branch that has the two arms
  block_id join = no_block;               ///< its immediate post-dominator
  std::uint32_t weight_saved = 0;         ///< by a warp with threads of both sides, each block executed once
  double expected_saving = 0;             ///< of all warps that come to the branch, by likelihood: greater than 0
  std::vector<meld_piece> pieces;         ///< in the order in which control goes through them
  std::vector<meld_block> blocks;         ///< piece by piece
  std::vector<meld_slot> all_slots;       ///< block by block
  std::vector<std::uint32_t> successors;  ///< block by block

  friend bool operator==(const meld_plan&, const meld_plan&) = default;
};

}  // namespace v0
}  // namespace simtflow

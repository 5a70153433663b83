// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization applied to PTX (transform/partial_linearization.hpp): divergent branches go, their arms become
// straight code under a mask. This is code for machines with masks and without reconvergence hardware; a SIMT machine
// executes both arms of every removed branch, so on a GPU most kernels get slower. Branches on which the threads of a
// warp agree (uniformity.hpp) stay branches.
//
//   pending     a register of 32 bits: the block for which a thread waits. Blocks set it where they end, for the
//               threads that are active: by mov or selp, under the predicate of the branch that goes
//   mask        a predicate, true in a block for the threads that wait for it. Blocks in which all threads are active
//               (partial_linearization::is_full) have none, and are left as they are
//   guards      each instruction of a block with a mask is executed under the mask; a guard that it had becomes the
//               conjunction of both. So registers and memory change for active threads only
//   loops       the block that decides (linear_end::repeat) goes on if a thread wants to
//   the end     threads that end wait until the path ends; the code has no return under a guard
//
// The threads of a warp need not execute the result together. Each thread alone, with its own predicates, takes a path
// through all blocks that are its own, in order: a branch that stays may lead a thread that is not active either way,
// and a loop goes on for a thread as long as the thread itself wants to. So the result is right for any warp, full or
// not, and needs no communication (linear_branching::each_thread). A machine that has no threads, only lanes, executes
// one path for all: under linear_branching::whole_warp a branch asks, by a vote, whether any active thread takes it,
// and no branch of the result diverges.
//
//   whole_warp  activemask at the beginning names the threads that are there, and each vote.sync names just these. All
//               of them come to the vote, because they have taken the same branches since; none has ended. Threads of
//               a warp that begin apart are groups that vote among themselves: a warp may be partial. A thread that
//               waits in a loop for what a thread of its group does after the loop (a spin lock) waits forever
//
// Refused, with the place: irreducible loops (fix_irreducible repairs them); what threads must execute together
// (barriers, votes, shuffles, calls of such functions) unless all threads are active there; other calls where not all
// threads are active; `exit` in a device function, because threads wait for the end of the function.
//
// Literature: S. Moll, S. Hack, Partial control-flow linearization (2018). NVIDIA, Parallel Thread Execution ISA,
// sections "Predicated Execution", "Parallel Synchronization and Communication Instructions: activemask, vote.sync".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Who decides which way the code goes at a branch that stays, and whether a loop goes on.
enum class linear_branching : std::uint8_t {
  each_thread,  ///< each thread for itself, by its own predicate; works on any machine
  whole_warp    ///< the threads that began together, by a vote; no branch diverges. Needs PTX 6.2
};

/// The name: "each_thread" or "whole_warp".
[[nodiscard]] constexpr std::string_view to_string(linear_branching e) {
  return e == linear_branching::each_thread ? "each_thread" : "whole_warp";
}

/// How linear code is written.
struct linear_code_options {
  linear_branching branching = linear_branching::each_thread;  ///< who decides at branches
};

/// Figures of a function that was partially linearized.
struct linear_code_report {
  std::size_t removed_branches = 0;     ///< branches that lead to one block now
  std::size_t kept_branches = 0;        ///< branches that stay, because threads agree; loops are not counted
  std::size_t loops = 0;                ///< blocks that decide whether a loop goes on
  std::size_t turns = 0;                ///< blocks among these that were added
  std::size_t blocks = 0;               ///< of the result, turns among them
  std::size_t masked_blocks = 0;        ///< blocks under a mask
  std::size_t masked_instructions = 0;  ///< instructions of the text that are under a mask now
  std::size_t votes = 0;                ///< branches that ask the warp
  std::size_t instructions_before = 0;  ///< of the text
  std::size_t instructions_after = 0;   ///< of the result
};

/// A partially linearized function, and what was done.
struct linear_code {
  function code;              ///< under its own name; the rest of the module stays as it is
  linear_code_report report;  ///< what was done
};

/// Linearizes a function partially, as described at the top of this header.
/// \param f       the function
/// \param options who decides at branches
/// \returns the function and the report; or a diagnostic for each place that is refused.
/// Unreachable blocks go. A function without a divergent branch is written anew, but stays what it is.
/// \pre the module of f outlives the call. Complexity: as for uniformity() and partial_linearization, and linear in
/// what is written; a brx.idx that goes takes an instruction for each entry of its table.
[[nodiscard]] SIMTFLOW_INLINE result<linear_code> linearize_partially(const checked_function& f,
                                                                      const linear_code_options& options = {});

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/linear_code_impl.hpp>
#endif

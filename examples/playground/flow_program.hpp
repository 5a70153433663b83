// SPDX-License-Identifier: BSL-1.0
//
// The playground's notation for control flow: a line for each basic block.
//
//   # comment                                anywhere, up to the end of the line
//   threads 8                                of the thread block, 1 to 1024; 8 unless it is said
//   warp 4                                   lanes of a warp, 1 to 1024; all threads, up to 32, unless it is said
//
//   NAME [INSTRUCTIONS]: STATEMENT; ...      a block, of one instruction unless it is said; the first is the entry
//
//   goto X                                   a block, or `exit`: the thread ends
//   exit
//   if E then X [else Y]                     Y is the next line unless it is said
//   loop E to X [then Y]                     goes to X so often, then once to Y; then the count begins again
//   switch E to X, Y, Z                      to number E from 0; to the last one if there is no such number
//   barrier [N]                              threads wait for the others of the thread block; 0 to 15, 0 unless said
//   set F, clear F                           a flag that all threads share, by any name; clear at first
//
// A block that says nowhere to go leads to the next line, and the last line ends. An expression E has + - * / %, the
// comparisons == != < <= > >=, `not`, `and`, `or`, parentheses, decimal numbers, and
//
//   lane, warp, thread, threads              the thread's number in its warp, the warp, in the thread block; how many
//   visits                                   how often the thread ran this block before
//   random                                   0 to 99: depends on thread, block and visits, and is always the same
//   is F                                     1 if the flag is set
//   take F                                   sets the flag; 1 if it was clear: of all that ask, one gets 1
//
// Zero is false. A quotient by 0 is 0. `and` and `or` look at the right side only if the left one does not decide.
#pragma once

#include "playground/flow_expression.hpp"
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace playground {

enum class flow_ending : unsigned char {
  jump,    ///< to the only target
  branch,  ///< to the first target if the expression is not 0, else to the second
  loop,    ///< to the first target so often, then once to the second
  choice   ///< to the target of that number
};

struct flow_block {
  std::string name;
  std::string text;        ///< the statements, a line each
  std::uint32_t line = 0;  ///< from 1
  std::uint32_t weight = 1;
  std::optional<std::uint32_t> barrier;
  std::vector<std::pair<std::size_t, bool>> writes;  ///< flags, and whether they are set
  flow_ending ending = flow_ending::jump;
  flow_code code;                           ///< of a branch, loop or choice
  std::vector<simtflow::block_id> targets;  ///< no_block: the thread ends
};

struct flow_program {
  std::uint32_t threads = 8;
  std::uint32_t warp_width = 8;
  std::vector<flow_block> blocks;  ///< at least one; the first is the entry
  std::vector<std::string> flags;

  /// The ways of threads: an edge for each target.
  [[nodiscard]] simtflow::csr_graph graph() const;
};

/// Reads a program. O(length).
/// Errors: every line that is not as above, a name that is there twice, a target that is not there, no block.
[[nodiscard]] simtflow::result<flow_program> parse_flow(std::string_view text);

}  // namespace playground

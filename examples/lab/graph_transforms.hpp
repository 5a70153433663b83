// SPDX-License-Identifier: BSL-1.0
//
// Transforms of graphs that come without code (graph files, traces), what they make of a graph, and of a recorded
// trace.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/transform/copy_report.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// A recorded graph without its sentinel, if that is its last block: blocks that lead there may end threads.
[[nodiscard]] simtflow::csr_graph without_sentinel(const simtflow::recorded_graph& g);

/// A step as a text has it: "linearize", "linearize=o2", "struct", "fix-irreducible", "unify-exits", "merge-loops"
/// (each outermost nest), "merge-loops=BLOCK", "stack-depth=N".
struct graph_step {
  std::string name;
  std::uint32_t number = 0;  ///< the level of guards, the header, or the limit
  bool has_number = false;

  [[nodiscard]] std::string text() const;  ///< as it was parsed
};
/// \throws input_error if the text is none. \param option for the message: "--transform"
[[nodiscard]] graph_step parse_graph_step(const std::string& text, const std::string& option);
/// The texts, for help.
inline constexpr const char* graph_steps =
    "linearize[=none|o1|o2|o3|o4], struct, fix-irreducible, unify-exits, merge-loops[=BLOCK], stack-depth=N";

/// A graph that steps transform.
struct graph_code {
  const simtflow::csr_graph& graph;
  std::span<const std::uint32_t> weights;   ///< by block
  std::span<const unsigned char> barriers;  ///< by block; a block with a barrier is convergent
  /// By edge id and, for fix-irreducible, how often each edge is taken; empty: nobody knows.
  std::span<const std::uint64_t> taken = {};
};

struct graph_outcome {
  simtflow::flow_plan plan;            ///< for the graph; the plan that changes nothing if not all steps are done
  simtflow::copy_report copies;        ///< of the last `struct`
  std::string refused;                 ///< why a step is not done, in a word: "limit", "barrier"; empty: all are
  std::string why;                     ///< the same in words
  std::vector<std::string> remarks{};  ///< what was chosen, what was left as it is
};
/// Does the steps one after the other. \param most_copies blocks of the result of `struct`
/// \throws input_error if a step names a block that is not there
[[nodiscard]] graph_outcome transformed_graph(const graph_code& code, std::span<const graph_step> steps,
                                              std::size_t most_copies);

/// The weights of a plan's blocks: a guard is a comparison and a branch, an empty block a branch, and each variable
/// that edges of a block set is a move in the block.
[[nodiscard]] std::vector<std::uint32_t> weights_of(const simtflow::flow_plan& plan,
                                                    std::span<const std::uint32_t> weights);

/// The most branches that are open at once: a reconvergence stack of a structured graph has one entry, and two more for
/// each of them. O((blocks + edges) log blocks).
[[nodiscard]] std::uint32_t nested_branches(const simtflow::csr_graph& g);

/// The trace that threads would have left in the plan: each path leads through the plan's blocks.
/// \pre the plan is for without_sentinel(trace.graph)
[[nodiscard]] simtflow::recorded_trace transformed_trace(const simtflow::recorded_trace& trace,
                                                         const simtflow::flow_plan& plan);

}  // namespace lab

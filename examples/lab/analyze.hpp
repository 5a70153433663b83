// SPDX-License-Identifier: BSL-1.0
//
// The analyses of one control-flow graph, as numbers. Blocks that the entry does not reach count only as unreachable; a
// sentinel (the block that stands for "ended") is no block of its own, but edges may lead to it and threads may wait
// there.
#pragma once

#include "lab/commands.hpp"
#include "lab/policies.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/io/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab {

/// A graph to analyze. A kernel of a PTX module has its labels, and a sentinel where its threads end.
struct graph_input {
  simtflow::recorded_graph graph;
  std::string title;                ///< for the report
  std::vector<std::string> labels;  ///< by block; empty if there are none
  bool verdicts = false;            ///< somebody has looked which branches of its file diverge
  /// For a kernel: the uniformity analysis of its branches, a line each; counts first.
  std::vector<std::string> uniformity = {};
  /// For a kernel with calls, where `graph` holds the ways of threads: its functions side by side, with a call as an
  /// edge over it, and after the sentinel one more block that leads to all functions. Loops, structure and
  /// post-dominators come from it.
  std::optional<simtflow::csr_graph> bodies = std::nullopt;
};

/// Reads every kernel of a PTX module (only the kernel of the given name, if one is given) or every graph of a graph
/// file.
/// \throws input_error if there is none or something is wrong with one.
/// \param left_out gets a line about functions of the module that no kernel calls, which are in no graph. May be null.
[[nodiscard]] std::vector<graph_input> read_graph_inputs(const std::string& path, const std::string& kernel,
                                                         std::vector<std::string>* left_out = nullptr);

/// The columns that say which graph it is.
[[nodiscard]] table_row place_of(const simtflow::recorded_graph& g);

/// Reports on graphs before and after transforms, in place of the other report. \param remarks go into it.
[[nodiscard]] analysis_report analyze_transforms(const analyze_options& options, const std::vector<graph_input>& inputs,
                                                 std::vector<std::string> remarks);

struct graph_facts {
  std::size_t blocks = 0, edges = 0, instructions = 0, branches = 0, divergent = 0, uniform = 0, barriers = 0;
  std::size_t exits = 0;        ///< blocks after which a thread may end
  std::size_t unreachable = 0;  ///< blocks the entry does not reach
  std::size_t endless = 0;      ///< blocks from which no thread can end
  std::size_t tree_depth = 0;   ///< most strict dominators of a block
  std::size_t loops = 0, irreducible_loops = 0, loop_depth = 0, several_exits = 0;
  std::size_t residue = 0;      ///< nodes that reducing structured constructs leaves, 1 if it is structured
  std::size_t join_points = 0;  ///< distinct immediate post-dominators of branches
  bool late_exit = false;       ///< the order puts a loop's exit between blocks of the loop
  /// Thread frontiers by the paper's Algorithm 1; by GPU Ocelot's sweep and by the sound fixpoint only if asked for.
  simtflow::frontier_statistics printed, swept, solved;
};

/// Analyzes graphs one after the other; keeps its buffers.
class analyzer {
 public:
  explicit analyzer(simtflow::priority_rule choice) : choice_(choice) {}

  /// The results of the functions below are about this graph until the next call; the frontiers are the ones computed
  /// last.
  graph_facts facts(const graph_input& in, bool all_frontiers) {
    return facts(in.graph, all_frontiers, in.bodies ? &*in.bodies : nullptr);
  }
  /// \param bodies as graph_input::bodies; null if there is none.
  graph_facts facts(const simtflow::recorded_graph& g, bool all_frontiers, const simtflow::csr_graph* bodies = nullptr);

  /// Facts of the ways of threads: dominators and priorities come from them.
  [[nodiscard]] simtflow::cfg_facts& paths() { return paths_; }
  /// Facts of the functions side by side (graph_input::bodies): loops, structure and post-dominators come from them.
  [[nodiscard]] simtflow::cfg_facts& bodies() { return side_by_side_ ? bodies_ : paths_; }
  [[nodiscard]] const simtflow::priority_order<simtflow::csr_graph>& order() const { return order_; }
  [[nodiscard]] const simtflow::frontier_sets<simtflow::csr_graph>& frontiers() const { return frontiers_; }

 private:
  bool look_at_exits(graph_facts& f);

  simtflow::priority_rule choice_;
  simtflow::dense::order_maker make_;
  simtflow::priority_order<simtflow::csr_graph> order_{simtflow::csr_graph{}, {}};
  simtflow::cfg_facts paths_, bodies_;
  bool side_by_side_ = false;  // true if there are bodies of their own
  simtflow::frontier_sets<simtflow::csr_graph> frontiers_{simtflow::csr_graph{},
                                                          simtflow::reverse_post_order(simtflow::csr_graph{})};
  std::vector<unsigned char> marked_;
};

}  // namespace lab

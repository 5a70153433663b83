// SPDX-License-Identifier: BSL-1.0
//
// Recordings of real programs as data: the shape and weights of a control-flow graph (recorded_graph), and the blocks
// that each thread of a kernel executed (recorded_trace). graph_text.hpp and trace_text.hpp read and write them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The kind of function that a graph is of, according to its file.
enum class graph_kind : unsigned char {
  unknown,  ///< the file does not say
  kernel,   ///< K: threads start here
  function  ///< F: called by others
};

/// The kind in words: "kernel", "function" or "unknown".
[[nodiscard]] constexpr std::string_view to_string(graph_kind kind) {
  switch (kind) {
    case graph_kind::unknown:
      return "unknown";
    case graph_kind::kernel:
      return "kernel";
    case graph_kind::function:
      return "function";
  }
  return "";
}

/// The divergence of the branch at the end of a block, according to its file.
enum class branch_kind : unsigned char {
  unmarked,   ///< the file says nothing: there is no branch, or nobody asked
  divergent,  ///< d: threads that arrive together may take different successors
  uniform,    ///< u: threads that arrive together stay together
  unanalysed  ///< ?: the analysis was not run on the branch
};

/// The kind in words: "unmarked", "divergent", "uniform" or "unanalysed".
[[nodiscard]] constexpr std::string_view to_string(branch_kind kind) {
  switch (kind) {
    case branch_kind::unmarked:
      return "unmarked";
    case branch_kind::divergent:
      return "divergent";
    case branch_kind::uniform:
      return "uniform";
    case branch_kind::unanalysed:
      return "unanalysed";
  }
  return "";
}

/// One graph of a graph file. Each vector has one element per block, or is empty if its comment allows that.
struct recorded_graph {
  std::string suite,                        ///< of its section; empty if the file says `-`
      stem,                                 ///< of its section
      variant,                              ///< of its section
      symbol;                               ///< its own name
  graph_kind kind = graph_kind::unknown;    ///< kernel or function
  position where;                           ///< of its `g` line
  csr_graph graph;                          ///< its blocks, the sentinel among them
  std::vector<std::uint32_t> weights;       ///< instructions
  std::vector<unsigned char> barriers;      ///< 1: a barrier lies in the block
  std::vector<trace_barrier> named;         ///< which one, by block; empty if every barrier is number 0 for all threads
  std::vector<branch_kind> branches;        ///< what is said about the branch at the block's end
  std::vector<unsigned char> strong_reads;  ///< 1: a thread can see there what another one did; empty if no block is so
  block_id sentinel = no_block;             ///< a block of `graph`, no_block if there is none

  /// True if a thread may end after b: b has no successors, or the sentinel is a successor of b. \pre b is in the
  /// graph.
  [[nodiscard]] constexpr bool may_end(block_id b) const {
    if (graph.is_exit(b)) return true;
    for (const block_id s : graph.successors(b))
      if (s == sentinel) return true;
    return false;
  }

  friend bool operator==(const recorded_graph&, const recorded_graph&) = default;
};

/// The machine on which a trace was recorded, as far as the trace tells.
struct trace_machine {
  std::uint32_t warp_width = 0;                          ///< threads of a warp; 0: the trace does not tell
  std::optional<barrier_model> barriers = std::nullopt;  ///< the barrier model; nullopt: each policy's own

  friend bool operator==(const trace_machine&, const trace_machine&) = default;
};

/// One kernel of a trace file: its graph, the distinct paths, and the thread blocks in launch order.
struct recorded_trace {
  recorded_graph graph;                       ///< its graph; its symbol is the kernel's name
  trace_machine machine;                      ///< the machine of the recording
  block_paths paths;                          ///< from the entry to the end, the sentinel not listed
  std::vector<std::uint32_t> path_of_thread;  ///< of all thread blocks, one after the other
  /// The index in path_of_thread at which each thread block begins, and one more: where the last thread block ends.
  std::vector<std::size_t> first_thread{0};
  timing::recorded_code code;            ///< the instructions, for the cycle model; empty if they were not recorded
  timing::recorded_addresses addresses;  ///< of path_of_thread's threads; empty if `code` makes no access

  [[nodiscard]] std::size_t num_thread_blocks() const { return first_thread.size() - 1; }  ///< 0 if none was recorded

  /// The path of each thread of thread block i. \pre i < num_thread_blocks().
  [[nodiscard]] std::span<const std::uint32_t> thread_block(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < num_thread_blocks(), "a thread block that was recorded");
    return std::span<const std::uint32_t>(path_of_thread)
        .subspan(first_thread[i], first_thread[i + 1] - first_thread[i]);
  }
};

/// True if the cycle model can run the trace (io/timed_replay.hpp): it has its instructions and, if these access
/// memory, the addresses. O(1).
[[nodiscard]] inline bool is_timed(const recorded_trace& t) {
  return t.code.num_blocks() == t.graph.weights.size() && !t.code.empty() &&
         (t.code.accesses.empty() || t.addresses.num_threads() == t.path_of_thread.size());
}

}  // namespace v0
}  // namespace simtflow

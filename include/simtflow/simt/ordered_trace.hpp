// SPDX-License-Identifier: BSL-1.0
//
// A recorded trace that names the targets of a branch as the kernel does that it was recorded of: in the order of the
// graph's successors, and not in the order of the lanes. The order decides which path a stack runs first.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A trace_program over masks of type Mask that knows the graph of the kernel, and the call depth of each thread.
///
/// A kernel with calls has two graphs: the ways of threads, and functions side by side, where a call is an edge over
/// it. An edge of the first that the second does not have is a call, or a return if the block ends its function. Calls
/// and returns name their targets in the order of the lanes, as a kernel does.
template <class Mask = lane_mask>
class ordered_trace : public trace_program {
 public:
  /// \param paths the trace
  /// \param graph the ways of threads; it may have a sentinel, which no path contains
  /// \param bodies functions side by side; the same graph if nothing is called
  /// \param most_threads of all thread blocks that will be selected
  /// \pre both graphs outlive the program and have every block of the paths
  ordered_trace(trace_program paths, const csr_graph& graph, const csr_graph& bodies, std::size_t most_threads)
      : trace_program(std::move(paths)), graph_(&graph), bodies_(&bodies), depth_(most_threads, 0) {}

  /// Puts each thread at the beginning of its path, in no call. O(threads). \pre as for trace_program.
  void begin(const launch& shape) {
    trace_program::begin(shape);
    depth_.assign(depth_.size(), 0);
  }
  /// The call depth by thread, for policies that order by it. Valid as long as the program.
  [[nodiscard]] std::span<const std::uint32_t> depths() const& { return depth_; }
  void depths() && = delete;

  /// Moves each lane one block on. O(lanes times distinct targets + successors times distinct targets).
  /// \pre as for trace_program.
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    targets_.clear();
    const block_end end = trace_program::run(b, g, targets_);
    if (graph_ != bodies_ && leaves_function(b)) {
      for (const basic_fragment<Mask>& f : targets_.fragments()) {
        out.go(f.block, f.lanes);
        follow_call(b, f.block, g.first_thread, f.lanes);
      }
      return end;
    }
    for (const block_id s : graph_->successors(b))
      for (const basic_fragment<Mask>& f : targets_.fragments())
        if (f.block == s) {
          out.go(s, f.lanes);
          break;
        }
    return end;
  }

 private:
  // True if threads go from b into another function or come back from one.
  bool leaves_function(block_id b) const {
    for (const block_id s : graph_->successors(b)) {
      const auto inside = bodies_->successors(b);
      if (std::find(inside.begin(), inside.end(), s) == inside.end()) return true;
    }
    return false;
  }

  // An edge that the bodies do not have is a call, or a return if the block is the end of a body.
  void follow_call(block_id from, block_id to, std::uint32_t first_thread, const Mask& lanes) {
    const auto inside = bodies_->successors(from);
    if (std::find(inside.begin(), inside.end(), to) != inside.end()) return;
    const std::uint32_t change = inside.empty() ? 0xFFFF'FFFFU : 1;  // less one, or more
    lanes.for_each([&](std::uint32_t lane) { depth_[first_thread + lane] += change; });
  }

  const csr_graph* graph_;
  const csr_graph* bodies_;
  std::vector<std::uint32_t> depth_;
  basic_partition<Mask> targets_;
};

}  // namespace v0
}  // namespace simtflow

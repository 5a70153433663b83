// SPDX-License-Identifier: BSL-1.0
//
// Input and output of linearization (linearize.hpp): options, the plan, the regions that were linearized.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/guard_tree.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How to linearize.
struct linearize_options {
  loop_guards loops = loop_guards::component;            ///< which intervals of the row repeat
  guard_optimization optimize = guard_optimization::o4;  ///< how much is done to have few guards
  /// Dense ids: of two blocks of a region the one that is listed first comes first; of a structured part its first
  /// block counts. Empty: the weak topological order of weak_topological_order.hpp. Blocks that are not listed come
  /// last. Optimizations may nest blocks of different arms apart again. Has to outlive the call only.
  std::span<const block_id> order{};
};

/// The expected cost of a region for each time that a warp enters it. Zero: not asked about, or a profile says that no
/// warp enters it.
struct region_cost {
  double before = 0;               ///< the weight of the region as it is
  double after = 0;                ///< the weight of the region linearized, guards included
  double instructions_before = 0;  ///< instructions of the region as it is; 0: the code does not tell, also below
  double instructions_after = 0;   ///< instructions of the region linearized
  bool pays = false;               ///< True if the region weighs less linearized and does not take more instructions
  friend constexpr bool operator==(const region_cost&, const region_cost&) = default;
};

/// A region that was linearized.
struct linearized_region {
  block_id dominator = no_block;  ///< the block of the plan from which it is entered, if it is one block
  block_id after = no_block;      ///< the block of the plan that comes after it; no_block: threads end
  std::uint32_t parts = 0;        ///< blocks and structured parts that were put in a row
  std::uint32_t loops = 0;        ///< intervals of the row that repeat
  std::uint32_t variable = 0;     ///< the guard variable
  region_cost cost;               ///< by linearize_where_it_pays() alone
};

/// A region that stays as it is because linearization does not pay.
struct kept_region {
  block_id dominator = no_block;  ///< the block of the plan from which it is entered, if it is one block
  block_id after = no_block;      ///< the block of the plan that comes after it; no_block: threads end
  block_id first = no_block;      ///< a block of the plan at which it is entered
  std::uint32_t parts = 0;        ///< blocks and structured parts that would have been put in a row
  region_cost cost;               ///< as it is and linearized; it does not pay
};

/// The outcome of linearizing a graph.
struct linearization {
  flow_plan plan;                          ///< applies to the graph that was asked about
  std::vector<linearized_region> regions;  ///< in the order in which they were linearized
  /// Convergent blocks of the regions that were left as they are, by ascending dense id.
  std::vector<block_id> refused;
  /// By linearize_where_it_pays(): regions that do not pay. An inner region comes after the region around it, and may
  /// have been linearized.
  std::vector<kept_region> kept;
  std::uint32_t rounds = 0;  ///< passes over all regions that were needed; 0: nothing was to be done
  /// Endless loops that were given a way to the end, a guard that no thread fails: only where one of them is a part of
  /// a region. Variables of such guards are never set.
  std::uint32_t endless = 0;
  /// Outermost unstructured regions that stay as they are, because no divergent branch matters to them.
  std::uint32_t uniform = 0;
  /// True if the plan's graph reduces to one node; for linearize_blocks, if the blocks were linearized.
  bool structured = false;
};

}  // namespace v0
}  // namespace simtflow

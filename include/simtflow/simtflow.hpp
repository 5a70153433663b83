// SPDX-License-Identifier: BSL-1.0
//
// Everything about graphs, analyses and machines in one include, for teaching and small programs; large programs include
// what they use. Left out, because they cost more than this whole header or need another library: ptx/ (kernels as
// programs), io/ (text formats), testing/ and interop/.
#pragma once

#include <simtflow/analysis/components.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/natural_loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/regions.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>
#include <simtflow/simt/calls.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/observers/metrics.hpp>
#include <simtflow/simt/observers/mixed_iterations.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/path_order.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/structured_control.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>
#include <simtflow/version.hpp>

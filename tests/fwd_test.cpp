// SPDX-License-Identifier: BSL-1.0
#include <simtflow/fwd.hpp>

// Only the declarations are known here.
namespace {
const simtflow::csr_graph& same(const simtflow::csr_graph& g) { return g; }
}  // namespace

#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
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
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/event_trace.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/simt/calls.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/memory_conflicts.hpp>
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
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/policy_laws.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/guard_values.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/partial_linearization.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>
#include <simtflow/transform/rewrite.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>
#include <simtflow/version.hpp>

#include <doctest/doctest.h>

using namespace simtflow;

// Every declared name is defined: a name that is declared but never defined would stay incomplete.
template <class... T>
constexpr bool all_defined = (... && (sizeof(T) > 0));
using m = lane_mask;
static_assert(all_defined<version_number, position, diagnostic, integer_vertices<csr_graph>, graph_traits<csr_graph>,
                          edge, csr_graph, csr_builder, graph_diagnostic, graph_diagnostic_kind, discovered_graph<int>,
                          function_graph<std::vector<int> (*)(block_id)>, infinite_loops>);
static_assert(all_defined<edge_kind, effort, changed_edge<block_id>, tree_check, post_dominator_options,
                          loop_exit<block_id>, wto_step_kind, wto_step<block_id>, barrier_rule, frontier_rule,
                          frontier_statistics, edge_profile, structure_options>);
static_assert(all_defined<m, fragment, group, partition, block_end, block_paths, trace_program, outcome,
                          standing_reason, basic_standing<m>, verdict, barrier_model, launch, limits, no_observer,
                          overloaded<no_observer>, both<counts, counts>, counts, lower_bound, policies::ipdom_stack,
                          policies::lane_serial, policies::thread_frontier>);
static_assert(
    all_defined<policy_scope, progress_class, call_overflow, maximal_convergence, mixed_iterations, thread_paths,
                optimal_schedule, schedule_status, schedule_limits, issue_widths, lane_activity, temporal_issues,
                entry_depth, standing_places, frontier_sizes, line_model, bank_model, memory_metrics, memory_conflict,
                memory_conflicts, memory_space, trace_kind, trace_record, event_trace, trace_rows>);
static_assert(
    all_defined<policies::path_order, policies::likely_convergence_stack, policies::structured_block, structured_code,
                policies::predicate_options, policies::predicate_stack, policies::dual_path_turns, policies::dual_path,
                policies::split_schedule, policies::multi_path_options, policies::basic_multi_path<m>,
                policies::basic_aware<m>, lane_rule, home_lanes, warp_packer<m>, policies::warp_scheduler,
                policies::dynamic_warp_options, policies::dynamic_warps, policies::dynamic_warps_barrier,
                policies::compaction, policies::compaction_options, policies::thread_block_compaction,
                policies::large_warp_options, policies::large_warps>);
static_assert(
    all_defined<policies::conservative_branch, policies::convergence_barriers, policies::mimd, policies::min_pc,
                policies::no_reconvergence, policies::warp_subdivision, policies::selection_order, policies::split_rule,
                policies::convergence_op, policies::convergence_operation, policies::convergence_table,
                policies::convergence_options, policies::convergence_counts, event::memory_access<m>>);
static_assert(all_defined<event::started, event::issued<m>, event::predicated_off<m>, event::diverged<m>,
                          event::exited<m>, event::waits<m>, event::released, event::ended, basic_predicated_off<m>>);
static_assert(all_defined<gap_cost, alignment_mode, alignment_options, aligned_pair, alignment, class_scores,
                          trace_barrier, flow_plan, hubs_made, linearization, meld_side, meld_slot, meld_block,
                          meld_piece, meld_plan, meld_mode, meld_options, meld_refusal, meld_refused, meld_search>);
static_assert(all_defined<ptx::instruction, ptx::kernel, ptx::module, ptx::launch_config, ptx::fault_info,
                          ptx::fault_kind, ptx::interpreter<m>>);
static_assert(all_defined<dot_style, graph_kind, branch_kind, recorded_graph, recorded_trace, trace_machine>);
static_assert(
    all_defined<testing::rng, testing::shape, testing::cfg_options, testing::program_options,
                testing::structured_program, testing::walk_options, testing::random_walks, testing::walking_threads>);
static_assert(
    all_defined<testing::fixture_result, testing::fixture, testing::fixture_threads, testing::stack_entry_fact,
                testing::fixture_entry, testing::spin_lock, testing::producer_consumer, testing::policy_law_options,
                testing::law_case, testing::law_step, testing::broken_law>);

TEST_CASE("a forward declaration names the class that is defined later") {
  const csr_graph g = testing::diamond();
  CHECK(same(g) == g);
}

// SPDX-License-Identifier: BSL-1.0
//
// Every public class of simtflow that can be declared without its definition, for headers that only pass them on. Do not
// forward-declare these names yourself: the inline namespace and the template parameters may change.
//
// Results of analyses (dominator_tree and the like), the executor and callable_program are constrained by concepts and
// cannot be declared here; name them by including their header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

// config.hpp
using block_id = std::uint32_t;
using edge_id = std::uint32_t;

// version.hpp, diagnostic.hpp
struct version_number;
struct position;
struct diagnostic;

// graph/
template <class G>
struct graph_traits;
template <class G>
struct integer_vertices;
struct edge;
class csr_graph;
class csr_builder;
struct graph_diagnostic;
enum class graph_diagnostic_kind : unsigned char;
template <class F>
class function_graph;
template <class V>
class discovered_graph;
enum class infinite_loops : unsigned char;

// analysis/
enum class edge_kind : unsigned char;
template <class V>
struct loop_exit;
enum class wto_step_kind : unsigned char;
template <class V>
struct wto_step;
enum class effort : unsigned char;
template <class V>
struct changed_edge;
struct tree_check;
struct post_dominator_options;
enum class barrier_rule : unsigned char;
enum class frontier_rule : unsigned char;
struct frontier_statistics;
struct edge_profile;
enum class loop_breaks : unsigned char;
struct structure_options;
struct unstructured_reasons;
struct unstructured_edge;
struct closed_blocks;
struct unstructured_region;
template <class V>
struct phi_input;

// simt/
template <std::size_t Words>
class basic_mask;
using lane_mask = basic_mask<1>;
template <class Mask>
struct basic_fragment;
using fragment = basic_fragment<lane_mask>;
template <class Mask>
struct basic_group;
using group = basic_group<lane_mask>;
template <class Mask>
class basic_partition;
using partition = basic_partition<lane_mask>;
template <class Mask>
struct basic_predicated_off;
enum class block_end : unsigned char;
struct block_paths;
struct trace_barrier;
class trace_program;
enum class outcome : unsigned char;
enum class standing_reason : unsigned char;
template <class Mask>
struct basic_standing;
template <class Mask>
struct basic_verdict;
using verdict = basic_verdict<lane_mask>;
enum class barrier_model : unsigned char;
enum class policy_scope : unsigned char;
enum class progress_class : unsigned char;
struct call_overflow;
struct launch;
struct limits;
struct no_observer;
template <class... F>
struct overloaded;
template <class First, class Second>
class both;
struct counts;
class lower_bound;
class maximal_convergence;
class mixed_iterations;
class thread_paths;
class optimal_schedule;
enum class schedule_status : unsigned char;
struct schedule_limits;
class issue_widths;
struct lane_activity;
class temporal_issues;
class entry_depth;
class standing_places;
class frontier_sizes;
struct line_model;
struct bank_model;
struct memory_conflict;
class memory_conflicts;
struct memory_metrics;
enum class memory_space : unsigned char;
enum class trace_kind : unsigned char;
template <class Mask>
struct basic_trace_record;
using trace_record = basic_trace_record<lane_mask>;
template <class Mask>
class basic_event_trace;
using event_trace = basic_event_trace<lane_mask>;
struct structured_code;
enum class lane_rule : unsigned char;
struct home_lanes;
template <class Mask>
class warp_packer;

namespace policies {
template <class Mask>
class basic_ipdom_stack;
using ipdom_stack = basic_ipdom_stack<lane_mask>;
enum class path_order : unsigned char;
template <class Mask>
class basic_likely_convergence_stack;
using likely_convergence_stack = basic_likely_convergence_stack<lane_mask>;
struct structured_block;
struct predicate_options;
template <class Mask>
class basic_predicate_stack;
using predicate_stack = basic_predicate_stack<lane_mask>;
enum class dual_path_turns : unsigned char;
template <class Mask>
class basic_dual_path;
using dual_path = basic_dual_path<lane_mask>;
enum class split_schedule : unsigned char;
struct multi_path_options;
template <class Mask>
class basic_multi_path;
using multi_path = basic_multi_path<lane_mask>;
template <class Mask>
class basic_aware;
using aware = basic_aware<lane_mask>;
template <class Mask>
class basic_lane_serial;
using lane_serial = basic_lane_serial<lane_mask>;
template <class Mask>
class basic_thread_frontier;
using thread_frontier = basic_thread_frontier<lane_mask>;
enum class warp_scheduler : unsigned char;
struct dynamic_warp_options;
template <class Mask>
class basic_dynamic_warps;
using dynamic_warps = basic_dynamic_warps<lane_mask>;
template <class Mask>
class basic_dynamic_warps_barrier;
using dynamic_warps_barrier = basic_dynamic_warps_barrier<lane_mask>;
enum class compaction : unsigned char;
struct compaction_options;
template <class Mask>
class basic_thread_block_compaction;
using thread_block_compaction = basic_thread_block_compaction<lane_mask>;
struct large_warp_options;
template <class Mask>
class basic_large_warps;
using large_warps = basic_large_warps<lane_mask>;
template <class Mask>
class basic_conservative_branch;
using conservative_branch = basic_conservative_branch<lane_mask>;
template <class Mask>
class basic_convergence_barriers;
using convergence_barriers = basic_convergence_barriers<lane_mask>;
template <class Mask>
class basic_mimd;
using mimd = basic_mimd<lane_mask>;
template <class Mask>
class basic_min_pc;
using min_pc = basic_min_pc<lane_mask>;
template <class Mask>
class basic_no_reconvergence;
using no_reconvergence = basic_no_reconvergence<lane_mask>;
template <class Mask>
class basic_warp_subdivision;
using warp_subdivision = basic_warp_subdivision<lane_mask>;
enum class selection_order : unsigned char;
enum class split_rule : unsigned char;
enum class convergence_op : unsigned char;
struct convergence_operation;
class convergence_table;
struct convergence_options;
struct convergence_counts;
}  // namespace policies

namespace event {
struct started;
template <class Mask>
struct issued;
template <class Mask>
struct predicated_off;
template <class Mask>
struct diverged;
template <class Mask>
struct exited;
template <class Mask>
struct waits;
struct released;
template <class Mask>
struct memory_access;
struct ended;
}  // namespace event

// align/
enum class alignment_mode : unsigned char;
struct gap_cost;
struct alignment_options;
struct aligned_pair;
struct alignment;
struct class_scores;

// transform/
enum class plan_role : unsigned char;
struct plan_block;
struct plan_assignment;
struct plan_cost;
class flow_plan;
enum class loop_guards : unsigned char;
enum class guard_optimization : unsigned char;
struct linearize_options;
struct linearized_region;
struct linearization;
class guard_values;
struct plan_hub;
struct hubs_made;
struct copy_options;
enum class copy_step : unsigned char;
struct copy_report;
struct copied_plan;
enum class linear_end : unsigned char;
enum class meld_side : unsigned char;
struct meld_slot;
struct meld_block;
struct meld_piece;
struct meld_plan;
enum class meld_mode : unsigned char;
struct meld_options;
enum class meld_refusal : unsigned char;
struct meld_refused;
struct meld_search;

// ptx/
namespace ptx {
struct instruction;
struct function;
struct module;
struct register_value_ref;
class def_use;
struct launch_config;
struct fault_info;
enum class fault_kind : std::uint8_t;
struct no_access_observer;
template <class Mask, class Observer>
class interpreter;
}  // namespace ptx

// io/
struct dot_style;
enum class graph_kind : unsigned char;
enum class branch_kind : unsigned char;
struct recorded_graph;
struct recorded_trace;
struct trace_machine;
enum class trace_rows : unsigned char;
struct rgb_colour;
enum class timeline_clock : unsigned char;
struct timeline_panel;
struct timeline_style;
class svg_timeline;

// testing/
namespace testing {
class rng;
enum class ssa_kind : unsigned char;
struct ssa_value;
struct ssa_program;
struct ssa_options;
struct shape;
struct family;
struct cfg_options;
struct program_options;
struct structured_program;
struct walk_options;
class random_walks;
class walking_threads;
struct fixture_result;
struct fixture;
class fixture_threads;
struct stack_entry_fact;
struct fixture_entry;
class spin_lock;
class producer_consumer;
struct policy_law_options;
struct law_case;
struct law_step;
struct broken_law;
}  // namespace testing

}  // namespace v0
}  // namespace simtflow

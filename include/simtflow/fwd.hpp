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
struct graph_finding;
enum class graph_finding_kind : unsigned char;
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
struct structure_options;
struct block_region;
struct arm_piece;
struct arm_pieces;
struct simple_region_plan;
struct simple_region_graph;

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
enum class block_end : unsigned char;
struct block_paths;
class trace_program;
enum class outcome : unsigned char;
enum class standing_reason : unsigned char;
template <class Mask>
struct basic_standing;
template <class Mask>
struct basic_verdict;
using verdict = basic_verdict<lane_mask>;
enum class barrier_model : unsigned char;
struct launch;
struct limits;
struct no_observer;
template <class... F>
struct overloaded;
template <class First, class Second>
class both;
struct counts;
class lower_bound;
template <class Mask>
class basic_ipdom_stack;
using ipdom_stack = basic_ipdom_stack<lane_mask>;
template <class Mask>
class basic_lane_serial;
using lane_serial = basic_lane_serial<lane_mask>;
template <class Mask>
class basic_thread_frontier;
using thread_frontier = basic_thread_frontier<lane_mask>;

namespace event {
struct started;
template <class Mask>
struct issued;
template <class Mask>
struct diverged;
template <class Mask>
struct exited;
template <class Mask>
struct waits;
struct released;
struct ended;
}  // namespace event

// ptx/
namespace ptx {
struct instruction;
struct kernel;
struct module;
struct parse_result;
struct launch_config;
struct fault_info;
enum class fault_kind : std::uint8_t;
template <class Mask>
class interpreter;
}  // namespace ptx

// io/
struct dot_style;
enum class graph_kind : unsigned char;
enum class branch_kind : unsigned char;
struct recorded_graph;
struct recorded_trace;
struct graph_file;
struct trace_file;

// testing/
namespace testing {
class rng;
struct shape;
struct cfg_options;
struct program_options;
struct structured_program;
struct walk_options;
class random_walks;
class walking_threads;
}  // namespace testing

}  // namespace v0
}  // namespace simtflow

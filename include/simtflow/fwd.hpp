// SPDX-License-Identifier: BSL-1.0
//
// The types that programs pass on, declared without their definitions: for headers that only name them. Do not
// forward-declare names of simtflow yourself: the inline namespace and the template parameters may change.
//
// Results of analyses (dominator_tree and the like), the executor and callable_program are constrained by concepts and
// cannot be declared here; name them by including their header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

// config.hpp, diagnostic.hpp
using block_id = std::uint32_t;
using edge_id = std::uint32_t;
struct diagnostic;
template <class T>
class result;

// graph/, analysis/
template <class G>
struct graph_traits;
class csr_graph;
class csr_builder;
template <class Shape>
class basic_cfg_facts;
using cfg_facts = basic_cfg_facts<csr_graph>;

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
struct basic_verdict;
using verdict = basic_verdict<lane_mask>;
template <class Mask>
class basic_any_policy;
using any_policy = basic_any_policy<lane_mask>;
struct launch;
struct limits;
struct counts;
struct block_paths;
class trace_program;
template <class Mask>
class basic_event_trace;
using event_trace = basic_event_trace<lane_mask>;

// align/, transform/
struct alignment;
class flow_plan;
struct linearization;
struct meld_plan;

// ptx/
namespace ptx {
struct module;
struct function;
using kernel = function;
class checked_function;
struct decoded_kernel;
struct launch_config;
}  // namespace ptx

// io/
struct recorded_graph;
struct recorded_trace;
struct dot_style;
class svg_timeline;

}  // namespace v0
}  // namespace simtflow

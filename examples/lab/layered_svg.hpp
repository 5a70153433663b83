// SPDX-License-Identifier: BSL-1.0
//
// A control-flow graph as an SVG picture without Graphviz: for machines that do not have it, and for pages whose script
// must find every block and edge again.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/io/dot.hpp>

#include <string>

namespace lab {

/// The graph in layers, control flow downwards, drawn as to_dot() says. Block b is the element with data-block="b",
/// edge e the one with data-edge="e"; blocks of a group have a dashed frame each. The same input always gives the same
/// text. O((blocks + edges + layers that edges cross) * log) for a constant number of passes.
[[nodiscard]] std::string layered_svg(const simtflow::csr_graph& graph, const simtflow::dot_style& style);

}  // namespace lab

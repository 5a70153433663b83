// SPDX-License-Identifier: BSL-1.0
//
// Reads and writes *graph files*: shapes and weights of control-flow graphs, line by line. The readers take the whole
// text, report every broken line they can tell apart, and never trust a number before the lines that it promises are
// there. Decompression is the caller's business.
//
//   # comment                                  anywhere; words are separated by blanks or tabs, LF or CRLF ends a line
//   s <suite> <stem> <variant>                 a section: applies to the graphs that follow
//   g <symbol> <blocks> <entry> [K|F]          a graph: K = kernel, F = other function
//   <id> <weight> <flags> <successor>...       one line per block, ids 0 .. blocks - 1 in order
//
//   weight   instructions in the block
//   flags    b: a thread block barrier lies in the block; d / u: its branch is divergent / uniform; ?: not analysed;
//            b2, b2/64: the barrier is number 2 (of 16; b is b0), and opens for 64 threads (without a count: for the
//            whole thread block);
//            a2/64: threads are only counted at the barrier and go on;
//            w: a thread can see here what another thread did: the block holds an atomic operation with a result, or a
//            volatile, relaxed or acquiring load (ptx/machine/other_threads.hpp). A file without w has no such block;
//            x: the *sentinel*, a block that stands for the end of the program (alone, weight 0, no successors, at most
//            one in a graph); -: none. The first successor is the taken one, duplicates are kept.
//
//   A `-` stands for an empty suite, stem, variant or symbol.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/detail/graph_reader.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

inline void append_name(std::string& out, const std::string& name) {
  SIMTFLOW_EXPECTS(name.find_first_of(" \t\r\n") == std::string::npos, "a name in a graph file has no blanks");
  out += ' ';
  out += name.empty() ? "-" : name;
}

inline void append_barrier(std::string& out, const trace_barrier& b) {
  out += b.waits ? 'b' : 'a';
  if (b == trace_barrier{}) return;
  out += std::to_string(b.id);
  if (b.count != 0) out += '/' + std::to_string(b.count);
}

inline void append_graph(std::string& out, const recorded_graph& g) {
  const std::size_t n = g.graph.num_blocks();
  SIMTFLOW_EXPECTS(g.weights.size() == n && g.barriers.size() == n && g.branches.size() == n &&
                       (g.named.empty() || g.named.size() == n) &&
                       (g.strong_reads.empty() || g.strong_reads.size() == n),
                   "a recorded graph has a weight, a barrier flag and a branch kind for each block");
  out += 'g';
  append_name(out, g.symbol);
  out += ' ' + std::to_string(n) + ' ' + std::to_string(n == 0 ? 0 : g.graph.entry());
  if (g.kind != graph_kind::unknown) out += g.kind == graph_kind::kernel ? " K" : " F";
  out += '\n';
  for (block_id b = 0; b < n; ++b) {
    out += std::to_string(b) + ' ' + std::to_string(g.weights[b]) + ' ';
    const std::size_t flags = out.size();
    if (g.barriers[b]) append_barrier(out, g.named.empty() ? trace_barrier{} : g.named[b]);
    if (g.branches[b] != branch_kind::unmarked)
      out += g.branches[b] == branch_kind::divergent ? 'd' : g.branches[b] == branch_kind::uniform ? 'u' : '?';
    if (!g.strong_reads.empty() && g.strong_reads[b] != 0) out += 'w';
    if (b == g.sentinel) out += 'x';
    if (out.size() == flags) out += '-';
    for (const block_id s : g.graph.successors(b)) out += ' ' + std::to_string(s);
    out += '\n';
  }
}

}  // namespace detail

/// Reads the sound graphs of a graph file, in file order, and appends to `why` a diagnostic with line and column for
/// each broken line, the first in each graph. For callers who go on with what is sound; read_graphs is all or nothing.
/// Complexity: linear in the text.
[[nodiscard]] inline std::vector<recorded_graph> read_sound_graphs(std::string_view text, diagnostics& why) {
  return detail::graph_file_reader(text).read(why);
}

/// Reads a graph file: its graphs in file order, or the diagnostics of read_sound_graphs.
/// Complexity: linear in the text.
[[nodiscard]] inline result<std::vector<recorded_graph>> read_graphs(std::string_view text) {
  diagnostics why;
  std::vector<recorded_graph> graphs = read_sound_graphs(text, why);
  if (!why.empty()) return why;
  return graphs;
}

/// Writes graphs as the text of a graph file; read_graphs gives them back (positions aside). The format has no mark for
/// an exit that has successors: add a sentinel to keep it. Complexity: linear in blocks and edges.
[[nodiscard]] inline std::string to_graph_text(std::span<const recorded_graph> graphs) {
  std::string out;
  const recorded_graph nowhere;
  const recorded_graph* before = &nowhere;
  for (const recorded_graph& g : graphs) {
    if (g.suite != before->suite || g.stem != before->stem || g.variant != before->variant) {
      out += 's';
      detail::append_name(out, g.suite);
      detail::append_name(out, g.stem);
      detail::append_name(out, g.variant);
      out += '\n';
    }
    detail::append_graph(out, g);
    before = &g;
  }
  return out;
}

}  // namespace v0
}  // namespace simtflow

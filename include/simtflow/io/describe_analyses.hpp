// SPDX-License-Identifier: BSL-1.0
//
// Results of analyses as text, for a debugger, a log or a failing test: a line for each block, loop, region or
// component.
//
//   dominators: 5 blocks                  loops: 1, reducible             thread frontiers: at most 1 block
//   BB0                                   loop at BB1: 2 blocks: BB1 BB2  BB0  {}
//     BB1                                   latches: BB2                  BB1  {}
//       BB2                                 exits: BB1 -> BB3             BB2  {BB3}
//       BB3                                                               BB3  {}
//   unreachable: BB4
//
// describe(result) names blocks BB0, BB1, ...; describe(result, name) calls them name(block), where a block is its
// dense id. dump(result) writes the text to the standard error stream. For a debugger the function must be in the
// program: instantiate it in one file of the program, and call it in gdb or lldb.
//
//   template void simtflow::dump(const simtflow::dominator_tree<my_graph>&);
//   (gdb) call simtflow::dump(tree)
//
// Every function costs O(what it writes).
#pragma once

#include <simtflow/analysis/components.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/analysis/regions.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace simtflow {
inline namespace v0 {

/// The default names of blocks in a description: BB0, BB1, ...; "end" for no_block.
struct plain_block_name {
  /// block_name(b).
  [[nodiscard]] std::string operator()(block_id b) const { return block_name(b); }
};

/// A function that names a block (a dense id) in text.
template <class Name>
concept block_naming = requires(Name& name, block_id b, std::string& s) {
  s += name(b);
};

namespace detail {

// Lines of a tree are indented by their depth, deep ones by 64 spaces and the depth in words.
inline void append_indent(std::string& out, std::uint32_t depth) {
  out.append(2 * std::size_t{depth < 32 ? depth : 32}, ' ');
  if (depth > 32) out += "(depth " + std::to_string(depth) + ") ";
}

template <class Name>
void append_blocks(std::string& out, std::span<const block_id> blocks, Name& name) {
  for (const block_id b : blocks) {
    out += ' ';
    out += name(b);
  }
}

template <class Name>
void append_set(std::string& out, block_id b, std::span<const block_id> set, Name& name) {
  out += name(b);
  out += "  {";
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (k != 0) out += ' ';
    out += name(set[k]);
  }
  out += "}\n";
}

// "unreachable: BB3 BB7" for the blocks that `is_reachable` denies.
template <class Name, class Reachable>
void append_unreachable(std::string& out, std::size_t num_blocks, Name& name, const Reachable& is_reachable) {
  bool any = false;
  for (block_id b = 0; b < num_blocks; ++b) {
    if (is_reachable(b)) continue;
    if (!any) out += "unreachable:";
    any = true;
    out += ' ';
    out += name(b);
  }
  if (any) out += '\n';
}

inline std::string blocks_in_words(std::size_t n) { return std::to_string(n) + (n == 1 ? " block" : " blocks"); }

}  // namespace detail

/// The dominator tree, parents before children; then the blocks that are in no tree.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const dominator_tree<G>& tree, Name&& name = {}) {
  const auto& ids = tree.ids();
  std::string out = "dominators: " + detail::blocks_in_words(ids.num_blocks()) + '\n';
  if (ids.entry() != no_block)
    for (const block_id b : ids.dominated_by(ids.entry())) {
      detail::append_indent(out, ids.depth(b));
      out += name(b);
      out += '\n';
    }
  detail::append_unreachable(out, ids.num_blocks(), name, [&](block_id b) { return ids.is_reachable(b); });
  return out;
}

/// The post-dominator tree: "end", the virtual exit, then parents before children; then the unreachable blocks. Blocks
/// that reach no end, which infinite_loops::ignore leaves out of the tree, follow in a line of their own.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const post_dominator_tree<G>& tree, Name&& name = {}) {
  const auto& ids = tree.ids();
  const auto& all = ids.tree();
  std::string out = "post-dominators: " + detail::blocks_in_words(ids.num_blocks()) + "\nend\n";
  bool left_out = false;
  for (block_id b = 0; b < ids.num_blocks(); ++b) left_out = left_out || (ids.is_reachable(b) && !all.is_reachable(b));
  if (ids.num_blocks() != 0)
    for (const block_id b : all.dominated_by(ids.virtual_exit())) {
      if (b == ids.virtual_exit()) continue;
      detail::append_indent(out, all.depth(b));
      out += name(b);
      out += '\n';
    }
  if (left_out) {
    out += "no end:";
    for (block_id b = 0; b < ids.num_blocks(); ++b)
      if (ids.is_reachable(b) && !all.is_reachable(b)) {
        out += ' ';
        out += name(b);
      }
    out += '\n';
  }
  detail::append_unreachable(out, ids.num_blocks(), name, [&](block_id b) { return ids.is_reachable(b); });
  return out;
}

/// The loops, outer ones before inner ones: header, blocks, all entries of an irreducible loop, latches, and
/// the edges out of the loop (none: the line ends after the colon).
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const loop_forest<G>& loops, Name&& name = {}) {
  const auto& ids = loops.ids();
  std::string out =
      "loops: " + std::to_string(ids.num_loops()) + (ids.is_reducible() ? ", reducible\n" : ", irreducible\n");
  for (const loop_id l : ids.all()) {
    const std::uint32_t depth = ids.depth(l) - 1;
    detail::append_indent(out, depth);
    out += "loop at ";
    out += name(ids.header(l));
    out += ": " + detail::blocks_in_words(ids.blocks(l).size()) + ':';
    detail::append_blocks(out, ids.blocks(l), name);
    out += '\n';
    if (ids.is_irreducible(l)) {
      detail::append_indent(out, depth + 1);
      out += "entries:";
      for (const block_id b : ids.blocks(l))
        if (ids.is_entry(l, b)) {
          out += ' ';
          out += name(b);
        }
      out += '\n';
    }
    detail::append_indent(out, depth + 1);
    out += "latches:";
    detail::append_blocks(out, ids.latches(l), name);
    out += '\n';
    detail::append_indent(out, depth + 1);
    out += "exits:";
    ids.for_each_exit(l, [&](const loop_exit<block_id>& e) {
      out += ' ';
      out += name(e.from);
      out += " -> ";
      out += name(e.to);
      return true;
    });
    out += '\n';
  }
  return out;
}

/// The thread frontier of each block, by dense id. Unreachable blocks have empty sets.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const frontier_sets<G>& frontiers, Name&& name = {}) {
  const auto& ids = frontiers.ids();
  std::string out = "thread frontiers: at most " + detail::blocks_in_words(ids.max_size()) + '\n';
  for (block_id b = 0; b < ids.num_blocks(); ++b) detail::append_set(out, b, ids.of(b), name);
  return out;
}

/// The dominance frontier of each block, by dense id. Unreachable blocks have empty sets.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const dominance_frontier_sets<G>& frontiers, Name&& name = {}) {
  const auto& ids = frontiers.ids();
  std::string out = "dominance frontiers: " + std::to_string(ids.total_size()) + " in all\n";
  for (block_id b = 0; b < ids.num_blocks(); ++b) detail::append_set(out, b, ids.of(b), name);
  return out;
}

/// The program structure tree, parents before children: entry and exit of each region, and the blocks that lie in no
/// inner region.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const program_structure_tree<G>& regions, Name&& name = {}) {
  const auto& ids = regions.ids();
  std::string out = "regions: " + std::to_string(ids.num_regions()) + '\n';
  for (std::uint32_t i = 0; i < ids.num_regions(); ++i) {
    const region_id r = static_cast<region_id>(i);
    detail::append_indent(out, ids.depth(r));
    out += name(ids.entry(r));
    out += " to ";
    if (ids.exit(r) == no_block)
      out += "end";
    else
      out += name(ids.exit(r));
    out += ':';
    detail::append_blocks(out, ids.own_blocks(r), name);
    out += '\n';
  }
  return out;
}

/// The blocks by descending priority, each with its rank.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const priority_order<G>& order, Name&& name = {}) {
  const auto& ids = order.ids();
  std::string out = "priorities: " + detail::blocks_in_words(ids.order().size()) + '\n';
  for (const block_id b : ids.order()) {
    out += std::to_string(ids.rank(b)) + "  ";
    out += name(b);
    out += '\n';
  }
  return out;
}

/// The strong components in their order, each with its blocks; "cycle" if it has one, "terminal" if no edge leaves it.
template <flow_graph G, block_naming Name = plain_block_name>
[[nodiscard]] std::string describe(const strong_components<G>& components, Name&& name = {}) {
  const auto& ids = components.ids();
  std::string out = "components: " + std::to_string(ids.num_components()) + '\n';
  for (std::uint32_t i = 0; i < ids.num_components(); ++i) {
    const component_id c = static_cast<component_id>(i);
    out += "component " + std::to_string(i);
    if (ids.has_cycle(c)) out += ", cycle";
    if (ids.is_terminal(c)) out += ", terminal";
    out += ':';
    detail::append_blocks(out, ids.blocks(c), name);
    out += '\n';
  }
  return out;
}

/// Writes describe(result) to the standard error stream; for debuggers, see above.
template <class Result>
void dump(const Result& result) {
  std::fputs(describe(result).c_str(), stderr);
}

}  // namespace v0
}  // namespace simtflow

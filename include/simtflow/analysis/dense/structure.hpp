// SPDX-License-Identifier: BSL-1.0
//
// Structural reduction in dense ids. analysis/structure.hpp tells what it means.
#pragma once

#include <simtflow/analysis/detail/loop_break_finder.hpp>
#include <simtflow/analysis/detail/node_reduction.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How the reduction sees a loop that threads leave from several places, or from within a statement in it.
enum class loop_breaks : unsigned char {
  unstructured,  ///< every edge that leaves a loop is one of its own
  /// `break`, also out of several loops: the edges that leave a loop with one entry, but no loop around it, may come
  /// from anywhere in it if they lead to one block (or all end) and if all edges that leave it together with loops
  /// around it may do the same there. All of them count as one edge, from a node of its own in front of the header.
  /// Blocks from which there is no way back are no part of a loop: `if (c) { f(); break; }` leaves it to f.
  to_one_block
};

/// The name of a way: "to_one_block".
[[nodiscard]] constexpr const char* to_string(loop_breaks value) {
  switch (value) {
    case loop_breaks::unstructured:
      return "unstructured";
    case loop_breaks::to_one_block:
      return "to_one_block";
  }
  return "";
}

/// The options of structural reduction.
struct structure_options {
  /// By default an endless loop has an edge from its first block to the virtual exit, so that `while (true)` is as
  /// structured as `while (c)`.
  infinite_loops endless = infinite_loops::virtual_edge;
  loop_breaks breaks = loop_breaks::unstructured;  ///< how several exits of a loop are seen
};

namespace dense {

/// The reduction, with dense ids in and out. The name of a node is the block at which control enters it, its head; the
/// name of the virtual exit is num_blocks(). A question about a block that the graph does not have is a contract
/// violation. Every question is O(1) unless it says otherwise.
//
// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_structural_reduction {
 public:
  /// Reduces g and reuses every buffer. If `unit` is not empty, all blocks with the same unit[b] count as one block
  /// with that name.
  /// \pre the edges out of a unit of several blocks lead to one block (or one other unit) outside, or all end.
  /// Complexity: near-linear in blocks and edges; no recursion.
  constexpr void recompute(const Shape& g, structure_options options, std::span<const block_id> unit = {}) {
    find_ends(g, options.endless);
    update(g, options, unit);
  }

  /// The first half of recompute(): finds where control ends. It depends on the graph alone. O(blocks + edges).
  constexpr void find_ends(const Shape& g, infinite_loops endless) { ends_.compute(g, endless); }
  /// The same with what is known of the graph already. O(blocks).
  constexpr void take_ends(const detail::end_index<Shape>& ends) { ends_ = ends; }
  /// The second half of recompute(), again for other units of the same graph. \pre find_ends() was called for g.
  constexpr void update(const Shape& g, structure_options options, std::span<const block_id> unit) {
    build(g, options, unit);
    reduce_all(g);
    const std::size_t n = g.num_blocks();
    exit_left_ = reduction_.nodes[n].ins != 0 && reduction_.find(static_cast<std::uint32_t>(n)) == n;
  }

  /// Reduces every region by itself: only the edges among blocks with the same region[b], other than `no_region`,
  /// count. The edges that leave lead to an exit of their own, and a block that is entered from outside is reduced into
  /// no other. The nodes left of a region are its structured parts. \pre find_ends() was called for g.
  constexpr void recompute_parts(const Shape& g, std::span<const std::uint32_t> region, std::uint32_t no_region) {
    const std::size_t n = g.num_blocks();
    reduction_.clear(n + 1);
    auto& nodes = reduction_.nodes;
    breaks_.inner.clear();
    const std::uint32_t exit = static_cast<std::uint32_t>(n);
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      bool leaves = ends_.ends(b);
      for (const block_id s : g.successors(b)) {
        if (region[s] != region[b]) {
          leaves = true;
          if (region[s] != no_region) nodes[s].counted = 1;  // meanwhile: entered from outside
        } else if (region[b] != no_region && s != b && nodes[s].join != b) {
          nodes[s].join = b;
          reduction_.connect(b, s);
        }
      }
      if (leaves && region[b] != no_region) reduction_.connect(b, exit);
    }
    if (n != 0 && region[g.entry()] != no_region) nodes[g.entry()].counted = 1;
    for (std::uint32_t a = 0; a <= n; ++a) {
      nodes[a].join = none;
      nodes[a].up = a;
      nodes[a].ins += nodes[a].counted;
      nodes[a].counted = 0;
    }
    for (block_id b = 0; b < n; ++b)
      if (ends_.is_reachable(b) && region[b] != no_region) reduction_.push(b);
    reduce_all(g);
    exit_left_ = false;
  }

  /// The number of blocks.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return blocks_; }
  /// The number of nodes left, the virtual exit included if it is one of them.
  [[nodiscard]] constexpr std::size_t residue() const { return heads_.size() + (exit_left_ ? 1 : 0); }
  /// True if the virtual exit is left as a node of its own.
  [[nodiscard]] constexpr bool exit_left() const { return exit_left_; }
  /// The heads of the nodes left, ascending, without the virtual exit.
  [[nodiscard]] constexpr std::span<const block_id> heads() const { return std::span<const block_id>(heads_); }
  /// The head of the node that b has become part of; no_block for unreachable b.
  [[nodiscard]] constexpr block_id head_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return ends_.is_reachable(b) ? reduction_.nodes[b].up : no_block;
  }
  /// Calls f(t) for every edge that is left from the node with this head; t is a head, or num_blocks() for the virtual
  /// exit.
  template <class F>
  constexpr void for_each_edge_left(block_id head, F f) const {
    for (std::uint32_t l = reduction_.nodes[head].first_out; l != none; l = reduction_.links[l].next_out)
      f(reduction_.links[l].to);
  }

  /// The reachable blocks of the last graph, and where control ends.
  [[nodiscard]] constexpr const detail::end_index<Shape>& ends() const { return ends_; }

 private:
  static constexpr std::uint32_t none = detail::node_reduction<Shape>::none;

  constexpr void reduce_all(const Shape& g) {
    reduction_.reduce_all();
    const std::size_t n = g.num_blocks();
    heads_.clear();
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      std::uint32_t head = reduction_.find(b);
      while (head > n) head = reduction_.find(breaks_.inner[head - n - 1]);
      reduction_.nodes[b].up = head;  // for head_of
      if (head == b) heads_.push_back(b);
    }
    blocks_ = n;
  }

  constexpr void build(const Shape& g, structure_options options, std::span<const block_id> unit) {
    const std::size_t n = g.num_blocks();
    reduction_.clear(n + 1, g.targets().size() + 1);
    auto& nodes = reduction_.nodes;
    const auto name = [unit](block_id b) { return unit.empty() ? b : unit[b]; };
    for (block_id b = 0; b < n; ++b)
      nodes[name(b)].counted |= name(b) != b;  // meanwhile: several blocks have this name
    breaks_.inner.clear();
    if (options.breaks == loop_breaks::to_one_block && n != 0) {
      breaks_.find(g, ends_);
      nodes.resize(n + 1 + breaks_.inner.size());
    }
    const auto& loops = breaks_.loops;
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      std::uint32_t from = name(b);
      const loop_id left =
          breaks_.inner.empty() || loops.innermost(b) == no_loop ? no_loop : breaks_.moved[loops.innermost(b)].out_of;
      if (left != no_loop && loops.header(left) == b) {
        reduction_.connect(b, breaks_.moved[left].target);
        reduction_.connect(b, breaks_.moved[left].inner);
        from = breaks_.moved[left].inner;
      }
      for (const block_id s : g.successors(b)) {
        const block_id to = name(s);
        if (to == from || nodes[to].join == from) continue;  // `join` says here who had an edge to it last
        if (left != no_loop && !loops.contains(left, s)) continue;
        if (nodes[from].counted && nodes[from].outs != 0) continue;
        nodes[to].join = from;
        reduction_.connect(from, to);
      }
      if (left == no_loop && ends_.ends(b) && !(nodes[from].counted && nodes[from].outs != 0))
        reduction_.connect(from, static_cast<std::uint32_t>(n));
    }
    for (std::uint32_t a = 0; a < nodes.size(); ++a) {
      nodes[a].join = none;
      nodes[a].counted = 0;
      nodes[a].up = a < n ? name(a) : a;
      if (a > n) reduction_.push(a);
    }
    if (n == 0) return;
    ++nodes[name(g.entry())].ins;
    for (block_id b = 0; b < n; ++b)
      if (ends_.is_reachable(b) && name(b) == b) reduction_.push(b);
  }

  std::vector<block_id> heads_;
  bool exit_left_ = false;
  std::size_t blocks_ = 0;
  detail::end_index<Shape> ends_;
  detail::loop_break_finder<Shape> breaks_;  // for loop_breaks::to_one_block
  detail::node_reduction<Shape> reduction_;
};

/// Over a csr_graph.
using structural_reduction = basic_structural_reduction<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

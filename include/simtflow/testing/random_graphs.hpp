// SPDX-License-Identifier: BSL-1.0
//
// Seeded random control-flow graphs, and every graph of up to a few blocks.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// Options of random_cfg.
struct cfg_options {
  std::size_t blocks = 8;            ///< how many; 0 makes the empty graph
  std::size_t max_successors = 2;    ///< at least 1
  std::size_t exits = 1;             ///< blocks without successors; 0 makes a graph that never ends (needs loops)
  bool loops = true;                 ///< false: acyclic
  bool reducible = false;            ///< every loop has one entry
  bool terminating = false;          ///< an exit can be reached from every block
  bool shuffled = true;              ///< block ids say nothing about the order; the entry may be any block
  unsigned exit_mark_percent = 0;    ///< blocks with successors that threads may leave from as well
  unsigned unreachable_percent = 0;  ///< blocks left out of the tree that reaches all others
};

namespace detail {

// Rows of a graph under construction.
using rows = std::vector<std::vector<block_id>>;

// The dominators of an acyclic graph with blocks in topological order, block 0 first: ancestors of settled blocks
// are found in O(log depth), by links that skip as in E. Myers, An applicative random-access stack (1983).
class growing_tree {
 public:
  constexpr void start(std::size_t blocks) {
    node_.assign(blocks, node{});
    if (blocks != 0) node_[0] = {0, 0, 0};
  }
  [[nodiscard]] constexpr bool has(block_id b) const { return node_[b].up != no_block; }
  [[nodiscard]] constexpr std::uint32_t depth(block_id b) const { return node_[b].depth; }
  // \pre `parent` is settled, b is not
  constexpr void add_parent(block_id b, block_id parent) {
    node_[b].up = has(b) ? common(node_[b].up, parent) : parent;
  }
  constexpr void settle(block_id b) {
    const node& up = node_[node_[b].up];
    const node& leap = node_[up.jump];
    node_[b].depth = up.depth + 1;
    node_[b].jump = up.depth - leap.depth == leap.depth - node_[leap.jump].depth ? leap.jump : node_[b].up;
  }
  // The one at this depth. \pre b is settled and not above it
  [[nodiscard]] constexpr block_id ancestor(block_id b, std::uint32_t depth) const {
    while (node_[b].depth > depth) b = node_[node_[b].jump].depth >= depth ? node_[b].jump : node_[b].up;
    return b;
  }

 private:
  struct node {
    block_id up = no_block, jump = 0;
    std::uint32_t depth = 0;
  };
  [[nodiscard]] constexpr block_id common(block_id a, block_id b) const {
    if (node_[a].depth > node_[b].depth)
      a = ancestor(a, node_[b].depth);
    else
      b = ancestor(b, node_[a].depth);
    while (a != b) {
      const bool apart = node_[a].jump != node_[b].jump;
      a = apart ? node_[a].jump : node_[a].up;
      b = apart ? node_[b].jump : node_[b].up;
    }
    return a;
  }
  std::vector<node> node_;
};

constexpr csr_graph finish(const rows& out, block_id entry, const std::vector<unsigned char>& marks,
                           const std::vector<block_id>& name) {
  csr_builder builder(out.size(), out.empty() ? 0 : name[entry]);
  for (block_id b = 0; b < out.size(); ++b) {
    for (const block_id s : out[b]) builder.add_edge(name[b], name[s]);
    if (marks[b]) builder.mark_exit(name[b]);
  }
  return builder.build();
}

}  // namespace detail

/// A random graph. Every block is reached from the entry unless unreachable_percent says otherwise; parallel edges and
/// self loops (with loops) occur; slots are in random order. `exits` is reduced where it would leave a block unreached.
/// \pre max_successors >= 1, and exits >= 1 if loops is false or terminating is true.
/// Complexity: O(blocks * max_successors), times log(blocks) if reducible.
[[nodiscard]] constexpr csr_graph random_cfg(rng& random, const cfg_options& options = {}) {
  const std::size_t n = options.blocks;
  SIMTFLOW_EXPECTS(options.max_successors >= 1, "random_cfg: a block has at least one successor slot");
  SIMTFLOW_EXPECTS(options.exits >= 1 || (options.loops && !options.terminating),
                   "random_cfg: without exits the graph must have loops and need not terminate");
  if (n == 0) return csr_graph{};
  // Blocks are made in topological order of a skeleton (a tree of forward edges); the last ones are the exits.
  std::size_t exits = options.exits < n ? options.exits : n;
  if (n > 1) {
    if (exits > n - 1) exits = n - 1;
    while (exits > 1 && (n - exits) * options.max_successors < n - 1) --exits;
  }
  const std::size_t inner = n - exits;  // blocks 0 .. inner - 1 have successors
  detail::rows out;
  out.assign(n, {});
  // Islands are nobody's parent; nor is a block without a free slot. free[b]: where to look for the next one that can
  // be.
  std::vector<std::uint32_t> free;
  for (std::size_t b = 0; b <= inner; ++b) free.push_back(static_cast<std::uint32_t>(b));
  const auto next_free = [&free](std::size_t b) {
    while (free[b] != b) b = free[b] = free[free[b]];
    return b;
  };
  for (std::size_t b = 1; b < n; ++b) {
    if (b < inner && random.chance(options.unreachable_percent)) {
      ++free[b];
      continue;
    }
    // A parent with a free slot exists (see `exits`), unless islands took the slots.
    const std::size_t limit = b < inner ? b : inner;
    std::size_t parent = next_free(random.below(limit));
    if (parent >= limit) parent = next_free(0);
    if (parent >= limit) {
      if (b < inner) ++free[b];
      continue;
    }
    out[parent].push_back(static_cast<block_id>(b));
    if (out[parent].size() >= options.max_successors) ++free[parent];
  }
  const bool acyclic_only = !options.loops;
  const bool forward_first = acyclic_only || options.reducible || options.terminating;
  for (std::size_t b = 0; b < inner; ++b) {
    const std::size_t wanted = random.between(1, options.max_successors);
    if (forward_first && out[b].empty() && b + 1 < n) {
      out[b].push_back(static_cast<block_id>(random.between(b + 1, n - 1)));
    }
    while (out[b].size() < wanted) {
      const bool forward = acyclic_only || options.reducible;
      if (forward && b + 1 >= n) break;
      if (options.reducible && !acyclic_only && random.chance(50)) break;  // leave the slot to a back edge
      out[b].push_back(static_cast<block_id>(forward ? random.between(b + 1, n - 1) : random.below(n)));
    }
  }
  if (options.loops && options.reducible) {
    // Forward edges only: adding an edge to a dominator changes no dominators.
    detail::growing_tree tree;
    tree.start(n);
    for (block_id b = 0; b < n; ++b) {  // every predecessor comes before
      if (!tree.has(b)) continue;
      if (b != 0) tree.settle(b);
      for (const block_id s : out[b]) tree.add_parent(s, b);
    }
    for (block_id b = 0; b < inner; ++b) {
      if (!tree.has(b) || out[b].size() >= options.max_successors || !random.chance(60)) continue;
      out[b].push_back(tree.ancestor(b, static_cast<std::uint32_t>(random.below(tree.depth(b) + std::size_t{1}))));
    }
  }
  std::vector<unsigned char> marks;
  marks.assign(n, 0);
  std::vector<block_id> name;
  for (block_id b = 0; b < n; ++b) {
    random.shuffle(out[b]);
    marks[b] = static_cast<unsigned char>(random.chance(options.exit_mark_percent));
    name.push_back(b);
  }
  if (options.exits == 0 && out[n - 1].empty())  // back to the start: block 0 dominates every reached block
    out[n - 1].push_back(0);
  if (options.shuffled) random.shuffle(name);
  return detail::finish(out, 0, marks, name);
}

/// random_cfg without loops. Block ids are a topological order if `shuffled` is false.
[[nodiscard]] constexpr csr_graph random_acyclic(rng& random, cfg_options options = {}) {
  options.loops = false;
  if (options.exits == 0) options.exits = 1;
  return random_cfg(random, options);
}

/// How many graphs of n blocks there are in which block 0 is the entry and each block has no, one or two successors, in
/// order, parallel edges included: (1 + n + n^2)^n. n = 4 gives 194,481.
[[nodiscard]] constexpr std::uint64_t num_small_cfgs(std::size_t n) {
  std::uint64_t all = 1;
  for (std::size_t i = 0; i < n; ++i) all *= 1 + n + n * n;
  return all;
}

/// The code-th of them; the same number always gives the same graph. \pre n <= 6 and code < num_small_cfgs(n).
[[nodiscard]] constexpr csr_graph small_cfg(std::size_t n, std::uint64_t code) {
  SIMTFLOW_EXPECTS(n <= 6 && code < num_small_cfgs(n), "small_cfg: no such graph");
  csr_builder builder(n);
  for (block_id b = 0; b < n; ++b) {
    const std::uint64_t choice = code % (1 + n + n * n);
    code /= 1 + n + n * n;
    if (choice == 0) continue;
    if (choice <= n) {
      builder.add_edge(b, static_cast<block_id>(choice - 1));
    } else {
      builder.add_edge(b, static_cast<block_id>((choice - 1 - n) / n));
      builder.add_edge(b, static_cast<block_id>((choice - 1 - n) % n));
    }
  }
  return builder.build();
}

/// Calls f(graph) for each of them, in the order of their codes (so small_cfg(n, k) is the k-th call).
template <class F>
constexpr void for_each_small_cfg(std::size_t n, F&& f) {
  const std::uint64_t all = num_small_cfgs(n);
  for (std::uint64_t code = 0; code < all; ++code) f(small_cfg(n, code));
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow

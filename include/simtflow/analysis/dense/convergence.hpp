// SPDX-License-Identifier: BSL-1.0
//
// Likely-convergence points in dense ids. analysis/convergence.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/two_arms.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The number of threads that took each edge (in threads, or in any one unit: only shares matter).
struct edge_profile {
  std::span<const std::uint64_t> edges;       ///< by edge id of the graph (of its snapshot): first_edge(b) + slot
  std::span<const std::uint64_t> exits = {};  ///< by dense block id: ended there; empty: not known, exits always count
};

namespace dense {

/// Both kinds of likely-convergence points, with dense ids in and out; no_block if a branch has no such point. A
/// question about a block that the graph does not have is a contract violation.
template <class Shape = csr_graph>
class basic_likely_convergence_points {
 public:
  /// By loops. \pre the loops and post-dominators are of g. O(blocks + edges).
  constexpr void recompute(const Shape& g, const loop_forest& loops, const post_dominator_tree& post) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(loops.num_blocks() == n && post.num_blocks() == n,
                     "the loops and post-dominators are of this graph");
    point_.assign(n, no_block);
    for (block_id b = 0; b < n; ++b) {
      if (!post.is_reachable(b) || !detail::has_two_arms(g.successors(b))) continue;
      const block_id join = post.ipdom(b);
      // Every loop with candidate b takes an edge of b, except a loop with b as its header.
      for (loop_id l = loops.innermost(b); l != no_loop && point_[b] == no_block; l = loops.parent(l)) {
        if (join != no_block && loops.contains(l, join)) break;
        const std::span<const block_id> latches = loops.latches(l);
        const block_id candidate = latches.size() == 1 ? latches[0] : loops.header(l);
        if (candidate != b) point_[b] = candidate;
      }
    }
  }

  /// By a profile. \pre the post-dominators are of g; counts for every edge; exit counts for every block or none;
  /// 0 <= threshold <= 1. Complexity: as for simtflow::likely_convergence.
  constexpr void recompute(const Shape& g, const post_dominator_tree& post, const edge_profile& profile,
                           double threshold) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(post.num_blocks() == n, "the post-dominators are of this graph");
    SIMTFLOW_EXPECTS(profile.edges.size() == g.num_edges(), "the profile has a count for every edge");
    SIMTFLOW_EXPECTS(profile.exits.empty() || profile.exits.size() == n, "an exit count for every block, or none");
    SIMTFLOW_EXPECTS(threshold >= 0 && threshold <= 1, "the threshold is a share, 0 to 1");
    point_.assign(n, no_block);
    choose(g, post, profile, threshold);
    while (put_back(g, post, profile)) {
    }
    csr_builder reverse(n + 1, static_cast<block_id>(n));
    for (block_id b = 0; b < n; ++b) {
      if (!post.is_reachable(b)) continue;
      if (ends_[b]) reverse.add_edge(static_cast<block_id>(n), b);
      edge_id e = g.first_edge(b);
      for (const block_id s : g.successors(b))
        if (kept_[e++]) reverse.add_edge(s, b);
    }
    for (const block_id b : detail::terminal_loops(g))
      if (post.is_reachable(b)) reverse.add_edge(static_cast<block_id>(n), b);
    tree_.recompute(reverse.build());
    for (block_id b = 0; b < n; ++b) {
      if (!post.is_reachable(b) || !detail::has_two_arms(g.successors(b))) continue;
      const block_id up = tree_.idom(b);
      if (up != n && up != post.ipdom(b)) point_[b] = up;
    }
  }

  /// The likely-convergence point of b; no_block if there is none. O(1).
  [[nodiscard]] constexpr block_id point(block_id b) const {
    SIMTFLOW_EXPECTS(b < point_.size(), "a question about a block that is not in the graph of this result");
    return point_[b];
  }
  /// The points of all blocks, by block. O(1).
  [[nodiscard]] constexpr std::span<const block_id> points() const { return std::span<const block_id>(point_); }

 private:
  constexpr void choose(const Shape& g, const post_dominator_tree& post, const edge_profile& profile,
                        double threshold) {
    const std::size_t n = g.num_blocks();
    kept_.assign(g.num_edges(), 0);
    ends_.assign(n, 0);
    weight_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) {
      if (!post.is_reachable(b)) continue;
      const std::span<const block_id> out = g.successors(b);
      const edge_id first = g.first_edge(b);
      const std::uint64_t ended = !g.is_exit(b) || profile.exits.empty() ? 0 : profile.exits[b];
      std::uint64_t total = ended, most = ended;
      for (std::uint32_t k = 0; k < out.size(); ++k) {
        total += profile.edges[first + k];
        weight_[out[k]] += profile.edges[first + k];
        if (weight_[out[k]] > most) most = weight_[out[k]];
      }
      const double least = threshold * static_cast<double>(total);
      for (std::uint32_t k = 0; k < out.size(); ++k) {
        const std::uint64_t w = weight_[out[k]];
        kept_[first + k] = w == most || static_cast<double>(w) >= least;
      }
      ends_[b] = g.is_exit(b) &&
                 (profile.exits.empty() || out.empty() || ended == most || static_cast<double>(ended) >= least);
      for (const block_id s : out) weight_[s] = 0;
    }
  }

  // Gives its most taken way out back to every loop that lost all its ways out.
  constexpr bool put_back(const Shape& g, const post_dominator_tree& post, const edge_profile& profile) {
    const std::size_t n = g.num_blocks();
    csr_builder builder(n, n == 0 ? 0 : g.entry());
    for (block_id b = 0; b < n; ++b) {
      if (!post.is_reachable(b)) continue;
      if (ends_[b]) builder.mark_exit(b);
      edge_id e = g.first_edge(b);
      for (const block_id s : g.successors(b))
        if (kept_[e++]) builder.add_edge(b, s);
    }
    const csr_graph likely = builder.build();
    bool changed = false;
    for (const block_id start : detail::terminal_loops(likely)) {
      reach_from(likely, start);
      std::uint64_t most = 0;
      edge_id best = no_block;
      block_id best_exit = no_block;
      for (const block_id b : work_) {
        edge_id e = g.first_edge(b);
        for (const block_id s : g.successors(b)) {
          const std::uint64_t w = profile.edges[e];
          if (!seen_[s] && (best == no_block || w > most || (w == most && e < best))) {
            most = w;
            best = e;
          }
          ++e;
        }
      }
      for (const block_id b : work_) {
        if (!g.is_exit(b)) continue;
        const std::uint64_t w = profile.exits[b];  // known: an exit that is not known has been kept
        if ((best != no_block || best_exit != no_block) && w <= most) continue;
        most = w;
        best_exit = b;
      }
      if (best_exit != no_block) {
        ends_[best_exit] = 1;
        changed = true;
      } else if (best != no_block) {
        kept_[best] = 1;
        changed = true;
      }
      for (const block_id b : work_) seen_[b] = 0;
    }
    return changed;
  }
  // work_ and seen_: the blocks that `start` reaches.
  constexpr void reach_from(const csr_graph& g, block_id start) {
    if (seen_.size() != g.num_blocks()) seen_.assign(g.num_blocks(), 0);
    work_.clear();
    work_.push_back(start);
    seen_[start] = 1;
    for (std::size_t i = 0; i < work_.size(); ++i)
      for (const block_id s : g.successors(work_[i]))
        if (!seen_[s]) {
          seen_[s] = 1;
          work_.push_back(s);
        }
  }

  std::vector<block_id> point_;
  // Workspace.
  std::vector<unsigned char> kept_, ends_, seen_;  // kept_ by edge id, the others by block
  std::vector<std::uint64_t> weight_;
  std::vector<block_id> work_;
  dominator_tree tree_;
};

/// Over a csr_graph.
using likely_convergence_points = basic_likely_convergence_points<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

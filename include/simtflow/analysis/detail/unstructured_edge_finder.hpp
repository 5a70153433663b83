// SPDX-License-Identifier: BSL-1.0
//
// The unstructured edges of a graph: edges that cross, enter a loop or leave a loop (unstructured.hpp).
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/analysis/unstructured_edge.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class unstructured_edge_finder {
 public:
  struct verdict {
    loop_id in = no_loop;   // the innermost loop around a block that the block does not dominate as a whole
    loop_id out = no_loop;  // the same for post-dominance
  };

  // O(blocks + edges + steps from loops to the loops around them).
  constexpr void find(basic_cfg_facts<Shape>& facts) {
    edges_.clear();
    judge_blocks(facts);
    judge_edges(facts);
  }

  // By source, then slot.
  [[nodiscard]] constexpr const std::vector<unstructured_edge>& edges() const { return edges_; }
  [[nodiscard]] constexpr const verdict& of(block_id b) const { return judged_[b]; }

 private:
  struct interval {
    std::uint32_t first = 0xFFFF'FFFFU, last = 0;
    constexpr void take(std::uint32_t at) {
      if (at < first) first = at;
      if (at > last) last = at;
    }
    constexpr void take(const interval& other) {
      take(other.first);
      take(other.last);
    }
  };
  struct extent {
    interval up, down;
  };

  // The innermost loop around b that b does not dominate as a whole, and the same for post-dominance. In preorder
  // positions of a tree, a block dominates a set if it dominates the first and the last member; the only block of a
  // loop that can do so is the first.
  constexpr void judge_blocks(basic_cfg_facts<Shape>& facts) {
    const auto& up = facts.dominators();
    const auto& down = facts.post_dominators();
    const auto& tree = down.tree();
    const auto& loops = facts.loops();
    const std::size_t blocks = facts.graph().num_blocks();
    const std::uint32_t count = static_cast<std::uint32_t>(loops.num_loops());
    span_.assign(count, extent{});
    for (block_id b = 0; b < blocks; ++b)
      if (const loop_id l = loops.innermost(b); l != no_loop) {
        span_[l].up.take(up.position(b));
        span_[l].down.take(tree.position(b));
      }
    for (const loop_id l : ids_downward<loop_id>(count))
      if (const loop_id outer = loops.parent(l); outer != no_loop) {
        span_[outer].up.take(span_[l].up);
        span_[outer].down.take(span_[l].down);
      }
    judged_.assign(blocks, verdict{});
    for (block_id b = 0; b < blocks; ++b) {
      loop_id l = loops.innermost(b);
      while (l != no_loop && span_[l].up.first == up.position(b) && up.dominates(b, up.at(span_[l].up.last)))
        l = loops.parent(l);
      judged_[b].in = l;
      l = loops.innermost(b);
      while (l != no_loop && span_[l].down.first == tree.position(b) && tree.dominates(b, tree.at(span_[l].down.last)))
        l = loops.parent(l);
      judged_[b].out = l;
    }
  }

  constexpr void judge_edges(basic_cfg_facts<Shape>& facts) {
    const Shape& g = facts.graph();
    const auto& up = facts.dominators();
    const auto& down = facts.post_dominators();
    const auto& loops = facts.loops();
    const auto& ends = facts.ends();
    for (block_id u = 0; u < g.num_blocks(); ++u) {
      if (!ends.is_reachable(u)) continue;
      const loop_id out = judged_[u].out;
      std::uint32_t slot = 0;
      for (const block_id v : g.successors(u)) {
        unstructured_reasons why;
        const loop_id in = judged_[v].in;
        if (!up.dominates(u, v) && !up.dominates(v, u) && !down.post_dominates(v, u) && !down.post_dominates(u, v))
          why.bits |= unstructured_reasons::crosses;
        if (in != no_loop && !loops.contains(in, u)) why.bits |= unstructured_reasons::enters_loop;
        if (out != no_loop && !loops.contains(out, v)) why.bits |= unstructured_reasons::leaves_loop;
        if (why.bits != 0) edges_.push_back({{u, slot}, v, why});
        ++slot;
      }
      if (ends.ends(u) && out != no_loop) edges_.push_back({{u, slot}, no_block, {unstructured_reasons::leaves_loop}});
    }
  }

  id_map<loop_id, extent> span_;  // by loop: where its blocks are in the two trees
  std::vector<verdict> judged_;   // by block
  std::vector<unstructured_edge> edges_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

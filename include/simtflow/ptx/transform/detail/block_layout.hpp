// SPDX-License-Identifier: BSL-1.0
//
// The order in which blocks are written, such that few jumps are needed: a weak topological order keeps loops together;
// then one of a branch's two successors, or the only successor, is placed directly after each block. A loop is taken
// apart only where a branch would need a jump after it otherwise.
//
// Literature: K. Pettis, R. Hansen, Profile guided code positioning (1990), for layout by chains.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/disjoint_sets.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class block_layout {
 public:
  // How a block goes on.
  struct ways {
    std::uint32_t count = 0;                // 0: it ends, or goes on by a table only
    block_id to[2] = {no_block, no_block};  // of two: the target of the branch, then the block that it falls through to
  };

  // The blocks that the entry reaches, the entry first. Near-linear.
  static std::vector<block_id> order(const csr_graph& g, std::span<const ways> on) { return block_layout(g, on).run(); }

 private:
  block_layout(const csr_graph& g, std::span<const ways> on)
      : on_(on), entry_(g.entry()), loops_(g), order_(g, loops_), place_(g.num_blocks(), 0) {
    std::uint32_t i = 0;
    for (const block_id b : order_.blocks()) place_[b] = i++;
    next_.assign(g.num_blocks(), no_block);
    before_.assign(g.num_blocks(), no_block);
    chain_.reset(g.num_blocks());
  }

  std::vector<block_id> run() {
    // Two-way blocks first: one that neither successor follows takes one jump more, and a block for it. The successor
    // that comes next in the order is preferred.
    for (const bool two : {true, false}) {
      for (const bool next_only : {true, false})
        for (const block_id b : order_.blocks())
          for (std::uint32_t k = on_[b].count; (on_[b].count == 2) == two && k-- > 0;)
            if (!next_only || place_[on_[b].to[k]] == place_[b] + 1) link(b, on_[b].to[k], false);
    }
    for (const block_id b : order_.blocks())
      if (on_[b].count == 2) {
        link(b, on_[b].to[1], true);
        link(b, on_[b].to[0], true);
      }
    std::vector<block_id> out;
    std::vector<unsigned char> done(on_.size(), 0);
    for (block_id b : order_.blocks()) {
      if (done[b] != 0) continue;
      while (before_[b] != no_block) b = before_[b];
      for (; b != no_block; b = next_[b]) {
        done[b] = 1;
        out.push_back(b);
      }
    }
    return out;
  }

  void link(block_id a, block_id b, bool always) {
    if (next_[a] != no_block || before_[b] != no_block || b == entry_ || chain_.find(a) == chain_.find(b)) return;
    if (!always && !keeps_loops(a, b)) return;
    next_[a] = b;
    before_[b] = a;
    chain_.merge(chain_.find(a), chain_.find(b));
  }
  // True if loops that a -> b leaves have a as their last block, and a loop that it enters is entered by its header.
  bool keeps_loops(block_id a, block_id b) const {
    const auto& loops = loops_.ids();
    loop_id l = loops.innermost(a);
    for (; l != no_loop && !loops.contains(l, b); l = loops.parent(l))
      if (place_[a] + 1 != place_[loops.header(l)] + loops.blocks(l).size()) return false;
    const loop_id of_b = loops.innermost(b);
    return of_b == l || (loops.header(of_b) == b && loops.parent(of_b) == l);
  }

  std::span<const ways> on_;
  block_id entry_;
  loop_forest<csr_graph> loops_;
  weak_topological_order<csr_graph> order_;
  std::vector<std::uint32_t> place_;
  std::vector<block_id> next_, before_;
  simtflow::detail::disjoint_sets<> chain_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Exit-distance order (priorities.hpp).
//
// Two passes over a tree that grows from the virtual exit n against the edges: exit_tree() gives each block the
// parent with the longest way to the exit, number_exit_tree() numbers from the exit, and before a block all of its
// waiting blocks that it dominates.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class exit_distance_lister {
 public:
  // Appends the blocks that the entry of g reaches. The search and the dominators are of g, which is not empty.
  constexpr void list(const Shape& g, const dense::basic_depth_first_order<Shape>& dfs,
                      const dense::basic_dominator_tree<Shape>& dominators, std::vector<block_id>& listed) {
    dfs_ = &dfs;
    dominators_ = &dominators;
    exit_tree(g);
    number_dominator_tree(g);
    number_exit_tree(g, listed);
    for (std::size_t i = 0, k = listed.size(); i + 1 < k; ++i) {
      const block_id kept = listed[i];
      listed[i] = listed[--k];
      listed[k] = kept;
    }
    for (const block_id b : dfs.rpo())
      if (depth_[b] == no_number) listed.push_back(b);
  }

 private:
  constexpr void hang(block_id b, block_id up) {
    under_[b] = up;
    before_[b] = last_child_[up];
    after_[b] = no_block;
    (last_child_[up] == no_block ? first_child_[up] : after_[last_child_[up]]) = b;
    last_child_[up] = b;
  }
  constexpr void unhang(block_id b) {
    const block_id up = under_[b], left = before_[b], right = after_[b];
    (left == no_block ? first_child_[up] : after_[left]) = right;
    (right == no_block ? last_child_[up] : before_[right]) = left;
  }
  [[nodiscard]] constexpr bool is_above(block_id a, block_id b) const {
    while (depth_[b] > depth_[a]) b = under_[b];
    return a == b;
  }

  constexpr void exit_tree(const Shape& g) {
    const std::size_t n = g.num_blocks();
    const block_id exit = static_cast<block_id>(n);
    depth_.assign(n + 1, no_number);
    under_.assign(n + 1, no_block);
    before_.assign(n + 1, no_block);
    after_.assign(n + 1, no_block);
    first_child_.assign(n + 1, no_block);
    last_child_.assign(n + 1, no_block);
    item_.clear();  // the exits
    for (block_id b = 0; b < n; ++b)
      if (dfs_->is_reachable(b) && g.is_exit(b)) item_.push_back(b);
    const auto sources = [&](block_id b) { return b == exit ? std::span<const block_id>(item_) : g.predecessors(b); };
    next_.assign(n + 1, 0);
    work_.clear();
    work_.push_back(exit);
    depth_[exit] = 0;
    while (!work_.empty()) {
      const block_id b = work_.back();
      if (next_[b] == sources(b).size()) {
        work_.pop_back();
        continue;
      }
      const block_id p = sources(b)[next_[b]++];
      if (!dfs_->is_reachable(p)) continue;
      if (depth_[p] == no_number) {
        hang(p, b);
        depth_[p] = depth_[b] + 1;
        work_.push_back(p);
      } else if (depth_[p] <= depth_[b] && !is_above(p, b)) {
        unhang(p);
        hang(p, b);
        block_id at = p;  // a walk through the moved tree
        while (true) {
          depth_[at] = depth_[under_[at]] + 1;
          if (first_child_[at] != no_block) {
            at = first_child_[at];
            continue;
          }
          while (at != p && after_[at] == no_block) at = under_[at];
          if (at == p) break;
          at = after_[at];
        }
      }
    }
  }

  // place_: positions in a walk of the dominator tree, children in RPO; child_: the block at a position; span_: how
  // many positions from its own on belong to what a block dominates.
  constexpr void number_dominator_tree(const Shape& g) {
    const std::span<const block_id> rpo = dfs_->rpo();
    span_.assign(g.num_blocks(), 1);
    place_.assign(g.num_blocks(), 0);
    next_.assign(g.num_blocks(), 0);
    child_.assign(rpo.size(), no_block);
    for (std::size_t i = rpo.size(); i-- > 1;) span_[dominators_->idom(rpo[i])] += span_[rpo[i]];
    for (const block_id b : rpo) {
      if (const block_id d = dominators_->idom(b); d != no_block) {
        place_[b] = next_[d];
        next_[d] += span_[b];
      }
      next_[b] = place_[b] + 1;
      child_[place_[b]] = b;
    }
  }

  [[nodiscard]] constexpr bool falls_through(const Shape& g, block_id from, block_id to) const {
    const std::span<const block_id> out = g.successors(from);
    return !out.empty() && out[out.size() - 1] == to && (out.size() > 1 || to == from + 1);
  }

  constexpr void number_exit_tree(const Shape& g, std::vector<block_id>& listed) {
    enum : unsigned char { dominated, fall_through, others };
    const block_id exit = static_cast<block_id>(g.num_blocks());
    met_.assign(g.num_blocks(), 0);  // waits for its number
    stage_.clear();
    work_.clear();
    next_.assign(g.num_blocks() + 1, 0);  // by block: where it is in its stage
    const auto open = [&](block_id b) {
      work_.push_back(b);
      stage_.push_back(dominated);
      next_[b] = b == exit ? 0 : span_[b] - 1;
    };
    open(exit);
    while (!work_.empty()) {
      const block_id b = work_.back();
      unsigned char& stage = stage_.back();
      block_id chosen = no_block;
      if (stage == dominated) {
        while (next_[b] > 0 && chosen == no_block)
          if (const block_id u = child_[place_[b] + next_[b]--]; met_[u]) chosen = u;
        if (chosen == no_block) {
          if (b != exit) listed.push_back(b);
          for (block_id c = first_child_[b]; c != no_block; c = after_[c]) met_[c] = 1;
          stage = fall_through;
          next_[b] = last_child_[b];
        }
      } else {
        block_id& c = next_[b];
        for (; stage == fall_through && c != no_block && chosen == no_block; c = before_[c])
          if (met_[c] && falls_through(g, c, b)) chosen = c;
        if (stage == fall_through && chosen == no_block) {
          stage = others;
          c = first_child_[b];
        }
        for (; stage == others && c != no_block && chosen == no_block; c = after_[c])
          if (met_[c]) chosen = c;
        if (chosen == no_block) {
          work_.pop_back();
          stage_.pop_back();
        }
      }
      if (chosen != no_block) {
        met_[chosen] = 0;
        open(chosen);
      }
    }
  }

  const dense::basic_depth_first_order<Shape>* dfs_ = nullptr;  // while it lists
  const dense::basic_dominator_tree<Shape>* dominators_ = nullptr;
  std::vector<std::uint32_t> next_, place_, item_, under_, child_, work_;
  std::vector<std::uint32_t> depth_, before_, after_, first_child_, last_child_, span_;
  std::vector<unsigned char> met_, stage_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Dominance-compact order (priorities.hpp).
//
// An item is a block, or a loop as one element. The items directly in a region (a loop, or what is in no loop) form a
// tree: the parent of an item is the item that holds the immediate dominator of its header, or the region's header if
// that lies outside the region. A walk of this tree, siblings in RPO, is topological and dominance-compact in the
// region. After a loop come the items below it, first the items with the last block of the loop as immediate
// dominator: if one block dominates the end of the loop, it dominates the following items as well.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/disjoint_sets.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class dominance_compact_lister {
 public:
  // Lists the blocks that the entry of g reaches. The loops and the dominators are of g.
  constexpr void list(const Shape& g, const dense::basic_loop_forest<Shape>& loops,
                      const dense::basic_dominator_tree<Shape>& dominators, std::vector<block_id>& listed) {
    loops_ = &loops;
    dominators_ = &dominators;
    const std::span<const block_id> rpo = loops_->rpo();
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    const std::uint32_t num_loops = static_cast<std::uint32_t>(loops_->num_loops());
    listed.clear();
    if (n == 0) return;
    list_items(rpo, num_loops);
    find_item_parents(g, rpo, num_loops);
    list_children(rpo, n);
    first_pending_.assign(num_loops, no_block);
    last_pending_.assign(num_loops, no_block);
    sibling_.assign(n, no_block);
    work_.clear();
    work_.push_back(g.entry());
    while (!work_.empty()) {
      const block_id item = work_.back();
      work_.pop_back();
      if (item >= n) {  // all of loop item - n is listed
        for (block_id v = first_pending_[item - n]; v != no_block; v = sibling_[v]) work_.push_back(v);
        continue;
      }
      const loop_id l = loops_->innermost(item);
      if (l != no_loop && loops_->header(l) == item) work_.push_back(n + index_of(l));
      listed.push_back(item);
      for (const bool late : {true, false})
        for (std::uint32_t i = first_[item]; i < first_[item + 1]; ++i)
          if ((met_[child_[i]] != 0) == late) list_below(child_[i]);
    }
  }

 private:
  // To be listed before everything that was given here for the same place before: at once, or when a loop is complete.
  constexpr void list_below(block_id v) {
    const loop_id l = behind_[v];
    if (l == no_loop) {
      work_.push_back(v);
      return;
    }
    (first_pending_[l] == no_block ? first_pending_[l] : sibling_[last_pending_[l]]) = v;
    last_pending_[l] = v;
  }

  // The region of a block as an item: its innermost loop, for a header the loop around that.
  [[nodiscard]] constexpr loop_id region(block_id b) const {
    const loop_id l = loops_->innermost(b);
    return l != no_loop && loops_->header(l) == b ? loops_->parent(l) : l;
  }

  // item_: all items by region, items in no loop after all loops; first_: where each region begins.
  constexpr void list_items(std::span<const block_id> rpo, std::uint32_t num_loops) {
    const auto slot = [&](block_id b) { return region(b) == no_loop ? num_loops : index_of(region(b)); };
    first_.assign(num_loops + 2, 0);
    for (const block_id b : rpo) ++first_[slot(b) + 1];
    for (std::uint32_t r = 0; r <= num_loops; ++r) first_[r + 1] += first_[r];
    next_.assign(first_.begin(), first_.end());
    item_.assign(rpo.size(), no_block);
    for (const block_id b : rpo) item_[next_[slot(b)]++] = b;
  }

  // under_: the block that an item is listed after; behind_: the loop that must be complete before, or no_loop. Inner
  // regions first; all that is known of a region that is done is its header.
  constexpr void find_item_parents(const Shape& g, std::span<const block_id> rpo, std::uint32_t num_loops) {
    const std::size_t n = g.num_blocks();
    items_.reset(n);
    under_.assign(n, no_block);
    behind_.assign(n, no_loop);
    last_.assign(n, no_block);
    met_.assign(n, 0);
    depth_.assign(n, 0);
    low_.assign(n, no_number);
    size_.assign(n, 1);
    span_.assign(n, 1);
    for (std::size_t i = rpo.size(); i-- > 1;) span_[dominators_->idom(rpo[i])] += span_[rpo[i]];
    for (std::uint32_t i = num_loops + 1; i-- > 0;) {
      const std::uint32_t slot = i == 0 ? num_loops : i - 1;  // loops by descending id, then what is in none
      const bool in_loop = slot != num_loops;
      const loop_id r = in_loop ? loop_id{slot} : no_loop;
      for (std::uint32_t k = first_[slot]; k < first_[slot + 1]; ++k) {
        const block_id v = item_[k], d = dominators_->idom(v);
        under_[v] = d;
        if (d == no_block) continue;
        if (in_loop && !loops_->contains(r, d)) {
          under_[v] = loops_->header(r);
        } else if (loops_->innermost(d) != r) {
          behind_[v] = loops_->innermost(items_.find(d));
        }
      }
      if (!in_loop) continue;
      choose_last(g, r);
      for (std::uint32_t k = first_[slot]; k < first_[slot + 1]; ++k) items_.merge(item_[k], loops_->header(r));
    }
  }
  [[nodiscard]] constexpr block_id parent_item(block_id v) const {
    return behind_[v] == no_loop ? under_[v] : loops_->header(behind_[v]);
  }

  // Marks in met_ which one of the items that follow the same block should come last in loop r: one that dominates a
  // way out of the loop, if no edge leads from it and what is below it to the others. By item: depth_ in the tree,
  // size_ of what is below it in blocks, low_ the smallest depth of a parent of the items that edges from there lead
  // to; by block: last_, the choice made last.
  constexpr void choose_last(const Shape& g, loop_id r) {
    const block_id header = loops_->header(r);
    const std::span<const block_id> items =
        std::span<const block_id>(item_).subspan(first_[index_of(r)], first_[index_of(r) + 1] - first_[index_of(r)]);
    depth_[header] = 0;
    low_[header] = no_number;
    size_[header] = 1;
    for (const block_id v : items) {
      const loop_id inner = loops_->innermost(v);
      if (inner != r && loops_->is_irreducible(inner)) return;  // edges lead to more than its header
      depth_[v] = depth_[parent_item(v)] + 1;
      low_[v] = no_number;
      size_[v] = inner == r ? 1 : static_cast<std::uint32_t>(loops_->blocks(inner).size());
    }
    for (const block_id v : items)
      for (const block_id p : g.predecessors(v)) {
        if (!loops_->contains(r, p)) continue;
        const block_id from = items_.find(p);
        if (from != v && depth_[parent_item(v)] < low_[from]) low_[from] = depth_[parent_item(v)];
      }
    for (std::size_t i = items.size(); i-- > 0;) {
      const block_id v = items[i], up = parent_item(v);
      if (low_[v] < low_[up]) low_[up] = low_[v];
      size_[up] += size_[v];
      if (low_[v] < depth_[v] || span_[v] <= size_[v]) continue;
      block_id& last = last_[under_[v]];
      if (last != no_block && region(last) == r) continue;
      last = v;
      met_[v] = 1;
    }
  }

  // child_: the items by the block that they are listed after, the first in RPO last; first_: where each block's begin.
  constexpr void list_children(std::span<const block_id> rpo, std::uint32_t n) {
    first_.assign(n + 1, 0);
    for (const block_id v : rpo)
      if (under_[v] != no_block) ++first_[under_[v] + 1];
    for (std::uint32_t b = 0; b < n; ++b) first_[b + 1] += first_[b];
    next_.assign(first_.begin(), first_.end());
    child_.assign(first_[n], no_block);
    for (std::size_t i = rpo.size(); i-- > 0;)
      if (const block_id v = rpo[i]; under_[v] != no_block) child_[next_[under_[v]]++] = v;
  }

  const dense::basic_loop_forest<Shape>* loops_ = nullptr;  // while it lists
  const dense::basic_dominator_tree<Shape>* dominators_ = nullptr;
  disjoint_sets<> items_;
  std::vector<std::uint32_t> next_, first_, sibling_, item_, under_, child_, work_;
  std::vector<loop_id> behind_;
  id_map<loop_id, block_id> first_pending_, last_pending_;
  std::vector<std::uint32_t> depth_, span_, last_, low_, size_;
  std::vector<unsigned char> met_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

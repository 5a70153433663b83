// SPDX-License-Identifier: BSL-1.0
//
// The orders of analysis/priorities.hpp in dense ids.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/detail/loop_contiguous.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The distance below others at which barrier_aware_order puts the blocks that hold a barrier.
enum class barrier_rule : unsigned char {
  below_all,      ///< below every block without a barrier
  below_sources,  ///< below every block without a barrier that can reach the barrier before any other barrier
  below_reaching  ///< below every block that can reach the barrier (the paper's rule), barriers on one cycle excepted
};

/// The name of a rule: "below_all".
[[nodiscard]] constexpr const char* to_string(barrier_rule value) {
  switch (value) {
    case barrier_rule::below_all:
      return "below_all";
    case barrier_rule::below_sources:
      return "below_sources";
    case barrier_rule::below_reaching:
      return "below_reaching";
  }
  return "";
}

namespace detail {

// Sets that are only ever merged into another one's representative; find with path halving.
template <class Shape = csr_graph>
class merged_items {
 public:
  constexpr void reset(std::size_t n) {
    up_.assign(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) up_[i] = i;
  }
  constexpr block_id find(block_id b) {
    while (up_[b] != b) b = up_[b] = up_[up_[b]];
    return b;
  }
  constexpr void merge(block_id from, block_id into) { up_[from] = into; }

 private:
  std::vector<block_id> up_;
};

// Calls found(seed, b) for every block b that a path of at least one edge from a seed leads to, once; passes on through
// b if that says so. The seeds are the blocks of an order for which is_seed holds, the last one first, so that every
// block is found from the lowest priority that reaches it. Linear.
template <class Shape, class IsSeed, class Found>
constexpr void from_low_to_high(const Shape& g, std::span<const block_id> order, std::vector<unsigned char>& met,
                                std::vector<block_id>& work, IsSeed&& is_seed, Found&& found) {
  met.assign(g.num_blocks(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!is_seed(order[i])) continue;
    work.clear();
    work.push_back(order[i]);
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      for (const block_id s : g.successors(b)) {
        if (met[s]) continue;
        met[s] = 1;
        if (found(order[i], s)) work.push_back(s);
      }
    }
  }
}

}  // namespace detail

namespace dense {

/// Makes the orders of priorities.hpp, again and again, for one graph or for many. Each function lists the blocks that
/// the entry reaches, highest priority first, and reuses every buffer: nothing is allocated once they have grown. The
/// next call overwrites the list. The free function of (nearly) the same name tells what each order promises.
template <class Shape = csr_graph>
class basic_order_maker {
 public:
  /// simtflow::reverse_post_order.
  constexpr std::span<const block_id> reverse_post_order(const Shape& g) {
    dfs_.recompute(g);
    listed_.assign(dfs_.rpo().begin(), dfs_.rpo().end());
    return listed();
  }
  /// simtflow::post_order.
  constexpr std::span<const block_id> post_order(const Shape& g) {
    dfs_.recompute(g);
    listed_.assign(dfs_.postorder().begin(), dfs_.postorder().end());
    return listed();
  }
  /// simtflow::loop_contiguous_order.
  constexpr std::span<const block_id> loop_contiguous(const Shape& g) {
    loops_.recompute(g);
    return loop_contiguous(loops_);
  }
  /// The same from existing loops. \pre the loops are of the graph.
  constexpr std::span<const block_id> loop_contiguous(const basic_loop_forest<Shape>& loops) {
    detail::list_loop_contiguous(loops, listed_, next_);
    return listed();
  }

  /// simtflow::dominance_compact_order.
  //
  // An item is a block, or a loop as one element. The items directly in a region (a loop, or what is in no loop) form a
  // tree: the parent of an item is the item that holds the immediate dominator of its header, or the region's header if
  // that lies outside the region. A walk of this tree, siblings in RPO, is topological and dominance-compact in the
  // region. After a loop come the items below it, first the items with the last block of the loop as immediate
  // dominator: if one block dominates the end of the loop, it dominates the following items as well.
  constexpr std::span<const block_id> dominance_compact(const Shape& g) {
    loops_.recompute(g);
    dominators_.recompute(g);
    const std::span<const block_id> rpo = loops_.rpo();
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    const std::uint32_t num_loops = static_cast<std::uint32_t>(loops_.num_loops());
    listed_.clear();
    if (n == 0) return listed();
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
      const loop_id l = loops_.innermost(item);
      if (l != no_loop && loops_.header(l) == item) work_.push_back(n + index_of(l));
      listed_.push_back(item);
      for (const bool late : {true, false})
        for (std::uint32_t i = first_[item]; i < first_[item + 1]; ++i)
          if ((met_[child_[i]] != 0) == late) list_below(child_[i]);
    }
    return listed();
  }

  /// simtflow::barrier_aware_order.
  constexpr std::span<const block_id> barrier_aware(const Shape& g, std::span<const unsigned char> barriers,
                                                    barrier_rule rule = barrier_rule::below_all) {
    SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == g.num_blocks(), "one barrier flag per block, or none");
    (void)loop_contiguous(g);
    const auto is_barrier = [&](block_id b) { return !barriers.empty() && barriers[b] != 0; };
    if (rule == barrier_rule::below_all) {
      work_.clear();
      std::size_t kept = 0;
      for (const block_id b : listed_) {
        if (is_barrier(b)) {
          work_.push_back(b);
        } else {
          listed_[kept++] = b;
        }
      }
      for (const block_id b : work_) listed_[kept++] = b;
      return listed();
    }
    // By block: its place, and for barriers the place that they must follow.
    place_.assign(g.num_blocks(), 0);
    for (std::uint32_t i = 0; i < listed_.size(); ++i) place_[listed_[i]] = i;
    next_.assign(place_.begin(), place_.end());
    detail::from_low_to_high(
        g, listed(), met_, work_, [&](block_id seed) { return !is_barrier(seed); },
        [&](block_id seed, block_id b) {
          if (!is_barrier(b)) return true;
          if (place_[seed] > next_[b]) next_[b] = place_[seed];
          return rule == barrier_rule::below_reaching;
        });
    // A barrier that has to leave its place does not come to stand within a loop that is not its own.
    first_.assign(listed_.size(), no_block);
    sibling_.assign(g.num_blocks(), no_block);
    for (std::size_t i = listed_.size(); i-- > 0;) {
      const block_id b = listed_[i];
      if (next_[b] == place_[b]) continue;
      for (loop_id l = loops_.innermost(listed_[next_[b]]); l != no_loop && !loops_.contains(l, b);
           l = loops_.parent(l))
        next_[b] = place_[loops_.header(l)] + static_cast<std::uint32_t>(loops_.blocks(l).size()) - 1;
      sibling_[b] = first_[next_[b]];
      first_[next_[b]] = b;
    }
    work_.clear();
    for (std::uint32_t i = 0; i < listed_.size(); ++i) {
      if (next_[listed_[i]] == i) work_.push_back(listed_[i]);
      for (block_id b = first_[i]; b != no_block; b = sibling_[b]) work_.push_back(b);
    }
    listed_.assign(work_.begin(), work_.end());
    return listed();
  }

  /// simtflow::exit_distance_order.
  //
  // Two passes over a tree that grows from the virtual exit n against the edges: exit_tree() gives each block the
  // parent with the longest way to the exit, number_exit_tree() numbers from the exit, and before a block all of its
  // waiting blocks that it dominates.
  constexpr std::span<const block_id> exit_distance(const Shape& g) {
    dfs_.recompute(g);
    dominators_.recompute(g);
    listed_.clear();
    if (g.num_blocks() == 0) return listed();
    exit_tree(g);
    number_dominator_tree(g);
    number_exit_tree(g);
    for (std::size_t i = 0, k = listed_.size(); i + 1 < k; ++i) {
      const block_id kept = listed_[i];
      listed_[i] = listed_[--k];
      listed_[k] = kept;
    }
    for (const block_id b : dfs_.rpo())
      if (depth_[b] == no_number) listed_.push_back(b);
    return listed();
  }

 private:
  [[nodiscard]] constexpr std::span<const block_id> listed() const { return std::span<const block_id>(listed_); }

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
    const loop_id l = loops_.innermost(b);
    return l != no_loop && loops_.header(l) == b ? loops_.parent(l) : l;
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
    for (std::size_t i = rpo.size(); i-- > 1;) span_[dominators_.idom(rpo[i])] += span_[rpo[i]];
    for (std::uint32_t i = num_loops + 1; i-- > 0;) {
      const std::uint32_t slot = i == 0 ? num_loops : i - 1;  // loops by descending id, then what is in none
      const bool in_loop = slot != num_loops;
      const loop_id r = in_loop ? loop_id{slot} : no_loop;
      for (std::uint32_t k = first_[slot]; k < first_[slot + 1]; ++k) {
        const block_id v = item_[k], d = dominators_.idom(v);
        under_[v] = d;
        if (d == no_block) continue;
        if (in_loop && !loops_.contains(r, d)) {
          under_[v] = loops_.header(r);
        } else if (loops_.innermost(d) != r) {
          behind_[v] = loops_.innermost(items_.find(d));
        }
      }
      if (!in_loop) continue;
      choose_last(g, r);
      for (std::uint32_t k = first_[slot]; k < first_[slot + 1]; ++k) items_.merge(item_[k], loops_.header(r));
    }
  }
  [[nodiscard]] constexpr block_id parent_item(block_id v) const {
    return behind_[v] == no_loop ? under_[v] : loops_.header(behind_[v]);
  }

  // Marks in met_ which one of the items that follow the same block should come last in loop r: one that dominates a
  // way out of the loop, if no edge leads from it and what is below it to the others. By item: depth_ in the tree,
  // size_ of what is below it in blocks, low_ the smallest depth of a parent of the items that edges from there lead
  // to; by block: last_, the choice made last.
  constexpr void choose_last(const Shape& g, loop_id r) {
    const block_id header = loops_.header(r);
    const std::span<const block_id> items =
        std::span<const block_id>(item_).subspan(first_[index_of(r)], first_[index_of(r) + 1] - first_[index_of(r)]);
    depth_[header] = 0;
    low_[header] = no_number;
    size_[header] = 1;
    for (const block_id v : items) {
      const loop_id inner = loops_.innermost(v);
      if (inner != r && loops_.is_irreducible(inner)) return;  // edges lead to more than its header
      depth_[v] = depth_[parent_item(v)] + 1;
      low_[v] = no_number;
      size_[v] = inner == r ? 1 : static_cast<std::uint32_t>(loops_.blocks(inner).size());
    }
    for (const block_id v : items)
      for (const block_id p : g.predecessors(v)) {
        if (!loops_.contains(r, p)) continue;
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
      if (dfs_.is_reachable(b) && g.is_exit(b)) item_.push_back(b);
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
      if (!dfs_.is_reachable(p)) continue;
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
    const std::span<const block_id> rpo = dfs_.rpo();
    span_.assign(g.num_blocks(), 1);
    place_.assign(g.num_blocks(), 0);
    next_.assign(g.num_blocks(), 0);
    child_.assign(rpo.size(), no_block);
    for (std::size_t i = rpo.size(); i-- > 1;) span_[dominators_.idom(rpo[i])] += span_[rpo[i]];
    for (const block_id b : rpo) {
      if (const block_id d = dominators_.idom(b); d != no_block) {
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

  constexpr void number_exit_tree(const Shape& g) {
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
          if (b != exit) listed_.push_back(b);
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

  basic_depth_first_order<Shape> dfs_;
  basic_loop_forest<Shape> loops_;
  basic_dominator_tree<Shape> dominators_;
  detail::merged_items<Shape> items_;
  std::vector<std::uint32_t> listed_, next_, place_, first_, sibling_, item_, under_, child_, work_;
  std::vector<loop_id> behind_;
  id_map<loop_id, block_id> first_pending_, last_pending_;
  std::vector<std::uint32_t> depth_, before_, after_, first_child_, last_child_, span_;
  std::vector<std::uint32_t> last_, low_, size_;
  std::vector<unsigned char> met_, stage_;
};

/// Over a csr_graph.
using order_maker = basic_order_maker<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

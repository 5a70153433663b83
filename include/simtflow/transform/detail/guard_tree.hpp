// SPDX-License-Identifier: BSL-1.0
//
// The tree of guards of a row of blocks; guard_tree.hpp has its definition and its rules.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/guard_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// An edge that has to do with a region. Blocks of the region are called by their number in the order.
struct region_edge {
  std::uint32_t from;  // outside: where control enters the region
  std::uint32_t to;    // the number of blocks: out of the region
  block_id block;      // the edge itself in the plan: block and slot
  std::uint32_t slot;
};

// Item x < num_units() is a block, item num_units() + l is loop l. Sequence 0 is the region's, sequence 1 + x is the
// one that belongs to item x. Choices are numbered through, sequence by sequence. Edge is region_edge.
template <class Edge = region_edge>
class guard_tree {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::uint32_t outside = none;

  // Edges of one source and one target may be many. The tree is the same for o2 and o3.
  constexpr void arrange(std::uint32_t units, std::span<const Edge> edges, loop_guards policy,
                         guard_optimization level) {
    units_ = units;
    find_loops(edges, policy);
    relate(edges);
    place(edges, level);
    number_choices();
    find_passed(edges);
  }

  [[nodiscard]] constexpr std::uint32_t num_units() const { return units_; }
  [[nodiscard]] constexpr std::uint32_t num_loops() const { return static_cast<std::uint32_t>(loop_.size()); }
  [[nodiscard]] constexpr std::uint32_t num_items() const { return units_ + num_loops(); }
  [[nodiscard]] constexpr bool is_loop(std::uint32_t item) const { return item >= units_; }
  // The values of gv for an item: low .. high.
  [[nodiscard]] constexpr std::uint32_t low(std::uint32_t item) const {
    return is_loop(item) ? loop_[item - units_].low : item;
  }
  [[nodiscard]] constexpr std::uint32_t high(std::uint32_t item) const {
    return is_loop(item) ? loop_[item - units_].high : item;
  }

  // Items in the order in which they were placed: an item comes after the item that has it in its sequence.
  [[nodiscard]] constexpr std::span<const std::uint32_t> placed() const {
    return std::span<const std::uint32_t>(order_);
  }
  [[nodiscard]] constexpr std::uint32_t sequence_of(std::uint32_t item) const { return seat_[item].sequence; }
  [[nodiscard]] constexpr std::uint32_t place_of(std::uint32_t item) const { return seat_[item].choice; }
  [[nodiscard]] constexpr std::uint32_t choice_of(std::uint32_t item) const {
    return node_[seat_[item].sequence].first + seat_[item].choice;
  }
  [[nodiscard]] constexpr std::uint32_t num_choices(std::uint32_t sequence) const { return node_[sequence].choices; }
  [[nodiscard]] constexpr std::uint32_t num_choices() const { return static_cast<std::uint32_t>(passed_.size()); }
  [[nodiscard]] constexpr std::uint32_t choice(std::uint32_t sequence, std::uint32_t place) const {
    return node_[sequence].first + place;
  }
  // Blocks before loops, each ascending.
  [[nodiscard]] constexpr std::span<const std::uint32_t> items(std::uint32_t choice) const {
    return std::span<const std::uint32_t>(item_).subspan(first_item_[choice],
                                                         first_item_[choice + 1] - first_item_[choice]);
  }
  [[nodiscard]] constexpr bool is_passed(std::uint32_t choice) const { return passed_[choice] != 0; }

  // True if a thread in this item, or in a later item of the sequence, has a pending target outside the loop.
  [[nodiscard]] constexpr bool leaves(std::uint32_t item, std::uint32_t loop) const {
    return node_[1 + item].reach < node_[1 + units_ + loop].depth;
  }
  // For an edge within the region: the item next to its target that does not contain its source; for a retreating edge
  // the loop (an item too) that carries it.
  [[nodiscard]] constexpr std::uint32_t wanted(std::size_t edge) const { return relation_[edge].to; }
  [[nodiscard]] constexpr bool is_retreating(const Edge& e) const {
    return e.from != outside && e.to < units_ && e.to <= e.from;
  }
  // The item in the sequence that contains the block. \pre there is one
  [[nodiscard]] constexpr std::uint32_t item_around(std::uint32_t unit, std::uint32_t sequence) const {
    return ancestor(1 + unit, node_[sequence].depth + 1) - 1;
  }
  [[nodiscard]] constexpr bool contains(std::uint32_t sequence, std::uint32_t unit) const {
    return node_[1 + unit].depth >= node_[sequence].depth && ancestor(1 + unit, node_[sequence].depth) == sequence;
  }

 private:
  struct interval {
    std::uint32_t low, high;
    std::uint32_t outer;           // loop
    std::uint32_t first_from = 0;  // of edges to its blocks, counted from 1; outside: 0
    std::uint32_t last_from = 0;
  };
  struct relation {
    std::uint32_t from, to;  // items of one sequence in the flat form
  };
  struct seat {
    std::uint32_t sequence = 0, choice = 0;
  };
  // A sequence.
  struct node {
    std::uint32_t up = 0, jump = 0, depth = 1;  // the sequence that it is in; another one above; the region's: 1
    std::uint32_t choices = 0, first = 0;
    std::uint32_t reach = 0;  // the least depth of a sequence to which a value goes that is set in it
    std::uint32_t tail = 0;   // from this choice on it is passed; while items are placed, the choice after its loops
  };

  // --- loops ---

  constexpr void find_loops(std::span<const Edge> edges, loop_guards policy) {
    loop_.clear();
    found_.clear();
    open_.clear();
    const bool by_target = policy == loop_guards::component;
    far_.assign(units_, none);  // by target: the last source, by source: the first target
    for (const Edge& e : edges) {
      if (!is_retreating(e)) continue;
      std::uint32_t& reach = far_[by_target ? e.to : e.from];
      if (reach == none || (by_target ? e.from > reach : e.to < reach)) reach = by_target ? e.from : e.to;
    }
    // If two intervals would cross, the one found later grows; all are disjoint that are still on the stack.
    for (std::uint32_t i = 0; i < units_; ++i) {
      const std::uint32_t at = by_target ? units_ - 1 - i : i;
      if (far_[at] == none) continue;
      interval made{by_target ? at : far_[at], by_target ? far_[at] : at, none};
      while (!open_.empty() &&
             (by_target ? found_[open_.back()].low <= made.high : found_[open_.back()].high >= made.low)) {
        const interval& inner = found_[open_.back()];
        if (inner.low < made.low) made.low = inner.low;
        if (inner.high > made.high) made.high = inner.high;
        open_.pop_back();
      }
      open_.push_back(static_cast<std::uint32_t>(found_.size()));
      found_.push_back(made);
    }
    // By first block, outer ones first: found later means around what was found before.
    if (policy == loop_guards::merge) {
      for (const std::uint32_t i : open_) loop_.push_back(found_[i]);
    } else if (by_target) {
      for (std::size_t i = found_.size(); i-- > 0;) loop_.push_back(found_[i]);
    } else {
      count_.assign(std::size_t{units_} + 1, 0);
      for (const interval& l : found_) ++count_[l.low + 1];
      for (std::uint32_t i = 0; i < units_; ++i) count_[i + 1] += count_[i];
      loop_.assign(found_.size(), interval{0, 0, none});
      for (std::size_t i = found_.size(); i-- > 0;) loop_[count_[found_[i].low]++] = found_[i];
    }
    innermost_.assign(units_, none);
    open_.clear();
    std::uint32_t next = 0;
    for (std::uint32_t u = 0; u < units_; ++u) {
      while (!open_.empty() && loop_[open_.back()].high < u) open_.pop_back();
      for (; next < loop_.size() && loop_[next].low == u; ++next) {
        loop_[next].outer = open_.empty() ? none : open_.back();
        open_.push_back(next);
      }
      innermost_[u] = open_.empty() ? none : open_.back();
    }
  }

  // --- edges ---

  // Sorts edge numbers by a key below `keys`; edges with key none are left out.
  template <class Key>
  constexpr void sort_edges(std::size_t edges, std::uint32_t keys, std::vector<std::uint32_t>& first,
                            std::vector<std::uint32_t>& sorted, Key key) {
    first.assign(std::size_t{keys} + 1, 0);
    for (std::uint32_t e = 0; e < edges; ++e)
      if (const std::uint32_t k = key(e); k != none) ++first[k];
    sorted.assign(begin_rows(first), 0);
    for (std::uint32_t e = 0; e < edges; ++e)
      if (const std::uint32_t k = key(e); k != none) sorted[first[k]++] = e;
    end_rows(first);
  }

  // The first open loop, outer ones first, for which the predicate is true; it is true for all after it as well.
  // Edges cross few loops, as a rule: in strides that double from the innermost one, then halve. O(log of the answer's
  // distance).
  template <class P>
  [[nodiscard]] constexpr std::size_t first_open(P is) const {
    std::size_t high = open_.size(), stride = 1;
    while (stride <= high && is(loop_[open_[high - stride]])) {
      high -= stride;
      stride *= 2;
    }
    return first_without(stride <= high ? high - stride + 1 : 0, high,
                         [&](std::size_t i) { return !is(loop_[open_[i]]); });
  }

  // The items that an edge joins. Most stay in one loop; for the others, the loops around a block are on the stack when
  // it is its turn.
  constexpr void relate(std::span<const Edge> edges) {
    relation_.assign(edges.size(), relation{none, none});
    first_from_.assign(units_, none);
    last_from_.assign(units_, 0);
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const std::uint32_t from = edges[e].from, to = edges[e].to;
      if (to >= units_) continue;
      if (from + 1 < first_from_[to]) first_from_[to] = from + 1;  // outside: 0
      if (from + 1 > last_from_[to]) last_from_[to] = from + 1;
      const std::uint32_t l = innermost_[to];
      if (l == (from == outside ? none : innermost_[from]))
        relation_[e] = {from, to > from || l == none ? to : units_ + l};
    }
    sort_edges(edges.size(), units_, first_edge_, sorted_, [&](std::uint32_t e) {
      return edges[e].from == outside || edges[e].to >= units_ || relation_[e].to != none ? none : edges[e].from;
    });
    sort_edges(edges.size(), units_, first_into_, into_, [&](std::uint32_t e) {
      return edges[e].to >= units_ || relation_[e].to != none || is_retreating(edges[e]) ? none : edges[e].to;
    });
    open_.clear();
    std::uint32_t next = 0;
    for (std::uint32_t u = 0; u < units_; ++u) {
      while (!open_.empty() && loop_[open_.back()].high < u) open_.pop_back();
      for (; next < loop_.size() && loop_[next].low == u; ++next) open_.push_back(next);
      for (std::uint32_t i = first_edge_[u]; i < first_edge_[u + 1]; ++i) {
        const std::uint32_t e = sorted_[i], to = edges[e].to;
        if (to > u) {
          const std::size_t at = first_open([&](const interval& l) { return l.high < to; });
          relation_[e].from = at == open_.size() ? u : units_ + open_[at];
        } else {
          const std::size_t at = first_open([&](const interval& l) { return l.low > to; });
          SIMTFLOW_EXPECTS(at > 0, "a retreating edge lies in a loop");
          relation_[e] = {u, units_ + open_[at - 1]};
        }
      }
      for (std::uint32_t i = first_into_[u]; i < first_into_[u + 1]; ++i) {
        const std::uint32_t e = into_[i], from = edges[e].from + 1;  // outside: 0
        const std::size_t at = first_open([&](const interval& l) { return l.low + 1 > from; });
        relation_[e].to = at == open_.size() ? u : units_ + open_[at];
      }
    }
    for (interval& l : loop_) l.first_from = none, l.last_from = 0;
    for (std::uint32_t u = 0; u < units_; ++u)
      if (innermost_[u] != none) spread(innermost_[u], first_from_[u], last_from_[u]);
    for (std::size_t l = loop_.size(); l-- > 0;)
      if (loop_[l].outer != none) spread(loop_[l].outer, loop_[l].first_from, loop_[l].last_from);
  }
  constexpr void spread(std::uint32_t l, std::uint32_t first, std::uint32_t last) {
    if (first < loop_[l].first_from) loop_[l].first_from = first;
    if (last > loop_[l].last_from) loop_[l].last_from = last;
  }

  [[nodiscard]] constexpr std::uint32_t loop_around(std::uint32_t item) const {
    return is_loop(item) ? loop_[item - units_].outer : innermost_[item];
  }
  // Threads come to it from the start of the loop around it.
  [[nodiscard]] constexpr bool starts_loop(std::uint32_t item) const {
    const std::uint32_t around = loop_around(item);
    if (around == none) return false;
    const std::uint32_t first = is_loop(item) ? loop_[item - units_].first_from : first_from_[item];
    const std::uint32_t last = is_loop(item) ? loop_[item - units_].last_from : last_from_[item];
    return first <= loop_[around].low || (is_loop(item) ? last > high(item) + 1 : last > item);
  }

  // --- placing ---

  constexpr void add_leaf(std::uint32_t sequence, std::uint32_t up) {
    node& n = node_[sequence];
    n.up = up;
    n.depth = node_[up].depth + 1;
    const std::uint32_t j = node_[up].jump;
    n.jump = node_[up].depth - node_[j].depth == node_[j].depth - node_[node_[j].jump].depth ? node_[j].jump : up;
  }
  [[nodiscard]] constexpr std::uint32_t ancestor(std::uint32_t s, std::uint32_t depth) const {
    while (node_[s].depth > depth) s = node_[node_[s].jump].depth >= depth ? node_[s].jump : node_[s].up;
    return s;
  }
  [[nodiscard]] constexpr std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    if (node_[a].depth < node_[b].depth) {
      b = ancestor(b, node_[a].depth);
    } else {
      a = ancestor(a, node_[b].depth);
    }
    while (a != b) {
      const bool apart = node_[a].jump != node_[b].jump;
      a = apart ? node_[a].jump : node_[a].up;
      b = apart ? node_[b].jump : node_[b].up;
    }
    return a;
  }

  constexpr void place(std::span<const Edge> edges, guard_optimization level) {
    node_.assign(1 + std::size_t{num_items()}, node{});
    seat_.assign(num_items(), seat{});
    order_.assign(num_items(), 0);
    sort_edges(edges.size(), num_items(), first_edge_, sorted_, [&](std::uint32_t e) {
      return edges[e].to >= units_ || is_retreating(edges[e]) ? none : relation_[e].to;
    });
    std::uint32_t next = 0;
    for (std::uint32_t u = 0; u < units_; ++u) {
      for (; next < loop_.size() && loop_[next].low == u; ++next) place(edges, order_[u + next] = units_ + next, level);
      place(edges, order_[u + next] = u, level);
    }
  }
  constexpr void place(std::span<const Edge> edges, std::uint32_t item, guard_optimization level) {
    const std::uint32_t around = loop_around(item), base = around == none ? 0 : 1 + units_ + around;
    const auto place_behind = [&](std::uint32_t e) { return edges[e].from == outside ? 0 : 1 + relation_[e].from; };
    std::uint32_t in = base, at = node_[base].choices;
    if (level != guard_optimization::none) {
      if (level != guard_optimization::o1 && !starts_loop(item)) {
        in = none;
        for (std::uint32_t i = first_edge_[item]; i < first_edge_[item + 1]; ++i) {
          const std::uint32_t p = place_behind(sorted_[i]);
          in = in == none ? p : common(in, p);
        }
        if (in == none) in = base;
        if (in != base && in > units_) in = node_[in].up;  // after a loop, not in it
      }
      at = 0;
      for (std::uint32_t i = first_edge_[item]; i < first_edge_[item + 1]; ++i) {
        const std::uint32_t p = place_behind(sorted_[i]);
        // With threads from the start of the loop among them, arrivals are those in the loop.
        if (p == in || node_[p].depth <= node_[in].depth) continue;
        const std::uint32_t before = seat_[ancestor(p, node_[in].depth + 1) - 1].choice + 1;
        if (before > at) at = before;
      }
    }
    if (level < guard_optimization::o4) {  // a loop has no test: nothing shares its choice or comes before it
      if (is_loop(item)) {
        at = node_[in].tail = node_[in].choices;
        ++node_[in].tail;
      } else if (at < node_[in].tail) {
        at = node_[in].tail;
      }
    }
    if (at == node_[in].choices) ++node_[in].choices;
    seat_[item] = {in, at};
    add_leaf(1 + item, in);
  }

  constexpr void number_choices() {
    std::uint32_t all = 0;
    for (node& n : node_) {
      n.first = all;
      all += n.choices;
    }
    passed_.assign(all, 0);
    first_item_.assign(std::size_t{all} + 1, 0);
    for (std::uint32_t x = 0; x < num_items(); ++x) ++first_item_[choice_of(x) + 1];
    for (std::uint32_t c = 0; c < all; ++c) first_item_[c + 1] += first_item_[c];
    item_.assign(num_items(), 0);
    next_.assign(first_item_.begin(), first_item_.end());
    for (std::uint32_t x = 0; x < num_items(); ++x) item_[next_[choice_of(x)]++] = x;
  }

  // --- who passes ---

  constexpr void find_passed(std::span<const Edge> edges) {
    passes_.assign(passed_.size() + 1, 0);
    for (node& n : node_) n.reach = n.depth, n.tail = n.choices;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      const Edge& e = edges[i];
      const std::uint32_t to = relation_[i].to;
      if (e.from == outside) {
        pass(0, 0, e.to < units_ ? seat_[to].choice : node_[0].choices);
        continue;
      }
      node& from = node_[1 + e.from];
      if (e.to >= units_) {
        from.reach = from.tail = 0;
        continue;
      }
      const bool back = is_retreating(e);
      const std::uint32_t at = back ? 1 + to : seat_[to].sequence;
      std::uint32_t first = 0;
      if (at != 1 + e.from) {
        if (node_[at].depth < from.reach) from.reach = node_[at].depth;
        from.tail = 0;
        first = seat_[item_around(e.from, at)].choice + 1;
      }
      pass(at, first, back ? node_[at].choices : seat_[to].choice);
    }
    for (std::uint32_t x = 0; x < num_items(); ++x)
      if (starts_loop(x)) pass(seat_[x].sequence, 0, seat_[x].choice);
    for (std::size_t i = order_.size(); i-- > 0;) {  // what is in a sequence before the sequence
      const std::uint32_t x = order_[i];
      node& n = node_[1 + x];
      node& up = node_[n.up];
      if (n.reach >= up.depth) continue;
      if (n.reach < up.reach) up.reach = n.reach;
      if (seat_[x].choice + 1 < up.tail) up.tail = seat_[x].choice + 1;
    }
    std::uint32_t now = 0;
    for (const node& n : node_)
      for (std::uint32_t c = 0; c < n.choices; ++c) {
        now += passes_[n.first + c];
        passed_[n.first + c] = now != 0 || c >= n.tail ? 1 : 0;
      }
  }
  constexpr void pass(std::uint32_t sequence, std::uint32_t first, std::uint32_t last) {
    if (first >= last) return;
    ++passes_[node_[sequence].first + first];
    --passes_[node_[sequence].first + last];
  }

  std::uint32_t units_ = 0;
  std::vector<interval> loop_, found_;                                   // outer loops before inner ones
  std::vector<std::uint32_t> innermost_, far_, first_from_, last_from_;  // by block
  std::vector<relation> relation_;                                       // by edge
  std::vector<seat> seat_;                                               // by item
  std::vector<node> node_;                                               // by sequence
  std::vector<std::uint32_t> order_, item_, first_item_, next_;
  std::vector<unsigned char> passed_;  // by choice
  // Workspace.
  std::vector<std::uint32_t> open_, count_, first_edge_, sorted_, first_into_, into_, passes_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

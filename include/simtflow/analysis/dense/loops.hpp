// SPDX-License-Identifier: BSL-1.0
//
// The loop nesting forest in dense ids: what loops.hpp says of vertices, for blocks.
//
// Construction. In a reducible graph one depth-first search is enough: the edges of a block name the loops around it. A
// retreating edge names the loop of its target. Any other edge names the innermost loop that contains its target but
// has another header. The innermost named loop is the block's own loop, and the other named loops are around it. An
// edge that names one of the other loops leaves the block's own loop. When an edge names a loop with a header that the
// search has left already, the graph is irreducible. Then the bodies are collected anew, in RPO numbers. The
// descendants of a block w in the depth-first tree are a run of numbers that begins with w, so for an edge p -> x to a
// descendant x of w
//
//   p is a descendant of w as well   if and only if   p >= w
//
// (between w and x it lies in the run; above x the edge retreats, and p is a descendant of x). Headers are the targets
// of retreating edges. From the last to the first, each collects its body backwards over edges from its descendants,
// inner loops as single elements (union-find). An edge from a block p < w is another way in. It waits in a bucket of p
// until the header is p or comes before it: so every edge is looked at once and waits at most once.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A loop of a loop_forest: 0 .. num_loops() - 1, outer loops before the loops in them, siblings by RPO of their
/// headers.
enum class loop_id : std::uint32_t {};

/// "In no loop", "no parent".
inline constexpr loop_id no_loop{0xFFFF'FFFFU};

/// An edge that leaves a loop: the successor in that slot of `from`, a block of the loop, is `to`, which is not.
template <class V>
struct loop_exit {
  V from;                  ///< a block of the loop
  std::uint32_t slot = 0;  ///< which successor of `from`
  V to;                    ///< the block outside
  friend constexpr bool operator==(const loop_exit&, const loop_exit&) = default;
};

namespace dense {

/// The loop nesting forest, or the forest of natural loops, of the blocks that the entry reaches.
template <class Shape = csr_graph>
class basic_loop_forest {
 public:
  constexpr basic_loop_forest() = default;                                ///< of the empty graph
  constexpr explicit basic_loop_forest(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the loop nesting forest of g and reuses every buffer. Near-linear in blocks and edges, no recursion.
  /// \pre fewer than 2^31 - 1 blocks.
  constexpr void recompute(const Shape& g) {
    waiting_.clear();
    if (!search(g)) collect_bodies(g, [](block_id, block_id) { return true; });
    reducible_ = waiting_.empty();
    finish(g);
  }

  /// Computes the forest of the natural loops of g. `tree` is a dense dominator tree; it is recomputed and used only if
  /// the graph is irreducible.
  template <class Tree>
  constexpr void recompute_natural(const Shape& g, Tree& tree) {
    recompute(g);
    if (reducible_) return;
    tree.recompute(g);
    collect_bodies(g, [&](block_id header, block_id latch) { return tree.dominates(header, latch); });
    finish(g);
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return innermost_.size(); }
  /// Number of loops, inner ones included.
  [[nodiscard]] constexpr std::size_t num_loops() const { return num_loops_; }
  /// All loops, outer loops before the loops in them.
  [[nodiscard]] constexpr id_range<loop_id> all() const { return ids_below<loop_id>(num_loops_); }
  /// The smallest loop that contains b; no_loop if there is none. O(1).
  [[nodiscard]] constexpr loop_id innermost(block_id b) const {
    SIMTFLOW_EXPECTS(b < innermost_.size(), "a question about a block that is not in the graph of this result");
    return loop_id{innermost_[b]};
  }
  /// The entry of l that comes first in RPO. \pre l is a loop of this forest, here and below. O(1).
  [[nodiscard]] constexpr block_id header(loop_id l) const { return loop_[checked(l)].header; }
  /// The smallest loop around l; no_loop for an outermost one. O(1).
  [[nodiscard]] constexpr loop_id parent(loop_id l) const { return loop_id{loop_[checked(l)].parent}; }
  /// 1 for an outermost loop.
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return loop_[checked(l)].depth; }
  /// Number of loops that contain b. O(1).
  [[nodiscard]] constexpr std::uint32_t depth_of(block_id b) const {
    const loop_id l = innermost(b);
    return l == no_loop ? 0 : loop_[index_of(l)].depth;
  }
  /// True if l has two or more entries. O(1).
  [[nodiscard]] constexpr bool is_irreducible(loop_id l) const { return loop_[checked(l)].irreducible; }
  /// True if the graph has no irreducible loop, also of a forest of natural loops. O(1).
  [[nodiscard]] constexpr bool is_reducible() const { return reducible_; }
  /// True if every cycle passes through the header of a loop that contains it.
  [[nodiscard]] constexpr bool cuts_every_cycle() const { return reducible_ || entered_; }
  /// True if l contains b, perhaps in an inner loop. O(1).
  // A block in no loop has innermost loop 2^32 - 1, which no interval of loops contains.
  [[nodiscard]] constexpr bool contains(loop_id l, block_id b) const {
    return index_of(innermost(b)) - checked(l) < loop_[index_of(l)].nested;
  }
  /// True if inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(loop_id outer, loop_id inner) const {
    return checked(inner) - checked(outer) < loop_[index_of(outer)].nested;
  }
  /// The loops in l and l itself are l .. end_of_nested(l) - 1. O(1).
  [[nodiscard]] constexpr loop_id end_of_nested(loop_id l) const {
    return loop_id{checked(l) + loop_[index_of(l)].nested};
  }
  /// All blocks of l, inner loops included: the header first, the blocks of inner loops after the loop's own. O(1).
  [[nodiscard]] constexpr std::span<const block_id> blocks(loop_id l) const {
    return std::span<const block_id>(order_).subspan(loop_[checked(l)].first, loop_[index_of(l)].size);
  }
  /// The blocks of l with an edge to its header, each once. O(1).
  [[nodiscard]] constexpr std::span<const block_id> latches(loop_id l) const {
    const std::uint32_t i = checked(l);
    return std::span<const block_id>(latch_).subspan(loop_[i].first_latch,
                                                     loop_[i + 1].first_latch - loop_[i].first_latch);
  }
  /// True if b is in l and has an edge from a reachable block outside, or is the graph's entry. O(1).
  [[nodiscard]] constexpr bool is_entry(loop_id l, block_id b) const {
    return header(l) == b || (entered_ && contains(l, b) && enters_[b] <= loop_[index_of(l)].depth);
  }
  /// True if b is in l and has an edge to a block outside. O(1).
  [[nodiscard]] constexpr bool is_exiting(loop_id l, block_id b) const {
    return contains(l, b) && leaves_[b] <= loop_[index_of(l)].depth;
  }
  /// The only block outside with an edge to the header; no_block if there is none or several. O(1).
  [[nodiscard]] constexpr block_id predecessor(loop_id l) const {
    const block_id p = loop_[checked(l)].outside;
    return p == several_ ? no_block : p;
  }
  /// predecessor(l), if its edge to the header is the only edge it has; else no_block. O(1).
  [[nodiscard]] constexpr block_id preheader(loop_id l) const {
    const loop& here = loop_[checked(l)];
    return here.preheader ? here.outside : no_block;
  }
  /// Calls f(edge) for every edge that leaves l, sources in the order of blocks(l), slots ascending, until f returns
  /// false.
  template <class F>
  constexpr void for_each_exit(loop_id l, F f) const {
    const loop& here = loop_[checked(l)];
    const std::uint32_t end = loop_[index_of(l) + here.nested].first_exit, depth = here.depth;
    for (std::uint32_t i = here.first_exit; i < end; ++i)
      if (exit_[i].depth <= depth && !f(exit_[i].edge)) return;
  }
  /// The outermost loop, l or around it, for which `holds` is true. O(log depth).
  /// \pre `holds` is true for l, and if it is true for a loop, it is true for every loop inside.
  template <class F>
  [[nodiscard]] constexpr loop_id outermost_while(loop_id l, F holds) const {
    return loop_id{outermost(checked(l), [&](std::uint32_t x) { return holds(loop_id{x}); })};
  }
  /// The outermost loop, l or around it, without `outside`. \pre l does not contain `outside`. O(log depth).
  [[nodiscard]] constexpr loop_id outermost_left(loop_id l, block_id outside) const {
    return loop_id{left_by_edge(checked(l), outside)};
  }
  /// The outermost loop that contains `in` and not `out`; no_loop if there is none. O(log depth).
  [[nodiscard]] constexpr loop_id outermost_without(block_id in, block_id out) const {
    const loop_id l = innermost(in);
    return l == no_loop || contains(l, out) ? no_loop : outermost_left(l, out);
  }
  /// The reachable blocks in listed-order reverse post-order.
  [[nodiscard]] constexpr std::span<const block_id> rpo() const {
    return std::span<const block_id>(rpo_).subspan(entry_, num_blocks() - entry_);
  }

 private:
  static constexpr std::uint32_t none_ = 0xFFFF'FFFFU;
  static constexpr std::uint32_t open_ = 0x8000'0000U;
  static constexpr block_id several_ = no_block - 1;

  struct loop {
    block_id header = no_block;
    std::uint32_t parent = none_;
    std::uint32_t depth = 0;
    std::uint32_t nested = 0;           // loops in it and itself: ids from its own on
    std::uint32_t first = 0, size = 0;  // its blocks in order_
    std::uint32_t first_latch = 0;      // in latch_, up to the latches of the next loop
    std::uint32_t first_exit = 0;       // in exit_, up to the exits of the next loop that is not nested
    std::uint32_t jump = none_;         // a loop farther out than the parent, see crossed_depth
    block_id outside = no_block;        // predecessor of the header, or several_
    bool preheader = false, irreducible = false;
  };
  // An open block of the search. Its place on the stack, from 1 on, is its name as a header meanwhile: of two loops
  // around a block the inner one has the larger name; 0 is no loop.
  struct frame {
    const block_id* next = nullptr;
    const block_id* end = nullptr;
    block_id block = no_block;
    std::uint32_t opened = none_;     // blocks that were left since have smaller numbers
    std::uint32_t low = 0, high = 0;  // least and greatest of the loops that its edges name
    std::uint32_t around = 0;         // the innermost of them but its own, so far
    std::uint32_t head = 0;           // it is a header; then also, as in body:
    std::uint32_t nested = 0, own = 0, size = 0;
  };
  struct way_out {
    loop_exit<block_id> edge{no_block, 0, no_block};
    std::uint32_t depth = 0;  // of the outermost loop that it leaves
  };
  // A loop while ids are not known yet.
  struct body {
    block_id header = no_block;
    std::uint32_t number = 0;  // of the header
    std::uint32_t key = 0;     // what around_ calls it; in RPO, the last header with this key is meant
    std::uint32_t nested = 1;  // loops in it and itself; 0: it turned out to be none
    std::uint32_t own = 1;     // blocks that are in no inner loop
    std::uint32_t size = 1;
    std::uint32_t id = 0;
    std::uint32_t next = 0;  // next free id below it; then next free place in order_
  };
  // An edge into a body from a block before the header, in a bucket of `from` or, later, of the loop that holds `to`.
  struct waiting_edge {
    block_id from, to;
    std::uint32_t next;
  };

  [[nodiscard]] constexpr std::uint32_t checked(loop_id l) const {
    SIMTFLOW_EXPECTS(index_of(l) < num_loops_, "a question about a loop that is not in this forest");
    return index_of(l);
  }

  template <class F>
  [[nodiscard]] constexpr std::uint32_t outermost(std::uint32_t l, F holds) const {
    while (true) {
      const loop& now = loop_[l];
      if (now.parent == none_ || !holds(now.parent)) return l;
      l = holds(now.jump) ? now.jump : now.parent;
    }
  }
  // The outermost loop, l or around it, that an edge to `outside` leaves.
  [[nodiscard]] constexpr std::uint32_t left_by_edge(std::uint32_t l, block_id outside) const {
    SIMTFLOW_EXPECTS(outside < innermost_.size(), "a question about a block that is not in the graph of this result");
    const std::uint32_t there = innermost_[outside];
    return outermost(l, [&](std::uint32_t x) { return there - x >= loop_[x].nested; });
  }

  // Numbers the blocks, finds the headers (body_, the last in RPO first) and, if the graph is reducible, the bodies.
  // False if it is not, or if it takes too many steps to put loops in their order.
  constexpr bool search(const Shape& g) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(n < open_ - 1, "a loop forest is of fewer than 2^31 - 1 blocks");
    number_.assign(n, none_);
    body_.clear();
    exiting_.clear();
    entry_ = static_cast<std::uint32_t>(n);
    if (n == 0) return true;
    if (rpo_.size() < n) {
      rpo_.assign(n, no_block);
      around_.assign(n, 0);
      stack_.assign(n + 1, frame{});
    }
    std::uint32_t* const number = number_.data();
    std::uint32_t* const around = around_.data();
    block_id* const rpo = rpo_.data();
    const edge_id* const offset = g.successor_offsets().data();
    const block_id* const target = g.targets().data();
    frame* const bottom = stack_.data();
    frame* top = bottom;
    std::uint32_t left = entry_, place = 0;
    std::size_t budget = 8 * n;
    bool good = true;
    block_id to = g.entry();
    while (true) {
      std::uint32_t name = 0;
      if (number[to] == none_) {
        ++top;
        number[to] = open_ | ++place;
        top->next = target + offset[to];
        top->end = target + offset[to + 1];
        top->block = to;
        top->opened = left;
        top->low = none_;
        top->high = 0;
        top->around = 0;
        top->head = 0;
      } else {
        // The loop that an edge says its source is in: of a way back, the one it leads to; else the innermost one that
        // the target is in and not the header of. These loops are nested.
        if (const std::uint32_t state = number[to]; state >= open_) {
          name = state - open_;
          frame& header = bottom[name];
          if (header.head == 0) header.head = header.nested = header.own = header.size = 1;
        } else {
          name = around[state];
          // The header must be open still, or this is another way into the loop.
          if (name > place || state >= bottom[name].opened) {
            good = false;
            name = 0;
          }
        }
        note(top, place, name, budget);
      }
      while (top->next == top->end) {
        const block_id b = top->block;
        const std::uint32_t up = top->around;
        number[b] = --left;
        rpo[left] = b;
        around[left] = up;
        if (top->head != 0) {
          body_.push_back({b, left, place, top->nested, top->own, top->size});
          bottom[up].nested += top->nested;
          bottom[up].size += top->size;
        } else {
          ++bottom[up].own;
          ++bottom[up].size;
        }
        // An edge leaves the innermost loop if it does not name it.
        if (top->low < top->high) exiting_.push_back(b);
        --top;
        if (--place == 0) {
          entry_ = left;
          return good && budget != 0;
        }
        note(top, place, up, budget);
      }
      to = *top->next++;
    }
  }

  // An edge out of the block at `place` names a loop around it.
  constexpr void note(frame* top, std::uint32_t place, std::uint32_t name, std::size_t& budget) {
    top->low = name < top->low ? name : top->low;
    top->high = name > top->high ? name : top->high;
    if (name == top->around || name == place) return;
    nest(top->around, name, budget);
    if (name > top->around) top->around = name;
  }

  // Loops x and y are around one block: both, and all around them, are nested in one another.
  constexpr void nest(std::uint32_t x, std::uint32_t y, std::size_t& budget) {
    while (x != y && x != 0 && y != 0 && budget != 0) {
      --budget;
      if (x < y) {
        const std::uint32_t inner = y;
        y = x;
        x = inner;
      }
      std::uint32_t& up = stack_[x].around;
      if (up >= y) {
        x = up;
      } else {
        x = y;
        y = up;
        up = x;
      }
    }
  }

  // The block that stands for the outermost loop found so far around b, with path halving.
  constexpr block_id find(block_id b) {
    block_id* const up = up_.data();
    while (up[b] != b) b = up[b] = up[up[b]];
    return b;
  }

  // The bodies of any graph, inner loops before outer ones. Retreating edges p -> w count if is_back(w, p).
  template <class F>
  constexpr void collect_bodies(const Shape& g, F is_back) {
    const std::size_t n = g.num_blocks();
    const std::uint32_t* const number = number_.data();
    waiting_.clear();
    for (std::size_t i = 0; i < n; ++i) around_[i] = 0;
    key_.assign(n + 1, 0);
    up_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) up_[b] = b;
    std::uint32_t key = 0, awake = static_cast<std::uint32_t>(n);  // edges that wait in buckets from here on are woken
    for (body& here : body_) {
      const block_id w = here.header;
      const std::uint32_t now = here.number;
      here.key = ++key;
      here.nested = here.own = here.size = 1;
      if (!waiting_.empty())
        while (awake > now) wake(--awake);
      work_.clear();
      const auto take = [&](block_id p) {
        const block_id x = find(p);
        if (x == w) return;
        up_[x] = w;
        work_.push_back(x);
        around_[number[x]] = key;
        if (const std::uint32_t inner = key_[number[x]]; inner != 0) {
          here.nested += body_[inner - 1].nested;
          here.size += body_[inner - 1].size;
        } else {
          ++here.own;
          ++here.size;
        }
      };
      bool any = false;
      for (const block_id p : g.predecessors(w)) {
        if (number[p] < now || number[p] == none_ || !is_back(w, p)) continue;
        any = true;
        take(p);
      }
      if (!any) {
        here.nested = 0;
        continue;
      }
      key_[now] = key;
      while (!work_.empty()) {
        const block_id x = work_.back();
        work_.pop_back();
        for (const block_id p : g.predecessors(x)) {
          if (number[p] < now) {
            wait(p, x, n);
          } else if (number[p] != none_) {
            take(p);
          }
        }
        if (waiting_.empty()) continue;
        for (std::uint32_t e = into_[x]; e != none_; e = waiting_[e].next) take(waiting_[e].from);
      }
    }
    exiting_.clear();
    for (std::uint32_t at = static_cast<std::uint32_t>(n); at-- > entry_;)
      if (around_[at] != 0 || key_[at] != 0) exiting_.push_back(rpo_[at]);
  }

  // The edge into the present body counts for headers up to `from`.
  constexpr void wait(block_id from, block_id to, std::size_t n) {
    if (waiting_.empty()) {
      bucket_.assign(n, none_);
      into_.assign(n, none_);
    }
    const std::uint32_t number = number_[from];
    waiting_.push_back({from, to, bucket_[number]});
    bucket_[number] = static_cast<std::uint32_t>(waiting_.size() - 1);
  }
  constexpr void wake(std::uint32_t number) {
    for (std::uint32_t e = bucket_[number]; e != none_;) {
      const std::uint32_t next = waiting_[e].next;
      std::uint32_t& list = into_[find(waiting_[e].to)];
      waiting_[e].next = list;
      list = e;
      e = next;
    }
  }

  constexpr void finish(const Shape& g) {
    entered_ = !waiting_.empty();
    num_loops_ = 0;
    for (const body& b : body_) num_loops_ += b.nested != 0;
    loop_.clear();
    order_.clear();
    latch_.clear();
    exit_.clear();
    innermost_.assign(number_.size(), none_);
    if (num_loops_ == 0) return;
    if (key_.size() <= number_.size()) key_.assign(number_.size() + 1, 0);  // from here on: places in body_, by key
    number_loops();
    list_blocks();
    find_ways_in(g);
    find_ways_out(g);
    if (entered_) find_entries();
  }

  // Loops in forest preorder, siblings by RPO: outer loops before inner ones, each hands out runs of ids.
  constexpr void number_loops() {
    loop_.assign(num_loops_ + std::size_t{1}, loop{});
    std::uint32_t outermost = 0;
    for (std::size_t i = body_.size(); i-- > 0;) {
      body& b = body_[i];
      if (b.nested == 0) continue;
      const std::uint32_t outer = around_[b.number];
      std::uint32_t& next = outer == 0 ? outermost : body_[key_[outer]].next;
      b.id = next;
      next += b.nested;
      b.next = b.id + 1;
      key_[b.key] = static_cast<std::uint32_t>(i);
      loop& l = loop_[b.id];
      l.header = b.header;
      l.nested = b.nested;
      l.size = b.size;
      l.depth = 1;
      l.first = b.own;
      if (outer == 0) continue;
      const std::uint32_t up = body_[key_[outer]].id, jump = loop_[up].jump;
      l.parent = up;
      l.depth = loop_[up].depth + 1;
      // Jumps skip 1, 3, 7, ... loops, so that any outer loop is O(log depth) jumps away.
      const bool even = jump != none_ && loop_[jump].jump != none_ &&
                        loop_[up].depth - loop_[jump].depth == loop_[jump].depth - loop_[loop_[jump].jump].depth;
      l.jump = even ? loop_[jump].jump : up;
    }
    std::uint32_t at = 0;
    for (loop& l : loop_) {
      const std::uint32_t own = l.first;
      l.first = at;
      at += own;
    }
  }

  // Blocks by innermost loop, RPO within it: then the blocks of a loop are a run, its header first.
  constexpr void list_blocks() {
    for (body& b : body_)
      if (b.nested != 0) b.next = loop_[b.id].first;
    std::uint32_t left = loop_[num_loops_].first;
    order_.assign(left, no_block);
    if (leaves_.size() < number_.size()) leaves_.assign(number_.size(), none_);
    std::size_t next = body_.size();
    for (std::uint32_t at = body_.back().number; left != 0; ++at) {
      std::uint32_t key = around_[at];
      if (next != 0 && body_[next - 1].number == at) {
        --next;
        if (body_[next].nested != 0) {
          key = body_[next].key;
          key_[key] = static_cast<std::uint32_t>(next);
        }
      }
      if (key == 0) continue;
      const block_id b = rpo_[at];
      body& here = body_[key_[key]];
      innermost_[b] = here.id;
      leaves_[b] = none_;
      order_[here.next++] = b;
      --left;
    }
  }

  [[nodiscard]] constexpr std::uint32_t crossed_depth(std::uint32_t l, block_id outside) const {
    return loop_[left_by_edge(l, outside)].depth;
  }

  // Latches, and where the header is entered from.
  constexpr void find_ways_in(const Shape& g) {
    for (std::uint32_t l = 0; l < num_loops_; ++l) {
      loop& here = loop_[l];
      here.first_latch = static_cast<std::uint32_t>(latch_.size());
      for (const block_id p : g.predecessors(here.header)) {
        if (number_[p] == none_) continue;
        if (innermost_[p] - l >= here.nested) {
          here.outside = here.outside == no_block || here.outside == p ? p : several_;
        } else if (latch_.size() == here.first_latch || latch_.back() != p) {
          latch_.push_back(p);  // parallel edges are neighbours in the list of predecessors
        }
      }
      here.preheader = here.outside != no_block && here.outside != several_ && g.successors(here.outside).size() == 1;
    }
    loop_[num_loops_].first_latch = static_cast<std::uint32_t>(latch_.size());
  }

  // The edges that leave loops, by innermost loop of their source, RPO within it.
  constexpr void find_ways_out(const Shape& g) {
    found_.clear();
    for (std::size_t i = exiting_.size(); i-- > 0;) {
      const block_id b = exiting_[i];
      const std::uint32_t l = innermost_[b];
      std::uint32_t slot = 0;
      for (const block_id s : g.successors(b)) {
        if (innermost_[s] - l >= loop_[l].nested) {
          const std::uint32_t depth = crossed_depth(l, s);
          if (depth < leaves_[b]) leaves_[b] = depth;
          found_.push_back({{b, slot, s}, depth});
          ++loop_[l].first_exit;
        }
        ++slot;
      }
    }
    std::uint32_t at = 0;
    count_.assign(num_loops_, 0);
    for (std::uint32_t l = 0; l <= num_loops_; ++l) {
      const std::uint32_t own = loop_[l].first_exit;
      loop_[l].first_exit = at;
      if (l < num_loops_) count_[l] = at;
      at += own;
    }
    exit_.assign(found_.size(), way_out{});
    for (const way_out& e : found_) exit_[count_[innermost_[e.edge.from]]++] = e;
  }

  // Entries that are no headers: exactly the edges that had to wait come in there. An edge that enters loops of depth
  // d .. e makes its target an entry of each, so the smallest d of a block says it all.
  constexpr void find_entries() {
    enters_.assign(innermost_.size(), none_);
    for (const waiting_edge& e : waiting_) {
      const std::uint32_t depth = crossed_depth(innermost_[e.to], e.from);
      if (depth < enters_[e.to]) enters_[e.to] = depth;
    }
    // A loop is irreducible if an entry other than its header lies in it: push the smallest depth from inner to outer.
    count_.assign(num_loops_, none_);
    for (const waiting_edge& e : waiting_) {
      std::uint32_t l = innermost_[e.to];
      if (loop_[l].header == e.to) l = loop_[l].parent;
      if (l != none_ && enters_[e.to] < count_[l]) count_[l] = enters_[e.to];
    }
    for (std::uint32_t l = num_loops_; l-- > 0;) {
      loop_[l].irreducible = count_[l] <= loop_[l].depth;
      if (const std::uint32_t up = loop_[l].parent; up != none_ && count_[l] < count_[up]) count_[up] = count_[l];
    }
  }

  bool reducible_ = true, entered_ = false;
  std::uint32_t num_loops_ = 0, entry_ = 0;
  std::vector<std::uint32_t>
      number_;                 // in RPO; given out from the end, so the entry's is above 0 if blocks are unreachable
  std::vector<block_id> rpo_;  // by number
  std::vector<std::uint32_t> innermost_;
  std::vector<loop> loop_;  // and one past the last
  std::vector<block_id> order_, latch_;
  std::vector<way_out> exit_;
  std::vector<std::uint32_t> leaves_, enters_;  // the least depth of a loop that an edge out of, into a block crosses
  // Workspace, kept for the next computation.
  std::vector<frame> stack_;
  std::vector<body> body_;
  std::vector<std::uint32_t> around_, key_, count_;
  std::vector<block_id> exiting_, up_, work_;
  std::vector<way_out> found_;
  std::vector<waiting_edge> waiting_;
  std::vector<std::uint32_t> bucket_, into_;
};

/// A basic_loop_forest of a csr_graph.
using loop_forest = basic_loop_forest<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

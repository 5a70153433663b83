// SPDX-License-Identifier: BSL-1.0
//
// The bodies of the loops of a graph (dense/loops.hpp).
//
// In a reducible graph one depth-first search is enough: the edges of a block name the loops around it. A retreating
// edge names the loop of its target. Any other edge names the innermost loop that contains its target but has another
// header. The innermost named loop is the block's own loop, and the other named loops are around it. An edge that names
// one of the other loops leaves the block's own loop. When an edge names a loop with a header that the search has left
// already, the graph is irreducible. Then the bodies are collected anew, in RPO numbers. The descendants of a block w
// in the depth-first tree are a run of numbers that begins with w, so for an edge p -> x to a descendant x of w
//
//   p is a descendant of w as well   if and only if   p >= w
//
// (between w and x it lies in the run; above x the edge retreats, and p is a descendant of x). Headers are the targets
// of retreating edges. From the last to the first, each collects its body backwards over edges from its descendants,
// inner loops as single elements (union-find). An edge from a block p < w is another way in. It waits in a bucket of p
// until the header is p or comes before it: so every edge is looked at once and waits at most once.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class loop_bodies {
 public:
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

  // Numbers the blocks, finds the headers (bodies(), the last in RPO first) and, if the graph is reducible, the bodies.
  // False if it is not, or if it takes too many steps to put loops in their order.
  constexpr bool find(const Shape& g) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(n < open_ - 1, "a loop forest is of fewer than 2^31 - 1 blocks");
    waiting_.clear();
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

  // Collects the bodies of any graph, after find(): inner loops before outer ones. Retreating edges p -> w count if
  // is_back(w, p).
  template <class F>
  constexpr void collect(const Shape& g, F is_back) {
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
        const block_id x = outermost(p);
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

  // By block: its number in RPO; numbers are given out from the end, so the entry's is above 0 if blocks are
  // unreachable.
  [[nodiscard]] constexpr const std::vector<std::uint32_t>& numbers() const { return number_; }
  // The number of the graph's entry; the number of blocks if there is no block.
  [[nodiscard]] constexpr std::uint32_t entry() const { return entry_; }
  // The blocks by number.
  [[nodiscard]] constexpr const std::vector<block_id>& rpo() const { return rpo_; }
  // The headers and their bodies, the last header in RPO first.
  [[nodiscard]] constexpr std::vector<body>& bodies() { return body_; }
  // By number: the key of the innermost body around the block, as a header around its own; 0: none.
  [[nodiscard]] constexpr const std::vector<std::uint32_t>& around() const { return around_; }
  // By number: of a header, the key of its body. Free for other use after collect().
  [[nodiscard]] constexpr std::vector<std::uint32_t>& keys() { return key_; }
  // Blocks with an edge that may leave a loop, the last in RPO first.
  [[nodiscard]] constexpr const std::vector<block_id>& exiting() const { return exiting_; }
  // The edges into bodies that come from blocks before the header: there are some if the graph is irreducible.
  [[nodiscard]] constexpr const std::vector<waiting_edge>& waiting() const { return waiting_; }

 private:
  static constexpr std::uint32_t none_ = 0xFFFF'FFFFU;
  static constexpr std::uint32_t open_ = 0x8000'0000U;

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
  constexpr block_id outermost(block_id b) {
    block_id* const up = up_.data();
    while (up[b] != b) b = up[b] = up[up[b]];
    return b;
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
      std::uint32_t& list = into_[outermost(waiting_[e].to)];
      waiting_[e].next = list;
      list = e;
      e = next;
    }
  }

  std::uint32_t entry_ = 0;
  std::vector<std::uint32_t> number_;
  std::vector<block_id> rpo_;
  std::vector<frame> stack_;
  std::vector<body> body_;
  std::vector<std::uint32_t> around_, key_;
  std::vector<block_id> exiting_, up_, work_;
  std::vector<waiting_edge> waiting_;
  std::vector<std::uint32_t> bucket_, into_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

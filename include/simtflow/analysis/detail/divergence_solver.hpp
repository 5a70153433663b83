// SPDX-License-Identifier: BSL-1.0
//
// The items of a program that are divergent, and the first reason for each (uniformity.hpp): a search in levels from
// the sources, over users, over the joins of divergent branches, and over loops that threads leave or enter apart.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/detail/iteration_graph.hpp>
#include <simtflow/analysis/detail/join_search.hpp>
#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/analysis/detail/program_uses.hpp>
#include <simtflow/analysis/detail/two_arms.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class divergence_solver {
 public:
  using item = program_uses::item;
  // By item: how it has become divergent, the values of divergence_cause.
  static constexpr std::uint32_t by_source = 1, by_operand = 2, by_join = 3, by_left = 4, by_entered = 5;
  // Flags of a loop; scanned: it is in a loop that is entered apart, or is one.
  static constexpr std::uint32_t left = 1, entered = 2, scanned = 4;

  constexpr void set_graph(const Shape& g) { iterations_.compute(g); }
  constexpr void set_graph(const Shape& g, const dense::basic_loop_forest<Shape>& loops) {
    iterations_.compute(g, loops);
  }

  // Solves p on the graph of set_graph().
  template <class P, class Index, class Vertex>
  constexpr void solve(const P& p, Index index, Vertex vertex) {
    program_.read(p, iterations_.num_blocks(), index, vertex);
    find_differing_phis();
    list_crossing_uses();
    const std::size_t items = std::size_t{program_.num_values} + program_.num_blocks;
    divergent.assign(items, 0);
    cause.assign(items, 0);
    work_.clear();
    const std::uint32_t num_loops = static_cast<std::uint32_t>(loops().num_loops());
    apart.assign(num_loops, 0);
    left_by.assign(num_loops, no_block);
    entered_by.assign(num_loops, no_block);
    to_leave_.assign(num_loops, no_loop);
    to_enter_.assign(num_loops, no_loop);
    for (const loop_id l : ids_below<loop_id>(num_loops)) {
      to_leave_[l] = iterations_.is_left(l) ? l : loops().parent(l);
      to_enter_[l] = loops().is_irreducible(l) ? l : loops().parent(l);
    }
    open_below_.clear();
    for (const item v : program_.sources) mark(v, by_source, v);
    // In levels: the items found from one level are the next level. Reasons are as short as they can be, except for
    // those that are looked for at the end of a loop.
    for (std::size_t level = 0; level < work_.size();) {
      const std::size_t end = work_.size();
      for (std::size_t k = level; k < end; ++k) {
        const item i = work_[k];
        if (i >= program_.num_values) {
          part(i - program_.num_values);
        } else {
          for (std::uint32_t u = program_.first_user[i]; u < program_.first_user[i + 1]; ++u)
            mark(program_.users[u], by_operand, i);
        }
      }
      for (; level < end; ++level) {
        const item i = work_[level];
        if (i < program_.num_values || !can_matter(i - program_.num_values)) continue;
        search_.run(iterations_, i - program_.num_values);
        search_.for_each_node([&](block_id x) { meet(i - program_.num_values, x); });
      }
    }
    nearest.assign(num_loops, no_loop);
    for (const loop_id l : ids_below<loop_id>(num_loops))
      nearest[l] = (apart[l] & (left | entered)) != 0 ? l
                   : loops().parent(l) == no_loop     ? no_loop
                                                      : nearest[loops().parent(l)];
  }

  [[nodiscard]] constexpr const iteration_graph<Shape>& iterations() const { return iterations_; }
  [[nodiscard]] constexpr const dense::basic_loop_forest<Shape>& loops() const { return iterations_.loops(); }
  [[nodiscard]] constexpr const program_uses& program() const { return program_; }

  // The answer.
  std::vector<std::uint32_t> divergent;  // by item: how; 0: it is not
  std::vector<std::uint32_t> cause;      // by item: the operand, the branch or the loop
  id_map<loop_id, std::uint32_t> apart;  // by loop: flags
  id_map<loop_id, block_id> left_by;     // by loop: the first branch that makes it left apart
  id_map<loop_id, block_id> entered_by;  // likewise
  id_map<loop_id, loop_id> nearest;      // the innermost loop around a loop, or itself, that is left apart

 private:
  static constexpr item none = program_uses::none;
  static constexpr std::uint32_t by_entry = 1, by_iteration_end = 2;

  constexpr void find_differing_phis() {
    // By which nodes of its block (entry or iteration end) a phi can take different values.
    differs_.assign(program_.num_values, 0);
    for (const item v : program_.phis)
      for (const std::uint32_t way : {by_entry, by_iteration_end}) {
        item first = none;
        for (std::uint32_t i = program_.first_input[v]; i < program_.first_input[v + 1]; ++i) {
          const program_uses::input in = program_.inputs[i];
          if (in.value == none || !iterations_.is_reachable(in.from)) continue;
          if (iterations_.is_iteration_end(iterations_.node(in.from, program_.block[v])) != (way == by_iteration_end))
            continue;
          if (first != none && first != in.value) differs_[v] |= way;
          first = in.value;
        }
      }
  }

  // Uses outside of the innermost loop that the value is computed in, by that loop.
  constexpr void list_crossing_uses() {
    first_crossing_.assign(loops().num_loops() + std::size_t{1}, 0);
    for (int fill = 0; fill < 2; ++fill) {
      if (fill == 1) {
        begin_rows(first_crossing_);
        crossing_.assign(first_crossing_.back(), 0);
      }
      for (item v = 0; v < program_.num_values; ++v) {
        const loop_id l = loops().innermost(program_.block[v]);
        if (l == no_loop) continue;
        for (std::uint32_t i = program_.first_user[v]; i < program_.first_user[v + 1]; ++i) {
          if (loops().contains(l, program_.block_of(program_.users[i]))) continue;
          if (fill == 1) crossing_[first_crossing_[index_of(l)]] = program_.users[i];
          ++first_crossing_[index_of(l)];
        }
      }
    }
    end_rows(first_crossing_);
    outermost_.clear();
    for (const loop_id l : ids_below<loop_id>(loops().num_loops()))
      for (std::uint32_t i = first_crossing_[index_of(l)]; i < first_crossing_[index_of(l) + 1]; ++i)
        outermost_.push(loops().depth(loops().outermost_left(l, program_.block_of(crossing_[i]))));
    outermost_.finish();
    // By block, for loops that are entered apart.
    if (loops().is_reducible()) return;
    first_value_.assign(program_.num_blocks + std::size_t{1}, 0);
    for (item v = 0; v < program_.num_values; ++v) ++first_value_[program_.block[v]];
    begin_rows(first_value_);
    value_.assign(program_.num_values, none);
    for (item v = 0; v < program_.num_values; ++v) value_[first_value_[program_.block[v]]++] = v;
    end_rows(first_value_);
  }

  constexpr void mark(item i, std::uint32_t how, std::uint32_t because) {
    if (divergent[i]) return;
    const block_id b = program_.block_of(i);
    if (!iterations_.is_reachable(b) ||
        (i < program_.num_values ? program_.always[i] != 0 : !has_two_arms(iterations_.successors(b))))
      return;
    divergent[i] = how;
    cause[i] = because;
    work_.push_back(i);
  }

  // Handles the joins that need no search: the joins that the branch dominates, and the loops that it leaves itself.
  constexpr void part(block_id b) {
    if (open_below_.empty()) begin_joins();
    for (std::uint32_t k = iterations_.first_join(b); k < iterations_.first_join(b + 1); ++k)
      meet(b, iterations_.joins()[k]);
    open_end_[b] = iterations_.first_join(b);
    if (loops().innermost(b) == no_loop) return;
    for (const block_id x : iterations_.successors(b))
      if (const loop_id l = loops().outermost_without(b, iterations_.block(x)); l != no_loop) leave_apart(l, b);
  }
  constexpr void begin_joins() {
    iterations_.make_searchable();
    const std::size_t n = iterations_.num_nodes();
    open_below_.assign(n, 0);
    open_end_.assign(n, 0);
    for (block_id x = 0; x < n; ++x) {
      open_below_[x] = x;
      open_end_[x] = iterations_.first_join(x + 1);
    }
  }

  // True if a join of b that b does not dominate may have an effect that is not known yet.
  constexpr bool can_matter(block_id b) {
    if (const loop_id l = loops().innermost(b); l != no_loop && find(to_leave_, l) != no_loop) return true;
    for (block_id d = iterations_.idom(b); d != no_block;) {
      d = find(open_below_, d);
      if (d == no_block) return false;
      for (; open_end_[d] > iterations_.first_join(d); --open_end_[d])
        if (is_open(iterations_.joins()[open_end_[d] - 1], d)) return true;
      open_below_[d] = iterations_.idom(d);
    }
    return false;
  }
  // True if a join at x, with immediate dominator d, may have an effect other than a loop left apart.
  constexpr bool is_open(block_id x, block_id d) {
    const block_id y = iterations_.block(x);
    const std::uint32_t way = iterations_.is_iteration_end(x) ? by_iteration_end : by_entry;
    for (std::uint32_t k = program_.first_phi[y]; k < program_.first_phi[y + 1]; ++k)
      if (!divergent[program_.phis[k]] && (differs_[program_.phis[k]] & way) != 0) return true;
    if (loops().is_reducible() || iterations_.innermost(x) == no_loop) return false;
    const loop_id l = find(to_enter_, iterations_.innermost(x));
    return l != no_loop && !loops().contains(l, d);
  }
  // The first entry from k on that is its own successor in `next`; 2^32 - 1 if there is none. With path halving.
  template <class Next, class Id>
  static constexpr Id find(Next& next, Id k) {
    constexpr Id nil = static_cast<Id>(none);
    while (k != nil && next[k] != k) {
      if (const Id up = next[k]; up != nil) next[k] = next[up];
      k = next[k];
    }
    return k;
  }

  // Threads that have diverged at branch b come together at node x.
  constexpr void meet(block_id b, block_id x) {
    const block_id y = iterations_.block(x);
    if (!loops().is_reducible()) {
      for (loop_id l = iterations_.innermost(x); l != no_loop; l = loops().parent(l)) {
        l = find(to_enter_, l);
        if (l == no_loop || loops().contains(l, b)) break;
        enter_apart(l, b);
      }
    }
    // The outermost loop that some have left, others not: a block of a loop has a successor in it.
    const loop_id out = loops().outermost_without(b, y);
    if (out != no_loop) leave_apart(out, b);

    for (std::uint32_t k = program_.first_phi[y]; k < program_.first_phi[y + 1]; ++k) {
      if (divergent[program_.phis[k]]) continue;
      item first = none;
      for (std::uint32_t i = program_.first_input[program_.phis[k]]; i < program_.first_input[program_.phis[k] + 1];
           ++i) {
        const program_uses::input in = program_.inputs[i];
        if (in.value == none || !iterations_.is_reachable(in.from) || iterations_.node(in.from, y) != x) continue;
        // Nobody comes this way in this iteration, but for those who have stayed in the loop.
        if (iterations_.comes_first(in.from, b) && !(out != no_loop && loops().contains(out, in.from))) continue;
        if (first != none && first != in.value) {
          mark(program_.phis[k], by_join, b);
          break;
        }
        first = in.value;
      }
    }
  }

  constexpr void leave_apart(loop_id l, block_id branch) {
    if ((apart[l] & left) != 0) return;
    apart[l] |= left;
    left_by[l] = branch;
    to_leave_[l] = loops().parent(l);
    outermost_.for_each(first_crossing_[index_of(l)], first_crossing_[index_of(loops().end_of_nested(l))],
                        loops().depth(l), [&](std::size_t i) {
                          mark(crossing_[i], by_left, index_of(l));
                          outermost_.remove(i);
                        });
  }

  constexpr void enter_apart(loop_id l, block_id branch) {
    if ((apart[l] & entered) != 0) return;
    apart[l] |= entered;
    entered_by[l] = branch;
    to_enter_[l] = loops().parent(l);
    if ((apart[l] & scanned) == 0) {
      const std::span<const block_id> blocks = loops().blocks(l);
      for (std::size_t k = 0; k < blocks.size();) {
        const loop_id in = loops().innermost(blocks[k]);
        if ((apart[in] & scanned) != 0) {  // its header stands first
          k += loops().blocks(in).size();
        } else {
          spoil(blocks[k++], l);
        }
      }
      for (loop_id in = l; in < loops().end_of_nested(l);) {
        const bool before = (apart[in] & scanned) != 0;
        apart[in] |= scanned;
        in = before ? loops().end_of_nested(in) : loop_id{index_of(in) + 1};
      }
    }
    leave_apart(l, branch);
  }
  // Marks all values of a block of l, which is entered apart.
  constexpr void spoil(block_id b, loop_id l) {
    for (std::uint32_t k = first_value_[b]; k < first_value_[b + 1]; ++k) {
      const item v = value_[k];
      mark(v, by_entered, index_of(l));
      // A value that is the same in each iteration can send threads in different iterations different ways.
      if (program_.always[v])
        for (std::uint32_t u = program_.first_user[v]; u < program_.first_user[v + 1]; ++u)
          if (program_.users[u] >= program_.num_values) mark(program_.users[u], by_entered, index_of(l));
    }
  }

  iteration_graph<Shape> iterations_;
  program_uses program_;
  std::vector<std::uint32_t> differs_;  // by phi: the nodes of its block in which it can take different values
  // Uses outside of a loop, by the innermost loop around the value; values by block.
  std::vector<std::uint32_t> first_crossing_, first_value_;
  std::vector<item> crossing_, value_;
  low_keys<> outermost_;  // by place in crossing_: the depth of the outermost loop that the use is outside of
  std::vector<item> work_;
  // By loop: the loop itself while it may still be left (entered) apart, else a loop around it that may be next.
  id_map<loop_id, loop_id> to_leave_, to_enter_;
  // By node: the node itself while joins it immediately dominates may still have an effect (those before open_end_);
  // else a dominator that leads to the next such node. Empty while no branch is divergent.
  std::vector<block_id> open_below_;
  std::vector<std::uint32_t> open_end_;
  join_search<Shape> search_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

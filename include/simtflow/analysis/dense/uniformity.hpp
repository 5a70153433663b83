// SPDX-License-Identifier: BSL-1.0
//
// Uniformity in dense ids. analysis/uniformity.hpp tells what it means.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/detail/iteration_graph.hpp>
#include <simtflow/analysis/detail/join_search.hpp>
#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why a value or branch is divergent: the reason that was found first.
enum class divergence_cause : unsigned char {
  none,     ///< it is uniform
  source,   ///< the program says so
  operand,  ///< it is computed from, or a branch chooses by, a divergent value
  join,     ///< a phi: the value that it takes depends on the way from a divergent branch
  left,     ///< a value that is used after a loop which threads leave in different iterations
  entered   ///< in an irreducible loop which threads enter at different blocks
};

/// The name of a cause: "operand".
[[nodiscard]] constexpr const char* to_string(divergence_cause value) {
  switch (value) {
    case divergence_cause::none:
      return "none";
    case divergence_cause::source:
      return "source";
    case divergence_cause::operand:
      return "operand";
    case divergence_cause::join:
      return "join";
    case divergence_cause::left:
      return "left";
    case divergence_cause::entered:
      return "entered";
  }
  return "";
}

/// One step of a reason. The value or branch that it names has a reason of its own, unless it is a source.
struct divergence_reason {
  divergence_cause cause = divergence_cause::none;  ///< none: the value or branch is uniform
  value_id value = no_value;                        ///< operand: the operand
  block_id branch = no_block;                       ///< join, left, entered: the divergent branch, by dense id
  loop_id loop = no_loop;                           ///< left, entered: the loop

  friend constexpr bool operator==(const divergence_reason&, const divergence_reason&) = default;
};

namespace dense {

/// The analysis, with dense ids of blocks in and out. A question about a block, value or loop that is not in the graph
/// or program of the result is a contract violation. Every question is O(1) unless it says otherwise; const questions
/// never write.
//
// Items can be divergent: the values, then the branch of each block.
template <class Shape = csr_graph>
class basic_uniformity_analysis {
 public:
  /// Analyses p on g and reuses every buffer. `index` maps the program's vertices to block ids, `vertex` maps block ids
  /// to vertices. \pre and complexity: as for simtflow::uniformity_analysis.
  template <class P, class Index, class Vertex>
  constexpr void recompute(const Shape& g, const P& p, Index index, Vertex vertex) {
    iterations_.compute(g);
    update(p, index, vertex);
  }
  /// Analyses another program, or this one with other sources, on the graph of the last time.
  template <class P, class Index, class Vertex>
  constexpr void update(const P& p, Index index, Vertex vertex) {
    num_blocks_ = static_cast<block_id>(iterations_.num_blocks());
    const std::size_t values = static_cast<std::size_t>(p.num_values());
    SIMTFLOW_EXPECTS(values + num_blocks_ < none, "values and blocks together have fewer than 2^32 ids");
    num_values_ = static_cast<std::uint32_t>(values);
    read(p, index, vertex);
    list_crossing_uses();
    solve();
  }

  /// The number of values of the program that was analysed last.
  [[nodiscard]] constexpr std::uint32_t num_values() const { return num_values_; }
  /// The loops of the graph.
  [[nodiscard]] constexpr const basic_loop_forest<Shape>& loops() const { return iterations_.loops(); }
  /// Calls f(block) once for every join of a branch if it is divergent. Complexity: as branch_joins::of.
  template <class F>
  constexpr void for_each_join(block_id branch, F f) const {
    if (!is_divergent_branch(branch)) return;
    detail::join_search<Shape> search;
    search.run(iterations_, branch);
    search.for_each_block(iterations_, branch, f);
  }
  /// True if threads that are together where v is computed may have different values.
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return divergent_[checked(v)] != 0; }
  /// True if threads that are together in b may leave it by different edges to different successors.
  [[nodiscard]] constexpr bool is_divergent_branch(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return divergent_[num_values_ + b] != 0;
  }
  /// True if threads that are together in b may see different values of v. \pre the block of v dominates b.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, block_id b) const {
    if (is_divergent(v)) return true;
    const loop_id l = loops().innermost(block_[index_of(v)]);
    const loop_id apart = l == no_loop ? no_loop : nearest_[l];
    return apart != no_loop && !loops().contains(apart, b);
  }
  /// The block in which v is computed.
  [[nodiscard]] constexpr block_id block_of(value_id v) const { return block_[checked(v)]; }
  /// The reason why v is divergent that was found first.
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return reason(checked(v)); }
  /// The reason why the branch of b is divergent.
  [[nodiscard]] constexpr divergence_reason why_branch(block_id b) const {
    return is_divergent_branch(b) ? reason(num_values_ + b) : divergence_reason{};
  }
  /// The first branch that makes threads leave l apart; no_block if they do not.
  [[nodiscard]] constexpr block_id left_by(loop_id l) const { return left_by_[known(l)]; }
  /// True if threads may leave l in different iterations.
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return (apart_[known(l)] & left) != 0; }
  /// True if threads may enter l, which is irreducible, at different blocks.
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const { return (apart_[known(l)] & entered) != 0; }

 private:
  using item = std::uint32_t;
  static constexpr std::uint32_t left = 1, entered = 2, scanned = 4;
  static constexpr std::uint32_t by_entry = 1, by_iteration_end = 2;
  static constexpr item none = 0xFFFF'FFFFU;  // no value
  struct input {
    block_id from;
    item value;
  };

  [[nodiscard]] constexpr item checked(value_id v) const {
    SIMTFLOW_EXPECTS(index_of(v) < num_values_, "a question about a value that is not in the program of this result");
    return index_of(v);
  }
  [[nodiscard]] constexpr loop_id known(loop_id l) const {
    SIMTFLOW_EXPECTS(index_of(l) < apart_.size(), "a question about a loop that is not in the graph of this result");
    return l;
  }
  // The entries of divergent_ by item; cause_ has the operand, the branch or the loop.
  static constexpr std::uint32_t by_source = 1, by_operand = 2, by_join = 3, by_left = 4, by_entered = 5;
  [[nodiscard]] constexpr divergence_reason reason(item i) const {
    divergence_reason why{static_cast<divergence_cause>(divergent_[i])};
    if (divergent_[i] == by_operand) why.value = value_id{cause_[i]};
    if (divergent_[i] == by_join) why.branch = cause_[i];
    if (divergent_[i] == by_left || divergent_[i] == by_entered) {
      why.loop = loop_id{cause_[i]};
      why.branch = divergent_[i] == by_left ? left_by_[why.loop] : entered_by_[why.loop];
    }
    return why;
  }
  [[nodiscard]] constexpr block_id block_of_item(item i) const { return i < num_values_ ? block_[i] : i - num_values_; }

  // From counts in row[k] to the beginning of row k; row has one more element.
  static constexpr void begin_rows(std::vector<std::uint32_t>& row) {
    std::uint32_t before = 0;
    for (std::uint32_t& r : row) {
      const std::uint32_t here = r;
      r = before;
      before += here;
    }
  }
  // After every row was filled by row[k]++.
  static constexpr void end_rows(std::vector<std::uint32_t>& row) {
    for (std::size_t k = row.size() - 1; k > 0; --k) row[k] = row[k - 1];
    row[0] = 0;
  }

  // The program in flat arrays, users instead of operands.
  template <class P, class Index, class Vertex>
  constexpr void read(const P& p, Index index, Vertex vertex) {
    block_.assign(num_values_, no_block);
    always_.assign(num_values_, 0);
    first_input_.assign(num_values_ + std::size_t{1}, 0);
    input_.clear();
    first_user_.assign(num_values_ + std::size_t{1}, 0);
    first_phi_.assign(num_blocks_ + std::size_t{1}, 0);
    const auto value = [&](value_id v) {
      SIMTFLOW_EXPECTS(index_of(v) < num_values_, "a value of the program");
      return index_of(v);
    };
    for (item v = 0; v < num_values_; ++v) {
      const value_id name{v};
      block_[v] = index(p.block_of(name));
      SIMTFLOW_EXPECTS(block_[v] < num_blocks_, "a value is computed in a block of the graph");
      always_[v] = p.is_always_uniform(name) ? 1 : 0;
      first_input_[v] = static_cast<std::uint32_t>(input_.size());
      if (p.is_phi(name)) {
        ++first_phi_[block_[v]];
        for (const auto& in : p.inputs(name)) {
          input_.push_back({index(in.from), index_of(in.value)});
          SIMTFLOW_EXPECTS(input_.back().from < num_blocks_, "an input of a phi comes from a block of the graph");
          if (in.value != no_value) ++first_user_[value(in.value)];
        }
      } else {
        for (const value_id o : p.operands(name)) ++first_user_[value(o)];
      }
    }
    first_input_[num_values_] = static_cast<std::uint32_t>(input_.size());
    for (block_id b = 0; b < num_blocks_; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) ++first_user_[value(c)];
    begin_rows(first_user_);
    begin_rows(first_phi_);
    user_.assign(first_user_[num_values_], 0);
    phi_.assign(first_phi_[num_blocks_], none);
    for (item v = 0; v < num_values_; ++v) {
      if (p.is_phi(value_id{v})) {
        phi_[first_phi_[block_[v]]++] = v;
        for (std::uint32_t i = first_input_[v]; i < first_input_[v + 1]; ++i)
          if (input_[i].value != none) user_[first_user_[input_[i].value]++] = v;
      } else {
        for (const value_id o : p.operands(value_id{v})) user_[first_user_[index_of(o)]++] = v;
      }
    }
    for (block_id b = 0; b < num_blocks_; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) user_[first_user_[index_of(c)]++] = num_values_ + b;
    end_rows(first_user_);
    end_rows(first_phi_);
    // By which nodes of its block (entry or iteration end) a phi can take different values.
    differs_.assign(num_values_, 0);
    for (const item v : phi_)
      for (const std::uint32_t way : {by_entry, by_iteration_end}) {
        item first = none;
        for (std::uint32_t i = first_input_[v]; i < first_input_[v + 1]; ++i) {
          const input in = input_[i];
          if (in.value == none || !iterations_.is_reachable(in.from)) continue;
          if (iterations_.is_iteration_end(iterations_.node(in.from, block_[v])) != (way == by_iteration_end)) continue;
          if (first != none && first != in.value) differs_[v] |= way;
          first = in.value;
        }
      }
    divergent_.assign(std::size_t{num_values_} + num_blocks_, 0);
    cause_.assign(std::size_t{num_values_} + num_blocks_, 0);
    work_.clear();
    for (item v = 0; v < num_values_; ++v)
      if (p.is_source(value_id{v})) {
        SIMTFLOW_EXPECTS(!always_[v], "a source is not always uniform");
        source_.push_back(v);
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
      for (item v = 0; v < num_values_; ++v) {
        const loop_id l = loops().innermost(block_[v]);
        if (l == no_loop) continue;
        for (std::uint32_t i = first_user_[v]; i < first_user_[v + 1]; ++i) {
          if (loops().contains(l, block_of_item(user_[i]))) continue;
          if (fill == 1) crossing_[first_crossing_[index_of(l)]] = user_[i];
          ++first_crossing_[index_of(l)];
        }
      }
    }
    end_rows(first_crossing_);
    outermost_.clear();
    for (const loop_id l : ids_below<loop_id>(loops().num_loops()))
      for (std::uint32_t i = first_crossing_[index_of(l)]; i < first_crossing_[index_of(l) + 1]; ++i)
        outermost_.push(loops().depth(loops().outermost_left(l, block_of_item(crossing_[i]))));
    outermost_.finish();
    // By block, for loops that are entered apart.
    if (loops().is_reducible()) return;
    first_value_.assign(num_blocks_ + std::size_t{1}, 0);
    for (item v = 0; v < num_values_; ++v) ++first_value_[block_[v]];
    begin_rows(first_value_);
    value_.assign(num_values_, none);
    for (item v = 0; v < num_values_; ++v) value_[first_value_[block_[v]]++] = v;
    end_rows(first_value_);
  }

  constexpr void solve() {
    const std::uint32_t num_loops = static_cast<std::uint32_t>(loops().num_loops());
    apart_.assign(num_loops, 0);
    left_by_.assign(num_loops, no_block);
    entered_by_.assign(num_loops, no_block);
    to_leave_.assign(num_loops, no_loop);
    to_enter_.assign(num_loops, no_loop);
    for (const loop_id l : ids_below<loop_id>(num_loops)) {
      to_leave_[l] = iterations_.is_left(l) ? l : loops().parent(l);
      to_enter_[l] = loops().is_irreducible(l) ? l : loops().parent(l);
    }
    open_below_.clear();
    for (const item v : source_) mark(v, by_source, v);
    source_.clear();
    // In levels: the items found from one level are the next level. Reasons are as short as they can be, except for
    // those that are looked for at the end of a loop.
    for (std::size_t level = 0; level < work_.size();) {
      const std::size_t end = work_.size();
      for (std::size_t k = level; k < end; ++k) {
        const item i = work_[k];
        if (i >= num_values_) {
          part(i - num_values_);
        } else {
          for (std::uint32_t u = first_user_[i]; u < first_user_[i + 1]; ++u) mark(user_[u], by_operand, i);
        }
      }
      for (; level < end; ++level) {
        const item i = work_[level];
        if (i < num_values_ || !can_matter(i - num_values_)) continue;
        search_.run(iterations_, i - num_values_);
        search_.for_each_node([&](block_id x) { meet(i - num_values_, x); });
      }
    }
    nearest_.assign(num_loops, no_loop);
    for (const loop_id l : ids_below<loop_id>(num_loops))
      nearest_[l] = (apart_[l] & (left | entered)) != 0 ? l
                    : loops().parent(l) == no_loop      ? no_loop
                                                        : nearest_[loops().parent(l)];
  }

  constexpr void mark(item i, std::uint32_t how, std::uint32_t cause) {
    if (divergent_[i]) return;
    const block_id b = block_of_item(i);
    if (!iterations_.is_reachable(b) || (i < num_values_ ? always_[i] != 0 : !has_two_ways(b))) return;
    divergent_[i] = how;
    cause_[i] = cause;
    work_.push_back(i);
  }
  constexpr bool has_two_ways(block_id b) const {
    const std::span<const block_id> out = iterations_.successors(b);
    for (const block_id s : out)
      if (s != out[0]) return true;
    return false;
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
    for (std::uint32_t k = first_phi_[y]; k < first_phi_[y + 1]; ++k)
      if (!divergent_[phi_[k]] && (differs_[phi_[k]] & way) != 0) return true;
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

    for (std::uint32_t k = first_phi_[y]; k < first_phi_[y + 1]; ++k) {
      if (divergent_[phi_[k]]) continue;
      item first = none;
      for (std::uint32_t i = first_input_[phi_[k]]; i < first_input_[phi_[k] + 1]; ++i) {
        const input in = input_[i];
        if (in.value == none || !iterations_.is_reachable(in.from) || iterations_.node(in.from, y) != x) continue;
        // Nobody comes this way in this iteration, but for those who have stayed in the loop.
        if (iterations_.comes_first(in.from, b) && !(out != no_loop && loops().contains(out, in.from))) continue;
        if (first != none && first != in.value) {
          mark(phi_[k], by_join, b);
          break;
        }
        first = in.value;
      }
    }
  }

  constexpr void leave_apart(loop_id l, block_id branch) {
    if ((apart_[l] & left) != 0) return;
    apart_[l] |= left;
    left_by_[l] = branch;
    to_leave_[l] = loops().parent(l);
    outermost_.for_each(first_crossing_[index_of(l)], first_crossing_[index_of(loops().end_of_nested(l))],
                        loops().depth(l), [&](std::size_t i) {
                          mark(crossing_[i], by_left, index_of(l));
                          outermost_.remove(i);
                        });
  }

  constexpr void enter_apart(loop_id l, block_id branch) {
    if ((apart_[l] & entered) != 0) return;
    apart_[l] |= entered;
    entered_by_[l] = branch;
    to_enter_[l] = loops().parent(l);
    if ((apart_[l] & scanned) == 0) {
      const std::span<const block_id> blocks = loops().blocks(l);
      for (std::size_t k = 0; k < blocks.size();) {
        const loop_id in = loops().innermost(blocks[k]);
        if ((apart_[in] & scanned) != 0) {  // its header stands first
          k += loops().blocks(in).size();
        } else {
          spoil(blocks[k++], l);
        }
      }
      for (loop_id in = l; in < loops().end_of_nested(l);) {
        const bool before = (apart_[in] & scanned) != 0;
        apart_[in] |= scanned;
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
      if (always_[v])
        for (std::uint32_t u = first_user_[v]; u < first_user_[v + 1]; ++u)
          if (user_[u] >= num_values_) mark(user_[u], by_entered, index_of(l));
    }
  }

  item num_values_ = 0;
  block_id num_blocks_ = 0;
  detail::iteration_graph<Shape> iterations_;
  std::vector<std::uint32_t> divergent_;  // by item: why; 0: it is not
  std::vector<std::uint32_t> cause_;      // by item: because of what
  std::vector<block_id> block_;           // by value
  id_map<loop_id, std::uint32_t> apart_;  // by loop: left, entered; scanned: it is in one that is entered, or is one
  id_map<loop_id, block_id> left_by_;     // by loop: the first branch that makes it so
  id_map<loop_id, block_id> entered_by_;  // likewise
  id_map<loop_id, loop_id> nearest_;      // the innermost loop around a loop, or itself, that is left apart
  // The program, kept for the next computation as memory only. first_x_[k] .. first_x_[k + 1]: row k of x.
  std::vector<std::uint32_t> always_, differs_;
  std::vector<std::uint32_t> first_user_, first_phi_, first_input_, first_crossing_, first_value_;
  std::vector<item> user_, crossing_;
  detail::low_keys<> outermost_;  // by place in crossing_: the depth of the outermost loop that the use is outside of
  std::vector<item> phi_, value_, source_;
  std::vector<input> input_;
  std::vector<item> work_;
  // By loop: the loop itself while it may still be left (entered) apart, else a loop around it that may be next.
  id_map<loop_id, loop_id> to_leave_, to_enter_;
  // By node: the node itself while joins it immediately dominates may still have an effect (those before open_end_);
  // else a dominator that leads to the next such node. Empty while no branch is divergent.
  std::vector<block_id> open_below_;
  std::vector<std::uint32_t> open_end_;
  detail::join_search<Shape> search_;
};

/// Over a csr_graph.
using uniformity_analysis = basic_uniformity_analysis<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

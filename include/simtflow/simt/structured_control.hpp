// SPDX-License-Identifier: BSL-1.0
//
// The nesting of structured code: makes from a graph the table that a machine with a mask stack needs
// (simt/policies/predicate_stack.hpp), and refuses graphs that are not structured.
//
// Structured means here that the blocks can be written down in one order, nested in
//
//   if     a branch and its arms. Each arm begins with a block that only the branch leads to. The arms reconverge at
//          the *join*: the only block besides the arms with the branch as its immediate dominator
//   loop   a natural loop with all blocks that run before its *end*, where the lanes that have left wait for each other
//
// such that every edge leads to an arm of its own branch or to the innermost join that is open. Out of any number of
// ifs, an edge may also lead to the header or the latch of the innermost loop (`continue`) or to its end (`break`). It
// may also lead to any target that an edge from this loop as a whole may have (`break` and `continue` of outer loops).
// Control may end anywhere. Everything that is_structured() accepts (analysis/structure.hpp) is structured, and break,
// continue and return as well. Not structured are goto, an edge into a loop's middle, a switch with a case that falls
// into the next, and `a || b`.
//
// The end of a loop is the nearest block that post-dominates all targets of the edges that leave the loop. If no block
// post-dominates all targets because some of them end (`return`), the majority of the targets decides. On a tie, the
// block that dominates most of the code after the loop is the end.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The result of structured_control().
struct structured_code {
  std::vector<policies::structured_block> blocks;  ///< by dense block id; empty if the graph is refused (or empty)
  block_id unstructured = no_block;  ///< a block that breaks the rules: the source of an edge that leads out of order,
                                     ///< a branch with two joins, the header of an irreducible loop

  /// True if the graph is structured.
  [[nodiscard]] constexpr explicit operator bool() const { return unstructured == no_block; }
};

namespace detail {

template <class Shape = csr_graph>
class structured_writer {
 public:
  constexpr structured_code write(const Shape& g) {
    const std::size_t n = g.num_blocks();
    structured_code code;
    if (n == 0) return code;
    loops_.recompute(g);
    for (const loop_id l : ids_below<loop_id>(loops_.num_loops()))
      if (loops_.is_irreducible(l)) return {{}, loops_.header(l)};
    down_.recompute(g);
    post_.recompute(g, {});
    code.blocks.assign(n, policies::structured_block{});
    find_ends(g);
    code.unstructured = place_labels(g, code.blocks);
    if (code) code.unstructured = lay_out(g, code.blocks);
    if (!code) code.blocks.clear();
    return code;
  }

 private:
  static constexpr std::uint32_t none = policies::structured_block::none;

  constexpr void find_ends(const Shape& g) {
    const std::size_t n = g.num_blocks();
    // The ancestor of each block right below the root of the tree of post-dominators: blocks that share it have a
    // post-dominator in common.
    group_.assign(n, no_block);
    const auto& up = post_.tree();
    for (block_id i = 1; i < up.num_reachable(); ++i) {
      const block_id b = up.at(i), above = post_.ipdom(b);
      group_[b] = above == no_block ? b : group_[above];
    }
    votes_.assign(n, 0);
    meet_.assign(n, no_block);
    end_.assign(loops_.num_loops(), no_block);
    list_exits(g);
    for (const loop_id l : ids_below<loop_id>(loops_.num_loops())) {
      seen_.clear();
      for (std::uint32_t i = first_exit_[l]; i < first_exit_[index_of(l) + 1]; ++i) {
        const block_id t = exit_[i], group = group_[t];
        meet_[group] = votes_[group] == 0 ? t : post_.nearest_common(meet_[group], t);
        if (votes_[group]++ == 0) seen_.push_back(group);
      }
      std::uint32_t most = 0;
      for (const block_id group : seen_) {
        if (votes_[group] > most || (votes_[group] == most && weight(l, meet_[group]) > weight(l, end_[l]))) {
          most = votes_[group];
          end_[l] = meet_[group];
        }
        votes_[group] = 0;
      }
    }
  }
  // The targets of the edges that leave each loop, loop by loop.
  constexpr void list_exits(const Shape& g) {
    first_exit_.assign(loops_.num_loops() + 1, 0);
    each_exit(g, [&](loop_id l, block_id) { ++first_exit_[l]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& first : first_exit_) first = sum += first;
    exit_.assign(sum, no_block);
    each_exit(g, [&](loop_id l, block_id t) { exit_[--first_exit_[l]] = t; });
  }
  template <class F>
  constexpr void each_exit(const Shape& g, F f) const {
    for (block_id b = 0; b < g.num_blocks(); ++b)
      for (const block_id s : g.successors(b))
        for (loop_id l = loops_.innermost(b); l != no_loop && !loops_.contains(l, s); l = loops_.parent(l)) f(l, s);
  }
  // The amount of code for which an end would open an entry; outer code has an entry already.
  [[nodiscard]] constexpr std::size_t weight(loop_id l, block_id b) const {
    return b != no_block && down_.strictly_dominates(loops_.header(l), b) ? down_.dominated_by(b).size() : 0;
  }

  // Decides which block opens the entry of each label. Returns a block with two joins, if there is one.
  constexpr block_id place_labels(const Shape& g, std::vector<policies::structured_block>& code) {
    const std::size_t n = g.num_blocks();
    for (const loop_id l : ids_below<loop_id>(loops_.num_loops())) {  // outer loops first
      const block_id h = loops_.header(l), end = end_[l];
      code[h].loop_last = 0;
      if (end == no_block || code[end].label || !down_.strictly_dominates(h, end)) continue;
      code[h].loop_end = end;
      code[end].label = true;
    }
    for (block_id b = 0; b < n; ++b) {
      if (!down_.is_reachable(b) || code[b].label || !is_merge(g, b)) continue;
      const loop_id l = loops_.innermost(b);
      code[b].label = true;
      if (l != no_loop && loops_.header(l) != b && loops_.latches(l).size() == 1 && loops_.latches(l)[0] == b) {
        code[loops_.header(l)].latch = b;
      } else {
        const block_id branch = down_.idom(b);
        if (code[branch].join != no_block) return branch;
        code[branch].join = b;
      }
    }
    return no_block;
  }
  // True if two blocks or more lead to b, without the edges back from blocks that b dominates.
  [[nodiscard]] constexpr bool is_merge(const Shape& g, block_id b) const {
    block_id first = no_block;
    for (const block_id p : g.predecessors(b)) {
      if (p == first || !down_.is_reachable(p) || down_.dominates(b, p)) continue;
      if (first != no_block) return true;
      first = p;
    }
    return false;
  }

  enum class open_kind : unsigned char { arm, label, loop };
  struct open {
    block_id block;
    open_kind kind;
    std::uint32_t loop;  // of a label: the place in labels_ of the innermost loop around it; of a loop: its own place
  };

  // Walks through the code like a machine with lanes in every arm, checks every edge, and numbers the blocks.
  constexpr block_id lay_out(const Shape& g, std::vector<policies::structured_block>& code) {
    work_.clear();
    labels_.clear();
    place_.assign(g.num_blocks(), none);
    std::uint32_t position = 0;
    work_.push_back({g.entry(), open_kind::arm, none});
    while (!work_.empty()) {
      const open e = work_.back();
      const block_id b = e.block;
      work_.pop_back();
      if (e.kind != open_kind::arm) {
        labels_.pop_back();
        place_[b] = none;
      }
      if (e.kind == open_kind::loop) {
        code[b].loop_last = position - 1;
        continue;
      }
      code[b].position = position++;
      if (code[b].is_header()) {
        if (code[b].loop_end != no_block) push_label(code[b].loop_end, open_kind::label);
        push_label(b, open_kind::loop);
        if (code[b].latch != no_block) push_label(code[b].latch, open_kind::label);
      }
      if (code[b].join != no_block) push_label(code[b].join, open_kind::label);
      const std::span<const block_id> out = g.successors(b);
      for (std::size_t i = out.size(); i-- > 0;) {
        const block_id s = out[i];
        if (code[s].label || down_.dominates(s, b)) {
          if (!may_jump(code, s)) return b;
        } else if (place_[s] == none) {
          place_[s] = 0;  // an arm: parallel edges lead to it once
          work_.push_back({s, open_kind::arm, none});
        }
      }
    }
    return no_block;
  }
  constexpr void push_label(block_id b, open_kind kind) {
    const auto at = static_cast<std::uint32_t>(labels_.size());
    const std::uint32_t loop = kind == open_kind::loop ? at : at == 0 ? none : labels_[at - 1].loop;
    place_[b] = at;
    labels_.push_back({b, kind, loop});
    work_.push_back(labels_.back());
  }
  [[nodiscard]] constexpr bool may_jump(const std::vector<policies::structured_block>& code, block_id to) const {
    const std::uint32_t at = place_[to];
    if (at == none) return false;
    std::uint32_t top = static_cast<std::uint32_t>(labels_.size()) - 1;
    while (at != top) {
      const std::uint32_t loop = labels_[top].loop;
      if (loop == none) return false;
      const block_id h = labels_[loop].block;
      if (at >= loop) return to == h || to == code[h].latch;
      if (to == code[h].loop_end) return true;
      top = loop - (code[h].loop_end == no_block ? 1 : 2);  // from here on as for an edge from the whole loop
    }
    return true;
  }

  dense::loop_forest loops_;
  dense::dominator_tree down_;
  dense::post_dominator_tree post_;
  std::vector<block_id> group_, meet_, seen_;
  id_map<loop_id, block_id> end_;
  std::vector<block_id> exit_;
  std::vector<std::uint32_t> votes_, place_;
  id_map<loop_id, std::uint32_t> first_exit_;  // in exit_
  std::vector<open> work_, labels_;
};

}  // namespace detail

/// The nesting of g, or a block that breaks the rules. Unreachable blocks do not matter.
/// \pre check_adapter<G>(). Complexity: near-linear in blocks and edges, times the number of loops that one edge
/// leaves; no recursion.
template <flow_graph G>
[[nodiscard]] constexpr structured_code structured_control(const G& g) {
  detail::structured_writer<> writer;
  return writer.write(detail::kept_shape<G>().of(g));
}

}  // namespace v0
}  // namespace simtflow

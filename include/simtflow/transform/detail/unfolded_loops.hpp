// SPDX-License-Identifier: BSL-1.0
//
// The acyclic graph on which partial linearization works: the reducible graph with each loop cut at one place, where a
// path decides whether the loop goes on. The place is
//
//   the latch    if the loop has one latch, in no inner loop, and only the latch has edges out of the loop
//   the header   if only the header has edges out of the loop, and one successor in the loop
//   a *turn*     else: a new block after all blocks of the loop. Lanes that go back, and lanes that leave, wait there
//
// A loop that is cut at its header or at a turn has a *cut* in this graph: a block to which the edges back to the
// header and the edges out of the loop lead, and from which the graph goes on to the targets of the latter. An edge out
// of several loops leads through the cut of each. Turns are cuts; they are numbered directly after the blocks of the
// graph, other cuts after the turns.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class unfolded_loops {
 public:
  // False if a loop is irreducible; then only refused() means anything.
  constexpr bool compute(const Shape& g) {
    refused_ = no_block;
    num_turns_ = 0;
    loops_.recompute(g);
    for (const loop_id l : loops_.all()) {
      if (!loops_.is_irreducible(l)) continue;
      refused_ = loops_.header(l);
      return false;
    }
    find_sources(g);
    choose(g);
    unfold(g);
    return true;
  }

  [[nodiscard]] constexpr block_id refused() const { return refused_; }
  [[nodiscard]] constexpr const dense::basic_loop_forest<Shape>& loops() const { return loops_; }
  // The acyclic graph: blocks, then turns, then other cuts. The edges of a block are in slot order, without the edges
  // from a loop's only latch to its header.
  [[nodiscard]] constexpr const csr_graph& graph() const { return graph_; }
  [[nodiscard]] constexpr std::size_t num_turns() const { return num_turns_; }
  // The block that decides: a latch, a header, a turn.
  [[nodiscard]] constexpr block_id decider(loop_id l) const {
    return cut_[l] == no_block                           ? loops_.latches(l)[0]
           : cut_[l] >= loops_.num_blocks() + num_turns_ ? loops_.header(l)
                                                         : cut_[l];
  }
  // no_block: the loop is cut at its latch.
  [[nodiscard]] constexpr block_id cut(loop_id l) const { return cut_[l]; }
  // The loop of a cut.
  [[nodiscard]] constexpr loop_id loop_of_cut(block_id c) const { return cuts_[c - loops_.num_blocks()]; }
  // The block that comes after all of the loop's other blocks: a cut or the latch.
  [[nodiscard]] constexpr block_id last(loop_id l) const {
    return cut_[l] == no_block ? loops_.latches(l)[0] : cut_[l];
  }
  // True if an edge leaves both l and the loop around it.
  [[nodiscard]] constexpr bool leaves_parent(loop_id l) const { return least_[l] < loops_.depth(l); }
  // The outermost loop that an edge leaves; no_loop if it leaves none.
  [[nodiscard]] constexpr loop_id left(block_id from, block_id to) const { return loops_.outermost_without(from, to); }

 private:
  static constexpr block_id several = no_block - 1;

  // The loop that has the header `to`, if the edge goes back to it; else no_loop.
  [[nodiscard]] constexpr loop_id goes_back(block_id from, block_id to) const {
    const loop_id l = loops_.innermost(to);
    return l != no_loop && loops_.header(l) == to && loops_.contains(l, from) ? l : no_loop;
  }

  // source_: the only block directly in the loop with edges out of it, or `several`; least_: the least depth of a loop
  // that an edge out of the loop leaves.
  constexpr void find_sources(const Shape& g) {
    source_.assign(loops_.num_loops(), no_block);
    least_.assign(loops_.num_loops(), no_number_of_loops);
    for (const block_id b : loops_.rpo()) {
      const loop_id l = loops_.innermost(b);
      if (l == no_loop) continue;
      for (const block_id s : g.successors(b)) {
        const loop_id out = left(b, s);
        if (out == no_loop) continue;
        if (source_[l] == no_block) source_[l] = b;
        if (source_[l] != b) source_[l] = several;
        if (loops_.depth(out) < least_[l]) least_[l] = loops_.depth(out);
      }
    }
    for (const loop_id l : ids_downward<loop_id>(loops_.num_loops())) {
      const loop_id up = loops_.parent(l);
      if (up == no_loop || !leaves_parent(l)) continue;
      source_[up] = several;
      if (least_[l] < least_[up]) least_[up] = least_[l];
    }
  }

  constexpr void choose(const Shape& g) {
    const std::size_t n = loops_.num_blocks();
    cut_.assign(loops_.num_loops(), no_block);
    cuts_.clear();
    at_header_.clear();
    for (const loop_id l : loops_.all()) {
      const std::span<const block_id> latches = loops_.latches(l);
      const bool one = latches.size() == 1 && loops_.innermost(latches[0]) == l;
      if (one && (source_[l] == no_block || source_[l] == latches[0])) continue;
      if (source_[l] == loops_.header(l) && goes_one_way(g, l)) {
        at_header_.push_back(l);
      } else {
        cut_[l] = static_cast<block_id>(n + cuts_.size());
        cuts_.push_back(l);
      }
    }
    num_turns_ = cuts_.size();
    for (const loop_id l : at_header_) {
      cut_[l] = static_cast<block_id>(n + cuts_.size());
      cuts_.push_back(l);
    }
  }
  // The header has one successor in the loop, another block.
  [[nodiscard]] constexpr bool goes_one_way(const Shape& g, loop_id l) const {
    block_id next = no_block;
    for (const block_id s : g.successors(loops_.header(l))) {
      if (!loops_.contains(l, s)) continue;
      if (s == loops_.header(l) || (next != no_block && next != s)) return false;
      next = s;
    }
    return true;
  }

  constexpr void unfold(const Shape& g) {
    const std::size_t n = g.num_blocks();
    csr_builder made(n + cuts_.size(), n == 0 ? 0 : g.entry());
    for (const block_id b : loops_.rpo())
      for (const block_id s : g.successors(b)) {
        const loop_id back = goes_back(b, s), out = left(b, s);
        const block_id to = back == no_loop ? s : cut_[back];
        if (out == no_loop) {
          if (to != no_block) made.add_edge(b, to);
          continue;
        }
        const loop_id l = loops_.innermost(b);
        // A loop around the innermost one that the edge leaves as well has a turn: a latch or a header is in no other.
        const block_id first = cut_[l] != no_block ? cut_[l] : l != out ? cut_[loops_.parent(l)] : to;
        made.add_edge(b, first);
        if (cut_[out] != no_block) made.add_edge(cut_[out], to);
      }
    for (const loop_id l : loops_.all())
      if (cut_[l] != no_block && leaves_parent(l)) made.add_edge(cut_[l], cut_[loops_.parent(l)]);
    graph_ = made.build();
  }

  static constexpr std::uint32_t no_number_of_loops = 0xFFFF'FFFFU;
  dense::basic_loop_forest<Shape> loops_;
  csr_graph graph_;
  id_map<loop_id, block_id> source_, cut_;
  id_map<loop_id, std::uint32_t> least_;
  std::vector<loop_id> cuts_, at_header_;  // by number of the cut
  std::size_t num_turns_ = 0;
  block_id refused_ = no_block;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Hidden regions (unstructured.hpp): what structural reduction leaves when every known region counts as one node. A
// branch that is left with more than a node after it begins such a region.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/analysis/detail/closed_sets.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class hidden_regions {
 public:
  // Adds the hidden regions to the sets. Every round looks at each remaining node at most once, so there are as many
  // rounds as hidden regions are nested.
  constexpr void find(basic_cfg_facts<Shape>& facts, closed_sets<Shape>& sets) {
    const Shape& g = facts.graph();
    const auto& up = facts.dominators();
    if (sets.known().empty()) {  // no edge is unstructured: perhaps nothing is
      if (facts.structure().residue() <= 1) return;
      structure_ = facts.structure();
    } else {
      structure_.take_ends(facts.ends());
    }
    touched_.assign(g.num_blocks(), 0);
    attempt_ = 0;
    while (true) {
      if (!sets.known().empty()) {
        name_units(sets);
        structure_.update(g, {}, std::span<const block_id>(name_));
        if (structure_.residue() <= 1) return;
      }
      list_nodes(g, facts.ends());
      const std::uint32_t round = attempt_;
      bool found = false;
      for (block_id at = static_cast<block_id>(up.num_reachable()); at-- > 0;) {
        const block_id b = up.at(at);  // inner ones first
        if (structure_.head_of(b) == b && hidden_after(facts, sets, b, round)) found = true;
      }
      SIMTFLOW_EXPECTS(found || !sets.obstacles().empty(),
                       "what cannot be reduced holds a branch with more than a node after it");
      if (!found) return;
    }
  }

  // The reduction of the graph with regions taken for nodes.
  [[nodiscard]] constexpr dense::basic_structural_reduction<Shape>& structure() { return structure_; }
  [[nodiscard]] constexpr const dense::basic_structural_reduction<Shape>& structure() const { return structure_; }

 private:
  // The blocks of every node, as a list that begins with its head.
  constexpr void list_nodes(const Shape& g, const end_index<Shape>& ends) {
    next_in_node_.assign(g.num_blocks(), no_block);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const block_id head = ends.is_reachable(b) ? structure_.head_of(b) : b;
      if (head == b) continue;
      next_in_node_[b] = next_in_node_[head];
      next_in_node_[head] = b;
    }
  }

  // True if a hidden region begins after the node with this head. A node that an attempt of this round has touched
  // belongs to a hidden region, or to a closure that would contain one.
  constexpr bool hidden_after(basic_cfg_facts<Shape>& facts, closed_sets<Shape>& sets, block_id head,
                              std::uint32_t round) {
    const Shape& g = facts.graph();
    const auto& down = facts.post_dominators();
    way_.clear();
    structure_.for_each_edge_left(head, [this](block_id to) { way_.push_back(to); });
    if (way_.size() < 2) return false;
    ++attempt_;
    block_id join = way_[0] == g.num_blocks() ? no_block : way_[0];
    for (const block_id to : way_) {
      if (to == g.num_blocks()) join = no_block;
      while (join != no_block && !down.post_dominates(join, to)) {
        if (touched_before(structure_.head_of(join), round)) return false;
        join = down.ipdom(join);
      }
    }
    sets.begin(true);
    for (const block_id to : way_)
      if (to != join && to != g.num_blocks()) sets.add(to);
    std::uint32_t nodes = 0;
    while (grow_by_nodes(g, sets, round, nodes)) {
      if (nodes > 1) {
        if (sets.is_declined()) {
          sets.leave_out();
          return false;
        }
        sets.keep(true);
        return true;
      }
      // One arm or the body of a loop: structured as far as it goes.
      if (sets.p() == join || structure_.head_of(sets.p()) == head) {
        for (const block_id b : sets.found()) touched_[structure_.head_of(b)] = 0;
        return false;
      }
      sets.add(sets.p());
    }
    return false;
  }
  [[nodiscard]] constexpr bool touched_before(block_id head, std::uint32_t round) const {
    return touched_[head] > round && touched_[head] != attempt_;
  }
  // As grow(), for closed sets of whole nodes. False if it has reached a node that was touched before or is blocked.
  constexpr bool grow_by_nodes(const Shape& g, closed_sets<Shape>& sets, std::uint32_t round, std::uint32_t& nodes) {
    while (sets.unfinished()) {
      const block_id b = sets.next(), head = structure_.head_of(b);
      if (touched_[head] != attempt_) {
        if (touched_[head] > round) return false;
        touched_[head] = attempt_;
        ++nodes;
        for (block_id x = head; x != no_block; x = next_in_node_[x]) sets.add(x);
      }
      sets.grow_from_next(g);
      if (sets.obstacle() != no_block) {
        sets.leave_out();
        return false;
      }
    }
    return true;
  }

  // Each block takes the name of the first block of its region.
  constexpr void name_units(closed_sets<Shape>& sets) {
    sets.take_whole_units();
    name_.assign(sets.num_blocks(), no_block);
    for (block_id b = 0; b < sets.num_blocks(); ++b) {
      const std::uint32_t r = sets.unit(b);
      if (r != sets.none && sets.known()[r].first == no_block) sets.known()[r].first = b;
      name_[b] = r == sets.none ? b : sets.known()[r].first;
    }
  }

  dense::basic_structural_reduction<Shape> structure_;
  std::vector<std::uint32_t> touched_;  // by head: the last attempt to find a hidden region that came to it
  std::uint32_t attempt_ = 0;
  std::vector<block_id> name_, way_, next_in_node_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

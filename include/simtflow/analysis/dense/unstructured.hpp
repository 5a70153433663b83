// SPDX-License-Identifier: BSL-1.0
//
// Unstructured edges and regions in dense ids. analysis/unstructured.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/detail/closed_sets.hpp>
#include <simtflow/analysis/detail/hidden_regions.hpp>
#include <simtflow/analysis/detail/unstructured_edge_finder.hpp>
#include <simtflow/analysis/unstructured_edge.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace dense {

/// Unstructured edges and regions, with dense ids in and out. closure() and region() write to a workspace, other
/// questions do not. A question about a block that the graph does not have is a contract violation.
//
// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_unstructured_flow {
 public:
  /// Finds the edges and regions of g and reuses every buffer. part_of() and the number of parts of a region are there
  /// only with want_parts.
  ///
  /// `blocked`: one entry for each block, or empty. Regions with a block that has a non-zero entry are left out:
  /// regions() are then the outermost of the others, and obstacles() tells whether any is missing.
  /// Complexity: O(blocks + edges) except for the dominators and hidden regions. Each edge that is left out costs a
  /// search of its own, which ends at the first blocked block or at an edge that was left out before.
  constexpr void recompute(const Shape& g, bool want_parts = true, std::span<const unsigned char> blocked = {}) {
    own_.reset(g);
    find(own_, want_parts, blocked);
    shared_ = nullptr;
  }
  /// The same for the graph of `facts`, which stay where they are as long as closed sets are asked for.
  constexpr void recompute(basic_cfg_facts<Shape>& facts, bool want_parts = true,
                           std::span<const unsigned char> blocked = {}) {
    find(facts, want_parts, blocked);
    shared_ = &facts;
  }
  /// The same without regions that the caller has declined: the outermost regions within them and beside them are
  /// found.
  constexpr void recompute_without(basic_cfg_facts<Shape>& facts, detail::declined_regions declined,
                                   std::span<const unsigned char> blocked) {
    find(facts, false, blocked, declined);
    shared_ = &facts;
  }

  /// @name Closed sets
  /// These functions make closed sets instead of looking for regions; sets that overlap become one. A set with a
  /// blocked block is not made. Only closure() and obstacles() may be asked afterwards.
  /// @{

  /// Begins without a set. The facts stay where they are as long as sets are made.
  /// Complexity: dominators, post-dominators and ends, as far as they are not known.
  constexpr void start_sets(basic_cfg_facts<Shape>& facts, std::span<const unsigned char> blocked = {}) {
    sets_.look_at(facts);
    shared_ = &facts;
    sets_.start(facts.graph(), blocked);
  }
  /// Makes the closure of these blocks, without the unreachable ones. \returns false if the set is not made.
  constexpr bool make_set(const Shape& g, std::span<const block_id> of) {
    const auto& ends = facts_of(g).ends();
    sets_.look_at(facts_of(g));
    sets_.begin(true);
    for (const block_id b : of)
      if (ends.is_reachable(b)) sets_.add(b);
    if (sets_.found().empty()) return true;
    if (!sets_.grow(g) || !sets_.apart_at_end(g)) {
      sets_.leave_out();
      return false;
    }
    sets_.keep(false);
    return true;
  }
  /// Makes the least closed set such that an edge stays within the set, D and P. \returns the end of the edge that is
  /// in the set; no_block if the set is not made. \pre the source is reachable.
  constexpr block_id make_set_around(const Shape& g, const edge& e) {
    const block_id u = e.from, v = g.successors(u)[e.slot];
    sets_.look_at(facts_of(g));
    sets_.begin(true);
    sets_.add(v);
    const bool grown = sets_.grow(g);
    const block_id obstacle = sets_.obstacle();
    if (!grown || sets_.d() != u) {
      sets_.begin(true);
      sets_.add(u);
      if (sets_.grow(g) && sets_.p() != v) {
        sets_.set_obstacle(obstacle);
        if (grown) sets_.add(v);
        (void)sets_.grow(g);
      }
      if (sets_.obstacle() != no_block) {
        sets_.leave_out(g, e);
        return no_block;
      }
    }
    const block_id inside = sets_.met(u) ? u : v;
    if (!sets_.apart_at_end(g)) {
      sets_.leave_out();
      return no_block;
    }
    sets_.keep(false);
    return inside;
  }
  /// Numbers the sets. set[b] becomes the number of the set of b, no_unstructured_region if b is in no set. \returns
  /// the number of sets.
  constexpr std::uint32_t list_sets(std::vector<std::uint32_t>& set) {
    sets_.take_whole_units();
    set.assign(num_blocks(), none);
    std::uint32_t sets = 0;
    for (block_id b = 0; b < num_blocks(); ++b) {
      const std::uint32_t r = sets_.unit(b);
      if (r == none) continue;
      if (sets_.known()[r].size++ == 0) sets_.known()[r].place = sets++;
      set[b] = sets_.known()[r].place;
    }
    sets_.finish();
    return sets;
  }
  /// @}

  /// Blocked blocks that regions or sets are missing because of, at least one for each; in no particular order. O(1).
  [[nodiscard]] constexpr std::span<const block_id> obstacles() const {
    return std::span<const block_id>(sets_.obstacles());
  }

  /// The number of blocks. O(1).
  [[nodiscard]] constexpr std::size_t num_blocks() const { return sets_.num_blocks(); }
  /// The unstructured edges, by source, then slot. O(1).
  [[nodiscard]] constexpr std::span<const unstructured_edge> edges() const {
    return std::span<const unstructured_edge>(edges_.edges());
  }
  /// The outermost regions: disjoint; largest first, equal ones by their least block. O(1).
  [[nodiscard]] constexpr std::span<const unstructured_region> regions() const {
    return std::span<const unstructured_region>(regions_);
  }
  /// The blocks of a region, ascending. O(1). \pre r is one of regions().
  [[nodiscard]] constexpr std::span<const block_id> blocks(const unstructured_region& r) const {
    return std::span<const block_id>(blocks_).subspan(r.first, r.size);
  }
  /// The place in regions() of the outermost region that contains b; no_unstructured_region if there is none. O(1).
  [[nodiscard]] constexpr std::uint32_t region_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return sets_.units()[b];
  }
  /// The place in regions() of the outermost region around the region of an edge of edges(). An end of the edge may lie
  /// outside. O(1).
  [[nodiscard]] constexpr std::uint32_t region_of(const unstructured_edge& e) const {
    const std::uint32_t at = region_of(e.where.from);
    return at != no_unstructured_region || e.to == no_block ? at : region_of(e.to);
  }
  /// The entry of the part that b belongs to; no_block outside all regions. O(1).
  [[nodiscard]] constexpr block_id part_of(block_id b) const {
    return region_of(b) == no_unstructured_region ? no_block : hidden_.structure().head_of(b);
  }
  /// The innermost loop around b that b does not dominate as a whole; no_loop if there is none. An edge to b that comes
  /// from outside of the loop enters it in an unstructured way. O(1).
  [[nodiscard]] constexpr loop_id loop_not_below(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return edges_.of(b).in;
  }
  /// The same for post-dominance: an edge from b out of the loop leaves it in an unstructured way. O(1).
  [[nodiscard]] constexpr loop_id loop_not_above(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return edges_.of(b).out;
  }
  /// The loops of the graph, as the two functions above name them. \pre as closure(). O(1).
  [[nodiscard]] constexpr const basic_loop_forest<Shape>& loops() const {
    const basic_cfg_facts<Shape>& facts = shared_ == nullptr ? own_ : *shared_;
    return facts.loops();
  }
  /// True if the graph reduces to one node. O(1).
  [[nodiscard]] constexpr bool is_structured() const { return edges_.edges().empty() && regions_.empty(); }

  /// Finds the closure of blocks; unreachable blocks count for nothing. `out` keeps its buffer.
  /// \pre g is the graph of the last recompute(); facts of the caller are still facts of it. O(edges of the blocks of
  /// the answer), and sorting.
  constexpr void closure(const Shape& g, std::span<const block_id> of, closed_blocks& out) {
    const auto& ends = facts_of(g).ends();
    sets_.look_at(facts_of(g));
    sets_.begin(false);
    for (const block_id b : of) {
      SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
      if (ends.is_reachable(b)) sets_.add(b);
    }
    (void)sets_.grow(g);
    sets_.hand_out(out);
  }

  /// Finds the region of an unstructured edge. \pre and complexity: as closure().
  constexpr void region(const Shape& g, const unstructured_edge& e, closed_blocks& out) {
    SIMTFLOW_EXPECTS(e.where.from < num_blocks() && (e.to == no_block || e.to < num_blocks()),
                     "a question about a block that is not in the graph of this result");
    sets_.look_at(facts_of(g));
    (void)sets_.grow_region(g, e, false);
    sets_.hand_out(out);
  }

 private:
  static constexpr std::uint32_t none = no_unstructured_region;
  using candidate = typename detail::closed_sets<Shape>::candidate;

  constexpr void find(basic_cfg_facts<Shape>& facts, bool want_parts, std::span<const unsigned char> blocked,
                      detail::declined_regions declined = {}) {
    const Shape& g = facts.graph();
    sets_.look_at(facts);
    shared_ = &facts;
    sets_.start(g, blocked, declined);
    edges_.find(facts);
    for (const unstructured_edge& e : edges_.edges()) {
      if (sets_.inside_one_unit(e)) continue;
      if (sets_.grow_region(g, e, true)) {
        sets_.keep(false);
      } else {
        sets_.leave_out(g, e.where);
      }
    }
    hidden_.find(facts, sets_);
    list_regions(g, want_parts);
    sets_.finish();
  }
  // The facts of g, the graph of the last time.
  constexpr basic_cfg_facts<Shape>& facts_of(const Shape& g) {
    if (shared_ != nullptr) return *shared_;
    own_.relocate(g);
    return own_;
  }
  // Largest first: count the regions of each size.
  constexpr void list_regions(const Shape& g, bool want_parts) {
    sets_.take_whole_units();
    std::vector<candidate>& known = sets_.known();
    std::vector<std::uint32_t>& unit = sets_.units();
    regions_.clear();
    blocks_.clear();
    if (known.empty()) return;
    for (candidate& p : known) {
      p.first = no_block;
      p.size = 0;
    }
    order_.clear();
    for (block_id b = 0; b < num_blocks(); ++b)
      if (const std::uint32_t r = sets_.unit(b); r != none)
        if (known[r].size++ == 0) order_.push_back(r);
    count_.assign(num_blocks() + 2, 0);
    for (const std::uint32_t r : order_) ++count_[num_blocks() - known[r].size + 1];
    for (std::size_t i = 1; i < count_.size(); ++i) count_[i] += count_[i - 1];
    regions_.assign(order_.size(), unstructured_region{});
    for (const std::uint32_t r : order_) {
      candidate& p = known[r];
      p.place = count_[num_blocks() - p.size]++;
      regions_[p.place] = {p.dominator, p.post_dominator, p.size, 0, 0, p.hidden, 0};
    }
    std::uint32_t at = 0;
    for (unstructured_region& r : regions_) {
      r.first = at;
      at += r.size;
      r.size = 0;
    }
    blocks_.assign(at, no_block);
    for (block_id b = 0; b < num_blocks(); ++b) {
      const std::uint32_t r = sets_.unit(b);
      if (r == none) continue;
      unit[b] = known[r].place;
    }
    for (block_id b = 0; b < num_blocks(); ++b) {
      if (unit[b] == none) continue;
      unstructured_region& r = regions_[unit[b]];
      blocks_[r.first + r.size++] = b;
    }
    for (const unstructured_edge& e : edges_.edges())
      if (const std::uint32_t r = region_of(e); r != none) ++regions_[r].edges;
    if (!want_parts) return;
    hidden_.structure().recompute_parts(g, std::span<const std::uint32_t>(unit), none);
    for (const block_id head : hidden_.structure().heads())
      if (unit[head] != none) ++regions_[unit[head]].parts;
  }

  basic_cfg_facts<Shape> own_;                // where the caller has none to share
  basic_cfg_facts<Shape>* shared_ = nullptr;  // the caller's; null: own_
  detail::unstructured_edge_finder<Shape> edges_;
  detail::closed_sets<Shape> sets_;  // its units are regions after recompute()
  detail::hidden_regions<Shape> hidden_;
  std::vector<unstructured_region> regions_;
  std::vector<block_id> blocks_;
  std::vector<std::uint32_t> order_, count_;
};

/// Over a csr_graph.
using unstructured_flow = basic_unstructured_flow<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Unstructured edges and regions in dense ids. analysis/unstructured.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why an edge is unstructured, as defined at the top of this header: one or more of three bits.
struct unstructured_reasons {
  unsigned char bits = 0;                      ///< the sum of those below that apply
  static constexpr unsigned char crosses = 1,  ///< bit of crossing()
      enters_loop = 2,                         ///< bit of into_loop()
      leaves_loop = 4;                         ///< bit of out_of_loop()

  /// Neither end dominates or post-dominates the other.
  [[nodiscard]] constexpr bool crossing() const { return (bits & crosses) != 0; }
  /// Some loop contains the target but not the source, and the target does not dominate all of it.
  [[nodiscard]] constexpr bool into_loop() const { return (bits & enters_loop) != 0; }
  /// Some loop contains the source but not the target, and the source does not post-dominate all of it.
  [[nodiscard]] constexpr bool out_of_loop() const { return (bits & leaves_loop) != 0; }
  friend constexpr bool operator==(const unstructured_reasons&, const unstructured_reasons&) = default;
};

/// An unstructured edge. Parallel edges are different edges.
struct unstructured_edge {
  edge where;                ///< the edge to the virtual exit has the slot after the last one
  block_id to = no_block;    ///< no_block: the virtual exit
  unstructured_reasons why;  ///< at least one
  friend constexpr bool operator==(const unstructured_edge&, const unstructured_edge&) = default;
};

/// A closed set of blocks. No blocks: the closure of nothing.
struct closed_blocks {
  block_id dominator = no_block;       ///< D; no_block: the program starts in the set
  block_id post_dominator = no_block;  ///< P; no_block: the virtual exit
  std::vector<block_id> blocks;        ///< ascending
};

/// An outermost region, one of regions().
struct unstructured_region {
  block_id dominator = no_block;       ///< D; no_block: the program starts in the region
  block_id post_dominator = no_block;  ///< P; no_block: the virtual exit
  std::uint32_t size = 0;              ///< blocks
  std::uint32_t parts = 0;             ///< nodes that reducing the region by itself leaves
  std::uint32_t edges = 0;             ///< unstructured edges with this region, or with a region in it
  bool hidden = false;      ///< it is there because of more than its unstructured edges (perhaps there are none)
  std::uint32_t first = 0;  ///< place in a list of all regions' blocks
};

/// "In no region."
inline constexpr std::uint32_t no_unstructured_region = 0xFFFF'FFFFU;

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

  /// @name Closed sets
  /// These functions make closed sets instead of looking for regions; sets that overlap become one. A set with a
  /// blocked block is not made. Only closure() and obstacles() may be asked afterwards.
  /// @{

  /// Begins without a set. The facts stay where they are as long as sets are made.
  /// Complexity: dominators, post-dominators and ends, as far as they are not known.
  constexpr void start_sets(basic_cfg_facts<Shape>& facts, std::span<const unsigned char> blocked = {}) {
    const Shape& g = facts.graph();
    look_at(facts);
    shared_ = &facts;
    SIMTFLOW_EXPECTS(blocked.empty() || blocked.size() == g.num_blocks(), "one blocked flag for each block, or none");
    unit_.assign(g.num_blocks(), none);
    met_.assign(g.num_blocks(), 0);
    now_ = 0;
    known_.clear();
    blocked_ = blocked;
    obstacles_.clear();
    left_out_.clear();
    blocked_before_.clear();
  }
  /// Makes the closure of these blocks, without the unreachable ones. \returns false if the set is not made.
  constexpr bool make_set(const Shape& g, std::span<const block_id> of) {
    look_at(facts_of(g));
    begin(true);
    for (const block_id b : of)
      if (ends().is_reachable(b)) add(b);
    if (found_.empty()) return true;
    if (!grow(g) || !apart_at_end(g)) {
      leave_out();
      return false;
    }
    keep(false);
    return true;
  }
  /// Makes the least closed set such that an edge stays within the set, D and P. \returns the end of the edge that is
  /// in the set; no_block if the set is not made. \pre the source is reachable.
  constexpr block_id make_set_around(const Shape& g, const edge& e) {
    const block_id u = e.from, v = g.successors(u)[e.slot];
    look_at(facts_of(g));
    begin(true);
    add(v);
    const bool behind = grow(g);
    const block_id obstacle = obstacle_;
    if (!behind || d_ != u) {
      begin(true);
      add(u);
      if (grow(g) && p_ != v) {
        obstacle_ = obstacle;
        if (behind) add(v);
        (void)grow(g);
      }
      if (obstacle_ != no_block) {
        leave_out(g, e);
        return no_block;
      }
    }
    const block_id inside = met(u) ? u : v;
    if (!apart_at_end(g)) {
      leave_out();
      return no_block;
    }
    keep(false);
    return inside;
  }
  /// Numbers the sets. set[b] becomes the number of the set of b, no_unstructured_region if b is in no set. \returns
  /// the number of sets.
  constexpr std::uint32_t list_sets(std::vector<std::uint32_t>& set) {
    whole_units_ = true;
    set.assign(num_blocks(), none);
    std::uint32_t sets = 0;
    for (block_id b = 0; b < num_blocks(); ++b) {
      const std::uint32_t r = unit(b);
      if (r == none) continue;
      if (known_[r].size++ == 0) known_[r].place = sets++;
      set[b] = known_[r].place;
    }
    blocked_ = {};
    return sets;
  }
  /// @}

  /// Blocked blocks that regions or sets are missing because of, at least one for each; in no particular order. O(1).
  [[nodiscard]] constexpr std::span<const block_id> obstacles() const { return std::span<const block_id>(obstacles_); }

  /// The number of blocks. O(1).
  [[nodiscard]] constexpr std::size_t num_blocks() const { return unit_.size(); }
  /// The unstructured edges, by source, then slot. O(1).
  [[nodiscard]] constexpr std::span<const unstructured_edge> edges() const {
    return std::span<const unstructured_edge>(edges_);
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
    return unit_[b];
  }
  /// The place in regions() of the outermost region around the region of an edge of edges(). An end of the edge may lie
  /// outside. O(1).
  [[nodiscard]] constexpr std::uint32_t region_of(const unstructured_edge& e) const {
    const std::uint32_t at = region_of(e.where.from);
    return at != no_unstructured_region || e.to == no_block ? at : region_of(e.to);
  }
  /// The entry of the part that b belongs to; no_block outside all regions. O(1).
  [[nodiscard]] constexpr block_id part_of(block_id b) const {
    return region_of(b) == no_unstructured_region ? no_block : structure_.head_of(b);
  }
  /// The innermost loop around b that b does not dominate as a whole; no_loop if there is none. An edge to b that comes
  /// from outside of the loop enters it in an unstructured way. O(1).
  [[nodiscard]] constexpr loop_id loop_not_below(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return judged_[b].in;
  }
  /// The same for post-dominance: an edge from b out of the loop leaves it in an unstructured way. O(1).
  [[nodiscard]] constexpr loop_id loop_not_above(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return judged_[b].out;
  }
  /// The loops of the graph, as the two functions above name them. \pre as closure(). O(1).
  [[nodiscard]] constexpr const basic_loop_forest<Shape>& loops() const {
    const basic_cfg_facts<Shape>& facts = shared_ == nullptr ? own_ : *shared_;
    return facts.loops();
  }
  /// True if the graph reduces to one node. O(1).
  [[nodiscard]] constexpr bool is_structured() const { return edges_.empty() && regions_.empty(); }

  /// Finds the closure of blocks; unreachable blocks count for nothing. `out` keeps its buffer.
  /// \pre g is the graph of the last recompute(); facts of the caller are still facts of it. O(edges of the blocks of the answer), and sorting.
  constexpr void closure(const Shape& g, std::span<const block_id> of, closed_blocks& out) {
    look_at(facts_of(g));
    begin(false);
    for (const block_id b : of) {
      SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
      if (ends().is_reachable(b)) add(b);
    }
    (void)grow(g);
    hand_out(out);
  }

  /// Finds the region of an unstructured edge. \pre and complexity: as closure().
  constexpr void region(const Shape& g, const unstructured_edge& e, closed_blocks& out) {
    SIMTFLOW_EXPECTS(e.where.from < num_blocks() && (e.to == no_block || e.to < num_blocks()),
                     "a question about a block that is not in the graph of this result");
    look_at(facts_of(g));
    (void)grow_region(g, e, false);
    hand_out(out);
  }

 private:
  static constexpr std::uint32_t none = no_unstructured_region;

  // A region while they are found. One that became part of another has known_[i].into != i.
  struct candidate {
    block_id dominator = no_block, post_dominator = no_block;
    std::uint32_t into = 0;
    std::uint32_t met = 0;  // as met_ of a block
    block_id first = no_block;
    std::uint32_t size = 0, place = 0;
    bool hidden = false;
  };

  constexpr void find(basic_cfg_facts<Shape>& facts, bool want_parts, std::span<const unsigned char> blocked) {
    const Shape& g = facts.graph();
    loops_ = &facts.loops();
    start_sets(facts, blocked);
    edges_.clear();
    judge_blocks();
    judge_edges(g);
    for (const unstructured_edge& e : edges_) {
      if (inside_one_unit(e)) continue;
      if (grow_region(g, e, true)) {
        keep(false);
      } else {
        leave_out(g, e.where);
      }
    }
    find_hidden(facts);
    list_regions(g, want_parts);
    blocked_ = {};
  }
  // The facts of g, the graph of the last time.
  constexpr basic_cfg_facts<Shape>& facts_of(const Shape& g) {
    if (shared_ != nullptr) return *shared_;
    own_.relocate(g);
    return own_;
  }
  // A copy of this object has facts of its own, so each question looks at them again.
  constexpr void look_at(basic_cfg_facts<Shape>& facts) {
    up_ = &facts.dominators();
    down_ = &facts.post_dominators();
    ends_ = &facts.ends();
  }
  [[nodiscard]] constexpr const detail::end_index<Shape>& ends() const { return *ends_; }

  // --- edges ---

  // The innermost loop around b that b does not dominate as a whole, and the same for post-dominance. In a tree with
  // positions in preorder a block dominates a set if it dominates the first and the last of it; the only block of a
  // loop that can is the first.
  constexpr void judge_blocks() {
    const std::uint32_t loops = static_cast<std::uint32_t>(loops_->num_loops());
    span_.assign(loops, extent{});
    for (block_id b = 0; b < num_blocks(); ++b)
      if (const loop_id l = loops_->innermost(b); l != no_loop) {
        span_[l].up.take(up_->position(b));
        span_[l].down.take(down_->tree().position(b));
      }
    for (const loop_id l : ids_downward<loop_id>(loops))
      if (const loop_id outer = loops_->parent(l); outer != no_loop) {
        span_[outer].up.take(span_[l].up);
        span_[outer].down.take(span_[l].down);
      }
    judged_.assign(num_blocks(), verdict{});
    for (block_id b = 0; b < num_blocks(); ++b) {
      loop_id l = loops_->innermost(b);
      while (l != no_loop && span_[l].up.first == up_->position(b) && up_->dominates(b, up_->at(span_[l].up.last)))
        l = loops_->parent(l);
      judged_[b].in = l;
      l = loops_->innermost(b);
      const dominator_tree& tree = down_->tree();
      while (l != no_loop && span_[l].down.first == tree.position(b) && tree.dominates(b, tree.at(span_[l].down.last)))
        l = loops_->parent(l);
      judged_[b].out = l;
    }
  }

  constexpr void judge_edges(const Shape& g) {
    for (block_id u = 0; u < num_blocks(); ++u) {
      if (!ends().is_reachable(u)) continue;
      const loop_id out = judged_[u].out;
      std::uint32_t slot = 0;
      for (const block_id v : g.successors(u)) {
        unstructured_reasons why;
        const loop_id in = judged_[v].in;
        if (!up_->dominates(u, v) && !up_->dominates(v, u) && !down_->post_dominates(v, u) &&
            !down_->post_dominates(u, v))
          why.bits |= unstructured_reasons::crosses;
        if (in != no_loop && !loops_->contains(in, u)) why.bits |= unstructured_reasons::enters_loop;
        if (out != no_loop && !loops_->contains(out, v)) why.bits |= unstructured_reasons::leaves_loop;
        if (why.bits != 0) edges_.push_back({{u, slot}, v, why});
        ++slot;
      }
      if (ends().ends(u) && out != no_loop)
        edges_.push_back({{u, slot}, no_block, {unstructured_reasons::leaves_loop}});
    }
  }

  // --- closures ---

  // With `whole_units`, a region that is known is taken as one element.
  constexpr void begin(bool whole_units) {
    if (++now_ == 0) {
      met_.assign(met_.size(), 0);
      for (candidate& p : known_) p.met = 0;
      now_ = 1;
    }
    whole_units_ = whole_units;
    found_.clear();
    swallowed_.clear();
    next_ = 0;
    obstacle_ = no_block;
    d_used_ = p_used_ = false;
  }
  constexpr std::uint32_t unit(block_id b) {
    if (!whole_units_ || unit_[b] == none) return none;
    std::uint32_t i = unit_[b];
    while (known_[i].into != i) i = known_[i].into = known_[known_[i].into].into;
    return unit_[b] = i;
  }
  constexpr bool met(block_id b) {
    const std::uint32_t r = unit(b);
    return (r == none ? met_[b] : known_[r].met) == now_;
  }
  constexpr void add(block_id b) {
    const std::uint32_t r = unit(b);
    std::uint32_t& mark = r == none ? met_[b] : known_[r].met;
    if (mark == now_) return;
    mark = now_;
    if (r == none && !blocked_.empty() && blocked_[b] != 0) obstacle_ = b;
    if (found_.empty()) {  // the first sets the bounds
      d_ = r == none ? up_->idom(b) : known_[r].dominator;
      p_ = r == none ? down_->ipdom(b) : known_[r].post_dominator;
    }
    found_.push_back(b);
  }
  // Until D dominates b, or the place just after the block b: O(1) except for passed blocks.
  constexpr void climb_d(block_id b, bool b_may_be_it) {
    block_id d = d_;
    while (d != no_block && !(b_may_be_it && b == d) && (b == no_block || !up_->strictly_dominates(d, b)))
      d = up_->idom(d);
    if (d == d_) return;
    const block_id before = d_;
    d_ = d;
    if (d_used_) add(before);
    d_used_ = false;
  }
  constexpr void climb_p(block_id b, bool b_may_be_it) {
    block_id p = p_;
    while (p != no_block && !(b_may_be_it && b == p) && (b == no_block || p == b || !down_->post_dominates(p, b)))
      p = down_->ipdom(p);
    if (p == p_) return;
    const block_id before = p_;
    p_ = p;
    if (p_used_) add(before);
    p_used_ = false;
  }
  constexpr void predecessor(block_id p) {
    if (p == d_) {
      d_used_ = true;
    } else {
      add(p);
    }
  }
  constexpr void successor(block_id s) {
    if (s == p_) {
      p_used_ = true;
    } else {
      add(s);
    }
  }
  // False if it has reached a blocked block.
  constexpr bool grow(const Shape& g) {
    while (obstacle_ == no_block && next_ < found_.size()) grow_from(g, found_[next_++]);
    return obstacle_ == no_block;
  }
  // False if threads of the set that meet at P may wait there for other threads: these come from a branch outside of
  // the set, meet at P as well, and have a blocked block on the way. If the ways from D meet at P, threads of the set
  // wait for them anyway.
  constexpr bool apart_at_end(const Shape& g) {
    if (blocked_.empty() || p_ == no_block || (d_ != no_block && down_->ipdom(d_) == p_)) return true;
    if (blocked_before_.empty()) blocked_before_.assign(num_blocks(), not_looked_);
    if (blocked_before_[p_] == not_looked_) blocked_before_[p_] = find_blocked_before(g, p_);
    obstacle_ = blocked_before_[p_];
    return obstacle_ == no_block;
  }
  // A blocked block between p and a branch with p as its immediate post-dominator; no_block: there is none.
  constexpr block_id find_blocked_before(const Shape& g, block_id p) {
    seen_.assign(num_blocks(), 0);
    way_.clear();
    for (block_id b = 0; b < num_blocks(); ++b)
      if (g.successors(b).size() > 1 && ends().is_reachable(b) && down_->ipdom(b) == p) way_.push_back(b);
    while (!way_.empty()) {
      const block_id b = way_.back();
      way_.pop_back();
      for (const block_id s : g.successors(b)) {
        if (s == p || seen_[s] != 0) continue;
        if (blocked_[s] != 0) return s;
        seen_[s] = 1;
        way_.push_back(s);
      }
    }
    return no_block;
  }
  constexpr void grow_from(const Shape& g, block_id b) {
    if (const std::uint32_t r = unit(b); r != none) {
      const block_id d = known_[r].dominator, p = known_[r].post_dominator;
      swallowed_.push_back(r);
      climb_d(d, true);
      climb_p(p, true);
      if (d != no_block) predecessor(d);
      if (p != no_block) successor(p);
      return;
    }
    climb_d(b, false);
    climb_p(b, false);  // to the virtual exit if b ends
    block_id last = no_block;
    for (const block_id p : g.predecessors(b)) {
      if (p != last && ends().is_reachable(p)) predecessor(p);
      last = p;
    }
    const std::span<const block_id> next = g.successors(b);
    for (std::size_t k = 0; k < next.size(); ++k) {
      successor(next[k]);
      if (!left_out_.empty() && next[k] != p_) meet_left_out(g.first_edge(b) + k);
    }
  }

  constexpr void meet_left_out(std::size_t e) {
    if (left_out_[e] != no_block && obstacle_ == no_block) obstacle_ = left_out_[e];
  }
  // Leaves out the region of e, which has a blocked block; so has every region with both ends of e.
  constexpr void leave_out(const Shape& g, const edge& e) {
    if (left_out_.empty()) left_out_.assign(g.targets().size(), no_block);
    if (e.slot < g.successors(e.from).size()) left_out_[g.first_edge(e.from) + e.slot] = obstacle_;
    leave_out();
  }
  constexpr void leave_out() { obstacles_.push_back(obstacle_); }

  // False if the region has a blocked block.
  constexpr bool grow_region(const Shape& g, const unstructured_edge& e, bool whole_units) {
    const block_id u = e.where.from, v = e.to;
    begin(whole_units);
    if (e.why.bits == unstructured_reasons::enters_loop) {
      add(v);
      if (!grow(g)) return false;
      if (d_ == u) return true;
    } else if (e.why.bits == unstructured_reasons::leaves_loop || v == no_block) {
      add(u);
      if (!grow(g)) return false;
      if (p_ == v) return true;
    }
    add(u);
    if (v != no_block) add(v);
    return grow(g);
  }

  constexpr void hand_out(closed_blocks& out) {
    out.dominator = found_.empty() ? no_block : d_;
    out.post_dominator = found_.empty() ? no_block : p_;
    out.blocks.assign(found_.begin(), found_.end());
    detail::sort_ascending(out.blocks);
  }

  // --- outermost regions ---

  // The region of e is known, or part of a known one. An edge that leaves a known region leads to its P, so the closure
  // of its source lies before the target; for an edge from D it is the other way round.
  constexpr bool inside_one_unit(const unstructured_edge& e) {
    whole_units_ = true;
    const std::uint32_t from = unit(e.where.from), to = e.to == no_block ? none : unit(e.to);
    if (from != none && (from == to || e.to == no_block)) return true;
    if (e.why.bits == unstructured_reasons::leaves_loop) return from != none;
    if (e.why.bits == unstructured_reasons::enters_loop) return to != none;
    return false;
  }

  constexpr void keep(bool hidden) {
    const std::uint32_t name = static_cast<std::uint32_t>(known_.size());
    known_.push_back({d_, p_, name, 0, no_block, 0, 0, hidden});
    for (const std::uint32_t r : swallowed_) known_[r].into = name;
    for (const block_id b : found_)
      if (unit_[b] == none) unit_[b] = name;
  }

  // Every round looks at every node that is left at most once, so that rounds are as many as hidden regions are nested.
  constexpr void find_hidden(basic_cfg_facts<Shape>& facts) {
    const Shape& g = facts.graph();
    if (known_.empty()) {  // no edge is unstructured: perhaps nothing is
      if (facts.structure().residue() <= 1) return;
      structure_ = facts.structure();
    } else {
      structure_.take_ends(facts.ends());
    }
    touched_.assign(num_blocks(), 0);
    attempt_ = 0;
    while (true) {
      if (!known_.empty()) {
        name_units();
        structure_.update(g, {}, std::span<const block_id>(name_));
        if (structure_.residue() <= 1) return;
      }
      list_nodes();
      const std::uint32_t round = attempt_;
      bool found = false;
      for (block_id at = static_cast<block_id>(up_->num_reachable()); at-- > 0;) {
        const block_id b = up_->at(at);  // inner ones first
        if (structure_.head_of(b) == b && hidden_behind(g, b, round)) found = true;
      }
      SIMTFLOW_EXPECTS(found || !obstacles_.empty(),
                       "what cannot be reduced holds a branch with more than a node after it");
      if (!found) return;
    }
  }

  // The blocks of every node, as a list that begins with its head.
  constexpr void list_nodes() {
    next_in_node_.assign(num_blocks(), no_block);
    for (block_id b = 0; b < num_blocks(); ++b) {
      const block_id head = ends().is_reachable(b) ? structure_.head_of(b) : b;
      if (head == b) continue;
      next_in_node_[b] = next_in_node_[head];
      next_in_node_[head] = b;
    }
  }

  // True if a hidden region begins after the node with this head. A node that an attempt of this round has touched
  // belongs to a hidden region, or to a closure that would contain one.
  constexpr bool hidden_behind(const Shape& g, block_id head, std::uint32_t round) {
    way_.clear();
    structure_.for_each_edge_left(head, [this](block_id to) { way_.push_back(to); });
    if (way_.size() < 2) return false;
    ++attempt_;
    block_id join = way_[0] == num_blocks() ? no_block : way_[0];
    for (const block_id to : way_) {
      if (to == num_blocks()) join = no_block;
      while (join != no_block && !down_->post_dominates(join, to)) {
        if (touched_before(structure_.head_of(join), round)) return false;
        join = down_->ipdom(join);
      }
    }
    begin(true);
    for (const block_id to : way_)
      if (to != join && to != num_blocks()) add(to);
    std::uint32_t nodes = 0;
    while (grow_by_nodes(g, round, nodes)) {
      if (nodes > 1) {
        keep(true);
        return true;
      }
      // One arm or the body of a loop: structured as far as it goes.
      if (p_ == join || structure_.head_of(p_) == head) {
        for (const block_id b : found_) touched_[structure_.head_of(b)] = 0;
        return false;
      }
      add(p_);
    }
    return false;
  }
  [[nodiscard]] constexpr bool touched_before(block_id head, std::uint32_t round) const {
    return touched_[head] > round && touched_[head] != attempt_;
  }
  // As grow(), for closed sets of whole nodes. False if it has reached a node that was touched before or is blocked.
  constexpr bool grow_by_nodes(const Shape& g, std::uint32_t round, std::uint32_t& nodes) {
    while (next_ < found_.size()) {
      const block_id b = found_[next_], head = structure_.head_of(b);
      if (touched_[head] != attempt_) {
        if (touched_[head] > round) return false;
        touched_[head] = attempt_;
        ++nodes;
        for (block_id x = head; x != no_block; x = next_in_node_[x]) add(x);
      }
      grow_from(g, found_[next_++]);
      if (obstacle_ != no_block) {
        leave_out();
        return false;
      }
    }
    return true;
  }

  constexpr void name_units() {
    whole_units_ = true;
    name_.assign(num_blocks(), no_block);
    for (block_id b = 0; b < num_blocks(); ++b) {
      const std::uint32_t r = unit(b);
      if (r != none && known_[r].first == no_block) known_[r].first = b;
      name_[b] = r == none ? b : known_[r].first;
    }
  }

  // Largest first: count the regions of each size.
  constexpr void list_regions(const Shape& g, bool want_parts) {
    whole_units_ = true;
    regions_.clear();
    blocks_.clear();
    if (known_.empty()) return;
    for (candidate& p : known_) {
      p.first = no_block;
      p.size = 0;
    }
    order_.clear();
    for (block_id b = 0; b < num_blocks(); ++b)
      if (const std::uint32_t r = unit(b); r != none)
        if (known_[r].size++ == 0) order_.push_back(r);
    count_.assign(num_blocks() + 2, 0);
    for (const std::uint32_t r : order_) ++count_[num_blocks() - known_[r].size + 1];
    for (std::size_t i = 1; i < count_.size(); ++i) count_[i] += count_[i - 1];
    regions_.assign(order_.size(), unstructured_region{});
    for (const std::uint32_t r : order_) {
      candidate& p = known_[r];
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
      const std::uint32_t r = unit(b);
      if (r == none) continue;
      unit_[b] = known_[r].place;
    }
    for (block_id b = 0; b < num_blocks(); ++b) {
      if (unit_[b] == none) continue;
      unstructured_region& r = regions_[unit_[b]];
      blocks_[r.first + r.size++] = b;
    }
    for (const unstructured_edge& e : edges_)
      if (const std::uint32_t r = region_of(e); r != none) ++regions_[r].edges;
    if (!want_parts) return;
    structure_.recompute_parts(g, std::span<const std::uint32_t>(unit_), none);
    for (const block_id head : structure_.heads())
      if (unit_[head] != none) ++regions_[unit_[head]].parts;
  }

  struct interval {
    std::uint32_t first = 0xFFFF'FFFFU, last = 0;
    constexpr void take(std::uint32_t at) {
      if (at < first) first = at;
      if (at > last) last = at;
    }
    constexpr void take(const interval& other) {
      take(other.first);
      take(other.last);
    }
  };
  struct extent {
    interval up, down;
  };
  struct verdict {
    loop_id in = no_loop, out = no_loop;
  };

  basic_cfg_facts<Shape> own_;                // where the caller has none to share
  basic_cfg_facts<Shape>* shared_ = nullptr;  // the caller's; null: own_
  // Facts that the question at hand looks at.
  const basic_dominator_tree<Shape>* up_ = nullptr;
  const basic_post_dominator_tree<Shape>* down_ = nullptr;
  const basic_loop_forest<Shape>* loops_ = nullptr;
  const detail::end_index<Shape>* ends_ = nullptr;
  basic_structural_reduction<Shape> structure_;  // of the graph with regions taken for blocks
  id_map<loop_id, extent> span_;                 // by loop: where its blocks are in the two trees
  std::vector<verdict> judged_;                  // by block
  std::vector<unstructured_edge> edges_;
  std::vector<unstructured_region> regions_;
  std::vector<block_id> blocks_;
  std::vector<std::uint32_t> unit_;  // by block: its part while they are found, its region afterwards
  std::vector<candidate> known_;
  // A closure that grows.
  std::vector<std::uint32_t> met_, swallowed_, order_, count_;
  std::vector<block_id> found_, name_, way_, next_in_node_;
  std::vector<std::uint32_t> touched_;  // by head: the last attempt to find a hidden region that came to it
  std::uint32_t attempt_ = 0;
  std::size_t next_ = 0;
  block_id d_ = no_block, p_ = no_block;
  std::uint32_t now_ = 0;
  bool d_used_ = false, p_used_ = false;  // an edge from D, to P has been seen
  // By block: non-zero if no region may have it.
  std::span<const unsigned char> blocked_;
  block_id obstacle_ = no_block;     // the blocked block that the closure has reached
  std::vector<block_id> obstacles_;  // one for each closure that was given up
  std::vector<block_id> left_out_;   // by edge: the obstacle of its region
  static constexpr block_id not_looked_ = no_block - 1;
  std::vector<block_id> blocked_before_;  // by P: find_blocked_before()
  std::vector<unsigned char> seen_;
  bool whole_units_ = false;
};

/// Over a csr_graph.
using unstructured_flow = basic_unstructured_flow<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

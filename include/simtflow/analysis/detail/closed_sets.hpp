// SPDX-License-Identifier: BSL-1.0
//
// Closed sets of blocks (unstructured.hpp), and how they grow: a set begins with some blocks; D and P climb in their
// trees until they bound it, and all blocks between them join. Closed sets that are kept are regions. A set may take a
// region for one element, so that a region that becomes part of another one is looked at once.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/analysis/unstructured_edge.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Regions that are not to be made, nor any set that has some but not all of its blocks in one of them.
struct declined_regions {
  struct between {
    block_id dominator, post_dominator;
  };
  std::span<const std::uint32_t> of;  // by block: the innermost of them, as a place in bounds; no_unstructured_region
  std::span<const between> bounds;
};

template <class Shape>
class closed_sets {
 public:
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

  // The facts of the current question. A copy of this object has facts of its own, so each question names them again.
  constexpr void look_at(basic_cfg_facts<Shape>& facts) {
    up_ = &facts.dominators();
    down_ = &facts.post_dominators();
    ends_ = &facts.ends();
  }
  // Begins without a region. \pre look_at() of the facts of g.
  constexpr void start(const Shape& g, std::span<const unsigned char> blocked, declined_regions declined = {}) {
    SIMTFLOW_EXPECTS(blocked.empty() || blocked.size() == g.num_blocks(), "one blocked flag for each block, or none");
    declined_ = declined;
    wasted_ = 0;
    unit_.assign(g.num_blocks(), none);
    met_.assign(g.num_blocks(), 0);
    now_ = 0;
    known_.clear();
    blocked_ = blocked;
    obstacles_.clear();
    left_out_.clear();
    blocked_before_.clear();
  }
  // Ends the search for sets; the caller's flags may go.
  constexpr void finish() {
    blocked_ = {};
    declined_ = {};
  }
  // Begins to take each known region as one element.
  constexpr void take_whole_units() { whole_units_ = true; }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return unit_.size(); }
  // The bounds of the set, and its elements: each a block, or some block of a region.
  [[nodiscard]] constexpr block_id d() const { return d_; }
  [[nodiscard]] constexpr block_id p() const { return p_; }
  [[nodiscard]] constexpr const std::vector<block_id>& found() const { return found_; }
  // The blocked block that the set has reached, or no_block.
  [[nodiscard]] constexpr block_id obstacle() const { return obstacle_; }
  constexpr void set_obstacle(block_id b) { obstacle_ = b; }
  // A blocked block for each set that was given up.
  [[nodiscard]] constexpr const std::vector<block_id>& obstacles() const { return obstacles_; }
  // The regions so far; some are part of others.
  [[nodiscard]] constexpr std::vector<candidate>& known() { return known_; }
  // By block: its region while they are found; afterwards as the caller numbers them.
  [[nodiscard]] constexpr std::vector<std::uint32_t>& units() { return unit_; }
  [[nodiscard]] constexpr const std::vector<std::uint32_t>& units() const { return unit_; }
  // True if an element has yet to be looked at; the next one.
  [[nodiscard]] constexpr bool unfinished() const { return next_ < found_.size(); }
  [[nodiscard]] constexpr block_id next() const { return found_[next_]; }
  // Grows from the next element.
  constexpr void grow_from_next(const Shape& g) { grow_from(g, found_[next_++]); }

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
  // The region that b is taken for; none: b is taken for itself.
  constexpr std::uint32_t unit(block_id b) {
    if (!whole_units_ || unit_[b] == none) return none;
    std::uint32_t i = unit_[b];
    while (known_[i].into != i) i = known_[i].into = known_[known_[i].into].into;
    return unit_[b] = i;
  }
  // True if the set has b.
  constexpr bool met(block_id b) {
    const std::uint32_t r = unit(b);
    return (r == none ? met_[b] : known_[r].met) == now_;
  }
  // Adds a block, or the region that it is taken for.
  constexpr void add(block_id b) {
    const std::uint32_t r = unit(b);
    std::uint32_t& mark = r == none ? met_[b] : known_[r].met;
    if (mark == now_) return;
    mark = now_;
    if (r == none && !blocked_.empty() && blocked_[b] != 0) obstacle_ = b;
    if (!declined_.of.empty() && !found_.empty() && declined_.of[b] != declined_.of[found_[0]]) obstacle_ = b;
    if (found_.empty()) {  // the first sets the bounds
      d_ = r == none ? up_->idom(b) : known_[r].dominator;
      p_ = r == none ? down_->ipdom(b) : known_[r].post_dominator;
    }
    found_.push_back(b);
  }
  // False if it has reached a blocked block, or is declined.
  constexpr bool grow(const Shape& g) {
    while (obstacle_ == no_block && !is_declined() && next_ < found_.size()) grow_from(g, found_[next_++]);
    return obstacle_ == no_block;
  }
  // True if the set is a declined region, or will be when it has grown: it has its bounds. Its first element is then
  // the obstacle. Also true after too many elements of sets that came to nothing, so that these take linear time.
  constexpr bool is_declined() {
    if (declined_.of.empty() || found_.empty() || obstacle_ != no_block) return false;
    const std::uint32_t around = declined_.of[found_[0]];
    if (around == none) return false;
    const declined_regions::between& bounds = declined_.bounds[around];
    if (wasted_ <= patience_ * num_blocks() && (bounds.dominator != d_ || bounds.post_dominator != p_)) return false;
    obstacle_ = found_[0];
    return true;
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
  // Adds the neighbours of b, an element of the set, and moves D and P.
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
      if (p != last && ends_->is_reachable(p)) predecessor(p);
      last = p;
    }
    const std::span<const block_id> next = g.successors(b);
    for (std::size_t k = 0; k < next.size(); ++k) {
      successor(next[k]);
      if (!left_out_.empty() && next[k] != p_) meet_left_out(g.first_edge(b) + k);
    }
  }

  // Leaves out the region of e, which has a blocked block; so has every region with both ends of e.
  constexpr void leave_out(const Shape& g, const edge& e) {
    if (left_out_.empty()) left_out_.assign(g.targets().size(), no_block);
    if (e.slot < g.successors(e.from).size()) left_out_[g.first_edge(e.from) + e.slot] = obstacle_;
    leave_out();
  }
  constexpr void leave_out() {
    obstacles_.push_back(obstacle_);
    wasted_ += found_.size();
  }

  // Makes the region of e. False if it has a blocked block.
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

  // The set becomes a region; regions in it become parts of it.
  constexpr void keep(bool hidden) {
    const std::uint32_t name = static_cast<std::uint32_t>(known_.size());
    known_.push_back({d_, p_, name, 0, no_block, 0, 0, hidden});
    for (const std::uint32_t r : swallowed_) known_[r].into = name;
    for (const block_id b : found_)
      if (unit_[b] == none) unit_[b] = name;
  }

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

  // The set as the caller gets it.
  constexpr void hand_out(closed_blocks& out) {
    out.dominator = found_.empty() ? no_block : d_;
    out.post_dominator = found_.empty() ? no_block : p_;
    out.blocks.assign(found_.begin(), found_.end());
    detail::sort_ascending(out.blocks);
  }

 private:
  static constexpr block_id not_looked_ = no_block - 1;
  static constexpr std::size_t patience_ = 16;

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
  // A blocked block between p and a branch with p as its immediate post-dominator; no_block: there is none.
  constexpr block_id find_blocked_before(const Shape& g, block_id p) {
    seen_.assign(num_blocks(), 0);
    way_.clear();
    for (block_id b = 0; b < num_blocks(); ++b)
      if (g.successors(b).size() > 1 && ends_->is_reachable(b) && down_->ipdom(b) == p) way_.push_back(b);
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
  constexpr void meet_left_out(std::size_t e) {
    if (left_out_[e] != no_block && obstacle_ == no_block) obstacle_ = left_out_[e];
  }

  const dense::basic_dominator_tree<Shape>* up_ = nullptr;
  const dense::basic_post_dominator_tree<Shape>* down_ = nullptr;
  const end_index<Shape>* ends_ = nullptr;
  std::vector<std::uint32_t> unit_;
  std::vector<candidate> known_;
  // The set that grows.
  std::vector<std::uint32_t> met_, swallowed_;
  std::vector<block_id> found_;
  std::size_t next_ = 0;
  block_id d_ = no_block, p_ = no_block;
  std::uint32_t now_ = 0;
  bool d_used_ = false, p_used_ = false;  // an edge from D, to P has been seen
  bool whole_units_ = false;
  // Blocks that no region may have.
  std::span<const unsigned char> blocked_;  // by block: non-zero if no region may have it
  declined_regions declined_;
  std::size_t wasted_ = 0;  // elements of sets that were left out
  block_id obstacle_ = no_block;
  std::vector<block_id> obstacles_;
  std::vector<block_id> left_out_;        // by edge: the obstacle of its region
  std::vector<block_id> blocked_before_;  // by P: find_blocked_before()
  std::vector<unsigned char> seen_;
  std::vector<block_id> way_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

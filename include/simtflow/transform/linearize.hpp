// SPDX-License-Identifier: BSL-1.0
//
// Guard linearization: takes unstructured control flow away without copying code. The blocks of a region are put in a
// row, each behind a *guard*: a test of a variable gv, set where a block of the region ends, that says which of them
// comes next. A retreating edge becomes a *loop guard* at the end of an interval of the row: as long as gv is one of
// its blocks, back to its beginning.
//
//   if (gv == 1) { a; gv = c ? 2 : 3; }      Blocks that the paths from a branch share are fetched once for all
//   if (gv == 2) { b; gv = d ? 3 : none; }   threads; what is irreducible becomes reducible; the result is structured.
//   if (gv == 3) { c; gv = none; }           The price is the tests.
//
// What is linearized are the outermost unstructured regions (unstructured.hpp) of the graph in which everything
// structured has been reduced to one node each: a structured part of a region is entered through one guard and left as
// it is. By default few guards are left (guard_tree.hpp); gv is set on edges that lead to a guard, and
// only there.
//
//   linearize(g)                  until the graph is structured
//   linearize_blocks(g, blocks)   one set of blocks with one way out, structured or not
//   interleave(g, branch, order)  the arms of a branch in the caller's order, so that one hides the other's latency
//   merge_loops(g, header)        nested loops become one: threads need not wait for each other's inner iterations
//   limit_stack_depth(g, limit)   branches nested so deeply that a reconvergence stack would overflow
//
// Convergent operations: within a region threads meet that did not meet before (that is what it is for), and threads of
// different iterations may with merged loops. A block that must be executed by the same threads together as before (a
// barrier, a vote, a shuffle) therefore must not be in a region; which threads did meet is not provable in general. A
// region that has one is left as it is, and the result says which block is in the way. The branch that dominates a
// region and the block behind it are not in it.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), with other regions, loop guards and optimizations; see plan.hpp for what comes out.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/guard_tree.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How to linearize.
struct linearize_options {
  loop_guards loops = loop_guards::component;
  guard_optimization optimize = guard_optimization::full;
  /// Dense ids: of two blocks of a region the one that is listed first comes first; of a structured part its first
  /// block counts. Empty: the weak topological order of weak_topological_order.hpp. Blocks that are not listed come
  /// last. Optimizations may nest blocks of different arms apart again. Has to outlive the call only.
  std::span<const block_id> order{};
};

/// A region that was linearized.
struct linearized_region {
  block_id dominator = no_block;  ///< the block of the plan from which it is entered, if it is one block
  block_id after = no_block;      ///< the block of the plan that comes behind it; no_block: threads end
  std::uint32_t parts = 0;        ///< blocks and structured parts that were put in a row
  std::uint32_t loops = 0;        ///< intervals of the row that repeat
  std::uint32_t variable = 0;     ///< the guard variable
};

/// What linearization made of a graph.
struct linearization {
  flow_plan plan;
  std::vector<linearized_region> regions;
  /// Convergent blocks because of which a region was left as it is, by ascending dense id.
  std::vector<block_id> refused;
  std::uint32_t rounds = 0;
  /// Endless loops that were given a way to the end, a guard that no thread fails: only where one of them is a part of
  /// a region. Variables of such guards are never set.
  std::uint32_t endless = 0;
  /// The plan's graph reduces to one node. Of linearize_blocks: the blocks were linearized.
  bool structured = false;
};

namespace detail {

// Writes one linearized region into a plan.
template <class Plan = flow_plan>
class region_writer {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  // The slot of an edge on which threads end.
  static constexpr std::uint32_t ending = none;

  struct way_out {
    block_id block;
    std::uint32_t slot;
  };

  // `enter[u]`: the block of the plan where part u is entered. `after`: where the region leads; no_block: to the end.
  // `fold_entry`: the edges from outside are all edges of one block, whose branch may choose the first part itself.
  constexpr void write(Plan& plan, std::span<const block_id> enter, std::span<const region_edge> edges, block_id after,
                       bool fold_entry, const linearize_options& options) {
    plan_ = &plan;
    enter_ = enter;
    level_ = options.optimize;
    units_ = static_cast<std::uint32_t>(enter.size());
    tree_.arrange(units_, edges, options.loops, level_ >= guard_optimization::nest);
    variable_ = plan.add_variable();
    after_region_ = after;
    fold_entry_ = fold_entry && level_ >= guard_optimization::fold;
    find_short_loops(edges);
    make_guards();
    find_entries();
    find_ends();
    connect_guards();
    for (std::size_t i = 0; i < edges.size(); ++i) connect(edges[i], i);
    if (end_is_used_) give_end();
  }

  [[nodiscard]] constexpr std::uint32_t variable() const { return variable_; }
  [[nodiscard]] constexpr std::uint32_t num_loops() const { return tree_.num_loops(); }
  // Where the region is entered, if not by several edges of one branch.
  [[nodiscard]] constexpr block_id entry() const { return entry_[0]; }
  [[nodiscard]] constexpr block_id loop_start(std::uint32_t l) const { return entry_[tree_.choice(1 + units_ + l, 0)]; }
  // The slots that lead behind the region now; slot `ending`: threads end in the block.
  [[nodiscard]] constexpr std::span<const way_out> ways_out() const { return std::span<const way_out>(out_); }

 private:
  // Where a loop's iterations end there is a guard, unless each thread's way is known.
  enum class loop_end : unsigned char {
    guard,   // at the end
    head,    // a guard that every iteration begins with
    items,   // by item of the last choice: all go back, or all leave
    branch,  // by edge of the only block of the last choice, and by item behind it
  };
  // Where a loop or a region ends; not a block yet.
  static constexpr block_id at_end = no_block;
  static constexpr block_id by_edge = no_block - 1;

  [[nodiscard]] constexpr std::uint32_t sequence_of_loop(std::uint32_t l) const { return 1 + units_ + l; }
  [[nodiscard]] constexpr bool is_folded(std::uint32_t sequence) const {
    return sequence == 0 ? fold_entry_ : sequence <= units_ && level_ >= guard_optimization::fold;
  }
  // How many of a choice's items have a test: the first so many. A loop that is tested before every iteration sends
  // those who leave it on like those who never wanted it, so what follows in the choice must have a test, too.
  [[nodiscard]] constexpr std::uint32_t count_tests(std::uint32_t c) const {
    const auto items = tree_.items(c);
    const std::uint32_t s = tree_.sequence_of(items[0]), all = static_cast<std::uint32_t>(items.size());
    if (tree_.place_of(items[0]) == 0 && is_folded(s)) return 0;
    if (level_ == guard_optimization::none) return tree_.is_loop(items[0]) ? 0 : 1;
    if (level_ < guard_optimization::full || tree_.is_passed(c)) return all;
    for (std::uint32_t k = all - 1; k-- > 0 && tree_.is_loop(items[k]);)
      if (loop_[items[k] - units_].end == loop_end::guard) return all;
    return all - 1;
  }

  // --- loops that need no guard at their end ---

  constexpr void find_short_loops(std::span<const region_edge> edges) {
    const std::uint32_t loops = tree_.num_loops();
    loop_.assign(loops, loop{});
    goes_back_.assign(tree_.num_items(), 0);
    deciding_.assign(units_, none);
    if (level_ == guard_optimization::full) {
      for (std::size_t i = 0; i < edges.size(); ++i)
        if (tree_.is_retreating(edges[i])) note_way_back(edges[i], tree_.wanted(i) - units_);
      for (std::uint32_t l = loops; l-- > 0;) {  // inner ones first
        loop_[l].end = judge(l);
        if (loop_[l].end != loop_end::branch) continue;
        const std::uint32_t s = sequence_of_loop(l);
        deciding_[tree_.items(tree_.choice(s, tree_.num_choices(s) - 1))[0]] = l;
      }
    }
    tests_.assign(tree_.num_choices(), 0);
    tested_.assign(tree_.num_items(), 0);
    for (std::uint32_t c = 0; c < tests_.size(); ++c) {
      tests_[c] = count_tests(c);
      for (std::uint32_t k = 0; k < tests_[c]; ++k) tested_[tree_.items(c)[k]] = 1;
    }
    for (std::uint32_t l = 0; l < loops; ++l)
      if (tested_[units_ + l] != 0 && loop_[l].end == loop_end::guard) loop_[l].end = loop_end::head;
  }
  constexpr void note_way_back(const region_edge& e, std::uint32_t l) {
    const std::uint32_t s = sequence_of_loop(l), last = tree_.num_choices(s) - 1;
    const std::uint32_t x = tree_.item_around(e.from, s);
    if (tree_.place_of(x) != last) loop_[l].early = true;
    goes_back_[x] = 1;
    if (tree_.is_loop(x) || x == e.from || tree_.items(tree_.choice(s, last)).size() > 1) return;
    goes_back_[tree_.item_around(e.from, 1 + x)] = 1;
  }
  [[nodiscard]] constexpr bool is_mixed(std::uint32_t item, std::uint32_t l) const {
    return goes_back_[item] != 0 && tree_.leaves(item, l);
  }
  constexpr loop_end judge(std::uint32_t l) {
    const std::uint32_t s = sequence_of_loop(l), last = tree_.num_choices(s) - 1;
    const std::uint32_t c = tree_.choice(s, last);
    const auto items = tree_.items(c);
    bool leaves = false, leaves_early = false, mixed = false;
    for (std::uint32_t p = 0; p < last; ++p)
      for (const std::uint32_t x : tree_.items(tree_.choice(s, p))) leaves_early = leaves_early || tree_.leaves(x, l);
    for (const std::uint32_t x : items) {
      leaves = leaves || tree_.leaves(x, l);
      mixed = mixed || is_mixed(x, l);
    }
    if (!leaves && !leaves_early) return loop_end::guard;
    if (loop_[l].early && leaves_early) return loop_end::guard;
    bool past_is_known = tree_.is_passed(c);
    loop_[l].past_is_back = loop_[l].early;
    const std::uint32_t tests = count_tests(c);
    for (std::uint32_t k = 0; k < tests; ++k) {  // loops that send on who leaves them like who passes
      const std::uint32_t y = items[k];
      if (!tree_.is_loop(y) || loop_[y - units_].end != loop_end::guard) continue;
      const bool back = goes_back_[y] != 0;
      if (back && tree_.leaves(y, l)) return loop_end::guard;
      if (past_is_known && back != loop_[l].past_is_back) return loop_end::guard;
      loop_[l].past_is_back = back;
      past_is_known = true;
    }
    // There must be one way out: those that go back are tested before those that leave, or one item alone leaves.
    std::size_t out = 0, back_behind_out = 0;
    for (const std::uint32_t y : items) {
      if (goes_back_[y] == 0) ++out;
      if (goes_back_[y] != 0 && out > 0) ++back_behind_out;
    }
    if (loop_[l].past_is_back ? out > 1 : back_behind_out > 0 && (tests == items.size() || tests > 1))
      return loop_end::guard;
    if (!mixed) return loop_end::items;
    const std::uint32_t x = items[0];
    if (items.size() == 1 && !tree_.is_loop(x) && tree_.num_choices(1 + x) <= 1 &&
        (!tree_.is_passed(c) || loop_[l].past_is_back)) {
      bool clear = true;
      if (tree_.num_choices(1 + x) == 1)
        for (const std::uint32_t y : tree_.items(tree_.choice(1 + x, 0))) clear = clear && !is_mixed(y, l);
      if (clear) return loop_end::branch;
    }
    // Threads that leave go round once more: every test has to let them pass.
    if (loop_[l].past_is_back) return loop_end::guard;
    for (std::uint32_t p = 0; p <= last; ++p)
      if (!tree_.is_passed(tree_.choice(s, p))) return loop_end::guard;
    return loop_end::items;
  }

  // --- guards ---

  constexpr void make_guards() {
    guard_.assign(tree_.num_items(), no_block);
    for (const std::uint32_t x : tree_.placed()) {
      const bool at_end_of_loop = tree_.is_loop(x) && loop_[x - units_].end == loop_end::guard;
      if (tested_[x] != 0 || at_end_of_loop)
        guard_[x] = plan_->add_guard(variable_, tree_.low(x), tree_.high(x), tree_.is_loop(x) ? no_block : enter_[x]);
    }
  }

  constexpr block_id start_of(std::uint32_t item) const {
    return tree_.is_loop(item) ? entry_[tree_.choice(1 + item, 0)] : enter_[item];
  }
  // By choice: where it begins; inner ones first, because a loop begins where its first choice does.
  constexpr void find_entries() {
    entry_.assign(tree_.num_choices(), no_block);
    const auto placed = tree_.placed();
    for (std::size_t i = placed.size(); i-- > 0;) {
      const std::uint32_t x = placed[i], c = tree_.choice_of(x);
      const std::uint32_t first = tree_.items(c)[0];
      if (x != first) continue;
      entry_[c] = tests_[c] > 0 ? guard_[x] : start_of(x);
    }
  }

  // By item: where threads go behind it. Outer ones first.
  constexpr void find_ends() {
    end_is_used_ = false;
    after_.assign(tree_.num_items(), at_end);
    for (const std::uint32_t x : tree_.placed()) {
      const std::uint32_t s = tree_.sequence_of(x), place = tree_.place_of(x);
      after_[x] = place + 1 < tree_.num_choices(s) ? entry_[tree_.choice(s, place + 1)] : end_of(s, x);
    }
  }
  // What comes behind the last choice of a sequence, for threads that come from one of its items.
  constexpr block_id end_of(std::uint32_t s, std::uint32_t item) const {
    if (s == 0) return after_region_;
    const std::uint32_t owner = s - 1;
    if (!tree_.is_loop(owner)) {
      const std::uint32_t l = deciding_[owner];
      return l == none ? after_[owner] : goes_back_[item] ? loop_start(l) : after_[units_ + l];
    }
    const std::uint32_t l = owner - units_;
    switch (loop_[l].end) {
      case loop_end::guard:
      case loop_end::head:
        return guard_[owner];
      case loop_end::items:
        return goes_back_[item] ? loop_start(l) : after_[owner];
      case loop_end::branch:
        break;
    }
    return by_edge;
  }

  // --- edges ---

  constexpr void connect_guards() {
    out_.clear();
    for (const std::uint32_t x : tree_.placed()) {
      const std::uint32_t s = tree_.sequence_of(x), place = tree_.place_of(x);
      if (tree_.is_loop(x) && loop_[x - units_].end == loop_end::guard) {
        lead(guard_[x], 0, start_of(x));
        lead(guard_[x], 1, after_[x]);
      }
      const auto items = tree_.items(tree_.choice(s, place));
      const std::uint32_t tests = tests_[tree_.choice(s, place)];
      if (items[0] != x) continue;
      for (std::uint32_t k = 0; k < tests; ++k) {
        lead(guard_[items[k]], 0, start_of(items[k]));
        lead(guard_[items[k]], 1,
             k + 1 < tests          ? guard_[items[k + 1]]
             : tests < items.size() ? start_of(items[tests])
                                    : behind(s, place));
      }
    }
  }
  // Where threads go that want no item of the choice.
  constexpr block_id behind(std::uint32_t s, std::uint32_t place) const {
    if (place + 1 < tree_.num_choices(s)) return entry_[tree_.choice(s, place + 1)];
    if (s == 0) return after_region_;
    const std::uint32_t owner = s - 1;
    if (!tree_.is_loop(owner)) return after_[owner];
    const loop& l = loop_[owner - units_];
    if (l.end == loop_end::guard || l.end == loop_end::head) return guard_[owner];
    return l.past_is_back ? start_of(owner) : after_[owner];
  }
  constexpr void lead(block_id guard, std::uint32_t slot, block_id to) {
    if (to == at_end) {
      end_is_used_ = true;
    } else {
      plan_->set_edge(guard, slot, to);
    }
    if (to == after_region_) out_.push_back({guard, slot});
  }

  constexpr block_id target(const region_edge& e, std::size_t number) const {
    const std::uint32_t s = e.from == none ? 0 : 1 + e.from;
    const bool back = tree_.is_retreating(e);
    std::uint32_t place = 0;
    if (is_folded(s) && tree_.num_choices(s) > 0) {
      if (e.to < units_ && !back) {
        const std::uint32_t x = tree_.wanted(number);
        if (tree_.sequence_of(x) == s && tree_.place_of(x) == 0) return start_of(x);
      }
      place = 1;
    }
    if (place < tree_.num_choices(s)) return entry_[tree_.choice(s, place)];
    if (s == 0) return after_region_;
    if (after_[e.from] != by_edge) return after_[e.from];
    const std::uint32_t owner = tree_.sequence_of(e.from) - 1;  // the loop whose end the edge decides
    return back && tree_.wanted(number) == owner ? start_of(owner) : after_[owner];
  }
  constexpr void connect(const region_edge& e, std::size_t number) {
    const block_id to = target(e, number);
    if (to == at_end) {  // threads end: with the others, if there is a place for it
      out_.push_back({e.block, ending});
      return;
    }
    const plan_block& there = (*plan_)[to];
    const bool tested = there.role == plan_role::guard && there.variable == variable_;
    const bool sets = tested || level_ < guard_optimization::full;
    if (e.block == no_block) {  // the start of the program; variables are zero there
      block_id start = to;
      if (sets && e.to != 0) {
        start = plan_->add_empty();
        plan_->set_edge(start, 0, to);
        plan_->assign(start, 0, {variable_, e.to});
      }
      plan_->set_entry(start);
      return;
    }
    std::uint32_t slot = e.slot;
    if (slot == ending) {
      slot = static_cast<std::uint32_t>(plan_->add_exit_edge(e.block, to));
    } else {
      plan_->set_edge(e.block, slot, to);
    }
    if (sets) plan_->assign(e.block, slot, {variable_, e.to});
    if (to == after_region_ && e.from != none) out_.push_back({e.block, slot});
  }
  // Some guard is the last thing that threads do: all of them end in one new block.
  constexpr void give_end() {
    const block_id end = plan_->add_empty(true);
    for (const way_out& w : out_) {
      if (w.slot == ending) {
        plan_->add_exit_edge(w.block, end);
      } else {
        plan_->set_edge(w.block, w.slot, end);
      }
    }
    out_.clear();
    out_.push_back({end, ending});
  }

  struct loop {
    loop_end end = loop_end::guard;
    bool tested = false;        // before it is entered
    bool early = false;         // a retreating edge comes from before its last choice
    bool past_is_back = false;  // who wants nothing of the last choice goes back
  };

  Plan* plan_ = nullptr;
  std::span<const block_id> enter_;
  guard_optimization level_ = guard_optimization::none;
  bool fold_entry_ = false, end_is_used_ = false;
  std::uint32_t units_ = 0, variable_ = 0;
  block_id after_region_ = no_block;
  guard_tree<> tree_;
  std::vector<loop> loop_;
  std::vector<std::uint32_t> tests_;             // by choice
  std::vector<unsigned char> tested_;            // by item
  std::vector<unsigned char> goes_back_;         // by item of the last choice of a loop, or behind its only block
  std::vector<std::uint32_t> deciding_;          // by block: the loop whose end it decides
  std::vector<block_id> guard_, entry_, after_;  // by item, by choice, by item
  std::vector<way_out> out_;
};

// Shape is csr_graph.
template <class Shape = csr_graph>
class linearizer {
 public:
  // g is the graph of result.plan. convergent[b] for each block; empty: none is.
  constexpr void run(const Shape& g, const linearize_options& options, std::span<const unsigned char> convergent,
                     linearization& result) {
    start(g, options, convergent, result);
    structure_.compute(g, {});
    if (structure_.residue() <= 1) {
      result.structured = true;
      return;
    }
    take_parts(g);
    for (;;) {
      const std::size_t parts = part_.size();
      flow_.compute(quotient_, false);
      if (result.rounds == 0 && result.endless == 0 && touches_endless_part(g)) {
        give_way_out(g, result);
        again_ = snapshot(result.plan);
        structure_.compute(again_, {});
        take_parts(again_);
        continue;
      }
      const bool any = one_round(result);
      if (any) ++result.rounds;
      if (!any || part_.size() == parts) break;
      structure_.compute(quotient_, {});
      result.structured = structure_.residue() <= 1;
      if (result.structured) break;
      merge_parts();
    }
    list_refused(result);
  }

  // Regions of plain blocks: those of region r are the b with region[b] == r. What is not reachable is in none.
  // `lead_past`: edges by which the branch in front of a region passes it are led through its guards, too.
  // \pre each region has one way out, and none leads into another one
  constexpr void run_blocks(const Shape& g, std::span<const std::uint32_t> region, std::uint32_t regions,
                            bool lead_past, const linearize_options& options, std::span<const unsigned char> convergent,
                            linearization& result) {
    lead_past_ = lead_past;
    start(g, options, convergent, result);
    if (g.num_blocks() == 0) return;
    ends_.compute(g, infinite_loops::virtual_edge);
    leaves_ = &ends_;
    take_blocks(g);
    region_of_.assign(g.num_blocks(), none);
    refused_regions_.assign(regions, 0);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (!ends_.is_reachable(b) || region[b] == none) continue;
      region_of_[b] = region[b];
      if (!part_[b].convergent) continue;
      refused_regions_[region[b]] = 1;
      refused_[b] = 1;
    }
    for (std::uint32_t& r : region_of_)
      if (r != none && refused_regions_[r] != 0) r = none;
    list_refused(result);
    behind_.assign(regions, several_);
    for (const live_edge& e : live_) {
      const std::uint32_t r = region_of_[e.from];
      if (r == none || (e.to != no_block && region_of_[e.to] == r)) continue;
      SIMTFLOW_EXPECTS(behind_[r] == several_ || behind_[r] == e.to, "blocks that are linearized have one way out");
      SIMTFLOW_EXPECTS(e.to == no_block || region_of_[e.to] == none, "regions that are linearized do not touch");
      behind_[r] = e.to;
    }
    loops_.compute(g);
    order_parts(loops_);
    collect(regions);
    for (std::uint32_t r = 0; r < regions; ++r) {
      if (size_[r] == 0) continue;
      linearize_region(r, behind_[r] == several_ ? no_block : behind_[r], result);
      result.rounds = 1;
    }
    result.structured = result.refused.empty();
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr block_id several_ = no_block - 1;
  static constexpr std::uint32_t refused_region = none - 1;
  using writer = region_writer<>;

  // A part is a block, a structured piece of the graph, or a region that has been linearized.
  struct part {
    block_id head;   // its block of the graph that stands for it in orders
    block_id enter;  // where it is entered in the plan
    bool convergent = false;
  };
  // An edge of the plan from part to part; to no_block: threads end in the block, or in several of the part.
  struct live_edge {
    block_id from, to;
    block_id block;
    std::uint32_t slot;
  };

  constexpr void start(const Shape& g, const linearize_options& options, std::span<const unsigned char> convergent,
                       linearization& result) {
    SIMTFLOW_EXPECTS(convergent.empty() || convergent.size() == g.num_blocks(), "a table has an entry for each block");
    options_ = options;
    convergent_ = convergent;
    result.regions.clear();
    result.refused.clear();
    result.rounds = result.endless = 0;
    result.structured = g.num_blocks() == 0;
    refused_.assign(g.num_blocks(), 0);
    rank_.clear();
    if (options.order.empty()) return;
    rank_.assign(g.num_blocks(), none);
    std::uint32_t next = 0;
    for (const block_id b : options.order) {
      SIMTFLOW_EXPECTS(b < g.num_blocks(), "an order lists blocks of the graph");
      if (rank_[b] == none) rank_[b] = next++;
    }
  }

  constexpr void take_parts(const Shape& g) {
    part_.clear();
    part_of_.assign(g.num_blocks(), none);
    for (const block_id h : structure_.heads()) {
      part_of_[h] = static_cast<std::uint32_t>(part_.size());
      part_.push_back({h, h, false});
    }
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const block_id h = structure_.head_of(b);
      if (h == no_block) continue;
      part_of_[b] = part_of_[h];
      if (b < convergent_.size() && convergent_[b] != 0) part_[part_of_[b]].convergent = true;
    }
    take_edges(g, false);
  }
  constexpr void take_blocks(const Shape& g) {
    part_.clear();
    part_of_.assign(g.num_blocks(), none);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      part_.push_back({b, b, !convergent_.empty() && convergent_[b] != 0});
      if (ends_.is_reachable(b)) part_of_[b] = b;
    }
    take_edges(g, true);
  }
  constexpr void take_edges(const Shape& g, bool own_too) {
    live_.clear();
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const std::uint32_t from = part_of_[b];
      if (from == none) continue;
      std::uint32_t slot = 0;
      for (const block_id s : g.successors(b)) {
        if (own_too || part_of_[s] != from) live_.push_back({from, part_of_[s], b, slot});
        ++slot;
      }
      if (g.is_exit(b)) live_.push_back({from, no_block, b, writer::ending});
    }
    entry_ = part_of_[g.entry()];
    build_quotient();
  }

  // --- endless loops ---

  // A part of a region has an endless loop. That does not end where others do, and the region would not be structured,
  // whatever is done with it.
  constexpr bool touches_endless_part(const Shape& g) {
    const auto& ends = structure_.ends();  // of g: nothing has been reduced since
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (ends.ends(b) && !ends.reaches_exit(b) && comes_back_within_part(g, b)) {
        const std::uint32_t r = flow_.region_of(part_of_[b]);
        if (r == no_unstructured_region) continue;
        bool convergent = false;
        for (const block_id p : flow_.blocks(flow_.regions()[r])) convergent = convergent || part_[p].convergent;
        if (!convergent) return true;
      }
    return false;
  }
  // Otherwise it is a loop of the region.
  constexpr bool comes_back_within_part(const Shape& g, block_id first) const {
    for (const block_id p : g.predecessors(first))
      if (part_of_[p] == part_of_[first] && !structure_.ends().reaches_exit(p)) return true;
    return g.successors(first).empty();
  }
  // So every endless loop gets a way to the end: a test before each iteration that no thread fails.
  constexpr void give_way_out(const Shape& g, linearization& result) {
    flow_plan& plan = result.plan;
    const block_id end = plan.add_empty(true);
    std::vector<block_id> work;
    std::vector<unsigned char> inside;
    inside.assign(g.num_blocks(), 0);
    for (block_id first = 0; first < g.num_blocks(); ++first) {
      if (!structure_.ends().ends(first) || structure_.ends().reaches_exit(first)) continue;
      const block_id test = plan.add_guard(plan.add_variable(), 0, 0);
      plan.set_edge(test, 0, first);
      plan.set_edge(test, 1, end);
      ++result.endless;
      work.push_back(first);
      inside[first] = 1;
      while (!work.empty()) {  // the loop is all that can be reached
        const block_id b = work.back();
        work.pop_back();
        for (std::size_t k = 0; k < g.successors(b).size(); ++k) {
          const block_id s = g.successors(b)[k];
          if (s == first) plan.set_edge(b, k, test);
          if (inside[s] != 0) continue;
          inside[s] = 1;
          work.push_back(s);
        }
      }
    }
  }

  // --- a round: every outermost region at once ---

  constexpr bool one_round(linearization& result) {
    leaves_ = &flow_.ends();
    const auto regions = flow_.regions();
    region_of_.assign(part_.size(), none);
    bool refused = false, any = false;
    for (std::uint32_t r = 0; r < regions.size(); ++r) {
      bool convergent = false;
      for (const block_id p : flow_.blocks(regions[r])) convergent = convergent || part_[p].convergent;
      refused = refused || convergent;
      if (regions[r].size < 2) continue;
      for (const block_id p : flow_.blocks(regions[r])) region_of_[p] = convergent ? refused_region : r;
      any = any || !convergent;
    }
    if (refused) note_refused();
    if (!any) return false;
    order_parts(flow_.loops());
    collect(static_cast<std::uint32_t>(regions.size()));
    for (const block_id p : order_) {  // a region from which another one is entered comes first
      const std::uint32_t r = region_of_[p];
      if (r == none || place_[p] != 0) continue;
      linearize_region(r, regions[r].post_dominator, result);
    }
    contract();
    return true;
  }

  constexpr void build_quotient() {
    csr_builder builder(part_.size(), entry_);
    for (const live_edge& e : live_) {
      if (e.to == no_block)
        builder.mark_exit(e.from);
      else
        builder.add_edge(e.from, e.to);
    }
    quotient_ = builder.build();
  }

  constexpr void note_refused() {
    for (block_id b = 0; b < convergent_.size(); ++b)
      if (part_of_[b] != none && region_of_[part_of_[b]] == refused_region && convergent_[b] != 0) refused_[b] = 1;
    for (std::uint32_t& r : region_of_)
      if (r == refused_region) r = none;
  }
  constexpr void list_refused(linearization& result) {
    for (block_id b = 0; b < refused_.size(); ++b)
      if (refused_[b] != 0) result.refused.push_back(b);
  }

  // place_: the number of a part in its region.
  constexpr void order_parts(const loop_index<Shape>& loops) {
    list_loop_contiguous(loops, order_, next_);
    place_.assign(part_.size(), none);
    size_.assign(part_.size() + 1, 0);
    if (!rank_.empty()) {
      by_rank_.assign(rank_.size(), no_block);
      for (const block_id p : order_)
        if (const block_id h = part_[p].head; h < rank_.size() && rank_[h] != none) by_rank_[rank_[h]] = p;
      for (const block_id p : by_rank_)
        if (p != no_block) give_place(p);
    }
    for (const block_id p : order_)
      if (place_[p] == none) give_place(p);
  }
  constexpr void give_place(block_id p) {
    if (region_of_[p] == none) return;
    place_[p] = size_[region_of_[p]]++;
  }

  // Edges by region; those that concern none stay.
  constexpr void collect(std::uint32_t regions) {
    const auto region = [&](const live_edge& e) {
      if (region_of_[e.from] != none) return region_of_[e.from];
      return e.to == no_block ? none : region_of_[e.to];
    };
    first_.assign(std::size_t{regions} + 1, 0);
    for (const live_edge& e : live_)
      if (const std::uint32_t r = region(e); r != none) ++first_[r];
    std::uint32_t all = 0;
    for (std::uint32_t& f : first_) {
      const std::uint32_t here = f;
      f = all;
      all += here;
    }
    edges_.assign(all, 0);
    for (std::uint32_t e = 0; e < live_.size(); ++e)
      if (const std::uint32_t r = region(live_[e]); r != none) edges_[first_[r]++] = e;
    for (std::size_t r = regions; r > 0; --r) first_[r] = first_[r - 1];
    first_[0] = 0;
    parts_.assign(part_.size(), no_block);
    begin_.assign(std::size_t{regions} + 1, 0);
    for (std::uint32_t r = 0; r < regions; ++r) begin_[r + 1] = begin_[r] + size_[r];
    for (block_id p = 0; p < part_.size(); ++p)
      if (region_of_[p] != none && place_[p] != none) parts_[begin_[region_of_[p]] + place_[p]] = p;
    // By part, which edges leave it; and how many of them enter regions.
    first_out_.assign(part_.size() + 1, 0);
    entering_.assign(part_.size(), 0);
    for (const live_edge& e : live_) {
      ++first_out_[e.from + 1];
      if (region_of_[e.from] == none && region(e) != none) ++entering_[e.from];
    }
    for (std::size_t p = 0; p < part_.size(); ++p) first_out_[p + 1] += first_out_[p];
    out_.assign(live_.size(), 0);
    next_.assign(first_out_.begin(), first_out_.end());
    for (std::uint32_t e = 0; e < live_.size(); ++e) out_[next_[live_[e].from]++] = e;
    taken_.assign(live_.size(), 0);
    arriving_.clear();
    first_arriving_.assign(regions, none);
    new_part_.assign(part_.size() + regions, none);
    made_.clear();
    fresh_.clear();
  }

  // One branch enters the region, and leads nowhere else but behind it: then it can choose the first part itself. Its
  // edges that pass by have to be led like threads that want none.
  constexpr bool can_choose(std::uint32_t r, block_id from, std::uint32_t edges, block_id after) {
    if (edges < 2 || entering_[from] != edges || leaves_->ends(from)) return false;
    for (std::uint32_t i = first_out_[from]; i < first_out_[from + 1]; ++i) {
      const block_id to = live_[out_[i]].to;
      if (to == no_block || (region_of_[to] != r && to != after)) return false;
    }
    return true;
  }

  constexpr void linearize_region(std::uint32_t r, block_id after, linearization& result) {
    const std::uint32_t parts = size_[r], name = static_cast<std::uint32_t>(part_.size()) + r;
    region_edges_.clear();
    const bool starts = region_of_[entry_] == r;
    if (starts) region_edges_.push_back({none, place_[entry_], no_block, 0});
    std::uint32_t entering = 0;
    block_id from = no_block;
    bool one_source = !starts && first_arriving_[r] == none;
    for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) {
      const live_edge& e = live_[edges_[i]];
      const bool inside = region_of_[e.from] == r, stays = e.to != no_block && region_of_[e.to] == r;
      taken_[edges_[i]] = 1;
      region_edges_.push_back({inside ? place_[e.from] : none, stays ? place_[e.to] : parts, e.block, e.slot});
      if (inside) continue;
      fresh_.push_back({e.from, name, e.block, e.slot});
      ++entering;
      one_source = one_source && (from == no_block || from == e.from);
      from = e.from;
    }
    for (std::uint32_t i = first_arriving_[r]; i != none; i = arriving_[i].next)
      region_edges_.push_back({none, place_[arriving_[i].to], arriving_[i].block, arriving_[i].slot});
    std::uint32_t to = none;  // of edges from outside
    bool several = false;
    linearized_region made;
    for (const region_edge& e : region_edges_) {
      if (e.from != none) continue;
      several = several || (to != none && to != e.to);
      made.dominator = to == none || made.dominator == e.block ? e.block : no_block;
      to = e.to;
    }
    const bool choose =
        one_source && several && options_.optimize >= guard_optimization::fold && can_choose(r, from, entering, after);
    if (choose || (lead_past_ && one_source && from != no_block))
      for (std::uint32_t i = first_out_[from]; i < first_out_[from + 1]; ++i) {
        const live_edge& e = live_[out_[i]];
        if (after == no_block || e.to != after || taken_[out_[i]] != 0) continue;
        taken_[out_[i]] = 1;
        region_edges_.push_back({none, parts, e.block, e.slot});
        fresh_.push_back({e.from, name, e.block, e.slot});
      }
    enter_.clear();
    for (std::uint32_t i = 0; i < parts; ++i) enter_.push_back(part_[parts_[begin_[r] + i]].enter);
    made.after = after == no_block ? no_block : part_[after].enter;
    writer_.write(result.plan, std::span<const block_id>(enter_), std::span<const region_edge>(region_edges_),
                  made.after, choose, options_);
    made.parts = parts;
    made.loops = writer_.num_loops();
    made.variable = writer_.variable();
    result.regions.push_back(made);
    const std::uint32_t next = after == no_block ? none : region_of_[after];  // it begins behind this one
    for (const writer::way_out& w : writer_.ways_out()) {
      fresh_.push_back({name, next == none ? after : static_cast<std::uint32_t>(part_.size()) + next, w.block, w.slot});
      if (next == none) continue;
      arriving_.push_back({after, w.block, w.slot, first_arriving_[next]});
      first_arriving_[next] = static_cast<std::uint32_t>(arriving_.size() - 1);
    }
    new_part_[name] = static_cast<std::uint32_t>(made_.size());
    made_.push_back({part_[parts_[begin_[r]]].head, choose ? several_ : writer_.entry(), false});
  }

  // Regions become parts.
  constexpr void contract() {
    for (block_id p = 0; p < part_.size(); ++p) {
      if (region_of_[p] != none) continue;
      new_part_[p] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(part_[p]);
    }
    for (block_id p = 0; p < part_.size(); ++p)
      if (region_of_[p] != none) new_part_[p] = new_part_[part_.size() + region_of_[p]];
    for (std::uint32_t e = 0; e < live_.size(); ++e)
      if (taken_[e] == 0) fresh_.push_back(live_[e]);
    part_.swap(made_);
    rename();
  }
  // fresh_ becomes the edges, by new names; those within a part go.
  constexpr void rename() {
    live_.clear();
    for (live_edge e : fresh_) {
      e.from = new_part_[e.from];
      if (e.to != no_block) e.to = new_part_[e.to];
      if (e.from != e.to) live_.push_back(e);
    }
    for (std::uint32_t& p : part_of_)
      if (p != none) p = new_part_[p];
    entry_ = new_part_[entry_];
    build_quotient();
  }
  // What structure_ has reduced to one node becomes one part.
  constexpr void merge_parts() {
    made_.clear();
    new_part_.assign(part_.size(), none);
    for (const block_id h : structure_.heads()) {
      new_part_[h] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(part_[h]);
    }
    for (block_id p = 0; p < part_.size(); ++p) {
      new_part_[p] = new_part_[structure_.head_of(p)];
      made_[new_part_[p]].convergent = made_[new_part_[p]].convergent || part_[p].convergent;
    }
    part_.swap(made_);
    fresh_.swap(live_);
    rename();
  }

  struct arriving_edge {
    block_id to;
    block_id block;
    std::uint32_t slot, next;
  };

  linearize_options options_;
  std::span<const unsigned char> convergent_;
  structure_index<Shape> structure_;
  unstructured_index<Shape> flow_;
  loop_index<Shape> loops_;
  end_index<Shape> ends_;
  const end_index<Shape>* leaves_ = nullptr;  // where control ends, by part
  writer writer_;
  Shape quotient_, again_;
  std::vector<part> part_, made_;
  std::vector<live_edge> live_, fresh_;
  block_id entry_ = no_block;  // part
  bool lead_past_ = false;
  std::vector<std::uint32_t> part_of_, rank_, by_rank_;                                     // by block
  std::vector<std::uint32_t> region_of_, place_, order_, new_part_, entering_, first_out_;  // by part
  std::vector<std::uint32_t> size_, first_, begin_, first_arriving_;                        // by region
  std::vector<std::uint32_t> edges_, parts_, out_, next_;
  std::vector<arriving_edge> arriving_;
  std::vector<region_edge> region_edges_;
  std::vector<block_id> enter_;
  std::vector<std::uint32_t> behind_;  // by region
  std::vector<unsigned char> taken_, refused_, refused_regions_;
};

template <class G, class Convergent>
constexpr std::vector<unsigned char> convergent_table(const G& g, std::size_t blocks, Convergent& convergent) {
  std::vector<unsigned char> table;
  table.assign(blocks, 0);
  for (block_id b = 0; b < blocks; ++b) table[b] = convergent(graph_traits<G>::vertex_at(g, b)) ? 1 : 0;
  return table;
}

template <class Shape = csr_graph>
class stack_depth_index {
 public:
  // region[b] for each block, none if it stays as it is; the number of regions.
  constexpr std::uint32_t find(const Shape& g, std::uint32_t limit, std::vector<std::uint32_t>& region) {
    const std::size_t n = g.num_blocks();
    region.assign(n, none);
    if (n == 0) return 0;
    up_.compute(g);
    down_.compute(g, {});
    nest_.assign(n, 0);
    deepest_.assign(n, 0);
    const auto branches = [&](block_id b) {
      block_id first = no_block;
      bool two = g.is_exit(b) && !g.successors(b).empty();
      for (const block_id s : g.successors(b)) {
        two = two || (first != no_block && s != first);
        first = s;
      }
      return two;
    };
    const block_id count = static_cast<block_id>(up_.num_reachable());  // parents before children
    for (block_id i = 0; i < count; ++i) {
      const block_id b = up_.at(i);
      const block_id d = up_.idom(b);
      if (d != no_block) nest_[b] = nest_[d] + (branches(d) && down_.ipdom(d) != b ? 1 : 0);
      deepest_[b] = branches(b) ? nest_[b] + 1 : nest_[b];
    }
    for (block_id i = count; i-- > 1;) {
      const block_id b = up_.at(i), d = up_.idom(b);
      if (deepest_[d] < deepest_[b]) deepest_[d] = deepest_[b];
    }
    // Under a branch that is nested `last` deep, and between it and its immediate post-dominator.
    const std::uint32_t last = (limit - 2) / 2;
    std::uint32_t regions = 0;
    for (block_id i = 1; i < count; ++i) {
      const block_id b = up_.at(i), d = up_.idom(b);
      if (nest_[b] == last + 1 && nest_[d] == last) {
        // One region for each branch: named by it until all are known.
        region[b] = d;
      } else if (nest_[b] > last) {
        region[b] = region[d];
      }
    }
    name_.assign(n, none);
    most_.assign(n, 0);
    for (block_id b = 0; b < n; ++b)
      if (region[b] != none && most_[region[b]] < deepest_[b]) most_[region[b]] = deepest_[b];
    for (block_id b = 0; b < n; ++b) {
      if (region[b] == none) continue;
      const block_id d = region[b];
      if (1 + 2 * most_[d] <= limit) {
        region[b] = none;
        continue;
      }
      if (name_[d] == none) name_[d] = regions++;
      region[b] = name_[d];
    }
    return regions;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  dominator_index<Shape> up_;
  post_dominator_index<Shape> down_;
  std::vector<std::uint32_t> nest_, deepest_, name_, most_;  // by block
};

// For calls without a predicate.
struct nothing_convergent {
  template <class V>
  constexpr bool operator()(const V&) const {
    return false;
  }
};

template <class G, class Convergent, class Run>
constexpr linearization linearize_with(const G& g, Convergent& convergent, Run run) {
  linearization result;
  std::vector<unsigned char> table;
  if constexpr (!std::is_same_v<Convergent, nothing_convergent>)
    table = convergent_table(g, static_cast<std::size_t>(graph_traits<G>::num_vertices(g)), convergent);
  const std::span<const unsigned char> view(table);
  if constexpr (std::is_same_v<G, flow_plan>) {
    result.plan = g;
    run(snapshot(g), view, result);
  } else {
    const csr_graph& shape = shape_of(g);
    result.plan.start(shape);
    run(shape, view, result);
  }
  return result;
}

}  // namespace detail

/// Linearizes the outermost unstructured regions of g until it is structured. A structured graph stays as it is.
///
/// `convergent(v)` says which vertices must be executed by the same threads together as before; see the top of this
/// header for what that means. Where g is a flow_plan, the result is for the graph that that one was made for: what has
/// been planned is transformed once more.
///
/// Empty graph: nothing. Unreachable blocks stay as they are. Endless loops count as loops with an edge to the end.
/// Complexity: per round O((blocks + edges) log blocks); one round is enough but for rare graphs. No recursion.
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize(const G& g, const linearize_options& options = {},
                                                Convergent convergent = {}) {
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        detail::linearizer<> work;
        work.run(shape, options, table, result);
      });
}

/// Linearizes a set of blocks (dense ids), structured or not, each block by itself. Control may enter at several blocks
/// and from anywhere.
/// \pre all edges that leave the set lead to one block, or no edge does and threads may end in it
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize_blocks(const G& g, std::span<const block_id> blocks,
                                                       const linearize_options& options = {},
                                                       Convergent convergent = {}) {
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        std::vector<std::uint32_t> region;
        region.assign(shape.num_blocks(), 0xFFFF'FFFFU);
        for (const block_id b : blocks) {
          SIMTFLOW_EXPECTS(b < region.size(), "a block that is linearized is in the graph");
          region[b] = 0;
        }
        detail::linearizer<> work;
        work.run_blocks(shape, std::span<const std::uint32_t>(region), 1, false, options, table, result);
      });
}

/// Branch interleaving: the blocks between a branch and the block where its paths join are put in the caller's order
/// (dense ids; any permutation is right), so that independent blocks of one arm stand between a definition and its use
/// in the other. Split blocks first where that should happen within a block. Without optimizations, unless asked for:
/// they would take the arms apart again.
///
/// The set is closed first: what jumps into it from elsewhere becomes part of it.
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization interleave(const G& g, const vertex_t<G>& branch, std::span<const block_id> order,
                                                 guard_optimization optimize = guard_optimization::none,
                                                 Convergent convergent = {}) {
  const csr_graph shape = snapshot(g);
  const auto b = static_cast<block_id>(graph_traits<G>::index(g, branch));
  detail::unstructured_index<> flow;
  flow.compute(shape);
  const block_id join = flow.post_dominators().ipdom(b);
  std::vector<block_id> arms;
  for (const block_id s : shape.successors(b))
    if (s != join) arms.push_back(s);
  closed_blocks set;
  flow.closure(shape, std::span<const block_id>(arms), set);
  return linearize_blocks(g, std::span<const block_id>(set.blocks), {loop_guards::component, optimize, order},
                          convergent);
}

/// Loop merging: the loop with this header (see loops.hpp) and all loops in it become one. A thread that is done with
/// an inner loop goes on with the next iteration of the outer one and joins the others there. Blocks of the outer loop
/// alone are executed more often by a warp, those of inner loops less. Nothing happens if `header` is none.
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization merge_loops(const G& g, const vertex_t<G>& header,
                                                  guard_optimization optimize = guard_optimization::full,
                                                  Convergent convergent = {}) {
  const csr_graph shape = snapshot(g);
  const auto h = static_cast<block_id>(graph_traits<G>::index(g, header));
  detail::unstructured_index<> flow;
  flow.compute(shape);
  const loop_id l = flow.loops().innermost(h);
  closed_blocks set;
  if (l != no_loop && flow.loops().header(l) == h) flow.closure(shape, flow.loops().blocks(l), set);
  return linearize_blocks(g, std::span<const block_id>(set.blocks), {loop_guards::merge, optimize, {}}, convergent);
}

/// Limits the depth of a reconvergence stack (entries, the running one included) by linearizing what is nested too
/// deeply under branches. A branch nested d deep in others has a stack of 1 + 2 (d + 1) entries in its arms; linearized
/// code one of 1 more than the branch that leads to it, and one more for each loop around it in the region: where there
/// are such loops the limit can be missed by their depth.
/// \pre limit >= 2; g is structured, as linearize() leaves it: else the limit is not promised
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization limit_stack_depth(
    const G& g, std::uint32_t limit,
    const linearize_options& options = {loop_guards::merge, guard_optimization::none, {}}, Convergent convergent = {}) {
  SIMTFLOW_EXPECTS(limit >= 2, "a branch needs two entries of a stack");
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        detail::stack_depth_index<> depths;
        std::vector<std::uint32_t> region;
        const std::uint32_t regions = depths.find(shape, limit, region);
        detail::linearizer<> work;
        work.run_blocks(shape, std::span<const std::uint32_t>(region), regions, true, options, table, result);
      });
}

}  // namespace v0
}  // namespace simtflow

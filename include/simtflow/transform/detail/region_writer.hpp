// SPDX-License-Identifier: BSL-1.0
//
// Writes one linearized region into a plan: guard_tree.hpp says how its blocks are nested, this which guards there are,
// where they and the edges of the region lead, and what these set.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/guard_tree.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
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
  // `fold_entry`: the edges from outside are all edges of one block; its branch may choose the first part itself.
  constexpr void write(Plan& plan, std::span<const block_id> enter, std::span<const region_edge> edges, block_id after,
                       bool fold_entry, loop_guards loops, guard_optimization level) {
    plan_ = &plan;
    enter_ = enter;
    level_ = level;
    units_ = static_cast<std::uint32_t>(enter.size());
    tree_.arrange(units_, edges, loops, level_);
    variable_ = plan.add_variable();
    after_region_ = after;
    fold_entry_ = fold_entry && level_ >= guard_optimization::o3;
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
  // The block at which the region is entered, unless several edges of one branch enter it.
  [[nodiscard]] constexpr block_id entry() const { return entry_[0]; }
  [[nodiscard]] constexpr block_id loop_start(std::uint32_t l) const { return entry_[tree_.choice(1 + units_ + l, 0)]; }
  // The slots that lead past the region now; slot `ending`: threads end in the block.
  [[nodiscard]] constexpr std::span<const way_out> ways_out() const { return std::span<const way_out>(out_); }

 private:
  // A guard stands at the end of a loop's iterations, unless each thread's way is known.
  enum class loop_end : unsigned char {
    guard,   // at the end
    head,    // a guard that every iteration begins with
    items,   // by item of the last choice: all go back, or all leave
    branch,  // by edge of the only block of the last choice, and by item after it
  };
  // The end of a loop or a region; not a block yet.
  static constexpr block_id at_end = no_block;
  static constexpr block_id by_edge = no_block - 1;

  [[nodiscard]] constexpr std::uint32_t sequence_of_loop(std::uint32_t l) const { return 1 + units_ + l; }
  [[nodiscard]] constexpr bool is_folded(std::uint32_t sequence) const {
    return sequence == 0 ? fold_entry_ : sequence <= units_ && level_ >= guard_optimization::o3;
  }
  // How many of a choice's items have a test: the first so many. A loop that is tested before every iteration sends
  // those who leave it on like those who never wanted it, so the next item of the choice needs a test as well.
  [[nodiscard]] constexpr std::uint32_t count_tests(std::uint32_t c) const {
    const auto items = tree_.items(c);
    const std::uint32_t s = tree_.sequence_of(items[0]), all = static_cast<std::uint32_t>(items.size());
    if (tree_.place_of(items[0]) == 0 && is_folded(s)) return 0;
    if (level_ < guard_optimization::o4 && tree_.is_loop(items[0])) return 0;
    if (level_ < guard_optimization::o4 || tree_.is_passed(c)) return all;
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
    if (level_ == guard_optimization::o4) {
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

  // By item: where threads go after it. Outer ones first.
  constexpr void find_ends() {
    end_is_used_ = false;
    after_.assign(tree_.num_items(), at_end);
    for (const std::uint32_t x : tree_.placed()) {
      const std::uint32_t s = tree_.sequence_of(x), place = tree_.place_of(x);
      after_[x] = place + 1 < tree_.num_choices(s) ? entry_[tree_.choice(s, place + 1)] : end_of(s, x);
    }
  }
  // The block after the last choice of a sequence, for threads that come from one of its items.
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
  // The way of threads that want no item of the choice.
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
    const std::uint32_t owner = tree_.sequence_of(e.from) - 1;  // the loop that the edge ends or not
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
    const bool sets = tested || level_ < guard_optimization::o4;
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
  std::vector<unsigned char> goes_back_;         // by item of the last choice of a loop, or after its only block
  std::vector<std::uint32_t> deciding_;          // by block: the loop that it ends or not
  std::vector<block_id> guard_, entry_, after_;  // by item, by choice, by item
  std::vector<way_out> out_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Applies a plan (plan.hpp) to code. The kind of code is not known here: PTX, LLVM IR, the blocks of a teaching
// program. A *rewriter* hides it and can do a handful of things to one function:
//
//   original(b)           block b of the graph that the plan was made for is still wanted, where it stands. Those for
//                         which it is never asked are to go
//   copy(b)               a second block that does what block b does
//   guard(v, low, high)   a block that tests variable v and branches: slot 0 if low <= v <= high, else slot 1
//   empty()               a block that does nothing and goes on
//   end()                 a block in which threads end, as those do that leave the function
//   declare(v, zero)      a variable: an unsigned integer of each thread. `zero`: some path reads it before it is set,
//                         and must find zero
//   connect(b, k, c, s)   slot k of block b leads to c, and what is in s is set on the way. On originals and copies
//                         slot k is outcome k of their own branch; one slot more than there are outcomes is the exit
//                         edge, along which threads go that would end there
//   enter(b)              control enters at b
//
// The calls come in this order: variables, then blocks (in the order of the plan), then edges, then the entry. A
// variable is set on edges only, and connect() is told all that one edge sets: code in SSA form can have phis for it
// (for a block after the edge: the constant, if the edge sets one, else what holds at its source), code with registers
// can set them in the source before it branches. A value that a copied block computes has several definitions from then
// on: in SSA form that is the rewriter's business.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The operations that apply() needs; see above. `block` is how the rewriter calls a block.
template <class R>
concept code_rewriter = requires(R& r, const typename R::block& at, block_id b, std::uint32_t n,
                                 std::span<const plan_assignment> sets, bool zero) {
  { r.original(b) } -> std::convertible_to<typename R::block>;
  { r.copy(b) } -> std::convertible_to<typename R::block>;
  { r.guard(n, n, n) } -> std::convertible_to<typename R::block>;
  { r.empty() } -> std::convertible_to<typename R::block>;
  { r.end() } -> std::convertible_to<typename R::block>;
  r.declare(n, zero);
  r.connect(at, n, at, sets);
  r.enter(at);
};

namespace detail {

// Facts about a plan that apply() needs first. Shape is flow_plan.
template <class Plan = flow_plan>
class plan_facts {
 public:
  constexpr explicit plan_facts(const Plan& p) : plan_(p) {
    reached_.assign(p.num_blocks(), 0);
    variable_.assign(p.num_variables(), no_guard);
    if (p.num_blocks() == 0) return;
    visit(p.entry());
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      for (const auto& e : p.successors(b)) visit(e.to);
    }
    find_predecessors();
    find_first_reads();
  }

  [[nodiscard]] constexpr bool is_reached(block_id b) const { return reached_[b] != 0; }
  // A guard that is reached tests the variable; and one is reached along a path that has not set it.
  [[nodiscard]] constexpr bool is_tested(std::uint32_t v) const { return variable_[v] != no_guard; }
  [[nodiscard]] constexpr bool starts_at_zero(std::uint32_t v) const { return variable_[v] == from_entry; }

 private:
  static constexpr std::uint32_t no_guard = 0xFFFF'FFFFU, from_entry = 0xFFFF'FFFEU;
  struct edge_in {
    block_id from = 0;
    std::uint32_t slot = 0;
  };

  constexpr void visit(block_id b) {
    if (reached_[b] != 0) return;
    reached_[b] = 1;
    work_.push_back(b);
  }

  constexpr void find_predecessors() {
    first_in_.assign(plan_.num_blocks() + 1, 0);
    for (block_id b = 0; b < plan_.num_blocks(); ++b)
      if (is_reached(b))
        for (const auto& e : plan_.successors(b)) ++first_in_[e.to];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : first_in_) n = sum += n;
    in_.assign(sum, {});
    for (block_id b = 0; b < plan_.num_blocks(); ++b) {
      if (!is_reached(b)) continue;
      std::uint32_t slot = 0;
      for (const auto& e : plan_.successors(b)) in_[--first_in_[e.to]] = {b, slot++};
    }
  }

  // Liveness, variable by variable: backward from its guards, up to the edges that set it.
  constexpr void find_first_reads() {
    std::vector<std::uint32_t> next;  // guards of one variable in a list
    next.assign(plan_.num_blocks(), no_guard);
    for (block_id b = 0; b < plan_.num_blocks(); ++b) {
      if (!is_reached(b) || plan_[b].role != plan_role::guard) continue;
      next[b] = variable_[plan_[b].variable];
      variable_[plan_[b].variable] = b;
    }
    std::vector<std::uint32_t> live;  // by block: the last variable that is known to be live there
    live.assign(plan_.num_blocks(), no_guard);
    for (std::uint32_t v = 0; v < plan_.num_variables(); ++v) {
      work_.clear();
      for (std::uint32_t g = variable_[v]; g != no_guard; g = next[g]) {
        live[g] = v;
        work_.push_back(g);
      }
      while (!work_.empty()) {
        const block_id b = work_.back();
        work_.pop_back();
        if (b == plan_.entry()) {
          variable_[v] = from_entry;
          break;
        }
        for (std::uint32_t i = first_in_[b]; i < first_in_[b + 1]; ++i) {
          const block_id from = in_[i].from;
          if (live[from] == v || sets(from, in_[i].slot, v)) continue;
          live[from] = v;
          work_.push_back(from);
        }
      }
    }
  }
  constexpr bool sets(block_id b, std::uint32_t slot, std::uint32_t v) const {
    bool found = false;
    plan_.for_each_assignment(plan_.successors(b)[slot], [&](plan_assignment a) { found = found || a.variable == v; });
    return found;
  }

  const Plan& plan_;
  std::vector<unsigned char> reached_;
  std::vector<std::uint32_t> variable_;  // by variable: its guards as a list, or from_entry
  std::vector<block_id> work_;
  std::vector<std::uint32_t> first_in_;
  std::vector<edge_in> in_;
};

}  // namespace detail

/// Does to the code what the plan says: of blocks that the entry of the plan reaches nothing is left out, the others do
/// not come up; variables that no such guard tests are neither declared nor set. A plan without blocks changes nothing.
/// \pre the plan was made for the graph of this code.
/// Complexity: linear in the plan, plus for each variable the blocks in which it is live; no recursion.
template <code_rewriter R>
constexpr void apply(const flow_plan& plan, R& code) {
  if (plan.num_blocks() == 0) return;
  const detail::plan_facts<> facts(plan);
  for (std::uint32_t v = 0; v < plan.num_variables(); ++v)
    if (facts.is_tested(v)) code.declare(v, facts.starts_at_zero(v));

  std::vector<typename R::block> made;
  std::vector<std::uint32_t> place;
  place.assign(plan.num_blocks(), 0);
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    if (!facts.is_reached(b)) continue;
    place[b] = static_cast<std::uint32_t>(made.size());
    const plan_block& what = plan[b];
    switch (what.role) {
      case plan_role::original:
        made.push_back(code.original(what.executes));
        break;
      case plan_role::copy:
        made.push_back(code.copy(what.executes));
        break;
      case plan_role::guard:
        made.push_back(code.guard(what.variable, what.low, what.high));
        break;
      case plan_role::empty:
        made.push_back(plan.successors(b).empty() ? code.end() : code.empty());
        break;
    }
  }
  std::vector<plan_assignment> sets;
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    if (!facts.is_reached(b)) continue;
    std::uint32_t slot = 0;
    for (const flow_plan::edge& e : plan.successors(b)) {
      sets.clear();
      plan.for_each_assignment(e, [&](plan_assignment a) {
        if (facts.is_tested(a.variable)) sets.push_back(a);
      });
      code.connect(made[place[b]], slot++, made[place[e.to]], std::span<const plan_assignment>(sets));
    }
  }
  code.enter(made[place[plan.entry()]]);
}

}  // namespace v0
}  // namespace simtflow

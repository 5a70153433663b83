// SPDX-License-Identifier: BSL-1.0
//
// Decides whether a plan does what its graph did; check_plan.hpp has the definition and the idea.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/first_guard.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/plan_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Plan is flow_plan; a template, so that only who checks a plan pays for it. Both arguments must outlive the checker.
template <class Plan = flow_plan>
class plan_checker {
 public:
  constexpr plan_checker(const csr_graph& g, const Plan& p) : graph_(&g), plan_(&p) {}

  // \pre the plan has a block
  constexpr std::optional<plan_fault> find_fault() {
    const Plan& p = *plan_;
    if (p.num_originals() != graph_->num_blocks() || p.entry() == no_block) {
      fault_.emplace().kind = plan_fault_kind::other_graph;
      return fault_;
    }
    reach();
    find_live();
    rows_.build(p, std::span<const unsigned char>(reached_), std::span<const unsigned char>(matters_));
    value_.assign(p.num_variables(), 0);
    touched_at_.assign(p.num_variables(), 0);
    first_state_.assign(p.num_blocks(), none);
    most_steps_ = (std::uint64_t{1} << 28) + 4096 * p.num_blocks();
    arrive(none, 0, p.entry(), graph_->entry());
    for (std::uint32_t s = 0; s < state_.size() && !fault_; ++s) execute(s);
    return fault_;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // A block of the graph is executed, with these values of the variables that are live there.
  struct state {
    block_id block;              // of the plan
    std::uint32_t before, slot;  // the state before, and the slot by which it was left
    std::uint32_t same_block;    // another state of the block
    std::size_t values;
  };
  struct touched {
    std::uint32_t variable, before;  // the value that it had at the mark
  };

  [[nodiscard]] constexpr bool executes(block_id b) const {
    const plan_role role = (*plan_)[b].role;
    return role == plan_role::original || role == plan_role::copy;
  }

  // --- what there is ---

  // Blocks that edges lead to, and the variables that matter: a guard tests them, and an edge sets them.
  constexpr void reach() {
    const Plan& p = *plan_;
    reached_.assign(p.num_blocks(), 0);
    matters_.assign(p.num_variables(), 0);
    std::vector<unsigned char> set;
    set.assign(p.num_variables(), 0);
    work_.push_back(p.entry());
    reached_[p.entry()] = 1;
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      if (p[b].role == plan_role::guard) matters_[p[b].variable] = 1;
      for (const auto& e : p.successors(b)) {
        p.for_each_assignment(e, [&](plan_assignment a) { set[a.variable] = 1; });
        if (reached_[e.to] != 0) continue;
        reached_[e.to] = 1;
        work_.push_back(e.to);
      }
    }
    for (std::size_t v = 0; v < set.size(); ++v) matters_[v] &= set[v];  // one that is never set stays zero
  }

  // live_: by block that executes, the variables that a later guard may see. Backward from the guards of each variable,
  // up to the edges that set it.
  constexpr void find_live() {
    const Plan& p = *plan_;
    std::vector<std::uint32_t> first_in, first_test;
    first_in.assign(p.num_blocks() + 1, 0);
    first_test.assign(std::size_t{p.num_variables()} + 1, 0);
    for (block_id b = 0; b < p.num_blocks(); ++b) {
      if (reached_[b] == 0) continue;
      for (const auto& e : p.successors(b)) ++first_in[e.to];
      if (tests(b)) ++first_test[p[b].variable];
    }
    std::vector<edge> in;
    in.assign(begin_rows(first_in), {});
    std::vector<block_id> guard;
    guard.assign(begin_rows(first_test), 0);
    for (block_id b = 0; b < p.num_blocks(); ++b) {
      if (reached_[b] == 0) continue;
      std::uint32_t slot = 0;
      for (const auto& e : p.successors(b)) in[first_in[e.to]++] = {b, slot++};
      if (tests(b)) guard[first_test[p[b].variable]++] = b;
    }
    end_rows(first_in);
    end_rows(first_test);
    struct pair {
      block_id block;
      std::uint32_t variable;
    };
    std::vector<pair> live;
    std::vector<std::uint32_t> seen;  // by block: the last variable that is known to be live there
    seen.assign(p.num_blocks(), none);
    for (std::uint32_t v = 0; v < p.num_variables(); ++v) {
      for (std::uint32_t i = first_test[v]; i < first_test[v + 1]; ++i) {
        seen[guard[i]] = v;
        work_.push_back(guard[i]);
      }
      while (!work_.empty()) {
        const block_id b = work_.back();
        work_.pop_back();
        if (executes(b)) live.push_back({b, v});
        for (std::uint32_t i = first_in[b]; i < first_in[b + std::size_t{1}]; ++i) {
          const block_id from = in[i].from;
          if (seen[from] == v || sets(p.successors(from)[in[i].slot], v)) continue;
          seen[from] = v;
          work_.push_back(from);
        }
      }
    }
    first_live_.assign(p.num_blocks() + 1, 0);
    for (const pair& l : live) ++first_live_[l.block];
    live_.assign(begin_rows(first_live_), 0);
    for (const pair& l : live) live_[first_live_[l.block]++] = l.variable;
    end_rows(first_live_);
  }
  [[nodiscard]] constexpr bool tests(block_id b) const {
    return (*plan_)[b].role == plan_role::guard && matters_[(*plan_)[b].variable] != 0;
  }
  [[nodiscard]] constexpr bool sets(const typename Plan::edge& e, std::uint32_t v) const {
    bool found = false;
    plan_->for_each_assignment(e, [&](plan_assignment a) { found = found || a.variable == v; });
    return found;
  }
  [[nodiscard]] constexpr std::span<const std::uint32_t> live(block_id b) const {
    return std::span<const std::uint32_t>(live_).subspan(first_live_[b],
                                                         first_live_[b + std::size_t{1}] - first_live_[b]);
  }

  // --- the product ---

  // All outcomes of a state.
  constexpr void execute(std::uint32_t s) {
    const Plan& p = *plan_;
    const block_id at = state_[s].block, b = p[at].executes;
    const auto wanted = graph_->successors(b);
    if (p.num_outcomes(at) != wanted.size()) return fail(plan_fault_kind::wrong_outcomes, s, 0, no_block, no_block);
    if (graph_->is_exit(b) && !p[at].leaves && !p[at].exit_edge)
      return fail(plan_fault_kind::no_way_out, s, 0, no_block, no_block);
    std::uint32_t slot = 0;
    for (const auto& e : p.successors(at)) {
      const bool ending = slot == wanted.size();
      if (ending && !graph_->is_exit(b)) break;  // no thread takes this exit edge
      load(s);
      take(e);
      arrive(s, slot, e.to, ending ? no_block : wanted[slot]);
      if (fault_) return;
      ++slot;
    }
  }

  constexpr void load(std::uint32_t s) {
    std::size_t i = state_[s].values;
    for (const std::uint32_t v : live(state_[s].block)) value_[v] = known_[i++];
  }
  constexpr void take(const typename Plan::edge& e) {
    plan_->for_each_assignment(e, [&](plan_assignment a) {
      if (matters_[a.variable] == 0) return;
      if (touched_at_[a.variable] != walk_number_) {
        touched_at_[a.variable] = walk_number_;
        touched_.push_back({a.variable, value_[a.variable]});
      }
      value_[a.variable] = a.value;
    });
  }

  // A thread comes to `at` after state s, and must execute `wanted` next.
  constexpr void arrive(std::uint32_t s, std::uint32_t slot, block_id at, block_id wanted) {
    const block_id to = walk(at, nullptr);
    if (steps_ > most_steps_) return fail(plan_fault_kind::undecided, s, slot, wanted, no_block);
    if (to == no_block) return fail(plan_fault_kind::lost, s, slot, wanted, no_block);
    const block_id found = executes(to) ? (*plan_)[to].executes : no_block;
    if (found != wanted) return fail(plan_fault_kind::wrong_way, s, slot, wanted, found);
    if (found == no_block) return;
    const auto names = live(to);
    std::uint32_t same = first_state_[to];
    for (; same != none; same = state_[same].same_block) {
      ++steps_;
      std::size_t k = 0;
      while (k < names.size() && known_[state_[same].values + k] == value_[names[k]]) ++k;
      if (k == names.size()) return;
    }
    state_.push_back({to, s, slot, first_state_[to], known_.size()});
    for (const std::uint32_t v : names) known_.push_back(value_[v]);
    first_state_[to] = static_cast<std::uint32_t>(state_.size() - 1);
  }

  // The next block on the way that executes a block of the graph, or an end; no_block if there is none. With `path`,
  // step by step, and every block goes there.
  //
  // A mark is set after 1, 2, 4, 8, ... steps. A thread that comes back to it with the same values is lost.
  constexpr block_id walk(block_id at, std::vector<block_id>* path) {
    ++walk_number_;
    touched_.clear();
    block_id mark = no_block;
    std::uint64_t until = 0;
    for (std::uint64_t n = 0;; ++n) {
      const auto& what = (*plan_)[at];
      const auto out = plan_->successors(at);
      if (path != nullptr) path->push_back(at);
      if (executes(at) || out.empty()) return at;
      if (at == mark && all_as_marked()) return no_block;
      if (++steps_ > most_steps_) return no_block;
      if (n == until) {
        mark = at;
        until = 2 * n + 1;
        for (touched& t : touched_) t.before = value_[t.variable];
      }
      if (path == nullptr) {
        const block_id ahead = rows_.ahead(at, what.role == plan_role::guard ? value_[what.variable] : 0);
        if (ahead != at) {
          at = ahead;
          continue;
        }
      }
      const auto passes = [&](std::uint32_t value) { return what.low <= value && value <= what.high; };
      const auto& e = out[what.role != plan_role::guard || passes(value_[what.variable]) ? 0 : 1];
      take(e);
      at = e.to;
    }
  }
  [[nodiscard]] constexpr bool all_as_marked() const {
    for (const touched& t : touched_)
      if (value_[t.variable] != t.before) return false;
    return true;
  }

  // --- a thread that goes wrong ---

  constexpr void fail(plan_fault_kind kind, std::uint32_t s, std::uint32_t slot, block_id wanted, block_id found) {
    fault_ = plan_fault{kind, s == none ? no_block : state_[s].block, slot, wanted, found, {}};
    work_.clear();  // states from s back to the first one
    for (std::uint32_t i = s; i != none; i = state_[i].before) work_.push_back(i);
    steps_ = 0;
    for (std::uint32_t& v : value_) v = 0;
    std::vector<block_id>& path = fault_->path;
    block_id at = plan_->entry();
    for (; !work_.empty(); work_.pop_back()) {
      const std::uint32_t i = work_.back();
      walk(at, &path);
      const std::uint32_t by = work_.size() > 1 ? state_[work_[work_.size() - 2]].slot : slot;
      if (work_.size() == 1 && (kind == plan_fault_kind::wrong_outcomes || kind == plan_fault_kind::no_way_out)) return;
      const auto& e = plan_->successors(state_[i].block)[by];
      take(e);
      at = e.to;
    }
    if (kind != plan_fault_kind::undecided) walk(at, &path);
  }

  const csr_graph* graph_;
  const Plan* plan_;
  first_guard<Plan> rows_;
  std::optional<plan_fault> fault_;
  std::vector<unsigned char> reached_;            // by block of the plan
  std::vector<unsigned char> matters_;            // by variable
  std::vector<std::uint32_t> first_live_, live_;  // by block of the plan
  std::vector<std::uint32_t> first_state_;        // by block of the plan: the last one of its states
  std::vector<state> state_;
  std::vector<std::uint32_t> known_;  // values of the states
  std::vector<std::uint32_t> value_;  // by variable: of the thread that walks
  std::vector<touched> touched_;      // variables that it has set since the walk began
  std::vector<std::uint64_t> touched_at_;
  std::uint64_t walk_number_ = 0, steps_ = 0, most_steps_ = 0;
  std::vector<std::uint32_t> work_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

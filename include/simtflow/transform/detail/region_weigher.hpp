// SPDX-License-Identifier: BSL-1.0
//
// Weighs a region as it is and linearized: a small graph of its blocks is executed with the paths of some warps, then
// the plan that region_writer makes of it.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/detail/region_writer.hpp>
#include <simtflow/transform/detail/warp_paths.hpp>
#include <simtflow/transform/linearizable_code.hpp>
#include <simtflow/transform/linearization.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// linearizable_code as tables, by block.
struct region_code {
  linearization_costs costs;
  std::vector<fetch_cost<std::uint32_t>> cost;
  std::vector<unsigned char> divergent;
  std::vector<branch_likelihood> likelihood;  // empty: unknown
  std::vector<double> frequency;              // empty: unknown
};

template <class M>
constexpr region_code region_code_of(const csr_graph& g, const M& code, const linearization_costs& costs) {
  region_code out;
  out.costs = costs;
  if constexpr (!requires(block_id b) { code.instructions(b); }) out.costs.counts = {0, 0, 0, 0};
  const auto blocks = static_cast<block_id>(g.num_blocks());
  for (block_id b = 0; b < blocks; ++b) {
    std::uint32_t weight = 0;
    if constexpr (requires { code.weight(b); }) {
      weight = code.weight(b);
    } else {
      for (std::uint32_t i = code.first(b); i < code.last(b); ++i) weight += code.latency(i);
      if (g.successors(b).size() > 1) weight += costs.branch;
    }
    std::uint32_t instructions = 0;
    if constexpr (requires { code.instructions(b); }) instructions = code.instructions(b);
    out.cost.push_back({weight, instructions});
    out.divergent.push_back(code.is_divergent(b) ? 1 : 0);
    if constexpr (requires { code.likelihood(b); }) out.likelihood.push_back(code.likelihood(b));
    if constexpr (requires { code.frequency(b); }) out.frequency.push_back(code.frequency(b));
  }
  return out;
}

// Plan is flow_plan: a template costs nothing to include.
template <class Plan = flow_plan>
class region_weigher {
 public:
  constexpr explicit region_weigher(region_code code) : code_(std::move(code)) {}

  [[nodiscard]] constexpr std::span<const unsigned char> divergent() const {
    return std::span<const unsigned char>(code_.divergent);
  }

  // The expected weight of the region, for each time that a warp enters it: as it is in `plan`, and as region_writer
  // writes it with the same arguments. Blocks that the plan has added count as branches of unknown likelihood.
  constexpr region_cost weigh(const Plan& plan, std::span<const block_id> enter, std::span<const region_edge> edges,
                              block_id after, bool fold_entry, const linearize_options& options) {
    take_blocks(plan, enter, edges, after);
    if (!is_executed()) return {};
    const csr_graph graph = make_graph(plan);
    plan_.start(graph);
    facts_.reset(graph);
    const auto joins = facts_.post_dominators().ipdoms();
    ipdom_.assign(joins.begin(), joins.end());
    set_choices(plan, graph);
    linearize(enter, edges, after, fold_entry, options);
    const csr_graph made = snapshot(plan_);
    facts_.reset(made);
    weigh_plan(graph);
    fetch_cost<double> was, is;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      add(was, paths_.draw(graph, std::span<const block_id>(ipdom_), costs_as(cost_), code_.costs.divergence,
                           std::span<const path_choice>(choice_), std::span<const double>(share_), warp));
      add(is, paths_.follow(plan_, facts_.post_dominators().ipdoms(), costs_as(plan_cost_), code_.costs.divergence));
    }
    const double most = 1 - (guesses_ ? code_.costs.margin : 0);
    const bool pays = is.weight < most * was.weight && is.instructions <= most * was.instructions;
    return {was.weight / warps, is.weight / warps, was.instructions / warps, is.instructions / warps, pays};
  }

 private:
  static constexpr std::uint32_t warps = 8;
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  static constexpr void add(fetch_cost<double>& to, const fetch_cost<std::uint64_t>& of) {
    to.weight += static_cast<double>(of.weight);
    to.instructions += static_cast<double>(of.instructions);
  }
  static constexpr std::span<const fetch_cost<std::uint32_t>> costs_as(
      const std::vector<fetch_cost<std::uint32_t>>& list) {
    return std::span<const fetch_cost<std::uint32_t>>(list);
  }

  // The blocks of the region by number: first those that the plan's edges reach, from `enter` on; then the sources of
  // edges from outside; then the place after the region.
  constexpr void take_blocks(const Plan& plan, std::span<const block_id> enter, std::span<const region_edge> edges,
                             block_id after) {
    for (const block_id b : block_) number_[b] = none;
    block_.clear();
    if (number_.size() < plan.num_blocks()) number_.insert(number_.end(), plan.num_blocks() - number_.size(), none);
    if (after != no_block) number_[after] = none - 1;  // not entered
    for (const block_id b : enter) take(b);
    for (std::size_t i = 0; i < block_.size(); ++i)
      for (const auto& e : plan.successors(block_[i])) take(e.to);
    inside_ = static_cast<std::uint32_t>(block_.size());
    if (after != no_block) number_[after] = none;
    for (const region_edge& e : edges)
      if (e.from == none && e.block != no_block) take(e.block);
  }
  constexpr void take(block_id b) {
    if (number_[b] != none) return;
    number_[b] = static_cast<std::uint32_t>(block_.size());
    block_.push_back(b);
  }
  // False if a profile says that no warp comes here.
  [[nodiscard]] constexpr bool is_executed() const {
    if (code_.frequency.empty()) return true;
    for (std::uint32_t i = 0; i < inside_; ++i)
      if (block_[i] >= code_.frequency.size() || code_.frequency[block_[i]] > 0) return true;
    return false;
  }

  // Blocks of the region and their edges, sources of edges from outside, the place after the region, and a place that
  // control comes from if there are several sources.
  constexpr csr_graph make_graph(const Plan& plan) {
    const auto outside = static_cast<block_id>(block_.size());
    const std::size_t sources = block_.size() - inside_;
    block_id entry = inside_;
    if (sources == 0) entry = start_of(plan);
    if (sources > 1) entry = outside + 1;
    csr_builder builder(std::size_t{outside} + (sources > 1 ? 2 : 1), entry);
    for (block_id i = 0; i < outside; ++i) {
      for (const auto& e : plan.successors(block_[i])) {
        const std::uint32_t to = number_[e.to];
        builder.add_edge(i, to < inside_ ? to : outside);
      }
      if (i < inside_ && plan[block_[i]].leaves) builder.mark_exit(i);
    }
    if (sources > 1)
      for (block_id i = inside_; i < outside; ++i) builder.add_edge(entry, i);
    return builder.build();
  }
  constexpr block_id start_of(const Plan& plan) const {
    const std::uint32_t at = number_[plan.entry()];
    return at < inside_ ? at : 0;
  }

  constexpr void set_choices(const Plan& plan, const csr_graph& graph) {
    cost_.assign(graph.num_blocks(), {});
    choice_.assign(graph.num_blocks(), path_choice{});
    share_.clear();
    if (!code_.frequency.empty()) share_.assign(graph.num_blocks(), 0);
    guesses_ = false;
    for (std::uint32_t i = 0; i < block_.size(); ++i) {
      const block_id b = block_[i];
      const bool is_guard = plan[b].role == plan_role::guard, known = b < code_.cost.size() && !is_guard;
      if (i >= inside_) {  // all else of a source stays as it is
        if (graph.successors(i).size() > 1) cost_[i] = {code_.costs.branch, code_.costs.counts.branch};
      } else if (known) {
        cost_[i] = code_.cost[b];
      } else if (is_guard) {
        cost_[i] = {code_.costs.guard, code_.costs.counts.guard};
      }
      if (known) {
        choice_[i].divergent = code_.divergent[b] != 0;
        if (!code_.likelihood.empty()) choice_[i].how = code_.likelihood[b];
        if (!share_.empty()) share_[i] = code_.frequency[b];
      }
      if (choice_[i].how == branch_likelihood{}) guess(graph, i);
    }
  }
  // An unknown branch.
  constexpr void guess(const csr_graph& graph, block_id i) {
    const auto successors = graph.successors(i);
    if (successors.size() < 2) return;
    guesses_ = true;
    choice_[i].how.parted = code_.costs.parted;
    if (successors.size() > 2) return;
    const auto& loops = facts_.loops();
    const loop_id around = loops.innermost(i);
    if (around == no_loop) return;
    const bool first = loops.contains(around, successors[0]), second = loops.contains(around, successors[1]);
    if (first != second) choice_[i].how.first = first ? code_.costs.stays : 1 - code_.costs.stays;
  }

  constexpr void linearize(std::span<const block_id> enter, std::span<const region_edge> edges, block_id after,
                           bool fold_entry, const linearize_options& options) {
    enter_.clear();
    for (const block_id b : enter) enter_.push_back(number_[b]);
    edges_.clear();
    for (region_edge e : edges) {
      if (e.block != no_block) e.block = number_[e.block];
      edges_.push_back(e);
    }
    writer_.write(plan_, std::span<const block_id>(enter_), std::span<const region_edge>(edges_),
                  after == no_block ? no_block : static_cast<block_id>(block_.size()), fold_entry, options.loops,
                  options.optimize);
  }

  // Guards, edges that set something, branches that have one target left.
  constexpr void weigh_plan(const csr_graph& graph) {
    const linearization_costs& costs = code_.costs;
    plan_cost_.assign(cost_.begin(), cost_.end());
    for (block_id b = 0; b < plan_.num_blocks(); ++b) {
      const plan_block& what = plan_[b];
      if (b >= graph.num_blocks()) {
        plan_cost_.push_back({});
        if (what.role == plan_role::guard) add(b, costs.guard, costs.counts.guard);
        if (what.low != what.high) add(b, costs.range, costs.counts.range);
        continue;
      }
      bool sets = false, several = false, had_several = false;
      const auto edges = plan_.successors(b);
      for (const auto& e : edges) {
        plan_.for_each_assignment(e, [&](plan_assignment) { sets = true; });
        several = several || e.to != edges[0].to;
      }
      for (const block_id s : graph.successors(b)) had_several = had_several || s != graph.successors(b)[0];
      if (had_several && !several) {
        plan_cost_[b].weight -= plan_cost_[b].weight < costs.branch ? plan_cost_[b].weight : costs.branch;
        if (plan_cost_[b].instructions != 0) plan_cost_[b].instructions -= costs.counts.branch;
      }
      if (sets) add(b, costs.assignment, costs.counts.assignment);
    }
  }
  constexpr void add(block_id b, std::uint32_t weight, std::uint32_t instructions) {
    plan_cost_[b].weight += weight;
    plan_cost_[b].instructions += instructions;
  }

  region_code code_;
  std::vector<std::uint32_t> number_;  // by block of the plan; none: not taken
  std::vector<block_id> block_;
  std::uint32_t inside_ = 0;
  bool guesses_ = false;  // about a branch of the region
  Plan plan_;
  cfg_facts facts_;
  std::vector<block_id> ipdom_, enter_;
  std::vector<region_edge> edges_;
  std::vector<path_choice> choice_;
  std::vector<double> share_;
  std::vector<fetch_cost<std::uint32_t>> cost_, plan_cost_;  // by block of the region's graph, of plan_
  warp_paths<Plan> paths_;
  region_writer<Plan> writer_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

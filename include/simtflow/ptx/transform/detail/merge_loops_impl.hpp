// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/merge_loops.hpp.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/detail/latency_model.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/merge_loops.hpp>
#include <simtflow/transform/issue_clock.hpp>
#include <simtflow/transform/merge_iterations.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class nest_judge {
 public:
  nest_judge(const checked_function& f, const merge_options& options, cfg_facts& facts)
      : function_(f.text()),
        blocks_(f.blocks()),
        facts_(facts),
        model_(f, options.weights, options.profile),
        profile_(options.profile),
        guard_(3.0 * options.weights[latency_class::other]) {
    weights_.assign(blocks_.size(), 0);
    convergent_.assign(blocks_.size(), 0);
    for (block_id b = 0; b < blocks_.size(); ++b) {
      convergent_[b] = blocks_.is_convergent(b) ? 1 : 0;
      for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) weights_[b] += model_.latency(i);
    }
    if (options.warps == 0) return;
    const melding_model cycles(f, options.cycles, options.profile);
    const latency_model timed(cycles);
    issue_clock clock;
    for (block_id b = 0; b < blocks_.size(); ++b) {
      clock.start(timed.num_registers());
      for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) clock.issue(timed, i);
      const double time = static_cast<double>(clock.now()) / options.warps;
      if (time > weights_[b]) weights_[b] = time;
    }
    const double time = (3.0 + options.cycles[latency_class::other]) / options.warps;
    if (time > guard_) guard_ = time;
  }

  judged_nest judge(loop_id inner) {
    const simtflow::dense::loop_forest& loops = facts_.loops();
    const loop_id outer = loops.parent(inner);
    judged_nest out;
    out.outer = loops.header(outer);
    out.inner = loops.header(inner);
    out.where = where_of(out.inner);
    out.reason = refusal_to_merge(
        facts_, inner, [&](block_id b) { return convergent_[b] != 0; }, [&](block_id b) { return blocks_.may_wait(b); },
        out.at);
    if (out.at != no_block) out.at_where = where_of(out.at);
    if (out.reason != merge_refusal::none) return out;
    bool diverges = false;
    loops.for_each_exit(inner, [&](const loop_exit<block_id>& e) {
      diverges = model_.is_divergent(e.from);
      return !diverges;
    });
    if (!diverges) {
      out.reason = merge_refusal::uniform;
      return out;
    }
    const double warps = count_trips(outer, out);
    double inside = 0, beside = 0;  // costs
    for (const block_id b : loops.blocks(outer))
      (loops.contains(inner, b) ? inside : beside) += weights_[b] * visits(outer, b, out.trips, warps);
    const double merged = out.trips.inner_merged(), inner_before = out.trips.outer * out.trips.most;
    out.before = inside + beside;
    out.after = merged * guard_ + beside * out.trips.outer_merged() / out.trips.outer;
    out.after += inner_before > 0 ? inside * merged / inner_before : 0;
    if (!(out.after < out.before)) out.reason = merge_refusal::does_not_pay;
    if (out.trips.mean < 1) out.reason = merge_refusal::skipped;
    return out;
  }

 private:
  [[nodiscard]] position where_of(block_id b) const {
    return blocks_[b].first == blocks_[b].last ? position{} : function_.instructions[blocks_[b].first].where;
  }
  // Lanes of the fetches of a block; 0 if the profile does not tell.
  [[nodiscard]] double lanes_of(block_id b) const {
    for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i)
      if (const warp_visits* seen = profile_.find(function_.instructions[i].where)) return seen->lanes;
    return 0;
  }
  // The number of warps that come to the nest, and its trips by the profile. 0: no profile tells.
  double count_trips(loop_id outer, judged_nest& nest) const {
    const double lanes = lanes_of(nest.outer), inner_lanes = lanes_of(nest.inner);
    if (!model_.is_profiled() || !(lanes > 0) || !(inner_lanes > 0)) return 0;
    const csr_graph& g = blocks_.graph();
    double warps = nest.outer == g.entry() ? 1 : 0;
    block_id last = no_block;
    for (const block_id p : g.predecessors(nest.outer)) {
      if (p == last || facts_.loops().contains(outer, p)) continue;
      last = p;
      double share = 1;
      const branch_likelihood likely = model_.likelihood(p);
      if (blocks_[p].end == text_end::branches && g.successors(p)[0] != g.successors(p)[1])
        share = likely.parted + (g.successors(p)[0] == nest.outer ? likely.all_first() : likely.all_second());
      warps += share * model_.frequency(p);
    }
    const double fetches = model_.frequency(nest.outer), inner_fetches = model_.frequency(nest.inner);
    if (!(warps > 0) || !(fetches > 0)) return 0;
    nest.trips = {fetches / warps, inner_lanes / lanes, inner_fetches / fetches, inner_lanes / warps};
    return warps;
  }
  // The expected fetches of a block for a warp that comes to the nest.
  [[nodiscard]] double visits(loop_id outer, block_id b, const merged_nest_trips& trips, double warps) const {
    if (warps > 0) return model_.frequency(b) / warps;
    constexpr std::uint32_t most_levels = 8;  // deeper loops do not change what pays
    const simtflow::dense::loop_forest& loops = facts_.loops();
    const std::uint32_t levels = loops.depth_of(b) - loops.depth(outer);
    double n = trips.outer;
    for (std::uint32_t i = 0; i < levels && i < most_levels; ++i) n *= trips.most;
    return n;
  }

  const function& function_;
  const function_blocks& blocks_;
  cfg_facts& facts_;
  melding_model model_;
  const warp_profile& profile_;
  std::vector<double> weights_;            // by block: the cost of a visit
  std::vector<unsigned char> convergent_;  // by block
  double guard_;                           // what an iteration pays for the meeting guard: the test, its branch, a jump
};

}  // namespace detail

SIMTFLOW_INLINE loop_merging merge_loops(const checked_function& f, const merge_options& options) {
  const csr_graph& g = f.blocks().graph();
  loop_merging out;
  out.plan.start(g);
  cfg_facts facts(g);
  const simtflow::dense::loop_forest& loops = facts.loops();
  (void)facts.ends();
  std::vector<loop_id> inner;  // by nest
  bool any = false;
  for (const loop_id l : loops.all()) any = any || loops.parent(l) != no_loop;
  if (!any) return out;
  detail::nest_judge judge(f, options, facts);
  for (const loop_id l : loops.all()) {
    const loop_id outer = loops.parent(l);
    if (outer == no_loop || (options.header != no_block && loops.header(outer) != options.header)) continue;
    out.nests.push_back(judge.judge(l));
    inner.push_back(l);
  }
  std::vector<unsigned char> taken(g.num_blocks(), 0), done(inner.size(), 0);
  const auto saved = [&](std::size_t k) { return out.nests[k].before - out.nests[k].after; };
  const auto may = [&](std::size_t k) {
    const merge_refusal reason = out.nests[k].reason;
    if (options.header == no_block) return reason == merge_refusal::none;
    return reason == merge_refusal::none || reason == merge_refusal::does_not_pay || reason == merge_refusal::skipped;
  };
  for (;;) {
    std::size_t best = inner.size();
    for (std::size_t k = 0; k < inner.size(); ++k)
      if (done[k] == 0 && may(k) && (best == inner.size() || saved(k) > saved(best))) best = k;
    if (best == inner.size()) return out;
    done[best] = 1;
    const auto nest = loops.blocks(loops.parent(inner[best]));
    bool free = true;
    for (const block_id b : nest) free = free && taken[b] == 0;
    out.nests[best].reason = free ? merge_refusal::none : merge_refusal::overlaps;
    if (!free) continue;
    for (const block_id b : nest) taken[b] = 1;
    merge_iterations(out.plan, facts, inner[best]);
    ++out.merged;
  }
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

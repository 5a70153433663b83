// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/interleave.hpp.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/latency_model.hpp>
#include <simtflow/ptx/transform/interleave.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/ptx/transform/split_blocks.hpp>
#include <simtflow/transform/interleave_order.hpp>
#include <simtflow/transform/interleave_phases.hpp>
#include <simtflow/transform/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline std::vector<interleaving_choice> judge_branches(const checked_function& code, const interleave_options& options,
                                                       cfg_facts& facts) {
  const melding_model model(code, options.cycles, options.profile);
  const latency_model timed(model);
  interleave_prices prices;
  // The test, the branch that needs it, and a jump that needs nothing.
  prices.guard_cycles = prices.guard_instructions + options.cycles[latency_class::other];
  prices.warps = options.warps;
  prices.most_cuts = options.most_cuts;
  return choose_interleavings(facts, timed, prices, options.only);
}

}  // namespace detail

SIMTFLOW_INLINE result<interleaving> interleave(const checked_function& f, const interleave_options& options) {
  interleaving out{f.text(), {}, {}, 0};
  checked_function flat = f;
  if (f.text().num_scopes > 1) {
    result<function> made = rewrite(f, flow_plan(f.blocks().graph()));
    if (!made) return std::move(made).diagnostics();
    out.code = *std::move(made);
    flat = detail::checked_maker::written(f.owner(), out.code);
  }
  const function_blocks& blocks = flat.blocks();
  const function& text = flat.text();
  cfg_facts facts(blocks.graph());
  const std::vector<interleaving_choice> choices = detail::judge_branches(flat, options, facts);
  std::vector<std::uint32_t> at;  // blocks are split in front of these instructions
  for (const interleaving_choice& c : choices) {
    judged_branch judged;
    judged.branch = c.branch;
    judged.where = text.instructions[blocks[c.branch].last - 1].where;
    judged.reason = c.reason;
    judged.arms = c.arms;
    judged.at = c.at;
    if (c.at != no_block && blocks[c.at].first != blocks[c.at].last)
      judged.at_where = text.instructions[blocks[c.at].first].where;
    judged.cuts = static_cast<std::uint32_t>(c.cuts[0].size());
    judged.before = c.before;
    judged.after = c.after;
    judged.frequency = c.frequency;
    out.branches.push_back(judged);
    if (!c.pays()) continue;
    ++out.interleaved;
    for (const std::vector<phase_begin>& arm : c.cuts)
      for (const phase_begin& p : arm)
        if (p.block != no_block) at.push_back(p.instruction);
  }
  std::sort(at.begin(), at.end());
  if (out.interleaved == 0) {
    out.plan.start(blocks.graph());
    return out;
  }
  function split = split_blocks(flat, std::span<const std::uint32_t>(at));
  const checked_function after = detail::checked_maker::written(f.owner(), split);
  const auto moved = [&](std::uint32_t i) {
    return after.blocks().block_of(split_index(flat, std::span<const std::uint32_t>(at), i));
  };
  cfg_facts facts_after(after.blocks().graph());
  out.plan.start(after.blocks().graph());
  for (const interleaving_choice& c : choices) {
    if (!c.pays()) continue;
    const block_id branch = moved(blocks[c.branch].last - 1);
    const block_id join = facts_after.post_dominators().ipdom(branch);
    std::vector<arm_cut> cuts(c.cuts[0].size());
    for (std::size_t k = 0; k < cuts.size(); ++k)
      for (unsigned slot = 0; slot < 2; ++slot) {
        const phase_begin& p = c.cuts[slot][k];
        cuts[k].next[slot] = p.block == no_block ? join : moved(p.instruction);
      }
    interleave_phases(out.plan, facts_after, branch, std::span<const arm_cut>(cuts));
  }
  out.code = std::move(split);
  return out;
}

SIMTFLOW_INLINE block_id branch_of_order(const checked_function& f, std::span<const block_id> order) {
  const csr_graph& g = f.blocks().graph();
  cfg_facts facts(g);
  const auto& tree = facts.dominators();
  block_id branch = order.empty() ? no_block : order[0];
  if (branch != no_block && !tree.is_reachable(branch)) return no_block;
  bool listed = branch != no_block;
  while (branch != no_block && listed) {
    branch = tree.idom(branch);
    if (branch == no_block) return no_block;
    listed = false;
    for (const block_id b : order) {
      if (!tree.is_reachable(b)) return no_block;
      listed = listed || b == branch || !tree.dominates(branch, b);
    }
  }
  return branch;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

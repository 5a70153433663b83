// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/meld.hpp: the rounds.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/detail/keep_nounroll.hpp>
#include <simtflow/ptx/transform/liveness.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/meld_code.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/ptx/transform/unpredicate.hpp>
#include <simtflow/transform/check_meld_plan.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meld_plan_fault.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline std::string block_name(const function& f, const function_blocks& blocks, block_id b) {
  const std::uint32_t label = blocks[b].label;
  return simtflow::block_name(b, label == no_index ? std::string_view() : std::string_view(f.labels[label].name));
}

inline std::vector<melded_piece> pieces_of(const meld_plan& plan) {
  std::vector<melded_piece> out;
  for (const meld_piece& p : plan.pieces) {
    melded_piece made;
    made.side = p.side;
    made.profit = p.profit;
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];  // blocks that are cut stand in several
      if (b.left != no_block && b.left_begins) ++made.left_blocks;
      if (b.right != no_block && b.right_begins) ++made.right_blocks;
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        if (plan.all_slots[s].left != no_instruction) ++made.left_instructions;
        if (plan.all_slots[s].right != no_instruction) ++made.right_instructions;
      }
    }
    out.push_back(made);
  }
  return out;
}

// One round: melds branches that are not in each other's arms, and reports to `report`; `report.refused` is about this
// round alone. Returns the function as it is then; nullopt if nothing was melded.
// The profile gets the visits to branches that two have become, in place of the visits to the left one.
inline std::optional<result<function>> meld_once(const checked_function& checked, const melding_options& options,
                                                 warp_profile& profile, meld_report& report) {
  const function& f = checked.text();
  const function_blocks& blocks = checked.blocks();
  const melding_model model(checked, options.weights, profile);
  const live_registers live(checked, model.code());
  function_melder melder(model, live, options.code, options.search);
  cfg_facts facts(blocks.graph());
  simtflow::detail::meld_planner<melding_model> planner(facts, model, options.search);
  report.refused.clear();
  std::vector<unsigned char> taken(blocks.size(), 0);
  const auto where_of = [&](block_id b) { return f.instructions[blocks[b].last - 1].where; };
  bool any = false;
  std::vector<function_melder::known_branch> learned;
  for (;;) {
    meld_search found;
    planner.search(found, [&](block_id b) { return blocks[b].end == text_end::table; });
    for (const meld_refused& r : found.refused) {
      report.refused.push_back({block_name(f, blocks, r.branch), where_of(r.branch), r.reason, {}});
    }
    if (!found.found) break;
    const meld_plan& plan = found.plan;
    bool free = taken[plan.branch] == 0;
    for (const meld_block& b : plan.blocks)
      for (const block_id old : {b.left, b.right}) free = free && (old == no_block || taken[old] == 0);
    if (!free) continue;  // the next round
    if (options.prove)
      if (const std::optional<meld_plan_fault> fault = check_meld_plan(blocks.graph(), model, plan))
        return result<function>(diagnostics{
            {where_of(plan.branch), "the plan to meld the branch of " + block_name(f, blocks, plan.branch) +
                                        " is wrong and was not applied: " + std::string(to_string(fault->kind))}});
    const meld_figures figures = melder.add(plan);
    if (!figures.pays) {
      report.refused.push_back(
          {block_name(f, blocks, plan.branch), where_of(plan.branch), meld_refusal::none, figures});
      continue;
    }
    any = true;
    report.melded.push_back(
        {report.rounds + 1, block_name(f, blocks, plan.branch), where_of(plan.branch), pieces_of(plan), figures, {}});
    for (const meld_slot& s : plan.all_slots)
      if (s.left != no_instruction && s.right != no_instruction)
        report.melded.back().pairs.push_back({f.instructions[s.left].where, f.instructions[s.right].where});
    taken[plan.branch] = 1;
    for (const meld_block& b : plan.blocks)
      for (const block_id old : {b.left, b.right})
        if (old != no_block) taken[old] = 1;
  }
  if (!any) return std::nullopt;
  if (!profile.empty())
    for (const function_melder::known_branch& k : melder.known_branches()) learned.push_back(k);
  std::optional<result<function>> made = melder.take();
  for (const function_melder::known_branch& k : learned) profile.set(k.where, k.visits);
  return made;
}

}  // namespace detail

SIMTFLOW_INLINE result<melding> meld(const checked_function& f, const melding_options& options) {
  melding out{f.text(), {}};
  checked_function now = f;
  if (f.text().num_scopes > 1) {
    result<function> flat = rewrite(f, flow_plan(f.blocks().graph()));
    if (!flat) return std::move(flat).diagnostics();
    out.code = *std::move(flat);
    now = detail::checked_maker::written(f.owner(), out.code);
  }
  warp_profile profile = options.profile;
  while (out.report.rounds < options.most_rounds) {
    std::optional<result<function>> made = detail::meld_once(now, options, profile, out.report);
    if (!made) break;
    if (!*made) return std::move(*made).diagnostics();
    out.code = **std::move(made);
    detail::keep_nounroll(f.text(), out.code);
    now = detail::checked_maker::written(f.owner(), out.code);
    ++out.report.rounds;
  }
  out.report.complete = out.report.rounds < options.most_rounds;
  if (out.report.rounds == 0 || options.code.unpredicate == meld_unpredication::never) return out;
  melding_options last = options;
  last.profile = std::move(profile);
  result<function> made = unpredicate(now, last);
  if (!made) return std::move(made).diagnostics();
  out.code = *std::move(made);
  return out;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The cost of a branch before and after melding: expected costs, latencies, and numbers of instructions with the jumps
// that a layout needs.
//
// The expected cost is the mean over the warps that come to the branch: those that diverge there, those that all go
// left, those that all go right. A warp pays the latency of each instruction that it executes, and an issue for each
// that none of its lanes executes, for each branch and for each jump. It pays the price of divergence besides if it
// diverges. Runs under the predicate of the branch cost as much as they will cost with branches around them
// (guard_run.hpp).
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/transform/detail/guard_run.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// How often threads of a side that come to a branch come to a block of their arm; 1 if nothing is known.
inline double visits_from(const melding_model& model, block_id branch, meld_side side, block_id block) {
  const branch_likelihood l = model.likelihood(branch);
  const double come = model.frequency(branch) * (l.parted + (side == meld_side::left ? l.all_first() : l.all_second()));
  return model.is_profiled() && come > 0 ? model.frequency(block) / come : 1;
}

class meld_weigher {
 public:
  meld_weigher(const melding_model& model, const meld_draft& draft, const meld_code_options& code,
               const simtflow::meld_options& search)
      : model_(model), blocks_(model.blocks()), d_(draft) {
    prices_.issue = model.weights()[latency_class::other];
    prices_.divergence = search.divergence_cost;
    prices_.how = code.unpredicate;
    prices_.most_predicated = code.most_predicated;
  }

  // The latency of an instruction that was made.
  [[nodiscard]] std::uint32_t latency(const instruction& i) { return model_.weights()(known_.at(i.opcode)); }
  // The weight of an instruction that no lane executes.
  [[nodiscard]] std::uint32_t issue() const { return prices_.issue; }

  // The branches of the plan that was weighed last, its own and those in its arms.
  [[nodiscard]] std::uint32_t branches_before() const { return branches_before_; }

  // Weighs both arms, and the blocks that were made from `from` on. `left` holds in threads of the left side.
  void weigh(const meld_plan& plan, std::size_t from, std::uint32_t branches, meld_condition left,
             meld_figures& figures) {
    likely_ = model_.likelihood(plan.branch);
    mark_.resize(blocks_.size() + d_.made.size(), 0);
    weigh_arms(plan, figures);
    for (std::size_t k = from; k < d_.made.size(); ++k) weigh_made(d_.made[k], left, figures);
    figures.added =
        figures.instructions_after > figures.melded + figures.left_only + figures.right_only + branches
            ? figures.instructions_after - figures.melded - figures.left_only - figures.right_only - branches
            : 0;
    weigh_jumps(from, figures);
  }

 private:
  // How often the warps that come to the branch come to a made block.
  [[nodiscard]] warp_kinds kinds_at(const melded_block& b) const {
    const double most = b.visits[0] > b.visits[1] ? b.visits[0] : b.visits[1];
    return {likely_.parted * most, likely_.all_first() * b.visits[0], likely_.all_second() * b.visits[1]};
  }

  void weigh_arms(const meld_plan& plan, meld_figures& figures) {
    const std::uint32_t issue = prices_.issue;
    const auto before = [&](double often, double weight, std::uint32_t latency) {
      figures.cost_before += often * weight;
      figures.weight_before += latency;
      ++figures.instructions_before;
    };
    before(1, issue + likely_.parted * prices_.divergence, issue);
    branches_before_ = 1;
    const auto to = blocks_.graph().successors(plan.branch);
    std::vector<block_id> arm;
    for (std::uint32_t k = 0; k < 2; ++k) {
      const double come = likely_.parted + (k == 0 ? likely_.all_first() : likely_.all_second());
      const meld_side side = k == 0 ? meld_side::left : meld_side::right;
      arm.clear();
      const auto visit = [&](block_id b) {
        if (b == plan.join || mark_[b] != 0) return;
        mark_[b] = 1;
        arm.push_back(b);
      };
      visit(to[k]);
      for (std::size_t n = 0; n < arm.size(); ++n) {
        const block_id b = arm[n];
        const double often = come * visits_from(model_, plan.branch, side, b);
        for (std::uint32_t i = model_.first(b); i < model_.last(b); ++i)
          before(often, expected(model_.latency(i), model_.idle(i)), model_.latency(i));
        if (blocks_[b].end == text_end::branches || blocks_[b].end == text_end::table) {
          before(often, issue + model_.likelihood(b).parted * prices_.divergence, issue);
          ++branches_before_;
        }
        if (blocks_[b].end == text_end::jumps) before(often, issue, 0);
        for (const block_id next : blocks_.graph().successors(b)) visit(next);
      }
      for (const block_id b : arm) mark_[b] = 0;
    }
  }
  [[nodiscard]] double expected(std::uint32_t latency, double idle) const {
    const double most = latency, least = latency < prices_.issue ? latency : prices_.issue;
    return most + idle * (least - most);
  }

  void weigh_made(const melded_block& b, meld_condition left, meld_figures& figures) {
    const warp_kinds kinds = kinds_at(b);
    guard_run runs[2];  // the left side's, and the right one's directly after it; or the other way round
    bool right_first = false;
    const auto flush = [&] {
      const warp_kinds w = right_first ? warp_kinds{kinds.parted, kinds.second, kinds.first} : kinds;
      figures.cost_after += prices_.choose(w, runs[0], runs[1]).cost;
      runs[0] = runs[1] = guard_run();
    };
    for (std::size_t k = 0; k < b.code.size(); ++k) {
      const std::uint32_t weight = latency(b.code[k]);
      figures.weight_after += weight;
      ++figures.instructions_after;
      const bool guarded = b.code[k].guard == left.reg;
      const bool of_right = guarded && b.code[k].guard_negated != left.negated;
      if (guarded) {
        const bool second = of_right != right_first;
        if (runs[0].size == 0)
          right_first = of_right;
        else if (!second && runs[1].size != 0)
          flush(), right_first = of_right;
        runs[of_right != right_first ? 1 : 0].add(weight, prices_.issue);
        continue;
      }
      flush();
      const meld_side side = b.uses[k].side;
      const double idle = b.uses[k].idle, off = weight < prices_.issue ? weight : prices_.issue;
      const double on =
          kinds.parted + (side == meld_side::right ? 0 : kinds.first) + (side == meld_side::left ? 0 : kinds.second);
      figures.cost_after += on * expected(weight, idle) + (kinds.parted + kinds.first + kinds.second - on) * off;
    }
    flush();
    if (b.on != melded_block::way::two && b.on != melded_block::way::table) return;
    const double all = kinds.parted + kinds.first + kinds.second;
    figures.weight_after += prices_.issue;
    ++figures.instructions_after;
    figures.cost_after +=
        all * prices_.issue +
        prices_.divergence * (kinds.parted * b.parts[0] + kinds.first * b.parts[1] + kinds.second * b.parts[2]);
  }

  // The fewest jumps that a layout needs, or one more: one successor of each block can follow it, and one predecessor
  // can precede it.
  void weigh_jumps(std::size_t from, meld_figures& figures) {
    const auto follows = [&](block_id b) {
      if (mark_[b] != 0) return false;
      mark_[b] = 1;
      return true;
    };
    const auto jump = [&](const melded_block& b, double part) {
      const warp_kinds kinds = kinds_at(b);
      ++figures.instructions_after;
      figures.cost_after += part * (kinds.parted + kinds.first + kinds.second) * prices_.issue;
    };
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == melded_block::way::one && !follows(d_.made[k].to[0])) jump(d_.made[k], 1);
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == melded_block::way::two && !follows(d_.made[k].to[1]) && !follows(d_.made[k].to[0]))
        jump(d_.made[k], 0.5);
    for (std::size_t k = from; k < d_.made.size(); ++k)
      for (const block_id b : d_.made[k].to)
        if (b != no_block) mark_[b] = 0;
  }

  // Operations by spelling.
  struct known_operations {
    std::unordered_map<std::string, operation> list;
    const operation& at(const std::string& opcode) {
      const auto found = list.find(opcode);
      if (found != list.end()) return found->second;
      return list.emplace(opcode, *parse_operation(opcode)).first->second;
    }
  };

  const melding_model& model_;
  const function_blocks& blocks_;
  const meld_draft& d_;
  guard_run_prices prices_;
  branch_likelihood likely_;
  known_operations known_;
  std::uint32_t branches_before_ = 0;
  std::vector<unsigned char> mark_;  // by block
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

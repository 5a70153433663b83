// SPDX-License-Identifier: BSL-1.0
//
// The cost of a branch before and after melding: latencies, and numbers of instructions with the jumps that a layout
// needs.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
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

class meld_weigher {
 public:
  meld_weigher(const melding_model& model, const meld_draft& draft)
      : model_(model), blocks_(model.blocks()), d_(draft) {}

  // The latency of an instruction that was made.
  [[nodiscard]] std::uint32_t latency(const instruction& i) { return model_.weights()(known_.at(i.opcode)); }
  // Adds up each instruction once, and branches of two ways; the blocks that were made begin with `from`.
  void weigh(const meld_plan& plan, std::size_t from, std::uint32_t branches, meld_figures& figures) {
    const std::uint32_t branch = model_.weights()[latency_class::other];
    const auto before = [&](std::uint64_t weight) {
      figures.weight_before += weight;
      ++figures.instructions_before;
    };
    const auto after = [&](std::uint64_t weight) {
      figures.weight_after += weight;
      ++figures.instructions_after;
    };
    before(branch);
    for (const meld_block& b : plan.blocks) {
      for (const block_id old : {b.left, b.right}) {
        if (old == no_block) continue;
        for (std::uint32_t i = model_.first(old); i < model_.last(old); ++i) before(model_.latency(i));
        if (blocks_[old].end == text_end::branches || blocks_[old].end == text_end::table) before(branch);
      }
    }
    for (std::size_t k = from; k < d_.made.size(); ++k) {
      for (const instruction& i : d_.made[k].code) after(latency(i));
      if (d_.made[k].on == melded_block::way::two || d_.made[k].on == melded_block::way::table) after(branch);
    }
    figures.instructions_before += jumps_in_arms(plan);
    figures.added =
        figures.instructions_after > figures.melded + figures.left_only + figures.right_only + branches
            ? figures.instructions_after - figures.melded - figures.left_only - figures.right_only - branches
            : 0;
    figures.instructions_after += jumps_made(from);
  }

 private:
  // The number of bra without a guard in both arms.
  [[nodiscard]] std::uint32_t jumps_in_arms(const meld_plan& plan) {
    mark_.resize(blocks_.size() + d_.made.size(), 0);
    std::uint32_t found = 0;
    std::vector<block_id> arms;
    const auto visit = [&](block_id b) {
      if (b == plan.join || mark_[b] != 0) return;
      mark_[b] = 1;
      arms.push_back(b);
    };
    for (const block_id b : blocks_.graph().successors(plan.branch)) visit(b);
    for (std::size_t k = 0; k < arms.size(); ++k) {
      found += blocks_[arms[k]].end == text_end::jumps ? 1 : 0;
      for (const block_id b : blocks_.graph().successors(arms[k])) visit(b);
    }
    for (const block_id b : arms) mark_[b] = 0;
    return found;
  }
  // The fewest jumps that a layout needs, or one more: one successor of each block can follow it, and one predecessor
  // can precede it.
  [[nodiscard]] std::uint32_t jumps_made(std::size_t from) {
    std::uint32_t found = 0;
    const auto follows = [&](block_id b) {
      if (mark_[b] != 0) return false;
      mark_[b] = 1;
      return true;
    };
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == melded_block::way::one && !follows(d_.made[k].to[0])) ++found;
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == melded_block::way::two && !follows(d_.made[k].to[1]) && !follows(d_.made[k].to[0])) ++found;
    for (std::size_t k = from; k < d_.made.size(); ++k)
      for (const block_id b : d_.made[k].to)
        if (b != no_block) mark_[b] = 0;
    return found;
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
  known_operations known_;
  std::vector<unsigned char> mark_;  // by block
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

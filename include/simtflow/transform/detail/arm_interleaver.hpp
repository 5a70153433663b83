// SPDX-License-Identifier: BSL-1.0
//
// Judges one branch: lists the instructions of its arms, finds where they stall, and tries cuts.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/detail/arms.hpp>
#include <simtflow/transform/interleaving_choice.hpp>
#include <simtflow/transform/issue_clock.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Judges branches. Facts and code must outlive it.
template <interleavable_code M>
class arm_interleaver {
 public:
  constexpr arm_interleaver(cfg_facts& facts, const M& code, const interleave_prices& prices)
      : facts_(facts), code_(code), prices_(prices) {
    arms_.compute(facts);
    level_.assign(facts.graph().num_blocks(), none);
  }

  // \pre the entry reaches the block. O(instructions of the arms) for each cut that is tried.
  constexpr interleaving_choice judge(block_id branch) {
    interleaving_choice out;
    out.branch = branch;
    const auto refuse = [&](interleave_refusal reason) {
      out.reason = reason;
      return out;
    };
    const auto successors = facts_.graph().successors(branch);
    if (successors.size() != 2 || successors[0] == successors[1]) {
      out.arms = meld_refusal::not_two_way;
      return refuse(interleave_refusal::no_two_arms);
    }
    if (!code_.is_divergent(branch)) return refuse(interleave_refusal::uniform);
    out.arms = arms_.find(branch);
    if (out.arms != meld_refusal::none) return refuse(interleave_refusal::no_two_arms);
    std::size_t instructions = 0;
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id b : arms_.blocks(a)) {
        instructions += code_.last(b) - code_.first(b);
        if (instructions > prices_.most_instructions) {
          out.at = no_block;
          return refuse(interleave_refusal::too_long);
        }
        out.at = b;
        if (code_.is_convergent_block(b)) return refuse(interleave_refusal::convergent);
        if (facts_.loops().innermost(b) != facts_.loops().innermost(branch) && code_.waits(b))
          return refuse(interleave_refusal::waits);
      }
    out.at = no_block;
    for (unsigned slot = 0; slot < 2; ++slot) {
      list_instructions(slot);
      find_stalls(slot);
    }
    out.frequency = code_.frequency(branch);
    likely_ = code_.likelihood(branch);
    cuts_.clear();
    out.before = out.after = expected();
    const std::size_t most = stalls_[0].size() > stalls_[1].size() ? stalls_[0].size() : stalls_[1].size();
    if (most == 0) return refuse(interleave_refusal::no_stall);
    double least = out.before;
    const std::size_t tries = most < 4 * std::size_t{prices_.most_cuts} ? most : 4 * std::size_t{prices_.most_cuts};
    for (std::size_t k = 0; k < tries && cuts_.size() < prices_.most_cuts; ++k) {
      pair next;
      for (unsigned slot = 0; slot < 2; ++slot)
        next.at[slot] = k < stalls_[slot].size() ? stalls_[slot][k] : static_cast<std::uint32_t>(code_of_[slot].size());
      cuts_.push_back(next);
      const double now = expected();
      if (k == 0 || now < out.after) out.after = now;
      if (!(now < least)) {
        cuts_.pop_back();
        continue;
      }
      least = now;
      if (k >= stalls_[0].size() || k >= stalls_[1].size()) break;  // one arm has ended
    }
    if (cuts_.empty()) return refuse(interleave_refusal::does_not_pay);
    out.after = least;
    for (const pair& cut : cuts_)
      for (unsigned slot = 0; slot < 2; ++slot)
        out.cuts[slot].push_back(cut.at[slot] == code_of_[slot].size() ? phase_begin{}
                                                                       : code_of_[slot][cut.at[slot]].begin);
    return out;
  }

  // The blocks of the arms of the branch that was judged last, if it has two.
  [[nodiscard]] constexpr std::span<const block_id> blocks(unsigned arm) const { return arms_.blocks(arm); }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  struct item {
    phase_begin begin;
    bool cuttable;
  };
  // A cut, by slot: the first item after it.
  struct pair {
    std::uint32_t at[2] = {0, 0};
  };

  // The instructions of an arm, piece after piece.
  constexpr void list_instructions(unsigned slot) {
    const unsigned arm = arms_.exchanged() ? 1 - slot : slot;
    const auto& tree = facts_.dominators();
    const auto cuts = arms_.cuts(arm);
    for (std::uint32_t c = 0; c < cuts.size(); ++c) level_[cuts[c]] = c;
    keys_.clear();
    for (const block_id b : arms_.blocks(arm)) {
      path_.clear();
      block_id above = b;
      for (; level_[above] == none; above = tree.idom(above)) path_.push_back(above);
      for (const block_id below : path_) level_[below] = level_[above];
      keys_.push_back(std::uint64_t{level_[b]} << 32 | (b == cuts[level_[b]] ? 0 : b + std::uint64_t{1}));
    }
    sort_ascending(keys_);
    std::vector<item>& out = code_of_[slot];
    out.clear();
    for (const std::uint64_t key : keys_) {
      const auto c = static_cast<std::uint32_t>(key >> 32);
      const bool begins = (key & none) == 0;
      const block_id b = begins ? cuts[c] : static_cast<block_id>((key & none) - 1);
      bool whole = !begins;  // it cannot be cut inside
      if (begins)
        for (const block_id p : facts_.graph().predecessors(b)) whole = whole || tree.dominates(b, p);
      for (std::uint32_t i = code_.first(b); i < code_.last(b); ++i)
        out.push_back({{b, i}, i == code_.first(b) ? begins && c != 0 : !whole && code_.is_cuttable(i)});
    }
    for (const block_id b : arms_.blocks(arm)) level_[b] = none;
  }
  constexpr void find_stalls(unsigned slot) {
    const std::vector<item>& code = code_of_[slot];
    std::vector<std::uint32_t>& out = stalls_[slot];
    out.clear();
    clock_.start(code_.num_registers());
    std::uint32_t place = 0;  // the last one where the arm can be cut; 0: none
    for (std::uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].cuttable) place = k;
      const std::uint32_t i = code[k].begin.instruction;
      const bool stalls = clock_.earliest(code_, i) > clock_.now() + prices_.guard_cycles;
      if (stalls && place != 0 && (out.empty() || out.back() != place)) out.push_back(place);
      clock_.issue(code_, i);
    }
  }

  // The expected cost with cuts_.
  constexpr double expected() {
    return likely_.parted * cost(true, true) + likely_.all_first() * cost(true, false) +
           likely_.all_second() * cost(false, true);
  }
  constexpr double cost(bool first, bool second) {
    const bool runs[2] = {first, second};
    clock_.start(code_.num_registers());
    std::uint32_t at[2] = {0, 0};
    for (std::size_t k = 0; k <= cuts_.size(); ++k) {
      if (k != 0) clock_.spend(prices_.guard_instructions, prices_.guard_cycles);
      for (unsigned slot = 0; slot < 2; ++slot) {
        const std::vector<item>& code = code_of_[slot];
        const std::size_t end = k < cuts_.size() ? cuts_[k].at[slot] : code.size();
        for (; runs[slot] && at[slot] < end; ++at[slot]) clock_.issue(code_, code[at[slot]].begin.instruction);
      }
    }
    const double time = static_cast<double>(clock_.now()) / (prices_.warps > 1 ? prices_.warps : 1),
                 issues = static_cast<double>(clock_.issues());
    return time > issues ? time : issues;
  }

  cfg_facts& facts_;
  const M& code_;
  interleave_prices prices_;
  branch_arms arms_;
  issue_clock clock_;
  branch_likelihood likely_;
  std::vector<item> code_of_[2];          // by slot
  std::vector<std::uint32_t> stalls_[2];  // by slot: where the arm is cut, as a place in code_of_
  std::vector<pair> cuts_;                // in their order
  std::vector<std::uint32_t> level_;      // by block; none between branches
  std::vector<std::uint64_t> keys_;
  std::vector<block_id> path_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

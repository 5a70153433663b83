// SPDX-License-Identifier: BSL-1.0
//
// The branches of a function that could be melded as it stands, in words for a person:
//
//   melding: 3 branches, 1 can be melded
//     branch of BB1: 4 pairs, 1 and 0 instructions alone; weight 146 -> 91, expected saving 26.1
//       BB2 (3) with BB3 (2): 2 pairs, profit 0.40
//       BB4 (2) with BB5 (2): 2 pairs, profit 0.50
//     branch of BB7 is put off until the branch of BB1, which is in its arms, is melded
//     branch of BB9 is not melded: it has an arm without code
//
// The text describes any code that transform/meld.hpp takes. io/describe_meld.hpp describes the outcome of melding a
// PTX function in several rounds.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why a branch is not melded: the end of a sentence that begins with the branch.
[[nodiscard]] constexpr std::string_view describe(meld_refusal r) {
  switch (r) {
    case meld_refusal::none:
      return "can be melded";
    case meld_refusal::not_two_way:
      return "has not two ways";
    case meld_refusal::uniform:
      return "is uniform";
    case meld_refusal::no_join:
      return "has no join: threads end in an arm, or stay there";
    case meld_refusal::empty_arm:
      return "has an arm without code";
    case meld_refusal::arms_meet:
      return "has arms with a block in common";
    case meld_refusal::returns:
      return "has an arm that leads back to it";
    case meld_refusal::not_dominated:
      return "has an arm that is entered elsewhere too";
    case meld_refusal::convergent:
      return "has code in an arm that the same threads must run together (barriers, votes, shuffles, ...)";
    case meld_refusal::not_a_diamond:
      return "has arms of another shape than this mode takes";
    case meld_refusal::nothing_compatible:
      return "has arms with nothing in common";
    case meld_refusal::pinned:
      return "has in common only what is beside atomics, calls or volatile accesses";
    case meld_refusal::gave_up:
      return "has arms that were compared for long without a result";
    case meld_refusal::below_threshold:
      return "saves less than the threshold asks";
  }
  return {};
}

namespace detail {

/// A plan's lines; the first line continues after the name of the branch.
template <class M, class Name>
inline std::string describe_plan(const meld_plan& plan, const M& code, const meld_options& options, Name& name) {
  const auto pairs = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " pair" : " pairs"); };
  const auto tenths = [](double x) {
    const auto n = static_cast<long long>(x * 10 + (x < 0 ? -0.5 : 0.5));
    const long long size = n < 0 ? -n : n;
    return (n < 0 ? "-" : "") + std::to_string(size / 10) + '.' + std::to_string(size % 10);
  };
  std::size_t melded = 0, left_alone = 0, right_alone = 0;
  // The weight of an if-else at which a warp diverges.
  std::uint64_t weight = std::uint64_t{options.predication_cost} + options.divergence_cost;
  std::string lines;
  for (const meld_piece& p : plan.pieces) {
    std::string left, right;
    std::size_t left_code = 0, right_code = 0, here = 0;
    const auto add = [&name](std::string& list, block_id b) {
      if (b == no_block) return;
      if (!list.empty()) list += ' ';
      list += name(b);
    };
    for (std::size_t k = p.first_block; k < std::size_t{p.first_block} + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      add(left, b.left);
      add(right, b.right);
      for (std::size_t s = b.first_slot; s < std::size_t{b.first_slot} + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        const bool is_left = slot.left != no_instruction, is_right = slot.right != no_instruction;
        left_code += is_left ? 1 : 0;
        right_code += is_right ? 1 : 0;
        here += is_left && is_right ? 1 : 0;
        if (is_left) weight += code.latency(slot.left);
        if (is_right) weight += code.latency(slot.right);
      }
    }
    melded += here;
    left_alone += left_code - here;
    right_alone += right_code - here;
    left += " (" + std::to_string(left_code) + ")";
    right += " (" + std::to_string(right_code) + ")";
    const auto hundredths = static_cast<unsigned>(p.profit * 100 + 0.5);
    lines += "    ";
    if (p.side == meld_side::both)
      lines += left + " with " + right + ": " + pairs(here) + ", profit " + std::to_string(hundredths / 100) +
               (hundredths % 100 < 10 ? ".0" : ".") + std::to_string(hundredths % 100);
    else
      lines += (p.side == meld_side::left ? left : right) + " alone";
    lines += '\n';
  }
  return ": " + pairs(melded) + ", " + std::to_string(left_alone) + " and " + std::to_string(right_alone) +
         " instructions alone; weight " + std::to_string(weight) + " -> " + std::to_string(weight - plan.weight_saved) +
         ", expected saving " + tenths(plan.expected_saving) + '\n' + lines;
}

}  // namespace detail

namespace detail {
// The name of the branch that ends a block: name.branch(block), if the caller's object has that member.
template <class Name>
std::string name_of_branch(Name& name, block_id b) {
  if constexpr (requires { name.branch(b); })
    return std::string(name.branch(b));
  else
    return std::string(name(b));
}
}  // namespace detail

/// Every branch that the entry reaches, as above, inner branches first: how it can be melded, or why it is not. Plans
/// are for the function as it is; a plan with a melded branch in its arms is put off. Weights are the weights of the
/// arms and their branch for a warp with threads of both sides; the expected saving is of all warps that come to the
/// branch. Instructions are counted in parentheses.
///
/// `name(block)` names a block. `name.branch(block)` names the branch that ends it, if the caller's object has that
/// member. \pre as find_meld(). Complexity: as find_meld(), and linear in what is printed.
template <meldable_code M, class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe_melding(const csr_graph& g, const M& code, Name&& name,
                                                  const meld_options& options = {}) {
  cfg_facts facts(g);
  detail::meld_planner<M> planner(facts, code, options);
  std::vector<block_id> taken_by(g.num_blocks(), no_block);  // the melded branch that has a block, or is there
  std::size_t branches = 0, melded = 0;
  std::string lines;
  for (;;) {
    meld_search next;
    planner.search(next, skip_no_branch());
    for (const meld_refused& r : next.refused) {
      ++branches;
      lines += "  branch of " + detail::name_of_branch(name, r.branch) + " is not melded: it ";
      lines += describe(r.reason);
      lines += '\n';
    }
    if (!next.found) break;
    const meld_plan& plan = next.plan;
    ++branches;
    lines += "  branch of " + detail::name_of_branch(name, plan.branch);
    block_id first = taken_by[plan.branch];
    for (const meld_block& b : plan.blocks)
      for (const block_id own : {b.left, b.right})
        if (own != no_block && first == no_block) first = taken_by[own];
    if (first != no_block) {
      lines += " is put off until the branch of " + detail::name_of_branch(name, first) +
               ", which is in its arms, is melded\n";
      continue;
    }
    ++melded;
    taken_by[plan.branch] = plan.branch;
    for (const meld_block& b : plan.blocks)
      for (const block_id own : {b.left, b.right})
        if (own != no_block) taken_by[own] = plan.branch;
    lines += detail::describe_plan(plan, code, options, name);
  }
  return "melding: " + std::to_string(branches) + (branches == 1 ? " branch, " : " branches, ") +
         std::to_string(melded) + " can be melded\n" + lines;
}

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Decides whether a meld plan does what both arms did; check_meld_plan.hpp has the definition and the idea.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_projection.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meld_plan_fault.hpp>
#include <simtflow/transform/meldable_code.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// All arguments of the constructor must outlive the checker.
template <class M>
class meld_plan_checker {
 public:
  constexpr meld_plan_checker(const csr_graph& g, const M& code, const meld_plan& plan)
      : graph_(&g), code_(&code), plan_(&plan) {}

  constexpr std::optional<meld_plan_fault> find_fault() {
    const meld_plan& p = *plan_;
    const std::size_t n = graph_->num_blocks();
    if (p.branch >= n || p.join >= n || graph_->successors(p.branch).size() != 2 ||
        graph_->successors(p.branch)[0] == graph_->successors(p.branch)[1] || graph_->is_exit(p.branch)) {
      fail(meld_fault_kind::not_two_arms, none, p.branch, none);
      return fault_;
    }
    if (!covers()) return fault_;
    stands_in_.assign(n, meld_side::both);
    for (const meld_side side : {meld_side::left, meld_side::right}) {
      meld_projection<M> threads(*graph_, *code_, p, side, std::span<const std::uint32_t>(piece_of_));
      if (!fault_) fault_ = threads.walk();
      if (!fault_) find_idle(threads, side);
    }
    if (!fault_) find_other_entries();
    for (std::uint32_t k = 0; k < p.blocks.size() && !fault_; ++k) judge_block(k);
    return fault_;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  constexpr void fail(meld_fault_kind kind, std::uint32_t k, std::uint32_t wanted, std::uint32_t found) {
    fault_ = meld_plan_fault{kind, meld_side::both, k, wanted, found, {}};
  }

  // --- rows ---

  // Pieces cover the blocks, and blocks the slots and successors. Successors lie in their piece.
  constexpr bool covers() {
    const meld_plan& p = *plan_;
    piece_of_.assign(p.blocks.size(), 0);
    std::uint32_t block = 0, slot = 0, successor = 0;
    for (std::uint32_t i = 0; i < p.pieces.size(); ++i) {
      const meld_piece& piece = p.pieces[i];
      if (piece.first_block != block || piece.num_blocks == 0 || piece.num_blocks > p.blocks.size() - block)
        return fail(meld_fault_kind::rows, block, none, none), false;
      if (i > 0 && piece.side == meld_side::left && p.pieces[i - 1].side == meld_side::right)
        return fail(meld_fault_kind::order, block, none, none), false;
      for (const std::uint32_t last = block + piece.num_blocks; block < last; ++block) {
        const meld_block& b = p.blocks[block];
        piece_of_[block] = i;
        const bool fits = b.first_slot == slot && b.num_slots <= p.all_slots.size() - slot &&
                          b.first_successor == successor && b.num_successors <= p.successors.size() - successor;
        if (!fits) return fail(meld_fault_kind::rows, block, none, none), false;
        slot += b.num_slots;
        for (; successor < b.first_successor + b.num_successors; ++successor) {
          const std::uint32_t to = p.successors[successor];
          if (to != piece_end && (to < piece.first_block || to - piece.first_block >= piece.num_blocks))
            return fail(meld_fault_kind::rows, block, none, to), false;
        }
      }
    }
    const bool all = block == p.blocks.size() && slot == p.all_slots.size() && successor == p.successors.size();
    if (!all) fail(meld_fault_kind::rows, none, none, none);
    return all;
  }

  // --- the rest ---

  // Blocks of the side stand where threads of it come, and are none of the other side's.
  constexpr void find_idle(const meld_projection<M>& threads, meld_side side) {
    for (std::uint32_t k = 0; k < plan_->blocks.size(); ++k) {
      const meld_block& b = plan_->blocks[k];
      const block_id mine = threads.own(b);
      if (mine == no_block && threads.begins(b) && threads.ends(b) && !threads.executes(b)) continue;
      if (mine == no_block) return fail(meld_fault_kind::wrong_part, k, no_block, no_block);
      if (!threads.comes_to(k)) return fail(meld_fault_kind::twice, k, no_block, mine);
      if (mine == plan_->branch || mine == plan_->join) return fail(meld_fault_kind::not_two_arms, k, no_block, mine);
      if (stands_in_[mine] != meld_side::both && stands_in_[mine] != side)
        return fail(meld_fault_kind::not_two_arms, k, no_block, mine);
      stands_in_[mine] = side;
    }
  }

  // Control enters the blocks of an arm by the branch or from the arm.
  constexpr void find_other_entries() {
    std::vector<unsigned char> inside;  // what an arm reaches before the join
    inside.assign(graph_->num_blocks(), 0);
    inside[plan_->join] = inside[plan_->branch] = 1;
    std::vector<block_id> arms, work;
    for (std::size_t arm = 0; arm < 2; ++arm) {
      work.push_back(graph_->successors(plan_->branch)[arm]);
      while (!work.empty()) {
        const block_id b = work.back();
        work.pop_back();
        if (inside[b] != 0) continue;
        inside[b] = 1;
        arms.push_back(b);
        for (const block_id s : graph_->successors(b)) work.push_back(s);
      }
    }
    inside[plan_->join] = 0;
    for (const block_id b : arms) {
      if (b == graph_->entry()) return fail(meld_fault_kind::not_two_arms, none, no_block, b);
      for (const block_id p : graph_->predecessors(b))
        if (inside[p] == 0 && is_reachable(p)) return fail(meld_fault_kind::not_two_arms, none, no_block, b);
    }
  }
  [[nodiscard]] constexpr bool is_reachable(block_id wanted) {
    if (graph_->all_known_reachable()) return true;
    if (reached_.empty()) {
      reached_.assign(graph_->num_blocks(), 0);
      std::vector<block_id> work;
      work.push_back(graph_->entry());
      while (!work.empty()) {
        const block_id b = work.back();
        work.pop_back();
        if (reached_[b] != 0) continue;
        reached_[b] = 1;
        for (const block_id s : graph_->successors(b)) work.push_back(s);
      }
    }
    return reached_[wanted] != 0;
  }

  // Instructions and branches become one only if they may, and the left side comes first.
  constexpr void judge_block(std::uint32_t k) {
    const meld_plan& p = *plan_;
    const meld_block& b = p.blocks[k];
    const bool melded = p.pieces[piece_of_[k]].side == meld_side::both;
    const meld_side only = p.pieces[piece_of_[k]].side;
    if (!melded && ((only == meld_side::left ? b.right : b.left) != no_block || b.ends_as != only))
      return fail(meld_fault_kind::wrong_block, k, no_block, only == meld_side::left ? b.right : b.left);
    bool right_alone = false;
    for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
      const meld_slot& slot = p.all_slots[s];
      const bool left = slot.left != no_instruction, right = slot.right != no_instruction;
      if (left && !right && right_alone) return fail(meld_fault_kind::order, k, slot.left, none);
      right_alone = !left && right;
      for (const std::uint32_t i : {slot.left, slot.right})
        if (i != no_instruction && code_->is_pinned(i) && (melded || is_convergent(i)))
          return fail(meld_fault_kind::pinned, k, i, none);
      if (left && right &&
          (code_->opcode_class(slot.left) != code_->opcode_class(slot.right) ||
           !code_->compatible(slot.left, slot.right)))
        return fail(meld_fault_kind::not_compatible, k, slot.left, slot.right);
    }
    if (b.ends_as == meld_side::both) {
      if (b.left == no_block || b.right == no_block) return fail(meld_fault_kind::no_way, k, b.left, b.right);
      if constexpr (requires { code_->compatible_branches(b.left, b.right); })
        if (b.num_successors > 1 && !code_->compatible_branches(b.left, b.right))
          return fail(meld_fault_kind::not_compatible, k, b.left, b.right);
    } else if (const block_id forces = b.ends_as == meld_side::left ? b.left : b.right;
               melded && b.forced != no_outcome && b.num_successors > 1) {
      bool can = b.num_successors == 2;
      if constexpr (requires { code_->can_force_branch(forces); }) can = code_->can_force_branch(forces);
      if (!can) return fail(meld_fault_kind::not_compatible, k, forces, none);
    }
  }
  [[nodiscard]] constexpr bool is_convergent(std::uint32_t i) const {
    if constexpr (requires { code_->is_convergent(i); })
      return code_->is_convergent(i);
    else
      return true;
  }

  const csr_graph* graph_;
  const M* code_;
  const meld_plan* plan_;
  std::optional<meld_plan_fault> fault_;
  std::vector<std::uint32_t> piece_of_;  // by block of the plan
  std::vector<meld_side> stands_in_;     // by block of the graph: the arm that it is in; both: none
  std::vector<unsigned char> reached_;   // by block of the graph: the entry reaches it; empty: not known
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

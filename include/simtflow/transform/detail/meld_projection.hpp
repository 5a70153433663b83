// SPDX-License-Identifier: BSL-1.0
//
// Threads of one side walk through a meld plan and through their arm at once; check_meld_plan.hpp has the idea.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
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

// All arguments of the constructor must outlive the projection.
template <class M>
class meld_projection {
 public:
  // piece_of[k]: the piece that has block k of the plan. \pre pieces, blocks, slots and successors of the plan lie in
  // their rows
  constexpr meld_projection(const csr_graph& g, const M& code, const meld_plan& plan, meld_side side,
                            std::span<const std::uint32_t> piece_of)
      : graph_(&g), code_(&code), plan_(&plan), side_(side), piece_of_(piece_of) {}

  // The first fault on a way of threads of the side; nullopt: none.
  constexpr std::optional<meld_plan_fault> walk() {
    const std::size_t pieces = plan_->pieces.size();
    next_piece_.assign(pieces + 1, none);
    for (std::size_t i = pieces; i-- > 0;) {
      const meld_piece& p = plan_->pieces[i];
      next_piece_[i] = p.side == meld_side::both || p.side == side_ ? p.first_block : next_piece_[i + 1];
    }
    at_.assign(plan_->blocks.size(), place{});
    from_.assign(plan_->blocks.size(), none);
    walked_.assign(plan_->blocks.size(), 0);
    begun_in_.assign(graph_->num_blocks(), none);
    arrive(next_piece_[0], none, enter(graph_->successors(plan_->branch)[side_ == meld_side::left ? 0 : 1]));
    while (!work_.empty() && !fault_) {
      const std::uint32_t k = work_.back();
      work_.pop_back();
      leave(k);
    }
    return fault_;
  }
  // True if threads of the side come to block k of the plan. \pre walk() was called
  [[nodiscard]] constexpr bool comes_to(std::uint32_t k) const { return walked_[k] != 0; }

  // The block that threads of the side are in.
  [[nodiscard]] constexpr block_id own(const meld_block& b) const {
    return side_ == meld_side::left ? b.left : b.right;
  }
  [[nodiscard]] constexpr bool begins(const meld_block& b) const {
    return side_ == meld_side::left ? b.left_begins : b.right_begins;
  }
  [[nodiscard]] constexpr bool ends(const meld_block& b) const {
    return side_ == meld_side::left ? b.left_ends : b.right_ends;
  }
  [[nodiscard]] constexpr std::uint32_t own(const meld_slot& s) const {
    return side_ == meld_side::left ? s.left : s.right;
  }
  // True if it has an instruction of the side.
  [[nodiscard]] constexpr bool executes(const meld_block& b) const { return next_after(b, 0) != 0; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // The next thing to do in an arm: instruction `next` of the block, or its branch.
  struct place {
    block_id block = no_block;
    std::uint32_t next = 0;
    bool begun = false;

    friend constexpr bool operator==(const place&, const place&) = default;
  };

  // A thread that has come to k after block `from` and those in between_ goes wrong.
  constexpr void fail(meld_fault_kind kind, std::uint32_t k, std::uint32_t from, std::uint32_t wanted,
                      std::uint32_t found) {
    fault_ = meld_plan_fault{kind, side_, k, wanted, found, {}};
    std::vector<std::uint32_t> back;
    for (std::uint32_t b = from; b != none; b = from_[b]) back.push_back(b);
    for (; !back.empty(); back.pop_back()) fault_->path.push_back(back.back());
    for (const std::uint32_t b : between_) fault_->path.push_back(b);
    if (k != none) fault_->path.push_back(k);
  }

  // The beginning of a block, or of what comes after it if it only goes on.
  [[nodiscard]] constexpr place enter(block_id b) const {
    for (std::size_t n = 0; n < graph_->num_blocks(); ++n) {
      const bool goes_on = code_->first(b) == code_->last(b) && graph_->successors(b).size() == 1;
      if (b == plan_->join || !goes_on || graph_->is_exit(b)) break;
      b = graph_->successors(b)[0];
    }
    return {b, code_->first(b), false};
  }

  // Threads come to block k of the plan after `from`, and pass what is nothing for them.
  constexpr void arrive(std::uint32_t k, std::uint32_t from, place at) {
    between_.clear();
    ++way_;
    for (;;) {
      if (k == none) {
        if (at.block != plan_->join || at.begun) fail(meld_fault_kind::wrong_block, none, from, at.block, no_block);
        return;
      }
      const meld_block& b = plan_->blocks[k];
      if (walked_[k] == way_) return fail(meld_fault_kind::lost, k, from, none, none);
      if (walked_[k] != 0 && at_[k] == at) return;
      const block_id mine = own(b);
      const bool passed = mine == no_block || !(begins(b) || ends(b));
      if (!passed || executes(b)) return execute(k, from, at);
      if (mine != no_block && (mine != at.block || !at.begun))
        return fail(meld_fault_kind::wrong_block, k, from, at.block, mine);
      come_to(k, from, at);
      if (!is_forced(b)) return fail(meld_fault_kind::no_way, k, from, none, none);
      between_.push_back(k);
      k = target(k, b.forced);
    }
  }
  constexpr void come_to(std::uint32_t k, std::uint32_t from, place at) {
    if (walked_[k] == 0) from_[k] = between_.empty() ? from : between_.back();
    walked_[k] = way_;
    at_[k] = at;
  }
  // Threads of the side take the slot `forced`, since the branch is the other side's.
  [[nodiscard]] constexpr bool is_forced(const meld_block& b) const {
    return b.ends_as != meld_side::both && b.ends_as != side_ && b.forced < b.num_successors;
  }
  // The block of the plan after block k; none: the join.
  [[nodiscard]] constexpr std::uint32_t target(std::uint32_t k, std::uint32_t slot) const {
    const std::uint32_t to = plan_->successors[plan_->blocks[k].first_successor + slot];
    return to == piece_end ? next_piece_[piece_of_[k] + std::size_t{1}] : to;
  }

  // The code of block k must be the code that comes next.
  constexpr void execute(std::uint32_t k, std::uint32_t from, place at) {
    const meld_block& b = plan_->blocks[k];
    const block_id mine = own(b);
    if (mine != at.block) return fail(meld_fault_kind::wrong_block, k, from, at.block, mine);
    if (begins(b) == at.begun) return fail(meld_fault_kind::wrong_part, k, from, mine, mine);
    std::uint32_t next = at.next;
    for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
      const std::uint32_t i = own(plan_->all_slots[s]);
      if (i == no_instruction) continue;
      if (next == code_->last(mine) || i != next)
        return fail(meld_fault_kind::wrong_instruction, k, from, next == code_->last(mine) ? none : next, i);
      ++next;
    }
    if (ends(b) && next != code_->last(mine)) return fail(meld_fault_kind::wrong_instruction, k, from, next, none);
    const bool is_part = !begins(b) || !ends(b);
    if (is_part && (graph_->successors(mine).size() != 1 || plan_->pieces[piece_of_[k]].side != meld_side::both))
      return fail(meld_fault_kind::wrong_part, k, from, mine, mine);
    if (begins(b)) {
      if (begun_in_[mine] != none && begun_in_[mine] != k) return fail(meld_fault_kind::twice, k, from, mine, mine);
      begun_in_[mine] = k;
    }
    if (walked_[k] != 0) return fail(meld_fault_kind::wrong_part, k, from, mine, mine);
    come_to(k, from, at);
    work_.push_back(k);
  }

  // All ways out of block k, in which something was executed.
  constexpr void leave(std::uint32_t k) {
    const meld_block& b = plan_->blocks[k];
    const block_id mine = own(b);
    between_.clear();
    const auto out = graph_->successors(mine);
    if (graph_->is_exit(mine)) return fail(meld_fault_kind::not_two_arms, k, from_[k], mine, no_block);
    if (b.ends_as == meld_side::both || b.ends_as == side_) {
      if (!ends(b)) return fail(meld_fault_kind::wrong_part, k, from_[k], mine, mine);
      const bool inverted = b.swapped && b.ends_as == meld_side::both && side_ == meld_side::right;
      if (out.size() != b.num_successors || (inverted && out.size() != 2))
        return fail(meld_fault_kind::wrong_outcomes, k, from_[k], mine, mine);
      for (std::uint32_t s = 0; s < b.num_successors && !fault_; ++s)
        arrive(target(k, s), k, enter(out[inverted ? 1 - s : s]));
      return;
    }
    if (!is_forced(b)) return fail(meld_fault_kind::no_way, k, from_[k], mine, none);
    if (out.size() != 1) return fail(meld_fault_kind::wrong_outcomes, k, from_[k], mine, mine);
    arrive(target(k, b.forced), k, ends(b) ? enter(out[0]) : place{mine, next_after(b, at_[k].next), true});
  }
  [[nodiscard]] constexpr std::uint32_t next_after(const meld_block& b, std::uint32_t next) const {
    for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s)
      if (own(plan_->all_slots[s]) != no_instruction) ++next;
    return next;
  }

  const csr_graph* graph_;
  const M* code_;
  const meld_plan* plan_;
  meld_side side_;
  std::span<const std::uint32_t> piece_of_;
  std::optional<meld_plan_fault> fault_;
  std::vector<std::uint32_t> next_piece_;  // by piece: the first block of the next one for the side, from here on
  std::vector<place> at_;                  // by block of the plan, like the next two: the place of those who come
  std::vector<std::uint32_t> from_;        // the block before, on the first way there
  std::vector<std::uint32_t> walked_;      // the latest way there; 0: none
  std::vector<std::uint32_t> begun_in_;    // by block of the graph: where it begins
  std::vector<std::uint32_t> between_;     // blocks that a thread has just passed
  std::vector<std::uint32_t> work_;
  std::uint32_t way_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

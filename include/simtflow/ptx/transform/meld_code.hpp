// SPDX-License-Identifier: BSL-1.0
//
// Writes melded PTX: applies plans (transform/meld_plan.hpp) to a function.
//
// PTX needs no SSA form for that. A thread runs one side only, so what the two sides keep in registers never meets:
// where instructions become one, their results share a register. For each side there is a *renaming* that holds in its
// whole arm, and is one to one on what the side uses there:
//
//   shared register   the register of the left result, if threads of the right side have no use for it of their own
//                     (they name it nowhere in the arm, and nobody reads it after the join); or the register of the
//                     right result; or a new one
//   on the way in     a register that goes by another name in the arm and is live at its begin is moved there
//   on the way out    the same for a register that is live after the join
//   otherwise         the instruction writes a new register, and each side takes its result from there
//
//   operands          that differ: selp in front of the instruction, once as long as neither is written. mov becomes
//                     selp itself. Sources of an operation that commutes are exchanged where that saves selects.
//                     Predicates and addresses with different offsets take two instructions: the right side's, and
//                     under the branch's predicate the left side's; addresses as far apart share them
//   one side only     under the predicate of the side, joined with the instruction's own; unpredicate.hpp gives
//                     runs of them branches, once everything is melded
//   branches          the condition is selected. Threads that are to take a certain way get a constant
//   predicate         of the melded branch: itself, or a copy if an arm writes it
//
// Two instructions that would need more selects and moves than melding them saves stay two. A plan is applied if the
// expected cost falls (detail/meld_weigher.hpp) and if its code is also cheaper for warps that diverge; without
// may_grow only if the result has no more instructions. By the score of the paper (meld_score::paper) every plan is
// applied.
//
// The order of memory accesses of one thread stays as it was; between threads of the two sides nothing was promised.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), for selects and unpredication; NVIDIA, Parallel Thread Execution ISA, "Comparison and Selection
// Instructions", "Type Checking"; P. Briggs, K. Cooper, L. Torczon, Improvements to graph coloring register allocation
// (1994), for coalescing.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/meld_pairs.hpp>
#include <simtflow/ptx/transform/detail/meld_weigher.hpp>
#include <simtflow/ptx/transform/detail/meld_writer.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/detail/melded_emitter.hpp>
#include <simtflow/ptx/transform/detail/melded_text.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/detail/side_selector.hpp>
#include <simtflow/ptx/transform/liveness.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Melds branches of one function. Everything it is given must outlive it.
class function_melder {
 public:
  /// \pre the function of the model is without inner braces (num_scopes == 1), and `live` was made from it.
  /// \param model   the function
  /// \param live    its registers
  /// \param options how code is written
  /// \param search  of the plans: their score and the price of divergence
  function_melder(const melding_model& model, const live_registers& live, const meld_code_options& options = {},
                  const simtflow::meld_options& search = {})
      : text_(model.checked().text()),
        blocks_(model.blocks()),
        model_(model),
        options_(options),
        search_(search),
        d_(text_, blocks_.size()),
        r_(text_, live, d_),
        s_(text_, r_, d_),
        e_(model, r_, d_, s_),
        weigher_(model, d_, options, search),
        pairs_(model, r_, d_, s_, e_, weigher_, search.score),
        writer_(model, r_, d_, s_, e_, pairs_),
        fate_(blocks_.size()) {
    SIMTFLOW_EXPECTS(text_.num_scopes == 1, "a function without inner braces");
  }
  function_melder(const function_melder&) = delete;  // its parts point to each other
  function_melder& operator=(const function_melder&) = delete;

  /// Writes the code of one plan; keeps it if it pays.
  /// \pre the plan was made for this function, and its arms and its branch are in no other plan that was kept.
  /// Complexity: linear in the plan and its arms.
  meld_figures add(const meld_plan& plan) {
    meld_figures found{};
    for (const std::size_t most : {unlimited, std::size_t{3}, std::size_t{2}}) {
      found = attempt(plan, most);
      if (found.pays || found.cost_after >= found.cost_before || options_.may_grow) break;
    }
    return found;
  }

  /// A branch that two have become. It stands where the left one stood.
  struct known_branch {
    position where;      ///< in the text, of the left one
    warp_visits visits;  ///< of warps to the melded one
  };
  /// The branches that plans have melded so far, as far as a profile tells of them. O(blocks that were written)
  [[nodiscard]] std::vector<known_branch> known_branches() const {
    std::vector<known_branch> out;
    for (const detail::melded_block& b : d_.made)
      if (b.known.visits > 0) out.push_back({b.where, b.known});
    return out;
  }

  /// The function with all plans that were kept. Nothing else may be called any more. Near-linear.
  [[nodiscard]] result<function> take() { return detail::melded_text(model_, d_.code, d_.made, fate_).take(); }

 private:
  // True if less is expected to be paid, and no more where threads diverge, so that melding ends.
  [[nodiscard]] bool is_cheaper(const meld_figures& f) const {
    const std::uint64_t parts = search_.divergence_cost;
    const bool may_be = options_.may_grow || f.instructions_after <= f.instructions_before;
    return may_be && f.cost_after < f.cost_before &&
           f.weight_after + parts * e_.branches < f.weight_before + parts * weigher_.branches_before();
  }
  using arm = detail::register_unifier::arm;
  static constexpr std::size_t unlimited = detail::melded_emitter::unlimited;

  // Writes the code of a plan and keeps it if it pays. `most`: instructions that a pair may become.
  meld_figures attempt(const meld_plan& plan, std::size_t most) {
    e_.most_for_pair = most;
    const detail::meld_draft::checkpoint before = d_.mark();
    const std::size_t blocks = before.blocks;
    e_.figures = {};
    look_at(plan);
    pairs_.choose_registers(plan);
    writer_.write(plan, static_cast<block_id>(blocks_.size() + blocks), copied_);
    weigher_.weigh(plan, blocks, e_.branches, s_.left, e_.figures);
    for (arm& a : r_.arms) a.forget();
    e_.figures.pays = e_.figures.melded != 0 && (search_.score == meld_score::paper || is_cheaper(e_.figures));
    if (e_.figures.pays) {
      fate_[plan.branch].starts = static_cast<block_id>(blocks_.size() + blocks);
      fate_[plan.branch].ends = static_cast<block_id>(blocks_.size() + d_.made.size());
      for (const meld_block& b : plan.blocks)
        for (const block_id old : {b.left, b.right})
          if (old != no_block) fate_[old].gone = true;
    } else {
      d_.roll_back(before);
    }
    return e_.figures;
  }

  // Notes the registers that each side names, and the branch.
  void look_at(const meld_plan& plan) {
    const instruction& branch = last_of(plan.branch);
    d_.here = branch.where;
    r_.join = plan.join;
    s_.left = {branch.guard, branch.guard_negated};
    copied_ = false;
    const auto to = blocks_.graph().successors(plan.branch);
    SIMTFLOW_EXPECTS(blocks_[plan.branch].end == text_end::branches && to.size() == 2, "a branch of two ways");
    for (std::uint32_t k = 0; k < 2; ++k) r_.arms[k].entry = to[k];
    for (const meld_block& b : plan.blocks) {
      if (b.left != no_block) mention(r_.arms[0], b.left);
      if (b.right != no_block) mention(r_.arms[1], b.right);
    }
    if (copied_) s_.left.reg = d_.new_register(scalar_type::pred);
  }
  void mention(arm& a, block_id b) {
    const auto note = [&](std::uint32_t r) {
      if (r == model_.code().carry_register() || a.mentioned[r] != 0) return;
      a.mentioned[r] = 1;
      a.touch(r);
    };
    for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) {
      for (const register_value_ref& r : model_.code().reads(i)) note(r.reg);
      for (const register_value_ref& w : model_.code().writes(i)) {
        note(w.reg);
        if (w.reg != model_.code().carry_register()) a.written[w.reg] = 1;
        copied_ = copied_ || w.reg == s_.left.reg;
      }
    }
  }
  const instruction& last_of(block_id b) const { return text_.instructions[blocks_[b].last - 1]; }

  const function& text_;
  const function_blocks& blocks_;
  const melding_model& model_;
  meld_code_options options_;
  simtflow::meld_options search_;
  detail::meld_draft d_;
  detail::register_unifier r_;
  detail::side_selector s_;
  detail::melded_emitter e_;
  detail::meld_weigher weigher_;
  detail::meld_pairs pairs_;
  detail::meld_writer writer_;
  std::vector<detail::meld_fate> fate_;  // by block of the text
  bool copied_ = false;                  // an arm of the plan at hand writes the predicate of the branch
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

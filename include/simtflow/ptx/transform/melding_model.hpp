// SPDX-License-Identifier: BSL-1.0
//
// A PTX function as code that can be melded (transform/meld.hpp): which instructions can become one, what they cost,
// and which must stay where they are.
//
//   class        instructions are of one class if they have the same opcode with all its modifiers (types, rounding,
//                state space, cache and memory order), both or neither a guard, and operands that can be selected
//                place by place: registers and constants of one size, predicates, addresses. An operand that has to
//                be a constant or cannot be selected (the table of lop3, a special register, a kernel's parameter, the
//                address of a variable, a part of a word that a video instruction takes, a byte) must be the same. If
//                it is a register, it must still be the same once the sides' registers have new names (meld_code.hpp)
//   pinned       barriers, votes, shuffles and all else with a result that depends on the threads together;
//                atomics, fences, volatile and other strong accesses; calls and accesses to their parameters; clocks;
//                traps; sleep
//   speculated   neither pinned nor a load or store (but loads of parameters by name). Nothing else faults in PTX
//   overhead     a select where operands differ that both sides have before the branch, and for other constants. Values
//                that the sides compute themselves may come to lie in one register, so they count nothing
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Instruction Operands", "Instruction Set", "Memory
// Consistency Model"; C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence
// reduction (2022).
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/detail/meldable_tables.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A function as meldable_code (transform/meld.hpp) and linearizable_code over function_blocks::graph(). Instructions
/// are numbered as in the function; the bra, brx or ret that ends a block is left out.
///
/// With a profile, a block is executed as often as the most frequent of its instructions: a block of melded code has
/// instructions of both arms. Blocks without instructions of the text are executed as often as their
/// most frequent predecessor. Without a profile all frequencies are 1.
class melding_model {
 public:
  /// The function and the profile must outlive the model.
  /// Complexity: def_use and uniformity, and linear in the text.
  /// \param f       the function
  /// \param weights what its instructions cost
  /// \param profile how warps execute it, by positions of instructions; empty: nothing is known
  SIMTFLOW_INLINE explicit melding_model(const checked_function& f, const latencies& weights = {},
                                         const warp_profile& profile = no_profile());
  explicit melding_model(const checked_function&& f, const latencies& weights = {},
                         const warp_profile& profile = no_profile()) = delete;

  /// @{
  /// As meldable_code asks. O(1).
  [[nodiscard]] std::uint32_t first(block_id b) const { return (*blocks_)[b].first; }
  /// One past the last instruction that is not the branch. O(1).
  [[nodiscard]] std::uint32_t last(block_id b) const {
    const text_block& t = (*blocks_)[b];
    return t.last - (t.first != t.last && t.end != text_end::falls && t.end != text_end::stops ? 1U : 0U);
  }
  [[nodiscard]] std::uint32_t opcode_class(std::uint32_t i) const { return t_.facts[i].group; }
  [[nodiscard]] bool compatible(std::uint32_t i, std::uint32_t j) const {
    return t_.facts[i].group == t_.facts[j].group;
  }
  [[nodiscard]] std::uint32_t latency(std::uint32_t i) const { return weights_(operation_of(i)); }
  /// \pre compatible(i, j). O(operands).
  [[nodiscard]] std::uint32_t overhead(std::uint32_t i, std::uint32_t j) const {
    const detail::meldable_tables::facts_of &a = t_.facts[i], &b = t_.facts[j];
    if (operation_of(i).name == mnemonic::mov && a.sources == 1) return 0;  // it becomes the select
    std::uint32_t selects = 0;
    for (std::uint32_t k = 0; k < a.sources && k < b.sources; ++k) {
      const detail::meldable_tables::source_key &x = t_.sources[a.first_source + k],
                                                &y = t_.sources[b.first_source + k];
      if (x.kind == y.kind && x.value == y.value) continue;
      const bool known = (x.block == no_block || tree_.dominates(x.block, blocks_->block_of(j))) &&
                         (y.block == no_block || tree_.dominates(y.block, blocks_->block_of(i)));
      if (known) selects += x.selects;
    }
    return selects * weights_[latency_class::other];
  }
  [[nodiscard]] bool is_pinned(std::uint32_t i) const { return t_.facts[i].pinned; }
  /// True for a pinned instruction with a result that depends on the threads that are together.
  [[nodiscard]] bool is_convergent(std::uint32_t i) const { return blocks_->is_convergent_instruction(i); }
  [[nodiscard]] bool is_speculatable(std::uint32_t i) const { return t_.facts[i].speculatable; }
  /// As linearizable_code asks: all instructions of the block, its branch among them. O(instructions of the block).
  [[nodiscard]] std::uint32_t weight(block_id b) const {
    std::uint32_t all = 0;
    for (std::uint32_t i = (*blocks_)[b].first; i < (*blocks_)[b].last; ++i) all += weights_(operation_of(i));
    return all;
  }
  [[nodiscard]] std::uint32_t instructions(block_id b) const { return (*blocks_)[b].last - (*blocks_)[b].first; }
  [[nodiscard]] bool is_divergent(block_id b) const { return divergent_[b] != 0; }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const { return likelihood_[b]; }
  [[nodiscard]] double frequency(block_id b) const { return frequency_[b]; }
  /// @}
  /// True if a profile tells how often blocks are executed.
  [[nodiscard]] bool is_profiled() const { return profiled_; }
  /// How likely the guard of instruction i differs between the lanes of a warp, and how likely it holds for all of
  /// them. The profile tells this of the branch that the guard comes from, or of the instruction. \pre it has a guard.
  /// O(log size of the profile)
  [[nodiscard]] branch_likelihood guard_likelihood(std::uint32_t i) const {
    const instruction& text = function_->instructions[i];
    const warp_visits* found = profile_->find(text.guard_where);
    if (found == nullptr) found = profile_->find(text.where);
    return found == nullptr ? branch_likelihood{} : found->likelihood(text.guard_negated);
  }
  /// The visits of warps to instruction i; null if the profile does not tell. O(log size of the profile)
  [[nodiscard]] const warp_visits* visits(std::uint32_t i) const {
    return profile_->find(function_->instructions[i].where);
  }
  /// How likely no lane executes instruction i when a warp comes to it. As guard_likelihood(); 0 without a guard.
  [[nodiscard]] double idle(std::uint32_t i) const {
    return function_->instructions[i].guard == no_index ? 0.0 : guard_likelihood(i).all_second();
  }
  /// True if the branches that end two blocks can become one: both bra under a guard, or both brx without one.
  [[nodiscard]] bool compatible_branches(block_id a, block_id b) const {
    const text_block &x = (*blocks_)[a], &y = (*blocks_)[b];
    if (x.end != y.end) return false;
    if (x.end == text_end::branches) return true;
    if (x.end != text_end::table) return false;
    const function& f = *function_;
    return f.instructions[x.last - 1].guard == no_index && f.instructions[y.last - 1].guard == no_index;
  }

  /// The operation of instruction i. O(1).
  [[nodiscard]] const operation& operation_of(std::uint32_t i) const { return checked_->operation_of(i); }
  /// The values of the function. Valid as long as the model, here and below.
  [[nodiscard]] const def_use& code() const { return code_; }
  [[nodiscard]] const checked_function& checked() const { return *checked_; }  ///< the function, as given
  [[nodiscard]] const function_blocks& blocks() const { return *blocks_; }     ///< its blocks
  [[nodiscard]] const latencies& weights() const { return weights_; }          ///< as given

 private:
  static const warp_profile& no_profile() {
    static const warp_profile none;
    return none;
  }

  const checked_function* checked_;
  const function* function_;
  const function_blocks* blocks_;
  latencies weights_;
  def_use code_;
  simtflow::dense::dominator_tree tree_;
  std::vector<unsigned char> divergent_;       // by block
  std::vector<branch_likelihood> likelihood_;  // by block
  std::vector<double> frequency_;              // by block
  const warp_profile* profile_;
  bool profiled_;
  detail::meldable_tables t_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/melding_model_impl.hpp>
#endif

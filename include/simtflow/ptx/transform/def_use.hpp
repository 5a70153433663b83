// SPDX-License-Identifier: BSL-1.0
//
// A function of a module as a program in SSA form: who computes a register's value and who uses it, for the uniformity
// analysis (analysis/uniformity.hpp; a ptx::def_use is a def_use_program over function_blocks::graph()).
//
//   value      what an instruction writes to one register; what a phi chooses for a register where definitions meet;
//              what registers hold at the beginning; the choice of a brx.idx under a guard
//   partial    an instruction under a guard writes to some threads' registers. Its value depends on the guard and on
//              what the register held before
//   carry      the flag that add.cc leaves for addc is one more register
//
// SSA form is made by the book: phis at the iterated dominance frontier of a register's definitions, where it is live.
//
// A *source* differs between threads that are together. The sources, and why they differ:
//
//   %tid, %laneid, %lanemask_*    of the thread. %warpid too: groups may span warps, and it may change
//   %clock*, %globaltimer*, %pm*  of the moment
//   atom                          threads take turns
//   shfl, match                   of other lanes, seen from this one; the predicate of elect holds for one lane
//   calls                         nothing is known of results, nor of the parameters of a device function
//   ld.local                      each thread has its own memory. ld without a space may read it if the function has
//                                 local variables (in a device function, always)
//   ld.volatile, .relaxed, ...    who else writes is seen at different moments by different threads
//
// and what does not:
//
//   vote, redux, activemask, bar.red   the same for all threads that run it together, if the member mask is (a thread
//                                 that is named must be there) or the barrier; they depend on nothing else
//   other loads                   threads that are together read one place at one time, if the address is uniform.
//                                 Without a data race nobody writes it then. Parameters of a kernel and constants
//                                 nobody writes
//   %ctaid, %ntid, ...            the same in a thread block
//   bra.uni, brx.idx.uni          threads that are together go the same way, says the program
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Instruction Operands", "Memory Consistency Model",
// "Instruction Set", "Special Registers"; R. Cytron et al., Efficiently computing static single assignment form and the
// control dependence graph (1991); P. Briggs, K. Cooper, T. Harvey, L. Simpson, Practical improvements to the
// construction and destruction of static single assignment form (1998).
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/def_use_tables.hpp>
#include <simtflow/ptx/transform/register_value_ref.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// The values of a function. Nothing of what it was made from is kept.
class def_use {
 public:
  /// Complexity: instructions, plus for each register that lives over blocks the blocks in which it does; no recursion.
  SIMTFLOW_INLINE explicit def_use(const checked_function& f);

  /// @{
  /// As def_use_program asks. \pre v < num_values(), b is a block of the graph. O(1).
  [[nodiscard]] std::size_t num_values() const { return t_.values.size(); }
  [[nodiscard]] block_id block_of(value_id v) const { return at(v).block; }
  [[nodiscard]] bool is_phi(value_id v) const { return at(v).phi; }
  [[nodiscard]] std::span<const value_id> operands(value_id v) const {
    return std::span<const value_id>(t_.operands).subspan(at(v).first, at(v).phi ? 0 : at(v).count);
  }
  [[nodiscard]] std::span<const phi_input<block_id>> inputs(value_id v) const {
    return std::span<const phi_input<block_id>>(t_.inputs).subspan(at(v).phi ? at(v).first : 0,
                                                                   at(v).phi ? at(v).count : 0);
  }
  [[nodiscard]] value_id condition(block_id b) const { return t_.conditions[b]; }
  [[nodiscard]] bool is_source(value_id v) const { return at(v).source; }
  /// @}
  /// Votes depend on their member mask, so nothing here is uniform whatever its operands are.
  [[nodiscard]] bool is_always_uniform(value_id) const { return false; }

  /// The instruction that computes v; no_index for phis and what is there at the beginning.
  [[nodiscard]] std::uint32_t instruction_of(value_id v) const { return at(v).instruction; }
  /// The register that holds v; no_index for what is there at the beginning and for the choice of a brx.idx.
  [[nodiscard]] std::uint32_t register_of(value_id v) const { return at(v).reg; }
  /// The registers that the instruction reads: operands, bases of addresses, the guard. O(1).
  [[nodiscard]] std::span<const register_value_ref> reads(std::uint32_t instruction) const {
    return t_.reads(instruction);
  }
  /// The registers that it writes. O(1).
  [[nodiscard]] std::span<const register_value_ref> writes(std::uint32_t instruction) const {
    return t_.writes(instruction);
  }
  /// The number of the carry flag, one past the registers.
  [[nodiscard]] std::uint32_t carry_register() const { return t_.carry; }

 private:
  [[nodiscard]] const detail::def_use_tables::value& at(value_id v) const {
    SIMTFLOW_EXPECTS(index_of(v) < t_.values.size(), "a value of the function");
    return t_.values[index_of(v)];
  }

  detail::def_use_tables t_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/def_use_impl.hpp>
#endif

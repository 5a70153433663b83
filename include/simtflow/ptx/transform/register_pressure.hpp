// SPDX-License-Identifier: BSL-1.0
//
// Register pressure: how many registers a function needs. Registers of 32 bits are the unit: a value of 64 bits takes
// two, a value of 16 bits takes one. Predicates have a file of their own and are counted apart.
//
//   live       the maximum, over all instructions, of the values that are live before it, and of the values that are
//              live after it or that it writes. This is a fact about the text
//   estimate   what `ptxas -v` is expected to report for the text as a kernel. This is a model
//
// The estimate scans the code as the maximum does, and counts what is in the register file of the threads:
//
//   scalar     constants, addresses of variables, kernel parameters, %ntid and %nctaid need no register: instructions
//              read them from the constant bank. Integers that are uniform and come from such by integer instructions
//              need none: machines since sm_75 have a file of uniform registers
//   copies     a copy takes its source's register if the source dies there; the scan counts both ends once
//   expansion  quotients, remainders, reciprocals and roots that round correctly are many instructions of the machine,
//              with values of their own: detail/expansion_registers.hpp has the measured numbers
//   calls      a function that is called needs its own registers beside the values that are live across the call. After
//              an indirect call, an unknown function or a recursion the first 16 registers are lost (ABI), so values
//              that are live across the call lie above them
//   reserved   five registers more: the stack pointer, and what the scheduler spends. The number is the one free
//              parameter, and the least error over the kernels of examples/kernels chose it
//
// The estimate allocates no register numbers. A scan in which a value may move, as a spill-free allocator's splitting
// does, takes no more registers than the maximum, so numbers would add nothing but the alignment of pairs; counting
// those made the prediction worse. Left out: ptxas unrolls loops without the pragma "nounroll", hoists loads while
// occupancy allows it, and folds a few selections and conversions; a launch bound makes it spill.
//
// Literature: M. Poletto, V. Sarkar, Linear scan register allocation (1999); C. Wimmer, M. Franz, Linear scan register
// allocation on SSA form (2010), for values that move; NVIDIA, PTX Writer's Guide to Interoperability, chapter
// "Function Calling Sequence".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/instruction.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// The registers that a function needs. Unreachable code needs none.
struct register_pressure {
  std::uint32_t live = 0;                  ///< most live values, in registers of 32 bits
  std::uint32_t live_at = no_index;        ///< the first instruction where it is reached; no_index: no value is live
  std::uint32_t predicates = 0;            ///< most live predicates
  std::uint32_t predicates_at = no_index;  ///< likewise
  std::uint32_t estimate = 0;              ///< registers of a thread that ptxas is expected to report
  std::uint32_t estimate_at = no_index;    ///< likewise, of the registers that are not reserved
};

/// Counts the registers that a function needs.
/// \param f the function, kernel or not. A declaration has no instruction: its maxima are 0
/// \returns the maxima with the first instruction that reaches each, in the order of the text, and the estimate.
/// Functions that f calls by name count with their own maxima, at the call. \pre the module of f outlives the call.
/// Complexity: as for def_use and for the uniformity analysis, and for each block the registers that are live in it
/// plus the number of registers over 64; with calls, of each function that is called, once. No recursion.
[[nodiscard]] SIMTFLOW_INLINE register_pressure register_pressure_of(const checked_function& f);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/register_pressure_impl.hpp>
#endif

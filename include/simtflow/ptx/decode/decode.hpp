// SPDX-License-Identifier: BSL-1.0
//
// A kernel to the form that runs (machine/decoded_kernel.hpp): basic blocks of operations with resolved register slots,
// constants and code, together with all device functions that it can reach by calls and function pointers.
//
//   slot   where a register lives: an array of lanes in the warp's 32-bit or 64-bit file; constants and what the launch
//          fixes (%ntid, addresses of variables, literals) are slots as well, so every operand is read alike
//   place  where a variable lives
//
// Each function has registers of its own. vprintf and __assertfail are operations, not calls.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Abstracting the ABI" and "Instruction Set"; PTX Writer's
// Guide to Interoperability, section "System Calls".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Decodes a kernel and the functions that it can reach; those are verified on the way, each once. A call through a
/// register may enter every function of the module that has its address taken anywhere in the module, and takes and
/// returns what the call passes. Keeps nothing of `k`.
/// \returns the kernel; or diagnostics if a function that it reaches is wrong, or if no launch could satisfy it.
/// \pre k.text().is_entry. Complexity: linear in the text of these functions, the number of the module's variables and
/// functions and, for each call through a register, the functions that have their address taken. With such a call or a
/// function that has an array without a size as a parameter: linear in the text of the module.
/// Errors: one diagnostic for each mistake in a function that the kernel reaches; a device function in place of a
/// kernel is a contract violation.
/// \snippet reference_ptx_test.cpp decode
[[nodiscard]] SIMTFLOW_INLINE result<decoded_kernel> decode(const checked_function& k);

/// Verifies a kernel and decodes it: verify() and decode() in one.
/// \pre k is a kernel of m. Complexity: as above.
[[nodiscard]] SIMTFLOW_INLINE result<decoded_kernel> decode(const module& m, const kernel& k);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/decode/detail/decode_impl.hpp>
#endif

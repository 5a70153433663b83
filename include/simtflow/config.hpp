// SPDX-License-Identifier: BSL-1.0
//
// The id types and the contract check, which every header shares.
//
// A *contract violation* is misuse of an interface by the caller (an id out of range, a tree asked about another
// graph). It stops the program with the broken condition in words. Bad *data* (a kernel, a launch file, a trace) is
// never a contract violation: it comes back as diagnostics or as a status.
#pragma once

#include <cstdint>
#include <cstdio>

/// \def SIMTFLOW_ABORT()
/// Stops the program as std::abort does. GNU compilers need no header for it; the standard header is large.
/// \def SIMTFLOW_UNREACHABLE()
/// Marks a place that is reached only if a contract is violated; reaching it is undefined behaviour.
#if defined(__GNUC__)
#define SIMTFLOW_ABORT() __builtin_abort()
#define SIMTFLOW_UNREACHABLE() __builtin_unreachable()
#else
#include <cstdlib>
#define SIMTFLOW_ABORT() ::std::abort()
#if defined(_MSC_VER)
#define SIMTFLOW_UNREACHABLE() __assume(0)
#else
#define SIMTFLOW_UNREACHABLE() ::std::abort()
#endif
#endif

/// \def SIMTFLOW_INLINE
/// Stands before functions that simtflow::ptx can compile: `inline` in the header-only library. That optional target, a
/// compiled library, defines SIMTFLOW_COMPILED: headers then declare the functions on PTX text and leave out their
/// definitions. Without the target everything is header-only.
#if defined(SIMTFLOW_COMPILED)
#define SIMTFLOW_INLINE
#else
#define SIMTFLOW_INLINE inline
#endif

/// Control-flow-graph algorithms and SIMT execution models. Everything is in `simtflow` by way of the inline namespace
/// v0.
namespace simtflow {
// The interface of major version 0. Never write this name: it changes when the interface does.
inline namespace v0 {

/// A basic block of a graph: its dense index, 0 .. num_blocks() - 1.
using block_id = std::uint32_t;

/// An edge of a snapshot: edges are numbered by source block, then by successor slot.
using edge_id = std::uint32_t;

/// "There is no such block": the immediate dominator of the entry, the target of a thread that ends, the reconvergence
/// point of a branch if its paths only meet at the exit.
inline constexpr block_id no_block = 0xFFFF'FFFFU;

namespace detail {

/// Not constexpr on purpose: a violated contract in a constant expression is a compile error that names this function.
[[noreturn]] inline void contract_violated(const char* condition, const char* meaning, const char* file, int line) {
#if defined(SIMTFLOW_CONTRACT_HANDLER)
  SIMTFLOW_CONTRACT_HANDLER(condition, meaning, file, line);
#else
  std::fprintf(stderr, "%s:%d: simtflow: %s (violated: %s)\n", file, line, meaning, condition);
#endif
  SIMTFLOW_ABORT();
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

/// Checks a pre-condition; `meaning` says in words what the caller owes. Define SIMTFLOW_CONTRACT_HANDLER(condition,
/// meaning, file, line) before the first include to report it elsewhere (the program still stops), or
/// SIMTFLOW_NO_CONTRACTS to assume every condition instead. In one program, define it alike in every translation unit.
#if defined(SIMTFLOW_NO_CONTRACTS)
#define SIMTFLOW_EXPECTS(condition, meaning) ((condition) ? void() : SIMTFLOW_UNREACHABLE())
#else
#define SIMTFLOW_EXPECTS(condition, meaning) \
  ((condition) ? void() : ::simtflow::detail::contract_violated(#condition, meaning, __FILE__, __LINE__))
#endif

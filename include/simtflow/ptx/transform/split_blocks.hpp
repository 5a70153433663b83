// SPDX-License-Identifier: BSL-1.0
//
// Splits basic blocks of a PTX function, so that transforms can put something between two instructions of a block. In
// front of each chosen instruction stands a jump to a new label. Rewriting (rewrite.hpp) with a plan that changes
// something drops the jumps that it does not need.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// The function with blocks that begin at the chosen instructions; what it computes stays the same. Instructions that
/// begin a block already are left alone. Jumps shift the numbers of the instructions: see split_index().
/// \param f  the function
/// \param at instructions of f, ascending
/// \returns the function; positions of its instructions stay, the jumps have none
/// \pre f has no inner braces (rewrite() removes them), and no carry flag is handed over in front of an instruction of
/// `at`. Complexity: linear in the text and in `at`.
/// Errors: none. An empty list, or a function without a body, comes back as it is.
[[nodiscard]] SIMTFLOW_INLINE function split_blocks(const checked_function& f, std::span<const std::uint32_t> at);

/// The number that an instruction of f has after split_blocks(f, at). O(size of `at`).
/// \param f           as for split_blocks()
/// \param at          as for split_blocks()
/// \param instruction of f, or one past the last one
[[nodiscard]] SIMTFLOW_INLINE std::uint32_t split_index(const checked_function& f, std::span<const std::uint32_t> at,
                                                        std::uint32_t instruction);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/split_blocks_impl.hpp>
#endif

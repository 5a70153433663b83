// SPDX-License-Identifier: BSL-1.0
//
// From an operation on values to the code that computes it for the lanes of a warp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/operation.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The code of an operation on values (not memory, control flow, predicates); none if there is no such operation.
/// An additional operand of the code (a rounding, a mode) is a constant. `uniform`: the operand that tells how (the
/// amount of a shift, the table of lop3, the selectors of prmt) is the same in all lanes. O(1).
[[nodiscard]] SIMTFLOW_INLINE lane_code code_of(const operation& o, bool uniform = false);

/// The code of addc, sub.cc, mad.lo.cc and the like. O(1).
[[nodiscard]] SIMTFLOW_INLINE carry_code carry_code_of(const operation& o);

/// The code of testp. O(1).
[[nodiscard]] SIMTFLOW_INLINE compare_code test_code_of(const operation& o);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/decode/detail/code_of_impl.hpp>
#endif

// SPDX-License-Identifier: BSL-1.0
//
// Is written PTX code what its plan says? check_plan.hpp proves a plan; this proves the code that rewrite() has made of
// it, in linear time and without the rewriter.
//
// The idea: a block of the plan and the place in the code where it stands are a pair. The entry of the plan and the
// beginning of the code are one. In each pair the code must do what the block says, and then each edge of the block and
// the place where the code goes on in that case are a pair again. Since each pair is decided by itself, the proof is
// local; since a block of the plan stands in one place, there are no more pairs than blocks.
//
//   blocks     instructions of the text, unchanged and in order, but for new numbers of registers and `.uni`
//   edges      each outcome sets the variables of its edge and no other one, and goes where the edge leads
//   guards     setp tests for the range of the guard
//   registers  stand for one register or variable each, in the whole function
//   exits      a ret where threads end, and none where they take an exit edge
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/transform/plan.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Decides if `after` is the code of a plan for f.
/// \pre the plan was made for f.blocks().graph(), and `after` is what rewrite(f, plan) has returned: its declarations
/// are not looked at, and functions, variables and parameters have the numbers that they have in f.
/// \returns a diagnostic with the block of the plan where the code is something else; empty: the code is proved.
/// Complexity: linear in the code and the plan, and for each variable the blocks in which it is live. No recursion.
[[nodiscard]] SIMTFLOW_INLINE diagnostics check_rewrite(const checked_function& f, const flow_plan& plan,
                                                        const function& after);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/check_rewrite_impl.hpp>
#endif

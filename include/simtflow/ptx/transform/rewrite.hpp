// SPDX-License-Identifier: BSL-1.0
//
// Applies plans (transform/plan.hpp) to PTX functions. function_rewriter.hpp says what the written code looks like.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/transform/plan.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Writes the function as the plan has it, under its own name. The rest of the module stays as it is.
/// \returns the function; or a diagnostic for each `exit` of a device function that would have to follow an exit edge.
/// \pre the plan was made for f.blocks().graph().
/// Complexity: near-linear in what is written and in the plan (see simtflow::apply()).
/// Errors: the diagnostics above; a plan for a graph of another size is a contract violation.
/// \snippet reference_ptx_test.cpp rewrite
[[nodiscard]] SIMTFLOW_INLINE result<function> rewrite(const checked_function& f, const flow_plan& plan);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/rewrite_impl.hpp>
#endif

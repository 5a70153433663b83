// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/rewrite.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/transform/detail/keep_nounroll.hpp>
#include <simtflow/ptx/transform/function_rewriter.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/rewrite.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

SIMTFLOW_INLINE result<function> rewrite(const checked_function& f, const flow_plan& plan) {
  SIMTFLOW_EXPECTS(plan.num_originals() == f.blocks().size(), "a plan is applied to the code that it was made for");
  function_rewriter code(f);
  apply(plan, code);
  result<function> made = code.take();
  if (made) detail::keep_nounroll(f.text(), *made);
  return made;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

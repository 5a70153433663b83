// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding of PTX: threads that diverge at a branch execute together what both arms have in common. meld()
// looks for such branches (transform/meld.hpp), writes their code anew (meld_code.hpp), and looks again at the result
// until it finds nothing: an outer branch may be melded once the inner ones have become straight code.
//
// A plan is applied if the expected cost falls: the mean over the warps that come to the branch, by a profile where
// there is one (melding_options::profile). It ends, since every applied plan also lowers the cost for warps that
// diverge. Branches that would not become cheaper stay, and are reported like branches without a plan.
//
// Between the rounds code of one arm stands under a predicate, so that arms stay straight. At the end, runs of it get
// branches around them where that pays (unpredicate.hpp).
//
// Branch fusion and tail merging are the same with another mode (simtflow::meld_options::mode).
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022); B. Coutinho et al., Divergence analysis and optimizations (2011), for branch fusion.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Melds one function; the rest of the module stays as it is. A function in which nothing is melded comes back as it
/// was, but for inner braces.
/// \returns the function and what was done; or diagnostics if it cannot be written (see rewrite()).
/// \pre the module of f outlives the call. Complexity: rounds times the planner's cost, which is O(n m) for two arms of
/// n and m instructions.
/// Errors: the diagnostics of rewrite(); and a plan that is wrong, which would be a mistake of the planner. A branch
/// that is not melded is no error: the report says why.
/// \snippet reference_ptx_test.cpp meld
[[nodiscard]] SIMTFLOW_INLINE result<melding> meld(const checked_function& f, const melding_options& options = {});

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/meld_impl.hpp>
#endif

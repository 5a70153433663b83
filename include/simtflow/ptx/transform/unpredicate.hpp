// SPDX-License-Identifier: BSL-1.0
//
// Unpredication: a run of instructions under one guard gets a branch around it, so that warps in which the guard holds
// nowhere do not issue them. Melding leaves the code of one arm under a predicate, so that arms stay straight code, and
// unpredicates once, at the end.
//
//   run        neighbours in a block with the same predicate in the same sense, up to an instruction that writes it
//   two runs   the second in the opposite sense: an if-else with one branch, where that is the cheapest form
//   left out   pinned instructions (atomics, votes, barriers; melding_model), and places between a carry flag and the
//              instruction that reads it
//   pays       if the expected cost falls: the guard's likelihood comes from the profile, else it is the default of
//              branch_likelihood
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), section IV, for unpredication; S. Mahlke, R. Hank, R. Bringmann, J. Gyllenhaal, D. Gallagher, W. Hwu,
// Characterizing the impact of predicated execution on branch prediction (1994), for what predication costs.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// A function with branches around runs of instructions under a guard; the rest of the module stays as it is.
/// \param f       the function; where nothing is done it comes back as it was, but for inner braces
/// \param options their `code` says which runs get branches; `weights`, `profile` and the price of divergence in
///                `search` say what pays
/// \returns the function; or the diagnostics of rewrite().
/// \pre the module of f outlives the call. Complexity: as for melding_model, and linear in the text.
[[nodiscard]] SIMTFLOW_INLINE result<function> unpredicate(const checked_function& f,
                                                           const melding_options& options = {});

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/unpredicate_impl.hpp>
#endif

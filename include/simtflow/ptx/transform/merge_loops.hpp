// SPDX-License-Identifier: BSL-1.0
//
// Loop merging of PTX functions: chooses the nests in which threads should not wait for each other's inner iterations,
// and plans the change (transform/merge_iterations.hpp). rewrite() writes the code.
//
// Without a profile every nest is taken to have the trip counts of merged_nest_trips. A profile counts them: fetches of
// the inner header by warps and by lanes tell how much longer the longest lane takes than the mean.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.2.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/transform/merge_iterations.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Options of merge_loops().
struct merge_options {
  /// The header of the outer loop, as a block of the function; of its inner loops the one that saves most is merged,
  /// also if it is not expected to pay. no_block: all nests that pay.
  block_id header = no_block;
  latencies weights = latencies::one_each();  ///< what instructions cost; by default warp instructions are counted
  /// Warps that take turns at one scheduler. If they are few, a block costs the time of a warp over their number where
  /// that is more than its instructions: the loads of S1 and S3, which run more often, delay the warp. 0: so many that
  /// only instructions count.
  std::uint32_t warps = 0;
  /// With `warps`: the cycles from an instruction until another one that needs its result can issue.
  latencies cycles{{4, 4, 5, 40, 400, 30, 30}};
  warp_profile profile{};  ///< how warps execute the text; empty: nothing is known
};

/// An inner loop with the loop around it, judged.
struct judged_nest {
  block_id outer = no_block;                   ///< header of the outer loop
  block_id inner = no_block;                   ///< header of the inner loop
  position where;                              ///< of the first instruction of the inner header; line 0: nowhere
  merge_refusal reason = merge_refusal::none;  ///< none: it is merged
  block_id at = no_block;                      ///< the block that is the reason, if one is
  position at_where;                           ///< of that block's first instruction
  merged_nest_trips trips{};                   ///< expected, or by the profile
  double before = 0,                           ///< expected cost of a warp that comes to the nest
      after = 0;                               ///< the same once it is merged
};

/// The loops of a function to merge.
struct loop_merging {
  flow_plan plan;                  ///< for the blocks of the function; changes nothing if no nest is merged
  std::vector<judged_nest> nests;  ///< every inner loop, outer ones first; with a header those in that loop
  std::size_t merged = 0;          ///< nests of the plan
};

/// Chooses loops and plans the change. If nests overlap, the one that saves most is merged; a second call, on the new
/// code, takes the next one.
/// \returns the plan for f.blocks().graph() and every nest that was judged; no nest if no loop contains another one.
/// \pre the module of f outlives the call; options.header is a block of f or no_block.
/// Complexity: as for melding_model, plus blocks times loop depth.
[[nodiscard]] SIMTFLOW_INLINE loop_merging merge_loops(const checked_function& f, const merge_options& options = {});

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/merge_loops_impl.hpp>
#endif

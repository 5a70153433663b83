// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/melding_model.hpp.
#pragma once

#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/transform/detail/instruction_classifier.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

SIMTFLOW_INLINE melding_model::melding_model(const checked_function& f, const latencies& weights,
                                             const warp_profile& profile)
    : checked_(&f),
      function_(&f.text()),
      blocks_(&f.blocks()),
      weights_(weights),
      code_(f),
      profile_(&profile),
      profiled_(!profile.empty()) {
  tree_.recompute(blocks_->graph());
  const auto uniform = uniformity(blocks_->graph(), code_);
  divergent_.assign(blocks_->size(), 0);
  for (block_id b = 0; b < blocks_->size(); ++b) divergent_[b] = uniform.is_divergent_branch(b) ? 1 : 0;
  detail::instruction_classifier(*function_, code_, t_).classify(f);
  likelihood_.assign(blocks_->size(), {});
  frequency_.assign(blocks_->size(), 1);
  if (profile.empty()) return;
  std::vector<unsigned char> known(blocks_->size(), 0);
  for (block_id b = 0; b < blocks_->size(); ++b) {
    frequency_[b] = 0;
    for (std::uint32_t i = (*blocks_)[b].first; i < (*blocks_)[b].last; ++i) {
      const warp_visits* found = profile.find(function_->instructions[i].where);
      if (found == nullptr) continue;
      known[b] = 1;
      if (found->visits > frequency_[b]) frequency_[b] = found->visits;
      const text_end end = (*blocks_)[b].end;
      if (i + 1 == (*blocks_)[b].last && (end == text_end::branches || end == text_end::table))
        likelihood_[b] = found->likelihood(function_->instructions[i].guard_negated);
    }
  }
  for (block_id b = 0; b < blocks_->size(); ++b)
    for (const block_id p : blocks_->graph().predecessors(b))
      if (known[b] == 0 && known[p] != 0 && frequency_[p] > frequency_[b]) frequency_[b] = frequency_[p];
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

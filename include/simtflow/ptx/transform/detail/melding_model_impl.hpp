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

SIMTFLOW_INLINE melding_model::melding_model(const checked_function& f, const latencies& weights)
    : checked_(&f), function_(&f.text()), blocks_(&f.blocks()), weights_(weights), code_(f) {
  tree_.recompute(blocks_->graph());
  const auto found = uniformity(blocks_->graph(), code_);
  divergent_.assign(blocks_->size(), 0);
  for (block_id b = 0; b < blocks_->size(); ++b) divergent_[b] = found.is_divergent_branch(b) ? 1 : 0;
  detail::instruction_classifier(*function_, code_, t_).classify(f);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

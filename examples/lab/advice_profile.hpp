// SPDX-License-Identifier: BSL-1.0
//
// The observer of the one run of `advise`: paths of a sample of thread blocks, and the memory accesses of each block.
#pragma once

#include <simtflow/advice/path_sample.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace lab {

struct advice_profile {
  advice_profile(const simtflow::advice::sample_options& options, std::size_t blocks)
      : sampler(options), memory(blocks) {}

  simtflow::advice::path_sampler sampler;
  std::vector<simtflow::memory_metrics> memory;  ///< by block

  template <class Event>
  void operator()(const Event& e) {
    if constexpr (std::invocable<simtflow::advice::path_sampler&, const Event&>) sampler(e);
    if constexpr (std::invocable<simtflow::memory_metrics&, const Event&>) memory[e.block](e);
  }
};

}  // namespace lab

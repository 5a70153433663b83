// SPDX-License-Identifier: BSL-1.0
#include "ptx/run_support.hpp"

#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <numeric>

namespace simtflow_tests {

verdict run_grid(ptx::interpreter<>& program, schedule how) {
  std::vector<std::uint32_t> rank(program.kernel().blocks.size());
  std::iota(rank.begin(), rank.end(), 0U);
  const launch shape{program.num_threads(), program.warp_width(), 0, barrier_model::thread_arrival};
  verdict v;
  for (std::uint64_t b = 0; b < program.launch().num_blocks(); ++b) {
    program.select_block_number(b);
    if (how == schedule::thread_frontier)
      v = executor<policies::thread_frontier>(policies::thread_frontier(rank)).run(program, shape);
    else
      v = executor<policies::lane_serial>(policies::lane_serial()).run(program, shape);
    if (!v.finished()) break;
  }
  return v;
}

}  // namespace simtflow_tests

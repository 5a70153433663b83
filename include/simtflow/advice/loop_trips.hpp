// SPDX-License-Identifier: BSL-1.0
//
// How the iterations of loops differ between the lanes of a warp, by a sample of paths.
#pragma once

#include <simtflow/advice/path_sample.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// The iterations of one loop.
struct loop_trips {
  block_id header = no_block;    ///< of the loop
  std::uint64_t threads = 0;     ///< sampled threads that come to the loop
  std::uint64_t iterations = 0;  ///< visits of its header by threads, all entries of the loop together
  std::uint64_t longest = 0;     ///< the most iterations of one thread
  /// Mean iterations of the lanes of a warp that come to the loop, over the busiest lane's; the mean is
  /// over warps, weighted by the busiest lane's iterations. 1: lanes agree; 1/8: most lanes wait for one.
  double balance = 1;
};

/// The trips of every loop, in the order of the forest's ids. Loops that no sampled thread enters have no iterations.
/// \pre the forest is of the graph of the sample's paths; warp_width > 0
/// Complexity: O(visits + threads * loops). Errors: none.
/// \snippet advice/path_sample_test.cpp trips_of
[[nodiscard]] inline std::vector<loop_trips> trips_of(const path_sample& sample, const loop_forest<csr_graph>& forest,
                                                      std::uint32_t warp_width) {
  SIMTFLOW_EXPECTS(warp_width > 0, "warps have lanes");
  const std::size_t loops = forest.num_loops();
  std::vector<loop_trips> out(loops);
  if (loops == 0) return out;
  std::vector<std::uint64_t> count(sample.paths.size() * loops, 0);  // by path and loop
  std::vector<std::size_t> headed;                                   // by block: the loop that it heads
  std::size_t l = 0;
  for (const loop_id id : forest.all()) {
    const block_id header = forest.header(id);
    out[l].header = header;
    if (headed.size() <= header) headed.resize(std::size_t{header} + 1, loops);
    headed[header] = l++;
  }
  for (std::size_t p = 0; p < sample.paths.size(); ++p)
    for (const block_id b : sample.paths[p])
      if (b < headed.size() && headed[b] < loops) ++count[p * loops + headed[b]];
  std::vector<double> mean(loops, 0), most(loops, 0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto threads = sample.thread_block(i);
    for (std::size_t first = 0; first < threads.size(); first += warp_width) {
      const std::size_t last = std::min<std::size_t>(first + warp_width, threads.size());
      for (std::size_t k = 0; k < loops; ++k) {
        std::uint64_t sum = 0, busiest = 0, here = 0;
        for (std::size_t t = first; t < last; ++t) {
          const std::uint64_t n = count[threads[t] * loops + k];
          sum += n;
          here += n != 0 ? 1 : 0;
          busiest = std::max(busiest, n);
        }
        if (here == 0) continue;
        out[k].threads += here;
        out[k].iterations += sum;
        out[k].longest = std::max(out[k].longest, busiest);
        mean[k] += static_cast<double>(sum) / static_cast<double>(here);
        most[k] += static_cast<double>(busiest);
      }
    }
  }
  for (std::size_t k = 0; k < loops; ++k)
    if (most[k] > 0) out[k].balance = mean[k] / most[k];
  return out;
}

}  // namespace advice
}  // namespace v0
}  // namespace simtflow

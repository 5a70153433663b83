// SPDX-License-Identifier: BSL-1.0
//
// Compares analyses on a machine that is shared with other users. The graphs are cut into chunks. All contestants run
// each chunk in turn, and another contestant starts each round. A contestant's best round counts for the chunk. The
// sums over all chunks are compared: a disturbance that lasts shorter than a round touches none of them. A chunk
// should be large enough that no branch predictor learns its graphs by heart.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_bench {

struct contestant {
  std::string name;
  std::function<void(std::size_t)> run;  // on graph i
};

struct standing {
  std::string name;
  double seconds = 0;  // for all graphs once
};

/// \pre there are graphs and rounds. The first contestant is what the others are compared with.
inline std::vector<standing> compete(const std::vector<contestant>& all, std::size_t graphs, std::size_t chunk,
                                     std::size_t rounds) {
  using clock = std::chrono::steady_clock;
  std::vector<standing> result;
  for (const contestant& c : all) result.push_back({c.name});
  std::vector<double> best(all.size());
  for (std::size_t begin = 0; begin < graphs; begin += chunk) {
    const std::size_t end = begin + chunk < graphs ? begin + chunk : graphs;
    best.assign(all.size(), 1e9);
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t k = 0; k < all.size(); ++k) {
        // Every other round in reverse: no contestant always runs after the same other one, which has read the same
        // memory.
        const std::size_t turn = round % 2 == 0 ? k : all.size() - 1 - k;
        const std::size_t who = (round + turn) % all.size();
        const auto start = clock::now();
        for (std::size_t i = begin; i < end; ++i) all[who].run(i);
        const double took = std::chrono::duration<double>(clock::now() - start).count();
        if (took < best[who]) best[who] = took;
      }
    for (std::size_t k = 0; k < all.size(); ++k) result[k].seconds += best[k];
  }
  return result;
}

}  // namespace simtflow_bench

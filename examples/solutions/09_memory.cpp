// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 9: an array of structs, and the pitches of a tile that have no bank conflicts.
#include <simtflow/simt/observers/memory_metrics.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const auto addresses = [](auto word) {
    std::vector<std::uint64_t> all;
    for (unsigned lane = 0; lane < 32; ++lane) all.push_back(4 * std::uint64_t{word(lane)});
    return all;
  };
  const auto lanes = lane_mask::first_lanes(32);
  std::uint32_t structs = 0, arrays = 0;
  for (unsigned member = 0; member < 3; ++member) {
    structs += transactions<lane_mask>(addresses([=](unsigned lane) { return 3 * lane + member; }), lanes);
    arrays += transactions<lane_mask>(addresses([=](unsigned lane) { return 1024 * member + lane; }), lanes);
  }
  std::printf("1: three loads of x, y, z: %u transactions from an array of structs, %u from three arrays\n", structs,
              arrays);
  std::printf("2: a column of a tile is free of conflicts with rows of");
  for (unsigned pitch = 32; pitch <= 40; ++pitch)
    if (bank_conflicts<lane_mask>(addresses([=](unsigned lane) { return pitch * lane; }), lanes) == 0)
      std::printf(" %u", pitch);
  std::printf(" words\n");
  return 0;
}

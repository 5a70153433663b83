// SPDX-License-Identifier: BSL-1.0
//
// The lanes of a group, chunk by chunk: policies name lanes by a mask of the group, registers and units by 32 lanes of
// a chunk.
#pragma once

#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Chunks that a group of a policy can have.
template <class Mask>
inline constexpr std::uint32_t max_chunks = Mask::capacity / lanes_per_chunk;

// The lanes of chunk c in the mask of a group.
template <class Mask>
[[nodiscard]] constexpr std::uint32_t lanes_of_chunk(const Mask& lanes, std::uint32_t c) {
  return static_cast<std::uint32_t>(lanes.word(c / 2) >> (32 * (c % 2)));
}

// The group's mask from the lanes of its n chunks.
template <class Mask>
[[nodiscard]] Mask mask_of_chunks(const std::uint32_t* lanes, std::uint32_t n) {
  Mask m;
  for (std::uint32_t c = 0; c < n; ++c) m.add_word(c / 2, std::uint64_t{lanes[c]} << (32 * (c % 2)));
  return m;
}

// A group that runs. The group must outlive it.
template <class Mask>
struct group_chunks {
  group_chunks(const basic_group<Mask>& g, std::uint32_t chunks_per_group)
      : group(&g), first(std::size_t{g.warp} * chunks_per_group), count(chunks_per_group) {
    for (std::uint32_t c = 0; c < count; ++c) lanes[c] = lanes_of_chunk(g.lanes, c);
  }

  // The thread of lane 0 of chunk c.
  [[nodiscard]] std::uint32_t first_thread(std::uint32_t c) const { return group->first_thread + c * lanes_per_chunk; }

  // Writes the chunks that have lanes in a mask by chunk to `sets`, and returns how many they are.
  std::uint32_t write_sets(register_file& registers, const std::uint32_t* mask_by_chunk, lane_set* sets) const {
    std::uint32_t n = 0;
    for (std::uint32_t c = 0; c < count; ++c)
      if (mask_by_chunk[c] != 0) sets[n++] = registers.lanes_of(first + c, mask_by_chunk[c], first_thread(c));
    return n;
  }

  const basic_group<Mask>* group;
  std::size_t first;    // number of the group's first chunk
  std::uint32_t count;  // chunks of the group
  std::uint32_t lanes[max_chunks<Mask>] = {};
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

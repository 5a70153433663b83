// SPDX-License-Identifier: BSL-1.0
//
// The index of the branch profile: for each thread, the threads of its static warp that have parted from it, by the
// branch at which they did. A row has an entry for each such branch, with a bit for each home lane; the last entry is
// of the branch at which its thread parted from anybody last. So an event costs a few words for each of its threads,
// whatever the width of the warp.
#pragma once

#include <simtflow/simt/mask.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Sets of home lanes: words of 64 lanes.
using lane_words = std::span<std::uint64_t>;
using const_lane_words = std::span<const std::uint64_t>;

constexpr std::uint32_t count_lanes(const_lane_words lanes) {
  std::uint32_t sum = 0;
  for (const std::uint64_t word : lanes) sum += static_cast<std::uint32_t>(std::popcount(word));
  return sum;
}
// Calls f(lane) for each lane, in ascending order.
template <class F>
constexpr void for_each_lane(const_lane_words lanes, F&& f) {
  for (std::size_t i = 0; i < lanes.size(); ++i)
    for (std::uint64_t word = lanes[i]; word != 0; word &= word - 1)
      f(static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
}
// The word at that index of a set with the lanes from 0 to count - 1.
constexpr std::uint64_t first_lanes_word(std::uint32_t count, std::size_t index) {
  if (count >= 64 * (index + 1)) return ~std::uint64_t{0};
  return count <= 64 * index ? 0 : (std::uint64_t{1} << (count - 64 * index)) - 1;
}
// Cuts the lanes from `begin` to `begin + count - 1` out of a mask; they become lanes 0, 1, ...
template <class Mask>
constexpr void cut_lanes(const Mask& mask, std::uint32_t begin, std::uint32_t count, lane_words out) {
  constexpr std::size_t words = Mask::capacity / 64;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = begin / 64 + i;
    std::uint64_t word = at < words ? mask.word(at) : 0;
    if (const std::uint32_t shift = begin % 64; shift != 0)
      word = word >> shift | (at + 1 < words ? mask.word(at + 1) << (64 - shift) : 0);
    out[i] = word & first_lanes_word(count, i);
  }
}

class parted_threads {
 public:
  // Begins a run: no threads have parted.
  constexpr void start(std::size_t warps, std::uint32_t width) {
    width_ = width;
    words_ = (width + 63) / 64;
    rows_.resize(warps * width);
    for (std::vector<std::uint64_t>& row : rows_) row.clear();
  }
  // Words of a set of home lanes.
  [[nodiscard]] constexpr std::size_t words() const { return words_; }

  // A branch sends some threads of a static warp and others to different places.
  constexpr void part(std::uint32_t warp, const_lane_words some, const_lane_words others, block_id branch) {
    for_each_lane(some, [&](std::uint32_t lane) { put(row(warp, lane), others, branch); });
    for_each_lane(others, [&](std::uint32_t lane) { put(row(warp, lane), some, branch); });
  }
  // Threads of a static warp have run together.
  constexpr void join(std::uint32_t warp, const_lane_words lanes) {
    for_each_lane(lanes, [&](std::uint32_t lane) { take(row(warp, lane), lanes); });
  }

  // The threads of a static warp begin anew.
  constexpr void restart(std::uint32_t warp) {
    for (std::uint32_t lane = 0; lane < width_; ++lane) row(warp, lane).clear();
  }

  // Calls f(branch, lanes) for each branch at which threads have parted from a thread, the last entry first.
  template <class F>
  constexpr void for_each(std::uint32_t warp, std::uint32_t lane, F&& f) const {
    const std::vector<std::uint64_t>& entries = rows_[std::size_t{warp} * width_ + lane];
    for (std::size_t end = entries.size(); end != 0; end -= words_ + 1)
      f(static_cast<block_id>(entries[end - words_ - 1]), const_lane_words(entries.data() + end - words_, words_));
  }
  // The branch at which two threads have parted; no_block: at none.
  [[nodiscard]] constexpr block_id between(std::uint32_t warp, std::uint32_t lane, std::uint32_t other) const {
    block_id found = no_block;
    for_each(warp, lane, [&](block_id branch, const_lane_words lanes) {
      if ((lanes[other / 64] >> other % 64 & 1) != 0) found = branch;
    });
    return found;
  }

 private:
  [[nodiscard]] constexpr std::vector<std::uint64_t>& row(std::uint32_t warp, std::uint32_t lane) {
    return rows_[std::size_t{warp} * width_ + lane];
  }
  // Takes lanes out of all entries of a row. Entries that have none left go.
  constexpr void take(std::vector<std::uint64_t>& entries, const_lane_words lanes) const {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < entries.size(); at += words_ + 1) {
      std::uint64_t rest = 0;
      for (std::size_t i = 0; i < words_; ++i) rest |= entries[at + 1 + i] &= ~lanes[i];
      if (rest == 0) continue;
      if (kept != at)
        for (std::size_t i = 0; i <= words_; ++i) entries[kept + i] = entries[at + i];
      kept += words_ + 1;
    }
    entries.resize(kept);
  }
  constexpr void put(std::vector<std::uint64_t>& entries, const_lane_words lanes, block_id branch) const {
    take(entries, lanes);
    std::size_t at = 0;
    while (at < entries.size() && entries[at] != branch) at += words_ + 1;
    if (at == entries.size()) {
      entries.push_back(branch);
      entries.insert(entries.end(), words_, 0);
    }
    for (; at + words_ + 1 < entries.size(); at += words_ + 1)  // to the end
      for (std::size_t i = 0; i <= words_; ++i) std::swap(entries[at + i], entries[at + words_ + 1 + i]);
    for (std::size_t i = 0; i < words_; ++i) entries[at + 1 + i] |= lanes[i];
  }

  std::uint32_t width_ = 0;
  std::size_t words_ = 0;
  std::vector<std::vector<std::uint64_t>>
      rows_;  // by static warp and home lane: the branch, its lanes; the next branch
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

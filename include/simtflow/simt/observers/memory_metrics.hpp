// SPDX-License-Identifier: BSL-1.0
//
// The cost of one memory instruction of a group of lanes for the memory system, from the lanes' addresses:
//
//   transaction    a memory line (segment) that a part of the warp touches; lanes that touch the same line share it
//   bank conflict  an extra pass over shared memory, because lanes of a part want different words of one bank; lanes
//                  that want the same word share it (broadcast)
//   part           lanes that the memory serves together: the whole warp, or each half of it on early GPUs
//
// Two plain functions, an event and an observer of it. The executor knows no addresses: a program that does (a PTX
// kernel) passes memory_access events to its observer.
//
// Literature: G. Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011, section 6.4 (memory efficiency:
// one over the mean number of transactions of a memory instruction); NVIDIA, CUDA C Programming Guide, compute
// capability 1.2 (half-warps, 16 banks) and 2.x (warps, 32 banks of 4 bytes).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {

/// Global memory in lines of line_bytes. The `together` lanes of a part share the lines that they touch.
struct line_model {
  std::uint32_t line_bytes = 128;  ///< bytes of a line, at least 1
  std::uint32_t access_bytes = 4;  ///< bytes that each lane reads or writes; they may straddle two lines
  std::uint32_t together = 0;      ///< lanes of a part, from lane 0 on; 0: the whole warp; 16: half-warps of 32
};

/// Shared memory in banks: word w (of bank_bytes) lies in bank w % banks.
struct bank_model {
  std::uint32_t banks = 32;        ///< at most 256
  std::uint32_t bank_bytes = 4;    ///< bytes of a word, at least 1
  std::uint32_t access_bytes = 4;  ///< bytes that each lane reads or writes, 1 byte to four words
  std::uint32_t together = 0;      ///< lanes of a part; 0: the whole warp
};

namespace detail {

// A set of numbers on the call stack, fewer than Slots of them.
template <std::size_t Slots>
class number_set {
 public:
  // Returns false if x was there already.
  constexpr bool add(std::uint64_t x) {
    std::uint64_t hash = x * 0x9E37'79B9'7F4A'7C15U;
    std::size_t at = static_cast<std::size_t>(hash >> 32) % Slots;
    while (used_[at] != 0) {
      if (number_[at] == x) return false;
      at = (at + 1) % Slots;
    }
    used_[at] = 1;
    number_[at] = x;
    return true;
  }

 private:
  unsigned char used_[Slots] = {};
  std::uint64_t number_[Slots] = {};
};

// Calls f(lanes) for each part of the warp that has lanes in the mask.
template <class Mask, class F>
constexpr void for_each_part(Mask rest, std::uint32_t together, F f) {
  if (together == 0) together = Mask::capacity;
  while (rest.any()) {
    const std::uint32_t number = rest.first() / together;
    Mask part{};
    rest.for_each([&](std::uint32_t lane) {
      if (lane / together == number) part.set(lane);
    });
    rest -= part;
    f(part);
  }
}

}  // namespace detail

/// The lines that the lanes touch, added up over the parts of the warp; 0 without lanes. addresses[i] is the byte
/// address of lane i. \pre every lane of the mask has an address; 0 < access_bytes <= 2 * line_bytes. Expected
/// O(lanes).
template <class Mask>
[[nodiscard]] constexpr std::uint32_t transactions(std::span<const std::uint64_t> addresses, const Mask& lanes,
                                                   const line_model& model = {}) {
  SIMTFLOW_EXPECTS(model.access_bytes > 0 && model.access_bytes <= 2 * std::uint64_t{model.line_bytes},
                   "a lane accesses at least one byte and at most two lines' worth");
  std::uint32_t sum = 0;
  detail::for_each_part(lanes, model.together, [&](const Mask& part) {
    detail::number_set<4 * std::size_t{Mask::capacity}> lines;
    part.for_each([&](std::uint32_t lane) {
      SIMTFLOW_EXPECTS(lane < addresses.size(), "every lane that accesses memory has an address");
      const std::uint64_t first = addresses[lane] / model.line_bytes;
      const std::uint64_t last = (addresses[lane] + (model.access_bytes - 1)) / model.line_bytes;
      for (std::uint64_t line = first; line <= last; ++line) sum += lines.add(line) ? 1U : 0U;
    });
  });
  return sum;
}

/// Passes over shared memory that the access takes, added up over the parts of the warp; 0 without lanes. A part takes
/// as many passes as the most different words that its lanes want of one bank. \pre as for transactions;
/// 0 < banks <= 256; 0 < access_bytes <= 8 * bank_bytes. Expected O(lanes + banks) for each part.
template <class Mask>
[[nodiscard]] constexpr std::uint32_t bank_passes(std::span<const std::uint64_t> addresses, const Mask& lanes,
                                                  const bank_model& model = {}) {
  SIMTFLOW_EXPECTS(model.banks > 0 && model.banks <= 256, "shared memory has 1 to 256 banks");
  SIMTFLOW_EXPECTS(model.access_bytes > 0 && model.access_bytes <= 8 * std::uint64_t{model.bank_bytes},
                   "a lane accesses at least one byte and at most eight words");
  std::uint32_t sum = 0;
  detail::for_each_part(lanes, model.together, [&](const Mask& part) {
    detail::number_set<16 * std::size_t{Mask::capacity}> words;  // nine a lane at most
    std::uint32_t wanted[256] = {};
    std::uint32_t most = 0;
    part.for_each([&](std::uint32_t lane) {
      SIMTFLOW_EXPECTS(lane < addresses.size(), "every lane that accesses memory has an address");
      const std::uint64_t last = (addresses[lane] + (model.access_bytes - 1)) / model.bank_bytes;
      for (std::uint64_t word = addresses[lane] / model.bank_bytes; word <= last; ++word) {
        if (!words.add(word)) continue;
        const std::uint32_t n = ++wanted[word % model.banks];
        if (n > most) most = n;
      }
    });
    sum += most;
  });
  return sum;
}

/// Extra passes: bank_passes, less one for each part of the warp with an active lane. 0 is conflict-free.
template <class Mask>
[[nodiscard]] constexpr std::uint32_t bank_conflicts(std::span<const std::uint64_t> addresses, const Mask& lanes,
                                                     const bank_model& model = {}) {
  std::uint32_t parts = 0;
  detail::for_each_part(lanes, model.together, [&](const Mask&) { ++parts; });
  return bank_passes(addresses, lanes, model) - parts;
}

/// The memory that an instruction accesses.
enum class memory_space : unsigned char {
  global,  ///< in lines
  shared   ///< in banks
};

/// "global", "shared".
[[nodiscard]] constexpr const char* to_string(memory_space space) {
  switch (space) {
    case memory_space::global:
      return "global";
    case memory_space::shared:
      return "shared";
  }
  return "";
}

namespace event {

/// Lanes access memory: one instruction, one address a lane. Programs that know addresses report it; the executor does
/// not.
template <class Mask>
struct memory_access {
  std::uint32_t warp;                        ///< number of the warp in its thread block
  block_id block;                            ///< the block that runs
  memory_space space;                        ///< which memory
  bool store;                                ///< true: write (or read and write: an atomic operation); false: read
  std::uint32_t bytes;                       ///< bytes of each lane
  Mask lanes;                                ///< lanes that access it; without lanes the event counts nothing
  std::span<const std::uint64_t> addresses;  ///< by lane; only the addresses of `lanes` mean something
};

}  // namespace event

/// Observer of memory_access events; adds up. An event costs as much as the functions above.
struct memory_metrics {
  line_model lines{};  ///< its access_bytes is not read: the event has the number
  bank_model banks{};  ///< its access_bytes is not read

  std::uint64_t global_accesses = 0;  ///< instructions for a group of lanes
  std::uint64_t transactions = 0;     ///< lines, as transactions() counts them
  std::uint64_t shared_accesses = 0;  ///< instructions for a group of lanes
  std::uint64_t bank_passes = 0;      ///< passes, as bank_passes() counts them
  std::uint64_t bank_conflicts = 0;   ///< extra passes, as bank_conflicts() counts them

  /// Global accesses over transactions: 0 .. 1 if the memory serves the warp as a whole; 1 if there was no access.
  [[nodiscard]] constexpr double efficiency() const {
    return transactions == 0 ? 1.0 : static_cast<double>(global_accesses) / static_cast<double>(transactions);
  }

  /// The event it takes. \pre the access is not larger than a line (global) or four words (shared).
  template <class Mask>
  constexpr void operator()(const event::memory_access<Mask>& e) {
    if (e.lanes.none()) return;
    if (e.space == memory_space::global) {
      line_model model = lines;
      model.access_bytes = e.bytes;
      ++global_accesses;
      transactions += v0::transactions(e.addresses, e.lanes, model);
    } else {
      bank_model model = banks;
      model.access_bytes = e.bytes;
      ++shared_accesses;
      bank_passes += v0::bank_passes(e.addresses, e.lanes, model);
      bank_conflicts += v0::bank_conflicts(e.addresses, e.lanes, model);
    }
  }
};

}  // namespace v0
}  // namespace simtflow

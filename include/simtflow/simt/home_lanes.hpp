// SPDX-License-Identifier: BSL-1.0
//
// Home lanes: the lane of a warp in which a thread of a thread block runs when hardware forms warps anew. A thread's
// registers lie in one lane's bank, so a new warp takes at most one thread for each lane.
//
//   static warp   threads w * width .. w * width + width - 1: the warps the thread block starts with. Under core scope
//                 each thread block starts with static warps of its own.
//   packing       threads are dealt into warps: the k-th thread of a lane (in thread order) goes to the k-th warp, as
//                 with one priority encoder for each lane. There are as few warps as home lanes allow: as many as the
//                 fullest lane has threads. All threads of the thread block pack into their static warps.
//
// The width is any number from 1 up, a power of two or not: narrow, wide and odd warps are all the same to the policies
// that use this (variable warp size).
//
// Literature: Fung, Sham, Yuan, Aamodt: Dynamic Warp Formation and Scheduling (MICRO 2007), home lanes; Fung, Aamodt:
// Thread Block Compaction (HPCA 2011), section 3.3, the compactor; Rhu, Erez: Maximizing SIMD Resource Utilization in
// GPGPUs with SIMD Lane Permutation (ISCA 2013); Rogers et al.: A Variable Warp Size Architecture (ISCA 2015).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How threads get their lane.
enum class lane_rule : unsigned char {
  /// Thread t of the thread block has lane t % width.
  identity,
  /// That lane, xor a key of the static warp: warps 2k and 2k + 1 have the keys k and ~k. So threads that a branch
  /// picks by lane number (every odd lane, the first lane of each warp) do not all share one home lane. If the width is
  /// no power of two, a lane that would fall outside the warp stays where it is.
  permuted,
  /// No home: any thread runs in any lane. No hardware does this; it is the bound that compaction cannot beat.
  free
};

/// "identity", "permuted", "free".
[[nodiscard]] constexpr const char* to_string(lane_rule rule) {
  switch (rule) {
    case lane_rule::identity:
      return "identity";
    case lane_rule::permuted:
      return "permuted";
    case lane_rule::free:
      return "free";
  }
  return "";
}

/// The home lanes of the threads of one thread block, or of the thread blocks of a core.
struct home_lanes {
  std::uint32_t width = 32;              ///< lanes of a warp, at least 1
  lane_rule rule = lane_rule::identity;  ///< how threads get their lane
  /// Threads of a thread block, if several share the warps (policy_scope::core): each begins with a static warp of its
  /// own, at lane 0. 0: there is one thread block.
  std::uint32_t threads = 0;

  /// The number of a thread's static warp; warps of lower thread blocks have lower numbers. O(1).
  [[nodiscard]] constexpr std::uint32_t warp(std::uint32_t thread) const {
    if (threads == 0) return thread / width;
    return thread / threads * ((threads - 1) / width + 1) + thread % threads / width;
  }
  /// The thread after the last one of a thread's static warp. O(1).
  [[nodiscard]] constexpr std::uint32_t warp_end(std::uint32_t thread) const {
    if (threads == 0) return thread - thread % width + width;
    const std::uint32_t own = thread % threads, end = own - own % width + width;
    return thread - own + (end < threads ? end : threads);
  }

  /// The lane of a thread; under lane_rule::free, its lane in its static warp. O(1).
  [[nodiscard]] constexpr std::uint32_t lane(std::uint32_t thread) const {
    if (threads != 0) thread %= threads;
    const std::uint32_t own = thread % width;
    if (rule != lane_rule::permuted) return own;
    const std::uint32_t number = thread / width;
    const std::uint32_t key = number % 2 == 0 ? number / 2 : ~(number / 2);
    const std::uint32_t moved = own ^ (key & (std::bit_ceil(width) - 1));
    return moved < width ? moved : own;  // the key moves `moved` back to `own`, so the map remains one to one
  }
};

/// Deals threads into warps. Keeps the home lanes of Mask::capacity threads in a table. If lanes follow thread numbers,
/// and a warp is neither very narrow nor wider than a word, pack() deals whole static warps at once.
template <class Mask>
class warp_packer {
 public:
  /// \pre lanes.width >= 1. O(Mask::capacity).
  constexpr explicit warp_packer(const home_lanes& lanes) : lanes_(lanes) {
    SIMTFLOW_EXPECTS(lanes.width >= 1, "a warp has at least one lane");
    by_rows_ =
        lanes.rule == lane_rule::identity && lanes.width >= 16 && lanes.width <= 64 && lanes.threads % lanes.width == 0;
    for (std::uint32_t t = 0; t < Mask::capacity; ++t) lane_.push_back(static_cast<std::uint16_t>(lanes.lane(t)));
    dealt_.assign(lanes.width < Mask::capacity ? lanes.width : Mask::capacity, 0);
  }

  [[nodiscard]] constexpr std::uint32_t width() const { return lanes_.width; }  ///< lanes of a warp
  [[nodiscard]] constexpr const home_lanes& lanes() const { return lanes_; }    ///< as given to the constructor

  /// Appends the packed warps of some threads, or nothing if there are no threads. O(threads + width), or O(static
  /// warps times packed warps) if it deals whole static warps.
  constexpr void pack(const Mask& threads, std::vector<Mask>& warps) {
    if (by_rows_) {
      const std::uint32_t n = deal_rows(threads);
      for (std::uint32_t i = 0; i < n; ++i) warps.push_back(mask_of(rows_[i].threads));
      return;
    }
    const std::size_t first = warps.size();
    begin();
    threads.for_each([&](std::uint32_t t) {
      const std::size_t warp = first + next_warp(t);
      if (warp == warps.size()) warps.push_back(Mask{});
      warps[warp].set(t);
    });
  }

  /// The number of warps that pack() makes. Complexity as for pack().
  [[nodiscard]] constexpr std::uint32_t count(const Mask& threads) {
    if (by_rows_) return deal_rows(threads);
    std::uint32_t warps = 0;
    begin();
    threads.for_each([&](std::uint32_t t) {
      const std::uint32_t warp = next_warp(t);
      if (warp >= warps) warps = warp + 1;
    });
    return warps;
  }

  /// Appends the threads by static warp, without the warps that have no thread among them. O(threads).
  constexpr void keep(const Mask& threads, std::vector<Mask>& warps) const {
    std::uint32_t end = 0;  // of the static warp that is being filled
    threads.for_each([&](std::uint32_t t) {
      if (t >= end) {
        warps.push_back(Mask{});
        end = lanes_.warp_end(t);
      }
      warps.back().set(t);
    });
  }

  /// The threads that find their lane free in a warp with the lanes `taken` in use; they take their lanes. A thread of
  /// lower number goes first. Under lane_rule::free only the number of lanes in `taken` matters. O(threads).
  constexpr Mask claim(const Mask& threads, Mask& taken) const {
    Mask in;
    if (lanes_.rule == lane_rule::free) {
      std::uint32_t at = taken.count();
      threads.for_each([&](std::uint32_t t) {
        if (at >= dealt_.size()) return;
        taken.set(at++);
        in.set(t);
      });
      return in;
    }
    threads.for_each([&](std::uint32_t t) {
      if (taken.test(lane_[t])) return;
      taken.set(lane_[t]);
      in.set(t);
    });
    return in;
  }

 private:
  // A mask in words, so that pack() can write whole words.
  struct words {
    std::uint64_t bits[Mask::capacity / 64] = {};
    constexpr void add(std::uint32_t at, std::uint64_t row) {
      bits[at / 64] |= row << (at % 64);
      if (at % 64 != 0 && (row >> (64 - at % 64)) != 0) bits[at / 64 + 1] |= row >> (64 - at % 64);
    }
  };
  struct dealt_warp {
    words threads;
    std::uint64_t lanes;
  };
  static constexpr Mask mask_of(const words& w) { return std::bit_cast<Mask>(w); }

  // The threads at .. at + width - 1, as bits.
  constexpr std::uint64_t row(const Mask& threads, std::uint32_t at) const {
    std::uint64_t bits = threads.word(at / 64) >> (at % 64);
    if (at % 64 != 0 && at / 64 + 1 < Mask::capacity / 64) bits |= threads.word(at / 64 + 1) << (64 - at % 64);
    return lanes_.width == 64 ? bits : bits & ((std::uint64_t{1} << lanes_.width) - 1);
  }

  // Deals static warp by static warp: each thread goes to the first warp in which its lane is free.
  constexpr std::uint32_t deal_rows(const Mask& threads) {
    std::uint32_t n = 0;
    for (std::uint32_t at = 0; at < Mask::capacity; at += lanes_.width) {
      std::uint64_t rest = row(threads, at);
      for (std::uint32_t i = 0; rest != 0; ++i) {
        if (i == n) {
          if (n == rows_.size()) rows_.push_back({});
          rows_[n++] = {};
        }
        const std::uint64_t fit = rest & ~rows_[i].lanes;
        rest -= fit;
        rows_[i].lanes |= fit;
        rows_[i].threads.add(at, fit);
      }
    }
    return n;
  }

  constexpr void begin() {
    all_ = 0;
    if (lanes_.rule != lane_rule::free)
      for (std::uint32_t& n : dealt_) n = 0;
  }
  constexpr std::uint32_t next_warp(std::uint32_t t) {
    return lanes_.rule == lane_rule::free ? all_++ / lanes_.width : dealt_[lane_[t]]++;
  }

  home_lanes lanes_;
  bool by_rows_ = false;
  std::vector<std::uint16_t> lane_;   // by thread
  std::vector<std::uint32_t> dealt_;  // by lane: threads dealt so far
  std::uint32_t all_ = 0;             // threads dealt so far
  std::vector<dealt_warp> rows_;
};

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Tells whether the paths of a thread block's threads can depend on the schedule: an observer of memory accesses that
// looks for a conflict.
//
//   conflict  two threads of a thread block access the same byte, at least one of them writes (an atomic operation
//             writes), and between the two accesses there was no barrier with all live threads of the thread block
//
// If one run has no conflict, every schedule gives every thread the same values, and so the same path. Suppose that
// some schedule does not, and take its first read that gets another value than in the observed run. Before that read
// all threads have done the same as in the observed run. So the value comes from a write by another thread that both
// runs contain, and no barrier orders write and read: a conflict in the observed run. A conflict proves nothing: it may
// be harmless. So a differing instruction count is an error if there is no conflict; if there is a conflict, it need
// not be an error.
//
// This holds for programs that communicate through memory and barriers, and through collectives of the warp that all
// named lanes reach. The caller has to exclude instructions that tell a thread which lanes run with it, or when it runs
// (ptx/machine/other_threads.hpp). Thread blocks run one after the other, so each thread block sees the memory that the
// thread blocks before it have left.
//
// Literature: S. Adve, M. Hill, Weak Ordering: A New Definition, ISCA 1990 (programs without data races).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/program.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Two accesses that no barrier orders.
struct memory_conflict {
  memory_space space = memory_space::global;  ///< which memory
  std::uint64_t address = 0;                  ///< address of the byte
  std::uint32_t earlier = 0;                  ///< a thread that accessed the byte before
  std::uint32_t later = 0;                    ///< the thread that accesses it now
  block_id block = no_block;                  ///< where the later thread is
};

/// Finds the first conflict of a run under a policy of warp scope, with one resident thread block. Time: O(1) expected
/// for each byte that a lane accesses, and nothing after the first conflict. Memory: 16 bytes for each byte of a page
/// of 4096 bytes that the current thread block has accessed.
class memory_conflicts {
 public:
  /// The first conflict of all thread blocks observed so far; nullopt: there was no conflict.
  [[nodiscard]] const std::optional<memory_conflict>& first() const { return first_; }

  /// A thread block begins.
  void operator()(const event::started& e) {
    pages_.clear();
    page_ = nullptr;
    interval_ = 0;
    live_ = e.threads;
    width_ = e.warp_width;
    waiting_ = {};
  }
  /// Lanes access memory.
  template <class Mask>
  void operator()(const event::memory_access<Mask>& e) {
    if (first_) return;
    e.lanes.for_each([&](std::uint32_t lane) {
      for (std::uint32_t i = 0; i < e.bytes && !first_; ++i)
        access({e.space, e.addresses[lane] + i, 0, e.warp * width_ + lane, e.block}, e.store);
    });
  }
  /// Lanes wait at a barrier.
  template <class Mask>
  void operator()(const event::waits<Mask>& e) {
    waiting_[e.barrier] += e.lanes.count();
  }
  /// Lanes have ended.
  template <class Mask>
  void operator()(const event::exited<Mask>& e) {
    live_ -= e.lanes.count();
  }
  /// A barrier opens: it orders the accesses before and after it if all live threads wait at it.
  void operator()(const event::released& e) {
    if (waiting_[e.barrier] >= live_) ++interval_;
    waiting_[e.barrier] = 0;
  }

 private:
  static constexpr std::uint32_t page_bytes = 4096;
  static constexpr std::uint32_t nobody = 0xFFFF'FFFF;

  // The threads that have accessed a byte since the last barrier.
  struct byte_state {
    std::uint32_t interval = 0;
    std::uint32_t writer = nobody, reader = nobody, other_reader = nobody;  // other_reader: a second reader
  };

  void access(memory_conflict now, bool store) {
    byte_state& b = state_of(now.space, now.address);
    if (b.interval != interval_) b = {interval_, nobody, nobody, nobody};
    const auto another = [&](std::uint32_t who) { return who != nobody && who != now.later; };
    for (const std::uint32_t who : {b.writer, store ? b.reader : nobody, store ? b.other_reader : nobody})
      if (another(who)) {
        now.earlier = who;
        first_ = now;
        return;
      }
    if (store)
      b.writer = now.later;
    else if (b.reader == nobody)
      b.reader = now.later;
    else if (b.reader != now.later)
      b.other_reader = now.later;
  }

  byte_state& state_of(memory_space space, std::uint64_t address) {
    const std::uint64_t key = address / page_bytes * 2 + (space == memory_space::shared ? 1 : 0);
    if (page_ == nullptr || key != page_key_) {
      std::vector<byte_state>& page = pages_[key];
      if (page.empty()) page.resize(page_bytes);
      page_ = page.data();
      page_key_ = key;
    }
    return page_[address % page_bytes];
  }

  std::optional<memory_conflict> first_;
  std::unordered_map<std::uint64_t, std::vector<byte_state>> pages_;
  byte_state* page_ = nullptr;  // the page looked up last
  std::uint64_t page_key_ = 0;
  std::uint32_t interval_ = 0;
  std::uint32_t live_ = 0, width_ = 1;
  std::array<std::uint64_t, named_barriers> waiting_{};  // threads, by barrier
};

}  // namespace v0
}  // namespace simtflow

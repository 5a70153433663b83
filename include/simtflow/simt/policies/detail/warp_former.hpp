// SPDX-License-Identifier: BSL-1.0
//
// The formation of dynamic warps: threads that come to a block join the warp that accepts threads there, or form warps
// of their own in the pool. If the pool is full, they wait for room in the order in which they came.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/detail/warp_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

// How threads that come to a block form warps.
enum class formation : unsigned char {
  join,   // in the warp that accepts threads there; the rest in new warps, and the last one accepts threads
  apart,  // in a warp of their own, which accepts no thread
  first   // the same, and it runs before other warps
};

// Threads that wait for room in the pool.
template <class Mask>
struct forming_threads {
  block_id block;
  Mask threads;
  formation how;
  bool counted = false;  // true if their merge conflict is
  friend constexpr bool operator==(const forming_threads& a, const forming_threads& b) {
    return a.block == b.block && a.threads == b.threads && a.how == b.how;
  }
};

// Warp is an aggregate {block, passed, formed, first, threads, lanes}.
template <class Warp, class Mask>
class warp_former {
 public:
  // \param room the most warps in the pool, 0: no limit; \param table entries of the table of warps that accept threads
  constexpr warp_former(const home_lanes& lanes, std::uint32_t room, std::uint32_t table)
      : packer_(lanes), pool_(table), room_(room) {}

  constexpr void clear(bool all_in_line) {
    pool_.clear(all_in_line);
    waiting_.clear();
    first_waiting_ = 0;
    formed_ = conflicts_ = fragmentations_ = stalls_ = 0;
  }

  // Threads come to a block. \param passed passed(most, threads): the most reconvergence points that one of the threads
  // has passed, or `most`. \pre apart and first: the threads have distinct home lanes.
  template <class Passed>
  constexpr void come(block_id block, Mask threads, formation how, const Passed& passed) {
    bool counted = false;
    if (num_waiting() == 0 && place(block, threads, how, counted, passed)) return;
    ++stalls_;
    waiting_.push_back({block, threads, how, counted});
  }
  // Warp i leaves the pool; threads that wait for room may take it.
  template <class Passed>
  constexpr void remove(std::uint32_t i, const Passed& passed) {
    pool_.remove(i);
    if (num_waiting() != 0) resume(passed);
  }

  [[nodiscard]] constexpr const warp_pool<Warp>& pool() const { return pool_; }
  [[nodiscard]] constexpr warp_packer<Mask>& packer() { return packer_; }
  [[nodiscard]] constexpr const warp_packer<Mask>& packer() const { return packer_; }
  [[nodiscard]] constexpr std::uint64_t conflicts() const { return conflicts_; }
  [[nodiscard]] constexpr std::uint64_t fragmentations() const { return fragmentations_; }
  [[nodiscard]] constexpr std::uint64_t stalls() const { return stalls_; }
  // True if the same threads wait in the same order.
  [[nodiscard]] constexpr bool waits_like(const warp_former& o) const {
    const std::size_t n = num_waiting();
    if (n != o.num_waiting()) return false;
    for (std::size_t i = 0; i < n; ++i)
      if (!(waiting_[first_waiting_ + i] == o.waiting_[o.first_waiting_ + i])) return false;
    return true;
  }

 private:
  [[nodiscard]] constexpr bool full() const { return room_ != 0 && pool_.size() >= room_; }

  [[nodiscard]] constexpr std::size_t num_waiting() const { return waiting_.size() - first_waiting_; }
  template <class Passed>
  constexpr void resume(const Passed& passed) {
    for (; num_waiting() != 0; ++first_waiting_) {
      forming_threads<Mask>& f = waiting_[first_waiting_];
      if (!place(f.block, f.threads, f.how, f.counted, passed)) break;
    }
    if (first_waiting_ * 2 < waiting_.size()) return;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_waiting_));
    first_waiting_ = 0;
  }

  // Places threads; \param threads then: threads for which there is no room. Returns true if there are none.
  template <class Passed>
  constexpr bool place(block_id block, Mask& threads, formation how, bool& counted, const Passed& passed) {
    if (how != formation::join) {
      if (full()) return false;
      Mask lanes;
      const Mask in = packer_.claim(threads, lanes);
      SIMTFLOW_EXPECTS(in == threads, "threads that form a warp have different home lanes");
      add(block, in, lanes, how == formation::first, passed);
      return true;
    }
    const std::uint32_t open = pool_.open_at(block);
    if (open != pool_.none) {
      pool_.use(block);
      Warp& into = pool_[open];
      const Mask in = packer_.claim(threads, into.lanes);
      into.threads |= in;
      into.passed = passed(into.passed, in);
      threads -= in;
      if (threads.none()) return true;
      const std::uint32_t came = in.count(), left = packer_.width() - into.threads.count();
      if (!counted && left + came > 0) ++conflicts_;
      if (!counted && left >= threads.count()) ++fragmentations_;
    }
    counted = true;
    if (full()) return false;
    do {
      Mask lanes;
      const Mask in = packer_.claim(threads, lanes);
      add(block, in, lanes, false, passed);
      threads -= in;
    } while (threads.any() && !full());
    pool_.open_newest();
    return threads.none();
  }
  template <class Passed>
  constexpr void add(block_id block, const Mask& threads, const Mask& lanes, bool first, const Passed& passed) {
    pool_.add({block, passed(0, threads), formed_++, first, threads, lanes});
  }

  warp_packer<Mask> packer_;
  warp_pool<Warp> pool_;
  std::vector<forming_threads<Mask>> waiting_;  // from first_waiting_ on
  std::size_t first_waiting_ = 0;
  std::uint32_t room_;
  std::uint64_t formed_ = 0, conflicts_ = 0, fragmentations_ = 0, stalls_ = 0;
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// A pool of warps, each at a block. By block it knows how many warps stand there, which warp is the oldest, and which
// warp accepts threads. Some warps stand in a line of their own, which goes before all other warps. Every function is
// O(1).
//
// The warps that accept threads are in a table, as in the PC-warp look-up table of the hardware. If it is full, the
// entry that was used least recently makes room; its warp accepts no more threads. A warp that leaves the pool frees
// its entry.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

// A Warp has the members `block` and `first`; `first` is true if the warp stands in line.
template <class Warp>
class warp_pool {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // \param entries of the table; 0: no limit
  constexpr explicit warp_pool(std::uint32_t entries = 0) : limit_(entries) {}

  // \param all_in_line true if every warp stands in line, by age.
  constexpr void clear(bool all_in_line) {
    all_in_line_ = all_in_line;
    warps_.clear();
    links_.clear();
    places_.clear();
    line_ = {};
    table_ = {};
    entries_ = 0;
    evictions_ = 0;
  }

  [[nodiscard]] constexpr bool empty() const { return warps_.empty(); }
  [[nodiscard]] constexpr std::size_t size() const { return warps_.size(); }
  [[nodiscard]] constexpr std::span<const Warp> warps() const { return std::span<const Warp>(warps_); }
  [[nodiscard]] constexpr const Warp& operator[](std::size_t i) const { return warps_[i]; }
  [[nodiscard]] constexpr Warp& operator[](std::size_t i) { return warps_[i]; }

  // The warp that accepts threads at a block, or none.
  [[nodiscard]] constexpr std::uint32_t open_at(block_id b) const {
    return b < places_.size() ? places_[b].open : none;
  }
  // The warp that was added last accepts threads at its block; no other warp does. \pre !empty()
  constexpr void open_newest() {
    const block_id b = warps_.back().block;
    if (limit_ != 0) {
      if (places_[b].open != none) {
        forget(b);
      } else if (entries_ == limit_) {
        const block_id evicted = table_.oldest;
        forget(evicted);
        places_[evicted].open = none;
        ++evictions_;
      }
      enter(b);
    }
    places_[b].open = static_cast<std::uint32_t>(warps_.size() - 1);
  }
  // Threads join the warp that accepts threads at a block. \pre there is one.
  constexpr void use(block_id b) {
    if (limit_ == 0) return;
    forget(b);
    enter(b);
  }
  // How often an entry of the table made room for another one.
  [[nodiscard]] constexpr std::uint64_t evictions() const { return evictions_; }
  // True if the entries of both tables will be evicted in the same order.
  [[nodiscard]] constexpr bool evicts_like(const warp_pool& o) const {
    if (limit_ != o.limit_ || entries_ != o.entries_) return false;
    block_id a = table_.oldest, b = o.table_.oldest;
    for (; a != none && a == b; a = places_[a].entry.newer) b = o.places_[b].entry.newer;
    return a == b;
  }
  // How many warps stand at a block. \pre a warp has stood there.
  [[nodiscard]] constexpr std::uint32_t num_at(block_id b) const { return places_[b].warps; }
  // The oldest warp at a block that does not stand in line, or none. \pre a warp has stood there.
  [[nodiscard]] constexpr std::uint32_t oldest_at(block_id b) const { return places_[b].ready.oldest; }
  // The oldest warp in line, or none.
  [[nodiscard]] constexpr std::uint32_t oldest_in_line() const { return line_.oldest; }

  // Adds a warp, the newest one.
  constexpr void add(const Warp& w) {
    while (places_.size() <= w.block) places_.push_back(place{});
    const auto i = static_cast<std::uint32_t>(warps_.size());
    ++places_[w.block].warps;
    warps_.push_back(w);
    queue& q = queue_of(w);
    links_.push_back({q.newest, none});
    (q.newest != none ? links_[q.newest].newer : q.oldest) = i;
    q.newest = i;
  }

  // Takes warp i out; the last one gets its index.
  constexpr void remove(std::uint32_t i) {
    place& from = places_[warps_[i].block];
    --from.warps;
    if (from.open == i) {
      if (limit_ != 0) forget(warps_[i].block);
      from.open = none;
    }
    relink(i, links_[i].newer, links_[i].older);
    const auto last = static_cast<std::uint32_t>(warps_.size() - 1);
    if (i != last) {
      place& moved = places_[warps_[last].block];
      if (moved.open == last) moved.open = i;
      relink(last, i, i);
      warps_[i] = warps_[last];
      links_[i] = links_[last];
    }
    warps_.pop_back();
    links_.pop_back();
  }

 private:
  // Warps in the order in which they were added, linked through links_.
  struct queue {
    std::uint32_t oldest = none, newest = none;
  };
  struct link {
    std::uint32_t older = none, newer = none;
  };
  struct place {
    std::uint32_t open = none;  // the warp that accepts threads
    std::uint32_t warps = 0;    // in the pool
    queue ready{};              // the warps that do not stand in line
    link entry{};               // blocks beside it in the table, if `open` is in a table of finite size
  };

  // An entry of the table goes, or comes as the one that was used last.
  constexpr void forget(block_id b) {
    const link l = places_[b].entry;
    (l.older != none ? places_[l.older].entry.newer : table_.oldest) = l.newer;
    (l.newer != none ? places_[l.newer].entry.older : table_.newest) = l.older;
    --entries_;
  }
  constexpr void enter(block_id b) {
    places_[b].entry = {table_.newest, none};
    (table_.newest != none ? places_[table_.newest].entry.newer : table_.oldest) = b;
    table_.newest = b;
    ++entries_;
  }

  constexpr queue& queue_of(const Warp& w) { return all_in_line_ || w.first ? line_ : places_[w.block].ready; }

  // Makes the neighbours of warp i in its queue, or the queue's ends, point elsewhere: the older one, the newer one.
  constexpr void relink(std::uint32_t i, std::uint32_t newer, std::uint32_t older) {
    queue& q = queue_of(warps_[i]);
    const link l = links_[i];
    (l.older != none ? links_[l.older].newer : q.oldest) = newer;
    (l.newer != none ? links_[l.newer].older : q.newest) = older;
  }

  std::vector<Warp> warps_;
  std::vector<link> links_;    // by position in warps_
  std::vector<place> places_;  // by block
  queue line_, table_;         // table_: by block, the entry used least recently first
  std::uint32_t limit_, entries_ = 0;
  std::uint64_t evictions_ = 0;
  bool all_in_line_ = false;
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow

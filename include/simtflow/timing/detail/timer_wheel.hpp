// SPDX-License-Identifier: BSL-1.0
//
// Timers 0 .. n - 1, each set for at most one cycle, taken in the order of (cycle, timer). A calendar of 1024 cycles:
// a bucket holds the timers of its cycle, a bit for each bucket says whether it holds any. Timers that are further away
// wait in the last bucket and are put further on when it comes.
//
// Literature: R. Brown, Calendar Queues, CACM 31(10), 1988.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

class timer_wheel {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  explicit timer_wheel(std::size_t timers = 0) : timer_(timers), bucket_(buckets, none) {}

  [[nodiscard]] bool is_set(std::uint32_t t) const { return timer_[t].at != never; }

  // Sets a timer, or moves it. A time before the last call of take() counts as that call's time.
  void set(std::uint32_t t, cycle at) {
    if (is_set(t)) {
      if (timer_[t].at == at) return;
      unlink(t);
    }
    timer_[t].at = at < now_ ? now_ : at;
    const cycle shown = link(t);
    if (shown < next_) next_ = shown;
  }

  // Sets a timer unless it is set for that cycle or an earlier one.
  void set_by(std::uint32_t t, cycle at) {
    if (timer_[t].at > at) set(t, at);
  }

  // No timer is due before this cycle; never if none is set. It is exact up to 1023 cycles ahead. O(1).
  [[nodiscard]] cycle next() const { return next_; }

  // Takes the first timer if it is due by `now`, and says when it was due; none if no timer is due.
  std::uint32_t take(cycle now, cycle& due) {
    while (next_ <= now) {
      now_ = next_;
      const std::size_t b = static_cast<std::size_t>(now_) & (buckets - 1);
      std::uint32_t first = none;
      for (std::uint32_t t = bucket_[b]; t != none;) {
        const std::uint32_t after = timer_[t].next;
        if (timer_[t].at > now_) {  // it waits here because it is far away
          unlink(t);
          link(t);
        } else if (t < first) {
          first = t;
        }
        t = after;
      }
      if (first != none) {
        unlink(first);
        timer_[first].at = never;
        due = now_;
        if (bucket_[b] == none) find_next();
        return first;
      }
      find_next();
    }
    now_ = now;
    return none;
  }

 private:
  static constexpr std::size_t buckets = 1024;
  struct timer {
    cycle at = never;
    std::uint32_t bucket = 0;
    std::uint32_t next = none;
    std::uint32_t before = none;
  };

  // Returns the cycle of the bucket.
  cycle link(std::uint32_t t) {
    const cycle furthest = now_ + (buckets - 1);
    const cycle at = timer_[t].at < furthest ? timer_[t].at : furthest;
    const std::uint32_t b = static_cast<std::uint32_t>(at & (buckets - 1));
    timer_[t].bucket = b;
    timer_[t].before = none;
    timer_[t].next = bucket_[b];
    if (bucket_[b] != none) timer_[bucket_[b]].before = t;
    bucket_[b] = t;
    used_[b / 64] |= std::uint64_t{1} << (b % 64);
    return at;
  }
  void unlink(std::uint32_t t) {
    const timer& it = timer_[t];
    if (it.next != none) timer_[it.next].before = it.before;
    if (it.before != none) {
      timer_[it.before].next = it.next;
    } else {
      bucket_[it.bucket] = it.next;
      if (it.next == none) used_[it.bucket / 64] &= ~(std::uint64_t{1} << (it.bucket % 64));
    }
  }
  // The first bucket with a timer, from the bucket of now_ on, round the calendar.
  void find_next() {
    const std::size_t from = static_cast<std::size_t>(now_) & (buckets - 1);
    std::size_t w = from / 64;
    std::uint64_t word = used_[w] & (~std::uint64_t{0} << (from % 64));
    for (std::size_t i = 0; i <= buckets / 64; ++i) {
      if (word != 0) {
        const std::size_t b = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        next_ = now_ + ((b - from) & (buckets - 1));
        return;
      }
      w = (w + 1) % (buckets / 64);
      word = used_[w];
    }
    next_ = never;
  }

  std::vector<timer> timer_;
  std::vector<std::uint32_t> bucket_;
  std::uint64_t used_[buckets / 64] = {};
  cycle now_ = 0;
  cycle next_ = never;
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow

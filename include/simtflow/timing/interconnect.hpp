// SPDX-License-Identifier: BSL-1.0
//
// One direction of the interconnect: a crossbar from inputs to outputs. A packet of n flits (bytes / bytes_per_cycle,
// rounded up) keeps its input port for n network cycles and its output port for n network cycles; its last byte arrives
// `latency` cycles after it was sent:
//
//   departs   d = first network cycle at which the input port is free and the output has a place
//   arrives   max(d + n + latency, last arrival at the output + n), in network cycles
//
// Packets of one input leave in order, and packets arrive at an output in the order in which they left. A port without
// limit (bytes_per_cycle == unlimited) takes no time for a packet.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/ring.hpp>
#include <simtflow/timing/detail/timer_wheel.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A crossbar with FIFO ports. It sets timers of a wheel: timer first_timer + i for input i (call depart(i, due)),
/// timer first_timer + inputs + o for output o (call arrived(o, due) until it has no packet).
class crossbar {
 public:
  /// A packet is a number of the caller's choice.
  using packet = std::uint32_t;

  /// `queue` packets can wait at an input; `places` packets can be on the way to an output and wait after it, until the
  /// caller releases them. `delay` core cycles are added to each arrival. 2^32 - 1 is no limit.
  crossbar(const interconnect_parameters& p, const clock_ratio& clock, std::uint32_t inputs, std::uint32_t outputs,
           std::uint32_t queue, std::uint32_t places, cycle delay, detail::timer_wheel& wheel,
           std::uint32_t first_timer)
      : bytes_(p.bytes_per_cycle),
        latency_(p.latency),
        queue_(queue),
        delay_(delay),
        clock_(clock),
        wheel_(&wheel),
        first_timer_(first_timer),
        in_(inputs),
        out_(outputs) {
    for (output& o : out_) o.places = places;
  }

  /// The packets that input i still accepts. O(1).
  [[nodiscard]] std::uint32_t places(std::uint32_t i) const {
    if (queue_ == unlimited) return unlimited;
    const std::size_t used = in_[i].waiting.size();
    return used < queue_ ? queue_ - static_cast<std::uint32_t>(used) : 0;
  }
  /// True if the first packet of input i waits for a place at its output. O(1).
  [[nodiscard]] bool waits_for_output(std::uint32_t i) const { return in_[i].blocked; }

  /// Puts a packet for output o into input i, full or not: places() is for callers that can wait. O(1).
  void send(cycle now, std::uint32_t i, std::uint32_t o, std::uint32_t bytes, packet what) {
    in_[i].waiting.push({what, o, bytes});
    if (in_[i].waiting.size() == 1) depart(i, now);
  }

  /// Lets packets of input i leave at cycle `now` as far as they can. \returns true if one left, or if
  /// the first one waits for its output now and did not before.
  bool depart(std::uint32_t i, cycle now) {
    input& in = in_[i];
    const bool was_blocked = in.blocked;
    bool any = false;
    in.blocked = false;
    while (!in.waiting.empty()) {
      const tick t = clock_.tick_at(now);
      const tick start = t > in.free ? t : in.free;
      if (const cycle at = clock_.cycle_at(start); at > now) {
        wheel_->set_by(first_timer_ + i, at);
        break;
      }
      const leaving p = in.waiting.front();
      output& out = out_[p.to];
      if (out.places == 0) {
        in.blocked = true;
        out.blocked.push(i);
        break;
      }
      if (out.places != unlimited) --out.places;
      const tick flits = bytes_ == unlimited ? 0 : (p.bytes + bytes_ - 1) / bytes_;
      in.free = start + flits;
      tick arrival = in.free + latency_;
      if (arrival < out.last + flits) arrival = out.last + flits;
      out.last = arrival;
      const cycle at = clock_.cycle_at(arrival) + delay_;
      if (out.coming.empty()) wheel_->set(timer_of(p.to), at);
      out.coming.push({p.what, at});
      in.waiting.pop();
      any = true;
    }
    return any || in.blocked != was_blocked;
  }

  /// Gives a place at output o back. \returns the input that depart() is true for because of it, or the number of
  /// inputs if there is none.
  std::uint32_t release(std::uint32_t o, cycle now) {
    output& out = out_[o];
    if (out.places == unlimited) return static_cast<std::uint32_t>(in_.size());
    ++out.places;
    if (out.blocked.empty()) return static_cast<std::uint32_t>(in_.size());
    const std::uint32_t i = out.blocked.front();
    out.blocked.pop();
    return depart(i, now) ? i : static_cast<std::uint32_t>(in_.size());
  }

  /// Takes the next packet that is at output o by `now`, if there is one, and sets the timer for the one after it.
  bool arrived(std::uint32_t o, cycle now, packet& what, cycle& at) {
    output& out = out_[o];
    if (out.coming.empty()) return false;
    if (out.coming.front().at > now) {
      wheel_->set(timer_of(o), out.coming.front().at);
      return false;
    }
    what = out.coming.front().what;
    at = out.coming.front().at;
    out.coming.pop();
    return true;
  }

 private:
  struct leaving {
    packet what = 0;
    std::uint32_t to = 0;
    std::uint32_t bytes = 0;
  };
  struct arriving {
    packet what = 0;
    cycle at = 0;
  };
  struct input {
    detail::ring<leaving> waiting;
    tick free = 0;
    bool blocked = false;
  };
  struct output {
    detail::ring<arriving> coming;
    detail::ring<std::uint32_t> blocked;  // inputs that wait for a place
    tick last = 0;                        // arrival of the last packet
    std::uint32_t places = 0;
  };

  [[nodiscard]] std::uint32_t timer_of(std::uint32_t o) const {
    return first_timer_ + static_cast<std::uint32_t>(in_.size()) + o;
  }

  std::uint32_t bytes_;
  std::uint32_t latency_;
  std::uint32_t queue_;
  cycle delay_;
  clock_ratio clock_;
  detail::timer_wheel* wheel_;
  std::uint32_t first_timer_;
  std::vector<input> in_;
  std::vector<output> out_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

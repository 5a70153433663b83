// SPDX-License-Identifier: BSL-1.0
//
// One DRAM channel: banks with open rows, a finite queue, and a first-ready, first-come, first-served controller. At
// each tick the controller issues every command that is possible: reads and writes of open rows before precharges and
// activations, older requests before younger ones. A row stays open until another row of its bank is asked for. The
// width of the command bus is not modelled.
//
//   activation   t_rc after the last one of the bank, t_rrd after the last one of another bank, t_rp after a precharge
//   read, write  t_rcd after the activation; max(t_ccd, burst) after the last one of the channel; a read t_wl + burst +
//                t_cdlr after a write, a write t_cl + burst - t_wl after a read, so that the data bus is free
//   precharge    t_ras after the activation; burst after a read, t_wl + burst + t_wr after a write
//   data         t_cl after a read, during one burst; a request of several bursts takes them one after another
//
// Literature: S. Rixner et al., Memory Access Scheduling, ISCA 2000.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/ring.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// Counts of a DRAM channel.
struct dram_counts {
  std::uint64_t reads = 0;          ///< bursts read
  std::uint64_t writes = 0;         ///< bursts written
  std::uint64_t bytes_read = 0;     ///< bytes that were asked for
  std::uint64_t bytes_written = 0;  ///< bytes that were given
  std::uint64_t row_hits = 0;       ///< requests that found their row open
  std::uint64_t row_misses = 0;     ///< requests for which a row was opened
  std::uint64_t activations = 0;    ///< rows opened
  std::uint64_t precharges = 0;     ///< rows closed
  friend constexpr bool operator==(const dram_counts&, const dram_counts&) = default;
};

/// A read that has its data.
struct dram_reply {
  std::uint32_t id = 0;  ///< as given to push()
  cycle at = 0;          ///< when the last byte is there, the extra latency included
};

/// One channel. Times of its interface are core cycles; inside it counts ticks of its command clock.
class dram_channel {
 public:
  /// An idle channel with closed rows. \pre the parameters passed diagnose().
  dram_channel(const dram_parameters& p, const clock_ratio& clock) : p_(p), clock_(clock), bank_(p.banks) {
    burst_ = p.bytes_per_cycle == unlimited ? 0 : (p.burst_bytes + p.bytes_per_cycle - 1) / p.bytes_per_cycle;
    step_ = p.t_ccd > burst_ ? p.t_ccd : burst_;
    candidate_.reserve(p.banks);
  }

  /// The requests that the queue still accepts. A request leaves the queue with its read or write command. O(1).
  [[nodiscard]] std::uint32_t places() const { return p_.queue == unlimited ? unlimited : p_.queue - waiting_; }
  /// True if no request waits in the queue.
  [[nodiscard]] bool idle() const { return waiting_ == 0; }

  /// Puts a request into the queue at cycle `now`: `bytes` from `address` on, an address within the channel. Rows are
  /// dealt out to the banks in turn. \pre places() > 0; bytes > 0; `now` does not decrease; the bytes are in one row.
  /// O(1).
  void push(cycle now, std::uint64_t address, std::uint32_t bytes, bool writes, std::uint32_t id) {
    const std::uint64_t page = address / p_.row_bytes;
    const std::uint32_t b = static_cast<std::uint32_t>(page % p_.banks);
    std::uint32_t r = free_;
    if (r == none) {
      r = static_cast<std::uint32_t>(request_.size());
      request_.emplace_back();
    } else {
      free_ = request_[r].next;
    }
    const std::uint64_t row = page / p_.banks;
    request_[r] = {row, number_++, id, bytes, none, writes};
    bank& k = bank_[b];
    if (k.first == none) {
      k.place = static_cast<std::uint32_t>(candidate_.size());
      candidate_.emplace_back();
      candidate_.back().of = b;
      k.first = r;
    } else {
      request_[k.last].next = r;
    }
    k.last = r;
    ++waiting_;
    if (k.chosen == none || (!k.chosen_hits && row == k.row)) choose(k, r);
    const candidate& c = candidate_[k.place];
    set_next(latest(latest(c.ready, limit_[c.what]), clock_.tick_at(now)));
  }

  /// The cycle of the next command, or `never`. O(1).
  [[nodiscard]] cycle next_event() const { return event_; }

  /// Issues all commands up to cycle `now`. \returns the number of requests that left the queue.
  /// O(banks with requests) for each command.
  std::uint32_t advance(cycle now) {
    const std::uint32_t before = waiting_;
    if (event_ > now) return 0;
    const tick end = clock_.last_tick(now);
    while (next_ <= end) issue_at(next_);
    event_ = next_ == never ? never : clock_.cycle_at(next_);
    return before - waiting_;
  }

  /// Reads with a known time, in the order of the commands; `at` never decreases.
  [[nodiscard]] detail::ring<dram_reply>& replies() { return replies_; }

  /// The counts since the start.
  [[nodiscard]] const dram_counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};

  struct request {
    std::uint64_t row = 0;
    std::uint64_t number = 0;  // age
    std::uint32_t id = 0;
    std::uint32_t bytes = 0;
    std::uint32_t next = none;  // of the bank
    bool write = false;
  };
  struct bank {
    std::uint64_t row = no_row;  // open
    tick column = 0;             // first tick for a read or a write
    tick precharge = 0;          // the same for a precharge
    tick activate = 0;           // the same for an activation
    std::uint32_t first = none;  // requests, oldest first
    std::uint32_t last = none;
    std::uint32_t chosen = none;  // the oldest request of the open row, else the oldest one
    bool chosen_hits = false;
    bool fresh = false;       // true until the first command to the open row
    std::uint32_t place = 0;  // in candidate_, if there are requests
  };
  enum command : std::uint32_t { read, write, precharge, activate };
  struct candidate {           // the next command of a bank with requests
    tick ready = 0;            // first tick as far as the bank goes
    std::uint64_t number = 0;  // age of the request
    command what = read;
    std::uint32_t of = 0;  // the bank
  };

  // The bank goes on with request r.
  void choose(bank& k, std::uint32_t r) {
    k.chosen = r;
    k.chosen_hits = request_[r].row == k.row;
    candidate& c = candidate_[k.place];
    c.number = request_[r].number;
    if (k.chosen_hits) {
      c.what = request_[r].write ? write : read;
      c.ready = k.column;
    } else {
      c.what = k.row != no_row ? precharge : activate;
      c.ready = k.row != no_row ? k.precharge : k.activate;
    }
  }
  void choose(bank& k) {
    k.chosen = none;
    for (std::uint32_t r = k.first; r != none && k.row != no_row; r = request_[r].next)
      if (request_[r].row == k.row) return choose(k, r);
    if (k.first != none) return choose(k, k.first);
    candidate_[k.place] = candidate_.back();
    bank_[candidate_[k.place].of].place = k.place;
    candidate_.pop_back();
  }
  static tick latest(tick a, tick b) { return a > b ? a : b; }
  void set_next(tick t) {
    if (t >= next_) return;
    next_ = t;
    event_ = clock_.cycle_at(t);
  }

  // One command at tick t, or none; then the time of the next one.
  void issue_at(tick t) {
    const candidate* best = nullptr;
    tick soon = never;
    for (const candidate& c : candidate_) {
      const tick e = latest(c.ready, limit_[c.what]);
      if (e > t) {
        if (e < soon) soon = e;
        continue;
      }
      // Reads and writes before row commands, then by age.
      if (best == nullptr ||
          ((c.what < precharge) == (best->what < precharge) ? c.number < best->number : c.what < precharge))
        best = &c;
    }
    if (best == nullptr) {
      next_ = soon;
      return;
    }
    bank& k = bank_[best->of];
    if (k.chosen_hits) {
      transfer(k, t);
    } else if (k.row != no_row) {
      k.row = no_row;
      k.activate = latest(k.activate, t + p_.t_rp);
      choose(k);
      ++counts_.precharges;
    } else {
      k.row = request_[k.chosen].row;
      k.fresh = true;
      k.column = t + p_.t_rcd;
      k.precharge = t + p_.t_ras;
      k.activate = t + p_.t_rc;
      limit_[activate] = t + p_.t_rrd;
      choose(k, k.chosen);
      ++counts_.activations;
    }
    next_ = candidate_.empty() ? never : t;
  }

  // All bursts of a bank's chosen request, from tick t on.
  void transfer(bank& k, tick t) {
    const std::uint32_t r = k.chosen;
    const request it = request_[r];
    const std::uint32_t bursts = (it.bytes + p_.burst_bytes - 1) / p_.burst_bytes;
    const tick last = t + tick{bursts - 1} * step_;
    ++(k.fresh ? counts_.row_misses : counts_.row_hits);
    k.fresh = false;
    limit_[read] = latest(limit_[read], last + step_);
    limit_[write] = latest(limit_[write], last + step_);
    if (it.write) {
      const tick end = last + p_.t_wl + burst_;
      limit_[read] = latest(limit_[read], end + p_.t_cdlr);
      k.precharge = latest(k.precharge, end + p_.t_wr);
      counts_.writes += bursts;
      counts_.bytes_written += it.bytes;
    } else {
      const tick end = last + p_.t_cl + burst_;
      if (end > limit_[write] + p_.t_wl) limit_[write] = end - p_.t_wl;
      k.precharge = latest(k.precharge, last + burst_);
      counts_.reads += bursts;
      counts_.bytes_read += it.bytes;
      replies_.push({it.id, clock_.cycle_at(end) + p_.latency});
    }
    std::uint32_t before = none;
    for (std::uint32_t i = k.first; i != r; i = request_[i].next) before = i;
    (before == none ? k.first : request_[before].next) = it.next;
    if (k.last == r) k.last = before;
    request_[r].next = free_;
    free_ = r;
    --waiting_;
    choose(k);
  }

  dram_parameters p_;
  clock_ratio clock_;
  tick burst_ = 0;  // ticks of one burst on the data bus
  tick step_ = 0;   // ticks from one column command to the next
  std::vector<bank> bank_;
  std::vector<candidate> candidate_;  // of the banks with requests, in no order
  std::vector<request> request_;
  std::uint32_t free_ = none;
  std::uint32_t waiting_ = 0;
  std::uint64_t number_ = 0;
  tick limit_[4] = {};   // by command: first tick as far as the channel goes
  tick next_ = never;    // of the next command
  cycle event_ = never;  // the same as a core cycle
  detail::ring<dram_reply> replies_;
  dram_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

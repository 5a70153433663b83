// SPDX-License-Identifier: BSL-1.0
//
// The functions of timing/memory_system.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/detail/sector_masks.hpp>
#include <simtflow/timing/memory_system.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {

namespace detail {

// Packets that can be between a core's port and a slice: the slice's queue, and the buffer of the network's output.
[[nodiscard]] constexpr std::uint32_t places_before_slice(const machine& m) {
  return m.partition.queue == unlimited || m.network.queue == unlimited ? unlimited
                                                                        : m.partition.queue + m.network.queue;
}

// Packets that can wait in a core's port: its queue and the miss queue of the L1 before it. The requests of one line
// always fit.
[[nodiscard]] constexpr std::uint32_t places_in_core(const machine& m) {
  if (m.network.queue == unlimited || m.l1.miss_queue == unlimited) return unlimited;
  const std::uint32_t places = m.network.queue + m.l1.miss_queue;
  return places < 1024 ? (places > 32 ? places : 32) : places;
}

// Core cycles of a partition's fixed delay.
[[nodiscard]] constexpr cycle partition_delay(const machine& m) {
  return clock_ratio(m.partition.mhz, m.core.mhz).cycle_at(m.partition.latency + (m.l2.size == 0 ? 0 : m.l2.latency));
}

}  // namespace detail

inline memory_system::memory_system(const machine& m)
    : m_(m),
      part_clock_(m.partition.mhz, m.core.mhz),
      sector_(detail::request_sector(m)),
      line_(detail::request_line(m)),
      l2_group_(detail::fetched_bytes(m.l2) / sector_),
      t_channel_(0),
      t_fill_(m.dram.channels),
      t_request_(t_fill_ + m.dram.channels),
      t_serve_(t_request_ + m.core.cores + m.dram.channels * m.partition.slices),
      t_reply_(t_serve_ + m.dram.channels * m.partition.slices),
      wheel_(t_reply_ + m.dram.channels * m.partition.slices + m.core.cores),
      requests_(m.network, clock_ratio(m.network.mhz, m.core.mhz), m.core.cores, m.dram.channels * m.partition.slices,
                detail::places_in_core(m), detail::places_before_slice(m), 0, wheel_, t_request_),
      replies_(m.network, clock_ratio(m.network.mhz, m.core.mhz), m.dram.channels * m.partition.slices, m.core.cores,
               m.partition.queue, unlimited, detail::partition_delay(m), wheel_, t_reply_),
      inbox_(m.core.cores),
      is_woken_(m.core.cores),
      asked_(m.core.cores) {
  for (const cache_parameters* c : {&m.l1, &m.constant, &m.texture, &m.instruction, &m.l2})
    SIMTFLOW_EXPECTS(c->line <= 1024, "lines have at most 1024 bytes");
  if (l2_group_ > 32) l2_group_ = 32;
  const clock_ratio dram_clock(m.dram.mhz, m.core.mhz);
  for (std::uint32_t c = 0; c < m.dram.channels; ++c) {
    channels_.emplace_back(m.dram, dram_clock);
    for (std::uint32_t s = 0; s < m.partition.slices; ++s) {
      slices_.emplace_back(m.l2);
      slices_.back().part = s;
    }
  }
}

inline void memory_system::place(std::uint64_t address, std::uint32_t& slice_number, std::uint64_t& local) const {
  const std::uint64_t piece = address / m_.partition.interleave;
  const std::uint64_t round = piece / num_slices();
  const std::uint32_t unit = static_cast<std::uint32_t>(piece - round * num_slices());
  const std::uint32_t part = unit / num_channels();
  slice_number = (unit - part * num_channels()) * m_.partition.slices + part;
  local = round * m_.partition.interleave + address % m_.partition.interleave;
}

inline void memory_system::wake(std::uint32_t core) {
  if (is_woken_[core] != 0) return;
  is_woken_[core] = 1;
  woken_.push_back(core);
}

inline void memory_system::send(cycle now, const memory_request& r) {
  std::uint32_t at = free_packet_;
  if (at == none) {
    at = static_cast<std::uint32_t>(packets_.size());
    packets_.emplace_back();
  } else {
    free_packet_ = packets_[at].next;
  }
  packet& p = packets_[at];
  p.request = r;
  place(r.address, p.slice, p.local);
  ++live_;
  const std::uint32_t bytes = m_.network.header_bytes + (r.kind == request_kind::read ? 0 : bytes_of(r.sectors));
  ++counts_.requests;
  counts_.bytes_to_partitions += bytes;
  requests_.send(now, r.core, p.slice, bytes, at);
}

inline void memory_system::advance(cycle now) {
  for (const std::uint32_t core : woken_) is_woken_[core] = 0;
  woken_.clear();
  cycle due = 0;
  for (std::uint32_t t = wheel_.take(now, due); t != detail::timer_wheel::none; t = wheel_.take(now, due)) {
    std::uint32_t what = 0;
    cycle at = 0;
    if (t < t_fill_) {
      const std::uint32_t c = t - t_channel_;
      channels_[c].advance(due);
      drain(c, due);
    } else if (t < t_request_) {
      fill(t - t_fill_, due);
    } else if (t < t_request_ + m_.core.cores) {
      const std::uint32_t core = t - t_request_;
      if (requests_.depart(core, due) && asked_[core] != 0) {
        asked_[core] = 0;
        wake(core);
      }
    } else if (t < t_serve_) {
      const std::uint32_t s = t - t_request_ - m_.core.cores;
      while (requests_.arrived(s, due, what, at)) slices_[s].in.push(what);
      if (!slices_[s].stalled) wheel_.set_by(t_serve_ + s, due);
    } else if (t < t_reply_) {
      serve(t - t_serve_, due);
    } else if (t < t_reply_ + num_slices()) {
      const std::uint32_t s = t - t_reply_;
      if (replies_.depart(s, due)) unstall(s, due);
    } else {
      const std::uint32_t core = t - t_reply_ - num_slices();
      while (replies_.arrived(core, due, what, at)) {
        inbox_[core].push_back({packets_[what].request.id, at});
        packets_[what].next = free_packet_;
        free_packet_ = what;
        --live_;
        wake(core);
      }
    }
  }
}

// The slice may go on: it looks again in this cycle.
inline void memory_system::unstall(std::uint32_t s, cycle now) {
  if (!slices_[s].stalled) return;
  slices_[s].stalled = false;
  wheel_.set_by(t_serve_ + s, now);
}

// Serves the first request of a slice, if its port is free.
inline void memory_system::serve(std::uint32_t s, cycle now) {
  slice& l = slices_[s];
  if (l.stalled || l.in.empty()) return;
  const tick t = part_clock_.tick_at(now);
  const tick start = t > l.free ? t : l.free;
  if (const cycle at = part_clock_.cycle_at(start); at > now) {
    wheel_.set(t_serve_ + s, at);
    return;
  }
  const std::uint32_t who = l.in.front();
  const std::uint32_t bytes = bytes_of(packets_[who].request.sectors);
  if (!access(s, who, now)) {
    l.stalled = true;
    return;
  }
  l.in.pop();
  const std::uint32_t port = m_.l2.bytes_per_cycle;
  l.free = start + (port == unlimited ? 0 : port == 0 ? 1 : (bytes + port - 1) / port);
  if (const std::uint32_t core = requests_.release(s, now); core < m_.core.cores && asked_[core] != 0) {
    asked_[core] = 0;
    wake(core);
  }
  if (!l.in.empty()) wheel_.set(t_serve_ + s, part_clock_.cycle_at(l.free));
}

// Performs a request at its slice. Returns false if it has to wait; then nothing has happened.
inline bool memory_system::access(std::uint32_t s, std::uint32_t who, cycle now) {
  slice& l = slices_[s];
  const packet p = packets_[who];
  const memory_request& r = p.request;
  const bool write = r.kind == request_kind::write;
  if (!write && replies_.places(s) == 0) return false;
  const std::size_t used = l.out.size();
  const std::uint32_t most = m_.l2.miss_queue < 2 ? 2 : m_.l2.miss_queue;  // a fetch and its write-back always fit
  const std::uint32_t places = most == unlimited ? unlimited
                               : used < most     ? most - static_cast<std::uint32_t>(used)
                                                 : 0;
  if (!l.tags.exists()) {
    if (places == 0) return false;
    to_dram(s, p.local, bytes_of(r.sectors), write, {s, who, 0, none});
  } else {
    const std::uint32_t line = m_.l2.line;
    const std::uint64_t number = p.local / line;
    const std::uint32_t shift = static_cast<std::uint32_t>(p.local % line) / sector_;
    const std::uint32_t touched = detail::coarsen(r.sectors << shift, l2_group_);
    lookup found;
    if (write) {
      const std::uint32_t whole = detail::coarsen_whole(r.whole << shift, l2_group_);
      found = l.tags.store_back(number, whole, touched & ~whole, places);
    } else {
      found = l.tags.load(number, touched, who, places, r.kind == request_kind::atomic);
    }
    if (found.outcome == lookup_outcome::no_mshr || found.outcome == lookup_outcome::no_place) return false;
    if (found.fetch != 0) {
      const std::uint32_t sectors = detail::refine(found.fetch, l2_group_);
      const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(sectors));
      to_dram(s, number * line + std::uint64_t{first} * sector_, bytes_of(sectors), false,
              {s, found.line, found.fetch, none});
    }
    if (found.dirty != 0) to_dram(s, found.victim * line, bytes_of(detail::refine(found.dirty, l2_group_)), true, {});
    if (found.outcome == lookup_outcome::hit && !write) answer(who, now);
  }
  if (r.kind == request_kind::atomic) ++counts_.atomics;
  if (!l.out.empty()) drain(s / m_.partition.slices, now);
  if (write) {
    packets_[who].next = free_packet_;
    free_packet_ = who;
    --live_;
  }
  return true;
}

// Puts a request into the miss queue of a slice. A read comes back with `f`.
inline void memory_system::to_dram(std::uint32_t s, std::uint64_t local, std::uint32_t bytes, bool write,
                                   const fetch& f) {
  const std::uint64_t interleave = m_.partition.interleave;
  const std::uint64_t round = local / interleave;
  const std::uint64_t address =
      (round * m_.partition.slices + slices_[s].part) * interleave + (local - round * interleave);
  std::uint32_t id = none;
  if (!write) {
    id = free_fetch_;
    if (id == none) {
      id = static_cast<std::uint32_t>(fetches_.size());
      fetches_.emplace_back();
    } else {
      free_fetch_ = fetches_[id].next;
    }
    fetches_[id] = f;
  }
  ++live_;
  slices_[s].out.push({address, bytes, id, write});
}

// Moves requests from the miss queues to the controller, slice by slice, and sets the channel's timers.
inline void memory_system::drain(std::uint32_t channel, cycle now) {
  dram_channel& d = channels_[channel];
  const std::uint32_t first = channel * m_.partition.slices;
  bool any = true;
  while (any && d.places() > 0) {
    any = false;
    for (std::uint32_t s = first; s < first + m_.partition.slices && d.places() > 0; ++s) {
      slice& l = slices_[s];
      if (l.out.empty()) continue;
      const dram_request r = l.out.front();
      l.out.pop();
      d.push(now, r.address, r.bytes, r.write, r.id);
      if (r.write) --live_;
      unstall(s, now);
      any = true;
    }
  }
  if (d.next_event() != never) wheel_.set_by(t_channel_ + channel, d.next_event());
  if (!d.replies().empty()) wheel_.set_by(t_fill_ + channel, d.replies().front().at);
}

// Takes the data that a channel has sent by now to the slices.
inline void memory_system::fill(std::uint32_t channel, cycle now) {
  detail::ring<dram_reply>& back = channels_[channel].replies();
  while (!back.empty() && back.front().at <= now) {
    const std::uint32_t id = back.front().id;
    back.pop();
    const fetch f = fetches_[id];
    fetches_[id].next = free_fetch_;
    free_fetch_ = id;
    --live_;
    slice& l = slices_[f.slice];
    if (!l.tags.exists())
      answer(f.line, now);
    else
      l.tags.fill(f.line, f.sectors, [&](std::uint32_t who) { answer(who, now); });
    unstall(f.slice, now);
  }
  if (!back.empty()) wheel_.set_by(t_fill_ + channel, back.front().at);
}

// Sends the reply of a request to its core.
inline void memory_system::answer(std::uint32_t who, cycle now) {
  const packet& p = packets_[who];
  const std::uint32_t bytes = m_.network.header_bytes + bytes_of(p.request.sectors);
  ++counts_.replies;
  counts_.bytes_to_cores += bytes;
  replies_.send(now, p.slice, p.request.core, bytes, who);
}

inline void memory_system::warm(const memory_range& copied) {
  if (m_.l2.size == 0 || copied.bytes == 0) return;
  const std::uint64_t line = m_.l2.line;
  for (std::uint64_t at = copied.address - copied.address % line; at < copied.address + copied.bytes; at += line) {
    std::uint32_t s = 0;
    std::uint64_t local = 0;
    place(at, s, local);
    slices_[s].tags.warm(local / line);
  }
}

inline memory_counts memory_system::counts() const {
  memory_counts all = counts_;
  for (const slice& s : slices_) all.l2 += s.tags.counts();
  for (const dram_channel& c : channels_) {
    const dram_counts& d = c.counts();
    all.bytes_from_dram += d.bytes_read;
    all.bytes_to_dram += d.bytes_written;
    all.dram_reads += d.reads;
    all.dram_writes += d.writes;
    all.row_hits += d.row_hits;
    all.row_misses += d.row_misses;
    all.activations += d.activations;
  }
  return all;
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

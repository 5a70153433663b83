// SPDX-License-Identifier: BSL-1.0
//
// The functions of timing/load_store_unit.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/detail/sector_masks.hpp>
#include <simtflow/timing/load_store_unit.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace timing {

namespace detail {

// Threads of a core, as far as the layout of local memory goes: whole warps.
[[nodiscard]] constexpr std::uint64_t local_threads(const machine& m) {
  return m.core.max_threads == unlimited ? 2048 : (m.core.max_threads + 31) / 32 * 32;
}

}  // namespace detail

inline load_store_unit::load_store_unit(const machine& m, std::uint32_t core)
    : core_(core),
      shared_(m.shared),
      coherence_(m.coherence),
      local_{detail::local_threads(m) * m.core.cores, detail::local_threads(m) * core},
      sector_(detail::request_sector(m)),
      request_line_(detail::request_line(m)),
      packet_line_(m.l1.line < request_line_ ? m.l1.line : request_line_),
      coalesce_(sector_),
      sides_{side(m.l1), side(m.constant), side(m.texture), side(m.instruction)} {
  SIMTFLOW_EXPECTS(core < m.core.cores, "a core of the device");
  for (side& s : sides_) {
    s.shift = static_cast<std::uint32_t>(std::countr_zero(s.parameters.line));
    s.group = detail::fetched_bytes(s.parameters) / sector_;
    s.pieces = s.parameters.line > request_line_ ? s.parameters.line / request_line_ : 1;
  }
}

inline void load_store_unit::warm(address_space where, std::uint64_t address, std::uint64_t bytes) {
  side& s = sides_[1];
  if (!s.tags.exists() || bytes == 0) return;
  const std::uint64_t first = device_address(where, address) / s.parameters.line;
  const std::uint64_t last = device_address(where, address + bytes - 1) / s.parameters.line;
  for (std::uint64_t number = first; number <= last; ++number) s.tags.warm(number);
}

inline void load_store_unit::issue(cycle now, std::uint32_t token, std::span<const access> accesses,
                                   std::uint32_t first_thread, memory_system& memory) {
  SIMTFLOW_EXPECTS(blocked(now) == stall_cause::none, "the unit holds one instruction");
  ++counts_.instructions;
  std::uint32_t r = free_record_;
  if (r == none) {
    r = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    free_record_ = records_[r].next;
  }
  records_[r] = {token, 0, none, false, now};
  ++live_;
  current_ = r;
  passes_.clear();
  next_pass_ = 0;
  first_pass_ = true;
  for (const access& a : accesses) add_passes(a, first_thread);
  make_passes(now, memory);
}

inline void load_store_unit::add_passes(const access& a, std::uint32_t first_thread) {
  if (a.where == address_space::none || a.addresses.empty()) return;
  if (a.where == address_space::shared) {
    const std::uint32_t n = coalesce_.shared_passes(a, shared_);
    ++counts_.shared_instructions;
    counts_.shared_passes += n;
    passes_.push_back({{}, n, path::shared, true, a.kind != access_kind::store});
    return;
  }
  const bool constant = a.where == address_space::constant || a.where == address_space::parameter;
  const std::uint32_t which = constant ? 1 : a.where == address_space::texture ? 2 : 0;
  const side& s = sides_[which];
  const bool bypasses = a.bypasses_l1 || (a.is_volatile && coherence_.volatiles == volatile_kind::l2);
  const bool evicts =
      a.kind == access_kind::store && a.where == address_space::global && coherence_.stores == store_kind::evict;
  path way = path::direct;
  if (a.kind == access_kind::store)
    way = path::store;
  else if (a.kind == access_kind::atomic)
    way = path::atomic;
  else if (s.tags.exists() && !(which == 0 && bypasses))
    way = which == 0 ? path::data : which == 1 ? path::constant : path::texture;
  const bool cached = way == path::data || way == path::constant || way == path::texture;
  const std::uint32_t line = cached ? s.parameters.line : packet_line_;
  const std::span<const line_access> lines = constant && a.kind == access_kind::load ? coalesce_.addresses(a, line)
                                             : a.where == address_space::local
                                                 ? coalesce_.local_lines(a, line, local_, first_thread)
                                                 : coalesce_.lines(a, line);
  const std::uint32_t port = cached ? s.parameters.bytes_per_cycle : 0;
  for (const line_access& l : lines) {
    std::uint32_t cycles = 1;
    if (port != 0) cycles = (static_cast<std::uint32_t>(std::popcount(l.sectors)) * sector_ + port - 1) / port;
    passes_.push_back({l, cycles, way, way != path::atomic && !bypasses && !evicts, true});
  }
}

// Notes the end of a wait of the first stage.
inline void load_store_unit::stand(cycle now) {
  if (stalled_ == never) return;
  counts_.stall_cycles[static_cast<std::size_t>(cause_)] += now - stalled_;
  stalled_ = never;
}

// Makes the passes that are possible at cycle `now`.
inline void load_store_unit::make_passes(cycle now, memory_system& memory) {
  next_ = never;
  while (next_pass_ < passes_.size()) {
    if (now < free_) {
      next_ = free_;
      return;
    }
    const pass& p = passes_[next_pass_];
    const stall_cause why = make(p, now, memory);
    if (why != stall_cause::none) {
      if (stalled_ != never && why != cause_) stand(now);
      if (stalled_ == never) stalled_ = now;
      cause_ = why;
      return;
    }
    stand(now);
    cause_ = p.way == path::shared || p.way == path::constant ? stall_cause::bank_conflict : stall_cause::coalescing;
    counts_.stall_cycles[static_cast<std::size_t>(cause_)] += p.cycles - (first_pass_ ? 1 : 0);
    first_pass_ = false;
    free_ = now + p.cycles;
    ++next_pass_;
  }
  if (free_ > now + 1) next_ = free_;  // a long last pass: the core is told when it ends
  if (current_ == none) return;
  const std::uint32_t r = current_;
  current_ = none;
  records_[r].whole = true;
  if (records_[r].outstanding == 0) finish(r);
}

// Makes one pass, or says why it is not possible; then nothing has happened.
inline stall_cause load_store_unit::make(const pass& p, cycle now, memory_system& memory) {
  record& r = records_[current_];
  switch (p.way) {
    case path::shared: {
      const cycle end = now + p.cycles - 1 + (p.loads ? shared_.latency : 0);
      if (end > r.latest) r.latest = end;
      return stall_cause::none;
    }
    case path::data:
      return load(p, 0, now, memory);
    case path::constant:
      return load(p, 1, now, memory);
    case path::texture:
      return load(p, 2, now, memory);
    default:
      break;
  }
  if (const stall_cause why = memory.blocked(core_); why != stall_cause::none) return why;
  side& data = sides_[0];
  if (data.tags.exists()) {
    const std::uint64_t number = p.line.address >> data.shift;
    if (p.way == path::store) {
      const std::uint32_t shift = static_cast<std::uint32_t>(p.line.address & (data.parameters.line - 1)) / sector_;
      (void)data.tags.store_through(number, detail::coarsen(p.line.sectors << shift, data.group));
    }
    if (!p.keeps) data.tags.invalidate(number);
  }
  if (p.way == path::store) {
    if (now > r.latest) r.latest = now;
    send(p, request_kind::write, 0, now, memory);
  } else {
    ++r.outstanding;
    const std::uint32_t id = new_transfer({current_, 0, 0, 0, 1, none});
    send(p, p.way == path::atomic ? request_kind::atomic : request_kind::read, id, now, memory);
  }
  return stall_cause::none;
}

inline void load_store_unit::send(const pass& p, request_kind kind, std::uint32_t id, cycle now,
                                  memory_system& memory) {
  memory.send(now, {p.line.address, core_, id, p.line.sectors, p.line.whole, kind});
}

// A load by way of a cache.
inline stall_cause load_store_unit::load(const pass& p, std::uint32_t which, cycle now, memory_system& memory) {
  side& s = sides_[which];
  const std::uint32_t need = detail::coarsen(p.line.sectors, s.group);
  const std::uint32_t places = memory.places(core_) >= s.pieces ? 1 : 0;
  const lookup found = s.tags.load(p.line.address >> s.shift, need, current_, places);
  record& r = records_[current_];
  switch (found.outcome) {
    case lookup_outcome::no_mshr:
      return stall_cause::mshr;
    case lookup_outcome::no_place:
      return memory.blocked(core_, s.pieces);
    case lookup_outcome::hit:
      if (now + s.parameters.latency > r.latest) r.latest = now + s.parameters.latency;
      return stall_cause::none;
    case lookup_outcome::miss:
    case lookup_outcome::merge:
      break;
  }
  ++r.outstanding;
  if (found.fetch == 0) return stall_cause::none;
  ask(p.line.address, which, found, now, memory);
  return stall_cause::none;
}

// Sends the requests for the sectors that a lookup has to fetch. `address` is the line's.
inline void load_store_unit::ask(std::uint64_t address, std::uint32_t which, const lookup& found, cycle now,
                                 memory_system& memory) {
  const side& s = sides_[which];
  const std::uint32_t id = new_transfer({none, which, found.line, found.fetch, 0, none});
  const std::uint32_t all = detail::refine(found.fetch, s.group);
  const std::uint32_t many = request_line_ / sector_;  // sectors in a request
  for (std::uint32_t piece = 0; piece < s.pieces; ++piece) {
    const std::uint32_t sectors = (all >> (piece * many)) & detail::low_bits(many < 32 ? many : 32);
    if (sectors == 0) continue;
    ++transfers_[id].left;
    memory.send(now, {address + std::uint64_t{piece} * request_line_, core_, id, sectors, 0, request_kind::read});
  }
}

inline bool load_store_unit::fetch(cycle now, std::uint64_t address, memory_system& memory) {
  constexpr std::uint32_t instruction = 3;
  side& s = sides_[instruction];
  if (!s.tags.exists()) return true;
  const std::uint64_t number = device_address(address_space::none, address) >> s.shift;
  const std::uint32_t sector = static_cast<std::uint32_t>(address & (s.parameters.line - 1)) / sector_;
  const std::uint32_t need = detail::coarsen(1U << sector, s.group);
  if (s.tags.probe(number, need) == lookup_outcome::merge) return false;
  const lookup found = s.tags.load(number, need, fetcher, memory.places(core_) >= s.pieces ? 1 : 0);
  if (found.outcome == lookup_outcome::hit) return true;
  if (found.outcome == lookup_outcome::no_place) (void)memory.blocked(core_, s.pieces);
  if (found.fetch != 0) {
    ++live_;
    ask(number << s.shift, instruction, found, now, memory);
  }
  return false;
}

inline std::uint32_t load_store_unit::new_transfer(const transfer& f) {
  std::uint32_t id = free_transfer_;
  if (id == none) {
    id = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    free_transfer_ = transfers_[id].next;
  }
  transfers_[id] = f;
  return id;
}

inline bool load_store_unit::advance(cycle now, memory_system& memory) {
  const std::size_t before = done_.size();
  const bool has_passes = next_pass_ < passes_.size();
  for (const memory_reply& r : memory.replies(core_)) take(r);
  memory.clear_replies(core_);
  const bool ends = !has_passes && next_ <= now;
  if (has_passes) make_passes(now, memory);
  if (ends) next_ = never;
  return ends || done_.size() != before || (has_passes && next_pass_ == passes_.size());
}

inline void load_store_unit::take(const memory_reply& r) {
  transfer& f = transfers_[r.id];
  if (--f.left != 0) return;
  const transfer it = f;
  f.next = free_transfer_;
  free_transfer_ = r.id;
  if (it.who != none)
    arrive(it.who, r.at + sides_[0].parameters.latency);
  else
    sides_[it.cache].tags.fill(it.line, it.sectors,
                               [&](std::uint32_t who) { arrive(who, r.at + sides_[it.cache].parameters.latency); });
}

// A line of an instruction is there at cycle `at`.
inline void load_store_unit::arrive(std::uint32_t who, cycle at) {
  if (who == fetcher) {
    --live_;
    return;
  }
  record& r = records_[who];
  if (at > r.latest) r.latest = at;
  if (--r.outstanding == 0 && r.whole) finish(who);
}

inline void load_store_unit::finish(std::uint32_t who) {
  done_.push_back({records_[who].token, records_[who].latest});
  records_[who].next = free_record_;
  free_record_ = who;
  --live_;
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

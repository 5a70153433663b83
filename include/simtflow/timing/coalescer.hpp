// SPDX-License-Identifier: BSL-1.0
//
// From the addresses of a warp to the accesses that the memory sees:
//
//   global, local, texture   the distinct lines, each with the sectors that lanes touch; lanes share a line
//   atomic operations        as before, but lanes that touch the same bytes do not share an access
//   shared                   passes: the words of the fullest bank. Lanes that read or write one word share it; atomic
//                            operations do not
//   constant, parameter      the distinct addresses, one after another
//
// A sector is the unit of the request masks (memory_system::sector_bytes()), not the sector of a particular cache.
//
// Literature: NVIDIA, CUDA C Programming Guide, sections on global, shared and constant memory of compute capability
// 2.x; A. Bakhoda et al., Analyzing CUDA Workloads Using a Detailed GPU Simulator, ISPASS 2009.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// Bytes of one line that a warp accesses.
struct line_access {
  std::uint64_t address = 0;  ///< of the line's first byte
  std::uint32_t sectors = 0;  ///< bit s: a lane touches sector s of the line
  std::uint32_t whole = 0;    ///< stores: sectors in which every byte is written
  friend constexpr bool operator==(const line_access&, const line_access&) = default;
};

/// The address of a byte of the device, the same for all spaces: constants, parameters and code (`none`) lie above
/// every global address, local memory above them. Texture addresses are global ones; shared memory is not in the
/// device.
[[nodiscard]] constexpr std::uint64_t device_address(address_space where, std::uint64_t address) {
  constexpr std::uint64_t constants = std::uint64_t{4} << 58;
  constexpr std::uint64_t parameters = std::uint64_t{5} << 58;
  constexpr std::uint64_t code = std::uint64_t{6} << 58;
  switch (where) {
    case address_space::constant:
      return constants + address;
    case address_space::parameter:
      return parameters + address;
    case address_space::none:
      return code + address;
    default:
      return address;
  }
}

/// The place of a thread's own memory in the device's: words of 4 bytes, and the same word of all threads side by side,
/// so that a warp that reads one variable of its threads reads successive addresses.
struct local_layout {
  std::uint64_t threads = 0;  ///< threads of the device that can be resident at a time
  std::uint64_t first = 0;    ///< the number among them of the core's thread 0

  /// The address of word `word` of thread `thread` of the core.
  [[nodiscard]] constexpr std::uint64_t address(std::uint64_t thread, std::uint64_t word) const {
    return (std::uint64_t{1} << 61) + (word * threads + first + thread) * 4;
  }
};

/// Finds the lines, passes and addresses of warp instructions. It keeps buffers: nothing allocates once they have
/// grown.
class coalescer {
 public:
  /// Sectors of `sector` bytes, a power of two of at most 32.
  explicit coalescer(std::uint32_t sector) : sector_shift_(static_cast<std::uint32_t>(std::countr_zero(sector))) {}

  /// The lines of `line` bytes that the lanes touch, in the order of the first lane that touches each.
  /// \pre `line` is a power of two of at most 32 sectors. The result is valid until the next call.
  /// O(lanes times lines) at worst, O(lanes) if neighbours share lines.
  std::span<const line_access> lines(const access& a, std::uint32_t line) {
    start(line);
    if (a.kind == access_kind::load)
      load_lines(a);
    else if (a.kind == access_kind::store && a.bytes <= 1U << sector_shift_)
      store_lines(a);
    else
      for (const std::uint64_t at : a.addresses) add(at, a.bytes, a.kind);
    return finish(a.kind);
  }

  /// The same for local memory: `a` has offsets and thread numbers, as instruction.hpp says. `first_thread` is added to
  /// the thread numbers.
  std::span<const line_access> local_lines(const access& a, std::uint32_t line, const local_layout& layout,
                                           std::uint32_t first_thread) {
    start(line);
    for (const std::uint64_t at : a.addresses) {
      const std::uint64_t thread = (at >> 32) + first_thread;
      std::uint64_t offset = at & 0xFFFF'FFFFU;
      for (std::uint32_t left = a.bytes; left != 0;) {
        const std::uint32_t here = static_cast<std::uint32_t>(offset % 4);
        const std::uint32_t n = left < 4 - here ? left : 4 - here;
        add(layout.address(thread, offset / 4) + here, n, a.kind);
        offset += n;
        left -= n;
      }
    }
    return finish(a.kind);
  }

  /// The passes over shared memory: the most words that one bank has to serve, at least 1. O(words times words of a
  /// bank).
  [[nodiscard]] std::uint32_t shared_passes(const access& a, const shared_parameters& shared) {
    const std::uint32_t shift = static_cast<std::uint32_t>(std::countr_zero(shared.bank_bytes));
    const bool by_mask = std::has_single_bit(shared.banks);
    const bool shares = a.kind != access_kind::atomic;
    if (bank_.size() < shared.banks) bank_.resize(shared.banks);
    bank* const banks = bank_.data();
    const std::uint64_t call = ++calls_;
    word_.clear();
    std::uint32_t most = 1;
    for (const std::uint64_t at : a.addresses) {
      const std::uint64_t last = (at + a.bytes - 1) >> shift;
      for (std::uint64_t w = at >> shift; w <= last; ++w) {
        bank& k = banks[by_mask ? w & (shared.banks - 1) : w % shared.banks];
        if (k.call != call) {
          k = {call, w, none, 1};
          continue;
        }
        if (shares && k.word == w) continue;
        std::uint32_t i = shares ? k.more : none;
        while (i != none && word_[i].number != w) i = word_[i].next;
        if (i != none) continue;
        word_.push_back({w, k.more});
        k.more = static_cast<std::uint32_t>(word_.size() - 1);
        if (++k.words > most) most = k.words;
      }
    }
    return most;
  }

  /// The distinct addresses of constants or parameters, as device addresses, in the order of the first lane that has
  /// each: `sectors` counts from the start of its line of `line` bytes, and lanes with the same address share an entry.
  /// \pre as lines(); no lane crosses a line.
  std::span<const line_access> addresses(const access& a, std::uint32_t line) {
    start(line);
    exact_.clear();
    for (const std::uint64_t in_space : a.addresses) {
      const std::uint64_t at = device_address(a.where, in_space);
      std::size_t i = exact_.size();
      while (i > 0 && exact_[i - 1] != at) --i;
      if (i > 0) continue;
      exact_.push_back(at);
      const std::uint32_t offset = static_cast<std::uint32_t>(at & line_mask_);
      const std::uint32_t end = offset + a.bytes - 1 <= line_mask_ ? offset + a.bytes - 1 : line_mask_;
      out_.push_back({at - offset, range(offset >> sector_shift_, end >> sector_shift_), 0});
    }
    return out_;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  struct bank {
    std::uint64_t call = 0;     // the words are of this call
    std::uint64_t word = 0;     // the first one
    std::uint32_t more = none;  // the other ones, in word_
    std::uint32_t words = 0;
  };
  struct word {
    std::uint64_t number;
    std::uint32_t next;  // of the same bank
  };

  // Bits first .. last.
  [[nodiscard]] static std::uint32_t range(std::uint32_t first, std::uint32_t last) {
    return (~std::uint32_t{0} >> (31 - last)) & (~std::uint32_t{0} << first);
  }

  void start(std::uint32_t line) {
    line_mask_ = line - 1;
    sectors_ = line >> sector_shift_;
    SIMTFLOW_EXPECTS(sectors_ >= 1 && sectors_ <= 32, "a line has 1 to 32 sectors");
    out_.clear();
    cover_.clear();
    recent_ = 0;
    current_ = no_line;
  }

  // Most lanes load from the sector of the lane before them.
  void load_lines(const access& a) {
    const std::uint64_t last = a.bytes - 1;
    const std::uint32_t shift = sector_shift_;
    std::uint64_t sector = no_line;  // of the lane before, if it touched one only
    for (const std::uint64_t at : a.addresses) {
      const std::uint64_t first = at >> shift;
      if (first == sector && (at + last) >> shift == sector) continue;
      add(at, a.bytes, a.kind);
      sector = first == (at + last) >> shift ? first : no_line;
    }
  }
  // Stores of at most a sector each. Most lanes write to the line of the lane before them, and to one sector.
  void store_lines(const access& a) {
    const std::uint64_t last = a.bytes - 1;
    const std::uint64_t line_mask = line_mask_;
    const std::uint64_t sector_mask = (std::uint64_t{1} << sector_shift_) - 1;
    const std::uint32_t shift = sector_shift_;
    const std::uint32_t bits = low_bytes(a.bytes);
    std::uint64_t line = no_line;
    std::uint32_t* covered = nullptr;  // of that line
    for (const std::uint64_t at : a.addresses) {
      if ((at ^ line) <= line_mask && (at & sector_mask) + last <= sector_mask) {
        covered[(at - line) >> shift] |= bits << (at & sector_mask);
        continue;
      }
      add(at, a.bytes, a.kind);
      line = current_;
      covered = cover_.data() + recent_ * sectors_;
    }
    for (std::size_t i = 0; i < out_.size(); ++i)
      for (std::uint32_t s = 0; s < sectors_; ++s)
        if (cover_[i * sectors_ + s] != 0) out_[i].sectors |= 1U << s;
  }
  // Bits 0 .. n - 1, n in 1 .. 32.
  [[nodiscard]] static std::uint32_t low_bytes(std::uint32_t n) { return ~std::uint32_t{0} >> (32 - n); }

  // Bytes of one lane.
  void add(std::uint64_t at, std::uint32_t bytes, access_kind kind) {
    while (bytes != 0) {
      const std::uint32_t offset = static_cast<std::uint32_t>(at & line_mask_);
      const std::uint32_t rest = line_mask_ + 1 - offset;
      const std::uint32_t n = bytes < rest ? bytes : rest;
      const std::uint32_t first = offset >> sector_shift_;
      const std::uint32_t last = (offset + n - 1) >> sector_shift_;
      if (at - offset != current_ || (kind == access_kind::atomic && overlaps(recent_, offset, n)))
        select(at - offset, offset, n, kind);
      out_[recent_].sectors |= range(first, last);
      if (kind != access_kind::load) cover(recent_, offset, n);
      at += n;
      bytes -= n;
    }
  }
  // Makes the entry of a line the recent one; a new entry if there is none for these bytes.
  void select(std::uint64_t address, std::uint32_t offset, std::uint32_t n, access_kind kind) {
    current_ = address;
    for (recent_ = out_.size(); recent_ > 0;)
      if (out_[--recent_].address == address && (kind != access_kind::atomic || !overlaps(recent_, offset, n))) return;
    recent_ = out_.size();
    out_.push_back({address, 0, 0});
    if (kind != access_kind::load) cover_.resize(out_.size() * sectors_, 0);
  }
  // The bytes offset .. offset + n - 1 of sector s, as bits.
  [[nodiscard]] std::uint32_t bytes_in(std::uint32_t s, std::uint32_t offset, std::uint32_t n) const {
    const std::uint32_t begin = s << sector_shift_;
    const std::uint32_t end = begin + (1U << sector_shift_);
    const std::uint32_t from = offset > begin ? offset : begin;
    const std::uint32_t to = offset + n < end ? offset + n : end;
    return range(from - begin, to - begin - 1);
  }
  [[nodiscard]] bool overlaps(std::size_t entry, std::uint32_t offset, std::uint32_t n) const {
    for (std::uint32_t s = offset >> sector_shift_; s <= (offset + n - 1) >> sector_shift_; ++s)
      if ((cover_[entry * sectors_ + s] & bytes_in(s, offset, n)) != 0) return true;
    return false;
  }
  void cover(std::size_t entry, std::uint32_t offset, std::uint32_t n) {
    for (std::uint32_t s = offset >> sector_shift_; s <= (offset + n - 1) >> sector_shift_; ++s)
      cover_[entry * sectors_ + s] |= bytes_in(s, offset, n);
  }
  std::span<const line_access> finish(access_kind kind) {
    if (kind != access_kind::store) return out_;
    const std::uint32_t all = range(0, (1U << sector_shift_) - 1);
    for (std::size_t i = 0; i < out_.size(); ++i)
      for (std::uint32_t s = 0; s < sectors_; ++s)
        if (cover_[i * sectors_ + s] == all) out_[i].whole |= 1U << s;
    return out_;
  }

  std::uint32_t sector_shift_;
  std::uint32_t line_mask_ = 0;
  std::uint32_t sectors_ = 0;
  std::uint64_t current_ = no_line;  // address of the entry that the last lane touched
  std::size_t recent_ = 0;           // its place in out_
  std::vector<line_access> out_;
  std::vector<std::uint32_t> cover_;  // stores, atomic operations: bytes touched, by line and sector
  std::vector<std::uint64_t> exact_;
  std::uint64_t calls_ = 0;  // of shared_passes()
  std::vector<bank> bank_;
  std::vector<word> word_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The hardware that a mechanism of SIMT execution adds to a core, as closed forms: storage bits, comparators,
// multiplexers, priority encoders, ports, levels of logic and cycles of one operation. Time is not modelled here.
//
// A row is one part of one mechanism. Every closed form stands beside the section that describes the structure. A row
// is an estimate if the source names the structure and leaves a width, a number of entries or a port open.
//
// Literature: Diamos et al., SIMD Re-convergence at Thread Frontiers, MICRO 2011, sections 5.1 and 5.2 ("TF");
// Fung, Aamodt, Thread Block Compaction, HPCA 2011, sections 2.2, 2.4, 3.2, 4 and 7 ("TBC").
#pragma once

#include <simtflow/config.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The sizes of a core and of the structures of its mechanisms. The defaults are 1024 threads in warps of 32.
struct cost_parameters {
  std::uint32_t warp_width = 32;           ///< lanes of a warp
  std::uint32_t warps = 32;                ///< warps of a core
  std::uint32_t blocks = 8;                ///< thread blocks of a core: stacks of the block-wide mechanisms
  std::uint32_t threads_per_block = 1024;  ///< threads of the largest thread block
  std::uint32_t pc_bits = 32;              ///< bits of a program counter
  std::uint32_t stack_entries = 16;        ///< entries of one stack
  std::uint32_t table_entries = 16;        ///< entries of one table, or convergence barriers of one warp
  std::uint32_t counter_bits = 8;          ///< bits of a time-out, a call depth, or the scheduler's data on a warp
  std::uint32_t large_warp = 8;            ///< warps that share the stack of a large warp
};

/// True if every size is from 1 to 65536, so that no figure overflows, and the largest thread block fits into the core.
/// O(1).
[[nodiscard]] constexpr bool is_valid(const cost_parameters& p) {
  for (const std::uint32_t size : {p.warp_width, p.warps, p.blocks, p.threads_per_block, p.pc_bits, p.stack_entries,
                                   p.table_entries, p.counter_bits, p.large_warp})
    if (size == 0 || size > 65536) return false;
  return p.threads_per_block <= std::uint64_t{p.warp_width} * p.warps;
}

/// One part of one mechanism in one core.
struct cost_row {
  std::string_view mechanism;      ///< a name of simt/policy_names.hpp
  std::string_view part;           ///< the structure
  std::uint64_t bits = 0;          ///< bits of storage
  std::uint64_t comparators = 0;   ///< comparators of two program counters, or of two masks for convergence barriers
  std::uint64_t multiplexers = 0;  ///< two-input multiplexers of a program counter
  std::uint64_t encoders = 0;      ///< priority encoders
  std::uint64_t ports = 0;         ///< ports: one to read and one to write for a memory that serves one warp a cycle
  std::uint64_t depth = 0;         ///< levels of two-input cells in a tree or in a priority encoder
  std::uint64_t cycles = 0;        ///< most cycles of one operation; 0: storage, or part of another operation
  std::string_view source;         ///< paper and section
  bool is_estimate = false;        ///< True if a size in the closed form is a choice made here
};

/// The sum of the rows of one mechanism. The deepest logic and the longest operation are maxima.
struct cost_sum {
  std::uint64_t bits = 0;          ///< bits of storage
  std::uint64_t comparators = 0;   ///< comparators
  std::uint64_t multiplexers = 0;  ///< two-input multiplexers
  std::uint64_t encoders = 0;      ///< priority encoders
  std::uint64_t ports = 0;         ///< ports
  std::uint64_t depth = 0;         ///< most levels of logic
  std::uint64_t cycles = 0;        ///< most cycles of one operation
  bool is_estimate = false;        ///< True if a row is an estimate
};

/// Bits that tell n values apart: the logarithm to base 2, rounded up; 0 for n of 0 or 1. O(1).
[[nodiscard]] constexpr std::uint64_t bits_for(std::uint64_t n) {
  return n < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

/// The rows of all mechanisms. The rows of one mechanism are adjacent.
class hardware_cost_table {
 public:
  /// Computes all rows. \pre is_valid(p). O(rows).
  constexpr explicit hardware_cost_table(const cost_parameters& p) : p_(p) {
    SIMTFLOW_EXPECTS(is_valid(p), "sizes are from 1 to 65536, and the largest thread block fits into the core");
    stacks_of_warps();
    tables_of_splits();
    program_counters_of_threads();
    warp_formation();
    block_compaction();
  }

  /// The first row. O(1).
  [[nodiscard]] constexpr const cost_row* begin() const { return rows_.data(); }
  /// The end of the rows. O(1).
  [[nodiscard]] constexpr const cost_row* end() const { return rows_.data() + size_; }
  /// The number of rows. O(1).
  [[nodiscard]] constexpr std::size_t size() const { return size_; }

  /// \returns the row of a part of a mechanism, or nullptr if the table has none. O(rows).
  [[nodiscard]] constexpr const cost_row* find(std::string_view mechanism, std::string_view part) const {
    for (const cost_row& r : *this)
      if (r.mechanism == mechanism && r.part == part) return &r;
    return nullptr;
  }

  /// The sum of a mechanism's rows; all zero for a name that the table does not have. O(rows).
  [[nodiscard]] constexpr cost_sum sum(std::string_view mechanism) const {
    cost_sum s;
    for (const cost_row& r : *this) {
      if (r.mechanism != mechanism) continue;
      s.bits += r.bits;
      s.comparators += r.comparators;
      s.multiplexers += r.multiplexers;
      s.encoders += r.encoders;
      s.ports += r.ports;
      if (r.depth > s.depth) s.depth = r.depth;
      if (r.cycles > s.cycles) s.cycles = r.cycles;
      s.is_estimate = s.is_estimate || r.is_estimate;
    }
    return s;
  }

 private:
  using name = std::string_view;

  [[nodiscard]] constexpr std::uint64_t lanes() const { return p_.warp_width; }
  [[nodiscard]] constexpr std::uint64_t warps() const { return p_.warps; }
  [[nodiscard]] constexpr std::uint64_t threads() const { return lanes() * warps(); }
  [[nodiscard]] constexpr std::uint64_t block_warps() const { return (p_.threads_per_block + lanes() - 1) / lanes(); }

  constexpr void add(const cost_row& r) { rows_[size_++] = r; }

  constexpr void memory(name mechanism, name part, std::uint64_t bits, name source, bool is_estimate = false) {
    add({mechanism, part, bits, 0, 0, 0, 2, 0, 0, source, is_estimate});
  }
  constexpr void compare(name mechanism, name part, std::uint64_t comparators, name source, bool is_estimate = false) {
    add({mechanism, part, 0, comparators, 0, 0, 0, 0, 1, source, is_estimate});
  }

  // One priority encoder a lane, over a copy of a mask; each selects one of its inputs a cycle.
  constexpr void encoders(name mechanism, name part, std::uint64_t bits, std::uint64_t inputs, name source,
                          bool is_estimate = false) {
    add({mechanism, part, bits, 0, 0, lanes(), 0, bits_for(inputs), inputs, source, is_estimate});
  }

  // The stack of a warp: PC, RPC and active mask an entry; the next PC meets the top's RPC (TBC 2.2). The pointer to
  // the top tells apart 0 to E entries.
  constexpr void warp_stack(name mechanism) {
    const std::uint64_t entries = warps() * p_.stack_entries;
    memory(mechanism, "PC, RPC", entries * 2 * p_.pc_bits, "TBC 2.2");
    memory(mechanism, "active masks", entries * lanes(), "TBC 2.2");
    memory(mechanism, "top of stack", warps() * bits_for(std::uint64_t{p_.stack_entries} + 1), "TBC 2.2", true);
    compare(mechanism, "next PC against RPC", 1, "TBC 2.2");
  }

  // Two fields an entry: the PC of the likely point and the position of its entry (TBC 4).
  constexpr void likely_points(name mechanism, std::uint64_t stacks) {
    memory(mechanism, "LPC, LPos", stacks * p_.stack_entries * (p_.pc_bits + bits_for(p_.stack_entries)), "TBC 4");
    compare(mechanism, "next PC against LPC", 1, "TBC 4");
  }

  // Threads that change warps stay in their lane: each lane's bank has its own address (TBC 7).
  constexpr void banked_registers(name mechanism) {
    add({.mechanism = mechanism, .part = "register banks by lane", .ports = lanes(), .source = "TBC 7"});
  }

  constexpr void stacks_of_warps() {
    const std::uint64_t entries = warps() * p_.stack_entries;
    warp_stack("pdom");
    warp_stack("lcp");
    likely_points("lcp", warps());
    // A stack of masks and nothing else: the code is structured (TF 2.1).
    memory("predicate", "masks", entries * lanes(), "TF 2.1", true);
    // An entry holds the PC and the mask of both paths, and one RPC.
    memory("dual-path", "PCs of both paths, RPC", entries * 3 * p_.pc_bits, "Rhu, Erez, HPCA 2013");
    memory("dual-path", "active masks of both paths", entries * 2 * lanes(), "Rhu, Erez, HPCA 2013");
    compare("dual-path", "next PC against RPC", 2, "Rhu, Erez, HPCA 2013", true);
    // One entry a lane, each with PC and predicate; pointers to the entries, the first entry's included (TF 5.2).
    memory("tf", "PCs", threads() * p_.pc_bits, "TF 5.2");
    memory("tf", "predicate registers", threads() * lanes(), "TF 5.2");
    memory("tf", "linked list", warps() * (lanes() + 1) * bits_for(lanes()), "TF 5.2");
    // The current PC meets only the first entry's PC (TF 5.2, i).
    compare("tf", "current PC against the first entry", 1, "TF 5.2");
    // Insertion looks at one entry a cycle, and at most at one entry a lane (TF 5.2).
    add({.mechanism = "tf", .part = "insertion", .comparators = 1, .cycles = lanes(), .source = "TF 5.2"});
  }

  constexpr void splits(name mechanism) {
    const std::uint64_t entries = warps() * p_.table_entries;
    // A split has PC, RPC and mask; a reconvergence point has PC, RPC, the mask it joins and the mask that is missing.
    memory(mechanism, "splits", entries * (2 * std::uint64_t{p_.pc_bits} + lanes()), "ElTantawy et al., HPCA 2014");
    memory(mechanism, "reconvergence table", entries * 2 * (p_.pc_bits + lanes()), "ElTantawy et al., HPCA 2014");
    compare(mechanism, "next PC against RPC", 1, "ElTantawy et al., HPCA 2014", true);
  }

  constexpr void tables_of_splits() {
    splits("multi-path");
    splits("aware");
    const std::uint64_t entries = warps() * p_.table_entries;
    memory("aware", "order of the splits", entries * bits_for(p_.table_entries), "ElTantawy, Aamodt, MICRO 2016", true);
    memory("aware", "time-outs", entries * p_.counter_bits, "ElTantawy, Aamodt, MICRO 2016", true);
    // One table of splits a core: PC, mask, warp and state; a split's next PC meets the PCs of all.
    warp_stack("subdivision");
    memory("subdivision", "splits", p_.table_entries * (p_.pc_bits + lanes() + bits_for(warps()) + p_.counter_bits),
           "Meng et al., ISCA 2010", true);
    compare("subdivision", "next PC against splits", p_.table_entries, "Meng et al., ISCA 2010", true);
  }

  constexpr void program_counters_of_threads() {
    // Each lane compares its thread's PC with the warp's PC in every cycle (TF 5.1).
    memory("tf-sandy", "PCs of threads", threads() * p_.pc_bits, "TF 5.1");
    memory("tf-sandy", "PCs of warps", warps() * p_.pc_bits, "TF 5.1");
    compare("tf-sandy", "PCs of threads against the warp's", lanes(), "TF 5.1");
    // The lowest PC by a reduction tree of W inputs has W - 1 inner nodes; W more comparators make the mask. Both
    // together are 63 comparators for 32 lanes: "approximately 64" (TF 5.2).
    memory("min-pc", "PCs of threads", threads() * p_.pc_bits, "TF 5.2");
    memory("min-pc", "call depths of threads", threads() * p_.counter_bits, "Collange 2011", true);
    add({.mechanism = "min-pc",
         .part = "reduction tree",
         .comparators = lanes() - 1,
         .multiplexers = lanes() - 1,
         .depth = bits_for(lanes()),
         .cycles = 1,
         .source = "TF 5.2"});
    compare("min-pc", "PCs of threads against the lowest", lanes(), "TF 5.2", true);
    // A thread has a PC, one of four states (ready, blocked, yielded, ended) and the barrier that blocks it.
    const name patent = "US patent 10,067,768 B2";
    memory("volta", "PCs of threads", threads() * p_.pc_bits, patent);
    memory("volta", "participants of barriers", warps() * p_.table_entries * lanes(), patent);
    memory("volta", "states of threads", threads() * (2 + bits_for(p_.table_entries)), patent, true);
    compare("volta", "participants against arrived", 1, patent, true);
    compare("volta", "PCs of threads against the warp's", lanes(), patent, true);
  }

  constexpr void dynamic_warps(name mechanism) {
    const name source = "Fung et al., MICRO 2007";
    const std::uint64_t ids = lanes() * bits_for(threads());
    // Both ways of a branch fill a register; each looks up the warp that its threads join in a two-way table. In the
    // worst case each thread is a warp of its own, so the pool has an entry a thread.
    memory(mechanism, "warp update registers", 2 * (p_.pc_bits + ids + lanes()), source, true);
    memory(mechanism, "PC-warp table", p_.table_entries * (p_.pc_bits + lanes() + bits_for(threads())), source, true);
    memory(mechanism, "warp pool", threads() * (p_.pc_bits + ids + p_.counter_bits), source, true);
    memory(mechanism, "warp allocator", threads() * bits_for(threads()), source, true);
    compare(mechanism, "PCs against the PC-warp table", 4, source, true);
    banked_registers(mechanism);
  }

  constexpr void warp_formation() {
    dynamic_warps("dwf");
    dynamic_warps("dwf-barrier");
    // One barrier a static warp: its PC and the threads that have arrived. A warp's threads may have different barriers
    // (TBC 2.4).
    memory("dwf-barrier", "warp barriers", warps() * (p_.pc_bits + lanes()), "TBC 2.4", true);
    compare("dwf-barrier", "next PC against barriers of threads", lanes(), "TBC 2.4", true);
  }

  constexpr void compaction(name mechanism) {
    const std::uint64_t entries = std::uint64_t{p_.blocks} * p_.stack_entries;
    // An entry has PC, RPC and the number of its warps, 0 to all of the block (TBC 3.2). The blocks share the T bits
    // of a level, as many bits as the warps' stacks have (TBC 7).
    memory(mechanism, "PC, RPC", entries * 2 * p_.pc_bits, "TBC 3.2");
    memory(mechanism, "warp counters", entries * bits_for(block_warps() + 1), "TBC 3.2");
    memory(mechanism, "active masks", threads() * p_.stack_entries, "TBC 7");
    compare(mechanism, "next PC against RPC", 1, "TBC 3.3");
    // A warp of the warp buffer names its threads within the block (TBC 3.2).
    memory(mechanism, "thread ids of the warp buffer", threads() * bits_for(p_.threads_per_block), "TBC 3.2");
    // The encoder of a lane selects one of the block's warps each cycle (TBC 3.3).
    encoders(mechanism, "thread compactor", p_.threads_per_block, block_warps(), "TBC 3.3");
    banked_registers(mechanism);
  }

  constexpr void block_compaction() {
    compaction("tbc");
    compaction("tbc-lcp");
    likely_points("tbc-lcp", p_.blocks);
    compaction("capri");
    // A branch's PC and one bit of history an entry; all entries are looked up at once.
    memory("capri", "prediction table", p_.table_entries * (std::uint64_t{p_.pc_bits} + 1), "Rhu, Erez, ISCA 2012",
           true);
    compare("capri", "branch against the prediction table", p_.table_entries, "Rhu, Erez, ISCA 2012", true);
    // K warps share a stack; a sub-warp takes one of the K rows in each column.
    const name source = "Narasiman et al., MICRO 2011, 3";
    const std::uint64_t rows = p_.large_warp;
    memory("large-warps", "PC, RPC", (warps() + rows - 1) / rows * p_.stack_entries * 2 * p_.pc_bits, source);
    memory("large-warps", "active masks", threads() * p_.stack_entries, source);
    compare("large-warps", "next PC against RPC", 1, source);
    memory("large-warps", "rows of the sub-warps", threads() * bits_for(rows), source, true);
    encoders("large-warps", "sub-warp formation", lanes() * rows, rows, source, true);
    banked_registers("large-warps");
  }

  cost_parameters p_;
  std::array<cost_row, 96> rows_{};
  std::size_t size_ = 0;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

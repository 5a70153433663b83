// SPDX-License-Identifier: BSL-1.0
//
// The machine of the thread block compaction paper (Fung and Aamodt, HPCA 2011), Table 2: NVIDIA's Quadro FX 5800 with
// L1 data caches and an L2, and the variant with a small L2 of section 6.4.
//
// A constant without another source is in Table 2. The table is silent about latencies, buffers and most buses; these
// constants name their source. "FX5800" is the configuration QuadroFX5800 that GPGPU-Sim ships, "peer" GPGPU-Sim 4
// edited towards Table 2, "gtx480" machines/gtx480.hpp, "1.3" the compute capability of the card (CUDA occupancy
// calculator).
// No public source gives the latencies of the paper's machine: "peer" and "gtx480" mean that they are assumed.
//
// The peer is another machine: it tracks registers, and only its arithmetic is eight lanes wide. bench/README.md prints
// both: this machine as it is, and with the peer's pipeline and caches, which is the table to hold against the peer.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction_class.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace machines {

/// Table 2 of the thread block compaction paper: 30 cores of 32 warps, eight lanes wide, L2 of 1 MB a channel, GDDR3.
[[nodiscard]] inline machine quadro_fx5800_plus_caches() {
  using kind = instruction_class;
  machine m;
  m.name = "quadro_fx5800_plus_caches";

  m.core.cores = 30;
  m.core.mhz = 1300;
  m.core.warp_width = 32;
  m.core.max_threads = 1024;
  m.core.max_warps = 32;            // section 2.2.1: N = 32
  m.core.max_blocks = 8;            // 1.3, FX5800; Table 1 has up to 8 thread blocks in a core
  m.core.max_block_threads = 1024;  // footnote 5
  m.core.warp_unit = 2;             // 1.3
  m.core.registers = 16384;
  m.core.register_unit = 512;                   // 1.3
  m.core.registers_by = register_scope::block;  // 1.3
  m.core.shared_bytes = 16384;
  m.core.shared_unit = 512;  // 1.3
  m.core.schedulers = 1;     // section 2.2.1: one warp a cycle
  m.core.scheduler = scheduler_kind::loose_round_robin;
  m.core.block_priority = block_priority_kind::age;    // section 6.2: default of the paper
  m.core.scoreboard = scoreboard_kind::one_in_flight;  // section 2.2
  m.core.operand_read = 6;                             // gtx480
  m.core.branch_resolve = 0;                           // section 2.2: fetch, decode and issue in one cycle

  // Section 2.2: one pipeline for arithmetic and memory instructions. Table 2: eight lanes, so a warp takes 4 cycles.
  m.units.sp = {1, 8};
  m.units.integer.number = 0;
  m.units.special.number = 0;
  m.units.dp.number = 0;
  m.units.memory.number = 0;
  for (std::size_t k = 0; k < num_instruction_classes; ++k) m.operations.of[k].unit = unit_kind::sp;
  // peer: int and fp ADD, MAX, MUL, MAD take 10 cycles, DIV 80; gtx480: one cycle for opcodes without a class.
  for (const kind k : {kind::int_add, kind::int_max, kind::int_mul, kind::int_mad, kind::fp_add, kind::fp_max,
                       kind::fp_mul, kind::fp_mad, kind::special})
    m.operations[k].latency = 10;
  m.operations[kind::int_div].latency = 80;
  m.operations[kind::fp_div].latency = 80;
  // gtx480 for double precision and exchange; 1.3 has one lane for doubles, the paper's programs have none.
  for (const kind k : {kind::dp_add, kind::dp_mul, kind::dp_mad}) m.operations[k].latency = 10;
  m.operations[kind::dp_max].latency = 19;
  m.operations[kind::dp_div].latency = 330;
  m.operations[kind::exchange].latency = 32;

  m.shared.banks = 16;      // 1.3 and peer
  m.shared.bank_bytes = 4;  // 1.3
  m.shared.latency = 26;    // peer

  m.l1.size = 32768;
  m.l1.line = 64;
  m.l1.ways = 8;
  m.l1.latency = 35;  // peer
  m.l1.mshrs = 64;    // gtx480, and so are merges and miss queue
  m.l1.merges = 8;
  m.l1.miss_queue = 8;

  m.constant.size = 8192;
  m.constant.line = 64;       // FX5800
  m.constant.ways = 2;        // FX5800
  m.constant.latency = 1;     // gtx480
  m.constant.mshrs = 2;       // FX5800
  m.constant.merges = 32;     // FX5800
  m.constant.miss_queue = 4;  // FX5800

  m.texture.size = 32768;
  m.texture.line = 64;
  m.texture.ways = 16;
  m.texture.latency = 1;       // gtx480
  m.texture.mshrs = 128;       // FX5800
  m.texture.merges = 4;        // FX5800
  m.texture.miss_queue = 128;  // FX5800

  // Section 5: caches as on Fermi. PTX ISA, cache operators, st.wb: a global store discards its line of the L1 there.
  m.coherence.stores = store_kind::evict;

  m.network.mhz = 650;
  m.network.latency = 5;           // gtx480, and so is the rest
  m.network.bytes_per_cycle = 40;  // peer
  m.network.header_bytes = 8;
  m.network.queue = 32;

  m.partition.mhz = 650;  // FX5800
  m.partition.slices = 1;
  m.partition.interleave = 256;  // FX5800: gpgpu_mem_addr_mapping dramid@8
  m.partition.latency = 60;      // peer: 120 cycles of the core clock
  m.partition.queue = 64;        // gtx480

  m.l2.size = 1048576;
  m.l2.line = 64;
  m.l2.ways = 64;
  m.l2.latency = 1;  // gtx480, and so is the rest
  m.l2.mshrs = 256;
  m.l2.merges = 4;
  m.l2.miss_queue = 4;
  m.l2.bytes_per_cycle = 32;

  m.dram.channels = 8;
  m.dram.mhz = 800;
  m.dram.queue = 32;
  m.dram.banks = 8;         // FX5800: nbk=8
  m.dram.row_bytes = 2048;  // FX5800: six column bits above the 32 bytes of a burst
  m.dram.bytes_per_cycle = 8;
  m.dram.burst_bytes = 32;  // FX5800: bursts of 4 on a bus of 8 bytes
  m.dram.latency = 100;     // peer
  m.dram.t_cl = 10;
  m.dram.t_wl = 7;  // FX5800
  m.dram.t_rp = 10;
  m.dram.t_rcd = 12;
  m.dram.t_ras = 25;
  m.dram.t_rc = 35;
  m.dram.t_rrd = 8;
  m.dram.t_ccd = 2;   // FX5800
  m.dram.t_cdlr = 6;  // FX5800
  m.dram.t_wr = 11;   // FX5800
  return m;
}

/// The same with an L2 of 128 KB a channel, 8-way (section 6.4 and Figure 17).
[[nodiscard]] inline machine quadro_fx5800_plus_caches_small_l2() {
  machine m = quadro_fx5800_plus_caches();
  m.name = "quadro_fx5800_plus_caches_small_l2";
  m.l2.size = 131072;
  m.l2.ways = 8;
  return m;
}

}  // namespace machines
}  // namespace timing
}  // namespace v0
}  // namespace simtflow

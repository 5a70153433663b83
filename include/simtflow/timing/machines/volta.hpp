// SPDX-License-Identifier: BSL-1.0
//
// NVIDIA's Tesla V100 (Volta) as measured by Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU
// Architecture via Microbenchmarking" (2018), Tables 3.1 and 4.1: "Jia". "white paper" is NVIDIA's for the GV100, "7.0"
// the compute capability (CUDA occupancy calculator), "QV100" the configuration SM7_QV100 that GPGPU-Sim 4 ships.
//
// Its own mechanism is convergence barriers (simt/policies/convergence_barriers.hpp). Latencies of instructions are
// from issue to issue, so operand_read is 0.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction_class.hpp>
#include <simtflow/timing/machine.hpp>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace machines {

/// Tesla V100: 80 cores of 64 warps and four schedulers, 128 KB of L1 in sectors, 6 MB L2, HBM2.
[[nodiscard]] inline machine volta() {
  using kind = instruction_class;
  machine m;
  m.name = "volta";

  m.core.cores = 80;                // Jia, Table 3.1
  m.core.mhz = 1380;                // Jia, Table 3.1
  m.core.warp_width = 32;           // 7.0
  m.core.max_threads = 2048;        // 7.0
  m.core.max_warps = 64;            // 7.0
  m.core.max_blocks = 32;           // 7.0
  m.core.max_block_threads = 1024;  // 7.0
  m.core.warp_unit = 4;             // 7.0
  m.core.registers = 65536;         // 7.0
  m.core.register_unit = 256;       // 7.0
  m.core.registers_by = register_scope::warp;
  m.core.shared_bytes = 98304;                            // 7.0
  m.core.shared_unit = 256;                               // 7.0
  m.core.schedulers = 4;                                  // Jia, section 2.2
  m.core.scheduler = scheduler_kind::greedy_then_oldest;  // QV100
  m.core.scoreboard = scoreboard_kind::registers;         // Jia, section 2.1: dependences by register
  m.core.operand_read = 0;
  m.core.branch_resolve = 2;  // gtx480.hpp: one cycle to fetch, one to decode

  // White paper: in each quarter of a core 16 lanes for single precision, 16 for integers, 8 for double precision, 4
  // special function units and 8 load/store units; the load/store units of a core share one path to the L1.
  m.units.sp = {4, 16};
  m.units.integer = {4, 16};
  m.units.dp = {4, 8};
  m.units.special = {4, 4};
  m.units.memory = {1, 0};

  // Jia, Table 4.1. Divisions are subroutines of the compiler: estimates, as in QV100.
  const unit_kind sp = unit_kind::sp, integer = unit_kind::integer, special = unit_kind::special, dp = unit_kind::dp;
  m.operations[kind::simple] = {4, 1, integer};
  m.operations[kind::int_add] = {4, 1, integer};
  m.operations[kind::int_max] = {5, 1, integer};
  m.operations[kind::int_mul] = {5, 1, integer};
  m.operations[kind::int_mad] = {5, 1, integer};
  m.operations[kind::int_div] = {145, 4, integer};  // QV100
  m.operations[kind::fp_add] = {4, 1, sp};
  m.operations[kind::fp_max] = {5, 1, sp};
  m.operations[kind::fp_mul] = {4, 1, sp};
  m.operations[kind::fp_mad] = {4, 1, sp};
  m.operations[kind::fp_div] = {39, 2, sp};  // QV100
  m.operations[kind::dp_add] = {8, 1, dp};
  m.operations[kind::dp_max] = {8, 1, dp};
  m.operations[kind::dp_mul] = {8, 1, dp};
  m.operations[kind::dp_mad] = {8, 1, dp};
  m.operations[kind::dp_div] = {330, 32, dp};  // QV100
  m.operations[kind::special] = {14, 1, special};
  m.operations[kind::control] = {1, 1, integer};
  m.operations[kind::barrier] = {1, 1, integer};
  m.operations[kind::exchange] = {23, 1, integer};  // estimate: shared memory's latency and an addition

  m.shared.banks = 32;      // Jia, Table 3.1
  m.shared.bank_bytes = 4;  // Jia, Table 3.1
  m.shared.latency = 19;    // Jia, Table 3.1

  // Jia, Table 3.1: up to 128 KB shared with shared memory, 4 sets, sectors of 32 bytes. A kernel that uses shared
  // memory has less: set l1.size.
  m.l1.size = 131072;
  m.l1.line = 128;
  m.l1.sector = 32;
  m.l1.ways = 256;
  m.l1.latency = 28;
  m.l1.mshrs = 256;      // QV100
  m.l1.merges = 8;       // QV100
  m.l1.miss_queue = 16;  // QV100

  m.constant.size = 2048;  // Jia, Table 3.1: L1 constant cache
  m.constant.line = 64;
  m.constant.ways = 4;
  m.constant.latency = 27;
  m.constant.mshrs = 2;       // QV100
  m.constant.merges = 64;     // QV100
  m.constant.miss_queue = 4;  // QV100
  m.texture = m.l1;           // white paper: the texture unit shares the L1

  m.coherence.stores = store_kind::update;  // white paper: the L1 also caches stores
  m.coherence.copies = copy_kind::l2;       // QV100: gpgpu_perf_sim_memcpy 1

  m.network.mhz = 1380;            // Jia: one clock to the L2
  m.network.latency = 5;           // gtx480.hpp
  m.network.bytes_per_cycle = 40;  // QV100
  m.network.header_bytes = 8;      // gtx480.hpp
  m.network.queue = 32;            // QV100

  m.partition.mhz = 1380;
  m.partition.slices = 2;        // QV100
  m.partition.interleave = 256;  // QV100
  m.partition.latency = 152;     // the rest of Jia's 193 cycles of an L2 hit
  m.partition.queue = 64;        // QV100

  // Jia, section 3.2: 6144 KB, lines of 64 bytes, 16 ways, in 64 slices.
  m.l2.size = 98304;
  m.l2.line = 64;
  m.l2.sector = 32;
  m.l2.ways = 16;
  m.l2.latency = 1;
  m.l2.mshrs = 192;           // QV100
  m.l2.merges = 4;            // QV100
  m.l2.miss_queue = 32;       // QV100
  m.l2.bytes_per_cycle = 32;  // QV100

  m.dram.channels = 32;         // QV100: 4096 bits (Jia, Table 3.1) in channels of 128
  m.dram.mhz = 877;             // Jia, Table 3.1
  m.dram.queue = 64;            // QV100
  m.dram.banks = 16;            // QV100
  m.dram.row_bytes = 2048;      // QV100: six column bits above the 32 bytes of a burst
  m.dram.bytes_per_cycle = 32;  // 128 bits at double data rate
  m.dram.burst_bytes = 32;      // QV100: bursts of 2
  m.dram.latency = 165;         // the rest of about 400 cycles of an access to DRAM (Jia, section 3.7)
  m.dram.t_cl = 12;             // QV100, and so are the times below
  m.dram.t_wl = 2;
  m.dram.t_rp = 12;
  m.dram.t_rcd = 12;
  m.dram.t_ras = 28;
  m.dram.t_rc = 40;
  m.dram.t_rrd = 3;
  m.dram.t_ccd = 1;
  m.dram.t_cdlr = 3;
  m.dram.t_wr = 10;
  return m;
}

}  // namespace machines
}  // namespace timing
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// NVIDIA's Tesla V100 (Volta), the PCIe card. Sources of the constants:
//
//   Jia          Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
//                Microbenchmarking" (2018), Tables 3.1 and 4.1. Other public sources repeat its 19, 28 and 193 cycles;
//                "Jia only": none of them has the value
//   white paper  NVIDIA, "NVIDIA Tesla V100 GPU Architecture" (2017)
//   tuning       NVIDIA, "Volta Tuning Guide"
//   7.0          compute capability 7.0: CUDA programming guide and CUDA occupancy calculator
//   query        what deviceQuery prints for a V100-PCIE-16GB
//   Arafa        Arafa and others, "Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs" (2019)
//   QV100        the configuration SM7_QV100 that GPGPU-Sim 4 ships
//   derived      follows from the other constants and a measured sum
//   assumed      no public source gives it
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

  m.core.cores = 80;                // white paper, query
  m.core.mhz = 1380;                // query
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
  m.core.schedulers = 4;                                  // tuning
  m.core.scheduler = scheduler_kind::greedy_then_oldest;  // QV100
  m.core.scoreboard = scoreboard_kind::registers;         // Jia, section 2.1: dependences by register
  m.core.operand_read = 0;
  m.core.branch_resolve = 2;  // assumed, as gtx480.hpp: one cycle to fetch, one to decode

  // White paper: in each quarter of a core 16 lanes for single precision, 16 for integers, 8 for double precision, 4
  // special function units and 8 load/store units; the load/store units of a core share one path to the L1.
  m.units.sp = {4, 16};
  m.units.integer = {4, 16};
  m.units.dp = {4, 8};
  m.units.special = {4, 4};
  m.units.memory = {1, 0};

  // A line without a source: Jia, Arafa and QV100 agree on 4 cycles for additions and fp, on 8 for dp; tuning has 4 for
  // fp. Divisions are subroutines of the compiler, and QV100 has one latency for each.
  const unit_kind sp = unit_kind::sp, integer = unit_kind::integer, special = unit_kind::special, dp = unit_kind::dp;
  m.operations[kind::simple] = {4, 1, integer};
  m.operations[kind::int_add] = {4, 1, integer};
  m.operations[kind::int_max] = {5, 1, integer};    // Jia only; Arafa: 4
  m.operations[kind::int_mul] = {5, 1, integer};    // Jia only; Arafa and QV100: 4
  m.operations[kind::int_mad] = {5, 1, integer};    // Jia, QV100
  m.operations[kind::int_div] = {145, 4, integer};  // QV100
  m.operations[kind::fp_add] = {4, 1, sp};
  m.operations[kind::fp_max] = {5, 1, sp};  // Jia only; Arafa: 4
  m.operations[kind::fp_mul] = {4, 1, sp};
  m.operations[kind::fp_mad] = {4, 1, sp};
  m.operations[kind::fp_div] = {39, 2, sp};  // QV100
  m.operations[kind::dp_add] = {8, 1, dp};
  m.operations[kind::dp_max] = {8, 1, dp};
  m.operations[kind::dp_mul] = {8, 1, dp};
  m.operations[kind::dp_mad] = {8, 1, dp};
  m.operations[kind::dp_div] = {330, 32, dp};       // QV100
  m.operations[kind::special] = {14, 1, special};   // Jia only; Arafa: 8 to 23 by function
  m.operations[kind::control] = {1, 1, integer};    // assumed: the wait is in branch_resolve
  m.operations[kind::barrier] = {1, 1, integer};    // assumed
  m.operations[kind::exchange] = {21, 2, integer};  // QV100, SHFL: 21, initiation 4 for a warp

  m.shared.banks = 32;      // 7.0
  m.shared.bank_bytes = 4;  // 7.0
  m.shared.latency = 19;    // Jia

  // White paper: 128 KB for the L1 and shared memory. A kernel that uses shared memory has less: set l1.size.
  m.l1.size = 131072;
  m.l1.line = 128;       // QV100
  m.l1.sector = 32;      // Jia, QV100
  m.l1.ways = 256;       // QV100; four sets: Jia
  m.l1.latency = 28;     // Jia
  m.l1.mshrs = 256;      // QV100
  m.l1.merges = 8;       // QV100
  m.l1.miss_queue = 16;  // QV100

  m.constant.size = 2048;     // Jia: L1 constant cache
  m.constant.line = 64;       // Jia, QV100
  m.constant.ways = 4;        // Jia only
  m.constant.latency = 27;    // Jia only
  m.constant.mshrs = 2;       // QV100
  m.constant.merges = 64;     // QV100
  m.constant.miss_queue = 4;  // QV100
  m.texture = m.l1;           // white paper: the texture unit shares the L1

  m.coherence.stores = store_kind::update;  // white paper: the L1 also caches stores
  m.coherence.copies = copy_kind::l2;       // QV100: gpgpu_perf_sim_memcpy 1

  m.network.mhz = 1380;            // QV100: the clock of the cores, for the L2 also
  m.network.latency = 5;           // assumed, as gtx480.hpp; the sum to the L2 is Jia's
  m.network.bytes_per_cycle = 40;  // QV100
  m.network.header_bytes = 8;      // GPGPU-Sim, as gtx480.hpp
  m.network.queue = 32;            // QV100

  m.partition.mhz = 1380;        // QV100, as the network
  m.partition.slices = 2;        // QV100
  m.partition.interleave = 256;  // QV100
  m.partition.latency = 152;     // derived: a hit in the L2 takes 193 cycles (Jia)
  m.partition.queue = 64;        // QV100

  m.l2.size = 98304;          // white paper: 6144 KB, in the 64 slices of QV100
  m.l2.line = 64;             // Jia; QV100: 128
  m.l2.sector = 32;           // Jia, QV100
  m.l2.ways = 16;             // Jia; QV100: 24
  m.l2.latency = 1;           // gtx480.hpp; the rest is in partition.latency
  m.l2.mshrs = 192;           // QV100
  m.l2.merges = 4;            // QV100
  m.l2.miss_queue = 32;       // QV100
  m.l2.bytes_per_cycle = 32;  // QV100

  m.dram.channels = 32;         // QV100: 4096 bits (query) in channels of 128
  m.dram.mhz = 877;             // query
  m.dram.queue = 64;            // QV100
  m.dram.banks = 16;            // QV100
  m.dram.row_bytes = 2048;      // QV100: six column bits above the 32 bytes of a burst
  m.dram.bytes_per_cycle = 32;  // 128 bits at double data rate
  m.dram.burst_bytes = 32;      // QV100: bursts of 2
  m.dram.latency = 165;         // derived: an access to DRAM takes about 400 cycles (Jia, section 3.7)
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

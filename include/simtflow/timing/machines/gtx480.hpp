// SPDX-License-Identifier: BSL-1.0
//
// NVIDIA's GeForce GTX 480 (Fermi) as GPGPU-Sim 4 describes it in its shipped configuration SM2_GTX480. Each constant
// names the option of that configuration, or the default of GPGPU-Sim (its option parser and its source) if the
// configuration is silent. Compute capability 2.0 gives the units of allocation (CUDA occupancy calculator).
//
// Left out: instruction cache, groups of DRAM banks (nbkgrp, CCDL, RTPL), the operand collector's ports and banks.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction_class.hpp>
#include <simtflow/timing/machine.hpp>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace machines {

/// GeForce GTX 480: 15 cores of 48 warps, two greedy-then-oldest schedulers each, 16 KB L1, 768 KB L2, GDDR5.
[[nodiscard]] inline machine gtx480() {
  using kind = instruction_class;
  machine m;
  m.name = "gtx480";

  m.core.cores = 15;                // gpgpu_n_clusters 15, gpgpu_n_cores_per_cluster 1
  m.core.mhz = 700;                 // gpgpu_clock_domains 700:700:700:924 (core, network, L2, DRAM)
  m.core.max_threads = 1536;        // gpgpu_shader_core_pipeline 1536:32
  m.core.warp_width = 32;           // the same
  m.core.max_warps = 48;            // 1536 / 32
  m.core.max_blocks = 8;            // gpgpu_shader_cta 8
  m.core.max_block_threads = 1024;  // compute capability 2.0
  m.core.warp_unit = 2;             // compute capability 2.0: warp allocation granularity
  m.core.registers = 32768;         // gpgpu_shader_registers 32768
  m.core.register_unit = 64;        // compute capability 2.0: register allocation unit, for each warp
  m.core.registers_by = register_scope::warp;
  m.core.shared_bytes = 49152;                            // gpgpu_shmem_size 49152
  m.core.shared_unit = 128;                               // compute capability 2.0: shared memory allocation unit
  m.core.schedulers = 2;                                  // gpgpu_num_sched_per_core 2
  m.core.scheduler = scheduler_kind::greedy_then_oldest;  // gpgpu_scheduler gto
  m.core.active_warps = 6;                                // the alternative two_level_active:6:0:1
  m.core.scoreboard = scoreboard_kind::registers;         // GPGPU-Sim, class Scoreboard
  // GPGPU-Sim's pipeline: a cycle each for the register before the operand collector, its allocation, its reads and
  // the register after it before the unit; a cycle each for the register after the unit and the write.
  m.core.operand_read = 6;
  // GPGPU-Sim: a branch that is taken empties the instruction buffer; one cycle to fetch, one to decode.
  m.core.branch_resolve = 2;

  m.units.sp.number = 2;       // gpgpu_num_sp_units 2; a unit takes a warp a cycle, so the clock is half the hot clock
  m.units.integer.number = 0;  // gpgpu_pipeline_widths: no INT unit, integers run on SP
  m.units.special.number = 1;  // gpgpu_num_sfu_units 1
  m.units.dp.number = 0;       // gpgpu_num_dp_units 0: double precision runs on SFU
  m.units.memory.number = 1;   // one LD/ST unit

  const unit_kind sp = unit_kind::sp, special = unit_kind::special;
  m.operations[kind::simple] = {1, 1, sp};  // opcodes without a class: latency and initiation 1
  // ptx_opcode_latency_int 4,13,4,5,145,32 and ptx_opcode_initiation_int 1,2,2,1,8,4: ADD, MAX, MUL, MAD, DIV, SHFL.
  m.operations[kind::int_add] = {4, 1, sp};
  m.operations[kind::int_max] = {13, 2, sp};
  m.operations[kind::int_mul] = {4, 2, sp};
  m.operations[kind::int_mad] = {5, 1, sp};
  m.operations[kind::int_div] = {145, 8, special};  // every division runs on SFU
  m.operations[kind::exchange] = {32, 4, sp};
  // ptx_opcode_latency_fp 4,13,4,5,39 and ptx_opcode_initiation_fp 1,2,1,1,4.
  m.operations[kind::fp_add] = {4, 1, sp};
  m.operations[kind::fp_max] = {13, 2, sp};
  m.operations[kind::fp_mul] = {4, 1, sp};
  m.operations[kind::fp_mad] = {5, 1, sp};
  m.operations[kind::fp_div] = {39, 4, special};
  // ptx_opcode_latency_dp 8,19,8,8,330 and ptx_opcode_initiation_dp 8,16,8,8,130.
  m.operations[kind::dp_add] = {8, 8, special};
  m.operations[kind::dp_max] = {19, 16, special};
  m.operations[kind::dp_mul] = {8, 8, special};
  m.operations[kind::dp_mad] = {8, 8, special};
  m.operations[kind::dp_div] = {330, 130, special};
  m.operations[kind::special] = {8, 8, special};  // defaults of ptx_opcode_latency_sfu, ptx_opcode_initiation_sfu

  m.shared.banks = 32;      // gpgpu_shmem_num_banks 32
  m.shared.bank_bytes = 4;  // GPGPU-Sim, WORD_SIZE
  m.shared.latency = 26;    // gpgpu_smem_latency 26

  // gpgpu_cache:dl1 N:32:128:4,...,S:64:8,8: sets, line, ways; MSHRs, merges, miss queue.
  m.l1.line = 128;
  m.l1.ways = 4;
  m.l1.size = 32 * 128 * 4;
  m.l1.latency = 35;  // gpgpu_l1_latency 35
  m.l1.mshrs = 64;
  m.l1.merges = 8;
  m.l1.miss_queue = 8;

  // gpgpu_const_cache:l1 N:64:64:2,...,S:2:32,4.
  m.constant.line = 64;
  m.constant.ways = 2;
  m.constant.size = 64 * 64 * 2;
  m.constant.latency = 1;  // a hit leaves the unit in the next cycle
  m.constant.mshrs = 2;
  m.constant.merges = 32;
  m.constant.miss_queue = 4;

  // gpgpu_cache:il1 N:4:128:4,...,S:2:32,4.
  m.instruction.line = 128;
  m.instruction.ways = 4;
  m.instruction.size = 4 * 128 * 4;
  m.instruction.latency = 0;
  m.instruction.mshrs = 2;
  m.instruction.merges = 32;
  m.instruction.miss_queue = 4;

  // gpgpu_tex_cache:l1 N:4:128:24,...,T:128:4,128:2.
  m.texture.line = 128;
  m.texture.ways = 24;
  m.texture.size = 4 * 128 * 24;
  m.texture.latency = 1;  // as the constant cache
  m.texture.mshrs = 128;
  m.texture.merges = 4;
  m.texture.miss_queue = 128;

  // PTX ISA, cache operators, st.wb: on sm_20 a global store passes the L1 by and discards its line. GPGPU-Sim has the
  // same: the first L of dl1's policies L:L:m:N.
  m.coherence.stores = store_kind::evict;
  m.coherence.copies = copy_kind::l2;  // gpgpu_perf_sim_memcpy 1

  m.network.mhz = 700;             // gpgpu_clock_domains
  m.network.latency = 5;           // one stage, delays 0 and 1: injection, two allocations, traversal, ejection
  m.network.bytes_per_cycle = 40;  // icnt_flit_size 40
  m.network.header_bytes = 8;      // GPGPU-Sim, READ_PACKET_SIZE and WRITE_PACKET_SIZE
  m.network.queue = 32;            // gpgpu_n_cluster_ejection_buffer_size 32

  m.partition.mhz = 700;         // gpgpu_clock_domains
  m.partition.slices = 2;        // gpgpu_n_sub_partition_per_mchannel 2
  m.partition.interleave = 256;  // gpgpu_mem_addr_mapping dramid@8
  m.partition.latency = 120;     // gpgpu_l2_rop_latency 120
  m.partition.queue = 64;        // gpgpu_dram_partition_queues 64:64:64:64

  // gpgpu_cache:dl2 S:64:128:8,...,A:256:4,4:0,32; a sector is 32 bytes (SECTOR_SIZE).
  m.l2.line = 128;
  m.l2.sector = 32;
  m.l2.ways = 8;
  m.l2.size = 64 * 128 * 8;
  m.l2.latency = 1;  // a hit is in the queue to the network in the next cycle
  m.l2.mshrs = 256;
  m.l2.merges = 4;
  m.l2.miss_queue = 4;
  m.l2.bytes_per_cycle = 32;

  m.dram.channels = 6;          // gpgpu_n_mem 6
  m.dram.mhz = 924;             // gpgpu_clock_domains
  m.dram.queue = 64;            // gpgpu_frfcfs_dram_sched_queue_size 64
  m.dram.banks = 16;            // gpgpu_dram_timing_opt nbk=16; the times below are the same option's
  m.dram.row_bytes = 4096;      // gpgpu_mem_addr_mapping: six column bits above the 64 bytes of a burst
  m.dram.bytes_per_cycle = 32;  // gpgpu_n_mem_per_ctrlr 2 chips of gpgpu_dram_buswidth 4, data rate 4
  m.dram.burst_bytes = 64;      // the same 8 bytes, gpgpu_dram_burst_length 8
  m.dram.latency = 100;         // dram_latency 100
  m.dram.t_cl = 12;
  m.dram.t_wl = 4;
  m.dram.t_rp = 12;
  m.dram.t_rcd = 12;
  m.dram.t_ras = 28;
  m.dram.t_rc = 40;
  m.dram.t_rrd = 6;
  m.dram.t_ccd = 2;
  m.dram.t_cdlr = 5;
  m.dram.t_wr = 12;
  return m;
}

}  // namespace machines
}  // namespace timing
}  // namespace v0
}  // namespace simtflow

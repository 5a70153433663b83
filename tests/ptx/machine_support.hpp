// SPDX-License-Identifier: BSL-1.0
//
// Runs of whole grids under policies of every kind, for tests of what lanes and threads have to do with each other.
#pragma once

#include "ptx/decode_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/interpreter.hpp>
#include <simtflow/ptx/memory.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_test {

/// Policies: stack, sorted list, by call depth, one lane at a time, warps formed anew.
enum class way { pdom, frontier, depth_first, serial, compaction };
inline constexpr way all_ways[] = {way::pdom, way::frontier, way::depth_first, way::serial, way::compaction};
/// Those that run lanes together which need not be apart.
inline constexpr way together[] = {way::pdom, way::frontier, way::compaction};
inline std::string_view name_of(way w) {
  constexpr std::string_view names[] = {"pdom", "frontier", "depth-first", "serial", "compaction"};
  return names[static_cast<int>(w)];
}

struct machine_result {
  outcome how = outcome::finished;
  std::uint64_t steps = 0;
  ptx::fault_info fault;
  std::vector<std::uint32_t> out;
  std::vector<ptx::printed_text> printed;
  std::vector<std::uint64_t> runs;  // by block: how often it was run
};

struct machine_setup {
  std::vector<std::uint32_t> in{};
  std::size_t out_words = 0;
  std::uint32_t n = 0;
  simtflow::limits limits{};
};

/// `make(program)` is the policy.
template <class Policy, class Make>
void run_grid_under(const ptx::decoded_kernel& k, ptx::launch_config l, const Make& make, const machine_setup& setup,
                    machine_result& r) {
  if constexpr (scope_of<Policy> == policy_scope::block) l.group_width = static_cast<std::uint32_t>(l.num_threads());
  ptx::device_memory memory;
  const std::uint64_t from = memory.allocate_copy(std::span<const std::uint32_t>(setup.in), "in");
  const std::uint64_t to = memory.allocate(4 * setup.out_words, "out");
  ptx::arguments args(k);
  if (args.size() > 0) args.set(0, from);
  if (args.size() > 1) args.set(1, to);
  if (args.size() > 2) args.set(2, setup.n);
  REQUIRE_MESSAGE(ptx::check_launch(k, l, args, Policy::mask_type::capacity).empty(),
                  text_of(ptx::check_launch(k, l, args, Policy::mask_type::capacity)));
  ptx::interpreter<typename Policy::mask_type> program(k, l, memory, args);
  executor<Policy> machine(make(program));
  r.runs.assign(k.blocks.size(), 0);
  const auto count = [&](const event::issued<typename Policy::mask_type>& e) { ++r.runs[e.block]; };
  const auto barriers = parking_policy<Policy> ? barrier_model::thread_arrival : barrier_model::whole_warp;
  for (std::uint64_t b = 0; b < l.num_blocks(); ++b) {
    program.begin_block_number(b);
    const auto v =
        machine.run({program.num_threads(), program.warp_width(), 0, barriers}, program, count, setup.limits);
    r.steps += v.steps;
    r.how = v.how;
    if (!v.finished()) break;
  }
  r.fault = program.fault();
  r.printed.assign(program.printed().begin(), program.printed().end());
  r.out.assign(setup.out_words, 0);
  REQUIRE(memory.read(to, std::span<std::uint32_t>(r.out)));
}

inline machine_result run_under(way w, const ptx::decoded_kernel& k, const ptx::launch_config& l,
                                const machine_setup& setup) {
  machine_result r;
  const csr_graph where = k.cfg();
  const csr_graph bodies = k.bodies();
  const auto order = loop_contiguous_order(where);
  const std::vector<std::uint32_t> ranks(order.ranks().begin(), order.ranks().end());
  const auto tree = post_dominators(bodies);
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  switch (w) {
    case way::pdom:
      run_grid_under<ipdom_stack>(
          k, l, [&](const auto&) { return ipdom_stack(ipdoms); }, setup, r);
      break;
    case way::frontier:
      run_grid_under<thread_frontier>(
          k, l, [&](const auto&) { return thread_frontier(ranks); }, setup, r);
      break;
    case way::depth_first:
      run_grid_under<min_pc>(
          k, l, [&](const auto& program) { return min_pc(ranks, program.depths()); }, setup, r);
      break;
    case way::serial:
      run_grid_under<lane_serial>(
          k, l, [&](const auto&) { return lane_serial(); }, setup, r);
      break;
    case way::compaction: {
      using policy = basic_thread_block_compaction<basic_mask<16>>;
      run_grid_under<policy>(
          k, l, [&](const auto&) { return policy(ipdoms, {home_lanes{l.warp_width}}); }, setup, r);
      break;
    }
  }
  return r;
}

inline ptx::launch_config block_of(std::uint32_t threads, std::uint32_t width = 32, std::uint32_t blocks = 1) {
  ptx::launch_config l;
  l.grid[0] = blocks;
  l.block[0] = threads;
  l.warp_width = width;
  return l;
}

/// A kernel "k" whose threads have their number in %t, and in %in and %out the addresses of word number %t of both
/// arrays.
inline std::string with_thread_number(std::string_view body, std::string_view before = {}) {
  return std::string(header) + std::string(before) +
         "\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<16>; .reg .b16 %h<8>; .reg .b32 %r<32>, %t; .reg .b64 %rd<16>, %in, %out, %word; .reg .f32 "
         "%f<8>;\n"
         "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "mov.u32 %r30, %ntid.x; mov.u32 %r31, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, %r30, %r31, %t;\n"
         "mul.wide.u32 %word, %t, 4; add.s64 %in, %in, %word; add.s64 %out, %out, %word;\n" +
         std::string(body) + "\nret;\n}\n";
}

}  // namespace ptx_test

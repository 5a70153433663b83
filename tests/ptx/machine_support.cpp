// SPDX-License-Identifier: BSL-1.0
#include "ptx/machine_support.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

namespace simtflow_tests {
namespace {

// `make(program)` is the policy.
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
  r.off.assign(l.num_blocks() * l.num_threads(), 0);
  std::uint64_t first_of_block = 0;
  const std::uint64_t wide = scope_of<Policy> == policy_scope::block ? l.num_threads() : l.warp_width;
  overloaded watch{[&](const event::issued<typename Policy::mask_type>& e) { ++r.runs[e.block]; },
                   [&](const event::predicated_off<typename Policy::mask_type>& e) {
                     const std::uint64_t first_thread = first_of_block + e.warp * wide;
                     e.lanes.for_each([&](std::uint32_t lane) { ++r.off[first_thread + lane]; });
                   }};
  both count(watch, r.count);
  const auto barriers = parking_policy<Policy> ? barrier_model::thread_arrival : barrier_model::whole_warp;
  for (std::uint64_t b = 0; b < l.num_blocks(); ++b) {
    program.select_block_number(b);
    first_of_block = b * l.num_threads();
    const auto v =
        machine.run(program, {program.num_threads(), program.warp_width(), 0, barriers}, count, setup.limits);
    r.steps += v.steps;
    r.how = v.how;
    r.words = describe(v);
    if (!v.finished()) break;
  }
  r.fault = program.fault();
  r.printed.assign(program.printed().begin(), program.printed().end());
  r.out.assign(setup.out_words, 0);
  REQUIRE(memory.read(to, std::span<std::uint32_t>(r.out)));
}

}  // namespace

machine_result run_under(way w, const ptx::decoded_kernel& k, const ptx::launch_config& l, const machine_setup& setup) {
  machine_result r;
  const csr_graph where = k.cfg();
  const csr_graph bodies = k.bodies();
  const auto order = loop_contiguous_order(where);
  const std::vector<std::uint32_t> ranks(order.ranks().begin(), order.ranks().end());
  const auto tree = post_dominators(bodies);
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  switch (w) {
    case way::pdom:
      run_grid_under<policies::ipdom_stack>(
          k, l, [&](const auto&) { return policies::ipdom_stack(ipdoms); }, setup, r);
      break;
    case way::frontier:
      run_grid_under<policies::thread_frontier>(
          k, l, [&](const auto&) { return policies::thread_frontier(ranks); }, setup, r);
      break;
    case way::depth_first:
      run_grid_under<policies::min_pc>(
          k, l, [&](const auto& program) { return policies::min_pc(ranks, program.depths()); }, setup, r);
      break;
    case way::serial:
      run_grid_under<policies::lane_serial>(
          k, l, [&](const auto&) { return policies::lane_serial(); }, setup, r);
      break;
    case way::mimd:
      run_grid_under<policies::mimd>(
          k, l, [&](const auto&) { return policies::mimd(); }, setup, r);
      break;
    case way::apart:
      run_grid_under<policies::no_reconvergence>(
          k, l, [&](const auto&) { return policies::no_reconvergence(); }, setup, r);
      break;
    case way::compaction: {
      using policy = policies::basic_thread_block_compaction<basic_mask<16>>;
      run_grid_under<policy>(
          k, l, [&](const auto&) { return policy(ipdoms, {home_lanes{l.warp_width}}); }, setup, r);
      break;
    }
  }
  return r;
}

}  // namespace simtflow_tests

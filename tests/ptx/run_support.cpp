// SPDX-License-Identifier: BSL-1.0
#include "ptx/run_support.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/machine/warp_profiler.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace simtflow_tests {
namespace {

// Calls run.operator()<Policy>(make); make(program) is the policy.
template <class Run>
void with_policy(way w, const ptx::decoded_kernel& k, std::uint32_t warp_width, const Run& run) {
  const auto order = loop_contiguous_order(k.cfg());
  const std::vector<std::uint32_t> ranks(order.ranks().begin(), order.ranks().end());
  const auto tree = post_dominators(k.bodies());
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  switch (w) {
    case way::pdom:
      return run.template operator()<policies::ipdom_stack>([&](const auto&) { return policies::ipdom_stack(ipdoms); });
    case way::frontier:
      return run.template operator()<policies::thread_frontier>(
          [&](const auto&) { return policies::thread_frontier(ranks); });
    case way::depth_first:
      return run.template operator()<policies::min_pc>(
          [&](const auto& program) { return policies::min_pc(ranks, program.depths()); });
    case way::serial:
      return run.template operator()<policies::lane_serial>([](const auto&) { return policies::lane_serial(); });
    case way::mimd:
      return run.template operator()<policies::mimd>([](const auto&) { return policies::mimd(); });
    case way::apart:
      return run.template operator()<policies::no_reconvergence>(
          [](const auto&) { return policies::no_reconvergence(); });
    case way::compaction: {
      using policy = policies::basic_thread_block_compaction<basic_mask<16>>;
      return run.template operator()<policy>([&](const auto&) { return policy(ipdoms, {home_lanes{warp_width}}); });
    }
  }
}

// Runs the thread blocks until one does not finish, and returns the last verdict; begin(number) is called before each
// thread block. `steps` grows by the steps of all.
template <class Policy, class Observer, class Begin>
auto run_blocks(ptx::interpreter<typename Policy::mask_type>& program, Policy policy, Observer& observer,
                const limits& most, std::uint64_t& steps, const Begin& begin) {
  executor<Policy> machine(std::move(policy));
  const auto barriers = parking_policy<Policy> ? barrier_model::thread_arrival : barrier_model::whole_warp;
  const launch shape{program.num_threads(), program.warp_width(), 0, barriers};
  basic_verdict<typename Policy::mask_type> last;
  for (std::uint64_t b = 0; b < program.launch().num_blocks() && last.finished(); ++b) {
    program.select_block_number(b);
    begin(b);
    last = machine.run(program, shape, observer, most);
    steps += last.steps;
  }
  return last;
}

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
  const auto v = run_blocks(program, make(program), count, setup.limits, r.steps,
                            [&](std::uint64_t b) { first_of_block = b * l.num_threads(); });
  r.how = v.how;
  r.text = describe(v);
  r.fault = program.fault();
  r.printed.assign(program.printed().begin(), program.printed().end());
  r.out.assign(setup.out_words, 0);
  REQUIRE(memory.read(to, std::span<std::uint32_t>(r.out)));
}

}  // namespace

diagnostics diagnostics_in(std::string_view text) {
  const ptx::detail::module_text r = ptx::detail::read_module(text);
  diagnostics all = r.diagnostics;
  for (const diagnostic& d : ptx::diagnose(r.module)) all.push_back(d);
  return all;
}

ptx::module module_of(std::string_view text) {
  auto r = ptx::parse(text);
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()) << std::string(text));
  return *std::move(r);
}

ptx::decoded_kernel decoded(std::string_view text) {
  const ptx::module m = module_of(text);
  REQUIRE(!m.kernels.empty());
  auto d = ptx::decode(m, m.kernels.front());
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  return *std::move(d);
}

machine_result run_under(way w, const ptx::decoded_kernel& k, const ptx::launch_config& l, const machine_setup& setup) {
  machine_result r;
  with_policy(w, k, l.warp_width,
              [&]<class Policy>(const auto& make) { run_grid_under<Policy>(k, l, make, setup, r); });
  return r;
}

words agreed(const ptx::decoded_kernel& k, const ptx::launch_config& l, const words& in, std::size_t out_words,
             std::span<const way> ways) {
  words first;
  for (const way w : ways) {
    const machine_result r = run_under(w, k, l, {in, out_words});
    CAPTURE(name_of(w));
    CAPTURE(l.warp_width);
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    if (w == ways[0])
      first = r.out;
    else
      CHECK(r.out == first);
  }
  return first;
}

verdict run_grid(ptx::interpreter<>& program, way how, counts* seen) {
  verdict last;
  REQUIRE(how != way::compaction);
  with_policy(how, program.kernel(), program.warp_width(), [&]<class Policy>(const auto& make) {
    if constexpr (std::is_same_v<typename Policy::mask_type, lane_mask>) {
      counts own;
      std::uint64_t steps = 0;
      last = run_blocks(program, make(program), seen != nullptr ? *seen : own, {}, steps, [](std::uint64_t) {});
    }
  });
  return last;
}

bytes_result run_for_bytes(const ptx::module& m, const ptx::function& kernel, way how, std::size_t bytes,
                           std::uint32_t threads, const std::string& says) {
  const auto k = ptx::decode(m, kernel);
  REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()) << says);
  ptx::device_memory memory;
  bytes_result r;
  r.out.assign(bytes, 0);
  const std::uint64_t out = memory.allocate(bytes, "out");
  ptx::arguments arguments(*k);
  arguments.set(0, out);
  const ptx::launch_config config = block_of(threads);
  REQUIRE(ptx::check_launch(*k, config, arguments).empty());
  ptx::interpreter<> program(*k, config, memory, arguments);
  const verdict v = run_grid(program, how, &r.count);
  REQUIRE_MESSAGE(v.finished(), describe(v) << "\n" << says);
  REQUIRE(memory.read(out, std::span<unsigned char>(r.out)));
  return r;
}

profiled_run run_for_profile(const ptx::module& m, const ptx::function& kernel, std::size_t bytes,
                             std::uint32_t threads) {
  const auto k = ptx::decode(m, kernel);
  REQUIRE(k.has_value());
  ptx::device_memory memory;
  ptx::arguments arguments(*k);
  arguments.set(0, memory.allocate(bytes, "out"));
  const ptx::launch_config config = block_of(threads);
  REQUIRE(ptx::check_launch(*k, config, arguments).empty());
  ptx::interpreter<> program(*k, config, memory, arguments);
  const auto tree = post_dominators(k->bodies());
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  ptx::warp_profiler seen(*k);
  std::uint64_t steps = 0;
  const auto v = run_blocks(program, policies::ipdom_stack(ipdoms), seen, {}, steps, [](std::uint64_t) {});
  REQUIRE(v.finished());
  profiled_run out{seen.profile(), 0};
  const ptx::checked_function code = *ptx::verify(m, kernel);
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const ptx::instruction& text = kernel.instructions[i];
    const ptx::warp_visits* seen_here = out.profile.find(text.where);
    if (seen_here == nullptr) continue;
    const bool goes = ptx::opcode_head(text) == "bra" || ptx::opcode_head(text) == "ret";
    const double weight = ptx::latencies()(code.operation_of(i)), visits = seen_here->visits,
                 idle = text.guard == ptx::no_index || goes
                            ? 0
                            : visits * seen_here->likelihood(text.guard_negated).all_second();
    out.weighted += (visits - idle) * weight + idle * std::min(weight, 3.0);
  }
  return out;
}

}  // namespace simtflow_tests

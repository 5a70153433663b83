// SPDX-License-Identifier: BSL-1.0
#include "ptx/meld_support.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

namespace simtflow_tests {

ptx::module parsed_module(std::string_view text) {
  auto r = ptx::parse(text);
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()) << std::string(text));
  return *std::move(r);
}

void check_well_formed(const ptx::module& m, const ptx::function& f, const std::string& why) {
  const auto found = ptx::verify(m, f);
  const std::string printed = ptx::print(m);
  REQUIRE_MESSAGE(found.has_value(), text_of(found.diagnostics()) << printed << why);
  const auto again = ptx::parse(printed);
  REQUIRE_MESSAGE(again.has_value(), text_of(again.diagnostics()) << printed << why);
  std::string difference;
  if (!same_module(m, *again, difference)) FAIL(difference << "\n" << printed << why);
}

two_armed_run run_two_armed(const ptx::module& m, const ptx::function& f, machine how, const std::string& says) {
  const auto decoded = ptx::decode(m, f);
  REQUIRE_MESSAGE(decoded.has_value(), text_of(decoded.diagnostics()) << says);
  const ptx::decoded_kernel& kernel = *decoded;
  ptx::device_memory memory;
  two_armed_run r;
  r.out.assign(two_armed_kernel::out_bytes * two_armed_kernel::threads, 0);
  const std::uint64_t out = memory.allocate(r.out.size(), "out");
  ptx::arguments arguments(kernel);
  arguments.set(0, out);
  ptx::launch_config config;
  config.block[0] = two_armed_kernel::threads;
  REQUIRE(ptx::check_launch(kernel, config, arguments).empty());
  ptx::interpreter<> program(kernel, config, memory, arguments);
  const csr_graph cfg = kernel.cfg();
  const launch shape{.threads = two_armed_kernel::threads, .warp_width = 32};
  verdict v;
  const auto go = [&](auto policy) {
    executor<decltype(policy)> machine(std::move(policy));
    counts seen;
    v = machine.run(program, shape, seen);
    r.warp_instructions = seen.warp_instructions;
    r.divergent_branches = seen.divergent_branches;
  };
  switch (how) {
    case machine::pdom: {
      const auto tree = post_dominators(cfg);
      go(policies::ipdom_stack(tree.ipdoms()));
      break;
    }
    case machine::thread_frontier: {
      const auto order = loop_contiguous_order(cfg);
      go(policies::thread_frontier(order.ranks()));
      break;
    }
    case machine::lane_serial:
      go(policies::lane_serial());
      break;
  }
  REQUIRE_MESSAGE(v.finished(), describe(v) << "\n" << says);
  REQUIRE(memory.read(out, std::span<unsigned char>(r.out)));
  return r;
}

}  // namespace simtflow_tests

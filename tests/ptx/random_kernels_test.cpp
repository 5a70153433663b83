// SPDX-License-Identifier: BSL-1.0
//
// Random kernels (random_kernels.hpp) under several policies: every register and every word of memory of every thread
// against what the table of meanings computes.
#include "ptx/random_kernels.hpp"

#include "ptx/run_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::random_kernel;

namespace {

template <class Policy>
void check(const random_kernel& made, const ptx::decoded_kernel& kernel, Policy policy, std::uint32_t width) {
  ptx::device_memory memory;
  const std::uint64_t out =
      memory.allocate(std::uint64_t{4} * random_kernel::out_words * random_kernel::threads, "out");
  ptx::arguments arguments(kernel);
  arguments.set(0, out);
  ptx::launch_config config;
  config.block[0] = random_kernel::threads;
  config.warp_width = width;
  REQUIRE(ptx::check_launch(kernel, config, arguments).empty());
  ptx::interpreter<> program(kernel, config, memory, arguments);
  const verdict how = run(std::move(policy), program, {.threads = random_kernel::threads, .warp_width = width});
  REQUIRE_MESSAGE(how.finished(), describe(how));
  std::vector<unsigned char> bytes(std::size_t{4} * random_kernel::out_words * random_kernel::threads);
  REQUIRE(memory.read(out, std::span<unsigned char>(bytes)));
  for (std::uint32_t t = 0; t < random_kernel::threads; ++t) {
    const simtflow_tests::thread_state want = made.run(t);
    random_kernel::each_word(t, bytes, [&](char kind, std::size_t i, simtflow_tests::bits got) {
      if (simtflow_tests::same_result(kind, value_in(want, kind, i), got)) return;
      FAIL("thread " << t << ", " << kind << i << ": wanted " << value_in(want, kind, i) << ", got " << got << "\n"
                     << made.text());
    });
  }
}

void check(std::uint64_t seed, std::size_t blocks, std::size_t operations) {
  CAPTURE(seed);
  const random_kernel made(seed, blocks, operations);
  const std::string text = made.text();
  const auto parsed = ptx::parse(text);
  REQUIRE_MESSAGE(parsed.has_value(), simtflow_tests::text_of(parsed.diagnostics()) << text);
  const auto decoded = ptx::decode(*parsed, parsed->kernels.front());
  REQUIRE_MESSAGE(decoded.has_value(), simtflow_tests::text_of(decoded.diagnostics()) << text);
  const csr_graph cfg = decoded->cfg();
  const auto width = static_cast<std::uint32_t>(1 + seed * 7 % 64);
  check(made, *decoded, policies::lane_serial(), width);
  const auto tree = post_dominators(cfg);
  check(made, *decoded, policies::ipdom_stack(tree.ipdoms()), 32);
  const auto order = loop_contiguous_order(cfg);
  check(made, *decoded, policies::thread_frontier(order.ranks()), width);
}

}  // namespace

TEST_CASE("random kernels: straight code") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) check(seed, 1, 60);
}

TEST_CASE("random kernels: branches and loops") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) check(seed, 2 + seed % 12, 6);
}

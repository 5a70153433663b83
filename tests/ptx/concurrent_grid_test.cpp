// SPDX-License-Identifier: BSL-1.0
//
// Thread blocks that wait for each other, as nvcc compiles cooperative groups (modules/grid_sync.cu). Expected values
// are written out in C++.
#include "ptx/modules_on_disk.hpp"
#include "ptx/support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/concurrent_grid.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using numbers = std::vector<std::uint32_t>;

enum class way { pdom, frontier, serial, compaction };
constexpr way all_ways[] = {way::pdom, way::frontier, way::serial, way::compaction};

struct grid_run {
  outcome how = outcome::finished;
  std::uint64_t thread_block = 0, steps = 0, period = 0;
  std::string fault;
  bool spins = false;  // lanes of the thread block where it ended spin
  counts count;
};

const ptx::module& grids() {
  static const ptx::module m = module_of(file(SIMTFLOW_SOURCE_DIR "/tests/ptx/modules/grid_sync.ptx"));
  return m;
}

struct device {
  ptx::device_memory memory;
  ptx::launch_config launch;
  std::vector<std::uint64_t> values;

  device(std::uint32_t blocks, std::uint32_t threads) {
    launch.grid[0] = blocks;
    launch.block[0] = threads;
  }
  std::uint64_t buffer(const numbers& words, const char* name) {
    return memory.allocate_copy(std::span<const std::uint32_t>(words), name);
  }
  numbers words(std::uint64_t address, std::size_t n) const {
    numbers all(n);
    REQUIRE(memory.read(address, std::span<std::uint32_t>(all)));
    return all;
  }
};

// Under policies in boxes, so that one copy of the machine for each width is compiled.
template <class Mask>
grid_run run_policy(basic_any_policy<Mask> policy, const ptx::decoded_kernel& k, device& d, const ptx::arguments& args,
                    bool side_by_side, limits most) {
  grid_run g;
  const bool wide = policy.abilities().scope == policy_scope::block;
  if (wide) d.launch.group_width = static_cast<std::uint32_t>(d.launch.num_threads());
  const ptx::grid_options options{
      .barriers = policy.abilities().parks ? barrier_model::thread_arrival : barrier_model::whole_warp, .limits = most};
  ptx::basic_grid_result<Mask> r;
  if (side_by_side) r = ptx::run_concurrent_grid(policy, k, d.launch, d.memory, args, g.count, options);
  if constexpr (std::same_as<Mask, lane_mask>)
    if (!side_by_side) r = ptx::run_grid(policy, k, d.launch, d.memory, args, g.count, options);
  g.how = r.verdict.how;
  g.thread_block = r.thread_block;
  g.steps = r.verdict.steps;
  g.period = r.verdict.period;
  g.fault = r.fault.describe();
  for (const auto& s : r.verdict.standing) g.spins = g.spins || s.reason == standing_reason::spinning;
  return g;
}

grid_run run(way w, const std::string& name, device& d, const std::vector<std::uint64_t>& pointers,
             const numbers& values = {}, bool side_by_side = true, limits most = {}) {
  REQUIRE(grids().find(name) != nullptr);
  const auto k = ptx::decode(grids(), *grids().find(name));
  REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
  ptx::arguments args(*k);
  std::uint32_t next = 0;
  for (const std::uint64_t p : pointers) args.set(next++, p);
  for (const std::uint32_t v : values) args.set(next++, v);
  REQUIRE_MESSAGE(ptx::check_launch(*k, d.launch, args, 1024).empty(), text_of(ptx::check_launch(*k, d.launch, args)));
  const auto tree = post_dominators(k->bodies());
  const auto order = loop_contiguous_order(k->cfg());
  const auto boxed = [&](auto policy) {
    return run_policy(basic_any_policy<typename decltype(policy)::mask_type>(std::move(policy)), *k, d, args,
                      side_by_side, most);
  };
  switch (w) {
    case way::pdom:
      return boxed(policies::ipdom_stack(tree.ipdoms()));
    case way::frontier:
      return boxed(policies::thread_frontier(order.ranks()));
    case way::serial:
      return boxed(policies::lane_serial());
    case way::compaction:
      return boxed(policies::basic_thread_block_compaction<basic_mask<16>>(tree.ipdoms(), {home_lanes{32}}));
  }
  return {};
}

}  // namespace

TEST_CASE("concurrent grid: grid.sync() separates the steps of all thread blocks") {
  constexpr std::uint32_t n = 300, rounds = 5;
  numbers want(n);
  for (std::uint32_t i = 0; i < n; ++i) want[i] = i * i + 1;
  const numbers in = want;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    const numbers before = want;
    for (std::uint32_t i = 0; i < n; ++i) want[i] = before[i] + before[(i + 1) % n];
  }
  for (const way w : all_ways)
    for (const std::uint32_t blocks : {1U, 2U, 7U}) {
      CAPTURE(static_cast<int>(w));
      CAPTURE(blocks);
      device d(blocks, 40);
      const std::uint64_t a = d.buffer(in, "a"), b = d.buffer(numbers(n), "b");
      const grid_run r = run(w, "steps", d, {a, b}, {n, rounds});
      REQUIRE_MESSAGE(r.how == outcome::finished, to_string(r.how), r.fault);
      CHECK(d.words(a, n) == want);
      CHECK(d.memory.find("workspace of the grid") == nullptr);
      CHECK(r.count.thread_blocks == blocks);
    }
}

TEST_CASE("concurrent grid: thread blocks that come at different times wait for the last one") {
  for (const way w : all_ways) {
    CAPTURE(static_cast<int>(w));
    device d(6, 33);
    const std::uint64_t out = d.buffer(numbers(6), "out"), work = d.buffer({0}, "work");
    const grid_run r = run(w, "turns", d, {out, work});
    REQUIRE_MESSAGE(r.how == outcome::finished, to_string(r.how), r.fault);
    numbers want = {1};
    for (std::uint32_t i = 1; i < 6; ++i) want.push_back(want.back() * 3 + i);
    CHECK(d.words(out, 6) == want);
    std::uint32_t added = 0;
    for (std::uint32_t block = 0; block < 6; ++block)
      for (std::uint32_t t = 1; t < 33; t += 2) added += 6 * (block * 3 + t);
    CHECK(d.words(work, 1) == numbers{added});
  }
}

TEST_CASE("concurrent grid: thread blocks can hand on a token without a barrier, against the order of their numbers") {
  for (const way w : all_ways) {
    device d(5, 32);
    const std::uint64_t state = d.buffer({0}, "state"), out = d.buffer(numbers(5), "out");
    const grid_run r = run(w, "token", d, {state, out});
    REQUIRE_MESSAGE(r.how == outcome::finished, to_string(r.how), r.fault);
    CHECK(d.words(out, 5) == numbers{4, 3, 2, 1, 0});
  }
}

TEST_CASE("concurrent grid: a grid that waits for a thread block that does not come is a livelock") {
  for (const way w : all_ways)
    for (const std::uint32_t missing : {0U, 3U}) {
      CAPTURE(static_cast<int>(w));
      device d(4, 64);
      const std::uint64_t out = d.buffer(numbers(4), "out");
      const grid_run r = run(w, "unequal", d, {out}, {missing}, true, {.steps = 1'000'000});
      CHECK_MESSAGE(r.how == outcome::livelock, to_string(r.how), r.fault);
      CHECK(r.thread_block == (missing == 0 ? 1 : 0));
      CHECK(r.spins);
      CHECK(r.period > 0);
      numbers want(4);
      want[missing] = 1;
      CHECK(d.words(out, 4) == want);
    }
  device d(4, 64);
  const std::uint64_t out = d.buffer(numbers(4), "out");
  const grid_run r = run(way::pdom, "unequal", d, {out}, {4}, true, {.steps = 5});
  CHECK(r.how == outcome::step_limit);
}

TEST_CASE("concurrent grid: grid.sync() of a launch that is not cooperative is a trap") {
  device d(4, 64);
  const std::uint64_t out = d.buffer(numbers(4), "out");
  const grid_run r = run(way::pdom, "unequal", d, {out}, {9}, false);
  CHECK(r.how == outcome::fault);
  CHECK(r.fault.find("stops the kernel") != std::string::npos);
}

TEST_CASE("concurrent grid: thread blocks that do not wait do what they do one after the other") {
  for (const way w : {way::pdom, way::frontier, way::serial}) {
    device one(4, 96), all(4, 96);
    numbers in(500);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 7;
    const std::uint64_t a = one.buffer(in, "a"), b = one.buffer(numbers(500), "b");
    all.buffer(in, "a");
    all.buffer(numbers(500), "b");
    const grid_run x = run(w, "steps", one, {a, b}, {500, 0}, false), y = run(w, "steps", all, {a, b}, {500, 0});
    CHECK(x.how == outcome::finished);
    CHECK(y.how == outcome::finished);
    CHECK(x.steps == y.steps);
    CHECK(x.count.warp_instructions == y.count.warp_instructions);
    CHECK(x.count.thread_instructions == y.count.thread_instructions);
    CHECK(x.count.thread_blocks == y.count.thread_blocks);
    CHECK(one.words(a, 500) == all.words(a, 500));
  }
}

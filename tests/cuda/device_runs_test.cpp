// SPDX-License-Identifier: BSL-1.0
//
// Launches under every policy, on machines, judged by the oracle, transformed, interrupted, from several host threads.
#include "cuda/loaded_device.hpp"
#include "ptx/modules_on_disk.hpp"
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policy_registry.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using namespace simtflow;
using cuda::error;
using runtime_tests::loaded;

namespace {

// Reverses 4 thread blocks of 96 elements; true if the device did.
bool reverses(loaded& at) {
  std::vector<std::uint32_t> host(384), expected(384);
  for (std::uint32_t i = 0; i < 384; ++i) {
    host[i] = 5 * i;
    expected[i] = 5 * (i / 96 * 96 + 95 - i % 96);
  }
  cuda::any_address data = 0;
  std::uint32_t n = 384;
  bool good = at.gpu.allocate(1536, data) == error::success;
  good = good && at.gpu.copy(data, cuda::address_of(host.data()), 1536) == error::success;
  good = good && at.run("reversed", {{4, 1, 1}, {96, 1, 1}, 384}, {&data, &n}) == error::success;
  good = good && at.run("scale", {{3, 1, 1}, {128, 1, 1}}, {&data, &n}) == error::success;
  good = good && at.gpu.copy(cuda::address_of(host.data()), data, 1536) == error::success;
  for (std::uint32_t i = 0; i < 384; ++i) good = good && host[i] == (i % 2 == 0 ? 3 * expected[i] : expected[i] + 7);
  return at.gpu.free(data) == error::success && good;
}

}  // namespace

TEST_CASE("cuda: every policy by its name computes the same") {
  for (const policy_info& p : known_policies()) {
    const std::string name(p.name);
    CAPTURE(name);
    loaded at({.policy = name});
    CHECK(reverses(at));
    REQUIRE(at.told.rows.size() == 2);
    CHECK(at.told.rows[0].policy == name);
    CHECK(at.told.rows[0].counts.thread_instructions == 384 * 17);
  }
  loaded wide({.policy = "tbc:lanes=permuted", .threads = 2});
  CHECK(reverses(wide));
}

TEST_CASE("cuda: a registered policy runs launches as those that ship") {
  const auto make = [](const policy_inputs& in) { return policies::ipdom_stack(in.facts.ipdoms()); };
  REQUIRE(register_policy<policies::ipdom_stack>("own-stack", {}, make).empty());
  loaded own({.policy = "own-stack"}), shipped({.policy = "pdom"});
  CHECK(reverses(own));
  CHECK(reverses(shipped));
  REQUIRE(own.told.rows.size() == 2);
  CHECK(own.told.rows[0].policy == "own-stack");
  CHECK(own.told.rows[0].counts.warp_instructions == shipped.told.rows[0].counts.warp_instructions);
  CHECK(own.told.rows[1].counts.warp_instructions == shipped.told.rows[1].counts.warp_instructions);
}

TEST_CASE("cuda: thread blocks of a cooperative launch wait for each other, under every policy and on a machine") {
  const auto sums = [](loaded& at, bool cooperative) {
    const auto module = at.gpu.load(simtflow_tests::file(SIMTFLOW_SOURCE_DIR "/tests/ptx/modules/grid_sync.ptx"));
    REQUIRE(module);
    std::vector<std::uint32_t> host(100), want(100);
    for (std::uint32_t i = 0; i < 100; ++i) {
      host[i] = i * i;
      want[i] = i * i + (i + 1) % 100 * ((i + 1) % 100);
    }
    cuda::any_address a = 0, b = 0;
    REQUIRE(at.gpu.allocate(400, a) == error::success);
    REQUIRE(at.gpu.allocate(400, b) == error::success);
    REQUIRE(at.gpu.copy(a, cuda::address_of(host.data()), 400) == error::success);
    std::uint32_t n = 100, rounds = 1;
    void* arguments[] = {&a, &b, &n, &rounds};
    const error ended = at.gpu.launch(at.gpu.kernel(*module, "steps"),
                                      {.grid = {3, 1, 1}, .block = {40, 1, 1}, .cooperative = cooperative}, arguments);
    if (ended != error::success) return ended;
    REQUIRE(at.gpu.copy(cuda::address_of(host.data()), a, 400) == error::success);
    CHECK(host == want);
    return ended;
  };
  for (const policy_info& p : known_policies()) {
    const std::string name(p.name);
    CAPTURE(name);
    loaded at({.policy = name, .check = name == "tf"});
    CHECK(sums(at, true) == error::success);
    CHECK(at.told.rows.back().counts.thread_blocks == 3);
    if (name == "tf") CHECK(at.told.rows.back().check == "memory is the oracle's");
  }
  loaded timed({.policy = "volta", .machine = "gtx480"});
  CHECK(sums(timed, true) == error::success);
  CHECK(timed.told.rows.back().cycles > 0);
  loaded alone;
  CHECK(sums(alone, false) != error::success);
}

TEST_CASE("cuda: a machine gives cycles, and the clock of events is its own") {
  for (const char* policy : {"pdom", "tbc", "dwf-core"}) {
    CAPTURE(policy);
    loaded at({.policy = policy, .machine = "gtx480"});
    cuda::event_handle from{}, to{};
    CHECK(at.gpu.create_event(0, from) == error::success);
    CHECK(at.gpu.create_event(0, to) == error::success);
    CHECK(at.gpu.record(from, {}) == error::success);
    CHECK(reverses(at));
    CHECK(at.gpu.record(to, {}) == error::success);
    REQUIRE(at.told.rows.size() == 2);
    const std::uint64_t cycles = at.told.rows[0].cycles + at.told.rows[1].cycles;
    CHECK(at.told.rows[0].cycles > 100);
    CHECK(at.told.rows[0].counts.thread_instructions == 384 * 17);
    CHECK(at.told.rows[0].counts.barrier_waits == 12);
    CHECK(at.told.rows[1].counts.divergent_branches > 0);
    float milliseconds = 0;
    CHECK(at.gpu.elapsed(from, to, milliseconds) == error::success);
    CHECK(milliseconds == doctest::Approx(static_cast<double>(cycles) / 700e3));
  }
}

TEST_CASE("cuda: the oracle finds a launch that depends on the policy") {
  loaded good({.policy = "tf", .check = true});
  CHECK(reverses(good));
  for (const cuda::launch_row& row : good.told.rows) CHECK(row.check == "memory is the oracle's");
  int differ = 0;
  for (const char* policy : {"pdom:order=first", "pdom:order=last"}) {
    loaded at({.policy = policy, .check = true});
    cuda::any_address data = 0;
    CHECK(at.gpu.allocate(4, data) == error::success);
    CHECK(at.run("race", {{1, 1, 1}, {32, 1, 1}}, {&data}) == error::success);
    REQUIRE(at.told.rows.size() == 1);
    differ += at.told.rows[0].differs ? 1 : 0;
    CHECK(at.told.rows[0].differs == (at.told.rows[0].check.find("differs") != std::string::npos));
  }
  CHECK(differ == 1);
}

TEST_CASE("cuda: transforms rewrite kernels once, and results stay") {
  loaded at({.check = true,
             .transforms = {"linearize", "merge-loops", "interleave", "meld", "fuse", "tail-merge"},
             .profile = true});
  CHECK(reverses(at));
  CHECK(reverses(at));
  CHECK(at.told.remarks.size() == 12);  // of two kernels
  for (const cuda::launch_row& row : at.told.rows) CHECK(!row.differs);
  const diagnostics wrong = cuda::diagnose({.policy = "pdomm", .machine = "volt", .transforms = {"mel"}});
  REQUIRE(wrong.size() == 3);
  CHECK(wrong[2].message.find("'mel'") != std::string::npos);
}

TEST_CASE("cuda: a kernel that hangs ends when another thread says so") {
  for (const char* machine : {"", "ideal"}) {
    loaded at({.machine = machine});
    std::atomic<bool> runs{false};
    std::thread other([&] {
      while (!runs.load()) std::this_thread::yield();
      at.gpu.stop();
    });
    std::uint64_t p = 0;
    runs = true;
    CHECK(at.run("hangs", {}, {&p}) == error::launch_timeout);
    other.join();
    CHECK(at.gpu.status() == error::launch_timeout);
    CHECK(at.told.rows.back().fault.ends_with("; it was stopped"));
    CHECK(at.told.rows.back().fault.find("limit") == std::string::npos);
  }
}

TEST_CASE("cuda: host threads share a device") {
  loaded at;
  cuda::any_address sum = 0;
  CHECK(at.gpu.allocate(4, sum) == error::success);
  std::atomic<int> good{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t)
    team.emplace_back([&] {
      cuda::stream_handle stream{};
      cuda::event_handle event{};
      std::vector<std::uint32_t> host(256, 1);
      cuda::any_address data = 0;
      bool all = at.gpu.create_stream(cuda::stream_non_blocking, -1, stream) == error::success;
      all = all && at.gpu.create_event(0, event) == error::success;
      for (int i = 0; i < 8 && all; ++i) {
        all = at.gpu.allocate(1024, data) == error::success;
        const cuda::any_address from = cuda::address_of(host.data());
        all = all && at.gpu.copy(data, from, 1024, cuda::copy_kind::host_to_device, stream) == error::success;
        std::uint32_t n = 256;
        void* arguments[] = {&data, &n};
        const cuda::kernel_handle scale = at.gpu.kernel(at.module, "scale");
        all = all && at.gpu.launch(scale, {{2, 1, 1}, {128, 1, 1}}, arguments, stream) == error::success;
        void* where[] = {&sum};
        const cuda::kernel_handle count = at.gpu.kernel(at.module, "count_up");
        all = all && at.gpu.launch(count, {{1, 1, 1}, {32, 1, 1}}, where, stream) == error::success;
        all = all && at.gpu.record(event, stream) == error::success;
        all = all && at.gpu.synchronize(stream) == error::success;
        all = all && at.gpu.free(data) == error::success;
      }
      all = all && at.gpu.destroy_stream(stream) == error::success;
      good += all ? 1 : 0;
    });
  for (std::thread& t : team) t.join();
  CHECK(good == 4);
  std::uint32_t counted = 0;
  CHECK(at.gpu.copy(cuda::address_of(&counted), sum, 4) == error::success);
  CHECK(counted == 4 * 8 * 32);
  CHECK(at.told.rows.size() == 64);
}

TEST_CASE("cuda: the branch profile and the paths of threads of each launch") {
  loaded at({.threads = 2, .profile = true, .paths = true});
  struct profiled final : runtime_tests::heard {
    void finished(const cuda::launch_row& row) override {
      double diverged = 0;
      for (const position& where : row.decoded->positions)
        if (const ptx::warp_visits* v = row.profile->find(where)) diverged += v->parted;
      CHECK(diverged == doctest::Approx(static_cast<double>(row.counts.divergent_branches)));
      REQUIRE(row.branches != nullptr);
      std::uint64_t parted = 0;
      for (const branch_figures& f : row.branches->branches()) parted += f.divergences;
      CHECK(parted == row.counts.divergent_branches);
      CHECK(row.branches->idle() == row.counts.lane_slots - row.counts.thread_instructions);
      CHECK(row.branches->idle() > 0);
    }
  } told;
  cuda::device gpu(at.gpu.how(), &told);
  const auto module = gpu.load(test_kernels);
  REQUIRE(module);
  cuda::any_address data = 0;
  std::uint32_t n = 100;
  CHECK(gpu.allocate(512, data) == error::success);
  void* arguments[] = {&data, &n};
  CHECK(gpu.launch(gpu.kernel(*module, "scale"), {{2, 1, 1}, {64, 1, 1}}, arguments) == error::success);
  CHECK(told.threads == 128);
}

TEST_CASE("cuda: kernels print") {
  loaded at;
  std::uint64_t p = 0;
  CHECK(at.run("speak", {{2, 1, 1}, {1, 1, 1}}, {&p}) == error::success);
  CHECK(at.told.output == "hello\nhello\n");
}

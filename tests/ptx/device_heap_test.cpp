// SPDX-License-Identifier: BSL-1.0
//
// Kernels that call malloc() and free(), as nvcc compiles C++ (modules/device_heap.cu). Expected values are written
// out.
#include "ptx/modules_on_disk.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/decode/decode.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr std::uint32_t threads = 80;

const ptx::module& kernels() {
  static const ptx::module m = module_of(file(SIMTFLOW_SOURCE_DIR "/tests/ptx/modules/device_heap.ptx"));
  return m;
}

/// Runs a kernel for 80 threads; the fault in words, or nothing.
std::string run(const std::string& name, ptx::device_memory& memory, const std::vector<std::uint64_t>& values,
                way how = way::frontier) {
  REQUIRE(kernels().find(name) != nullptr);
  const auto k = ptx::decode(kernels(), *kernels().find(name));
  REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
  ptx::arguments args(*k);
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (k->parameters[i].size == 8)
      args.set(i, values[i]);
    else
      args.set(i, static_cast<std::uint32_t>(values[i]));
  REQUIRE_MESSAGE(args.ok(), text_of(args.diagnostics()));
  ptx::launch_config l;
  l.block[0] = threads;
  ptx::interpreter<> program(*k, l, memory, args);
  const verdict v = run_grid(program, how);
  if (v.how == outcome::fault) return program.fault().describe();
  REQUIRE(v.finished());
  return {};
}

std::vector<std::uint32_t> words_at(const ptx::device_memory& memory, std::uint64_t address) {
  std::vector<std::uint32_t> all(threads);
  REQUIRE(memory.read(address, std::span<std::uint32_t>(all)));
  return all;
}

}  // namespace

TEST_CASE("device heap: lists that threads make are the same under every policy, and are gone when they are freed") {
  constexpr std::uint32_t n = 7;
  const ptx::device_memory* first = nullptr;
  ptx::device_memory kept;
  for (const way how : {way::frontier, way::pdom, way::serial, way::mimd}) {
    CAPTURE(name_of(how));
    ptx::device_memory memory;
    const std::uint64_t heads = memory.allocate(8 * threads, "heads"), sums = memory.allocate(4 * threads, "sums");
    REQUIRE(run("build", memory, {heads, n}, how) == "");
    std::uint64_t nodes = 0;
    for (std::uint32_t t = 0; t < threads; ++t) nodes += t % n + 1;
    CHECK(memory.allocations().size() == nodes + 2);
    CHECK(memory.heap().in_use() == 16 * nodes);
    if (first == nullptr) {
      kept = memory;
      first = &kept;
    }
    CHECK(memory == *first);  // addresses do not depend on the order of the threads
    const diagnostics leaks = memory.heap().leaks();
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].message.starts_with(std::to_string(nodes) + " blocks of " + std::to_string(16 * nodes) +
                                       " bytes in all not freed; the first is of thread (0, 0, 0) of thread block"));
    CHECK(leaks[0].where.line > 0);
    REQUIRE(run("sum_and_free", memory, {heads, sums}, how) == "");
    const std::vector<std::uint32_t> got = words_at(memory, sums);
    for (std::uint32_t t = 0; t < threads; ++t) {
      std::uint32_t want = 0;
      for (std::uint32_t i = 0; i <= t % n; ++i) want += t + i;
      CHECK(got[t] == want);
    }
    CHECK(memory.heap().in_use() == 0);
    CHECK(memory.heap().leaks().empty());
    CHECK(memory.allocations().size() == 2);
    CHECK(memory.allocate(1, "next") == kept.allocations()[1].address + 4608);  // the host's addresses are its own
  }
}

TEST_CASE("device heap: objects with virtual functions outlive the kernel that makes them") {
  ptx::device_memory memory;
  const std::uint64_t shapes = memory.allocate(8 * threads, "shapes"), out = memory.allocate(4 * threads, "out");
  REQUIRE(run("make_shapes", memory, {shapes}) == "");
  REQUIRE(run("areas", memory, {shapes, out}) == "");
  const std::vector<std::uint32_t> got = words_at(memory, out);
  for (std::uint32_t t = 0; t < threads; ++t) CHECK(got[t] == (t % 3 == 0 ? t * t : t + 2));
  CHECK(memory.heap().in_use() == 16 * threads);
  REQUIRE(run("delete_shapes", memory, {shapes}) == "");
  CHECK(memory.heap().in_use() == 0);
  const std::string fault = run("areas", memory, {shapes, out});
  CHECK(fault.find("which was freed by thread (0, 0, 0) of thread block (0, 0, 0) of kernel 'delete_shapes'") !=
        std::string::npos);
  CHECK(fault.find("'malloc() of thread (0, 0, 0) of thread block (0, 0, 0) of kernel 'make_shapes'") !=
        std::string::npos);
}

TEST_CASE("device heap: what is freed wrongly is a fault of the thread that does it") {
  const auto said = [](std::uint32_t how) {
    ptx::device_memory memory;
    const std::uint64_t out = memory.allocate(4, "out");
    const std::string fault = run("wrong", memory, {out, how});
    CHECK(fault.find("kernel 'wrong'") == 0);
    CHECK(fault.find("thread (1, 0, 0) of thread block (0, 0, 0)") != std::string::npos);
    return fault;
  };
  CHECK(said(0).find("frees what is not there: address 0x") != std::string::npos);
  CHECK(said(0).find("which was freed by thread (1, 0, 0)") != std::string::npos);
  CHECK(said(1).find("is out of bounds: 4 bytes at") != std::string::npos);
  CHECK(said(1).find("(byte 4 of 'malloc() of thread (1, 0, 0)") != std::string::npos);
  CHECK(said(2).find("is byte 4 of 'malloc() of thread (1, 0, 0)") != std::string::npos);
  CHECK(said(3).find("'out' is not of the heap") != std::string::npos);
}

TEST_CASE("device heap: a full heap gives null, and what was freed can be taken again") {
  ptx::device_memory memory;
  const std::uint64_t heads = memory.allocate(8 * threads, "heads"), sums = memory.allocate(4 * threads, "sums");
  memory.heap().set_limit(100 * 16);
  REQUIRE(run("build", memory, {heads, 5}) == "");
  CHECK(memory.heap().in_use() == 100 * 16);
  REQUIRE(run("sum_and_free", memory, {heads, sums}) == "");
  CHECK(memory.heap().in_use() == 0);
  REQUIRE(run("build", memory, {heads, 1}) == "");
  CHECK(memory.heap().in_use() == threads * 16);
  // The host neither frees blocks of the heap nor loses its own addresses to them.
  std::vector<std::uint64_t> head(1);
  REQUIRE(memory.read(heads, std::span<std::uint64_t>(head)));
  CHECK(memory.free(head[0]).find("is 'malloc() of thread (0, 0, 0)") != std::string::npos);
  CHECK(memory.heap_free(heads, "nobody") == "'heads' is not of the heap");
  // The host is not asked for more than the heap may hold: a sanitizer would end the program.
  ptx::heap_block all;
  all.bytes = ~std::uint64_t{0};
  CHECK(memory.heap_allocate(0, all) == 0);
}

// SPDX-License-Identifier: BSL-1.0
#include "cuda/loaded_device.hpp"
#include <simtflow/cuda/device.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using cuda::error;
using runtime_tests::loaded;

TEST_CASE("cuda: a program allocates, copies, launches and reads back") {
  //! [load]
  cuda::device gpu({.policy = "tf"});
  const result<cuda::module_handle> module = gpu.load(test_kernels);
  REQUIRE(module);
  CHECK(!gpu.load("no PTX"));
  //! [load]
  //! [launch]
  const cuda::kernel_handle scale = gpu.kernel(*module, "scale");
  std::vector<std::uint32_t> host(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) host[i] = i;
  cuda::any_address data = 0;
  CHECK(gpu.allocate(4000, data) == error::success);
  CHECK(gpu.copy(data, cuda::address_of(host.data()), 4000) == error::success);
  std::uint32_t n = 1000;
  void* arguments[] = {&data, &n};
  CHECK(gpu.launch(scale, {.grid = {8, 1, 1}, .block = {128, 1, 1}}, arguments) == error::success);
  CHECK(gpu.copy(cuda::address_of(host.data()), data, 4000, cuda::copy_kind::device_to_host) == error::success);
  //! [launch]
  for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(host[i] == (i % 2 == 0 ? 3 * i : i + 7));
  CHECK(gpu.free(data) == error::success);
  CHECK(gpu.status() == error::success);
}

TEST_CASE("cuda: a row for each launch, with counts") {
  loaded at;
  cuda::any_address data = 0;
  CHECK(at.gpu.allocate(4096, data) == error::success);
  std::uint32_t n = 1024;
  CHECK(at.run("scale", {.grid = {4, 1, 1}, .block = {256, 1, 1}}, {&data, &n}) == error::success);
  REQUIRE(at.told.rows.size() == 1);
  const cuda::launch_row& row = at.told.rows[0];
  CHECK(row.number == 1);
  CHECK(row.kernel == "scale");
  CHECK(row.policy == "pdom");
  CHECK(row.counts.thread_blocks == 4);
  CHECK(row.counts.divergent_branches == 32);
  CHECK(row.cycles == 0);
}

TEST_CASE("cuda: faults become CUDA's errors and stick until a reset") {
  struct one {
    const char* kernel;
    std::uint64_t address;
    error expected;
  };
  const one all[] = {{"store_at", 0, error::illegal_address},
                     {"store_at", 2, error::misaligned_address},
                     {"stops", 0, error::launch_failure},
                     {"hangs", 0, error::launch_timeout}};
  for (const one& o : all) {
    CAPTURE(o.kernel);
    loaded at({.steps = 10'000});
    cuda::any_address unused = 0;
    CHECK(at.gpu.allocate(256, unused) == error::success);
    std::uint64_t address = o.address == 0 ? 0 : unused + o.address;
    CHECK(at.run(o.kernel, {}, {&address}) == o.expected);
    CHECK(at.gpu.status() == o.expected);
    CHECK(at.gpu.allocate(256, unused) == o.expected);
    REQUIRE(at.told.rows.size() == 1);
    CHECK(at.told.rows[0].code == o.expected);
    CHECK(at.told.rows[0].fault.find(o.kernel) != std::string::npos);
    CHECK(at.told.rows[0].where.line != 0);
    CHECK(at.gpu.reset() == error::success);
    CHECK(at.gpu.allocate(256, unused) == error::success);

    loaded later({.steps = 10'000, .blocking = false});
    CHECK(later.gpu.allocate(256, unused) == error::success);
    address = o.address == 0 ? 0 : unused + o.address;
    CHECK(later.run(o.kernel, {}, {&address}) == error::success);
    CHECK(later.told.rows[0].code == o.expected);
    CHECK(later.run(o.kernel, {}, {&address}) == o.expected);
    CHECK(later.told.rows.size() == 1);
  }
}

TEST_CASE("cuda: launches that are refused leave the device as it was") {
  loaded at;
  cuda::any_address data = 0;
  std::uint32_t n = 0;
  CHECK(at.run("scale", {.grid = {0, 1, 1}}, {&data, &n}) == error::invalid_configuration);
  CHECK(at.run("scale", {.block = {1025, 1, 1}}, {&data, &n}) == error::invalid_configuration);
  CHECK(at.run("scale", {.block = {1, 1, 65}}, {&data, &n}) == error::invalid_configuration);
  CHECK(at.run("scale", {.dynamic_shared_bytes = 49'153}, {&data, &n}) == error::invalid_value);
  CHECK(at.run("few_threads", {.block = {65, 1, 1}}, {&data}) == error::launch_out_of_resources);
  CHECK(at.gpu.launch(cuda::kernel_handle{12345}, {}, nullptr) == error::invalid_device_function);
  CHECK(at.run("scale", {}, {&data, nullptr}) == error::invalid_value);
  CHECK(at.gpu.kernel(at.module, "none") == cuda::kernel_handle{});
  CHECK(at.told.rows.empty());
  CHECK(at.gpu.status() == error::success);
  CHECK(at.run("scale", {}, {&data, &n}) == error::success);
}

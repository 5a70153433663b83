// SPDX-License-Identifier: BSL-1.0
//
// Memory of a device by CUDA's calls, streams and events, occupancy, error codes.
#include "cuda/loaded_device.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using cuda::copy_kind;
using cuda::error;
using runtime_tests::loaded;

TEST_CASE("cuda: copies check their direction and their range") {
  loaded at;
  cuda::any_address a = 0, b = 0;
  CHECK(at.gpu.allocate(64, a) == error::success);
  CHECK(at.gpu.allocate(64, b) == error::success);
  std::vector<unsigned char> host(64, 9), back(64, 0);
  const cuda::any_address from = cuda::address_of(host.data()), to = cuda::address_of(back.data());
  CHECK(at.gpu.copy(a, from, 64, copy_kind::host_to_device) == error::success);
  CHECK(at.gpu.copy(b, a, 64, copy_kind::device_to_device) == error::success);
  CHECK(at.gpu.copy(to, b, 64, copy_kind::device_to_host) == error::success);
  CHECK(back == host);
  CHECK(at.gpu.copy(a, from, 65, copy_kind::host_to_device) == error::invalid_value);
  CHECK(at.gpu.copy(a + 60, from, 8, copy_kind::inferred) == error::invalid_value);
  CHECK(at.gpu.copy(from, a, 64, copy_kind::host_to_device) == error::invalid_value);
  CHECK(at.gpu.copy(a, b, 64, copy_kind::host_to_device) == error::invalid_value);
  CHECK(at.gpu.copy(a, b, 64, static_cast<copy_kind>(7)) == error::invalid_memcpy_direction);
  CHECK(at.gpu.copy(0, b, 64) == error::invalid_value);
  CHECK(at.gpu.copy(0, 0, 0) == error::success);
  CHECK(at.gpu.copy(a, from, 8, copy_kind::inferred, cuda::stream_handle{99}) == error::invalid_resource_handle);
}

TEST_CASE("cuda: boxes of bytes are copied and filled row by row") {
  loaded at;
  cuda::any_address box = 0;
  std::uint64_t pitch = 0;
  CHECK(at.gpu.allocate_pitched({12, 3, 2}, pitch, box) == error::success);
  CHECK(pitch == 512);
  std::vector<unsigned char> host(12 * 3 * 2), back(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
  const cuda::byte_box on_host{cuda::address_of(host.data()), 12, 36}, on_device{box, pitch, 3 * pitch};
  CHECK(at.gpu.copy(on_device, on_host, {12, 3, 2}) == error::success);
  CHECK(at.gpu.fill({box + pitch, pitch, 3 * pitch}, 0x01020304, 4, {8, 1, 2}) == error::success);
  CHECK(at.gpu.copy({cuda::address_of(back.data()), 12, 36}, on_device, {12, 3, 2}) == error::success);
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::size_t x = i % 12, y = i / 12 % 3;
    const auto expected = static_cast<unsigned char>(y == 1 && x < 8 ? 4 - x % 4 : i);
    REQUIRE(back[i] == expected);
  }
  CHECK(at.gpu.copy({box, 8, 24}, on_host, {12, 3, 1}) == error::invalid_pitch_value);
  CHECK(at.gpu.copy(on_device, on_host, {12, 3, 3}) == error::invalid_value);
  CHECK(at.gpu.fill(box + 1, 0, 4, 1) == error::invalid_value);
  CHECK(at.gpu.fill(cuda::address_of(host.data()), 0, 1, 1) == error::invalid_value);
  CHECK(at.gpu.fill(box, 0, 1, ~std::uint64_t{0}) == error::invalid_value);
  CHECK(at.gpu.fill({box, std::uint64_t{1} << 63, 0}, 0, 1, {8, 3, 1}) == error::invalid_value);
  CHECK(at.gpu.copy({box, std::uint64_t{1} << 63, 0}, on_host, {12, 3, 1}) == error::invalid_value);
}

TEST_CASE("cuda: pinned and managed memory has one address on both sides") {
  loaded at;
  void* managed = nullptr;
  CHECK(at.gpu.allocate_host(1024, cuda::memory_kind::managed, 1, managed) == error::success);
  auto* values = static_cast<std::uint32_t*>(managed);
  for (std::uint32_t i = 0; i < 256; ++i) values[i] = i;
  std::uint64_t data = cuda::address_of(managed);
  std::uint32_t n = 256;
  CHECK(at.run("scale", {{1, 1, 1}, {256, 1, 1}}, {&data, &n}) == error::success);
  CHECK(values[10] == 30);
  CHECK(values[11] == 18);
  CHECK(at.gpu.pointer(data + 1023).kind == cuda::memory_kind::managed);
  CHECK(at.gpu.pointer(data + 1024).address == 0);
  CHECK(at.gpu.free(data) == error::success);
  CHECK(at.gpu.free(data) == error::invalid_value);
  void* pinned = nullptr;
  CHECK(at.gpu.allocate_host(10, cuda::memory_kind::host, 0, pinned) == error::success);
  CHECK(at.gpu.free(cuda::address_of(pinned)) == error::invalid_value);
  CHECK(at.gpu.free_host(pinned) == error::success);
  std::vector<unsigned char> mine(100, 1);
  CHECK(at.gpu.register_host(mine.data(), 100, 0) == error::success);
  CHECK(at.gpu.register_host(mine.data() + 50, 100, 0) == error::host_memory_already_registered);
  CHECK(at.gpu.fill(cuda::address_of(mine.data()), 7, 1, 100) == error::success);
  CHECK(mine[99] == 7);
  CHECK(at.gpu.unregister_host(mine.data()) == error::success);
  CHECK(at.gpu.unregister_host(mine.data()) == error::host_memory_not_registered);
}

TEST_CASE("cuda: memory is finite, and mistakes of free are said") {
  loaded at({.memory_bytes = 1 << 20});
  cuda::any_address a = 0, b = 0;
  CHECK(at.gpu.allocate(1 << 19, a) == error::success);
  CHECK(at.gpu.allocate((1 << 19) + 1, b) == error::memory_allocation);
  std::uint64_t all = 0;
  CHECK(at.gpu.available_memory(all) == 1 << 19);
  CHECK(all == 1 << 20);
  CHECK(at.gpu.free(a + 4) == error::invalid_value);
  CHECK(at.gpu.free(a) == error::success);
  CHECK(at.gpu.copy(cuda::address_of(&b), a, 4) == error::invalid_value);
  CHECK(at.gpu.free(a) == error::invalid_value);
  CHECK(at.gpu.free(0) == error::success);
  REQUIRE(at.told.remarks.size() == 2);
  CHECK(at.told.remarks[1].find("freed") != std::string::npos);
  CHECK(at.gpu.available_memory(all) == 1 << 20);
}

TEST_CASE("cuda: variables of modules, and modules linked to one") {
  loaded at;
  cuda::symbol_place counter, table;
  CHECK(at.gpu.symbol(at.module, "counter", counter) == error::success);
  CHECK(at.gpu.symbol(at.module, "table", table) == error::success);
  CHECK(at.gpu.symbol(at.module, "none", table) == error::invalid_symbol);
  CHECK(counter.bytes == 4);
  CHECK(at.gpu.pointer(counter.address + 3).kind == cuda::memory_kind::device);
  cuda::any_address data = 0;
  CHECK(at.gpu.allocate(4, data) == error::success);
  CHECK(at.run("count_up", {{1, 1, 1}, {7, 1, 1}}, {&data}) == error::success);
  std::uint32_t value = 0;
  CHECK(at.gpu.copy(cuda::address_of(&value), counter.address, 4) == error::success);
  CHECK(value == 12);

  constexpr const char* head = ".version 7.0\n.target sm_75\n.address_size 64\n";
  const std::string first = std::string(head) +
                            ".extern .global .align 4 .u32 shared_one;\n"
                            ".visible .entry k()\n{\n  st.global.u32 [shared_one], 3;\n  ret;\n}\n";
  const std::string second = std::string(head) + ".visible .global .align 4 .u32 shared_one = 1;\n";
  const std::string_view texts[] = {first, second};
  const auto linked = at.gpu.load(texts);
  REQUIRE(linked);
  CHECK(at.gpu.launch(at.gpu.kernel(*linked, "k"), {}, nullptr) == error::success);
  cuda::symbol_place place;
  CHECK(at.gpu.symbol(*linked, "shared_one", place) == error::success);
  CHECK(at.gpu.copy(cuda::address_of(&value), place.address, 4) == error::success);
  CHECK(value == 3);
  CHECK(at.gpu.unload(*linked) == error::success);
  CHECK(at.gpu.unload(*linked) == error::invalid_resource_handle);
  // The same as text, which is loaded later.
  const auto text = cuda::link_texts(texts);
  REQUIRE(text);
  const auto later = at.gpu.load(*text);
  REQUIRE(later);
  CHECK(at.gpu.launch(at.gpu.kernel(*later, "k"), {}, nullptr) == error::success);
  CHECK(*cuda::link_texts(std::span(texts).first(1)) == texts[0]);
  const std::string_view broken[] = {texts[0], ".version"};
  CHECK(!cuda::link_texts(broken));
}

TEST_CASE("cuda: streams and events are checked handles in the order of calls") {
  loaded at;
  cuda::stream_handle s{};
  cuda::stream_facts facts;
  CHECK(at.gpu.create_stream(2, 0, s) == error::invalid_value);
  CHECK(at.gpu.create_stream(0, -100, s) == error::success);
  CHECK(at.gpu.stream(s, facts) == error::success);
  CHECK(facts.priority == cuda::greatest_stream_priority);
  cuda::event_handle e{}, other{}, untimed{};
  float ms = 0;
  CHECK(at.gpu.create_event(0, e) == error::success);
  CHECK(at.gpu.create_event(0, other) == error::success);
  CHECK(at.gpu.create_event(cuda::event_disable_timing, untimed) == error::success);
  CHECK(at.gpu.elapsed(e, other, ms) == error::invalid_resource_handle);
  CHECK(at.gpu.record(e, s) == error::success);
  int called = 0;
  CHECK(at.gpu.call_host(
            s, [](void* p) { ++*static_cast<int*>(p); }, &called) == error::success);
  CHECK(called == 1);
  CHECK(at.gpu.record(other, cuda::per_thread_stream) == error::success);
  CHECK(at.gpu.elapsed(e, other, ms) == error::success);
  CHECK(ms >= 0);
  CHECK(at.gpu.record(untimed, s) == error::success);
  CHECK(at.gpu.elapsed(e, untimed, ms) == error::invalid_resource_handle);
  CHECK(at.gpu.wait(s, other) == error::success);
  CHECK(at.gpu.stream(s, facts) == error::success);
  CHECK(facts.operations == 4);
  CHECK(at.gpu.destroy_stream(s) == error::success);
  CHECK(at.gpu.synchronize(s) == error::invalid_resource_handle);
  CHECK(at.gpu.synchronize(e) == error::success);
  CHECK(at.gpu.destroy_event(e) == error::success);
  CHECK(at.gpu.synchronize(e) == error::invalid_resource_handle);
}

TEST_CASE("cuda: occupancy by threads, registers and shared memory") {
  loaded at({.capability = 75});
  const cuda::kernel_handle k = at.gpu.kernel(at.module, "reversed");
  std::uint32_t blocks = 0;
  CHECK(at.gpu.occupancy(k, 1024, 0, blocks) == error::success);
  CHECK(blocks == 1);  // 32 warps in a core
  CHECK(at.gpu.occupancy(k, 32, 0, blocks) == error::success);
  CHECK(blocks == 16);  // thread blocks in a core
  CHECK(at.gpu.occupancy(k, 64, 20'000, blocks) == error::success);
  CHECK(blocks == 3);  // 64 KiB of shared memory
  CHECK(at.gpu.set_max_dynamic_shared(k, 64 << 10) == error::success);
  CHECK(at.gpu.set_max_dynamic_shared(k, (64 << 10) + 1) == error::invalid_value);
  cuda::kernel_attributes facts;
  CHECK(at.gpu.attributes(k, facts) == error::success);
  CHECK(facts.parameter_sizes == std::vector<std::uint64_t>{8, 4});
  CHECK(facts.capability == 75);
  CHECK(facts.ptx_version == 70);
  CHECK(facts.registers > 4);
}

TEST_CASE("cuda: names and words of errors") {
  CHECK(std::string(cuda::error_name(error::illegal_address)) == "cudaErrorIllegalAddress");
  CHECK(std::string(cuda::error_text(error::illegal_address)) == "an illegal memory access was encountered");
  CHECK(std::string(cuda::error_name(static_cast<error>(5555))) == "unrecognized error code");
  CHECK(std::string(cuda::driver_error_name(error::launch_failure)) == "CUDA_ERROR_LAUNCH_FAILED");
  CHECK(cuda::driver_error_name(error::invalid_configuration) == nullptr);
  CHECK(cuda::driver_code(error::invalid_configuration) == error::invalid_value);
  int last = -1;
  for (const cuda::detail::error_row& row : cuda::detail::error_rows) {
    CHECK(row.code > last);
    last = row.code;
  }
}

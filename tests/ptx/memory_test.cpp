// SPDX-License-Identifier: BSL-1.0
#include <simtflow/ptx/machine/memory.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;

TEST_CASE("memory: allocations are apart, aligned and zero") {
  ptx::device_memory m;
  const std::uint64_t a = m.allocate(100, "a");
  const std::uint64_t empty = m.allocate(0, "empty");
  const std::uint64_t b = m.allocate(8, "b");
  CHECK(a % 256 == 0);
  CHECK(empty >= a + 100 + 4096);
  CHECK(b >= empty + 4096);
  std::array<unsigned char, 100> bytes{};
  bytes.fill(1);
  REQUIRE(m.read(a, std::span<unsigned char>(bytes)));
  for (const unsigned char x : bytes) CHECK(x == 0);
  CHECK(m.find("b")->address == b);
  CHECK(m.find("c") == nullptr);
}

TEST_CASE("memory: access stays inside one allocation") {
  ptx::device_memory m;
  const std::vector<std::uint32_t> values = {1, 2, 3};
  const std::uint64_t a = m.allocate_copy(std::span<const std::uint32_t>(values), "a");
  std::array<std::uint32_t, 2> two{};
  CHECK(m.read(a + 4, std::span<std::uint32_t>(two)));
  CHECK(two == std::array<std::uint32_t, 2>{2, 3});
  CHECK(!m.read(a + 8, std::span<std::uint32_t>(two)));
  CHECK(!m.read(a - 4, std::span<std::uint32_t>(two)));
  CHECK(!m.write(0, std::span<const std::uint32_t>(two)));
  CHECK(!m.write(~std::uint64_t{0}, std::span<const std::uint32_t>(two)));
  CHECK(m.write(a, std::span<const std::uint32_t>(two)));
  CHECK(m.allocations()[0].bytes[0] == 2);
}

TEST_CASE("memory: equal sequences of allocations give equal memories; copies are independent") {
  ptx::device_memory m;
  m.allocate(10, "a");
  ptx::device_memory copy = m;
  CHECK(copy == m);
  const std::array<unsigned char, 1> one = {1};
  REQUIRE(copy.write(copy.find("a")->address, std::span<const unsigned char>(one)));
  CHECK(!(copy == m));
  CHECK(copy.allocate(4, "b") == m.allocate(4, "b"));
}

TEST_CASE("memory: what is freed is gone, its address is given to nobody, and freeing it again says so") {
  ptx::device_memory m;
  const std::uint64_t a = m.allocate(100, "a");
  const std::uint64_t b = m.allocate(8, "b");
  const std::uint64_t second = m.allocate(8, "a");
  std::array<unsigned char, 4> four{};
  CHECK(m.free(a + 4) == "address 0x10000004 is byte 4 of 'a', not its beginning");
  CHECK(m.read(a, std::span<unsigned char>(four)));
  CHECK(m.free(a) == "");
  CHECK(!m.read(a, std::span<unsigned char>(four)));
  CHECK(!m.write(a + 4, std::span<const unsigned char>(four)));
  CHECK(m.index_of(a, 1) == ptx::device_memory::none);
  CHECK(m.free(a) == "address 0x10000000 is byte 0 of 'a', which was freed");
  CHECK(m.free(a + 99) == "address 0x10000063 is byte 99 of 'a', which was freed");
  CHECK(m.free(a + 100) == "address 0x10000064 is not the beginning of an allocation");
  CHECK(m.free(b + 8) == "address 0x10001108 is not the beginning of an allocation");
  CHECK(m.free(1) == "address 0x1 is not the beginning of an allocation");
  CHECK(m.free(0) == "");
  REQUIRE(m.find("a") != nullptr);  // the other one of that name
  CHECK(m.find("a")->address == second);
  CHECK(m.free(second) == "");
  CHECK(m.find("a") == nullptr);
  CHECK(m.allocate(100, "a") > second);
  CHECK(m.find("b")->address == b);
  CHECK(m.allocations().size() == 2);
}

TEST_CASE("memory: allocations that come and go keep their contents; messages remember the last ones") {
  ptx::device_memory m;
  std::vector<std::uint64_t> live;
  std::uint64_t first = 0;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    const std::array<std::uint32_t, 1> value = {i};
    live.push_back(m.allocate_copy(std::span<const std::uint32_t>(value), "x" + std::to_string(i % 7)));
    if (i == 0) first = live[0];
    if (i % 3 == 2) {
      const std::size_t gone = (i * 7919U) % live.size();
      CHECK(m.free(live[gone]) == "");
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    if (live.size() > 40) {
      CHECK(m.free(live[0]) == "");
      live.erase(live.begin());
    }
  }
  CHECK(m.allocations().size() == live.size());
  std::uint32_t before = 0;
  for (const std::uint64_t address : live) {
    std::array<std::uint32_t, 1> value{};
    REQUIRE(m.read(address, std::span<std::uint32_t>(value)));
    CHECK(value[0] > before);
    before = value[0];
    CHECK(m.find("x" + std::to_string(value[0] % 7)) != nullptr);
  }
  CHECK(m.free(first) == "address 0x10000000 is not the beginning of an allocation");  // long ago
}

// SPDX-License-Identifier: BSL-1.0
#include <simtflow/ptx/memory.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

using namespace simtflow;

TEST_CASE("ptx memory: allocations are apart, aligned and zero") {
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

TEST_CASE("ptx memory: access stays inside one allocation") {
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

TEST_CASE("ptx memory: equal sequences of allocations give equal memories; copies are independent") {
  ptx::device_memory m;
  m.allocate(10, "a");
  ptx::device_memory copy = m;
  CHECK(copy == m);
  const std::array<unsigned char, 1> one = {1};
  REQUIRE(copy.write(copy.find("a")->address, std::span<const unsigned char>(one)));
  CHECK(!(copy == m));
  CHECK(copy.allocate(4, "b") == m.allocate(4, "b"));
}

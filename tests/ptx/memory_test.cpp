// SPDX-License-Identifier: BSL-1.0
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/restore.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
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
  CHECK(m.holding(a, 1) == nullptr);
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

TEST_CASE("memory: an allocation can have a chosen address, and others lie beside it") {
  ptx::device_memory m;
  CHECK(m.allocate_at(ptx::first_global_address, 300, "placed") == "");
  CHECK(m.allocate_at(0x7F00'0000'0010, 16, "far") == "");
  CHECK(m.allocate(8, "plain") > ptx::first_global_address + 300);
  CHECK(m.find("placed")->address == ptx::first_global_address);
  CHECK(m.find("placed")->bytes.size() == 300);
  CHECK(m.holding(0x7F00'0000'001F, 1) == m.find("far"));
  CHECK(m.allocate_at(ptx::first_global_address + 299, 8, "onto") == "the memory at 0x1000012b overlaps 'placed'");
  CHECK(m.allocate_at(4096, 8, "low") == "the memory at 0x1000 has an address that is none of global memory");
  CHECK(m.allocate_at(~std::uint64_t{0}, 8, "high").find("none of global memory") != std::string::npos);
  CHECK(m.allocate_at(0x2000'0000, 0, "nothing") == "an allocation has bytes");
  CHECK(m.free(0x7F00'0000'0010) == "");
  CHECK(m.allocate_at(0x7F00'0000'0000, 64, "again") == "");
}

TEST_CASE("memory: borrowed bytes are the host's, at the host's address") {
  ptx::device_memory m;
  std::vector<unsigned char> host(64, 7);
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data()));
  const std::uint64_t plain = m.allocate(8, "plain");
  CHECK(m.borrow(host, "host") == "");
  CHECK(m.allocations().size() == 2);
  CHECK(m.find("host")->address == address);
  CHECK(m.find("host")->bytes.is_borrowed());
  CHECK(!m.find("plain")->bytes.is_borrowed());
  const std::array<unsigned char, 2> two = {1, 2};
  REQUIRE(m.write(address + 62, std::span<const unsigned char>(two)));
  CHECK(host[63] == 2);
  CHECK(!m.write(address + 63, std::span<const unsigned char>(two)));
  host[0] = 9;
  std::array<unsigned char, 1> one{};
  REQUIRE(m.read(address, std::span<unsigned char>(one)));
  CHECK(one[0] == 9);

  // A copy owns its bytes, at the same address.
  ptx::device_memory copy = m;
  CHECK(copy == m);
  REQUIRE(copy.write(address, std::span<const unsigned char>(two)));
  CHECK(host[0] == 9);
  CHECK(!(copy == m));
  CHECK(!copy.find("host")->bytes.is_borrowed());
  const ptx::device_memory moved = std::move(copy);
  CHECK(moved.find("host")->bytes[0] == 1);

  // Nothing is lent twice.
  const std::span<unsigned char> part = std::span(host).subspan(8, 8);
  CHECK(m.borrow(part, "part").find("overlaps 'host'") != std::string::npos);
  CHECK(m.borrow({}, "none") == "an allocation has bytes");
  CHECK(m.free(address + 1).find("is byte 1 of 'host', not its beginning") != std::string::npos);
  CHECK(m.free(address) == "");
  CHECK(host[63] == 2);
  CHECK(m.freed_at(address + 9).find("byte 9 of 'host', which was freed") == 0);
  CHECK(m.borrow(part, "part") == "");
  CHECK(m.freed_at(address + 9) == "");
  CHECK(m.freed_at(address) != "");
  CHECK(m.allocate(8, "next") == plain + 4352);  // addresses of plain allocations do not depend on loans
}

TEST_CASE("memory: a memory is brought back to what its copy is, on the host also") {
  ptx::device_memory m;
  std::vector<unsigned char> host(16, 3), later(16, 4);
  REQUIRE(m.borrow(host, "host") == "");
  const std::uint64_t a = m.allocate(4, "a"), gone = m.allocate(4, "gone");
  const ptx::device_memory was = m;
  const std::array<unsigned char, 4> four = {1, 2, 3, 4};
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data()));
  REQUIRE(m.write(a, std::span<const unsigned char>(four)));
  REQUIRE(m.write(address, std::span<const unsigned char>(four)));
  REQUIRE(m.free(gone) == "");
  m.allocate(100, "new");
  REQUIRE(m.borrow(later, "later") == "");
  ptx::restore(m, was);
  CHECK(m == was);
  CHECK(host[0] == 3);
  CHECK(m.find("host")->bytes.data() == host.data());
  CHECK(m.find("host")->bytes.is_borrowed());
  CHECK(m.find("gone") != nullptr);
  CHECK(m.find("later") == nullptr);
  CHECK(later[0] == 4);
}

TEST_CASE("memory: a range of allocations is walked and indexed in the order of the addresses") {
  ptx::device_memory m;
  for (int i = 0; i < 3000; ++i) m.allocate(1, std::to_string(i));
  std::vector<unsigned char> host(8);
  REQUIRE(m.borrow(host, "host") == "");
  for (int i = 0; i < 3000; i += 7) REQUIRE(m.free(m.find(std::to_string(i))->address) == "");
  std::size_t n = 0;
  std::uint64_t before = 0;
  for (const ptx::allocation& a : m.allocations()) {
    CHECK(a.address > before);
    CHECK(&m.allocations()[n] == &a);
    before = a.address;
    ++n;
  }
  CHECK(n == m.allocations().size());
  CHECK(n == 3000 - 429 + 1);
}

TEST_CASE("memory: too much memory is no allocation") {
  ptx::device_memory m;
  CHECK(m.allocate(~std::uint64_t{0} - 100, "all") == 0);
  CHECK(m.allocations().empty());
  CHECK(m.find("all") == nullptr);
  CHECK(m.allocate(1, "one") == ptx::first_global_address);
}

TEST_CASE("memory: loans and allocations come and go as in a plain list of ranges") {
  constexpr std::uint32_t seed = 20;
  std::minstd_rand random(seed);
  std::vector<unsigned char> host(1U << 16);
  const auto base = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data()));
  ptx::device_memory m;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> live;  // by address: size and name
  for (std::uint32_t step = 0; step < 20000; ++step) {
    CAPTURE(seed);
    CAPTURE(step);
    const std::string name = std::to_string(random() % 50);
    const std::uint64_t size = random() % 5 == 0 ? 0 : random() % 300;
    const bool shrinks = live.size() > 600 || (step / 4000 % 2 == 1 && !live.empty());
    if (shrinks && random() % 3 != 0) {
      auto gone = live.lower_bound(random() % 2 == 0 ? base + random() % host.size() : random());
      if (gone == live.end()) gone = live.begin();
      REQUIRE(m.free(gone->first) == "");
      live.erase(gone);
    } else if (random() % 2 == 0) {
      const std::uint64_t at = random() % (host.size() - size);
      bool free = size != 0;
      for (const auto& [a, other] : live) free = free && (a + other.first <= base + at || a >= base + at + size);
      const std::string wrong =
          m.borrow(std::span(host).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size)), name);
      REQUIRE((wrong == "") == free);
      if (free) live[base + at] = {size, name};
    } else {
      const std::uint64_t address = m.allocate(size, name);
      REQUIRE(live.find(address) == live.end());
      live[address] = {size, name};
    }
    const std::uint64_t probe =
        random() % 2 == 0 ? base + random() % host.size() : ptx::first_global_address + random() % (1U << 24);
    const ptx::allocation* found = m.holding(probe, 1);
    auto want = live.upper_bound(probe);
    const bool inside = want != live.begin() && probe - std::prev(want)->first < std::prev(want)->second.first;
    REQUIRE((found != nullptr) == inside);
    if (inside) {
      REQUIRE(found->address == std::prev(want)->first);
      REQUIRE(found->name == std::prev(want)->second.second);
    }
  }
  REQUIRE(m.allocations().size() == live.size());
  auto want = live.begin();
  for (const ptx::allocation& a : m.allocations()) {
    CHECK(a.address == want->first);
    CHECK(a.bytes.size() == want->second.first);
    ++want;
  }
  for (int i = 0; i < 50; ++i) {
    const std::string name = std::to_string(i);
    bool any = false;
    for (const auto& [a, other] : live) any = any || other.second == name;
    CHECK((m.find(name) != nullptr) == any);
    if (any) CHECK(m.find(name)->name == name);
  }
}

TEST_CASE("memory: a hundred thousand live allocations cost no more for each than a few") {
  ptx::device_memory m;
  std::vector<std::uint64_t> all;
  for (std::uint32_t i = 0; i < 100'000; ++i) all.push_back(m.allocate(4, "same name"));
  std::minstd_rand random(1);
  for (std::size_t i = all.size(); i-- > 1;) std::swap(all[i], all[random() % (i + 1)]);
  for (const std::uint64_t address : all) REQUIRE(m.holding(address + 1, 3)->address == address);
  for (const std::uint64_t address : all) REQUIRE(m.free(address) == "");
  CHECK(m.allocations().empty());
  CHECK(m.find("same name") == nullptr);
}

// SPDX-License-Identifier: BSL-1.0
//
// Fat binaries that fatbinary (CUDA 13.0) made of one kernel, containers put together here, and broken ones. Seeded
// mutations: tests/fuzz/fat_binary.cpp.
#include "cuda/unpack.hpp"
#include <simtflow/cuda/fat_binary.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

std::string seed(const char* name) {
  std::ifstream in(std::string(SIMTFLOW_SOURCE_DIR) + "/tests/fuzz/seeds/fat_binary/" + name, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::span<const std::byte> bytes_of(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

std::string number(std::uint64_t value, int bytes) {
  std::string s;
  for (; bytes > 0; --bytes, value >>= 8) s += static_cast<char>(value);
  return s;
}

std::string entry(unsigned kind, unsigned architecture, std::uint64_t flags, std::string payload) {
  payload.resize((payload.size() + 7) / 8 * 8);
  return number(kind, 2) + number(0x101, 2) + number(64, 4) + number(payload.size(), 8) + number(0, 12) +
         number(architecture, 4) + number(0, 8) + number(flags, 8) + number(0, 16) + payload;
}

std::string container(const std::string& entries) {
  return number(0xBA55ED50U, 4) + number(1, 2) + number(16, 2) + number(entries.size(), 8) + entries;
}

std::string why(const std::string& bytes) {
  const auto read = cuda::read_fat_binary(bytes_of(bytes));
  return read ? "" : to_string(read.diagnostics().front());
}

}  // namespace

TEST_CASE("fat binary: what fatbinary stores plain, with LZ4 and with zstd is one text") {
  const std::string plain = seed("plain.fatbin");
  const auto f = cuda::read_fat_binary(bytes_of(plain));
  REQUIRE(f);
  CHECK(f->bytes == plain.size());
  REQUIRE(f->images.size() == 2);
  CHECK(f->images[0].architecture == 75);
  CHECK(f->images[1].architecture == 90);
  CHECK(f->images[0].is_64_bit);
  CHECK(!f->images[0].has_debug_information);
  const auto text = cuda::ptx_text(f->images[0]);
  REQUIRE(text);
  CHECK(text->starts_with(".version 7.5\n.target sm_75\n"));
  CHECK(text->ends_with("ret;\n}\n"));
  for (const char* name : {"lz4.fatbin", "zstd.fatbin"}) {
    CAPTURE(name);
    const std::string stored = seed(name);
    const auto packed = cuda::read_fat_binary(bytes_of(stored));
    REQUIRE(packed);
    const cuda::fat_image& image = packed->images[0];
    const auto refused = cuda::ptx_text(image);
    REQUIRE(!refused);
    CHECK(refused.diagnostics().front().message.ends_with("compile with -no-compress"));
    std::byte one{};
    bool has_library = false;
#if defined(SIMTFLOW_HAS_ZSTD)
    has_library = has_library || image.packing == cuda::image_packing::zstd;
#endif
#if defined(SIMTFLOW_HAS_LZ4)
    has_library = has_library || image.packing == cuda::image_packing::lz4;
#endif
    if (!has_library) {
      CHECK(simtflow_tests::unpack(image.packing, image.payload, {&one, 1}) == 0);
      MESSAGE("skipped: the library for " << name << " is not installed");
      continue;
    }
    const auto unpacked = cuda::ptx_text(image, simtflow_tests::unpack);
    REQUIRE(unpacked);
    CHECK(*unpacked == *text);
  }
}

TEST_CASE("fat binary: variants of an architecture, and the choice of the image") {
  const std::string lz4 = seed("lz4.fatbin");
  const auto f = cuda::read_fat_binary(bytes_of(lz4));
  REQUIRE(f);
  REQUIRE(f->images.size() == 3);
  CHECK(f->images[1].variant == 'a');
  CHECK(cuda::best_ptx(*f) == &f->images[2]);  // 90, not 90a
  CHECK(cuda::best_ptx(*f, 90) == &f->images[2]);
  CHECK(cuda::best_ptx(*f, 89) == &f->images[0]);
  CHECK(cuda::best_ptx(*f, 70) == &f->images[0]);  // above the device, but the nearest
  const std::string mixed = container(entry(2, 90, 0x11,
                                            "\x7f"
                                            "ELF") +
                                      entry(1, 80, 0x11, ".version 7.0") + entry(1, 86, 0x13, ".version 7.1") +
                                      entry(1, 100, 0x10, ".version 8.8") + entry(8, 100, 0x11, "ir"));
  const auto m = cuda::read_fat_binary(bytes_of(mixed));
  REQUIRE(m);
  REQUIRE(m->images.size() == 5);
  CHECK(m->images[0].kind == cuda::image_kind::elf);
  CHECK(m->images[4].kind == cuda::image_kind::other);
  CHECK(!m->images[3].is_64_bit);
  REQUIRE(cuda::best_ptx(*m) == &m->images[2]);
  CHECK(m->images[2].has_debug_information);
  CHECK(*cuda::ptx_text(m->images[2]) == ".version 7.1");
  const auto none = cuda::read_fat_binary(bytes_of(mixed.substr(0, 0) + container("")));
  REQUIRE(none);
  CHECK(cuda::best_ptx(*none) == nullptr);
}

TEST_CASE("fat binary: wrappers of both versions, and the formats of images") {
  struct wrapper {
    std::uint32_t magic = 0x466243B1U;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* const* linked = nullptr;
  };
  const std::string one = container(entry(1, 75, 0x11, ".version 7.0")), two = container(entry(2, 75, 0x11, "elf")),
                    three = container("");
  wrapper w;
  w.data = one.data();
  auto found = cuda::containers_of(&w);
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(found->front().data() == bytes_of(one).data());
  CHECK(found->front().size() == one.size());
  const void* list[] = {one.data(), three.data(), nullptr};
  w = {.version = 2, .data = two.data(), .linked = list};
  found = cuda::containers_of(&w);
  REQUIRE(found);
  REQUIRE(found->size() == 3);
  CHECK(found->at(1).data() == bytes_of(one).data());
  CHECK(found->at(2).size() == 16);

  CHECK(cuda::format_of(&w) == cuda::image_format::wrapper);
  CHECK(cuda::format_of(one.data()) == cuda::image_format::container);
  CHECK(cuda::format_of("\x7f"
                        "ELF") == cuda::image_format::elf);
  CHECK(cuda::format_of(".version 7.0") == cuda::image_format::text);
  CHECK(cuda::format_of("") == cuda::image_format::text);

  const void* wrong[] = {"text", nullptr};
  w.linked = wrong;
  CHECK(!cuda::containers_of(&w));
  w = {.version = 3, .data = one.data()};
  CHECK(to_string(cuda::containers_of(&w).diagnostics()[0]) == "byte 4: only versions 1 and 2 of wrappers are known");
  w = {};
  CHECK(to_string(cuda::containers_of(&w).diagnostics()[0]) == "byte 8: the wrapper points to nothing");
  w.magic = 1;
  CHECK(to_string(cuda::containers_of(&w).diagnostics()[0]) == "byte 0: this is no wrapper of a fat binary");
}

TEST_CASE("fat binary: broken ones are refused with the place") {
  const std::string good = container(entry(1, 75, 0x11, ".version 7.0"));
  CHECK(why(good).empty());
  CHECK(why(good + "another container").empty());
  CHECK(why("") == "byte 0: a fat binary has a header of 16 bytes");
  CHECK(why(std::string(16, 'x')) == "byte 0: this is no fat binary");
  for (std::size_t n = 16; n < good.size(); ++n)
    CHECK(why(good.substr(0, n)) == "byte 8: the entries of the fat binary are cut off");
  const auto changed = [&good](std::size_t at, std::uint64_t value, int bytes) {
    return why(std::string(good).replace(at, static_cast<std::size_t>(bytes), number(value, bytes)));
  };
  CHECK(changed(4, 2, 2) == "byte 4: only version 1 of fat binaries is known");
  CHECK(changed(6, 8, 2) == "byte 6: a fat binary has a header of 16 bytes");
  CHECK(changed(8, ~std::uint64_t{0}, 8) == "byte 8: the entries of the fat binary are cut off");
  CHECK(changed(8, 63, 8) == "byte 16: an image has a header of 64 bytes");
  CHECK(changed(20, 0, 4) == "byte 20: the header of an image has 0 bytes");
  CHECK(changed(20, 0xFFFFFFFF, 4) == "byte 20: the header of an image has 4294967295 bytes");
  CHECK(changed(24, ~std::uint64_t{0}, 8) == "byte 24: the payload of an image is cut off");
  CHECK(changed(24, 8, 8) == "byte 88: an image has a header of 64 bytes");
  CHECK(why(container(entry(1, 75, 0x8011, "x")).replace(32, 4, number(9, 4))) ==
        "byte 32: the payload of an image is cut off");
  // Sizes that would take all memory are refused before anything is allocated.
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{1} << 62}) {
    const std::string bomb = container(entry(1, 75, 0x8011, "x")).replace(72, 8, number(size, 8));
    const auto f = cuda::read_fat_binary(bytes_of(bomb));
    REQUIRE(f);
    const auto text = cuda::ptx_text(f->images[0], [](auto, auto, auto) { return std::size_t{1}; });
    REQUIRE(!text);
    CHECK(text.diagnostics()[0].message ==
          "an image of " + std::to_string(size) + " unpacked bytes is no PTX: the fat binary is broken");
  }
  const std::string packed = container(entry(1, 75, 0x2011, "x")).replace(72, 8, number(4, 8));
  const auto f = cuda::read_fat_binary(bytes_of(packed));
  REQUIRE(f);
  CHECK(cuda::ptx_text(f->images[0], [](auto, auto, auto) { return std::size_t{0}; }).diagnostics()[0].message ==
        "the PTX is not a sound LZ4 stream: the fat binary is broken");
  CHECK(!cuda::ptx_text(f->images[0], [](auto, auto, auto) { return std::size_t{5}; }));
}

// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/aes.cu: FIPS 197 byte by byte, the key expanded beforehand, inverses by logarithms to the base 3.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_aes {
namespace {

using byte = std::uint8_t;
using std::uint32_t;

byte doubled(byte b) { return static_cast<byte>(b << 1 ^ (b >= 0x80 ? 0x1B : 0)); }

std::array<byte, 256> substitution_box() {
  std::array<byte, 256> powers{}, logarithm{}, box{};
  byte power = 1;
  for (std::size_t i = 0; i < 255; ++i) {
    powers[i] = power;
    logarithm[power] = static_cast<byte>(i);
    power = static_cast<byte>(power ^ doubled(power));
  }
  for (std::size_t x = 0; x < 256; ++x) {
    const byte inverse = x == 0 ? byte{0} : powers[(255U - logarithm[x]) % 255U];
    for (unsigned bit = 0; bit < 8; ++bit) {
      unsigned sum = 0x63U >> bit;
      for (const unsigned from : {0U, 4U, 5U, 6U, 7U}) sum ^= static_cast<unsigned>(inverse) >> (bit + from) % 8;
      box[x] = static_cast<byte>(box[x] | (sum & 1) << bit);
    }
  }
  return box;
}

void aes(host_launch& run) {
  const auto key = run.array<uint32_t>(0);
  const auto plain = run.array<uint32_t>(1);
  auto cipher = run.array<uint32_t>(2);
  const auto byte_of = [](const host_array<uint32_t>& words, std::size_t i) {
    return static_cast<byte>(words.get(i / 4) >> (24 - 8 * (i % 4)));
  };
  const std::array<byte, 256> box = substitution_box();

  std::array<byte, 176> round_keys{};
  for (std::size_t i = 0; i < 16; ++i) round_keys[i] = byte_of(key, i);
  byte constant = 1;
  for (std::size_t i = 16; i < round_keys.size(); ++i) {
    byte mixed = round_keys[i - 4];
    if (i % 16 < 4) mixed = box[round_keys[i % 16 == 3 ? i - 7 : i - 3]];
    if (i % 16 == 0) {
      mixed = static_cast<byte>(mixed ^ constant);
      constant = doubled(constant);
    }
    round_keys[i] = static_cast<byte>(round_keys[i - 16] ^ mixed);
  }

  for (uint32_t b = 0; b < run.u32(3); ++b) {
    std::array<byte, 16> state{}, moved{};  // column by column
    for (std::size_t i = 0; i < 16; ++i)
      state[i] = static_cast<byte>(byte_of(plain, std::size_t{16} * b + i) ^ round_keys[i]);
    for (std::size_t round = 1; round <= 10; ++round) {
      for (std::size_t i = 0; i < 16; ++i) moved[i] = box[state[(i + 4 * (i % 4)) % 16]];
      for (std::size_t i = 0; i < 16; ++i) {
        byte value = moved[i];
        if (round < 10) {
          const auto down = [&](std::size_t rows) { return moved[i / 4 * 4 + (i + rows) % 4]; };
          value = static_cast<byte>(doubled(down(0)) ^ doubled(down(1)) ^ down(1) ^ down(2) ^ down(3));
        }
        state[i] = static_cast<byte>(value ^ round_keys[16 * round + i]);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      uint32_t word = 0;
      for (std::size_t k = 0; k < 4; ++k) word = word << 8 | state[4 * i + k];
      cipher.set(std::size_t{4} * b + i, word);
    }
  }
}

const reference registered("aes", aes);

}  // namespace
}  // namespace lab::of_aes

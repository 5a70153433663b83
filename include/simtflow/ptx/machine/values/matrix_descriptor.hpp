// SPDX-License-Identifier: BSL-1.0
//
// Descriptors of matrices in shared memory, and where the 16-byte chunks of a matrix lie there.
//
// The major dimension is the dimension in which neighbours lie side by side: k, or mn (m of A, n of B). A chunk is 16
// bytes of neighbours. A core matrix is 8 chunks, one for each of 8 places in the other dimension. Let c count chunks
// in the major dimension and i places in the other dimension. A row of a swizzled pattern has w = 32, 64 or 128 bytes.
// Chunk (c, i) begins so many bytes after the start address:
//
//   k-major    without swizzle   i % 8 * 16 + i / 8 * stride + c * leading
//              swizzled          i % 8 * w  + i / 8 * stride + c * 16
//   mn-major   without swizzle   i % 8 * 16 + i / 8 * leading + c * stride
//              swizzled          i % 8 * w  + i / 8 * stride + c % (w / 16) * 16 + c / (w / 16) * leading
//
// A swizzle exchanges chunks: bits 4 to 6 of the address (4 and 5 for 64 bytes, 4 for 32 bytes) are exclusive-ored with
// the number of the 128-byte row that the address lies in, counted from where the pattern begins. Patterns begin at
// multiples of 1024, 512 and 256 bytes; the base offset shifts them by as many 128-byte rows.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Shared Memory Matrix Layout", "Strides", "Matrix
// Descriptor Format" of "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#pragma once

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The bytes of a chunk.
inline constexpr std::uint32_t matrix_chunk_bytes = 16;

/// A descriptor of a matrix for wgmma, read from its 64 bits.
struct matrix_descriptor {
  std::uint32_t start = 0;        ///< address in shared memory
  std::uint32_t leading = 0;      ///< leading dimension byte offset
  std::uint32_t stride = 0;       ///< stride dimension byte offset
  std::uint32_t base_offset = 0;  ///< 128-byte rows by which the pattern is shifted
  std::uint32_t atom = 16;        ///< bytes of a row of the pattern: 16 without swizzle, else 32, 64 or 128

  constexpr matrix_descriptor() = default;
  constexpr explicit matrix_descriptor(std::uint64_t bits)
      : start(field(bits, 0)),
        leading(field(bits, 16)),
        stride(field(bits, 32)),
        base_offset(static_cast<std::uint32_t>(bits >> 49) & 7U),
        atom(atom_of(static_cast<std::uint32_t>(bits >> 62))) {}

  /// The address of chunk `c` of the major dimension, at place `i` of the other dimension. O(1).
  [[nodiscard]] constexpr std::uint32_t chunk(bool k_major, std::uint32_t c, std::uint32_t i) const {
    std::uint32_t at = start + i % 8 * atom;
    if (atom == matrix_chunk_bytes) return at + i / 8 * (k_major ? stride : leading) + c * (k_major ? leading : stride);
    const std::uint32_t in_atom = atom / matrix_chunk_bytes;  // chunks
    at +=
        i / 8 * stride + (k_major ? c * matrix_chunk_bytes : c % in_atom * matrix_chunk_bytes + c / in_atom * leading);
    const std::uint32_t row = (at >> 7) - base_offset;
    return at ^ ((row & (in_atom - 1)) << 4);
  }

 private:
  static constexpr std::uint32_t field(std::uint64_t bits, std::uint32_t first) {
    return (static_cast<std::uint32_t>(bits >> first) & 0x3FFFU) << 4;
  }
  static constexpr std::uint32_t atom_of(std::uint32_t swizzle) { return swizzle == 0 ? 16 : 256U >> swizzle; }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

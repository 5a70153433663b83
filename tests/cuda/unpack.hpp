// SPDX-License-Identifier: BSL-1.0
//
// Unpacks images of fat binaries with the libraries that the build found: SIMTFLOW_HAS_ZSTD, SIMTFLOW_HAS_LZ4.
#pragma once

#include <simtflow/cuda/fat_binary.hpp>

#include <cstddef>
#include <span>

#if defined(SIMTFLOW_HAS_ZSTD)
#include <zstd.h>
#endif
#if defined(SIMTFLOW_HAS_LZ4)
#include <lz4.h>
#endif

namespace simtflow_tests {

/// An unpack_function; 0 without the library.
inline std::size_t unpack([[maybe_unused]] simtflow::cuda::image_packing how,
                          [[maybe_unused]] std::span<const std::byte> packed,
                          [[maybe_unused]] std::span<std::byte> unpacked) {
#if defined(SIMTFLOW_HAS_ZSTD)
  if (how == simtflow::cuda::image_packing::zstd) {
    const std::size_t n = ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
    return ZSTD_isError(n) != 0 ? 0 : n;
  }
#endif
#if defined(SIMTFLOW_HAS_LZ4)
  if (how == simtflow::cuda::image_packing::lz4) {
    const int n =
        LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(unpacked.data()),
                            static_cast<int>(packed.size()), static_cast<int>(unpacked.size()));
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }
#endif
  return 0;
}

}  // namespace simtflow_tests

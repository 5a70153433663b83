// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/unpack.hpp"

#include "cudart/core/calls.hpp"

#if defined(SIMTFLOW_HAS_ZSTD)
#include <zstd.h>
#endif
#if defined(SIMTFLOW_HAS_LZ4)
#include <lz4.h>
#endif

namespace cudart {

std::size_t unpack(simtflow::cuda::image_packing how, [[maybe_unused]] std::span<const std::byte> packed,
                   [[maybe_unused]] std::span<std::byte> unpacked) {
  using simtflow::cuda::image_packing;
  if (how == image_packing::zstd) {
#if defined(SIMTFLOW_HAS_ZSTD)
    const std::size_t n = ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
    return ZSTD_isError(n) != 0 ? 0 : n;
#else
    complain(
        "the program's PTX is packed with zstd, which this library was built without: install zstd and build "
        "again, or compile the program with nvcc -no-compress");
#endif
  } else if (how == image_packing::lz4) {
#if defined(SIMTFLOW_HAS_LZ4)
    constexpr std::size_t most = LZ4_MAX_INPUT_SIZE;
    if (packed.size() > most || unpacked.size() > most) return 0;
    const int n =
        LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(unpacked.data()),
                            static_cast<int>(packed.size()), static_cast<int>(unpacked.size()));
    return n < 0 ? 0 : static_cast<std::size_t>(n);
#else
    complain(
        "the program's PTX is packed with LZ4, which this library was built without: install LZ4 and build "
        "again, or compile the program with nvcc -no-compress");
#endif
  }
  return 0;
}

}  // namespace cudart

// SPDX-License-Identifier: BSL-1.0
//
// zstd and LZ4, for fat binaries.
#pragma once

#include <simtflow/cuda/fat_binary.hpp>

#include <cstddef>
#include <span>

namespace cudart {

/// Unpacks with the libraries that were there when this was built. \returns 0 for broken bytes, and, having said which
/// library is missing and how to compile without it, if that library was not there.
std::size_t unpack(simtflow::cuda::image_packing how, std::span<const std::byte> packed, std::span<std::byte> unpacked);

}  // namespace cudart

// SPDX-License-Identifier: BSL-1.0
//
// Fat binaries: every image lies inside the bytes, and every PTX image unpacks or is refused.
#include "cuda/unpack.hpp"
#include <simtflow/cuda/fat_binary.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace simtflow;

void swallow(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto read = cuda::read_fat_binary(bytes);
    if (!read) {
      if (read.diagnostics().front().message.empty()) std::abort();
      return;
    }
    if (read->bytes < 16 || read->bytes > bytes.size()) std::abort();
    for (const cuda::fat_image& i : read->images) {
      if (!i.payload.empty() && (&i.payload.front() < bytes.data() || &i.payload.back() >= bytes.data() + read->bytes))
        std::abort();
      // A sound stream of 40 MB takes its time, and it is no other path.
      if (i.kind != cuda::image_kind::ptx || i.unpacked_bytes > 1'000'000) continue;
      const auto text = cuda::ptx_text(i, simtflow_tests::unpack);
      if (text && text->size() > i.unpacked_bytes) std::abort();
    }
    (void)cuda::best_ptx(*read, 80);
    bytes = bytes.subspan(static_cast<std::size_t>(read->bytes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  swallow({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

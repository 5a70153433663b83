// SPDX-License-Identifier: BSL-1.0
//
// PTX text: parsed, verified and decoded, and every kernel that is in order runs, briefly.
#include "fuzz/run_any_ptx.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simtflow_fuzz::run_any_ptx(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

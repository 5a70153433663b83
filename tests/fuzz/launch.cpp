// SPDX-License-Identifier: BSL-1.0
//
// Launch files of the tool: read, or refused with a message.
#include "lab/files.hpp"
#include "lab/launch_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)lab::parse_launch_file(std::string_view(reinterpret_cast<const char*>(data), size), "launch.json");
  } catch (const lab::input_error& e) {
    if (std::string_view(e.what()).empty()) std::abort();
  }
  return 0;
}

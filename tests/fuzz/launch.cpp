// SPDX-License-Identifier: BSL-1.0
//
// Launch files of the tool: read, or refused with a message. After the first zero byte stands what the command line
// changes: NAME=VALUE of --set.
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/launch_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  try {
    lab::launch_file file = lab::parse_launch_file(text.substr(0, end), "launch.json");
    for (std::size_t i = 0; i < file.launches.size() && i < 4; ++i) file.take(i);
    if (file.launches.empty() || file.taken >= file.launches.size()) std::abort();
    if (end != std::string_view::npos) {
      lab::launch_overrides changed;
      changed.grid = "2,1";
      changed.data.emplace_back(text.substr(end + 1));
      lab::override_launch(file, changed);
    }
    (void)lab::device_memory_for(file);
  } catch (const lab::input_error& e) {
    if (std::string_view(e.what()).empty()) std::abort();
  }
  return 0;
}

// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace simtflow_tests {

/// The shipped kernels in order, each as its path without ".ptx".
inline std::vector<std::string> shipped_kernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SIMTFLOW_SOURCE_DIR "/examples/kernels"))
    if (entry.path().extension() == ".ptx")
      names.push_back((entry.path().parent_path() / entry.path().stem()).string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace simtflow_tests

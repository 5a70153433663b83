// SPDX-License-Identifier: BSL-1.0
//
// The .ptx files of the tests and the examples, for tests that want real text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

/// The text of a file.
inline std::string file(const std::filesystem::path& name) {
  std::ifstream in(name, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

/// Name and text of every file, by name.
inline std::vector<std::pair<std::string, std::string>> all_modules() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* folder : {"/tests/ptx/modules", "/examples/kernels"})
    for (const auto& entry : std::filesystem::directory_iterator(SIMTFLOW_SOURCE_DIR + std::string(folder)))
      if (entry.path().extension() == ".ptx") out.emplace_back(entry.path().filename().string(), file(entry.path()));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace simtflow_tests

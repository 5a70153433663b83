// SPDX-License-Identifier: BSL-1.0
//
// Asks ptxas about a text.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace simtflow_tests {

/// The messages of ptxas, the program at `path`, about a text for a target; empty if it takes the text.
inline std::string ptxas_answer(const std::string& path, const std::string& target, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem =
      (folder / ("simtflow-ptx-" + std::to_string(reinterpret_cast<std::uintptr_t>(&folder)))).string();
  std::ofstream(stem + ".ptx", std::ios::binary) << text;
  const std::string command = "\"" + path + "\" -O0 -arch=" + target + " -o \"" + stem + ".cubin\" \"" + stem +
                              ".ptx\" > \"" + stem + ".log\" 2>&1";
  const bool ok = std::system(command.c_str()) == 0;
  std::ifstream log(stem + ".log", std::ios::binary);
  std::string said((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  log.close();
  for (const char* suffix : {".ptx", ".cubin", ".log"}) std::filesystem::remove(stem + suffix);
  return ok ? std::string() : said + " ";
}

}  // namespace simtflow_tests

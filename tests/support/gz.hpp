// SPDX-License-Identifier: BSL-1.0
//
// Files of the corpus for tests: plain or gzip-compressed, read whole.
#pragma once

#include <zlib.h>

#include <optional>
#include <string>

namespace simtflow_tests {

/// The contents of a file, decompressed if it is a gzip file; empty optional if it cannot be read.
inline std::optional<std::string> read_file(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  int got = 0;
  while ((got = gzread(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(got));
  const bool complete = got == 0 && gzclose(file) == Z_OK;
  if (!complete) return std::nullopt;
  return text;
}

/// The folder of the corpus (the compile definition SIMTFLOW_CORPUS_DIR); empty if this build has none.
inline std::string corpus_directory() {
#if defined(SIMTFLOW_CORPUS_DIR)
  return SIMTFLOW_CORPUS_DIR;
#else
  return {};
#endif
}

}  // namespace simtflow_tests

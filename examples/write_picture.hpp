// SPDX-License-Identifier: BSL-1.0
//
// Shared by the course programs: each writes its picture into the file that the first argument names, if there is one.
#pragma once

#include <cstdio>
#include <fstream>
#include <string_view>

/// The result of main(): 0, or 1 if the file could not be written, with a message on stderr.
inline int write_picture(int argc, char** argv, std::string_view svg) {
  if (argc < 2 || std::ofstream(argv[1]) << svg << std::flush) return 0;
  std::fprintf(stderr, "%s: cannot write %s\n", argv[0], argv[1]);
  return 1;
}

// SPDX-License-Identifier: BSL-1.0
#include "lab/diagnostics.hpp"

#include "lab/files.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace lab {

void refuse(const simtflow::diagnostics& why, const std::string& path) {
  if (why.empty()) return;
  std::string all;
  for (const simtflow::diagnostic& d : why)
    all += fmt::format("{}{}:{}:{}: {}", all.empty() ? "" : "\n", path, std::max(d.where.line, 1U),
                       std::max(d.where.column, 1U), d.message);
  throw input_error(all);
}

}  // namespace lab

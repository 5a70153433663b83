// SPDX-License-Identifier: BSL-1.0
//
// How much of other people's PTX can be executed: every kernel of every file is parsed, verified and decoded, and what
// is refused is counted by reason.
#pragma once

#include "lab/report.hpp"
#include <simtflow/diagnostic.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// The step that refuses a kernel.
enum class acceptance_step : unsigned char { parse, verify, decode };

/// The name of a step.
[[nodiscard]] std::string_view to_string(acceptance_step step);

/// Kernels that are refused for the same reason.
struct refusal {
  acceptance_step step = acceptance_step::parse;
  std::string reason;          ///< the message without the names in it
  std::uint64_t kernels = 0;   ///< how many have this as their first diagnostic
  std::string file;            ///< the first place
  simtflow::diagnostic first;  ///< the diagnostic there
};

struct acceptance {
  std::uint64_t files = 0;
  std::uint64_t kernels = 0;
  std::uint64_t accepted = 0;
  std::vector<refusal> refusals;  ///< the most kernels first
};

struct accept_options {
  std::vector<std::string> paths;  ///< files, and folders with .ptx and .ptx.gz files at any depth
  /// Told how far it is: "[3/80, 2 min left] FILE". Nobody if empty.
  std::function<void(const std::string&)> progress{};
  std::function<void(const acceptance&)> so_far{};  ///< gets what there is after each file; nobody if empty
};

/// Reads every file, by name. A file that cannot be parsed has all its kernels refused, at least one.
/// \throws input_error if a path does not exist, if a file cannot be read, or if there is no file at all.
[[nodiscard]] acceptance accept_files(const accept_options& options);

/// A message with its names and numbers left out: equal for equal mistakes. The first word of an opcode stays.
[[nodiscard]] std::string reason_of(std::string_view message);

/// The schema of its rows.
inline constexpr row_schema accept_rows = "simtflow.accept/1";

/// A table by reason, as text that ends in a newline.
[[nodiscard]] std::string to_text(const acceptance& a, report_format format);

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// `laws`: what every mechanism owes (simtflow/testing/policy_laws.hpp), for policies by name.
#pragma once

#include "lab/policies.hpp"
#include "lab/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lab {

struct laws_result;

struct laws_options {
  std::vector<std::string> policies;  ///< none: those that are registered; if there are none, all
  std::size_t programs = 300;         ///< random programs for each policy
  std::uint64_t seed = 1;             ///< of the first program; the next one has the next seed
  bool never_joins = false;           ///< the policies run every thread alone on purpose: law 5 is not asked for
  std::function<void(const std::string&)> progress{};  ///< told which policy is being tried
  std::function<void(const laws_result&)> so_far{};    ///< gets the policies that are done, after each
};

/// The schema of its rows.
inline constexpr row_schema laws_rows = "simtflow.laws/1";

struct laws_result {
  std::vector<table_row> rows;  ///< one for each policy
  std::string text;  ///< a line for each policy that keeps the laws; for others the law, the program and its schedule
  bool good = true;  ///< no law is broken
};

/// \throws input_error if there is no such policy.
[[nodiscard]] laws_result try_laws(const laws_options& options);

}  // namespace lab

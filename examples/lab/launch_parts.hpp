// SPDX-License-Identifier: BSL-1.0
//
// Parts of launch files, each read from its JSON: shapes, variables, checks, verdicts.
#pragma once

#include "lab/launch_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

class json_reader;

/// The most bytes of shared memory that a launch can ask for.
inline constexpr std::uint32_t most_shared_bytes = 227 * 1024;

/// Thread blocks along x, y and z; 1 where there is a diagnostic.
[[nodiscard]] std::array<std::uint32_t, 3> read_grid(json_reader& r, const nlohmann::json& list,
                                                     const std::string& where);
/// Threads of a thread block along x, y and z.
[[nodiscard]] std::array<std::uint32_t, 3> read_block(json_reader& r, const nlohmann::json& list,
                                                      const std::string& where);

/// The value of a variable, or what it must be. Keys in `beside` are none of the value's.
/// \returns nothing, with a diagnostic, if it is none
[[nodiscard]] std::optional<variable_value> read_variable(json_reader& r, const std::string& name,
                                                          const nlohmann::json& j, const std::string& where,
                                                          const std::vector<buffer>& buffers,
                                                          std::initializer_list<std::string_view> beside = {});

/// A check. \param of_file true if it stands beside several launches \returns nothing, with a diagnostic, if it is none
[[nodiscard]] std::optional<expectation> read_expectation(json_reader& r, const nlohmann::json& j,
                                                          const std::string& where, const std::vector<buffer>& buffers,
                                                          bool of_file);

/// Expected verdicts by policy.
[[nodiscard]] std::map<std::string, std::string> read_verdicts(json_reader& r, const nlohmann::json& j,
                                                               const std::string& where);

}  // namespace lab

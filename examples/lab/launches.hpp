// SPDX-License-Identifier: BSL-1.0
//
// The launches of a launch file, one after another: each begins with the memory that the one before it left.
#pragma once

#include "lab/conditions.hpp"
#include "lab/launch_file.hpp"

#include <string>
#include <vector>

namespace lab {

/// The module of a launch: its own, or the command line's. \throws input_error if there is neither.
[[nodiscard]] std::string module_of(const launch_file& launch, const std::string& kernel_path);

/// Reads a launch file, takes the launch that the conditions name, and changes it as the command line says. Launches
/// before it are run under pdom, or, if that does not finish, under volta or the oracle.
/// \throws input_error if the file has several launches and none is named, it has fewer, or one does not finish.
[[nodiscard]] launch_file read_launch(const std::string& kernel_path, const std::string& launch_path,
                                      const run_conditions& conditions);

/// All launches of a file, or the one that the conditions name, each taken in a copy of the file.
/// \throws input_error as read_launch(), and if the command line changes one launch of several.
[[nodiscard]] std::vector<launch_file> read_launches(const std::string& kernel_path, const std::string& launch_path,
                                                     const run_conditions& conditions);

/// \throws input_error that says to name a launch: the command line changes one of several.
[[noreturn]] void refuse_overrides(const launch_file& file);

/// "launch 2 of 3"; empty if there is only one.
[[nodiscard]] std::string number_of(const launch_file& launch);

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// The memory that a run left, compared with another run's memory and with the expectations of the launch file.
#pragma once

#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include <simtflow/ptx/machine/memory.hpp>

#include <string>
#include <vector>

namespace lab {

/// The first difference between two device memories, in words: "image[12] is 5, not 7, the first of 30 that differ";
/// variables of the module by bytes: "byte 4 of tally is 1, not 0". Empty if the memories are equal, byte for byte.
[[nodiscard]] std::string first_difference(const simtflow::ptx::device_memory& left,
                                           const simtflow::ptx::device_memory& right, const launch_file& launch);

/// The differences from the memory that a run started with: "image[3..17], bytes 0..3 of tally": the first and the last
/// element of each buffer, the first and the last byte of each variable of the module; empty if nothing does.
[[nodiscard]] std::string changes(const simtflow::ptx::device_memory& now, const simtflow::ptx::device_memory& start,
                                  const launch_file& launch);

/// How the expectations of a launch file came out.
struct expectation_result {
  std::vector<std::string> met;     ///< "image, cycle = reference mandelbrot"
  std::vector<std::string> broken;  ///< "image[12] is 5, not 7, the first of 30 that differ (reference mandelbrot)"
};
/// \param file the kernel, for the variables of its module
/// \throws input_error if a reference program fails or does not fit the launch file, or there is no such variable.
[[nodiscard]] expectation_result check_expectations(const simtflow::ptx::device_memory& memory,
                                                    const launch_file& launch, const kernel_file& file);

}  // namespace lab

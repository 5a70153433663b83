// SPDX-License-Identifier: BSL-1.0
//
// A launch file as the interpreter wants it: the shape, the device memory, the arguments.
#pragma once

#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab {

[[nodiscard]] simtflow::ptx::launch_config config_of(const launch_file& launch);

/// Device memory with a launch file's buffers, or what the launches before left. \throws input_error if a buffer cannot
/// have its address.
[[nodiscard]] simtflow::ptx::device_memory device_memory_for(const launch_file& launch);

/// A buffer in memory. \pre the memory is of the launch file, and kernels have freed no buffer
[[nodiscard]] const simtflow::ptx::allocation& allocation_of(const simtflow::ptx::device_memory& memory,
                                                             const launch_file& launch, std::size_t buffer);

/// Writes all that the launch sets before it runs: buffers, variables, pointers. Its buffers then are as the kernel
/// finds them. If the file names variables or has several launches, all variables of the module are loaded.
/// \throws input_error that names every variable that is not there or has another size.
void write_data(simtflow::ptx::device_memory& memory, launch_file& launch, const kernel_file& file);

/// The file with the next launch taken, on the memory that this one left. \pre there is one
[[nodiscard]] launch_file continued(launch_file launch, const simtflow::ptx::device_memory& left);

/// A variable of a module, and its bytes where it is loaded.
struct variable_in_memory {
  scalar type = scalar::u8;  ///< of its elements, as declared
  std::string name;          ///< in the text
  std::uint64_t size = 0;
  std::optional<std::size_t> elements;   ///< none: declared as bytes, that can be anything
  std::span<const unsigned char> bytes;  ///< none if it is not loaded
  std::uint64_t address = 0;
};
/// The variable that is called so, in the text or in C++. \throws input_error that says which ones there are.
[[nodiscard]] variable_in_memory find_variable(const simtflow::ptx::device_memory& memory, const kernel_file& file,
                                               const std::string& name, const std::string& asked_by);

/// The bytes of a value of a variable. \throws input_error if they are not as many as the variable has.
[[nodiscard]] std::vector<unsigned char> bytes_of(const variable_value& value, const variable_in_memory& variable,
                                                  const simtflow::ptx::device_memory& memory, const launch_file& launch,
                                                  const kernel_file& file);

/// Changes parameters as the command line says: NAME=VALUE. NAME is the parameter's, the end of it after a `_`, or its
/// number from 0; a value is a number, BUFFER or BUFFER+OFFSET. \throws input_error
void override_arguments(launch_file& launch, const simtflow::ptx::decoded_kernel& kernel,
                        const std::vector<std::string>& texts);

/// The launch file's values as the kernel's arguments.
/// \throws input_error that names every parameter that does not fit.
[[nodiscard]] simtflow::ptx::arguments arguments_for(const simtflow::ptx::decoded_kernel& kernel,
                                                     const launch_file& launch,
                                                     const simtflow::ptx::device_memory& memory);

}  // namespace lab

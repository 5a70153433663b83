// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab init`: a launch file for a kernel, made from its signature, that `run` accepts as it is. A person then
// puts the right sizes and data into it.
#pragma once

#include "lab/kernel_file.hpp"

#include <string>
#include <vector>

namespace lab {

struct init_options {
  std::string kernel_path;  ///< PTX or CUDA
  std::string kernel;       ///< may be empty if there is only one
};
struct launch_template {
  std::string text;                  ///< of the launch file
  std::vector<std::string> remarks;  ///< guesses that a person should look at
};
/// Parameters that are pointers become buffers: C++ types say so where the name of the kernel is mangled, else accesses
/// through them. Structures become bytes, all zero. Integers are 64, and buffers have 4096 elements, random from 0 to
/// 63: sizes, indices and squares of them fit.
/// \throws input_error if the module cannot be used, or has several kernels and none is named.
[[nodiscard]] launch_template make_launch_template(const init_options& options);
/// The same of a kernel that has been read. \pre file.module is not null
[[nodiscard]] launch_template make_launch_template(const kernel_file& file);

}  // namespace lab

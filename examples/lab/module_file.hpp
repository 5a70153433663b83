// SPDX-License-Identifier: BSL-1.0
//
// Modules as files: PTX text, or CUDA source that nvcc compiles to it; and the names of kernels as people write them.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// A module with its text.
struct module_file {
  std::string path;  ///< for messages about the text: the file, or FILE.cu.ptx
  std::string text;
  simtflow::ptx::module module;
};

/// True if a file of that name holds a module: .ptx or .cu.
[[nodiscard]] bool is_module_path(std::string_view path);

/// The text of a .ptx file; of a .cu file, what nvcc makes of it: `nvcc -ptx -lineinfo -o TEMPORARY FILE.cu`, with the
/// options of its environment variable NVCC_APPEND_FLAGS. A file is compiled once in a process.
/// \param called gets the path for messages about the text
/// \throws input_error if it cannot be read, there is no nvcc (the message says the command) or nvcc refuses it.
[[nodiscard]] std::string read_module_text(const std::string& path, std::string& called);

/// Reads and parses a module. A text is parsed once in a process while the file stays the same, so that kernels of
/// it share their variables. \throws input_error with every diagnostic as FILE:LINE:COLUMN.
[[nodiscard]] std::shared_ptr<const module_file> load_module(const std::string& path);

/// Commands that are run are shown on standard error from now on.
void show_commands();

/// A name as C++ writes it: "scale(float*, int)" for "_Z5scalePfi"; other names as they are.
[[nodiscard]] std::string demangled(const std::string& name);

/// The names that a person may have meant: `asked` itself if it is there; else those that demangle to it; else those
/// that are called so without parameters, namespaces and template arguments.
[[nodiscard]] std::vector<std::string> names_meant(const std::string& asked, const std::vector<std::string>& names);

}  // namespace lab

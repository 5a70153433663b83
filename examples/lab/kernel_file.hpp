// SPDX-License-Identifier: BSL-1.0
//
// A kernel out of a PTX or CUDA file, ready to run.
#pragma once

#include "lab/module_file.hpp"
#include <simtflow/ptx/decode/decode.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lab {

/// An instruction in the PTX text.
struct written_instruction {
  std::uint32_t line = 0;  ///< from 1
  std::string code;
};

struct kernel_file {
  std::string path;
  std::string text;  ///< the whole module
  simtflow::ptx::decoded_kernel kernel;
  std::shared_ptr<const module_file> module = {};  ///< that it was read from; null: made from other text

  /// The instructions of a block as they stand in the text, a line each.
  [[nodiscard]] std::string code_of(simtflow::block_id b) const;
  /// The same one by one, with their lines.
  [[nodiscard]] std::vector<written_instruction> instructions_of(simtflow::block_id b) const;
};

/// Reads, verifies and decodes one kernel; only this one has to be free of mistakes. Without a name the module must
/// have exactly one. A name can be written as in C++, "scale(float*, int)", or "scale" if one kernel is called so.
/// \param asked_by where the name was given, for the message that there is no such kernel.
/// \throws input_error with every diagnostic as FILE:LINE:COLUMN.
[[nodiscard]] kernel_file load_kernel(const std::string& path, const std::string& name, const std::string& asked_by);
/// The same of a module that has been read.
[[nodiscard]] kernel_file kernel_of(std::shared_ptr<const module_file> module, const std::string& name,
                                    const std::string& asked_by);

}  // namespace lab

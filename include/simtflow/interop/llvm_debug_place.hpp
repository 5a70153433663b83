// SPDX-License-Identifier: BSL-1.0
//
// The place in the source that an LLVM instruction comes from (!dbg). The words are as in ptx/text/source_lines.hpp,
// with the column: "my.cu:17:5", or "half.hpp:2:11 in 'half', inlined at my.cu:17:5".
#pragma once

#include <simtflow/config.hpp>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instruction.h>

#include <cstddef>
#include <string>

namespace simtflow {
inline namespace v0 {

/// The place of an instruction in words, without folders. Inlined code has its function and the calls around it, eight
/// of them at most. \returns an empty text if the module has no debug information for it, or says line 0. O(calls).
[[nodiscard]] inline std::string debug_place(const llvm::Instruction& i) {
  std::string text;
  int calls = 0;
  for (const llvm::DILocation* at = i.getDebugLoc().get(); at != nullptr && calls <= 8; at = at->getInlinedAt()) {
    if (at->getLine() == 0) break;
    if (calls++ != 0) text += ", inlined at ";
    std::string file = at->getFilename().str();
    if (const std::size_t folder = file.find_last_of("/\\"); folder != std::string::npos) file.erase(0, folder + 1);
    text += file + ":" + std::to_string(at->getLine());
    if (at->getColumn() != 0) text += ":" + std::to_string(at->getColumn());
    if (at->getInlinedAt() != nullptr)
      if (const llvm::DISubprogram* const f = at->getScope()->getSubprogram())
        text += " in '" + f->getName().str() + "'";
  }
  return text;
}

}  // namespace v0
}  // namespace simtflow

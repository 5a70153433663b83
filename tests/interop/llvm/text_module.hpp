// SPDX-License-Identifier: BSL-1.0
//
// LLVM modules of texts.
#pragma once

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

namespace simtflow_tests {

/// A module that owns its context. Texts have opaque pointers, which LLVM 14 must be told.
struct text_module {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;

  explicit text_module(const std::string& text) {
#if LLVM_VERSION_MAJOR == 14
    context.enableOpaquePointers();
#endif
    llvm::SMDiagnostic error;
    code = llvm::parseAssemblyString(text, error, context);
    if (code == nullptr)
      FAIL(error.getMessage().str() << ", line " << error.getLineNo() << " of\n" << text);
    else
      REQUIRE(!llvm::verifyModule(*code, &llvm::errs()));
  }
  llvm::Function& function(const char* name = "f") { return *code->getFunction(name); }
};

/// The text of a function.
inline std::string text_of_all(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return out.str();
}

}  // namespace simtflow_tests

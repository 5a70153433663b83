// SPDX-License-Identifier: BSL-1.0
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/interop/llvm.hpp>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

int main() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(
      "define void @diamond(i1 %c) {\n"
      "  br i1 %c, label %a, label %b\na:\n  br label %j\nb:\n  br label %j\nj:\n  ret void\n}\n",
      problem, context);
  if (!module) return 2;
  const llvm::Function& f = *module->getFunction("diamond");
  const simtflow::llvm_cfg cfg(f);
  return *simtflow::dominators(cfg).idom(&f.back()) == &f.getEntryBlock() ? 0 : 1;
}

// SPDX-License-Identifier: BSL-1.0
#include "count_allocations.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>

#include <doctest/doctest.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

using cfg = llvm_cfg<llvm::Function>;
using const_cfg = llvm_cfg<const llvm::Function>;
static_assert(check_adapter<cfg>() && bidirectional_flow_graph<cfg>);
static_assert(check_adapter<const_cfg>() && bidirectional_flow_graph<const_cfg>);
static_assert(std::is_same_v<vertex_t<cfg>, llvm::BasicBlock*>);
static_assert(std::is_same_v<vertex_t<const_cfg>, const llvm::BasicBlock*>);

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, const char* text) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> m = llvm::parseAssemblyString(text, error, context);
  if (m == nullptr) FAIL(error.getMessage().str());
  return m;
}

std::string name_of(const llvm::BasicBlock* b) {
  if (b == nullptr) return "none";
  std::string text;
  llvm::raw_string_ostream out(text);
  b->printAsOperand(out, false);
  return out.str();
}

// "" or the first block at which LLVM's trees and ours differ.
std::string difference(llvm::Function& f) {
  const cfg g(f);
  const auto dom = dominators(g);
  const llvm::DominatorTree theirs(f);
  for (llvm::BasicBlock& b : f) {
    const auto* node = theirs.getNode(&b);
    if (dom.is_reachable(&b) != (node != nullptr)) return name_of(&b) + ": reachable for one only";
    if (node == nullptr) continue;
    const llvm::BasicBlock* want = node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
    const llvm::BasicBlock* have = dom.idom(&b).value_or(nullptr);
    if (want != have) return name_of(&b) + ": dominated by " + name_of(have) + ", for LLVM by " + name_of(want);
  }

  // LLVM chooses a block of each endless loop as an end; here the caller names it. LLVM's tree has blocks that the
  // entry does not reach as well, and they take part in its choice.
  const llvm::PostDominatorTree back(f);
  std::vector<block_id> ends;
  for (const llvm::BasicBlock* b : back.roots())
    if (b != nullptr) ends.push_back(static_cast<block_id>(g.index(b)));
  const auto post = post_dominators(g, {.roots = ends});
  for (llvm::BasicBlock& b : f) {
    const auto* node = back.getNode(&b);
    if (!dom.is_reachable(&b)) continue;
    if (node == nullptr) return name_of(&b) + ": not in LLVM's post-dominator tree";
    const llvm::BasicBlock* want = node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
    const llvm::BasicBlock* have = post.ipdom(&b).value_or(nullptr);
    if (want != have) return name_of(&b) + ": post-dominated by " + name_of(have) + ", for LLVM by " + name_of(want);
  }
  return "";
}

constexpr const char* shapes = R"(
declare void @outside()
define i32 @diamond(i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  ret i32 0
}
define void @choices(i32 %n) {
entry:
  switch i32 %n, label %rest [ i32 0, label %one
                               i32 1, label %two
                               i32 2, label %one ]
one:
  br label %two
two:
  ret void
rest:
  unreachable
}
define void @island(i1 %c) {
entry:
  br label %end
lost:
  br i1 %c, label %lost, label %end
end:
  ret void
}
define void @cycle(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  br i1 %c, label %a, label %b
}
)";

}  // namespace

TEST_CASE("llvm: a function is a graph of its blocks, in their order") {
  llvm::LLVMContext context;
  const auto m = parse(context, shapes);
  for (llvm::Function& f : *m) {
    const cfg g(f);
    CAPTURE(f.getName().str());
    CHECK(g.num_blocks() == f.size());
    CHECK(validate(g).empty());
    CHECK(&g.function() == &f);
  }
  const cfg none(*m->getFunction("outside"));
  CHECK(none.num_blocks() == 0);
  CHECK(snapshot(none).num_blocks() == 0);

  const cfg switched(*m->getFunction("choices"));
  const csr_graph shape = snapshot(switched);
  const std::vector<block_id> slots(shape.successors(0).begin(), shape.successors(0).end());
  CHECK(slots == std::vector<block_id>{3, 1, 2, 1});  // the default first
  CHECK(shape.is_exit(3));
  CHECK(shape.predecessors(1).size() == 2);

  const cfg island(*m->getFunction("island"));
  const auto tree = dominators(island);
  CHECK(!tree.is_reachable(island.block_at(1)));
  CHECK(tree.idom(island.block_at(2)) == island.block_at(0));
}

TEST_CASE("llvm: a const function answers const blocks") {
  llvm::LLVMContext context;
  const auto m = parse(context, shapes);
  const llvm::Function& f = *m->getFunction("diamond");
  const llvm_cfg g(f);
  const auto tree = post_dominators(g);
  CHECK(*tree.ipdom(&f.getEntryBlock()) == &f.back());
}

TEST_CASE("llvm: blocks that are added later take a renumber()") {
  llvm::LLVMContext context;
  const auto m = parse(context, shapes);
  llvm::Function& f = *m->getFunction("diamond");
  cfg g(f);
  f.getEntryBlock().splitBasicBlock(f.getEntryBlock().begin(), "second");
  CHECK(g.num_blocks() == 4);
  g.renumber();
  CHECK(g.num_blocks() == 5);
  CHECK(validate(g).empty());
  CHECK(difference(f) == "");
}

TEST_CASE("llvm: what one block reaches is a discovered graph") {
  llvm::LLVMContext context;
  const auto m = parse(context, shapes);
  const llvm::Function& f = *m->getFunction("cycle");
  const discovered_graph whole(&f.getEntryBlock(), llvm_successors{});
  CHECK(whole.num_blocks() == 3);
  CHECK(!loops(whole).is_reducible());
  const llvm::BasicBlock* b = &f.back();
  const discovered_graph part(b, llvm_successors{});
  CHECK(part.num_blocks() == 2);
  CHECK(loops(part).is_reducible());  // the same cycle, entered at one place
}

TEST_CASE("llvm: convergent calls") {
  llvm::LLVMContext context;
  const auto m = parse(context, R"(
declare void @barrier() convergent
declare void @plain()
define void @f() {
entry:
  call void @plain()
  br label %meet
meet:
  call void @barrier()
  ret void
}
)");
  const llvm::Function& f = *m->getFunction("f");
  CHECK(!llvm_is_convergent{}(&f.front()));
  CHECK(llvm_is_convergent{}(&f.back()));
}

TEST_CASE("llvm: nothing is copied but the shape, however many instructions there are") {
  llvm::LLVMContext context;
  llvm::Module m("m", context);
  const auto bytes = [&](unsigned instructions) {
    llvm::Type* number = llvm::Type::getInt32Ty(context);
    auto* f = llvm::Function::Create(llvm::FunctionType::get(number, {number}, false), llvm::Function::ExternalLinkage,
                                     "f", m);
    llvm::Value* x = f->getArg(0);
    llvm::BasicBlock* b = llvm::BasicBlock::Create(context, "", f);
    for (int k = 0; k < 20; ++k) {
      llvm::IRBuilder<> at(b);
      for (unsigned i = 0; i < instructions; ++i) x = at.CreateXor(at.CreateAdd(x, x), f->getArg(0));
      llvm::BasicBlock* next = llvm::BasicBlock::Create(context, "", f);
      at.CreateCondBr(at.CreateIsNull(x), b == &f->getEntryBlock() ? next : b, next);
      b = next;
    }
    llvm::IRBuilder<>(b).CreateRet(x);
    const std::size_t before = allocated_bytes;  // by everything in the program and in LLVM
    const cfg g(*f);
    const auto up = dominators(g);
    const auto down = post_dominators(g);
    CHECK(up.is_reachable(b));
    return allocated_bytes - before;
  };
  const std::size_t few = bytes(1), many = bytes(1'000);
  CHECK(few == many);
  CHECK(few > 0);
}

TEST_CASE("llvm: dominators and post-dominators are LLVM's on the project's own programs") {
  llvm::LLVMContext shapes_context;
  const auto shapes_module = parse(shapes_context, shapes);
  for (llvm::Function& f : *shapes_module)
    if (!f.isDeclaration()) CHECK_MESSAGE(difference(f) == "", f.getName().str());

  std::string files = SIMTFLOW_LLVM_BITCODE;  // a list, ':' between
  if (files.empty()) MESSAGE("skipped: no clang to make bitcode of this project's programs");
  std::size_t functions = 0, blocks = 0, largest = 0;
  while (!files.empty()) {
    const std::size_t end = files.find(':');
    const std::string file = files.substr(0, end);
    files = end == std::string::npos ? "" : files.substr(end + 1);
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(file, error, context);
    REQUIRE_MESSAGE(m != nullptr, file << ": " << error.getMessage().str());
    for (llvm::Function& f : *m) {
      if (f.isDeclaration()) continue;
      ++functions;
      blocks += f.size();
      largest = f.size() > largest ? f.size() : largest;
      const std::string found = difference(f);
      CHECK_MESSAGE(found == "", file << ": " << f.getName().str() << ": " << found);
    }
  }
  if (functions > 0) {
    MESSAGE(functions << " functions of " << blocks << " blocks, the largest of " << largest);
    CHECK(functions >= 2'000);
  }
}

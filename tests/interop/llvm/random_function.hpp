// SPDX-License-Identifier: BSL-1.0
//
// Random LLVM functions with two-armed branches, and what they compute: LLVM's own interpreter runs them.
#pragma once

#include "transform/toy_code.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/ExecutionEngine/ExecutionEngine.h>
#include <llvm/ExecutionEngine/GenericValue.h>
#include <llvm/ExecutionEngine/Interpreter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtflow_tests {

/// Toy code as LLVM's: registers are promoted to values and phis, some opcodes are accesses to memory and calls. The
/// result of i64 f(i64) depends on all that it has computed, and on the memory. Branches look at a hash, until fuel has
/// run out and all lead to the end. Nothing depends on poison, though flags promise much and one register begins
/// without a value: optimizers may be let loose on f.
class function_writer {
 public:
  function_writer(llvm::Module& m, const toy_code& code, simtflow::testing::rng& random)
      : m_(m), code_(code), number_(llvm::Type::getInt64Ty(m.getContext())) {
    for (unsigned& k : operation_) k = static_cast<unsigned>(random.below(num_operations));
    memory_ = make_memory("memory");
    other_memory_ = make_memory("other_memory");
    write_mix();
    write();
    if (random.chance(25)) write_lines();
  }
  [[nodiscard]] llvm::Function& function() const { return *f_; }

 private:
  static constexpr std::size_t num_operations = 20;

  llvm::GlobalVariable* make_memory(const char* name) {
    auto* array = llvm::ArrayType::get(number_, 8);
    return new llvm::GlobalVariable(m_, array, false, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantAggregateZero::get(array), name);
  }

  void write_mix() {
    mix_ = llvm::Function::Create(llvm::FunctionType::get(number_, {number_, number_}, false),
                                  llvm::Function::InternalLinkage, "mix", m_);
    mix_->addFnAttr(llvm::Attribute::NoSync);
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(m_.getContext(), "", mix_));
    at.CreateRet(
        at.CreateMul(at.CreateXor(mix_->getArg(0), at.CreateLShr(mix_->getArg(1), 7)), at.getInt64(0x9E3779B1)));
  }
  llvm::Value* get(llvm::IRBuilder<>& at, std::size_t r) { return at.CreateLoad(number_, registers_[r]); }
  llvm::Value* place(llvm::IRBuilder<>& at, llvm::Value* index) {
    return at.CreateGEP(memory_->getValueType(), memory_, {at.getInt64(0), at.CreateAnd(index, 7)});
  }

  // A value for which the flags of an instruction hold, if it has any.
  static llvm::Value* small(llvm::IRBuilder<>& at, llvm::Value* v, const toy_instruction& i) {
    return at.CreateAnd(v, i.b % 2 == 0 ? 0x7FFF'FFFFU : 0xFFFF'FFFF'FFFF'FFFEU);
  }
  static llvm::Value* real(llvm::IRBuilder<>& at, llvm::Value* v, std::uint64_t mask) {
    return at.CreateUIToFP(at.CreateAnd(v, mask), at.getDoubleTy());
  }

  void write_instruction(llvm::IRBuilder<>& at, const toy_instruction& i) {
    llvm::Value *a = get(at, i.a), *b = get(at, i.b), *made = nullptr;
    if (i.pinned) {
      at.CreateStore(at.CreateLoad(number_, place(at, a), true), registers_[i.to]);
      return;
    }
    switch (operation_[i.opcode_class]) {
      case 0:
        made = at.CreateAdd(small(at, a, i), i.odd ? at.getInt64(i.b) : small(at, b, i), "", i.b % 2 == 0, false);
        break;
      case 1:
        made = i.odd ? at.CreateSub(b, a) : at.CreateSub(a, b);
        break;
      case 2:
        made = i.odd ? at.CreateOr(a, b) : at.CreateXor(a, b);
        break;
      case 3:
        made = at.CreateMul(a, b);
        break;
      case 4:
        made = at.CreateZExt(i.a % 2 == 0 ? at.CreateICmpULT(a, b) : at.CreateICmpSGE(a, b), number_);
        break;
      case 5:
        made = at.CreateLoad(number_, place(at, a));
        break;
      case 6:
        at.CreateStore(b, place(at, a));
        return;
      case 7:
        made = at.CreateCall(mix_, {a, i.odd ? a : b});
        break;
      case 8:
        made = at.CreateUDiv(a, at.CreateOr(b, 1));
        break;
      case 9:
        made = at.CreateSelect(at.CreateIsNotNull(at.CreateAnd(a, 4)), a, b);
        break;
      case 10:
        made = i.odd ? at.CreateAShr(a, at.CreateAnd(b, 31)) : at.CreateLShr(a, at.CreateAnd(b, 31));
        break;
      case 11:
        made = at.CreateSExt(at.CreateTrunc(a, i.odd ? at.getInt16Ty() : at.getInt32Ty()), number_);
        break;
      case 12: {
        llvm::Value *x = real(at, a, 0xFFFF), *y = real(at, b, 255);
        made = at.CreateFPToUI(i.odd ? at.CreateFMul(x, y) : at.CreateFAdd(x, y), number_);
        break;
      }
      case 13: {
        llvm::Value* pair = llvm::UndefValue::get(llvm::FixedVectorType::get(number_, 2));
        pair = at.CreateInsertElement(at.CreateInsertElement(pair, a, std::uint64_t{0}), b, std::uint64_t{1});
        llvm::Value* turned = at.CreateShuffleVector(pair, pair, llvm::ArrayRef<int>{1, 2});
        made = at.CreateExtractElement(at.CreateMul(pair, turned), std::uint64_t{i.b % 2});
        break;
      }
      case 14:  // addresses that are there before the arms
        if (i.odd) {
          at.CreateStore(b, fixed_[i.a]);
          return;
        }
        made = at.CreateLoad(number_, fixed_[i.a]);
        break;
      case 15:
        made = at.CreateMul(small(at, a, i), small(at, b, i), "", i.b % 2 == 0, false);
        break;
      case 16:  // a register without a value until it is set
        if (i.odd) {
          at.CreateStore(a, unset_);
          at.CreateStore(at.getTrue(), is_set_);
          return;
        }
        made = at.CreateSelect(at.CreateLoad(at.getInt1Ty(), is_set_), at.CreateLoad(number_, unset_), b);
        break;
      case 17: {
        llvm::Value *x = real(at, a, 0xFFFF), *y = real(at, b, 0xFFFF);
        auto* compare = llvm::cast<llvm::Instruction>(i.odd ? at.CreateFCmpOEQ(x, y) : at.CreateFCmpULT(x, y));
        compare->setHasNoNaNs(i.b % 2 == 0);
        made = at.CreateZExt(compare, number_);
        break;
      }
      case 18:
        made = at.CreateUnaryIntrinsic(i.odd ? llvm::Intrinsic::ctpop : llvm::Intrinsic::bswap, a);
        break;
      default:  // addresses that are constants
        made = at.CreateLoad(
            number_, at.CreateConstInBoundsGEP2_64(memory_->getValueType(), i.b % 2 == 0 ? memory_ : other_memory_, 0,
                                                   1 + i.a % 7));
        if (i.odd) made = at.CreateAdd(made, a);
    }
    at.CreateStore(made, registers_[i.to]);
  }

  // By block: the slot that leads to the end soonest.
  std::vector<std::size_t> ways_out() const {
    const simtflow::csr_graph& g = code_.graph;
    std::vector<std::size_t> way(g.num_blocks(), 0);
    std::vector<unsigned char> seen(g.num_blocks(), 0);
    std::vector<block_id> work;
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (g.is_exit(b)) {
        seen[b] = 1;
        work.push_back(b);
      }
    for (std::size_t k = 0; k < work.size(); ++k)
      for (const block_id p : g.predecessors(work[k])) {
        if (seen[p] != 0) continue;
        seen[p] = 1;
        work.push_back(p);
        const auto out = g.successors(p);
        way[p] = static_cast<std::size_t>(std::find(out.begin(), out.end(), work[k]) - out.begin());
      }
    return way;
  }

  void write() {
    llvm::LLVMContext& context = m_.getContext();
    const simtflow::csr_graph& g = code_.graph;
    f_ = llvm::Function::Create(llvm::FunctionType::get(number_, {number_}, false), llvm::Function::ExternalLinkage,
                                "f", m_);
    llvm::IRBuilder<> start(llvm::BasicBlock::Create(context, "start", f_));
    std::vector<llvm::BasicBlock*> blocks;
    for (block_id b = 0; b < g.num_blocks(); ++b)
      blocks.push_back(llvm::BasicBlock::Create(context, "b" + std::to_string(b), f_));
    for (auto& r : registers_) r = start.CreateAlloca(number_);
    llvm::AllocaInst* fuel = start.CreateAlloca(number_);
    llvm::Value* seed = f_->getArg(0);
    for (std::uint64_t k = 0; k < 8; ++k) {
      llvm::Value* x = start.CreateMul(start.CreateXor(seed, k * 0x1234'5677), start.getInt64(0x2545'F491'4F6C'DD1DU));
      start.CreateStore(start.CreateXor(x, start.CreateLShr(x, 29)), registers_[k]);
      start.CreateStore(start.CreateAdd(seed, start.getInt64(k)), place(start, start.getInt64(k)));
    }
    start.CreateStore(start.getInt64(40), fuel);
    unset_ = start.CreateAlloca(number_);
    is_set_ = start.CreateAlloca(start.getInt1Ty());
    start.CreateStore(start.getFalse(), is_set_);
    auto* own = start.CreateAlloca(memory_->getValueType());
    for (std::uint64_t k = 0; k < 8; ++k) {
      fixed_[k] = start.CreateConstInBoundsGEP2_64(memory_->getValueType(), own, 0, k);
      start.CreateStore(start.getInt64(k * k), fixed_[k]);
    }
    start.CreateBr(blocks[g.entry()]);
    const std::vector<std::size_t> way = ways_out();
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      llvm::IRBuilder<> at(blocks[b]);
      for (std::uint32_t i = code_.begin[b]; i < code_.end[b]; ++i) write_instruction(at, code_.code[i]);
      const auto out = g.successors(b);
      if (out.empty()) {
        llvm::Value* sum = at.CreateLoad(number_, fuel);
        for (std::uint64_t k = 0; k < 8; ++k) {
          sum = at.CreateCall(mix_, {sum, get(at, k)});
          sum = at.CreateAdd(at.CreateMul(sum, at.getInt64(31)), at.CreateLoad(number_, place(at, at.getInt64(k))));
          sum = at.CreateXor(sum, at.CreateLoad(number_, fixed_[k]));
        }
        at.CreateRet(sum);
      } else if (out.size() == 1) {
        at.CreateBr(blocks[out[0]]);
      } else {
        llvm::Value* left = at.CreateSub(at.CreateLoad(number_, fuel), at.getInt64(1));
        at.CreateStore(left, fuel);
        llvm::Value* h = at.CreateMul(at.CreateAdd(get(at, b % 8), left), at.getInt64(0x9E37'79B9'7F4A'7C15U));
        h = at.CreateLShr(h, 61);
        llvm::Value* empty = at.CreateICmpSLT(left, at.getInt64(0));
        if (out.size() == 2) {
          llvm::Value* c = at.CreateICmpULT(h, at.getInt64(3 + b % 3));
          at.CreateCondBr(at.CreateSelect(empty, at.getInt1(way[b] == 0), c), blocks[out[0]], blocks[out[1]]);
        } else {
          auto* table = at.CreateSwitch(at.CreateSelect(empty, at.getInt64(way[b]), h), blocks[out[0]]);
          for (std::size_t k = 1; k < out.size(); ++k) table->addCase(at.getInt64(k), blocks[out[k]]);
        }
      }
    }
    std::vector<llvm::AllocaInst*> all(registers_, registers_ + 8);
    all.insert(all.end(), {fuel, unset_, is_set_});
    llvm::DominatorTree tree(*f_);
    llvm::PromoteMemToReg(all, tree);
  }

  // A line for each instruction, and names for some of the values.
  void write_lines() {
    m_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    llvm::DIBuilder info(m_);
    llvm::DIFile* file = info.createFile("f.c", "/");
    info.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "", true, "", 0);
    llvm::DISubprogram* scope =
        info.createFunction(file, "f", "f", file, 1, info.createSubroutineType(info.getOrCreateTypeArray({})), 1,
                            llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    f_->setSubprogram(scope);
    unsigned line = 1;
    for (llvm::BasicBlock& b : *f_)
      for (llvm::Instruction& i : b) i.setDebugLoc(llvm::DILocation::get(m_.getContext(), ++line, 1, scope));
#if LLVM_VERSION_MAJOR < 20
    llvm::DIType* type = info.createBasicType("n", 64, llvm::dwarf::DW_ATE_unsigned);
    llvm::DILocalVariable* x = info.createAutoVariable(scope, "x", file, 1, type);
    for (llvm::BasicBlock& b : *f_)
      if (llvm::Instruction& first = *b.getFirstInsertionPt(); first.getType() == number_ && !first.isTerminator())
        info.insertDbgValueIntrinsic(&first, x, info.createExpression(), first.getDebugLoc(), b.getTerminator());
#endif
    info.finalize();
  }

  llvm::Module& m_;
  const toy_code& code_;
  llvm::Type* number_;
  unsigned operation_[5];
  llvm::GlobalVariable *memory_ = nullptr, *other_memory_ = nullptr;
  llvm::Function *mix_ = nullptr, *f_ = nullptr;
  llvm::AllocaInst* registers_[8] = {};
  llvm::AllocaInst *unset_ = nullptr, *is_set_ = nullptr;
  llvm::Value* fixed_[8] = {};
};

/// A function with its module.
struct random_function {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = std::make_unique<llvm::Module>("m", *context);
  llvm::Function* f = nullptr;

  explicit random_function(std::uint64_t seed) {
    simtflow::testing::rng random(seed);
    block_id branch = 0;
    const toy_code toy = toy_generator(random).function(branch);
    f = &function_writer(*code, toy, random).function();
  }
  /// The results of f. The function is of no use afterwards.
  std::vector<std::uint64_t> run() {
    llvm::StripDebugInfo(*code);
    std::unique_ptr<llvm::ExecutionEngine> machine(
        llvm::EngineBuilder(std::move(code)).setEngineKind(llvm::EngineKind::Interpreter).create());
    REQUIRE(machine != nullptr);
    std::vector<std::uint64_t> results;
    for (const std::uint64_t argument : {0U, 1U, 2U, 3U, 77U, 123'456U, 99U, 1'000'003U}) {
      llvm::GenericValue given;
      given.IntVal = llvm::APInt(64, argument);
      results.push_back(machine->runFunction(f, {given}).IntVal.getZExtValue());
    }
    return results;
  }
};

/// Makes f fit for LLVM's interpreter, and mistakes visible: f returns after many steps, since plans that are wrong on
/// purpose may lead in circles. Undefined operands become odd numbers. There is no freeze any more, because the
/// interpreter does not know it.
inline void make_runnable(llvm::Function& f) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& b : f) {
    blocks.push_back(&b);
    for (llvm::Instruction& i : llvm::make_early_inc_range(b)) {
      for (llvm::Use& u : i.operands())
        if (llvm::isa<llvm::UndefValue>(u.get()) && u->getType()->isIntegerTy())
          u.set(llvm::ConstantInt::get(u->getType(), 0x5555'0000'1234'5677U));
      if (llvm::isa<llvm::FreezeInst>(i)) {
        i.replaceAllUsesWith(i.getOperand(0));
        i.eraseFromParent();
      }
    }
  }
  llvm::IRBuilder<> start(&f.getEntryBlock(), f.getEntryBlock().getFirstInsertionPt());
  llvm::Type* number = start.getInt64Ty();
  llvm::AllocaInst* steps = start.CreateAlloca(number);
  start.CreateStore(start.getInt64(0), steps);
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    llvm::IRBuilder<> at(blocks[k], blocks[k]->getFirstInsertionPt());
    llvm::Value* step = at.CreateAdd(at.CreateLoad(number, steps), at.getInt64(1));
    at.CreateStore(step, steps);
    llvm::Value* stuck = at.CreateICmpUGT(step, at.getInt64(10'000));
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(stuck, &*at.GetInsertPoint(), true);
    llvm::IRBuilder<>(end).CreateRet(at.getInt64(0xDEAD));
    end->eraseFromParent();
  }
}

}  // namespace simtflow_tests

// SPDX-License-Identifier: BSL-1.0
//
// The instructions of LLVM that can become one, rule by rule; and random functions: a few lines of this test apply
// their plans, and LLVM's own interpreter runs them before and after.
#include "support/long_run.hpp"
#include "transform/toy_code.hpp"
#include <simtflow/analysis/order.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/ExecutionEngine.h>
#include <llvm/ExecutionEngine/GenericValue.h>
#include <llvm/ExecutionEngine/Interpreter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {
namespace llvm_melding_checks {

using function_cfg = llvm_cfg<llvm::Function>;
using model = llvm_melding_model<llvm::Function>;
static_assert(meldable_code<model>);
static_assert(meldable_code<llvm_melding_model<const llvm::Function>>);
static_assert(!std::is_constructible_v<model, llvm_cfg<llvm::Function>>);  // it keeps a pointer to the graph

// Texts have opaque pointers, which LLVM 14 must be told.
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

std::string text_of_all(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return out.str();
}

// --- two instructions ------------------------------------------------------------------------------------------------

constexpr const char* declarations = R"(
%pair = type { i32, [4 x i32], i32 }
@g = global i32 0
@h = global i32 0
declare i32 @pure(i32, i32) nosync readnone
declare i32 @reads(i32) readonly
declare i32 @other(i32, i32) nosync readnone
declare i32 @writes(i32, i32)
declare i32 @writes_alone(i32, i32) nosync
declare i32 @vote(i32) convergent nosync readnone
declare i32 @once(i32) noduplicate nosync readnone
declare i32 @kept(i32) nomerge nosync readnone
declare i32 @jumps(ptr) returns_twice
declare float @llvm.sqrt.f32(float)
declare i32 @llvm.ctlz.i32(i32, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.assume(i1)
declare i32 @llvm.read_register.i32(metadata)
!0 = !{!"r0"}
!1 = !{!"r1"}
)";

std::string two_armed(const std::string& left, const std::string& right) {
  return std::string(declarations) +
         "define void @f(i1 %c, i32 %x, i32 %y, i64 %l, float %u, float %v, ptr %p, ptr %q, ptr addrspace(3) %s, "
         "<4 x i32> %w, <4 x i32> %z, %pair %a, ptr %fn, ptr swifterror %e) {\n"
         "start:\n  br i1 %c, label %left, label %right\nleft:\n" +
         left + "\n  br label %join\nright:\n" + right + "\n  br label %join\njoin:\n  ret void\n}\n";
}

// "one": they can become one; "two": they cannot; "pinned" or "banned" if either is.
std::string verdict(const std::string& left, const std::string& right) {
  text_module m(two_armed(left, right));
  const function_cfg g(m.function());
  const model code(g);
  const std::uint32_t i = code.last(1) - 1, j = code.last(2) - 1;
  CHECK(code.compatible(i, j) == code.compatible(j, i));
  CHECK(code.compatible(i, j) == (code.opcode_class(i) == code.opcode_class(j)));
  CHECK(code.compatible(i, i));
  if (code.compatible(i, j)) CHECK(code.overhead(i, j) == code.overhead(j, i));
  for (const std::uint32_t k : {i, j})
    if (code.is_convergent(k)) CHECK(code.is_pinned(k));
  if (code.is_convergent(i) || code.is_convergent(j)) return "banned";
  if (code.is_pinned(i) || code.is_pinned(j)) return "pinned";
  return code.compatible(i, j) ? "one" : "two";
}

std::uint32_t selects(const std::string& left, const std::string& right) {
  text_module m(two_armed(left, right));
  const function_cfg g(m.function());
  const model code(g);
  REQUIRE(code.compatible(code.last(1) - 1, code.last(2) - 1));
  return code.overhead(code.last(1) - 1, code.last(2) - 1);
}

std::uint32_t weight(const std::string& text) {
  text_module m(two_armed(text, ""));
  const function_cfg g(m.function());
  const model code(g);
  return code.latency(code.last(1) - 1);
}

// --- random functions ------------------------------------------------------------------------------------------------

// Toy code as LLVM's: registers are promoted to values and phis, some opcodes are accesses to memory and calls. i64
// f(i64) mixes into its result all that it has computed, and the memory. Branches look at a hash, until fuel has run
// out and all lead to the end.
class function_writer {
 public:
  function_writer(llvm::Module& m, const simtflow_tests::toy_code& code, testing::rng& random)
      : m_(m), code_(code), number_(llvm::Type::getInt64Ty(m.getContext())) {
    for (unsigned& k : operation_) k = static_cast<unsigned>(random.below(num_operations));
    auto* array = llvm::ArrayType::get(number_, 8);
    memory_ = new llvm::GlobalVariable(m, array, false, llvm::GlobalValue::InternalLinkage,
                                       llvm::ConstantAggregateZero::get(array), "memory");
    write_mix();
    write();
  }
  [[nodiscard]] llvm::Function& function() const { return *f_; }

 private:
  static constexpr std::size_t num_operations = 13;

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

  void write_instruction(llvm::IRBuilder<>& at, const simtflow_tests::toy_instruction& i) {
    llvm::Value *a = get(at, i.a), *b = get(at, i.b), *made = nullptr;
    if (i.pinned) {
      at.CreateStore(at.CreateLoad(number_, place(at, a), true), registers_[i.to]);
      return;
    }
    switch (operation_[i.opcode_class]) {
      case 0:
        made = at.CreateAdd(a, i.odd ? at.getInt64(i.b) : b, "", i.b % 2 == 0, false);
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
      default: {
        llvm::Type* real = at.getDoubleTy();
        llvm::Value *x = at.CreateUIToFP(at.CreateAnd(a, 0xFFFF), real),
                    *y = at.CreateUIToFP(at.CreateAnd(b, 255), real);
        made = at.CreateFPToUI(i.odd ? at.CreateFMul(x, y) : at.CreateFAdd(x, y), number_);
      }
    }
    at.CreateStore(made, registers_[i.to]);
  }

  // By block: the slot that leads to the end soonest.
  std::vector<std::size_t> ways_out() const {
    const csr_graph& g = code_.graph;
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
    const csr_graph& g = code_.graph;
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
    all.push_back(fuel);
    llvm::DominatorTree tree(*f_);
    llvm::PromoteMemToReg(all, tree);
  }

  llvm::Module& m_;
  const simtflow_tests::toy_code& code_;
  llvm::Type* number_;
  unsigned operation_[5];
  llvm::GlobalVariable* memory_ = nullptr;
  llvm::Function *mix_ = nullptr, *f_ = nullptr;
  llvm::AllocaInst* registers_[8] = {};
};

struct random_function {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = std::make_unique<llvm::Module>("m", *context);
  llvm::Function* f = nullptr;

  explicit random_function(std::uint64_t seed) {
    testing::rng random(seed);
    block_id branch = 0;
    const simtflow_tests::toy_code toy = simtflow_tests::toy_generator(random).function(branch);
    f = &function_writer(*code, toy, random).function();
  }
  /// The results of f. The function is of no use afterwards.
  std::vector<std::uint64_t> run() {
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

// --- applying a plan -------------------------------------------------------------------------------------------------

// As plainly as it goes: every value of the arms has a place in memory, and so has what each phi is to be.
template <class Model>
class plan_writer {
 public:
  plan_writer(llvm::Function& f, const function_cfg& g, const Model& code, const meld_plan& plan)
      : f_(f), code_(code), plan_(plan), head_(g.block_at(plan.branch)), join_(g.block_at(plan.join)) {
    for (std::size_t b = 0; b < g.num_blocks(); ++b) blocks_.push_back(g.block_at(b));
    for (const meld_block& b : plan.blocks)
      for (const block_id own : {b.left, b.right})
        if (own != no_block) planned_.insert(blocks_[own]);
    std::vector<llvm::BasicBlock*> work{head_->getTerminator()->getSuccessor(0),
                                        head_->getTerminator()->getSuccessor(1)};
    while (!work.empty()) {
      llvm::BasicBlock* b = work.back();
      work.pop_back();
      if (b == join_ || !arms_.insert(b).second) continue;
      for (llvm::BasicBlock* s : llvm::successors(b)) work.push_back(s);
    }
  }

  void write() {
    llvm::IRBuilder<> start(&*f_.getEntryBlock().getFirstInsertionPt());
    // Plans that are wrong on purpose may lead in circles.
    steps_ = start.CreateAlloca(start.getInt64Ty());
    start.CreateStore(start.getInt64(0), steps_);
    stuck_ = new_block("stuck");
    llvm::IRBuilder<>(stuck_).CreateRet(start.getInt64(0xDEAD));
    for (llvm::BasicBlock* b : arms_)
      for (llvm::Instruction& i : *b) {
        if (!i.getType()->isVoidTy()) value_[&i] = start.CreateAlloca(i.getType());
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) next_[phi] = start.CreateAlloca(i.getType());
      }
    for (llvm::PHINode& phi : join_->phis()) next_[&phi] = start.CreateAlloca(phi.getType());

    auto* branch = llvm::cast<simtflow::detail::llvm_two_way_branch>(head_->getTerminator());
    left_ = branch->getCondition();
    llvm::BasicBlock* first[2] = {branch->getSuccessor(0), branch->getSuccessor(1)};
    for (std::size_t k = 0; k <= plan_.pieces.size(); ++k) pieces_.push_back(new_block("piece"));
    for (std::size_t k = 0; k < plan_.blocks.size(); ++k) starts_.push_back(new_block("meld"));
    {
      llvm::IRBuilder<> at(branch);
      move(at, true, head_, first[0]);
      move(at, false, head_, first[1]);
      at.CreateBr(pieces_[0]);
      branch->eraseFromParent();
    }
    for (std::size_t k = 0; k < plan_.pieces.size(); ++k) {
      const meld_piece& p = plan_.pieces[k];
      llvm::IRBuilder<> at(pieces_[k]);
      llvm::BasicBlock* begin = starts_[p.first_block];
      if (p.side == meld_side::both)
        at.CreateBr(begin);
      else
        at.CreateCondBr(left_, p.side == meld_side::left ? begin : pieces_[k + 1],
                        p.side == meld_side::left ? pieces_[k + 1] : begin);
      for (std::size_t b = p.first_block; b < std::size_t{p.first_block} + p.num_blocks; ++b)
        write_block(plan_.blocks[b], starts_[b], pieces_[k + 1]);
    }
    llvm::IRBuilder<> at(pieces_.back());
    for (llvm::PHINode& phi : join_->phis()) phi.addIncoming(at.CreateLoad(phi.getType(), next_[&phi]), pieces_.back());
    at.CreateBr(join_);
    llvm::DeleteDeadBlocks(std::vector<llvm::BasicBlock*>(arms_.begin(), arms_.end()), nullptr, true);
  }

 private:
  llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(f_.getContext(), name, &f_); }

  llvm::Value* value(llvm::IRBuilder<>& at, llvm::Value* v) {
    const auto found = value_.find(v);
    return found == value_.end() ? v : at.CreateLoad(v->getType(), found->second);
  }
  llvm::Value* choose(llvm::IRBuilder<>& at, llvm::Value* x, llvm::Value* y) {
    return x == y ? x : at.CreateSelect(left_, x, y);
  }

  // The values of the phis along the edge from `from` to `to`, and along edges through blocks that are in no piece.
  void move(llvm::IRBuilder<>& at, bool left, llvm::BasicBlock* from, llvm::BasicBlock* to) {
    for (;;) {
      std::vector<std::pair<llvm::PHINode*, llvm::Value*>> all;
      for (llvm::PHINode& phi : to->phis()) all.emplace_back(&phi, value(at, phi.getIncomingValueForBlock(from)));
      for (const auto& [phi, v] : all) {
        llvm::Value* old = at.CreateLoad(phi->getType(), next_[phi]);
        at.CreateStore(left ? choose(at, v, old) : choose(at, old, v), next_[phi]);
      }
      if (to == join_ || planned_.count(to) != 0) return;
      arrive(at, to);
      from = to;
      to = to->getTerminator()->getSuccessor(0);
    }
  }
  void arrive(llvm::IRBuilder<>& at, llvm::BasicBlock* b) {
    for (llvm::PHINode& phi : b->phis()) at.CreateStore(at.CreateLoad(phi.getType(), next_[&phi]), value_[&phi]);
  }

  llvm::Instruction* clone(llvm::IRBuilder<>& at, const llvm::Instruction& i) {
    llvm::Instruction* made = i.clone();
    for (unsigned k = 0; k < made->getNumOperands(); ++k) made->setOperand(k, value(at, i.getOperand(k)));
    return made;
  }
  void keep(llvm::IRBuilder<>& at, const llvm::Instruction& of, llvm::Instruction* made) {
    if (!of.getType()->isVoidTy()) at.CreateStore(made, value_[&of]);
  }

  void write_block(const meld_block& b, llvm::BasicBlock* start, llvm::BasicBlock* end_of_piece) {
    llvm::IRBuilder<> at(start);
    llvm::Value* step = at.CreateAdd(at.CreateLoad(at.getInt64Ty(), steps_), at.getInt64(1));
    at.CreateStore(step, steps_);
    llvm::BasicBlock* go_on = new_block("go");
    at.CreateCondBr(at.CreateICmpULT(step, at.getInt64(1'000)), go_on, stuck_);
    at.SetInsertPoint(go_on);
    llvm::BasicBlock* old[2] = {b.left == no_block ? nullptr : blocks_[b.left],
                                b.right == no_block ? nullptr : blocks_[b.right]};
    for (llvm::BasicBlock* o : old)
      if (o != nullptr) arrive(at, o);
    for (std::size_t s = b.first_slot; s < std::size_t{b.first_slot} + b.num_slots; ++s) {
      const meld_slot& slot = plan_.all_slots[s];
      if (slot.left != no_instruction && slot.right != no_instruction) {
        const llvm::Instruction &x = code_.instruction(slot.left), &y = code_.instruction(slot.right);
        llvm::Instruction *made = clone(at, x), *other = clone(at, y);
        for (unsigned k = 0; k < made->getNumOperands(); ++k)
          made->setOperand(k, choose(at, made->getOperand(k), other->getOperand(k)));
        made->andIRFlags(other);
        other->deleteValue();
        at.Insert(made);
        keep(at, x, made);
        keep(at, y, made);
        continue;
      }
      const bool left = slot.left != no_instruction;
      const llvm::Instruction& x = code_.instruction(left ? slot.left : slot.right);
      llvm::BasicBlock *run = new_block("run"), *after = new_block("after");
      at.CreateCondBr(left_, left ? run : after, left ? after : run);
      at.SetInsertPoint(run);
      llvm::Instruction* made = clone(at, x);
      at.Insert(made);
      keep(at, x, made);
      at.CreateBr(after);
      at.SetInsertPoint(after);
    }
    std::vector<llvm::BasicBlock*> edges;
    for (std::uint32_t slot = 0; slot < b.num_successors; ++slot) {
      edges.push_back(new_block("edge"));
      llvm::IRBuilder<> on(edges.back());
      for (const bool left : {true, false}) {
        llvm::BasicBlock* from = old[left ? 0 : 1];
        if (from == nullptr) continue;
        const llvm::Instruction* last = from->getTerminator();
        const bool guest = b.ends_as == (left ? meld_side::right : meld_side::left);
        const unsigned own = guest ? 0 : !left && b.swapped ? 1 - slot : slot;
        move(on, left, from, last->getSuccessor(own));
      }
      const std::uint32_t to = plan_.successors[b.first_successor + slot];
      on.CreateBr(to == piece_end ? end_of_piece : starts_[to]);
    }
    write_branch(at, b, old, edges);
  }

  void write_branch(llvm::IRBuilder<>& at, const meld_block& b, llvm::BasicBlock* const (&old)[2],
                    const std::vector<llvm::BasicBlock*>& edges) {
    if (edges.size() == 1) {
      at.CreateBr(edges[0]);
      return;
    }
    llvm::Value* conditions[2] = {nullptr, nullptr};
    const llvm::Instruction* form = nullptr;
    for (const unsigned side : {1U, 0U}) {
      if (b.ends_as == (side == 0 ? meld_side::right : meld_side::left)) continue;
      form = old[side]->getTerminator();
      conditions[side] = value(at, form->getOperand(0));
    }
    const auto* table = llvm::dyn_cast<llvm::SwitchInst>(form);
    for (const unsigned side : {0U, 1U}) {
      if (conditions[side] != nullptr) continue;
      llvm::Value* own = conditions[1 - side];
      if (b.forced == no_outcome) {
        conditions[side] = own;
      } else if (table == nullptr) {
        conditions[side] = at.getInt1(b.forced == 0);
      } else if (b.forced > 0) {
        conditions[side] = at.getInt((table->case_begin() + (b.forced - 1))->getCaseValue()->getValue());
      } else {
        std::uint64_t free = 0;
        const auto taken = [&] {
          for (const auto& one : table->cases())
            if (one.getCaseValue()->getZExtValue() == free) return true;
          return false;
        };
        while (taken()) ++free;
        conditions[side] = llvm::ConstantInt::get(own->getType(), free);
      }
    }
    if (b.swapped) conditions[1] = at.CreateNot(conditions[1]);
    llvm::Value* which = choose(at, conditions[0], conditions[1]);
    if (table == nullptr) {
      at.CreateCondBr(which, edges[0], edges[1]);
      return;
    }
    auto* made = at.CreateSwitch(which, edges[0]);
    std::size_t k = 1;
    for (const auto& one : table->cases())
      made->addCase(llvm::ConstantInt::get(one.getCaseValue()->getContext(), one.getCaseValue()->getValue()),
                    edges[k++]);
  }

  llvm::Function& f_;
  const Model& code_;
  const meld_plan& plan_;
  llvm::BasicBlock *head_, *join_;
  std::vector<llvm::BasicBlock*> blocks_, pieces_, starts_;
  std::set<llvm::BasicBlock*> planned_, arms_;
  llvm::Value* left_ = nullptr;
  llvm::AllocaInst* steps_ = nullptr;
  llvm::BasicBlock* stuck_ = nullptr;
  std::map<const llvm::Value*, llvm::AllocaInst*> value_, next_;
};

// --- what a plan must be ---------------------------------------------------------------------------------------------

// The text of an instruction with operands that are all the same but for their types, without flags and alignment.
std::string bare_text(const llvm::Instruction& i) {
  llvm::Instruction* bare = i.clone();
  for (unsigned k = 0; k < bare->getNumOperands(); ++k)
    if (!llvm::isa<llvm::Function>(bare->getOperand(k)))
      bare->setOperand(k, llvm::UndefValue::get(bare->getOperand(k)->getType()));
  bare->dropPoisonGeneratingFlags();
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(bare)) load->setAlignment(llvm::Align(1));
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(bare)) store->setAlignment(llvm::Align(1));
  std::string text;
  llvm::raw_string_ostream out(text);
  bare->print(out);
  bare->deleteValue();
  return out.str();
}

// "" or what is wrong with the plan as such: every instruction of the arms once, on its side, in its place, in order.
template <class Model>
std::string wrong_in_plan(const function_cfg& g, const Model& code, const meld_plan& plan) {
  std::map<const llvm::Instruction*, unsigned> times;
  std::set<const llvm::BasicBlock*> arm[2];
  const llvm::BasicBlock* join = g.block_at(plan.join);
  std::size_t to_do = 0;
  for (const unsigned side : {0U, 1U}) {
    std::vector<const llvm::BasicBlock*> work{g.block_at(plan.branch)->getTerminator()->getSuccessor(side)};
    while (!work.empty()) {
      const llvm::BasicBlock* b = work.back();
      work.pop_back();
      if (b == join || !arm[side].insert(b).second) continue;
      for (const llvm::BasicBlock* s : llvm::successors(b)) work.push_back(s);
      for (const llvm::Instruction& i : *b) to_do += llvm::isa<llvm::PHINode>(i) || i.isTerminator() ? 0U : 1U;
    }
  }
  std::size_t done = 0;
  for (const meld_piece& p : plan.pieces)
    for (std::size_t k = p.first_block; k < std::size_t{p.first_block} + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      const llvm::Instruction* before[2] = {nullptr, nullptr};
      for (std::size_t s = b.first_slot; s < std::size_t{b.first_slot} + b.num_slots; ++s) {
        const std::uint32_t numbers[2] = {plan.all_slots[s].left, plan.all_slots[s].right};
        const llvm::Instruction* here[2] = {nullptr, nullptr};
        for (const unsigned side : {0U, 1U}) {
          if (numbers[side] == no_instruction) continue;
          const llvm::Instruction& i = *(here[side] = &code.instruction(numbers[side]));
          const block_id own = side == 0 ? b.left : b.right;
          if (own == no_block || i.getParent() != g.block_at(own)) return "an instruction is not of its block";
          if (arm[side].count(i.getParent()) == 0) return "an instruction is on the wrong side";
          if (before[side] != nullptr && !before[side]->comesBefore(&i)) return "the order has changed";
          before[side] = &i;
          if (times[&i]++ != 0) return "an instruction is there twice";
          ++done;
          if (p.side == meld_side::both && (i.isVolatile() || i.isAtomic())) return "a pinned one is in a melded piece";
        }
        if (here[0] != nullptr && here[1] != nullptr && bare_text(*here[0]) != bare_text(*here[1]))
          return "not compatible: " + bare_text(*here[0]) + " and " + bare_text(*here[1]);
      }
    }
  return done == to_do ? "" : "an instruction is missing";
}

struct sweep_figures {
  std::size_t plans = 0, melded_pieces = 0, regions = 0, placed = 0, pairs = 0, through_phis = 0;
};

struct as_it_is {
  void operator()(meld_plan&) const {}
};

// One random function: each of its plans, spoilt by `spoil`, applied to the function. "" or what is wrong.
template <class Model, class Spoil>
std::string wrong_of(std::uint64_t seed, const Spoil& spoil, sweep_figures& figures) {
  random_function original(seed);
  const std::string before = text_of_all(*original.f);
  if (llvm::verifyModule(*original.code)) return "the function itself is invalid\n" + before;
  meld_options options;
  options.threshold = seed % 3 == 0 ? 0.0 : 0.15;
  options.predication_cost = seed % 2 == 0 ? 3 : 0;
  std::vector<block_id> branches;
  {
    const function_cfg g(*original.f);
    const Model code(g);
    const csr_graph shape = snapshot(g);
    const depth_first_order<csr_graph> search(shape);
    meld_plan plan;
    for (block_id b = 0; b < shape.num_blocks(); ++b)
      if (shape.successors(b).size() == 2 && search.is_reachable(b) &&
          plan_meld(shape, code, b, plan, options) == meld_refusal::none)
        branches.push_back(b);
  }
  std::vector<std::uint64_t> want;
  for (const block_id branch : branches) {
    random_function copy(seed);
    llvm::Function& f = *copy.f;
    const function_cfg g(f);
    const Model code(g);
    meld_plan plan;
    if (plan_meld(snapshot(g), code, branch, plan, options) != meld_refusal::none) return "no plan this time";
    ++figures.plans;
    for (const meld_piece& p : plan.pieces) {
      if (p.side != meld_side::both) continue;
      ++figures.melded_pieces;
      const meld_block& b = plan.blocks[p.first_block];
      figures.regions += p.num_blocks > 1 && b.left != no_block && b.right != no_block ? 1 : 0;
      for (std::size_t k = p.first_block; p.num_blocks > 1 && k < std::size_t{p.first_block} + p.num_blocks; ++k)
        figures.placed += plan.blocks[k].forced != no_outcome ? 1 : 0;
    }
    for (const meld_slot& s : plan.all_slots)
      figures.pairs += s.left != no_instruction && s.right != no_instruction ? 1 : 0;
    for (const llvm::BasicBlock& b : f)
      if (b.getFirstNonPHI() == b.getTerminator() && b.begin() != std::prev(b.end())) ++figures.through_phis;
    spoil(plan);
    const std::string where = "branch " + std::to_string(branch) + ": ";
    std::string wrong = wrong_in_plan(g, code, plan);
    if (!wrong.empty()) return where + wrong + '\n' + before;
    plan_writer<Model>(f, g, code, plan).write();
    llvm::raw_string_ostream out(wrong);
    if (llvm::verifyModule(*copy.code, &out)) return where + out.str() + "\n" + before + text_of_all(f);
    const std::string after = text_of_all(f);
    if (want.empty()) want = original.run();
    if (copy.run() != want) return where + "other results\nbefore:\n" + before + "after:\n" + after;
  }
  return "";
}

}  // namespace llvm_melding_checks
}  // namespace

TEST_CASE("llvm_melding: instructions that can become one") {
  using llvm_melding_checks::verdict;
  struct row {
    const char *what, *left, *right;
  };
  for (const row& r : {
           row{"the same", "%r1 = add i32 %x, %y", "%r2 = add i32 %x, %y"},
           row{"other registers", "%r1 = add i32 %x, 1", "%r2 = add i32 %y, %x"},
           row{"flags: one has only the common ones", "%r1 = add nuw nsw i32 %x, %y", "%r2 = add nsw i32 %y, %y"},
           row{"exact and not", "%r1 = udiv exact i32 %x, 3", "%r2 = udiv i32 %x, 5"},
           row{"fast and not", "%r1 = fadd fast float %u, %v", "%r2 = fadd float %v, %u"},
           row{"comparisons by one predicate", "%r1 = icmp slt i32 %x, 1", "%r2 = icmp slt i32 %y, %x"},
           row{"loads of other alignment", "%r1 = load i32, ptr %p, align 4", "%r2 = load i32, ptr %q, align 1"},
           row{"loads with metadata", "%r1 = load i32, ptr %p, !invariant.load !0", "%r2 = load i32, ptr %q"},
           row{"stores", "store i32 %x, ptr %p", "store i32 7, ptr @g"},
           row{"globals", "%r1 = load i32, ptr @g", "%r2 = load i32, ptr @h"},
           row{"conversions", "%r1 = zext i32 %x to i64", "%r2 = zext i32 %y to i64"},
           row{"selects", "%r1 = select i1 %c, i32 %x, i32 1", "%r2 = select i1 %c, i32 2, i32 %x"},
           row{"elements of an array", "%r1 = getelementptr i32, ptr %p, i64 3",
               "%r2 = getelementptr i32, ptr %q, i64 %l"},
           row{"one field, other elements", "%r1 = getelementptr inbounds %pair, ptr %p, i64 0, i32 1, i64 2",
               "%r2 = getelementptr %pair, ptr %q, i64 5, i32 1, i64 %l"},
           row{"elements of a vector", "%r1 = extractelement <4 x i32> %w, i32 1",
               "%r2 = extractelement <4 x i32> %z, i32 %x"},
           row{"one mask", "%r1 = shufflevector <4 x i32> %w, <4 x i32> %z, <2 x i32> <i32 0, i32 5>",
               "%r2 = shufflevector <4 x i32> %z, <4 x i32> %w, <2 x i32> <i32 0, i32 5>"},
           row{"one field of a value", "%r1 = extractvalue %pair %a, 1, 2", "%r2 = extractvalue %pair %a, 1, 2"},
           row{"calls without effects", "%r1 = call i32 @pure(i32 %x, i32 1)", "%r2 = call i32 @pure(i32 2, i32 %x)"},
           row{"calls that read", "%r1 = call i32 @reads(i32 %x)", "%r2 = call i32 @reads(i32 %y)"},
           row{"calls that write and do not synchronize", "%r1 = call i32 @writes_alone(i32 %x, i32 1)",
               "%r2 = call i32 @writes_alone(i32 %y, i32 1)"},
           row{"an intrinsic", "%r1 = call float @llvm.sqrt.f32(float %u)",
               "%r2 = call float @llvm.sqrt.f32(float %v)"},
           row{"one immediate", "%r1 = call i32 @llvm.ctlz.i32(i32 %x, i1 true)",
               "%r2 = call i32 @llvm.ctlz.i32(i32 %y, i1 true)"},
           row{"copies of memory", "call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)",
               "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %l, i1 false)"},
           row{"one pointer to a function", "%r1 = call i32 %fn(i32 %x) nosync", "%r2 = call i32 %fn(i32 %y) nosync"},
           row{"assembly of one text", "%r1 = call i32 asm \"abs $0, $1\", \"=r,r\"(i32 %x) readnone",
               "%r2 = call i32 asm \"abs $0, $1\", \"=r,r\"(i32 %y) readnone"},
           row{"assumptions", "call void @llvm.assume(i1 %c)", "call void @llvm.assume(i1 true)"},
           row{"freeze", "%r1 = freeze i32 %x", "%r2 = freeze i32 %y"},
       }) {
    CAPTURE(std::string(r.what));
    CHECK(verdict(r.left, r.right) == "one");
  }
}

TEST_CASE("llvm_melding: instructions that must stay two, by rule") {
  using llvm_melding_checks::verdict;
  struct row {
    const char *what, *left, *right;
  };
  for (const row& r : {
           row{"opcode", "%r1 = add i32 %x, %y", "%r2 = sub i32 %x, %y"},
           row{"type", "%r1 = add i32 %x, 1", "%r2 = add i64 %l, 1"},
           row{"type of an operand", "%r1 = trunc i64 %l to i16", "%r2 = trunc i32 %x to i16"},
           row{"type of the result", "%r1 = trunc i64 %l to i16", "%r2 = trunc i64 %l to i8"},
           row{"address space", "%r1 = load i32, ptr %p", "%r2 = load i32, ptr addrspace(3) %s"},
           row{"what is loaded", "%r1 = load i32, ptr %p", "%r2 = load float, ptr %p"},
           row{"predicate", "%r1 = icmp slt i32 %x, %y", "%r2 = icmp ult i32 %x, %y"},
           row{"predicate of numbers", "%r1 = fcmp olt float %u, %v", "%r2 = fcmp ult float %u, %v"},
           row{"field of a struct", "%r1 = getelementptr %pair, ptr %p, i64 0, i32 0",
               "%r2 = getelementptr %pair, ptr %p, i64 0, i32 2"},
           row{"type of an element", "%r1 = getelementptr i32, ptr %p, i64 1",
               "%r2 = getelementptr i64, ptr %p, i64 1"},
           row{"how many indices", "%r1 = getelementptr [4 x i32], ptr %p, i64 1",
               "%r2 = getelementptr [4 x i32], ptr %p, i64 1, i64 0"},
           row{"field of a value", "%r1 = extractvalue %pair %a, 0", "%r2 = extractvalue %pair %a, 2"},
           row{"field that is set", "%r1 = insertvalue %pair %a, i32 %x, 0", "%r2 = insertvalue %pair %a, i32 %x, 2"},
           row{"mask", "%r1 = shufflevector <4 x i32> %w, <4 x i32> %z, <2 x i32> <i32 0, i32 5>",
               "%r2 = shufflevector <4 x i32> %w, <4 x i32> %z, <2 x i32> <i32 0, i32 6>"},
           row{"immediate", "%r1 = call i32 @llvm.ctlz.i32(i32 %x, i1 true)",
               "%r2 = call i32 @llvm.ctlz.i32(i32 %x, i1 false)"},
           row{"metadata as an operand", "%r1 = call i32 @llvm.read_register.i32(metadata !0) nosync",
               "%r2 = call i32 @llvm.read_register.i32(metadata !1) nosync"},
           row{"callee", "%r1 = call i32 @pure(i32 %x, i32 %y)", "%r2 = call i32 @other(i32 %x, i32 %y)"},
           row{"type of the callee", "%r1 = call i32 %fn(i32 %x) nosync",
               "%r2 = call i32 (i32, ...) %fn(i32 %x) nosync"},
           row{"pointer to a function", "%r1 = call i32 %fn(i32 %x) nosync", "%r2 = call i32 %p(i32 %x) nosync"},
           row{"calling convention", "%r1 = call fastcc i32 %fn(i32 %x) nosync", "%r2 = call i32 %fn(i32 %x) nosync"},
           row{"attributes of a call", "%r1 = call i32 @pure(i32 noundef %x, i32 %y)",
               "%r2 = call i32 @pure(i32 %x, i32 %y)"},
           row{"kind of tail call", "%r1 = tail call i32 @pure(i32 %x, i32 %y)",
               "%r2 = call i32 @pure(i32 %x, i32 %y)"},
           row{"bundles", "%r1 = call i32 @pure(i32 %x, i32 %y) [\"why\"(i32 1)]",
               "%r2 = call i32 @pure(i32 %x, i32 %y) [\"how\"(i32 1)]"},
           row{"constants in bundles", "%r1 = call i32 @pure(i32 %x, i32 %y) [\"why\"(i32 1)]",
               "%r2 = call i32 @pure(i32 %x, i32 %y) [\"why\"(i32 2)]"},
           row{"text of assembly", "%r1 = call i32 asm \"abs $0, $1\", \"=r,r\"(i32 %x) readnone",
               "%r2 = call i32 asm \"neg $0, $1\", \"=r,r\"(i32 %x) readnone"},
           row{"constant of assembly", "%r1 = call i32 asm \"mov $0, $1\", \"=r,i\"(i32 1) readnone",
               "%r2 = call i32 asm \"mov $0, $1\", \"=r,i\"(i32 2) readnone"},
           row{"swifterror", "%r1 = load ptr, ptr %e", "%r2 = load ptr, ptr %p"},
           row{"calls that are not to be merged", "%r1 = call i32 @kept(i32 %x)", "%r2 = call i32 @kept(i32 %x)"},
           row{"alloca", "%r1 = alloca i32", "%r2 = alloca i32"},
           row{"lifetimes", "%r1 = alloca i32\n call void @llvm.lifetime.start.p0(i64 4, ptr %r1)",
               "%r2 = alloca i32\n call void @llvm.lifetime.start.p0(i64 4, ptr %r2)"},
       }) {
    CAPTURE(std::string(r.what));
    CHECK(verdict(r.left, r.right) == "two");
    CHECK(verdict(r.right, r.left) == "two");
  }
}

TEST_CASE("llvm_melding: instructions that keep their piece, or the branch, from being melded") {
  using llvm_melding_checks::verdict;
  struct row {
    const char *what, *both, *verdict;
  };
  for (const row& r : {
           row{"volatile load", "load volatile i32, ptr %p", "pinned"},
           row{"volatile store", "store volatile i32 %x, ptr %p", "pinned"},
           row{"atomic load", "load atomic i32, ptr %p monotonic, align 4", "pinned"},
           row{"atomic store", "store atomic i32 %x, ptr %p release, align 4", "pinned"},
           row{"unordered load", "load atomic i32, ptr %p unordered, align 4", "pinned"},
           row{"atomicrmw", "atomicrmw add ptr %p, i32 1 monotonic", "pinned"},
           row{"cmpxchg", "cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic", "pinned"},
           row{"fence", "fence seq_cst", "pinned"},
           row{"volatile copy", "call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 true)", "pinned"},
           row{"call that may synchronize", "call i32 @writes(i32 %x, i32 %y)", "pinned"},
           row{"call of anything", "call i32 %fn(i32 %x)", "pinned"},
           row{"noduplicate", "call i32 @once(i32 %x)", "pinned"},
           row{"assembly with effects", "call void asm sideeffect \"bar\", \"\"() nosync readnone", "pinned"},
           row{"convergent", "call i32 @vote(i32 %x)", "banned"},
           row{"convergent where it is called", "call i32 @pure(i32 %x, i32 %y) convergent", "banned"},
           row{"convergent assembly", "call void asm sideeffect \"bar\", \"\"() convergent", "banned"},
           row{"returns_twice", "call i32 @jumps(ptr %p)", "banned"},
       }) {
    CAPTURE(std::string(r.what));
    CHECK(verdict(r.both, r.both) == r.verdict);
  }
}

TEST_CASE("llvm_melding: tokens, exceptions and computed jumps are in no arm that is melded") {
  using namespace llvm_melding_checks;
  struct row {
    const char *what, *text;
  };
  for (const row& r : {
           row{"invoke", R"(
declare void @may_throw() nosync
declare i32 @personality(...)
define void @f(i1 %c, i32 %x) personality ptr @personality {
start:
  br i1 %c, label %left, label %right
left:
  %a = sdiv i32 %x, 3
  invoke void @may_throw() to label %join unwind label %pad
pad:
  %p = landingpad { ptr, i32 } cleanup
  br label %join
right:
  %b = sdiv i32 %x, 5
  br label %join
join:
  ret void
}
)"},
           row{"catchpad", R"(
declare void @may_throw()
declare i32 @__CxxFrameHandler3(...)
define void @f(i1 %c, i32 %x) personality ptr @__CxxFrameHandler3 {
start:
  br i1 %c, label %left, label %right
left:
  invoke void @may_throw() to label %join unwind label %pad
pad:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %h = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %h to label %join
right:
  %b = sdiv i32 %x, 5
  br label %join
join:
  ret void
}
)"},
           row{"indirectbr", R"(
define void @f(i1 %c, i32 %x, ptr %to) {
start:
  br i1 %c, label %left, label %right
left:
  %a = sdiv i32 %x, 3
  indirectbr ptr %to, [label %one, label %join]
one:
  br label %join
right:
  %b = sdiv i32 %x, 5
  br label %join
join:
  ret void
}
)"},
           row{"token", R"(
declare token @llvm.call.preallocated.setup(i32)
declare void @take(ptr preallocated(i32))
declare ptr @llvm.call.preallocated.arg(token, i32)
define void @f(i1 %c, i32 %x) {
start:
  br i1 %c, label %left, label %right
left:
  %a = sdiv i32 %x, 3
  %t = call token @llvm.call.preallocated.setup(i32 1)
  %p = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(i32)
  call void @take(ptr preallocated(i32) %p) ["preallocated"(token %t)]
  br label %join
right:
  %b = sdiv i32 %x, 5
  br label %join
join:
  ret void
}
)"},
       }) {
    CAPTURE(std::string(r.what));
    text_module m(r.text);
    const function_cfg g(m.function());
    const model code(g);
    meld_plan plan;
    CHECK(plan_meld(snapshot(g), code, 0, plan) == meld_refusal::convergent);
  }
}

TEST_CASE("llvm_melding: a jump that no value decides is no branch") {
  using namespace llvm_melding_checks;
  text_module m(R"(
define void @f(ptr %to, i32 %x) {
start:
  indirectbr ptr %to, [label %left, label %right]
left:
  %a = sdiv i32 %x, 3
  br label %join
right:
  %b = sdiv i32 %x, 5
  br label %join
join:
  ret void
}
)");
  const function_cfg g(m.function());
  const model code(g);
  meld_plan plan;
  CHECK(plan_meld(snapshot(g), code, 0, plan) == meld_refusal::uniform);
}

TEST_CASE("llvm_melding: what has a number") {
  using namespace llvm_melding_checks;
  text_module m(R"(
declare void @llvm.dbg.value(metadata, metadata, metadata)
define i32 @f(i1 %c, i32 %x) !dbg !3 {
start:
  br i1 %c, label %left, label %right
left:
  %a = add i32 %x, 1
  call void @llvm.dbg.value(metadata i32 %a, metadata !6, metadata !DIExpression()), !dbg !7
  %b = mul i32 %a, %x
  br label %join
right:
  %d = mul i32 %x, %x
  br label %join
join:
  %r = phi i32 [ %b, %left ], [ %d, %right ]
  %s = add i32 %r, 1
  ret i32 %s
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocalVariable(name: "a", scope: !3, file: !1)
!7 = !DILocation(line: 1, scope: !3)
)");
  const function_cfg g(m.function());
  const model code(g);
  CHECK(code.num_instructions() == 4);
  const std::pair<std::uint32_t, std::uint32_t> ranges[] = {{0, 0}, {0, 2}, {2, 3}, {3, 4}};
  for (block_id b = 0; b < 4; ++b) CHECK(std::pair(code.first(b), code.last(b)) == ranges[b]);
  CHECK(code.instruction(1).getName() == "b");
  CHECK(code.instruction(2).getName() == "d");
  CHECK(code.block_of(2) == 2);
  CHECK(code.compatible(1, 2));
  CHECK(code.compatible(0, 3));
  CHECK(code.is_divergent(0));
  CHECK(!code.is_divergent(1));
  CHECK(&code.cfg() == &g);

  text_module none("declare void @f()");
  const function_cfg empty(none.function());
  CHECK(model(empty).num_instructions() == 0);
  CHECK(!find_meld(snapshot(empty), model(empty)).found);
}

TEST_CASE("llvm_melding: a select for operands that both sides have before") {
  using llvm_melding_checks::selects;
  CHECK(selects("%r1 = add i32 %x, %y", "%r2 = add i32 %x, %y") == 0);
  CHECK(selects("%r1 = add i32 %x, %y", "%r2 = add i32 %y, %y") == 3);
  CHECK(selects("%r1 = add i32 %x, 1", "%r2 = add i32 %y, 2") == 6);
  CHECK(selects("%r1 = mul i32 %x, %x", "%r2 = mul i32 %y, %y") == 3);  // one for both
  CHECK(selects("%r1 = add <4 x i32> %w, %w", "%r2 = add <4 x i32> %w, %z") == 12);
  CHECK(selects("%r1 = add i32 %x, 1\n %r2 = add i32 %r1, %x", "%r3 = add i32 %x, 2\n %r4 = add i32 %r3, %x") == 0);
  CHECK(selects("%r1 = add i32 %x, 1\n %r2 = add i32 %r1, %x", "%r3 = add i32 %x, 2\n %r4 = add i32 %y, 7") == 3);
  CHECK(selects("store i32 1, ptr @g", "store i32 1, ptr @h") == 3);
}

TEST_CASE("llvm_melding: weights") {
  using llvm_melding_checks::weight;
  CHECK(weight("%r1 = xor i32 %x, %y") == 3);
  CHECK(weight("%r1 = add i32 %x, %y") == 5);
  CHECK(weight("%r1 = fadd float %u, %v") == 5);
  CHECK(weight("%r0 = fpext float %u to double\n %r1 = fadd double %r0, 1.0") == 10);
  CHECK(weight("%r1 = mul i32 %x, %y") == 10);
  CHECK(weight("%r1 = srem i32 %x, %y") == 20);
  CHECK(weight("%r1 = add <4 x i32> %w, %w") == 20);
  CHECK(weight("%r1 = icmp eq <4 x i32> %w, %w") == 12);
  CHECK(weight("%r1 = load <4 x i32>, ptr %p") == 100);
  CHECK(weight("%r1 = load i32, ptr addrspace(3) %s") == 30);
  CHECK(weight("%r1 = load i32, ptr addrspace(4) null") == 10);
  CHECK(weight("store i32 1, ptr %p") == 100);
  CHECK(weight("%r1 = getelementptr %pair, ptr %p, i64 0, i32 2") == 0);
  CHECK(weight("%r1 = getelementptr i32, ptr %p, i64 %l") == 5);
  CHECK(weight("%r1 = bitcast i32 %x to float") == 0);
  CHECK(weight("%r1 = call float @llvm.sqrt.f32(float %u)") == 20);
  CHECK(weight("call void @llvm.assume(i1 %c)") == 0);
  CHECK(weight("call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 false)") == 100);
  CHECK(weight("%r1 = call i32 @pure(i32 %x, i32 %y)") == 100);
  CHECK(weight("fence seq_cst") == 100);
}

TEST_CASE("llvm_melding: branches that can become one, and those that can be forced") {
  using namespace llvm_melding_checks;
  text_module m(R"(
define void @f(i1 %c, i32 %x, i2 %t, i64 %l) {
b0:
  br i1 %c, label %b1, label %end
b1:
  br i1 true, label %end, label %b2
b2:
  switch i32 %x, label %end [ i32 1, label %b3 i32 2, label %b4 ]
b3:
  switch i32 7, label %b4 [ i32 1, label %end i32 2, label %b5 ]
b4:
  switch i32 %x, label %end [ i32 1, label %b5 i32 3, label %b6 ]
b5:
  switch i64 %l, label %end [ i64 1, label %b6 i64 2, label %b7 ]
b6:
  switch i32 %x, label %end [ i32 1, label %b7 ]
b7:
  switch i2 %t, label %end [ i2 0, label %b8 i2 1, label %b8 i2 2, label %end i2 3, label %b8 ]
b8:
  switch i2 %t, label %end [ i2 0, label %b9 i2 1, label %b9 i2 2, label %end ]
b9:
  indirectbr ptr null, [ label %end, label %b10 ]
b10:
  br label %end
end:
  ret void
}
)");
  const function_cfg g(m.function());
  const model code(g);
  CHECK(code.compatible_branches(0, 1));
  CHECK(code.compatible_branches(2, 3));
  CHECK(!code.compatible_branches(2, 4));  // another case
  CHECK(!code.compatible_branches(2, 5));  // another type
  CHECK(!code.compatible_branches(2, 7));  // more cases
  CHECK(!code.compatible_branches(6, 6));  // of two ways: could be wanted the other way round
  CHECK(!code.compatible_branches(0, 6));
  CHECK(!code.compatible_branches(0, 9));
  for (const block_id b : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 8U}) CHECK(code.can_force_branch(b));
  CHECK(!code.can_force_branch(7));  // no value is left for the default
  CHECK(!code.can_force_branch(9));
  CHECK(code.first(9) + 1 == code.last(9));
  CHECK(code.is_convergent(code.first(9)));
}

TEST_CASE("llvm_melding: the plan of a diamond, in words") {
  using namespace llvm_melding_checks;
  text_module m(R"(
declare void @barrier() convergent
define i32 @f(i1 %c, i1 %d, i32 %x, i32 %y) {
entry:
  br i1 %d, label %outer, label %end
outer:
  %q = sdiv i32 %x, 7
  br i1 %c, label %left, label %right
left:
  %a = sdiv i32 %x, 3
  %b = mul i32 %a, %y
  br label %join
right:
  %e = sdiv i32 %x, 5
  %f = sub i32 %e, 1
  %g = mul i32 %f, %y
  br label %join
join:
  %r = phi i32 [ %b, %left ], [ %g, %right ]
  br i1 %d, label %meet, label %also
meet:
  call void @barrier()
  br label %end
also:
  %h = sdiv i32 %x, 5
  br label %end
end:
  %s = phi i32 [ 0, %entry ], [ %r, %meet ], [ %h, %also ]
  ret i32 %s
}
)");
  const function_cfg g(m.function());
  const model code(g);
  const std::string text =
      describe_melding(snapshot(g), code, [&](block_id b) { return g.block_at(b)->getName().str(); });
  CHECK(text ==
        "melding: 3 branches, 1 can be melded\n"
        "  branch of join is not melded: it has code in an arm that the same threads must run together (barriers, "
        "votes, shuffles, ...)\n"
        "  branch of outer: 2 pairs, 0 and 1 instructions alone; weight 71 -> 41\n"
        "    left (2) with right (3): 2 pairs, profit 0.42\n"
        "  branch of entry is not melded: it has an arm without code\n");
}

TEST_CASE("llvm_melding: random functions do after every plan what they did before") {
  using namespace llvm_melding_checks;
  sweep_figures figures;
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(100); ++seed) {
    const std::string wrong = wrong_of<model>(seed, as_it_is(), figures);
    REQUIRE_MESSAGE(wrong == "", "seed " << seed << ": " << wrong);
  }
  MESSAGE(figures.plans << " plans, " << figures.melded_pieces << " melded pieces, " << figures.regions
                        << " of them regions, " << figures.placed << " forced branches, " << figures.pairs << " pairs");
  CHECK(figures.plans > 80);
  CHECK(figures.regions > 10);
  CHECK(figures.placed > 10);
  CHECK(figures.pairs > 300);
  CHECK(figures.through_phis > 10);  // blocks of phis only
}

namespace {
namespace llvm_melding_checks {

// Models with a mistake each.
struct opcode_decides : model {
  using model::model;
  [[nodiscard]] std::uint32_t opcode_class(std::uint32_t i) const { return instruction(i).getOpcode(); }
  [[nodiscard]] bool compatible(std::uint32_t i, std::uint32_t j) const {
    const llvm::Instruction &a = instruction(i), &b = instruction(j);
    if (a.getType() != b.getType() || a.getNumOperands() != b.getNumOperands()) return false;
    for (unsigned k = 0; k < a.getNumOperands(); ++k)
      if (a.getOperand(k)->getType() != b.getOperand(k)->getType()) return false;
    return true;
  }
};
struct nothing_pinned : model {
  using model::model;
  [[nodiscard]] bool is_pinned(std::uint32_t) const { return false; }
};

// Whether one of the first random functions shows it.
template <class Model, class Spoil>
bool caught(const Spoil& spoil) {
  sweep_figures figures;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    if (!wrong_of<Model>(seed, spoil, figures).empty()) return true;
  return false;
}

}  // namespace llvm_melding_checks
}  // namespace

TEST_CASE("llvm_melding: models and plans with a mistake are noticed") {
  using namespace llvm_melding_checks;
  CHECK(caught<opcode_decides>(as_it_is()));
  CHECK(caught<nothing_pinned>(as_it_is()));
  const auto is_pair = [](const meld_slot& s) { return s.left != no_instruction && s.right != no_instruction; };
  CHECK(caught<model>([&](meld_plan& p) {  // the order of two that are after each other
    for (std::size_t k = 1; k < p.all_slots.size(); ++k)
      if (is_pair(p.all_slots[k - 1]) && is_pair(p.all_slots[k]))
        return std::swap(p.all_slots[k - 1].left, p.all_slots[k].left);
  }));
  CHECK(caught<model>([&](meld_plan& p) {  // the sides of a pair
    for (meld_slot& s : p.all_slots)
      if (is_pair(s)) return std::swap(s.left, s.right);
  }));
  CHECK(caught<model>([&](meld_plan& p) {  // one is forgotten
    for (meld_slot& s : p.all_slots)
      if (is_pair(s)) {
        s.right = no_instruction;
        return;
      }
  }));
  CHECK(caught<model>([](meld_plan& p) {  // a condition is not inverted
    for (meld_block& b : p.blocks)
      if (b.ends_as == meld_side::both && b.num_successors == 2) b.swapped = !b.swapped;
  }));
  CHECK(caught<model>([](meld_plan& p) {  // who only passes goes the other way
    for (meld_block& b : p.blocks)
      if (b.forced != no_outcome && b.num_successors == 2) b.forced = 1 - b.forced;
  }));
}

TEST_CASE("llvm_melding: linear, also where each of many instructions is of a class of its own") {
  using namespace llvm_melding_checks;
  llvm::LLVMContext context;
  llvm::Module m("m", context);
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  auto* f =
      llvm::Function::Create(llvm::FunctionType::get(number, {number}, false), llvm::Function::ExternalLinkage, "f", m);
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(context, "", f));
  constexpr std::uint32_t n = 100'000;
  std::vector<llvm::Type*> fields(n, number);
  llvm::StructType* wide = llvm::StructType::get(context, fields);
  llvm::Value* place = at.CreateAlloca(wide);
  for (std::uint32_t k = 0; k < n; ++k) at.CreateLoad(number, at.CreateStructGEP(wide, place, k));
  at.CreateRet(f->getArg(0));
  const function_cfg g(*f);
  const model code(g);
  REQUIRE(code.num_instructions() == 2 * n + 1);
  CHECK(code.opcode_class(1) != code.opcode_class(3));
  CHECK(code.opcode_class(2) == code.opcode_class(4));
}

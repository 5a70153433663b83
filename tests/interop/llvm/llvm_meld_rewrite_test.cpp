// SPDX-License-Identifier: BSL-1.0
//
// Meld plans applied to LLVM functions: random ones, run by LLVM's own interpreter before and after; the figures of the
// paper; this project's own functions; and those that are refused.
#include "interop/llvm/text_module.hpp"
#include "support/long_run.hpp"
#include "transform/toy_code.hpp"
#include <simtflow/analysis/order.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_meld_rewrite.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>
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
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {
namespace llvm_meld_rewrite_checks {

using model = llvm_melding_model<llvm::Function>;
using simtflow_tests::text_module;
using simtflow_tests::text_of_all;

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

// --- what the interpreter needs --------------------------------------------------------------------------------------

// Plans that are wrong on purpose may lead in circles: f returns after many steps. LLVM's interpreter knows no freeze,
// and has a value for poison.
void limit_steps(llvm::Function& f) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& b : f) {
    blocks.push_back(&b);
    for (llvm::Instruction& i : llvm::make_early_inc_range(b))
      if (llvm::isa<llvm::FreezeInst>(i)) {
        i.replaceAllUsesWith(i.getOperand(0));
        i.eraseFromParent();
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
std::string wrong_in_plan(const llvm_cfg<llvm::Function>& g, const Model& code, const meld_plan& plan) {
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
    const llvm_cfg<llvm::Function> g(*original.f);
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
    const llvm_cfg<llvm::Function> g(f);
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
    llvm_meld_code_options how;
    how.unpredicate = static_cast<meld_unpredication>(seed / 2 % 3);
    if (!rewrite(f, code, plan, how).empty()) return where + "it is not rewritten\n" + before;
    llvm::raw_string_ostream out(wrong);
    if (llvm::verifyModule(*copy.code, &out)) return where + out.str() + "\n" + before + text_of_all(f);
    const std::string after = text_of_all(f);
    limit_steps(f);
    if (want.empty()) want = original.run();
    const std::vector<std::uint64_t> got = copy.run();
    if (got != want) {
      for (std::size_t k = 0; k < got.size(); ++k)
        wrong += std::to_string(want[k]) + " became " + std::to_string(got[k]) + '\n';
      return where + "other results\n" + wrong + "before:\n" + before + "after:\n" + after;
    }
  }
  return "";
}

}  // namespace llvm_meld_rewrite_checks
}  // namespace

TEST_CASE("llvm_meld_rewrite: random functions do after every plan what they did before") {
  using namespace llvm_meld_rewrite_checks;
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
namespace llvm_meld_rewrite_checks {

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

}  // namespace llvm_meld_rewrite_checks
}  // namespace

TEST_CASE("llvm_meld_rewrite: models and plans with a mistake are noticed") {
  using namespace llvm_meld_rewrite_checks;
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

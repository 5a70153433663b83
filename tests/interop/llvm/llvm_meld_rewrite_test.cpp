// SPDX-License-Identifier: BSL-1.0
//
// Meld plans applied to LLVM functions: random ones, run by LLVM's own interpreter before and after; the figures of the
// paper; this project's own functions; and those that are refused.
#include "interop/llvm/random_function.hpp"
#include "interop/llvm/text_module.hpp"
#include "support/long_run.hpp"
#include <simtflow/analysis/order.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_meld_rewrite.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
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
using simtflow_tests::make_runnable;
using simtflow_tests::random_function;
using simtflow_tests::text_module;
using simtflow_tests::text_of_all;

// --- what a plan must be ---------------------------------------------------------------------------------------------

// The text of an instruction with operands that are all the same but for their types, without flags and alignment.
std::string bare_text(const llvm::Instruction& i) {
  llvm::Instruction* bare = i.clone();
  for (unsigned k = 0; k < bare->getNumOperands(); ++k)
    if (!llvm::isa<llvm::Function>(bare->getOperand(k)))
      bare->setOperand(k, llvm::UndefValue::get(bare->getOperand(k)->getType()));
  bare->dropPoisonGeneratingFlags();
  bare->setDebugLoc({});
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
      for (const llvm::Instruction& i : *b)
        to_do += llvm::isa<llvm::PHINode>(i) || i.isTerminator() || i.isDebugOrPseudoInst() ? 0U : 1U;
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
  std::size_t plans = 0, melded_pieces = 0, regions = 0, placed = 0, pairs = 0, through_phis = 0, cut = 0;
};

struct as_it_is {
  void operator()(meld_plan&) const {}
};

// Moves the first instructions of the guest of block k to the block before it.
void move_up(meld_plan& plan, std::uint32_t begin, std::uint32_t k) {
  meld_block& at = plan.blocks[k];
  if (at.ends_as == meld_side::both || at.left == no_block || at.right == no_block) return;
  const bool guest_left = at.ends_as == meld_side::right;
  std::uint32_t own = 0;
  const auto is_guest_alone = [&](const meld_slot& s) {
    return (s.left == no_instruction) != guest_left && (s.right == no_instruction) == guest_left;
  };
  while (own < at.num_slots && is_guest_alone(plan.all_slots[at.first_slot + own])) ++own;
  if (own == 0) return;
  for (std::uint32_t before = begin; before < plan.blocks.size(); ++before) {
    meld_block& b = plan.blocks[before];
    if (before == k || b.forced == no_outcome || plan.successors[b.first_successor + b.forced] != k) continue;
    const std::vector<meld_slot> moved(plan.all_slots.begin() + at.first_slot,
                                       plan.all_slots.begin() + at.first_slot + own);
    std::vector<meld_slot> all(plan.all_slots.begin() + b.first_slot,
                               plan.all_slots.begin() + b.first_slot + b.num_slots);
    all.insert(all.end(), moved.begin(), moved.end());
    b.first_slot = static_cast<std::uint32_t>(plan.all_slots.size());
    b.num_slots = static_cast<std::uint32_t>(all.size());
    plan.all_slots.insert(plan.all_slots.end(), all.begin(), all.end());
    (guest_left ? b.left : b.right) = guest_left ? at.left : at.right;
    (guest_left ? b.left_ends : b.right_ends) = false;
    (guest_left ? at.left_begins : at.right_begins) = false;
    at.first_slot += own;
    at.num_slots -= own;
    return;
  }
}

// Cuts blocks of a plan, which changes nothing for a thread: a piece of one block becomes two pieces, and instructions
// of a block that is placed in a region go to the block before, on the way that its threads are led.
void cut_up(meld_plan& plan) {
  meld_plan out;
  out.branch = plan.branch;
  out.join = plan.join;
  const auto add = [&](const meld_block& from, std::uint32_t first, std::uint32_t last) -> meld_block& {
    meld_block b = from;
    b.first_slot = static_cast<std::uint32_t>(out.all_slots.size());
    b.num_slots = last - first;
    b.first_successor = static_cast<std::uint32_t>(out.successors.size());
    for (std::uint32_t k = first; k < last; ++k) out.all_slots.push_back(plan.all_slots[from.first_slot + k]);
    for (std::uint32_t k = 0; k < b.num_successors; ++k)
      out.successors.push_back(plan.successors[from.first_successor + k]);
    out.blocks.push_back(b);
    return out.blocks.back();
  };
  for (const meld_piece& p : plan.pieces) {
    const auto begin = static_cast<std::uint32_t>(out.blocks.size());
    const meld_block& only = plan.blocks[p.first_block];
    if (p.num_blocks == 1 && only.num_successors == 1 && only.num_slots > 1) {
      meld_block& first = add(only, 0, only.num_slots / 2);
      first.left_ends = first.right_ends = false;
      meld_block& second = add(only, only.num_slots / 2, only.num_slots);
      second.left_begins = second.right_begins = false;
      out.pieces.push_back({p.side, begin, 1, 0, 0});
      out.pieces.push_back({p.side, begin + 1, 1, 0, 0});
      continue;
    }
    for (std::uint32_t k = 0; k < p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[p.first_block + k];
      const auto offset = static_cast<std::uint32_t>(begin) - p.first_block;
      meld_block& copy = add(b, 0, b.num_slots);
      for (std::uint32_t n = 0; n < copy.num_successors; ++n)
        if (std::uint32_t& to = out.successors[copy.first_successor + n]; to != piece_end) to += offset;
    }
    out.pieces.push_back({p.side, begin, p.num_blocks, p.profit, p.weight_saved});
    for (std::uint32_t k = begin; k < out.blocks.size(); ++k) move_up(out, begin, k);
  }
  plan = out;
}

// One random function: each of its plans, spoilt by `spoil`, applied to the function. "" or what is wrong.
template <class Model, class Spoil>
std::string wrong_of(std::uint64_t seed, const Spoil& spoil, sweep_figures& figures) {
  random_function original(seed);
  const auto before = [seed] { return text_of_all(*random_function(seed).f); };
  if (llvm::verifyModule(*original.code)) return "the function itself is invalid\n" + before();
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
    if (seed % 4 == 1) cut_up(plan);
    for (const meld_block& b : plan.blocks) figures.cut += b.left_ends && b.right_ends ? 0 : 1;
    spoil(plan);
    const std::string where = "branch " + std::to_string(branch) + ": ";
    std::string wrong = wrong_in_plan(g, code, plan);
    if (!wrong.empty()) return where + wrong + '\n' + before();
    llvm_meld_code_options how;
    how.unpredicate = static_cast<meld_unpredication>(seed / 2 % 3);
    if (!rewrite(f, code, plan, how).empty()) return where + "it is not rewritten\n" + before();
    llvm::raw_string_ostream out(wrong);
    if (llvm::verifyModule(*copy.code, &out)) return where + out.str() + "\n" + before() + text_of_all(f);
    make_runnable(f);
    if (want.empty()) {
      make_runnable(*original.f);
      want = original.run();
    }
    const std::vector<std::uint64_t> got = copy.run();
    if (got != want) {
      for (std::size_t k = 0; k < got.size(); ++k)
        wrong += std::to_string(want[k]) + " became " + std::to_string(got[k]) + '\n';
      random_function again(seed);
      const llvm_cfg<llvm::Function> of(*again.f);
      (void)rewrite(*again.f, Model(of), plan, how);
      return where + "other results\n" + wrong + "before:\n" + before() + "after:\n" + text_of_all(*again.f);
    }
  }
  return "";
}

}  // namespace llvm_meld_rewrite_checks
}  // namespace

TEST_CASE("llvm_meld_rewrite: random functions do after every plan what they did before") {
  using namespace llvm_meld_rewrite_checks;
  sweep_figures figures;
  // Each version of LLVM runs other functions: three versions together run 2,100.
  for (std::uint64_t k = 0; k < simtflow_tests::times(700); ++k) {
    if (!simtflow_tests::in_shard(k)) continue;
    const std::uint64_t seed = 11 * k + LLVM_VERSION_MAJOR % 11;
    const std::string wrong = wrong_of<model>(seed, as_it_is(), figures);
    REQUIRE_MESSAGE(wrong == "", "seed " << seed << ": " << wrong);
  }
  MESSAGE(figures.plans << " plans, " << figures.melded_pieces << " melded pieces, " << figures.regions
                        << " of them regions, " << figures.placed << " forced branches, " << figures.cut << " cuts, "
                        << figures.pairs << " pairs");
  if (!simtflow_tests::is_whole()) return;
  CHECK(figures.plans > 560);
  CHECK(figures.regions > 70);
  CHECK(figures.placed > 70);
  CHECK(figures.cut > 70);
  CHECK(figures.pairs > 2'100);
  CHECK(figures.through_phis > 70);  // blocks of phis only
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

namespace {
namespace llvm_meld_rewrite_checks {

// The plan of the branch that ends a block, whatever it saves.
meld_plan plan_of(const llvm_cfg<llvm::Function>& g, const model& code, const char* branch,
                  meld_score score = meld_score::expected) {
  meld_options options;
  options.threshold = 0;
  options.predication_cost = options.divergence_cost = 0;
  options.score = score;
  meld_plan plan;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (g.block_at(b)->getName() == branch)
      REQUIRE(plan_meld(snapshot(g), code, b, plan, options) == meld_refusal::none);
  REQUIRE(plan.branch != no_block);
  return plan;
}

// A function after the branch of its first block, or of another one, is melded.
struct melded_text : text_module {
  explicit melded_text(const std::string& text, meld_unpredication how = meld_unpredication::always,
                       const char* branch = "entry", meld_score score = meld_score::expected)
      : text_module(text) {
    const llvm_cfg<llvm::Function> g(function());
    const model facts(g);
    const meld_plan plan = plan_of(g, facts, branch, score);
    llvm_meld_code_options options;
    options.unpredicate = how;
    REQUIRE(rewrite(function(), facts, plan, options).empty());
    CAPTURE(text_of_all(function()));
    REQUIRE(!llvm::verifyModule(*this->code, &llvm::errs()));
  }
  // Its blocks, one after the other, without comments.
  std::string body() {
    std::string all = text_of_all(function()), out;
    for (std::size_t at = all.find('\n') + 1; all[at] != '}';) {
      const std::size_t end = all.find('\n', at);
      std::string line = all.substr(at, end - at);
      line = line.substr(0, line.find("  ;"));
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (!line.empty()) out += line + '\n';
      at = end + 1;
    }
    return out;
  }
  llvm::Instruction& value(const char* name) {
    for (llvm::BasicBlock& b : function())
      for (llvm::Instruction& i : b)
        if (i.getName() == name) return i;
    FAIL(name << " is no more");
    return function().front().front();
  }
  std::size_t count(unsigned opcode) {
    std::size_t n = 0;
    for (llvm::BasicBlock& b : function())
      for (llvm::Instruction& i : b) n += i.getOpcode() == opcode ? 1 : 0;
    return n;
  }
};

// How many of the operands of an instruction are selects.
std::size_t selects_of(const llvm::Instruction& i) {
  std::size_t n = 0;
  for (const llvm::Value* v : i.operand_values()) n += llvm::isa<llvm::SelectInst>(v) ? 1 : 0;
  return n;
}

// Two arms of a block each.
std::string arms(const std::string& left, const std::string& right, const std::string& more = "",
                 const std::string& parameters = "") {
  return more + "define void @f(i1 noundef %c, i32 %x, i32 %y, i64 %l, float %u, float %v, ptr %p, ptr %q" +
         parameters + ") {\nentry:\n  br i1 %c, label %left, label %right\nleft:\n" + left +
         "\n  br label %join\nright:\n" + right + "\n  br label %join\njoin:\n  ret void\n}\n";
}

}  // namespace llvm_meld_rewrite_checks
}  // namespace

TEST_CASE("llvm_meld_rewrite: DARM, Figure 3: two selects, one, and one; a run in a block of its own") {
  using namespace llvm_meld_rewrite_checks;
  const char* const text = R"(
define void @f(i1 noundef %cmp, i32 %0, i32 %1, i32 %2, i32 %3, i32 %4, i32 %5, ptr %p) {
entry:
  br i1 %cmp, label %A, label %B
A:
  %add = add nsw i32 %0, %1
  %sub = sub nsw i32 %2, %3
  %div = sdiv i32 %2, 5
  %shr = ashr i32 %3, 2
  %shl = shl i32 %add, 2
  %mul = mul nsw i32 %4, %5
  %and = and i32 %shl, %sub
  br label %join
B:
  %add1 = add nsw i32 %4, %5
  %sub2 = sub nsw i32 %2, %5
  %or = or i32 %sub2, %4
  %xor = xor i32 %4, %5
  %div3 = sdiv i32 %or, 4
  %mul4 = mul nsw i32 %xor, %sub2
  %and5 = and i32 %xor, %sub2
  br label %join
join:
  %r = phi i32 [ %and, %A ], [ %and5, %B ]
  %s = phi i32 [ %mul, %A ], [ %mul4, %B ]
  %t = phi i32 [ %div, %A ], [ %div3, %B ]
  %u = phi i32 [ %shr, %A ], [ 0, %B ]
  store i32 %r, ptr %p
  store i32 %s, ptr %p
  store i32 %t, ptr %p
  store i32 %u, ptr %p
  ret void
}
)";
  // 3b: all instructions are in one block.
  melded_text straight(text, meld_unpredication::never, "entry", meld_score::paper);
  CHECK(straight.function().size() == 1);
  CHECK(selects_of(straight.value("add")) == 2);
  CHECK(selects_of(straight.value("sub")) == 1);
  CHECK(selects_of(straight.value("and")) == 1);
  CHECK(straight.value("and").getOperand(1) == &straight.value("sub"));
  // 3c: the run of B gets a branch. Values that its threads alone use afterwards are poison for the others; the operand
  // of the division is the value of A for them, so that no select follows.
  melded_text split(text, meld_unpredication::always, "entry", meld_score::paper);
  CHECK(split.body().find("  br i1 %cmp, label %A_B.tail, label %A_B.right\n"
                          "A_B.right:\n"
                          "  %or = or i32 %sub, %4\n"
                          "  %xor = xor i32 %4, %5\n"
                          "  br label %A_B.tail\n"
                          "A_B.tail:\n") != std::string::npos);
  CHECK(split.value("or").getParent() == split.value("xor").getParent());
  CHECK(split.value("shr").getParent() == split.value("shl").getParent());
  CHECK(split.function().size() == 5);
  const auto& from = llvm::cast<llvm::PHINode>(*split.value("div").getOperand(0));
  CHECK(from.getIncomingValueForBlock(split.value("or").getParent()) == &split.value("or"));
  CHECK(from.getIncomingValueForBlock(&split.function().getEntryBlock()) == split.function().getArg(3));
  CHECK(selects_of(split.value("and")) == 0);  // the select of 3b is a phi here
}

TEST_CASE("llvm_meld_rewrite: DARM, Figure 5: a value of one side is poison for the other one") {
  using namespace llvm_meld_rewrite_checks;
  melded_text m(R"(
define void @f(i1 noundef %c, i32 %v, i32 %w, ptr %p, ptr %q) {
entry:
  br i1 %c, label %T, label %F
T:
  %a = load volatile i32, ptr %p
  br label %ST
ST:
  %s = sdiv i32 %v, %w
  store i32 %s, ptr %p
  br label %X
X:
  %x = load volatile i32, ptr %q
  %y = mul i32 %x, %a
  store volatile i32 %y, ptr %q
  br label %G
F:
  %t = sdiv i32 %w, %v
  store i32 %t, ptr %p
  br label %G
G:
  ret void
}
)",
                meld_unpredication::always, "entry", meld_score::paper);
  const auto* carried = llvm::dyn_cast<llvm::PHINode>(m.value("y").getOperand(1));
  REQUIRE(carried != nullptr);
  CHECK(carried->getNumIncomingValues() == 2);
  std::size_t poison = 0, own = 0;
  for (const llvm::Value* v : carried->incoming_values()) {
    poison += llvm::isa<llvm::PoisonValue>(v) ? 1 : 0;
    own += v == &m.value("a") ? 1 : 0;
  }
  CHECK(poison == 1);
  CHECK(own == 1);
  CHECK(carried->getParent() == m.value("s").getParent());
  CHECK(m.count(llvm::Instruction::SDiv) == 1);
}

TEST_CASE("llvm_meld_rewrite: DARM, Figure 6: the running example, block for block") {
  using namespace llvm_meld_rewrite_checks;
  const char* const text = R"(
define void @f(i1 noundef %c16, i32 %v28, i32 %v29, ptr %p9, ptr %p27) {
B:
  br i1 %c16, label %C, label %D
C:
  %v31 = icmp slt i32 %v28, %v29
  br i1 %v31, label %E, label %X1
D:
  %v34 = icmp sgt i32 %v28, %v29
  br i1 %v34, label %F, label %X2
E:
  store i32 %v28, ptr %p9
  store i32 %v29, ptr %p27
  br label %X1
F:
  store i32 %v28, ptr %p9
  store i32 %v29, ptr %p27
  br label %X2
X1:
  br label %G
X2:
  br label %G
G:
  ret void
}
)";
  // Ours has fewer blocks than 6c. Both comparisons stand between the same two pairs, so that one branch leads to
  // either (P.S.2 and P.S.1 of the paper are C_D.left and C_D.right), not one branch after the other. Their values meet
  // in one phi, which makes a select of two phis needless. X1_X2, M and N are empty; no phi of G tells M from N.
  CHECK(melded_text(text, meld_unpredication::always, "B", meld_score::paper).body() ==
        "B:\n"
        "  br i1 %c16, label %C_D.left, label %C_D.right\n"
        "C_D.left:\n"
        "  %v31 = icmp slt i32 %v28, %v29\n"
        "  br label %C_D.tail\n"
        "C_D.right:\n"
        "  %v34 = icmp sgt i32 %v28, %v29\n"
        "  br label %C_D.tail\n"
        "C_D.tail:\n"
        "  %.0 = phi i1 [ %v31, %C_D.left ], [ %v34, %C_D.right ]\n"
        "  br i1 %.0, label %E_F, label %G\n"
        "E_F:\n"
        "  store i32 %v28, ptr %p9, align 4\n"
        "  store i32 %v29, ptr %p27, align 4\n"
        "  br label %G\n"
        "G:\n"
        "  ret void\n");
  // The compiler of the paper executes both comparisons for all threads in the end (4e); ours does so at once.
  CHECK(melded_text(text, meld_unpredication::automatic, "B", meld_score::paper).body() ==
        "B:\n"
        "  %v31 = icmp slt i32 %v28, %v29\n"
        "  %v34 = icmp sgt i32 %v28, %v29\n"
        "  %0 = select i1 %c16, i1 %v31, i1 %v34\n"
        "  br i1 %0, label %E_F, label %G\n"
        "E_F:\n"
        "  store i32 %v28, ptr %p9, align 4\n"
        "  store i32 %v29, ptr %p27, align 4\n"
        "  br label %G\n"
        "G:\n"
        "  ret void\n");
}

TEST_CASE("llvm_meld_rewrite: selects that are not needed") {
  using namespace llvm_meld_rewrite_checks;
  struct row {
    const char *what, *left, *right;
    std::size_t selects;
  };
  const std::string more =
      "%two = type { i32, [4 x i32] }\n@g = global %two zeroinitializer\n"
      "@h = global %two zeroinitializer\n";
  for (const row& r : {
           row{"the same operands", "%a = sdiv i32 %x, %y\n store i32 %a, ptr %p",
               "%b = sdiv i32 %x, %y\n store i32 %b, ptr %p", 0},
           row{"one for the same two values", "%a = sdiv i32 %x, %x\n store i32 %a, ptr %p\n store i32 %x, ptr %q",
               "%b = sdiv i32 %y, %y\n store i32 %b, ptr %p\n store i32 %y, ptr %q", 1},
           row{"commutative", "%a = mul i32 %x, %y\n store i32 %a, ptr %p",
               "%b = mul i32 %y, %x\n store i32 %b, ptr %p", 0},
           row{"commutative numbers", "%a = fmul float %u, %v\n store float %a, ptr %p",
               "%b = fmul float 2.0, %u\n store float %b, ptr %p", 1},
           row{"commutative comparison", "%a = icmp eq i32 %x, 5\n %s = zext i1 %a to i32\n store i32 %s, ptr %p",
               "%b = icmp eq i32 %y, %x\n %t = zext i1 %b to i32\n store i32 %t, ptr %p", 1},
           row{"not commutative", "%a = sdiv i32 %x, %y\n store i32 %a, ptr %p",
               "%b = sdiv i32 %y, %x\n store i32 %b, ptr %p", 2},
           row{"1 and 0", "store i32 1, ptr %p", "store i32 0, ptr %p", 0},
           row{"0 and 1", "store i32 0, ptr %p", "store i32 1, ptr %p", 0},
           row{"-1 and 0", "store i32 -1, ptr %p", "store i32 0, ptr %p", 0},
           row{"true and false", "store i1 true, ptr %p", "store i1 false, ptr %p", 0},
           row{"one base of several addresses",
               "store i32 %x, ptr getelementptr (%two, ptr @g, i64 0, i32 1, i64 1)\n"
               "store i32 %x, ptr getelementptr (%two, ptr @g, i64 0, i32 1, i64 2)",
               "store i32 %x, ptr getelementptr (%two, ptr @h, i64 0, i32 1, i64 1)\n"
               "store i32 %x, ptr getelementptr (%two, ptr @h, i64 0, i32 1, i64 2)",
               1},
           row{"addresses of the arms", "%a = getelementptr i32, ptr %p, i64 %l\n store i32 %x, ptr %a",
               "%b = getelementptr i32, ptr %q, i64 %l\n store i32 %x, ptr %b", 1},
       }) {
    CAPTURE(std::string(r.what));
    melded_text m(arms(r.left, r.right, more), meld_unpredication::never);
    CAPTURE(m.body());
    CHECK(m.function().size() == 1);
    CHECK(m.count(llvm::Instruction::Select) == r.selects);
  }
  // Addresses that stand before the branch, and that nobody else wants: they go.
  melded_text outer(R"(
define void @f(i1 noundef %c, i32 %x, ptr %p, ptr %q, i64 %l) {
entry:
  %a = getelementptr i32, ptr %p, i64 %l
  %b = getelementptr inbounds i32, ptr %q, i64 %l
  br i1 %c, label %left, label %right
left:
  store i32 %x, ptr %a
  br label %join
right:
  store i32 %x, ptr %b
  br label %join
join:
  ret void
}
)");
  CHECK(outer.body() ==
        "entry:\n"
        "  %0 = select i1 %c, ptr %p, ptr %q\n"
        "  %1 = getelementptr i32, ptr %0, i64 %l\n"
        "  store i32 %x, ptr %1, align 4\n"
        "  ret void\n");
}

TEST_CASE("llvm_meld_rewrite: a pair promises what both promise") {
  using namespace llvm_meld_rewrite_checks;
  const auto used = [](const char* text, const char* type, const char* value) {
    return *type == 0 ? std::string(text) : std::string(text) + "\n store " + type + " " + value + ", ptr %q";
  };
  struct row {
    const char *left, *right, *made, *type;
  };
  const std::string more =
      "!0 = !{}\n!1 = !{i32 0, i32 10}\n!2 = !{i32 5, i32 20}\n!3 = !{!\"root\"}\n!4 = !{!\"char\", !3}\n"
      "!5 = !{!\"int\", !4}\n!6 = !{!\"long\", !4}\n!7 = !{!5, !5, i64 0}\n!8 = !{!6, !6, i64 0}\n"
      "!9 = !{float 2.5}\n!10 = !{float 5.0}\n!11 = !{i64 4}\n!12 = !{i64 8}\n"
      "declare i32 @pure(i32) nosync readnone\n";
  for (const row& r : {
           row{"%a = add nuw nsw i32 %x, %y", "%b = add nsw i32 %x, %y", "add nsw i32", "i32"},
           row{"%a = add nuw i32 %x, %y", "%b = add nsw i32 %x, %y", "add i32", "i32"},
           row{"%a = udiv exact i32 %x, %y", "%b = udiv i32 %x, %y", "udiv i32", "i32"},
           row{"%a = fadd nnan ninf float %u, %v", "%b = fadd nnan arcp float %u, %v", "fadd nnan float", "float"},
           row{"%a = getelementptr inbounds i32, ptr %p, i64 %l", "%b = getelementptr i32, ptr %p, i64 %l",
               "getelementptr i32,", "ptr"},
           row{"%a = load i32, ptr %p, align 8", "%b = load i32, ptr %p, align 2", "load i32, ptr %p, align 2", "i32"},
           row{"store i32 %x, ptr %p, align 1", "store i32 %x, ptr %p, align 16", "store i32 %x, ptr %p, align 1", ""},
           row{"%a = load i32, ptr %p, !invariant.load !0", "%b = load i32, ptr %p", "load i32, ptr %p, align 4\n",
               "i32"},
           row{"%a = load i32, ptr %p, !noundef !0", "%b = load i32, ptr %p", "load i32, ptr %p, align 4\n", "i32"},
           row{"%a = load i32, ptr %p", "%b = load i32, ptr %p, !range !1", "load i32, ptr %p, align 4\n", "i32"},
           row{"%a = load i32, ptr %p, !range !1", "%b = load i32, ptr %p", "load i32, ptr %p, align 4\n", "i32"},
           row{"%a = load ptr, ptr %p, !nonnull !0", "%b = load ptr, ptr %p", "load ptr, ptr %p, align 8\n", "ptr"},
           row{"%a = load ptr, ptr %p, !dereferenceable !11", "%b = load ptr, ptr %p", "load ptr, ptr %p, align 8\n",
               "ptr"},
           row{"%a = load ptr, ptr %p, !invariant.group !0", "%b = load ptr, ptr %p", "load ptr, ptr %p, align 8\n",
               "ptr"},
           row{"%a = load ptr, ptr %p", "%b = load ptr, ptr %p, !invariant.group !0", "load ptr, ptr %p, align 8\n",
               "ptr"},
           row{"%a = load i32, ptr %p, !tbaa !7", "%b = load i32, ptr %p", "load i32, ptr %p, align 4\n", "i32"},
       }) {
    melded_text m(arms(used(r.left, r.type, "%a"), used(r.right, r.type, "%b"), more));
    CAPTURE(std::string(r.left));
    CAPTURE(m.body());
    CHECK(m.function().size() == 1);
    CHECK(m.body().find(r.made) != std::string::npos);
  }
  const auto kept = [&](const char* left, const char* right, unsigned kind) {
    melded_text m(arms(used(left, "i32", "%a"), used(right, "i32", "%b"), more));
    return m.function().front().front().getMetadata(kind) != nullptr;
  };
  CHECK(kept("%a = load i32, ptr %p, !invariant.load !0", "%b = load i32, ptr %p, !invariant.load !0",
             llvm::LLVMContext::MD_invariant_load));
  CHECK(kept("%a = load i32, ptr %p, !tbaa !7", "%b = load i32, ptr %p, !tbaa !8", llvm::LLVMContext::MD_tbaa));
  CHECK(kept("%a = load i32, ptr %p, !range !1", "%b = load i32, ptr %p, !range !2", llvm::LLVMContext::MD_range));
  melded_text wide(arms(used("%a = load ptr, ptr %p, !dereferenceable !11", "ptr", "%a"),
                        used("%b = load ptr, ptr %p, !dereferenceable !12", "ptr", "%b"), more));
  const llvm::MDNode* bytes = wide.function().front().front().getMetadata(llvm::LLVMContext::MD_dereferenceable);
  REQUIRE(bytes != nullptr);
  CHECK(llvm::mdconst::extract<llvm::ConstantInt>(bytes->getOperand(0))->getZExtValue() == 4);
}

TEST_CASE("llvm_meld_rewrite: lines are merged, weights of branches stay with the condition") {
  using namespace llvm_meld_rewrite_checks;
  melded_text m(R"(
define void @f(i1 noundef %c, i32 %x, i32 %y, ptr %p) !dbg !3 {
entry:
  br i1 %c, label %left, label %right, !dbg !10, !prof !20
left:
  %a = sdiv i32 %x, %y, !dbg !11
  store i32 %a, ptr %p, !dbg !13
  store i8 7, ptr %p, !dbg !14
  br label %join, !dbg !14
right:
  %b = sdiv i32 %y, %y, !dbg !12
  store i32 %b, ptr %p, !dbg !13
  br label %join, !dbg !14
join:
  ret void, !dbg !14
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!10 = !DILocation(line: 1, scope: !3)
!11 = !DILocation(line: 2, scope: !3)
!12 = !DILocation(line: 3, scope: !3)
!13 = !DILocation(line: 4, column: 5, scope: !3)
!14 = !DILocation(line: 5, scope: !3)
!20 = !{!"branch_weights", i32 1, i32 9}
)");
  REQUIRE(m.function().size() == 3);
  const llvm::Instruction& divided = m.value("a");
  REQUIRE(divided.getDebugLoc());
  CHECK(divided.getDebugLoc().getLine() == 0);  // of two lines
  CHECK(divided.getDebugLoc()->getScope() == m.function().getSubprogram());
  const llvm::Instruction& stored = *divided.getNextNode();
  CHECK(stored.getOpcode() == llvm::Instruction::Store);
  CHECK(stored.getDebugLoc().getLine() == 4);
  const llvm::Instruction& branch = *m.function().getEntryBlock().getTerminator();
  REQUIRE(branch.getNumSuccessors() == 2);
  const llvm::MDNode* weights = branch.getMetadata(llvm::LLVMContext::MD_prof);
  REQUIRE(weights != nullptr);
  CHECK(llvm::mdconst::extract<llvm::ConstantInt>(weights->getOperand(1))->getZExtValue() == 1);
}

TEST_CASE("llvm_meld_rewrite: runs of one side that no other thread may execute get a branch") {
  using namespace llvm_meld_rewrite_checks;
  struct row {
    const char *what, *run, *value;
    std::size_t blocks;  // if no branch is wanted
  };
  const std::string more =
      "declare i32 @pure(i32) nosync readnone\ndeclare i32 @quick(i32) nosync readnone speculatable willreturn "
      "nounwind\n"
      "declare i32 @picky(i32 noundef) nosync readnone speculatable willreturn nounwind\n"
      "declare void @llvm.assume(i1)\n@there = global i32 7\n";
  for (const row& r : {
           row{"arithmetic", "%r = mul i32 %x, 7\n %s = xor i32 %r, %y", "%s", 1},
           row{"a division that might trap", "%r = udiv i32 %x, %y", "%r", 3},
           row{"a division by a constant", "%k = xor i32 %x, 5\n %r = sdiv i32 %k, 7", "%r", 1},
           row{"a signed division by -1", "%k = xor i32 %x, 5\n %r = sdiv i32 %k, -1", "%r", 3},
           row{"a load from anywhere", "%r = load i32, ptr %p", "%r", 3},
           row{"a load from a variable", "%r = load i32, ptr @there", "%r", 1},
           row{"a load from what is known to be there", "%r = load i32, ptr %d", "%r", 1},
           row{"a load after an address of the arm", "%k = getelementptr i32, ptr %d, i64 1\n %r = load i32, ptr %k",
               "%r", 3},
           row{"a store", "store i32 %x, ptr @there", "%x", 3},
           row{"a call", "%r = call i32 @pure(i32 %x)", "%r", 3},
           row{"a call that anybody may make", "%r = call i32 @quick(i32 %x)", "%r", 1},
           row{"a call that wants a value", "%r = call i32 @picky(i32 %x)", "%r", 3},
           row{"an assumption is dropped", "%k = icmp eq i32 %x, 3\n call void @llvm.assume(i1 %k)", "%y", 1},
       }) {
    CAPTURE(std::string(r.what));
    const std::string same = " = fdiv float %u, %v\n store float ", last = "\n store i32 ";
    const std::string text =
        arms("%a1" + same + "%a1, ptr %q\n" + r.run + last + r.value + ", ptr %p",
             "%b1" + same + "%b1, ptr %q" + last + "%x, ptr %p", more, ", ptr dereferenceable(8) align 8 %d");
    melded_text m(text, meld_unpredication::never);
    CAPTURE(m.body());
    CHECK(m.function().size() == r.blocks);
  }
  const std::string text =
      arms("%a = fdiv float %u, %v\n store float %a, ptr %q\n %m = mul i32 %x, 7\n store i32 %m, ptr %p",
           "%b = fdiv float %u, %v\n store float %b, ptr %q\n store i32 %x, ptr %p");
  CHECK(melded_text(text, meld_unpredication::never).function().size() == 1);
  CHECK(melded_text(text, meld_unpredication::automatic).function().size() == 1);
  CHECK(melded_text(text, meld_unpredication::always).function().size() == 3);
}

TEST_CASE("llvm_meld_rewrite: what cannot be melded stays as it is, and the reason is said") {
  using namespace llvm_meld_rewrite_checks;
  const auto words = [](const diagnostics& all) {
    std::string text;
    for (const diagnostic& d : all) text += d.message;
    return text;
  };
  struct row {
    const char *text, *why;
  };
  for (const row& r : {
           row{"declare void @f()", "it has no body"},
           row{"declare void @g()\ndeclare i32 @p(...)\ndefine void @f() personality ptr @p {\n"
               "  invoke void @g() to label %a unwind label %b\na:\n  ret void\n"
               "b:\n  %l = landingpad { ptr, i32 } cleanup\n  ret void\n}",
               "a block ends with something else than br, switch, ret or unreachable"},
           row{"define void @f(ptr %t) {\n  indirectbr ptr %t, [label %a, label %b]\na:\n  ret void\nb:\n  ret void\n}",
               "a block ends with something else than br, switch, ret or unreachable"},
           row{"define ptr @f() {\n  br label %a\na:\n  ret ptr blockaddress(@f, %a)\n}",
               "the address of a block is taken"},
           row{"declare token @llvm.call.preallocated.setup(i32)\n"
               "define void @f() {\n  %t = call token @llvm.call.preallocated.setup(i32 0)\n  ret void\n}",
               "it has tokens, which no stack slot can hold"},
           row{"declare i32 @setjmp(ptr) returns_twice\n"
               "define void @f(ptr %b) {\n  %r = call i32 @setjmp(ptr %b) returns_twice\n  ret void\n}",
               "it calls a function that returns twice (setjmp)"},
       }) {
    text_module m(r.text);
    CHECK(words(obstacles_to_melding(m.function())) == r.why);
    if (m.function().isDeclaration()) continue;
    const std::string before = text_of_all(m.function());
    const llvm_cfg<llvm::Function> g(m.function());
    CHECK(words(rewrite(m.function(), model(g), meld_plan())) == r.why);
    CHECK(text_of_all(m.function()) == before);
  }

  text_module m(
      arms("%a = call i32 @pure(i32 %x)", "%b = call i32 @pure(i32 %y)", "declare i32 @pure(i32) nosync readnone\n"));
  llvm::Function& f = m.function();
  CHECK(obstacles_to_melding(f).empty());
  const llvm_cfg<llvm::Function> g(f);
  const model code(g);
  const meld_plan plan = plan_of(g, code, "entry");
  auto& call = llvm::cast<llvm::CallInst>(g.block_at(1)->front());
  call.setConvergent();
  CHECK(words(rewrite(f, code, plan)) == "an arm has code that the same threads must run together (a convergent call)");
  call.setNotConvergent();
  call.setTailCallKind(llvm::CallInst::TCK_MustTail);
  CHECK(words(rewrite(f, code, plan)) == "an arm has a tail call that must stay one");
  call.setTailCallKind(llvm::CallInst::TCK_None);
  CHECK(rewrite(f, code, plan).empty());
}

TEST_CASE("llvm_meld_rewrite: the condition is frozen if it may be undefined") {
  using namespace llvm_meld_rewrite_checks;
  const auto frozen = [](std::string text) { return melded_text(text).count(llvm::Instruction::Freeze); };
  const std::string known = arms("store i32 %x, ptr %p", "store i32 %y, ptr %p");
  CHECK(frozen(known) == 0);
  std::string open = known;
  open.erase(open.find("noundef "), 8);
  CHECK(frozen(open) <= 1);  // the branch itself tells some versions of LLVM that it is defined
}

TEST_CASE("llvm_meld_rewrite: this project's own functions stay valid") {
  using namespace llvm_meld_rewrite_checks;
  std::string list = SIMTFLOW_LLVM_BITCODE;
  std::size_t functions = 0, melds = 0;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    const std::string path = list.substr(at, end - at);
    at = end + 1;
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> m = llvm::parseIRFile(path, error, context);
    REQUIRE_MESSAGE(m != nullptr, path);
    for (llvm::Function& f : *m) {
      if (!obstacles_to_melding(f).empty()) continue;
      ++functions;
      std::vector<llvm::AllocaInst*> registers;  // of code without optimization
      for (llvm::Instruction& i : f.getEntryBlock())
        if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i); slot != nullptr && llvm::isAllocaPromotable(slot))
          registers.push_back(slot);
      llvm::DominatorTree tree(f);
      if (!registers.empty()) llvm::PromoteMemToReg(registers, tree);
      meld_options options;
      options.threshold = 0;
      for (unsigned round = 0; round < 6; ++round) {
        const llvm_cfg<llvm::Function> g(f);
        const model code(g);
        const meld_search found = find_meld(snapshot(g), code, options);
        if (!found.found) break;
        llvm_meld_code_options how;
        how.unpredicate = static_cast<meld_unpredication>((functions + round) % 3);
        REQUIRE(rewrite(f, code, found.plan, how).empty());
        ++melds;
        REQUIRE_MESSAGE(!llvm::verifyFunction(f, &llvm::errs()), path << ": " << f.getName().str());
      }
    }
  }
  MESSAGE(functions << " functions, " << melds << " melded branches");
  if (list.find(".cpp.bc") != std::string::npos) CHECK(melds > 20);
}

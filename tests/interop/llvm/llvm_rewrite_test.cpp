// SPDX-License-Identifier: BSL-1.0
//
// Random functions in SSA form are run by a small interpreter before and after plans have been applied to them.
#include "support/long_run.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_check_rewrite.hpp>
#include <simtflow/interop/llvm_interleave.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

static_assert(code_rewriter<detail::llvm_rewriter>);

// --- running ---------------------------------------------------------------------------------------------------------

// The run of a thread: calls of event(block, value), then its result. Nothing in it may depend on undef.
struct llvm_run {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> events;
  std::optional<std::uint32_t> returned;
  std::string broken;
  bool ended = false;
};

class llvm_thread {
 public:
  llvm_run run(const llvm::Function& f, std::uint32_t argument, std::size_t most_events) {
    values_.clear();
    memory_.clear();
    values_[f.getArg(0)] = argument;
    llvm_run r;
    const llvm::BasicBlock *b = &f.getEntryBlock(), *from = nullptr;
    for (std::size_t steps = 0; b != nullptr && r.broken.empty(); ++steps) {
      if (steps == 64 * most_events + 1'000) r.broken = "nothing happens any more";
      if (r.events.size() >= most_events) return r;
      const llvm::BasicBlock* next = block(*b, from, r);
      from = b;
      b = next;
    }
    r.ended = true;
    return r;
  }

 private:
  using number = std::optional<std::uint32_t>;  // empty: undef

  number value(const llvm::Value* v) const {
    if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v)) return static_cast<std::uint32_t>(c->getZExtValue());
    if (llvm::isa<llvm::UndefValue>(v)) return std::nullopt;
    const auto found = values_.find(v);
    return found == values_.end() ? std::nullopt : found->second;
  }

  const llvm::BasicBlock* block(const llvm::BasicBlock& b, const llvm::BasicBlock* from, llvm_run& r) {
    std::vector<std::pair<const llvm::Value*, number>> phis;
    for (const llvm::PHINode& p : b.phis()) phis.emplace_back(&p, value(p.getIncomingValueForBlock(from)));
    for (const auto& [p, v] : phis) values_[p] = v;
    for (const llvm::Instruction& i : b) {
      if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(i)) continue;
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
        values_[&i] = memory_[load->getPointerOperand()];
      } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
        memory_[store->getPointerOperand()] = value(store->getValueOperand());
      } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
        const number what = value(call->getArgOperand(1));
        if (!what) r.broken = "an event has no value";
        r.events.emplace_back(*value(call->getArgOperand(0)), what.value_or(0));
      } else if (const auto* pick = llvm::dyn_cast<llvm::SelectInst>(&i)) {
        const number c = value(pick->getCondition());
        values_[&i] = !c ? std::nullopt : value(*c != 0 ? pick->getTrueValue() : pick->getFalseValue());
      } else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i)) {
        const number x = value(i.getOperand(0)), y = value(i.getOperand(1));
        values_[&i] = !x || !y ? std::nullopt : number(holds(compare->getPredicate(), *x, *y) ? 1 : 0);
      } else if (i.isBinaryOp()) {
        const number x = value(i.getOperand(0)), y = value(i.getOperand(1));
        values_[&i] = !x || !y ? std::nullopt : number(operate(i.getOpcode(), *x, *y));
      } else if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&i)) {
        if (ret->getReturnValue() != nullptr) r.returned = value(ret->getReturnValue());
        if (ret->getReturnValue() != nullptr && !r.returned) r.broken = "it returns undef";
        return nullptr;
      } else if (i.isTerminator() && i.getNumSuccessors() == 1) {
        return i.getSuccessor(0);
      } else if (const auto* branch = llvm::dyn_cast<simtflow::detail::llvm_two_way_branch>(&i)) {
        const number c = value(branch->getCondition());
        if (!c) r.broken = "a branch depends on undef";
        return branch->getSuccessor(c.value_or(0) != 0 ? 0 : 1);
      } else if (const auto* table = llvm::dyn_cast<llvm::SwitchInst>(&i)) {
        const number c = value(table->getCondition());
        if (!c) r.broken = "a switch depends on undef";
        for (const auto& one : table->cases())
          if (one.getCaseValue()->getZExtValue() == c.value_or(0)) return one.getCaseSuccessor();
        return table->getDefaultDest();
      } else {
        r.broken = "the interpreter does not know an instruction";
        return nullptr;
      }
    }
    return nullptr;
  }
  static bool holds(llvm::CmpInst::Predicate p, std::uint32_t x, std::uint32_t y) {
    switch (p) {
      case llvm::CmpInst::ICMP_EQ:
        return x == y;
      case llvm::CmpInst::ICMP_NE:
        return x != y;
      case llvm::CmpInst::ICMP_ULE:
        return x <= y;
      case llvm::CmpInst::ICMP_ULT:
        return x < y;
      case llvm::CmpInst::ICMP_UGE:
        return x >= y;
      default:
        return x > y;
    }
  }
  static std::uint32_t operate(unsigned opcode, std::uint32_t x, std::uint32_t y) {
    switch (opcode) {
      case llvm::Instruction::Add:
        return x + y;
      case llvm::Instruction::Sub:
        return x - y;
      case llvm::Instruction::Mul:
        return x * y;
      case llvm::Instruction::Xor:
        return x ^ y;
      case llvm::Instruction::And:
        return x & y;
      case llvm::Instruction::LShr:
        return y < 32 ? x >> y : 0;
      default:
        return x;
    }
  }

  std::map<const llvm::Value*, number> values_, memory_;
};

// --- writing ---------------------------------------------------------------------------------------------------------

// A function with the blocks of g (after a block of its own, if the entry has predecessors): values with uses far away,
// phis in joins, a counter in memory. Branches look at a hash.
llvm::Function* write_function(llvm::Module& m, const csr_graph& g, testing::rng& random) {
  llvm::LLVMContext& context = m.getContext();
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  const auto event = m.getOrInsertFunction("event", llvm::Type::getVoidTy(context), number, number);
  const bool returns = random.chance(70);
  llvm::Type* result = returns ? number : llvm::Type::getVoidTy(context);
  auto* f =
      llvm::Function::Create(llvm::FunctionType::get(result, {number}, false), llvm::Function::ExternalLinkage, "f", m);
  llvm::BasicBlock* first = llvm::BasicBlock::Create(context, "first", f);
  std::vector<llvm::BasicBlock*> code;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    code.push_back(llvm::BasicBlock::Create(context, "b" + std::to_string(b), f));
  llvm::IRBuilder<> start(first);
  llvm::AllocaInst* count = start.CreateAlloca(number);
  start.CreateStore(start.getInt32(1), count);
  start.CreateBr(code[g.entry()]);

  const auto tree = dominators(g);
  std::vector<std::vector<llvm::Value*>> made(g.num_blocks());
  const auto available = [&](block_id b, bool at_end) -> llvm::Value* {  // a value that dominates
    std::vector<llvm::Value*> choice{f->getArg(0), llvm::ConstantInt::get(number, random.below(9))};
    for (block_id up = b; tree.is_reachable(b);) {
      if (at_end || up != b) choice.insert(choice.end(), made[up].begin(), made[up].end());
      const auto idom = tree.idom(up);
      if (!idom) break;
      up = *idom;
    }
    return choice[random.below(choice.size())];
  };
  std::vector<llvm::PHINode*> phis;
  std::vector<block_id> order;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    llvm::IRBuilder<> at(code[b]);
    for (std::size_t k = random.below(3); k > 0; --k) {
      if (g.predecessors(b).empty()) continue;
      phis.push_back(at.CreatePHI(number, 2));
      made[b].push_back(phis.back());
    }
    order.push_back(b);
  }
  // Blocks after those that dominate them, so that there are values from above to use.
  std::sort(order.begin(), order.end(), [&](block_id a, block_id b) {
    return std::pair(tree.is_reachable(a) ? tree.depth(a) : 0, a) <
           std::pair(tree.is_reachable(b) ? tree.depth(b) : 0, b);
  });
  std::vector<llvm::Value*> hash(g.num_blocks(), nullptr);
  for (const block_id b : order) {
    llvm::IRBuilder<> at(code[b]);
    for (std::size_t k = random.between(1, 3); k > 0; --k) {
      llvm::Value *x = available(b, true), *y = available(b, true);
      made[b].push_back(random.chance(50) ? at.CreateAdd(x, y) : at.CreateXor(at.CreateMul(x, at.getInt32(77)), y));
    }
    llvm::Value* c = at.CreateAdd(at.CreateLoad(number, count), at.getInt32(1));
    if (random.chance(80)) at.CreateStore(c, count);
    llvm::Value* h = at.CreateMul(at.CreateXor(c, available(b, true)), at.getInt32(0x9E37'79B1U));
    hash[b] = at.CreateLShr(h, at.getInt32(20));
    made[b].push_back(h);
    at.CreateCall(event, {at.getInt32(b), available(b, true)});
  }
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    llvm::IRBuilder<> at(code[b]);
    const auto out = g.successors(b);
    if (out.empty()) {
      if (!tree.is_reachable(b) && random.chance(50))
        at.CreateUnreachable();
      else if (returns)
        at.CreateRet(available(b, true));
      else
        at.CreateRetVoid();
    } else if (out.size() == 1 && random.chance(90)) {
      at.CreateBr(code[out[0]]);
    } else if (out.size() == 2 && random.chance(70)) {
      at.CreateCondBr(at.CreateICmpULT(at.CreateAnd(hash[b], at.getInt32(255)), at.getInt32(128)), code[out[0]],
                      code[out[1]]);
    } else {
      llvm::Value* which = at.CreateAnd(hash[b], at.getInt32(3));
      auto* table = at.CreateSwitch(which, code[out[0]]);
      for (std::size_t k = 1; k < out.size(); ++k)
        table->addCase(at.getInt32(static_cast<std::uint32_t>(k - 1)), code[out[k]]);
    }
  }
  for (llvm::PHINode* p : phis) {
    std::map<llvm::BasicBlock*, llvm::Value*> from;  // parallel edges bring one value
    for (llvm::BasicBlock* pred : llvm::predecessors(p->getParent())) {
      if (from.count(pred) == 0) {
        const auto at = std::find(code.begin(), code.end(), pred);
        from[pred] = at == code.end() ? f->getArg(0) : available(static_cast<block_id>(at - code.begin()), true);
      }
      p->addIncoming(from[pred], pred);
    }
  }
  return f;
}

std::string text_of(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return out.str();
}
std::string invalid(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyFunction(f, &out) ? out.str() + "(invalid)" : "";
}

constexpr std::size_t most_events = 120;
constexpr std::uint32_t arguments[] = {0, 1, 7, 12'345};

std::string events_of(const llvm_run& r) {
  std::string text;
  for (const auto& [b, v] : r.events) text += " " + std::to_string(b) + ":" + std::to_string(v);
  return text + (r.ended ? " end" : " ...") + (r.broken.empty() ? "" : " (" + r.broken + ")");
}

std::vector<llvm_run> run_all(const llvm::Function& f) {
  std::vector<llvm_run> runs;
  for (const std::uint32_t a : arguments) runs.push_back(llvm_thread().run(f, a, most_events));
  return runs;
}

// The messages, one after the other.
std::string words(const diagnostics& why) {
  std::string all;
  for (const diagnostic& d : why) all += d.message;
  return all;
}

// Applies a plan that `make(cfg)` gives; "" or what is wrong. `ask` looks at the graph of the outcome, and at the plan.
template <class Make, class Ask>
std::string applied(llvm::Function& f, Make make, Ask ask) {
  const std::string before = text_of(f);
  const std::vector<llvm_run> want = run_all(f);
  for (const llvm_run& r : want)
    if (!r.broken.empty()) return "the function itself: " + r.broken + "\n" + before;
  const flow_plan plan = make(llvm_cfg(f));
  const llvm_code_record record(f);
  if (const std::string why = words(rewrite(f, plan)); !why.empty()) return why;
  if (const std::string why = words(check_rewrite(record, plan, f)); !why.empty())
    return why + "\nbefore:\n" + before + "\nafter:\n" + text_of(f);
  const std::string bad = invalid(f);
  if (!bad.empty()) return bad + "\nbefore:\n" + before + "\nafter:\n" + text_of(f);
  const std::vector<llvm_run> have = run_all(f);
  for (std::size_t k = 0; k < want.size(); ++k)
    if (want[k].events != have[k].events || want[k].returned != have[k].returned || want[k].ended != have[k].ended ||
        !have[k].broken.empty())
      return "argument " + std::to_string(arguments[k]) + "\nbefore:" + events_of(want[k]) +
             "\nafter: " + events_of(have[k]) + "\nbefore:\n" + before + "\nafter:\n" + text_of(f);
  for (const llvm::Instruction& i : f.getEntryBlock())
    if (const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&i); own != nullptr && own != &f.getEntryBlock().front())
      return "a slot is left\n" + text_of(f);
  const std::string wrong = ask(llvm_cfg(f), plan);
  return wrong.empty() ? "" : wrong + "\nbefore:\n" + before + "\nafter:\n" + text_of(f);
}
constexpr auto anything = [](const llvm_cfg<llvm::Function>&, const flow_plan&) { return std::string(); };
constexpr auto structured = [](const llvm_cfg<llvm::Function>& g, const flow_plan& plan) {
  if (!find_unstructured(plan).is_structured()) return std::string("the plan is not structured");
  return std::string(find_unstructured(g).is_structured() ? "" : "it is not structured");
};
constexpr auto reducible = [](const llvm_cfg<llvm::Function>& g, const flow_plan&) {
  return std::string(loops(g).is_reducible() ? "" : "it is not reducible");
};

csr_graph graph_of(testing::rng& random) {
  testing::cfg_options o;
  o.blocks = random.between(1, 14);
  o.max_successors = random.between(1, 4);
  o.exits = random.below(4);
  o.loops = random.chance(80) || o.exits == 0;
  o.reducible = random.chance(30);
  o.terminating = o.exits > 0 && random.chance(60);
  o.unreachable_percent = random.chance(30) ? 20 : 0;
  return testing::random_cfg(random, o);
}

template <class Make, class Ask>
void sweep(std::uint64_t runs, Make make, Ask ask) {
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(runs); ++seed) {
    testing::rng random(seed);
    llvm::LLVMContext context;
    llvm::Module m("m", context);
    llvm::Function* f = write_function(m, graph_of(random), random);
    const std::string bad = invalid(*f);
    REQUIRE_MESSAGE(bad == "", "seed " << seed << ": " << bad << text_of(*f));
    const std::string wrong = applied(
        *f, [&](const auto& g) { return make(g, random); }, ask);
    REQUIRE_MESSAGE(wrong == "", "seed " << seed << ": " << wrong);
  }
}

// Makes a mistake of one kind in a function; false if there is no place for it.
bool edit(llvm::Function& f, std::size_t kind, testing::rng& random) {
  llvm::Module& m = *f.getParent();
  const auto other_number = [](const llvm::Value* v) {
    const auto* c = llvm::cast<llvm::ConstantInt>(v);
    return llvm::ConstantInt::get(c->getType(), c->getZExtValue() + 1);
  };
  std::vector<llvm::Instruction*> fits;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b) {
      const auto constant_at = [&i](unsigned k) { return llvm::isa<llvm::ConstantInt>(i.getOperand(k)); };
      const auto is_plain = [](const llvm::Instruction& one) {
        return !llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::AllocaInst>(one) && !one.isTerminator();
      };
      const bool is_branch = i.isTerminator() && i.getNumSuccessors() == 2 && !llvm::isa<llvm::SwitchInst>(i);
      bool can = false;
      if (kind == 0) can = is_branch && i.getSuccessor(0) != i.getSuccessor(1);
      if (kind == 1) can = llvm::isa<llvm::StoreInst, llvm::CallInst>(i);
      if (kind == 2) can = llvm::isa<llvm::ICmpInst>(i) && b.getName().str().rfind("guard", 0) == 0 && constant_at(1);
      if (kind == 3) can = is_plain(i) && is_plain(*i.getNextNode()) && !llvm::is_contained(i.users(), i.getNextNode());
      if (kind == 4) can = llvm::isa<llvm::CallInst>(i);
      if (kind == 5) can = llvm::isa<llvm::PHINode, llvm::SelectInst>(i) && constant_at(i.getNumOperands() - 1);
      if (kind == 6) can = llvm::isa<llvm::PHINode>(i) && i.getNumOperands() > 1 && i.getOperand(0) != i.getOperand(1);
      if (kind == 7) can = i.isBinaryOp() && i.getOperand(0) != f.getArg(0);
      if (kind == 8) can = llvm::isa<llvm::ReturnInst>(i) ? i.getNumOperands() > 0 : is_branch;
      if (can) fits.push_back(&i);
    }
  if (fits.empty()) return false;
  llvm::Instruction& i = *fits[random.below(fits.size())];
  switch (kind) {
    case 0: {
      llvm::BasicBlock* first = i.getSuccessor(0);
      i.setSuccessor(0, i.getSuccessor(1));
      i.setSuccessor(1, first);
      return true;
    }
    case 1:
      i.eraseFromParent();
      return true;
    case 2:
      i.setOperand(1, other_number(i.getOperand(1)));
      return true;
    case 3:
      i.moveAfter(i.getNextNode());
      return true;
    case 4: {
      auto& call = llvm::cast<llvm::CallInst>(i);
      call.setCalledFunction(m.getOrInsertFunction("another_event", call.getFunctionType()));
      call.setArgOperand(0, llvm::ConstantInt::get(call.getArgOperand(0)->getType(), 77));  // for the interpreter
      return true;
    }
    case 5:
      i.setOperand(i.getNumOperands() - 1, other_number(i.getOperand(i.getNumOperands() - 1)));
      return true;
    case 6: {
      llvm::Value* first = i.getOperand(0);
      i.setOperand(0, i.getOperand(1));
      i.setOperand(1, first);
      return true;
    }
    case 7:
      i.setOperand(0, f.getArg(0));
      return true;
    default:
      if (llvm::isa<llvm::ReturnInst>(i))
        i.setOperand(0, f.getArg(0));
      else
        llvm::cast<simtflow::detail::llvm_two_way_branch>(i).setCondition(llvm::ConstantInt::getTrue(f.getContext()));
      return true;
  }
}

std::unique_ptr<llvm::Module> parse_text(llvm::LLVMContext& context, const char* text) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> m = llvm::parseAssemblyString(text, error, context);
  if (m == nullptr) FAIL(error.getMessage().str());
  return m;
}

}  // namespace

TEST_CASE("llvm_rewrite: a plan that changes nothing") {
  sweep(
      400, [](const auto& g, auto&) { return flow_plan(snapshot(g)); }, anything);
}

TEST_CASE("llvm_rewrite: linearization by every kind of loop guard and every optimization") {
  sweep(
      1'200,
      [](const auto& g, auto& random) {
        linearize_options o;
        o.loops = static_cast<loop_guards>(random.below(3));
        o.optimize = static_cast<guard_optimization>(random.below(5));
        return linearize(g, o).plan;
      },
      structured);
}

TEST_CASE("llvm_rewrite: linearization of the shapes of the papers") {
  namespace shapes = testing::transform;
  for (const csr_graph& g : {shapes::short_circuit(), shapes::jump_out(), shapes::jump_in(), shapes::irreducible2(),
                             shapes::tf_fig1(), shapes::cross_diamond(), shapes::loop_3exits(), shapes::break2(),
                             shapes::irr_nested(), shapes::clique4(), shapes::statemachine()})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      testing::rng random(seed);
      llvm::LLVMContext context;
      llvm::Module m("m", context);
      const std::string wrong = applied(
          *write_function(m, g, random), [](const auto& cfg) { return linearize(cfg).plan; }, structured);
      CHECK_MESSAGE(wrong == "", wrong);
    }
}

TEST_CASE("llvm_rewrite: copies of blocks have values of their own") {
  sweep(
      500,
      [](const auto& g, auto&) {
        copy_options o;
        o.max_blocks = 400;
        return structure_by_copies(g, o).plan;
      },
      anything);
}

TEST_CASE("llvm_rewrite: hubs in front of loops and after them") {
  sweep(
      300, [](const auto& g, auto&) { return fix_irreducible(g); }, reducible);
  sweep(
      300, [](const auto& g, auto&) { return unify_loop_exits(g); }, anything);
  sweep(
      300,
      [](const auto& g, auto&) {
        flow_plan plan = fix_irreducible(g);
        (void)unify_loop_exits(plan);
        return linearize(plan).plan;
      },
      structured);
}

TEST_CASE("llvm_rewrite: exit edges, copies of the entry and guards in front of it") {
  sweep(
      300,
      [](const auto& g, auto&) {
        flow_plan plan(snapshot(g));
        const block_id end = plan.add_empty(true);
        for (block_id b = 0; b < plan.num_originals(); ++b)
          if (plan[b].leaves) (void)plan.add_exit_edge(b, end);
        return plan;
      },
      [](const llvm_cfg<llvm::Function>& g, const flow_plan&) {
        std::size_t ends = 0;
        for (const llvm::BasicBlock& b : g.function()) ends += llvm::isa<llvm::ReturnInst>(b.getTerminator()) ? 1U : 0U;
        return std::string(ends <= 1 ? "" : "there are several ends");
      });
  // The function twice: threads that end go to a guard once more, which sends them to a copy of the entry.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    testing::rng random(seed);
    llvm::LLVMContext context;
    llvm::Module m("m", context);
    llvm::Function* f = write_function(m, testing::transform::short_circuit(), random);
    const std::vector<llvm_run> once = run_all(*f);
    flow_plan plan(snapshot(llvm_cfg(*f)));
    const std::uint32_t turn = plan.add_variable();
    const block_id first = plan.entry(), end = plan.add_empty(true), again = plan.add_guard(turn, 0, 0);
    plan.set_edge(again, 0, first);
    plan.assign(again, 0, {turn, 5});
    plan.set_edge(again, 1, end);
    for (block_id b = 0; b < plan.num_originals(); ++b)
      if (plan[b].leaves) (void)plan.add_exit_edge(b, again);
    REQUIRE(rewrite(*f, plan).empty());
    REQUIRE(invalid(*f) == "");
    for (const llvm::BasicBlock& b : *f)
      for (const llvm::Instruction& i : b)
        if (const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&i)) CHECK(own->isStaticAlloca());
    const std::vector<llvm_run> twice = run_all(*f);
    for (std::size_t k = 0; k < once.size(); ++k) {
      auto want = once[k].events;
      want.insert(want.end(), once[k].events.begin(), once[k].events.end());
      CHECK(twice[k].broken == "");
      CHECK(twice[k].events == want);
      CHECK(twice[k].returned == once[k].returned);
    }
  }
}

TEST_CASE("llvm_rewrite: values stay in SSA form where their definitions still dominate their uses") {
  // A state machine with jumps between states. Two variables change in every state; %far is used where it always was.
  llvm::LLVMContext context;
  const auto m = parse_text(context, R"(
declare void @event(i32, i32)
define i32 @f(i32 %n) {
first:
  %far = mul i32 %n, 3
  br label %head
head:
  %bits = phi i32 [ %n, %first ], [ %bits.c, %c ], [ %bits.d, %d ]
  %held = phi i32 [ 0, %first ], [ %held.c, %c ], [ %held.d, %d ]
  %which = and i32 %bits, 1
  %odd = icmp eq i32 %which, 0
  br i1 %odd, label %a, label %b
a:
  %bits.a = add i32 %bits, 5
  %a.skips = icmp ult i32 %bits.a, 40
  br i1 %a.skips, label %b, label %c
b:
  %bits.b = phi i32 [ %bits, %head ], [ %bits.a, %a ]
  %held.b = add i32 %held, %bits.b
  %b.skips = icmp ult i32 %held.b, 90
  br i1 %b.skips, label %c, label %d
c:
  %bits.c.in = phi i32 [ %bits.a, %a ], [ %bits.b, %b ]
  %held.c.in = phi i32 [ %held, %a ], [ %held.b, %b ]
  %bits.c = xor i32 %bits.c.in, %far
  %held.c = add i32 %held.c.in, 1
  call void @event(i32 2, i32 %bits.c)
  %again = icmp ult i32 %held.c, 200
  br i1 %again, label %head, label %d
d:
  %bits.d.in = phi i32 [ %bits.b, %b ], [ %bits.c, %c ]
  %held.d.in = phi i32 [ %held.b, %b ], [ %held.c, %c ]
  %bits.d = lshr i32 %bits.d.in, 1
  %held.d = add i32 %held.d.in, %far
  call void @event(i32 3, i32 %held.d)
  %more = icmp ult i32 %held.d, 1000
  br i1 %more, label %head, label %end
end:
  ret i32 %held.d
})");
  llvm::Function& f = *m->getFunction("f");
  const auto phis = [&] {
    std::size_t n = 0;
    for (llvm::BasicBlock& b : f)
      for (const llvm::PHINode& phi : b.phis()) {
        ++n;
        for (const llvm::Value* v : phi.incoming_values()) CHECK(v->getName() != "far");
      }
    return n;
  };
  CHECK(phis() == 7);
  const std::string wrong = applied(
      f, [](const auto& g) { return linearize(g).plan; }, structured);
  CHECK_MESSAGE(wrong == "", wrong);
  CAPTURE(text_of(f));
  std::size_t guards = 0;
  for (const llvm::BasicBlock& b : f) guards += b.getName().str().rfind("guard", 0) == 0 ? 1U : 0U;
  CHECK(guards > 0);
  // Both variables and the guard variable, at each guard and where the loop begins.
  CHECK(phis() <= 3 * (guards + 1));
}

TEST_CASE("llvm_interleave: random functions do what they did") {
  // Branches with two arms of some blocks, one after the other.
  const auto series = [](testing::rng& random) {
    const std::size_t branches = random.between(1, 4);
    std::vector<std::size_t> arms;
    std::size_t blocks = 1 + branches;
    for (std::size_t k = 0; k < 2 * branches; ++k) blocks += arms.emplace_back(random.between(1, 3));
    csr_builder made(blocks);
    block_id at = 0, next = 1;
    for (std::size_t k = 0; k < branches; ++k) {
      const auto join = static_cast<block_id>(next + arms[2 * k] + arms[2 * k + 1]);
      for (const std::size_t arm : {arms[2 * k], arms[2 * k + 1]}) {
        made.add_edge(at, next);
        for (std::size_t b = 1; b < arm; ++b, ++next) made.add_edge(next, next + 1);
        made.add_edge(next++, join);
      }
      at = join;
      next = join + 1;
    }
    return made.build();
  };
  llvm_interleave_options often;
  often.prices.guard_instructions = often.prices.guard_cycles = 1;
  std::size_t interleaved = 0;
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(300); ++seed) {
    testing::rng random(seed);
    llvm::LLVMContext context;
    llvm::Module m("m", context);
    llvm::Function* f = write_function(m, series(random), random);
    const std::string before = text_of(*f);
    const std::vector<llvm_run> want = run_all(*f);
    const llvm_interleaving made = interleave(*f, often);
    interleaved += made.interleaved;
    CAPTURE(seed);
    CAPTURE(before);
    CAPTURE(text_of(*f));
    CHECK(made.obstacles.empty());
    CHECK(words(made.faults) == "");
    REQUIRE(invalid(*f) == "");
    if (made.interleaved == 0) CHECK(text_of(*f) == before);
    const std::vector<llvm_run> have = run_all(*f);
    for (std::size_t k = 0; k < want.size(); ++k) {
      REQUIRE(events_of(have[k]) == events_of(want[k]));
      REQUIRE(have[k].returned == want[k].returned);
    }
  }
  CHECK(interleaved > 100);
}

TEST_CASE("llvm_rewrite: ranges of values in guards") {
  for (const auto& [low, high] :
       {std::pair<std::uint32_t, std::uint32_t>{0, 3}, {2, 3}, {3, 3}, {3, 0xFFFF'FFFFU}, {0, 0}}) {
    llvm::LLVMContext context;
    const auto m = parse_text(context, R"(
declare void @event(i32, i32)
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %done [ i32 0, label %done
                               i32 1, label %done
                               i32 2, label %done
                               i32 3, label %done ]
done:
  ret i32 1
})");
    llvm::Function& f = *m->getFunction("f");
    flow_plan plan(snapshot(llvm_cfg(f)));
    const std::uint32_t v = plan.add_variable();
    const block_id guard = plan.add_guard(v, low, high), end = plan.add_empty(true);
    const auto exit = static_cast<std::size_t>(plan.add_exit_edge(1, end));
    CHECK(exit == 0);
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
      plan.set_edge(0, slot, guard);
      plan.assign(0, slot, {v, slot == 0 ? 4 : slot - 1});  // what n is, 4 for all others
    }
    plan.set_edge(guard, 0, 1);
    plan.set_edge(guard, 1, 1);
    plan.assign(guard, 0, {v, 9});
    const std::uint32_t seen = plan.add_variable();
    const block_id passed = plan.add_guard(seen, 1, 1), yes = plan.add_empty(), no = plan.add_empty();
    plan.assign(guard, 0, {seen, 1});
    plan.set_edge(1, 0, passed);
    plan.set_edge(passed, 0, yes);
    plan.set_edge(passed, 1, no);
    plan.set_edge(yes, 0, end);
    plan.set_edge(no, 0, end);
    REQUIRE(rewrite(f, plan).empty());
    REQUIRE(invalid(f) == "");
    // Events tell where the two ways differ.
    for (llvm::BasicBlock& b : f) {
      auto* branch = llvm::dyn_cast<simtflow::detail::llvm_two_way_branch>(b.getTerminator());
      if (branch == nullptr || branch->getNumSuccessors() != 2) continue;
      for (const unsigned side : {0U, 1U}) {
        llvm::BasicBlock* to = branch->getSuccessor(side);
        llvm::IRBuilder<> at(to, to->getFirstInsertionPt());
        at.CreateCall(m->getFunction("event"), {at.getInt32(1 - side), at.getInt32(0)});
      }
    }
    for (std::uint32_t n = 0; n < 6; ++n) {
      const llvm_run r = llvm_thread().run(f, n, 10);
      CAPTURE(text_of(f));
      CHECK(r.broken == "");
      REQUIRE(r.events.size() == 1);
      const std::uint32_t value = n < 4 ? n : 4;
      CHECK(r.events[0].first == (low <= value && value <= high ? 1 : 0));
    }
  }
}

TEST_CASE("llvm_rewrite: an edge of a switch that sets nothing keeps what was set before") {
  llvm::LLVMContext context;
  const auto m = parse_text(context, R"(
define i32 @f(i32 %n) {
entry:
  br label %choose
choose:
  switch i32 %n, label %one [ i32 0, label %two
                              i32 7, label %one ]
one:
  ret i32 1
two:
  ret i32 2
})");
  llvm::Function& f = *m->getFunction("f");
  flow_plan plan(snapshot(llvm_cfg(f)));
  const std::uint32_t v = plan.add_variable();
  const block_id guard = plan.add_guard(v, 3, 3);
  plan.assign(0, 0, {v, 3});
  for (const std::uint32_t slot : {0U, 1U, 2U}) plan.set_edge(1, slot, guard);
  plan.assign(1, 0, {v, 1});
  plan.assign(1, 2, {v, 2});
  plan.set_edge(guard, 0, 3);
  plan.set_edge(guard, 1, 2);
  REQUIRE(rewrite(f, plan).empty());
  REQUIRE(invalid(f) == "");
  for (const std::uint32_t n : {0U, 1U, 7U}) CHECK(llvm_thread().run(f, n, 10).returned == (n == 0 ? 2U : 1U));
}

#if LLVM_VERSION_MAJOR < 15
TEST_CASE("llvm_rewrite: a function with a constant that may trap stays as it is") {
  // A select of it, which melding would write, divides by zero in the other arm also.
  llvm::LLVMContext context;
  const auto m = parse_text(context,
                            "@g = extern_weak global i32\n"
                            "define i64 @f(i1 %c, i64 %x) {\n br i1 %c, label %a, label %b\n"
                            "a:\n %r = add i64 %x, sdiv (i64 1, i64 ptrtoint (i32* @g to i64))\n ret i64 %r\n"
                            "b:\n %s = add i64 %x, 7\n ret i64 %s\n}");
  CHECK(words(obstacles_to_rewriting(*m->getFunction("f"))) == "it has constants that may trap (a division)");
}
#endif

TEST_CASE("llvm_rewrite: what cannot be rewritten stays as it is, and the reason is said") {
  struct refusal {
    const char* text;
    const char* why;
  };
  for (const refusal& r : {
           refusal{"declare void @f(i32)", "it has no body"},
           refusal{"declare void @g()\n declare i32 @p(...)\n"
                   "define void @f(i32 %n) personality i32 (...)* @p {\n invoke void @g() to label %a unwind label %b\n"
                   "a:\n ret void\nb:\n %l = landingpad { i8*, i32 } cleanup\n ret void\n}",
                   "a block ends with something else than br, switch, ret or unreachable"},
           refusal{"define void @f(i32 %n) {\n indirectbr i8* blockaddress(@f, %a), [label %a]\na:\n ret void\n}",
                   "a block ends with something else than br, switch, ret or unreachable"},
           refusal{"define i8* @f(i32 %n) {\n br label %a\na:\n ret i8* blockaddress(@f, %a)\n}",
                   "the address of a block is taken"},
           refusal{"declare token @llvm.call.preallocated.setup(i32)\n"
                   "define void @f(i32 %n) {\n %t = call token @llvm.call.preallocated.setup(i32 0)\n ret void\n}",
                   "it has tokens, which no stack slot can hold"},
           refusal{"declare i32 @setjmp(i8*) returns_twice\n"
                   "define void @f(i8* %b) {\n %r = call i32 @setjmp(i8* %b) returns_twice\n ret void\n}",
                   "it calls a function that returns twice (setjmp)"},
       }) {
    llvm::LLVMContext context;
#if LLVM_VERSION_MAJOR == 15 || LLVM_VERSION_MAJOR == 16
    context.setOpaquePointers(true);
#endif
    std::string text = r.text;
#if LLVM_VERSION_MAJOR >= 15
    for (const char* old : {"i8*", "i32 (...)*"})
      for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old))
        text.replace(at, std::string(old).size(), "ptr");
#endif
    const auto m = parse_text(context, text.c_str());
    llvm::Function& f = *m->getFunction("f");
    const std::string before = text_of(f);
    CHECK(words(obstacles_to_rewriting(f)) == r.why);
    if (f.isDeclaration()) continue;
    CHECK(words(rewrite(f, flow_plan(snapshot(llvm_cfg(f))))) == r.why);
    CHECK(text_of(f) == before);
  }

  llvm::LLVMContext context;
  const auto m = parse_text(context, R"(
declare void @once() noduplicate
define void @f(i32 %n) {
entry:
  call void @once()
  br label %last
last:
  musttail call void @f(i32 %n)
  ret void
}
)");
  llvm::Function& f = *m->getFunction("f");
  CHECK(obstacles_to_rewriting(f).empty());
  flow_plan copies(snapshot(llvm_cfg(f))), exits = copies;
  (void)copies.add_copy(0);
  CHECK(words(rewrite(f, copies)) == "a call that must not be duplicated would be copied");
  const block_id end = exits.add_empty(true);
  (void)exits.add_exit_edge(1, end);
  CHECK(words(rewrite(f, exits)) == "a tail call that must stay one would get an exit edge");
  CHECK(rewrite(f, flow_plan(snapshot(llvm_cfg(f)))).empty());
  CHECK(f.size() == 2);
}

TEST_CASE("llvm_rewrite: convergent calls keep their blocks out of linearization") {
  llvm::LLVMContext context;
  const auto m = parse_text(context, R"(
declare void @barrier() convergent
define void @f(i1 %a, i1 %b) {
entry:
  br i1 %a, label %left, label %right
left:
  br i1 %b, label %shared, label %end
right:
  br i1 %b, label %shared, label %end
shared:
  call void @barrier()
  br label %end
end:
  ret void
}
)");
  const llvm_cfg g(*m->getFunction("f"));
  const linearization kept = linearize(g, {}, llvm_is_convergent{});
  CHECK(kept.regions.empty());
  REQUIRE(kept.refused.size() == 1);
  CHECK(g.block_at(kept.refused[0])->getName() == "shared");
  CHECK(linearize(g).regions.size() == 1);
}

TEST_CASE("llvm_check_rewrite: edits of what was written are caught, or change nothing") {
  constexpr std::size_t kinds = 9;
  std::size_t caught[kinds] = {}, harmless[kinds] = {};
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(400); ++seed) {
    testing::rng random(seed);
    llvm::LLVMContext context;
    llvm::Module m("m", context);
    llvm::Function* f = write_function(m, graph_of(random), random);
    const llvm_cfg g(*f);
    flow_plan plan;
    switch (random.below(4)) {
      case 0:
        plan = linearize(g).plan;
        break;
      case 1:
        plan = structure_by_copies(g).plan;
        break;
      case 2:
        plan = fix_irreducible(g);
        break;
      default:
        plan = unify_loop_exits(g);
    }
    const llvm_code_record record(*f);
    REQUIRE(rewrite(*f, plan).empty());
    REQUIRE(words(check_rewrite(record, plan, *f)) == "");
    const std::vector<llvm_run> want = run_all(*f);
    const std::size_t kind = seed % kinds;
    if (!edit(*f, kind, random)) continue;
    if (!invalid(*f).empty()) continue;
    if (!check_rewrite(record, plan, *f).empty()) {
      ++caught[kind];
      continue;
    }
    ++harmless[kind];
    const std::vector<llvm_run> have = run_all(*f);
    CAPTURE(seed);
    CAPTURE(kind);
    CAPTURE(text_of(*f));
    for (std::size_t k = 0; k < want.size(); ++k) {
      REQUIRE(events_of(have[k]) == events_of(want[k]));
      REQUIRE(have[k].returned == want[k].returned);
    }
  }
  constexpr const char* names[kinds] = {
      "branch turned", "instruction dropped", "guard constant", "order",           "callee",
      "constant",      "phi turned",          "operand",        "ret or condition"};
  std::string table;
  for (std::size_t k = 0; k < kinds; ++k) {
    table += std::string(names[k]) + ": " + std::to_string(caught[k]) + " caught, " + std::to_string(harmless[k]) +
             " change nothing\n";
    CHECK(caught[k] > 0);
  }
  MESSAGE(table);
}

TEST_CASE("llvm_check_rewrite: a phi has what it likes for an undefined value") {
  llvm::LLVMContext context;
  const auto m = parse_text(context, R"(
define i32 @f(i32 %n) {
entry:
  %a = icmp ult i32 %n, 9
  %x = mul i32 %n, 3
  br i1 %a, label %left, label %right
left:
  %b = icmp ult i32 %n, 5
  br i1 %b, label %shared, label %end
right:
  %c = icmp ult i32 %n, 20
  br i1 %c, label %shared, label %end
shared:
  %p = phi i32 [ undef, %left ], [ %x, %right ]
  br label %end
end:
  %q = phi i32 [ %n, %left ], [ %n, %right ], [ %p, %shared ]
  %again = add i32 %q, %x
  ret i32 %again
})");
  llvm::Function& f = *m->getFunction("f");
  const flow_plan plan = linearize(llvm_cfg(f)).plan;
  const llvm_code_record record(f);
  REQUIRE(rewrite(f, plan).empty());
  CHECK(words(check_rewrite(record, plan, f)) == "");
  for (llvm::BasicBlock& b : f)
    if (llvm::isa<llvm::ReturnInst>(b.getTerminator())) b.getTerminator()->setOperand(0, f.getArg(0));
  CHECK(words(check_rewrite(record, plan, f)).find("a value is another one") != std::string::npos);
}

TEST_CASE("llvm_rewrite: long functions") {
  // Branches into the middle of what comes next, again and again: one long unstructured region.
  constexpr block_id blocks = 5'000;
  csr_builder ladder(blocks);
  for (block_id b = 0; b + 2 < blocks; ++b) ladder.add_edge(b, b + 1).add_edge(b, b + 2);
  ladder.add_edge(blocks - 2, blocks - 1);
  llvm::LLVMContext context;
  llvm::Module m("m", context);
  llvm::Function* f = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::Type::getInt32Ty(context)}, false),
      llvm::Function::ExternalLinkage, "f", m);
  const csr_graph g = ladder.build();
  std::vector<llvm::BasicBlock*> code;
  for (block_id b = 0; b < blocks; ++b) code.push_back(llvm::BasicBlock::Create(context, "", f));
  for (block_id b = 0; b < blocks; ++b) {
    llvm::IRBuilder<> at(code[b]);
    const auto out = g.successors(b);
    llvm::Value* bit = at.CreateAnd(at.CreateLShr(f->getArg(0), at.getInt32(b % 32)), at.getInt32(1));
    if (out.size() == 2)
      at.CreateCondBr(at.CreateIsNull(bit), code[out[0]], code[out[1]]);
    else if (out.size() == 1)
      at.CreateBr(code[out[0]]);
    else
      at.CreateRetVoid();
  }
  REQUIRE(rewrite(*f, linearize(llvm_cfg(*f)).plan).empty());
  CHECK(invalid(*f) == "");
  const llvm_cfg made(*f);
  CHECK(find_unstructured(made).is_structured());
}

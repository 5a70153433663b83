// SPDX-License-Identifier: BSL-1.0
//
// Live values of LLVM functions: by hand, and on random functions against the equations of the data flow, instruction
// by instruction.
#include "interop/llvm/random_function.hpp"
#include "interop/llvm/text_module.hpp"
#include "support/long_run.hpp"
#include <simtflow/interop/llvm_register_pressure.hpp>

#include <doctest/doctest.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace simtflow_tests {
namespace live_values {

using namespace simtflow;

TEST_CASE("llvm, register pressure: by type, and where") {
  text_module m(R"(
    define i64 @f(i64 %a, i32 %b, i1 %c) {
    entry:
      %x = add i64 %a, 1
      %y = add i32 %b, 1
      br i1 %c, label %left, label %join
    left:
      %z = mul i64 %x, %a
      %p = icmp eq i32 %y, 3
      %s = select i1 %p, i64 %z, i64 %x
      br label %join
    join:
      %r = phi i64 [ %s, %left ], [ %x, %entry ]
      ret i64 %r
    }
    declare i32 @outside(i32)
  )");
  const llvm_register_pressure p = register_pressure_of(m.function());
  CHECK(p.live == 5);  // %a, %x and %y (or %b)
  REQUIRE(p.live_at != nullptr);
  CHECK(p.live_at->getName() == "x");
  CHECK(p.predicates == 1);
  CHECK(p.predicates_at->getName() == "x");
  CHECK(p.narrow == 1);
  CHECK(p.wide == 2);
  CHECK(p.wider == 0);
  const llvm_register_pressure none = register_pressure_of(m.function("outside"));
  CHECK(none.live == 0);
  CHECK(none.live_at == nullptr);
}

TEST_CASE("llvm, register pressure: results of phis begin together") {
  text_module m(R"(
    define i32 @f(i32 %n, i1 %go) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %j = phi i32 [ %n, %entry ], [ %i, %loop ]
      %k = phi i32 [ 1, %entry ], [ %j, %loop ]
      %next = add i32 %i, %k
      br i1 %go, label %loop, label %end
    end:
      ret i32 %k
    }
  )");
  const llvm_register_pressure p = register_pressure_of(m.function());
  CHECK(p.live == 4);  // %i, %j, %k and %next
  CHECK(p.live_at->getName() == "next");
}

// The instructions before which a value is live, by the equations of the data flow: each instruction that is no phi is
// looked at again and again until nothing changes.
class live_places {
 public:
  live_places(const llvm::Function& f, const llvm::Value& v) : v_(v) {
    for (bool changes = true; changes;) {
      changes = false;
      for (auto b = f.end(); b != f.begin();) {
        --b;
        for (auto i = b->rbegin(); i != b->rend() && !llvm::isa<llvm::PHINode>(*i); ++i) {
          const bool uses = std::count(i->op_begin(), i->op_end(), &v) != 0;
          if ((uses || (&*i != &v && after(*i))) && before_.insert(&*i).second) changes = true;
        }
      }
    }
  }
  bool before(const llvm::Instruction& i) const { return before_.count(&i) != 0; }
  bool after(const llvm::Instruction& i) const {
    if (!i.isTerminator()) return before(*i.getNextNode());
    for (const llvm::BasicBlock* s : llvm::successors(&i)) {
      bool defined = false;
      for (const llvm::PHINode& phi : s->phis()) {
        if (phi.getIncomingValueForBlock(i.getParent()) == &v_) return true;
        defined = defined || &phi == &v_;
      }
      if (!defined && before(after_phis(*s))) return true;
    }
    return false;
  }
  static const llvm::Instruction& after_phis(const llvm::BasicBlock& b) {
    auto i = b.begin();
    while (llvm::isa<llvm::PHINode>(*i)) ++i;
    return *i;
  }

 private:
  const llvm::Value& v_;
  std::set<const llvm::Instruction*> before_;
};

TEST_CASE("llvm, register pressure: the maxima of random functions are what the equations say") {
  for (std::uint64_t seed = 0; seed < times(25); ++seed) {
    CAPTURE(seed);
    const random_function made(seed);
    if (made.f->getInstructionCount() > 300) continue;
    const llvm::DataLayout& layout = made.code->getDataLayout();
    std::vector<std::pair<const llvm::Value*, live_places>> values;
    const auto add = [&](const llvm::Value& v) { values.push_back({&v, live_places(*made.f, v)}); };
    for (const llvm::Argument& a : made.f->args()) add(a);
    for (const llvm::BasicBlock& b : *made.f)
      for (const llvm::Instruction& i : b)
        if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
            i.getType()->isSized() && (slot == nullptr || !slot->isStaticAlloca()))
          add(i);
    llvm_register_pressure wanted;
    const auto note = [&](const llvm::Instruction& at, const auto& is) {
      std::uint32_t live = 0, predicates = 0;
      for (const auto& [v, places] : values) {
        if (!is(*v, places)) continue;
        if (v->getType()->isIntegerTy(1))
          ++predicates;
        else
          live += static_cast<std::uint32_t>((layout.getTypeSizeInBits(v->getType()).getKnownMinValue() + 31) / 32);
      }
      if (live > wanted.live) wanted.live = live, wanted.live_at = &at;
      if (predicates > wanted.predicates) wanted.predicates = predicates, wanted.predicates_at = &at;
    };
    for (const llvm::BasicBlock& b : *made.f) {
      const llvm::Instruction& first = live_places::after_phis(b);
      if (&first != &b.front())
        note(b.front(), [&](const llvm::Value& v, const live_places& places) {
          const auto* phi = llvm::dyn_cast<llvm::PHINode>(&v);
          return (phi != nullptr && phi->getParent() == &b) || places.before(first);
        });
      for (const llvm::Instruction* i = &first; i != nullptr; i = i->getNextNode()) {
        note(*i, [&](const llvm::Value&, const live_places& places) { return places.before(*i); });
        note(*i, [&](const llvm::Value& v, const live_places& places) { return &v == i || places.after(*i); });
      }
    }
    const llvm_register_pressure found = register_pressure_of(*made.f);
    CHECK(found.live == wanted.live);
    CHECK(found.live_at == wanted.live_at);
    CHECK(found.predicates == wanted.predicates);
    CHECK(found.predicates_at == wanted.predicates_at);
  }
}

}  // namespace live_values
}  // namespace simtflow_tests

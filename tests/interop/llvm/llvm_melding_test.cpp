// SPDX-License-Identifier: BSL-1.0
//
// The instructions of LLVM that can become one, rule by rule. llvm_meld_rewrite_test.cpp applies plans.
#include "interop/llvm/text_module.hpp"
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

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
using simtflow_tests::text_module;
static_assert(meldable_code<model>);
static_assert(meldable_code<llvm_melding_model<const llvm::Function>>);
static_assert(!std::is_constructible_v<model, llvm_cfg<llvm::Function>>);  // it keeps a pointer to the graph

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
  CHECK(selects("%r1 = mul i32 %x, %y", "%r2 = mul i32 %y, %x") == 0);  // exchanged
  CHECK(selects("%r1 = mul i32 %x, 2", "%r2 = mul i32 3, %x") == 3);
  CHECK(selects("%r1 = icmp ne i32 %x, 2", "%r2 = icmp ne i32 2, %y") == 3);
  CHECK(selects("%r1 = sub i32 %x, %y", "%r2 = sub i32 %y, %x") == 6);
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
        "  branch of outer: 2 pairs, 0 and 1 instructions alone; weight 71 -> 38, expected saving 15.8\n"
        "    left (2) with right (3): 2 pairs, profit 0.42\n"
        "  branch of entry is not melded: it has an arm without code\n");
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

// SPDX-License-Identifier: BSL-1.0
//
// Plans applied to PTX: what is written, that it reads back as the same function, that ptxas takes it, and that it
// computes what the original computes.
#include "ptx/module_equality.hpp"
#include "ptx/modules_on_disk.hpp"
#include "ptx/random_kernels.hpp"
#include "ptx/run_support.hpp"
#include "support/long_run.hpp"
#include "transform/random_plans.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/check_rewrite.hpp>
#include <simtflow/ptx/transform/function_rewriter.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using simtflow_tests::header;
using simtflow_tests::random_kernel;

namespace {

ptx::function& only_kernel(ptx::module& m) {
  REQUIRE(m.kernels.size() == 1);
  return m.kernels[0];
}

/// The body of a printed kernel.
std::string body_of(const ptx::module& m) {
  const std::string text = ptx::print(m);
  return text.substr(text.find("\n{\n", text.find(".entry")) + 3);
}

/// Applies a plan to a function of the module, and checks what must hold of any result.
void apply_to(ptx::module& m, ptx::function& f, const flow_plan& plan) {
  const auto before = ptx::verify(m, f);
  REQUIRE_MESSAGE(before.has_value(), simtflow_tests::text_of(before.diagnostics()));
  auto r = ptx::rewrite(*before, plan);
  REQUIRE_MESSAGE(r.has_value(), simtflow_tests::text_of(r.diagnostics()));
  const diagnostics wrong = ptx::check_rewrite(*before, plan, *r);
  REQUIRE_MESSAGE(wrong.empty(), simtflow_tests::text_of(wrong) << plan_test::text_of(plan));
  f = *std::move(r);
  const std::string printed = ptx::print(m);
  const auto says = [&](const std::string& why) { return why + "\n" + printed + plan_test::text_of(plan); };
  const auto found = ptx::verify(m, f);
  REQUIRE_MESSAGE(found.has_value(), says(simtflow_tests::text_of(found.diagnostics())));
  const auto again = ptx::parse(printed);
  REQUIRE_MESSAGE(again.has_value(), says(simtflow_tests::text_of(again.diagnostics())));
  std::string why;
  if (!simtflow_tests::same_module(m, *again, why)) FAIL(says(why));
}

/// A kernel with that body after make(plan) has changed the plan of its blocks.
template <class Make>
std::string changed(std::string_view body, Make&& make) {
  ptx::module m = simtflow_tests::module_of(simtflow_tests::kernel_text(body));
  ptx::function& f = only_kernel(m);
  const auto code = ptx::verify(m, f);
  REQUIRE_MESSAGE(code.has_value(), simtflow_tests::text_of(code.diagnostics()));
  flow_plan plan(code->blocks().graph());
  make(plan);
  apply_to(m, f, plan);
  return body_of(m);
}

std::size_t reached(const csr_graph& g) { return flow_plan(g).cost().blocks(); }

constexpr std::string_view two_ways = R"(
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 3;
  @%p1 bra A;
  mov.u32 %r2, 5;
  bra.uni E;
A:
  mov.u32 %r2, 6;
E:
  ret;)";

}  // namespace

static_assert(code_rewriter<ptx::function_rewriter>);

TEST_CASE("rewrite: a plan that changes nothing leaves text as it stands") {
  CHECK(changed(two_ways, [](flow_plan&) {}) == R"(	.reg .b32 %r<3>;
	.reg .pred %p<2>;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 3;
	@%p1 bra A;
	mov.u32 %r2, 5;
	bra.uni E;
A:
	mov.u32 %r2, 6;
E:
	ret;
}
)");
}

TEST_CASE("rewrite: guards, constants on edges, selp") {
  // Both arms one after the other.
  CHECK(changed(two_ways, [](flow_plan& p) {
          const std::uint32_t v = p.add_variable(), w = p.add_variable(), x = p.add_variable();
          const block_id g = p.add_guard(v, 1, 1), h = p.add_guard(v, 2, 7), i = p.add_guard(w, 0, 3),
                         j = p.add_guard(x, 4, 0xFFFF'FFFFU);
          p.set_edge(0, 0, g);
          p.set_edge(0, 1, g);
          p.assign(0, 0, {v, 2});
          p.assign(0, 1, {v, 1});
          p.assign(0, 0, {w, 3});
          p.assign(0, 1, {x, 4});
          p.set_edge(g, 0, 1);
          p.set_edge(g, 1, h);
          p.set_edge(1, 0, h);
          p.set_edge(h, 0, 2);
          p.set_edge(h, 1, 3);
          p.assign(h, 0, {x, 4});
          p.assign(h, 1, {x, 4});
          p.set_edge(2, 0, i);
          p.set_edge(i, 0, j);
          p.set_edge(i, 1, 3);
          p.set_edge(j, 0, 3);
          p.set_edge(j, 1, 3);
        }) == R"(	.reg .b32 %guard<3>;
	.reg .b32 %r<3>;
	.reg .pred %p<2>;
	.reg .pred %pass;
	.reg .b32 %over;
	mov.u32 %guard1, 0;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 3;
	@%p1 mov.u32 %guard1, 3;
	selp.u32 %guard0, 2, 1, %p1;
	@!%p1 mov.u32 %guard2, 4;
	setp.eq.u32 %pass, %guard0, 1;
	@!%pass bra $guard5;
	mov.u32 %r2, 5;
$guard5:
	sub.u32 %over, %guard0, 2;
	setp.le.u32 %pass, %over, 5;
	mov.u32 %guard2, 4;
	@!%pass bra E;
	mov.u32 %r2, 6;
	setp.le.u32 %pass, %guard1, 3;
	@!%pass bra E;
E:
	ret;
}
)");
}

TEST_CASE("rewrite: tables") {
  constexpr std::string_view text = R"(
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 3;
T: .branchtargets A, B, A;
  @!%p1 brx.idx.uni %r1, T;
  trap;
A:
  mov.u32 %r2, 5;
B:
  ret;)";
  const auto hub = [](flow_plan& p, block_id to) {
    const std::uint32_t v = p.add_variable(), w = p.add_variable();
    const block_id g = p.add_guard(v, 7, 7);
    const block_id h = p.add_guard(w, 1, 1);
    p.set_edge(g, 0, 1);
    p.set_edge(g, 1, h);
    p.set_edge(h, 0, 3);
    p.set_edge(h, 1, to);
    for (std::uint32_t k = 0; k < 4; ++k) {
      p.set_edge(0, k, g);
      p.assign(0, k, {w, k == 1 ? 1U : 0U});
      p.assign(0, k, {v, k == 3 ? 7U : 8U});
    }
  };
  CHECK(changed(text, [&](flow_plan& p) { hub(p, 2); }) == R"(	.reg .b32 %r<3>;
	.reg .pred %p<2>;
	.reg .b32 %guard<2>;
	.reg .pred %pass;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 3;
	@!%p1 mov.u32 %guard0, 8;
	setp.eq.and.u32 %pass, %r1, 0, !%p1;
	@%pass mov.u32 %guard1, 0;
	setp.eq.and.u32 %pass, %r1, 1, !%p1;
	@%pass mov.u32 %guard1, 1;
	setp.eq.and.u32 %pass, %r1, 2, !%p1;
	@%pass mov.u32 %guard1, 0;
	@%p1 mov.u32 %guard0, 7;
	@%p1 mov.u32 %guard1, 0;
	setp.eq.u32 %pass, %guard0, 7;
	@%pass bra $block1;
	setp.eq.u32 %pass, %guard1, 1;
	@%pass bra B;
	mov.u32 %r2, 5;
B:
	ret;
$block1:
	trap;
}
)");
  // One edge stays: still a table, and a guard's threads go on after it.
  CHECK(changed(text, [&](flow_plan& p) {
          hub(p, 2);
          p.set_edge(0, 2, 3);
        }).find("T: .branchtargets $guard4, $guard4, B;\n\t@!%p1 brx.idx %r1, T;\n$guard4:\n") != std::string::npos);
}

TEST_CASE("rewrite: threads that end go on along exit edges") {
  CHECK(changed(R"(
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 3;
  @!%p1 exit;
  setp.eq.u32 %p1, %r1, 4;
  @%p1 ret.uni;
  mov.u32 %r2, 6;
  ret;)",
                [](flow_plan& p) {
                  const std::uint32_t v = p.add_variable();
                  const block_id end = p.add_empty(true), g = p.add_guard(v, 2, 2), copy = p.add_copy(2);
                  p.set_edge(g, 0, copy);
                  p.set_edge(g, 1, end);
                  for (const block_id b : {0U, 2U}) {
                    const auto k = p.add_exit_edge(b, g);
                    p.assign(b, k, {v, b});
                  }
                }) == R"(	.reg .b32 %r<3>;
	.reg .pred %p<2>;
	.reg .b32 %guard<1>;
	.reg .pred %pass;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 3;
	@!%p1 mov.u32 %guard0, 0;
	@!%p1 bra $guard4;
	setp.eq.u32 %p1, %r1, 4;
	@%p1 ret;
	mov.u32 %r2, 6;
	mov.u32 %guard0, 2;
$guard4:
	setp.eq.u32 %pass, %guard0, 2;
	@%pass bra $copy5;
	ret;
$copy5:
	mov.u32 %r2, 6;
	ret;
}
)");
}

TEST_CASE("rewrite: the entry stands first, also if something leads back to it") {
  // Two ways back to the beginning, one of them through an empty block.
  const std::string out = changed(R"(
  .reg .pred %p<3>; .reg .b32 %r<3>;
begin:
  mov.u32 %r1, %tid.x;
  @%p1 bra done;
  @%p2 bra A;
  mov.u32 %r1, 5;
  bra begin;
A:
  mov.u32 %r1, 6;
  bra begin;
done:
  ret;)",
                                  [](flow_plan& p) {
                                    const block_id between = p.add_empty();
                                    p.set_edge(3, 0, between);
                                    p.set_edge(between, 0, 0);
                                  });
  CHECK(out == R"(	.reg .b32 %r<2>;
	.reg .pred %p<3>;
begin:
	mov.u32 %r1, %tid.x;
	@%p1 bra done;
	@%p2 bra A;
	mov.u32 %r1, 5;
	bra.uni begin;
A:
	mov.u32 %r1, 6;
	bra.uni begin;
done:
	ret;
}
)");
}

TEST_CASE("rewrite: in a device function 'exit' is no way back") {
  ptx::module m = simtflow_tests::module_of(std::string(header) + ".func f() { .reg .pred %p; @%p exit; ret; }\n");
  const ptx::checked_function code = *ptx::verify(m, m.functions[0]);
  flow_plan p(code.blocks().graph());
  const block_id end = p.add_empty(true);
  p.add_exit_edge(1, end);
  CHECK(ptx::rewrite(code, p).has_value());
  p.add_exit_edge(0, end);
  const auto r = ptx::rewrite(code, p);
  REQUIRE(r.diagnostics().size() == 1);
  CHECK(to_string(r.diagnostics()[0]) ==
        "line 4, column 32: in a device function 'exit' cannot become a branch to where others return");
}

TEST_CASE("rewrite: inner braces are taken away, names stay apart") {
  const std::string body = R"(
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .pred %pass; .reg .b64 %d<2>;
  .local .b32 buffer;
  mov.u32 %r1, %tid.x;
  { .reg .b32 %r1, %guard0; .reg .v2 .b32 %v; .local .b32 buffer; .param .b32 in;
    mov.u32 %r1, 7;
    mov.b32 %guard0, %r1;
    mov.b64 {%v.x, %v.y}, %d1;
    mov.b32 %v.y, %guard0;
    st.local.u32 [buffer], %v.y;
    st.param.b32 [in], %r1;
  }
  setp.eq.u32 %p1, %r1, 3;
  { $E: @%p1 bra $E; }
$E:
  st.local.u32 [buffer], %r1;
  ld.param.u64 %d1, [in];
  @%pass bra $E;
  ret;)";
  const std::string out = changed(body, [](flow_plan& p) {
    const std::uint32_t v = p.add_variable();
    const block_id g = p.add_guard(v, 0, 0), copy = p.add_copy(1);
    p.set_edge(2, 1, g);
    p.set_edge(g, 0, copy);
    p.set_edge(g, 1, 3);
    p.assign(copy, 1, {v, 1});
  });
  CHECK(out == R"(	.reg .b32 %guard0_<2>;
	.reg .b32 %r<2>;
	.reg .b32 %r1_<2>;
	.reg .b32 %guard<1>;
	.reg .b64 %d<2>;
	.reg .pred %p<2>;
	.reg .pred %pass_<2>;
	.reg .v2 .b32 %v;
	.reg .pred %pass;
	.local .b32 buffer;
	.local .b32 buffer_1;
	.param .b32 in_1;
	mov.u32 %guard0_1, 0;
	mov.u32 %r1, %tid.x;
	mov.u32 %r1_1, 7;
	mov.b32 %guard0, %r1_1;
	mov.b64 %v, %d1;
	mov.b32 %v.y, %guard0;
	st.local.u32 [buffer_1], %v.y;
	st.param.b32 [in_1], %r1_1;
	setp.eq.u32 %p1, %r1, 3;
$E_1:
	@%p1 bra $E_1;
$E:
	st.local.u32 [buffer], %r1;
	ld.param.u64 %d1, [in];
	@%pass bra $E;
	setp.eq.u32 %pass_1, %guard0_1, 0;
	@!%pass_1 bra $block3;
	@!%p1 mov.u32 %guard0_1, 1;
	@%p1 bra $E_1;
	bra.uni $E;
$block3:
	ret;
}
)");
}

TEST_CASE("rewrite: every function of the tests and the examples, unchanged") {
  std::size_t functions = 0;
  for (const auto& named : simtflow_tests::all_modules()) {
    const std::string& name = named.first;
    const std::string& text = named.second;
    CAPTURE(name);
    ptx::module m = simtflow_tests::module_of(text);
    for (std::vector<ptx::function>* list : {&m.functions, &m.kernels})
      for (std::size_t i = 0; i < list->size(); ++i) {
        ptx::function& f = (*list)[i];
        CAPTURE(f.name);
        const auto code = ptx::verify(m, f);
        if (!f.has_body || !code) continue;
        const std::size_t instructions = f.instructions.size();
        const std::size_t blocks = reached(code->blocks().graph()), left_out = code->blocks().size() - blocks;
        apply_to(m, f, flow_plan(code->blocks().graph()));
        CHECK(ptx::verify(m, f)->blocks().size() == blocks);
        if (left_out == 0) CHECK(f.instructions.size() == instructions);
        ++functions;
      }
  }
  CHECK(functions > 80);
}

TEST_CASE("rewrite: random plans of every function of the tests and the examples") {
#ifdef SIMTFLOW_PTXAS
  const std::string ptxas = SIMTFLOW_PTXAS;
#else
  const std::string ptxas;
  MESSAGE("skipped: no ptxas");
#endif
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const auto taken = [&](const std::string& target, const std::string& text) {
    const std::string stem = "simtflow-rewrite-test-" + std::to_string(reinterpret_cast<std::uintptr_t>(&text));
    const std::filesystem::path source = folder / (stem + ".ptx");
    std::ofstream(source, std::ios::binary) << text;
    const std::string known = target.substr(0, target.find_first_not_of("0123456789", 3));
    const bool old = known.size() < 5 || known < "sm_75";
    const std::string command = "\"" + ptxas + "\" -c -O1 -arch=" + (old ? "sm_75" : target) + " -o \"" +
                                (folder / (stem + ".cubin")).string() + "\" \"" + source.string() + "\" > \"" +
                                (folder / (stem + ".log")).string() + "\" 2>&1";
    const bool ok = std::system(command.c_str()) == 0;
    if (!ok) MESSAGE(simtflow_tests::file(folder / (stem + ".log")));
    for (const char* suffix : {".ptx", ".cubin", ".log"}) std::filesystem::remove(folder / (stem + suffix));
    return ok;
  };
  std::uint64_t seed = 0;
  for (const auto& named : simtflow_tests::all_modules()) {
    const std::string& name = named.first;
    const std::string& text = named.second;
    CAPTURE(name);
    for (std::uint64_t round = 0; round < simtflow_tests::times(2); ++round) {
      ptx::module m = simtflow_tests::module_of(text);
      for (std::vector<ptx::function>* list : {&m.functions, &m.kernels})
        for (std::size_t i = 0; i < list->size(); ++i) {
          ptx::function& f = (*list)[i];
          ++seed;
          CAPTURE(f.name);
          CAPTURE(seed);
          if (!f.has_body || f.instructions.size() > 2000) continue;
          if (const auto code = ptx::verify(m, f)) apply_to(m, f, plan_test::random_plan(code->blocks().graph(), seed));
        }
      if (ptxas.empty() || round > 0 || text.size() > 12000) continue;  // time
      if (!taken(m.target, ptx::print(m)))
        CHECK_MESSAGE(!taken(m.target, text), "ptxas takes the text, but not the rewritten one\n" << ptx::print(m));
    }
  }
}

namespace {

// Makes one mistake in code. \returns what was done; empty if nothing could be.
std::string edit_code(ptx::function& f, testing::rng& random, std::uint32_t& at) {
  if (f.instructions.empty() || f.registers.empty() || f.labels.empty()) return {};
  at = static_cast<std::uint32_t>(random.below(f.instructions.size()));
  ptx::instruction& i = f.instructions[at];
  const std::string where = " of instruction " + std::to_string(at) + ", " + i.opcode;
  const auto any_operand = [&](ptx::operand_kind kind) -> ptx::operand* {
    std::vector<std::uint32_t> fit;
    for (std::uint32_t k = i.first_operand; k < i.first_operand + i.num_operands; ++k)
      if (f.operands[k].kind == kind) fit.push_back(k);
    return fit.empty() ? nullptr : &f.operands[fit[random.below(fit.size())]];
  };
  switch (random.below(8)) {
    case 0: {
      if (f.instructions.size() < 2) return {};
      f.instructions.erase(f.instructions.begin() + at);
      for (ptx::label& l : f.labels) l.instruction -= l.instruction > at ? 1 : 0;
      return "dropped" + where;
    }
    case 1:
      if (ptx::operand* o = any_operand(ptx::operand_kind::integer)) {
        o->bits += random.chance(50) ? 1 : -1ULL;
        return "number" + where;
      }
      return {};
    case 2:
      if (i.guard == ptx::no_index) return {};
      i.guard_negated = !i.guard_negated;
      return "negated guard" + where;
    case 3:
      if (ptx::operand* o = any_operand(ptx::operand_kind::label)) {
        o->index = static_cast<std::uint32_t>(random.below(f.labels.size()));
        return "label" + where;
      }
      return {};
    case 4: {
      if (at + 1 == f.instructions.size()) return {};
      std::swap(f.instructions[at], f.instructions[at + 1]);
      return "swapped" + where;
    }
    case 5:
      if (ptx::operand* o = any_operand(ptx::operand_kind::reg)) {
        o->index = static_cast<std::uint32_t>(random.below(f.registers.size()));
        return "register" + where;
      }
      return {};
    case 6:
      i.guard = static_cast<std::uint32_t>(random.below(f.registers.size()));
      return "guard" + where;
    default:
      for (const auto& [from, to] : {std::pair("setp.eq.u32", "setp.le.u32"),
                                     {"setp.le.u32", "setp.ge.u32"},
                                     {"bra", "bra.uni"},
                                     {"ret", "exit"},
                                     {"mov.u32", "mov.b32"}})
        if (i.opcode == from) {
          i.opcode = to;
          return "opcode" + where;
        }
      return {};
  }
}

// The function as text.
std::string printed(const ptx::module& m, const ptx::function& f) {
  ptx::module one = m;
  one.kernels.assign(1, f);
  return ptx::print(one);
}

// The instruction that threads execute which come to instruction i: unconditional jumps are gone through; of a circle
// of them the first one counts.
std::uint32_t past_jumps(const ptx::function& f, std::uint32_t i) {
  std::uint32_t least = i;
  for (std::size_t n = 0; n < 2 * f.instructions.size() && i < f.instructions.size(); ++n) {
    const ptx::instruction& jump = f.instructions[i];
    if (ptx::opcode_head(jump) != "bra" || jump.guard != ptx::no_index) return i;
    i = f.labels[f.operands_of(jump)[0].index].instruction;
    least = n <= f.instructions.size() ? i : std::min(i, least);
  }
  return i < f.instructions.size() ? least : i;
}

bool are_same(const ptx::function& f, std::span<const ptx::operand> x, const ptx::function& g,
              std::span<const ptx::operand> y) {
  if (x.size() != y.size()) return false;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool pooled = x[k].kind == ptx::operand_kind::vector || x[k].kind == ptx::operand_kind::list;
    if (x[k].kind != y[k].kind || x[k].bits != y[k].bits || x[k].base != y[k].base) return false;
    if (!pooled && (x[k].index != y[k].index || x[k].second != y[k].second || x[k].negated != y[k].negated))
      return false;
    if (pooled && !are_same(f, f.elements_of(x[k]), g, g.elements_of(y[k]))) return false;
  }
  return true;
}

// True if threads execute the same instructions in both: pairs of places are followed from the beginning.
bool are_bisimilar(const ptx::function& f, const ptx::function& g) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    const std::pair p(past_jumps(f, a), past_jumps(g, b));
    if (met.insert(p).second) open.push_back(p);
  };
  meet(0, 0);
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (a >= f.instructions.size() || b >= g.instructions.size()) {
      if (a < f.instructions.size() || b < g.instructions.size()) return false;
      continue;
    }
    const ptx::instruction &x = f.instructions[a], &y = g.instructions[b];
    if (x.opcode != y.opcode || x.guard != y.guard) return false;
    if (x.opcode == "bra") {
      std::uint32_t taken = g.labels[g.operands_of(y)[0].index].instruction, next = b + 1;
      if (x.guard_negated != y.guard_negated) std::swap(taken, next);
      meet(f.labels[f.operands_of(x)[0].index].instruction, taken);
      meet(a + 1, next);
      continue;
    }
    if (x.guard_negated != y.guard_negated || !are_same(f, f.operands_of(x), g, g.operands_of(y))) return false;
    const bool ends = x.opcode == "ret" || x.opcode == "exit" || x.opcode == "trap";
    if (!ends || x.guard != ptx::no_index) meet(a + 1, b + 1);
  }
  return true;
}

// The code still does the same after a mistake at instruction `at`: it is bisimilar, variables are set in another
// order, a range of one value is tested otherwise, or a variable that nothing tests does not begin as zero.
bool is_harmless(const ptx::function& right, const ptx::function& wrong, std::uint32_t at) {
  const auto is = [&](std::uint32_t i, std::string_view opcode) {
    return i < wrong.instructions.size() && wrong.instructions[i].opcode == opcode;
  };
  const auto sets = [&](std::uint32_t i) { return is(i, "mov.u32") || is(i, "selp.u32"); };
  if (are_bisimilar(right, wrong)) return true;
  if (at < wrong.instructions.size() && wrong.instructions[at].opcode.starts_with("setp"))
    return wrong.instructions[at].num_operands == 3 && wrong.operands_of(wrong.instructions[at])[2].bits == 0;
  if (sets(at) && sets(at + 1)) return true;
  std::set<std::uint32_t> zero;
  for (std::uint32_t i = 0; is(i, "mov.u32") && wrong.operands_of(wrong.instructions[i])[1].bits == 0; ++i)
    if (i != at) zero.insert(wrong.operands_of(wrong.instructions[i])[0].index);
  return is(at, "mov.u32") && zero.contains(wrong.operands_of(wrong.instructions[at])[0].index);
}

}  // namespace

TEST_CASE("rewrite: mistakes in the code are caught") {
  std::size_t mistakes = 0, caught = 0;
  std::uint64_t seed = 0;
  for (const auto& named : simtflow_tests::all_modules()) {
    const ptx::module m = simtflow_tests::module_of(named.second);
    for (const std::vector<ptx::function>* list : {&m.functions, &m.kernels})
      for (const ptx::function& f : *list) {
        if (!f.has_body || f.instructions.size() > 1000) continue;
        const auto code = ptx::verify(m, f);
        if (!code) continue;
        for (std::uint64_t round = 0; round < simtflow_tests::times(2); ++round) {
          testing::rng random(++seed);
          const csr_graph& g = code->blocks().graph();
          const flow_plan plan = seed % 2 == 0 ? plan_test::random_plan(g, seed) : linearize(g).plan;
          const auto right = ptx::rewrite(*code, plan);
          if (!right) continue;
          const auto none = ptx::check_rewrite(*code, plan, *right);
          REQUIRE_MESSAGE(none.empty(), named.first << " " << f.name << " seed " << seed << ": " << none[0].message
                                                    << "\n"
                                                    << plan_test::text_of(plan) << printed(m, *right));
          for (int n = 0; n < 12; ++n) {
            ptx::function wrong = *right;
            std::uint32_t at = 0;
            const std::string what = edit_code(wrong, random, at);
            if (what.empty() || printed(m, wrong) == printed(m, *right)) continue;
            ++mistakes;
            const bool found = !ptx::check_rewrite(*code, plan, wrong).empty();
            caught += found ? 1 : 0;
            if (!found && !what.starts_with("dropped of instruction " + std::to_string(at) + ", bra.uni") &&
                !is_harmless(*right, wrong, at))
              FAIL_CHECK(named.first << " " << f.name << " seed " << seed << ": " << what << "\n"
                                     << plan_test::text_of(plan) << printed(m, wrong));
          }
        }
      }
  }
  MESSAGE(mistakes << " mistakes, " << caught << " caught");
  CHECK(mistakes > 800);
  CHECK(caught * 100 > mistakes * 95);
}

namespace {

template <class Policy>
void run(const random_kernel& made, const ptx::decoded_kernel& kernel, Policy policy, const std::string& says) {
  ptx::device_memory memory;
  const std::uint64_t out =
      memory.allocate(std::uint64_t{4} * random_kernel::out_words * random_kernel::threads, "out");
  ptx::arguments arguments(kernel);
  arguments.set(0, out);
  ptx::launch_config config;
  config.block[0] = random_kernel::threads;
  REQUIRE(ptx::check_launch(kernel, config, arguments).empty());
  ptx::interpreter<> program(kernel, config, memory, arguments);
  const verdict how = simtflow::run(std::move(policy), program, {.threads = random_kernel::threads, .warp_width = 32});
  REQUIRE_MESSAGE(how.finished(), describe(how) << "\n" << says);
  std::vector<unsigned char> bytes(std::size_t{4} * random_kernel::out_words * random_kernel::threads);
  REQUIRE(memory.read(out, std::span<unsigned char>(bytes)));
  for (std::uint32_t t = 0; t < random_kernel::threads; ++t) {
    const simtflow_tests::thread_state want = made.run(t);
    random_kernel::each_word(t, bytes, [&](char kind, std::size_t i, simtflow_tests::bits got) {
      if (simtflow_tests::same_result(kind, value_in(want, kind, i), got)) return;
      FAIL("thread " << t << ", " << kind << i << ": wanted " << value_in(want, kind, i) << ", got " << got << "\n"
                     << says);
    });
  }
}

}  // namespace

TEST_CASE("rewrite: random plans of random kernels compute the same") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed) {
    CAPTURE(seed);
    const random_kernel made(seed, 2 + seed % 12, 3);
    ptx::module m = simtflow_tests::module_of(made.text());
    ptx::function& f = only_kernel(m);
    const flow_plan plan = plan_test::random_plan(ptx::verify(m, f)->blocks().graph(), seed);
    apply_to(m, f, plan);
    const std::string says = ptx::print(m) + plan_test::text_of(plan);
    const auto decoded = ptx::decode(m, f);
    REQUIRE_MESSAGE(decoded.has_value(), simtflow_tests::text_of(decoded.diagnostics()) << says);
    const csr_graph cfg = decoded->cfg();
    const auto tree = post_dominators(cfg);
    run(made, *decoded, policies::ipdom_stack(tree.ipdoms()), says);
    const auto order = loop_contiguous_order(cfg);
    run(made, *decoded, policies::thread_frontier(order.ranks()), says);
    run(made, *decoded, policies::lane_serial(), says);
  }
}

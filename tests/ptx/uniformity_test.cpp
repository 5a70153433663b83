// SPDX-License-Identifier: BSL-1.0
//
// Functions in SSA form: which definitions reach a read, against a search backwards through the text; and what is
// uniform in kernels, instruction by instruction. (tests/lab/uniformity_test.cpp runs the shipped kernels.)
#include "ptx/random_kernels.hpp"
#include "ptx/support.hpp"
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/validate_program.hpp>
#include <simtflow/ptx/transform/def_use.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

struct analysed {
  result<ptx::module> parsed;
  const ptx::function* text = nullptr;
  std::vector<ptx::checked_function> code;
  std::vector<ptx::def_use> program;

  explicit analysed(const std::string& source) : parsed(ptx::parse(source)) {
    REQUIRE_MESSAGE(parsed.has_value(), simtflow_tests::text_of(parsed.diagnostics()) << source);
    text = parsed->kernels.empty() ? &parsed->functions.back() : &parsed->kernels.front();
    const auto found = ptx::verify(*parsed, *text);
    REQUIRE_MESSAGE(found.has_value(), simtflow_tests::text_of(found.diagnostics()) << source);
    code.push_back(*found);
    program.emplace_back(code[0]);
  }
  // The value that the last instruction that writes a register leaves there.
  [[nodiscard]] value_id last(std::string_view reg) const {
    for (std::uint32_t i = static_cast<std::uint32_t>(text->instructions.size()); i-- > 0;)
      for (const ptx::register_value_ref& w : program[0].writes(i))
        if (w.reg < text->registers.size() && text->registers[w.reg].name == reg) return w.value;
    return no_value;
  }
};

constexpr std::string_view registers =
    ".reg .pred %p<9>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .shared .b32 s[64];\n"
    "mov.u32 %r8, %tid.x; ld.param.u32 %r9, [n]; ld.param.u64 %rd8, [in]; setp.lt.u32 %p8, %r8, 5; setp.lt.u32 %p7, "
    "%r9, "
    "5; cvt.u64.u32 %rd7, %r8;\n";

bool divergent(std::string_view body, std::string_view reg, std::string_view before = {}) {
  const analysed a(
      simtflow_tests::kernel_text(std::string(before) + std::string(registers) + std::string(body) + "\nret;"));
  const value_id v = a.last(reg);
  REQUIRE(v != no_value);
  return uniformity(a.code[0].blocks().graph(), a.program[0]).is_divergent(v);
}

// The instructions with values that a read sees; -1: what was there at the beginning. Backwards through the text.
std::set<std::int64_t> reaching(const ptx::function_blocks& blocks, const ptx::def_use& p,
                                const std::vector<unsigned char>& runs, std::uint32_t at, std::uint32_t reg) {
  std::set<std::int64_t> found;
  std::vector<unsigned char> seen(blocks.size(), 0);
  std::vector<block_id> work;
  const auto scan = [&](block_id b, std::uint32_t end) {
    for (std::uint32_t i = end; i-- > blocks[b].first;)
      for (const ptx::register_value_ref& w : p.writes(i))
        if (w.reg == reg) {
          found.insert(i);
          return;
        }
    if (b == 0) found.insert(-1);
    for (const block_id from : blocks.graph().predecessors(b))
      if (runs[from] && !seen[from]) {
        seen[from] = 1;
        work.push_back(from);
      }
  };
  scan(blocks.block_of(at), at);
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    scan(b, blocks[b].last);
  }
  return found;
}

std::set<std::int64_t> behind_phis(const ptx::def_use& p, value_id v) {
  std::set<std::int64_t> found;
  std::set<value_id> seen{v};
  std::vector<value_id> work{v};
  while (!work.empty()) {
    const value_id x = work.back();
    work.pop_back();
    if (!p.is_phi(x)) {
      found.insert(p.instruction_of(x) == ptx::no_index ? -1 : std::int64_t{p.instruction_of(x)});
      continue;
    }
    if (p.block_of(x) == 0) found.insert(-1);  // the way in has no edge
    for (const auto& in : p.inputs(x))
      if (in.value != no_value && seen.insert(in.value).second) work.push_back(in.value);
  }
  return found;
}

std::size_t check_definitions(const ptx::function& f, const ptx::function_blocks& blocks, const ptx::def_use& p) {
  for (const program_defect& d : validate(blocks.graph(), p))
    FAIL_CHECK(f.name << ": " << to_string(d.kind) << " of value " << index_of(d.value));
  const dominator_tree<csr_graph> tree(blocks.graph());
  std::vector<unsigned char> runs;
  for (block_id b = 0; b < blocks.size(); ++b) runs.push_back(tree.is_reachable(b) ? 1 : 0);
  std::size_t reads = 0;
  const auto text_at = [&](std::uint32_t i) {
    return f.name + ", instruction " + std::to_string(i) + " '" + f.instructions[i].opcode + "'";
  };
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
    if (!runs[blocks.block_of(i)]) continue;
    for (const ptx::register_value_ref& r : p.reads(i)) {
      ++reads;
      const std::string where = text_at(i);
      REQUIRE_MESSAGE(r.value != no_value, where);
      if (!p.is_phi(r.value)) CHECK_MESSAGE(tree.dominates(p.block_of(r.value), blocks.block_of(i)), where);
      CHECK_MESSAGE(behind_phis(p, r.value) == reaching(blocks, p, runs, i, r.reg), where);
    }
  }
  for (const value_id v : ids_below<value_id>(p.num_values())) {
    if (!runs[p.block_of(v)]) continue;
    for (const value_id o : p.operands(v)) CHECK(tree.dominates(p.block_of(o), p.block_of(v)));
    for (const auto& in : p.inputs(v)) {
      if (!runs[in.from]) continue;
      REQUIRE(in.value != no_value);
      CHECK(tree.dominates(p.block_of(in.value), in.from));
    }
  }
  return reads;
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("uniformity: the definitions that reach a read, in shipped and compiled code") {
  std::size_t reads = 0, functions = 0;
  const std::filesystem::path root = SIMTFLOW_SOURCE_DIR;
  for (const auto& folder : {root / "examples" / "kernels", root / "tests" / "ptx" / "modules"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".ptx") continue;
      const auto r = ptx::parse(text_of_file(entry.path()));
      const auto each = [&](const ptx::function& f) {
        if (!f.has_body || f.instructions.size() > 1500) return;
        const auto code = ptx::verify(*r, f);
        if (!code) return;
        reads += check_definitions(f, code->blocks(), ptx::def_use(*code));
        ++functions;
      };
      for (const ptx::kernel& k : r->kernels) each(k);
      for (const ptx::function& f : r->functions) each(f);
    }
  MESSAGE(functions << " functions, " << reads << " reads");
  CHECK(functions > 60);
  CHECK(reads > 5'000);
}

TEST_CASE("uniformity: the definitions that reach a read, in random kernels") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const simtflow_tests::random_kernel made(seed, 2 + static_cast<std::size_t>(seed % 12), 40);
    CAPTURE(seed);
    const analysed a(made.text());
    CHECK(check_definitions(*a.text, a.code[0].blocks(), a.program[0]) > 0);
  }
}

TEST_CASE("uniformity: what is a source") {
  for (const char* body : {"mov.u32 %r1, %tid.x;",
                           "mov.u32 %r1, %laneid;",
                           "mov.u32 %r1, %lanemask_lt;",
                           "mov.u32 %r1, %clock;",
                           "add.u32 %r1, %r8, %r9;",
                           "atom.global.add.u32 %r1, [%rd8], %r9;",
                           "ld.volatile.global.u32 %r1, [%rd8];",
                           "ld.relaxed.gpu.global.u32 %r1, [%rd8];",
                           "shfl.sync.idx.b32 %r1, %r9, 0, 31, -1;",
                           "match.any.sync.b32 %r1, %r9, -1;",
                           "ld.global.u32 %r1, [%rd7];",
                           "ld.shared.u32 %r1, [%r8];",
                           "ld.local.u32 %r1, [l];",
                           "vote.sync.ballot.b32 %r1, %p7, %r8;",
                           "selp.b32 %r1, 1, 2, %p8;",
                           "mov.u32 %r1, 1; @%p8 mov.u32 %r1, 2;",
                           "mov.u32 %r1, %r8; @%p7 mov.u32 %r1, 2;",
                           "add.cc.u32 %r2, %r8, 1; addc.u32 %r1, %r9, 0;",
                           "mov.b64 {%r1, %r2}, %rd7;",
                           "mov.u32 %r1, %warpid;"}) {
    CAPTURE(std::string(body));
    CHECK(divergent(body, "%r1", ".local .b32 l[4];\n"));
  }
  CHECK(divergent("elect.sync %r1|%p1, -1;", "%p1"));
  CHECK(divergent("setp.lt.u32 %p1|%p2, %r8, 3;", "%p2"));
  CHECK(divergent("ld.global.v2.u32 {%r2, %r1}, [%rd7];", "%r2"));
  CHECK(divergent("barrier.cta.red.popc.u32 %r1, %r8, 64, %p7;", "%r1"));
  CHECK(divergent("ld.u32 %r1, [%rd8];", "%r1", ".local .b32 l[4];\n"));  // l's address may be there
}

TEST_CASE("uniformity: what is none") {
  for (const char* body :
       {"mov.u32 %r1, %ctaid.x;", "mov.u32 %r1, %ntid.x;", "mov.u32 %r1, 7;", "add.u32 %r1, %r9, 1;",
        "ld.global.u32 %r1, [%rd8];", "ld.global.nc.u32 %r1, [%rd8];", "ldu.global.u32 %r1, [%rd8];",
        "ld.shared.u32 %r1, [s];", "ld.u32 %r1, [%rd8];", "vote.sync.ballot.b32 %r1, %p8, -1;",
        "redux.sync.add.u32 %r1, %r8, -1;", "activemask.b32 %r1;", "barrier.cta.red.popc.u32 %r1, 0, %p8;",
        "mov.u32 %r1, 1; @%p7 mov.u32 %r1, 2;", "elect.sync %r1|%p1, -1;", "selp.b32 %r1, 1, 2, %p7;",
        "mov.u32 %r1, s;", "add.cc.u32 %r2, %r9, 1; addc.u32 %r1, %r9, 0;"}) {
    CAPTURE(std::string(body));
    CHECK(!divergent(body, "%r1"));
  }
  CHECK(!divergent("vote.sync.any.pred %p1, %p8, -1;", "%p1"));
}

TEST_CASE("uniformity: joins, loops, branches") {
  const std::string choose = "mov.u32 %r1, 1; GUARD bra L; mov.u32 %r1, 2; L: add.u32 %r2, %r1, 0;";
  const auto with = [&](const std::string& guard, std::string text) {
    return text.replace(text.find("GUARD"), 5, guard);
  };
  CHECK(divergent(with("@%p8", choose), "%r2"));
  CHECK(!divergent(with("@!%p7", choose), "%r2"));
  // Who is left out keeps what was there before, and that depends on the way.
  CHECK(divergent("mov.u32 %r1, 1; @%p8 bra L; mov.u32 %r1, 2; L: @%p7 mov.u32 %r1, 3;", "%r1"));
  // A count of iterations: the same in each iteration, not after the loop.
  const std::string loop =
      "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; add.u32 %r3, %r1, 0; setp.lt.u32 %p1, %r1, BOUND; @%p1 bra L; add.u32 "
      "%r2, "
      "%r1, 0;";
  const auto bound = [&](const std::string& b) {
    std::string text = loop;
    return text.replace(text.find("BOUND"), 5, b);
  };
  CHECK(divergent(bound("%r8"), "%r2"));
  CHECK(!divergent(bound("%r8"), "%r3"));
  CHECK(!divergent(bound("%r9"), "%r2"));
  // The program says so.
  const analysed a(simtflow_tests::kernel_text(std::string(registers) + "@%p8 bra.uni L; mov.u32 %r1, 2; L: ret;"));
  const auto u = uniformity(a.code[0].blocks().graph(), a.program[0]);
  CHECK(!u.is_divergent_branch(0));
  const analysed b(simtflow_tests::kernel_text(std::string(registers) + "@%p8 bra L; mov.u32 %r1, 2; L: ret;"));
  const auto w = uniformity(b.code[0].blocks().graph(), b.program[0]);
  CHECK(w.is_divergent_branch(0));
  CHECK(w.joins(0) == std::vector<block_id>{2});
  // A guarded table branch chooses by guard and index.
  for (const char* guard : {"@%p7", "@%p8"})
    for (const char* index : {"%r9", "%r8"}) {
      const analysed t(simtflow_tests::kernel_text(std::string(registers) + "T: .branchtargets A, B;\n" + guard +
                                                   " brx.idx " + index +
                                                   ", T; mov.u32 %r1, 2; A: mov.u32 %r1, 3; B: ret;"));
      const bool uniform = std::string_view(guard) == "@%p7" && std::string_view(index) == "%r9";
      CHECK(uniformity(t.code[0].blocks().graph(), t.program[0]).is_divergent_branch(0) == !uniform);
    }
}

TEST_CASE("uniformity: of a device function nothing is known but what it computes itself") {
  const analysed a(
      std::string(simtflow_tests::header) +
      ".visible .func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>; ld.param.u32 "
      "%r1, [x]; mov.u32 %r2, 4; add.u32 %r3, %r2, 1; st.param.b32 [r], %r1; ret;\n}\n");
  const auto u = uniformity(a.code[0].blocks().graph(), a.program[0]);
  CHECK(u.is_divergent(a.last("%r1")));
  CHECK(!u.is_divergent(a.last("%r3")));
}

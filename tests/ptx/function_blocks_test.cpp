// SPDX-License-Identifier: BSL-1.0
//
// Blocks of functions as they stand in the text: against the blocks that the decoder makes, where nothing makes them
// differ, and against where single instructions go.
#include "ptx/modules_on_disk.hpp"
#include "ptx/random_kernels.hpp"
#include "ptx/support.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using simtflow_tests::kernel_text;

namespace {

std::vector<std::vector<block_id>> rows(const csr_graph& g) {
  std::vector<std::vector<block_id>> out;
  for (block_id b = 0; b < g.num_blocks(); ++b) out.emplace_back(g.successors(b).begin(), g.successors(b).end());
  return out;
}
std::vector<block_id> exits(const csr_graph& g) { return {g.exits().begin(), g.exits().end()}; }

// The ways on from an instruction: numbers of instructions; the number of instructions is the end, one more than that:
// threads end.
std::multiset<std::size_t> next(const ptx::module& m, const ptx::function& f, std::size_t i) {
  const ptx::instruction& at = f.instructions[i];
  const std::string_view head = std::string_view(at.opcode).substr(0, at.opcode.find('.'));
  const auto given = f.operands_of(at);
  const std::size_t over = f.instructions.size() + 1;
  std::multiset<std::size_t> out;
  bool on = at.guard != ptx::no_index;
  if (head == "bra") {
    out.insert(f.labels[given[0].index].instruction);
  } else if (head == "brx") {
    for (const std::uint32_t l : f.branch_tables[given[1].index].targets) out.insert(f.labels[l].instruction);
  } else if (head == "ret" || head == "exit") {
    out.insert(over);
  } else if (head == "trap") {
    if (!on) out.insert(over);
  } else if (head == "call" && given[1].kind == ptx::operand_kind::function && m.functions[given[1].index].no_return) {
    if (!on) out.insert(over);
  } else {
    on = true;
  }
  if (on) out.insert(i + 1);
  return out;
}

void check(const ptx::module& m, const ptx::function& f) {
  CAPTURE(f.name);
  const ptx::checked_function code = *ptx::verify(m, f);
  const ptx::function_blocks& blocks = code.blocks();
  const csr_graph& g = blocks.graph();
  REQUIRE(g.num_blocks() == blocks.size());
  REQUIRE(g.entry() == 0);
  const std::size_t n = f.instructions.size();
  // Every instruction is in one block, in order.
  std::size_t at = 0;
  for (block_id b = 0; b < blocks.size(); ++b) {
    REQUIRE(blocks[b].first == at);
    REQUIRE(blocks[b].last >= blocks[b].first);
    for (; at < blocks[b].last; ++at) REQUIRE(blocks.block_of(static_cast<std::uint32_t>(at)) == b);
    if (blocks[b].first == blocks[b].last) REQUIRE((blocks[b].first == n && b + 1 == blocks.size()));
  }
  REQUIRE(at == n);
  const auto block_at = [&](std::size_t i) {
    return i == n ? static_cast<block_id>(blocks.size() - 1) : blocks.block_of(static_cast<std::uint32_t>(i));
  };
  std::set<std::size_t> targets{0};
  for (std::size_t i = 0; i < n; ++i) {
    const auto to = next(m, f, i);
    const block_id b = blocks.block_of(static_cast<std::uint32_t>(i));
    if (i + 1 < blocks[b].last) {
      REQUIRE(to == std::multiset<std::size_t>{i + 1});
      continue;
    }
    std::multiset<block_id> want;
    bool ends = false;
    for (const std::size_t t : to) {
      if (t <= n) want.insert(block_at(t));
      ends = ends || t == n + 1;
      if (t <= n && (t != i + 1 || to.size() > 1)) targets.insert(t);
    }
    REQUIRE(std::multiset<block_id>(g.successors(b).begin(), g.successors(b).end()) == want);
    REQUIRE(ends == (std::count(g.exits().begin(), g.exits().end(), b) != 0));
  }
  // No block could be longer: something jumps to where it begins, or the one before goes elsewhere as well.
  for (block_id b = 1; b < blocks.size(); ++b) {
    if (blocks[b].first == n) continue;
    const auto before = next(m, f, blocks[b].first - 1);
    bool jumped_to = before != std::multiset<std::size_t>{blocks[b].first} ||
                     f.instructions[blocks[b].first - 1].opcode.starts_with("bra");  // to the next instruction
    for (std::size_t i = 0; i < n && !jumped_to; ++i)
      jumped_to = i + 1 != blocks[b].first && next(m, f, i).contains(blocks[b].first);
    REQUIRE(jumped_to);
  }
}

}  // namespace

TEST_CASE("function blocks: one of each kind") {
  const ptx::module m = simtflow_tests::module_of(kernel_text(R"(
    .reg .pred %p<3>; .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 bra A;
    add.u32 %r1, %r1, 1;
unused:
    @!%p1 exit;
    @%p1 trap;
    bar.sync 0;
T: .branchtargets A, B, A;
    brx.idx %r1, T;
B:  @%p1 brx.idx %r1, T;
    bra.uni A;
dead:
    trap;
A:
    ret;)"));
  const ptx::checked_function code = *ptx::verify(m, m.kernels[0]);
  const ptx::function_blocks& b = code.blocks();
  using rows_t = std::vector<std::vector<block_id>>;
  CHECK(rows(b.graph()) == rows_t{{6, 1}, {2}, {6, 3, 6}, {6, 3, 6, 4}, {6}, {}, {}});
  CHECK(exits(b.graph()) == std::vector<block_id>{1, 5, 6});
  const ptx::text_end ends[] = {ptx::text_end::branches, ptx::text_end::leaves, ptx::text_end::table,
                                ptx::text_end::table,    ptx::text_end::jumps,  ptx::text_end::stops,
                                ptx::text_end::leaves};
  for (block_id i = 0; i < 7; ++i) CHECK(b[i].end == ends[i]);
  CHECK(b[1].label == ptx::no_index);
  CHECK(m.kernels[0].labels[b[6].label].name == "A");
  CHECK(!b.is_convergent(0));
  CHECK(b.is_convergent(2));  // the barrier
  CHECK(b.block_of(2) == 0);
  check(m, m.kernels[0]);
}

TEST_CASE("function blocks: what is convergent") {
  const auto convergent = [](const std::string& body) {
    const ptx::module m =
        simtflow_tests::module_of(kernel_text(".reg .pred %p<3>; .reg .b32 %r<9>; " + body + " ret;"));
    const auto code = ptx::verify(m, m.kernels[0]);
    REQUIRE_MESSAGE(code.has_value(), simtflow_tests::text_of(code.diagnostics()));
    return code->blocks().is_convergent(0);
  };
  CHECK(convergent("bar.sync 0;"));
  CHECK(convergent("barrier.sync 0;"));
  CHECK(convergent("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;"));
  CHECK(convergent("vote.sync.ballot.b32 %r1, %p1, -1;"));
  CHECK(convergent("match.any.sync.b32 %r1, %r2, -1;"));
  CHECK(convergent("activemask.b32 %r1;"));
  CHECK(convergent("bar.warp.sync -1;"));
  CHECK(!convergent("mov.u32 %r1, %laneid; membar.gl; add.u32 %r1, %r2, 1; @%p1 mov.u32 %r1, 5;"));
}

TEST_CASE("function blocks: calls of what is convergent") {
  const ptx::module m = simtflow_tests::module_of(std::string(simtflow_tests::header) + R"(
.extern .func outside();
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.func plain() { ret; }
.func waits() { bar.sync 0; ret; }
.func up() { call waits; ret; }
.func round() { .reg .pred %p; @%p call round; call plain; ret; }
.func also() { .reg .pred %p; @%p call also; call up; ret; }
.visible .func named();
.visible .func behind() { bar.sync 0; ret; }
.alias named, behind;
.visible .entry k(.param .u64 in)
{
  .reg .b64 %d; .reg .pred %p<2>; .param .b64 a; .param .b32 r;
  @%p1 bra B1;
  call plain;
B1: @%p1 bra B2;
  call waits;
B2: @%p1 bra B3;
  call up;
B3: @%p1 bra B4;
  call round;
B4: @%p1 bra B5;
  call also;
B5: @%p1 bra B6;
  call outside;
B6: @%p1 bra B7;
  call (r), vprintf, (a, a);
B7: @%p1 bra B8;
  call named;
B8: ret;
}
)");
  const ptx::checked_function code = *ptx::verify(m, m.kernels[0]);
  const ptx::function_blocks& b = code.blocks();
  REQUIRE(b.size() == 17);
  const bool convergent[] = {false, true, true, false, true, true, false, true};
  for (block_id i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(!b.is_convergent(2 * i));
    CHECK(b.is_convergent(2 * i + 1) == convergent[i]);
  }
}

TEST_CASE("function blocks: no instruction, and labels at the end") {
  const ptx::module m = simtflow_tests::module_of(std::string(simtflow_tests::header) +
                                                  ".func f() {}\n.func g() { .reg .pred %p; @%p bra E; ret; E: }\n");
  const ptx::checked_function first = ptx::detail::checked_maker::written(m, m.functions[0]);
  const ptx::function_blocks& empty = first.blocks();
  CHECK(empty.size() == 1);
  CHECK(empty[0].end == ptx::text_end::leaves);
  CHECK(empty.graph().exits().size() == 1);
  const ptx::checked_function second = ptx::detail::checked_maker::written(m, m.functions[1]);
  const ptx::function_blocks& end = second.blocks();
  CHECK(rows(end.graph()) == std::vector<std::vector<block_id>>{{2, 1}, {}, {}});
  CHECK(exits(end.graph()) == std::vector<block_id>{1, 2});
}

TEST_CASE("function blocks: every function of the tests and the examples") {
  std::size_t functions = 0, as_decoded = 0;
  for (const auto& named : simtflow_tests::all_modules()) {
    CAPTURE(named.first);
    const ptx::module m = simtflow_tests::module_of(named.second);
    for (const std::vector<ptx::function>* list : {&m.functions, &m.kernels})
      for (const ptx::function& f : *list) {
        if (!f.has_body || f.instructions.size() > 3000 || !ptx::verify(m, f)) continue;
        check(m, f);
        ++functions;
        if (!f.is_entry) continue;
        const auto ends_elsewhere = [](const ptx::instruction& i) {
          return i.opcode.starts_with("call") || i.opcode.starts_with("bar") ||
                 (i.opcode == "trap" && i.guard != ptx::no_index);
        };
        if (std::any_of(f.instructions.begin(), f.instructions.end(), ends_elsewhere)) continue;
        const auto decoded = ptx::decode(m, f);
        if (!decoded) continue;
        const csr_graph theirs = decoded->cfg();
        const ptx::checked_function code = *ptx::verify(m, f);
        CHECK(rows(code.blocks().graph()) == rows(theirs));
        ++as_decoded;
      }
  }
  CHECK(functions > 80);
  CHECK(as_decoded > 20);
}

TEST_CASE("function blocks: random kernels as the decoder has them") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const ptx::module m = simtflow_tests::module_of(simtflow_tests::random_kernel(seed, 2 + seed % 20, 2).text());
    const auto decoded = ptx::decode(m, m.kernels[0]);
    REQUIRE(decoded.has_value());
    const ptx::checked_function code = *ptx::verify(m, m.kernels[0]);
    REQUIRE(rows(code.blocks().graph()) == rows(decoded->cfg()));
    check(m, m.kernels[0]);
  }
}

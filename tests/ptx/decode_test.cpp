// SPDX-License-Identifier: BSL-1.0
#include "ptx/support.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <ctime>
#include <span>
#include <string>

using namespace simtflow;
using ptx::block_exit;
using simtflow_tests::decoded;
using simtflow_tests::kernel_text;

namespace {

std::vector<block_id> successors(const csr_graph& g, block_id b) {
  const auto s = g.successors(b);
  return {s.begin(), s.end()};
}
using blocks = std::vector<block_id>;

}  // namespace

TEST_CASE("decode: blocks end at branches, begin at labels that are branched to") {
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .b32 %r<4>; .reg .pred %p<4>;
unused: mov.u32 %r1, %tid.x;
setp.eq.s32 %p1, %r1, 0;
@%p1 bra then;
mov.u32 %r2, 1;
also_unused: mov.u32 %r2, 2;
bra.uni join;
then: mov.u32 %r2, 3;
join: ret;)"));
  REQUIRE(k.blocks.size() == 4);
  const csr_graph g = k.cfg();
  CHECK(successors(g, 0) == blocks{2, 1});  // taken first
  CHECK(successors(g, 1) == blocks{3});
  CHECK(successors(g, 2) == blocks{3});
  CHECK(successors(g, 3).empty());
  CHECK(g.entry() == 0);
  CHECK(g.is_exit(3));
  CHECK(!g.is_exit(0));
  CHECK(k.weight(0) == 3);
  CHECK(k.weight(1) == 3);
  CHECK(k.weight(2) == 1);
  CHECK(k.weight(3) == 1);
  CHECK(k.block_name(0) == "BB0 unused");
  CHECK(k.block_name(1) == "BB1");
  CHECK(k.block_name(2) == "BB2 then");
  CHECK(k.blocks[2].where == position{13, 7});
}

TEST_CASE("decode: blocks are split after barriers") {
  const ptx::decoded_kernel k = decoded(kernel_text("bar.sync 0;\nbarrier.sync 0;\nmembar.cta;\nret;"));
  REQUIRE(k.blocks.size() == 3);
  CHECK(k.blocks[0].end == block_exit::barrier);
  CHECK(k.blocks[1].end == block_exit::barrier);
  CHECK(k.blocks[2].end == block_exit::leave);
  CHECK(k.weight(0) == 1);
  CHECK(k.weight(2) == 2);
  CHECK(successors(k.cfg(), 0) == blocks{1});
  CHECK(!k.cfg().is_exit(1));
}

TEST_CASE("decode: predicated exits") {
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .pred %p<2>;
@%p1 exit;
@!%p1 ret;
ret;)"));
  REQUIRE(k.blocks.size() == 3);
  const csr_graph g = k.cfg();
  CHECK(g.is_exit(0));
  CHECK(g.is_exit(1));
  CHECK(g.is_exit(2));
  CHECK(successors(g, 0) == blocks{1});
  CHECK(successors(g, 1) == blocks{2});
  CHECK(successors(g, 2).empty());
  CHECK(k.blocks[1].guard.negated);
}

TEST_CASE("decode: a branch to its own fall-through keeps both edges") {
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .pred %p<2>;
@%p1 bra next;
next: @%p1 bra next;
trap;)"));
  const csr_graph g = k.cfg();
  REQUIRE(g.num_blocks() == 3);
  CHECK(successors(g, 0) == blocks{1, 1});
  CHECK(successors(g, 1) == blocks{1, 2});
  CHECK(successors(g, 2).empty());
  CHECK(g.num_edges() == 4);
}

TEST_CASE("decode: unreachable code keeps its blocks and edges") {
  const ptx::decoded_kernel k = decoded(kernel_text("bra end;\nisland: bra island;\nend: ret;"));
  const csr_graph g = k.cfg();
  REQUIRE(g.num_blocks() == 3);
  CHECK(successors(g, 1) == blocks{1});
}

TEST_CASE("decode: layout of parameters, shared and local memory") {
  const ptx::decoded_kernel k = decoded(std::string(simtflow_tests::header) + R"(
.shared .align 4 .b8 not_used[4096];
.shared .align 8 .b8 outside[24];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u32 d)
{
  .reg .b32 %r<4>;
  .shared .u32 first;
  .shared .align 16 .b8 second[4];
  .local .align 8 .b8 frame[40];
  mov.u32 %r1, outside;
  mov.u32 %r2, dynamic;
  ret;
})");
  CHECK(k.parameter_offsets == std::vector<std::uint64_t>{0, 8, 16, 36});
  CHECK(k.parameter_bytes == 40);
  CHECK(k.shared_bytes == 48);  // first, second, outside; not what the kernel never names
  CHECK(k.uses_dynamic_shared);
  CHECK(k.local_bytes == 40);
}

TEST_CASE("decode: what no launch could satisfy is found here") {
  const auto about = [](std::string_view text) {
    const auto r = ptx::parse(text);
    REQUIRE(r->kernels.size() == 1);
    return simtflow_tests::text_of(ptx::decode(*r, r->kernels[0]).diagnostics());
  };
  CHECK(about(kernel_text(".shared .b8 s[2000000]; ret;")) ==
        "line 4, column 17: kernel 'k' has more than 1 MiB of shared memory\n");
  CHECK(about(kernel_text(".local .b8 s[2000000]; ret;")) ==
        "line 4, column 17: kernel 'k' has more than 512 KiB of local memory\n");
  CHECK(about(std::string(simtflow_tests::header) +
              ".extern .global .b32 x;\n.entry k() { .reg .b64 %rd; mov.u64 %rd, x; ret; }") ==
        "line 4, column 22: variable 'x' is extern and defined nowhere\n");
  CHECK(about(std::string(simtflow_tests::header) +
              ".global .b64 x = y;\n.entry k() { .reg .b64 %rd; mov.u64 %rd, x; ret; }") ==
        "line 4, column 14: unknown name 'y' in an initialiser\n");
  CHECK(about(std::string(simtflow_tests::header) +
              ".global .u32 x;\n.entry k() { { .global .u32 x; } { .const .u32 y; } ret; }") ==
        "line 5, column 29: there is another .global variable 'x'\n");
}

TEST_CASE("decode: names cost the same however many there are") {
  // `piece` with # for the numbers from 0, and ~ for the number after.
  const auto repeated = [](std::string_view piece, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i)
      for (const char c : piece)
        if (c == '#' || c == '~')
          out += std::to_string(c == '#' ? i : i + 1);
        else
          out += c;
    return out;
  };
  struct family {
    const char *name, *module, *module_last, *inside, *body;  // each but the last of the module comes n times
  };
  constexpr family families[] = {
      {"variables of the module", ".global .b32 v#;\n", "", "", "ld.global.u32 %r1, [v#];\n"},
      {"variables that are declared and defined", ".extern .global .b32 v#;\n.visible .global .b32 v#;\n", "", "",
       "ld.global.u32 %r1, [v#];\n"},
      {"variables of the kernel", "", "", ".local .b8 v#;\n", "ld.local.u8 %r1, [v#];\n"},
      {"variables of the kernel in device memory", ".const .b32 w#;\n", "", ".global .b32 v#;\n",
       "ld.global.u32 %r1, [v#];\n"},
      {"addresses in the kernel's initialisers", "", "", ".global .b32 v#;\n.global .u64 u# = v#;\n",
       "ld.global.u64 %rd1, [u#];\n"},
      {"addresses of addresses", ".global .u64 v# = v~;\n", ".global .u64 t = v0; .global .u64 v~;\n", "",
       "ld.global.u64 %rd1, [t];\n"},
      {"functions", ".func f#() { ret; }\n", "", "", "call f#;\n"},
      {"functions of other shapes", ".func f#(.param .b8 p[~]) { ret; }\n", "", "", "mov.u64 %rd1, f#;\n"},
      {"addresses of functions", ".func f#() { ret; }\n.global .u64 v# = f#;\n", "", "", "ld.global.u64 %rd1, [v#];\n"},
      {"aliases of aliases", ".func f#();\n", ".func f~() { ret; }\n", "", "call f#;\n"},
      {"registers of the module", ".reg .b32 r#;\n.func f#() { mov.b32 r#, 1; ret; }\n", "", "", "mov.b32 r#, 1;\n"},
      {"registers", "", "", ".reg .b32 r#;\n", "mov.b32 r#, 1;\n"},
      {"labels", "", "", "", "L#: @%p bra L#;\n"},
      {"labels that nothing names", "", "", "L#:\n", "M#:\n"},
      {"branch tables", "", "", "t#: .branchtargets L#;\n", "L#: brx.idx %r1, t#;\n"},
      {"prototypes", "", "", "p#: .callprototype _ ();\n", "call %rd1, p#;\n"},
  };
  const auto text_of_size = [&](const family& f, std::size_t n) {
    std::string text = std::string(simtflow_tests::header) + repeated(f.module, n);
    for (const char* c = f.module_last; *c != '\0'; ++c) text += *c == '~' ? std::to_string(n) : std::string(1, *c);
    if (std::string_view(f.name) == "aliases of aliases") text += repeated(".alias f#, f~;\n", n);
    text += ".entry k() {\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p; setp.eq.u32 %p, %r1, 0;\n";
    return text + repeated(f.inside, n) + repeated(f.body, n) + "ret;\nend:\n}\n";
  };
  // Each family at one size and at eight times that.
  for (const family& f : families) {
    CAPTURE(std::string(f.name));
    double seconds[2] = {1e9, 1e9};
    for (int size = 0; size < 2; ++size) {
      const std::size_t n = size == 0 ? 700 : 5600;
      const std::string text = text_of_size(f, n);
      for (int round = 0; round < (size == 0 ? 3 : 2); ++round) {
        const std::clock_t start = std::clock();
        const auto r = ptx::parse(text);
        REQUIRE_MESSAGE(r.has_value(), simtflow_tests::text_of(r.diagnostics()));
        const diagnostics wrong = ptx::diagnose(*r);
        REQUIRE_MESSAGE(wrong.empty(), simtflow_tests::text_of(wrong));
        const auto d = ptx::decode(*r, r->kernels[0]);
        REQUIRE_MESSAGE(d.has_value(), simtflow_tests::text_of(d.diagnostics()));
        ptx::device_memory memory;
        memory.load(*d);
        std::size_t known = 0;
        for (const ptx::variable& v : d->globals)
          if (memory.symbol(d->from_module, v.name) != 0 && memory.find(v.name) != nullptr) ++known;
        CHECK(known == d->globals.size());
        const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        if (took < seconds[size]) seconds[size] = took;
      }
    }
    CHECK(seconds[1] < 24 * seconds[0] + 0.02);
  }
}

TEST_CASE("ptx decode: names of operations, ends of blocks, reductions and faults") {
  CHECK(to_string(ptx::op_kind::copy) == "copy");
  CHECK(to_string(ptx::op_kind::shuffle) == "shuffle");
  CHECK(to_string(ptx::op_kind::nothing) == "nothing");
  CHECK(to_string(ptx::block_exit::fall) == "fall");
  CHECK(to_string(ptx::block_exit::ret) == "ret");
  CHECK(to_string(ptx::barrier_reduction::none) == "");
  CHECK(to_string(ptx::barrier_reduction::or_) == "or");
  CHECK(to_string(ptx::fault_kind::none) == "none");
  CHECK(to_string(ptx::fault_kind::assertion) == "assertion");
}

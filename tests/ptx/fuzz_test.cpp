// SPDX-License-Identifier: BSL-1.0
//
// No text may crash the front end, make it hang or read out of bounds, and whatever it accepts must run or fault: every
// truncation of a kernel, and seeded mutations of bytes and tokens. Meant for the sanitizers.
#include "ptx/run_support.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using ptx_test::random_bits;

namespace {

constexpr std::string_view sample = R"(.version 9.0
.target sm_75
.address_size 64
.const .align 4 .b8 table[16] = {0, 0, 128, 63, 0, 0, 0, 64};
.global .align 8 .u64 link[2] = {counter, generic(counter)+4};
.global .u32 counter[2] = {-1, 0x10};
.extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
.maxntid 256, 1, 1
{
	.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<6>; .reg .f64 %fd<3>; .reg .v2 .f32 %v<2>;
	.shared .align 4 .b8 tile[128]; .local .align 8 .b8 frame[24];
	.loc 1 6 0
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n+0];
	mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r2, 4, %r1; mul.wide.u32 %rd3, %r2, 4;
	cvta.to.global.u64 %rd4, %rd2; add.s64 %rd5, %rd4, %rd3; // comment
	mov.u32 %r4, tile; add.u32 %r5, %r4, %r3; and.b32 %r5, %r5, 124; st.shared.u32 [%r5], %r2;
	bar.sync 0;
	mov.u64 %rd6, frame; st.local.v2.u32 [%rd6+8], {%r2, 5}; ld.local.v2.u16 {%h1, %h2}, [%rd6+8];
	setp.lt.and.u32 %p1|%p2, %r2, 16, !%p3; @!%p2 bra $skip;
	fma.rn.ftz.f32 %f1, 0f3F800000, 1.5, %f2; cvt.rzi.s32.f32 %r6, %f1; ex2.approx.f32 %v1.x, %f1;
	div.s32 %r7, %r6, %r2; prmt.b32 %r8, %r7, %r6, 0x3210; bfe.u32 %r9, %r8, 3, 9; @%p1 add.u32 %r9, %r9, 1;
	{ .reg .b32 %r1; mov.b64 {%r1, _}, %rd5; bra inner; inner: add.u32 %r10, %r1, %r9; }
	atom.global.add.u32 %r11, [counter], 1; ld.const.f32 %f3, [table+4]; cvt.f64.f32 %fd1, %f3;
$skip:
	ld.shared.u32 %r12, [%r5]; cvta.shared.u64 %rd7, tile; ld.u32 %r13, [%rd7+4]; /* note */
	@%p3 exit;
	st.global.u32 [%rd5], %r12;
	sub.u32 %r1, %r1, 1; setp.ne.u32 %p3, %r1, 0; @%p3 bra $skip;
	ret;
}
)";

/// Parses, and runs every kernel that is in order, briefly.
void swallow(std::string_view text) {
  const ptx::parse_result parsed = ptx::parse(text);
  CHECK(parsed.diagnostics.size() <= max_diagnostics);
  if (!parsed.ok()) return;
  for (const ptx::kernel& k : parsed.module.kernels) {
    const ptx::decode_result d = ptx::decode(parsed.module, k);
    CHECK(d.diagnostics.size() <= max_diagnostics);
    if (!d.ok()) continue;
    std::uint64_t bytes = d.kernel.local_bytes * 64;
    for (const ptx::variable& v : d.kernel.globals) bytes += v.size;
    if (bytes > 100000) continue;
    ptx::device_memory memory;
    const std::uint64_t buffer = memory.allocate(256, "buffer");
    ptx::arguments args(d.kernel);
    for (std::uint32_t i = 0; i < args.size(); ++i) {
      std::vector<unsigned char> raw(static_cast<std::size_t>(d.kernel.parameters[i].size), 3);
      for (std::size_t n = 0; n < raw.size() && raw.size() == 8; ++n)
        raw[n] = static_cast<unsigned char>(buffer >> (8 * n));
      args.set_bytes(i, raw);
    }
    ptx::launch_config l;
    l.block[0] = 40;
    if (!ptx::check_launch(d.kernel, l, args).empty()) continue;
    ptx::interpreter<> program(d.kernel, l, memory, args);
    program.begin_block(0);
    const launch shape{40, 32, 0, barrier_model::thread_arrival};
    const verdict v = executor<lane_serial>(lane_serial()).run(shape, program, no_observer{}, {.steps = 500});
    if (v.how == outcome::fault) CHECK(program.fault().describe() != "no fault");
    CHECK(d.kernel.cfg().num_blocks() == d.kernel.blocks.size());
  }
}

std::string mutated(std::string text, random_bits& random) {
  const std::uint64_t edits = 1 + random() % 3;
  for (std::uint64_t e = 0; e < edits && !text.empty(); ++e) {
    const std::size_t at = random() % text.size();
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8)));
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      default: {  // delete a token, or put another one there
        const std::vector<ptx::token> tokens = ptx::tokenize(text);
        const std::string_view old = tokens[random() % tokens.size()].spelling;
        const std::string fresh(random() % 2 == 0 ? std::string_view{} : tokens[random() % tokens.size()].spelling);
        text.replace(static_cast<std::size_t>(old.data() - text.data()), old.size(), fresh);
        break;
      }
    }
  }
  return text;
}

std::string file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

}  // namespace

TEST_CASE("ptx fuzz: the sample is in order") {
  const diagnostics found = ptx_test::findings(sample);
  REQUIRE_MESSAGE(found.empty(), ptx_test::text_of(found));
  swallow(sample);
}

TEST_CASE("ptx fuzz: every truncation") {
  for (std::size_t n = 0; n < sample.size(); ++n) swallow(sample.substr(0, n));
}

TEST_CASE("ptx fuzz: seeded mutations of the sample and of the example kernels") {
  std::vector<std::string> texts = {std::string(sample)};
  for (const char* name : {"mandelbrot", "bitonic_sort", "short_circuit", "nested_loops"}) {
    texts.push_back(file(std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels/" + name + ".ptx"));
    CHECK(!texts.back().empty());
    swallow(texts.back());
  }
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    random_bits random{seed};
    swallow(mutated(texts[seed % texts.size()], random));
  }
}

TEST_CASE("ptx fuzz: random bytes and random tokens") {
  const std::vector<ptx::token> tokens = ptx::tokenize(sample);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    random_bits random{seed};
    std::string bytes;
    std::string words = ".version 1.0\n.entry k() {";
    for (int i = 0; i < 200; ++i) {
      bytes += static_cast<char>(random());
      words += ' ';
      words += tokens[random() % tokens.size()].spelling;
    }
    swallow(bytes);
    swallow(words);
  }
}

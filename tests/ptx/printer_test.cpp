// SPDX-License-Identifier: BSL-1.0
//
// print(parse(text)) parses to the same module, and ptxas takes it. The modules are what nvcc and clang make of the
// sources in modules/, the example kernels, texts by hand and mutations of all of them.
#include "ptx/module_equality.hpp"
#include "ptx/modules_on_disk.hpp"
#include "ptx/support.hpp"
#include <simtflow/ptx/text/lexer.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using simtflow_tests::header;
using simtflow_tests::kernel_text;
using simtflow_tests::random_bits;
using simtflow_tests::text_of;

namespace {

/// The reason that keeps a text from coming back; empty if it comes back.
std::string round_trip(const ptx::module& m) {
  const std::string printed = ptx::print(m);
  const auto again = ptx::parse(printed);
  if (!again.has_value()) return text_of(again.diagnostics()) + printed;
  std::string why;
  if (!simtflow_tests::same_module(m, *again, why)) return why + "\n" + printed;
  if (ptx::print(*again) != printed) return "the second print differs\n" + printed;
  return {};
}

/// Whether a module has no operand that names nothing.
bool names_known(const ptx::module& m) {
  const auto known = [](const std::vector<ptx::function>& list) {
    for (const ptx::function& f : list)
      for (const ptx::operand& o : f.operands)
        if (o.kind == ptx::operand_kind::unknown || o.base == ptx::operand_kind::unknown) return false;
    return true;
  };
  return known(m.functions) && known(m.kernels);
}

std::string reprinted(std::string_view text) {
  const auto r = ptx::parse(text);
  CHECK_MESSAGE(r.has_value(), text_of(r.diagnostics()));
  CHECK(round_trip(*r) == "");
  return ptx::print(*r);
}

constexpr std::string_view everything = R"(.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b)
;
.func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16], .param .b32 b);
.global .u32 table[2][3] = {{1, 2}, {4, 5, 6}};
.global .v2 .f32 v[2] = {{1.0, 0.0}, {0f40400000, -4.0}};
.visible .global .u32 open[][2] = {{1, 2}, {3}};
.weak .const .align 16 .b8 bytes[5] = {1, 0xFF, -1};
.global .u64 addresses[4] = {table, generic(table)+8, f, open+-4};
.global .u8 packed[4] = {7, 0xFF(table), 0xFF00(generic(table)+4), 0XFF00000000000000(f)};
.global .f64 d = -1.5;
.extern .shared .align 16 .b8 dynamic[];
.func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16], .param .b32 b)
{ .reg .b32 %r<4>; ld.param.b32 %r3, [a+4]; st.param.b32 [r+8], %r3; ret; }
.visible .func g();
.visible .func h() { ret; }
.extern .func never() .noreturn;
.alias g, h;
.visible .entry k(.param .u64 p, .param .align 4 .b8 q[12]) .reqntid 32, 2 .minnctapersm 3
{
	.reg .b32 %r<100>, x; .reg .b64 %rd<5>; .reg .pred %p<3>; .reg .v4 .f32 %v; .reg .f32 %f7; .reg .f64 %f9;
	.local .align 8 .b8 frame[24];
	.loc 1 2 3
first: second:
	mov.u32 %r17, %tid.x; mov.u32 %r3, WARP_SZ; mov.u64 %rd1, f; mov.f32 %f7, 0f3F800000; mov.f64 %f9, 0.5;
	@!%p1 bra $done;
	{ .reg .b32 %r17, x; mov.b32 %r17, -7; mov.b32 x, %r3; { .reg .pred %r17; setp.lt.and.s32 %r17|%p2, x, 5, !%p1; in: } bra in2; in2: }
	{
		.param .align 8 .b8 arg[16]; .param .b32 b; .param .align 8 .b8 res[16];
		call.uni (res), f, (arg, b);
		pt: .callprototype (.param .align 8 .b8 _[16]) _ (.param .align 8 .b8 _[16], .param .b32 _);
		@%p1 call (res), %rd1, (arg, 5), pt;
		ct: .calltargets f;
		call (_), %rd1, (arg, b), ct;
	}
	{}
	call h;
	ts: .branchtargets first, $done;
	brx.idx %r17, ts;
	ld.global.v4.f32 %v, [%rd1+-16]; st.local.v2.u32 [frame+8], {x, 7}; ld.shared.u32 x, [dynamic]; ld.local.u32 x, [16];
	tex.2d.v4.f32.f32 %v, [%rd1, {%f7, %v.x}]; vmad.s32.s32.s32 x, %r3.b0, -%r17.h1, -5;
	lop3.b32 x, x, %r3, (1+2)*3, 0xE8; mov.u64 %rd2, table+4; mov.u64 %rd2, 0x8000000000000000; mov.u32 x, %envreg3;
$done:
	ret;
}
)";

}  // namespace

TEST_CASE("printer: the text of a module") {
  CHECK(reprinted(everything) == R"(.version 7.8
.target sm_80
.address_size 64

.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16], .param .b32 b);
.visible .func g();
.visible .func h();
.extern .func never() .noreturn;
.global .u32 table[2][3] = {{1, 2, 0}, {4, 5, 6}};
.global .v2 .f32 v[2] = {{0f3F800000, 0f00000000}, {0f40400000, 0fC0800000}};
.visible .global .u32 open[][2] = {{1, 2}, {3, 0}};
.weak .const .align 16 .b8 bytes[5] = {1, 255, 255};
.global .u64 addresses[4] = {table, generic(table)+8, f, open+-4};
.global .u8 packed[4] = {7, 0xFF(table), 0xFF00(generic(table)+4), 0xFF00000000000000(f)};
.global .f64 d = 0dBFF8000000000000;
.extern .shared .align 16 .b8 dynamic[];

.func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[16], .param .b32 b)
{
	.reg .b32 %r<4>;
	ld.param.b32 %r3, [a+4];
	st.param.b32 [r+8], %r3;
	ret;
}

.visible .func h()
{
	ret;
}
.alias g, h;

.visible .entry k(.param .u64 p, .param .align 4 .b8 q[12]) .reqntid 32, 2, 1 .minnctapersm 3
{
	.reg .b32 %r<18>;
	.reg .b64 %rd<3>;
	.reg .pred %p<3>;
	.reg .f32 %f7;
	.reg .f64 %f9;
	.reg .v4 .f32 %v;
	.reg .b32 x;
	.local .align 8 .b8 frame[24];
first:
second:
	.loc 1 2 3
	mov.u32 %r17, %tid.x;
	mov.u32 %r3, WARP_SZ;
	mov.u64 %rd1, f;
	mov.f32 %f7, 0f3F800000;
	mov.f64 %f9, 0d3FE0000000000000;
	@!%p1 bra $done;
	{
		.reg .b32 %r17, x;
		mov.b32 %r17, -7;
		mov.b32 x, %r3;
		{
			.reg .pred %r17;
			setp.lt.and.s32 %r17|%p2, x, 5, !%p1;
in:
		}
		bra in2;
in2:
	}
	{
		.param .align 8 .b8 arg[16];
		.param .b32 b;
		.param .align 8 .b8 res[16];
		call.uni (res), f, (arg, b);
pt: .callprototype (.param .align 8 .b8 _[16]) _ (.param .align 8 .b8 _[16], .param .b32 _);
		@%p1 call (res), %rd1, (arg, 5), pt;
ct: .calltargets f;
		call (_), %rd1, (arg, b), ct;
	}
	{
	}
	call h;
ts: .branchtargets first, $done;
	brx.idx %r17, ts;
	ld.global.v4.f32 %v, [%rd1+-16];
	st.local.v2.u32 [frame+8], {x, 7};
	ld.shared.u32 x, [dynamic];
	ld.local.u32 x, [16];
	tex.2d.v4.f32.f32 %v, [%rd1, {%f7, %v.x}];
	vmad.s32.s32.s32 x, %r3.b0, -%r17.h1, -5;
	lop3.b32 x, x, %r3, 9, 232;
	mov.u64 %rd2, table+4;
	mov.u64 %rd2, -9223372036854775808;
	mov.u32 x, %envreg3;
$done:
	ret;
}
)");
}

TEST_CASE("printer: old PTX") {
  CHECK(reprinted(R"(.version 1.4
.target sm_10, map_f64_to_f32
.reg .u32 %ra<17>;
.tex .u64 tex;
.entry k
{
	.reg .u16 %rh<5>;
	.param .u64 __cudaparm_p;
	.param .s8 __cudaparm_c;
	mov.u32 %ra3, 5; ld.param.u16 %rh1, [__cudaparm_c];
	exit;
$LDWend_k:
}
)") == R"(.version 1.4
.target sm_10, map_f64_to_f32

.global .texref tex;

.entry k(.param .u64 __cudaparm_p, .param .s8 __cudaparm_c)
{
	.reg .u32 %ra<4>;
	.reg .u16 %rh<2>;
	mov.u32 %ra3, 5;
	ld.param.u16 %rh1, [__cudaparm_c];
	exit;
$LDWend_k:
}
)");
  CHECK(reprinted(R"(.version 2.3
.target sm_20
.address_size 64
.func (.reg .u64 sum, .reg .u32 prod) both (.reg .u32 x, .reg .u32 y)
.entry k(.param .u64 p) { .reg .u32 a<4>; .reg .u64 s; call (s, a1), both, (a2, a3); exit; }
.func (.reg .u64 sum, .reg .u32 prod) both (.reg .u32 x, .reg .u32 y) { cvt.u64.u32 sum, x; mul.lo.u32 prod, x, y; ret; }
)") == R"(.version 2.3
.target sm_20
.address_size 64

.func (.reg .u64 sum, .reg .u32 prod) both(.reg .u32 x, .reg .u32 y);

.func (.reg .u64 sum, .reg .u32 prod) both(.reg .u32 x, .reg .u32 y)
{
	cvt.u64.u32 sum, x;
	mul.lo.u32 prod, x, y;
	ret;
}

.entry k(.param .u64 p)
{
	.reg .u64 s;
	.reg .u32 a1, a2, a3;
	call (s, a1), both, (a2, a3);
	exit;
}
)");
}

TEST_CASE("printer: an inner register that is declared after a use of the outer one") {
  reprinted(
      kernel_text(".reg .b32 %r<3>, x; { mov.b32 %r1, x; .reg .f32 %r1, x; mov.f32 %r1, x; { .reg .pred x; } } ret;"));
}

TEST_CASE("printer: arrays of one element") {
  const std::string text =
      reprinted(std::string(header) + ".global .u32 one[1] = {7}, two[2][1] = {{7}, {8}}, none[] = {};\n");
  CHECK(text.find("one[1] = {7};\n") != std::string::npos);
  CHECK(text.find("two[2][1] = {{7}, {8}};\n") != std::string::npos);
}

TEST_CASE("printer: names that look like registers of a range") {
  reprinted(kernel_text(".reg .b32 %r<9>; .shared .b32 %r9; mov.b32 %r1, %r9; ret;"));
  reprinted(kernel_text(".reg .b32 %r<3>; .reg .f32 %r3; mov.b32 %r1, %r3; ret;"));
  reprinted(kernel_text(".reg .b32 %r007, %r, %7, r5; mov.b32 %r007, %r; mov.b32 %7, r5; ret;"));
  reprinted(kernel_text(".reg .b32 %r<9000000>; mov.b32 %r8999999, %r0; ret;"));
  reprinted(kernel_text(".reg .v2 .b32 %v<3>; mov.b64 %v1, %v2; mov.b32 %v1.x, %v2.y; ret;"));
}

TEST_CASE("printer: what nvcc and clang write comes back the same") {
  std::size_t count = 0;
  for (const auto& named : simtflow_tests::all_modules()) {
    const std::string& name = named.first;
    const std::string& text = named.second;
    CAPTURE(name);
    const auto r = ptx::parse(text);
    CHECK_MESSAGE(r.has_value(), text_of(r.diagnostics()));
    CHECK(round_trip(*r) == "");
    // Instructions and clusters that do not run are refused by name; nothing else is wrong with a compiler's text.
    for (const diagnostic& d : ptx::diagnose(*r)) {
      CAPTURE(to_string(d));
      CHECK((d.message.starts_with("unsupported instruction '") || d.message.ends_with("are not supported")));
    }
    ++count;
  }
  CHECK(count >= 25);
}

TEST_CASE("printer: whatever text is accepted comes back the same") {
  std::vector<std::string> texts = {std::string(everything)};
  for (const auto& [name, text] : simtflow_tests::all_modules())
    if (text.size() < 3000) texts.push_back(text);
  std::size_t accepted = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    CAPTURE(seed);
    random_bits random{seed};
    std::string text = texts[seed % texts.size()];
    const std::vector<ptx::token> tokens = ptx::tokenize(text);
    const std::string_view old = tokens[random() % tokens.size()].spelling;
    const std::string fresh(random() % 3 == 0 ? std::string_view{} : tokens[random() % tokens.size()].spelling);
    text.replace(static_cast<std::size_t>(old.data() - text.data()), random() % 2 == 0 ? old.size() : 0, fresh);
    const auto r = ptx::parse(text);
    if (!r.has_value() || !names_known(*r)) continue;
    ++accepted;
    REQUIRE(round_trip(*r) == "");
  }
  CHECK(accepted > 500);
}

TEST_CASE("printer: ptxas takes what it took before") {
#ifdef SIMTFLOW_PTXAS
  const std::string ptxas = SIMTFLOW_PTXAS;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const auto taken = [&](const ptx::module& m, const std::string& text) {
    const std::string stem = "simtflow-printer-test-" + std::to_string(reinterpret_cast<std::uintptr_t>(&text));
    const std::filesystem::path source = folder / (stem + ".ptx");
    std::ofstream(source, std::ios::binary) << text;
    // Older targets than ptxas knows: it takes their text for the oldest that it does know.
    const std::string target = m.target.substr(0, m.target.find_first_not_of("0123456789", 3));
    const bool old = target.size() < 5 || target < "sm_75";
    const std::string command = "\"" + ptxas + "\" -c -arch=" + (old ? "sm_75" : m.target) + " -o \"" +
                                (folder / (stem + ".cubin")).string() + "\" \"" + source.string() + "\" > \"" +
                                (folder / (stem + ".log")).string() + "\" 2>&1";
    const bool ok = std::system(command.c_str()) == 0;
    if (!ok) MESSAGE(simtflow_tests::file(folder / (stem + ".log")));
    for (const char* suffix : {".ptx", ".cubin", ".log"}) std::filesystem::remove(folder / (stem + suffix));
    return ok;
  };
  for (const auto& named : simtflow_tests::all_modules()) {
    const std::string& name = named.first;
    const std::string& text = named.second;
    if (name.size() % 2 != 0 && text.size() > 20000) continue;  // time
    CAPTURE(name);
    const auto r = ptx::parse(text);
    const bool ok = taken(*r, ptx::print(*r));
    if (!ok) CHECK_MESSAGE(!taken(*r, text), "ptxas takes the text, but not the printed one");
  }
  CHECK(taken(*ptx::parse(everything), std::string(everything)));
  CHECK(taken(*ptx::parse(everything), reprinted(everything)));
#else
  MESSAGE("skipped: no ptxas");
#endif
}

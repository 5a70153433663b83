// SPDX-License-Identifier: BSL-1.0
//
// The directives .loc and .file: the place of each instruction, printed and read again, linked, decoded, in the text of
// a fault, and after a transform. ptxas takes what is printed where it is installed.
#include "ptx/modules_on_disk.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/io/describe_meld.hpp>
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// The places of all instructions of a function, in words.
std::vector<std::string> places(const ptx::module& m, const ptx::function& f) {
  std::vector<std::string> all;
  for (const ptx::instruction& i : f.instructions) all.push_back(m.sources.describe(ptx::place_at(f.lines, i.where)));
  return all;
}
std::vector<std::vector<std::string>> places(const ptx::module& m) {
  std::vector<std::vector<std::string>> all;
  for (const auto* list : {&m.functions, &m.kernels})
    for (const ptx::function& f : *list) all.push_back(places(m, f));
  return all;
}

/// Two kernels: function "half" is inlined in "mean", twice in one line, and that in the first kernel.
constexpr std::string_view inlined = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;
  mov.u32 %r1, %tid.x;
  .loc 3 7 0
  ld.param.u64 %d1, [in];
  .loc 3 8 3
  .loc 3 4 3, function_name $names1, inlined_at 3 8 3
  .loc 2 2 11, function_name $names0+4, inlined_at 3 4 3
  shr.u32 %r2, %r1, 1;
  .loc 2 2 12, function_name $names0+4, inlined_at 3 4 3
  ld.global.u32 %r3, [%d1];
  .loc 3 9 3
  .loc 3 4 3, function_name $names1, inlined_at 3 9 3
  .loc 2 2 11, function_name $names0+4, inlined_at 3 4 3
  shr.u32 %r4, %r1, 2;
  .loc 3 9 3
  add.u32 %r5, %r2, %r3;
  ret;
}
.visible .entry other(.param .u64 in)
{
  .reg .b64 %d<4>;
  mov.u64 %d1, 0;
  .loc 3 20 5, function_name $nowhere, inlined_at 3 19 1
  st.global.u32 [%d1], 1;
  ret;
}
.file 2 "include/half.hpp", 1700000000, 512
.file 3 "/home/me/my.cu"
.section .debug_str
{
$names0: .b8 95,90,49,120,104,97,108,102,0
$names1:
.b8 109,101,97,110,0
}
)";

}  // namespace

TEST_CASE("source lines: every instruction has its place, with the calls around inlined code") {
  const ptx::module m = module_of(inlined);
  REQUIRE(m.sources.files.size() == 2);
  CHECK(m.sources.files[0].time == 1'700'000'000);
  CHECK(m.sources.files[0].bytes == 512);
  CHECK(m.sources.file(3)->name == "/home/me/my.cu");
  CHECK(m.sources.file(1) == nullptr);
  CHECK(places(m, m.kernels[0]) == std::vector<std::string>{
                                       "",
                                       "my.cu:7",
                                       "half.hpp:2 in 'half', inlined at my.cu:4 in 'mean', inlined at my.cu:8",
                                       "half.hpp:2 in 'half', inlined at my.cu:4 in 'mean', inlined at my.cu:8",
                                       "half.hpp:2 in 'half', inlined at my.cu:4 in 'mean', inlined at my.cu:9",
                                       "my.cu:9",
                                       "my.cu:9",
                                   });
  CHECK(places(m, m.kernels[1])[1] == "my.cu:20 in '$nowhere', inlined at my.cu:19");
  CHECK(ptx::place_at({}, {1, 1}) == ptx::no_index);
  CHECK(m.sources.describe(ptx::no_index).empty());
}

TEST_CASE("source lines: the call around inlined code, the line alone, and code of no line") {
  const ptx::module m = module_of(inlined);
  const ptx::function& f = m.kernels[0];
  const std::uint32_t half = ptx::place_at(f.lines, f.instructions[2].where);
  CHECK(m.sources.line_of(half) == "half.hpp:2");
  CHECK(m.sources.line_of(m.sources.outermost(half)) == "my.cu:8");
  CHECK(m.sources.outermost(m.sources.outermost(half)) == m.sources.outermost(half));
  CHECK(m.sources.outermost(ptx::no_index) == ptx::no_index);
  CHECK(m.sources.line_of(ptx::no_index).empty());
  const ptx::module none =
      module_of(std::string(header) + ".visible .entry k() {\n.loc 1 0 0\ntrap;\nret; }\n.file 1 \"my.cu\"\n");
  CHECK(places(none, none.kernels[0]) == std::vector<std::string>{"", ""});
}

TEST_CASE("source lines: what is printed has them again, and ptxas takes it") {
  auto modules = all_modules();
  modules.emplace_back("inlined.ptx", std::string(inlined));
  std::size_t with_lines = 0;
  for (const auto& named : modules) {
    const std::string& name = named.first;
    const std::string& text = named.second;
    CAPTURE(name);
    const auto m = ptx::parse(text);
    REQUIRE(m.has_value());
    if (m->sources.places.empty()) continue;
    ++with_lines;
    const std::string printed = ptx::print(*m);
    const auto again = ptx::parse(printed);
    REQUIRE_MESSAGE(again.has_value(), text_of(again.diagnostics()));
    CHECK(places(*again) == places(*m));
    CHECK(ptx::print(*again) == printed);
#if defined(SIMTFLOW_PTXAS)
    if (name != "inlined.ptx" && name != "separate_main.ptx") continue;
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "simtflow_source_lines_test.ptx";
    std::ofstream(file) << printed;
    CHECK(std::system((SIMTFLOW_PTXAS " -c -arch=sm_75 -lineinfo " + file.string() + " -o /dev/null").c_str()) == 0);
#endif
  }
  CHECK(with_lines >= 5);
}

TEST_CASE("source lines: linked modules keep theirs, and a file of both is one") {
  const ptx::module a = module_of(inlined);
  const ptx::module b = module_of(std::string(header) +
                                  ".visible .entry third() {\n.loc 1 5 3\ntrap;\n.loc 2 6 3\nret; }\n"
                                  ".file 1 \"/home/me/my.cu\"\n.file 2 \"other.cu\"\n");
  const ptx::link_input inputs[] = {{&a, "a", false}, {&b, "b", false}};
  const auto l = ptx::link(inputs);
  REQUIRE(l.has_value());
  CHECK(l->module.sources.files.size() == 3);
  for (std::size_t k = 0; k < 2; ++k) CHECK(places(l->module, l->module.kernels[k]) == places(a, a.kernels[k]));
  CHECK(places(l->module, l->module.kernels[2]) == std::vector<std::string>{"my.cu:5", "other.cu:6"});
}

TEST_CASE("source lines: a fault says the line of the source") {
  const ptx::module m = module_of(inlined);
  for (const bool first : {true, false}) {
    const auto k = ptx::decode(m, m.kernels[first ? 0 : 1]);
    REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
    CHECK(k->places.size() == k->positions.size());
    ptx::device_memory memory;
    ptx::arguments args(*k);
    for (std::uint32_t i = 0; i < args.size(); ++i) args.set(i, std::uint64_t{0});
    ptx::interpreter<> program(*k, block_of(1), memory, args);
    CHECK(run_grid(program).how == outcome::fault);
    CHECK(program.fault().source == (first ? "half.hpp:2 in 'half', inlined at my.cu:4 in 'mean', inlined at my.cu:8"
                                           : "my.cu:20 in '$nowhere', inlined at my.cu:19"));
    CHECK(program.fault().describe().find(", column 3, at " + program.fault().source + ", BB0") != std::string::npos);
  }
  const ptx::decoded_kernel plain = decoded(kernel_text("ret;"));
  CHECK(plain.places.empty());
  CHECK(plain.source_of(0).empty());
}

TEST_CASE("source lines: a verdict names the line of the barrier, or the line where lanes stand") {
  const ptx::module m = module_of(std::string(header) + R"(.visible .entry k() {
.loc 1 7 1
bar.sync 0;
.loc 1 8 1
trap;
.loc 1 9 1
bar.sync 0;
ret;
}
.file 1 "my.cu"
)");
  const auto k = ptx::decode(m, m.kernels[0]);
  REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
  CHECK(k->source_of_end(0) == "my.cu:7");
  CHECK(k->source_of_begin(0) == "my.cu:7");
  CHECK(k->source_of_end(no_block).empty());
  CHECK(k->source_of_begin(no_block).empty());
  CHECK(k->block_name_with_source(no_block, true) == "end");
  CHECK(k->place_of(ptx::no_index) == ptx::no_index);
  verdict v;
  v.how = outcome::barrier_deadlock;
  v.standing = {{0, 0, lane_mask::first_lanes(2), standing_reason::at_barrier, 0},
                {0, 1, lane_mask::first_lanes(4) - lane_mask::first_lanes(2), standing_reason::ready, 0}};
  CHECK(describe(v, [&](block_id b, bool at_end) { return k->block_name_with_source(b, at_end); }) ==
        "barrier deadlock: warp 0: lanes 0-1 wait at the barrier that ends BB0 (my.cu:7); lanes 2-3 stand at BB1 "
        "(my.cu:8)");
}

TEST_CASE("source lines: instructions that a transform copies keep theirs") {
  const ptx::module m = module_of(std::string(header) + R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p;
.loc 1 2 1
ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0; @%p bra other;
.loc 1 3 1
mul.lo.u32 %r3, %r1, 7; rem.u32 %r4, %r3, 5; st.global.u32 [%d3], %r4; bra done;
other:
.loc 1 4 1
mul.lo.u32 %r5, %r1, 9; rem.u32 %r6, %r5, 11; st.global.u32 [%d3], %r6;
done:
.loc 1 5 1
ret;
}
.file 1 "my.cu"
)");
  const auto code = ptx::verify(m, m.kernels[0]);
  REQUIRE(code.has_value());
  auto melded = ptx::meld(*code);
  REQUIRE_MESSAGE(melded.has_value(), text_of(melded.diagnostics()));
  REQUIRE(!melded->report.melded.empty());
  const auto source = [&](position where) { return m.sources.describe(ptx::place_at(m.kernels[0].lines, where)); };
  CHECK(ptx::describe(melded->report, source).front().find(" (line 8, my.cu:2): ") != std::string::npos);
  CHECK(ptx::describe(melded->report).front().find(" (line 8): ") != std::string::npos);
  ptx::module changed = m;
  changed.kernels[0] = melded->code;
  const auto again = ptx::parse(ptx::print(changed));
  REQUIRE(again.has_value());
  const std::vector<std::string> all = places(*again, again->kernels[0]);
  const std::set<std::string> seen(all.begin(), all.end());
  CHECK(seen.count("my.cu:2") == 1);
  CHECK(seen.count("my.cu:5") == 1);
  CHECK(seen.count("my.cu:3") + seen.count("my.cu:4") >= 1);
}

// SPDX-License-Identifier: BSL-1.0
//
// Every shipped kernel through every transform: what it computes is what it computed before. Under a few policies;
// under all of them in long runs.
#include "lab/transform.hpp"

#include "lab/files.hpp"
#include "lab/launch_file.hpp"
#include "lab/transform_table.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

std::string refusal(const lab::transform_options& options) {
  try {
    (void)lab::transform_kernel(options);
  } catch (const lab::input_error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("transform: every shipped kernel computes what it computed before") {
  const bool all = simtflow_tests::times(1) > 1;
  const std::vector<std::vector<lab::transform_step>> ways = {
      {{lab::transform_kind::linearize}},
      {{lab::transform_kind::copies}},
      {{lab::transform_kind::hub, "unstructured"}},
      {{lab::transform_kind::fix_irreducible}},
      {{lab::transform_kind::unify_exits}},
      {{lab::transform_kind::fix_irreducible}, {lab::transform_kind::unify_exits}, {lab::transform_kind::linearize}},
  };
  std::vector<std::size_t> changed(ways.size(), 0);
  std::uint64_t piece = 0;  // of the work: one way with one kernel, under all policies
  for (const std::string& name : simtflow_tests::shipped_kernels()) {
    const std::string text = lab::read_text(name + ".ptx");
    const ptx::module m = *ptx::parse(text);
    const std::string launched = lab::parse_launch_file(lab::read_text(name + ".launch.json"), name).kernel;
    const std::string entry = launched.empty() ? m.kernels.at(0).name : launched;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      CAPTURE(name);
      CAPTURE(i);
      lab::transform_options options;
      options.always = true;
      const auto made = lab::transformed(m, entry, ways[i], name, options);
      const plan_cost& c = made.added;
      if (c.guards + c.copies + c.empties + c.assignments == 0) continue;
      if (!simtflow_tests::in_shard(piece++)) continue;
      ++changed[i];
      options.kernel_path = name + ".ptx";
      options.launch_path = name + ".launch.json";
      options.steps = ways[i];
      options.policies = {all ? "all" : "pdom,tf,volta,dwf-majority"};
      // Its warps wait for their own manager thread: right only where they stay together, by luck elsewhere.
      if (name.ends_with("/ray_queue"))
        options.policies = {
            "pdom,lcp,predicate,dual-path,multi-path,tf,tf-sandy,min-pc,volta,dwf-barrier,tbc,capri,serial"};
      const lab::transform_result r = lab::transform_kernel(options);
      if (!r.good) FAIL(r.report);
      if (ways[i].size() == 1 && made.remarks.empty() &&
          (ways[i][0].kind == lab::transform_kind::linearize || ways[i][0].kind == lab::transform_kind::copies))
        CHECK_MESSAGE(r.report.find("structured" + std::string(20, ' ') + "no       yes") != std::string::npos,
                      r.report);
    }
  }
  for (std::size_t i = 0; i < ways.size() && simtflow_tests::is_whole(); ++i) {
    CAPTURE(i);
    if (ways[i][0].kind != lab::transform_kind::fix_irreducible || ways[i].size() > 1) CHECK(changed[i] > 3);
  }
}

TEST_CASE("transform: a plan that is wrong is refused") {
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k()\n{ .reg .pred %p; @%p bra A; bra B; A: bra C; B: @%p bra A; C: ret; }\n";
  const ptx::module m = *ptx::parse(text);
  const ptx::checked_function code = lab::checked(m, m.kernels[0], "k.ptx");
  const lab::block_places places(*ptx::decode(code));
  const lab::named_blocks name_of(code, places);
  const lab::transform_step step;
  const lab::step_settings settings;
  const std::string path = "k.ptx";
  const lab::step_input in{step, settings, code, name_of, path};
  flow_plan plan(code.blocks().graph());
  lab::prove(plan, in);
  plan.set_edge(2, 0, 3);
  try {
    lab::prove(plan, in);
    FAIL("accepted");
  } catch (const lab::input_error& e) {
    CHECK(std::string(e.what()) ==
          "k.ptx: kernel 'k': the plan of --linearize is wrong and was not applied: wrong way: after slot 0 of BB2 A a "
          "thread must execute BB4 C, but executes BB3 B\n  its way: BB0 -> BB2 A -> BB3 B");
  }
}

TEST_CASE("transform: every row of the table leaves memory as it was") {
  // All kernels in long runs; else two with nests and calls, under fewer policies.
  const bool all = simtflow_tests::times(1) > 1;
  std::uint64_t piece = 0;
  std::size_t equal = 0;
  for (const std::string& name : simtflow_tests::shipped_kernels()) {
    if (!all && !name.ends_with("/weather") && !name.ends_with("/exception_call")) continue;
    if (!simtflow_tests::in_shard(piece++)) continue;
    CAPTURE(name);
    lab::transform_options options;
    options.kernel_path = name + ".ptx";
    options.launch_path = name + ".launch.json";
    options.most_copies = 2000;
    if (!all) options.policies = {"pdom,volta"};
    const lab::transform_table table = lab::tabulate_transforms(options, std::nullopt);
    for (const lab::transform_table_row& row : table.rows) {
      CHECK_MESSAGE(row.good, row.transform << ": " << row.verdict);
      if (row.verdict.find("memory equal") != std::string::npos) ++equal;
    }
  }
  if (simtflow_tests::is_whole()) CHECK(equal > (all ? 500 : 10));
}

TEST_CASE("transform: edges of a hub by label and by number") {
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k()\n{ .reg .pred %p; @%p bra A; bra B; A: bra C; B: @%p bra A; C: ret; }\n";
  const ptx::module m = *ptx::parse(text);
  const auto guards = [&](const std::string& edges) {
    const lab::transform_step steps[] = {{lab::transform_kind::hub, edges}};
    return lab::transformed(m, "k", steps, "k.ptx").added.guards;
  };
  const auto refused = [&](const std::string& edges) {
    try {
      (void)guards(edges);
    } catch (const lab::input_error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(guards("0:0,A:0,1:0") == 2);
  CHECK(guards("B:0,0:0") == 0);       // one target
  CHECK(guards("unstructured") == 0);  // all of them lead to A
  CHECK(refused("A") == "--hub: \"A\" is no edge: BLOCK:SLOT, blocks by label or number");
  CHECK(refused("A:x") == "--hub: \"A:x\" is no edge: BLOCK:SLOT, blocks by label or number");
  CHECK(refused("") == "--hub: \"\" is no edge: BLOCK:SLOT, blocks by label or number");
  CHECK(refused("A:0,") == "--hub: \"\" is no edge: BLOCK:SLOT, blocks by label or number");
  CHECK(refused("D:0") ==
        "--hub: kernel 'k' has no block \"D\" that an edge leaves; blocks are named by label or as analyze --blocks "
        "numbers "
        "them");
  CHECK(refused("7:0") ==
        "--hub: kernel 'k' has no block \"7\" that an edge leaves; blocks are named by label or as analyze --blocks "
        "numbers "
        "them");
  CHECK(refused("A:1") == "--hub: BB2 A of kernel 'k' has no edge 1, it has 1");
  CHECK(refused("0:99999999999") == "--hub: \"0:99999999999\" is no edge: BLOCK:SLOT, blocks by label or number");
}

TEST_CASE("transform: hubs before and after a barrier are not one, and none is around a barrier") {
  // A shared tail, a barrier after it, and the same again.
  const auto half = [](const std::string& n, const std::string& in_arm) {
    return "and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0; @%p bra C" + n +
           "; and.b32 %r2, %r1, 2; setp.eq.u32 %p, %r2, 0; @%p bra F" + n + ";\nC" + n + ": " + in_arm +
           "and.b32 %r2, %r1, 4; setp.eq.u32 %p, %r2, 0; @%p bra J" + n + ";\nF" + n + ": add.u32 %r3, %r3, 6;\nJ" + n +
           ":\n";
  };
  const auto kernel = [&](const std::string& in_arm) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{ .reg .pred %p; .reg "
           ".b32 "
           "%r<4>; .reg .b64 %d<2>; .shared .b8 s[128];\nmov.u32 %r1, %tid.x; mov.u32 %r3, 0;\n" +
           half("1", "") + "bar.sync 0;\n" + half("2", in_arm) +
           "ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r3; ret; "
           "}\n";
  };
  const std::filesystem::path stem = std::filesystem::temp_directory_path() / "simtflow-hub-barrier";
  const auto result = [&](const std::string& text, lab::transform_step step) {
    std::ofstream(stem.string() + ".ptx", std::ios::binary) << text;
    std::ofstream(stem.string() + ".json", std::ios::binary)
        << R"({"grid": [1], "block": [32], "buffers": [{"name": "out", "type": "u32", "count": 32, "init": "zero"}],
               "params": [{"buffer": "out"}]})";
    lab::transform_options options;
    options.always = true;
    options.kernel_path = stem.string() + ".ptx";
    options.launch_path = stem.string() + ".json";
    options.policies = {"pdom,tf,volta,serial"};
    options.steps = {std::move(step)};
    return lab::transform_kernel(options);
  };
  const lab::transform_result apart = result(kernel(""), {lab::transform_kind::hub, "unstructured"});
  CHECK_MESSAGE(apart.good, apart.report);
  CHECK(apart.report.find("added: 2 guards on 2 variables") != std::string::npos);
  const lab::transform_result one = result(kernel("bar.warp.sync -1; "), {lab::transform_kind::hub, "unstructured"});
  CHECK_MESSAGE(one.report.find("added: 1 guard on 1 variable,") != std::string::npos, one.report);
  CHECK_MESSAGE(
      one.report.find("not done for edges around which threads must come together as before (barriers, votes, "
                      "calls, ...): BB7 C2 (line ") != std::string::npos,
      one.report);
  const lab::transform_result line = result(kernel(""), {lab::transform_kind::linearize});
  CHECK_MESSAGE(line.good, line.report);
  std::filesystem::remove(stem.string() + ".ptx");
  std::filesystem::remove(stem.string() + ".json");
}

TEST_CASE("transform: what cannot be done") {
  lab::transform_options options;
  options.kernel_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/split_merge.ptx";
  CHECK(refusal(options) ==
        "nothing to do: name a transform: --linearize, --struct, --hub, --fix-irreducible, --unify-exits, "
        "--merge-loops, --interleave, --stack-depth, --partial, --meld, --fuse, --tail-merge");
  options.steps = {{lab::transform_kind::copies}};
  options.most_copies = 1;
  const lab::transform_result r = lab::transform_kernel(options);
  CHECK(!r.good);
  CHECK(r.report.find("not structured by copies: that takes more than 1 blocks") != std::string::npos);
  options.entry = "nowhere";
  CHECK(refusal(options).find("has no kernel \"nowhere\", it has") != std::string::npos);
}

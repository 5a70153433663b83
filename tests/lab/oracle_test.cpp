// SPDX-License-Identifier: BSL-1.0
//
// The run that others are compared with: in spin locks, with counts that depend on the schedule; in collectives of the
// warp, at which the oracle's lanes wait for each other; in kernels that no single lane can run.
#include "lab/commands.hpp"
#include "lab/compare.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

const std::string kernels = SIMTFLOW_SOURCE_DIR "/examples/kernels/";

lab::report run(const std::string& kernel, const std::string& policies, const std::string& launch = {}) {
  lab::run_options options;
  options.kernel_path = launch.empty() ? kernels + kernel + ".ptx" : kernel;
  options.launch_path = launch.empty() ? kernels + kernel + ".launch.json" : launch;
  options.policies = {policies};
  return lab::run_kernel(options);
}

const lab::report_row& row_of(const lab::report& r, std::string_view policy) {
  const auto at = std::find_if(r.rows.begin(), r.rows.end(), [&](const auto& row) { return row.policy == policy; });
  REQUIRE(at != r.rows.end());
  return *at;
}

std::string text_of(const lab::report& r) { return lab::to_text(r, lab::report_format::text); }

void write(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
  REQUIRE(std::fclose(file) == 0);
}

// A kernel k(out) of one warp and a word of `out` for each thread.
lab::report run_body(const std::string& body, const std::string& policies, const std::string& expect = {}) {
  write("oracle_test.ptx",
        ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<8>; .reg .b32 %r<16>, %t; .reg .b64 %rd<8>, %out, %mine;\n"
        "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %mine, %t, 4; add.u64 %mine, "
        "%mine, %out;\n" +
            body + "\nret;\n}\n");
  write(
      "oracle_test.launch.json",
      "{\"grid\": [1], \"block\": [32], \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 64, \"init\": "
      "\"zero\"}], \"params\": [{\"buffer\": \"out\"}]" +
          expect + "}");
  lab::report r = run("oracle_test.ptx", policies, "oracle_test.launch.json");
  std::remove("oracle_test.ptx");
  std::remove("oracle_test.launch.json");
  return r;
}

// A policy with a planted bug: it forgets the lanes that leave a group.
struct forgetful {
  using mask_type = lane_mask;
  void start(const fragment& f) { now = f; }
  std::optional<fragment> next() { return now; }
  void advance(const fragment&, std::span<const fragment> out) {
    now.reset();
    if (!out.empty()) now = out[0];
  }
  friend bool operator==(const forgetful& a, const forgetful& b) { return a.now == b.now; }
  std::optional<fragment> now;
};

}  // namespace

TEST_CASE("oracle: the textbook spin lock finishes under volta, and livelocks where lanes do not give way") {
  const lab::report r = run("spin_lock", "pdom,tf,volta,volta:yield=never,volta:yield=loops,aware,serial");
  INFO(text_of(r));
  for (const char* name : {"volta", "volta:yield=loops", "aware", "serial"})
    CHECK(row_of(r, name).verdict == "finished");
  CHECK(row_of(r, "volta:yield=never").verdict == "livelock");
  const auto said = std::find_if(r.remarks.begin(), r.remarks.end(), [](const std::string& s) {
    return s.starts_with("volta:yield=never, as the launch file expects: ");
  });
  CHECK(r.good);
  REQUIRE(said != r.remarks.end());
  CHECK(said->find("these run under volta (yield=spins), aware, none and mimd") != std::string::npos);
  CHECK(run("spin_lock", "volta").good);
  CHECK(run("spin_lock", "all").good);  // the launch file says where it is a livelock
}

TEST_CASE("oracle: where lanes spin, other counts are a remark and no bound is shown") {
  for (const std::string kernel : {"spin_lock", "spin_lock_flag"}) {
    const lab::report r = run(kernel, "volta,serial");
    INFO(text_of(r));
    CHECK(r.good);
    CHECK(row_of(r, "volta").counts.thread_instructions > row_of(r, "serial").counts.thread_instructions);
    CHECK(row_of(r, "volta").bound == 0);
    CHECK(row_of(r, "serial").bound != 0);
    const std::string expected =
        "thread instructions are not the " + std::to_string(row_of(r, "serial").counts.thread_instructions) +
        " of serial: volta " + std::to_string(row_of(r, "volta").counts.thread_instructions) +
        "; that is no error: threads 0 and 1 of a thread block access lock[0] with no barrier between";
    CHECK(std::count(r.remarks.begin(), r.remarks.end(), expected) == 1);
  }
}

TEST_CASE("oracle: a kernel with shuffles, votes and matches is held against each lane alone") {
  const lab::report r = run("warp_reduction", "pdom,tf,volta,none,mimd,serial");
  INFO(text_of(r));
  CHECK(r.good);
  REQUIRE(r.rows.size() == 6);
  for (const lab::report_row& row : r.rows) {
    CHECK(row.verdict == "finished");
    CHECK(row.bound != 0);
    CHECK(row.counts.thread_instructions == r.rows.back().counts.thread_instructions);
  }
  // The old kernel of one instruction.
  const lab::report one =
      run_body("shfl.sync.down.b32 %r2|%p1, %t, 1, 31, -1; st.global.u32 [%mine], %r2;", "pdom,tf,volta,serial");
  INFO(text_of(one));
  CHECK(one.good);
  CHECK(std::find(one.remarks.begin(), one.remarks.end(), "memory: pdom = tf = volta = serial") != one.remarks.end());
}

TEST_CASE("oracle: a kernel with paths that cannot depend on the schedule is found to be one") {
  for (const char* name : {"short_circuit", "tree_reduction", "bitonic_sort", "warp_reduction", "suffix_tree"}) {
    CAPTURE(name);
    lab::experiment e(kernels + name + ".ptx", kernels + name + ".launch.json", {});
    (void)e.oracle();
    CHECK(e.schedule_matters() == "");
  }
  lab::experiment lock(kernels + "spin_lock.ptx", kernels + "spin_lock.launch.json", {});
  (void)lock.oracle();
  CHECK(lock.schedule_matters() == "threads 0 and 1 of a thread block access lock[0] with no barrier between");
}

TEST_CASE("oracle: a policy with a planted bug is still wrong, with spinning lanes or without") {
  const simtflow::policy_info broken{"broken", "", "", "", "broken", {}, "", simtflow::barrier_model::whole_warp};
  const auto make = [] { return simtflow::any_policy(forgetful{}); };
  for (const std::string kernel : {"short_circuit", "spin_lock_flag"}) {
    lab::experiment e(kernels + kernel + ".ptx", kernels + kernel + ".launch.json", {.most_blocks = 100'000});
    const lab::report r = lab::compare_policies(e, {{{&broken, "broken", simtflow::policy_settings({})}, make}}, {});
    INFO(text_of(r));
    CHECK_FALSE(r.good);
    CHECK(r.rows.at(0).verdict != "finished");
    CHECK(r.remarks.at(0).starts_with("WRONG  broken: kernel '" + kernel + "': thread block 0: "));
  }
}

TEST_CASE("oracle: memory that differs is wrong, with the reason why it may") {
  // The order in which lanes take tickets decides what each gets.
  const lab::report r = run_body(
      "setp.lt.u32 %p1, %t, 16; @%p1 bra low;\nadd.u64 %rd1, %out, 128; atom.global.add.u32 %r1, [%rd1], 1; bra.uni "
      "done;\nlow: add.u64 %rd1, %out, 128; atom.global.add.u32 %r1, [%rd1], 1;\ndone: st.global.u32 [%mine], %r1;",
      "pdom:order=last,serial");
  INFO(text_of(r));
  CHECK_FALSE(r.good);
  CHECK(r.remarks.at(0).starts_with(
      "WRONG  pdom:order=last: memory differs from serial's: out[0] is 16, not 0, the first of 32 that "
      "differ; threads "
      "0 and 1 of a thread block access out[32] with no barrier between"));
}

TEST_CASE("oracle: lanes that wait for each other by spinning leave serial out as the judge") {
  // Lane 0 waits for the flag that lane 31 sets.
  const std::string flag =
      "add.u64 %rd1, %out, 128; setp.ne.u32 %p1, %t, 31; @%p1 bra other;\nst.volatile.global.u32 [%rd1], 1;\nother: "
      "setp.ne.u32 %p2, %t, 0; @%p2 bra done;\nwait: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p3, %r1, 0; @%p3 "
      "bra wait;\ndone: st.global.u32 [%mine], %t;";
  const lab::report r = run_body(flag, "volta,none,mimd,serial");
  INFO(text_of(r));
  CHECK(r.good);
  CHECK(row_of(r, "serial").verdict == "livelock");
  CHECK(row_of(r, "volta").bound == 0);
  CHECK(std::any_of(r.remarks.begin(), r.remarks.end(), [](const std::string& s) {
    return s.starts_with("serial: left out as the judge, the policies that finish are held against each other: ");
  }));
  CHECK(run_body(flag, "volta,none").good);
  CHECK_FALSE(run_body(flag, "serial").good);
  // An endless loop is endless under every policy.
  const lab::report endless = run_body("again: ld.volatile.global.u32 %r1, [%out]; bra.uni again;", "volta,serial");
  INFO(text_of(endless));
  CHECK_FALSE(endless.good);
}

TEST_CASE("oracle: exchanges without a member mask, and lanes that ask who runs with them") {
  const lab::report old = run_body("shfl.down.b32 %r2, %t, 1, 31; st.global.u32 [%mine], %r2;", "pdom,tf,mimd,serial");
  INFO(text_of(old));
  CHECK(old.good);
  CHECK(old.rows.size() == 2);
  CHECK(std::count(old.remarks.begin(), old.remarks.end(),
                   "serial: left out, 'shfl.down.b32' in line 8 names no lanes, so each alone would exchange with "
                   "itself") == 1);
  const std::string mask = "activemask.b32 %r2; st.global.u32 [%mine], %r2;";
  const lab::report company = run_body(mask, "pdom,serial");
  INFO(text_of(company));
  CHECK(company.good);
  const std::string why = "'activemask.b32' in line 8 depends on which lanes run together, or when";
  CHECK(company.remarks.at(0) ==
        "serial: memory differs from pdom's: out[0] is 1, not 4294967295, the first of 32 that differ; that is no "
        "error: " +
            why);
  CHECK(company.remarks.at(1) == "serial: left out as the judge, " + why);
  std::string ones;
  for (int i = 0; i < 64; ++i) ones += std::string(i == 0 ? "" : ", ") + (i < 32 ? "4294967295" : "0");
  const std::string expected = ", \"expect\": [{\"buffer\": \"out\", \"values\": [" + ones + "]}]";
  CHECK(run_body(mask, "pdom", expected).good);
  CHECK_FALSE(run_body(mask, "pdom,serial", expected).good);
}

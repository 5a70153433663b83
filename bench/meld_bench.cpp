// SPDX-License-Identifier: BSL-1.0
//
// Melding of the kernels of examples/kernels, beside branch fusion and tail merging, which are restricted modes of the
// same code: warp instructions under post-dominator reconvergence, SIMD efficiency (of the lanes issued; after the
// slash with predicated-off lanes as idle, because melding writes guarded code), and instructions on shared and global
// memory. The table has the kernels that at least one of the three changes.
//
// For comparison, what the melding paper reports of its own (HIP kernels on a GPU, in speedup and in counters): branch
// fusion reaches diamonds (SB1, SB4, MS, SRAD, DCT, and LUD once its loops are unrolled) and cannot fully handle BIT,
// PCM and NQU; melding reaches both. It does not measure tail merging. Instructions on shared memory become fewer in
// BIT, PCM and SRAD; they become more in LUD (1.39 times), because its accesses differ in alignment and cannot be
// melded; DCT has none in its arms. Here the accesses of LUD do meld, and NQU (queens_backtrack) is not melded at all.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), sections 5 and 6.
//
// Then the time that melding takes: two arms of 1,000 instructions each, and every kernel's.
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/policies.hpp"
#include "lab/transform.hpp"
#include "lab/watch.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;

constexpr lab::transform_kind modes[] = {lab::transform_kind::tail_merge, lab::transform_kind::fuse,
                                         lab::transform_kind::meld};

struct figures {
  std::uint64_t warp_instructions = 0, shared = 0, global = 0;
  double efficiency = 0, efficiency_on = 0;
};

figures run(const std::string& name, const std::string& entry, const std::string& text) {
  const ptx::module m = *ptx::parse(text);
  lab::launch_file launch = lab::parse_launch_file(lab::read_text(name + ".launch.json"), name);
  lab::kernel_file file{name, text, {}};
  file.kernel = *ptx::decode(m, *m.find(entry));
  lab::experiment e(std::move(launch), std::move(file), {});
  lab::full_metrics metrics = e.metrics({});
  lab::watch_list watch;
  watch.metrics = &metrics;
  const std::string policy = "pdom";
  const lab::grid_run r = e.run(lab::chosen_policies(std::span<const std::string>(&policy, 1))[0], watch);
  return {r.counts.warp_instructions, metrics.memory().shared_accesses, metrics.memory().global_accesses,
          r.counts.simd_efficiency(), r.counts.simd_efficiency_on()};
}

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SIMTFLOW_SOURCE_DIR "/examples/kernels"))
    if (entry.path().extension() == ".ptx")
      names.push_back((entry.path().parent_path() / entry.path().stem()).string());
  std::sort(names.begin(), names.end());
  return names;
}
std::string entry_of(const std::string& name, const ptx::module& m) {
  const std::string launched = lab::parse_launch_file(lab::read_text(name + ".launch.json"), name).kernel;
  return launched.empty() ? m.kernels.at(0).name : launched;
}

void print_table(bool may_grow) {
  std::printf("%s\n", may_grow ? "more instructions are fine if they cost less (--may-grow)"
                               : "as many instructions as before at most, where both arms run");
  std::printf(
      "                     |  warp instructions under pdom     |  SIMD efficiency / predicated on, %% | shared memory "
      "instructions   | global memory instructions\n");
  std::printf(
      "kernel               |   before    tail    fuse    meld  |   before    tail    fuse    meld    | before   tail  "
      " fuse "
      "  meld   | before   tail   fuse   meld\n");
  for (const std::string& name : kernels()) {
    const std::string text = lab::read_text(name + ".ptx");
    const ptx::module m = *ptx::parse(text);
    const std::string entry = entry_of(name, m);
    figures row[4];
    bool any = false;
    for (int k = 0; k < 3; ++k) {
      const lab::transform_step step{modes[k]};
      const auto made = lab::transformed(m, entry, std::span<const lab::transform_step>(&step, 1), 1000, name,
                                         {.threshold = 0.2, .may_grow = may_grow});
      any = any || made.melded != 0;
      row[k + 1] = made.melded == 0 ? figures{} : run(name, entry, ptx::print(made.module));
    }
    if (!any) continue;
    row[0] = run(name, entry, text);
    for (int k = 1; k < 4; ++k)
      if (row[k].warp_instructions == 0) row[k] = row[0];
    std::printf("%-20s |", std::filesystem::path(name).filename().c_str());
    for (const figures& f : row) std::printf(" %7.0f", static_cast<double>(f.warp_instructions));
    std::printf("   | ");
    for (const figures& f : row) std::printf(" %3.0f/%3.0f", 100 * f.efficiency, 100 * f.efficiency_on);
    std::printf("  |");
    for (const figures& f : row) std::printf(" %6.0f", static_cast<double>(f.shared));
    std::printf("  |");
    for (const figures& f : row) std::printf(" %6.0f", static_cast<double>(f.global));
    std::printf("\n");
  }
  std::printf("\n");
}

/// Two arms that load, compute and store, `groups` times four instructions each.
ptx::module two_arms(int groups) {
  std::string arms[2];
  for (int a = 0; a < 2; ++a)
    for (int i = 0; i < groups; ++i) {
      const std::string n = std::to_string(i + groups * a), at = std::to_string(4 * i);
      arms[a] += "ld.shared.u32 %r" + n + ", [%s+" + at + "];\nmul.lo.u32 %x" + n + ", %r" + n + ", 7;\nadd.u32 %y" +
                 n + ", %x" + n + ", %r" + n + ";\nst.shared.u32 [%s+" + at + "], %y" + n + ";\n";
    }
  const std::string registers = std::to_string(2 * groups);
  return *ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<" + registers + ">, %x<" +
      registers + ">, %y<" + registers +
      ">, %s; .reg .pred %p; .shared .b8 s[8192];\nmov.u32 %s, s;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, "
      "%r1, 9;\n@%p bra R;\n" +
      arms[0] + "bra E;\nR:\n" + arms[1] + "E:\nret;\n}\n");
}

void meld_two_arms(benchmark::State& state) {
  const ptx::module m = two_arms(static_cast<int>(state.range(0)));
  const ptx::checked_function code = *ptx::verify(m, m.kernels.front());
  for (auto _ : state) benchmark::DoNotOptimize(ptx::meld(code));
}
void meld_all_kernels(benchmark::State& state) {
  std::vector<ptx::module> modules;
  for (const std::string& name : kernels()) modules.push_back(*ptx::parse(lab::read_text(name + ".ptx")));
  std::vector<ptx::checked_function> code;
  for (const ptx::module& m : modules)
    for (const ptx::function& k : m.kernels) code.push_back(*ptx::verify(m, k));
  for (auto _ : state)
    for (const ptx::checked_function& k : code) benchmark::DoNotOptimize(ptx::meld(k));
}
BENCHMARK(meld_two_arms)->Arg(25)->Arg(250)->Unit(benchmark::kMillisecond);  // 200 and 2,000 instructions
BENCHMARK(meld_all_kernels)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  print_table(false);
  print_table(true);
  benchmark::RunSpecifiedBenchmarks();
}

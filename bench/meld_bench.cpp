// SPDX-License-Identifier: BSL-1.0
//
// Melding of the kernels of examples/kernels, beside branch fusion and tail merging, which are restricted modes of the
// same code, under post-dominator reconvergence. The first two tables have the kernels that at least one of the three
// changes: latency-weighted warp instructions, which melding optimizes, for melding also with a profile; warp
// instructions; instructions that access shared memory; the ALU utilization, of lanes with a true guard; and the static
// code size, in instructions. The first one is the table of the page of the kernels.
//
// The third table has the melding paper's kernels beside the paper's figures, as rows of the page of the benchmarks.
// The paper ran HIP kernels on a GPU and reports time (Figures 8 and 9, here the geometric mean of each kernel over its
// block sizes) and hardware counters (Figures 10 and 11), with more digits in its artifact. It does not measure tail
// merging. Ours are cycles of the machine volta in the cycle model, where an ALU instruction takes 4 cycles, as on the
// paper's GPU. The fourth table has the paper's thresholds (Figure 12).
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), sections 5 and 6; its artifact, raw_numbers.
//
// Then the time that melding takes: two arms of 1,000 instructions each, and every kernel's.
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/policies.hpp"
#include "lab/time.hpp"
#include "lab/timed_run.hpp"
#include "lab/transform.hpp"
#include "lab/watch.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/instruction_figures.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;

constexpr lab::transform_kind modes[] = {lab::transform_kind::tail_merge, lab::transform_kind::fuse,
                                         lab::transform_kind::meld};

struct figures : ptx::instruction_figures {
  std::uint64_t warp_instructions = 0;
  std::uint64_t cycles = 0;  ///< if it was timed
  std::size_t code = 0;      ///< instructions of the text

  [[nodiscard]] std::uint64_t shared() const { return shared_loads + shared_stores; }
  [[nodiscard]] std::uint64_t vector() const { return vector_loads + vector_stores; }
};

/// \param timed also in the cycle model
figures run(const std::string& name, const std::string& entry, const std::string& text, bool timed) {
  const ptx::module m = *ptx::parse(text);
  lab::launch_file launch = lab::parse_launch_file(lab::read_text(name + ".launch.json"), name);
  lab::kernel_file file{name, text, {}};
  file.kernel = *ptx::decode(m, *m.find(entry));
  lab::experiment e(std::move(launch), std::move(file), {});
  lab::full_metrics metrics = e.metrics({});
  lab::watch_list watch;
  watch.metrics = &metrics;
  const std::string policy = "pdom";
  const lab::chosen_policy chosen = lab::chosen_policies(std::span<const std::string>(&policy, 1))[0];
  const lab::grid_run r = e.run(chosen, watch);
  lab::time_machine machine;
  machine.name = "volta";
  return {metrics.figures(), r.counts.warp_instructions,
          timed ? e.run_timed(chosen, {.machine = lab::machine_of(machine)}).report.cycles : 0,
          m.find(entry)->instructions.size()};
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

/// A kernel of examples/kernels.
class shipped {
 public:
  /// \param name its path, without the end
  explicit shipped(const std::string& name)
      : name_(name),
        text_(lab::read_text(name + ".ptx")),
        module_(*ptx::parse(text_)),
        entry_(entry_of(name, module_)) {}

  [[nodiscard]] figures as_it_is(bool timed = false) const { return run(name_, entry_, text_, timed); }
  /// Nothing if the transform changes nothing.
  [[nodiscard]] std::optional<figures> after(lab::transform_kind kind, const lab::meld_settings& settings,
                                             bool timed = false) const {
    const lab::transform_step step{kind};
    const auto made =
        lab::transformed(module_, entry_, std::span<const lab::transform_step>(&step, 1), name_, {.melding = settings});
    if (made.melded == 0) return std::nullopt;
    return run(name_, entry_, ptx::print(made.module), timed);
  }
  /// Melded by a profile of the launch.
  [[nodiscard]] figures after_profile(const lab::meld_settings& settings) const {
    lab::transform_options options;
    options.kernel_path = name_ + ".ptx";
    options.launch_path = name_ + ".launch.json";
    options.policies = {"pdom"};
    options.steps = {{lab::transform_kind::meld}};
    options.melding = settings;
    options.profiles = true;
    return run(name_, entry_, lab::transform_kernel(options).text, false);
  }

 private:
  std::string name_, text_;
  ptx::module module_;
  std::string entry_;
};

void print_table(bool may_grow) {
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
  lab::meld_settings settings;
  settings.code.may_grow = may_grow;
  std::printf("%s\n\n", may_grow ? "More instructions are fine if they cost less."
                                 : "No more instructions than both arms have (--no-growth).");
  std::printf(
      "| kernel | weighted warp instructions | tail merging | fusion | melding | with a profile | warp instructions | "
      "after melding | accesses to shared memory | after melding | ALU utilization | after melding | instructions of "
      "the "
      "code | after melding |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& name : kernels()) {
    const shipped kernel(name);
    std::optional<figures> made[3];
    for (std::size_t k = 0; k < 3; ++k) made[k] = kernel.after(modes[k], settings);
    if (!made[0] && !made[1] && !made[2]) continue;
    const figures before = kernel.as_it_is(), melded = made[2].value_or(before);
    std::printf("| `%s` | %.0f |", std::filesystem::path(name).filename().c_str(), count(before.weighted));
    for (const auto& m : made) std::printf(" %.0f |", count(m.value_or(before).weighted));
    std::printf(" %.0f | %.0f | %.0f | %.0f | %.0f | %.3f | %.3f | %zu | %zu |\n",
                count(kernel.after_profile(settings).weighted), count(before.warp_instructions),
                count(melded.warp_instructions), count(before.shared()), count(melded.shared()),
                before.alu_utilization_on(), melded.alu_utilization_on(), before.code, melded.code);
  }
  std::printf("\n");
}

/// The melding paper's figures of a kernel: first branch fusion, then melding.
struct published {
  const char* name;
  const char* kernel;  // ours
  double speed[2];     // geometric mean over block sizes
  double alu[3];       // % without either first
  double shared[2];    // instructions after over before; 0: none
  double vector[2];
  double thresholds[5] = {};  // speed-up of melding with thresholds of 0.1 to 0.5; 0: not published
};
constexpr published paper[] = {
    {"SB1", "sb1", {1.267, 1.272}, {73, 99, 99}, {.800, .800}, {1, 1}},
    {"SB1-R", "sb1_r", {1.156, 1.165}, {25, 39, 39}, {.667, .667}, {1, 1}},
    {"SB2", "sb2", {1.000, 1.276}, {24, 24, 35}, {1, .889}, {1, 1}},
    {"SB2-R", "sb2_r", {1.000, 1.188}, {24, 24, 35}, {1, .889}, {1, 1}},
    {"SB3", "sb3", {1.009, 1.390}, {26, 26, 44}, {1, .833}, {1, 1}},
    {"SB3-R", "sb3_r", {.997, 1.332}, {11, 11, 20}, {1, .856}, {1, 1}},
    {"SB4", "sb4", {1.271, 1.865}, {38, 54, 93}, {.909, .727}, {1, 1}},
    {"SB4-R", "sb4_r", {1.184, 1.551}, {37, 53, 89}, {.909, .727}, {1, 1}},
    {"BIT", "bitonic_arms", {.983, 1.268}, {61, 61, 57}, {1, .729}, {1, 1}, {1.446, 1.446, 1.447, 1.382, 1.384}},
    {"PCM", "odd_even_merge", {1.171, 1.258}, {19, 24, 36}, {.744, .661}, {1, 1}, {1.373, 1.373, 1.373, 1.373, 1.262}},
    {"MS",
     "bottom_up_merge",
     {1.174, 1.174},
     {34, 38, 38},
     {1, 1},
     {1.129, 1.129},
     {1.180, 1.179, 1.183, 1.183, 1.180}},
    {"LUD",
     "lu_perimeter",
     {1.078, 1.081},
     {12, 22, 22},
     {1.394, 1.394},
     {.541, .541},
     {1.098, 1.098, 1.094, 1.098, 1.000}},
    {"NQU", "queens_backtrack", {1.000, 1.186}, {31, 31, 45}, {1, 1.009}, {1, 1}, {1.153, 1.153, 1.153, 1.066, 1.066}},
    {"SRAD", "srad", {1.098, .949}, {93, 97, 98}, {.917, .917}, {1, 1}, {1.198, 1.194, 1.156, 1.178, .996}},
    {"DCT", "dct_quantize", {1.008, 1.004}, {64, 100, 100}, {0, 0}, {1, 1}, {1.017, 1.016, 1.016, 1.000, .996}},
};

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Rows of bench/README.md. Bold where ours gains less, or accesses memory more often, than the paper's melding.
void print_papers() {
  constexpr double half_a_digit = 0.0005;  // the paper's figures are rounded
  const auto bold = [](double x, bool worse) {
    char text[32];
    std::snprintf(text, sizeof text, worse ? "**%.3f**" : "%.3f", x);
    return std::string(text);
  };
  const auto more = [&bold](double x, double published) { return bold(x, x > published + half_a_digit); };
  std::printf(
      "| | speed-up: fusion, melding | ours, in cycles | by weight | ALU utilization, %%: before, fusion, melding | "
      "ours | "
      "shared memory: fusion, melding | ours | vector memory | ours |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  double log_gain[2][4] = {};  // synthetic, real; fusion and melding in cycles, and by weight
  int number[2] = {};
  for (const published& p : paper) {
    const shipped kernel(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + std::string(p.kernel));
    const figures old = kernel.as_it_is(true), fused = kernel.after(lab::transform_kind::fuse, {}, true).value_or(old),
                  melded = kernel.after(lab::transform_kind::meld, {}, true).value_or(old);
    const double gain[4] = {ratio(old.cycles, fused.cycles), ratio(old.cycles, melded.cycles),
                            ratio(old.weighted, fused.weighted), ratio(old.weighted, melded.weighted)};
    const bool real = p.name[0] != 'S' || p.name[1] != 'B';
    ++number[real];
    for (int k = 0; k < 4; ++k) log_gain[real][k] += std::log(gain[k]);
    std::printf("| %s | %.3f, %.3f | %.3f, %s | %.3f, %.3f | %.0f, %.0f, %.0f | ", p.name, p.speed[0], p.speed[1],
                gain[0], bold(gain[1], gain[1] < p.speed[1] - half_a_digit).c_str(), gain[2], gain[3], p.alu[0],
                p.alu[1], p.alu[2]);
    std::printf("%.0f, %.0f, %.0f | ", 100 * old.alu_utilization_on(), 100 * fused.alu_utilization_on(),
                100 * melded.alu_utilization_on());
    if (old.shared() == 0)
      std::printf("none | none | ");
    else
      std::printf("%.3f, %.3f | %.3f, %s | ", p.shared[0], p.shared[1], ratio(fused.shared(), old.shared()),
                  more(ratio(melded.shared(), old.shared()), p.shared[1]).c_str());
    std::printf("%.3f, %.3f | %.3f, %s |\n", p.vector[0], p.vector[1], ratio(fused.vector(), old.vector()),
                more(ratio(melded.vector(), old.vector()), p.vector[1]).c_str());
  }
  for (const int real : {0, 1}) {
    const auto mean = [&](int k) { return std::exp(log_gain[real][k] / number[real]); };
    std::printf("| %s | %s | %.3f, %.3f | %.3f, %.3f | | | | | | |\n",
                real ? "real, geometric mean" : "synthetic, geometric mean", real ? "1.071, 1.146" : "1.105, 1.365",
                mean(0), mean(1), mean(2), mean(3));
  }
  std::printf("\n");
}

// Figure 12: the speed-up of melding, by the least part of the weight that it has to save.
void print_thresholds() {
  std::printf("| threshold 0.1, 0.2, 0.3, 0.4, 0.5 | the paper's speed-up | ours, in cycles |\n| --- | --- | --- |\n");
  for (const published& p : paper) {
    if (p.thresholds[0] == 0) continue;
    const shipped kernel(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + std::string(p.kernel));
    const figures before = kernel.as_it_is(true);
    std::printf("| %s |", p.name);
    for (int k = 0; k < 5; ++k) std::printf("%s %.3f", k == 0 ? "" : ",", p.thresholds[k]);
    std::printf(" |");
    for (int k = 0; k < 5; ++k) {
      const auto made = kernel.after(lab::transform_kind::meld, {.threshold = 0.1 * (k + 1), .code = {}}, true);
      std::printf("%s %.3f", k == 0 ? "" : ",", ratio(before.cycles, made.value_or(before).cycles));
    }
    std::printf(" |\n");
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
  print_table(true);
  print_table(false);
  print_papers();
  print_thresholds();
  benchmark::RunSpecifiedBenchmarks();
}

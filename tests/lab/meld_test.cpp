// SPDX-License-Identifier: BSL-1.0
//
// The shipped kernels, melded, fused and tail-merged: memory is the same as before under every policy.
#include "lab/files.hpp"
#include "lab/launch_file.hpp"
#include "lab/time.hpp"
#include "lab/transform.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
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

constexpr lab::transform_kind modes[] = {lab::transform_kind::meld, lab::transform_kind::fuse,
                                         lab::transform_kind::tail_merge};

/// Whether ptxas takes it; true where there is none.
bool assembles([[maybe_unused]] const std::string& text) {
#ifdef SIMTFLOW_PTXAS
  const std::filesystem::path stem = std::filesystem::temp_directory_path() /
                                     ("simtflow-meld-test-" + std::to_string(reinterpret_cast<std::uintptr_t>(&text)));
  std::ofstream(stem.string() + ".ptx", std::ios::binary) << text;
  const std::string command = std::string("\"") + SIMTFLOW_PTXAS + "\" -c -O1 -arch=sm_75 -o \"" + stem.string() +
                              ".cubin\" \"" + stem.string() + ".ptx\"";
  const bool ok = std::system(command.c_str()) == 0;
  for (const char* suffix : {".ptx", ".cubin"}) std::filesystem::remove(stem.string() + suffix);
  return ok;
#else
  return true;
#endif
}

// A metric of a row; 0 if it has none.
double value_of(const lab::report_row& row, std::string_view name) {
  for (const lab::metric& m : row.metrics)
    if (m.name == name) return m.value;
  return 0;
}

// Figures by instructions, beside figures by addresses and by blocks.
void check_figures(const lab::report& all) {
  for (const lab::report_row& row : all.rows) {
    const std::string& policy = row.policy;
    CAPTURE(policy);
    const auto value = [&](std::string_view name) { return value_of(row, name); };
    CHECK(value("shared_loads") + value("shared_stores") == value("shared_accesses"));
    CHECK(value("vector_loads") + value("vector_stores") >= value("global_accesses"));
    // A warp instruction weighs 3 to 100.
    const auto issued = static_cast<double>(row.counts.warp_instructions);
    CHECK(value("weighted") >= 3 * issued);
    CHECK(value("weighted") <= 100 * issued);
    CHECK(value("alu_utilization_on") <= value("alu_utilization"));
  }
}

// A shipped kernel transformed, run under pdom with every metric.
lab::transform_result under_pdom(const std::string& name, lab::transform_kind mode) {
  lab::transform_options options;
  options.steps = {{mode}};
  options.kernel_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".ptx";
  options.launch_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".launch.json";
  options.policies = {"pdom"};
  options.every_metric = true;
  return lab::transform_kernel(options);
}

// The cycles of a kernel's text, with the launch of a shipped kernel, on a machine where an ALU instruction takes 4
// cycles, as on the paper's.
double cycles_of(const std::string& text, const std::string& name) {
  lab::time_options options;
  options.kernel_path = "meld_test.ptx";
  options.launch_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".launch.json";
  options.policies = {"pdom"};
  options.machine.name = "volta";
  std::ofstream(options.kernel_path, std::ios::binary) << text;
  const lab::time_report made = lab::time_kernel(options);
  std::filesystem::remove(options.kernel_path);
  REQUIRE(made.good);
  return static_cast<double>(made.rows.at(0).report.cycles);
}

}  // namespace

TEST_CASE("meld: every shipped kernel computes what it computed before") {
  const bool all = simtflow_tests::times(1) > 1;
  std::size_t melded[3] = {}, runs = 0;
#ifndef SIMTFLOW_PTXAS
  MESSAGE("skipped: no ptxas");
#endif
  for (const std::string& name : simtflow_tests::shipped_kernels()) {
    const std::string text = lab::read_text(name + ".ptx");
    const ptx::module m = *ptx::parse(text);
    const std::string launched = lab::parse_launch_file(lab::read_text(name + ".launch.json"), name).kernel;
    const std::string entry = launched.empty() ? m.kernels.at(0).name : launched;
    std::set<std::string> seen;
    for (std::size_t mode = 0; mode < 3; ++mode)
      for (const bool may_grow : {false, true})
        for (const double threshold : {0.1, 0.2, 0.3, 0.4, 0.5}) {
          CAPTURE(name);
          CAPTURE(mode);
          CAPTURE(threshold);
          CAPTURE(may_grow);
          lab::transform_options options;
          options.steps = {{modes[mode]}};
          options.melding = {.threshold = threshold, .code = {.may_grow = may_grow}};
          const auto made = lab::transformed(m, entry, options.steps, 1000, name, options.melding);
          if (made.melded == 0) continue;
          if (threshold == 0.2 && !may_grow) ++melded[mode];
          const std::string printed = ptx::print(made.module);
          if (!seen.insert(printed).second) continue;
          ++runs;
          CHECK_MESSAGE(assembles(printed), printed);
          options.kernel_path = name + ".ptx";
          options.launch_path = name + ".launch.json";
          options.policies = {all ? "all" : "pdom,tf,volta,dwf-majority"};
          options.every_metric = true;
          const lab::transform_result r = lab::transform_kernel(options);
          if (!r.good) FAIL(r.report << printed);
          check_figures(r.rows);
        }
  }
  MESSAGE("kernels with melded branches: " << melded[0] << ", fused: " << melded[1] << ", tail-merged: " << melded[2]
                                           << "; different kernels run: " << runs);
}

TEST_CASE("meld: the page of the kernels shows what each kernel gains and what it loses") {
  // Rows "| `kernel` (a word) | before | tail merging | fusion | melding | shared | after | on | after |" of one table.
  std::istringstream page(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/README.md"));
  std::string line;
  while (std::getline(page, line) && line.rfind("| kernel | warp instructions | tail merging |", 0) != 0) continue;
  std::getline(page, line);
  std::size_t kernels = 0;
  while (std::getline(page, line) && line.rfind("| `", 0) == 0) {
    CAPTURE(line);
    ++kernels;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    std::vector<std::string> shown;
    for (std::size_t at = line.find('|', 3); at + 1 < line.size(); at = line.find('|', at + 1))
      shown.push_back(line.substr(at + 2, line.find('|', at + 1) - at - 3));
    REQUIRE(shown.size() == 8);
    std::vector<std::string> found(8);
    for (const auto& [mode, column] :
         {std::pair{lab::transform_kind::tail_merge, 1u}, std::pair{lab::transform_kind::fuse, 2u},
          std::pair{lab::transform_kind::meld, 3u}}) {
      const std::string report = under_pdom(name, mode).report;
      const std::size_t begin = report.find("\npdom ") + 1;
      std::istringstream row(report.substr(begin, report.find('\n', begin) - begin));
      std::vector<std::string> words;  // pdom before after ratio fetches after depth after on after shared after ...
      for (std::string word; row >> word;) words.push_back(word);
      REQUIRE(words.size() == 14);
      found[column] = words[2];
      found[0] = words[1];
      found[4] = words[10];
      found[5] = words[11];
      found[6] = words[8];
      found[7] = words[9];
    }
    CHECK(shown == found);
  }
  CHECK(kernels == 16);
}

TEST_CASE("meld: the melding paper's kernels access shared memory as seldom as published, and gain as much time") {
  // Instructions on shared memory, after melding over before: Figure 11, and the paper's artifact.
  constexpr std::pair<const char*, double> published[] = {{"sb1", .800},          {"sb1_r", .667},
                                                          {"sb2", .889},          {"sb2_r", .889},
                                                          {"sb3", .833},          {"sb3_r", .856},
                                                          {"sb4", .727},          {"sb4_r", .727},
                                                          {"bitonic_arms", .729}, {"odd_even_merge", .661},
                                                          {"bottom_up_merge", 1}, {"lu_perimeter", 1.394},
                                                          {"srad", .917},         {"queens_backtrack", 1.009},
                                                          {"dct_quantize", 1}};
  std::size_t as_seldom = 0, synthetic = 0;
  std::string more;
  double fused = 0, melded = 0;  // logarithms of speed-ups
  for (const auto& [kernel, ratio] : published) {
    const std::string name = kernel;
    CAPTURE(name);
    const lab::transform_result made = under_pdom(name, lab::transform_kind::meld);
    REQUIRE(made.rows.rows.size() == 2);
    const double before = value_of(made.rows.rows[0], "shared_accesses"),
                 after = value_of(made.rows.rows[1], "shared_accesses");
    if (after <= (ratio + 0.0005) * before)  // the published figures are rounded
      ++as_seldom;
    else
      more += ' ' + name;
    if (!name.starts_with("sb")) continue;
    ++synthetic;
    const double old = cycles_of(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".ptx"), name);
    fused += std::log(old / cycles_of(under_pdom(name, lab::transform_kind::fuse).text, name));
    melded += std::log(old / cycles_of(made.text, name));
  }
  CHECK_MESSAGE(as_seldom >= 14, more);
  // Figure 8: the geometric means, less 10 % at most.
  REQUIRE(synthetic == 8);
  CHECK(std::exp(fused / 8) >= 0.9 * 1.10);
  CHECK(std::exp(melded / 8) >= 0.9 * 1.36);
}

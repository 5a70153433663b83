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
#include <iomanip>
#include <map>
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

// A shipped kernel transformed, run under pdom with every metric. `profile`: the transform has a profile of the run.
lab::transform_result under_pdom(const std::string& name, lab::transform_kind mode, bool profile = false) {
  lab::transform_options options;
  options.steps = {{mode}};
  options.kernel_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".ptx";
  options.launch_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".launch.json";
  options.policies = {"pdom"};
  options.every_metric = true;
  options.profiles = profile;
  return lab::transform_kernel(options);
}

// The cells of a row of a page's table, without the first one; bold figures as they are without.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find('|', 3); at + 1 < line.size(); at = line.find('|', at + 1)) {
    std::string cell = line.substr(at + 2, line.find('|', at + 1) - at - 3);
    std::erase(cell, '*');
    cells.push_back(std::move(cell));
  }
  return cells;
}

// The lines of the table of a page. Its header begins with `header`.
std::vector<std::string> rows_of(const std::string& page, const std::string& header) {
  std::istringstream text(lab::read_text(SIMTFLOW_SOURCE_DIR "/" + page));
  std::string line;
  while (std::getline(text, line) && !line.starts_with(header)) continue;
  std::getline(text, line);
  std::vector<std::string> rows;
  while (std::getline(text, line) && line.starts_with("| ")) rows.push_back(line);
  return rows;
}

// A figure as tables have it.
std::string shown(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
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
      for (const bool may_grow : {true, false})
        for (const double threshold : {0.1, 0.2, 0.3, 0.4, 0.5}) {
          CAPTURE(name);
          CAPTURE(mode);
          CAPTURE(threshold);
          CAPTURE(may_grow);
          lab::transform_options options;
          options.steps = {{modes[mode]}};
          options.melding = {.threshold = threshold, .code = {.may_grow = may_grow}};
          const auto made = lab::transformed(m, entry, options.steps, name, options);
          if (made.melded == 0) continue;
          if (threshold == 0.2 && may_grow) ++melded[mode];
          const std::string printed = ptx::print(made.module);
          if (threshold == 0.2 && may_grow)  // a second time there is nothing left
            CHECK(lab::transformed(*ptx::parse(printed), entry, options.steps, name, options).melded == 0);
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

TEST_CASE("meld: no shipped kernel becomes worse with a profile, and none by more than 2 % without one") {
  // By latency-weighted warp instructions under pdom.
  std::size_t better = 0;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    const std::string name = std::filesystem::path(path).filename().string();
    CAPTURE(name);
    for (const bool profile : {false, true}) {
      CAPTURE(profile);
      const lab::transform_result made = under_pdom(name, lab::transform_kind::meld, profile);
      if (made.rows.rows.empty()) break;  // it does not finish under pdom
      const double before = value_of(made.rows.rows[0], "weighted"), after = value_of(made.rows.rows[1], "weighted");
      CHECK(after <= (profile ? 1.0 : 1.02) * before);
      better += after < before ? 1 : 0;
    }
  }
  CHECK(better >= 26);
}

TEST_CASE("meld: the page of the kernels shows what each kernel gains and what it loses") {
  // "| `kernel` (a word) | weighted | tail merging | fusion | melding | with a profile | warp instructions | melded |
  // accesses to shared memory | melded | ALU utilization | melded | instructions of the code | melded |"
  const auto rows = rows_of("examples/kernels/README.md", "| kernel | weighted warp instructions | tail merging |");
  for (const std::string& line : rows) {
    CAPTURE(line);
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    const auto weighted = [](const lab::transform_result& made, std::size_t row) {
      return shown(value_of(made.rows.rows[row], "weighted"), 0);
    };
    const lab::transform_result melded = under_pdom(name, lab::transform_kind::meld);
    std::vector<std::string> found{weighted(melded, 0), weighted(under_pdom(name, lab::transform_kind::tail_merge), 1),
                                   weighted(under_pdom(name, lab::transform_kind::fuse), 1), weighted(melded, 1),
                                   weighted(under_pdom(name, lab::transform_kind::meld, true), 1)};
    for (const lab::report_row& row : melded.rows.rows) found.push_back(std::to_string(row.counts.warp_instructions));
    for (const lab::report_row& row : melded.rows.rows) found.push_back(shown(value_of(row, "shared_accesses"), 0));
    for (const lab::report_row& row : melded.rows.rows) found.push_back(shown(value_of(row, "alu_utilization_on"), 3));
    for (const lab::report_row& row : melded.rows.rows) found.push_back(shown(value_of(row, "instructions"), 0));
    CHECK(cells_of(line) == found);
  }
  CHECK(rows.size() == 16);
}

TEST_CASE("meld: the melding paper's kernels access shared memory as seldom as published, and gain as much time") {
  // "| KERNEL | the paper's speed-ups | ours, in cycles | by weight | ALU utilization | ours | shared memory | ours |
  // vector memory | ours |": first fusion, then melding
  const std::map<std::string, std::string> ours{{"SB1", "sb1"},
                                                {"SB1-R", "sb1_r"},
                                                {"SB2", "sb2"},
                                                {"SB2-R", "sb2_r"},
                                                {"SB3", "sb3"},
                                                {"SB3-R", "sb3_r"},
                                                {"SB4", "sb4"},
                                                {"SB4-R", "sb4_r"},
                                                {"BIT", "bitonic_arms"},
                                                {"PCM", "odd_even_merge"},
                                                {"MS", "bottom_up_merge"},
                                                {"LUD", "lu_perimeter"},
                                                {"NQU", "queens_backtrack"},
                                                {"SRAD", "srad"},
                                                {"DCT", "dct_quantize"}};
  std::size_t as_seldom = 0, kernels = 0, synthetic = 0;
  std::string more;
  double fused_gain = 0, melded_gain = 0;  // logarithms
  for (const std::string& line : rows_of("bench/README.md", "| | speed-up: fusion, melding |")) {
    const auto known = ours.find(line.substr(2, line.find(' ', 2) - 2));
    if (known == ours.end()) continue;  // a mean
    CAPTURE(line);
    ++kernels;
    const std::string& name = known->second;
    const lab::transform_result results[] = {under_pdom(name, lab::transform_kind::fuse),
                                             under_pdom(name, lab::transform_kind::meld)};
    const lab::report_row& before = results[1].rows.rows[0];
    const double old = cycles_of(lab::read_text(SIMTFLOW_SOURCE_DIR "/examples/kernels/" + name + ".ptx"), name);
    const double cycles[] = {cycles_of(results[0].text, name), cycles_of(results[1].text, name)};
    // A figure of the kernel as it is, fused and melded.
    const auto figure = [&](std::size_t which, std::string_view one, std::string_view other) {
      const lab::report_row& row = which == 0 ? before : results[which - 1].rows.rows[1];
      return value_of(row, one) + (other.empty() ? 0 : value_of(row, other));
    };
    const auto ratios = [&](std::string_view one, std::string_view other) {
      const double whole = figure(0, one, other);
      return whole == 0 ? "none"
                        : shown(figure(1, one, other) / whole, 3) + ", " + shown(figure(2, one, other) / whole, 3);
    };
    const double weight = figure(0, "weighted", {});
    std::string alu;
    for (std::size_t k = 0; k < 3; ++k)
      alu += (k == 0 ? "" : ", ") + shown(100 * figure(k, "alu_utilization_on", {}), 0);
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == 9);
    CHECK(cells[1] == shown(old / cycles[0], 3) + ", " + shown(old / cycles[1], 3));
    CHECK(cells[2] ==
          shown(weight / figure(1, "weighted", {}), 3) + ", " + shown(weight / figure(2, "weighted", {}), 3));
    CHECK(cells[4] == alu);
    CHECK(cells[6] == ratios("shared_accesses", {}));
    CHECK(cells[8] == ratios("vector_loads", "vector_stores"));

    const double published = cells[5] == "none" ? 1 : std::stod(cells[5].substr(cells[5].find(',') + 1));
    if (figure(2, "shared_accesses", {}) <= (published + 0.0005) * figure(0, "shared_accesses", {}))  // it is rounded
      ++as_seldom;
    else
      more += ' ' + name;
    if (!name.starts_with("sb")) continue;
    ++synthetic;
    fused_gain += std::log(old / cycles[0]);
    melded_gain += std::log(old / cycles[1]);
  }
  CHECK(kernels == 15);
  CHECK_MESSAGE(as_seldom >= 14, more);
  // Figure 8: the geometric means, less 10 % at most.
  REQUIRE(synthetic == 8);
  CHECK(std::exp(fused_gain / 8) >= 0.9 * 1.10);
  CHECK(std::exp(melded_gain / 8) >= 0.9 * 1.36);
}

TEST_CASE("meld: the ALU utilization of bitonic sort falls, and falls further where nothing gets a branch") {
  // Section VI-C of the melding paper: BIT's comparisons differ between the arms. Branches around them are predicated
  // again by later passes, and the utilization falls from 61 to 57 %.
  lab::transform_options options;
  options.steps = {{lab::transform_kind::meld}};
  options.kernel_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/bitonic_arms.ptx";
  options.launch_path = SIMTFLOW_SOURCE_DIR "/examples/kernels/bitonic_arms.launch.json";
  options.policies = {"pdom"};
  options.every_metric = true;
  const auto utilization = [&](meld_unpredication how) {
    options.melding.code.unpredicate = how;
    const lab::transform_result made = lab::transform_kernel(options);
    REQUIRE(made.rows.rows.size() == 2);
    return std::pair{value_of(made.rows.rows[0], "alu_utilization_on"),
                     value_of(made.rows.rows[1], "alu_utilization_on")};
  };
  const auto [before, by_branches] = utilization(meld_unpredication::always);
  const double predicated = utilization(meld_unpredication::never).second;
  CHECK(by_branches < before);
  CHECK(predicated < by_branches);
}

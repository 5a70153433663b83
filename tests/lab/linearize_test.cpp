// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"
#include "lab/launch_file.hpp"
#include "lab/time.hpp"
#include "lab/transform.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

lab::transform_options options_for(const std::string& path) {
  lab::transform_options options;
  options.steps = {{lab::transform_kind::linearize}};
  options.kernel_path = path + ".ptx";
  options.policies = {"pdom"};
  return options;
}

// The shipped kernels with a region that can be linearized.
std::vector<std::string> kernels_with_regions() {
  std::vector<std::string> out;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    lab::transform_options options = options_for(path);
    options.always = true;
    options.entry = lab::parse_launch_file(lab::read_text(path + ".launch.json"), path).kernel;
    const std::string report = lab::transform_kernel(options).report;
    if (report.find("nothing had to be changed") == std::string::npos) out.push_back(path);
  }
  return out;
}

// After by before, under pdom.
struct ratios {
  double instructions = 1, weighted = 1;
};
ratios ratios_of(const lab::transform_result& made) {
  REQUIRE_MESSAGE(made.good, made.report);
  const std::vector<lab::report_row>& rows = made.rows.rows;
  if (rows.size() != 2) return {};  // it does not finish under pdom
  const auto weighted = [](const lab::report_row& row) {
    for (const lab::metric& m : row.metrics)
      if (m.name == "weighted") return m.value;
    return 0.0;
  };
  return {static_cast<double>(rows[1].counts.warp_instructions) / static_cast<double>(rows[0].counts.warp_instructions),
          weighted(rows[1]) / weighted(rows[0])};
}

lab::transform_result linearized(const std::string& path, lab::transform_options options) {
  options.launch_path = path + ".launch.json";
  options.every_metric = true;
  return lab::transform_kernel(options);
}

// The cycles of a kernel's text, with the launch of a shipped kernel.
double cycles_of(const std::string& text, const std::string& path) {
  lab::time_options options;
  options.kernel_path = "linearize_test.ptx";
  options.launch_path = path + ".launch.json";
  options.policies = {"pdom"};
  options.machine.name = "volta";
  std::ofstream(options.kernel_path, std::ios::binary) << text;
  const lab::time_report made = lab::time_kernel(options);
  std::filesystem::remove(options.kernel_path);
  if (!made.good) return 0;  // it does not finish under pdom
  return static_cast<double>(made.rows.at(0).report.cycles);
}

}  // namespace

TEST_CASE("linearize: no shipped kernel becomes worse where it pays, with a profile or without one") {
  const std::vector<std::string> kernels = kernels_with_regions();
  CHECK(kernels.size() >= 19);
  std::size_t better[2] = {};
  for (const std::string& path : kernels)
    for (const bool profile : {false, true}) {
      CAPTURE(path);
      CAPTURE(profile);
      lab::transform_options options = options_for(path);
      options.profiles = profile;
      const ratios r = ratios_of(linearized(path, options));
      CHECK(r.instructions <= (profile ? 1.0 : 1.05));
      CHECK(r.weighted <= (profile ? 1.0 : 1.05));
      better[profile ? 1 : 0] += r.instructions < 1 ? 1 : 0;
    }
  CHECK(better[0] >= 10);
  CHECK(better[1] >= 10);
}

TEST_CASE("linearize: Table 4 of the paper, each level executes no more than the level before") {
  // Three of the paper's own rows fall with every level: mcx, mum and ray.
  std::size_t monotone = 0;
  for (const char* name :
       {"hotspot", "heart_wall", "mcx", "suffix_tree", "n_queens", "particle_filter", "ray_caster"}) {
    CAPTURE(name);
    const std::string path = std::string(SIMTFLOW_SOURCE_DIR "/examples/kernels/") + name;
    std::vector<double> by_level;
    for (const guard_optimization level : lab::guard_levels) {
      lab::transform_options options = options_for(path);
      options.always = true;
      options.guards = level;
      by_level.push_back(ratios_of(linearized(path, options)).instructions);
    }
    CHECK(by_level.back() <= by_level.front());
    bool falls = true;
    for (std::size_t i = 1; i < by_level.size(); ++i) falls = falls && by_level[i] <= by_level[i - 1];
    monotone += falls ? 1 : 0;
  }
  CHECK(monotone >= 6);
}

TEST_CASE("linearize: no shipped kernel takes more cycles where it pays") {
  if (simtflow_tests::times(1) == 1) return;  // a long test
  for (const std::string& path : kernels_with_regions())
    for (const bool profile : {false, true}) {
      CAPTURE(path);
      CAPTURE(profile);
      if (lab::parse_launch_file(lab::read_text(path + ".launch.json"), path).warp_width != 32) continue;  // volta's
      lab::transform_options options = options_for(path);
      options.profiles = profile;
      const double before = cycles_of(lab::read_text(path + ".ptx"), path),
                   after = cycles_of(linearized(path, options).text, path);
      MESSAGE(path << (profile ? " with a profile: " : ": ") << after / before);
      CHECK(after <= (profile ? 1.0 : 1.05) * before);
    }
}

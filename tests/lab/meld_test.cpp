// SPDX-License-Identifier: BSL-1.0
//
// The shipped kernels, melded, fused and tail-merged: memory is the same as before under every policy.
#include "lab/files.hpp"
#include "lab/launch_file.hpp"
#include "lab/transform.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"
#include <simtflow/ptx/parser.hpp>
#include <simtflow/ptx/printer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
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

}  // namespace

TEST_CASE("meld: every shipped kernel computes what it computed before") {
  const bool all = simtflow_tests::times(1) > 1;
  std::size_t melded[3] = {}, runs = 0;
#ifndef SIMTFLOW_PTXAS
  MESSAGE("skipped: no ptxas");
#endif
  for (const std::string& name : simtflow_tests::shipped_kernels()) {
    const std::string text = lab::read_text(name + ".ptx");
    const ptx::module m = ptx::parse(text).module;
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
          options.melding = {threshold, may_grow};
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
          const lab::transform_result r = lab::transform_kernel(options);
          if (!r.good) FAIL(r.report << printed);
        }
  }
  MESSAGE("kernels with melded branches: " << melded[0] << ", fused: " << melded[1] << ", tail-merged: " << melded[2]
                                           << "; different kernels run: " << runs);
}

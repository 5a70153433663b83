// SPDX-License-Identifier: BSL-1.0
//
// A device with the test kernels, and what it tells.
#pragma once

#include "cuda/kernels.hpp"
#include <simtflow/cuda/device.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runtime_tests {

// Keeps what a device tells.
struct heard : simtflow::cuda::launch_listener {
  void finished(const simtflow::cuda::launch_row& row) override { rows.push_back(row); }
  void thread_block(const simtflow::thread_paths& paths) override { threads += paths.size(); }
  void printed(std::string_view text) override { output += text; }
  void remark(std::string_view line) override { remarks.emplace_back(line); }
  std::vector<simtflow::cuda::launch_row> rows;
  std::vector<std::string> remarks;
  std::string output;
  std::size_t threads = 0;  // that have told their paths
};

// A device with the test kernels.
struct loaded {
  explicit loaded(simtflow::cuda::settings s = {}) : gpu(std::move(s), &told) {
    const auto made = gpu.load(test_kernels);
    REQUIRE(made);
    module = *made;
  }
  simtflow::cuda::error run(const char* kernel, simtflow::cuda::launch_shape shape, std::vector<void*> arguments) {
    return gpu.launch(gpu.kernel(module, kernel), shape, arguments.data());
  }
  heard told;
  simtflow::cuda::device gpu;
  simtflow::cuda::module_handle module{};
};

}  // namespace runtime_tests

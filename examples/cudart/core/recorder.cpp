// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/recorder.hpp"

#include "cudart/core/report.hpp"
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

namespace cudart {
namespace {

std::span<const unsigned char> bytes_of(const simtflow::ptx::allocation& a) { return {a.bytes.data(), a.bytes.size()}; }

// Why a launch file cannot have that launch; empty: it can.
std::string why_not(const simtflow::cuda::launch_start& launch) {
  const std::string is =
      fmt::format("launch {}, {}, is not recorded: ", launch.number, readable_name(launch.code.name));
  if (launch.memory.heap().in_use() != 0) return is + "kernels before it have taken memory with malloc() or new";
  if (launch.shape.cooperative) return is + "it is cooperative";
  for (const simtflow::ptx::decoded_op& op : launch.code.ops)
    if (op.kind == simtflow::ptx::op_kind::texture || op.kind == simtflow::ptx::op_kind::surface)
      return is + "it uses textures or surfaces";
  return {};
}

// "00012_step": files of one launch sort together.
std::string file_name(std::uint64_t number, const std::string& kernel) {
  std::string word;
  for (const char c : readable_name(kernel).substr(0, 40))
    word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("{:05}_{}", number, word);
}

}  // namespace

std::string recorder::open(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return folder + ": " + problem.message();
  folder_ = folder;
  return {};
}

void recorder::before(const simtflow::cuda::launch_start& launch) {
  if (folder_.empty()) return;
  left_out_ = why_not(launch);
  if (!left_out_.empty()) return;
  memory_ = &launch.memory;
  before_ = launch.memory;
  const auto bytes = launch.arguments.bytes();
  arguments_.assign(bytes.begin(), bytes.end());
  const simtflow::ptx::decoded_kernel& code = launch.code;
  launch_ = {};
  launch_.name = file_name(launch.number, code.name);
  launch_.ptx = launch.text;
  launch_.kernel = code.name;
  std::copy(launch.shape.grid, launch.shape.grid + 3, launch_.grid);
  std::copy(launch.shape.block, launch.shape.block + 3, launch_.block);
  launch_.dynamic_shared_bytes = launch.shape.dynamic_shared_bytes;
  for (std::size_t i = 0; i < code.parameters.size(); ++i) {
    const auto& parameter = code.parameters[i];
    const auto& type = info(parameter.type);
    launch_.parameters.push_back(
        {type.size == parameter.size ? std::string(type.name) : "b8",
         std::span<const unsigned char>(arguments_)
             .subspan(static_cast<std::size_t>(code.parameter_offsets[i]), static_cast<std::size_t>(parameter.size))});
  }
  for (const auto& a : before_->allocations()) {
    if (!a.of_module)
      launch_.buffers.push_back({a.address, bytes_of(a), {}, {}});
    else if (before_->symbol(code.from_module, a.name) == a.address)
      launch_.variables.push_back({a.name, bytes_of(a), {}});
  }
}

std::string recorder::after(const simtflow::cuda::launch_row& row) {
  if (memory_ == nullptr) return left_out_.empty() ? left_out_ : "SIMTFLOW_RECORD: " + std::exchange(left_out_, {});
  std::string problem;
  if (row.how == simtflow::outcome::finished) {
    std::size_t buffer = 0, variable = 0;
    for (const auto& a : memory_->allocations()) {  // the same ones: a kernel allocates none
      if (buffer < launch_.buffers.size() && launch_.buffers[buffer].address == a.address)
        launch_.buffers[buffer++].after = bytes_of(a);
      else if (variable < launch_.variables.size() && launch_.variables[variable].name == a.name)
        launch_.variables[variable++].after = bytes_of(a);
    }
    problem = lab::write_launch(folder_, launch_);
  }
  launch_ = {};
  before_.reset();
  memory_ = nullptr;
  return problem.empty() ? problem : "SIMTFLOW_RECORD: " + problem;
}

}  // namespace cudart

// SPDX-License-Identifier: BSL-1.0
#include "lab/device.hpp"

#include "lab/files.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace lab {

using namespace simtflow;

ptx::launch_config config_of(const launch_file& f) {
  return {
      {f.grid[0], f.grid[1], f.grid[2]}, {f.block[0], f.block[1], f.block[2]}, f.warp_width, f.dynamic_shared_bytes};
}

ptx::device_memory device_memory_for(const launch_file& launch) {
  ptx::device_memory memory;
  for (const buffer& b : launch.buffers) memory.allocate_copy(std::span<const unsigned char>(b.bytes), b.name);
  return memory;
}

ptx::arguments arguments_for(const ptx::decoded_kernel& kernel, const launch_file& launch,
                             const ptx::device_memory& memory) {
  ptx::arguments args(kernel);
  std::string problems;
  const auto fail = [&](const std::string& where, const std::string& message) {
    problems += fmt::format("{}{}: /params{}: {}", problems.empty() ? "" : "\n", launch.path, where, message);
  };
  for (std::size_t i = 0; i < launch.params.size() && i < kernel.parameters.size(); ++i) {
    const parameter& given = launch.params[i];
    const ptx::variable& wanted = kernel.parameters[i];
    const std::uint64_t bits = given.buffer ? memory.allocations()[*given.buffer].address : given.bits;
    const std::size_t size = given.buffer ? kernel.address_size / 8 : size_of(given.type);
    const auto kind = ptx::info(wanted.type).kind;
    const std::string what =
        given.buffer ? "a buffer's address" : fmt::format("a value of type {}", name_of(given.type));
    const bool value_is_float = !given.buffer && is_float(given.type);
    const bool wrong_kind =
        (kind == ptx::type_class::floating && !value_is_float) ||
        (value_is_float && (kind == ptx::type_class::signed_integer || kind == ptx::type_class::unsigned_integer));
    if (size != wanted.size || wrong_kind) {
      fail(fmt::format("/{}", i), fmt::format("{} ({} bytes) for parameter {}, which is .{} ({} bytes)", what, size,
                                              wanted.name, ptx::info(wanted.type).name, wanted.size));
      continue;
    }
    std::array<unsigned char, 8> raw{};
    std::memcpy(raw.data(), &bits, raw.size());
    args.set_bytes(static_cast<std::uint32_t>(i), std::span<const unsigned char>(raw).first(size));
  }
  for (std::size_t i = launch.params.size(); i < kernel.parameters.size(); ++i)
    fail("", fmt::format("no value for parameter {} of kernel {}", kernel.parameters[i].name, kernel.name));
  for (std::size_t i = kernel.parameters.size(); i < launch.params.size(); ++i)
    fail(fmt::format("/{}", i), fmt::format("kernel {} has only {} parameters", kernel.name, kernel.parameters.size()));
  if (!problems.empty()) throw input_error(problems);
  return args;
}

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// Launches: refusals, the run, the oracle's judgment, and the row of the report.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/core_of_capability.hpp>
#include <simtflow/cuda/device.hpp>
#include <simtflow/cuda/fault_code.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

// The first place where memories filled alike differ; empty: none.
inline std::string first_difference(const ptx::device_memory& a, const ptx::device_memory& oracle) {
  for (const ptx::allocation& one : a.allocations()) {
    const ptx::allocation* other = oracle.holding(one.address, one.bytes.size());
    if (other == nullptr || other->address != one.address) return "'" + one.name + "' is there only once";
    for (std::size_t i = 0; i < one.bytes.size(); ++i)
      if (one.bytes.data()[i] != other->bytes.data()[i])
        return "byte " + std::to_string(i) + " of '" + one.name + "' is " + std::to_string(one.bytes.data()[i]) +
               ", under the oracle " + std::to_string(other->bytes.data()[i]);
  }
  return {};
}

// Passes paths on to the listener of a device.
class told_paths final : public path_listener {
 public:
  explicit told_paths(launch_listener& to) : to_(&to) {}
  void thread_block(const thread_paths& paths) override { to_->thread_block(paths); }

 private:
  launch_listener* to_;
};

inline std::string three(const std::uint32_t (&s)[3]) {
  return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
}

}  // namespace detail

SIMTFLOW_INLINE error device::launch(kernel_handle k, const launch_shape& shape, void* const* arguments,
                                     stream_handle stream) {
  return locked([&] {
    error wrong = error::success;
    loaded_kernel* of = ready(k, wrong);
    if (of == nullptr) return wrong;
    ptx::arguments values(of->runnable->code());
    if (arguments == nullptr && values.size() != 0) return error::invalid_value;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (arguments[i] == nullptr) return error::invalid_value;
      values.set_bytes(i, {static_cast<const unsigned char*>(arguments[i]),
                           static_cast<std::size_t>(of->attributes.parameter_sizes[i])});
    }
    return run(*of, shape, values, stream);
  });
}

SIMTFLOW_INLINE error device::launch_packed(kernel_handle k, const launch_shape& shape,
                                            std::span<const unsigned char> bytes, stream_handle stream) {
  return locked([&] {
    error wrong = error::success;
    loaded_kernel* of = ready(k, wrong);
    if (of == nullptr) return wrong;
    ptx::arguments values(of->runnable->code());
    const kernel_attributes& facts = of->attributes;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const std::uint64_t at = facts.parameter_offsets[i], size = facts.parameter_sizes[i];
      if (at > bytes.size() || size > bytes.size() - at) return error::invalid_value;
      values.set_bytes(i, bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size)));
    }
    return run(*of, shape, values, stream);
  });
}

// Why a launch of that shape is refused; success: it is not.
SIMTFLOW_INLINE error device::refused(const loaded_kernel& k, const launch_shape& shape) {
  const ptx::decoded_kernel& code = k.runnable->code();
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const auto say = [&](error e, const std::string& words) {
    tell("kernel '" + code.name + "' is not launched: " + words);
    return e;
  };
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t most_blocks = i == 0 ? 0x7FFF'FFFFU : 0xFFFFU, most_threads = i == 2 ? 64 : 1024;
    if (shape.grid[i] == 0 || shape.grid[i] > most_blocks)
      return say(error::invalid_configuration, "a grid of " + detail::three(shape.grid) + " thread blocks");
    if (shape.block[i] == 0 || shape.block[i] > most_threads)
      return say(error::invalid_configuration, "a thread block of " + detail::three(shape.block) + " threads");
  }
  if (threads > 1024)
    return say(error::invalid_configuration, "a thread block of " + detail::three(shape.block) + " threads");
  if (code.required_threads[0] != 0)
    for (int i = 0; i < 3; ++i)
      if (shape.block[i] != code.required_threads[i])
        return say(error::invalid_value, "a thread block of " + detail::three(shape.block) + " threads, it requires " +
                                             detail::three(code.required_threads));
  if (threads > k.attributes.max_threads)
    return say(error::launch_out_of_resources, "a thread block of " + std::to_string(threads) + " threads, it allows " +
                                                   std::to_string(k.attributes.max_threads));
  if (shape.dynamic_shared_bytes > k.attributes.max_dynamic_shared_bytes)
    return say(error::invalid_value, std::to_string(shape.dynamic_shared_bytes) +
                                         " bytes of dynamic shared memory, it allows " +
                                         std::to_string(k.attributes.max_dynamic_shared_bytes));
  const timing::core_parameters core = machine_ ? machine_->core : core_of_capability(settings_.capability);
  const auto fit =
      timing::occupancy_of(core, {static_cast<std::uint32_t>(threads), k.attributes.registers,
                                  static_cast<std::uint32_t>(k.attributes.shared_bytes + shape.dynamic_shared_bytes)});
  if (!fit) return say(error::launch_out_of_resources, fit.diagnostics().front().message);
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  if (shape.cooperative && core.max_blocks != timing::unlimited && blocks > std::uint64_t{fit->blocks} * core.cores)
    return say(error::cooperative_launch_too_large, std::to_string(blocks) + " thread blocks, " +
                                                        std::to_string(fit->blocks * core.cores) + " are resident");
  return error::success;
}

SIMTFLOW_INLINE error device::run(loaded_kernel& k, const launch_shape& shape, const ptx::arguments& arguments,
                                  stream_handle stream) {
  const ptx::decoded_kernel& code = k.runnable->code();
  if (const error wrong = streams_.put(stream); wrong != error::success) return wrong;
  if (const error wrong = refused(k, shape); wrong != error::success) return wrong;
  ptx::launch_config config;
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = shape.grid[i];
    config.block[i] = shape.block[i];
  }
  if (machine_) config.warp_width = machine_->core.warp_width;
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  config.stack_bytes = stack_bytes_;
  for (const diagnostic& d : ptx::check_launch(code, config, arguments)) {
    tell("kernel '" + code.name + "' is not launched: " + d.message);
    return error::invalid_value;
  }
  run_conditions how;
  how.policy = &*policy_;
  how.machine = machine();
  how.registers = k.attributes.registers;
  how.threads = settings_.threads;
  how.steps = settings_.steps;
  how.cooperative = shape.cooperative;
  how.stop = &stop_;
  how.profile = settings_.profile;
  if (const std::string why = why_not_run(*k.runnable, config, how); !why.empty()) {
    tell("kernel '" + code.name + "' is not launched: policy " + policy_->name + " " + why);
    return error::not_supported;
  }
  launch_row row;
  row.number = ++launches_;
  row.kernel = code.name;
  row.shape = shape;
  row.stream = static_cast<std::uint64_t>(stream);
  row.policy = settings_.policy;
  row.machine = settings_.machine;
  row.decoded = &code;
  ptx::device_memory& memory = memory_.memory();
  listener_->started({row.number, shape, row.stream, modules_.text(k.owner), code, config, arguments, memory});
  std::optional<ptx::device_memory> before;
  if (settings_.check) before.emplace(memory);
  detail::told_paths paths(*listener_);
  if (settings_.paths) how.paths = &paths;
  const auto begun = std::chrono::steady_clock::now();
  run_result r = run_kernel(*k.runnable, config, memory, arguments, how);
  row.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  row.counts = r.counts;
  row.cycles = r.cycles;
  if (machine_) {
    row.milliseconds = static_cast<double>(r.cycles) / (1000.0 * machine_->core.mhz);
    milliseconds_ += row.milliseconds;
  }
  row.how = r.how;
  row.code = code_of(r.how, r.fault);
  row.fault = std::move(r.words);
  if (r.stopped) row.fault += "; it was stopped";
  row.where = r.where;
  row.other_order = std::move(r.other_order);
  if (r.costs) row.costs = &*r.costs;
  if (settings_.profile && !machine_) {
    row.profile = &r.profile;
    row.branches = &r.branches;
  }
  if (!r.printed.empty()) listener_->printed(r.printed);
  if (before && r.how == outcome::finished) compare(k, config, arguments, *before, row);
  listener_->finished(row);
  if (!is_sticky(row.code)) return row.code;
  sticky_ = row.code;
  return settings_.blocking ? row.code : error::success;
}

// Runs the launch under the oracle on memory as it was, and compares.
SIMTFLOW_INLINE void device::compare(loaded_kernel& k, const ptx::launch_config& config,
                                     const ptx::arguments& arguments, ptx::device_memory& before, launch_row& row) {
  const ptx::decoded_kernel& code = k.runnable->code();
  if (const std::uint32_t i = ptx::first_view_of_company(code); i != ptx::no_index) {
    row.check = "not compared: '" + code.opcodes[i] + "' in " + to_string(code.positions[i]) +
                " depends on the lanes that run together, or on time";
    return;
  }
  const result<policy_choice> oracle = choose_policy(oracle_policy);
  run_conditions how;
  how.policy = &*oracle;
  how.threads = settings_.threads;
  how.steps = settings_.steps;
  how.cooperative = row.shape.cooperative;
  how.stop = &stop_;
  if (const std::string why = why_not_run(*k.runnable, config, how); !why.empty()) {
    row.check = "not compared: " + why;
    return;
  }
  const run_result r = run_kernel(*k.runnable, config, before, arguments, how);
  if (r.how != outcome::finished) {
    row.check = "not compared: under the oracle, " + r.words;
    return;
  }
  const std::string difference = detail::first_difference(memory_.memory(), before);
  row.differs = !difference.empty();
  row.check = row.differs ? "memory differs from the oracle's: " + difference : "memory is the oracle's";
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

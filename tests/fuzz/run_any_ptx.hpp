// SPDX-License-Identifier: BSL-1.0
//
// No text may crash the front end, make it hang or read out of bounds, and whatever it accepts must run or fault.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace simtflow_fuzz {

inline void require(bool held) {
  if (!held) std::abort();
}

/// A module links with itself as a library to what it is; twice the same module links or is refused.
inline void link_any(const simtflow::ptx::module& m) {
  using namespace simtflow;
  const ptx::link_input once[] = {{&m, "program", false}, {&m, "library", true}};
  const ptx::link_input twice[] = {{&m, "", false}, {&m, "", false}};
  const auto linked = ptx::link(once);
  require(linked.has_value());
  require(linked->module.variables.size() == m.variables.size());
  require(linked->module.functions.size() == m.functions.size());
  require(linked->module.kernels.size() == m.kernels.size());
  const auto both = ptx::link(twice);
  require(both.has_value() ? both->module.kernels.size() >= m.kernels.size()
                           : both.diagnostics().size() <= max_diagnostics);
}

/// Parses, and runs every kernel that is in order: for 40 threads, until each instance has run some hundred blocks.
/// Stops the process if a result contradicts itself. Returns how many kernels ran.
inline int run_any_ptx(std::string_view text) {
  using namespace simtflow;
  int ran = 0;
  const auto parsed = ptx::parse(text);
  require(parsed.diagnostics().size() <= max_diagnostics);
  if (!parsed.has_value()) return ran;
  link_any(*parsed);
  for (const ptx::kernel& k : parsed->kernels) {
    const auto d = ptx::decode(*parsed, k);
    require(d.diagnostics().size() <= max_diagnostics);
    if (!d.has_value()) continue;
    std::uint64_t bytes = d->local_bytes * 64;
    for (const ptx::variable& v : d->globals) bytes += v.size;
    if (bytes > 100'000) continue;
    ptx::device_memory memory;
    const std::uint64_t buffer = memory.allocate(256, "buffer");
    ptx::arguments args(*d);
    for (std::uint32_t i = 0; i < args.size(); ++i) {
      if (d->parameters[i].size > 100'000) return ran;
      std::vector<unsigned char> raw(static_cast<std::size_t>(d->parameters[i].size), 3);
      for (std::size_t n = 0; n < raw.size() && raw.size() == 8; ++n)
        raw[n] = static_cast<unsigned char>(buffer >> (8 * n));
      args.set_bytes(i, raw);
    }
    ptx::launch_config l;
    l.block[0] = 40;
    if (!ptx::check_launch(*d, l, args).empty()) continue;
    require(d->cfg().num_blocks() >= d->blocks.size());
    ptx::interpreter<> program(*d, l, memory, args);
    const launch shape{40, 32, 0, barrier_model::thread_arrival};
    const auto go = [&](auto policy) {
      const auto v = executor<decltype(policy)>(policy).run(program, shape, no_observer{}, {.steps = 300});
      if (v.how == outcome::fault) require(program.fault().describe() != "no fault");
    };
    go(policies::lane_serial());
    go(policies::no_reconvergence());
    ++ran;
  }
  return ran;
}

}  // namespace simtflow_fuzz

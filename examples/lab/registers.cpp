// SPDX-License-Identifier: BSL-1.0
#include "lab/registers.hpp"

#include "lab/diagnostics.hpp"
#include "lab/report.hpp"
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>

#include <fmt/format.h>

namespace lab {

using namespace simtflow;

ptx::register_pressure registers_of(const kernel_file& file) {
  const auto module = ptx::parse(file.text);
  refuse(module.diagnostics(), file.path);
  const auto code = (ptx::verify)(*module, *module->find(file.kernel.name));
  refuse(code.diagnostics(), file.path);
  return ptx::register_pressure_of(*code);
}

std::string describe(const kernel_file& file, const ptx::register_pressure& p) {
  const auto module = ptx::parse(file.text);
  const auto at = [&](std::uint32_t i) {
    if (!module || i == ptx::no_index) return std::string();
    return fmt::format(" (line {})", module->find(file.kernel.name)->instructions[i].where.line);
  };
  return fmt::format("registers: {} live at most{}, {}{}; {} of a thread by the estimate", p.live, at(p.live_at),
                     counted(p.predicates, "predicate", "predicates"), at(p.predicates_at), p.estimate);
}

std::vector<metric> metrics_of(const ptx::register_pressure& p) {
  return {{"live_registers", static_cast<double>(p.live)},
          {"live_predicates", static_cast<double>(p.predicates)},
          {"estimated_registers", static_cast<double>(p.estimate)}};
}

result<timing::occupancy> occupancy_of_launch(const timing::machine& machine, const kernel_file& file,
                                              const ptx::launch_config& launch, std::uint32_t registers) {
  const timing::grid g = ptx::grid_of(file.kernel, launch, registers);
  return timing::occupancy_of(machine.core, {g.threads, g.registers_per_thread, g.shared_bytes});
}

double occupied_part(const timing::machine& machine, const result<timing::occupancy>& fit) {
  const std::uint32_t most = machine.core.max_warps;
  return fit && most != timing::unlimited ? static_cast<double>(fit->warps()) / most : 0;
}

std::string describe(const timing::machine& machine, const result<timing::occupancy>& fit) {
  if (!fit) return fit.diagnostics().front().message;
  const std::uint32_t most = machine.core.max_warps;
  if (most == timing::unlimited) return fmt::format("{} warps, limited by {}", fit->warps(), to_string(fit->limit));
  return fmt::format("{} of {} warps ({:.3f}), limited by {}", fit->warps(), most,
                     static_cast<double>(fit->warps()) / most, to_string(fit->limit));
}

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// The shipped machines by name.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/detail/spelling.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/machines/gtx480.hpp>
#include <simtflow/timing/machines/ideal.hpp>
#include <simtflow/timing/machines/quadro_fx5800.hpp>
#include <simtflow/timing/machines/volta.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A shipped machine: its name, one line about it, and how to make it.
struct shipped_machine {
  const char* name;     ///< as machine::name
  const char* summary;  ///< a few words for lists
  machine (*make)();    ///< makes it
};

/// Every shipped machine, the simplest first. The span is valid forever.
[[nodiscard]] inline std::span<const shipped_machine> shipped_machines() {
  static constexpr shipped_machine all[] = {
      {"ideal", "no latency, one warp instruction a cycle: counts as the executor's", machines::ideal},
      {"quadro_fx5800_plus_caches", "Table 2 of the thread block compaction paper",
       machines::quadro_fx5800_plus_caches},
      {"quadro_fx5800_plus_caches_small_l2", "the same with an L2 of 128 KB a channel (section 6.4)",
       machines::quadro_fx5800_plus_caches_small_l2},
      {"gtx480", "Fermi, as GPGPU-Sim 4 configures it", machines::gtx480},
      {"volta", "Tesla V100, as Jia et al. measured it", machines::volta}};
  return all;
}

/// The shipped machine of a name. \returns a diagnostic without a place, with the nearest name, if there is none.
/// Complexity: linear in the number of shipped machines.
[[nodiscard]] inline result<machine> machine_named(std::string_view name) {
  std::vector<std::string> names;
  for (const shipped_machine& one : shipped_machines()) {
    if (one.name == name) return one.make();
    names.emplace_back(one.name);
  }
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return diagnostics{{{},
                      "no machine '" + std::string(name.substr(0, 60)) + "'" +
                          simtflow::detail::did_you_mean(name, names) + ": the machines are " + all}};
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

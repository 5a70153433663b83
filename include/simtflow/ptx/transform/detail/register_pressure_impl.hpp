// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/register_pressure.hpp: functions before their callers, each scanned once.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/detail/pressure_scan.hpp>
#include <simtflow/ptx/transform/register_pressure.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class pressure_of_calls {
 public:
  explicit pressure_of_calls(const module& m) : module_(m) {}

  // The need of f. Scans the functions that it calls first.
  register_peaks scan(const checked_function& f) {
    scan_callees(f.text());
    return scan_one(f);
  }

 private:
  static constexpr std::uint32_t lost_in_calls = 16;  // R0 to R15 belong to the function that is called

  // The function that an instruction calls by name; no_index if it is no such call.
  [[nodiscard]] std::uint32_t callee_of(const function& f, std::uint32_t i) const {
    const instruction& in = f.instructions[i];
    if (opcode_head(in) != "call") return no_index;
    const operand& to = f.operands_of(in)[1];
    return to.kind == operand_kind::function ? code_[to.index] : no_index;
  }

  register_peaks scan_one(const checked_function& f) const {
    const auto at_call = [&](std::uint32_t i, register_count across) {
      const std::uint32_t to = callee_of(f.text(), i);
      if (to == no_index || state_[to] != state::known) {
        across.thread += lost_in_calls;
        return across;
      }
      across.live += needs_[to].live;
      across.thread += needs_[to].thread;
      across.predicates += needs_[to].predicates;
      return across;
    };
    return pressure_scan(f, at_call).peaks();
  }

  void scan_callees(const function& root) {
    const bool calls = std::any_of(root.instructions.begin(), root.instructions.end(),
                                   [](const instruction& i) { return opcode_head(i) == "call"; });
    if (!calls) return;
    code_ = resolve_aliases(module_);
    state_.assign(module_.functions.size(), state::unseen);
    needs_.assign(module_.functions.size(), {});
    struct visit {
      const function* text;
      std::uint32_t number;  // no_index: the root
      std::uint32_t next;    // instruction
    };
    std::vector<visit> open{{&root, no_index, 0}};
    while (!open.empty()) {
      visit& at = open.back();
      if (at.next < at.text->instructions.size()) {
        const std::uint32_t to = callee_of(*at.text, at.next++);
        if (to == no_index || state_[to] != state::unseen) continue;
        state_[to] = state::open;
        open.push_back({&module_.functions[to], to, 0});  // `at` dangles
        continue;
      }
      const visit done = at;
      open.pop_back();
      if (done.number == no_index || !done.text->has_body) continue;
      const result<checked_function> checked = (verify)(module_, *done.text);
      if (!checked) continue;  // stays open: nothing is known
      needs_[done.number] = scan_one(*checked).most;
      state_[done.number] = state::known;
    }
  }

  enum class state : unsigned char { unseen, open, known };

  const module& module_;
  std::vector<std::uint32_t> code_;  // by function: its code, with aliases resolved
  std::vector<state> state_;         // by function
  std::vector<register_count> needs_;
};

// Registers that ptxas takes beside values: see the entry header.
inline constexpr std::uint32_t reserved_registers = 5;

}  // namespace detail

SIMTFLOW_INLINE register_pressure register_pressure_of(const checked_function& f) {
  const detail::register_peaks p = detail::pressure_of_calls(f.owner()).scan(f);
  return {p.most.live,
          p.live_at,
          p.most.predicates,
          p.predicates_at,
          f.text().has_body ? p.most.thread + detail::reserved_registers : 0,
          p.thread_at};
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

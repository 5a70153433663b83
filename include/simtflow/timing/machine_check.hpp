// SPDX-License-Identifier: BSL-1.0
//
// The impossible values of a machine, and why: zero bandwidth, ways that do not divide the lines of a cache, an
// instruction class without a unit. A machine without diagnostics can be simulated.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/machine_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace timing {

namespace detail {

// Collects what is wrong with one machine. Messages begin with the field's name.
class machine_checker {
 public:
  explicit machine_checker(const machine& m) : m_(m) {}

  diagnostics operator()() {
    check_values();
    if (!why_.empty()) return std::move(why_);  // the relations below take sensible values for granted
    check_core();
    check_units();
    if (!is_power_of_two(m_.shared.bank_bytes)) wrong("shared.bank_bytes", m_.shared.bank_bytes, "is no power of two");
    check_cache("l1", m_.l1);
    check_cache("constant", m_.constant);
    check_cache("texture", m_.texture);
    check_cache("instruction", m_.instruction);
    check_cache("l2", m_.l2);
    if (m_.partition.interleave % m_.l2.line != 0)
      wrong("partition.interleave", m_.partition.interleave, "is no multiple of l2.line", m_.l2.line);
    if (m_.dram.row_bytes % m_.dram.burst_bytes != 0)
      wrong("dram.row_bytes", m_.dram.row_bytes, "is no multiple of dram.burst_bytes", m_.dram.burst_bytes);
    return std::move(why_);
  }

 private:
  static bool is_power_of_two(std::uint32_t x) { return x != 0 && (x & (x - 1)) == 0; }

  void wrong(const std::string& field, std::uint32_t value, const char* why) {
    add_diagnostic(why_, {}, field + ": " + std::to_string(value) + ' ' + why);
  }
  void wrong(const std::string& field, std::uint32_t value, const char* why, std::uint32_t other) {
    add_diagnostic(why_, {}, field + ": " + std::to_string(value) + ' ' + why + " (" + std::to_string(other) + ')');
  }

  // Each value alone.
  void check_values() {
    machine copy = m_;
    for (const machine_field& field : fields(copy)) {
      if (field.choice != nullptr && *field.choice >= field.words.size())
        wrong(field.name, *field.choice, "is no value of the enumeration");
      if (field.number == nullptr || (field.may_be_unlimited && *field.number == unlimited)) continue;
      if (*field.number < field.lowest) wrong(field.name, *field.number, "is less than the lowest value", field.lowest);
      if (*field.number > field.highest)
        wrong(field.name, *field.number, "is more than the highest value", field.highest);
    }
  }

  void check_core() {
    const core_parameters& c = m_.core;
    if (c.max_threads < c.warp_width)
      wrong("core.max_threads", c.max_threads, "is less than a warp, core.warp_width", c.warp_width);
    if (c.max_block_threads != unlimited && c.max_block_threads > c.max_threads)
      wrong("core.max_block_threads", c.max_block_threads, "is more than the core holds, core.max_threads",
            c.max_threads);
    if (c.register_unit > c.registers)
      wrong("core.register_unit", c.register_unit, "is more than core.registers", c.registers);
    if (c.shared_bytes != 0 && c.shared_unit > c.shared_bytes)
      wrong("core.shared_unit", c.shared_unit, "is more than core.shared_bytes", c.shared_bytes);
  }

  void check_units() {
    for (std::size_t u = 0; u < std::size(unit_kind_names); ++u) {
      const std::uint32_t lanes = m_.units[static_cast<unit_kind>(u)].lanes;
      if (lanes != 0 && m_.core.warp_width % lanes != 0)
        wrong("units." + std::string(unit_kind_names[u]) + ".lanes", lanes, "does not divide core.warp_width",
              m_.core.warp_width);
    }
    for (std::size_t k = 0; k < num_instruction_classes; ++k)
      if (const unit_kind unit = m_.operations.of[k].unit; m_.units[unit].number == 0)
        add_diagnostic(why_, {},
                       "operations." + std::string(to_string(static_cast<instruction_class>(k))) +
                           ".unit: the core has no unit '" + to_string(unit) + "'");
  }

  void check_cache(const std::string& name, const cache_parameters& c) {
    if (!is_power_of_two(c.line)) return wrong(name + ".line", c.line, "is no power of two");
    if (c.sector != 0 && c.line % c.sector != 0) wrong(name + ".sector", c.sector, "does not divide the line", c.line);
    if (c.size % c.line != 0) return wrong(name + ".size", c.size, "is no multiple of the line", c.line);
    if (c.size / c.line % c.ways != 0)
      wrong(name + ".ways", c.ways, "does not divide the number of lines", c.size / c.line);
  }

  const machine& m_;
  diagnostics why_;
};

}  // namespace detail

/// Says which values of a machine are impossible: each diagnostic names the field and why, without a place. First come
/// values out of range alone (as assign() knows them); only if there are none, values that do not fit together: a core
/// smaller than a warp or than core.max_block_threads, lanes that do not divide a warp, an instruction class on a unit
/// that the core lacks, lines that are no power of two, sectors, ways and rows that do not divide what they are parts
/// of. Whether a thread block fits into a core is asked of occupancy.hpp.
/// \returns empty if the machine can be simulated. Complexity: linear in the number of fields.
[[nodiscard]] inline diagnostics diagnose(const machine& m) { return detail::machine_checker(m)(); }

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

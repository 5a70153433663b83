// SPDX-License-Identifier: BSL-1.0
//
// The fields of a machine by dotted name: "l1.size", "core.scheduler", "operations.int_mul.latency". One table serves
// the command line (`--set l1.size=16K`), machine files (io/machine_text.hpp) and the checks (machine_check.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/detail/spelling.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A field of one machine: its name, its unit, its values, and where it is. Exactly one of `number`, `choice` and
/// `text` is not null. Valid as long as the machine.
struct machine_field {
  std::string name;                      ///< dotted: "l1.size"
  const char* unit = "";                 ///< "bytes", "cycles", "MHz"; empty for a plain number or a word
  std::uint32_t* number = nullptr;       ///< a number
  std::uint32_t lowest = 0;              ///< of `number`: the lowest value that makes sense
  std::uint32_t highest = 0;             ///< of `number`: the highest value, beside `unlimited`
  bool may_be_unlimited = false;         ///< of `number`: True if it may be `unlimited`
  unsigned char* choice = nullptr;       ///< the value of an enumeration
  std::span<const char* const> words{};  ///< of `choice`: the word of each value
  std::string* text = nullptr;           ///< any text
};

namespace detail {

// A number in a part of a machine.
template <class Part>
struct number_row {
  const char* name;
  const char* unit;
  std::uint32_t Part::*at;
  std::uint32_t lowest;
  std::uint32_t highest;
  bool may_be_unlimited;
};

inline constexpr std::uint32_t most_bytes = std::uint32_t{1} << 30;
inline constexpr std::uint32_t most_cycles = 1'000'000;
inline constexpr std::uint32_t most_things = std::uint32_t{1} << 20;
inline constexpr std::uint32_t most_mhz = 100'000;

inline constexpr number_row<core_parameters> core_rows[] = {
    {"cores", "", &core_parameters::cores, 1, 65'536, false},
    {"mhz", "MHz", &core_parameters::mhz, 1, most_mhz, false},
    {"warp_width", "threads", &core_parameters::warp_width, 1, 1024, false},
    {"max_threads", "threads", &core_parameters::max_threads, 1, most_things, true},
    {"max_warps", "warps", &core_parameters::max_warps, 1, most_things, true},
    {"max_blocks", "thread blocks", &core_parameters::max_blocks, 1, 65'536, false},
    {"max_block_threads", "threads", &core_parameters::max_block_threads, 1, most_things, true},
    {"warp_unit", "warps", &core_parameters::warp_unit, 1, 1024, false},
    {"registers", "", &core_parameters::registers, 1, most_bytes, true},
    {"register_unit", "registers", &core_parameters::register_unit, 1, 65'536, false},
    {"shared_bytes", "bytes", &core_parameters::shared_bytes, 0, most_bytes, true},
    {"shared_unit", "bytes", &core_parameters::shared_unit, 1, 65'536, false},
    {"schedulers", "", &core_parameters::schedulers, 1, 256, false},
    {"active_warps", "warps", &core_parameters::active_warps, 1, most_things, true},
    {"operand_read", "cycles", &core_parameters::operand_read, 0, most_cycles, false},
    {"branch_resolve", "cycles", &core_parameters::branch_resolve, 0, most_cycles, false}};

inline constexpr number_row<unit_parameters> unit_rows[] = {{"number", "", &unit_parameters::number, 0, 1024, false},
                                                            {"lanes", "", &unit_parameters::lanes, 0, 1024, false}};

inline constexpr number_row<operation_timing> operation_rows[] = {
    {"latency", "cycles", &operation_timing::latency, 1, most_cycles, false},
    {"initiation", "cycles", &operation_timing::initiation, 1, most_cycles, false}};

inline constexpr number_row<shared_parameters> shared_rows[] = {
    {"banks", "", &shared_parameters::banks, 1, 1024, false},
    {"bank_bytes", "bytes", &shared_parameters::bank_bytes, 1, 1024, false},
    {"latency", "cycles", &shared_parameters::latency, 0, most_cycles, false}};

inline constexpr number_row<cache_parameters> cache_rows[] = {
    {"size", "bytes", &cache_parameters::size, 0, most_bytes, false},
    {"line", "bytes", &cache_parameters::line, 1, 65'536, false},
    {"sector", "bytes", &cache_parameters::sector, 0, 65'536, false},
    {"ways", "lines", &cache_parameters::ways, 1, 65'536, false},
    {"latency", "cycles", &cache_parameters::latency, 0, most_cycles, false},
    {"mshrs", "lines", &cache_parameters::mshrs, 1, most_things, true},
    {"merges", "accesses", &cache_parameters::merges, 1, most_things, true},
    {"miss_queue", "requests", &cache_parameters::miss_queue, 1, most_things, true},
    {"bytes_per_cycle", "bytes/cycle", &cache_parameters::bytes_per_cycle, 0, 65'536, false}};

inline constexpr number_row<interconnect_parameters> network_rows[] = {
    {"mhz", "MHz", &interconnect_parameters::mhz, 1, most_mhz, false},
    {"latency", "network cycles", &interconnect_parameters::latency, 0, most_cycles, false},
    {"bytes_per_cycle", "bytes/cycle", &interconnect_parameters::bytes_per_cycle, 1, most_bytes, true},
    {"header_bytes", "bytes", &interconnect_parameters::header_bytes, 0, 65'536, false},
    {"queue", "packets", &interconnect_parameters::queue, 1, most_things, true}};

inline constexpr number_row<partition_parameters> partition_rows[] = {
    {"mhz", "MHz", &partition_parameters::mhz, 1, most_mhz, false},
    {"slices", "", &partition_parameters::slices, 1, 256, false},
    {"interleave", "bytes", &partition_parameters::interleave, 1, most_bytes, false},
    {"latency", "L2 cycles", &partition_parameters::latency, 0, most_cycles, false},
    {"queue", "requests", &partition_parameters::queue, 1, most_things, true}};

inline constexpr number_row<dram_parameters> dram_rows[] = {
    {"channels", "", &dram_parameters::channels, 1, 4096, false},
    {"mhz", "MHz", &dram_parameters::mhz, 1, most_mhz, false},
    {"queue", "requests", &dram_parameters::queue, 1, most_things, true},
    {"banks", "", &dram_parameters::banks, 1, 4096, false},
    {"row_bytes", "bytes", &dram_parameters::row_bytes, 1, most_bytes, false},
    {"bytes_per_cycle", "bytes/cycle", &dram_parameters::bytes_per_cycle, 1, most_bytes, true},
    {"burst_bytes", "bytes", &dram_parameters::burst_bytes, 1, 65'536, false},
    {"latency", "core cycles", &dram_parameters::latency, 0, most_cycles, false},
    {"t_cl", "DRAM cycles", &dram_parameters::t_cl, 0, most_cycles, false},
    {"t_wl", "DRAM cycles", &dram_parameters::t_wl, 0, most_cycles, false},
    {"t_rp", "DRAM cycles", &dram_parameters::t_rp, 0, most_cycles, false},
    {"t_rcd", "DRAM cycles", &dram_parameters::t_rcd, 0, most_cycles, false},
    {"t_ras", "DRAM cycles", &dram_parameters::t_ras, 0, most_cycles, false},
    {"t_rc", "DRAM cycles", &dram_parameters::t_rc, 0, most_cycles, false},
    {"t_rrd", "DRAM cycles", &dram_parameters::t_rrd, 0, most_cycles, false},
    {"t_ccd", "DRAM cycles", &dram_parameters::t_ccd, 0, most_cycles, false},
    {"t_cdlr", "DRAM cycles", &dram_parameters::t_cdlr, 0, most_cycles, false},
    {"t_wr", "DRAM cycles", &dram_parameters::t_wr, 0, most_cycles, false}};

template <class Part, std::size_t N>
void append_numbers(std::vector<machine_field>& out, const std::string& prefix, Part& part,
                    const number_row<Part> (&rows)[N]) {
  for (const number_row<Part>& row : rows)
    out.push_back({prefix + row.name, row.unit, &(part.*row.at), row.lowest, row.highest, row.may_be_unlimited});
}

template <class Kind, std::size_t N>
void append_choice(std::vector<machine_field>& out, std::string name, Kind& value, const char* const (&words)[N]) {
  static_assert(sizeof(Kind) == 1);
  machine_field field;
  field.name = std::move(name);
  field.choice = reinterpret_cast<unsigned char*>(&value);
  field.words = words;
  out.push_back(std::move(field));
}

}  // namespace detail

/// Every field of a machine, in the order of the structs. Writing through the pointers changes `m`.
/// Complexity: linear in the number of fields (about 170).
[[nodiscard]] inline std::vector<machine_field> fields(machine& m) {
  std::vector<machine_field> out;
  out.reserve(192);
  out.push_back({});
  out.back().name = "name";
  out.back().text = &m.name;
  detail::append_numbers(out, "core.", m.core, detail::core_rows);
  detail::append_choice(out, "core.registers_by", m.core.registers_by, register_scope_names);
  detail::append_choice(out, "core.scheduler", m.core.scheduler, scheduler_kind_names);
  detail::append_choice(out, "core.block_priority", m.core.block_priority, block_priority_kind_names);
  detail::append_choice(out, "core.scoreboard", m.core.scoreboard, scoreboard_kind_names);
  detail::append_numbers(out, "units.sp.", m.units.sp, detail::unit_rows);
  detail::append_numbers(out, "units.integer.", m.units.integer, detail::unit_rows);
  detail::append_numbers(out, "units.special.", m.units.special, detail::unit_rows);
  detail::append_numbers(out, "units.dp.", m.units.dp, detail::unit_rows);
  detail::append_numbers(out, "units.memory.", m.units.memory, detail::unit_rows);
  for (std::size_t k = 0; k < num_instruction_classes; ++k) {
    const std::string prefix = "operations." + std::string(to_string(static_cast<instruction_class>(k))) + '.';
    detail::append_numbers(out, prefix, m.operations.of[k], detail::operation_rows);
    detail::append_choice(out, prefix + "unit", m.operations.of[k].unit, unit_kind_names);
  }
  detail::append_numbers(out, "shared.", m.shared, detail::shared_rows);
  detail::append_numbers(out, "l1.", m.l1, detail::cache_rows);
  detail::append_numbers(out, "constant.", m.constant, detail::cache_rows);
  detail::append_numbers(out, "texture.", m.texture, detail::cache_rows);
  detail::append_numbers(out, "instruction.", m.instruction, detail::cache_rows);
  detail::append_choice(out, "coherence.stores", m.coherence.stores, store_kind_names);
  detail::append_choice(out, "coherence.volatiles", m.coherence.volatiles, volatile_kind_names);
  detail::append_choice(out, "coherence.copies", m.coherence.copies, copy_kind_names);
  detail::append_numbers(out, "network.", m.network, detail::network_rows);
  detail::append_numbers(out, "partition.", m.partition, detail::partition_rows);
  detail::append_numbers(out, "l2.", m.l2, detail::cache_rows);
  detail::append_numbers(out, "dram.", m.dram, detail::dram_rows);
  return out;
}

/// The value of a field as text: a number in decimal digits, "unlimited", the word of an enumerator, or the text.
[[nodiscard]] inline std::string value_text(const machine_field& field) {
  if (field.text != nullptr) return *field.text;
  if (field.choice != nullptr) return *field.choice < field.words.size() ? field.words[*field.choice] : "";
  return *field.number == unlimited && field.may_be_unlimited ? "unlimited" : std::to_string(*field.number);
}

/// Gives a field the value that a text states: decimal digits with or without a suffix K (1024) or M (1024 * 1024),
/// `unlimited` where the field may be, a word of an enumeration (`-` stands for `_`), or any text for the name.
/// \returns what is wrong, as one sentence; empty: the field has its value. A wrong text changes nothing.
[[nodiscard]] inline std::string assign(const machine_field& field, std::string_view text) {
  const std::string shown = "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "...'" : "'");
  if (field.text != nullptr) {
    *field.text = std::string(text);
    return {};
  }
  if (field.choice != nullptr) {
    std::string word(text.substr(0, 64));
    for (char& c : word)
      if (c == '-') c = '_';
    std::string all;
    for (std::size_t i = 0; i < field.words.size(); ++i) {
      if (word == field.words[i]) {
        *field.choice = static_cast<unsigned char>(i);
        return {};
      }
      all += (i == 0 ? "" : ", ") + std::string(field.words[i]);
    }
    return field.name + " is one of " + all + ", not " + shown;
  }
  if (text == "unlimited") {
    if (!field.may_be_unlimited) return field.name + " needs a number, not 'unlimited'";
    *field.number = unlimited;
    return {};
  }
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (value <= unlimited) value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  const std::string_view suffix = text.substr(at);
  if (at == 0 || !(suffix.empty() || suffix == "K" || suffix == "M"))
    return field.name + " needs a number, optionally with K or M, not " + shown;
  if (value <= unlimited) value <<= suffix.empty() ? 0U : suffix == "K" ? 10U : 20U;
  if (value < field.lowest || value > field.highest)
    return field.name + " is from " + std::to_string(field.lowest) + " to " + std::to_string(field.highest) +
           (*field.unit == 0 ? "" : ' ' + std::string(field.unit)) + (field.may_be_unlimited ? " or unlimited" : "") +
           ", not " + shown;
  *field.number = static_cast<std::uint32_t>(value);
  return {};
}

/// The sentence for a name that no field has: "no field 'l1.sze' (did you mean l1.size?)". A part of a machine is told
/// from a wrong word. Complexity: linear in the number of fields.
[[nodiscard]] inline std::string unknown_field(std::span<const machine_field> known, std::string_view name) {
  std::vector<std::string> names;
  names.reserve(known.size());
  const std::string shown = "'" + std::string(name.substr(0, 60)) + (name.size() > 60 ? "...'" : "'");
  const std::string part = std::string(name.substr(0, 64)) + '.';
  for (const machine_field& field : known) {
    if (field.name.starts_with(part)) return shown + " is a part of a machine: name a field, such as " + field.name;
    names.push_back(field.name);
  }
  return "no field " + shown + simtflow::detail::did_you_mean(name, names);
}

/// Changes one field: `set(m, "l1.size=16K")`. assign() says which values there are.
/// \returns the diagnostic of a text that is no assignment, of an unknown field (with the nearest name) or of a wrong
/// value, without a place; empty: done. A wrong text changes nothing. diagnose() (machine_check.hpp) finds values that
/// do not fit together. Complexity: linear in the number of fields.
[[nodiscard]] inline diagnostics set(machine& m, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    return {{{}, "'" + std::string(assignment.substr(0, 60)) + "' is not of the form FIELD=VALUE"}};
  const std::string_view name = assignment.substr(0, equals);
  const std::vector<machine_field> all = fields(m);
  for (const machine_field& field : all)
    if (field.name == name) {
      if (std::string why = assign(field, assignment.substr(equals + 1)); !why.empty()) return {{{}, std::move(why)}};
      return {};
    }
  return {{{}, unknown_field(all, name)}};
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

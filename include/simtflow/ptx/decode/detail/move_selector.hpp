// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations of mov between registers: a copy, the elements of a vector, or one register and its parts.
#pragma once

#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class move_selector {
 public:
  move_selector(operation_writer& w, value_writer& v) : w_(w), v_(v) {}

  void move(const operation& o, std::span<const operand> given) {
    if (o.width > 1) {
      move_vector(o, given);
    } else if (has_parts(given)) {
      move_parts(o, given);
    } else {
      const slot_ref to = w_.register_slot(given[0]);
      const slot_ref from = w_.value(given[1], o.type);
      w_.copy(to, from);
      if (info(o.type).size == 16) w_.copy(w_.upper_half(to), w_.upper_half(from));
    }
  }
  // True if one side is a list of parts.
  static bool has_parts(std::span<const operand> given) {
    return given[0].kind == operand_kind::vector || given[1].kind == operand_kind::vector;
  }

 private:
  // mov.v2, mov.v4: all elements are read before any is written.
  void move_vector(const operation& o, std::span<const operand> given) {
    const std::span<const operand> to = w_.elements_of(given[0]), from = w_.elements_of(given[1]);
    slots_.clear();
    for (const operand& e : from) slots_.push_back(w_.value(e, o.type));
    const auto slot_of = [&](const operand& e) { return e.kind == operand_kind::sink ? no_slot : w_.register_slot(e); };
    for (std::size_t n = 1; n < slots_.size(); ++n)
      for (std::size_t before = 0; before < n; ++before)
        if (slots_[n] == slot_of(to[before])) {
          const slot_ref kept = v_.scratch(w_.is_wide_type(o.type), n);
          w_.copy(kept, slots_[n]);
          slots_[n] = kept;
        }
    for (std::size_t n = 0; n < slots_.size(); ++n)
      if (slot_of(to[n]) != no_slot) w_.copy(slot_of(to[n]), slots_[n]);
  }

  void move_parts(const operation& o, std::span<const operand> given) {
    const bool pack = given[1].kind == operand_kind::vector;
    const operand& parts = pack ? given[1] : given[0];
    const operand& whole = pack ? given[0] : given[1];
    const std::uint32_t size = info(o.type).size / parts.count;
    const scalar_type t = size == 2 ? scalar_type::b16 : size == 4 ? scalar_type::b32 : scalar_type::b64;
    slots_.clear();
    for (const operand& e : w_.elements_of(parts))
      slots_.push_back(e.kind == operand_kind::sink ? no_slot : w_.value(e, t));
    const slot_ref all = pack ? w_.register_slot(whole) : w_.value(whole, o.type);
    const std::span<const slot_ref> list(slots_);
    if (info(o.type).size < 16) {
      parts_of(pack, size, all, list);
      return;
    }
    parts_of(pack, size, all, list.first(list.size() / 2));
    parts_of(pack, size, w_.upper_half(all), list.last(list.size() / 2));
  }
  // One slot from its parts or the other way round, the lowest first.
  void parts_of(bool pack, std::uint32_t size, slot_ref whole, std::span<const slot_ref> parts) {
    if (parts.size() == 1) {
      if (parts[0] != no_slot) w_.copy(pack ? whole : parts[0], pack ? parts[0] : whole);
      return;
    }
    decoded_op op = w_.start(pack ? op_kind::pack : op_kind::unpack);
    op.count = static_cast<std::uint8_t>(parts.size());
    op.size = static_cast<std::uint8_t>(size);
    op.list = w_.add_list(parts);
    (pack ? op.result : op.source[0]) = whole;
    w_.append(op);
  }

  operation_writer& w_;
  value_writer& v_;
  std::vector<slot_ref> slots_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

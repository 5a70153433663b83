// SPDX-License-Identifier: BSL-1.0
//
// Texture and surface instructions.
#pragma once

#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/texture_operation.hpp>
#include <simtflow/ptx/text/detail/texture_rules.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class texture_decoder {
 public:
  texture_decoder(decode_context& in, operation_writer& w) : in_(in), w_(w) {}

  void decode(const instruction& i, const operation& o) {
    const auto given = in_.text().operands_of(i);
    const bool stores = o.name == mnemonic::sust || o.name == mnemonic::sured;
    texture_operation t;
    t.what = o.name;
    t.geometry = o.geometry;
    t.level = o.level;
    t.query = o.query;
    t.clamp = o.clamp;
    t.component =
        o.name == mnemonic::tld4 ? static_cast<std::uint8_t>(o.component - 1) : static_cast<std::uint8_t>(o.opaque);
    const bool surface = stores || o.name == mnemonic::suld;
    t.integers = surface ? o.addressing == 'p' : o.source == scalar_type::s32;
    lists_.clear();
    decoded_op op;
    const operand& data = given[stores ? 1 : 0];
    if (o.name == mnemonic::istypep) {
      op.source[0] = w_.value(given[1], scalar_type::u64);
      op.second = in_.registers()[data.index];
    } else {
      const operand& place = given[stores ? 0 : 1];
      add_data(data, o.type);
      op.count = static_cast<std::uint8_t>(lists_.size());
      if (data.second != no_index) op.second = in_.registers()[data.second];
      add_place(place, o, t, op);
      const std::uint32_t along = t.coordinates - (t.has_layer() ? 1U : 0U);
      if (t.level == texture_level::level)
        lists_.push_back(w_.value(given[2], o.name == mnemonic::txq ? scalar_type::u32 : o.source));
      if (t.level == texture_level::grad) {
        add_coordinates(given[2], o.source, along);
        add_coordinates(given[3], o.source, along);
      }
    }
    decoded_op written = w_.start(stores ? op_kind::surface : op_kind::texture);
    written.space = state_space::global;
    written.source[0] = op.source[0];
    written.source[1] = op.source[1];
    written.second = op.second;
    written.count = o.name == mnemonic::istypep ? std::uint8_t{0} : op.count;
    written.type = o.type;
    written.atomic = o.atomic;
    written.size = static_cast<std::uint8_t>(info(o.type).size);
    written.second_offset = packed(t);
    written.list = w_.add_list(std::span<const slot_ref>(lists_));
    w_.append(written);
  }

 private:
  void add_data(const operand& data, scalar_type type) {
    const auto add = [&](const operand& e) {
      lists_.push_back(e.kind == operand_kind::sink ? no_slot : w_.value(e, type));
    };
    if (data.kind == operand_kind::vector)
      for (const operand& e : w_.elements_of(data)) add(e);
    else
      add(data);
  }

  void add_place(const operand& place, const operation& o, texture_operation& t, decoded_op& op) {
    if (place.kind == operand_kind::address) {
      operand name = place;
      name.kind = place.base;
      op.source[0] = handle(name);
      return;
    }
    const std::span<const operand> parts = w_.elements_of(place);
    op.source[0] = handle(parts[0]);
    if (parts.size() == 3) op.source[1] = handle(parts[1]);
    t.coordinates = static_cast<std::uint8_t>(coordinates_of(o.geometry));
    const operand& point = parts.back();
    if (t.has_layer()) {
      lists_.push_back(w_.value(w_.elements_of(point)[0], scalar_type::u32));
      for (const operand& e : w_.elements_of(point).subspan(1, t.coordinates - 1U))
        lists_.push_back(w_.value(e, o.source));
    } else {
      add_coordinates(point, o.source, t.coordinates);
    }
  }

  void add_coordinates(const operand& point, scalar_type type, std::uint32_t n) {
    if (point.kind != operand_kind::vector)
      lists_.push_back(w_.value(point, type));
    else
      for (const operand& e : w_.elements_of(point).first(n)) lists_.push_back(w_.value(e, type));
  }

  // The slot of a handle, or of the address of a reference. A parameter of the kernel holds a handle itself.
  slot_ref handle(const operand& o) {
    if (o.kind != operand_kind::parameter) return w_.value(o, in_.address_type());
    decoded_op load = w_.start(op_kind::load);
    load.space = state_space::param;
    load.size = 8;
    operand address = o;
    address.kind = operand_kind::address;
    address.base = operand_kind::parameter;
    w_.address(load, address);
    const slot_ref to = w_.fresh(true);
    load.list = w_.add_list(std::span<const slot_ref>(&to, 1));
    w_.append(load);
    return to;
  }

  decode_context& in_;
  operation_writer& w_;
  std::vector<slot_ref> lists_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The operands of texture and surface instructions in brackets: the texture, a sampler, coordinates.
//
// A texture or surface is a register of 64 bits (32 with addresses of 32 bits), a variable or a parameter of the proper
// opaque type. Coordinates are 1, 2 or 4, as many as the geometry needs or more: old PTX always writes four.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Texture Instructions", "Surface Instructions".
#pragma once

#include <simtflow/ptx/text/detail/operand_checker.hpp>
#include <simtflow/ptx/text/detail/texture_rules.hpp>
#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class texture_checker {
 public:
  texture_checker(verifier_context& c, operand_checker& operands) : c_(c), operands_(operands) {}

  /// Checks an operand in brackets: a texture alone for queries, with coordinates for the others.
  void texture(const instruction& i, const operation& o, const operand& given) {
    if (o.name == mnemonic::txq) {
      if (given.kind != operand_kind::address || given.bits != 0)
        c_.fail(given.where, "'" + i.opcode + "' takes a texture or a surface in brackets here");
      else
        handle(i, o, given.base, given, false);
      return;
    }
    const std::span<const operand> parts = c_.function.elements_of(given);
    const bool samples = o.name == mnemonic::tex || o.name == mnemonic::tld4;
    if (given.kind != operand_kind::texture || parts.size() < 2 || parts.size() > (samples ? 3U : 2U)) {
      c_.fail(given.where,
              "'" + i.opcode + "' takes [" + (samples ? "texture, coordinates" : "surface, coordinates") + "] here");
      return;
    }
    handle(i, o, parts[0].kind, parts[0], false);
    if (parts.size() == 3) handle(i, o, parts[1].kind, parts[1], true);
    point(i, o, parts.back());
  }

  /// Checks derivatives: one for each coordinate that is no layer.
  void gradient(const instruction& i, const operation& o, const operand& given) {
    const bool cube = o.geometry == texture_geometry::cube || o.geometry == texture_geometry::acube;
    const std::uint32_t least = coordinates_of(o.geometry) - (is_layered(o.geometry) ? 1 : 0);
    if (given.kind != operand_kind::vector)
      c_.fail(given.where, "'" + i.opcode + "' takes a vector of derivatives here");
    else
      vector(i, o, given, cube ? 3 : least, false);
  }

 private:
  void point(const instruction& i, const operation& o, const operand& given) {
    vector(i, o, given, coordinates_of(o.geometry), is_layered(o.geometry));
  }

  void vector(const instruction& i, const operation& o, const operand& given, std::uint32_t least, bool layered) {
    const bool fits = given.kind == operand_kind::vector
                          ? given.count >= least && (given.count == 1 || given.count == 2 || given.count == 4)
                          : least <= 1;
    if (!fits) {
      c_.fail(given.where, "'" + i.opcode + "' takes " + std::to_string(least == 3 ? 4 : least) +
                               (least == 1 ? " coordinate here" : " coordinates here"));
      return;
    }
    const expected_operand wanted{role::source, o.source, false};
    if (given.kind != operand_kind::vector) {
      element(i, o, given, wanted);
      return;
    }
    bool first = layered;
    for (const operand& e : c_.function.elements_of(given)) {
      element(i, o, e, first ? expected_operand{role::source, scalar_type::b32, false} : wanted);
      first = false;
    }
  }
  void element(const instruction& i, const operation& o, const operand& e, const expected_operand& wanted) {
    if (e.kind == operand_kind::unknown)
      c_.fail(e.where, "unknown name '" + c_.function.names[e.index] + "'");
    else
      operands_.one_operand(i, o, e, wanted);
  }

  void handle(const instruction& i, const operation& o, operand_kind kind, const operand& given, bool is_sampler) {
    const bool surface = o.name == mnemonic::suld || o.name == mnemonic::sust || o.name == mnemonic::sured ||
                         (o.name == mnemonic::txq && o.opaque == opaque_type::surfref);
    const opaque_type wanted = is_sampler ? opaque_type::samplerref
                               : surface  ? opaque_type::surfref
                                          : opaque_type::texref;
    const std::string what(is_sampler ? "sampler" : surface ? "surface" : "texture");
    switch (kind) {
      case operand_kind::unknown:
        c_.fail(given.where, "unknown name '" + c_.function.names[given.index] + "'");
        return;
      case operand_kind::reg: {
        const register_info& r = c_.function.registers[given.index];
        const scalar_info t = info(r.type);
        const bool narrow = t.size == 4 && c_.function.address_size == 32;
        if ((t.size != 8 && !narrow) || t.kind == type_class::floating || given.bits != 0)
          c_.fail(given.where, "register '" + r.name + "' is " + type_name(r.type) + ": no " + what);
        return;
      }
      case operand_kind::module_variable:
      case operand_kind::parameter: {
        const variable& v =
            kind == operand_kind::parameter ? c_.function.parameters[given.index] : c_.module.variables[given.index];
        const bool query_of_sampler = o.name == mnemonic::txq && v.opaque == opaque_type::samplerref && !surface;
        if (o.query == texture_query::force_unnormalized_coords && v.opaque != opaque_type::samplerref)
          c_.fail(given.where, "'" + v.name + "' is no sampler");
        else if (v.opaque == opaque_type::none || (v.opaque != wanted && !query_of_sampler) || given.bits != 0)
          c_.fail(given.where, "'" + v.name + "' is no " + what);
        else if (kind == operand_kind::parameter && !c_.function.is_entry)
          c_.fail(given.where, "parameter '" + v.name + "' of a function is no " + what);
        return;
      }
      default:
        c_.fail(given.where, "'" + i.opcode + "' takes a " + what + " here");
        return;
    }
  }

  verifier_context& c_;
  operand_checker& operands_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

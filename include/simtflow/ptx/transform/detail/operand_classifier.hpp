// SPDX-License-Identifier: BSL-1.0
//
// How operands of instructions that become one can be melded: what each place of an instruction takes.
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Ways of melding an operand of two instructions that is not the same in both.
enum class operand_shape : std::uint8_t {
  fixed,      // nothing: it must be the same
  result,     // a register that is written
  value,      // a register or a constant of 16, 32 or 64 bits: selp
  predicate,  // a predicate register, negated or not
  address,    // in brackets, a register or the name of a variable as base
  vector      // element by element
};

// An operand, as its instruction takes it.
struct operand_facts {
  operand_shape shape = operand_shape::fixed;
  std::uint32_t bits = 0;  // of a value, an address, a result
  bool written = false;    // of a vector: its elements are results
  expected_operand element{};
};

// Facts about operands of one function.
class operand_classifier {
 public:
  explicit operand_classifier(const function& f) : f_(&f) {}

  [[nodiscard]] operand_facts facts(const operand& o, const expected_operand& wanted, const operation& of) const {
    switch (wanted.what) {
      case role::result:
      case role::result_predicate:
      case role::result_and_predicate:
        return of.name == mnemonic::mov && o.kind == operand_kind::vector ? vector_of(o, of, true) : written(o, wanted);
      case role::loaded:
        if (o.second != no_index) return {};
        return o.kind == operand_kind::vector ? operand_facts{operand_shape::vector, 0, true, wanted}
                                              : written(o, wanted);
      case role::stored:
      case role::source:
        if (o.kind == operand_kind::vector)
          return of.name == mnemonic::mov && of.width == 1 ? vector_of(o, of, false)
                                                           : operand_facts{operand_shape::vector, 0, false, wanted};
        return value(o, wanted);
      case role::predicate:
        return value(o, wanted);
      case role::address:
        return address(o, of);
      case role::pointer:
        return o.kind == operand_kind::reg ? operand_facts{operand_shape::value, bits_of(o.index), false, wanted}
                                           : operand_facts{};
      case role::texture:
      case role::coordinates:
      case role::factor:
      case role::target:
        return {};
    }
    return {};
  }
  // The same for an element of a vector.
  [[nodiscard]] operand_facts element(const operand& e, const operand_facts& vector) const {
    return vector.written ? written(e, vector.element) : value(e, vector.element);
  }

 private:
  [[nodiscard]] std::uint32_t bits_of(std::uint32_t reg) const { return 8 * info(f_->registers[reg].type).size; }

  static operand_facts vector_of(const operand& o, const operation& of, bool written) {
    const std::uint32_t part = info(of.type).size / (o.count == 0 ? 1 : o.count);
    expected_operand e;
    e.what = written ? role::result : role::source;
    e.type = part == 2 ? scalar_type::b16 : part == 4 ? scalar_type::b32 : scalar_type::b64;
    return {operand_shape::vector, 0, written, e};
  }
  [[nodiscard]] operand_facts written(const operand& o, const expected_operand& wanted) const {
    if (o.kind == operand_kind::sink && o.second == no_index) return {};
    if (o.selector != no_index) return {};
    // No mov moves bytes or vectors from one register to another.
    if (o.kind == operand_kind::reg && (bits_of(o.index) == 8 || f_->registers[o.index].width != 1)) return {};
    return {operand_shape::result, o.kind == operand_kind::reg ? bits_of(o.index) : 0, true, wanted};
  }
  [[nodiscard]] operand_facts value(const operand& o, const expected_operand& wanted) const {
    const std::uint32_t size = info(wanted.type).size;
    const auto sized = [&](std::uint32_t bits) {
      const bool known = bits == 16 || bits == 32 || bits == 64;
      return known ? operand_facts{operand_shape::value, bits, false, wanted} : operand_facts{};
    };
    if (o.selector != no_index || (o.negated && wanted.type != scalar_type::pred)) return {};
    switch (o.kind) {
      case operand_kind::reg:
        if (o.bits != 0) return {};  // a sum
        if (f_->registers[o.index].type == scalar_type::pred)
          return wanted.type == scalar_type::pred ? operand_facts{operand_shape::predicate, 0, false, wanted}
                                                  : operand_facts{};
        return sized(bits_of(o.index));
      case operand_kind::integer:
        return sized(8 * size);
      case operand_kind::single:
        return size == 4 ? sized(32) : operand_facts{};
      case operand_kind::real:
        return size == 8 ? sized(64) : operand_facts{};
      default:
        return {};
    }
  }
  [[nodiscard]] operand_facts address(const operand& o, const operation& of) const {
    if (of.space == state_space::param || o.kind != operand_kind::address) return {};
    if (o.base == operand_kind::reg) return {operand_shape::address, bits_of(o.index), false, {}};
    // A name tells an instruction on generic addresses which memory is meant; a register would not.
    if (of.space == state_space::generic) return {};
    if (o.base == operand_kind::variable || o.base == operand_kind::module_variable)
      return {operand_shape::address, f_->address_size, false, {}};
    return {};
  }

  const function* f_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

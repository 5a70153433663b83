// SPDX-License-Identifier: BSL-1.0
//
// Selects what video instructions (vadd ... vset4) take besides their operands: the word that says what to do with
// which parts, and packed operands in place.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/video.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class video_selector {
 public:
  video_selector(operation_writer& w, value_writer& v) : w_(w), v_(v) {}

  // The word that video_code packs.
  std::uint32_t word(const operation& o, std::span<const operand> given) {
    video_code v;
    v.name = static_cast<video_code::what>(static_cast<std::uint8_t>(o.name) -
                                           static_cast<std::uint8_t>(mnemonic::vadd));  // in the same order
    v.second = o.atomic == atomic_op::add   ? video_code::merge::add
               : o.atomic == atomic_op::min ? video_code::merge::min
               : o.atomic == atomic_op::max ? video_code::merge::max
                                            : video_code::merge::none;
    v.lanes = o.width;
    v.result_signed = o.type == scalar_type::s32;
    v.a_signed = o.source == scalar_type::s32;
    v.b_signed = o.third == scalar_type::s32;
    v.sat = o.sat;
    v.wrap = o.wrap;
    v.compare = o.compare;
    v.scale = o.scale;
    v.plus_one = o.plus_one;
    v.product_negated = given[1].negated != given[2].negated;
    v.c_negated = given.size() > 3 && given[3].negated;
    if (o.width > 1) {
      v.target = mask_of(w_.selector_of(given[0]), o.width);
      return v.word();
    }
    v.target = part_number(w_.selector_of(given[0]));
    v.a_part = part_number(w_.selector_of(given[1]));
    v.b_part = part_number(w_.selector_of(given[2]));
    return v.word();
  }

  // Puts in place what packed instructions select from both operands; an operand without a selector stays as it is.
  void gather(decoded_op& op, std::span<const operand> given) {
    const slot_ref both[2] = {op.source[0], op.source[1]};
    for (std::size_t n = 0; n < 2; ++n) {
      const std::string_view chosen = w_.selector_of(given[n + 1]);
      if (chosen.empty()) continue;
      operation permute;
      permute.name = mnemonic::prmt;
      permute.type = scalar_type::b32;
      const lane_code code = code_of(permute, true);
      decoded_op pick = w_.start(code.light != nullptr ? op_kind::light : op_kind::each);
      pick.light = code.light;
      pick.each = code.each;
      pick.result = op.source[n] = v_.scratch(false, n);
      pick.source[0] = both[0];
      pick.source[1] = both[1];
      pick.source[2] = w_.literal(false, gather_control(chosen));
      pick.source[3] = w_.literal(false, 0);
      w_.append(pick);
    }
  }

 private:
  operation_writer& w_;
  value_writer& v_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

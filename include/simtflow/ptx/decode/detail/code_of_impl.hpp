// SPDX-License-Identifier: BSL-1.0
//
// The implementation of code_of.hpp: operations by name, or by type.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/compare_code.hpp>
#include <simtflow/ptx/decode/detail/conversion_code.hpp>
#include <simtflow/ptx/decode/detail/float_code.hpp>
#include <simtflow/ptx/decode/detail/integer_code.hpp>
#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/machine/values/bits.hpp>
#include <simtflow/ptx/machine/values/cluster.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/mbarrier.hpp>
#include <simtflow/ptx/machine/values/packed_integers.hpp>
#include <simtflow/ptx/machine/values/permute.hpp>
#include <simtflow/ptx/machine/values/video.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

SIMTFLOW_INLINE lane_code code_of(const operation& o, bool uniform) {
  using namespace detail;  // NOLINT: the functions above
  switch (o.name) {
    case mnemonic::not_:
      return for_bits(o.type, []<class T>() { return light<&i_not<T>>(); });
    case mnemonic::cnot:
      return for_bits(o.type, []<class T>() { return light<&i_cnot<T>>(); });
    case mnemonic::and_:
      return for_bits(o.type, []<class T>() { return light<&i_and<T>>(); });
    case mnemonic::or_:
      return for_bits(o.type, []<class T>() { return light<&i_or<T>>(); });
    case mnemonic::xor_:
      return for_bits(o.type, []<class T>() { return light<&i_xor<T>>(); });
    case mnemonic::shl:
    case mnemonic::shr:
      return uniform ? shift_code<true>(o) : shift_code<false>(o);
    case mnemonic::shf:
      if (o.left) return o.wrap ? light<&funnel<true, true>>() : light<&funnel<true, false>>();
      return o.wrap ? light<&funnel<false, true>>() : light<&funnel<false, false>>();
    case mnemonic::lop3:
      return {uniform ? &lop3_uniform : &lanes<&lop3>::light, nullptr};
    case mnemonic::slct:
      return for_bits(o.type, [&]<class T>() {
        return o.source == scalar_type::f32 ? light<&select_by_sign<T, float>>()
                                            : light<&select_by_sign<T, std::int32_t>>();
      });
    case mnemonic::cvt:
      return convert_code(o);
    case mnemonic::clz:
      return info(o.type).size == 4 ? each<&i_clz<std::uint32_t>>() : each<&i_clz<std::uint64_t>>();
    case mnemonic::popc:
      return info(o.type).size == 4 ? light<&popc32>() : each<&i_popc<std::uint64_t>>();
    case mnemonic::brev:
      return info(o.type).size == 4 ? each<&i_brev<std::uint32_t>>() : each<&i_brev<std::uint64_t>>();
    case mnemonic::bfi:
      return info(o.type).size == 4 ? each<&i_bfi<std::uint32_t>>() : each<&i_bfi<std::uint64_t>>();
    case mnemonic::prmt:
      return uniform ? lane_code{&prmt_uniform, nullptr} : each<&prmt>();
    case mnemonic::bmsk:
      return o.wrap ? light<&bit_mask<true>>() : light<&bit_mask<false>>();
    case mnemonic::szext:
      if (o.type == scalar_type::s32)
        return o.wrap ? light<&sign_extend<std::int32_t, true>>() : light<&sign_extend<std::int32_t, false>>();
      return o.wrap ? light<&sign_extend<std::uint32_t, true>>() : light<&sign_extend<std::uint32_t, false>>();
    case mnemonic::mbarrier_pending_count:
      return each<&mbarrier_pending_count>();
    case mnemonic::fns:
      return each<&find_nth_set>();
    case mnemonic::mapa:
      return info(o.type).size == 4 ? light<&address_in_cluster<std::uint32_t>>()
                                    : light<&address_in_cluster<std::uint64_t>>();
    case mnemonic::getctarank:
      return info(o.type).size == 4 ? light<&rank_in_cluster<std::uint32_t>>()
                                    : light<&rank_in_cluster<std::uint64_t>>();
    case mnemonic::dp2a:
    case mnemonic::dp4a:
      return dot_code(o);
    case mnemonic::cvt_pack:
      return light<&pack_saturated>();
    default:
      if (is_video(o)) return each<&video>();
      if (o.type == scalar_type::f16 || o.type == scalar_type::f16x2) return half_code<f16_format>(o);
      if (o.type == scalar_type::bf16 || o.type == scalar_type::bf16x2) return half_code<bf16_format>(o);
      if (o.type == scalar_type::u16x2 || o.type == scalar_type::s16x2) return pairs_code(o);
      return info(o.type).kind == type_class::floating ? float_code(o) : integer_code(o);
  }
}

SIMTFLOW_INLINE carry_code carry_code_of(const operation& o) {
  const bool is_signed = info(o.type).kind == type_class::signed_integer;
  return info(o.type).size == 8 ? detail::carry_typed<std::uint64_t>(o, is_signed)
                                : detail::carry_typed<std::uint32_t>(o, is_signed);
}
SIMTFLOW_INLINE compare_code test_code_of(const operation& o) {
  return o.type == scalar_type::f64 ? detail::test_typed<double>(o.test) : detail::test_typed<float>(o.test);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

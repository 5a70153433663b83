// SPDX-License-Identifier: BSL-1.0
//
// The implementation of decode/decode.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/decode/detail/decoder.hpp>
#include <simtflow/ptx/text/checked_function.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {

SIMTFLOW_INLINE result<decoded_kernel> decode(const checked_function& k) {
  SIMTFLOW_EXPECTS(k.text().is_entry, "a kernel is decoded");
  return detail::decoder(k.owner(), k.text(), &k).run();
}

SIMTFLOW_INLINE result<decoded_kernel> decode(const module& m, const kernel& k) { return detail::decoder(m, k).run(); }

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Kernels from text for the tests of ptx/.
#pragma once

#include "ptx/support.hpp"
#include <simtflow/ptx/decode.hpp>

#include <utility>

namespace ptx_test {

/// The first kernel of a text that must be in order.
inline ptx::decoded_kernel decoded(std::string_view text) {
  const ptx::parse_result r = ptx::parse(text);
  REQUIRE_MESSAGE(r.ok(), text_of(r.diagnostics));
  REQUIRE(!r.module.kernels.empty());
  ptx::decode_result d = ptx::decode(r.module, r.module.kernels.front());
  REQUIRE_MESSAGE(d.ok(), text_of(d.diagnostics));
  return std::move(d.kernel);
}

}  // namespace ptx_test

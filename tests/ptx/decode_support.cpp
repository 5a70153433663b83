// SPDX-License-Identifier: BSL-1.0
#include "ptx/decode_support.hpp"

#include <simtflow/ptx/decode/decode.hpp>

#include <utility>

namespace simtflow_tests {

diagnostics findings(std::string_view text) {
  const ptx::detail::module_text r = ptx::detail::read_module(text);
  diagnostics all = r.diagnostics;
  for (const diagnostic& d : ptx::diagnose(r.module)) all.push_back(d);
  return all;
}

ptx::decoded_kernel decoded(std::string_view text) {
  const auto r = ptx::parse(text);
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()));
  REQUIRE(!r->kernels.empty());
  auto d = ptx::decode(*r, r->kernels.front());
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  return *std::move(d);
}

}  // namespace simtflow_tests

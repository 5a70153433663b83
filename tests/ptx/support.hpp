// SPDX-License-Identifier: BSL-1.0
//
// Texts, their diagnostics and modules, for the tests of ptx/ where nothing runs. ptx/run_support.hpp runs kernels.
#pragma once

#include <simtflow/fwd.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow_tests {

using namespace simtflow;

inline constexpr std::string_view header = ".version 9.0\n.target sm_75\n.address_size 64\n";

/// "line 3, column 5: message" of each diagnostic, one a line.
inline std::string text_of(const diagnostics& list) {
  std::string s;
  for (const diagnostic& d : list) s += to_string(d) + "\n";
  return s;
}

/// The diagnostics of a text: the parser's, then its kernels'.
diagnostics diagnostics_in(std::string_view text);

/// The module of a text that must be in order.
ptx::module module_of(std::string_view text);

/// The first kernel of a text that must be in order.
ptx::decoded_kernel decoded(std::string_view text);

/// A kernel "k" around a body, with parameters `in` and `out` (addresses) and `n` (.u32).
inline std::string kernel_text(std::string_view body) {
  return std::string(header) + ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" +
         std::string(body) + "\n}\n";
}

using random_bits = simtflow::testing::rng;

}  // namespace simtflow_tests

// SPDX-License-Identifier: BSL-1.0
//
// Shared by the tests of ptx/ where nothing runs: texts and their diagnostics.
#pragma once

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
diagnostics findings(std::string_view text);

/// A kernel "k" around a body, with parameters `in` and `out` (addresses) and `n` (.u32).
inline std::string kernel_text(std::string_view body) {
  return std::string(header) + ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" +
         std::string(body) + "\n}\n";
}

using random_bits = simtflow::testing::rng;

}  // namespace simtflow_tests

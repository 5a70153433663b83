// SPDX-License-Identifier: BSL-1.0
//
// The state that the parts of the verifier share.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline std::string type_name(scalar_type t) { return std::string(1, '.').append(info(t).name); }
inline std::string plural(std::uint32_t n) { return std::to_string(n) + (n == 1 ? " operand" : " operands"); }

/// The function that is verified, and the diagnostics about it.
struct verifier_context {
  const ptx::module& module;
  const ptx::function& function;
  diagnostics found{};

  void fail(position where, std::string message) { add_diagnostic(found, where, std::move(message)); }
  void wrong_number(const instruction& i, std::uint32_t wanted) {
    fail(i.where, "'" + i.opcode + "' takes " + plural(wanted) + ", not " + std::to_string(i.num_operands));
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

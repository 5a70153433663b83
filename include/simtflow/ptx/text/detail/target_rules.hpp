// SPDX-License-Identifier: BSL-1.0
//
// The target and the PTX version that an instruction needs, as far as they are checked: where they decide what the
// instruction means, and for the instructions on mbarriers, copies in bulk and clusters.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, "PTX ISA Notes" and "Target ISA Notes" of each instruction.
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// A target such as 90 for sm_90, and a PTX version such as 708 for 7.8.
struct target_need {
  std::uint32_t architecture = 0;
  std::uint32_t version = 0;
};

/// The needs of an instruction.
///
/// \param o its operation
/// \param opcode its spelling
/// \param operands how many it has
/// \param discards whether its result is _
constexpr target_need need_of(const operation& o, std::string_view opcode, std::uint32_t operands, bool discards) {
  target_need need;
  const auto at_least = [&](std::uint32_t architecture, std::uint32_t version) {
    if (need.architecture < architecture) need.architecture = architecture;
    if (need.version < version) need.version = version;
  };
  const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
  if (has(".bulk") && opcode.substr(0, 3) == "cp.") at_least(90, 800);
  if (has("::cta")) at_least(0, 708);
  if (has("::cluster") || has("barrier.cluster")) at_least(90, 708);
  switch (o.name) {
    case mnemonic::alloca_:
    case mnemonic::stacksave:
    case mnemonic::stackrestore:
      at_least(52, 703);
      break;
    case mnemonic::createpolicy:
      at_least(80, 704);
      break;
    case mnemonic::mbarrier_arrive:
    case mnemonic::mbarrier_arrive_drop:
      at_least(80, 700);
      if (o.form == mbarrier_form::expect_tx) at_least(90, 800);
      if (operands > 2 && o.form != mbarrier_form::no_complete) at_least(90, 708);
      if (discards) at_least(80, 701);
      break;
    case mnemonic::mbarrier_wait:
      at_least(80, o.form == mbarrier_form::parity ? 701 : 700);
      if (row_of(o).name == "mbarrier.try_wait") at_least(90, 708);
      break;
    case mnemonic::mbarrier_expect_tx:
    case mnemonic::mbarrier_complete_tx:
      at_least(90, 800);
      break;
    case mnemonic::mbarrier_init:
    case mnemonic::mbarrier_inval:
    case mnemonic::mbarrier_pending_count:
    case mnemonic::cp_async_arrive:
      at_least(80, 700);
      break;
    case mnemonic::bulk_copy:
      if (opcode.substr(0, 25) == "cp.async.bulk.shared::cta") at_least(90, 806);
      break;
    default:
      break;
  }
  return need;
}

/// A version as the text writes it: "7.8" for 708.
inline std::string version_text(std::uint32_t version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

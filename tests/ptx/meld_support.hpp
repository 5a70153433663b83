// SPDX-License-Identifier: BSL-1.0
//
// Shared by tests of melding: kernels run before and after, with their memory and the instructions that warps issue.
#pragma once

#include "ptx/module_equality.hpp"
#include "ptx/support.hpp"
#include "ptx/two_armed_kernels.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow_tests {

ptx::module parsed_module(std::string_view text);

/// It makes sense, and reads back as it is.
void check_well_formed(const ptx::module& m, const ptx::function& f, const std::string& why);

struct two_armed_run {
  std::vector<unsigned char> out;
  std::uint64_t warp_instructions = 0, divergent_branches = 0;
};

enum class machine { pdom, thread_frontier, lane_serial };

/// A two_armed_kernel, or what has become of it.
two_armed_run run_two_armed(const ptx::module& m, const ptx::function& f, machine how, const std::string& says);

}  // namespace simtflow_tests

// SPDX-License-Identifier: BSL-1.0
//
// The parts that users have registered (lab/lab.hpp), as the tool reads them.
#pragma once

#include <simtflow/timing/machine.hpp>

#include <span>
#include <string>
#include <string_view>

namespace lab {

/// A registered machine.
struct own_machine {
  std::string name, summary;
  simtflow::timing::machine machine;
};

/// In the order of their registration.
[[nodiscard]] std::span<const own_machine> own_machines();

/// No more registrations from now on: they would come too late. \throws input_error with all that was wrong with those
/// before.
void close_registrations();

}  // namespace lab

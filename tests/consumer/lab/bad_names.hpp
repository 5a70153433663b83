// SPDX-License-Identifier: BSL-1.0
//
// Registrations that are refused when the tool starts.
#pragma once

#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/timing/machines.hpp>

#include <lab/lab.hpp>

inline const bool refused[] = {
    lab::register_policy<simtflow::policies::lane_serial>("tf"),
    lab::register_policy<simtflow::policies::lane_serial>(""),
    lab::register_machine("volta", "", simtflow::timing::machines::volta()),
};
inline const lab::reference twice("figure1", [](lab::host_launch&) {});

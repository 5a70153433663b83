// SPDX-License-Identifier: BSL-1.0
//
// The version of simtflow. This file is the only place where it is written: the build reads it from here.
#pragma once

/// @{
/// The parts of the version, for the preprocessor; version_number says what they mean.
#define SIMTFLOW_VERSION_MAJOR 0
#define SIMTFLOW_VERSION_MINOR 1
#define SIMTFLOW_VERSION_PATCH 0
/// @}

namespace simtflow {
inline namespace v0 {

/// A release number. While the major number is 0, a change of the minor number may break sources.
struct version_number {
  int major_number;  ///< raised when sources that compiled may not compile any more (from 1 on)
  int minor_number;  ///< raised when something is added; while major_number is 0, also when something breaks
  int patch_number;  ///< raised for repairs only
  friend constexpr bool operator==(const version_number&, const version_number&) = default;
};

/// The version of the headers this translation unit was compiled with.
inline constexpr version_number version{SIMTFLOW_VERSION_MAJOR, SIMTFLOW_VERSION_MINOR, SIMTFLOW_VERSION_PATCH};

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Under the address sanitizer everything takes ten times as long: tests of all graphs of a size look at a sample there.
#pragma once

namespace simtflow_tests {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace simtflow_tests

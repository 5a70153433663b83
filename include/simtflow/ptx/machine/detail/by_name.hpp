// SPDX-License-Identifier: BSL-1.0
//
// A table by name that is asked with views.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

struct name_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
};
template <class T>
using by_name = std::unordered_map<std::string, T, name_hash, std::equal_to<>>;

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

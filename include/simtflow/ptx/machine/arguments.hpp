// SPDX-License-Identifier: BSL-1.0
//
// The arguments of a kernel's launch, as the host gives them.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The arguments of one launch, by the parameters of a kernel. A value that does not fit is reported and sets nothing.
class arguments {
 public:
  /// None is set.
  explicit arguments(const decoded_kernel& k) : parameters_(k.parameters), offsets_(k.parameter_offsets) {
    bytes_.assign(static_cast<std::size_t>(k.parameter_bytes), 0);
    given_.assign(parameters_.size(), 0);
  }

  /// The number of the kernel's parameters.
  [[nodiscard]] std::size_t size() const { return parameters_.size(); }

  /// The parameter of that name; no_index if there is none.
  [[nodiscard]] std::uint32_t index(std::string_view name) const {
    for (std::uint32_t i = 0; i < parameters_.size(); ++i)
      if (parameters_[i].name == name) return i;
    return no_index;
  }

  /// An arithmetic value or a structure of exactly the parameter's size. An integer does not fit a floating-point
  /// parameter, nor the other way round.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  bool set(std::uint32_t i, const T& value) {
    if (!exists(i)) return false;
    const type_class kind = info(parameters_[i].type).kind;
    const bool array = parameters_[i].size != info(parameters_[i].type).size;
    if constexpr (std::is_floating_point_v<T>) {
      if (!array && (kind == type_class::signed_integer || kind == type_class::unsigned_integer))
        return fail(i, "is ." + std::string(info(parameters_[i].type).name) + ", not a floating-point number");
    } else if constexpr (std::is_integral_v<T>) {
      if (!array && kind == type_class::floating)
        return fail(i, "is ." + std::string(info(parameters_[i].type).name) + ", not an integer");
    }
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    return set_bytes(i, raw);
  }

  /// The parameter's bytes.
  bool set_bytes(std::uint32_t i, std::span<const unsigned char> raw) {
    if (!exists(i)) return false;
    if (raw.size() != parameters_[i].size)
      return fail(i, "has " + std::to_string(parameters_[i].size) + " bytes, not " + std::to_string(raw.size()));
    if (!raw.empty()) std::memcpy(bytes_.data() + offsets_[i], raw.data(), raw.size());
    given_[i] = 1;
    return true;
  }

  /// Diagnostics about values that did not fit, and about parameters that are missing.
  [[nodiscard]] simtflow::diagnostics diagnostics() const {
    simtflow::diagnostics all = diagnostics_;
    for (std::uint32_t i = 0; i < parameters_.size(); ++i)
      if (given_[i] == 0)
        add_diagnostic(all, parameters_[i].where,
                       "parameter " + std::to_string(i) + " '" + parameters_[i].name + "' has no value");
    return all;
  }
  /// True if every parameter has a value that fits.
  [[nodiscard]] bool ok() const { return diagnostics().empty(); }

  /// All parameters as the kernel reads them.
  [[nodiscard]] std::span<const unsigned char> bytes() const { return bytes_; }

 private:
  bool exists(std::uint32_t i) {
    if (i < parameters_.size()) return true;
    add_diagnostic(
        diagnostics_, {},
        "there is no parameter " + std::to_string(i) + "; the kernel has " + std::to_string(parameters_.size()));
    return false;
  }
  bool fail(std::uint32_t i, const std::string& what) {
    add_diagnostic(diagnostics_, parameters_[i].where,
                   "parameter " + std::to_string(i) + " '" + parameters_[i].name + "' " + what);
    return false;
  }

  std::vector<variable> parameters_;
  std::vector<std::uint64_t> offsets_;
  std::vector<unsigned char> bytes_;
  std::vector<unsigned char> given_;
  simtflow::diagnostics diagnostics_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

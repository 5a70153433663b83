// SPDX-License-Identifier: BSL-1.0
//
// Device memory and kernel arguments as the host sees them.
//
// Global memory is a set of allocations. Each starts at a multiple of 256 bytes, and at least 4 KiB that belong to
// nobody lie between any two, so an access that runs out of one faults instead of landing in the next. Addresses depend
// only on the sequence of allocations: two memories that are filled alike hold pointers of equal value. A memory can be
// copied; the copy is independent.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/decoded_kernel.hpp>
#include <simtflow/ptx/module.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A piece of global or constant memory.
struct allocation {
  std::string name;                  ///< as given; several may have one name
  std::uint64_t address = 0;         ///< generic address of its first byte, a multiple of 256
  bool constant = false;             ///< kernels may not write
  std::vector<unsigned char> bytes;  ///< what it holds
  friend bool operator==(const allocation&, const allocation&) = default;
};

/// Global and constant memory.
class device_memory {
 public:
  /// A new allocation, all zero: its address.
  /// \pre the bytes fit behind the last allocation's. Complexity: O(bytes), amortised.
  std::uint64_t allocate(std::uint64_t bytes, std::string name, bool constant = false) {
    const std::uint64_t address = next_;
    SIMTFLOW_EXPECTS(bytes <= ~std::uint64_t{0} - guard_bytes - granularity - address, "the bytes fit the addresses");
    first_of_name_.try_emplace(name, list_.size());
    allocation a{std::move(name), address, constant, {}};
    a.bytes.assign(static_cast<std::size_t>(bytes), 0);
    list_.push_back(std::move(a));
    next_ = (address + bytes + guard_bytes + granularity - 1) / granularity * granularity;
    return address;
  }

  /// An allocation that holds the values.
  template <class T>
    requires std::is_trivially_copyable_v<T> std::uint64_t allocate_copy(std::span<const T> values, std::string name) {
      const std::uint64_t address = allocate(values.size_bytes(), std::move(name));
      if (!values.empty()) std::memcpy(list_.back().bytes.data(), values.data(), values.size_bytes());
      return address;
    }

  /// Host access; false, and nothing happens, if the bytes are not all in one allocation.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  bool write(std::uint64_t address, std::span<const T> values) {
    const std::size_t a = index_of(address, values.size_bytes());
    if (a == none) return false;
    if (!values.empty())
      std::memcpy(list_[a].bytes.data() + (address - list_[a].address), values.data(), values.size_bytes());
    return true;
  }
  /// Host access; false, and `values` stay as they are, if the bytes are not all in one allocation.
  template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>)
  bool read(std::uint64_t address, std::span<T> values) const {
    const std::size_t a = index_of(address, values.size_bytes());
    if (a == none) return false;
    if (!values.empty())
      std::memcpy(values.data(), list_[a].bytes.data() + (address - list_[a].address), values.size_bytes());
    return true;
  }

  /// No allocation.
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The allocation that holds all of [address, address + bytes); none if there is none. O(log allocations).
  [[nodiscard]] std::size_t index_of(std::uint64_t address, std::uint64_t bytes) const {
    const std::size_t a = at_or_below(address);
    if (a == none) return none;
    const std::uint64_t offset = address - list_[a].address;
    const std::uint64_t size = list_[a].bytes.size();
    return offset <= size && bytes <= size - offset ? a : none;
  }
  /// The last allocation that starts at or below an address; none if there is none.
  [[nodiscard]] std::size_t at_or_below(std::uint64_t address) const {
    std::size_t low = 0;
    std::size_t high = list_.size();
    while (low < high) {
      const std::size_t mid = low + (high - low) / 2;
      if (list_[mid].address <= address)
        low = mid + 1;
      else
        high = mid;
    }
    return low == 0 ? none : low - 1;
  }

  /// Every allocation, by address.
  [[nodiscard]] std::span<const allocation> allocations() const { return list_; }
  /// The same, to be written to. Do not change names, addresses and sizes.
  [[nodiscard]] std::span<allocation> allocations() { return list_; }

  /// The first allocation of that name; null if there is none. O(1) on average.
  [[nodiscard]] const allocation* find(std::string_view name) const {
    const auto found = first_of_name_.find(name);
    return found == first_of_name_.end() ? nullptr : &list_[found->second];
  }

  /// Where a module's variable lives; 0 if it was not loaded. O(1) on average.
  [[nodiscard]] std::uint64_t symbol(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? 0 : found->second;
  }

  /// Makes allocations for the variables of a kernel that have none yet and fills in their initial values. Variables
  /// that are there already keep what they hold. O(variables, their bytes and addresses in their initialisers).
  void load(std::span<const variable> variables) {
    std::vector<const variable*> fresh;
    for (const variable& v : variables) {
      if (symbol(v.name) != 0) continue;
      const std::uint64_t address = allocate(v.size, v.name, v.space == state_space::constant);
      symbols_.emplace(v.name, address);
      if (!v.initial.empty()) std::memcpy(list_.back().bytes.data(), v.initial.data(), v.initial.size());
      fresh.push_back(&v);
    }
    for (const variable* v : fresh) {
      allocation& a = list_[at_or_below(symbol(v->name))];
      for (const relocation& r : v->relocations) {
        const std::uint64_t value = (symbol(r.symbol) + r.addend) >> r.shift;
        for (std::uint32_t i = 0; i < r.size && r.offset + i < a.bytes.size(); ++i)
          a.bytes[static_cast<std::size_t>(r.offset + i)] = static_cast<unsigned char>(value >> (8 * i));
      }
    }
  }

  friend bool operator==(const device_memory&, const device_memory&) = default;

 private:
  struct name_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };
  template <class T>
  using by_name = std::unordered_map<std::string, T, name_hash, std::equal_to<>>;

  static constexpr std::uint64_t granularity = 256;
  static constexpr std::uint64_t guard_bytes = 4096;
  std::vector<allocation> list_;
  by_name<std::size_t> first_of_name_;
  by_name<std::uint64_t> symbols_;
  std::uint64_t next_ = first_global_address;
};

/// The arguments of one launch, by the parameters of a kernel. A set that does not fit is a finding and sets nothing.
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

  /// What did not fit, and the parameters that are missing.
  [[nodiscard]] simtflow::diagnostics diagnostics() const {
    simtflow::diagnostics all = findings_;
    for (std::uint32_t i = 0; i < parameters_.size(); ++i)
      if (given_[i] == 0)
        add_finding(all, parameters_[i].where,
                    "parameter " + std::to_string(i) + " '" + parameters_[i].name + "' has no value");
    return all;
  }
  /// Whether every parameter has a value that fits.
  [[nodiscard]] bool ok() const { return diagnostics().empty(); }

  /// All parameters as the kernel reads them.
  [[nodiscard]] std::span<const unsigned char> bytes() const { return bytes_; }

 private:
  bool exists(std::uint32_t i) {
    if (i < parameters_.size()) return true;
    add_finding(
        findings_, {},
        "there is no parameter " + std::to_string(i) + "; the kernel has " + std::to_string(parameters_.size()));
    return false;
  }
  bool fail(std::uint32_t i, const std::string& what) {
    add_finding(findings_, parameters_[i].where,
                "parameter " + std::to_string(i) + " '" + parameters_[i].name + "' " + what);
    return false;
  }

  std::vector<variable> parameters_;
  std::vector<std::uint64_t> offsets_;
  std::vector<unsigned char> bytes_;
  std::vector<unsigned char> given_;
  simtflow::diagnostics findings_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

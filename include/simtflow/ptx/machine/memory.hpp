// SPDX-License-Identifier: BSL-1.0
//
// Device memory as the host sees it.
//
// Global memory is a set of allocations. Each starts at a multiple of 256 bytes, and at least 4 KiB that belong to no
// allocation lie between any two, so an access past the end of one faults instead of reaching the next. A memory never
// gives an address twice, even after the allocation there was freed: an access to freed memory faults. So addresses
// depend only on the sequence of allocations, and pointers have the same values in memories that were filled alike. A
// memory can be copied; the copy is independent.
//
// Modules are loaded into a memory. Each module has its own variables, even if another one uses the same names, and its
// own function addresses, which are the same for all kernels of the module. An interpreter loads what its kernel needs;
// load(module) loads everything.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/detail/by_name.hpp>
#include <simtflow/ptx/machine/detail/device_variables.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

static_assert(std::endian::native == std::endian::little, "device memory is little-endian");

/// A piece of global or constant memory.
struct allocation {
  std::string name;                  ///< as given; several may have one name
  std::uint64_t address = 0;         ///< generic address of its first byte, a multiple of 256
  bool constant = false;             ///< kernels may not write
  std::vector<unsigned char> bytes;  ///< what it holds
  bool of_module = false;            ///< a variable of a module
  friend bool operator==(const allocation&, const allocation&) = default;
};

/// Global and constant memory.
class device_memory {
 public:
  /// A new allocation, all zero: its address.
  /// \pre the bytes fit after the last allocation. Complexity: O(bytes), amortised.
  std::uint64_t allocate(std::uint64_t bytes, std::string name, bool constant = false) {
    const std::uint64_t address = next_;
    SIMTFLOW_EXPECTS(bytes <= ~std::uint64_t{0} - guard_bytes - granularity - address, "the bytes fit the addresses");
    first_of_name_.try_emplace(name, address);
    allocation a{std::move(name), address, constant, {}};
    a.bytes.assign(static_cast<std::size_t>(bytes), 0);
    list_.push_back(std::move(a));
    next_ = (address + bytes + guard_bytes + granularity - 1) / granularity * granularity;
    return address;
  }

  /// Frees an allocation: accesses to it fault from now on, and its addresses are never used again. Returns an empty
  /// string, or in words why nothing was freed: the address is not the beginning of an allocation, the allocation was
  /// freed before, or it is a variable of a module. Freeing address 0 does nothing and is no error.
  /// Complexity: O(allocations). \pre no interpreter on this memory lives.
  [[nodiscard]] std::string free(std::uint64_t address) {
    if (address == 0) return {};
    const std::string here = "address " + detail::hexadecimal(address) + " ";
    const std::size_t a = at_or_below(address);
    if (a == none || address != list_[a].address) {
      if (const std::string gone = freed_at(address); !gone.empty()) return here + "is " + gone;
      if (a == none || address - list_[a].address >= list_[a].bytes.size())
        return here + "is not the beginning of an allocation";
      return here + "is byte " + std::to_string(address - list_[a].address) + " of '" + list_[a].name +
             "', not its beginning";
    }
    if (list_[a].of_module) return here + "is variable '" + list_[a].name + "' of a module";
    const auto named = first_of_name_.find(list_[a].name);
    if (named->second == address) {
      std::size_t other = a + 1;
      while (other < list_.size() && list_[other].name != list_[a].name) ++other;
      if (other < list_.size())
        named->second = list_[other].address;
      else
        first_of_name_.erase(named);
    }
    if (freed_.size() == 2 * freed_kept) freed_.erase(freed_.begin(), freed_.begin() + freed_kept);
    freed_.push_back({std::move(list_[a].name), address, list_[a].bytes.size()});
    list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(a));
    return {};
  }

  /// Describes a freed address: "byte 4 of 'x', which was freed". Empty if nothing was freed there, or more than a
  /// thousand allocations have been freed since. O(freed allocations that are remembered).
  [[nodiscard]] std::string freed_at(std::uint64_t address) const {
    for (const freed& f : freed_)
      if (address - f.address < (f.bytes == 0 ? 1 : f.bytes))
        return "byte " + std::to_string(address - f.address) + " of '" + f.name + "', which was freed";
    return {};
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
    const std::size_t above =
        simtflow::detail::first_without(0, list_.size(), [&](std::size_t a) { return list_[a].address <= address; });
    return above == 0 ? none : above - 1;
  }

  /// Every allocation, by address.
  [[nodiscard]] std::span<const allocation> allocations() const { return list_; }
  /// The same, to be written to. Do not change names, addresses and sizes.
  [[nodiscard]] std::span<allocation> allocations() { return list_; }

  /// The first allocation of that name; null if there is none. O(log allocations) on average.
  [[nodiscard]] const allocation* find(std::string_view name) const {
    const auto found = first_of_name_.find(name);
    return found == first_of_name_.end() ? nullptr : &list_[at_or_below(found->second)];
  }

  /// The address of a module's .global or .const variable, also of one that is declared inside a function; 0 if it is
  /// not loaded. O(1) on average.
  [[nodiscard]] std::uint64_t symbol(module_id m, std::string_view name) const {
    const auto loaded = modules_.find(m);
    if (loaded == modules_.end()) return 0;
    const auto found = loaded->second.symbols.find(name);
    return found == loaded->second.symbols.end() ? 0 : found->second;
  }

  /// The address of a device function in kernels of its module: to pass as an argument, or to compare with what a
  /// kernel has stored. 0 if nothing of the module is loaded, or the module has fewer functions. An alias has the
  /// address of the function that it stands for: pass the index of that function. O(1) on average.
  [[nodiscard]] std::uint64_t function_address(module_id m, std::uint32_t function) const {
    const auto loaded = modules_.find(m);
    if (loaded == modules_.end() || function >= loaded->second.functions) return 0;
    return loaded->second.code + code_stride * (std::uint64_t{function} + 1);
  }
  /// The index of the function of a module at an address; no_index if there is none. O(1) on average.
  [[nodiscard]] std::uint32_t function_at(module_id m, std::uint64_t address) const {
    const auto loaded = modules_.find(m);
    if (loaded == modules_.end() || address <= loaded->second.code) return no_index;
    const std::uint64_t bytes = address - loaded->second.code;
    if (bytes % code_stride != 0 || bytes / code_stride > loaded->second.functions) return no_index;
    return static_cast<std::uint32_t>(bytes / code_stride - 1);
  }
  /// The loaded module that has a function at an address; id 0 if there is none. O(modules).
  [[nodiscard]] module_id module_at(std::uint64_t address) const {
    for (const auto& [m, loaded] : modules_)
      if (function_at(m, address) != no_index) return m;
    return {};
  }

  /// Loads all .global and .const variables of a module and gives its functions addresses. Loaded variables keep their
  /// contents. Nothing is loaded if there is a diagnostic: an initialiser takes the address of something without one,
  /// or two variables have one name. .extern variables are not loaded: a kernel that names one is not decoded.
  /// Complexity: linear in the variables, their bytes, the addresses in their initialisers and the functions.
  [[nodiscard]] simtflow::diagnostics load(const module& m) {
    simtflow::diagnostics wrong;
    const std::vector<variable> all = detail::device_variables(m, wrong);
    if (wrong.empty()) load(m.id, static_cast<std::uint32_t>(m.functions.size()), all);
    return wrong;
  }

  /// Loads the variables of its module that a kernel reaches. An interpreter does that itself.
  /// Complexity: as for a module.
  void load(const decoded_kernel& k) {
    load(k.from_module, static_cast<std::uint32_t>(k.function_at.size()), k.globals);
  }

  /// True if both have the same allocations at the same addresses, and would place the next one at the same address.
  friend bool operator==(const device_memory& a, const device_memory& b) {
    return a.list_ == b.list_ && a.next_ == b.next_;
  }

 private:
  template <class T>
  using by_name = detail::by_name<T>;

  struct loaded_module {
    std::uint64_t code = 0;       // the addresses of its functions follow it
    std::uint32_t functions = 0;  // how many have addresses
    by_name<std::uint64_t> symbols;
  };
  struct freed {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  struct id_hash {
    std::size_t operator()(module_id m) const noexcept { return static_cast<std::size_t>(m); }
  };

  // \pre initialisers take addresses only of these variables, and of functions given by number.
  void load(module_id id, std::uint32_t functions, std::span<const variable> variables) {
    const auto [at, fresh_module] = modules_.try_emplace(id);
    loaded_module& loaded = at->second;
    if (fresh_module) {
      SIMTFLOW_EXPECTS(functions < (first_global_address - next_code_) / code_stride, "addresses for all functions");
      loaded.code = next_code_;
      loaded.functions = functions;
      next_code_ += code_stride * (std::uint64_t{functions} + 1);
    }
    SIMTFLOW_EXPECTS(loaded.functions == functions, "copies of a module have the same functions");
    std::vector<const variable*> fresh;
    for (const variable& v : variables) {
      if (loaded.symbols.find(std::string_view(v.name)) != loaded.symbols.end()) continue;
      loaded.symbols.emplace(v.name, allocate(v.size, v.name, v.space == state_space::constant));
      list_.back().of_module = true;
      if (!v.initial.empty()) std::memcpy(list_.back().bytes.data(), v.initial.data(), v.initial.size());
      fresh.push_back(&v);
    }
    for (const variable* v : fresh) {
      allocation& a = list_[at_or_below(symbol(id, v->name))];
      for (const relocation& r : v->relocations) {
        const std::uint64_t target = r.function != no_index ? function_address(id, r.function) : symbol(id, r.symbol);
        const std::uint64_t value = (target + r.addend) >> r.shift;
        for (std::uint32_t i = 0; i < r.size && r.offset + i < a.bytes.size(); ++i)
          a.bytes[static_cast<std::size_t>(r.offset + i)] = static_cast<unsigned char>(value >> (8 * i));
      }
    }
  }

  static constexpr std::ptrdiff_t freed_kept = 1024;  // between this many and twice as many are kept
  static constexpr std::uint64_t granularity = 256;
  static constexpr std::uint64_t guard_bytes = 4096;
  std::vector<allocation> list_;
  by_name<std::uint64_t> first_of_name_;  // the address of its first allocation
  std::unordered_map<module_id, loaded_module, id_hash> modules_;
  std::vector<freed> freed_;  // the last allocations freed, for messages
  std::uint64_t next_ = first_global_address;
  std::uint64_t next_code_ = code_window;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

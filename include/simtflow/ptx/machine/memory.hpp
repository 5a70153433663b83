// SPDX-License-Identifier: BSL-1.0
//
// Device memory as the host sees it.
//
// Global memory is a set of allocations. Each starts at a multiple of 256 bytes, and at least 4 KiB that belong to no
// allocation lie between any two, so an access past the end of one faults instead of reaching the next. A memory never
// gives an address twice, even after the allocation there was freed: an access to freed memory faults. So addresses
// depend only on the sequence of allocations, and pointers have the same values in memories that were filled alike.
//
// The host can lend its own memory: its address on the device is its address on the host, and nothing is copied. The
// memory decides neither where borrowed bytes lie nor what lies next to them: leave a gap of 4 KiB between two loans
// for the same protection. Borrowed addresses may come again, as the host's do. Host and kernels see each other's
// writes; nobody else may access the bytes while a grid runs.
//
// A memory can be copied. The copy is independent, of the host also: it owns a copy of borrowed bytes at their
// addresses, so a kernel does the same on the copy and leaves the host alone. Memories are compared by what they hold.
//
// Modules are loaded into a memory. Each module has its own variables, even if another one uses the same names, and its
// own function addresses, which are the same for all kernels of the module. An interpreter loads what its kernel needs;
// load(module) loads everything.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/allocation.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/detail/allocation_table.hpp>
#include <simtflow/ptx/machine/detail/device_variables.hpp>
#include <simtflow/ptx/machine/detail/freed_allocations.hpp>
#include <simtflow/ptx/machine/detail/module_addresses.hpp>
#include <simtflow/ptx/machine/device_heap.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

static_assert(std::endian::native == std::endian::little, "device memory is little-endian");

/// Global and constant memory. Interpreters on the memory may live while allocations come and go, if none of them runs.
class device_memory {
 public:
  /// A new allocation, all zero.
  /// \param bytes its size
  /// \param name of it, for messages and find()
  /// \param constant true if kernels may not write
  /// \returns its address; 0, and nothing is allocated, if the host has no such amount of memory.
  /// Complexity: O(log allocations), amortised; bytes that nobody touches cost nothing.
  std::uint64_t allocate(std::uint64_t bytes, std::string name, bool constant = false) {
    const std::uint32_t slot = table_.add_zeros(bytes, std::move(name), constant);
    return slot == no_index ? 0 : table_.places()[slot].address;
  }

  /// Borrows memory of the host until free(): the address on the device is the address on the host.
  /// \param host the bytes, which live until free() or as long as the memory
  /// \param name of the allocation, for messages and find()
  /// \returns an empty string; or in words why it cannot be: there is no byte, or an address belongs to an allocation
  /// or lies below first_global_address. Complexity: O(log allocations).
  [[nodiscard]] std::string borrow(std::span<unsigned char> host, std::string name) {
    return table_.add_at(address_of(host), memory_bytes::borrowed(host), std::move(name));
  }

  /// A new allocation at a chosen address, all zero: for memory with pointers that was recorded elsewhere.
  /// \param address of its first byte \param bytes its size \param name of the allocation, for messages and find()
  /// \returns as borrow(). Complexity: O(log allocations); bytes that nobody touches cost nothing.
  [[nodiscard]] std::string allocate_at(std::uint64_t address, std::uint64_t bytes, std::string name) {
    memory_bytes zeros = memory_bytes::zeros(static_cast<std::size_t>(bytes));
    if (zeros.size() != bytes) return "the host has no such amount of memory";
    return table_.add_at(address, std::move(zeros), std::move(name));
  }

  /// Frees an allocation: accesses to it fault from now on, and its addresses are never used again. Borrowed bytes go
  /// back to the host as they are. Freeing address 0 does nothing and is no error.
  /// \param address of its first byte
  /// \returns an empty string, or in words why nothing was freed: the address is not the beginning of an allocation,
  /// the allocation was freed before, or it is a variable of a module or of the heap. Complexity: O(log allocations).
  [[nodiscard]] std::string free(std::uint64_t address) {
    if (address == 0) return {};
    if (std::string wrong = table_.why_not_beginning(address, freed_); !wrong.empty()) return wrong;
    const std::uint32_t slot = table_.at_or_below(address);
    const allocation& a = table_.places()[slot];
    if (a.of_module) return "address " + detail::hexadecimal(address) + " is variable '" + a.name + "' of a module";
    if (address >= device_heap::first_address)
      return "address " + detail::hexadecimal(address) + " is '" + a.name + "'";
    remove(slot, {});
    return {};
  }

  /// malloc() of a kernel. \param number of the thread in the grid \param block size and owner
  /// \returns the address of zeros; 0 if the heap or the host has no such amount of memory. As allocate().
  [[nodiscard]] std::uint64_t heap_allocate(std::uint64_t number, heap_block block) {
    if (block.bytes > heap_.limit()) return 0;  // whatever the host would give
    std::string name = "malloc() of " + block.owner();
    memory_bytes bytes = memory_bytes::zeros(static_cast<std::size_t>(block.bytes));
    if (bytes.size() != block.bytes) return 0;
    const std::uint64_t address = heap_.enter(number, std::move(block));
    if (address != 0) table_.add({std::move(name), address, false, std::move(bytes), false});
    return address;
  }
  /// free() of a kernel. \param address as of heap_allocate(); 0 does nothing \param owner who frees, for messages
  /// \returns an empty string, or in words why nothing was freed; as free().
  [[nodiscard]] std::string heap_free(std::uint64_t address, std::string owner) {
    if (address == 0) return {};
    if (std::string wrong = table_.why_not_beginning(address, freed_); !wrong.empty()) return wrong;
    const std::uint32_t slot = table_.at_or_below(address);
    if (!heap_.strike(address)) return "'" + table_.places()[slot].name + "' is not of the heap";
    remove(slot, std::move(owner));
    return {};
  }
  /// The books of the heap: its limit, what is in use, what was not freed.
  [[nodiscard]] const device_heap& heap() const { return heap_; }
  /// The same, to set the limit.
  [[nodiscard]] device_heap& heap() { return heap_; }

  /// Describes a freed address: "byte 4 of 'x', which was freed". Empty if an allocation holds the address, nothing was
  /// freed there, or more than a thousand allocations have been freed since. O(freed allocations that are remembered).
  [[nodiscard]] std::string freed_at(std::uint64_t address) const {
    return table_.holding(address, 1) == no_index ? freed_.describe(address) : std::string{};
  }

  /// An allocation that holds the values.
  /// \param values to be copied \param name as for allocate() \returns as allocate()
  template <class T>
    requires std::is_trivially_copyable_v<T> std::uint64_t allocate_copy(std::span<const T> values, std::string name) {
      const std::uint32_t slot = table_.add_zeros(values.size_bytes(), std::move(name), false);
      if (slot == no_index) return 0;
      allocation& a = table_.places()[slot];
      if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), values.size_bytes());
      return a.address;
    }

  /// Host access; false, and nothing happens, if the bytes are not all in one allocation.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  bool write(std::uint64_t address, std::span<const T> values) {
    allocation* a = holding(address, values.size_bytes());
    if (a == nullptr) return false;
    if (!values.empty()) std::memcpy(a->bytes.data() + (address - a->address), values.data(), values.size_bytes());
    return true;
  }
  /// Host access; false, and `values` stay as they are, if the bytes are not all in one allocation.
  template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>)
  bool read(std::uint64_t address, std::span<T> values) const {
    const allocation* a = holding(address, values.size_bytes());
    if (a == nullptr) return false;
    if (!values.empty()) std::memcpy(values.data(), a->bytes.data() + (address - a->address), values.size_bytes());
    return true;
  }

  /// The allocation that holds all of [address, address + bytes); null if there is none. Valid until one is added or
  /// freed. O(log allocations).
  [[nodiscard]] const allocation* holding(std::uint64_t address, std::uint64_t bytes) const {
    return at(table_.holding(address, bytes));
  }
  /// The same, to be written to. Do not change names, addresses and sizes.
  [[nodiscard]] allocation* holding(std::uint64_t address, std::uint64_t bytes) {
    const std::uint32_t slot = table_.holding(address, bytes);
    return slot == no_index ? nullptr : &table_.places()[slot];
  }
  /// The last allocation that starts at or below an address; null if there is none. O(log allocations).
  [[nodiscard]] const allocation* at_or_below(std::uint64_t address) const { return at(table_.at_or_below(address)); }
  /// The first allocation that starts above an address; null if there is none. O(log allocations).
  [[nodiscard]] const allocation* above(std::uint64_t address) const { return at(table_.above(address)); }

  /// Every allocation, by address.
  [[nodiscard]] allocation_range<const allocation> allocations() const { return {table_.places(), table_.order()}; }
  /// The same, to be written to. Do not change names, addresses and sizes.
  [[nodiscard]] allocation_range<allocation> allocations() { return {table_.places(), table_.order()}; }

  /// Every allocation at a place that it keeps as long as it lives; a place without one has no bytes. For users that
  /// remember places: check that the address is still in the allocation.
  [[nodiscard]] std::span<const allocation> places() const { return table_.places(); }
  /// The same, to be written to. Do not change names, addresses and sizes.
  [[nodiscard]] std::span<allocation> places() { return table_.places(); }

  /// Its textures and surfaces: the texels of each lie in an allocation.
  [[nodiscard]] const texture_table& textures() const { return textures_; }
  /// The same, to create and to destroy them. \pre no interpreter on this memory runs.
  [[nodiscard]] texture_table& textures() { return textures_; }

  /// The first allocation of that name, in the order in which they were made; null if there is none. O(1) on average.
  [[nodiscard]] const allocation* find(std::string_view name) const { return at(table_.first_of(name)); }

  /// The address of a module's .global or .const variable, also of one that is declared inside a function; 0 if it is
  /// not loaded. O(1) on average.
  [[nodiscard]] std::uint64_t symbol(module_id m, std::string_view name) const { return modules_.symbol(m, name); }

  /// The address of a device function in kernels of its module: to pass as an argument, or to compare with what a
  /// kernel has stored. 0 if nothing of the module is loaded, or the module has fewer functions. An alias has the
  /// address of the function that it stands for: pass the index of that function. O(1) on average.
  [[nodiscard]] std::uint64_t function_address(module_id m, std::uint32_t function) const {
    return modules_.function_address(m, function);
  }
  /// The index of the function of a module at an address; no_index if there is none. O(1) on average.
  [[nodiscard]] std::uint32_t function_at(module_id m, std::uint64_t address) const {
    return modules_.function_at(m, address);
  }
  /// The loaded module that has a function at an address; id 0 if there is none. O(modules).
  [[nodiscard]] module_id module_at(std::uint64_t address) const { return modules_.module_at(address); }

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

  /// Lets a variable that is not loaded yet lie in the host's memory, as borrow(): a managed variable.
  /// \param m its module
  /// \param name of the variable
  /// \param host its bytes, exactly as many as the variable has; loading gives them their initial values
  /// \returns as borrow(). \pre the variable is not loaded.
  [[nodiscard]] std::string place(module_id m, std::string_view name, std::span<unsigned char> host) {
    SIMTFLOW_EXPECTS(symbol(m, name) == 0, "a variable is placed before it is loaded");
    std::string wrong = borrow(host, std::string(name));
    if (!wrong.empty()) return wrong;
    table_.places()[table_.at_or_below(address_of(host))].of_module = true;
    modules_.of(m).on_the_host.insert_or_assign(std::string(name), address_of(host));
    return {};
  }

  /// Frees the variables of a module; those that were placed go back to the host. The addresses of its functions stay
  /// valid. Loading it again gives the variables new addresses. \param m the module; nothing happens if it is unknown
  void unload(module_id m) {
    for (const std::uint64_t address : modules_.forget_variables(m)) remove(table_.at_or_below(address), {});
  }

  /// True if both have the same allocations at the same addresses, and would place the next one at the same address.
  friend bool operator==(const device_memory& a, const device_memory& b) { return a.table_ == b.table_; }

 private:
  [[nodiscard]] const allocation* at(std::uint32_t slot) const {
    return slot == no_index ? nullptr : &table_.places()[slot];
  }
  static std::uint64_t address_of(std::span<unsigned char> host) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data()));
  }

  void remove(std::uint32_t slot, std::string by) {
    allocation a = table_.remove(slot);
    freed_.add(std::move(a.name), a.address, a.bytes.size(), std::move(by));
  }

  // \pre initialisers take addresses only of these variables, and of functions given by number.
  void load(module_id id, std::uint32_t functions, std::span<const variable> variables) {
    detail::module_addresses::loaded& loaded = modules_.of(id, functions);
    std::vector<const variable*> fresh;
    for (const variable& v : variables) {
      if (loaded.symbols.find(std::string_view(v.name)) != loaded.symbols.end()) continue;
      std::uint32_t slot = no_index;
      if (const auto host = loaded.on_the_host.find(std::string_view(v.name)); host != loaded.on_the_host.end())
        slot = table_.at_or_below(host->second);
      else
        slot = table_.add_zeros(v.size, v.name, v.space == state_space::constant);
      SIMTFLOW_EXPECTS(slot != no_index, "the host has memory for the variables of a module");
      allocation& a = table_.places()[slot];
      SIMTFLOW_EXPECTS(a.bytes.size() == v.size, "a variable is placed in as many bytes as it has");
      a.of_module = true;
      if (a.bytes.is_borrowed()) std::memset(a.bytes.data(), 0, a.bytes.size());
      if (!v.initial.empty()) std::memcpy(a.bytes.data(), v.initial.data(), v.initial.size());
      loaded.symbols.emplace(v.name, a.address);
      fresh.push_back(&v);
    }
    for (const variable* v : fresh)
      detail::relocate(*v, id, modules_, table_.places()[table_.at_or_below(symbol(id, v->name))].bytes);
  }

  detail::allocation_table table_;
  detail::freed_allocations freed_;
  detail::module_addresses modules_;
  device_heap heap_;
  texture_table textures_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

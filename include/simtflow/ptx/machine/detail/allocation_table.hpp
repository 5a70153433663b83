// SPDX-License-Identifier: BSL-1.0
//
// The allocations of a memory by slot, by address and by name. An allocation keeps its slot until it is removed; then
// the slot has no bytes until another allocation takes it.
#pragma once

#include <simtflow/ptx/machine/allocation.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/detail/address_index.hpp>
#include <simtflow/ptx/machine/detail/by_name.hpp>
#include <simtflow/ptx/machine/detail/freed_allocations.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory_bytes.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Slots are no_index if there is none.
class allocation_table {
 public:
  // Adds an allocation; returns its slot. \pre its address is the beginning of no other. O(log allocations), amortised.
  std::uint32_t add(allocation a) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
      same_name_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot] = std::move(a);
    order_.insert({slots_[slot].address, slot});
    const auto [named, fresh] = names_.try_emplace(slots_[slot].name, neighbours{slot, slot});
    same_name_[slot] = {};
    if (!fresh) {
      same_name_[slot].before = named->second.after;
      same_name_[named->second.after].after = slot;
      named->second.after = slot;
    }
    return slot;
  }

  // Adds an allocation at an address. Returns an empty string, or in words why it cannot lie there.
  std::string add_at(std::uint64_t address, memory_bytes bytes, std::string name) {
    if (bytes.empty()) return "an allocation has bytes";
    const std::string here = "the memory at " + hexadecimal(address) + " ";
    if (address < first_global_address || bytes.size() > ~std::uint64_t{0} - address)
      return here + "has an address that is none of global memory";
    if (const std::uint32_t other = overlapping(address, bytes.size()); other != no_index)
      return here + "overlaps '" + slots_[other].name + "'";
    add({std::move(name), address, false, std::move(bytes), false});
    return {};
  }

  // A new allocation of its own bytes: its slot; no_index if the host has not the memory, or there are no addresses.
  std::uint32_t add_zeros(std::uint64_t bytes, std::string name, bool constant) {
    std::uint64_t address = next_;
    const auto after = [&](std::uint64_t end) {
      return (end + guard_bytes + granularity - 1) / granularity * granularity;
    };
    constexpr std::uint64_t most = ~std::uint64_t{0} - guard_bytes - granularity;
    if (bytes > most - address || bytes > static_cast<std::size_t>(-1)) return no_index;
    // Borrowed memory may lie in the way.
    for (std::uint32_t other; (other = overlapping(address, bytes + guard_bytes)) != no_index;) {
      address = after(slots_[other].address + slots_[other].bytes.size());
      if (bytes > most - address) return no_index;
    }
    allocation a{std::move(name), address, constant, memory_bytes::zeros(static_cast<std::size_t>(bytes)), false};
    if (a.bytes.size() != bytes) return no_index;
    next_ = after(address + bytes);
    return add(std::move(a));
  }

  // Removes an allocation and returns it. \pre the slot holds one. O(log allocations).
  allocation remove(std::uint32_t slot) {
    const neighbours n = same_name_[slot];
    const auto named = names_.find(slots_[slot].name);
    (n.before == no_index ? named->second.before : same_name_[n.before].after) = n.after;
    (n.after == no_index ? named->second.after : same_name_[n.after].before) = n.before;
    if (named->second.before == no_index) names_.erase(named);
    order_.erase(slots_[slot].address);
    free_.push_back(slot);
    return std::exchange(slots_[slot], {});
  }

  [[nodiscard]] std::span<allocation> places() { return slots_; }
  [[nodiscard]] std::span<const allocation> places() const { return slots_; }
  [[nodiscard]] const address_index& order() const { return order_; }

  // The last allocation that starts at or below an address.
  [[nodiscard]] std::uint32_t at_or_below(std::uint64_t address) const {
    const address_index::entry* e = order_.at_or_below(address);
    return e == nullptr ? no_index : e->number;
  }
  // The first allocation that starts above an address.
  [[nodiscard]] std::uint32_t above(std::uint64_t address) const {
    const address_index::entry* e = order_.above(address);
    return e == nullptr ? no_index : e->number;
  }
  // The allocation that holds all of [address, address + bytes).
  [[nodiscard]] std::uint32_t holding(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint32_t slot = at_or_below(address);
    if (slot == no_index) return no_index;
    const std::uint64_t offset = address - slots_[slot].address;
    const std::uint64_t size = slots_[slot].bytes.size();
    return offset <= size && bytes <= size - offset ? slot : no_index;
  }
  // An allocation that shares an address with a range. \pre the range is not empty.
  [[nodiscard]] std::uint32_t overlapping(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint32_t below = at_or_below(address);
    if (below != no_index && address - slots_[below].address < slots_[below].bytes.size()) return below;
    const std::uint32_t next = above(address);
    return next != no_index && slots_[next].address - address < bytes ? next : no_index;
  }
  // The allocation of that name that was added first. O(1) on average.
  [[nodiscard]] std::uint32_t first_of(std::string_view name) const {
    const auto named = names_.find(name);
    return named == names_.end() ? no_index : named->second.before;
  }

  // The reason, in words, why no allocation begins at an address; empty if one does.
  [[nodiscard]] std::string why_not_beginning(std::uint64_t address, const freed_allocations& freed) const {
    const std::uint32_t slot = at_or_below(address);
    if (slot != no_index && slots_[slot].address == address) return {};
    const std::string here = "address " + hexadecimal(address) + " is ";
    if (holding(address, 1) == no_index) {
      const std::string gone = freed.describe(address);
      return here + (gone.empty() ? "not the beginning of an allocation" : gone);
    }
    const allocation& a = slots_[slot];
    return here + "byte " + std::to_string(address - a.address) + " of '" + a.name + "', not its beginning";
  }

  friend bool operator==(const allocation_table& a, const allocation_table& b) {
    const allocation_range<const allocation> x(a.slots_, a.order_), y(b.slots_, b.order_);
    if (a.next_ != b.next_ || x.size() != y.size()) return false;
    auto j = y.begin();
    for (auto i = x.begin(); i != x.end(); ++i, ++j)
      if (!(*i == *j)) return false;
    return true;
  }

 private:
  static constexpr std::uint64_t granularity = 256;
  static constexpr std::uint64_t guard_bytes = 4096;
  // Neighbours among allocations of one name, in the order of addition; in the table of names, the first and the last.
  struct neighbours {
    std::uint32_t before = no_index, after = no_index;
  };
  std::vector<allocation> slots_;
  std::vector<neighbours> same_name_;  // by slot
  std::vector<std::uint32_t> free_;    // slots
  address_index order_;
  by_name<neighbours> names_;
  std::uint64_t next_ = first_global_address;  // of add_zeros()
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

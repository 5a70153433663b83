// SPDX-License-Identifier: BSL-1.0
//
// The memory of a thread block as its lanes see it: loads, stores, atomics and copies in every state space, with
// generic addresses. Every access is checked for bounds and alignment. Lanes of one operation access memory from low to
// high.
//
//   memory_spaces   which bytes an address names
//   load_store      ld and st
//   atomic_unit     atom and red
//   texture_unit    textures and surfaces
//   bulk_copy_unit  cp.async.bulk and cp.reduce.async.bulk
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "State Spaces".
#pragma once

#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/atomic_unit.hpp>
#include <simtflow/ptx/machine/units/bulk_copy_unit.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/load_store.hpp>
#include <simtflow/ptx/machine/units/mbarrier_unit.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/surface_unit.hpp>
#include <simtflow/ptx/machine/units/texture_unit.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Operations are false, with a fault recorded, if a lane does what cannot be done; lanes before it have done theirs.
class memory_unit {
 public:
  // \pre the thread block and the memory outlive it, and nobody allocates in the memory meanwhile.
  memory_unit(thread_block& block, device_memory& memory, const arguments& args)
      : kernel_(block.kernel), spaces_(block, memory, args) {}

  void begin_block() { spaces_.begin_block(); }
  [[nodiscard]] const memory_spaces& spaces() const { return spaces_; }
  [[nodiscard]] memory_spaces& spaces() { return spaces_; }

  // Other host threads access the same global memory.
  void share(bool shared) { atomics_.share(shared); }

  // ld and st of any vector width.
  template <bool Write>
  bool access(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    return load_store_.access<Write>(spaces_, *kernel_, op, s, mask, full);
  }
  // atom and red.
  bool atomic(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    return atomics_.run(spaces_, *kernel_, op, s, mask);
  }

  // tex, tld4, txq, istypep, suld.
  bool texture(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    return texture_unit::read(spaces_, *kernel_, op, s, mask);
  }
  // sust, sured.
  bool surface(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    return surface_unit::write(spaces_, atomics_, *kernel_, op, s, mask);
  }

  // How many bytes cp.async reads for a lane.
  static std::uint64_t copied_bytes(const decoded_op& op, const lane_set& s, std::size_t i) {
    if ((s.where(op.predicate[0]) >> i & 1U) != 0) return 0;
    const std::uint64_t bytes = op.source[2] == no_slot ? op.size : s.read(op.source[2], i);
    return bytes < op.size ? bytes : op.size;
  }
  // cp.async: a copy from global to shared memory; bytes after the bytes that are read become zero.
  bool copy(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t to[chunk_lanes];
    addresses_of(op, s, to);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = spaces_.resolve(op, s, i, to[i], op.size, true);
      if (p == nullptr) return false;
      const std::uint64_t bytes = copied_bytes(op, s, i);
      std::memset(p, 0, op.size);
      if (bytes == 0) continue;
      const std::uint64_t address = s.read(op.source[1], i) + op.second_offset;
      if ((address & (op.size - 1U)) != 0) {
        spaces_.record(fault_kind::misaligned, op, s, i, address, op.size, state_space::global);
        return false;
      }
      allocation* a = spaces_.allocation_at(op, address);
      if (a == nullptr || address - a->address + bytes > a->bytes.size()) {
        spaces_.record(fault_kind::out_of_bounds, op, s, i, address, static_cast<std::uint32_t>(bytes),
                       state_space::global);
        return false;
      }
      std::memcpy(p, a->bytes.data() + (address - a->address), static_cast<std::size_t>(bytes));
    }
    return true;
  }

  // cp.async.bulk, cp.reduce.async.bulk
  bool copy_in_bulk(const decoded_op& op, const lane_set& s, std::uint32_t mask, mbarrier_unit& mbarriers) {
    return bulk_copies_.run(spaces_, atomics_, mbarriers, op, s, mask);
  }

  // isspacep
  void test_space(const decoded_op& op, const lane_set& s, std::uint32_t mask) const {
    std::uint32_t yes = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t address = s.read(op.source[0], i);
      bool in = false;
      switch (op.space) {
        case state_space::shared:
          in = address - shared_window < window_bytes;
          break;
        case state_space::local:
          in = address - local_window < window_bytes;
          break;
        case state_space::param:
          in = address - param_window < window_bytes;
          break;
        default: {
          const allocation* a = spaces_.global().holding(address, 1);
          const bool constant = a != nullptr && a->constant;
          in = op.space == state_space::constant ? constant : address >= first_global_address && !constant;
          break;
        }
      }
      if (in) yes |= std::uint32_t{1} << i;
    }
    s.write_predicate(op.result, yes, mask);
  }

  // For livelock detection: notes what it holds; whether it holds that again.
  void remember() { spaces_.remember(); }
  [[nodiscard]] bool as_remembered() const { return spaces_.as_remembered(); }

 private:
  const decoded_kernel* kernel_;
  memory_spaces spaces_;
  load_store load_store_;
  atomic_unit atomics_;
  bulk_copy_unit bulk_copies_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

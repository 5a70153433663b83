// SPDX-License-Identifier: BSL-1.0
//
// Tells an observer of memory (simt/observers/memory_metrics.hpp) which addresses lanes are about to access in global
// and shared memory.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/matrix_accesses.hpp>
#include <simtflow/ptx/machine/units/memory_unit.hpp>
#include <simtflow/ptx/machine/units/texture_unit.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {

template <class Mask, class Observer>
class access_reporter {
 public:
  // For groups of so many lanes. \pre the observer outlives it.
  access_reporter(Observer& observer, std::size_t lanes) : observer_(&observer), lanes_(lanes) {}

  // Reports an operation that lanes of a group run next in block b. The lanes lie in `sets`, one for each chunk.
  // `memory` has the textures of kernel `k`.
  void report(const decoded_op& op, std::span<const lane_set> sets, block_id b, const basic_group<Mask>& g,
              const device_memory& memory, const decoded_kernel& k) {
    if (op.kind == op_kind::texture || op.kind == op_kind::surface) return report_texture(op, sets, b, g, memory, k);
    if (op.kind == op_kind::copy_memory) return report_copy(op, sets, b, g);
    if (op.kind == op_kind::matrix_load || op.kind == op_kind::matrix_store) return report_matrix(op, sets, b, g);
    if (op.kind != op_kind::load && op.kind != op_kind::store && op.kind != op_kind::atomic) return;
    if (op.space != state_space::global && op.space != state_space::shared && op.space != state_space::generic) return;
    report_access(op, sets, b, g);
  }

 private:
  void report_access(const decoded_op& op, std::span<const lane_set> sets, block_id b, const basic_group<Mask>& g) {
    Mask global{}, shared{};
    std::uint64_t at[chunk_lanes];
    seen_.resize(lanes_);
    for (const lane_set& s : sets) {
      addresses_of(op, s, at);
      for (std::uint32_t rest = s.mask & s.where(op.guard); rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t lane = s.first_thread - g.first_thread + i;
        seen_[lane] = at[i];
        if (op.space == state_space::shared) {
          shared.set(lane);
        } else if (op.space == state_space::global || at[i] - shared_window >= code_window - shared_window) {
          global.set(lane);
        } else if (at[i] - shared_window < window_bytes) {
          seen_[lane] -= shared_window;
          shared.set(lane);
        }
      }
    }
    const bool store = op.kind != op_kind::load;
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    tell(memory_space::global, store, bytes, global, b, g);
    tell(memory_space::shared, store, bytes, shared, b, g);
  }

  // A matrix: an access for each part of its fragments, in the memory that its lowest lane accesses.
  void report_matrix(const decoded_op& op, std::span<const lane_set> sets, block_id b, const basic_group<Mask>& g) {
    seen_.resize(lanes_);
    for (const lane_set& s : sets) {
      if ((s.mask & s.where(op.guard)) != all_lanes) continue;  // lanes wait for others
      std::uint32_t last = 0, bytes = 0;
      Mask lanes{};
      memory_space space = memory_space::global;
      const auto tell_part = [&] { tell(space, op.kind == op_kind::matrix_store, bytes, lanes, b, g); };
      const auto see = [&](std::uint32_t part, std::uint32_t lane, std::uint64_t address, std::uint32_t size) {
        if (part != last) {
          tell_part();
          lanes = {};
        }
        last = part;
        bytes = size;
        const bool generic_shared = op.space == state_space::generic && address - shared_window < window_bytes;
        space = op.space == state_space::shared || generic_shared ? memory_space::shared : memory_space::global;
        const std::uint32_t number = s.first_thread - g.first_thread + lane;
        seen_[number] = generic_shared ? address - shared_window : address;
        lanes.set(number);
      };
      for_each_matrix_access(op, s, see);
      tell_part();
    }
  }

  // A texture read is a load of the first texel that it reads; sust and sured are stores.
  void report_texture(const decoded_op& op, std::span<const lane_set> sets, block_id b, const basic_group<Mask>& g,
                      const device_memory& memory, const decoded_kernel& k) {
    Mask lanes{};
    std::uint32_t bytes = 0;
    seen_.resize(lanes_);
    for (const lane_set& s : sets)
      for (std::uint32_t rest = s.mask & s.where(op.guard); rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const texture_unit::touched first = texture_unit::first_access(memory, k, op, s, i);
        if (first.bytes == 0) continue;
        const std::uint32_t lane = s.first_thread - g.first_thread + i;
        seen_[lane] = first.address;
        lanes.set(lane);
        bytes = first.bytes;
      }
    tell(memory_space::global, op.kind == op_kind::surface, bytes, lanes, b, g);
  }

  // cp.async is a load from global memory and a store to shared memory.
  void report_copy(const decoded_op& op, std::span<const lane_set> sets, block_id b, const basic_group<Mask>& g) {
    seen_.resize(lanes_);
    for (const bool store : {false, true}) {
      Mask lanes{};
      std::uint64_t at[chunk_lanes];
      for (const lane_set& s : sets) {
        addresses_of(op, s, at);
        for (std::uint32_t rest = s.mask & s.where(op.guard); rest != 0; rest &= rest - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
          if (!store && memory_unit::copied_bytes(op, s, i) == 0) continue;
          const std::uint32_t lane = s.first_thread - g.first_thread + i;
          seen_[lane] = store ? at[i] : s.read(op.source[1], i) + op.second_offset;
          lanes.set(lane);
        }
      }
      tell(store ? memory_space::shared : memory_space::global, store, op.size, lanes, b, g);
    }
  }

  void tell(memory_space space, bool store, std::uint32_t bytes, const Mask& lanes, block_id b,
            const basic_group<Mask>& g) {
    if (lanes.none()) return;
    (*observer_)(
        event::memory_access<Mask>{g.warp, b, space, store, bytes, lanes, std::span<const std::uint64_t>(seen_)});
  }

  Observer* observer_;
  std::size_t lanes_;
  std::vector<std::uint64_t> seen_;  // by lane of the group: addresses
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

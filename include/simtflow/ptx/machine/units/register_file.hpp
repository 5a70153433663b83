// SPDX-License-Identifier: BSL-1.0
//
// The registers of a thread block: 32-bit and 64-bit ones and predicates in arrays of 32 lanes, chunk after chunk;
// which
// lanes have not ended; and the constants, which all chunks share: literals, addresses of variables, special registers
// that are the same in the whole thread block.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Special Registers".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
void fill_with_zeros(std::vector<T>& v) {
  if (!v.empty()) std::memset(v.data(), 0, v.size() * sizeof(T));
}

class register_file {
 public:
  /// \pre the kernel's variables are in the memory; the thread block outlives the registers.
  register_file(const thread_block& block, const device_memory& memory) : block_(&block), kernel_(block.kernel) {
    const std::size_t chunks = std::size_t{block.groups} * block.chunks_per_group;
    file32_.assign(chunks * kernel_->slots32 * chunk_lanes, 0);
    file64_.assign(chunks * kernel_->slots64 * chunk_lanes, 0);
    predicates_.assign(chunks * kernel_->predicates, 0);
    live_.assign(chunks, 0);
    constants32_.assign(kernel_->constants32.size() * chunk_lanes, 0);
    constants64_.assign(kernel_->constants64.size() * chunk_lanes, 0);
    for (std::size_t i = 0; i < kernel_->constants32.size(); ++i)
      splat(constants32_, i, constant_value(kernel_->constants32[i], memory));
    for (std::size_t i = 0; i < kernel_->constants64.size(); ++i)
      splat(constants64_, i, constant_value(kernel_->constants64[i], memory));
  }

  /// All zero, every thread alive, special registers as the thread block says.
  void begin_block() {
    fill_with_zeros(file32_);
    fill_with_zeros(file64_);
    fill_with_zeros(predicates_);
    for (std::size_t i = 0; i < kernel_->constants32.size(); ++i) {
      const decoded_constant& c = kernel_->constants32[i];
      if (c.kind == decoded_constant::what::special) splat(constants32_, i, launch_value(c.value));
    }
    for (std::size_t i = 0; i < kernel_->constants64.size(); ++i) {
      const decoded_constant& c = kernel_->constants64[i];
      if (c.kind == decoded_constant::what::special) splat(constants64_, i, launch_value(c.value));
    }
    for (std::uint32_t g = 0; g < block_->groups; ++g)
      for (std::uint32_t c = 0; c < block_->chunks_per_group; ++c) begin_chunk(g, c);
  }

  /// Lanes of a chunk. Valid as long as the registers.
  lane_set lanes_of(std::size_t chunk, std::uint32_t mask, std::uint32_t first_thread) {
    lane_set s;
    s.base[0] = reinterpret_cast<unsigned char*>(file32_.data() + chunk * kernel_->slots32 * chunk_lanes);
    s.base[1] = reinterpret_cast<unsigned char*>(file64_.data() + chunk * kernel_->slots64 * chunk_lanes);
    s.base[2] = reinterpret_cast<unsigned char*>(constants32_.data());
    s.base[3] = reinterpret_cast<unsigned char*>(constants64_.data());
    s.predicates = predicates_.data() + chunk * kernel_->predicates;
    s.mask = mask;
    s.live = live_[chunk];
    s.first_thread = first_thread;
    s.first_lane = chunk * chunk_lanes;
    return s;
  }
  /// The lanes of a chunk for which a predicate holds. \pre it is no constant.
  [[nodiscard]] std::uint32_t where(std::size_t chunk, predicate_ref p) const {
    const std::uint32_t holds = predicates_[chunk * kernel_->predicates + p.index];
    return p.negated ? ~holds : holds;
  }
  void end_lanes(std::size_t chunk, std::uint32_t mask) { live_[chunk] &= ~mask; }

  [[nodiscard]] std::uint32_t constant(slot_ref s) const {
    return is_wide(s) ? static_cast<std::uint32_t>(constants64_[slot_index(s) * chunk_lanes])
                      : constants32_[slot_index(s) * chunk_lanes];
  }

  /// A register of a thread by name; 0 if there is none.
  [[nodiscard]] std::uint64_t value_of(std::uint32_t thread, std::string_view name) const {
    const std::uint32_t lane = thread % block_->group_width;
    const std::size_t chunk =
        std::size_t{thread / block_->group_width} * block_->chunks_per_group + lane / lanes_per_chunk;
    const std::size_t at = lane % lanes_per_chunk;
    for (const auto& [known, s] : kernel_->registers)
      if (known == name)
        return is_wide(s) ? file64_[(chunk * kernel_->slots64 + slot_index(s)) * chunk_lanes + at]
                          : file32_[(chunk * kernel_->slots32 + slot_index(s)) * chunk_lanes + at];
    for (const auto& [known, p] : kernel_->predicate_names)
      if (known == name) return (predicates_[chunk * kernel_->predicates + p] >> at) & 1U;
    return 0;
  }

  /// For livelock detection: notes what they hold; whether they hold that again.
  void remember() {
    noted32_ = file32_;
    noted64_ = file64_;
    noted_predicates_ = predicates_;
  }
  [[nodiscard]] bool as_remembered() const {
    return predicates_ == noted_predicates_ && file32_ == noted32_ && file64_ == noted64_;
  }

 private:
  static constexpr std::uint64_t envreg(std::uint64_t i) {
    return static_cast<std::uint64_t>(special_register::envreg0) + i;
  }

  template <class T>
  static void splat(std::vector<T>& list, std::size_t slot, std::uint64_t value) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) list[slot * chunk_lanes + i] = static_cast<T>(value);
  }

  std::uint64_t constant_value(const decoded_constant& c, const device_memory& memory) const {
    switch (c.kind) {
      case decoded_constant::what::special:
        return launch_value(c.value);
      case decoded_constant::what::address:
        return memory.symbol(kernel_->from_module, kernel_->globals[c.index].name) + c.value;
      case decoded_constant::what::code:
        return memory.function_address(kernel_->from_module, c.index) + c.value;
      case decoded_constant::what::dynamic_shared:
        return block_->dynamic_shared + c.value;
      default:
        return c.value;
    }
  }

  // Special registers that are the same in the whole thread block.
  std::uint64_t launch_value(std::uint64_t which) const {
    const launch_config& l = block_->launch;
    switch (static_cast<special_register>(which)) {
      case special_register::ntid_x:
        return l.block[0];
      case special_register::ntid_y:
        return l.block[1];
      case special_register::ntid_z:
        return l.block[2];
      case special_register::nctaid_x:
      case special_register::nclusterid_x:
        return l.grid[0];
      case special_register::nctaid_y:
      case special_register::nclusterid_y:
        return l.grid[1];
      case special_register::nctaid_z:
      case special_register::nclusterid_z:
        return l.grid[2];
      case special_register::ctaid_x:
      case special_register::clusterid_x:
        return block_->ctaid[0];
      case special_register::ctaid_y:
      case special_register::clusterid_y:
        return block_->ctaid[1];
      case special_register::ctaid_z:
      case special_register::clusterid_z:
        return block_->ctaid[2];
      case special_register::cluster_nctaid_x:  // a cluster of one thread block
      case special_register::cluster_nctaid_y:
      case special_register::cluster_nctaid_z:
      case special_register::cluster_nctarank:
      case special_register::nsmid:
        return 1;
      case special_register::total_smem_size:
      case special_register::aggr_smem_size:
        return block_->shared_bytes;
      case special_register::dynamic_smem_size:
        return l.dynamic_shared_bytes;
      case special_register::nwarpid:
        return block_->warps;
      case special_register::warp_size:
        return l.warp_width;
      default:
        // nvcc's cooperative groups read the address of the grid's workspace in two environment registers.
        return which == envreg(1) ? l.grid_workspace >> 32 : which == envreg(2) ? l.grid_workspace & 0xFFFF'FFFFU : 0;
    }
  }

  // Special registers that differ between threads.
  std::uint32_t thread_value(special_register which, std::uint32_t thread) const {
    const launch_config& l = block_->launch;
    const std::uint32_t eq = std::uint32_t{1} << (thread % l.warp_width % 32);
    switch (which) {
      case special_register::tid_x:
        return thread % l.block[0];
      case special_register::tid_y:
        return thread / l.block[0] % l.block[1];
      case special_register::tid_z:
        return thread / l.block[0] / l.block[1];
      case special_register::laneid:
        return thread % l.warp_width;
      case special_register::lanemask_eq:
        return eq;
      case special_register::lanemask_lt:
        return eq - 1;
      case special_register::lanemask_le:
        return eq | (eq - 1);
      case special_register::lanemask_ge:
        return ~(eq - 1);
      case special_register::lanemask_gt:
        return ~(eq | (eq - 1));
      default:  // warpid
        return thread / l.warp_width;
    }
  }

  void begin_chunk(std::uint32_t group, std::uint32_t chunk) {
    const std::size_t at = std::size_t{group} * block_->chunks_per_group + chunk;
    std::uint32_t alive = 0;
    for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) {
      const std::uint32_t lane = chunk * lanes_per_chunk + i;
      const std::uint32_t thread = group * block_->group_width + lane;
      if (lane >= block_->group_width || thread >= block_->threads) continue;
      alive |= std::uint32_t{1} << i;
      for (const auto& [which, s] : kernel_->specials)
        file32_[(at * kernel_->slots32 + slot_index(s)) * chunk_lanes + i] = thread_value(which, thread);
    }
    live_[at] = alive;
  }

  const thread_block* block_;
  const decoded_kernel* kernel_;
  std::vector<std::uint32_t> file32_;
  std::vector<std::uint64_t> file64_;
  std::vector<std::uint32_t> predicates_;
  std::vector<std::uint32_t> live_;  // by chunk
  std::vector<std::uint32_t> constants32_;
  std::vector<std::uint64_t> constants64_;
  std::vector<std::uint32_t> noted32_, noted_predicates_;
  std::vector<std::uint64_t> noted64_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

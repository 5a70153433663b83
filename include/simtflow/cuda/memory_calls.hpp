// SPDX-License-Identifier: BSL-1.0
//
// The memory of a device as CUDA's calls see it: allocations with their kinds, copies between host and device with a
// direction that is checked or inferred, fills, and what a pointer points to.
//
// Memory that only the device sees has addresses of its own, so a program that reads it on the host crashes as it does
// on a GPU. Pinned, mapped and managed memory is the host's: its address is the same on both sides (unified
// addressing), and nothing is copied.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/error.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The direction of a copy: enum cudaMemcpyKind.
enum class copy_kind : int {
  host_to_host = 0,      ///< no device memory
  host_to_device = 1,    ///< to the device
  device_to_host = 2,    ///< from the device
  device_to_device = 3,  ///< inside the device
  inferred = 4           ///< from the pointers
};

/// The kind of memory: enum cudaMemoryType.
enum class memory_kind : int {
  unregistered = 0,  ///< of the host, unknown to CUDA
  host = 1,          ///< of the host, pinned or registered
  device = 2,        ///< of the device
  managed = 3        ///< of both
};

/// An address on either side.
using any_address = std::uint64_t;

/// The address of a host pointer.
[[nodiscard]] inline any_address address_of(const void* p) {
  return static_cast<any_address>(reinterpret_cast<std::uintptr_t>(p));
}
/// The host pointer of an address.
[[nodiscard]] inline void* pointer_to(any_address address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

/// A box of bytes: rows of one width at equal distances, in layers at equal distances.
struct byte_box {
  any_address address = 0;  ///< of its first byte
  std::uint64_t pitch = 0;  ///< bytes from one row to the next
  std::uint64_t layer = 0;  ///< bytes from one layer to the next
};
/// The size of a box.
struct box_extent {
  std::uint64_t width = 0;   ///< bytes of a row
  std::uint64_t height = 1;  ///< rows of a layer
  std::uint64_t depth = 1;   ///< layers
};

/// An allocation as the program made it.
struct memory_note {
  any_address address = 0;                       ///< of its first byte; 0: there is none
  std::uint64_t bytes = 0;                       ///< its size
  memory_kind kind = memory_kind::unregistered;  ///< who sees it
  std::uint32_t flags = 0;                       ///< as the program gave them
  bool registered = false;                       ///< True if the program owns the bytes and only registered them
};

/// Allocations, copies and fills. Not thread-safe.
class memory_calls {
 public:
  /// \param bytes of global memory that the device has
  explicit memory_calls(std::uint64_t bytes) : total_(bytes) {}

  /// The memory that kernels run on.
  [[nodiscard]] ptx::device_memory& memory() { return memory_; }
  /// The memory that kernels run on.
  [[nodiscard]] const ptx::device_memory& memory() const { return memory_; }
  /// Bytes of the device, and bytes that are not allocated.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Bytes that are not allocated.
  [[nodiscard]] std::uint64_t available() const { return total_ - used_; }

  /// Device memory, all zero. No byte: address 0 and success. \param bytes how many \param at becomes its address
  SIMTFLOW_INLINE error allocate(std::uint64_t bytes, any_address& at);
  /// Rows of `width` bytes, each at a multiple of 512 bytes. \param size of the box \param pitch becomes the bytes from
  /// one row to the next \param at becomes the address
  SIMTFLOW_INLINE error allocate_pitched(box_extent size, std::uint64_t& pitch, any_address& at);
  /// Memory of the host that the device sees at the same address. \param bytes how many \param kind host or managed
  /// \param flags are kept \param at becomes the address
  SIMTFLOW_INLINE error allocate_host(std::uint64_t bytes, memory_kind kind, std::uint32_t flags, void*& at);
  /// Lets the device see memory of the program. \param host its first byte \param bytes how many \param flags are kept
  SIMTFLOW_INLINE error register_host(void* host, std::uint64_t bytes, std::uint32_t flags);
  /// Ends that. \param host as registered
  SIMTFLOW_INLINE error unregister_host(const void* host);
  /// Frees what allocate(), allocate_pitched() or allocate_host() gave. Address 0 is no error.
  /// \param at its address \param of_host True if the call is for memory of the host \param why becomes words on a
  /// mistake
  SIMTFLOW_INLINE error free(any_address at, bool of_host, std::string& why);

  /// The allocation that an address points into; `address` 0 if no call allocated it.
  [[nodiscard]] SIMTFLOW_INLINE memory_note find(any_address at) const;

  /// Copies bytes. \param to destination \param from source \param bytes how many \param kind the direction
  SIMTFLOW_INLINE error copy(any_address to, any_address from, std::uint64_t bytes, copy_kind kind);
  /// Copies a box. Rows must not overlap: a pitch below the width is invalid_pitch_value.
  SIMTFLOW_INLINE error copy(const byte_box& to, const byte_box& from, const box_extent& size, copy_kind kind);
  /// Fills elements. \param at the first \param value its lowest bytes are written \param bytes of an element: 1, 2, 4
  /// \param count elements
  SIMTFLOW_INLINE error fill(any_address at, std::uint32_t value, std::uint32_t bytes, std::uint64_t count);
  /// Fills a box; its width is a multiple of `bytes`.
  SIMTFLOW_INLINE error fill(const byte_box& to, std::uint32_t value, std::uint32_t bytes, const box_extent& size);

  /// A diagnostic for each allocation that was not freed, by address, and for the blocks of the kernels' heap.
  [[nodiscard]] SIMTFLOW_INLINE diagnostics leaks() const;

  /// Forgets everything but the modules' variables: a reset of the device.
  SIMTFLOW_INLINE void reset();

 private:
  // The owner of bytes. `wrong`: they begin in device memory and leave it.
  enum class side : unsigned char { host, device, wrong };
  [[nodiscard]] SIMTFLOW_INLINE side side_of(any_address at, std::uint64_t bytes) const;
  [[nodiscard]] SIMTFLOW_INLINE bool fits(side s, bool device_wanted, any_address at) const;
  SIMTFLOW_INLINE error move(any_address to, side to_side, any_address from, side from_side, std::uint64_t bytes);

  ptx::device_memory memory_;
  std::map<any_address, memory_note> notes_;
  std::uint64_t total_;
  std::uint64_t used_ = 0;
  std::uint64_t made_ = 0;  // allocations, for their names
};

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/memory_calls_impl.hpp>
#endif

// SPDX-License-Identifier: BSL-1.0
//
// The modules of a device. A module is parsed when it is loaded, and its variables then have addresses. A kernel is
// verified, rewritten if transforms are asked for, and decoded when somebody first launches it or asks about it; it
// stays decoded until its module is unloaded.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/kernel_runner.hpp>
#include <simtflow/cuda/launch_row.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The facts about a kernel that cudaFuncGetAttributes() tells, and its parameters.
struct kernel_attributes {
  std::string name;                            ///< in the text
  std::uint64_t shared_bytes = 0;              ///< that its text declares
  std::uint64_t constant_bytes = 0;            ///< constant memory of its module that it reaches
  std::uint64_t local_bytes = 0;               ///< of a thread
  std::uint32_t max_threads = 1024;            ///< of a thread block
  std::uint32_t registers = 0;                 ///< of a thread, by the estimate of ptx/transform/register_pressure.hpp
  std::uint32_t ptx_version = 0;               ///< of the module: ten times major plus minor
  std::uint32_t capability = 0;                ///< of the module's target: 75 for sm_75
  std::uint64_t max_dynamic_shared_bytes = 0;  ///< that a launch may ask for
  std::int32_t shared_carveout = -1;           ///< as set: percent of the core's memory; -1: no preference
  std::vector<std::uint64_t> parameter_sizes;  ///< bytes of each parameter
  std::vector<std::uint64_t> parameter_offsets;  ///< where each begins among the bytes of all
};

/// A variable of a module in memory.
struct symbol_place {
  std::uint64_t address = 0;  ///< 0: there is no such variable
  std::uint64_t bytes = 0;    ///< its size
  bool constant = false;      ///< True if it is in constant memory
};

/// A kernel of a loaded module.
struct loaded_kernel {
  module_handle owner{};                      ///< its module
  std::string name;                           ///< in the text
  std::unique_ptr<runnable_kernel> runnable;  ///< null: not decoded yet
  kernel_attributes attributes;               ///< once it is decoded
  diagnostics refused;                        ///< why it cannot be decoded
  std::vector<std::string> remarks;           ///< what transforms did, and refused to do
};

/// Links PTX by ptx::link(), as a device that loads several modules as one does. \param texts PTX, one or more
/// \returns the PTX of all of them, for device::load(); or diagnostics that name the module. O(the text).
[[nodiscard]] SIMTFLOW_INLINE result<std::string> link_texts(std::span<const std::string_view> texts);

/// Modules and kernels by handle. Not thread-safe.
class module_table {
 public:
  /// Loads a module of one text. \param text PTX \param memory gets its variables \returns its handle
  [[nodiscard]] SIMTFLOW_INLINE result<module_handle> load(std::string_view text, ptx::device_memory& memory);
  /// Loads several modules as one, linked by ptx::link(). \param texts PTX, one or more \param memory gets their
  /// variables \returns its handle
  [[nodiscard]] SIMTFLOW_INLINE result<module_handle> load(std::span<const std::string_view> texts,
                                                           ptx::device_memory& memory);
  /// Forgets a module and its kernels; false if there is none. Its variables keep their memory.
  SIMTFLOW_INLINE bool unload(module_handle m);

  /// The kernel of that name, by its name in the text; 0 if there is none. O(1) on average.
  [[nodiscard]] SIMTFLOW_INLINE kernel_handle kernel(module_handle m, std::string_view name);
  /// The names of the kernels of a module, in the order of the text; empty if there is no such module.
  [[nodiscard]] SIMTFLOW_INLINE std::vector<std::string> kernel_names(module_handle m) const;
  /// A kernel; null if there is none. O(1) on average.
  [[nodiscard]] SIMTFLOW_INLINE loaded_kernel* find(kernel_handle k);
  /// Decodes a kernel, unless that was tried before. \param k the kernel
  /// \param transforms as settings::transforms \returns true if the kernel can run; else k.refused says why not
  SIMTFLOW_INLINE bool prepare(loaded_kernel& k, std::span<const std::string> transforms);

  /// A variable of a module. \param m the module \param name in the text \param memory that it was loaded into
  [[nodiscard]] SIMTFLOW_INLINE symbol_place symbol(module_handle m, std::string_view name,
                                                    const ptx::device_memory& memory) const;
  /// The text of a module; empty if there is none.
  [[nodiscard]] SIMTFLOW_INLINE std::string_view text(module_handle m) const;
  /// A module; null if there is none.
  [[nodiscard]] SIMTFLOW_INLINE const ptx::module* find(module_handle m) const;

 private:
  struct entry {
    std::string text;
    ptx::module module;
    std::unordered_map<std::string, kernel_handle> kernels;
  };
  result<module_handle> keep(std::string text, ptx::module m, ptx::device_memory& memory);

  std::unordered_map<std::uint64_t, std::unique_ptr<entry>> modules_;
  std::unordered_map<std::uint64_t, std::unique_ptr<loaded_kernel>> kernels_;
  std::vector<std::vector<unsigned char>> managed_;  // bytes of variables that the host sees: they outlive the module
  std::uint64_t last_ = 0;                           // handle given out
};

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/module_table_impl.hpp>
#endif

// SPDX-License-Identifier: BSL-1.0
//
// Transforms of a kernel before it runs, by name. Each is applied only if the expected-cost model says that it pays,
// and only after the plan and the code that was written of it have been proved.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// A transform that a device can apply.
struct kernel_transform {
  std::string_view name;  ///< as settings::transforms has it
  std::string_view what;  ///< in a few words
};

/// All of them. The span is valid forever.
[[nodiscard]] SIMTFLOW_INLINE std::span<const kernel_transform> kernel_transforms();

/// A module with one kernel rewritten.
struct transformed_module {
  ptx::module module;                ///< with the kernel as it is now, if anything was changed
  bool changed = false;              ///< True if something was
  std::vector<std::string> remarks;  ///< a line for each transform: what it did, or why it did nothing
};

/// Applies transforms to a kernel, one after the other, each to the code that the one before it has made.
/// \param m the module
/// \param kernel the name of a kernel of it
/// \param names of kernel_transforms(), in the order in which they are applied; an unknown name becomes a remark
/// \returns the module, which has the id of m and therefore shares its variables. A kernel with mistakes stays as it
/// is.
/// Complexity: as for the transforms.
[[nodiscard]] SIMTFLOW_INLINE transformed_module transform_kernel(const ptx::module& m, std::string_view kernel,
                                                                  std::span<const std::string> names);

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/kernel_transforms_impl.hpp>
#endif

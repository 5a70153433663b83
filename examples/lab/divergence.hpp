// SPDX-License-Identifier: BSL-1.0
//
// The divergent branches of a kernel, and why they are.
#pragma once

#include <simtflow/io/recording.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <string>
#include <vector>

namespace lab {

/// The uniformity analysis of a kernel and of each function that it may call, taken by itself.
struct kernel_divergence {
  /// By block of the decoded kernel: divergent or uniform if it ends in a branch or a guarded end; `unanalysed` where
  /// threads go by other means (calls, returns to several places); unmarked if there is only one way.
  std::vector<simtflow::branch_kind> branches;
  /// io/describe_uniformity.hpp, a line each; then the same for each called function after a line with its name.
  std::vector<std::string> lines;
};
/// \pre `kernel` is `text`, decoded.
[[nodiscard]] kernel_divergence divergence_of(const simtflow::ptx::module& module, const simtflow::ptx::kernel& text,
                                              const simtflow::ptx::decoded_kernel& kernel);

/// By block of the decoded kernel: 1 if it ends in a branch that the analysis proves uniform. \pre as divergence_of().
[[nodiscard]] std::vector<unsigned char> uniform_branches(const simtflow::ptx::module& module,
                                                          const simtflow::ptx::kernel& text,
                                                          const simtflow::ptx::decoded_kernel& kernel);

}  // namespace lab

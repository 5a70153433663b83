// SPDX-License-Identifier: BSL-1.0
//
// Several modules to one, as nvlink does it for nvcc -rdc=true and for libraries such as libdevice.
//
//   global    a name with .visible, .weak, .common or .extern, or a device function without a body: it means one thing
//             in all modules
//   internal  every other name: two modules may use it for two things, and the later one gets a new name
//
// A .visible definition goes before a .common one, the largest .common one before a .weak one, and the first .weak one
// before later ones. Two .visible definitions of one name are an error. Declarations of a variable must agree in the
// state space and the size. Declarations of a function must agree in the number, the sizes and the alignments of its
// parameters and results, and in which of these are floating-point. A variable gets the largest alignment that any
// module says. A name that no module defines stays a declaration: decode() refuses the kernels that need it.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Linking Directives", "Kernel and Function Directives".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/linked_module.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Links modules.
///
///     const link_input all[] = {{.module = &program, .name = "a.cu"}, {.module = &other, .name = "b.cu"}};
///     if (const auto linked = ptx::link(all)) run(linked->module);
///
/// \param inputs one or more modules that parse() returned, in the order of the command line. One module alone comes
/// back as it is, but for its number. \returns the linked module; or, if the modules contradict each other, every
/// diagnostic, with the name of the input in the message and the place in the text of that input. O(the text).
/// \pre there is at least one input.
[[nodiscard]] SIMTFLOW_INLINE result<linked_module> link(std::span<const link_input> inputs);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/link_impl.hpp>
#endif

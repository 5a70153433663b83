// SPDX-License-Identifier: BSL-1.0
//
// The common parts of the functions of the driver API: the conditions for a call, and what handles mean. A CUmodule and
// a CUlibrary are the handle of a module, a CUfunction and a CUkernel the address of a registered kernel.
#pragma once

#include "cudart/abi/driver_types.hpp"
#include "cudart/core/contexts.hpp"
#include "cudart/core/shared_calls.hpp"

#include <cstdint>

namespace cudart {

/// The code for the program.
inline int code(error e) { return static_cast<int>(driver_code(e)); }

/// Calls f, which returns an error, if the program has called cuInit().
template <class F>
int initialised(const F& f) {
  return code(is_driver_begun() ? f() : error::initialization_error);
}

/// Calls f, which returns an error, if the calling thread has a context.
template <class F>
int in_context(const F& f) {
  const error e = why_no_context();
  return code(e == error::success ? f() : e);
}

/// True if one of the pointers is null.
template <class... Pointers>
bool missing(const Pointers*... pointers) {
  return ((pointers == nullptr) || ...);
}

/// Says that the function is refused. \returns CUDA_ERROR_NOT_SUPPORTED
inline error refused_by_driver(const char* function, const char* reason) {
  say_refused(function, reason, "CUDA_ERROR_NOT_SUPPORTED");
  return error::not_supported;
}

inline cuda::module_handle module_of(handle module) {
  return static_cast<cuda::module_handle>(reinterpret_cast<std::uintptr_t>(module));
}

/// The kernel of a function, loaded.
inline error kernel_of(handle function, const registered_kernel*& kernel) {
  const error e = find_kernel(function, kernel);
  return e == error::invalid_device_function ? error::invalid_resource_handle : e;
}

/// Binds the texture and surface references of a module that have changed; a launch reads them then.
error bind_references(cuda::module_handle module);

}  // namespace cudart

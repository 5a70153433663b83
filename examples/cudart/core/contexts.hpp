// SPDX-License-Identifier: BSL-1.0
//
// The contexts of the driver API. A process has one device, so all contexts share its memory, modules and streams: a
// context says only whether a thread may call, and in which order calls fail.
#pragma once

#include "cudart/core/calls.hpp"

#include <atomic>

namespace cudart {

/// A context; a program's CUcontext is its address. It stays in memory after its end, so that a thread on which it is
/// still current finds that out.
struct context {
  std::atomic<bool> alive{true};
  std::atomic<unsigned> flags{0};
  std::atomic<int> uses{1};  ///< of the primary one: how often it was retained
  unsigned long long id = 0;
};

/// The context that the runtime uses, and the driver API by cuDevicePrimaryCtxRetain().
CUDART_SHARED context& primary_context();
/// cuInit(). The functions of the runtime call it also.
CUDART_SHARED void begin_driver();
/// True after begin_driver().
CUDART_SHARED bool is_driver_begun();
/// Makes the primary context current on the calling thread if no context is, as the functions of the runtime do.
CUDART_SHARED void enter_primary_context();
/// True if the runtime uses the primary context, or the program has retained it.
CUDART_SHARED bool is_primary_active();
/// Drops a use of the primary context. \returns an error if there is none
CUDART_SHARED error release_primary_context();

/// A new context, which is not current yet.
CUDART_SHARED context& make_context(unsigned flags);
/// The context of a handle; null if it is none, or has ended.
CUDART_SHARED context* find_context(handle of_program);
/// Ends a context and takes it from the calling thread. With the last context of the process the memory of the device
/// is freed, and a fault is forgotten.
CUDART_SHARED void end_context(context& one);

/// \returns the reason why the calling thread may not call functions that need a context: no cuInit(), no current
/// context, or a current one that has ended
CUDART_SHARED error why_no_context();

}  // namespace cudart

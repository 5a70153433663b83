// SPDX-License-Identifier: BSL-1.0
//
// The common parts of all functions of the ABI: the export, the return of an error, the refusal; and the state that the
// runtime keeps for each host thread.
#pragma once

#include "cudart/abi/types.hpp"
#include <simtflow/cuda/error.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

/// A function that programs call.
#define CUDART_CALL extern "C" __attribute__((visibility("default")))
/// The same function under another name. The names with _ptsz and _ptds take the default stream of the calling thread:
/// calls are carried out at once here, so that both default streams have the same order.
#define CUDART_ALSO(alias_name, name) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) alias_name;
/// A function that the libraries of the ABI share.
#define CUDART_SHARED __attribute__((visibility("default")))

namespace cudart {

using simtflow::cuda::error;

/// A configuration of <<<>>> on its way to the launch.
struct call_configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  handle stream;
};

struct context;

/// The state of a host thread.
struct thread_state {
  error last_error = error::success;
  int device = 0;
  std::vector<call_configuration> configurations;
  std::vector<context*> contexts;  ///< the last one is current
};
CUDART_SHARED thread_state& this_thread();

/// Writes "simtflow: LINE" to standard error, in one piece.
CUDART_SHARED void complain(std::string_view line);

/// Says once for each function that it is refused. \param code the name of the error that it returns
CUDART_SHARED void say_refused(const char* function, const char* reason, const char* code);
/// Says the reason once for each function that is refused. \returns not_supported, which becomes the last error.
CUDART_SHARED int refuse(const char* function, const char* reason);

/// The code for the program; an error becomes the thread's last error.
inline int returned(error e) {
  if (e != error::success) this_thread().last_error = e;
  return static_cast<int>(e);
}

}  // namespace cudart

// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/calls.hpp"

// The arguments stay where the caller has put them: the calling conventions of C let the caller remove them.
#define REFUSED(name, reason)                                       \
  CUDART_CALL int name() {                                          \
    cudart::say_refused(#name, reason, "CUDA_ERROR_NOT_SUPPORTED"); \
    return static_cast<int>(cudart::error::not_supported);          \
  }
#include "cudart/driver/refused.def"

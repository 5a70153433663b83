// SPDX-License-Identifier: BSL-1.0
#include "cudart/core/calls.hpp"

// The arguments stay where the caller has put them: the calling conventions of C let the caller remove them.
#define REFUSED(name, reason) \
  CUDART_CALL int name() { return cudart::refuse(#name, reason); }
#include "cudart/refused.def"

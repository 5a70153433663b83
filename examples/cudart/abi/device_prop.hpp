// SPDX-License-Identifier: BSL-1.0
//
// cudaDeviceProp in the three layouts that programs have been compiled with. Members that a version lacks are absent
// from its structure: fill in what `requires { properties.member; }` finds.
#pragma once

#include <cstddef>

namespace cudart {

struct uuid_bytes {
  char bytes[16];
};

#define NONE(type, name, bounds)
#define MEMBER(type, name, bounds) type name bounds;

/// The structure that cudaGetDeviceProperties fills for programs of CUDA 11, and under the old name for CUDA 12.
struct device_prop_11 {
#define ALWAYS MEMBER
#define BEFORE_13 MEMBER
#define FROM_12 NONE
#define FROM_13 NONE
#include "cudart/abi/device_prop.def"
};

/// The structure that cudaGetDeviceProperties_v2 fills: the header of CUDA 12 redirects programs to that name.
struct device_prop_12 {
#define ALWAYS MEMBER
#define BEFORE_13 MEMBER
#define FROM_12 MEMBER
#define FROM_13 NONE
#include "cudart/abi/device_prop.def"
  int reserved[63];
};

/// The structure that cudaGetDeviceProperties fills for programs of CUDA 13.
struct device_prop_13 {
#define ALWAYS MEMBER
#define BEFORE_13 NONE
#define FROM_12 MEMBER
#define FROM_13 MEMBER
#include "cudart/abi/device_prop.def"
  int reserved[56];
};

#undef NONE
#undef MEMBER

static_assert(sizeof(void*) != 8 || (sizeof(device_prop_11) == 728 && sizeof(device_prop_12) == 1032));

}  // namespace cudart

// SPDX-License-Identifier: BSL-1.0
#pragma once

// Mixes the bits of x with a key.
__device__ inline unsigned mix(unsigned x, unsigned key) {
  x = (x ^ key) * 0x85EBCA6BU;
  x ^= x >> 13;
  return (x * 0xC2B2AE35U) ^ (x >> 16);
}

// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void switches(int* x, int n) {
  int v = x[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    switch (v & 15) {
      case 0: v += 3; break; case 1: v *= 5; case 2: v ^= 77; break; case 3: v -= x[i]; break; case 4: v = ~v; break;
      case 5: v = v * v; break; case 6: v += i; break; case 7: v = x[v & 7]; break; case 8: goto out; case 9: v <<= 2; continue;
      case 10: v >>= 1; break; case 11: v = 11; break; case 12: return; case 13: v = -v; break; default: ++v;
    }
    if (v > 1000) break;
  }
out:
  x[threadIdx.x] = v;
}

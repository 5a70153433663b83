// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void math(float* f, double* d, long long* l) {
  int i = threadIdx.x;
  f[i] = sinf(f[i]) + powf(f[i], f[i + 1]) + __expf(f[i]) + sqrtf(f[i]) + __frcp_rz(f[i]) + fmodf(f[i], 3.f) + rintf(f[i]) + __saturatef(f[i]) + tanhf(f[i]);
  d[i] = sqrt(d[i]) / d[i + 1] + floor(d[i]) + __dadd_rd(d[i], 1.0); l[i] = l[i] / l[i + 1] + l[i] % 7 + (long long)d[i] + __double2ll_rn(d[i]) + (unsigned char)f[i];
}

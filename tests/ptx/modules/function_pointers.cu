// SPDX-License-Identifier: BSL-1.0
typedef float (*unary)(float);
struct vec3 { float x, y, z; };
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ __noinline__ vec3 cross(vec3 a, vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
__device__ __noinline__ void nothing() { asm volatile("membar.cta;"); }
__device__ __noinline__ long long mixed(char a, short b, int c, long long d, float e, double f, bool g) { return a + b + c + d + (int)e + (int)f + g; }
__device__ unary functions[2] = {twice, square};
__constant__ unary constant_functions[2] = {square, twice};
extern "C" __global__ void function_pointers(float* out, int pick, vec3* v, unary given) {
  out[0] = functions[pick](out[0]) + constant_functions[pick](out[1]) + given(out[2]);
  v[0] = cross(v[1], v[2]); nothing();
  out[3] = mixed(pick, pick, pick, pick, out[1], out[2], pick > 3);
}

// SPDX-License-Identifier: BSL-1.0
//
// Bodies that attract each other: float4, tiles in shared memory, rsqrtf, several steps.
#include "program.hpp"

#include <cmath>
#include <vector>

__global__ void step(const float4* from, float4* to, float3* speed, int n, float time) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? from[i] : make_float4(0, 0, 0, 0);
  float3 pull = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += blockDim.x) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float force = other.w * inverse * inverse * inverse;
      pull.x += dx * force;
      pull.y += dy * force;
      pull.z += dz * force;
    }
    __syncthreads();
  }
  if (i >= n) return;
  float3 v = speed[i];
  v.x += pull.x * time;
  v.y += pull.y * time;
  v.z += pull.z * time;
  speed[i] = v;
  to[i] = make_float4(me.x + v.x * time, me.y + v.y * time, me.z + v.z * time, me.w);
}

int main() {
  const int n = 100, steps = 3, threads = 64;
  const float time = 0.01f;
  std::vector<float4> place(n), result(n), next(n);
  std::vector<float3> speed(n, make_float3(0, 0, 0));
  unsigned state = 13;
  const auto random = [&] { return static_cast<float>(next_random(state) % 1000) / 500.0f - 1.0f; };
  for (float4& p : place) p = make_float4(random(), random(), random(), 1.0f + random() * 0.5f);
  float4 *a, *b;
  float3* v;
  CHECK(cudaMalloc(&a, n * sizeof(float4)));
  CHECK(cudaMalloc(&b, n * sizeof(float4)));
  CHECK(cudaMalloc(&v, n * sizeof(float3)));
  CHECK(cudaMemcpy(a, place.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(v, 0, n * sizeof(float3)));
  for (int s = 0; s < steps; ++s) {
    step<<<(n + threads - 1) / threads, threads, threads * sizeof(float4)>>>(a, b, v, n, time);
    std::swap(a, b);
  }
  CHECK(cudaMemcpy(result.data(), a, n * sizeof(float4), cudaMemcpyDeviceToHost));
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i) {
      float x = 0, y = 0, z = 0;
      for (int j = 0; j < n; ++j) {
        const float dx = place[j].x - place[i].x, dy = place[j].y - place[i].y, dz = place[j].z - place[i].z;
        const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        const float force = place[j].w * inverse * inverse * inverse;
        x += dx * force;
        y += dy * force;
        z += dz * force;
      }
      speed[i] = make_float3(speed[i].x + x * time, speed[i].y + y * time, speed[i].z + z * time);
      next[i] = make_float4(place[i].x + speed[i].x * time, place[i].y + speed[i].y * time,
                            place[i].z + speed[i].z * time, place[i].w);
    }
    place = next;
  }
  long wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += std::fabs(place[i].x - result[i].x) > 1e-4f || std::fabs(place[i].y - result[i].y) > 1e-4f ||
             std::fabs(place[i].z - result[i].z) > 1e-4f;
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(v));
  return report("bodies", wrong);
}

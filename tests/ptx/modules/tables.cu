// SPDX-License-Identifier: BSL-1.0
__constant__ float weights[3][4] = {{1.f, 2.f}, {3.f, -4.5f, 1e-20f}, {}};
__constant__ unsigned char bytes[] = {1, 2, 3, 255};
__device__ double wide[5] = {1.0 / 3.0, -2.5};
__device__ int counter = -5;
__device__ int* where = &counter;
struct node { short key; float value; const node* next; };
__device__ node tail = {3, 3.5f, nullptr};
__device__ node list[2] = {{1, 1.5f, &tail}, {2, 2.5f, nullptr}};
__device__ __managed__ int managed_value = 7;
static __device__ long long hidden[2][2] = {{1, 2}, {3, 4}};
struct __align__(16) quad { float a, b, c, d; };
__constant__ quad quads[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
struct packed_pointer { char c; const void* p; } __attribute__((packed));
__device__ packed_pointer packed_table[2] = {{1, &counter}, {2, &list[1].value}};
extern "C" __global__ void tables(float* out, int i) {
  out[i] = weights[i][i + 1] + bytes[i] + wide[i] + *where + list[i].value + (list[i].next ? list[i].next->key : 0) + managed_value + hidden[i & 1][1] + quads[i].c + *(const int*)packed_table[i].p + packed_table[i].c;
}

// SPDX-License-Identifier: BSL-1.0
//
// Templates over functors and types, structures as parameters of kernels.
#include "program.hpp"

#include <vector>

template <class T>
struct range {
  T* begin;
  int size;
};
struct affine {
  double factor;
  short offset;
  char flag;
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(flag != 0 ? factor * x + offset : x);
  }
};
template <class F, class G>
struct composed {
  F f;
  G g;
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return f(g(x));
  }
};
struct alternate {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<long long>(x) % 2 == 0 ? x / 2 : 3 * x + 1;
  }
};

template <class T, class F>
__global__ void transform(range<T> values, F f, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= values.size) return;
  T x = values.begin[i];
  for (int t = 0; t < times; ++t) x = f(x);
  values.begin[i] = x;
}

template <class T, class F>
long run(F f, int times) {
  const int n = 333;
  std::vector<T> values(n), result(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<T>(i);
  range<T> r{nullptr, n};
  CHECK(cudaMalloc(&r.begin, n * sizeof(T)));
  CHECK(cudaMemcpy(r.begin, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  transform<<<3, 128>>>(r, f, times);
  CHECK(cudaMemcpy(result.data(), r.begin, n * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(r.begin));
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    T x = values[i];
    for (int t = 0; t < times; ++t) x = f(x);
    wrong += x != result[i];
  }
  return wrong;
}

int main() {
  const affine a{2.0, -3, 1};
  long wrong = run<int>(a, 2) + run<double>(a, 5) + run<long long>(alternate(), 20);
  wrong += run<int>(composed<alternate, affine>{alternate(), a}, 3);
  wrong += run<unsigned char>(affine{1.0, 1, 0}, 4);
  return report("functors", wrong);
}

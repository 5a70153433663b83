// SPDX-License-Identifier: BSL-1.0
//
// Thrust: sort by key, reduce by key, scan, transform and count.
#include "program.hpp"

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <map>

struct is_small {
  __host__ __device__ bool operator()(int x) const { return x < 10; }
};

int main() {
  const int n = 3000;
  thrust::host_vector<int> keys(n), values(n);
  std::map<int, int> sums;
  unsigned state = 21;
  long small = 0;
  for (int i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(next_random(state) % 97);
    values[i] = static_cast<int>(next_random(state) % 31);
    sums[keys[i]] += values[i];
    small += keys[i] < 10;
  }
  thrust::device_vector<int> dkeys = keys, dvalues = values, unique(n), totals(n), places(n);
  thrust::sort_by_key(dkeys.begin(), dkeys.end(), dvalues.begin());
  const auto ends =
      thrust::reduce_by_key(dkeys.begin(), dkeys.end(), dvalues.begin(), unique.begin(), totals.begin());
  long wrong = ends.first - unique.begin() != static_cast<long>(sums.size());
  std::size_t k = 0;
  for (const auto& [key, sum] : sums) {
    wrong += unique[k] != key || totals[k] != sum;
    ++k;
  }
  thrust::sequence(places.begin(), places.end());
  thrust::inclusive_scan(places.begin(), places.end(), places.begin());
  wrong += places[n - 1] != n * (n - 1) / 2;
  wrong += thrust::count_if(dkeys.begin(), dkeys.end(), is_small()) != small;
  return report("thrust_sort", wrong);
}

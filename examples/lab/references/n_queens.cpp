// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/n_queens.cu: every way to put one queen into each column, counted by where the first three stand.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace lab::of_n_queens {
namespace {

using std::uint32_t;

// Ways to continue the columns of the queens in the first rows to a whole board.
uint32_t ways(std::vector<int>& queens, int n) {
  const int row = static_cast<int>(queens.size());
  for (int other = 0; other + 1 < row; ++other) {
    const int apart = std::abs(queens[static_cast<std::size_t>(other)] - queens.back());
    if (apart == 0 || apart == row - 1 - other) return 0;
  }
  if (row == n) return 1;
  uint32_t count = 0;
  for (int column = 0; column < n; ++column) {
    queens.push_back(column);
    count += ways(queens, n);
    queens.pop_back();
  }
  return count;
}

void n_queens(host_launch& run) {
  auto counts = run.array<uint32_t>(0);
  auto totals = run.array<uint32_t>(1);
  const uint32_t n = run.u32(2);
  for (uint32_t b = 0; b < run.grid(0); ++b) {
    uint32_t total = 0;
    for (uint32_t t = b * run.block(0); t < (b + 1) * run.block(0); ++t) {
      std::vector<int> queens;
      bool possible = t < n * n * n;
      for (uint32_t place = t; possible && queens.size() < 3; place /= n) {
        queens.push_back(static_cast<int>(place % n));
        for (std::size_t i = 0; i + 1 < queens.size(); ++i)
          possible &= queens[i] != queens.back() &&
                      std::abs(queens[i] - queens.back()) != static_cast<int>(queens.size() - 1 - i);
      }
      const uint32_t count = possible ? ways(queens, static_cast<int>(n)) : 0;
      counts.set(t, count);
      total += count;
    }
    totals.set(b, total);
  }
}

const reference registered("n_queens", n_queens);

}  // namespace
}  // namespace lab::of_n_queens

// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/queens_backtrack.cu: every way to put one queen into each row, counted by where the first two stand.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace lab::of_queens_backtrack {
namespace {

using std::uint32_t;

// Ways to continue the columns of the queens in the first rows to a whole board, 0 if the last is attacked.
uint32_t ways(std::vector<int>& queens, int n) {
  const std::size_t row = queens.size() - 1;
  for (std::size_t other = 0; other < row; ++other) {
    const int apart = std::abs(queens[other] - queens[row]);
    if (apart == 0 || apart == static_cast<int>(row - other)) return 0;
  }
  if (static_cast<int>(queens.size()) == n) return 1;
  uint32_t count = 0;
  for (int column = 0; column < n; ++column) {
    queens.push_back(column);
    count += ways(queens, n);
    queens.pop_back();
  }
  return count;
}

void queens_backtrack(host_launch& run) {
  auto counts = run.array<uint32_t>(0);
  const uint32_t n = run.size(1);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    std::vector<int> queens{static_cast<int>(t % n), static_cast<int>(t / n)};
    counts.set(t, t / n < n ? ways(queens, static_cast<int>(n)) : 0);
  }
}

const reference registered("queens_backtrack", queens_backtrack);

}  // namespace
}  // namespace lab::of_queens_backtrack

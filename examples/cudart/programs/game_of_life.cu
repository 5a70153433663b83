// SPDX-License-Identifier: BSL-1.0
//
// Conway's game of life on a torus of bytes: many small launches, the boards change places.
#include "program.hpp"

#include <utility>
#include <vector>

__global__ void generation(const unsigned char* from, unsigned char* to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) neighbours += from[(y + dy + height) % height * width + (x + dx + width) % width];
  to[y * width + x] = neighbours == 3 || (neighbours == 2 && from[y * width + x] != 0);
}

int main() {
  const int width = 40, height = 30, generations = 60;
  std::vector<unsigned char> board(width * height), next(width * height), result(width * height);
  unsigned state = 6;
  for (unsigned char& c : board) c = next_random(state) % 3 == 0;
  unsigned char *a, *b;
  CHECK(cudaMalloc(&a, board.size()));
  CHECK(cudaMalloc(&b, board.size()));
  CHECK(cudaMemcpy(a, board.data(), board.size(), cudaMemcpyHostToDevice));
  for (int g = 0; g < generations; ++g) {
    generation<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(a, b, width, height);
    std::swap(a, b);
  }
  CHECK(cudaMemcpy(result.data(), a, result.size(), cudaMemcpyDeviceToHost));
  for (int g = 0; g < generations; ++g) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int n = 0;
        for (int k = 0; k < 9; ++k)
          if (k != 4) n += board[(y + k / 3 - 1 + height) % height * width + (x + k % 3 - 1 + width) % width];
        next[y * width + x] = n == 3 || (n == 2 && board[y * width + x] != 0);
      }
    std::swap(board, next);
  }
  long wrong = 0;
  for (std::size_t i = 0; i < board.size(); ++i) wrong += board[i] != result[i];
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return report("game_of_life", wrong);
}

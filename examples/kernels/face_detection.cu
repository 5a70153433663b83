// SPDX-License-Identifier: BSL-1.0
//
// Face detection with a cascade of classifiers (P. Viola, M. Jones, CVPR 2001), a thread for each position of the
// window. Stands for Face Detection (FCDT) in the divergent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA
// 2011), in its thread blocks of 32 x 6. A position leaves the loop over the stages at the first stage that rejects it,
// most of them early, and the stages grow longer: after a few stages a warp runs for the one or two positions it has
// left. The survivors of different warps have different lanes, so compaction can put them together.
//
// The thread block first sums its part of the image up, so that the sum of any rectangle is four loads.
//
// A feature is one word. Bits 0-1: column, 2-3: row, 4-5: width - 1, 6-7: height - 1 of a rectangle; 8: its neighbour
// of the same size is below it rather than on the right; 9-11: vote - 1 if the rectangle is brighter than the
// neighbour.

constexpr unsigned window = 11;
constexpr unsigned tile_columns = 32 + window - 1, tile_rows = 6 + window - 1;

extern "C" __global__ void face_detection(const unsigned* image, const unsigned* features,
                                          const unsigned* first_feature, unsigned* stages_passed, unsigned* faces,
                                          unsigned stages) {
  __shared__ unsigned sums[tile_rows + 1][tile_columns + 1];
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const unsigned image_columns = gridDim.x * 32 + window - 1;

#pragma unroll 1
  for (unsigned row = threadIdx.y; row <= tile_rows; row += 6)
#pragma unroll 1
    for (unsigned column = threadIdx.x; column <= tile_columns; column += 32)
      sums[row][column] = row == 0 || column == 0
                              ? 0
                              : image[(blockIdx.y * 6 + row - 1) * image_columns + blockIdx.x * 32 + column - 1];
  __syncthreads();
  if (thread <= tile_rows) {
#pragma unroll 1
    for (unsigned column = 1; column <= tile_columns; ++column) sums[thread][column] += sums[thread][column - 1];
  }
  __syncthreads();
  if (thread <= tile_columns) {
#pragma unroll 1
    for (unsigned row = 1; row <= tile_rows; ++row) sums[row][thread] += sums[row - 1][thread];
  }
  __syncthreads();

  const auto brightness = [&](unsigned x, unsigned y, unsigned width, unsigned height) -> unsigned {
    const unsigned left = threadIdx.x + x, top = threadIdx.y + y;
    return sums[top + height][left + width] - sums[top][left + width] - sums[top + height][left] + sums[top][left];
  };
  unsigned stage = 0;
#pragma unroll 1
  for (; stage < stages; ++stage) {
    unsigned votes = 0, most = 0;
#pragma unroll 1
    for (unsigned f = first_feature[stage]; f < first_feature[stage + 1]; ++f) {
      const unsigned bits = features[f];
      const unsigned x = bits & 3, y = bits >> 2 & 3, width = (bits >> 4 & 3) + 1, height = (bits >> 6 & 3) + 1;
      const unsigned below = bits >> 8 & 1, vote = (bits >> 9 & 7) + 1;
      const unsigned here = brightness(x, y, width, height);
      const unsigned there = brightness(below != 0 ? x : x + width, below != 0 ? y + height : y, width, height);
      votes += here > there ? vote : 0;
      most += vote;
    }
    if (2 * votes <= most) break;
  }
  const unsigned position = (blockIdx.y * 6 + threadIdx.y) * gridDim.x * 32 + blockIdx.x * 32 + threadIdx.x;
  stages_passed[position] = stage;
  if (stage == stages) atomicAdd(faces, 1);
}

// SPDX-License-Identifier: BSL-1.0
//
// Points of a moving wall tracked through ultrasound pictures, standing for "heartwall" of the linearization paper
// (J. Anantpur and R. Govindarajan, CC 2014); after L. Szafaryn's program in Rodinia (S. Che et al., IISWC 2009). One
// thread block follows one point: for every picture it compares the point's template with each place around where the
// point was, threads taking the places in turn, chooses the best by a reduction with barriers, moves the point and
// adapts the template. A place outside the picture is passed over, a place that has become worse than the thread's best
// is given up in the midst of both loops over the template: the loops have exits to several places.
//
// All numbers are whole: a plain C++ program gets the same result.

constexpr int side = 8;   // of the template
constexpr int reach = 4;  // how far a point can move in each direction
constexpr int places = 2 * reach + 1;

extern "C" __global__ void heart_wall(const unsigned* video, const unsigned* starts, unsigned* templates,
                                      unsigned* tracks, unsigned frames, int rows, int columns) {
  __shared__ unsigned shape[side * side];
  __shared__ unsigned best[256];
  const unsigned me = threadIdx.x;
  const unsigned point = blockIdx.x;
  int row = static_cast<int>(starts[2 * point]);
  int column = static_cast<int>(starts[2 * point + 1]);
  for (unsigned i = me; i < side * side; i += blockDim.x) shape[i] = templates[point * side * side + i];
  __syncthreads();
#pragma unroll 1
  for (unsigned frame = 0; frame < frames; ++frame) {
    const unsigned* picture = video + frame * static_cast<unsigned>(rows * columns);
    // The least sum of differences and where it is, as one number: the lower place wins a tie.
    unsigned mine = 0xFFFFFFFF;
#pragma unroll 1
    for (unsigned place = me; place < places * places; place += blockDim.x) {
      const int top = row + static_cast<int>(place / places) - reach;
      const int start = column + static_cast<int>(place % places) - reach;
      unsigned sum = 0;
      if (top < 0 || start < 0 || top + side > rows || start + side > columns) continue;
#pragma unroll 1
      for (int r = 0; r < side; ++r) {
#pragma unroll 1
        for (int c = 0; c < side; ++c) {
          const unsigned there = picture[(top + r) * columns + start + c];
          const unsigned here = shape[r * side + c];
          sum += max(there, here) - min(there, here);
          if ((sum << 8 | place) >= mine) goto worse;
        }
      }
      mine = sum << 8 | place;
    worse:;
    }
    best[me] = mine;
    __syncthreads();
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (me < half) best[me] = min(best[me], best[me + half]);
      __syncthreads();
    }
    const unsigned winner = best[0];
    if (winner != 0xFFFFFFFF) {
      row += static_cast<int>((winner & 0xFF) / places) - reach;
      column += static_cast<int>((winner & 0xFF) % places) - reach;
      // Three quarters old, one quarter new.
      for (unsigned i = me; i < side * side; i += blockDim.x) {
        const int at = (row + static_cast<int>(i) / side) * columns + column + static_cast<int>(i) % side;
        shape[i] = (3 * shape[i] + picture[at] + 2) / 4;
      }
    }
    if (me == 0) tracks[point * frames + frame] = static_cast<unsigned>(row * columns + column);
    __syncthreads();
  }
  for (unsigned i = me; i < side * side; i += blockDim.x) templates[point * side * side + i] = shape[i];
}

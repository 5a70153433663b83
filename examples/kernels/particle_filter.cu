// SPDX-License-Identifier: BSL-1.0
//
// A particle filter that follows a bright spot through a video, standing for "particlefilter" of the linearization
// paper (J. Anantpur and R. Govindarajan, CC 2014); after Rodinia (S. Che et al., IISWC 2009). One particle per thread
// and one filter per thread block. In each frame the particles move at random, weigh themselves by the picture, sum the
// weights up (a scan with barriers), and draw their successors. That draw is the paper's kernel: each thread searches
// the running sums for the first that reaches its own number and breaks out of the loop there, or takes the last
// particle if there is none, so the loop has two exits.
//
// All numbers are whole: a plain C++ program gets the same result.

extern "C" __global__ void particle_filter(const unsigned* video, const unsigned* seeds, int* tracks, unsigned frames,
                                           int size) {
  extern __shared__ unsigned shared[];
  const unsigned me = threadIdx.x;
  const unsigned particles = blockDim.x;
  unsigned* sums = shared;
  int* xs = reinterpret_cast<int*>(shared + particles);
  int* ys = xs + particles;
  unsigned random = seeds[blockIdx.x * particles + me];
  int x = size / 2;
  int y = size / 2;
#pragma unroll 1
  for (unsigned frame = 0; frame < frames; ++frame) {
    const unsigned* picture = video + frame * static_cast<unsigned>(size * size);
    random = random * 1664525u + 1013904223u;
    x += static_cast<int>(random >> 24 & 7) - 3;
    y += static_cast<int>(random >> 28 & 7) - 3;
    // The weight: how bright it is around, as far as that is in the picture.
    unsigned weight = 1;
#pragma unroll 1
    for (int dy = -1; dy <= 1; ++dy) {
      if (y + dy < 0 || y + dy >= size) continue;
#pragma unroll 1
      for (int dx = -1; dx <= 1; ++dx)
        if (x + dx >= 0 && x + dx < size) weight += picture[(y + dy) * size + x + dx];
    }
    sums[me] = weight;
    xs[me] = x;
    ys[me] = y;
    __syncthreads();
    for (unsigned gap = 1; gap < particles; gap *= 2) {
      const unsigned before = me >= gap ? sums[me - gap] : 0;
      __syncthreads();
      sums[me] += before;
      __syncthreads();
    }

    // Evenly spread numbers with a common offset.
    const unsigned total = sums[particles - 1];
    const unsigned wanted = (me * total + seeds[0] % total) / particles + 1;
    int chosen = -1;
#pragma unroll 1
    for (unsigned i = 0; i < particles; ++i)
      if (sums[i] >= wanted) {
        chosen = static_cast<int>(i);
        break;
      }
    if (chosen == -1) chosen = static_cast<int>(particles) - 1;
    x = xs[chosen];
    y = ys[chosen];
    __syncthreads();
  }
  tracks[2 * (blockIdx.x * particles + me)] = x;
  tracks[2 * (blockIdx.x * particles + me) + 1] = y;
}

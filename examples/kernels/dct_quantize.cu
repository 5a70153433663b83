// SPDX-License-Identifier: BSL-1.0
//
// Quantization of the coefficients of a discrete cosine transform (DCT in the melding paper, see bitonic_arms.cu; after
// the CUDA samples' dct8x8): a division that rounds to nearest, away from zero in the middle, of positive and negative
// numbers apart. So the arms are arithmetic alone. The remarks in inline assembly are no instructions; without them the
// compiler would halve the quantum before it branches.

constexpr unsigned tile = 8;

extern "C" __global__ void dct_quantize(short* plane, const short* quanta, unsigned width) {
  const unsigned x = threadIdx.x, y = threadIdx.y;
  short* mine = plane + (blockIdx.y * tile + y) * width + blockIdx.x * tile + x;
  const int quantum = quanta[y * tile + x];
  int coefficient = *mine;
  if (coefficient < 0) {
    asm volatile("// negative");
    coefficient = -((-coefficient + quantum / 2) / quantum);
  } else {
    asm volatile("// positive");
    coefficient = (coefficient + quantum / 2) / quantum;
  }
  *mine = static_cast<short>(coefficient * quantum);
}

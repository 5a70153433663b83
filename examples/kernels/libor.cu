// SPDX-License-Identifier: BSL-1.0
//
// A portfolio of options on interest rates (LIBOR market model) by Monte Carlo: each thread follows one path of the
// forward rates and values the swaptions at its end. Stands for LIBOR (LIB) in the coherent set of W. Fung, T. Aamodt,
// "Thread Block Compaction" (HPCA 2011), in its thread blocks of 64. Nested loops that run the same number of times for
// every thread, over arrays in local memory; the payoff is a minimum, not a branch. exp() is its series up to the
// fourth power: the arguments are small.

constexpr unsigned rates = 20, maturities = 10, options = 6;

extern "C" __global__ void libor(const float* normal, const float* start, const float* volatility,
                                 const unsigned* option_rate, const float* strike, float* value, float interval) {
  const unsigned path = blockIdx.x * blockDim.x + threadIdx.x, paths = gridDim.x * blockDim.x;
  float rate[rates], bond[rates], annuity[rates];
#pragma unroll 1
  for (unsigned i = 0; i < rates; ++i) rate[i] = start[i];

  const float root = sqrtf(interval);
#pragma unroll 1
  for (unsigned n = 0; n < maturities; ++n) {
    const float shock = __fmul_rn(root, normal[n * paths + path]);
    float drift = 0.0f;
#pragma unroll 1
    for (unsigned i = n + 1; i < rates; ++i) {
      const float sigma = volatility[i - n - 1], scaled = __fmul_rn(interval, sigma);
      drift += __fmul_rn(scaled, rate[i]) / fmaf(interval, rate[i], 1.0f);
      const float x = fmaf(scaled, drift, __fmul_rn(sigma, fmaf(scaled, -0.5f, shock)));
      const float growth = fmaf(x, fmaf(x, fmaf(x, fmaf(x, 1.0f / 24, 1.0f / 6), 0.5f), 1.0f), 1.0f);
      rate[i] = __fmul_rn(rate[i], growth);
    }
  }

  float price = 1.0f, sum = 0.0f;
#pragma unroll 1
  for (unsigned i = maturities; i < rates; ++i) {
    price = price / fmaf(interval, rate[i], 1.0f);
    sum = fmaf(interval, price, sum);
    bond[i] = price;
    annuity[i] = sum;
  }
  float payoff = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < options; ++k) {
    const unsigned i = maturities + option_rate[k];
    const float swap = fmaf(strike[k], annuity[i], bond[i]) - 1.0f;
    payoff = fmaf(fminf(swap, 0.0f), -100.0f, payoff);
  }
#pragma unroll 1
  for (unsigned i = 0; i < maturities; ++i) payoff = payoff / fmaf(interval, rate[i], 1.0f);
  value[path] = payoff;
}

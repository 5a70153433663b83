// SPDX-License-Identifier: BSL-1.0
// Arms that do much the same: an odd-even sort that goes either way, arms with branches and loops of their own, calls,
// floats, divisions that must not be executed for the other arm, and two conditions that share a tail.
#include <stdio.h>

static unsigned random_state = 1;
static unsigned next_random(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

__attribute__((noinline)) static int twist(int a, int b) { return a * 31 + (b ^ (a >> 3)); }

static void sort(int* a, int n, int descending) {
  for (int round = 0; round < n; ++round)
    for (int i = round % 2; i + 1 < n; i += 2) {
      if (descending ^ (i & 4)) {
        if (a[i] < a[i + 1]) {
          int kept = a[i];
          a[i] = a[i + 1];
          a[i + 1] = kept;
        }
      } else {
        if (a[i] > a[i + 1]) {
          int kept = a[i];
          a[i] = a[i + 1];
          a[i + 1] = kept;
        }
      }
    }
}

static double series(int kind, double x, double y, int terms) {
  double sum = 0;
  if (kind % 3 == 0) {
    for (int k = 1; k <= terms; ++k) sum += (x * k - y) / (x + k);
    sum = sum * x + 1;
  } else {
    for (int k = 1; k <= terms; ++k) sum += (y * k - x) / (y + k);
    sum = sum * y - 2;
    if (sum < 0) sum = -sum;
  }
  return sum;
}

static int divide(int a, int b, int c) {
  int q;
  if (b != 0) {
    q = a / b + twist(a, b);
    if (c > 3) q -= c * b;
  } else {
    q = c + twist(c, a);
    if (a > 3) q -= a * c;
  }
  return q;
}

static int mixed(unsigned x, int* memory) {
  int at = x % 16;
  if ((x & 1) && (x & 6)) goto both;
  if (x & 8) {
    memory[at] += twist(memory[(at + 1) % 16], (int)x);
    memory[(at + 3) % 16] ^= memory[at] >> 2;
  both:
    memory[at] -= 5;
  } else if (x & 16) {
    memory[15 - at] += twist(memory[(at + 2) % 16], (int)x);
    memory[(at + 5) % 16] ^= memory[15 - at] >> 2;
  } else {
    memory[15 - at] += 7;
    memory[(at + 9) % 16] ^= memory[15 - at] >> 4;
  }
  return memory[at];
}

int main(void) {
  int a[24], memory[16] = {0};
  unsigned hash = 17;
  for (int round = 0; round < 20; ++round) {
    for (int k = 0; k < 24; ++k) a[k] = (int)(next_random() % 1000);
    sort(a, 24, round % 3);
    for (int k = 0; k < 24; ++k) hash = hash * 31 + (unsigned)a[k];
    hash = hash * 31 + (unsigned)(int)(series(round, 1.5 + round, 2.25, 6) * 16);
    hash = hash * 31 + (unsigned)divide((int)next_random() % 100, (int)next_random() % 4, round);
    for (int k = 0; k < 50; ++k) hash = hash * 31 + (unsigned)mixed(next_random(), memory);
  }
  printf("%u\n", hash);
  return 0;
}

// SPDX-License-Identifier: BSL-1.0
// Loops with several exits, exits of two loops at once, returns from within, and continue of an outer loop.
#include <stdio.h>

static int find(const int* a, int n, int want, int limit, int* steps) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    ++*steps;
    for (int j = i; j < n; ++j) {
      ++*steps;
      if (a[j] == want) return i * 100 + j;
      if (a[j] < 0) goto negative;
      if (a[j] > limit) goto next;
      sum += a[j];
      if (sum > 900) break;
    }
    sum -= a[i];
    if (sum > 1000) goto overflow;
  next:
    sum += 1;
  }
  return -1;
negative:
  if (limit > 50) return -sum;
overflow:
  return -1000 - sum;
}

static int collatz(int n) {
  int steps = 0;
  for (;;) {
    if (n == 1) break;
    if (steps > 60) return -steps;
    if (n % 2 == 0) {
      n /= 2;
      if (n == 16) goto four;
    } else {
      n = 3 * n + 1;
      if (n > 5000) break;
    }
    ++steps;
  }
  return steps * 2;
four:
  return steps + 4;
}

int main(void) {
  int a[24], steps = 0;
  for (int k = 0; k < 40; ++k) {
    for (int i = 0; i < 24; ++i) a[i] = (i * 37 + k * 11) % 97 - (i * k % 31 == 30 ? 100 : 0);
    printf("%d %d %d %d\n", k, find(a, 24, k * 2, 20 + 2 * k, &steps), collatz(k + 1), steps);
  }
  return steps % 50;
}

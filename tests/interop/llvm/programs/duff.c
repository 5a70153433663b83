// SPDX-License-Identifier: BSL-1.0
// Jumps into loops: Duff's device, and a coroutine that resumes in the middle of two loops.
#include <stdio.h>

static unsigned copy(unsigned char* to, const unsigned char* from, int count) {
  unsigned sum = 0;
  int turns = (count + 7) / 8;
  switch (count % 8) {
    case 0:
      do {
        sum += *to++ = *from++;
        // fall through
        case 7:
          sum ^= *to++ = *from++;
        // fall through
        case 6:
          sum += 3u * (*to++ = *from++);
        // fall through
        case 5:
          sum ^= *to++ = *from++;
        // fall through
        case 4:
          sum += *to++ = *from++;
        // fall through
        case 3:
          sum += *to++ = *from++;
        // fall through
        case 2:
          sum ^= *to++ = *from++;
        // fall through
        case 1:
          sum += *to++ = *from++;
      } while (--turns > 0);
  }
  return sum;
}

struct walk {
  int where, i, j;
};
static int resume(struct walk* w) {
  switch (w->where) {
    case 0:
      for (w->i = 0; w->i < 5; ++w->i) {
        if (w->i == 3) {
          w->where = 1;
          return 1000;
        case 1:
          continue;
        }
        for (w->j = 0; w->j < w->i; ++w->j) {
          w->where = 2;
          return w->i * 10 + w->j;
        case 2:;
        }
      }
  }
  w->where = 3;
  return -1;
}

int main(void) {
  unsigned char from[64], to[64];
  for (int i = 0; i < 64; ++i) from[i] = (unsigned char)(i * i + 5), to[i] = 0;
  for (int n = 1; n <= 40; ++n) printf("%u %d\n", copy(to, from, n), to[n - 1]);
  struct walk w = {0, 0, 0};
  for (int k = 0; k < 16; ++k) printf("%d ", resume(&w));
  printf("\n");
  return 3;
}

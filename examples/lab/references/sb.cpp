// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/sb1.cu to sb4_r.cu: what a thread's turns do to the pairs of words that its arms work on.
#include "lab/references.hpp"

#include <algorithm>
#include <cstdint>

namespace lab::of_sb {
namespace {

using std::uint32_t;

struct pair {
  uint32_t x, y;
};

pair mix(pair p, uint32_t step) {
  const uint32_t z = (p.x * p.y + step) ^ ((p.x * p.y + step) >> 7);
  return {z, p.x + 8 * z};
}

// The computations of the -R programs: the first and the second differ in the order of their results' words as well.
uint32_t first_word(pair p, uint32_t step) { return (((p.x ^ step) * p.y) >> 9) + p.x; }
uint32_t second_word(pair p, uint32_t step) { return ((32 * p.y - p.x) | (4 * step)) * 0x9E3779B1U ^ p.y; }
pair first_mix(pair p, uint32_t step) {
  const uint32_t z = first_word(p, step);
  return {z & ~p.y, std::min(z, p.x) - step};
}
pair second_mix(pair p, uint32_t step) {
  const uint32_t z = second_word(p, step);
  return {z, (p.x >> 3) + z};
}
pair third_mix(pair p, uint32_t step, uint32_t turn) {
  const uint32_t z = std::max(p.x, p.y) ^ (16 * step);
  return {3 * z + turn, (z - p.y) | (p.x >> 11)};
}

// One thread: the pairs of its arms, and what else it counts.
struct thread {
  pair left, right, third;
  uint32_t alone = 0, turn = 0;
  [[nodiscard]] static uint32_t folded(pair p) { return p.x ^ p.y; }
};

bool taken(pair p, uint32_t step) { return ((p.x >> step) & 3) != 0; }

// Runs turn(thread, number, goes_left, round, step) in all turns of all threads and writes `words` results for each.
template <uint32_t words, class Turn>
void run_turns(host_launch& run, Turn turn) {
  auto seeds = run.array<uint32_t>(0);
  auto results = run.array<uint32_t>(1);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    const uint32_t me = t % run.block(0), seed = seeds.get(t);
    thread state{{seed, t}, {t, seed}, {seed, t}};
    for (uint32_t round = 0; round < run.u32(2); ++round)
      for (uint32_t step = 0; step < run.u32(3); ++step) turn(state, me, (me + step) / 2 % 2 == 0, round, step);
    const uint32_t folded[] = {thread::folded(state.left) ^ state.alone, thread::folded(state.right),
                               thread::folded(state.third)};
    for (uint32_t i = 0; i < words; ++i) results.set(words * t + i, folded[i]);
  }
}

void sb1(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t, uint32_t step) {
    pair& p = left ? t.left : t.right;
    p = mix(p, step);
  });
}

void sb1_r(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t, uint32_t step) {
    left ? t.left = first_mix(t.left, step) : t.right = second_mix(t.right, step);
  });
}

void sb2(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t, uint32_t step) {
    pair& p = left ? t.left : t.right;
    if (taken(p, step)) p = mix(p, step);
  });
}

void sb2_r(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t, uint32_t step) {
    if (left && taken(t.left, step)) t.left = {first_word(t.left, step) | 5, first_mix(t.left, step).y};
    if (!left && 3 * t.right.x % 8 < 6) t.right = second_mix(t.right, step);
  });
}

void sb3(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t round, uint32_t step) {
    pair& p = left ? t.left : t.right;
    const uint32_t x = p.x;
    if (taken(p, step)) p.y = mix(p, step).y;
    if (left) t.alone += x ^ round;
    if (p.y / 8 % 4 != 1) p.x = 5 * (p.x - p.y) + 3;
  });
}

void sb3_r(host_launch& run) {
  run_turns<2>(run, [](thread& t, uint32_t, bool left, uint32_t round, uint32_t step) {
    if (left) {
      const uint32_t x = t.left.x;
      if (taken(t.left, step)) t.left.y = first_mix(t.left, step).y;
      t.alone += x ^ round;
      if (t.left.y / 8 % 4 != 1) t.left.x = 5 * (t.left.x - t.left.y) + 3;
    } else {
      pair& p = t.right;
      if (3 * p.x % 8 < 6) p.y = second_mix(p, step).y;
      if (p.y > p.x) p.x = std::max(p.x | 1, p.y >> 2) ^ (p.x << 11);
    }
  });
}

void sb4(host_launch& run) {
  run_turns<3>(run, [](thread& t, uint32_t me, bool left, uint32_t, uint32_t step) {
    pair& p = left ? t.left : (t.turn++ + me) / 2 % 2 == 0 ? t.right : t.third;
    p = mix(p, step);
  });
}

void sb4_r(host_launch& run) {
  run_turns<3>(run, [](thread& t, uint32_t me, bool left, uint32_t, uint32_t step) {
    if (left) {
      t.left = first_mix(t.left, step);
      return;
    }
    const uint32_t turn = t.turn++;
    if ((turn + me) / 2 % 2 == 0)
      t.right = second_mix(t.right, step);
    else
      t.third = third_mix(t.third, step, turn);
  });
}

const reference registered[] = {{"sb1", sb1}, {"sb1_r", sb1_r}, {"sb2", sb2}, {"sb2_r", sb2_r},
                                {"sb3", sb3}, {"sb3_r", sb3_r}, {"sb4", sb4}, {"sb4_r", sb4_r}};

}  // namespace
}  // namespace lab::of_sb

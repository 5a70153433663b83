// SPDX-License-Identifier: BSL-1.0
//
// Multi-agent path planning, standing for "path-finding" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers"
// (MICRO 2011). Every agent walks on a grid towards its goal. In each step it looks at the nine moves, and for each at
// all obstacles, which drift in straight lines. Tests nested in the loops leave early: a collision gives the move up, a
// move that has become no better than the best so far is given up too, and an agent that has arrived or can go nowhere
// leaves all loops. Most agents look at most obstacles, so a warp's lanes are mostly together, as in the paper.
//
// Agents do not see each other and all numbers are whole: the result does not depend on the order of threads.

extern "C" __global__ void path_finding(const int2* obstacles, const int2* drifts, const int2* starts,
                                        const int2* goals, int2* places, unsigned* steps, unsigned* risks,
                                        unsigned num_obstacles, unsigned most_steps) {
  const unsigned agent = blockIdx.x * blockDim.x + threadIdx.x;
  const int2 goal = goals[agent];
  int x = starts[agent].x;
  int y = starts[agent].y;
  unsigned risk = 0;
  unsigned step = 0;
#pragma unroll 1
  for (; step < most_steps; ++step) {
    if (x == goal.x && y == goal.y) goto arrived;
    const int ahead_x = (goal.x > x) - (goal.x < x);
    const int ahead_y = (goal.y > y) - (goal.y < y);
    unsigned best = 1000000;
    int best_dx = 0, best_dy = 0;
#pragma unroll 1
    for (unsigned move = 0; move < 9; ++move) {
      const int dx = (ahead_x + 1 + static_cast<int>(move % 3)) % 3 - 1;
      const int dy = (ahead_y + 1 + static_cast<int>(move / 3)) % 3 - 1;
      unsigned penalty = 4 * (abs(goal.x - x - dx) + abs(goal.y - y - dy));
      if (penalty >= best) continue;
#pragma unroll 1
      for (unsigned o = 0; o < num_obstacles; ++o) {
        const int far_x = abs(obstacles[o].x + drifts[o].x * static_cast<int>(step) - x - dx);
        const int far_y = abs(obstacles[o].y + drifts[o].y * static_cast<int>(step) - y - dy);
        if (max(far_x, far_y) > 1) continue;
        if (far_x + far_y == 0) goto next_move;  // collision
        penalty += 8 / (far_x + far_y);
        risk += 1;
        if (penalty >= best) goto next_move;  // no better than what there is
      }
      best = penalty;
      best_dx = dx;
      best_dy = dy;
    next_move:;
    }
    if (best == 1000000) goto stuck;
    x += best_dx;
    y += best_dy;
  }
  places[agent] = {x, y};
  goto store;

stuck:
  places[agent] = {-x, -y};
  step += 1000;
  goto store;

arrived:
  places[agent] = goal;
store:
  steps[agent] = step;
  risks[agent] = risk;
}

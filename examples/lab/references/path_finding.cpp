// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/path_finding.cu: each agent's walk, with the choice of a move as a function of its own.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace lab::of_path_finding {
namespace {

using std::int32_t;
using std::uint32_t;

struct point {
  int32_t x = 0, y = 0;
  bool operator==(const point&) const = default;
};

point point_of(const host_array<int32_t>& array, std::size_t i) { return {array.get(2 * i), array.get(2 * i + 1)}; }

int32_t sign(int32_t v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }
int32_t distance(point a, point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

void path_finding(host_launch& run) {
  const auto obstacles = run.array<int32_t>(0);
  const auto drifts = run.array<int32_t>(1);
  const auto starts = run.array<int32_t>(2);
  const auto goals = run.array<int32_t>(3);
  auto places = run.array<int32_t>(4);
  auto steps = run.array<uint32_t>(5);
  auto risks = run.array<uint32_t>(6);
  const uint32_t num_obstacles = run.u32(7), most_steps = run.u32(8);

  for (uint32_t agent = 0; agent < run.threads(); ++agent) {
    const point goal = point_of(goals, agent);
    point here = point_of(starts, agent);
    uint32_t risk = 0;
    // The cost of being there at that time; nothing if it is a collision or costs `limit` or more.
    const auto cost_of = [&](point there, int32_t time, std::optional<int32_t> limit) -> std::optional<int32_t> {
      int32_t cost = 4 * distance(there, goal);
      if (limit && cost >= *limit) return std::nullopt;
      for (uint32_t o = 0; o < num_obstacles; ++o) {
        const point from = point_of(obstacles, o), drift = point_of(drifts, o);
        const point now{from.x + drift.x * time, from.y + drift.y * time};
        if (std::abs(now.x - there.x) > 1 || std::abs(now.y - there.y) > 1) continue;
        if (now == there) return std::nullopt;
        cost += 8 / distance(now, there);
        ++risk;
        if (limit && cost >= *limit) return std::nullopt;
      }
      return cost;
    };
    const auto best_move = [&](int32_t time) -> std::optional<point> {
      std::optional<int32_t> best;
      point chosen;
      for (int32_t turn_y = 0; turn_y < 3; ++turn_y)
        for (int32_t turn_x = 0; turn_x < 3; ++turn_x) {
          const point there{here.x + (sign(goal.x - here.x) + 1 + turn_x) % 3 - 1,
                            here.y + (sign(goal.y - here.y) + 1 + turn_y) % 3 - 1};
          const std::optional<int32_t> cost = cost_of(there, time, best);
          if (!cost) continue;
          best = cost;
          chosen = there;
        }
      return best ? std::optional(chosen) : std::nullopt;
    };

    uint32_t step = 0;
    for (; step < most_steps && here != goal; ++step) {
      const std::optional<point> next = best_move(static_cast<int32_t>(step));
      if (!next) {
        here = {-here.x, -here.y};
        step += 1000;
        break;
      }
      here = *next;
    }
    places.set(std::size_t{2} * agent, here.x);
    places.set(std::size_t{2} * agent + 1, here.y);
    steps.set(agent, step);
    risks.set(agent, risk);
  }
}

const reference registered("path_finding", path_finding);

}  // namespace
}  // namespace lab::of_path_finding

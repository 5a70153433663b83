// SPDX-License-Identifier: BSL-1.0
//
// The reduction of structure.hpp as it is written down, on successor sets: the oracle for everything built on it.
#pragma once

#include "analysis/oracles.hpp"

#include <vector>

namespace simtflow_tests {

// The rules as they are written down, on successor sets: node n is the virtual exit. A state is one set per node, a
// dead node has the bit `dead` only.
using state = std::vector<block_set>;
inline constexpr block_set dead = block_set{1} << 31;

inline state start_of(const small_graph& g, infinite_loops endless) {
  state s(g.n + 1, 0);
  const block_set ends =
      g.exits | (endless == infinite_loops::ignore ? 0 : virtual_edges(g, recursive_search(g).rpo()));
  for (block_id b = 0; b < g.n; ++b)
    s[b] = !has(g.reachable, b) ? dead : has(ends, b) ? g.out[b] | only(g.n) : g.out[b];
  if (ends == 0) s[g.n] = dead;
  return s;
}

inline block_set sources(const state& s, block_id b) {
  block_set from = 0;
  for (block_id a = 0; a < s.size(); ++a)
    if (has(s[a], b)) from |= only(a);
  return from;
}

// Every state that one rule makes of s; pinned nodes become part of no other.
inline std::vector<state> steps(const state& s, block_set pinned) {
  std::vector<state> found;
  for (block_id a = 0; a < s.size(); ++a) {
    if (s[a] == dead) continue;
    if (has(s[a], a)) {  // self loop
      found.push_back(s);
      found.back()[a] &= ~only(a);
    }
    for (block_id b = 0; b < s.size(); ++b) {
      if (b == a || has(pinned, b) || !has(s[a], b) || sources(s, b) != only(a)) continue;
      if (s[a] == only(b)) {  // sequence
        found.push_back(s);
        found.back()[a] = s[b];
        found.back()[b] = dead;
      }
      if (s[b] == only(a)) {  // while
        found.push_back(s);
        found.back()[a] &= ~only(b);
        found.back()[b] = dead;
      }
    }
    if (std::popcount(s[a]) < 2) continue;
    for (block_id j = 0; j < s.size(); ++j) {  // branch
      if (j == a || s[j] == dead) continue;
      block_set arms = 0;
      for (block_set rest = s[a] & ~only(j); rest != 0; rest &= rest - 1) {
        const block_id t = lowest(rest);
        if (!has(pinned, t) && sources(s, t) == only(a) && s[t] == only(j)) arms |= only(t);
      }
      if (arms == 0 || arms != (s[a] & ~only(j))) continue;
      found.push_back(s);
      found.back()[a] = only(j);
      for (; arms != 0; arms &= arms - 1) found.back()[lowest(arms)] = dead;
    }
  }
  return found;
}

inline block_set alive(const state& s) {
  block_set left = 0;
  for (block_id b = 0; b < s.size(); ++b)
    if (s[b] != dead) left |= only(b);
  return left;
}

// The blocks left after some sequence of rules.
inline block_set left_of(state s, block_set pinned, testing::rng& random) {
  while (true) {
    const std::vector<state> next = steps(s, pinned);
    if (next.empty()) return alive(s);
    s = next[random.below(next.size())];
  }
}

}  // namespace simtflow_tests

// SPDX-License-Identifier: BSL-1.0
//
// Loops with exits that count as one edge: loop_breaks::to_one_block of structure.hpp.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Shape>
class loop_break_finder {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  struct moved_exits {
    loop_id out_of = no_loop;     // the innermost loop from this one outwards with moved exits
    std::uint32_t target = none;  // where the edges lead that leave this one and none around it
    std::uint32_t inner = none;   // the new node
    std::uint32_t first = none;   // of those edges
    loop_id jump = no_loop, outermost = no_loop;
    bool moves = false, stays = false;
  };

  // Finds the loops with exits that count as one edge, and where that edge leads. The header of such a loop goes to
  // that place or to a new node, which has the header's other edges. An edge is moved if it leaves moved[..].out_of of
  // its source.
  constexpr void find(const Shape& g, const end_index<Shape>& ends) {
    const std::uint32_t exit = static_cast<std::uint32_t>(g.num_blocks());
    inner.clear();
    loops.recompute(g);
    const std::uint32_t count = static_cast<std::uint32_t>(loops.num_loops());
    moved.assign(count, {});
    for (const loop_id l : ids_below<loop_id>(count)) {
      moved_exits& here = moved[l];
      const loop_id outer = loops.parent(l);
      here.moves = !loops.is_irreducible(l);
      here.outermost = outer == no_loop ? l : moved[outer].outermost;
      if (outer == no_loop) continue;
      const loop_id jump = moved[outer].jump;  // jumps skip 1, 3, 7, ... loops
      const bool even = jump != no_loop && moved[jump].jump != no_loop &&
                        loops.depth(outer) - loops.depth(jump) == loops.depth(jump) - loops.depth(moved[jump].jump);
      here.jump = even ? moved[jump].jump : outer;
    }
    // Edges by the outermost loop that they leave, each as its source's innermost one.
    leaving_.clear();
    for (block_id b = 0; b < exit; ++b) {
      const loop_id l = loops.innermost(b);
      if (l == no_loop) continue;
      for (const block_id s : g.successors(b))
        if (!loops.contains(l, s)) leave(l, outermost_left(l, s), s);
      if (ends.ends(b)) leave(l, moved[l].outermost, exit);
    }
    for (const loop_id l : ids_below<loop_id>(count)) {
      moved_exits& here = moved[l];
      const loop_id outer = loops.parent(l);
      here.out_of = outer == no_loop ? no_loop : moved[outer].out_of;
      if (here.moves && here.target != none) {
        here.out_of = l;
        here.inner = exit + 1 + static_cast<std::uint32_t>(inner.size());
        inner.push_back(loops.header(l));
        continue;
      }
      // Edges that stay are in the way of all loops that they leave. Those that stay already have loops around them, up
      // to this one, that stay as well.
      here.stays = true;
      for (std::uint32_t e = here.first; e != none; e = leaving_[e].next)
        for (loop_id x = leaving_[e].from; !moved[x].stays; x = loops.parent(x)) {
          moved[x].stays = true;
          moved[x].moves = false;
        }
    }
  }

  dense::basic_loop_forest<Shape> loops;
  id_map<loop_id, moved_exits> moved;
  std::vector<block_id> inner;  // by new node: the header; new nodes follow the virtual exit

 private:
  struct leaving_edge {
    loop_id from = no_loop;
    std::uint32_t next = none;
  };

  constexpr void leave(loop_id from, loop_id outermost, std::uint32_t to) {
    moved_exits& there = moved[outermost];
    if (there.target != none && there.target != to) there.moves = false;
    there.target = to;
    leaving_.push_back({from, there.first});
    there.first = static_cast<std::uint32_t>(leaving_.size() - 1);
  }
  // \pre l does not contain it.
  constexpr loop_id outermost_left(loop_id l, block_id outside) const {
    while (true) {
      const loop_id outer = loops.parent(l);
      if (outer == no_loop || loops.contains(outer, outside)) return l;
      l = loops.contains(moved[l].jump, outside) ? outer : moved[l].jump;
    }
  }

  std::vector<leaving_edge> leaving_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

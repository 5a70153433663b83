// SPDX-License-Identifier: BSL-1.0
//
// The three steps of structure_by_copies.hpp.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/copy_report.hpp>
#include <simtflow/transform/detail/loop_exits.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Plan = flow_plan>
class copy_structurer {
 public:
  // convergent[b] for each block of the plan; empty: none is.
  constexpr copy_report apply(Plan& plan, const copy_options& options, std::span<const unsigned char> convergent) {
    report_ = copy_report{};
    if (plan.num_blocks() == 0) return report_;
    limit_ = options.max_blocks;
    structure_.recompute(shape_.of(plan), structure_options{});
    if (structure_.residue() <= 1) return count_only(plan);
    work_ = plan;
    convergent_ = convergent;
    refused_.assign(convergent.size(), 0);
    origin_.clear();
    if (!copy_backward()) return nothing_done(false);
    cut();
    if (!copy_forward()) return nothing_done(false);
    for (block_id b = 0; b < refused_.size(); ++b)
      if (refused_[b] != 0) report_.refused.push_back(b);
    if (!report_.refused.empty()) return nothing_done(true);
    plan = work_;
    return report_;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // Structured already. (Not every structured graph has loops in order as below: two loops may share a header.)
  constexpr copy_report count_only(const Plan& plan) {
    report_.blocks = plan.cost().blocks();
    if (report_.blocks <= limit_) return report_;
    report_.fits = false;
    report_.blocks = 0;
    report_.step = copy_step::forward_copy;
    return report_;
  }

  constexpr copy_report nothing_done(bool fits) {
    report_.fits = fits;
    report_.blocks = report_.backward_copies = report_.cuts = report_.forward_copies = 0;
    report_.applied = structural_transforms{};
    return report_;
  }

  // The only way to a copy. Convergent ones are noted under the block of the given plan that they come from.
  constexpr block_id copy_of(block_id b) {
    const block_id made = work_.add_copy(b);
    const std::size_t given = convergent_.size();
    if (given == 0) return made;
    while (origin_.size() < made - given) origin_.push_back(no_block);  // hubs
    const block_id origin = b < given ? b : origin_[b - given];
    origin_.push_back(origin);
    if (origin != no_block && convergent_[origin] != 0) refused_[origin] = 1;
    return made;
  }

  constexpr bool stop(copy_step step, block_id b) {
    report_.step = step;
    if (b < work_.num_blocks()) report_.at = work_[b].executes;
    return false;
  }

  // --- backward copy -------------------------------------------------------------------------------------------------

  struct entering {
    loop_id loop;  // the outermost loop that the edge enters
    block_id from;
    std::uint32_t slot;
    block_id to;
  };

  // In rounds: outer loops first, in each round those that nothing of this round has touched. An inner loop is
  // seen in the same round if the outer loop keeps the entry that it has in the forest, and nothing of it is copied.
  constexpr bool copy_backward() {
    while (true) {
      const csr_graph& g = shape_.of(work_);
      loops_.recompute(g);
      if (loops_.is_reducible()) return true;
      tree_.recompute(g);
      ladder_.compute(loops_);
      const std::uint32_t count = static_cast<std::uint32_t>(loops_.num_loops());
      list_entering(g, count);
      std::size_t size = loops_.rpo().size(), effort = 16 * size;
      twin_.assign(g.num_blocks(), no_block);
      top_.assign(g.num_blocks(), no_block);
      within_.assign(g.num_blocks(), 0);
      closed_.assign(count, 0);
      for (const loop_id l : ids_below<loop_id>(count)) {
        const loop_id up = loops_.parent(l);
        closed_[l] = (up != no_loop && closed_[up] != 0) || twin_[loops_.header(l)] != no_block ? 1 : 0;
        if (closed_[l] != 0 || !loops_.is_irreducible(l)) continue;
        block_id kept = loops_.header(l);
        if (loops_.blocks(l).size() <= effort) {
          effort -= loops_.blocks(l).size();
          kept = best_entry(l);
        }
        if (kept != loops_.header(l)) closed_[l] = 1;  // for loops in it
        find_copies(g, l, kept);
        size += copied_.size();
        if (size > limit_) return stop(copy_step::backward_copy, kept);
        copy_in_front(g, l);
      }
    }
  }

  constexpr void list_entering(const csr_graph& g, std::uint32_t count) {
    edge_.clear();
    start_.assign(count + std::size_t{1}, 0);
    for (block_id x = 0; x < g.num_blocks(); ++x)
      for (std::uint32_t k = 0; k < g.successors(x).size(); ++k) {
        const block_id t = g.successors(x)[k];
        const loop_id inner = loops_.innermost(t);
        if (inner == no_loop || loops_.contains(inner, x)) continue;
        const loop_id l = ladder_.outermost_without(loops_, inner, x);
        edge_.push_back({l, x, k, t});
        ++start_[l];
      }
    std::uint32_t at = 0;
    for (std::uint32_t l = 0; l <= count; ++l) {
      const std::uint32_t own = start_[l];
      start_[l] = at;
      at += own;
    }
    sorted_.assign(edge_.size(), entering{});
    for (const entering& e : edge_) sorted_[start_[e.loop]++] = e;
  }
  [[nodiscard]] constexpr std::span<const entering> entering_edges(loop_id l) const {
    const std::uint32_t begin = index_of(l) == 0 ? 0 : start_[index_of(l) - 1];
    return std::span<const entering>(sorted_).subspan(begin, start_[l] - begin);
  }

  // The entry that dominates most of the loop. top_[b]: the dominator of b in the loop that is nearest to the entry.
  constexpr block_id best_entry(loop_id l) {
    const std::span<const block_id> blocks = loops_.blocks(l);
    for (const block_id b : blocks) {
      top_[b] = no_block;
      within_[b] = 0;
    }
    for (const block_id b : blocks) {
      path_.clear();
      block_id a = b;
      while (top_[a] == no_block) {
        path_.push_back(a);
        const block_id up = tree_.idom(a);
        if (up == no_block || !loops_.contains(l, up)) {
          top_[a] = a;
        } else {
          a = up;
        }
      }
      for (const block_id p : path_) top_[p] = top_[a];
      ++within_[top_[a]];
    }
    block_id best = loops_.header(l);
    for (const block_id b : blocks)
      if (loops_.is_entry(l, b) && within_[b] > within_[best]) best = b;
    return best;
  }

  // The blocks of l that are reached from entries other than `kept` and not through it.
  constexpr void find_copies(const csr_graph& g, loop_id l, block_id kept) {
    copied_.clear();
    const auto add = [&](block_id b) {
      if (b == kept || twin_[b] != no_block || !loops_.contains(l, b)) return;
      twin_[b] = b;  // until it has one
      copied_.push_back(b);
    };
    for (const entering& e : entering_edges(l)) add(e.to);
    for (std::size_t i = 0; i < copied_.size(); ++i)
      for (const block_id s : g.successors(copied_[i])) add(s);
  }

  constexpr void copy_in_front(const csr_graph& g, loop_id l) {
    for (const block_id b : copied_) twin_[b] = copy_of(b);
    report_.backward_copies += copied_.size();
    for (const block_id b : copied_)
      for (std::size_t k = 0; k < g.successors(b).size(); ++k)
        if (const block_id s = g.successors(b)[k]; loops_.contains(l, s) && twin_[s] != no_block)
          work_.set_edge(twin_[b], k, twin_[s]);
    for (const entering& e : entering_edges(l)) {
      if (twin_[e.to] == no_block) continue;
      ++report_.applied.backward_copies;
      work_.set_edge(e.from, e.slot, twin_[e.to]);
      if (twin_[e.from] != no_block) work_.set_edge(twin_[e.from], e.slot, twin_[e.to]);
    }
  }

  // --- cut -----------------------------------------------------------------------------------------------------------

  constexpr void cut() {
    const csr_graph& g = shape_.of(work_);
    loops_.recompute(g);
    tree_.recompute(g);
    ladder_.compute(loops_);
    find_tests(g);
    const auto needs_test = [&](loop_id l) { return in_order_[l] == 0; };
    if (!convergent_.empty()) {
      own_.assign(convergent_.begin(), convergent_.end());  // a copy of a convergent block has been refused already
      own_.resize(g.num_blocks(), 0);
      apart_.compute(g, loops_, std::span<const unsigned char>(own_), needs_test);
      for (const block_id b : apart_.obstacles()) refused_[b] = 1;
    }
    report_.cuts = router_.route(work_, g, loops_, true, needs_test);
    const std::size_t out = router_.ways_out();
    report_.applied.cuts = out > 2 * report_.cuts ? out - report_.cuts : report_.cuts;
  }

  // The ways out of a loop: the source with the edges that lead farthest out, and the same of all other sources. Depths
  // of the outermost loop left; 0xFFFF'FFFF: nothing.
  struct ways_out {
    block_id source = no_block;
    std::uint32_t depth = none, other = none;
    loop_id via = no_loop;  // the child loop that the source is in
  };
  static constexpr void join(ways_out& all, const ways_out& more) {
    if (more.source == no_block) return;
    if (more.other < all.other) all.other = more.other;
    if (more.source == all.source) {
      if (more.depth < all.depth) all.depth = more.depth;
    } else if (more.depth < all.depth) {
      if (all.depth < all.other) all.other = all.depth;
      all.source = more.source;
      all.depth = more.depth;
      all.via = more.via;
    } else if (more.depth < all.other) {
      all.other = more.depth;
    }
  }

  // test_[l]: the block from which all ways out leave (of an endless loop its header), no_block if there are several.
  constexpr void find_tests(const csr_graph& g) {
    const std::uint32_t count = static_cast<std::uint32_t>(loops_.num_loops());
    out_.assign(count, ways_out{});
    test_.assign(count, no_block);
    in_order_.assign(count, 1);
    for (block_id x = 0; x < g.num_blocks(); ++x) {
      const loop_id l = loops_.innermost(x);
      if (l == no_loop) continue;
      ways_out here{x, none, none, no_loop};
      for (const block_id t : g.successors(x)) {
        if (loops_.contains(l, t)) continue;
        const std::uint32_t depth = loops_.depth(ladder_.outermost_without(loops_, l, t));
        if (depth < here.depth) here.depth = depth;
      }
      if (g.is_exit(x)) here.depth = 1;
      if (here.depth != none) join(out_[l], here);
    }
    for (const loop_id l : ids_downward<loop_id>(count)) {
      const ways_out& out = out_[l];
      const std::uint32_t depth = loops_.depth(l);
      if (out.other <= depth) {
        in_order_[l] = 0;
      } else if (out.depth <= depth) {
        test_[l] = out.source;
        bool good = out.via == no_loop || (in_order_[out.via] != 0 && test_[out.via] == out.source);
        for (const block_id latch : loops_.latches(l)) good = good && tree_.dominates(out.source, latch);
        in_order_[l] = good ? 1 : 0;
      } else {
        test_[l] = loops_.header(l);  // endless: a test that never fails
      }
      if (const loop_id up = loops_.parent(l); up != no_loop) {
        ways_out more = out;
        more.via = l;
        join(out_[up], more);
      }
    }
  }

  // --- forward copy --------------------------------------------------------------------------------------------------

  // The graph without ways back: instead, a way back to the header of l leads to the node num_blocks() + l, its *turn*.
  // From there control leaves by the edges by which it leaves the test of l, so that the test has the post-dominator
  // that it would have without the loop. (If threads may end in the test itself, it has none anyway.)
  [[nodiscard]] constexpr block_id forward(const csr_graph& g, block_id x, block_id s) const {
    const loop_id l = loops_.innermost(s);
    const bool back = l != no_loop && loops_.header(l) == s && loops_.contains(l, x);
    return back ? static_cast<block_id>(g.num_blocks()) + index_of(l) : s;
  }

  constexpr void make_forward(const csr_graph& g) {
    const std::size_t n = g.num_blocks();
    csr_builder builder(n + loops_.num_loops(), g.entry());
    for (const block_id x : loops_.rpo()) {
      for (const block_id s : g.successors(x)) builder.add_edge(x, forward(g, x, s));
      if (g.is_exit(x)) builder.mark_exit(x);
    }
    for (const loop_id l : ids_below<loop_id>(loops_.num_loops())) {
      const block_id t = test_[l];
      if (t == no_block) continue;                                // not in order
      if (out_[l].depth > loops_.depth(l)) builder.mark_exit(t);  // endless
      const block_id turn = static_cast<block_id>(n + index_of(l));
      for (const block_id s : g.successors(t))
        if (!loops_.contains(l, s)) builder.add_edge(turn, forward(g, t, s));
    }
    forward_ = builder.build();
  }

  // The end of the arm of x that begins with `a`: at the turn of the loop that x is the test of, if the arm stays in
  // it, else at ipdom(x).
  [[nodiscard]] constexpr block_id arm_end(const csr_graph& g, block_id x, block_id a, block_id ipdom) const {
    const block_id n = static_cast<block_id>(g.num_blocks());
    loop_id l = a >= n ? loop_id{a - n} : loops_.innermost(x);
    if (l == no_loop) return ipdom;
    if (a < n && !loops_.contains(l, a)) {
      l = loops_.parent(ladder_.outermost_without(loops_, l, a));
      if (l == no_loop) return ipdom;
    }
    return test_[l] == x ? n + index_of(l) : ipdom;
  }

  constexpr bool copy_forward() {
    const csr_graph& g = shape_.of(work_);
    loops_.recompute(g);
    tree_.recompute(g);
    ladder_.compute(loops_);
    find_tests(g);
    make_forward(g);
    ipdoms_.recompute(forward_, post_dominator_options{});
    order_.recompute(forward_);
    const block_id n = static_cast<block_id>(g.num_blocks());
    mark_.assign(forward_.num_blocks(), no_block);
    // Sums of cost from a node to the end along ipdoms; blocks past the end cost nothing.
    sum_.assign(forward_.num_blocks() + std::size_t{1}, 0);
    const auto sum = [&](block_id b) -> std::uint64_t { return b == no_block ? 0 : sum_[b]; };
    const std::span<const block_id> rpo = order_.rpo();
    for (std::size_t i = rpo.size(); i-- > 0;) {
      const block_id x = rpo[i], m = ipdoms_.ipdom(x);
      std::uint64_t cost = x < n ? 1 : 0;
      if (x < n)
        for (const block_id a : forward_.successors(x)) {
          if (a == m || mark_[a] == x) continue;
          mark_[a] = x;
          cost += sum(a) - sum(arm_end(g, x, a, m));
          if (cost > limit_) return stop(copy_step::forward_copy, x);
        }
      sum_[x] = cost + sum(m);
    }
    report_.blocks = static_cast<std::size_t>(sum(g.entry()));
    if (report_.blocks > limit_) return stop(copy_step::forward_copy, no_block);
    report_.applied.forward_copies = count_entries(g);
    expand(g);
    return true;
  }

  // The branches of the forward graph that enter a region which another branch enters also, less one for each region.
  // They enter it as an arm, or after the join of the branches before it. The latter is so if an arm with that join
  // goes on to an end that is farther away; far_[x] is the farthest such end, as its distance from the last join.
  [[nodiscard]] constexpr std::size_t count_entries(const csr_graph& g) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    const std::span<const block_id> rpo = order_.rpo();
    distance_.assign(forward_.num_blocks(), 0);
    for (std::size_t i = rpo.size(); i-- > 0;)
      if (const block_id m = ipdoms_.ipdom(rpo[i]); m != no_block) distance_[rpo[i]] = distance_[m] + 1;
    far_.assign(forward_.num_blocks(), none);
    entered_.assign(n, 0);
    mark_.assign(forward_.num_blocks(), no_block);
    const auto enter = [&](block_id a, std::uint32_t end) {
      if (a < n) ++entered_[a];
      if (end < far_[a]) far_[a] = end;
    };
    const auto distance = [&](block_id b) { return b == no_block ? 0 : distance_[b] + 1; };
    enter(g.entry(), 0);
    for (const block_id x : rpo) {
      if (x >= n) continue;
      const block_id m = ipdoms_.ipdom(x);
      for (const block_id a : forward_.successors(x)) {
        if (a == m || mark_[a] == x) continue;
        mark_[a] = x;
        if (const block_id end = arm_end(g, x, a, m); a != end) enter(a, distance(end));
      }
      if (m != no_block && m < n && far_[x] < distance(m)) enter(m, far_[x]);
    }
    std::size_t more = 0;
    for (const std::uint32_t times : entered_) more += times > 1 ? times - 1 : 0;
    return more;
  }

  // Write `from`, which stands for the node, and what follows it up to `end`; there go on at `then`.
  struct arm {
    block_id node, from, end, then;
  };

  constexpr void expand(const csr_graph& g) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    used_.assign(n, 0);
    mark_.assign(forward_.num_blocks(), no_block);
    arm_from_.assign(forward_.num_blocks(), no_block);
    header_.assign(loops_.num_loops(), no_block);
    arms_.clear();
    const auto instance = [&](block_id b) {
      if (used_[b] == 0) {
        used_[b] = 1;
        return b;
      }
      ++report_.forward_copies;
      return copy_of(b);
    };
    arms_.push_back({g.entry(), instance(g.entry()), no_block, no_block});
    while (!arms_.empty()) {
      arm now = arms_.back();
      arms_.pop_back();
      // A loop is entered and passes its test in one run of this loop, so header_ is the header of the present copy.
      while (true) {
        const block_id x = now.node;
        if (const loop_id l = loops_.innermost(x); l != no_loop && loops_.header(l) == x) header_[l] = now.from;
        const block_id m = ipdoms_.ipdom(x);
        const auto resume = [&](block_id at) { return at == now.end ? now.then : header_[at - n]; };
        const bool last = m == no_block || m == now.end || m >= n;
        const block_id next = m == no_block ? no_block : last ? resume(m) : instance(m);
        for (std::size_t k = 0; k < forward_.successors(x).size(); ++k) {
          const block_id a = forward_.successors(x)[k];
          block_id to = next;
          if (a != m) {
            const block_id end = arm_end(g, x, a, m);
            const block_id then = end == m ? next : resume(end);
            to = then;
            if (a != end) {
              if (mark_[a] != now.from) {
                mark_[a] = now.from;
                arm_from_[a] = instance(a);
                arms_.push_back({a, arm_from_[a], end, then});
              }
              to = arm_from_[a];
            }
          }
          work_.set_edge(now.from, k, to);
        }
        if (last) break;
        now.node = m;
        now.from = next;
      }
    }
  }

  copy_report report_;
  std::size_t limit_ = 0;
  Plan work_;
  kept_shape<Plan> shape_;
  dense::structural_reduction structure_;
  dense::loop_forest loops_;
  loop_ladder<> ladder_;
  loop_exit_router<Plan> router_;
  dense::dominator_tree tree_;
  dense::immediate_post_dominator_map ipdoms_;
  dense::depth_first_order order_;
  csr_graph forward_;
  std::vector<entering> edge_, sorted_;
  id_map<loop_id, std::uint32_t> start_;
  std::vector<std::uint32_t> within_;
  std::vector<block_id> twin_, top_, path_, copied_;
  id_map<loop_id, unsigned char> closed_, in_order_;
  std::vector<unsigned char> used_;
  std::span<const unsigned char> convergent_;  // by block of the given plan
  std::vector<unsigned char> refused_;         // likewise
  std::vector<unsigned char> own_;             // by block when loops are cut: what convergent_ says
  loops_apart<> apart_;
  std::vector<block_id> origin_;  // by block that was added since
  id_map<loop_id, ways_out> out_;
  id_map<loop_id, block_id> test_, header_;
  std::vector<block_id> mark_, arm_from_;
  std::vector<std::uint64_t> sum_;
  std::vector<arm> arms_;
  std::vector<std::uint32_t> distance_, far_, entered_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

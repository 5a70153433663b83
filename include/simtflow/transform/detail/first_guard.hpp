// SPDX-License-Identifier: BSL-1.0
//
// Rows of guards, asked all at once: which guard of a row is the first one that lets a value pass?
//
// The slot 1 of a guard may lead to another guard of the same variable and set nothing on the way. Such guards are a
// forest: the parent of a guard is the next one to be asked. An answer is an ancestor with the value in its range, the
// nearest one. Each guard has a segment tree over the values of its variable, the tree of its parent with one range
// painted over; trees share all nodes that are the same. So a row of n guards costs O(n log n), and so do n questions,
// although the answers may be n guards away.
//
// Literature: J. Driscoll, N. Sarnak, D. Sleator, R. Tarjan, Making data structures persistent (1989).
#pragma once

#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Plan is flow_plan; a template, so that only who checks a plan pays for it.
template <class Plan = flow_plan>
class first_guard {
 public:
  // `matters[v]`: a guard tests variable v, and an edge sets it. Blocks with reached[b] == 0 are left out.
  constexpr void build(const Plan& p, std::span<const unsigned char> reached, std::span<const unsigned char> matters) {
    plan_ = &p;
    matters_ = matters;
    const std::size_t n = p.num_blocks();
    next_.assign(n, no_block);
    last_.assign(n, no_block);
    version_.assign(n, none);
    node_.clear();
    node_.push_back({none, none, no_block});  // the tree in which no guard lets a value pass
    list_values(reached);
    skip_empties(reached);
    for (block_id b = 0; b < n; ++b) {
      if (reached[b] == 0 || !is_asked(b)) continue;
      const auto& slot1 = p.successors(b)[1];
      const block_id to = next_empty_[slot1.to];
      if (!sets_something(slot1) && is_asked(to) && p[to].variable == p[b].variable) next_[b] = to;
    }
    for (block_id b = 0; b < n; ++b)
      if (reached[b] != 0 && is_asked(b)) make_version(b);
  }

  // Guard b, or the first one after it that lets the value pass; otherwise the last one of the row, which lets it go by
  // slot 1. For any other block: the block after those that do nothing. \pre the value is zero, or an edge sets it
  [[nodiscard]] constexpr block_id ahead(block_id b, std::uint32_t value) const {
    if (version_[b] == none) return next_empty_[b];
    const std::uint32_t v = (*plan_)[b].variable;
    std::size_t low = 0, high = first_value_[v + std::size_t{1}] - first_value_[v];
    const std::size_t at = place(v, value);
    block_id found = last_[b];
    for (std::uint32_t t = version_[b]; t != none;) {
      const node& n = node_[t];
      if (n.guard != no_block) found = n.guard;  // painted later than what is above
      const std::size_t middle = low + (high - low) / 2;
      t = at < middle ? n.left : n.right;
      (at < middle ? high : low) = middle;
    }
    return found;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  // The values in its range pass the guard, unless a node below says otherwise.
  struct node {
    std::uint32_t left, right;
    block_id guard;
  };
  struct painted {
    std::uint32_t node;
    std::size_t low, high;
  };

  constexpr bool is_asked(block_id b) const {
    const auto& what = (*plan_)[b];
    return what.role == plan_role::guard && matters_[what.variable] != 0;
  }
  constexpr bool sets_something(const typename Plan::edge& e) const {
    bool any = false;
    plan_->for_each_assignment(e, [&](plan_assignment a) { any = any || matters_[a.variable] != 0; });
    return any;
  }

  // By variable: zero and all that edges set it to, ascending.
  constexpr void list_values(std::span<const unsigned char> reached) {
    first_value_.assign(matters_.size() + 1, 0);
    const auto each = [&](auto f) {
      for (block_id b = 0; b < plan_->num_blocks(); ++b)
        if (reached[b] != 0)
          for (const auto& e : plan_->successors(b))
            plan_->for_each_assignment(e, [&](plan_assignment a) {
              if (matters_[a.variable] != 0) f(a);
            });
    };
    each([&](plan_assignment a) { ++first_value_[a.variable]; });
    for (std::size_t v = 0; v < matters_.size(); ++v) first_value_[v] += matters_[v] != 0 ? 1 : 0;
    value_.assign(begin_rows(first_value_), 0);
    for (std::size_t v = 0; v < matters_.size(); ++v) first_value_[v] += matters_[v] != 0 ? 1 : 0;  // zero
    each([&](plan_assignment a) { value_[first_value_[a.variable]++] = a.value; });
    end_rows(first_value_);
    std::vector<std::uint32_t> row;
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < matters_.size(); ++v) {
      row.assign(value_.begin() + static_cast<std::ptrdiff_t>(first_value_[v]),
                 value_.begin() + static_cast<std::ptrdiff_t>(first_value_[v + 1]));
      sort_ascending(row);
      first_value_[v] = kept;
      for (const std::uint32_t x : row)
        if (kept == first_value_[v] || value_[kept - 1] != x) value_[kept++] = x;
    }
    first_value_[matters_.size()] = kept;
  }
  [[nodiscard]] constexpr std::size_t place(std::uint32_t variable, std::uint32_t value) const {
    const std::size_t first = first_value_[variable];
    return detail::lower_bound(
        std::span<const std::uint32_t>(value_).subspan(first, first_value_[variable + std::size_t{1}] - first), value);
  }

  // next_empty_: the first block from here on that is not an empty one with an edge that sets nothing. In a circle of
  // such blocks it is one of them.
  constexpr void skip_empties(std::span<const unsigned char> reached) {
    const std::size_t n = plan_->num_blocks();
    next_empty_.assign(n, no_block);
    for (block_id b = 0; b < n; ++b) {
      if (reached[b] == 0) continue;
      way_.clear();
      block_id at = b;
      while (next_empty_[at] == no_block) {
        next_empty_[at] = at;
        const auto out = plan_->successors(at);
        if ((*plan_)[at].role != plan_role::empty || out.empty() || sets_something(out[0])) break;
        way_.push_back(at);
        at = out[0].to;
      }
      for (const block_id e : way_) next_empty_[e] = next_empty_[at];
    }
  }

  // The trees of the guards from b on to the first one that has a tree.
  constexpr void make_version(block_id b) {
    way_.clear();
    block_id at = b;
    for (; at != no_block && last_[at] == no_block; at = next_[at]) {
      last_[at] = at;
      way_.push_back(at);
    }
    if (way_.empty()) return;
    if (at != no_block && version_[at] == none) {  // a circle: the guard before ends the row
      next_[way_.back()] = no_block;
      at = no_block;
    }
    for (; !way_.empty(); way_.pop_back()) {
      const block_id g = way_.back();
      if (at != no_block) last_[g] = last_[at];
      version_[g] = paint(at == no_block ? 0 : version_[at], g);
      at = g;
    }
  }

  // A tree like `tree`, with the values that g lets pass painted over.
  constexpr std::uint32_t paint(std::uint32_t tree, block_id g) {
    const auto& what = (*plan_)[g];
    const std::uint32_t v = what.variable;
    const std::size_t all = first_value_[v + std::size_t{1}] - first_value_[v];
    const std::size_t low = place(v, what.low);
    const std::size_t high = what.high == none ? all : place(v, what.high + 1);
    if (low >= high) return tree;
    const auto made = static_cast<std::uint32_t>(node_.size());
    node_.push_back(node_[tree]);
    work_.push_back({made, 0, all});
    while (!work_.empty()) {
      const painted t = work_.back();
      work_.pop_back();
      if (low <= t.low && t.high <= high) {
        node_[t.node] = {none, none, g};
        continue;
      }
      const std::size_t middle = t.low + (t.high - t.low) / 2;
      if (low < middle) {
        const std::uint32_t same = node_[t.node].left;
        node_[t.node].left = static_cast<std::uint32_t>(node_.size());
        work_.push_back({node_[t.node].left, t.low, middle});
        node_.push_back(same == none ? node{none, none, no_block} : node_[same]);
      }
      if (high > middle) {
        const std::uint32_t same = node_[t.node].right;
        node_[t.node].right = static_cast<std::uint32_t>(node_.size());
        work_.push_back({node_[t.node].right, middle, t.high});
        node_.push_back(same == none ? node{none, none, no_block} : node_[same]);
      }
    }
    return made;
  }

  const Plan* plan_ = nullptr;
  std::span<const unsigned char> matters_;
  std::vector<std::uint32_t> first_value_, value_;  // by variable
  std::vector<block_id> next_, last_, next_empty_;  // by block: of guards the next one and the last one of the row
  std::vector<std::uint32_t> version_;              // by guard: its tree
  std::vector<node> node_;
  std::vector<painted> work_;
  std::vector<block_id> way_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

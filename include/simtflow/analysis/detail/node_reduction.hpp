// SPDX-License-Identifier: BSL-1.0
//
// A graph of nodes that reduces itself: sequences, arms of branches, and loops become part of one node, until nothing
// more matches (structure.hpp). Near-linear.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Shape is the graph of the caller: a template costs nothing to include.
template <class Shape>
class node_reduction {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // The edges that are left, each in a list of its source node and in a list of its target. A target is always the name
  // of a node; a source is some block of a node, and find() tells the node.
  struct link {
    std::uint32_t from, to;
    std::uint32_t next_out, prev_out, next_in, prev_in;
  };
  struct node {
    std::uint32_t first_out = none, outs = 0;
    std::uint32_t first_in = none, ins = 0;  // the program's entry counts one more than its list holds
    std::uint32_t up = none;                 // the node that this one became part of
    std::uint32_t join = none;               // of a branch, once two successors agree on it
    std::uint32_t agreed = 0;                // successors that are the join or arms that lead there
    unsigned char counted = 0;               // this arm is among them
    unsigned char queued = 0;
  };

  // Begins with nodes that have no edge; `edges` may follow.
  constexpr void clear(std::size_t num_nodes, std::size_t edges = 0) {
    nodes.assign(num_nodes, node{});
    links.clear();
    links.reserve(edges);
    work_.clear();
  }
  // Adds an edge.
  constexpr void connect(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t l = static_cast<std::uint32_t>(links.size());
    node &a = nodes[from], &b = nodes[to];
    links.push_back({from, to, a.first_out, none, b.first_in, none});
    if (a.first_out != none) links[a.first_out].prev_out = l;
    if (b.first_in != none) links[b.first_in].prev_in = l;
    a.first_out = b.first_in = l;
    ++a.outs;
    ++b.ins;
  }
  // Node a is looked at by reduce_all().
  constexpr void push(std::uint32_t a) {
    if (nodes[a].queued) return;
    nodes[a].queued = 1;
    work_.push_back(a);
  }
  // The node that a has become part of.
  constexpr std::uint32_t find(std::uint32_t a) {
    while (nodes[a].up != a) a = nodes[a].up = nodes[nodes[a].up].up;
    return a;
  }
  // Reduces what the pushed nodes lead to.
  constexpr void reduce_all() {
    while (!work_.empty()) {
      const std::uint32_t a = work_.back();
      work_.pop_back();
      nodes[a].queued = 0;
      if (nodes[a].up == a) reduce(a);
    }
  }

  std::vector<node> nodes;
  std::vector<link> links;

 private:
  constexpr void disconnect(std::uint32_t l) {
    const link e = links[l];
    const std::uint32_t from = find(e.from);
    node &a = nodes[from], &b = nodes[e.to];
    (e.prev_out == none ? a.first_out : links[e.prev_out].next_out) = e.next_out;
    if (e.next_out != none) links[e.next_out].prev_out = e.prev_out;
    (e.prev_in == none ? b.first_in : links[e.prev_in].next_in) = e.next_in;
    if (e.next_in != none) links[e.next_in].prev_in = e.prev_in;
    --a.outs;
    --b.ins;
    push(from);
    if (b.ins == 1 && b.first_in != none) {  // it may be an arm now, or follow its predecessor
      push(e.to);
      push(source(e.to));
    }
  }

  // \pre a.first_in != none; and for one predecessor, respectively one successor, it is the only one.
  constexpr std::uint32_t source(std::uint32_t a) { return find(links[nodes[a].first_in].from); }
  [[nodiscard]] constexpr std::uint32_t target(std::uint32_t a) const { return links[nodes[a].first_out].to; }
  [[nodiscard]] constexpr bool is_arm(std::uint32_t a) const {
    return nodes[a].outs == 1 && nodes[a].ins == 1 && nodes[a].first_in != none;
  }

  constexpr void reduce(std::uint32_t a) {
    while (nodes[a].outs == 1 && nodes[target(a)].ins == 1) merge_next(a);
    if (nodes[a].outs >= 2) return look_at_branch(a);
    if (!is_arm(a)) return;
    const std::uint32_t p = source(a), j = target(a);
    if (p == j) {  // while
      disconnect(nodes[a].first_out);
      disconnect(nodes[a].first_in);
      nodes[a].up = p;
      return;
    }
    if (nodes[p].join == j && !nodes[a].counted) {
      nodes[a].counted = 1;
      ++nodes[p].agreed;
    }
    if (nodes[p].outs >= 2) look_at_branch(p);
  }

  // Sequence. Afterwards edges from b to a are self loops and arms between b and a are bodies of loops; they stand in
  // the list of b's successors and in the list of a's predecessors.
  constexpr void merge_next(std::uint32_t a) {
    const std::uint32_t b = target(a);
    nodes[a].first_out = nodes[b].first_out;
    nodes[a].outs = nodes[b].outs;
    nodes[a].join = nodes[b].join == a ? none : nodes[b].join;
    nodes[a].agreed = nodes[a].join == none ? 0 : nodes[b].agreed;
    nodes[b].up = a;
    if (nodes[a].outs <= nodes[a].ins) {
      for (std::uint32_t l = nodes[a].first_out, next = none; l != none; l = next) {
        next = links[l].next_out;
        const std::uint32_t t = links[l].to;
        if (t == a) {
          disconnect(l);
        } else if (is_arm(t) && target(t) == a) {
          push(t);
        }
      }
    } else {
      for (std::uint32_t l = nodes[a].first_in, next = none; l != none; l = next) {
        next = links[l].next_in;
        const std::uint32_t t = find(links[l].from);
        if (t == a) {
          disconnect(l);
        } else if (is_arm(t) && source(t) == a) {
          push(t);
        }
      }
    }
  }

  // The join to which both edges lead, one of them perhaps directly; none if there is no such block but a itself.
  [[nodiscard]] constexpr std::uint32_t common_join(std::uint32_t a, std::uint32_t s, std::uint32_t t) const {
    const std::uint32_t from_s = is_arm(s) ? target(s) : none, from_t = is_arm(t) ? target(t) : none;
    const std::uint32_t j = from_s == t ? t : from_t == s ? s : from_s == from_t ? from_s : none;
    return j == a ? none : j;
  }

  constexpr void look_at_branch(std::uint32_t a) {
    node& branch = nodes[a];
    if (branch.join == none) {
      const link& first = links[branch.first_out];
      branch.join = common_join(a, first.to, links[first.next_out].to);
      if (branch.join == none) return;
      // Two edges into the join stay until this branch is reduced: arms that are counted cannot change again.
      branch.agreed = 0;
      for (std::uint32_t l = branch.first_out; l != none; l = links[l].next_out) {
        const std::uint32_t t = links[l].to;
        if (t == branch.join) {
          ++branch.agreed;
        } else if (is_arm(t) && target(t) == branch.join) {
          nodes[t].counted = 1;
          ++branch.agreed;
        }
      }
    }
    if (branch.agreed != branch.outs) return;
    // Keep one way to the join, a direct edge if there is one; an arm that is kept is a sequence from now on.
    std::uint32_t kept = branch.first_out;
    for (std::uint32_t l = branch.first_out; l != none; l = links[l].next_out)
      if (links[l].to == branch.join) kept = l;
    for (std::uint32_t l = branch.first_out, next = none; l != none; l = next) {
      next = links[l].next_out;
      if (l == kept) continue;
      const std::uint32_t t = links[l].to;
      disconnect(nodes[t].first_out);
      disconnect(l);
      nodes[t].up = a;
    }
    branch.join = none;
    branch.agreed = 0;
  }

  std::vector<std::uint32_t> work_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

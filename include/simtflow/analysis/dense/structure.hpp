// SPDX-License-Identifier: BSL-1.0
//
// Structural reduction in dense ids. analysis/structure.hpp tells what it means.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How the reduction sees a loop that threads leave from several places, or from within a statement in it.
enum class loop_breaks : unsigned char {
  unstructured,  ///< every edge that leaves a loop is one of its own
  /// `break`, also out of several loops: the edges that leave a loop with one entry, but no loop around it, may come
  /// from anywhere in it if they lead to one block (or all end) and if all edges that leave it together with loops
  /// around it may do the same there. All of them count as one edge, from a node of its own in front of the header.
  /// Blocks from which there is no way back are no part of a loop: `if (c) { f(); break; }` leaves it to f.
  to_one_block
};

/// The name of a way: "to_one_block".
[[nodiscard]] constexpr const char* to_string(loop_breaks value) {
  switch (value) {
    case loop_breaks::unstructured:
      return "unstructured";
    case loop_breaks::to_one_block:
      return "to_one_block";
  }
  return "";
}

/// The options of structural reduction.
struct structure_options {
  /// By default an endless loop has an edge from its first block to the virtual exit, so that `while (true)` is as
  /// structured as `while (c)`.
  infinite_loops endless = infinite_loops::virtual_edge;
  loop_breaks breaks = loop_breaks::unstructured;  ///< how several exits of a loop are seen
};

namespace dense {

/// The reduction, with dense ids in and out. The name of a node is the block at which control enters it, its head; the
/// name of the virtual exit is num_blocks(). A question about a block that the graph does not have is a contract
/// violation. Every question is O(1) unless it says otherwise.
//
// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_structural_reduction {
 public:
  /// Reduces g and reuses every buffer. If `unit` is not empty, all blocks with the same unit[b] count as one block
  /// with that name.
  /// \pre the edges out of a unit of several blocks lead to one block (or one other unit) outside, or all end.
  /// Complexity: near-linear in blocks and edges; no recursion.
  constexpr void recompute(const Shape& g, structure_options options, std::span<const block_id> unit = {}) {
    find_ends(g, options.endless);
    update(g, options, unit);
  }

  /// The first half of recompute(): finds where control ends. It depends on the graph alone. O(blocks + edges).
  constexpr void find_ends(const Shape& g, infinite_loops endless) { ends_.compute(g, endless); }
  /// The same with what is known of the graph already. O(blocks).
  constexpr void take_ends(const detail::end_index<Shape>& ends) { ends_ = ends; }
  /// The second half of recompute(), again for other units of the same graph. \pre find_ends() was called for g.
  constexpr void update(const Shape& g, structure_options options, std::span<const block_id> unit) {
    build(g, options, unit);
    reduce_all(g);
    const std::size_t n = g.num_blocks();
    exit_left_ = node_[n].ins != 0 && find(static_cast<std::uint32_t>(n)) == n;
  }

  /// Reduces every region by itself: only the edges among blocks with the same region[b], other than `no_region`,
  /// count. The edges that leave lead to an exit of their own, and a block that is entered from outside is reduced into
  /// no other. The nodes left of a region are its structured parts. \pre find_ends() was called for g.
  constexpr void recompute_parts(const Shape& g, std::span<const std::uint32_t> region, std::uint32_t no_region) {
    const std::size_t n = g.num_blocks();
    node_.assign(n + 1, node{});
    link_.clear();
    work_.clear();
    inner_.clear();
    const std::uint32_t exit = static_cast<std::uint32_t>(n);
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      bool leaves = ends_.ends(b);
      for (const block_id s : g.successors(b)) {
        if (region[s] != region[b]) {
          leaves = true;
          if (region[s] != no_region) node_[s].counted = 1;  // meanwhile: entered from outside
        } else if (region[b] != no_region && s != b && node_[s].join != b) {
          node_[s].join = b;
          connect(b, s);
        }
      }
      if (leaves && region[b] != no_region) connect(b, exit);
    }
    if (n != 0 && region[g.entry()] != no_region) node_[g.entry()].counted = 1;
    for (std::uint32_t a = 0; a <= n; ++a) {
      node_[a].join = none;
      node_[a].up = a;
      node_[a].ins += node_[a].counted;
      node_[a].counted = 0;
    }
    for (block_id b = 0; b < n; ++b)
      if (ends_.is_reachable(b) && region[b] != no_region) push(b);
    reduce_all(g);
    exit_left_ = false;
  }

  /// The number of blocks.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return blocks_; }
  /// The number of nodes left, the virtual exit included if it is one of them.
  [[nodiscard]] constexpr std::size_t residue() const { return heads_.size() + (exit_left_ ? 1 : 0); }
  /// True if the virtual exit is left as a node of its own.
  [[nodiscard]] constexpr bool exit_left() const { return exit_left_; }
  /// The heads of the nodes left, ascending, without the virtual exit.
  [[nodiscard]] constexpr std::span<const block_id> heads() const { return std::span<const block_id>(heads_); }
  /// The head of the node that b has become part of; no_block for unreachable b.
  [[nodiscard]] constexpr block_id head_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the graph of this result");
    return ends_.is_reachable(b) ? node_[b].up : no_block;
  }
  /// Calls f(t) for every edge that is left from the node with this head; t is a head, or num_blocks() for the virtual
  /// exit.
  template <class F>
  constexpr void for_each_edge_left(block_id head, F f) const {
    for (std::uint32_t l = node_[head].first_out; l != none; l = link_[l].next_out) f(link_[l].to);
  }

  /// The reachable blocks of the last graph, and where control ends.
  [[nodiscard]] constexpr const detail::end_index<Shape>& ends() const { return ends_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  constexpr void reduce_all(const Shape& g) {
    while (!work_.empty()) {
      const std::uint32_t a = work_.back();
      work_.pop_back();
      node_[a].queued = 0;
      if (node_[a].up == a) reduce(a);
    }
    const std::size_t n = g.num_blocks();
    heads_.clear();
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      std::uint32_t head = find(b);
      while (head > n) head = find(inner_[head - n - 1]);
      node_[b].up = head;  // for head_of
      if (head == b) heads_.push_back(b);
    }
    blocks_ = n;
  }

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

  constexpr void build(const Shape& g, structure_options options, std::span<const block_id> unit) {
    const std::size_t n = g.num_blocks();
    node_.assign(n + 1, node{});
    link_.clear();
    link_.reserve(g.targets().size() + 1);
    work_.clear();
    const auto name = [unit](block_id b) { return unit.empty() ? b : unit[b]; };
    for (block_id b = 0; b < n; ++b)
      node_[name(b)].counted |= name(b) != b;  // meanwhile: several blocks have this name
    inner_.clear();
    if (options.breaks == loop_breaks::to_one_block && n != 0) find_breaks(g);
    for (block_id b = 0; b < n; ++b) {
      if (!ends_.is_reachable(b)) continue;
      std::uint32_t from = name(b);
      const loop_id left =
          inner_.empty() || loops_.innermost(b) == no_loop ? no_loop : break_[loops_.innermost(b)].out_of;
      if (left != no_loop && loops_.header(left) == b) {
        connect(b, break_[left].target);
        connect(b, break_[left].inner);
        from = break_[left].inner;
      }
      for (const block_id s : g.successors(b)) {
        const block_id to = name(s);
        if (to == from || node_[to].join == from) continue;  // `join` says here who had an edge to it last
        if (left != no_loop && !loops_.contains(left, s)) continue;
        if (node_[from].counted && node_[from].outs != 0) continue;
        node_[to].join = from;
        connect(from, to);
      }
      if (left == no_loop && ends_.ends(b) && !(node_[from].counted && node_[from].outs != 0))
        connect(from, static_cast<std::uint32_t>(n));
    }
    for (std::uint32_t a = 0; a < node_.size(); ++a) {
      node_[a].join = none;
      node_[a].counted = 0;
      node_[a].up = a < n ? name(a) : a;
      if (a > n) push(a);
    }
    if (n == 0) return;
    ++node_[name(g.entry())].ins;
    for (block_id b = 0; b < n; ++b)
      if (ends_.is_reachable(b) && name(b) == b) push(b);
  }

  // Finds the loops with exits that count as one edge, and where that edge leads. The header of such a loop goes to
  // that place or to a new node, which has the header's other edges. An edge is moved if it leaves break_[..].out_of of
  // its source.
  constexpr void find_breaks(const Shape& g) {
    const std::uint32_t exit = static_cast<std::uint32_t>(g.num_blocks());
    loops_.recompute(g);
    const std::uint32_t count = static_cast<std::uint32_t>(loops_.num_loops());
    break_.assign(count, {});
    for (const loop_id l : ids_below<loop_id>(count)) {
      moved_exits& here = break_[l];
      const loop_id outer = loops_.parent(l);
      here.moves = !loops_.is_irreducible(l);
      here.outermost = outer == no_loop ? l : break_[outer].outermost;
      if (outer == no_loop) continue;
      const loop_id jump = break_[outer].jump;  // jumps skip 1, 3, 7, ... loops
      const bool even =
          jump != no_loop && break_[jump].jump != no_loop &&
          loops_.depth(outer) - loops_.depth(jump) == loops_.depth(jump) - loops_.depth(break_[jump].jump);
      here.jump = even ? break_[jump].jump : outer;
    }
    // Edges by the outermost loop that they leave, each as its source's innermost one.
    leaving_.clear();
    for (block_id b = 0; b < exit; ++b) {
      const loop_id l = loops_.innermost(b);
      if (l == no_loop) continue;
      for (const block_id s : g.successors(b))
        if (!loops_.contains(l, s)) leave(l, outermost_left(l, s), s);
      if (ends_.ends(b)) leave(l, break_[l].outermost, exit);
    }
    for (const loop_id l : ids_below<loop_id>(count)) {
      moved_exits& here = break_[l];
      const loop_id outer = loops_.parent(l);
      here.out_of = outer == no_loop ? no_loop : break_[outer].out_of;
      if (here.moves && here.target != none) {
        here.out_of = l;
        here.inner = static_cast<std::uint32_t>(node_.size());
        inner_.push_back(loops_.header(l));
        node_.push_back(node{});
        continue;
      }
      // Edges that stay are in the way of all loops that they leave. Those that stay already have loops around them, up
      // to this one, that stay as well.
      here.stays = true;
      for (std::uint32_t e = here.first; e != none; e = leaving_[e].next)
        for (loop_id x = leaving_[e].from; !break_[x].stays; x = loops_.parent(x)) {
          break_[x].stays = true;
          break_[x].moves = false;
        }
    }
  }
  constexpr void leave(loop_id from, loop_id outermost, std::uint32_t to) {
    moved_exits& there = break_[outermost];
    if (there.target != none && there.target != to) there.moves = false;
    there.target = to;
    leaving_.push_back({from, there.first});
    there.first = static_cast<std::uint32_t>(leaving_.size() - 1);
  }
  // \pre l does not contain it.
  constexpr loop_id outermost_left(loop_id l, block_id outside) const {
    while (true) {
      const loop_id outer = loops_.parent(l);
      if (outer == no_loop || loops_.contains(outer, outside)) return l;
      l = loops_.contains(break_[l].jump, outside) ? outer : break_[l].jump;
    }
  }

  constexpr void connect(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t l = static_cast<std::uint32_t>(link_.size());
    node &a = node_[from], &b = node_[to];
    link_.push_back({from, to, a.first_out, none, b.first_in, none});
    if (a.first_out != none) link_[a.first_out].prev_out = l;
    if (b.first_in != none) link_[b.first_in].prev_in = l;
    a.first_out = b.first_in = l;
    ++a.outs;
    ++b.ins;
  }
  constexpr void disconnect(std::uint32_t l) {
    const link e = link_[l];
    const std::uint32_t from = find(e.from);
    node &a = node_[from], &b = node_[e.to];
    (e.prev_out == none ? a.first_out : link_[e.prev_out].next_out) = e.next_out;
    if (e.next_out != none) link_[e.next_out].prev_out = e.prev_out;
    (e.prev_in == none ? b.first_in : link_[e.prev_in].next_in) = e.next_in;
    if (e.next_in != none) link_[e.next_in].prev_in = e.prev_in;
    --a.outs;
    --b.ins;
    push(from);
    if (b.ins == 1 && b.first_in != none) {  // it may be an arm now, or follow its predecessor
      push(e.to);
      push(source(e.to));
    }
  }

  constexpr void push(std::uint32_t a) {
    if (node_[a].queued) return;
    node_[a].queued = 1;
    work_.push_back(a);
  }
  constexpr std::uint32_t find(std::uint32_t a) {
    while (node_[a].up != a) a = node_[a].up = node_[node_[a].up].up;
    return a;
  }
  // \pre a.first_in != none; and for one predecessor, respectively one successor, it is the only one.
  constexpr std::uint32_t source(std::uint32_t a) { return find(link_[node_[a].first_in].from); }
  [[nodiscard]] constexpr std::uint32_t target(std::uint32_t a) const { return link_[node_[a].first_out].to; }
  [[nodiscard]] constexpr bool is_arm(std::uint32_t a) const {
    return node_[a].outs == 1 && node_[a].ins == 1 && node_[a].first_in != none;
  }

  constexpr void reduce(std::uint32_t a) {
    while (node_[a].outs == 1 && node_[target(a)].ins == 1) merge_next(a);
    if (node_[a].outs >= 2) return look_at_branch(a);
    if (!is_arm(a)) return;
    const std::uint32_t p = source(a), j = target(a);
    if (p == j) {  // while
      disconnect(node_[a].first_out);
      disconnect(node_[a].first_in);
      node_[a].up = p;
      return;
    }
    if (node_[p].join == j && !node_[a].counted) {
      node_[a].counted = 1;
      ++node_[p].agreed;
    }
    if (node_[p].outs >= 2) look_at_branch(p);
  }

  // Sequence. Afterwards edges from b to a are self loops and arms between b and a are bodies of loops; they stand in
  // the list of b's successors and in the list of a's predecessors.
  constexpr void merge_next(std::uint32_t a) {
    const std::uint32_t b = target(a);
    node_[a].first_out = node_[b].first_out;
    node_[a].outs = node_[b].outs;
    node_[a].join = node_[b].join == a ? none : node_[b].join;
    node_[a].agreed = node_[a].join == none ? 0 : node_[b].agreed;
    node_[b].up = a;
    if (node_[a].outs <= node_[a].ins) {
      for (std::uint32_t l = node_[a].first_out, next = none; l != none; l = next) {
        next = link_[l].next_out;
        const std::uint32_t t = link_[l].to;
        if (t == a) {
          disconnect(l);
        } else if (is_arm(t) && target(t) == a) {
          push(t);
        }
      }
    } else {
      for (std::uint32_t l = node_[a].first_in, next = none; l != none; l = next) {
        next = link_[l].next_in;
        const std::uint32_t t = find(link_[l].from);
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
    node& branch = node_[a];
    if (branch.join == none) {
      const link& first = link_[branch.first_out];
      branch.join = common_join(a, first.to, link_[first.next_out].to);
      if (branch.join == none) return;
      // Two edges into the join stay until this branch is reduced: arms that are counted cannot change again.
      branch.agreed = 0;
      for (std::uint32_t l = branch.first_out; l != none; l = link_[l].next_out) {
        const std::uint32_t t = link_[l].to;
        if (t == branch.join) {
          ++branch.agreed;
        } else if (is_arm(t) && target(t) == branch.join) {
          node_[t].counted = 1;
          ++branch.agreed;
        }
      }
    }
    if (branch.agreed != branch.outs) return;
    // Keep one way to the join, a direct edge if there is one; an arm that is kept is a sequence from now on.
    std::uint32_t kept = branch.first_out;
    for (std::uint32_t l = branch.first_out; l != none; l = link_[l].next_out)
      if (link_[l].to == branch.join) kept = l;
    for (std::uint32_t l = branch.first_out, next = none; l != none; l = next) {
      next = link_[l].next_out;
      if (l == kept) continue;
      const std::uint32_t t = link_[l].to;
      disconnect(node_[t].first_out);
      disconnect(l);
      node_[t].up = a;
    }
    branch.join = none;
    branch.agreed = 0;
  }

  struct moved_exits {
    loop_id out_of = no_loop;     // the innermost loop from this one outwards with moved exits
    std::uint32_t target = none;  // where the edges lead that leave this one and none around it
    std::uint32_t inner = none;   // the new node
    std::uint32_t first = none;   // of those edges
    loop_id jump = no_loop, outermost = no_loop;
    bool moves = false, stays = false;
  };
  struct leaving_edge {
    loop_id from = no_loop;
    std::uint32_t next = none;
  };

  std::vector<block_id> heads_;
  bool exit_left_ = false;
  basic_loop_forest<Shape> loops_;  // for loop_breaks::to_one_block, as the next
  id_map<loop_id, moved_exits> break_;
  std::vector<leaving_edge> leaving_;
  std::vector<block_id> inner_;  // by new node: the header; new nodes follow the virtual exit
  std::size_t blocks_ = 0;
  detail::end_index<Shape> ends_;
  std::vector<node> node_;
  std::vector<link> link_;
  std::vector<std::uint32_t> work_;
};

/// Over a csr_graph.
using structural_reduction = basic_structural_reduction<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow

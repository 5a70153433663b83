// SPDX-License-Identifier: BSL-1.0
//
// Uniformity (divergence) analysis: which values are the same in all threads that are together, and which branches can
// diverge. Threads are together as the maximal converged-with relation says (simt/maximal_convergence.hpp):
//
//   instance   a visit to a block, in one iteration of each loop around it; threads that visit a block in the same
//              iterations are together there
//   uniform    in every instance, all threads that are in it have the same value; divergent otherwise. A branch is
//              divergent if threads of one instance can leave it by different edges
//   join       of a divergent branch: a block at which threads that took different edges can come together again; the
//              value of a phi there depends on the edge taken
//   temporal   a value may be uniform in a loop and divergent after it: if threads leave the loop in different
//   divergence iterations, each sees the value of its own last iteration
//
// The result is conservative: what it calls uniform is uniform on every machine that keeps instances together; what it
// calls divergent may turn out to be uniform. Everything is assumed to be uniform until a reason is found: sources (the
// thread's number, ...) make values that use them divergent; a divergent branch makes phis at its joins divergent if
// threads bring different values; if threads can leave a loop apart, uses after it of its values are divergent.
//
// One iteration (*lap*). Threads that have diverged at a branch are in the same iteration of the loops around it until
// one of them reaches a header: there it waits for those that stay in the loop, and then they may leave it by any exit.
// So all joins are found in an acyclic graph, the *lap graph*: each loop has a further node, its *lap end*; edges from
// the loop to its header lead to the lap end instead, and the lap end leads to the targets of the loop's exits. A join
// of branch b is a node with two paths from different successors of b that have no other node in common; a join at a
// lap end is a join at the header. Paths and dominance: let S be the successors of b. Labels start there and travel
// from a node to the members of its dominance frontier; a node at which two labels meet is a join and becomes a label
// itself. That is the construction of SSA form for a variable that every successor of b assigns. Nodes that only one
// label can reach need no look.
//
//   left apart     a loop that contains b and not the join: one thread may stay for another iteration while another
//                  has left. Which exit a thread takes does not matter
//   entered apart  an irreducible loop without b that contains a join of b: threads in it may have entered at different
//                  blocks, and the first iteration of one is not an iteration of the other. All values of such a loop
//                  are taken to be divergent
//
// Most branches need no search, because of three facts:
//
//   dominated  a node x with several predecessors is a join of its immediate dominator d. Every other branch with a
//              join at x is dominated by d and is in every loop that contains both x and d. So once d is divergent, no
//              other branch gives a phi at x, or an irreducible loop around x, a reason that d does not
//   exits      if an edge leaves a loop from b to s, then s is a join of b: one thread may leave now, another in a
//              later iteration. A loop is never left apart by itself if its exits all leave the loop around it, too
//   effects    so a search for the joins of b is needed only if a loop around b can still be left apart, or if a
//              dominator of b is the immediate dominator of a node with a phi that is uniform so far and can take
//              different values, or with an irreducible loop around it that is not entered apart yet
//
// Branches are processed in levels: a level has all branches that are found in the same number of steps from a source.
// Those that need no search come first. Dominance frontiers are never stored as sets (detail/path_pieces.hpp).
//
// Differences from the literature. (1) The branch may stand in a loop's header: threads that come back to it are in the
// next iteration, so if other threads leave, the loop is left apart; LLVM's analysis stops at the branch. (2)
// Iterations of irreducible loops are told apart by the loops' headers as in other loops, so a branch inside one does
// not make all its values divergent. (3) A phi counts only the values that the diverged threads can bring. (4)
// Containment decides which loop is left, not nesting depth.
//
// Literature: J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on reducible control flow
// graphs (2021); B. Coutinho, D. Sampaio, F. Pereira, W. Meira, Divergence analysis and optimizations (2011); R.
// Karrenberg, S. Hack, Whole-function vectorization (2011); the LLVM Project, Convergence and Uniformity; R. Cytron et
// al., Efficiently computing static single assignment form and the control dependence graph (1991).
#pragma once

#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/analysis/detail/path_pieces.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A value of a program in SSA form, or an instruction without one that uses values: 0 .. num_values() - 1.
using value_id = std::uint32_t;

/// "No value": an undefined input of a phi, the condition of a block that does not choose.
inline constexpr value_id no_value = 0xFFFF'FFFFU;

/// What a phi takes where control comes from block `from`. V is a vertex type. (A type of one's own with these two
/// members will do.)
template <class V>
struct phi_input {
  V from;                     ///< where control comes from
  value_id value = no_value;  ///< no_value: undefined there, so it may be anything
};

/// A program over the blocks of a graph with vertices V, as far as the analysis looks: who uses which value where.
///
///   num_values()          how many there are
///   block_of(v)           where v is computed
///   is_phi(v)             v is chosen by the edge that control takes into its block, at the beginning of the block
///   inputs(v)             of a phi: a range of phi_input, one for each block with an edge to v's. The analysis asks
///                         only for phis
///   operands(v)           of another: a range of value_id, what it is computed from. The analysis asks only for these
///   condition(b)          the value that chooses among the successors of b; no_value if threads that are in b together
///                         always leave it together (one successor, or it is known otherwise)
///   is_source(v)          v may differ between threads that are together, whatever its operands are
///   is_always_uniform(v)  v is the same in threads that are together, whatever its operands are (a vote)
///
/// Semantic requirements: SSA form (the block of an operand dominates that of its user, that of a phi's input dominates
/// the block it comes from); a value that is neither phi nor source is a function of its operands and of what all
/// threads agree on in every instance; sources are not always uniform.
template <class P, class V>
concept def_use_program = requires(const P& p, value_id v, const V& b) {
  { p.num_values() } -> std::convertible_to<std::size_t>;
  { p.block_of(v) } -> std::convertible_to<V>;
  { p.is_phi(v) } -> std::convertible_to<bool>;
  p.inputs(v);
  p.operands(v);
  { p.condition(b) } -> std::convertible_to<value_id>;
  { p.is_source(v) } -> std::convertible_to<bool>;
  { p.is_always_uniform(v) } -> std::convertible_to<bool>;
};

/// Why something is divergent: the reason that was found first.
enum class divergence_cause : unsigned char {
  none,     ///< it is uniform
  source,   ///< the program says so
  operand,  ///< it is computed from, or a branch chooses by, a divergent value
  join,     ///< a phi: which value it takes depends on the way from a divergent branch
  left,     ///< a value that is used behind a loop which threads leave in different laps
  entered   ///< in an irreducible loop which threads come into by different entries
};

/// One step of a reason; what it names has a reason of its own, unless it is a source.
struct divergence_reason {
  divergence_cause cause = divergence_cause::none;  ///< none: what was asked about is uniform
  value_id value = no_value;                        ///< operand: which one
  block_id branch = no_block;         ///< join, left, entered: the branch that parts the threads, by dense id
  std::uint32_t loop = 0xFFFF'FFFFU;  ///< left, entered: the loop (a loop_id)

  friend constexpr bool operator==(const divergence_reason&, const divergence_reason&) = default;
};

namespace detail {

// Rows of successors as a flow graph.
template <class Id = block_id>
struct successor_rows {
  std::vector<Id> begin, target;
  block_id entry = 0;
};

}  // namespace detail

template <class Id>
struct graph_traits<detail::successor_rows<Id>> : integer_vertices<detail::successor_rows<Id>> {
  using rows = detail::successor_rows<Id>;
  static constexpr std::size_t num_vertices(const rows& g) { return g.begin.empty() ? 0 : g.begin.size() - 1; }
  static constexpr block_id entry(const rows& g) { return g.entry; }
  static constexpr std::span<const Id> successors(const rows& g, block_id v) {
    return std::span<const Id>(g.target).subspan(g.begin[v], g.begin[v + 1] - g.begin[v]);
  }
};

namespace detail {

// The lap graph. Nodes: the blocks, then the lap end of each loop. Shape is csr_graph or has its members.
//
// Its edges can be quadratic: n nested loops with n exits out of all of them. So of the edges lap end of l -> s only
// those are stored that leave no loop around l, and the others are known from two facts:
//
//   dominators   they are the same without those edges. From the lap end of l a path leads to the lap end of the loop
//                around it without leaving that loop; a path that avoids a dominator of s so far avoids it all the way,
//                because no dominator of a block of l comes after l
//   frontiers    the frontier of v has the targets of edges from blocks that v dominates; if v dominates the lap end of
//                its innermost loop, also the exit targets of the outermost loop around v that has a dominated lap end;
//                but no node that v strictly dominates. (If v dominates other lap ends, it dominates their loops.)
template <class Shape = csr_graph>
class lap_index {
 public:
  constexpr void compute(const Shape& g) {
    loops_.compute(g);
    order_.arrange(loops_);
    searchable_ = false;
    const block_id n = static_cast<block_id>(g.num_blocks());
    SIMTFLOW_EXPECTS(n + std::size_t{loops_.num_loops()} < no_block,
                     "blocks and loops together have fewer than 2^32 ids");
    rows_.begin.clear();
    rows_.target.clear();
    rows_.entry = n == 0 ? 0 : g.entry();
    if (n == 0) return;
    for (block_id b = 0; b < n; ++b) {
      rows_.begin.push_back(static_cast<block_id>(rows_.target.size()));
      if (is_reachable(b))
        for (const block_id s : g.successors(b)) rows_.target.push_back(node(b, s));
    }
    add_lap_ends();
  }
  // Computes what searches for joins need: the dominator tree and its frontiers. Once for each graph.
  constexpr void make_searchable() {
    if (searchable_) return;
    searchable_ = true;
    const csr_graph& laps = shape_.take(rows_);
    tree_.compute(laps);
    frontiers_.compute(
        static_cast<block_id>(tree_.num_reachable()), num_nodes(),
        [&](block_id position) { return tree_.depth(tree_.at(position)); },
        [&](block_id position, auto take) {
          if (const block_id b = tree_.at(position); !is_lap_end(b))
            for (const block_id y : successors(b)) take(y, tree_.depth(y));
        });
    exits_.compute(
        static_cast<loop_id>(loops_.num_loops()), num_blocks(), [&](loop_id l) { return loops_.depth(l); },
        [&](loop_id l, auto take) {
          for (const block_id b : loops_.blocks(l)) {  // its own come first, then those of inner loops
            if (loops_.innermost(b) != l) break;
            for (const block_id x : successors(b))
              if (const loop_id out = loops_.outermost_without(b, block(x)); out != no_loop)
                take(block(x), loops_.depth(out));
          }
        });
    // Lists the nodes with several predecessors, by immediate dominator.
    first_join_.assign(num_nodes() + 1, 0);
    joins_.assign(num_nodes(), no_block);
    const auto is_join = [&](block_id x) {
      for (const block_id p : laps.predecessors(x))
        if (p != laps.predecessors(x)[0]) return true;
      return false;
    };
    for (block_id x = 0; x < num_nodes(); ++x)
      if (is_join(x)) ++first_join_[tree_.idom(x) + 1];
    for (std::size_t x = 0; x < num_nodes(); ++x) first_join_[x + 1] += first_join_[x];
    next_.assign(num_nodes(), 0);
    for (block_id x = 0; x < num_nodes(); ++x) {
      if (!is_join(x)) continue;
      const block_id d = tree_.idom(x);
      joins_[first_join_[d] + next_[d]++] = x;
    }
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return loops_.num_blocks(); }
  [[nodiscard]] constexpr std::size_t num_nodes() const { return num_blocks() + loops_.num_loops(); }
  [[nodiscard]] constexpr const loop_index<Shape>& loops() const { return loops_; }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return order_.place(b) < order_.steps().size(); }
  // Where the edge from -> to leads.
  [[nodiscard]] constexpr block_id node(block_id from, block_id to) const {
    const loop_id l = loops_.innermost(to);
    if (l == no_loop || loops_.header(l) != to || !loops_.contains(l, from)) return to;
    return lap_end(l);
  }
  [[nodiscard]] constexpr block_id lap_end(loop_id l) const { return static_cast<block_id>(num_blocks()) + l; }
  [[nodiscard]] constexpr bool is_lap_end(block_id node) const { return node >= num_blocks(); }
  [[nodiscard]] constexpr loop_id loop_of(block_id lap_end) const {
    return lap_end - static_cast<block_id>(num_blocks());
  }
  // The block that stands for a node: a lap end is on the way to the header.
  [[nodiscard]] constexpr block_id block(block_id node) const {
    return is_lap_end(node) ? loops_.header(loop_of(node)) : node;
  }
  // The innermost loop that a node is in.
  [[nodiscard]] constexpr loop_id innermost(block_id node) const {
    return is_lap_end(node) ? loop_of(node) : loops_.innermost(node);
  }
  // Topological.
  [[nodiscard]] constexpr std::uint32_t number(block_id node) const {
    if (!is_lap_end(node)) return order_.place(node);
    return order_.steps()[order_.place(block(node))].match;
  }
  // For a lap end: only those that are stored.
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id node) const {
    return graph_traits<successor_rows<>>::successors(rows_, node);
  }
  // True if an edge leaves l and no loop around l.
  [[nodiscard]] constexpr bool is_left(loop_id l) const { return !successors(lap_end(l)).empty(); }

  // Everything below needs make_searchable().
  // Calls f(y) for every node of the dominance frontier of x, perhaps more than once. O(log edges) for each call; exits
  // of a loop around x to nodes that x dominates count too.
  template <class F>
  constexpr void for_each_in_frontier(block_id x, F f) const {
    loop_id l = innermost(x);
    if (!is_lap_end(x)) {
      const block_id position = tree_.position(x);
      frontiers_.for_each(position, tree_.behind(position), tree_.depth(x), f);
      const auto ends_at = [&](loop_id around) { return tree_.dominates(x, lap_end(around)); };
      if (l == no_loop || !ends_at(l)) return;
      l = loops_.outermost_while(l, ends_at);
    }
    exits_.for_each(l, loops_.end_of_nested(l), loops_.depth(l), [&](block_id s) {
      const block_id y = node(loops_.header(l), s);
      if (!tree_.strictly_dominates(x, y)) f(y);
    });
  }
  // Threads in `after` that are in the same laps as they were in `before` have been there first: no way leads back.
  [[nodiscard]] constexpr bool comes_first(block_id before, block_id after) const {
    return tree_.strictly_dominates(before, after);
  }
  [[nodiscard]] constexpr block_id idom(block_id node) const { return tree_.idom(node); }
  // The nodes with several predecessors and the immediate dominator `node` are joins()[k] for k from first_join(node)
  // to first_join(node + 1) - 1.
  [[nodiscard]] constexpr std::uint32_t first_join(block_id node) const { return first_join_[node]; }
  [[nodiscard]] constexpr std::span<const block_id> joins() const { return std::span<const block_id>(joins_); }

 private:
  // Adds the rows of lap ends: the targets of edges that leave this loop and none around it.
  constexpr void add_lap_ends() {
    const block_id n = static_cast<block_id>(num_blocks());
    const auto for_each_exit = [&](auto f) {
      for (block_id b = 0; b < n; ++b)
        if (loops_.innermost(b) != no_loop)
          for (const block_id x : successors(b))
            if (const loop_id l = loops_.outermost_without(b, block(x)); l != no_loop) f(l, x);
    };
    next_.assign(loops_.num_loops(), 0);
    rows_.begin.push_back(static_cast<block_id>(rows_.target.size()));
    for_each_exit([&](loop_id l, block_id) { ++next_[l]; });
    block_id end = rows_.begin.back();
    for (block_id& next : next_) {
      const block_id begin = end;
      end += next;
      next = begin;
      rows_.begin.push_back(end);
    }
    while (rows_.target.size() < end) rows_.target.push_back(0);
    for_each_exit([&](loop_id l, block_id to) { rows_.target[next_[l]++] = to; });
  }

  loop_index<Shape> loops_;
  wto_index<Shape> order_;
  successor_rows<> rows_;
  bool searchable_ = false;
  dominator_index<> tree_;
  path_pieces<> frontiers_;                // of edges between blocks
  path_pieces<> exits_;                    // in the loop forest: where loops are left to, as blocks
  std::vector<std::uint32_t> first_join_;  // by node
  std::vector<block_id> joins_;
  // Workspace, kept for the next computation.
  std::vector<block_id> next_;
  snapshot_buffer<successor_rows<>> shape_;
};

// The joins of one branch, as nodes of the lap graph. Uses memory for the nodes that the search visits only.
template <class Shape = csr_graph>
class join_search {
 public:
  // \pre laps is searchable.
  constexpr void run(const lap_index<Shape>& laps, block_id branch) {
    clear();
    for (const block_id x : laps.successors(branch)) {
      const std::uint32_t c = cell_of(x);
      if (cell_[c].label == none) give(laps, c, c);
    }
    // Nodes that only one label can still reach are no joins.
    while (labels_ > 1) {
      const std::uint32_t c = pop();
      const std::uint32_t label = cell_[c].label;
      if (--cell_[label].waiting == 0) --labels_;
      laps.for_each_in_frontier(cell_[c].node, [&](block_id y) { receive(laps, cell_of(y), label); });
    }
  }
  // Calls f(node) for each join found.
  template <class F>
  constexpr void for_each_node(F f) const {
    for (const cell& c : cell_)
      if (c.joined) f(c.node);
  }
  // As above, for blocks, each once: f(block).
  template <class F>
  constexpr void for_each_block(const lap_index<Shape>& laps, block_id branch, F f) const {
    for_each_node([&](block_id x) {
      // The header of a loop that is entered apart can be there twice: as an entry, and as the lap end.
      const block_id y = laps.block(x);
      if (y != x && !laps.loops().contains(laps.loop_of(x), branch))
        if (const std::uint32_t c = slot_[place_of(y)]; c != none && cell_[c].joined) return;
      f(y);
    });
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  struct cell {
    block_id node;
    std::uint32_t label;    // the cell of the node that is the label; none: not yet
    std::uint32_t waiting;  // nodes in the heap that have this one as their label
    bool joined;
  };
  struct entry {
    std::uint32_t number, cell;
  };

  constexpr void give(const lap_index<Shape>& laps, std::uint32_t c, std::uint32_t label) {
    cell_[c].label = label;
    wait(label);
    push({laps.number(cell_[c].node), c});
  }
  constexpr void wait(std::uint32_t label) {
    if (cell_[label].waiting++ == 0) ++labels_;
  }
  // The node comes after the one that passes the label on, so it waits or has not been seen.
  constexpr void receive(const lap_index<Shape>& laps, std::uint32_t c, std::uint32_t label) {
    if (cell_[c].label == none) return give(laps, c, label);
    if (cell_[c].label == label || cell_[c].joined) return;
    cell_[c].joined = true;
    if (cell_[c].label == c) return;  // a successor of the branch
    if (--cell_[cell_[c].label].waiting == 0) --labels_;
    cell_[c].label = c;
    wait(c);
  }

  // Cells by node: a hash table, at most half of it in use.
  [[nodiscard]] constexpr std::size_t place_of(block_id node) const {
    const std::size_t last = slot_.size() - 1;
    std::size_t at = static_cast<std::size_t>((node * std::uint64_t{0x9E37'79B9'7F4A'7C15U}) >> 32) & last;
    while (slot_[at] != none && cell_[slot_[at]].node != node) at = (at + 1) & last;
    return at;
  }
  constexpr std::uint32_t cell_of(block_id node) {
    if (slot_.size() < 2 * (cell_.size() + 1)) {
      slot_.assign(slot_.empty() ? 32 : 2 * slot_.size(), none);
      for (std::uint32_t c = 0; c < cell_.size(); ++c) slot_[place_of(cell_[c].node)] = c;
    }
    std::uint32_t& slot = slot_[place_of(node)];
    if (slot == none) {
      slot = static_cast<std::uint32_t>(cell_.size());
      cell_.push_back({node, none, 0, false});
    }
    return slot;
  }
  // In time linear in what the last search visited.
  constexpr void clear() {
    if (cell_.size() < slot_.size() / 32)
      for (; !cell_.empty(); cell_.pop_back()) slot_[place_of(cell_.back().node)] = none;
    else
      slot_.assign(slot_.size(), none);
    cell_.clear();
    heap_.clear();
    labels_ = 0;
  }

  // A heap of nodes, the one with the least number on top.
  constexpr void push(entry e) {
    heap_.push_back(e);
    std::size_t at = heap_.size() - 1;
    for (; at != 0 && heap_[at].number < heap_[(at - 1) / 2].number; at = (at - 1) / 2) swap(at, (at - 1) / 2);
  }
  constexpr std::uint32_t pop() {
    const std::uint32_t top = heap_[0].cell;
    heap_[0] = heap_.back();
    heap_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t least = at;
      for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
        if (heap_[child].number < heap_[least].number) least = child;
      if (least == at) return top;
      swap(at, least);
      at = least;
    }
  }
  constexpr void swap(std::size_t a, std::size_t b) {
    const entry kept = heap_[a];
    heap_[a] = heap_[b];
    heap_[b] = kept;
  }

  std::vector<cell> cell_;
  std::vector<std::uint32_t> slot_;  // a power of two of them
  std::vector<entry> heap_;
  std::uint32_t labels_ = 0;  // different labels in the heap
};

// The analysis. Items are what can be divergent: the values, then the branch of each block.
template <class Shape = csr_graph>
class uniformity_index {
 public:
  // Index: vertex -> block id; Vertex: block id -> vertex.
  template <class P, class Index, class Vertex>
  constexpr void compute(const Shape& g, const P& p, Index index, Vertex vertex) {
    laps_.compute(g);
    update(p, index, vertex);
  }
  // The graph is that of the last time.
  template <class P, class Index, class Vertex>
  constexpr void update(const P& p, Index index, Vertex vertex) {
    num_blocks_ = static_cast<block_id>(laps_.num_blocks());
    const std::size_t values = static_cast<std::size_t>(p.num_values());
    SIMTFLOW_EXPECTS(values + num_blocks_ < no_value, "values and blocks together have fewer than 2^32 ids");
    num_values_ = static_cast<value_id>(values);
    read(p, index, vertex);
    list_crossing_uses();
    solve();
  }

  [[nodiscard]] constexpr value_id num_values() const { return num_values_; }
  [[nodiscard]] constexpr const loop_index<Shape>& loops() const { return laps_.loops(); }
  // Calls f(block) once for every join of a divergent branch.
  template <class F>
  constexpr void for_each_join(block_id branch, F f) const {
    if (!is_divergent_branch(branch)) return;
    join_search<Shape> search;
    search.run(laps_, branch);
    search.for_each_block(laps_, branch, f);
  }
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return divergent_[checked(v)] != 0; }
  [[nodiscard]] constexpr bool is_divergent_branch(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return divergent_[num_values_ + b] != 0;
  }
  // As seen from a block.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, block_id b) const {
    if (is_divergent(v)) return true;
    const loop_id l = loops().innermost(block_[v]);
    const loop_id apart = l == no_loop ? no_loop : nearest_[l];
    return apart != no_loop && !loops().contains(apart, b);
  }
  [[nodiscard]] constexpr block_id block_of(value_id v) const { return block_[checked(v)]; }
  // Of the value v, or of a branch.
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return reason(checked(v)); }
  [[nodiscard]] constexpr divergence_reason why_branch(block_id b) const {
    return is_divergent_branch(b) ? reason(num_values_ + b) : divergence_reason{};
  }
  // The branch because of which threads leave l apart; no_block if they do not.
  [[nodiscard]] constexpr block_id left_by(loop_id l) const { return left_by_[known(l)]; }
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return (apart_[known(l)] & left) != 0; }
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const { return (apart_[known(l)] & entered) != 0; }

 private:
  using item = std::uint32_t;
  static constexpr std::uint32_t left = 1, entered = 2, scanned = 4;
  static constexpr std::uint32_t by_entry = 1, by_lap_end = 2;
  struct input {
    block_id from;
    value_id value;
  };

  [[nodiscard]] constexpr value_id checked(value_id v) const {
    SIMTFLOW_EXPECTS(v < num_values_, "a question about a value that is not in the program of this result");
    return v;
  }
  [[nodiscard]] constexpr loop_id known(loop_id l) const {
    SIMTFLOW_EXPECTS(l < apart_.size(), "a question about a loop that is not in the graph of this result");
    return l;
  }
  // What divergent_ and cause_ say of an item. In cause_: the operand, the branch, the loop.
  static constexpr std::uint32_t by_source = 1, by_operand = 2, by_join = 3, by_left = 4, by_entered = 5;
  [[nodiscard]] constexpr divergence_reason reason(item i) const {
    divergence_reason why{static_cast<divergence_cause>(divergent_[i])};
    if (divergent_[i] == by_operand) why.value = cause_[i];
    if (divergent_[i] == by_join) why.branch = cause_[i];
    if (divergent_[i] == by_left || divergent_[i] == by_entered) {
      why.loop = cause_[i];
      why.branch = divergent_[i] == by_left ? left_by_[why.loop] : entered_by_[why.loop];
    }
    return why;
  }
  [[nodiscard]] constexpr block_id block_of_item(item i) const { return i < num_values_ ? block_[i] : i - num_values_; }

  // From counts in row[k] to the begin of row k; row has one more element.
  static constexpr void begin_rows(std::vector<std::uint32_t>& row) {
    std::uint32_t before = 0;
    for (std::uint32_t& r : row) {
      const std::uint32_t here = r;
      r = before;
      before += here;
    }
  }
  // After every row was filled by row[k]++.
  static constexpr void end_rows(std::vector<std::uint32_t>& row) {
    for (std::size_t k = row.size() - 1; k > 0; --k) row[k] = row[k - 1];
    row[0] = 0;
  }

  // The program in flat arrays, users instead of operands.
  template <class P, class Index, class Vertex>
  constexpr void read(const P& p, Index index, Vertex vertex) {
    block_.assign(num_values_, no_block);
    always_.assign(num_values_, 0);
    first_input_.assign(num_values_ + std::size_t{1}, 0);
    input_.clear();
    first_user_.assign(num_values_ + std::size_t{1}, 0);
    first_phi_.assign(num_blocks_ + std::size_t{1}, 0);
    const auto value = [&](value_id v) {
      SIMTFLOW_EXPECTS(v < num_values_, "a value of the program");
      return v;
    };
    for (value_id v = 0; v < num_values_; ++v) {
      block_[v] = index(p.block_of(v));
      SIMTFLOW_EXPECTS(block_[v] < num_blocks_, "a value is computed in a block of the graph");
      always_[v] = p.is_always_uniform(v) ? 1 : 0;
      first_input_[v] = static_cast<std::uint32_t>(input_.size());
      if (p.is_phi(v)) {
        ++first_phi_[block_[v]];
        for (const auto& in : p.inputs(v)) {
          input_.push_back({index(in.from), in.value});
          SIMTFLOW_EXPECTS(input_.back().from < num_blocks_, "an input of a phi comes from a block of the graph");
          if (in.value != no_value) ++first_user_[value(in.value)];
        }
      } else {
        for (const value_id o : p.operands(v)) ++first_user_[value(o)];
      }
    }
    first_input_[num_values_] = static_cast<std::uint32_t>(input_.size());
    for (block_id b = 0; b < num_blocks_; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) ++first_user_[value(c)];
    begin_rows(first_user_);
    begin_rows(first_phi_);
    user_.assign(first_user_[num_values_], 0);
    phi_.assign(first_phi_[num_blocks_], no_value);
    for (value_id v = 0; v < num_values_; ++v) {
      if (p.is_phi(v)) {
        phi_[first_phi_[block_[v]]++] = v;
        for (std::uint32_t i = first_input_[v]; i < first_input_[v + 1]; ++i)
          if (input_[i].value != no_value) user_[first_user_[input_[i].value]++] = v;
      } else {
        for (const value_id o : p.operands(v)) user_[first_user_[o]++] = v;
      }
    }
    for (block_id b = 0; b < num_blocks_; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) user_[first_user_[c]++] = num_values_ + b;
    end_rows(first_user_);
    end_rows(first_phi_);
    // By which nodes of its block (entry or lap end) a phi can take different values.
    differs_.assign(num_values_, 0);
    for (const value_id v : phi_)
      for (const std::uint32_t way : {by_entry, by_lap_end}) {
        value_id first = no_value;
        for (std::uint32_t i = first_input_[v]; i < first_input_[v + 1]; ++i) {
          const input in = input_[i];
          if (in.value == no_value || !laps_.is_reachable(in.from)) continue;
          if (laps_.is_lap_end(laps_.node(in.from, block_[v])) != (way == by_lap_end)) continue;
          if (first != no_value && first != in.value) differs_[v] |= way;
          first = in.value;
        }
      }
    divergent_.assign(std::size_t{num_values_} + num_blocks_, 0);
    cause_.assign(std::size_t{num_values_} + num_blocks_, 0);
    work_.clear();
    for (value_id v = 0; v < num_values_; ++v)
      if (p.is_source(v)) {
        SIMTFLOW_EXPECTS(!always_[v], "a source is not always uniform");
        source_.push_back(v);
      }
  }

  // Uses outside of the innermost loop that the value is computed in, by that loop.
  constexpr void list_crossing_uses() {
    first_crossing_.assign(loops().num_loops() + std::size_t{1}, 0);
    for (int fill = 0; fill < 2; ++fill) {
      if (fill == 1) {
        begin_rows(first_crossing_);
        crossing_.assign(first_crossing_.back(), 0);
      }
      for (value_id v = 0; v < num_values_; ++v) {
        const loop_id l = loops().innermost(block_[v]);
        if (l == no_loop) continue;
        for (std::uint32_t i = first_user_[v]; i < first_user_[v + 1]; ++i) {
          if (loops().contains(l, block_of_item(user_[i]))) continue;
          if (fill == 1) crossing_[first_crossing_[l]] = user_[i];
          ++first_crossing_[l];
        }
      }
    }
    end_rows(first_crossing_);
    outermost_.clear();
    for (loop_id l = 0; l < loops().num_loops(); ++l)
      for (std::uint32_t i = first_crossing_[l]; i < first_crossing_[l + 1]; ++i)
        outermost_.push(loops().depth(loops().outermost_left(l, block_of_item(crossing_[i]))));
    outermost_.finish();
    // By block, for loops that are entered apart.
    if (loops().is_reducible()) return;
    first_value_.assign(num_blocks_ + std::size_t{1}, 0);
    for (value_id v = 0; v < num_values_; ++v) ++first_value_[block_[v]];
    begin_rows(first_value_);
    value_.assign(num_values_, no_value);
    for (value_id v = 0; v < num_values_; ++v) value_[first_value_[block_[v]]++] = v;
    end_rows(first_value_);
  }

  constexpr void solve() {
    const std::uint32_t num_loops = static_cast<std::uint32_t>(loops().num_loops());
    apart_.assign(num_loops, 0);
    left_by_.assign(num_loops, no_block);
    entered_by_.assign(num_loops, no_block);
    to_leave_.assign(num_loops, 0);
    to_enter_.assign(num_loops, 0);
    for (loop_id l = 0; l < num_loops; ++l) {
      to_leave_[l] = laps_.is_left(l) ? l : loops().parent(l);
      to_enter_[l] = loops().is_irreducible(l) ? l : loops().parent(l);
    }
    open_below_.clear();
    for (const value_id v : source_) mark(v, by_source, v);
    source_.clear();
    // In levels: the items found from one level are the next level. Reasons are as short as they can be, except for
    // those that are looked for at the end of a loop.
    for (std::size_t level = 0; level < work_.size();) {
      const std::size_t end = work_.size();
      for (std::size_t k = level; k < end; ++k) {
        const item i = work_[k];
        if (i >= num_values_) {
          part(i - num_values_);
        } else {
          for (std::uint32_t u = first_user_[i]; u < first_user_[i + 1]; ++u) mark(user_[u], by_operand, i);
        }
      }
      for (; level < end; ++level) {
        const item i = work_[level];
        if (i < num_values_ || !can_matter(i - num_values_)) continue;
        search_.run(laps_, i - num_values_);
        search_.for_each_node([&](block_id x) { meet(i - num_values_, x); });
      }
    }
    nearest_.assign(num_loops, no_loop);
    for (loop_id l = 0; l < num_loops; ++l)
      nearest_[l] = (apart_[l] & (left | entered)) != 0 ? l
                    : loops().parent(l) == no_loop      ? no_loop
                                                        : nearest_[loops().parent(l)];
  }

  constexpr void mark(item i, std::uint32_t how, std::uint32_t cause) {
    if (divergent_[i]) return;
    const block_id b = block_of_item(i);
    if (!laps_.is_reachable(b) || (i < num_values_ ? always_[i] != 0 : !has_two_ways(b))) return;
    divergent_[i] = how;
    cause_[i] = cause;
    work_.push_back(i);
  }
  constexpr bool has_two_ways(block_id b) const {
    const std::span<const block_id> out = laps_.successors(b);
    for (const block_id s : out)
      if (s != out[0]) return true;
    return false;
  }

  // Handles the joins that need no search: the joins that the branch dominates, and the loops that it leaves itself.
  constexpr void part(block_id b) {
    if (open_below_.empty()) begin_joins();
    for (std::uint32_t k = laps_.first_join(b); k < laps_.first_join(b + 1); ++k) meet(b, laps_.joins()[k]);
    open_end_[b] = laps_.first_join(b);
    if (loops().innermost(b) == no_loop) return;
    for (const block_id x : laps_.successors(b))
      if (const loop_id l = loops().outermost_without(b, laps_.block(x)); l != no_loop) leave_apart(l, b);
  }
  constexpr void begin_joins() {
    laps_.make_searchable();
    const std::size_t n = laps_.num_nodes();
    open_below_.assign(n, 0);
    open_end_.assign(n, 0);
    for (block_id x = 0; x < n; ++x) {
      open_below_[x] = x;
      open_end_[x] = laps_.first_join(x + 1);
    }
  }

  // True if a join of b that b does not dominate may have an effect that is not known yet.
  constexpr bool can_matter(block_id b) {
    if (const loop_id l = loops().innermost(b); l != no_loop && find(to_leave_, l) != no_loop) return true;
    for (block_id d = laps_.idom(b); d != no_block;) {
      d = find(open_below_, d);
      if (d == no_block) return false;
      for (; open_end_[d] > laps_.first_join(d); --open_end_[d])
        if (is_open(laps_.joins()[open_end_[d] - 1], d)) return true;
      open_below_[d] = laps_.idom(d);
    }
    return false;
  }
  // True if a join at x, with immediate dominator d, may have an effect other than a loop left apart.
  constexpr bool is_open(block_id x, block_id d) {
    const block_id y = laps_.block(x);
    const std::uint32_t way = laps_.is_lap_end(x) ? by_lap_end : by_entry;
    for (std::uint32_t k = first_phi_[y]; k < first_phi_[y + 1]; ++k)
      if (!divergent_[phi_[k]] && (differs_[phi_[k]] & way) != 0) return true;
    if (loops().is_reducible() || laps_.innermost(x) == no_loop) return false;
    const loop_id l = find(to_enter_, laps_.innermost(x));
    return l != no_loop && !loops().contains(l, d);
  }
  // The first entry from k on that is its own successor in `next`; 2^32 - 1 if there is none. With path halving.
  static constexpr std::uint32_t find(std::vector<std::uint32_t>& next, std::uint32_t k) {
    while (k != no_loop && next[k] != k) {
      if (const std::uint32_t up = next[k]; up != no_loop) next[k] = next[up];
      k = next[k];
    }
    return k;
  }

  // Threads that have diverged at branch b come together at node x.
  constexpr void meet(block_id b, block_id x) {
    const block_id y = laps_.block(x);
    if (!loops().is_reducible()) {
      for (loop_id l = laps_.innermost(x); l != no_loop; l = loops().parent(l)) {
        l = find(to_enter_, l);
        if (l == no_loop || loops().contains(l, b)) break;
        enter_apart(l, b);
      }
    }
    // The outermost loop that some have left, others not: a block of a loop has a successor in it.
    const loop_id out = loops().outermost_without(b, y);
    if (out != no_loop) leave_apart(out, b);

    for (std::uint32_t k = first_phi_[y]; k < first_phi_[y + 1]; ++k) {
      if (divergent_[phi_[k]]) continue;
      value_id first = no_value;
      for (std::uint32_t i = first_input_[phi_[k]]; i < first_input_[phi_[k] + 1]; ++i) {
        const input in = input_[i];
        if (in.value == no_value || !laps_.is_reachable(in.from) || laps_.node(in.from, y) != x) continue;
        // Nobody comes this way in this lap, but for those who have stayed in the loop.
        if (laps_.comes_first(in.from, b) && !(out != no_loop && loops().contains(out, in.from))) continue;
        if (first != no_value && first != in.value) {
          mark(phi_[k], by_join, b);
          break;
        }
        first = in.value;
      }
    }
  }

  constexpr void leave_apart(loop_id l, block_id branch) {
    if ((apart_[l] & left) != 0) return;
    apart_[l] |= left;
    left_by_[l] = branch;
    to_leave_[l] = loops().parent(l);
    outermost_.for_each(first_crossing_[l], first_crossing_[loops().end_of_nested(l)], loops().depth(l),
                        [&](std::size_t i) {
                          mark(crossing_[i], by_left, l);
                          outermost_.remove(i);
                        });
  }

  constexpr void enter_apart(loop_id l, block_id branch) {
    if ((apart_[l] & entered) != 0) return;
    apart_[l] |= entered;
    entered_by_[l] = branch;
    to_enter_[l] = loops().parent(l);
    if ((apart_[l] & scanned) == 0) {
      const std::span<const block_id> blocks = loops().blocks(l);
      for (std::size_t k = 0; k < blocks.size();) {
        const loop_id in = loops().innermost(blocks[k]);
        if ((apart_[in] & scanned) != 0) {  // its header stands first
          k += loops().blocks(in).size();
        } else {
          spoil(blocks[k++], l);
        }
      }
      for (loop_id in = l; in < loops().end_of_nested(l);) {
        const bool before = (apart_[in] & scanned) != 0;
        apart_[in] |= scanned;
        in = before ? loops().end_of_nested(in) : in + 1;
      }
    }
    leave_apart(l, branch);
  }
  // Marks all values of a block of l, which is entered apart.
  constexpr void spoil(block_id b, loop_id l) {
    for (std::uint32_t k = first_value_[b]; k < first_value_[b + 1]; ++k) {
      const value_id v = value_[k];
      mark(v, by_entered, l);
      // A value that is the same in each iteration can send threads in different iterations different ways.
      if (always_[v])
        for (std::uint32_t u = first_user_[v]; u < first_user_[v + 1]; ++u)
          if (user_[u] >= num_values_) mark(user_[u], by_entered, l);
    }
  }

  value_id num_values_ = 0;
  block_id num_blocks_ = 0;
  lap_index<Shape> laps_;
  std::vector<std::uint32_t> divergent_;  // by item: why; 0: it is not
  std::vector<std::uint32_t> cause_;      // by item: because of what
  std::vector<block_id> block_;           // by value
  std::vector<std::uint32_t> apart_;      // by loop: left, entered; scanned: it is in one that is entered, or is one
  std::vector<block_id> left_by_;         // by loop: the first branch because of which that is so
  std::vector<block_id> entered_by_;      // likewise
  std::vector<loop_id> nearest_;          // the innermost loop around a loop, or itself, that is left apart
  // The program, kept for the next computation as memory only. first_x_[k] .. first_x_[k + 1]: row k of x.
  std::vector<std::uint32_t> always_, differs_;
  std::vector<std::uint32_t> first_user_, first_phi_, first_input_, first_crossing_, first_value_;
  std::vector<item> user_, crossing_;
  low_keys<> outermost_;  // by place in crossing_: the depth of the outermost loop that the use is outside of
  std::vector<value_id> phi_, value_, source_;
  std::vector<input> input_;
  std::vector<item> work_;
  // By loop: the loop itself while it may still be left (entered) apart, else a loop around it that may be next.
  std::vector<loop_id> to_leave_, to_enter_;
  // By node: the node itself while joins it immediately dominates may still have an effect (those before open_end_);
  // else a dominator that leads to the next such node. Empty while no branch is divergent.
  std::vector<block_id> open_below_;
  std::vector<std::uint32_t> open_end_;
  join_search<Shape> search_;
};

}  // namespace detail

/// The joins of branches: the blocks at which threads that have diverged at a branch can come together again, as
/// defined at the top of this header.
template <flow_graph G = csr_graph>
class branch_joins {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the object. Complexity: near-linear in blocks and edges; an edge that leaves
  /// several loops counts for each of them, but edges of one loop to one block count once together. O(edges) memory.
  constexpr explicit branch_joins(const G& g) : map_(g) { recompute(g); }
  branch_joins(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Another graph, or this one changed; reuses every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    laps_.compute(buffer_.of(g));
    laps_.make_searchable();
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;
  /// The joins of b, in no particular order: none if b is unreachable or has fewer than two different successors.
  /// Complexity: the dominance frontiers of its successors and joins, times a logarithm. A branch can have as many
  /// joins as there are blocks, so the joins of all branches together can be quadratic.
  [[nodiscard]] constexpr std::vector<vertex> of(const vertex& b) {
    std::vector<vertex> found;
    search_.run(laps_, map_.index(b));
    search_.for_each_block(laps_, map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }

 private:
  detail::vertex_map<G> map_;
  detail::shape_of_graph<G> buffer_;
  detail::lap_index<> laps_;
  detail::join_search<> search_;
};

/// Which values and branches of a program are uniform, as defined at the top of this header.
///
/// What is in unreachable blocks never runs and is uniform. Parallel edges are one way. Const questions never write.
template <flow_graph G = csr_graph>
class uniformity_analysis {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the analysis (a csr_graph need not); the program is not kept.
  /// Complexity: near-linear in the program and the graph (an edge that leaves several loops counts for each of them,
  /// but edges of one loop to one block count once together), and one search for each divergent branch with a join that
  /// the branch does not dominate and that may have an effect which is not known yet. There is no such search if
  /// nothing is divergent, or if all divergent branches are found in the same number of steps from a source. A search
  /// costs as much as branch_joins::of: at worst O(edges log edges), and the frontiers of the joins themselves if these
  /// are larger. No recursion.
  template <def_use_program<vertex> P>
  constexpr uniformity_analysis(const G& g, const P& program) : map_(g) {
    recompute(g, program);
  }
  template <class P>
  uniformity_analysis(const G&&, const P&) requires detail::keeps_pointer<G>
  = delete;

  /// Analyses a program on g (the same graph, changed, or another), reusing every buffer.
  template <def_use_program<vertex> P>
  constexpr void recompute(const G& g, const P& program) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(buffer_.of(g), program, index(), at());
  }
  template <def_use_program<vertex> P>
  void recompute(const G&&, const P&) requires detail::keeps_pointer<G>
  = delete;
  /// Analyses another program (or this one with other sources) on the graph of the last time.
  template <def_use_program<vertex> P>
  constexpr void update(const P& program) {
    index_.update(program, index(), at());
  }

  /// Threads that are together where v is computed may have different values. O(1).
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return index_.is_divergent(v); }
  /// Threads that are together in b may leave it by different edges to different successors. O(1).
  [[nodiscard]] constexpr bool is_divergent_branch(const vertex& b) const {
    return index_.is_divergent_branch(map_.index(b));
  }
  /// Threads that are together in `at` may see different values of v, which was computed before: v is divergent, or
  /// threads may have left a loop apart since (temporal divergence). O(1).
  /// \pre the block of v dominates `at`.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, const vertex& at) const {
    return index_.is_divergent_at(v, map_.index(at));
  }
  /// Temporal divergence: v is uniform where it is computed and divergent at `at`. O(1).
  [[nodiscard]] constexpr bool is_temporally_divergent_at(value_id v, const vertex& at) const {
    return !is_divergent(v) && is_divergent_at(v, at);
  }
  /// Why v is divergent: the first reason that was found, a step on a shortest way back to a source, except where loops
  /// are left or entered apart. Following value or branch from step to step always ends at a source. O(1).
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return index_.why(v); }
  /// Why the branch of b is divergent: by operand (its condition), or because a loop is left or entered apart that
  /// contains the branch or the block of its condition. O(1).
  [[nodiscard]] constexpr divergence_reason why_branch(const vertex& b) const {
    return index_.why_branch(map_.index(b));
  }
  /// The blocks at which threads that diverge at the branch of b can come together again, each once, in no particular
  /// order. None for a uniform branch (branch_joins has the joins of any branch). As branch_joins::of, with memory of
  /// its own.
  [[nodiscard]] constexpr std::vector<vertex> joins(const vertex& b) const {
    std::vector<vertex> found;
    index_.for_each_join(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }
  /// True if threads may leave l in different iterations. Loops are numbered as in loop_forest(g). O(1).
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return index_.is_left_apart(l); }
  /// True if threads may enter l, which is irreducible, at different blocks. O(1).
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const { return index_.is_entered_apart(l); }
  /// Of the program that was analysed last. O(1).
  [[nodiscard]] constexpr std::size_t num_values() const { return index_.num_values(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::uniformity_index<>& ids() const& { return index_; }
  const detail::uniformity_index<>& ids() const&& = delete;

 private:
  constexpr auto index() const {
    return [this](const vertex& v) { return map_.index(v); };
  }
  constexpr auto at() const {
    return [this](block_id b) { return map_.at(b); };
  }

  detail::vertex_map<G> map_;
  detail::shape_of_graph<G> buffer_;
  detail::uniformity_index<> index_;
};

/// The uniformity of a program on g.
template <flow_graph G, def_use_program<vertex_t<G>> P>
[[nodiscard]] constexpr uniformity_analysis<G> uniformity(const G& g, const P& program) {
  return uniformity_analysis<G>(g, program);
}
template <detail::keeps_pointer G, class P>
uniformity_analysis<G> uniformity(const G&&, const P&) = delete;

}  // namespace v0
}  // namespace simtflow

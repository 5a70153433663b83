// SPDX-License-Identifier: BSL-1.0
//
// Uniformity (divergence) analysis: which values are the same in all threads that are together, and which branches can
// part them. Which threads are together is the maximal converged-with relation (simt/maximal_convergence.hpp):
//
//   instance   a visit to a block, in an iteration (lap) of each loop around it; threads that visit a block in the same
//              laps are together there
//   uniform    in every instance, all threads that are in it have the same value; divergent otherwise. A branch is
//              divergent if threads of one instance can leave it by different ways
//   join       of a divergent branch: a block at which threads that it has parted can come together again; what a phi
//              there gives depends on the way
//   temporal   a value may be uniform in a loop and divergent behind it: if threads leave the loop in different laps,
//   divergence each sees the value of its own last lap
//
// The result is conservative: what it calls uniform is, under every machine that keeps instances together; what it calls
// divergent may turn out to be the same. Everything is assumed to be uniform until a reason is found: sources (the
// thread's number, ...) make what uses them divergent; a divergent branch makes phis at its joins divergent where
// threads bring different values, and if threads can leave a loop apart, uses behind the loop of what the loop defines.
//
// One lap. Threads that a branch has parted are in the same lap of the loops around it until one of them comes to a
// header: there it waits for those that stay in the loop, and then they may leave it by any exit. So all joins are found
// in an acyclic graph, the *lap graph*: each loop has a further node, its *lap end*; edges from the loop to its header
// lead there instead, and it leads to wherever the loop's exits lead. A join of branch b is a node to which two paths lead
// from different successors of b that have no other node in common; at a lap end it is a join at the header. Paths and
// dominance: let S be the successors of b. Labels start there and travel from a node to the members of its dominance
// frontier; a node at which two labels meet is a join and its own label from then on. That is the construction of SSA
// form for a variable that every successor of b assigns. Nodes whose label is the only one on the way need no look.
//
//   left apart     a loop that contains b and not the join: some thread may stay for another lap while another has left.
//                  Which exit a thread takes does not matter
//   entered apart  an irreducible loop without b that contains a join of b: threads may be in it that have come in by
//                  different entries, and what was the first lap for one is none for the other. All its values are taken
//                  to be divergent
//
// Differences from the literature. (1) The branch may stand in a loop's header: threads that come back to it are in the
// next lap, so where the others leave, they leave apart; LLVM's analysis stops at the branch. (2) Laps of irreducible loops
// are told apart by their headers as those of others, so a branch inside of one spoils no values. (3) A phi counts the
// values that parted threads can bring, not all. (4) Which loop is left goes by containment, not by nesting depth.
//
// Literature: J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on reducible control flow
// graphs (2021); B. Coutinho, D. Sampaio, F. Pereira, W. Meira, Divergence analysis and optimizations (2011); R. Karrenberg,
// S. Hack, Whole-function vectorization (2011); the LLVM Project, Convergence and Uniformity; R. Cytron et al.,
// Efficiently computing static single assignment form and the control dependence graph (1991).
#pragma once

#include <simtflow/analysis/detail/dominance_frontier_index.hpp>
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
///   is_phi(v)             v is chosen by the edge that control takes into its block: at the begin of the block
///   inputs(v)             of a phi: a range of phi_input, one for each block with an edge to v's. The analysis asks only
///                         for phis
///   operands(v)           of another: a range of value_id, what it is computed from. The analysis asks only for these
///   condition(b)          the value that chooses among the successors of b; no_value if threads that are in b together
///                         always leave it together (one successor, or it is known otherwise)
///   is_source(v)          v may differ between threads that are together, whatever its operands are
///   is_always_uniform(v)  v is the same in threads that are together, whatever its operands are (a vote)
///
/// Semantic requirements: SSA form (the block of an operand dominates that of its user, that of a phi's input dominates
/// the block it comes from); a value that is neither phi nor source is a function of its operands and of what all threads
/// agree on in every instance; sources are not always uniform.
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
template <class Shape = csr_graph>
class lap_index {
 public:
  constexpr void compute(const Shape& g) {
    loops_.compute(g);
    order_.arrange(loops_);
    const block_id n = static_cast<block_id>(g.num_blocks());
    SIMTFLOW_EXPECTS(n + std::size_t{loops_.num_loops()} < no_block,
                     "blocks and loops together have fewer than 2^32 ids");
    rows_.begin.clear();
    rows_.target.clear();
    rows_.entry = n == 0 ? 0 : g.entry();
    if (n != 0) {
      for (block_id b = 0; b < n; ++b) {
        rows_.begin.push_back(static_cast<block_id>(rows_.target.size()));
        if (is_reachable(b))
          for (const block_id s : g.successors(b)) rows_.target.push_back(node(b, s));
      }
      add_lap_ends(g);
    }
    const csr_graph& laps = shape_.take(rows_);
    tree_.compute(laps);
    frontiers_.compute(laps, tree_);
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
  // Topological.
  [[nodiscard]] constexpr std::uint32_t number(block_id node) const {
    if (!is_lap_end(node)) return order_.place(node);
    return order_.steps()[order_.place(block(node))].match;
  }
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id node) const {
    return graph_traits<successor_rows<>>::successors(rows_, node);
  }
  [[nodiscard]] constexpr std::span<const block_id> frontier(block_id node) const { return frontiers_.of(node); }
  // Threads in `after` that are in the same laps as they were in `before` have been there first: no way leads back.
  [[nodiscard]] constexpr bool comes_first(block_id before, block_id after) const {
    return tree_.strictly_dominates(before, after);
  }

 private:
  // Their rows: an edge leaves the loops around its source up to the first that contains its target.
  constexpr void add_lap_ends(const Shape& g) {
    const block_id n = static_cast<block_id>(num_blocks());
    const auto for_each_exit = [&](auto f) {
      for (block_id b = 0; b < n; ++b) {
        const loop_id inner = loops_.innermost(b);
        if (inner == no_loop || !loops_.is_exiting(inner, b)) continue;
        for (const block_id s : g.successors(b))
          for (loop_id l = inner; l != no_loop && !loops_.contains(l, s); l = loops_.parent(l)) f(l, node(b, s));
      }
    };
    next_.assign(loops_.num_loops(), 0);
    for_each_exit([&](loop_id l, block_id) { ++next_[l]; });
    block_id end = static_cast<block_id>(rows_.target.size());
    for (block_id& next : next_) {
      rows_.begin.push_back(end);
      end += next;
      next = rows_.begin.back();
    }
    rows_.begin.push_back(end);
    while (rows_.target.size() < end) rows_.target.push_back(0);
    for_each_exit([&](loop_id l, block_id to) { rows_.target[next_[l]++] = to; });
  }

  loop_index<Shape> loops_;
  wto_index<Shape> order_;
  successor_rows<> rows_;
  dominator_index<> tree_;
  dominance_frontier_index<> frontiers_;
  // Workspace, kept for the next computation.
  std::vector<block_id> next_;
  snapshot_buffer<successor_rows<>> shape_;
};

// The joins of branches, as nodes of the lap graph; those of a branch are found when they are asked for first.
template <class Shape = csr_graph>
class join_index {
 public:
  constexpr void compute(const Shape& g) {
    laps_.compute(g);
    row_.assign(g.num_blocks(), row{});
    joins_.clear();
    label_.assign(laps_.num_nodes(), no_block);
    joined_.assign(laps_.num_nodes(), 0);
    waiting_.assign(laps_.num_nodes(), 0);
    heap_.clear();
  }
  [[nodiscard]] constexpr const lap_index<Shape>& laps() const { return laps_; }

  // Good until the joins of another branch are found.
  constexpr std::span<const block_id> find(block_id branch) {
    SIMTFLOW_EXPECTS(branch < row_.size(), "a question about a block that is not in the graph of this result");
    row& r = row_[branch];
    if (!r.known) {
      r.first = joins_.size();
      search(branch);
      r.size = static_cast<std::uint32_t>(joins_.size() - r.first);
      r.known = true;
    }
    return known(branch);
  }
  // Those that were found.
  [[nodiscard]] constexpr std::span<const block_id> known(block_id branch) const {
    SIMTFLOW_EXPECTS(branch < row_.size(), "a question about a block that is not in the graph of this result");
    return std::span<const block_id>(joins_).subspan(row_[branch].first, row_[branch].size);
  }
  // The same as blocks, each once: f(block).
  template <class F>
  constexpr void for_each_block(block_id branch, F f) const {
    const loop_index<Shape>& loops = laps_.loops();
    const std::span<const block_id> nodes = known(branch);
    for (const block_id x : nodes) {
      // The header of a loop that is entered apart can be there twice: as it is entered, and as the lap's end.
      if (laps_.is_lap_end(x) && !loops.contains(laps_.loop_of(x), branch)) {
        bool twice = false;
        for (const block_id other : nodes) twice = twice || other == laps_.block(x);
        if (twice) continue;
      }
      f(laps_.block(x));
    }
  }

 private:
  struct row {
    std::size_t first = 0;
    std::uint32_t size = 0;
    bool known = false;
  };

  constexpr void search(block_id branch) {
    labels_ = 0;
    touched_.clear();
    for (const block_id x : laps_.successors(branch))
      if (label_[x] == no_block) give(x, x);
    // What only one label is on its way to has no join.
    while (labels_ > 1) {
      const block_id x = pop();
      const block_id label = label_[x];
      if (--waiting_[label] == 0) --labels_;
      for (const block_id y : laps_.frontier(x)) receive(y, label);
    }
    for (const block_id x : touched_) {
      label_[x] = no_block;
      joined_[x] = 0;
      waiting_[x] = 0;
    }
    heap_.clear();
  }
  constexpr void give(block_id x, block_id label) {
    label_[x] = label;
    touched_.push_back(x);
    wait(label);
    push(x);
  }
  constexpr void wait(block_id label) {
    if (waiting_[label]++ == 0) ++labels_;
  }
  // y comes behind the node that hands it the label, so it waits or has not been seen.
  constexpr void receive(block_id y, block_id label) {
    if (label_[y] == no_block) return give(y, label);
    if (label_[y] == label || joined_[y]) return;
    joined_[y] = 1;
    joins_.push_back(y);
    if (label_[y] == y) return;  // a successor of the branch
    if (--waiting_[label_[y]] == 0) --labels_;
    label_[y] = y;
    wait(y);
  }

  // A heap of nodes, the one with the least number on top.
  constexpr void push(block_id x) {
    heap_.push_back({laps_.number(x), x});
    std::size_t at = heap_.size() - 1;
    for (; at != 0 && heap_[at].number < heap_[(at - 1) / 2].number; at = (at - 1) / 2) swap(at, (at - 1) / 2);
  }
  constexpr block_id pop() {
    const block_id top = heap_[0].node;
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

  struct entry {
    std::uint32_t number;
    block_id node;
  };

  lap_index<Shape> laps_;
  std::vector<row> row_;  // by branch, in joins_
  std::vector<block_id> joins_;
  // Workspace; by node, empty between searches.
  std::vector<block_id> label_, joined_;
  std::vector<std::uint32_t> waiting_;  // nodes with that label in the heap
  std::vector<block_id> touched_;
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
    joins_.compute(g);
    update(p, index, vertex);
  }
  // The graph is that of the last time.
  template <class P, class Index, class Vertex>
  constexpr void update(const P& p, Index index, Vertex vertex) {
    num_blocks_ = static_cast<block_id>(laps().num_blocks());
    const std::size_t values = static_cast<std::size_t>(p.num_values());
    SIMTFLOW_EXPECTS(values + num_blocks_ < no_value, "values and blocks together have fewer than 2^32 ids");
    num_values_ = static_cast<value_id>(values);
    read(p, index, vertex);
    list_crossing_uses();
    solve();
  }

  [[nodiscard]] constexpr value_id num_values() const { return num_values_; }
  [[nodiscard]] constexpr const loop_index<Shape>& loops() const { return laps().loops(); }
  [[nodiscard]] constexpr const join_index<Shape>& joins() const { return joins_; }
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
  static constexpr std::uint32_t left = 1, entered = 2;
  struct input {
    block_id from;
    value_id value;
  };

  [[nodiscard]] constexpr const lap_index<Shape>& laps() const { return joins_.laps(); }
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
    apart_.assign(loops().num_loops(), 0);
    left_by_.assign(loops().num_loops(), no_block);
    entered_by_.assign(loops().num_loops(), no_block);
    nested_.assign(loops().num_loops(), 1);
    for (loop_id l = static_cast<loop_id>(loops().num_loops()); l-- > 0;)
      if (const loop_id up = loops().parent(l); up != no_loop) nested_[up] += nested_[l];
    for (const value_id v : source_) mark(v, by_source, v);
    source_.clear();
    // First in, first out: reasons are as short as they can be, but for those that are looked for at the end of a loop.
    for (std::size_t next = 0; next < work_.size(); ++next) {
      const item i = work_[next];
      if (i < num_values_) {
        for (std::uint32_t u = first_user_[i]; u < first_user_[i + 1]; ++u) mark(user_[u], by_operand, i);
      } else {
        const block_id b = i - num_values_;
        for (const block_id x : joins_.find(b)) meet(b, x);
      }
    }
    nearest_.assign(loops().num_loops(), no_loop);
    for (loop_id l = 0; l < loops().num_loops(); ++l)
      nearest_[l] = apart_[l] != 0 ? l : loops().parent(l) == no_loop ? no_loop : nearest_[loops().parent(l)];
  }

  constexpr void mark(item i, std::uint32_t how, std::uint32_t cause) {
    if (divergent_[i]) return;
    const block_id b = block_of_item(i);
    if (!laps().is_reachable(b) || (i < num_values_ ? always_[i] != 0 : !has_two_ways(b))) return;
    divergent_[i] = how;
    cause_[i] = cause;
    work_.push_back(i);
  }
  constexpr bool has_two_ways(block_id b) const {
    const std::span<const block_id> out = laps().successors(b);
    for (const block_id s : out)
      if (s != out[0]) return true;
    return false;
  }

  // Threads that branch b has parted come together at node x.
  constexpr void meet(block_id b, block_id x) {
    const block_id y = laps().block(x);
    for (loop_id l = laps().is_lap_end(x) ? laps().loop_of(x) : loops().innermost(y);
         l != no_loop && !loops().contains(l, b); l = loops().parent(l))
      if (loops().is_irreducible(l)) enter_apart(l, b);

    // The outermost loop that some have left, others not: a block of a loop has a successor in it.
    loop_id out = no_loop;
    for (loop_id l = loops().innermost(b); l != no_loop && !loops().contains(l, y); l = loops().parent(l)) out = l;
    if (out != no_loop) leave_apart(out, b);

    for (std::uint32_t k = first_phi_[y]; k < first_phi_[y + 1]; ++k) {
      value_id first = no_value;
      for (std::uint32_t i = first_input_[phi_[k]]; i < first_input_[phi_[k] + 1]; ++i) {
        const input in = input_[i];
        if (in.value == no_value || !laps().is_reachable(in.from) || laps().node(in.from, y) != x) continue;
        // Nobody comes this way in this lap, but for those who have stayed in the loop.
        if (laps().comes_first(in.from, b) && !(out != no_loop && loops().contains(out, in.from))) continue;
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
    for (std::uint32_t i = first_crossing_[l]; i < first_crossing_[l + nested_[l]]; ++i)
      if (!loops().contains(l, block_of_item(crossing_[i]))) mark(crossing_[i], by_left, l);
  }

  constexpr void enter_apart(loop_id l, block_id branch) {
    if ((apart_[l] & entered) != 0) return;
    apart_[l] |= entered;
    entered_by_[l] = branch;
    for (const block_id b : loops().blocks(l))
      for (std::uint32_t k = first_value_[b]; k < first_value_[b + 1]; ++k) {
        const value_id v = value_[k];
        mark(v, by_entered, l);
        // What is the same in each lap can send threads in different laps different ways.
        if (always_[v])
          for (std::uint32_t u = first_user_[v]; u < first_user_[v + 1]; ++u)
            if (user_[u] >= num_values_) mark(user_[u], by_entered, l);
      }
    leave_apart(l, branch);
  }

  value_id num_values_ = 0;
  block_id num_blocks_ = 0;
  join_index<Shape> joins_;
  std::vector<std::uint32_t> divergent_;  // by item: why; 0: it is not
  std::vector<std::uint32_t> cause_;      // by item: because of what
  std::vector<block_id> block_;           // by value
  std::vector<std::uint32_t> apart_;      // by loop: left, entered
  std::vector<block_id> left_by_;         // by loop: the first branch because of which that is so
  std::vector<block_id> entered_by_;      // likewise
  std::vector<loop_id> nearest_;          // the innermost loop around a loop, or itself, that is left apart
  // The program, kept for the next computation as memory only. first_x_[k] .. first_x_[k + 1]: row k of x.
  std::vector<std::uint32_t> always_;
  std::vector<std::uint32_t> first_user_, first_phi_, first_input_, first_crossing_, first_value_;
  std::vector<item> user_, crossing_;
  std::vector<value_id> phi_, value_, source_;
  std::vector<input> input_;
  std::vector<item> work_;
  std::vector<std::uint32_t> nested_;  // by loop: loops in it and itself
};

}  // namespace detail

/// The joins of branches: where threads that a branch has parted can come together, as defined at the top of this
/// header. Each branch is looked at once, when it is asked for first.
template <flow_graph G = csr_graph>
class branch_joins {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the object. Complexity: that of loop_forest, dominator_tree and
  /// dominance_frontier_sets; edges that leave several loops count for each.
  constexpr explicit branch_joins(const G& g) : map_(g) { recompute(g); }
  branch_joins(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Another graph, or this one changed; reuses every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(buffer_.of(g));
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;
  /// The joins of b, in no particular order: none if b is unreachable or has fewer than two different successors.
  /// Complexity: the dominance frontiers of its successors and joins, times a logarithm; later O(joins).
  [[nodiscard]] constexpr std::vector<vertex> of(const vertex& b) {
    std::vector<vertex> found;
    (void)index_.find(map_.index(b));
    index_.for_each_block(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }

 private:
  detail::vertex_map<G> map_;
  detail::shape_of_graph<G> buffer_;
  detail::join_index<> index_;
};

/// Which values and branches of a program are uniform, as defined at the top of this header.
///
/// What is in unreachable blocks never runs and is uniform. Parallel edges are one way. Const questions never write.
template <flow_graph G = csr_graph>
class uniformity_analysis {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the analysis (a csr_graph need not); the program is not kept.
  /// Complexity: linear in the program, and for the graph what branch_joins takes; on usual programs all branches together
  /// are linear. At worst a branch costs the sum of all dominance frontiers, a use the nesting depth; then there are about
  /// as many joins as pairs of branches and blocks: in a random irreducible graph of 4,000 blocks with two successors each
  /// half the blocks are divergent branches with 1,000 joins each, which takes tens of seconds. No recursion.
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
  /// Analyses another program (or this one with other sources) on the graph of the last time: the joins of branches that
  /// are known stay.
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
  /// Why v is divergent: the first reason that was found, a step on a shortest way back to a source but where loops are
  /// left or entered apart. Following value or branch from step to step always ends at a source. O(1).
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return index_.why(v); }
  /// Why the branch of b is divergent: by operand (its condition), or because the loop that its condition is computed in,
  /// or it stands in, is left or entered apart. O(1).
  [[nodiscard]] constexpr divergence_reason why_branch(const vertex& b) const {
    return index_.why_branch(map_.index(b));
  }
  /// Where threads that come together in b and that its branch parts can come together again, each once, in no particular
  /// order. None for a branch that is uniform (branch_joins has those of any).
  [[nodiscard]] constexpr std::vector<vertex> joins(const vertex& b) const {
    std::vector<vertex> found;
    if (is_divergent_branch(b))
      index_.joins().for_each_block(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }
  /// Loops are those of loop_forest(g), with the same numbers. Threads may leave l in different laps. O(1).
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return index_.is_left_apart(l); }
  /// Threads may come into l, which is irreducible, by different entries. O(1).
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

// SPDX-License-Identifier: BSL-1.0
//
// validate(g, program): where the answers of a program in SSA form (def_use_program.hpp) contradict the graph or one
// another. It finds every defect that one pass can find and never aborts. Call it once in your own tests, as
// validate(g) for the graph:
//
//   for (const auto& defect : simtflow::validate(f, p)) report(describe(defect.kind), defect.value, defect.block);
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The defects of a program; describe(kind) says each in a sentence.
enum class program_defect_kind : unsigned char {
  too_many_values,     ///< values and blocks together have 2^32 - 1 ids or more
  block_out_of_range,  ///< a value is computed in a block that the graph does not have, or an input comes from one
  value_out_of_range,  ///< an operand, an input or a condition is not below num_values()
  missing_input,       ///< a phi has no input for a reachable block with an edge to its block
  repeated_input,      ///< a phi has two inputs for one block
  surplus_input,       ///< a phi has an input for a block without an edge to its block
  not_dominating,      ///< a value is used where it may not have been computed
  operand_of_itself,   ///< a value that is no phi depends on itself in one visit to its block
  uniform_source,      ///< a source is always uniform
};

/// One contradiction in what a program says.
struct program_defect {
  program_defect_kind kind{};  ///< what is wrong
  value_id value = no_value;   ///< the value that was asked; no_value: the branch of `block`
  block_id block = no_block;   ///< the block of the value or branch; for an input, the block that it comes from
  value_id used = no_value;  ///< the operand, input or condition that is wrong; no_value: the defect is about no value
  friend constexpr bool operator==(const program_defect&, const program_defect&) = default;
};

/// The name of a kind: "missing_input".
[[nodiscard]] constexpr const char* to_string(program_defect_kind kind) {
  switch (kind) {
    case program_defect_kind::too_many_values:
      return "too_many_values";
    case program_defect_kind::block_out_of_range:
      return "block_out_of_range";
    case program_defect_kind::value_out_of_range:
      return "value_out_of_range";
    case program_defect_kind::missing_input:
      return "missing_input";
    case program_defect_kind::repeated_input:
      return "repeated_input";
    case program_defect_kind::surplus_input:
      return "surplus_input";
    case program_defect_kind::not_dominating:
      return "not_dominating";
    case program_defect_kind::operand_of_itself:
      return "operand_of_itself";
    case program_defect_kind::uniform_source:
      return "uniform_source";
  }
  return "";
}

/// A kind in a sentence; `value`, `block` and `used` are members of program_defect.
[[nodiscard]] constexpr const char* describe(program_defect_kind kind) {
  switch (kind) {
    case program_defect_kind::too_many_values:
      return "num_values() and the blocks together have 2^32 - 1 ids or more";
    case program_defect_kind::block_out_of_range:
      return "the block of a value, or of an input of a phi, is not in the graph (value, block)";
    case program_defect_kind::value_out_of_range:
      return "an operand, an input or a condition is not below num_values() (of value or block, used)";
    case program_defect_kind::missing_input:
      return "a phi has no input for a reachable block with an edge to its block (value, block)";
    case program_defect_kind::repeated_input:
      return "a phi has two inputs for one block (value, block)";
    case program_defect_kind::surplus_input:
      return "a phi has an input for a block without an edge to its block (value, block)";
    case program_defect_kind::not_dominating:
      return "a value is used where it may not have been computed (by value or in block, used)";
    case program_defect_kind::operand_of_itself:
      return "a value that is no phi depends on itself in one visit to its block (value, used)";
    case program_defect_kind::uniform_source:
      return "a source is always uniform (value)";
  }
  return "";
}

namespace detail {

// One pass over a program. Index: vertex -> block id; Vertex: block id -> vertex.
template <class P, class Index, class Vertex>
class program_checker {
 public:
  constexpr program_checker(const csr_graph& g, const P& p, Index index, Vertex vertex)
      : g_(g), p_(p), index_(index), vertex_(vertex), tree_(g) {}

  [[nodiscard]] constexpr std::vector<program_defect> run() {
    const std::size_t blocks = g_.num_blocks(), values = static_cast<std::size_t>(p_.num_values());
    if (values >= index_of(no_value) || blocks >= index_of(no_value) - values) {
      found_.push_back({program_defect_kind::too_many_values});
      return static_cast<std::vector<program_defect>&&>(found_);
    }
    block_.assign(values, no_block);
    edge_from_.assign(blocks, 0);
    input_from_.assign(blocks, 0);
    for (const value_id v : ids_below<value_id>(values)) place(v);
    for (const value_id v : ids_below<value_id>(values)) {
      const block_id b = block_[index_of(v)];
      if (b == no_block) continue;
      if (p_.is_phi(v)) {
        look_at_phi(v, b);
      } else {
        for (const value_id o : p_.operands(v)) look_at_use(v, b, o);
      }
    }
    for (block_id b = 0; b < blocks; ++b)
      if (const value_id c = p_.condition(vertex_(b)); c != no_value) look_at_use(no_value, b, c);
    find_cycles();
    return static_cast<std::vector<program_defect>&&>(found_);
  }

 private:
  using kind = program_defect_kind;

  constexpr void place(value_id v) {
    const block_id b = static_cast<block_id>(index_(p_.block_of(v)));
    if (b >= g_.num_blocks()) {
      found_.push_back({kind::block_out_of_range, v, b});
    } else {
      block_[index_of(v)] = b;
    }
    if (p_.is_source(v) && p_.is_always_uniform(v)) found_.push_back({kind::uniform_source, v, b});
  }

  // `user` (no_value: the branch) uses a value at the end of block `at`, or in it.
  constexpr void look_at_use(value_id user, block_id at, value_id used) {
    if (index_of(used) >= block_.size()) {
      found_.push_back({kind::value_out_of_range, user, at, used});
    } else if (const block_id b = block_[index_of(used)];
               b != no_block && tree_.is_reachable(at) && !tree_.dominates(b, at)) {
      found_.push_back({kind::not_dominating, user, at, used});
    }
  }

  constexpr void look_at_phi(value_id v, block_id b) {
    const std::uint32_t now = index_of(v) + 1;
    for (const block_id p : g_.predecessors(b)) edge_from_[p] = now;
    for (const auto& in : p_.inputs(v)) {
      const block_id from = static_cast<block_id>(index_(in.from));
      if (from >= g_.num_blocks()) {
        found_.push_back({kind::block_out_of_range, v, from});
        continue;
      }
      if (edge_from_[from] != now) {
        found_.push_back({kind::surplus_input, v, from});
      } else if (input_from_[from] == now) {
        found_.push_back({kind::repeated_input, v, from});
      }
      input_from_[from] = now;
      if (in.value != no_value) look_at_use(v, from, in.value);
    }
    for (const block_id p : g_.predecessors(b)) {
      if (input_from_[p] == now || !tree_.is_reachable(p)) continue;
      found_.push_back({kind::missing_input, v, p});
      input_from_[p] = now;
    }
  }

  // Operands of values that are no phis, in one block: a depth-first search along them meets no value that is open.
  constexpr void find_cycles() {
    const std::uint32_t values = static_cast<std::uint32_t>(block_.size());
    const auto counts = [&](value_id v) { return block_[index_of(v)] != no_block && !p_.is_phi(v); };
    first_.assign(values + std::size_t{1}, 0);
    operand_.clear();
    for (const value_id v : ids_below<value_id>(values)) {
      first_[index_of(v)] = operand_.size();
      if (!counts(v)) continue;
      for (const value_id o : p_.operands(v))
        if (index_of(o) < values && block_[index_of(o)] == block_[index_of(v)] && counts(o)) operand_.push_back(o);
    }
    first_[values] = operand_.size();
    next_.assign(first_.begin(), first_.end());
    state_.assign(values, fresh);
    for (std::uint32_t root = 0; root < values; ++root) {
      if (state_[root] != fresh) continue;
      state_[root] = open;
      stack_.push_back(root);
      while (!stack_.empty()) {
        const std::uint32_t v = stack_.back();
        if (next_[v] == first_[v + 1]) {
          state_[v] = done;
          stack_.pop_back();
          continue;
        }
        const value_id o = operand_[next_[v]++];
        if (state_[index_of(o)] == open) found_.push_back({kind::operand_of_itself, value_id{v}, block_[v], o});
        if (state_[index_of(o)] != fresh) continue;
        state_[index_of(o)] = open;
        stack_.push_back(index_of(o));
      }
    }
  }

  static constexpr unsigned char fresh = 0, open = 1, done = 2;

  const csr_graph& g_;
  const P& p_;
  Index index_;
  Vertex vertex_;
  dominator_tree<csr_graph> tree_;
  std::vector<program_defect> found_;
  std::vector<block_id> block_;                        // by value; no_block: not in the graph
  std::vector<std::uint32_t> edge_from_, input_from_;  // by block: 1 + the last phi with an edge, an input from it
  std::vector<std::size_t> first_, next_;              // by value: its run in operand_, where the search is in it
  std::vector<value_id> operand_;
  std::vector<unsigned char> state_;  // by value
  std::vector<std::uint32_t> stack_;
};

}  // namespace detail

/// Asks the program everything that uniformity(g, program) asks, and compares the answers with the graph and with one
/// another; returns the defects, none for a sound program. Never aborts, whatever the program answers, as long as the
/// calls themselves return and index() of the graph's traits accepts the vertices.
///
/// Uses are checked where control can come: a value of an unreachable block may use any value, and a phi needs no input
/// for an unreachable predecessor. A phi in the entry has no input for the beginning of the program.
/// \pre check_adapter<G>().
/// Complexity: near-linear in blocks, edges, values and operands, plus for each phi the predecessors of its block; no
/// recursion.
template <flow_graph G, def_use_program<vertex_t<G>> P>
[[nodiscard]] constexpr std::vector<program_defect> validate(const G& g, const P& program) {
  detail::kept_shape<G> kept;
  const csr_graph& shape = kept.of(g);
  const detail::vertex_map<G> map(g);
  return detail::program_checker(
             shape, program, [&](const vertex_t<G>& v) { return map.index(v); }, [&](block_id b) { return map.at(b); })
      .run();
}

}  // namespace v0
}  // namespace simtflow

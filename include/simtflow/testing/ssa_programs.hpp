// SPDX-License-Identifier: BSL-1.0
//
// Random programs in SSA form over a given control-flow graph, and threads that run them: for property tests of what
// looks at values (analysis/uniformity.hpp). A value is a number of 64 bits:
//
//   constant  the same for all threads
//   source    of the thread's number (and the operands)
//   vote      the same for all threads that are together: of a number that they share
//   compute   of the operands
//   phi       one value or constant for each block that control may come from
//
// A block with several successors takes the one that its condition says; without a condition, always the first.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// How a value comes about.
enum class ssa_kind : unsigned char {
  constant,  ///< the same in every thread
  source,    ///< differs from thread to thread
  vote,      ///< the same in threads that are together, computed from all of their operands
  compute,   ///< a function of its operands
  phi        ///< chosen by the way
};

/// The kind in a word: "constant", "source", "vote", "compute" or "phi".
[[nodiscard]] constexpr std::string_view to_string(ssa_kind kind) {
  switch (kind) {
    case ssa_kind::constant:
      return "constant";
    case ssa_kind::source:
      return "source";
    case ssa_kind::vote:
      return "vote";
    case ssa_kind::compute:
      return "compute";
    case ssa_kind::phi:
      return "phi";
  }
  return "";
}

/// One value of a program.
struct ssa_value {
  ssa_kind kind = ssa_kind::constant;            ///< how it comes about
  block_id block = no_block;                     ///< where it is computed
  std::uint64_t seed = 0;                        ///< of what it computes; the number itself of a constant
  std::vector<value_id> operands = {};           ///< dominate the block
  std::vector<phi_input<block_id>> inputs = {};  ///< of a phi
};

/// A program; models def_use_program over the blocks of its graph. Values of a block are numbered one after the other,
/// phis first.
struct ssa_program {
  std::vector<ssa_value> values;     ///< by value_id, ascending in the number of their block
  std::vector<value_id> conditions;  ///< by block: chooses among its successors; no_value: all threads take one
  std::vector<std::uint32_t>
      first_of_block;  ///< by block: the number of its first value; and one more, how many values

  /// @{
  /// As def_use_program asks; O(1).
  [[nodiscard]] constexpr std::size_t num_values() const { return values.size(); }
  [[nodiscard]] constexpr block_id block_of(value_id v) const { return values[index_of(v)].block; }
  [[nodiscard]] constexpr bool is_phi(value_id v) const { return values[index_of(v)].kind == ssa_kind::phi; }
  [[nodiscard]] constexpr std::span<const phi_input<block_id>> inputs(value_id v) const {
    return std::span<const phi_input<block_id>>(values[index_of(v)].inputs);
  }
  [[nodiscard]] constexpr std::span<const value_id> operands(value_id v) const {
    return std::span<const value_id>(values[index_of(v)].operands);
  }
  [[nodiscard]] constexpr value_id condition(block_id b) const { return conditions[b]; }
  [[nodiscard]] constexpr bool is_source(value_id v) const { return values[index_of(v)].kind == ssa_kind::source; }
  [[nodiscard]] constexpr bool is_always_uniform(value_id v) const {
    return values[index_of(v)].kind == ssa_kind::vote;
  }
  /// @}
};

/// Options of random_ssa_program.
struct ssa_options {
  std::size_t phis = 2;             ///< in a block, at most
  std::size_t others = 2;           ///< in a block, at most
  unsigned source_percent = 15;     ///< of the others
  unsigned vote_percent = 5;        ///< of the others
  unsigned constant_percent = 15;   ///< of the others
  unsigned condition_percent = 90;  ///< of blocks with several successors
  unsigned undefined_percent = 5;   ///< of the inputs of phis
};

/// A random program over g; operands are near more often than far. O(values x depth of the dominator tree).
[[nodiscard]] constexpr ssa_program random_ssa_program(rng& random, const csr_graph& g,
                                                       const ssa_options& options = {}) {
  const dominator_tree<csr_graph> tree(g);
  ssa_program p;
  const block_id n = static_cast<block_id>(g.num_blocks());
  p.conditions.assign(n, no_value);
  for (block_id b = 0; b < n; ++b) {
    p.first_of_block.push_back(static_cast<std::uint32_t>(p.values.size()));
    const std::size_t phis = b == g.entry() || g.predecessors(b).empty() ? 0 : random.below(options.phis + 1);
    for (std::size_t k = 0; k < phis; ++k) p.values.push_back({ssa_kind::phi, b, 0, {}, {}});
    const std::size_t others = random.below(options.others + 1) + (b == g.entry() ? 1 : 0);
    for (std::size_t k = 0; k < others; ++k) {
      const std::size_t dice = random.below(100);
      ssa_kind kind = ssa_kind::compute;
      if (dice < options.source_percent)
        kind = ssa_kind::source;
      else if (dice < options.source_percent + options.vote_percent)
        kind = ssa_kind::vote;
      else if (dice < options.source_percent + options.vote_percent + options.constant_percent)
        kind = ssa_kind::constant;
      p.values.push_back({kind, b, kind == ssa_kind::constant ? random.below(4) : random.next(), {}, {}});
    }
  }
  p.first_of_block.push_back(static_cast<std::uint32_t>(p.values.size()));
  // One of the values with numbers below `end` in `at` and of all in its dominators.
  const auto choose = [&](block_id at, std::uint32_t end) {
    value_id found = no_value;
    while (true) {
      const std::uint32_t first = p.first_of_block[at];
      if (end > first && (found == no_value || random.chance(60)))
        found = value_id{first + static_cast<std::uint32_t>(random.below(end - first))};
      if (!tree.is_reachable(at) || at == g.entry() || (found != no_value && random.chance(40))) return found;
      at = *tree.idom(at);
      end = p.first_of_block[at + 1];
    }
  };
  for (std::uint32_t v = 0; v < p.values.size(); ++v) {
    ssa_value& here = p.values[v];
    if (here.kind == ssa_kind::phi) {
      for (const block_id from : g.predecessors(here.block)) {
        if (!here.inputs.empty() && here.inputs.back().from == from) continue;
        here.inputs.push_back(
            {from, random.chance(options.undefined_percent) ? no_value : choose(from, p.first_of_block[from + 1])});
        // Two ways with one value are common in programs.
        const std::size_t last = here.inputs.size() - 1;
        if (last > 0 && here.inputs[last - 1].value != no_value && random.chance(30)) {
          const block_id other = p.block_of(here.inputs[last - 1].value);
          if (tree.dominates(other, from)) here.inputs[last].value = here.inputs[last - 1].value;
        }
      }
    } else if (here.kind == ssa_kind::compute || here.kind == ssa_kind::source) {
      for (std::size_t k = random.below(3); k > 0; --k)
        if (const value_id o = choose(here.block, v); o != no_value) here.operands.push_back(o);
    }
  }
  for (block_id b = 0; b < n; ++b)
    if (g.successors(b).size() > 1 && random.chance(options.condition_percent))
      p.conditions[b] = choose(b, p.first_of_block[b + 1]);
  return p;
}

/// Runs one thread from the entry to its end or for `steps` blocks. `visit(block)` is asked first for each block: it
/// gives the number that the votes of this visit see; then `done(block, values, next)` is told the values of the thread
/// after it, and where it goes next (no_block: it ends). `values` has the size of the program.
template <class Visit, class Done>
constexpr void run_ssa_thread(const csr_graph& g, const ssa_program& p, std::uint64_t thread, std::size_t steps,
                              std::vector<std::uint64_t>& values, Visit visit, Done done) {
  values.assign(p.values.size(), 0);
  std::vector<std::uint64_t> chosen;
  block_id from = no_block;
  for (block_id b = g.num_blocks() == 0 ? no_block : g.entry(); b != no_block && steps > 0; --steps) {
    const std::uint64_t instance = visit(b);
    chosen.clear();
    std::uint32_t v = p.first_of_block[b];
    const std::uint32_t end = p.first_of_block[b + 1];
    for (; v < end && p.is_phi(value_id{v}); ++v) {  // all at once
      std::uint64_t x = 0;
      for (const phi_input<block_id>& in : p.inputs(value_id{v}))
        if (in.from == from && in.value != no_value) x = values[index_of(in.value)];
      chosen.push_back(x);
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) values[p.first_of_block[b] + k] = chosen[k];
    for (; v < end; ++v) {
      const ssa_value& here = p.values[v];
      std::uint64_t x = here.seed;
      if (here.kind == ssa_kind::source) x = mix_bits(x + thread);
      if (here.kind == ssa_kind::vote) x = mix_bits(x + 31 * instance);
      for (const value_id o : here.operands) x = mix_bits(x ^ (values[index_of(o)] + 0x9E37'79B9U));
      values[v] = x;
    }
    const std::span<const block_id> out = g.successors(b);
    const value_id c = p.conditions[b];
    const block_id next =
        out.empty() ? no_block
                    : out[c == no_value ? 0 : static_cast<std::size_t>(values[index_of(c)] >> 7) % out.size()];
    done(b, std::span<const std::uint64_t>(values), next);
    from = b;
    b = next;
  }
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow

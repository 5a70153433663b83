// SPDX-License-Identifier: BSL-1.0
//
// Says which branches of a program can diverge, and why, in words for a person:
//
//   3 branches: 2 divergent, 1 uniform; 40 values: 12 divergent, 1 more after a loop
//   BB1 (line 12) divergent: %p1 comes from %tid.x (line 3)
//   BB4 (line 31) divergent: %p3 comes, by the way that threads take at BB1 (line 12), from %tid.x (line 3)
//   BB6 (line 40) uniform: %p4 is the same in threads that are together
//   loop at BB4: threads leave it in different iterations, by the branch of BB4 (line 31); 1 value that ...
//
// `name(block)` names a block. In a sentence about the branch at the end of a block, `name.branch(block)` names it if
// the caller's object has that member: for instance with the line of the branch, as above (block_name.hpp).
//
// The reason given is the one that the analysis found first (uniformity.hpp). The text leaves out steps that only
// compute one value from another.
//
// A header of its own because it needs <string>.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The counts in the first line of describe().
struct uniformity_counts {
  std::size_t branches = 0;            ///< reachable blocks that threads can leave by two ways or more
  std::size_t divergent_branches = 0;  ///< divergent branches among them
  std::size_t values = 0;              ///< in reachable blocks
  std::size_t divergent_values = 0;    ///< values that are divergent where they are computed
  std::size_t temporal_values = 0;     ///< other values with a use where they are temporally divergent
};

namespace detail {

// Calls f(user's block, value) for every use of a value by another one or by a branch.
template <class P, class F>
void for_each_use(const csr_graph& g, const P& program, F f) {
  for (const value_id v : ids_below<value_id>(program.num_values())) {
    if (program.is_phi(v)) {
      for (const auto& in : program.inputs(v))
        if (in.value != no_value) f(program.block_of(v), in.value);
    } else {
      for (const value_id o : program.operands(v)) f(program.block_of(v), o);
    }
  }
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (const value_id c = program.condition(b); c != no_value) f(b, c);
}

// Blocks that the entry reaches, and whether threads can leave one by two ways.
inline std::vector<unsigned char> reached_blocks(const csr_graph& g) {
  std::vector<unsigned char> reached(g.num_blocks(), 0);
  std::vector<block_id> work;
  if (g.num_blocks() != 0) {
    work.push_back(g.entry());
    reached[g.entry()] = 1;
  }
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    for (const block_id s : g.successors(b))
      if (reached[s] == 0) {
        reached[s] = 1;
        work.push_back(s);
      }
  }
  return reached;
}
inline bool has_two_ways(const csr_graph& g, block_id b) {
  for (const block_id s : g.successors(b))
    if (s != g.successors(b)[0]) return true;
  return false;
}

inline std::string how_many(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + ' ' + (n == 1 ? one : many);
}

// Names the branch at the end of a block: name.branch(b) if there is such a member, else name(b).
template <class Name>
std::string branch_name(Name& name, block_id b) {
  if constexpr (requires(std::string & s) { s += name.branch(b); })
    return std::string(name.branch(b));
  else
    return std::string(name(b));
}

// Says where a reason that begins with `why` comes from in the end.
template <class Name, class Value>
std::string reason_in_words(const uniformity_analysis<csr_graph>& u, divergence_reason why, value_id first, Name& name,
                            Value& value) {
  std::string steps;
  std::size_t unsaid = 0;
  value_id at = first;
  const dense::loop_forest& loops = u.ids().loops();
  for (std::size_t step = 0; why.cause != divergence_cause::source && why.cause != divergence_cause::none; ++step) {
    if (why.cause == divergence_cause::operand) {
      at = why.value;
      why = u.why(at);
      continue;
    }
    // The first of them matter most.
    if (step < 64 && steps.size() < 160) {
      steps += steps.empty() ? ", " : " and ";
      if (why.cause == divergence_cause::join)
        steps += "by the way that threads take at " + branch_name(name, why.branch);
      else if (why.cause == divergence_cause::left)
        steps += "as threads leave the loop at " + std::string(name(loops.header(why.loop))) +
                 " in different iterations by the branch of " + branch_name(name, why.branch);
      else
        steps += "as threads enter the loop at " + std::string(name(loops.header(why.loop))) +
                 " in different places because of the branch of " + branch_name(name, why.branch);
    } else {
      ++unsaid;
    }
    why = u.why_branch(why.branch);
  }
  if (unsaid != 0) steps += " and " + how_many(unsaid, "more step", "more steps");
  const std::string source = at == no_value ? std::string("itself") : std::string(value(at));
  if (first == at && steps.empty()) return first == no_value ? source : source + " is a source";
  const std::string begin = first == no_value ? std::string("its loop") : std::string(value(first));
  return begin + " comes" + (steps.empty() ? " " : steps + ", ") + "from " + source;
}

}  // namespace detail

/// \pre u is the uniformity of `program` on g. O(blocks + edges + uses).
template <def_use_program<block_id> P>
[[nodiscard]] uniformity_counts count_uniformity(const csr_graph& g, const uniformity_analysis<csr_graph>& u,
                                                 const P& program) {
  uniformity_counts c;
  const std::vector<unsigned char> reached = detail::reached_blocks(g);
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    if (reached[b] == 0 || !detail::has_two_ways(g, b)) continue;
    ++c.branches;
    c.divergent_branches += u.is_divergent_branch(b) ? 1 : 0;
  }
  for (const value_id v : ids_below<value_id>(program.num_values())) {
    if (reached[program.block_of(v)] == 0) continue;
    ++c.values;
    c.divergent_values += u.is_divergent(v) ? 1 : 0;
  }
  std::vector<unsigned char> counted(program.num_values(), 0);
  detail::for_each_use(g, program, [&](block_id at, value_id v) {
    if (reached[at] == 0 || counted[index_of(v)] != 0 || !u.is_temporally_divergent_at(v, at)) return;
    counted[index_of(v)] = 1;
    ++c.temporal_values;
  });
  return c;
}

/// Why a branch is divergent or uniform, in one line without its end, as above but for the name of the block.
/// `name(block)` names a block, `value(v)` a value. \pre u is the uniformity of `program`
template <def_use_program<block_id> P, class Name, class Value>
[[nodiscard]] std::string describe_branch(const uniformity_analysis<csr_graph>& u, const P& program, block_id b,
                                          Name&& name, Value&& value) {
  const value_id c = program.condition(b);
  if (!u.is_divergent_branch(b))
    return c == no_value ? std::string("uniform: the program says so")
                         : "uniform: " + std::string(value(c)) + " is the same in threads that are together";
  const divergence_reason why = u.why_branch(b);
  return "divergent: " + detail::reason_in_words(u, why, c, name, value);
}

/// The report as lines, as above: counts, then every branch, divergent ones first, then the loops that threads leave or
/// enter apart. At most `most` lines for branches, and for loops. \pre u is the uniformity of `program` on g
template <def_use_program<block_id> P, class Name, class Value>
[[nodiscard]] std::string describe(const csr_graph& g, const uniformity_analysis<csr_graph>& u, const P& program,
                                   Name&& name, Value&& value, std::size_t most = 16) {
  const uniformity_counts c = count_uniformity(g, u, program);
  std::string text = detail::how_many(c.branches, "branch", "branches") + ": " + std::to_string(c.divergent_branches) +
                     " divergent, " + std::to_string(c.branches - c.divergent_branches) + " uniform; " +
                     detail::how_many(c.values, "value", "values") + ": " + std::to_string(c.divergent_values) +
                     " divergent";
  if (c.temporal_values != 0) text += ", " + std::to_string(c.temporal_values) + " more after a loop";
  text += '\n';
  const std::vector<unsigned char> reached = detail::reached_blocks(g);
  std::size_t said = 0;
  for (const bool divergent : {true, false})
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (reached[b] == 0 || !detail::has_two_ways(g, b) || u.is_divergent_branch(b) != divergent) continue;
      if (said++ >= most) continue;
      text += detail::branch_name(name, b) + ' ' + describe_branch(u, program, b, name, value) + '\n';
    }
  if (said > most) text += "and " + detail::how_many(said - most, "more branch", "more branches") + '\n';

  // Values that are uniform in a loop and used after it, by the outermost such loop.
  const dense::loop_forest& loops = u.ids().loops();
  id_map<loop_id, std::size_t> used_after;
  used_after.assign(loops.num_loops(), 0);
  std::vector<unsigned char> counted(program.num_values(), 0);
  detail::for_each_use(g, program, [&](block_id at, value_id v) {
    if (reached[at] == 0 || counted[index_of(v)] != 0 || !u.is_temporally_divergent_at(v, at)) return;
    counted[index_of(v)] = 1;
    loop_id out = no_loop;
    for (loop_id l = loops.innermost(program.block_of(v)); l != no_loop && !loops.contains(l, at); l = loops.parent(l))
      if (u.is_left_apart(l)) out = l;
    if (out != no_loop) ++used_after[out];
  });
  said = 0;
  for (const loop_id l : ids_below<loop_id>(loops.num_loops())) {
    if (!u.is_left_apart(l) && !u.is_entered_apart(l)) continue;
    if (said++ >= most) continue;
    text += "loop at " + std::string(name(loops.header(l))) + ": threads ";
    if (u.is_entered_apart(l)) text += "enter it in different places and ";
    text += "leave it in different iterations, by the branch of " + detail::branch_name(name, u.ids().left_by(l));
    if (used_after[l] != 0)
      text += "; " +
              detail::how_many(used_after[l], "value that is uniform in it is", "values that are uniform in it are") +
              " used after it";
    text += '\n';
  }
  if (said > most) text += "and " + detail::how_many(said - most, "more loop", "more loops") + '\n';
  return text;
}

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
#include "lab/graph_transforms.hpp"

#include "lab/files.hpp"
#include "lab/report.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

constexpr guard_optimization levels_of_guards[] = {guard_optimization::none, guard_optimization::o1,
                                                   guard_optimization::o2, guard_optimization::o3,
                                                   guard_optimization::o4};

std::string list_of(std::span<const block_id> blocks) {
  std::string all;
  for (const block_id b : blocks) all += (all.empty() ? "" : ", ") + block_name(b);
  return all;
}

// The outermost loops that have inner ones; their headers.
std::vector<block_id> nests_of(const flow_plan& plan) {
  std::vector<block_id> headers;
  const dense::loop_forest forest(snapshot(plan));
  for (const loop_id l : forest.all())
    if (const loop_id up = forest.parent(l); up != no_loop && forest.parent(up) == no_loop)
      if (headers.empty() || headers.back() != forest.header(up)) headers.push_back(forest.header(up));
  std::sort(headers.begin(), headers.end());
  headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
  return headers;
}

std::string tests_of(const irreducible_fix& made) {
  return made.by_frequency ? fmt::format("{} tests, {} with the static choice", made.tests, made.static_tests)
                           : fmt::format("{} tests, the static choice", made.tests);
}

class graph_transformer {
 public:
  graph_transformer(const graph_code& code, std::size_t most_copies)
      : code_(code), most_copies_(most_copies), given_(code.graph), out_{given_, {}, {}, {}, {}} {}

  [[nodiscard]] bool apply(const graph_step& step) {
    flow_plan& plan = out_.plan;
    const flow_plan now = plan;
    const auto convergent = [&](block_id b) {
      const plan_role role = now[b].role;
      return (role == plan_role::original || role == plan_role::copy) && code_.barriers[now[b].executes] != 0;
    };
    const auto take = [&](linearization made) {
      plan = std::move(made.plan);
      left(step, made.refused, now);
    };
    if (step.name == "linearize") {
      linearize_options options;
      if (step.has_number) options.optimize = levels_of_guards[step.number];
      take(linearize(now, options, convergent));
    } else if (step.name == "struct") {
      out_.copies = structure(convergent);
      if (!out_.copies.fits)
        return refuse("limit", fmt::format("not structured by copies: the {} takes more than {} blocks{}",
                                           to_string(out_.copies.step), most_copies_,
                                           out_.copies.at == no_block ? "" : ", see " + block_name(out_.copies.at)));
      if (!out_.copies.refused.empty())
        return refuse("barrier", "not structured by copies: it takes copies of barriers, or new ways around them: " +
                                     list_of(executed(out_.copies.refused, now)));
    } else if (step.name == "fix-irreducible") {
      irreducible_fix made = fix(now, convergent);
      plan = std::move(made.plan);
      left(step, made.refused, now);
      const bool known = !code_.taken.empty() && is_given(now);
      for (const mended_loop& l : made.loops)
        out_.remarks.push_back(fmt::format("irreducible loop with the entries {}: {} is the header{}",
                                           list_of(l.entries), block_name(l.header),
                                           !known              ? ", the first in reverse post-order"
                                           : made.by_frequency ? ", the least frequent from within the loop"
                                                               : ", the static choice"));
      if (made.hubs != 0 && known) out_.remarks.push_back("hubs: " + tests_of(made) + ", by the profile");
    } else if (step.name == "unify-exits") {
      hubs_made made = unify_loop_exits(now, convergent);
      plan = std::move(made.plan);
      left(step, made.refused, now);
    } else if (step.name == "merge-loops") {
      if (step.has_number && step.number >= code_.graph.num_blocks())
        throw input_error(fmt::format("{} of merge-loops: the graph has no such block", block_name(step.number)));
      const std::vector<block_id> headers = step.has_number ? std::vector<block_id>{step.number} : nests_of(now);
      for (const block_id h : headers) {
        const flow_plan before = plan;
        linearization made = merge_loops(before, h, guard_optimization::o4, [&](block_id b) {
          const plan_role role = before[b].role;
          return (role == plan_role::original || role == plan_role::copy) && code_.barriers[before[b].executes] != 0;
        });
        plan = std::move(made.plan);
        left(step, made.refused, before);
      }
    } else {  // stack-depth
      const linearize_options as_it_is{loop_guards::merge, guard_optimization::none, {}};
      take(limit_stack_depth(now, step.number, as_it_is, convergent));
    }
    return true;
  }

  // The plan that changes nothing if a step was not done.
  [[nodiscard]] graph_outcome take() {
    if (!out_.refused.empty()) out_.plan = given_;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_given(const flow_plan& plan) const { return plan.num_blocks() == code_.graph.num_blocks(); }

  template <class Convergent>
  copy_report structure(const Convergent& convergent) {
    return structure_by_copies(out_.plan, {.max_blocks = most_copies_}, convergent);
  }

  // By frequency if that is known: of the graph as it was given.
  template <class Convergent>
  irreducible_fix fix(const flow_plan& now, const Convergent& convergent) const {
    if (code_.taken.empty() || !is_given(now)) return fix_irreducible(now, convergent);
    return fix_irreducible(now, convergent, [&](block_id b, std::size_t k) {
      const auto first = static_cast<std::size_t>(code_.graph.successors(b).data() - code_.graph.targets().data());
      return code_.taken[first + k];
    });
  }

  bool refuse(const char* word, std::string why) {
    out_.refused = word;
    out_.why = std::move(why);
    return false;
  }
  static std::vector<block_id> executed(std::vector<block_id> blocks, const flow_plan& plan) {
    for (block_id& b : blocks) b = plan[b].executes;
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
  }
  void left(const graph_step& step, const std::vector<block_id>& refused, const flow_plan& plan) {
    if (!refused.empty())
      out_.remarks.push_back(
          fmt::format("{}: left as it is around barriers: {}", step.name, list_of(executed(refused, plan))));
  }

  const graph_code& code_;
  std::size_t most_copies_;
  flow_plan given_;
  graph_outcome out_;
};

}  // namespace

csr_graph without_sentinel(const recorded_graph& g) {
  if (g.sentinel == no_block || g.sentinel + 1 != g.graph.num_blocks() || g.graph.entry() == g.sentinel) return g.graph;
  csr_builder builder(g.graph.num_blocks() - 1, g.graph.entry());
  for (block_id b = 0; b < g.sentinel; ++b)
    for (const block_id s : g.graph.successors(b)) {
      if (s == g.sentinel)
        builder.mark_exit(b);
      else
        builder.add_edge(b, s);
    }
  return builder.build();
}

graph_step parse_graph_step(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  graph_step step{text.substr(0, equals), 0, equals != std::string::npos};
  const auto bad = [&](const std::string& why) {
    return input_error(fmt::format("{}: \"{}\" {}; there are {}", option, text, why, graph_steps));
  };
  std::string_view word = step.has_number ? std::string_view(text).substr(equals + 1) : std::string_view();
  if (step.name == "linearize") {
    if (!step.has_number) return step;
    for (std::uint32_t i = 0; i < std::size(levels_of_guards); ++i)
      if (word == to_string(levels_of_guards[i])) return {step.name, i, true};
    throw bad("is no level of guards");
  }
  const bool takes = step.name == "merge-loops" || step.name == "stack-depth";
  if (!takes && step.name != "struct" && step.name != "fix-irreducible" && step.name != "unify-exits")
    throw bad("is no transform of a graph");
  if (!takes && step.has_number) throw bad("takes nothing");
  if (step.name == "stack-depth" && !step.has_number) throw bad("lacks the number of entries");
  if (!step.has_number) return step;
  if (step.name == "merge-loops" && word.starts_with("BB")) word.remove_prefix(2);
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), step.number);
  if (word.empty() || error != std::errc{} || rest != word.data() + word.size()) throw bad("has no number");
  if (step.name == "stack-depth" && step.number < 2) throw bad("is less than the 2 entries that a branch needs");
  return step;
}

std::string graph_step::text() const {
  if (!has_number) return name;
  return name == "linearize" ? fmt::format("{}={}", name, to_string(levels_of_guards[number]))
                             : fmt::format("{}={}", name, number);
}

graph_outcome transformed_graph(const graph_code& code, std::span<const graph_step> steps, std::size_t most_copies) {
  graph_transformer work(code, most_copies);
  for (const graph_step& step : steps)
    if (!work.apply(step)) break;
  return work.take();
}

std::vector<std::uint32_t> weights_of(const flow_plan& plan, std::span<const std::uint32_t> weights) {
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> set;  // variables
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    const plan_role role = plan[b].role;
    set.clear();
    for (const flow_plan::edge& e : plan.successors(b))
      plan.for_each_assignment(e, [&](plan_assignment a) { set.push_back(a.variable); });
    std::sort(set.begin(), set.end());
    const auto moves = static_cast<std::uint32_t>(std::unique(set.begin(), set.end()) - set.begin());
    const std::uint32_t own = role == plan_role::guard ? 2 : role == plan_role::empty ? 1 : weights[plan[b].executes];
    out.push_back(own + moves);
  }
  return out;
}

std::uint32_t nested_branches(const csr_graph& g) {
  cfg_facts facts(g);
  if (g.num_blocks() == 0) return 0;
  const dense::dominator_tree& up = facts.dominators();
  const dense::post_dominator_tree& down = facts.post_dominators();
  std::vector<std::uint32_t> open(g.num_blocks(), 0);
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < up.num_reachable(); ++i) {  // parents before children
    const block_id b = up.at(i), d = up.idom(b);
    const auto branches = [&](block_id x) {
      const auto out = g.successors(x);
      return (g.is_exit(x) && !out.empty()) ||
             std::any_of(out.begin(), out.end(), [&](block_id s) { return s != out.front(); });
    };
    if (d != no_block) open[b] = open[d] + (branches(d) && down.ipdom(d) != b ? 1 : 0);
    most = std::max(most, open[b] + (branches(b) ? 1 : 0));
  }
  return most;
}

recorded_trace transformed_trace(const recorded_trace& trace, const flow_plan& plan) {
  recorded_trace out;
  out.machine = trace.machine;
  out.path_of_thread = trace.path_of_thread;
  out.first_thread = trace.first_thread;
  const recorded_graph& old = trace.graph;
  recorded_graph& g = out.graph;
  g.suite = old.suite;
  g.stem = old.stem;
  g.variant = old.variant;
  g.symbol = old.symbol;
  g.kind = old.kind;
  g.graph = snapshot(plan);
  g.weights = weights_of(plan, old.weights);
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    const bool executes = plan[b].role == plan_role::original || plan[b].role == plan_role::copy;
    const block_id from = plan[b].executes;
    g.barriers.push_back(executes ? old.barriers[from] : 0);
    if (!old.named.empty()) g.named.push_back(executes ? old.named[from] : trace_barrier{});
    if (!old.strong_reads.empty()) g.strong_reads.push_back(executes ? old.strong_reads[from] : 0);
    g.branches.push_back(executes ? old.branches[from] : branch_kind::unmarked);
  }
  const csr_graph base = without_sentinel(old);
  std::vector<std::uint32_t> value(plan.num_variables(), 0);
  std::vector<block_id> path;
  for (std::size_t p = 0; p < trace.paths.size(); ++p) {
    const auto went = trace.paths[p];
    path.clear();
    std::fill(value.begin(), value.end(), 0);
    block_id at = plan.entry();
    const auto follow = [&](std::size_t slot) {
      const flow_plan::edge e = plan.successors(at)[slot];
      plan.for_each_assignment(e, [&](plan_assignment a) { value[a.variable] = a.value; });
      at = e.to;
    };
    // Guards and empty blocks up to the next block that executes one of the graph; false: the thread ends.
    const auto arrive = [&] {
      while (true) {
        path.push_back(at);
        if (plan[at].role == plan_role::guard) {
          const std::uint32_t v = value[plan[at].variable];
          follow(v >= plan[at].low && v <= plan[at].high ? 0 : 1);
        } else if (plan[at].role == plan_role::empty) {
          if (plan.successors(at).empty()) return false;
          follow(0);
        } else {
          return true;
        }
      }
    };
    for (std::size_t i = 0; i < went.size(); ++i) {
      if (!arrive() || plan[at].executes != went[i])
        throw input_error(fmt::format("{}: path {} is not in the transformed graph", full_name(old), p));
      if (i + 1 == went.size()) break;
      const auto successors = base.successors(went[i]);
      follow(
          static_cast<std::size_t>(std::find(successors.begin(), successors.end(), went[i + 1]) - successors.begin()));
    }
    if (!went.empty() && plan[at].exit_edge) {
      follow(plan.num_outcomes(at));
      if (arrive()) throw input_error(fmt::format("{}: path {} does not end in the plan", full_name(old), p));
    }
    out.paths.add(path);
  }
  return out;
}

}  // namespace lab

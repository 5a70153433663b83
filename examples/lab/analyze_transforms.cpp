// SPDX-License-Identifier: BSL-1.0
//
// `analyze --struct` and `analyze --linearize`: a row for each graph and transform.
#include "lab/analyze.hpp"
#include "lab/commands.hpp"
#include "lab/graph_transforms.hpp"
#include "lab/jobs.hpp"
#include "lab/progress.hpp"
#include "lab/report.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/plan_instructions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace transform_table {
namespace {

// One graph, before and after each transform.
struct changes_of_graph {
  struct after {
    std::string result;  // "done", "none", or why it is not done: "limit", "barrier"
    std::string why;     // in words; empty if it is done
    plan_cost cost;
    copy_report copies;
    std::uint64_t instructions = 0;
    std::uint32_t depth = 0;
  };
  std::size_t blocks = 0, edges = 0, unstructured = 0;
  std::uint64_t instructions = 0;
  std::uint32_t depth = 0;  // branches nested in each other
  bool irreducible = false, calls = false;
  std::vector<after> steps;

  [[nodiscard]] double expansion(const after& a) const {
    return instructions == 0 ? 0
                             : 100.0 * static_cast<double>(a.instructions) / static_cast<double>(instructions) - 100.0;
  }
};

changes_of_graph look_at(const graph_input& in, const analyze_options& options) {
  changes_of_graph all;
  const csr_graph g = without_sentinel(in.graph);
  const auto weight = [&](block_id b) { return in.graph.weights[b]; };
  const flow_plan same(g);
  all.blocks = same.cost().blocks();
  all.instructions = plan_instructions(same, weight);
  const auto forest = loops(g);
  for (const block_id b : forest.ids().rpo()) all.edges += g.successors(b).size();
  all.irreducible = !forest.is_reducible();
  all.unstructured = unstructured_edges(g).size();
  all.depth = nested_branches(g);
  all.calls = in.bodies.has_value();
  if (all.calls) return all;
  for (const graph_step& step : options.transforms) {
    const graph_outcome made =
        transformed_graph({g, in.graph.weights, in.graph.barriers}, std::span(&step, 1), options.most_copies);
    changes_of_graph::after after;
    after.cost = made.plan.cost();
    const plan_cost& c = after.cost;
    const bool changed = c.guards + c.copies + c.empties != 0;
    after.result = !made.refused.empty() ? made.refused : changed ? "done" : "none";
    after.why = made.why;
    for (const std::string& remark : made.remarks) after.why += (after.why.empty() ? "" : "; ") + remark;
    after.copies = made.copies;
    after.instructions = plan_instructions(made.plan, weight);
    after.depth = changed ? nested_branches(snapshot(made.plan)) : all.depth;
    all.steps.push_back(std::move(after));
  }
  return all;
}

constexpr std::array<const char*, 14> columns{"graph", "transform", "result", "blocks", "after",     "guards", "copies",
                                              "fwd",   "back",      "cuts",   "edges",  "expansion", "depth",  "after"};

using line = std::array<std::string, columns.size()>;

line line_of(const std::string& title, const changes_of_graph& g, const std::string& step,
             const changes_of_graph::after& a) {
  const structural_transforms& t = a.copies.applied;
  return {title,
          step,
          a.result,
          fmt::to_string(g.blocks),
          fmt::to_string(a.cost.blocks()),
          fmt::to_string(a.cost.guards),
          fmt::to_string(a.cost.copies),
          fmt::to_string(t.forward_copies),
          fmt::to_string(t.backward_copies),
          fmt::to_string(t.cuts),
          fmt::to_string(g.unstructured),
          fmt::format("{:+.1f} %", g.expansion(a)),
          fmt::to_string(g.depth),
          fmt::to_string(a.depth)};
}

std::string table_of(const std::vector<line>& lines) {
  std::array<std::size_t, columns.size()> width{};
  for (const line& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) width[i] = std::max(width[i], l[i].size());
  std::string out;
  for (const line& l : lines) {
    for (std::size_t i = 0; i < l.size(); ++i)
      out += i == 0  ? fmt::format("{:<{}}", l[i], width[i])
             : i < 3 ? fmt::format("  {:<{}}", l[i], width[i])
                     : fmt::format("  {:>{}}", l[i], width[i]);
    out += '\n';
  }
  return out;
}

// The sums of one transform over all graphs.
struct totals {
  std::size_t graphs = 0, done = 0, limit = 0, barrier = 0;
  changes_of_graph before;  // of those that are done or need nothing
  changes_of_graph::after after;

  void add(const changes_of_graph& g, const changes_of_graph::after& a) {
    ++graphs;
    limit += a.result == "limit";
    barrier += a.result == "barrier";
    if (a.result == "limit" || a.result == "barrier") return;
    done += a.result == "done";
    before.blocks += g.blocks;
    before.unstructured += g.unstructured;
    before.instructions += g.instructions;
    before.depth = std::max(before.depth, g.depth);
    after.instructions += a.instructions;
    after.depth = std::max(after.depth, a.depth);
    after.cost.originals += a.cost.originals;
    after.cost.copies += a.cost.copies;
    after.cost.guards += a.cost.guards;
    after.cost.empties += a.cost.empties;
    structural_transforms& t = after.copies.applied;
    t.forward_copies += a.copies.applied.forward_copies;
    t.backward_copies += a.copies.applied.backward_copies;
    t.cuts += a.copies.applied.cuts;
  }
};

// A row for each graph and transform:
//   suite .. kind          as without transforms
//   bb, edges, inst        blocks, edges and instructions that the entry reaches
//   irreducible            1 if a loop has several entries
//   unstructured           unstructured edges
//   depth                  branches nested in each other
//   transform              linearize, struct
//   result                 done; none: nothing was to be done; limit: more than --most-copies blocks; barrier: copies
//                          of a barrier; calls: the graph has the ways of threads through functions
//   bb_after .. depth_after of the result; guards, copies of blocks, empty blocks
//   forward, backward, cuts how often the steps of STRUCT are applied
//   expansion              instructions more, in percent; a guard is 2, an assignment and an empty block 1
table_row row_of(const graph_input& in, const changes_of_graph& g, const std::string& step,
                 const changes_of_graph::after* a) {
  table_row out = place_of(in.graph);
  out.whole("bb", g.blocks).whole("edges", g.edges).whole("inst", g.instructions).flag("irreducible", g.irreducible);
  out.whole("unstructured", g.unstructured).whole("depth", g.depth).word("transform", step);
  out.word("result", a == nullptr ? "calls" : a->result);
  const changes_of_graph::after made = a == nullptr ? changes_of_graph::after{} : *a;
  const structural_transforms& t = made.copies.applied;
  const auto whole = [&](const char* name, std::uint64_t n) { a == nullptr ? out.none(name) : out.whole(name, n); };
  whole("bb_after", made.cost.blocks());
  whole("guards", made.cost.guards);
  whole("copies", made.cost.copies);
  whole("empties", made.cost.empties);
  whole("assignments", made.cost.assignments);
  whole("forward", t.forward_copies);
  whole("backward", t.backward_copies);
  whole("cuts", t.cuts);
  whole("inst_after", made.instructions);
  if (a == nullptr)
    out.none("expansion");
  else
    out.real("expansion", g.expansion(made), 3);
  whole("depth_after", made.depth);
  return out;
}

}  // namespace
}  // namespace transform_table

analysis_report analyze_transforms(const analyze_options& options, const std::vector<graph_input>& inputs,
                                   std::vector<std::string> remarks) {
  using namespace transform_table;
  analysis_report report{{}, "simtflow.analyze-transforms/1", {}, std::move(remarks)};
  std::vector<line> lines;
  std::copy(columns.begin(), columns.end(), lines.emplace_back().begin());
  const time_left clock;
  std::vector<totals> sums(options.transforms.size());
  in_order(
      options.jobs, inputs.size(), [&](std::size_t i) { return look_at(inputs[i], options); },
      [&](std::size_t i, const changes_of_graph& g) {
        const graph_input& in = inputs[i];
        if (options.progress)
          options.progress(
              fmt::format("[{}/{}{}] {}", i + 1, inputs.size(), clock.words(i + 1, inputs.size()), in.title));
        if (g.calls)
          report.remarks.push_back(
              fmt::format("{}: left out, its graph leads through functions that it calls", in.title));
        for (std::size_t s = 0; s < options.transforms.size(); ++s) {
          const std::string& step = options.transforms[s].name;
          const changes_of_graph::after* a = g.calls ? nullptr : &g.steps[s];
          report.rows.push_back(row_of(in, g, step, a));
          if (a == nullptr) continue;
          sums[s].add(g, *a);
          lines.push_back(line_of(in.title, g, step, *a));
          if (!a->why.empty()) report.remarks.push_back(fmt::format("{}: {}", in.title, a->why));
        }
      });
  if (inputs.size() > 1)
    for (std::size_t s = 0; s < sums.size(); ++s)
      lines.push_back(line_of(fmt::format("all {} graphs", sums[s].graphs), sums[s].before, options.transforms[s].name,
                              sums[s].after));
  if (inputs.size() > 1)
    for (std::size_t s = 0; s < sums.size(); ++s)
      lines[lines.size() - sums.size() + s][2] = fmt::format("{} done", sums[s].done);
  report.text = table_of(lines);
  report.text +=
      "fwd, back, cuts: how often the steps of STRUCT are applied. expansion: instructions (a guard is 2). depth: "
      "branches nested in each other\n";
  for (std::size_t s = 0; s < sums.size(); ++s)
    if (sums[s].limit + sums[s].barrier != 0)
      report.text += fmt::format("{}: {} beyond {} blocks (--most-copies), {} with barriers in the way; in no sum\n",
                                 options.transforms[s].name, counted(sums[s].limit, "graph", "graphs"),
                                 options.most_copies, sums[s].barrier);
  for (const std::string& remark : report.remarks) report.text += remark + '\n';
  return report;
}

}  // namespace lab

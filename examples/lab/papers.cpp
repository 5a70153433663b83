// SPDX-License-Identifier: BSL-1.0
#include "lab/papers.hpp"

#include "lab/files.hpp"
#include "lab/progress.hpp"
#include "lab/report.hpp"
#include "lab/spelling.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// A few threads on a plan under the stack of post-dominators.
struct small_run {
  std::vector<std::size_t> fetches;  // by block of the plan
  std::size_t deepest = 0;           // entries of the stack
};

struct watched_stack : policies::ipdom_stack {
  using policies::ipdom_stack::ipdom_stack;
  std::size_t* most = nullptr;
  std::optional<fragment> next() {
    const auto f = policies::ipdom_stack::next();
    *most = std::max(*most, depth());
    return f;
  }
};

template <class Go>
small_run run_threads(const csr_graph& g, const flow_plan& plan, std::uint32_t threads, Go go) {
  small_run all;
  all.fetches.assign(plan.num_blocks(), 0);
  const csr_graph shape = snapshot(plan);
  const auto pdom = post_dominators(shape);
  planned_program program(plan, g, callable_program(go));
  watched_stack policy{pdom.ids().ipdoms()};
  policy.most = &all.deepest;
  executor<watched_stack> machine(policy);
  const auto count = [&](const event::issued<lane_mask>& e) { ++all.fetches[e.block]; };
  overloaded watch{count};
  (void)machine.run(program, {.threads = threads, .warp_width = threads, .entry = plan.entry()}, watch);
  return all;
}

std::string verdict_of(bool holds) { return holds ? "holds" : "FAILS"; }

struct paper_table {
  const char* name;
  const char* title;
  std::vector<paper_row> (*rows)(const papers_options&);
};

constexpr paper_table all_tables[] = {
    {"figure-2", "Linearization, Figure 2: loop merging, fetches of the blocks of a nest by a warp of two threads",
     [](const papers_options&) { return loop_merging_rows(); }},
    {"figure-3", "Linearization, Figure 3: entries of the reconvergence stack, limited",
     [](const papers_options&) { return stack_depth_rows(); }},
    {"figure-6d", "Linearization, Figure 6d: guards of an irreducible loop",
     [](const papers_options&) { return guard_rows(); }},
    {"table-1", "Linearization, Table 1: growth of the kernels (after / before)",
     [](const papers_options& o) { return growth_rows(o.folder); }},
    {"table-4", "Linearization, Table 4: warp instructions by level of guards (after / before)",
     [](const papers_options& o) { return level_rows(o.folder); }},
    {"struct", "Thread frontiers, Figure 5: STRUCT, how often each transform is applied, and code expansion",
     [](const papers_options& o) { return struct_rows(o); }},
};

}  // namespace

std::vector<std::string> paper_tables() {
  std::vector<std::string> names;
  for (const paper_table& t : all_tables) names.emplace_back(t.name);
  return names;
}

std::vector<paper_row> loop_merging_rows() {
  // for (i < 2) { S1; for (j < cond) S2; S3; }: 0 entry, 1 S1, 2 inner test, 3 S2, 4 S3 and outer test, 5 end. Trip
  // counts of the two threads: 10 and 15, 15 and 10.
  const csr_graph g = testing::adjacency({{1}, {2}, {3, 4}, {2}, {1, 5}, {}});
  const auto run = [&](const flow_plan& plan) {
    std::array<std::uint32_t, 2> i{}, j{};
    constexpr std::uint32_t trips[2][2] = {{10, 15}, {15, 10}};
    return run_threads(g, plan, 2, [&](std::uint32_t t, block_id b) -> block_id {
      switch (b) {
        case 1:
          j[t] = 0;
          return 2;
        case 2:
          return j[t] < trips[t][i[t]] ? 3 : 4;
        case 3:
          ++j[t];
          return 2;
        case 4:
          return ++i[t] < 2 ? 1 : 5;
        default:
          return b == 0 ? block_id{1} : no_block;
      }
    });
  };
  const std::vector<std::size_t> before = run(flow_plan(g)).fetches;
  const std::vector<std::size_t> after = run(merge_loops(g, block_id{1}).plan).fetches;
  const std::string table = "CFL Figure 2";
  const auto text = [](std::size_t n) { return fmt::to_string(n); };
  return {{table, "before", "fetches of S2", "30", text(before[3]), verdict_of(before[3] == 30)},
          {table, "merged", "fetches of S2", "25 (at best)", text(after[3]), verdict_of(after[3] <= 26),
           "claim: at most 26; a thread that begins its outer loop anew joins the others one test later"},
          {table, "before", "fetches of S1, S3", "2, 2", fmt::format("{}, {}", before[1], before[4]),
           verdict_of(before[1] == 2 && before[4] == 2)},
          {table, "merged", "fetches of S1, S3", "", fmt::format("{}, {}", after[1], after[4]), "",
           "the price: threads come there at different times"}};
}

std::vector<paper_row> stack_depth_rows() {
  // if (1) { if (2) { if (4) 6 else 7; 8 } else 5; 9 } else 3; 10
  const csr_graph g = testing::adjacency({{1}, {2, 3}, {4, 5}, {10}, {6, 7}, {9}, {8}, {8}, {9}, {10}, {11}, {}});
  const auto deepest = [&](const flow_plan& plan) {
    return run_threads(g, plan, 4,
                       [](std::uint32_t t, block_id b) -> block_id {
                         constexpr block_id first[] = {1, 2, 4, 10, 6, 9, 8, 8, 9, 10, 11, no_block};
                         if (b == 1) return t == 3 ? 3U : 2U;
                         if (b == 2) return t == 2 ? 5U : 4U;
                         if (b == 4) return t == 1 ? 7U : 6U;
                         return first[b];
                       })
        .deepest;
  };
  const std::string table = "CFL Figure 3";
  std::vector<paper_row> rows;
  const std::size_t before = deepest(flow_plan(g));
  rows.push_back({table, "no limit", "entries", "7", fmt::to_string(before), verdict_of(before == 7)});
  for (std::uint32_t limit = 6; limit >= 2; --limit) {
    const linearization made = limit_stack_depth(g, limit);
    const std::size_t now = deepest(made.plan);
    rows.push_back({table, fmt::format("limit {}", limit), "entries", fmt::format("<= {}", limit), fmt::to_string(now),
                    verdict_of(now <= limit), fmt::format("{} guards", made.plan.cost().guards)});
  }
  return rows;
}

std::vector<paper_row> guard_rows() {
  const csr_graph g = testing::adjacency({{1, 2}, {2, 3}, {1}, {}});
  linearize_options o;
  o.optimize = guard_optimization::none;
  const std::size_t flat = linearize(g, o).plan.cost().guards, full = linearize(g).plan.cost().guards;
  return {{"CFL Figure 6d", "without optimizations", "guards", "3", fmt::to_string(flat), verdict_of(flat == 3)},
          {"CFL Figure 6d", "o4", "guards", "", fmt::to_string(full), "", ""}};
}

papers_result compare_with_papers(const papers_options& options) {
  papers_result out;
  const std::vector<std::string> known = paper_tables();
  for (const std::string& name : options.only)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw input_error(fmt::format("--only: there is no table \"{}\"{}; there are {}", name, did_you_mean(name, known),
                                    fmt::join(known, ", ")));
  const time_left clock;
  const std::size_t all = options.only.empty() ? std::size(all_tables) : options.only.size();
  std::size_t done = 0;
  for (const paper_table& t : all_tables) {
    if (!options.only.empty() && std::find(options.only.begin(), options.only.end(), t.name) == options.only.end())
      continue;
    if (options.progress) options.progress(fmt::format("[{}/{}{}] {}", done, all, clock.words(done, all), t.name));
    const std::vector<paper_row> rows = t.rows(options);
    ++done;
    for (const paper_row& r : rows) out.good = out.good && r.verdict != "FAILS";
    std::array<std::size_t, 4> width{4, 8, 5, 4};
    for (const paper_row& r : rows) {
      const std::string* words[] = {&r.item, &r.quantity, &r.paper, &r.ours};
      for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], words[i]->size());
    }
    const auto add = [&](const paper_row& r) {
      std::string line = fmt::format("  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:<5}  {}", r.item, width[0], r.quantity,
                                     width[1], r.paper, width[2], r.ours, width[3], r.verdict, r.reason);
      line.erase(line.find_last_not_of(' ') + 1);
      out.text += line + '\n';
    };
    if (!out.text.empty()) out.text += '\n';
    out.text += std::string(t.title) + '\n';
    add({"", "item", "quantity", "paper", "ours", "claim", "reason"});
    for (const paper_row& r : rows) add(r);
    out.rows.insert(out.rows.end(), rows.begin(), rows.end());
  }
  return out;
}

std::string to_text(const papers_result& r, report_format format) {
  if (format == report_format::text) return r.text;
  std::vector<table_row> rows;
  for (const paper_row& p : r.rows)
    rows.push_back(table_row()
                       .word("table", p.table)
                       .word("item", p.item)
                       .word("quantity", p.quantity)
                       .word("paper", p.paper)
                       .word("ours", p.ours)
                       .word("verdict", p.verdict)
                       .word("reason", p.reason));
  return format == report_format::csv ? csv_of(papers_rows, rows) : json_text_of(papers_rows, rows);
}

}  // namespace lab

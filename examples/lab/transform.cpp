// SPDX-License-Identifier: BSL-1.0
#include "lab/transform.hpp"

#include "lab/block_places.hpp"
#include "lab/diagnostics.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/report.hpp"
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/describe_meld.hpp>
#include <simtflow/io/dot_plan.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/warp_profiler.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// The blocks of a function that may have been rewritten, by their names in the kernel as it was given.
class named_blocks {
 public:
  named_blocks(const ptx::checked_function& f, const block_places& places)
      : function_(&f.text()), blocks_(&f.blocks()), places_(&places) {}

  std::string operator()(block_id b) const { return places_->name(*function_, *blocks_, b); }

  // The block of that name: a label, or the number of the block that held its last instruction before.
  block_id find(std::string_view word) const {
    std::uint32_t number = no_block;
    std::string_view digits = word.substr(word.starts_with("BB") ? 2 : 0);
    const auto [behind, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc{} || behind != digits.data() + digits.size()) number = no_block;
    block_id found = no_block;
    for (block_id b = 0; b < blocks_->size(); ++b) {
      const std::uint32_t label = (*blocks_)[b].label;
      if (label != ptx::no_index && function_->labels[label].name == word) return b;
      if (number == no_block || places_->end_of(*function_, *blocks_, b) != number) continue;
      if (found != no_block)
        throw input_error(fmt::format("--hub: there are copies of BB{} now: name one by its label", number));
      found = b;
    }
    return found;
  }

 private:
  const ptx::function* function_;
  const ptx::function_blocks* blocks_;
  const block_places* places_;
};

std::size_t edges_unstructured(const csr_graph& g) { return unstructured_edges(g).size(); }

// "A:0,7:1", or all unstructured edges.
std::vector<edge> edges_named(const std::string& text, const ptx::function& f, const ptx::function_blocks& blocks,
                              const named_blocks& name_of, std::vector<std::string>& remarks) {
  std::vector<edge> out;
  const csr_graph& g = blocks.graph();
  if (text == "unstructured") {
    std::size_t to_the_end = 0;  // these have no slot
    for (const unstructured_edge& e : unstructured_edges(g)) {
      if (e.where.slot < g.successors(e.where.from).size())
        out.push_back(e.where);
      else
        ++to_the_end;
    }
    if (to_the_end != 0)
      remarks.push_back(fmt::format("not led through the hub: {}", counted(to_the_end, "unstructured edge to the end",
                                                                           "unstructured edges to the end")));
    return out;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = word.rfind(':');
    const auto number = [](std::string_view s) -> std::optional<std::uint32_t> {
      std::uint32_t n = 0;
      const auto [behind, error] = std::from_chars(s.data(), s.data() + s.size(), n);
      if (s.empty() || error != std::errc{} || behind != s.data() + s.size()) return std::nullopt;
      return n;
    };
    const auto slot = colon == std::string::npos ? std::nullopt : number(std::string_view(word).substr(colon + 1));
    if (!slot) throw input_error(fmt::format("--hub: \"{}\" is no edge: BLOCK:SLOT, blocks by label or number", word));
    const std::string name = word.substr(0, colon);
    const block_id from = name_of.find(name);
    if (from == no_block)
      throw input_error(
          fmt::format("--hub: kernel '{}' has no block \"{}\" that an edge leaves; blocks are named by label "
                      "or as analyze --blocks numbers them",
                      f.name, name));
    if (*slot >= g.successors(from).size())
      throw input_error(fmt::format("--hub: {} of kernel '{}' has no edge {}, it has {}", name_of(from), f.name, *slot,
                                    g.successors(from).size()));
    out.push_back({from, *slot});
  }
  return out;
}

std::string joined_names(const ptx::function& f, const ptx::function_blocks& blocks, const named_blocks& name_of,
                         std::span<const block_id> list) {
  std::string all;
  for (const block_id b : list) {
    all += (all.empty() ? "" : ", ") + name_of(b);
    const auto line = blocks[b].first == blocks[b].last ? 0U : f.instructions[blocks[b].first].where.line;
    if (line != 0) all += fmt::format(" (line {})", line);
  }
  return all;
}

// The plan with its hubs; reports the edges or loops that have none.
flow_plan hub_plan(hubs_made made, const char* what, const ptx::function& f, const ptx::function_blocks& blocks,
                   const named_blocks& name_of, transformed_kernel& out) {
  if (!made.refused.empty())
    out.remarks.push_back(fmt::format(
        "not done for {} around which threads must come together as before (barriers, votes, calls, ...): {}", what,
        joined_names(f, blocks, name_of, made.refused)));
  return std::move(made.plan);
}

flow_plan plan_of(const transform_step& step, std::size_t most_copies, const ptx::function& f,
                  const ptx::function_blocks& blocks, const named_blocks& name_of, transformed_kernel& out) {
  const csr_graph& g = blocks.graph();
  const auto convergent = [&](block_id b) { return blocks.is_convergent(b); };
  switch (step.kind) {
    case transform_kind::linearize: {
      linearization made = linearize(g, {}, convergent);
      if (!made.refused.empty())
        out.remarks.push_back(
            fmt::format("not linearized where threads must come together as before (barriers, votes, calls, ...): {}",
                        joined_names(f, blocks, name_of, made.refused)));
      return std::move(made.plan);
    }
    case transform_kind::copies: {
      copied_plan made = structure_by_copies(g, {.max_blocks = most_copies}, convergent);
      if (!made.report.fits) {
        out.done = false;
        out.remarks.push_back(
            fmt::format("not structured by copies: that takes more than {} blocks{}", most_copies,
                        made.report.at == no_block ? std::string() : ", see " + name_of(made.report.at)));
      }
      if (!made.report.refused.empty()) {
        out.done = false;
        out.remarks.push_back(
            fmt::format("not done: it takes copies of what threads must come to together (barriers, votes, calls of "
                        "such, ...): {}",
                        joined_names(f, blocks, name_of, made.report.refused)));
      }
      return std::move(made.plan);
    }
    case transform_kind::hub:
      return hub_plan(
          with_hub(g, std::span<const edge>(edges_named(step.edges, f, blocks, name_of, out.remarks)), convergent),
          "edges", f, blocks, name_of, out);
    case transform_kind::fix_irreducible:
      return hub_plan(fix_irreducible(g, convergent), "loops", f, blocks, name_of, out);
    case transform_kind::unify_exits:
      return hub_plan(unify_loop_exits(g, convergent), "loops", f, blocks, name_of, out);
    default:
      return flow_plan(g);
  }
}

bool is_meld(transform_kind kind) {
  return kind == transform_kind::meld || kind == transform_kind::fuse || kind == transform_kind::tail_merge;
}

ptx::checked_function checked(const ptx::module& m, const ptx::kernel& k, const std::string& path) {
  result<ptx::checked_function> code = ptx::verify(m, k);
  refuse(code.diagnostics(), path);
  return *std::move(code);
}

// Melds, and says what.
void meld_kernel(const transform_step& step, const meld_settings& settings, const block_places& places, ptx::kernel& k,
                 const std::string& path, transformed_kernel& out) {
  ptx::melding_options options;
  options.search.threshold = settings.threshold;
  options.search.mode = step.kind == transform_kind::meld   ? meld_mode::full
                        : step.kind == transform_kind::fuse ? meld_mode::fusion
                                                            : meld_mode::tail;
  options.search.score = settings.score;
  options.code = settings.code;
  options.profile = settings.profile;
  if (settings.score == meld_score::paper) options.weights = ptx::latencies::melding_paper();
  result<ptx::melding> made = ptx::meld(checked(out.module, k, path), options);
  refuse(made.diagnostics(), path);
  k = std::move(made->code);
  ptx::meld_report& report = made->report;
  out.melded += report.melded.size();
  for (ptx::melded_branch& b : report.melded) b.block = places.name_at(b.where, b.block);
  for (ptx::unmelded_branch& b : report.refused) b.block = places.name_at(b.where, b.block);
  for (const std::string& line : describe(report)) out.remarks.push_back(line);
}

struct code_figures {
  std::size_t blocks = 0, instructions = 0, registers = 0, edges = 0, residue = 0;
};
code_figures figures_of(const ptx::checked_function& k) {
  const csr_graph& g = k.blocks().graph();
  return {flow_plan(g).cost().blocks(), k.text().instructions.size(), k.text().registers.size(), edges_unstructured(g),
          structural_residue(g)};
}

std::string option_of(transform_kind kind) {
  for (const transform_info& t : transforms())
    if (t.kind == kind) return "--" + std::string(t.option);
  return {};
}

// A plan with the divergent branches of the code. The first line of a block says how it is called there.
std::string drawn(const flow_plan& plan, const ptx::checked_function& f, const named_blocks& name_of,
                  const std::string& option) {
  const ptx::function_blocks& blocks = f.blocks();
  const ptx::def_use values(f);
  const uniformity_analysis<csr_graph> uniform(blocks.graph(), values);
  return to_dot(
      plan, [&](block_id b) { return fmt::format("{}: {} instr", name_of(b), blocks[b].last - blocks[b].first); },
      [&](block_id b) { return uniform.is_divergent_branch(b); },
      fmt::format("{} {}\nhexagons: guards; dashed: copies; dotted: empty blocks; violet: divergent branch",
                  f.text().name, option));
}

// The first difference between what two kernels left, in words. Variables of the module can be laid out in another
// order.
std::string memory_difference(const ptx::device_memory& now, const ptx::device_memory& old) {
  std::string first;
  std::size_t number = 0;
  for (const ptx::allocation& had : old.allocations()) {
    const ptx::allocation* has = now.find(had.name);
    if (has == nullptr) continue;  // a variable that only code has used to which nobody goes
    for (std::size_t i = 0; i < had.bytes.size(); ++i) {
      if (i < has->bytes.size() && has->bytes[i] == had.bytes[i]) continue;
      if (number++ == 0) first = fmt::format("byte {} of '{}' is another one", i, had.name);
    }
  }
  if (number > 1) first += fmt::format(", the first of {} that differ", number);
  return first;
}

// The kernel before and after under each policy.
class comparison {
 public:
  // \param memory the tables show memory instructions also, which takes more time.
  // \param rows gets two rows for each policy, one before and one after, with every metric; may be null
  comparison(experiment& before, experiment& after, bool memory, std::vector<report_row>* rows)
      : before_(before), after_(after), memory_(memory), rows_(rows) {}

  // Takes the runs that ended with the same memory, in the order of the policies.
  [[nodiscard]] std::vector<transform_run> take_runs() { return std::move(runs_); }

  bool run(const std::vector<chosen_policy>& chosen, std::string& out) {
    std::vector<std::string> remarks;
    std::string table = fmt::format("\n{:<22}{:>13}{:>13}{:>8}{:>12}{:>12}{:>7}{:>6}{:>9}{:>7}", "policy", "warp instr",
                                    "after", "ratio", "fetches", "after", "depth", "after", "eff. on", "after");
    if (memory_) table += fmt::format("{:>10}{:>10}{:>10}{:>10}", "shared", "after", "global", "after");
    table += '\n';
    kinds_ = fmt::format("\n{:<22}{:>12}{:>12}{:>8}{:>7}{:>7}{:>7}{:>7}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}\n",
                         "policy", "weighted", "after", "ratio", "ALU", "after", "on", "after", "v. loads", "after",
                         "v. stores", "after", "s. loads", "after", "s. stores", "after");
    for (const chosen_policy& c : chosen) one(c, table, remarks);
    out += table;
    if (memory_ && compared_ != 0) out += kinds_;
    if (compared_ != 0)
      out += fmt::format("memory: the same as before under {}\n", counted(compared_, "policy", "policies"));
    for (const std::string& r : remarks) out += r + "\n";
    return good_;
  }

 private:
  void one(const chosen_policy& c, std::string& table, std::vector<std::string>& remarks) {
    for (experiment* e : {&before_, &after_})
      if (const std::string reason = e->not_applicable(c); !reason.empty()) {
        remarks.push_back(
            fmt::format("{}: left out, {}{}", c.name, reason, e == &after_ ? " in the transformed kernel" : ""));
        return;
      }
    full_metrics seen_before = before_.metrics({}), seen_after = after_.metrics({});
    watch_list watch_before, watch_after;
    if (memory_ || rows_ != nullptr) watch_before.metrics = &seen_before, watch_after.metrics = &seen_after;
    const grid_run old = before_.run(c, watch_before), now = after_.run(c, watch_after);
    if (!old.other_order.empty()) remarks.push_back(fmt::format("{}, before: {}", c.name, old.other_order));
    if (!now.other_order.empty()) remarks.push_back(fmt::format("{}, after: {}", c.name, now.other_order));
    const auto say = [](const grid_run& r) { return r.how == outcome::finished ? "finished" : r.words; };
    if (old.how != outcome::finished) {
      remarks.push_back(fmt::format("{}: before, {}; after, {}", c.name, say(old), say(now)));
      return;
    }
    const auto wrong = [&](const std::string& what) {
      good_ = false;
      remarks.push_back(fmt::format("WRONG  {}: {}", c.name, what));
    };
    if (now.how != outcome::finished) return wrong(fmt::format("finished before, now {}", say(now)));
    const std::string difference = memory_difference(now.memory, old.memory);
    if (!difference.empty()) return wrong("memory differs from before: " + difference);
    if (now.printed != old.printed) return wrong("it prints something else");
    ++compared_;
    add_row(c, old, seen_before);
    add_row(c, now, seen_after);
    runs_.push_back({c.name, old.counts.warp_instructions, now.counts.warp_instructions});
    table += fmt::format("{:<22}{:>13}{:>13}{:>8.3f}{:>12}{:>12}{:>7}{:>6}{:>9.3f}{:>7.3f}", c.name,
                         old.counts.warp_instructions, now.counts.warp_instructions,
                         static_cast<double>(now.counts.warp_instructions) /
                             static_cast<double>(std::max<std::uint64_t>(old.counts.warp_instructions, 1)),
                         old.counts.fetches, now.counts.fetches, depth(old), depth(now),
                         old.counts.simd_efficiency_on(), now.counts.simd_efficiency_on());
    if (memory_) {
      const memory_metrics &a = seen_before.memory(), &b = seen_after.memory();
      table += fmt::format("{:>10}{:>10}{:>10}{:>10}", a.shared_accesses, b.shared_accesses, a.global_accesses,
                           b.global_accesses);
      add_kinds(c, seen_before.figures(), seen_after.figures());
    }
    table += '\n';
  }
  void add_row(const chosen_policy& c, const grid_run& run, const full_metrics& seen) {
    if (rows_ == nullptr) return;
    report_row row{{}, c.name, run.counts, 0, std::string(to_string(run.how)), {}};
    row.metrics = seen.values(run.counts, scope_managed(c), nullptr, run.work);
    rows_->push_back(std::move(row));
  }
  // A row of the table by kinds of instructions.
  void add_kinds(const chosen_policy& c, const ptx::instruction_figures& a, const ptx::instruction_figures& b) {
    kinds_ += fmt::format("{:<22}{:>12}{:>12}{:>8.3f}{:>7.3f}{:>7.3f}{:>7.3f}{:>7.3f}", c.name, a.weighted, b.weighted,
                          static_cast<double>(b.weighted) / static_cast<double>(std::max<std::uint64_t>(a.weighted, 1)),
                          a.alu_utilization(), b.alu_utilization(), a.alu_utilization_on(), b.alu_utilization_on());
    kinds_ +=
        fmt::format("{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}{:>10}{:>9}\n", a.vector_loads, b.vector_loads, a.vector_stores,
                    b.vector_stores, a.shared_loads, b.shared_loads, a.shared_stores, b.shared_stores);
  }
  static std::string depth(const grid_run& r) {
    return r.counts.max_depth == 0 ? std::string("-") : fmt::format("{}", r.counts.max_depth);
  }

  experiment& before_;
  experiment& after_;
  bool memory_;
  std::vector<report_row>* rows_;
  std::string kinds_;  // the table by kinds of instructions
  std::vector<transform_run> runs_;
  std::size_t compared_ = 0;
  bool good_ = true;
};

kernel_file decoded(const ptx::module& m, const std::string& name, std::string text, const std::string& path) {
  kernel_file file{path, std::move(text), {}};
  auto r = ptx::decode(m, *m.find(name));
  refuse(r.diagnostics(), path);
  file.kernel = *std::move(r);
  return file;
}

// How warps execute the kernel under the stack of post-dominators.
ptx::warp_profile profile_of(const launch_file& launch, const kernel_file& file, const run_conditions& conditions) {
  experiment one(launch, file, conditions);
  const chosen_policy pdom = parse_policy("pdom");
  if (const std::string reason = one.not_applicable(pdom); !reason.empty())
    throw input_error(fmt::format("--profile: {}: pdom is left out, {}", launch.path, reason));
  ptx::warp_profiler warps(one.kernel());
  const grid_run r = one.run(pdom, {.warps = &warps});
  if (r.how != outcome::finished)
    throw input_error(fmt::format("--profile: {}: the run under pdom does not finish: {}", launch.path, r.words));
  return warps.profile();
}

}  // namespace

std::span<const transform_info> transforms() {
  static constexpr transform_info all[] = {
      {transform_kind::linearize, "linearize",
       "Guard linearization of all unstructured regions: no code is copied, tests are added"},
      {transform_kind::copies, "struct", "Structured control flow by copies of blocks (STRUCT)"},
      {transform_kind::hub, "hub",
       "Lead edges through one place: EDGES is BLOCK:SLOT,... or `unstructured`; apart where a barrier is between"},
      {transform_kind::fix_irreducible, "fix-irreducible", "One entry for every loop"},
      {transform_kind::unify_exits, "unify-exits", "One exit target for every loop"},
      {transform_kind::meld, "meld", "Control-flow melding: what both arms of a divergent branch do is done once"},
      {transform_kind::fuse, "fuse", "Branch fusion: melding of arms that are single blocks"},
      {transform_kind::tail_merge, "tail-merge", "Tail merging: of the instructions in which both arms end alike"},
  };
  return all;
}

transformed_kernel transformed(const ptx::module& module, std::string_view kernel,
                               std::span<const transform_step> steps, std::size_t most_blocks, const std::string& path,
                               const meld_settings& melding, std::string* drawing) {
  transformed_kernel out{module, {}, 0, {}, true};
  ptx::kernel* k = nullptr;
  for (ptx::kernel& one : out.module.kernels)
    if (one.name == kernel) k = &one;
  if (k == nullptr) throw input_error(fmt::format("{} has no kernel \"{}\"", path, kernel));
  const block_places places(*ptx::decode(checked(out.module, *k, path)));
  transform_kind drawn_step{};
  for (const transform_step& step : steps) {
    if (is_meld(step.kind)) {
      meld_kernel(step, melding, places, *k, path, out);
      continue;
    }
    const ptx::checked_function code = checked(out.module, *k, path);
    const named_blocks name_of(code, places);
    const flow_plan plan = plan_of(step, most_blocks, *k, code.blocks(), name_of, out);
    if (!out.done) return out;
    if (drawing != nullptr && !drawing->empty())
      out.remarks.push_back(fmt::format("not drawn: the plan of {}; a later one is", option_of(drawn_step)));
    drawn_step = step.kind;
    if (drawing != nullptr) *drawing = drawn(plan, code, name_of, option_of(step.kind));
    const plan_cost cost = plan.cost();
    out.added.copies += cost.copies;
    out.added.guards += cost.guards;
    out.added.empties += cost.empties;
    out.added.assignments += cost.assignments;
    out.added.variables += cost.variables;
    result<ptx::function> written = ptx::rewrite(code, plan);
    refuse(written.diagnostics(), path);
    *k = *std::move(written);
  }
  return out;
}

transform_result transform_kernel(const transform_options& options) {
  if (options.steps.empty()) {
    std::string names;
    for (const transform_info& t : transforms()) names += (names.empty() ? "--" : ", --") + std::string(t.option);
    throw input_error("nothing to do: name a transform: " + names);
  }
  std::vector<std::string> texts = options.policies;
  if (texts.empty()) texts.emplace_back("all");
  const std::vector<chosen_policy> chosen = chosen_policies(texts);
  std::optional<launch_file> launch;
  if (!options.launch_path.empty()) {
    launch = parse_launch_file(read_text(options.launch_path), options.launch_path);
    if (options.warp_width != 0) launch->warp_width = options.warp_width;
  }
  const bool by_launch = options.entry.empty() && launch && !launch->kernel.empty();
  kernel_file file = load_kernel(options.kernel_path, by_launch ? launch->kernel : options.entry,
                                 by_launch ? options.launch_path + ": /kernel" : std::string("--entry"));
  const std::string name = file.kernel.name;
  const ptx::module module = *ptx::parse(file.text);
  std::string drawing;
  meld_settings melding = options.melding;
  if (options.profiles) melding.profile = profile_of(*launch, file, options);
  const transformed_kernel made = transformed(module, name, options.steps, options.most_copies, options.kernel_path,
                                              melding, options.draws ? &drawing : nullptr);
  bool melds = false, plans = false;
  for (const transform_step& s : options.steps) (is_meld(s.kind) ? melds : plans) = true;

  transform_result result;
  result.good = made.done;
  result.drawing = std::move(drawing);
  result.text = ptx::print(made.module);
  const code_figures before = figures_of(checked(module, *module.find(name), options.kernel_path)),
                     after = figures_of(checked(made.module, *made.module.find(name), options.kernel_path));
  std::string steps;
  for (const transform_step& s : options.steps) steps += ' ' + option_of(s.kind);
  std::string& out = result.report;
  out = fmt::format("kernel '{}' of {}:{}\n{:<22}{:>10}{:>10}\n", name, options.kernel_path, steps, "", "before",
                    "after");
  const auto row = [&](const char* what, std::size_t old, std::size_t now) {
    out += fmt::format("{:<22}{:>10}{:>10}\n", what, old, now);
  };
  row("blocks", before.blocks, after.blocks);
  row("instructions", before.instructions, after.instructions);
  row("registers", before.registers, after.registers);
  row("unstructured edges", before.edges, after.edges);
  out += fmt::format("{:<22}{:>10}{:>10}\n", "structured", before.residue <= 1 ? "yes" : "no",
                     after.residue <= 1 ? "yes" : "no");
  if (plans)
    out += fmt::format("added: {} on {}, {}, {}\n", counted(made.added.guards, "guard", "guards"),
                       counted(made.added.variables, "variable", "variables"),
                       counted(made.added.copies, "copy of a block", "copies of blocks"),
                       counted(made.added.empties, "empty block", "empty blocks"));
  if (melds) out += fmt::format("melded: {} {}\n", made.melded, made.melded == 1 ? "branch" : "branches");
  if (made.done && made.added.guards + made.added.copies + made.added.empties + made.melded == 0)
    out += "nothing had to be changed\n";
  for (const std::string& r : made.remarks) out += r + "\n";
  if (!launch || !made.done) return result;

  // The printed text is what runs.
  const auto again = ptx::parse(result.text);
  refuse(again.diagnostics(), options.kernel_path + " (transformed)");
  kernel_file rewritten = decoded(*again, name, result.text, options.kernel_path + " (transformed)");
  launch_file same = *launch;
  experiment old(std::move(*launch), std::move(file), options);
  experiment now(std::move(same), std::move(rewritten), options);
  bool profile = false;
  for (const chosen_policy& c : chosen) profile = profile || c.identity().find("=profile") != std::string::npos;
  if (profile) {
    (void)old.oracle();
    (void)now.oracle();
  }
  std::vector<report_row>& rows = result.rows.rows;
  comparison both(old, now, melds, options.every_metric ? &rows : nullptr);
  result.good = both.run(chosen, out) && result.good;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const code_figures& code = i % 2 == 0 ? before : after;
    rows[i].kernel = i % 2 == 0 ? name : name + steps;
    for (const auto& [what, value] : {std::pair{"blocks", code.blocks}, std::pair{"instructions", code.instructions},
                                      std::pair{"registers", code.registers}})
      rows[i].metrics.push_back({what, static_cast<double>(value), true});
  }
  result.runs = both.take_runs();
  return result;
}

}  // namespace lab

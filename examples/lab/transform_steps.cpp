// SPDX-License-Identifier: BSL-1.0
#include "lab/transform_steps.hpp"

#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include "lab/report.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/io/describe_meld.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/io/dot_plan.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/check_rewrite.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/interleave.hpp>
#include <simtflow/ptx/transform/linear_code.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/merge_loops.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/interleave.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/plan_instructions.hpp>
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

const csr_graph& graph_of(const step_input& in) { return in.code.blocks().graph(); }

// Says of each block whether threads must come to it together as before.
auto convergent_in(const step_input& in) {
  return [&blocks = in.code.blocks()](block_id b) { return blocks.is_convergent(b); };
}

std::optional<std::uint32_t> number_in(std::string_view s) {
  std::uint32_t n = 0;
  const auto [rest, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (s.empty() || error != std::errc{} || rest != s.data() + s.size()) return std::nullopt;
  return n;
}

// The parts of a text between commas; of an empty text one.
std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The block of that name. \throws input_error if there is none
block_id block_named(const step_input& in, const std::string& name, std::string_view which = "") {
  const std::string option = "--" + std::string(info_of(in.step.kind).option);
  const block_id b = in.name_of.find(name, option);
  if (b != no_block) return b;
  throw input_error(fmt::format(
      "{}: kernel '{}' has no block \"{}\"{}; blocks are named by label or as analyze --blocks numbers them", option,
      in.code.text().name, name, which));
}

// "A:0,7:1", or all unstructured edges.
std::vector<edge> edges_named(const step_input& in, std::vector<std::string>& remarks) {
  std::vector<edge> out;
  const std::string& text = in.step.operand;
  const csr_graph& g = graph_of(in);
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
  const std::string& kernel = in.code.text().name;
  for (const std::string& word : between_commas(text)) {
    const std::size_t colon = word.rfind(':');
    const auto slot = colon == std::string::npos ? std::nullopt : number_in(std::string_view(word).substr(colon + 1));
    if (!slot) throw input_error(fmt::format("--hub: \"{}\" is no edge: BLOCK:SLOT, blocks by label or number", word));
    const std::string name = word.substr(0, colon);
    const block_id from = block_named(in, name, " that an edge leaves");
    if (*slot >= g.successors(from).size())
      throw input_error(fmt::format("--hub: {} of kernel '{}' has no edge {}, it has {}", in.name_of(from), kernel,
                                    *slot, g.successors(from).size()));
    out.push_back({from, *slot});
  }
  return out;
}

// --- the kinds of steps ----------------------------------------------------------------------------------------------

// The plan with its hubs; reports the edges or loops that have none.
void take_hubs(hubs_made made, const char* what, const step_input& in, step_outcome& out) {
  if (!made.refused.empty())
    out.remarks.push_back(
        fmt::format("not done for {} around which threads must come together as before (barriers, votes, calls, ...): "
                    "{}",
                    what, in.name_of.joined(made.refused)));
  out.plan = std::move(made.plan);
}

// "not merged where threads must ...", if blocks prevented it.
void say_refused(const char* what, std::span<const block_id> refused, const step_input& in, step_outcome& out) {
  if (refused.empty()) return;
  out.remarks.push_back(
      fmt::format("not {} where threads must come together as before (barriers, votes, calls, ...): {}", what,
                  in.name_of.joined(refused)));
}

// The regions that do not pay, and those without a divergent branch.
void say_kept(const linearization& made, const step_input& in, step_outcome& out) {
  const std::size_t blocks = graph_of(in).num_blocks();
  for (const kept_region& r : made.kept) {
    const block_id named = r.dominator < blocks ? r.dominator : r.first;
    const std::string where = named < blocks ? in.name_of(named) : "a guard";
    out.remarks.push_back(
        r.cost.before > 0 ? fmt::format("not linearized at {}: that does not pay, its weight for a warp is {:.1f} and "
                                        "would be {:.1f}",
                                        where, r.cost.before, r.cost.after)
                          : fmt::format("not linearized at {}: no warp comes there", where));
  }
  if (made.uniform != 0)
    out.remarks.push_back(fmt::format("not linearized: {} that no divergent branch matters to",
                                      counted(made.uniform, "region", "regions")));
}

step_outcome do_linearize(const step_input& in) {
  step_outcome out;
  if (in.settings.leaves_regions) {
    out.remarks.emplace_back("not linearized: under pdom the launch would execute more");
    out.plan = flow_plan(graph_of(in));
    return out;
  }
  linearize_options options;
  options.optimize = in.settings.guards.value_or(options.optimize);
  const auto take = [&] {
    if (in.settings.always) return linearize(graph_of(in), options, convergent_in(in));
    const ptx::latencies weights;
    const ptx::warp_profile unknown;
    const ptx::melding_model model(in.code, weights, in.settings.guesses ? unknown : in.settings.melding.profile);
    return linearize_where_it_pays(graph_of(in), model, options, convergent_in(in),
                                   linearization_costs::of_instructions(weights[ptx::latency_class::other]));
  };
  linearization made = take();
  say_refused("linearized", made.refused, in, out);
  say_kept(made, in, out);
  out.plan = std::move(made.plan);
  return out;
}

// "BB5 (line 31, my.cu:17)".
std::string at_line(const std::string& name, position where, const step_input& in) {
  return where.line == 0 ? name : fmt::format("{} ({})", name, in.name_of.line_at(where));
}

// The reason that a block is, if one is: " at BB7 (line 31: bar.sync)".
std::string reason_at(block_id b, const step_input& in) {
  return b == no_block ? std::string() : " at " + in.name_of.joined(std::span(&b, 1));
}

// Linearizes all outermost loops with loops in them: each is a plan of the plan before.
step_outcome do_merge_nests(const step_input& in) {
  step_outcome out;
  const csr_graph& g = graph_of(in);
  const loop_forest<csr_graph> forest = loops(g);
  std::vector<block_id> headers;
  for (const loop_id l : forest.all()) {
    const std::optional<loop_id> outer = forest.parent(l);
    if (!outer || forest.parent(*outer)) continue;
    const block_id header = forest.header(*outer);
    if (std::find(headers.begin(), headers.end(), header) == headers.end()) headers.push_back(header);
  }
  if (headers.empty()) out.remarks.push_back("nothing to merge: no loop has loops in it");
  flow_plan plan(g);
  const auto convergent = [&](block_id b) {
    const bool executes = plan[b].role == plan_role::original || plan[b].role == plan_role::copy;
    return executes &&
           (in.code.blocks().is_convergent(plan[b].executes) || in.code.blocks().may_wait(plan[b].executes));
  };
  for (const block_id h : headers) {
    linearization made = merge_loops(plan, h, in.settings.guards.value_or(guard_optimization::o4), convergent);
    for (block_id& b : made.refused) b = plan[b].executes;
    say_refused("merged", made.refused, in, out);
    plan = std::move(made.plan);
  }
  out.plan = std::move(plan);
  return out;
}

// Merges the nests that pay, or the inner loop of one loop that saves most.
step_outcome do_merge_loops(const step_input& in) {
  if (in.step.operand == "all") return do_merge_nests(in);
  step_outcome out;
  ptx::merge_options options;
  options.profile = in.settings.melding.profile;
  if (in.step.operand != info_of(in.step.kind).otherwise) {
    options.header = block_named(in, in.step.operand);
    const loop_forest<csr_graph> forest = loops(graph_of(in));
    const std::optional<loop_id> l = forest.innermost(options.header);
    if (!l || forest.header(*l) != options.header)
      throw input_error(fmt::format("--merge-loops: {} of kernel '{}' heads no loop", in.name_of(options.header),
                                    in.code.text().name));
  }
  ptx::loop_merging made = ptx::merge_loops(in.code, options);
  if (made.nests.empty()) out.remarks.push_back("nothing to merge: no loop has loops in it");
  for (const ptx::judged_nest& n : made.nests) {
    std::string remark = n.reason == merge_refusal::none
                             ? std::string("merged")
                             : fmt::format("not merged, {}{}", describe(n.reason), reason_at(n.at, in));
    remark += fmt::format(": the loop of {}", at_line(in.name_of(n.inner), n.where, in));
    if (n.outer != no_block) remark += fmt::format(" in the loop of {}", in.name_of(n.outer));
    if (n.before > 0) remark += fmt::format("; warp instructions {:.1f} -> {:.1f}", n.before, n.after);
    out.remarks.push_back(std::move(remark));
  }
  out.plan = std::move(made.plan);
  return out;
}

// Chooses branches and cuts their arms: the plan is for the code that was cut.
step_outcome do_interleave_where_it_pays(const step_input& in) {
  step_outcome out;
  ptx::interleave_options options;
  options.profile = in.settings.melding.profile;
  result<ptx::interleaving> made = ptx::interleave(in.code, options);
  refuse(made.diagnostics(), in.path);
  for (const ptx::judged_branch& b : made->branches) {
    std::string remark = fmt::format(
        "{}: branch of {} {}{}{}", b.reason == interleave_refusal::none ? "interleaved" : "not interleaved",
        at_line(in.name_of(b.branch), b.where, in), describe(b.reason),
        b.arms == meld_refusal::none ? std::string() : fmt::format(": it {}", describe(b.arms)), reason_at(b.at, in));
    if (b.before > 0) remark += fmt::format("; cycles of a warp {:.0f} -> {:.0f}, {} cuts", b.before, b.after, b.cuts);
    out.remarks.push_back(std::move(remark));
  }
  if (made->interleaved == 0) {
    out.plan.emplace(graph_of(in));
    return out;
  }
  out.code = std::move(made->code);
  out.plan = std::move(made->plan);
  return out;
}

step_outcome do_interleave(const step_input& in) {
  if (in.step.operand == "auto") return do_interleave_where_it_pays(in);
  step_outcome out;
  std::vector<block_id> order;
  for (const std::string& name : between_commas(in.step.operand)) order.push_back(block_named(in, name));
  const block_id branch = ptx::branch_of_order(in.code, order);
  if (branch == no_block)
    throw input_error(fmt::format("--interleave {}: no block of kernel '{}' comes before all of these", in.step.operand,
                                  in.code.text().name));
  linearization made =
      interleave(graph_of(in), branch, order, in.settings.guards.value_or(guard_optimization::none), convergent_in(in));
  say_refused("interleaved", made.refused, in, out);
  if (made.regions.empty() && made.refused.empty())
    out.remarks.push_back(fmt::format("not interleaved: {} has no arms", in.name_of(branch)));
  out.plan = std::move(made.plan);
  return out;
}

// Code for machines that switch lanes off: no plan describes it.
step_outcome do_partial(const step_input& in) {
  step_outcome out;
  ptx::linear_code_options options;
  if (in.step.operand == "warp")
    options.branching = ptx::linear_branching::whole_warp;
  else if (in.step.operand != "thread")
    throw input_error(fmt::format("--partial={}: thread or warp decides at branches that stay", in.step.operand));
  if (options.branching == ptx::linear_branching::whole_warp) {
    // A vote keeps all lanes in a loop, also the lane that another one waits for.
    const loop_forest<csr_graph> forest = loops(graph_of(in));
    for (block_id b = 0; b < graph_of(in).num_blocks(); ++b) {
      if (!forest.innermost(b) || !in.code.blocks().may_wait(b)) continue;
      out.done = false;
      out.remarks.push_back(
          fmt::format("not linearized: in the loop around {} threads may wait for each other, and a "
                      "vote would keep all of them there",
                      in.name_of.joined(std::span(&b, 1))));
      return out;
    }
  }
  result<ptx::linear_code> made = ptx::linearize_partially(in.code, options);
  if (!made) {
    out.done = false;
    std::string why;
    for (const diagnostic& d : made.diagnostics())
      why += fmt::format("{}{}", why.empty() ? "" : "; ", at_line(d.message, d.where, in));
    out.remarks.push_back(why);
    return out;
  }
  const ptx::linear_code_report& r = made->report;
  out.remarks.push_back(fmt::format("linearized partially: {} removed, {} kept, {}, {} with {} under a mask, {}",
                                    counted(r.removed_branches, "branch", "branches"), r.kept_branches,
                                    counted(r.loops, "loop", "loops"), counted(r.masked_blocks, "block", "blocks"),
                                    counted(r.masked_instructions, "instruction", "instructions"),
                                    counted(r.votes, "vote", "votes")));
  out.rewritten = r.removed_branches + r.turns + r.masked_instructions + r.votes != 0;
  out.code = std::move(made->code);
  return out;
}

step_outcome do_stack_depth(const step_input& in) {
  step_outcome out;
  const std::optional<std::uint32_t> limit = number_in(in.step.operand);
  if (!limit || *limit < 2)
    throw input_error(fmt::format("--stack-depth: \"{}\" is no number from 2 on: a branch needs two entries of a stack",
                                  in.step.operand));
  if (!is_structured(graph_of(in)))
    out.remarks.push_back("the code is not structured, so the stack may get deeper: --linearize goes first");
  linearize_options options{loop_guards::merge, in.settings.guards.value_or(guard_optimization::none), {}};
  linearization made = limit_stack_depth(graph_of(in), *limit, options, convergent_in(in));
  say_refused("linearized", made.refused, in, out);
  out.plan = std::move(made.plan);
  return out;
}

step_outcome do_copies(const step_input& in) {
  step_outcome out;
  const std::size_t most = in.settings.most_copies;
  copied_plan made = structure_by_copies(graph_of(in), {.max_blocks = most}, convergent_in(in));
  if (!made.report.fits) {
    out.done = false;
    out.remarks.push_back(
        fmt::format("not structured by copies: that takes more than {} blocks{}", most,
                    made.report.at == no_block ? std::string() : ", see " + in.name_of(made.report.at)));
  }
  if (!made.report.refused.empty()) {
    out.done = false;
    out.remarks.push_back(
        fmt::format("not done: it takes copies of what threads must come to together (barriers, votes, calls of "
                    "such, ...): {}",
                    in.name_of.joined(made.report.refused)));
  }
  if (const structural_transforms& t = made.report.applied; t != structural_transforms{}) {
    const std::size_t code = in.code.text().instructions.size();
    const auto weight = [&](block_id b) { return in.code.blocks()[b].last - in.code.blocks()[b].first; };
    const std::uint64_t more =
        plan_instructions(made.plan, weight) - plan_instructions(flow_plan(graph_of(in)), weight);
    out.remarks.push_back(fmt::format(
        "STRUCT: {}, {}, {}; code expansion {:+.1f} %", counted(t.forward_copies, "forward copy", "forward copies"),
        counted(t.backward_copies, "backward copy", "backward copies"), counted(t.cuts, "cut", "cuts"),
        100 * static_cast<double>(more) / static_cast<double>(code)));
  }
  out.plan = std::move(made.plan);
  return out;
}

step_outcome do_hub(const step_input& in) {
  step_outcome out;
  const std::vector<edge> edges = edges_named(in, out.remarks);
  take_hubs(with_hub(graph_of(in), std::span<const edge>(edges), convergent_in(in)), "edges", in, out);
  return out;
}

step_outcome do_fix_irreducible(const step_input& in) {
  step_outcome out;
  irreducible_fix made = fix_irreducible(graph_of(in), convergent_in(in));
  for (const mended_loop& l : made.loops) {
    std::string entries;
    for (const block_id b : l.entries) entries += (entries.empty() ? "" : ", ") + in.name_of(b);
    out.remarks.push_back(
        fmt::format("irreducible loop with the entries {}: {} is the header, the first in reverse "
                    "post-order",
                    entries, in.name_of(l.header)));
  }
  take_hubs(std::move(made), "loops", in, out);
  return out;
}

step_outcome do_unify_exits(const step_input& in) {
  step_outcome out;
  take_hubs(unify_loop_exits(graph_of(in), convergent_in(in)), "loops", in, out);
  return out;
}

// Melds, and says what.
step_outcome do_meld(const step_input& in) {
  step_outcome out;
  const meld_settings& settings = in.settings.melding;
  ptx::melding_options options;
  options.search.threshold = settings.threshold;
  options.search.mode = in.step.kind == transform_kind::meld   ? meld_mode::full
                        : in.step.kind == transform_kind::fuse ? meld_mode::fusion
                                                               : meld_mode::tail;
  options.search.score = settings.score;
  options.code = settings.code;
  options.profile = settings.profile;
  options.prove = in.settings.proves;
  if (settings.score == meld_score::paper) options.weights = ptx::latencies::melding_paper();
  result<ptx::melding> made = ptx::meld(in.code, options);
  refuse(made.diagnostics(), in.path);
  out.code = std::move(made->code);
  ptx::meld_report& report = made->report;
  out.melded = report.melded.size();
  for (ptx::melded_branch& b : report.melded) b.block = in.name_of.at(b.where, b.block);
  for (ptx::unmelded_branch& b : report.refused) b.block = in.name_of.at(b.where, b.block);
  out.remarks = describe(report, [&](position where) { return in.name_of.source_at(where); });
  for (const ptx::melded_branch& b : report.melded) out.pairs.insert(out.pairs.end(), b.pairs.begin(), b.pairs.end());
  return out;
}

constexpr transform_info kinds[] = {
    {transform_kind::linearize, "linearize", "", "",
     "Guard linearization of the unstructured regions where it pays: no code is copied, tests are added", true, false,
     do_linearize},
    {transform_kind::copies, "struct", "", "", "Structured control flow by copies of blocks (STRUCT)", false, false,
     do_copies},
    {transform_kind::hub, "hub", "EDGES", "",
     "Lead edges through one place: EDGES is BLOCK:SLOT,... or `unstructured`; apart where a barrier is between", false,
     false, do_hub},
    {transform_kind::fix_irreducible, "fix-irreducible", "", "", "One entry for every loop", false, false,
     do_fix_irreducible},
    {transform_kind::unify_exits, "unify-exits", "", "", "One exit target for every loop", false, false,
     do_unify_exits},
    {transform_kind::merge_loops, "merge-loops", "HEADER|all", "auto",
     "Merge inner loops with the loops around them where that pays, or in the loop with this header: threads need not "
     "wait for each other's inner iterations; `all`: put every nest in one row of blocks and guards",
     true, false, do_merge_loops},
    {transform_kind::interleave, "interleave", "ORDER|auto", "",
     "Put the blocks in the arms of a branch in one row, ORDER is BLOCK,BLOCK,...; `auto`: cut the arms where they "
     "wait "
     "for memory and overlap that, where it is expected to pay",
     true, false, do_interleave},
    {transform_kind::stack_depth, "stack-depth", "N", "",
     "Linearize branches nested too deeply for a stack of N entries, N from 2 on", true, false, do_stack_depth},
    {transform_kind::partial, "partial", "thread|warp", "thread",
     "Partial linearization, for machines with masks and no reconvergence: divergent branches go, their arms are "
     "executed under masks; branches that stay are decided by each thread, or by a vote of the warp",
     false, false, do_partial},
    {transform_kind::meld, "meld", "", "", "Control-flow melding: what both arms of a divergent branch do is done once",
     false, true, do_meld},
    {transform_kind::fuse, "fuse", "", "", "Branch fusion: melding of arms that are single blocks", false, true,
     do_meld},
    {transform_kind::tail_merge, "tail-merge", "", "", "Tail merging: of the instructions in which both arms end alike",
     false, true, do_meld},
};

// ---------------------------------------------------------------------------------------------------------------------

// A plan with the divergent branches of the code. The first line of a block says how it is called there.
std::string drawn(const flow_plan& plan, const step_input& in) {
  const ptx::function_blocks& blocks = in.code.blocks();
  const ptx::def_use values(in.code);
  const uniformity_analysis<csr_graph> uniform(blocks.graph(), values);
  return to_dot(
      plan, [&](block_id b) { return fmt::format("{}: {} instr", in.name_of(b), blocks[b].last - blocks[b].first); },
      [&](block_id b) { return uniform.is_divergent_branch(b); },
      fmt::format("{} --{}\nhexagons: guards; dashed: copies; dotted: empty blocks; violet: divergent branch",
                  in.code.text().name, info_of(in.step.kind).option));
}

void add(plan_cost& to, const plan_cost& cost) {
  to.copies += cost.copies;
  to.guards += cost.guards;
  to.empties += cost.empties;
  to.assignments += cost.assignments;
  to.variables += cost.variables;
}

}  // namespace

std::span<const transform_info> transforms() { return kinds; }

const transform_info& info_of(transform_kind kind) {
  return *std::find_if(std::begin(kinds), std::end(kinds), [&](const transform_info& t) { return t.kind == kind; });
}

std::string option_of(const transform_step& step) {
  const transform_info& info = info_of(step.kind);
  std::string text = "--" + std::string(info.option);
  if (step.operand != info.otherwise) text += (info.otherwise.empty() ? " " : "=") + step.operand;
  return text;
}

ptx::checked_function checked(const ptx::module& m, const ptx::kernel& k, const std::string& path) {
  result<ptx::checked_function> code = ptx::verify(m, k);
  refuse(code.diagnostics(), path);
  return *std::move(code);
}

void prove(const flow_plan& plan, const step_input& in) {
  const std::optional<plan_fault> fault = check_plan(graph_of(in), plan);
  if (!fault) return;
  std::string why = describe(*fault, plan, in.name_of);
  why.pop_back();  // the end of its last line
  throw wrong_plan(fmt::format("{}: kernel '{}': the plan of {} is wrong and was not applied: {}", in.path,
                               in.code.text().name, option_of(in.step), why));
}

transformed_kernel transformed(const ptx::module& module, std::string_view kernel,
                               std::span<const transform_step> steps, const std::string& path,
                               const step_settings& settings, std::string* drawing) {
  transformed_kernel out{module};
  ptx::kernel* k = nullptr;
  for (ptx::kernel& one : out.module.kernels)
    if (one.name == kernel) k = &one;
  if (k == nullptr) throw input_error(fmt::format("{} has no kernel \"{}\"", path, kernel));
  const block_places places(*ptx::decode(checked(out.module, *k, path)));
  transform_kind drawn_step{};
  for (const transform_step& step : steps) {
    std::optional<ptx::checked_function> code(checked(out.module, *k, path));
    const named_blocks old_names(*code, places);
    step_outcome made = info_of(step.kind).make({step, settings, *code, old_names, path});
    out.melded += made.melded;
    if (settings.proves) out.proved += made.melded;  // each had a plan
    out.rewritten = out.rewritten || made.rewritten;
    for (std::string& remark : made.remarks) out.remarks.push_back(std::move(remark));
    out.pairs.insert(out.pairs.end(), made.pairs.begin(), made.pairs.end());
    out.done = made.done;
    if (!out.done) return out;
    if (made.code) {
      *k = *std::move(made.code);
      code.emplace(checked(out.module, *k, path));
    }
    if (!made.plan) continue;
    const named_blocks name_of(*code, places);
    const step_input in{step, settings, *code, name_of, path};
    if (settings.proves) {
      prove(*made.plan, in);
      ++out.proved;
    }
    if (drawing != nullptr && !drawing->empty())
      out.remarks.push_back(fmt::format("not drawn: the plan of --{}; a later one is", info_of(drawn_step).option));
    drawn_step = step.kind;
    if (drawing != nullptr) *drawing = drawn(*made.plan, in);
    add(out.added, made.plan->cost());
    result<ptx::function> written = ptx::rewrite(*code, *made.plan);
    refuse(written.diagnostics(), path);
    if (settings.proves) refuse(ptx::check_rewrite(*code, *made.plan, *written), path);
    *k = *std::move(written);
  }
  return out;
}

}  // namespace lab

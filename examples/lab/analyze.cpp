// SPDX-License-Identifier: BSL-1.0
#include "lab/analyze.hpp"

#include "lab/commands.hpp"
#include "lab/diagnostics.hpp"
#include "lab/divergence.hpp"
#include "lab/files.hpp"
#include "lab/module_file.hpp"
#include "lab/report.hpp"
#include "lab/spelling.hpp"
#include <simtflow/analysis/frontier_baselines.hpp>
#include <simtflow/analysis/priority_checks.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/io/describe_structure.hpp>
#include <simtflow/io/graph_text.hpp>
#include <simtflow/ptx/decode/decode.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// --- input -----------------------------------------------------------------------------------------------------------

// Whether a kernel or graph is the one asked for: by its name, as reports print it, or as FILE:NAME.
bool is_called(const std::string& asked, const std::string& name, const std::string& title, const std::string& path) {
  const std::filesystem::path file(path);
  if (asked == name || asked == title) return true;
  for (const std::string& prefix : {path, file.filename().string(), file.stem().string()})
    if (asked == fmt::format("{}:{}", prefix, name)) return true;
  return false;
}

std::string title_of(const std::string& kernel, const std::string& path) {
  return fmt::format("{} ({})", kernel, std::filesystem::path(path).filename().string());
}

// A kernel's graph as graph files have it: every end of a thread is an edge to the sentinel, in the place of the taken
// target if it is guarded.
graph_input from_kernel(const ptx::decoded_kernel& kernel, kernel_divergence divergence, const std::string& path) {
  const block_id end = static_cast<block_id>(kernel.blocks.size());
  graph_input in;
  recorded_graph& g = in.graph;
  g.stem = std::filesystem::path(path).stem().string();
  in.title = title_of(kernel.name, path);
  in.verdicts = true;
  in.uniformity = std::move(divergence.lines);
  g.symbol = kernel.name;
  g.kind = graph_kind::kernel;
  g.sentinel = end;
  const csr_graph cfg = kernel.cfg();
  csr_builder builder(kernel.blocks.size() + 1, cfg.entry());
  for (block_id b = 0; b < end; ++b) {
    const ptx::decoded_block& block = kernel.blocks[b];
    const bool leaves = cfg.is_exit(b) || block.end == ptx::block_exit::trap;
    if (leaves) builder.add_edge(b, end);
    for (const block_id s : cfg.successors(b)) builder.add_edge(b, s);
    g.weights.push_back(block.weight);
    g.barriers.push_back(block.end == ptx::block_exit::barrier ? 1 : 0);
    g.branches.push_back(divergence.branches[b]);
    in.labels.push_back(block.label);
  }
  g.weights.push_back(0);
  g.barriers.push_back(0);
  g.branches.push_back(branch_kind::unmarked);
  in.labels.push_back("end");
  g.graph = builder.build();
  if (const csr_graph side_by_side = kernel.bodies(); side_by_side.num_blocks() != kernel.blocks.size()) {
    csr_builder all(kernel.blocks.size() + 2, end + 1);
    for (block_id b = 0; b < end; ++b) {
      if (side_by_side.is_exit(b)) all.add_edge(b, end);
      for (const block_id s : side_by_side.successors(b)) all.add_edge(b, s);
    }
    for (const block_id s : side_by_side.successors(side_by_side.entry())) all.add_edge(end + 1, s);
    in.bodies = all.build();
  }
  return in;
}

std::vector<graph_input> read_module(const std::string& path, const std::string& kernel,
                                     std::vector<std::string>* left_out) {
  const std::shared_ptr<const module_file> file = load_module(path);
  const ptx::module* const parsed = &file->module;
  if (parsed->kernels.empty()) throw input_error(fmt::format("{}:1:1: the module has no kernel", file->path));
  std::vector<std::string> kernels;
  for (const ptx::kernel& k : parsed->kernels) kernels.push_back(k.name);
  const std::vector<std::string> meant = names_meant(kernel, kernels);
  const auto is_meant = [&](const std::string& name) {
    return is_called(kernel, name, title_of(name, path), path) ||
           std::find(meant.begin(), meant.end(), name) != meant.end();
  };
  std::vector<graph_input> inputs;
  std::set<std::string> seen;  // functions that are in some graph
  for (const ptx::kernel& k : parsed->kernels) {
    if (!kernel.empty() && !is_meant(k.name)) continue;
    const auto decoded = ptx::decode(*parsed, k);
    refuse(decoded.diagnostics(), file->path);
    inputs.push_back(from_kernel(*decoded, divergence_of(*parsed, k, *decoded), path));
    for (const ptx::decoded_function& f : decoded->functions) seen.insert(f.name);
  }
  std::string names;
  std::size_t number = 0;
  for (const ptx::function& f : parsed->functions)
    if (f.has_body && !seen.contains(f.name)) {
      names += (names.empty() ? "" : ", ") + f.name;
      ++number;
    }
  if (left_out != nullptr && kernel.empty() && number != 0)
    left_out->push_back(fmt::format("{}: left out, {} that no kernel calls: {}",
                                    std::filesystem::path(path).filename().string(),
                                    counted(number, "function", "functions"), names));
  return inputs;
}

std::vector<graph_input> read_file(const std::string& path, const std::string& kernel) {
  std::vector<recorded_graph> graphs = value_of(read_graphs(read_text(path)), path);
  if (graphs.empty()) throw input_error(fmt::format("{}:1:1: no graph in the file", path));
  bool verdicts = false;
  for (const recorded_graph& g : graphs)
    for (const branch_kind k : g.branches) verdicts |= k == branch_kind::divergent || k == branch_kind::uniform;
  std::vector<graph_input> inputs;
  for (recorded_graph& g : graphs) {
    std::string title = full_name(g);
    if (!kernel.empty() && !is_called(kernel, g.symbol, title, path)) continue;
    inputs.push_back({std::move(g), std::move(title), {}, verdicts, {}, std::nullopt});
  }
  return inputs;
}

// --- the report ------------------------------------------------------------------------------------------------------

bool divergence_is_known(const graph_input& in) {
  const recorded_graph& g = in.graph;
  for (block_id b = 0; b < g.graph.num_blocks(); ++b)
    if (g.graph.successors(b).size() > 1 &&
        (g.branches[b] == branch_kind::unanalysed || g.branches[b] == branch_kind::unmarked))
      return false;
  return in.verdicts;
}

// Lines of words as columns: the first `left` of them flush left, the others flush right.
void append_table(std::string& out, const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  std::vector<std::size_t> width;
  for (const auto& line : lines) {
    width.resize(std::max(width.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string row = "   ";
    for (std::size_t i = 0; i < line.size(); ++i)
      row += i < left ? fmt::format(" {:<{}} ", line[i], width[i]) : fmt::format(" {:>{}} ", line[i], width[i]);
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
}

// With the label: for sentences about one block. Lists of blocks have the number alone.
std::string name_of(const graph_input& in, block_id b) {
  if (b == in.graph.sentinel) return block_name(no_block);
  return block_name(b, b < in.labels.size() ? in.labels[b] : std::string());
}
std::string number_of(const graph_input& in, block_id b) { return block_name(b == in.graph.sentinel ? no_block : b); }

void append_loops(std::string& out, const graph_input& in, const dense::loop_forest& loops) {
  std::vector<std::vector<std::string>> lines{{"header", "depth", "blocks", "latches", "entries", "exits"}};
  for (const loop_id l : ids_below<loop_id>(loops.num_loops())) {
    std::size_t entries = 0, exits = 0;
    for (const block_id b : loops.blocks(l)) {
      entries += loops.is_entry(l, b);
      exits += loops.is_exiting(l, b);
    }
    lines.push_back({name_of(in, loops.header(l)), fmt::to_string(loops.depth(l)),
                     fmt::to_string(loops.blocks(l).size()), fmt::to_string(loops.latches(l).size()),
                     fmt::format("{}{}", entries, loops.is_irreducible(l) ? " (irreducible)" : ""),
                     fmt::to_string(exits)});
  }
  append_table(out, lines, 1);
}

void append_blocks(std::string& out, const graph_input& in, analyzer& a) {
  const recorded_graph& g = in.graph;
  const dense::dominator_tree& dominators = a.paths().dominators();
  std::vector<std::vector<std::string>> lines{
      {"block", "successors", "idom", "ipdom", "priority", "loops", "instr", "frontier"}};
  for (block_id b = 0; b < g.graph.num_blocks(); ++b) {
    std::string successors, frontier;
    for (const block_id s : g.graph.successors(b)) successors += (successors.empty() ? "" : " ") + number_of(in, s);
    for (const block_id x : a.frontiers().of(b)) frontier += (frontier.empty() ? "" : " ") + number_of(in, x);
    const auto name = [&](std::span<const block_id> up) { return up[b] == no_block ? "-" : number_of(in, up[b]); };
    const bool reached = dominators.is_reachable(b);
    std::vector<std::string> line{name_of(in, b) + (g.barriers[b] != 0 ? " (bar)" : "")};
    line.insert(line.end(), {successors, name(dominators.idoms()), name(a.bodies().post_dominators().ipdoms())});
    line.insert(line.end(), {reached ? fmt::to_string(a.order().rank(b)) : "unreached",
                             fmt::to_string(a.bodies().loops().depth_of(b)), fmt::to_string(g.weights[b]), frontier});
    lines.push_back(std::move(line));
  }
  // The frontier is a list, not a number: padded by hand to stand flush left.
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.back().size());
  for (auto& line : lines) line.back().append(widest - line.back().size(), ' ');
  append_table(out, lines, 4);
}

// Whether the graph is structured, and if not, what is in the way: regions and their edges, all of it if `whole`.
void append_structure(std::string& out, const graph_input& in, const graph_facts& f, cfg_facts& bodies, bool whole) {
  if (f.residue <= 1) {
    out += "  structured\n";
    return;
  }
  const bool but_for_breaks = is_structured(bodies.graph(), {.breaks = loop_breaks::to_one_block});
  out += fmt::format("  unstructured, {} nodes remain after reduction{}\n", f.residue,
                     but_for_breaks ? "; structured if a loop may be left from several places to one block" : "");
  const auto name = [&](block_id b) {
    return b < in.graph.graph.num_blocks() ? name_of(in, b) : std::string("the start");
  };
  const unstructured_flow<csr_graph> found(bodies);
  const std::string words = describe(found, name, whole ? 64 : 8);
  for (std::size_t at = words.find('\n') + 1; at < words.size();) {  // the first line has been said
    const std::size_t end = words.find('\n', at) + 1;
    out += "    " + words.substr(at, end - at);
    at = end;
  }
}

// Why branches are divergent or uniform, all of them if `whole`.
void append_uniformity(std::string& out, const graph_input& in, bool whole) {
  constexpr std::size_t some = 12;
  if (in.uniformity.empty()) return;
  out += "  uniformity: " + in.uniformity.front() + '\n';
  const std::size_t lines = in.uniformity.size() - 1, shown = whole || lines <= some ? lines : some;
  for (std::size_t i = 1; i <= shown; ++i) out += "    " + in.uniformity[i] + '\n';
  if (shown < lines) out += fmt::format("    and {} (--blocks)\n", counted(lines - shown, "more line", "more lines"));
}

void append_report(std::string& out, const graph_input& in, const graph_facts& f, analyzer& a, bool blocks,
                   priority_rule choice) {
  out += in.title + '\n';
  out += fmt::format("  {}, {}, {}, {}, {}", counted(f.blocks, "block", "blocks"), counted(f.edges, "edge", "edges"),
                     counted(f.instructions, "instruction", "instructions"),
                     counted(f.barriers, "barrier block", "barrier blocks"), counted(f.exits, "exit", "exits"));
  if (f.unreachable != 0) out += fmt::format(", {} unreachable", f.unreachable);
  if (f.endless != 0) out += fmt::format(", {} endless", f.endless);
  out += fmt::format("\n  {}", counted(f.branches, "branch", "branches"));
  if (f.branches != 0 && in.verdicts) {
    out += fmt::format(": {} divergent, {} uniform", f.divergent, f.uniform);
    if (const std::size_t rest = f.branches - f.divergent - f.uniform; rest != 0)
      out += fmt::format(", {} not known{}", rest, in.uniformity.empty() ? "" : " (calls, returns)");
  } else if (f.branches != 0) {
    out += ", assumed to be divergent: the file does not say";
  }
  out += fmt::format("; dominator tree of depth {}\n", f.tree_depth);
  append_uniformity(out, in, blocks);
  append_structure(out, in, f, a.bodies(), blocks);
  if (f.loops == 0) {
    out += "  no loop\n";
  } else {
    out += fmt::format("  {}, nested {} deep, {} irreducible, {} with several exits\n",
                       counted(f.loops, "loop", "loops"), f.loop_depth, f.irreducible_loops, f.several_exits);
    append_loops(out, in, a.bodies().loops());
  }
  cfg_facts& paths = a.paths();  // a.bodies() may be of other edges
  const dense::priority_order& order = a.order().ids();
  const bool compact =
      paths.graph().num_blocks() == 0 || dense::check_compactness(order, paths.dominators(), paths.graph().entry());
  const auto yes = [](bool holds, std::string_view what) { return fmt::format("{}{}", holds ? "" : "not ", what); };
  out +=
      fmt::format("  priorities: {}; {}, {}, {}\n", to_string(choice),
                  yes(static_cast<bool>(dense::check_topological(paths.graph(), order, paths.loops())), "topological"),
                  yes(static_cast<bool>(dense::check_contiguity(order, paths.loops())), "loop-contiguous"),
                  yes(compact, "dominance-compact"));
  std::vector<std::vector<std::string>> lines{{"thread frontiers", "average", "max", "join edges", "join blocks"}};
  const auto row = [&](const char* name, const frontier_statistics& x) {
    lines.push_back({name, fmt::format("{:.2f}", x.average_size), fmt::to_string(x.max_size),
                     fmt::to_string(x.check_edges), fmt::to_string(x.join_blocks)});
  };
  row("Algorithm 1", f.printed);
  row("Ocelot's sweep", f.swept);
  row("sound fixpoint", f.solved);
  lines.push_back({"post-dominators", "", "", "", fmt::to_string(f.join_points)});
  append_table(out, lines, 1);
  if (blocks) append_blocks(out, in, a);
}

void append_summary(std::string& out, const std::vector<graph_facts>& all, priority_rule choice) {
  graph_facts sum;
  std::size_t loops = 0, irreducible = 0, unstructured = 0, endless = 0, barriers = 0, late = 0, largest = 0;
  double sizes = 0, solved = 0;
  std::size_t largest_solved = 0;
  for (const graph_facts& f : all) {
    sum.blocks += f.blocks;
    sum.edges += f.edges;
    sum.instructions += f.instructions;
    loops += f.loops != 0;
    irreducible += f.irreducible_loops != 0;
    unstructured += f.residue > 1;
    endless += f.endless != 0;
    barriers += f.barriers != 0;
    late += f.late_exit;
    sizes += f.printed.average_size * static_cast<double>(f.blocks);
    solved += f.solved.average_size * static_cast<double>(f.blocks);
    largest = std::max(largest, f.printed.max_size);
    largest_solved = std::max(largest_solved, f.solved.max_size);
  }
  const double blocks = static_cast<double>(std::max<std::size_t>(sum.blocks, 1));
  out += fmt::format("all {} graphs\n  {} blocks, {} edges, {} instructions\n", all.size(), sum.blocks, sum.edges,
                     sum.instructions);
  out += fmt::format("  {} with loops, {} irreducible, {} unstructured, {} with barriers, {} with endless blocks\n",
                     loops, irreducible, unstructured, barriers, endless);
  out += fmt::format("  {} where the {} order puts a loop's exit between its blocks\n", late, to_string(choice));
  out += fmt::format("  thread frontiers: Algorithm 1 {:.2f} on average, {} at most; sound fixpoint {:.2f}, {}\n",
                     sizes / blocks, largest, solved / blocks, largest_solved);
}

// --- CSV -------------------------------------------------------------------------------------------------------------

// A row for each graph, of what the entry reaches, the sentinel left out:
//   suite, file, variant, name, kind   from the graph file (K kernel, F function); for a module: none, its name, none
//   bb, edges, inst, condbr            blocks, edges, instructions, blocks with two or more successors
//   div                                divergent branches; -1 if nobody has looked
//   barblocks                          blocks that hold a barrier (a module's blocks end after it)
//   loops, irr, depth, multiexit       loops, irreducible ones, deepest nesting, loops left from two or more blocks
//   resid                              nodes that reducing structured constructs leaves
//   tf_avg, tf_max                     size of the thread frontiers by Algorithm 1
//   tf_edges, tf_blocks                edges into the frontier of their source, distinct targets of these
//   pdom_blocks                        distinct immediate post-dominators of branches
//   noexit                             blocks from which no thread can end
//   rpohaz                             1: the order puts a loop's exit before a block of the loop
// Three digits at most after the point, one at least.
std::string short_decimal(double x) {
  std::string s = fmt::format("{:.3f}", x);
  while (s.back() == '0' && s[s.size() - 2] != '.') s.pop_back();
  return s;
}

table_row row_of(const graph_input& in, const graph_facts& f) {
  table_row out = place_of(in.graph);
  out.whole("bb", f.blocks).whole("edges", f.edges).whole("inst", f.instructions).whole("condbr", f.branches);
  if (divergence_is_known(in))
    out.whole("div", f.divergent);
  else
    out.add("div", std::int64_t{-1});
  out.whole("barblocks", f.barriers).whole("loops", f.loops).whole("irr", f.irreducible_loops);
  out.whole("depth", f.loop_depth).whole("multiexit", f.several_exits).whole("resid", f.residue);
  out.add("tf_avg", literal{short_decimal(f.printed.average_size)}).whole("tf_max", f.printed.max_size);
  out.whole("tf_edges", f.printed.check_edges).whole("tf_blocks", f.printed.join_blocks);
  return out.whole("pdom_blocks", f.join_points).whole("noexit", f.endless).flag("rpohaz", f.late_exit);
}

}  // namespace

std::vector<graph_input> read_graph_inputs(const std::string& path, const std::string& kernel,
                                           std::vector<std::string>* left_out) {
  return is_module_path(path) ? read_module(path, kernel, left_out) : read_file(path, kernel);
}

graph_facts analyzer::facts(const recorded_graph& g, bool all_frontiers, const csr_graph* side_by_side) {
  const csr_graph& graph = g.graph;
  graph_facts f;
  paths_.reset(graph);
  side_by_side_ = side_by_side != nullptr;
  if (side_by_side_) bodies_.reset(*side_by_side);
  const dense::loop_forest& loops = bodies().loops();
  const dense::dominator_tree& dominators = paths_.dominators();
  const dense::post_dominator_tree& ends = bodies().post_dominators();
  order_.recompute(graph, priorities(make_, paths_, choice_, g.barriers));

  marked_.assign(graph.num_blocks(), 0);  // as an immediate post-dominator
  for (block_id b = 0; b < graph.num_blocks(); ++b) {
    if (!dominators.is_reachable(b)) {
      f.unreachable += b != g.sentinel;
      continue;
    }
    f.endless += !ends.reaches_exit(b);
    f.tree_depth = std::max<std::size_t>(f.tree_depth, dominators.depth(b));
    f.loop_depth = std::max<std::size_t>(f.loop_depth, loops.depth_of(b));
    if (b == g.sentinel) continue;
    const std::size_t out = graph.successors(b).size();
    ++f.blocks;
    f.edges += out;
    f.instructions += g.weights[b];
    f.barriers += g.barriers[b] != 0;
    f.exits += g.may_end(b);
    if (out < 2) continue;
    ++f.branches;
    f.divergent += g.branches[b] == branch_kind::divergent;
    f.uniform += g.branches[b] == branch_kind::uniform;
    const block_id join = ends.ipdoms()[b];
    if (join == no_block) continue;
    f.join_points += marked_[join] == 0;
    marked_[join] = 1;
  }
  f.residue = bodies().structure().residue();

  f.loops = loops.num_loops();
  f.late_exit = look_at_exits(f);

  f.printed = one_pass_statistics(graph, order_, {}, frontier_rule::algorithm_1, g.sentinel);
  if (all_frontiers) {
    const auto frontiers_by = [&](frontier_rule rule) {
      frontiers_.recompute(graph, order_, std::span<const unsigned char>(), rule);
      return frontiers_.statistics(g.sentinel);
    };
    f.swept = frontiers_by(frontier_rule::ocelot);
    f.solved = frontiers_by(frontier_rule::fixpoint);
  }
  return f;
}

// Counts irreducible loops and loops that several blocks leave. Returns whether a loop has an exit to a block with a
// rank between its header and its last block. Every edge is looked at once; loops pass what they know to the loop
// around them.
bool analyzer::look_at_exits(graph_facts& f) {
  const csr_graph& bodies = this->bodies().graph();
  struct span_of_loop {
    std::uint32_t first = ~std::uint32_t{0}, last = 0;  // ranks
    std::int64_t exiting = 0;                           // blocks; while counting, without those in inner loops
  };
  const dense::loop_forest& loops = this->bodies().loops();
  id_map<loop_id, span_of_loop> spans;
  spans.assign(f.loops, span_of_loop{});
  for (block_id b = 0; b < bodies.num_blocks(); ++b) {
    const loop_id inner = loops.innermost(b);
    if (inner == no_loop) continue;
    span_of_loop& span = spans[inner];
    span.first = std::min(span.first, order_.rank(b));
    span.last = std::max(span.last, order_.rank(b));
    loop_id farthest = no_loop;  // the outermost loop that an edge of b leaves
    for (const block_id s : bodies.successors(b))
      if (const loop_id l = loops.outermost_without(b, s); l != no_loop)
        if (farthest == no_loop || loops.depth(l) < loops.depth(farthest)) farthest = l;
    if (farthest == no_loop) continue;
    ++span.exiting;
    if (const loop_id around = loops.parent(farthest); around != no_loop) --spans[around].exiting;
  }
  for (const loop_id l : ids_downward<loop_id>(f.loops)) {
    f.irreducible_loops += loops.is_irreducible(l);
    f.several_exits += spans[l].exiting > 1;
    const loop_id around = loops.parent(l);
    if (around == no_loop) continue;
    spans[around].first = std::min(spans[around].first, spans[l].first);
    spans[around].last = std::max(spans[around].last, spans[l].last);
    spans[around].exiting += spans[l].exiting;
  }
  for (block_id b = 0; b < bodies.num_blocks(); ++b)
    for (const block_id s : bodies.successors(b)) {
      const loop_id out = loops.outermost_without(b, s);
      if (out == no_loop) continue;
      // Spans grow from loop to loop around: if the outermost one that the edge leaves is not around s, none is.
      const std::uint32_t rank = order_.rank(s);
      if (rank <= spans[out].first || rank >= spans[out].last) continue;
      for (loop_id l = loops.innermost(b); l != loops.parent(out); l = loops.parent(l))
        if (rank < spans[l].last && rank > order_.rank(loops.header(l))) return true;
    }
  return false;
}

analysis_report analyze_graphs(const analyze_options& options) {
  analysis_report report;
  std::vector<graph_input> inputs;
  for (const std::string& path : options.paths) {
    std::vector<graph_input> more = read_graph_inputs(path, options.kernel, &report.remarks);
    std::move(more.begin(), more.end(), std::back_inserter(inputs));
  }
  if (inputs.empty()) {
    const std::string where = options.paths.size() == 1 ? options.paths.front() : "all files";
    std::vector<std::string> names;
    for (const std::string& path : options.paths)
      for (const graph_input& in : read_graph_inputs(path, "")) names.push_back(in.graph.symbol);
    throw input_error(fmt::format("{}: no kernel or graph is called \"{}\"{}", where, options.kernel,
                                  did_you_mean(options.kernel, names)));
  }

  if (!options.transforms.empty()) return analyze_transforms(options, inputs, std::move(report.remarks));
  std::string& out = report.text;
  report.schema = "simtflow.analyze/1";
  std::vector<graph_facts> all;
  analyzer a(options.order);
  for (const graph_input& in : inputs) {
    const graph_facts f = a.facts(in, !options.rows_only);
    report.rows.push_back(row_of(in, f));
    report.rows.back().word("order", to_string(options.order));
    if (options.rows_only) continue;
    if (!out.empty()) out += '\n';
    append_report(out, in, f, a, options.blocks, options.order);
    all.push_back(f);
  }
  if (all.size() > 1) {
    out += '\n';
    append_summary(out, all, options.order);
  }
  if (!report.remarks.empty()) out += '\n';
  for (const std::string& remark : report.remarks) out += remark + '\n';
  return report;
}

table_row place_of(const recorded_graph& g) {
  const char* kind = g.kind == graph_kind::kernel ? "K" : g.kind == graph_kind::unknown ? "" : "F";
  table_row out;
  out.word("suite", g.suite).word("file", g.stem).word("variant", g.variant).word("name", g.symbol);
  return out.word("kind", kind);
}

std::string to_text(const analysis_report& r, report_format format) {
  if (format == report_format::csv) return csv_of(r.schema, r.rows);
  return format == report_format::json ? json_text_of(r.schema, r.rows, r.remarks) : r.text;
}

}  // namespace lab

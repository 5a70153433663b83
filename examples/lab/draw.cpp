// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/diagnostics.hpp"
#include "lab/divergence.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/report.hpp"
#include "lab/source_text.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/describe_structure.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/graph_text.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace lab {
namespace {

constexpr std::size_t most_named = 64;  // blocks of one frontier

using namespace simtflow;

// Both kinds of input become this.
struct picture {
  std::string name;
  csr_graph graph;
  csr_graph functions;                  // side by side, without calls: what structure is judged by
  std::vector<unsigned char> barriers;  // by block
  std::vector<std::string> labels;      // by block; may be empty
  std::vector<std::string> bodies;      // by block; may be empty
  std::vector<branch_kind> branches;    // by block
};

picture from_graph_file(const draw_options& options) {
  const std::vector<recorded_graph> graphs = value_of(read_graphs(read_text(options.path)), options.path);
  std::vector<const recorded_graph*> found;
  for (const recorded_graph& g : graphs)
    if (options.kernel.empty() || g.symbol == options.kernel || full_name(g) == options.kernel) found.push_back(&g);
  if (found.empty())
    throw input_error(options.kernel.empty()
                          ? fmt::format("{}:1:1: no graph in the file", options.path)
                          : fmt::format("{}: no graph is called \"{}\"", options.path, options.kernel));
  if (found.size() > 1) {
    std::string names;
    for (std::size_t i = 0; i < found.size() && i < 10; ++i) names += fmt::format("\n  {}", full_name(*found[i]));
    throw input_error(fmt::format("{}: {} graphs to choose from, name one with --kernel:{}{}", options.path,
                                  found.size(), names, found.size() > 10 ? "\n  ..." : ""));
  }
  const recorded_graph& g = *found.front();
  picture p{g.symbol, g.graph, g.graph, g.barriers, {}, {}, g.branches};
  for (block_id b = 0; b < g.graph.num_blocks(); ++b)
    p.labels.push_back(b == g.sentinel ? fmt::format("{} (end)", block_name(b))
                                       : fmt::format("{}: {} instr", block_name(b), g.weights[b]));
  return p;
}

picture from_kernel(const draw_options& options) {
  const kernel_file file = load_kernel(options.path, options.kernel, "--kernel");
  const ptx::module* const parsed = &file.module->module;
  picture p{file.kernel.name,
            file.kernel.cfg(),
            file.kernel.bodies(),
            {},
            {},
            {},
            divergence_of(*parsed, *parsed->find(file.kernel.name), file.kernel).branches};
  source_text text(file.kernel.sources, file.path);
  for (block_id b = 0; b < file.kernel.blocks.size(); ++b) {
    const ptx::decoded_block& block = file.kernel.blocks[b];
    p.barriers.push_back(block.end == ptx::block_exit::barrier ? 1 : 0);
    p.labels.push_back(fmt::format("{}: {} instr", file.kernel.block_name(b), block.weight));
    if (!options.code) continue;
    // The instructions, under the source line that they come from.
    std::string body, source;
    std::uint32_t i = block.last_instruction + 1 - block.weight;
    for (const written_instruction& one : file.instructions_of(b)) {
      if (const std::string at = text.describe(file.kernel.place_of(i++)); !at.empty() && at != source)
        body += fmt::format("// {}\n", source = at);
      body += one.code + '\n';
    }
    p.bodies.push_back(std::move(body));
  }
  return p;
}

// Edges that are unstructured, with the reason, and the regions around them.
void mark_unstructured(const picture& p, dot_style& style) {
  const unstructured_flow<csr_graph> found(p.functions);
  if (found.is_structured()) return;
  style.title += "\nframed: unstructured regions; red: unstructured edges";
  style.edge_notes.resize(p.graph.num_edges());
  for (const unstructured_edge& e : found.edges()) {
    const block_id from = e.where.from;
    if (from >= p.graph.num_blocks()) continue;
    const auto targets = p.graph.successors(from);
    for (std::size_t slot = 0; slot < targets.size(); ++slot) {  // those to the virtual exit are not drawn
      if (targets[slot] != e.to) continue;
      const edge_id id = p.graph.first_edge(from) + static_cast<edge_id>(slot);
      style.marked.push_back(id);
      style.edge_notes[id] = describe(e.why);
    }
  }
  style.groups.assign(p.graph.num_blocks(), no_dot_group);
  for (block_id b = 0; b < p.graph.num_blocks(); ++b)
    if (const std::uint32_t region = found.region_of(b); region != no_unstructured_region) style.groups[b] = region;
  for (std::size_t r = 0; r < found.regions().size(); ++r) style.group_names.push_back(fmt::format("region {}", r + 1));
}

drawing drawn(const picture& p, priority_rule choice) {
  dense::order_maker make;
  cfg_facts facts(p.graph);
  const priority_order<csr_graph> order(p.graph, priorities(make, facts, choice, p.barriers));
  const auto frontiers = thread_frontiers(p.graph, order);
  dot_style style;
  style.title = fmt::format("{}\npriority 0 runs first ({} order); dashed: lanes may join others that wait there",
                            p.name, choice == priority_rule::rpo ? "reverse post-" : to_string(choice));
  style.labels = p.labels;
  style.bodies = p.bodies;
  for (block_id b = 0; b < p.graph.num_blocks(); ++b) {
    std::string waiting;
    std::size_t left = frontiers.of(b).size();
    for (std::size_t named = 0; left > 0 && named < most_named; ++named, --left)
      waiting += fmt::format("{}{}", waiting.empty() ? "" : " ", block_name(frontiers.of(b)[named]));
    if (left > 0) waiting += fmt::format(" and {} more", left);
    style.notes.push_back(fmt::format("priority {}\nfrontier {{{}}}", order.rank(b), waiting));
    style.colours.push_back(to_string(block_colour(b)));
    if (b < p.barriers.size() && p.barriers[b] != 0) style.highlighted.push_back(b);
    if (b < p.branches.size() && p.branches[b] == branch_kind::divergent) style.divergent.push_back(b);
  }
  for (const edge& e : frontiers.check_edges()) style.dashed.push_back(p.graph.first_edge(e.from) + e.slot);
  if (!style.highlighted.empty()) style.title += "; yellow: holds a barrier";
  if (!style.divergent.empty()) style.title += "\nviolet: divergent branch";
  mark_unstructured(p, style);
  return {p.graph, std::move(style)};
}

}  // namespace

drawing draw_graph(const draw_options& options) {
  const bool is_kernel = is_module_path(options.path);
  return drawn(is_kernel ? from_kernel(options) : from_graph_file(options), options.order);
}

std::string to_svg(const drawing& d) {
  if (auto picture = graphviz_svg(to_dot(d.graph, d.style))) return *std::move(picture);
  return simtflow::to_svg(d.graph, d.style);
}

}  // namespace lab

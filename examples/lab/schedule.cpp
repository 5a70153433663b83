// SPDX-License-Identifier: BSL-1.0
#include "lab/schedule.hpp"

#include <simtflow/analysis/barrier_order.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/structured_control.hpp>

#include <numeric>

namespace lab {

using namespace simtflow;

namespace {

template <class Range>
auto copied(const Range& from) {
  return std::vector<std::remove_cvref_t<decltype(*from.begin())>>(from.begin(), from.end());
}

}  // namespace

std::string_view to_string(order_choice order) {
  switch (order) {
    case order_choice::loop_contiguous:
      return "loop-contiguous";
    case order_choice::rpo:
      return "rpo";
    case order_choice::dominance_compact:
      return "dominance-compact";
    case order_choice::barrier_aware:
      return "barrier-aware";
    case order_choice::exit_distance:
      return "exit-distance";
  }
  return "";
}

const priority_order<csr_graph>& priorities(priority_maker<csr_graph>& maker, const csr_graph& graph,
                                            order_choice order, std::span<const unsigned char> barriers) {
  switch (order) {
    case order_choice::rpo:
      return maker.reverse_post_order(graph);
    case order_choice::dominance_compact:
      return maker.dominance_compact(graph);
    case order_choice::barrier_aware:
      return maker.barrier_aware(graph, barriers);
    case order_choice::exit_distance:
      return maker.exit_distance(graph);
    case order_choice::loop_contiguous:
      break;
  }
  return maker.loop_contiguous(graph);
}

edge_counter::edge_counter(const csr_graph& graph) : graph_(&graph) {
  edges_.assign(graph.num_edges(), 0);
  exits_.assign(graph.num_blocks(), 0);
}

void edge_counter::operator()(const event::ended&) {
  for (const block_id b : last_)
    if (b != no_block) ++exits_[b];
}

void edge_counter::add(const edge_counter& other) {
  for (std::size_t e = 0; e < edges_.size(); ++e) edges_[e] += other.edges_[e];
  for (std::size_t b = 0; b < exits_.size(); ++b) exits_[b] += other.exits_[b];
}

void edge_counter::visit(std::uint32_t thread, block_id b) {
  const block_id from = last_[thread];
  last_[thread] = b;
  if (from == no_block) return;
  const auto targets = graph_->successors(from);
  for (std::size_t slot = 0; slot < targets.size(); ++slot)
    if (targets[slot] == b) {
      ++edges_[graph_->first_edge(from) + slot];
      return;
    }
}

schedule::schedule(const csr_graph& graph, const csr_graph& bodies, order_choice order,
                   std::span<const unsigned char> barriers, std::span<const std::uint32_t> weights,
                   std::uint32_t warp_width)
    : graph_(&graph),
      bodies_(&bodies),
      order_(order),
      has_barrier_(copied(barriers)),
      weights_(copied(weights)),
      warp_width_(warp_width),
      tree_(post_dominators(bodies)) {
  edges_.assign(graph.num_edges(), 0);
  exits_.assign(graph.num_blocks(), 0);
}

void schedule::set_profile(const edge_counter& run) {
  edges_ = run.edges();
  exits_ = run.exits();
}

bool schedule::may_split_at_barriers() const {
  if (graph_ == nullptr) return false;
  priority_maker<csr_graph> maker;
  return static_cast<bool>(find_overtaken(*graph_, priorities(maker, *graph_, order_, has_barrier_),
                                          std::span<const unsigned char>(has_barrier_)));
}

std::span<const block_id> schedule::ipdoms() const {
  if (!tree_) return {};
  return tree_->ipdoms();
}

std::span<const block_id> schedule::likely(likely_choice from, std::uint64_t threshold) const {
  if (graph_ == nullptr || from == likely_choice::none) return {};
  if (from == likely_choice::loops) threshold = 0;
  const auto [at, fresh] = likely_.try_emplace({from, threshold});
  if (fresh) {
    // The profile is of edges that threads went along; those over a call have none, and need none.
    std::vector<std::uint64_t> body_edges(bodies_->num_edges(), 0);
    std::vector<std::uint64_t> body_exits(bodies_->num_blocks(), 0);
    for (block_id b = 0; b < graph_->num_blocks(); ++b) {
      body_exits[b] = exits_[b];
      const auto ways = graph_->successors(b);
      const auto body_ways = bodies_->successors(b);
      for (std::size_t i = 0; i < body_ways.size(); ++i)
        for (std::size_t k = 0; k < ways.size(); ++k)
          if (ways[k] == body_ways[i]) {
            body_edges[bodies_->first_edge(b) + i] = edges_[graph_->first_edge(b) + k];
            break;
          }
    }
    const auto points = from == likely_choice::loops
                            ? likely_convergence(*bodies_, loops(*bodies_), *tree_)
                            : likely_convergence(*bodies_, *tree_, edge_profile{body_edges, body_exits},
                                                 static_cast<double>(threshold) / 100);
    at->second = copied(points.points());
  }
  return at->second;
}

schedule::priority_tables& schedule::tables(order_choice order) const {
  const auto [at, fresh] = priorities_.try_emplace(order);
  if (fresh && graph_ != nullptr) {
    priority_maker<csr_graph> maker;
    const auto& made = priorities(maker, *graph_, order, has_barrier_);
    at->second.layout = copied(made.ids().order());
    at->second.ranks = copied(made.ranks());
    for (const frontier_rule rule : {frontier_rule::fixpoint, frontier_rule::algorithm_1, frontier_rule::ocelot}) {
      const frontier_sets<csr_graph> sets(*graph_, made, {}, rule);
      at->second.conservative[rule] = policies::conservative_targets(sets.ids());
      if (rule == frontier_rule::fixpoint)
        for (block_id b = 0; b < graph_->num_blocks(); ++b)
          at->second.frontier_sizes.push_back(static_cast<std::uint32_t>(sets.ids().size(b)));
    }
  }
  return at->second;
}

std::span<const block_id> schedule::layout(order_choice order) const { return tables(order).layout; }
std::span<const std::uint32_t> schedule::ranks(order_choice order) const { return tables(order).ranks; }
std::span<const std::uint32_t> schedule::frontier_sizes() const { return tables(order_).frontier_sizes; }
std::span<const block_id> schedule::conservative(order_choice order, frontier_rule rule) const {
  return tables(order).conservative[rule];
}

std::span<const std::uint32_t> schedule::text_ranks() const {
  if (graph_ != nullptr && text_ranks_.empty()) {
    text_ranks_.resize(graph_->num_blocks());
    std::iota(text_ranks_.begin(), text_ranks_.end(), 0U);
  }
  return text_ranks_;
}

std::span<const unsigned char> schedule::reconvergence() const {
  if (graph_ != nullptr && reconvergence_.empty()) {
    reconvergence_.assign(bodies_->num_blocks(), 0);
    for (block_id b = 0; b < graph_->num_blocks(); ++b)
      if (bodies_->successors(b).size() > 1 && ipdoms()[b] != no_block) reconvergence_[ipdoms()[b]] = 1;
  }
  return reconvergence_;
}

std::span<const unsigned char> schedule::top_level() const {
  if (graph_ != nullptr && top_level_.empty()) {
    top_level_.assign(bodies_->num_blocks(), 0);
    const auto dependences = control_dependence(*bodies_, *tree_);
    for (const block_id b : dependences.ids().entry_region()) top_level_[b] = 1;
  }
  return top_level_;
}

std::span<const unsigned char> schedule::uniform(uniform_choice which) const {
  if (graph_ == nullptr || which == uniform_choice::none) return {};
  const auto [at, fresh] = uniform_.try_emplace(which);
  if (fresh)
    for (block_id b = 0; b < graph_->num_blocks(); ++b) {
      const bool counts = which == uniform_choice::profile;
      std::size_t ways = (counts ? exits_[b] != 0 : graph_->is_exit(b)) ? 1 : 0;
      for (std::size_t slot = 0; slot < graph_->successors(b).size(); ++slot)
        ways += !counts || edges_[graph_->first_edge(b) + slot] != 0 ? 1 : 0;
      at->second.push_back(ways <= 1 ? 1 : 0);
    }
  return at->second;
}

const policies::convergence_table& schedule::barriers(yield_choice yields) const {
  const auto [at, fresh] = barriers_.try_emplace(yields);
  if (fresh && graph_ != nullptr) {
    std::vector<policies::convergence_operation> operations = policies::ipdom_barriers(*bodies_, ipdoms());
    if (yields != yield_choice::never) {
      const auto forest = loops(*bodies_);
      std::vector<unsigned char> chosen(forest.num_loops(), yields == yield_choice::loops ? 1 : 0);
      for (block_id b = 0; b < strong_reads_.size(); ++b)  // a loop waits if a loop inside it does
        if (strong_reads_[b] != 0)
          for (loop_id l = forest.ids().innermost(b); l != no_loop; l = forest.ids().parent(l)) chosen[l] = 1;
      for (loop_id l = 0; l < forest.num_loops(); ++l)
        if (chosen[l] != 0) operations.push_back({forest.ids().header(l), policies::convergence_op::yield, 0});
    }
    at->second = policies::convergence_table(bodies_->num_blocks(), operations);
  }
  return at->second;
}

std::span<const policies::structured_block> schedule::code() const {
  // The mask stack knows no calls.
  if (graph_ != nullptr && !code_)
    code_ = bodies_->num_blocks() == graph_->num_blocks() ? structured_control(*bodies_).blocks
                                                          : std::vector<policies::structured_block>();
  return code_ ? std::span<const policies::structured_block>(*code_) : std::span<const policies::structured_block>();
}

}  // namespace lab

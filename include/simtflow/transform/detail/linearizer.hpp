// SPDX-License-Identifier: BSL-1.0
//
// Linearizes regions: finds them, orders their parts, and has each written as a row of guarded parts.
//
// The graph is kept as *parts*, blocks or structured pieces, and the edges of the plan between them. Each round
// linearizes every outermost unstructured region and makes it one part. With a weigher, a region that does not pay is
// declined, and the regions within it take its place.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/detail/loop_contiguous.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/detail/guard_tree.hpp>
#include <simtflow/transform/detail/region_writer.hpp>
#include <simtflow/transform/linearization.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// For linearizers that take every region.
struct no_weigher {};

// Shape is csr_graph; Weigher is region_weigher or no_weigher.
template <class Shape = csr_graph, class Weigher = no_weigher>
class linearizer {
 public:
  constexpr linearizer() = default;
  constexpr explicit linearizer(Weigher weigher) : weigher_(static_cast<Weigher&&>(weigher)) {}

  [[nodiscard]] constexpr const Weigher& weigher() const { return weigher_; }

  // g is the graph of result.plan. convergent[b] for each block; empty: none is. divergent[b] for each block: threads
  // may part at the branch that ends it; empty: they may at every branch.
  constexpr void run(basic_cfg_facts<Shape>& facts, const linearize_options& options,
                     std::span<const unsigned char> convergent, std::span<const unsigned char> divergent,
                     linearization& result) {
    const Shape& g = facts.graph();
    start(g, options, convergent, result);
    SIMTFLOW_EXPECTS(divergent.empty() || divergent.size() == g.num_blocks(), "a table has an entry for each block");
    divergent_ = divergent;
    structure_ = &facts.structure();
    if (structure_->residue() <= 1) {
      result.structured = true;
      return;
    }
    take_parts(g);
    for (;;) {
      const std::size_t parts = part_.size();
      find_regions(true);
      if (result.rounds == 0 && result.endless == 0 && touches_endless_part(g)) {
        if constexpr (weighs) as_given_ = result.plan;
        give_way_out(g, result);
        again_ = snapshot(result.plan);
        again_facts_.reset(again_);
        structure_ = &again_facts_.structure();
        take_parts(again_);
        continue;
      }
      const bool any = one_round(result);
      if (any) ++result.rounds;
      if (!any || part_.size() == parts) break;
      structure_ = &facts_.structure();
      result.structured = structure_->residue() <= 1;
      if (result.structured) break;
      merge_parts();
    }
    if (!result.structured) note_refused();
    list_refused(result);
    if (weighs && result.endless != 0 && result.regions.empty()) {  // ways out of endless loops were for nothing
      result.plan = as_given_;
      result.endless = 0;
    }
  }

  // Linearizes regions of plain blocks: region r has the blocks b with region[b] == r, as far as they are reachable.
  // `lead_past`: edges by which the branch before a region passes it also lead through its guards.
  // \pre each region has one way out; a region that leads into another one dominates it
  constexpr void run_blocks(basic_cfg_facts<Shape>& facts, std::span<const std::uint32_t> region, std::uint32_t regions,
                            bool lead_past, const linearize_options& options, std::span<const unsigned char> convergent,
                            linearization& result) {
    const Shape& g = facts.graph();
    lead_past_ = lead_past;
    start(g, options, convergent, result);
    if (g.num_blocks() == 0) return;
    const end_index<Shape>& ends = facts.ends();
    leaves_ = &ends;
    take_blocks(g);
    region_of_.assign(g.num_blocks(), none);
    refused_regions_.assign(regions, 0);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (!ends.is_reachable(b) || region[b] == none) continue;
      region_of_[b] = region[b];
      if (!part_[b].convergent) continue;
      refused_regions_[region[b]] = 1;
      refused_[b] = 1;
    }
    for (std::uint32_t& r : region_of_)
      if (r != none && refused_regions_[r] != 0) r = none;
    list_refused(result);
    behind_.assign(regions, several_);
    for (const live_edge& e : live_) {
      const std::uint32_t r = region_of_[e.from];
      if (r == none || (e.to != no_block && region_of_[e.to] == r)) continue;
      SIMTFLOW_EXPECTS(behind_[r] == several_ || behind_[r] == e.to, "blocks that are linearized have one way out");
      behind_[r] = e.to;
    }
    order_parts(facts.loops());
    collect(regions);
    each_region([&](std::uint32_t r) {
      linearize_region(r, behind_[r] == several_ ? no_block : behind_[r], result);
      result.rounds = 1;
    });
    result.structured = result.refused.empty();
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr block_id several_ = no_block - 1;
  static constexpr bool weighs = !std::is_same_v<Weigher, no_weigher>;
  static constexpr std::uint32_t most_levels = 16;  // of regions in declined ones
  using writer = region_writer<>;

  // A part is a block, a structured piece of the graph, or a region that has been linearized.
  struct part {
    block_id head;   // its block of the graph that stands for it in orders
    block_id enter;  // where it is entered in the plan
    bool convergent = false;
  };
  // An edge of the plan from part to part; to no_block: threads end in the block, or in several of the part.
  struct live_edge {
    block_id from, to;
    block_id block;
    std::uint32_t slot;
  };

  constexpr void start(const Shape& g, const linearize_options& options, std::span<const unsigned char> convergent,
                       linearization& result) {
    SIMTFLOW_EXPECTS(convergent.empty() || convergent.size() == g.num_blocks(), "a table has an entry for each block");
    options_ = options;
    convergent_ = convergent;
    divergent_ = {};
    declined_of_.clear();
    bounds_.clear();
    result.regions.clear();
    result.kept.clear();
    result.refused.clear();
    result.rounds = result.endless = result.uniform = 0;
    result.structured = g.num_blocks() == 0;
    refused_.assign(g.num_blocks(), 0);
    rank_.clear();
    if (options.order.empty()) return;
    rank_.assign(g.num_blocks(), none);
    std::uint32_t next = 0;
    for (const block_id b : options.order) {
      SIMTFLOW_EXPECTS(b < g.num_blocks(), "an order lists blocks of the graph");
      if (rank_[b] == none) rank_[b] = next++;
    }
  }

  constexpr void take_parts(const Shape& g) {
    part_.clear();
    part_of_.assign(g.num_blocks(), none);
    for (const block_id h : structure_->heads()) {
      part_of_[h] = static_cast<std::uint32_t>(part_.size());
      part_.push_back({h, h, false});
    }
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const block_id h = structure_->head_of(b);
      if (h == no_block) continue;
      part_of_[b] = part_of_[h];
      if (b < convergent_.size() && convergent_[b] != 0) part_[part_of_[b]].convergent = true;
    }
    take_edges(g, false);
  }
  constexpr void take_blocks(const Shape& g) {
    part_.clear();
    part_of_.assign(g.num_blocks(), none);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      part_.push_back({b, b, !convergent_.empty() && convergent_[b] != 0});
      if (leaves_->is_reachable(b)) part_of_[b] = b;
    }
    take_edges(g, true);
  }
  constexpr void take_edges(const Shape& g, bool own_too) {
    live_.clear();
    live_.reserve(g.targets().size() + 1);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const std::uint32_t from = part_of_[b];
      if (from == none) continue;
      std::uint32_t slot = 0;
      for (const block_id s : g.successors(b)) {
        if (own_too || part_of_[s] != from) live_.push_back({from, part_of_[s], b, slot});
        ++slot;
      }
      if (g.is_exit(b)) live_.push_back({from, no_block, b, writer::ending});
    }
    entry_ = part_of_[g.entry()];
    build_quotient();
  }

  // --- endless loops ---

  // A part of a region has an endless loop. That does not end where others do, and the region would not be structured,
  // whatever is done with it.
  constexpr bool touches_endless_part(const Shape& g) {
    const auto& ends = structure_->ends();  // of g: nothing has been reduced since
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (ends.ends(b) && !ends.reaches_exit(b) && comes_back_within_part(g, b)) {
        if (const std::uint32_t r = flow_.region_of(part_of_[b]); r != no_unstructured_region && parts_threads_[r] != 0)
          return true;
      }
    return false;
  }
  // Otherwise it is a loop of the region.
  constexpr bool comes_back_within_part(const Shape& g, block_id first) const {
    for (const block_id p : g.predecessors(first))
      if (part_of_[p] == part_of_[first] && !structure_->ends().reaches_exit(p)) return true;
    return g.successors(first).empty();
  }
  // So every endless loop gets a way to the end: a test before each iteration that no thread fails.
  constexpr void give_way_out(const Shape& g, linearization& result) {
    flow_plan& plan = result.plan;
    const block_id end = plan.add_empty(true);
    std::vector<block_id> work;
    std::vector<unsigned char> inside;
    inside.assign(g.num_blocks(), 0);
    for (block_id first = 0; first < g.num_blocks(); ++first) {
      if (!structure_->ends().ends(first) || structure_->ends().reaches_exit(first)) continue;
      const block_id test = plan.add_guard(plan.add_variable(), 0, 0);
      plan.set_edge(test, 0, first);
      plan.set_edge(test, 1, end);
      ++result.endless;
      work.push_back(first);
      inside[first] = 1;
      while (!work.empty()) {  // the loop is all that can be reached
        const block_id b = work.back();
        work.pop_back();
        for (std::size_t k = 0; k < g.successors(b).size(); ++k) {
          const block_id s = g.successors(b)[k];
          if (s == first) plan.set_edge(b, k, test);
          if (inside[s] != 0) continue;
          inside[s] = 1;
          work.push_back(s);
        }
      }
    }
  }

  // --- a round: every outermost region at once ---

  // `clean`: finds only regions without a convergent block, the outermost of these.
  constexpr void find_regions(bool clean) {
    blocked_.clear();
    if (clean && !convergent_.empty())
      for (const part& p : part_) blocked_.push_back(p.convergent ? 1 : 0);
    if (weighs && clean && !bounds_.empty()) {
      if (declined_of_.empty()) declined_of_.assign(part_.size(), none);
      flow_.recompute_without(
          facts_, {std::span<const std::uint32_t>(declined_of_), std::span<const declined_regions::between>(bounds_)},
          std::span<const unsigned char>(blocked_));
    } else {
      flow_.recompute(facts_, false, std::span<const unsigned char>(blocked_));
    }
    const auto regions = flow_.regions();
    parts_threads_.assign(regions.size(), 1);
    if (divergent_.empty()) return;
    divergent_part_.assign(part_.size(), 0);
    for (const live_edge& e : live_)
      if (e.block < divergent_.size() && divergent_[e.block] != 0) divergent_part_[e.from] = 1;
    for (std::uint32_t r = 0; r < regions.size(); ++r) parts_threads_[r] = threads_part_in(r) ? 1 : 0;
  }

  // True if threads may go from a part of the region to different ones, or enter it at different parts. A part with
  // several ways out has one block that all of them leave.
  constexpr bool threads_part_in(std::uint32_t r) const {
    const unstructured_region& region = flow_.regions()[r];
    const auto leave_apart = [&](block_id p, bool inside_only) {
      if (p == no_block || divergent_part_[p] == 0) return false;
      block_id first = no_block;
      for (const block_id s : quotient_.successors(p)) {
        if (inside_only && flow_.region_of(s) != r) continue;
        if (first != no_block && first != s) return true;
        first = s;
      }
      return !inside_only && first != no_block && quotient_.is_exit(p);
    };
    for (const block_id p : flow_.blocks(region))
      if (leave_apart(p, false)) return true;
    return leave_apart(region.dominator, true);
  }

  constexpr bool one_round(linearization& result) {
    leaves_ = &facts_.ends();
    if constexpr (weighs) weighed_.assign(part_.size(), region_cost{-1, 0, 0, 0, false});
    for (std::uint32_t level = 0;; ++level) {
      if (!take_regions(result)) return false;
      if constexpr (!weighs) {
        break;
      } else {
        if (!decline_regions(result)) break;
        if (level < most_levels) find_regions(true);
      }
    }
    const auto regions = flow_.regions();
    each_region([&](std::uint32_t r) { linearize_region(r, regions[r].post_dominator, result); });
    contract();
    return true;
  }

  // Takes up the regions with divergent threads that are not declined. False if there is none.
  constexpr bool take_regions(linearization& result) {
    const auto regions = flow_.regions();
    region_of_.assign(part_.size(), none);
    bool any = false;
    result.uniform = 0;
    for (std::uint32_t r = 0; r < regions.size(); ++r) {
      if (regions[r].size < 2) continue;
      if (parts_threads_[r] != 1) {
        result.uniform += parts_threads_[r] == 0 ? 1 : 0;
        continue;
      }
      for (const block_id p : flow_.blocks(regions[r])) region_of_[p] = r;
      any = true;
    }
    if (!any) return false;
    order_parts(facts_.loops());
    collect(static_cast<std::uint32_t>(regions.size()));
    return true;
  }

  // Weighs each region that was not weighed before. True if one was declined.
  constexpr bool decline_regions(linearization& result) {
    bool any = false;
    const auto regions = flow_.regions();
    for (std::uint32_t r = 0; r < regions.size(); ++r) {
      if (regions[r].size < 2 || parts_threads_[r] != 1) continue;
      region_cost& cost = weighed_[parts_[begin_[r]]];
      if (cost.before >= 0) continue;
      region_shape shape = shape_of(r, regions[r].post_dominator);
      cost = weigher_.weigh(result.plan, std::span<const block_id>(enter_), std::span<const region_edge>(region_edges_),
                            shape.made.after, shape.choose, options_);
      if (cost.pays) continue;
      any = true;
      parts_threads_[r] = 2;
      result.kept.push_back({shape.made.dominator, shape.made.after, enter_[0], size_[r], cost});
      cost.before = -1;  // for a region that begins with the same part
      if (declined_of_.empty()) declined_of_.assign(part_.size(), none);
      for (const block_id p : flow_.blocks(regions[r])) declined_of_[p] = static_cast<std::uint32_t>(bounds_.size());
      bounds_.push_back({regions[r].dominator, regions[r].post_dominator});
    }
    return any;
  }

  // A region from which another one is entered comes first: it dominates the other one.
  template <class Do>
  constexpr void each_region(Do linearize_it) {
    for (const block_id p : order_) {
      const std::uint32_t r = region_of_[p];
      if (r != none && new_part_[part_.size() + r] == none) linearize_it(r);
    }
  }

  constexpr void build_quotient() {
    csr_builder builder(part_.size(), entry_);
    for (const live_edge& e : live_) {
      if (e.to == no_block)
        builder.mark_exit(e.from);
      else
        builder.add_edge(e.from, e.to);
    }
    quotient_ = builder.build();
    facts_.reset(quotient_);
  }

  // Notes the convergent blocks of the outermost regions that are left as they are.
  constexpr void note_refused() {
    if (flow_.obstacles().empty()) return;
    find_regions(false);
    for (block_id b = 0; b < convergent_.size(); ++b) {
      if (part_of_[b] == none || convergent_[b] == 0) continue;
      const std::uint32_t r = flow_.region_of(part_of_[b]);
      if (r != none && flow_.regions()[r].size > 1 && parts_threads_[r] != 0) refused_[b] = 1;
    }
  }
  constexpr void list_refused(linearization& result) {
    for (block_id b = 0; b < refused_.size(); ++b)
      if (refused_[b] != 0) result.refused.push_back(b);
  }

  // place_: the number of a part in its region.
  constexpr void order_parts(const dense::basic_loop_forest<Shape>& loops) {
    list_loop_contiguous(loops, order_, next_);
    place_.assign(part_.size(), none);
    size_.assign(part_.size() + 1, 0);
    if (!rank_.empty()) {
      by_rank_.assign(rank_.size(), no_block);
      for (const block_id p : order_)
        if (const block_id h = part_[p].head; h < rank_.size() && rank_[h] != none) by_rank_[rank_[h]] = p;
      for (const block_id p : by_rank_)
        if (p != no_block) give_place(p);
    }
    for (const block_id p : order_)
      if (place_[p] == none) give_place(p);
  }
  constexpr void give_place(block_id p) {
    if (region_of_[p] == none) return;
    place_[p] = size_[region_of_[p]]++;
  }

  // Edges by region; those that concern none stay.
  constexpr void collect(std::uint32_t regions) {
    const auto region = [&](const live_edge& e) {
      if (region_of_[e.from] != none) return region_of_[e.from];
      return e.to == no_block ? none : region_of_[e.to];
    };
    first_.assign(std::size_t{regions} + 1, 0);
    for (const live_edge& e : live_)
      if (const std::uint32_t r = region(e); r != none) ++first_[r];
    const std::uint32_t all = begin_rows(first_);
    edges_.assign(all, 0);
    for (std::uint32_t e = 0; e < live_.size(); ++e)
      if (const std::uint32_t r = region(live_[e]); r != none) edges_[first_[r]++] = e;
    end_rows(first_);
    parts_.assign(part_.size(), no_block);
    begin_.assign(std::size_t{regions} + 1, 0);
    for (std::uint32_t r = 0; r < regions; ++r) begin_[r + 1] = begin_[r] + size_[r];
    for (block_id p = 0; p < part_.size(); ++p)
      if (region_of_[p] != none && place_[p] != none) parts_[begin_[region_of_[p]] + place_[p]] = p;
    // By part, which edges leave it; and how many of them enter regions.
    first_out_.assign(part_.size() + 1, 0);
    entering_.assign(part_.size(), 0);
    for (const live_edge& e : live_) {
      ++first_out_[e.from + 1];
      if (region_of_[e.from] == none && region(e) != none) ++entering_[e.from];
    }
    for (std::size_t p = 0; p < part_.size(); ++p) first_out_[p + 1] += first_out_[p];
    out_.assign(live_.size(), 0);
    next_.assign(first_out_.begin(), first_out_.end());
    for (std::uint32_t e = 0; e < live_.size(); ++e) out_[next_[live_[e].from]++] = e;
    taken_.assign(live_.size(), 0);
    arriving_.clear();
    first_arriving_.assign(regions, none);
    new_part_.assign(part_.size() + regions, none);
    made_.clear();
    fresh_.clear();
    region_edges_.reserve(all + 1);
  }

  // One branch enters the region, and leads nowhere else but past it: then it can choose the first part itself. Its
  // edges that pass by have to be led like threads that want none.
  constexpr bool can_choose(std::uint32_t r, block_id from, std::uint32_t edges, block_id after) {
    if (edges < 2 || entering_[from] != edges || leaves_->ends(from)) return false;
    for (std::uint32_t i = first_out_[from]; i < first_out_[from + 1]; ++i) {
      const block_id to = live_[out_[i]].to;
      if (to == no_block || (region_of_[to] != r && to != after)) return false;
    }
    return true;
  }

  // The arguments of the writer for a region: these, enter_ and region_edges_.
  struct region_shape {
    linearized_region made;
    bool choose = false;
    std::uint32_t passing = none;  // the place in region_edges_ from which on edges pass the region
    block_id from = no_block;      // the part that they come from
  };
  constexpr region_shape shape_of(std::uint32_t r, block_id after) {
    const std::uint32_t parts = size_[r];
    region_shape shape;
    region_edges_.clear();
    const bool starts = region_of_[entry_] == r;
    if (starts) region_edges_.push_back({none, place_[entry_], no_block, 0});
    std::uint32_t entering = 0;
    block_id from = no_block;
    bool one_source = !starts && first_arriving_[r] == none;
    for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) {
      const live_edge& e = live_[edges_[i]];
      const bool inside = region_of_[e.from] == r, stays = e.to != no_block && region_of_[e.to] == r;
      region_edges_.push_back({inside ? place_[e.from] : none, stays ? place_[e.to] : parts, e.block, e.slot});
      if (inside) continue;
      ++entering;
      one_source = one_source && (from == no_block || from == e.from);
      from = e.from;
    }
    for (std::uint32_t i = first_arriving_[r]; i != none; i = arriving_[i].next)
      region_edges_.push_back({none, place_[arriving_[i].to], arriving_[i].block, arriving_[i].slot});
    std::uint32_t to = none;  // of edges from outside
    bool several = false;
    linearized_region& made = shape.made;
    for (const region_edge& e : region_edges_) {
      if (e.from != none) continue;
      several = several || (to != none && to != e.to);
      made.dominator = to == none || made.dominator == e.block ? e.block : no_block;
      to = e.to;
    }
    shape.choose =
        one_source && several && options_.optimize >= guard_optimization::o3 && can_choose(r, from, entering, after);
    shape.passing = static_cast<std::uint32_t>(region_edges_.size());
    shape.from = from;
    if (shape.choose || (lead_past_ && one_source && from != no_block))
      for (std::uint32_t i = first_out_[from]; i < first_out_[from + 1]; ++i) {
        const live_edge& e = live_[out_[i]];
        if (after != no_block && e.to == after && taken_[out_[i]] == 0)
          region_edges_.push_back({none, parts, e.block, e.slot});
      }
    enter_.assign(parts, no_block);
    for (std::uint32_t i = 0; i < parts; ++i) enter_[i] = part_[parts_[begin_[r] + i]].enter;
    made.after = after == no_block ? no_block : part_[after].enter;
    made.parts = parts;
    return shape;
  }
  // Notes that the edges of a region have been led elsewhere.
  constexpr void take_edges_of(std::uint32_t r, block_id after, const region_shape& shape) {
    const std::uint32_t name = static_cast<std::uint32_t>(part_.size()) + r;
    for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) {
      const live_edge& e = live_[edges_[i]];
      taken_[edges_[i]] = 1;
      if (region_of_[e.from] != r) fresh_.push_back({e.from, name, e.block, e.slot});
    }
    if (shape.passing == region_edges_.size()) return;
    for (std::uint32_t i = first_out_[shape.from]; i < first_out_[shape.from + 1]; ++i) {
      const live_edge& e = live_[out_[i]];
      if (e.to != after || taken_[out_[i]] != 0) continue;
      taken_[out_[i]] = 1;
      fresh_.push_back({e.from, name, e.block, e.slot});
    }
  }

  constexpr void linearize_region(std::uint32_t r, block_id after, linearization& result) {
    const std::uint32_t name = static_cast<std::uint32_t>(part_.size()) + r;
    const region_shape shape = shape_of(r, after);
    take_edges_of(r, after, shape);
    linearized_region made = shape.made;
    const bool choose = shape.choose;
    writer_.write(result.plan, std::span<const block_id>(enter_), std::span<const region_edge>(region_edges_),
                  made.after, choose, options_.loops, options_.optimize);
    if constexpr (weighs) made.cost = weighed_[parts_[begin_[r]]];
    made.loops = writer_.num_loops();
    made.variable = writer_.variable();
    result.regions.push_back(made);
    const std::uint32_t next = after == no_block ? none : region_of_[after];  // it begins after this one
    for (const writer::way_out& w : writer_.ways_out()) {
      fresh_.push_back({name, next == none ? after : static_cast<std::uint32_t>(part_.size()) + next, w.block, w.slot});
      if (next == none) continue;
      arriving_.push_back({after, w.block, w.slot, first_arriving_[next]});
      first_arriving_[next] = static_cast<std::uint32_t>(arriving_.size() - 1);
    }
    new_part_[name] = static_cast<std::uint32_t>(made_.size());
    made_.push_back({part_[parts_[begin_[r]]].head, choose ? several_ : writer_.entry(), false});
  }

  // Regions become parts.
  constexpr void contract() {
    for (block_id p = 0; p < part_.size(); ++p) {
      if (region_of_[p] != none) continue;
      new_part_[p] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(part_[p]);
    }
    for (block_id p = 0; p < part_.size(); ++p)
      if (region_of_[p] != none) new_part_[p] = new_part_[part_.size() + region_of_[p]];
    for (std::uint32_t e = 0; e < live_.size(); ++e)
      if (taken_[e] == 0) fresh_.push_back(live_[e]);
    part_.swap(made_);
    rename();
  }
  // fresh_ becomes the edges, by new names; those within a part go.
  constexpr void rename() {
    live_.clear();
    for (live_edge e : fresh_) {
      e.from = new_part_[e.from];
      if (e.to != no_block) e.to = new_part_[e.to];
      if (e.from != e.to) live_.push_back(e);
    }
    for (std::uint32_t& p : part_of_)
      if (p != none) p = new_part_[p];
    if (weighs && !bounds_.empty()) rename_declined();
    entry_ = new_part_[entry_];
    build_quotient();
  }
  // A part is in the declined region that all of its old parts are in.
  constexpr void rename_declined() {
    made_of_.assign(part_.size(), none - 1);
    for (std::size_t p = 0; p < declined_of_.size(); ++p) {
      std::uint32_t& of = made_of_[new_part_[p]];
      of = of == none - 1 || of == declined_of_[p] ? declined_of_[p] : none;
    }
    declined_of_.swap(made_of_);
    for (declined_regions::between& b : bounds_) {
      if (b.dominator != no_block) b.dominator = new_part_[b.dominator];
      if (b.post_dominator != no_block) b.post_dominator = new_part_[b.post_dominator];
    }
  }
  // Blocks that structure_ has reduced to one node become one part.
  constexpr void merge_parts() {
    made_.clear();
    new_part_.assign(part_.size(), none);
    for (const block_id h : structure_->heads()) {
      new_part_[h] = static_cast<std::uint32_t>(made_.size());
      made_.push_back(part_[h]);
    }
    for (block_id p = 0; p < part_.size(); ++p) {
      new_part_[p] = new_part_[structure_->head_of(p)];
      made_[new_part_[p]].convergent = made_[new_part_[p]].convergent || part_[p].convergent;
    }
    part_.swap(made_);
    fresh_.swap(live_);
    rename();
  }

  struct arriving_edge {
    block_id to;
    block_id block;
    std::uint32_t slot, next;
  };

  Weigher weigher_;
  flow_plan as_given_;                                // before ways out of endless loops, with a weigher
  std::vector<region_cost> weighed_;                  // by part that a region begins with; before < 0: not weighed
  std::vector<std::uint32_t> declined_of_, made_of_;  // by part: the innermost declined region, or none
  std::vector<declined_regions::between> bounds_;     // by declined region
  linearize_options options_;
  std::span<const unsigned char> convergent_, divergent_;
  basic_cfg_facts<Shape> facts_, again_facts_;                           // of quotient_, of again_
  const dense::basic_structural_reduction<Shape>* structure_ = nullptr;  // the last one
  dense::basic_unstructured_flow<Shape> flow_;
  const end_index<Shape>* leaves_ = nullptr;  // where control ends, by part
  writer writer_;
  Shape quotient_, again_;
  std::vector<part> part_, made_;
  std::vector<live_edge> live_, fresh_;
  block_id entry_ = no_block;  // part
  bool lead_past_ = false;
  std::vector<std::uint32_t> part_of_, rank_, by_rank_;                                     // by block
  std::vector<std::uint32_t> region_of_, place_, order_, new_part_, entering_, first_out_;  // by part
  std::vector<std::uint32_t> size_, first_, begin_, first_arriving_;                        // by region
  std::vector<std::uint32_t> edges_, parts_, out_, next_;
  std::vector<arriving_edge> arriving_;
  std::vector<region_edge> region_edges_;
  std::vector<block_id> enter_;
  std::vector<std::uint32_t> behind_;  // by region
  std::vector<unsigned char> taken_, refused_, refused_regions_, blocked_;
  std::vector<unsigned char> divergent_part_;  // by part: a divergent branch ends it
  std::vector<unsigned char> parts_threads_;   // by region: threads_part_in(); 2: declined
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

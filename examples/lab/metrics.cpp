// SPDX-License-Identifier: BSL-1.0
#include "lab/metrics.hpp"

#include "lab/files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace lab {

std::vector<metric> full_metrics::values(const simtflow::counts& c, simtflow::policy_scope scope,
                                         const least_work* bound, const simtflow::policy_work& work) const {
  std::vector<metric> all;
  const auto count = [&](std::string name, std::uint64_t n) {
    all.push_back({std::move(name), static_cast<double>(n), true});
  };
  const auto share = [&](std::string name, double x) { all.push_back({std::move(name), x, false}); };

  count("fetches", c.fetches);
  const bool warps = scope == simtflow::policy_scope::warp;
  if (warps) share("activity_of_live", activity_.of_live());
  share("activity_of_thread_block", activity_.of_thread_block());
  // "W n:m" in eighths of the warp, as the thread block compaction paper draws it.
  const std::size_t step = std::max<std::size_t>(1, warp_width_ / 8);
  for (std::size_t low = 1; low <= std::max<std::size_t>(warp_width_, widths_.widest()); low += step)
    count(step == 1 ? fmt::format("w{}", low) : fmt::format("w{}_{}", low, low + step - 1),
          widths_.between(low, low + step - 1));
  share("depth_mean", depth_.mean());
  if (warps) {
    count("places_max", places_.most());
    share("places_mean", places_.mean());
    count("converged_fetches", places_.converged());
  }
  count("insertions", work.insertions);
  count("entries_walked", work.entries_walked);
  share("walked_per_insertion",
        work.insertions == 0 ? 0.0 : static_cast<double>(work.entries_walked) / static_cast<double>(work.insertions));
  count("divergent_branches", c.divergent_branches);
  count("branches_diverged", frontiers_.branches());
  count("frontier_min", frontiers_.smallest());
  count("frontier_max", frontiers_.largest());
  share("frontier_mean", frontiers_.mean());
  share("frontier_mean_at_run_time", frontiers_.mean_at_run_time());
  if (bound != nullptr) count("reexecuted_blocks", c.fetches - std::min(c.fetches, bound->fetches));
  count("mixed_iterations", mixed_.total());
  if (warps) {
    count("temporal_slots", temporal_.slots_taken());
    count("temporal_slots_without_skipping", temporal_.slots_without_skipping());
    share("temporal_efficiency", temporal_.efficiency());
  }
  count("barrier_waits", c.barrier_waits);
  count("no_op_fetches", work.no_op_fetches);
  count("merge_conflicts", work.merge_conflicts);
  count("fragmentations", work.fragmentations);
  count("pool_stalls", work.pool_stalls);
  count("table_evictions", work.table_evictions);
  count("unarmed_waits", work.unarmed_waits);
  if (memory_.global_accesses + memory_.shared_accesses != 0) {
    count("global_accesses", memory_.global_accesses);
    count("transactions", memory_.transactions);
    share("memory_efficiency", memory_.efficiency());
    count("shared_accesses", memory_.shared_accesses);
    count("bank_passes", memory_.bank_passes);
    count("bank_conflicts", memory_.bank_conflicts);
  }
  if (kernel_ != nullptr) {
    const simtflow::ptx::instruction_figures f = figures();
    count("weighted", f.weighted);
    share("alu_utilization", f.alu_utilization());
    share("alu_utilization_on", f.alu_utilization_on());
    count("vector_loads", f.vector_loads);
    count("vector_stores", f.vector_stores);
    count("shared_loads", f.shared_loads);
    count("shared_stores", f.shared_stores);
  }
  for (const auto& own : own_)
    for (metric& m : own->columns()) {
      if (std::any_of(all.begin(), all.end(), [&](const metric& other) { return other.name == m.name; }))
        throw input_error(fmt::format("a registered observer has a column \"{}\", which is there already", m.name));
      all.push_back(std::move(m));
    }
  return all;
}

}  // namespace lab

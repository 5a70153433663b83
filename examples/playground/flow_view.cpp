// SPDX-License-Identifier: BSL-1.0
#include "playground/flow_view.hpp"

#include "playground/flow_run.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace playground {

using namespace simtflow;
using lab::chosen_policy;

namespace {

struct flow_result {
  outcome how = outcome::finished;
  std::string words;  // on that, unless it finished
  std::string other_order;
};

class flow_runner {
 public:
  flow_runner(const flow_program& program, const lab::view_options& options)
      : program_(program),
        options_(options),
        graph_(program.graph()),
        facts_(graph_, graph_, options.order, barriers(), weights(), program.warp_width) {
    std::vector<unsigned char> reads;
    for (const flow_block& b : program.blocks)
      reads.push_back(uses(b.code, flow_op::is) || uses(b.code, flow_op::take) ? 1 : 0);
    facts_.set_strong_reads(std::move(reads));
  }

  // A profile of the branches, for policies that ask for it.
  void learn() {
    lab::edge_counter edges(graph_);
    (void)run(lab::parse_policy(lab::oracle_name), nullptr, &edges);
    facts_.set_profile(edges.profile());
  }

  std::string why_not(const chosen_policy& c) const { return lab::not_applicable(c, facts_, program_.threads, {}); }

  flow_result run(const chosen_policy& c, lab::run_history* history, lab::edge_counter* edges = nullptr) {
    const auto with = [&](lab::run_history* seen) {
      return std::visit([&](auto policy) { return run_as(std::move(policy), c, seen, edges); },
                        lab::make_policy(c, facts_));
    };
    return lab::run_in_safe_order(
        facts_, c, c.info->barriers, [&] { return with(nullptr); }, [&] { return with(history); });
  }

  lab::kernel_view empty_view() const {
    lab::kernel_view view;
    view.name = "program";
    view.graph = view.bodies = graph_;
    view.barriers = barriers();
    view.weights = weights();
    view.warp_width = program_.warp_width;
    for (const flow_block& b : program_.blocks) {
      view.labels.push_back(b.name);
      view.code.push_back(b.text);
    }
    return view;
  }

 private:
  template <class Policy>
  flow_result run_as(Policy policy, const chosen_policy& c, lab::run_history* history, lab::edge_counter* edges) {
    if (history != nullptr) policy.listen(history->listener<typename Policy::mask_type>());
    const bool comparable = policy.abilities().comparable;
    executor<Policy> machine(std::move(policy));
    flow_run program(program_);
    const launch shape{.threads = program_.threads, .warp_width = program_.warp_width, .barriers = c.info->barriers};
    const auto observer = [&](const auto& e) {
      if constexpr (requires { (*history)(e); })
        if (history != nullptr) (*history)(e);
      if constexpr (requires { (*edges)(e); })
        if (edges != nullptr) (*edges)(e);
    };
    const auto verdict =
        machine.run(program, shape, observer, {.steps = options_.most_blocks, .detect_livelock = comparable});
    if (verdict.finished()) return {};
    if (history != nullptr) history->stopped(0, verdict);
    const auto name = [this](block_id b) { return b == no_block ? "end" : program_.blocks[b].name; };
    return {verdict.how, describe(verdict, name), {}};
  }

  std::vector<unsigned char> barriers() const {
    std::vector<unsigned char> all;
    for (const flow_block& b : program_.blocks) all.push_back(b.barrier ? 1 : 0);
    return all;
  }
  std::vector<std::uint32_t> weights() const {
    std::vector<std::uint32_t> all;
    for (const flow_block& b : program_.blocks) all.push_back(b.weight);
    return all;
  }

  const flow_program& program_;
  const lab::view_options& options_;
  csr_graph graph_;
  lab::schedule facts_;
};

}  // namespace

lab::kernel_view view_flow(const flow_program& program, const lab::view_options& options,
                           const std::vector<chosen_policy>& chosen) {
  flow_runner runner(program, options);
  lab::kernel_view view = runner.empty_view();
  for (const chosen_policy& c : chosen)
    if (c.identity().find("profile") != std::string::npos) {
      runner.learn();
      break;
    }
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = runner.why_not(c); !reason.empty()) {
      view.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
      continue;
    }
    auto history = std::make_unique<lab::run_history>(0, options.most_events);
    const flow_result r = runner.run(c, history.get());
    if (!r.other_order.empty()) view.remarks.push_back(fmt::format("{}: {}", c.name, r.other_order));
    if (r.how != outcome::finished) view.remarks.push_back(fmt::format("{}: {}", c.name, r.words));
    view.good = view.good && r.how == outcome::finished;
    view.runs.push_back({c, std::move(history), std::string(to_string(r.how)), r.words});
  }
  return view;
}

}  // namespace playground

// SPDX-License-Identifier: BSL-1.0
//
// Parts that users register in the tool. The registrations of tests/consumer/lab are right; these are refused.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policy_names.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>
#include <lab/files.hpp>
#include <lab/lab.hpp>
#include <lab/metrics.hpp>
#include <lab/own_parts.hpp>
#include <lab/policies.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace lab;

struct counted_blocks {
  template <class Mask>
  void operator()(const simtflow::event::issued<Mask>&) {
    ++blocks;
  }
  [[nodiscard]] std::vector<metric> columns() const { return {{"blocks_seen", static_cast<double>(blocks)}}; }
  std::uint64_t blocks = 0;
};

// Its column is one of the tool's own.
struct counts_fetches {
  void operator()(const simtflow::event::ended&) {}
  [[nodiscard]] std::vector<metric> columns() const { return {{"fetches"}}; }
};

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const input_error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("own parts: what is wrong is said when the tool starts, each in a line") {
  CHECK(register_policy<simtflow::policies::lane_serial>("mine"));
  CHECK_FALSE(register_policy<simtflow::policies::lane_serial>("mine"));
  CHECK_FALSE(register_policy<simtflow::policies::lane_serial>("pdom"));
  CHECK(register_machine("small", "one core", simtflow::timing::machines::volta()));
  CHECK_FALSE(register_machine("small", "", simtflow::timing::machines::volta()));
  CHECK_FALSE(register_machine("a/b", "", simtflow::timing::machines::volta()));
  CHECK_FALSE(register_machine("a.json", "", simtflow::timing::machines::volta()));
  simtflow::timing::machine broken = simtflow::timing::machines::volta();
  broken.core.warp_width = 0;
  CHECK_FALSE(register_machine("broken", "", broken));
  const std::string all = refusal([] { close_registrations(); });
  CAPTURE(all);
  CHECK(all.find("registered as \"mine\": another registered policy has this name\n") != std::string::npos);
  CHECK(all.find("registered as \"pdom\": a policy that ships has this name\n") != std::string::npos);
  CHECK(all.find("registered as \"small\": another registered machine has this name\n") != std::string::npos);
  CHECK(all.find("registered as \"a/b\": a file could have the name\n") != std::string::npos);
  CHECK(all.find("registered as \"a.json\": a file could have the name\n") != std::string::npos);
  CHECK(all.find("registered as \"broken\": ") != std::string::npos);

  REQUIRE(own_machines().size() == 1);
  CHECK(own_machines()[0].machine.name == "small");
  const auto policies = all_policies();
  REQUIRE(policies.size() == simtflow::known_policies().size() + 1);
  CHECK(policies[policies.size() - 2]->name == "mine");
  CHECK(policies.back()->name == oracle_name);
}

TEST_CASE("own parts: once the tool has started a registration is refused on the spot") {
  close_registrations();
  const auto late = [](auto f) { return refusal(f).find("a registration comes too late: the tool has started") == 0; };
  CHECK(late([] { register_policy<simtflow::policies::lane_serial>("mine"); }));
  CHECK(late([] { register_columns<counted_blocks>(); }));
  CHECK(late([] { register_machine("small", "", simtflow::timing::machines::volta()); }));
  CHECK(simtflow::registered_policies().empty());
  CHECK(own_machines().empty());
  CHECK(columns_of_one_run().empty());
}

TEST_CASE("own parts: an observer of each run sees that run only, over masks of both widths") {
  CHECK(register_columns<counted_blocks>());
  const auto first = columns_of_one_run(), second = columns_of_one_run();
  REQUIRE(first.size() == 1);
  simtflow::event::issued<own_columns::narrow> warp{};
  simtflow::event::issued<own_columns::wide> block{};
  (*first[0])(warp);
  (*first[0])(block);
  (*second[0])(simtflow::event::ended{});  // it takes no such event
  CHECK(first[0]->columns()[0].value == 2);
  CHECK(second[0]->columns()[0].value == 0);
}

TEST_CASE("own parts: a column is there once") {
  const simtflow::csr_graph graph = simtflow::csr_builder(1).build();
  const auto loops = simtflow::loops(graph);
  const std::vector<std::uint32_t> frontiers(1);
  const auto names = [&] {
    const full_metrics run({}, loops, frontiers, 32, nullptr);
    std::vector<std::string> all;
    for (const metric& m : run.values({}, simtflow::policy_scope::warp, nullptr, {})) all.push_back(m.name);
    return all;
  };
  const std::size_t before = names().size();
  CHECK(register_columns<counted_blocks>());
  REQUIRE(names().size() == before + 1);
  CHECK(names().back() == "blocks_seen");
  CHECK(register_columns<counts_fetches>());
  CHECK(refusal([&] { (void)names(); }) == "a registered observer has a column \"fetches\", which is there already");
}

// SPDX-License-Identifier: BSL-1.0
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/verdict.hpp>

#include <doctest/doctest.h>
#include <lab/experiment.hpp>
#include <lab/files.hpp>
#include <lab/policies.hpp>
#include <lab/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace lab;
using namespace simtflow;

std::string refusal(std::string_view text) {
  try {
    (void)parse_policy(text);
  } catch (const input_error& e) {
    return e.what();
  }
  return {};
}

std::vector<std::string> names(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const chosen_policy& c : chosen_policies(texts)) all.push_back(c.name);
  return all;
}

// A loop of a branch with two arms, one with a branch inside, the other with a break past the block after the loop. In
// reverse post-order that block comes before the loop's body.
struct fixture {
  csr_graph graph = [] {
    csr_builder g(10, 0);
    g.add_edge(0, 1);
    g.add_edge(1, 2);
    g.add_edge(1, 6);
    g.add_edge(2, 3);
    g.add_edge(2, 4);
    g.add_edge(3, 8);
    g.add_edge(3, 9);
    g.add_edge(8, 9);
    g.add_edge(9, 5);
    g.add_edge(4, 5);
    g.add_edge(4, 7);
    g.add_edge(5, 1);
    g.add_edge(6, 7);
    return g.build();
  }();
  std::vector<std::uint32_t> weights{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<unsigned char> barriers = std::vector<unsigned char>(10, 0);
};

struct walk {
  std::vector<unsigned> rounds = std::vector<unsigned>(96, 0);
  block_id operator()(std::uint32_t thread, block_id b) {
    const unsigned round = rounds[thread];
    switch (b) {
      case 1:
        return rounds[thread]++ < thread % 7 + 2 ? 2 : 6;
      case 2:
        return (thread * 5 + round) % 3 == 0 ? 3 : 4;
      case 3:
        return (thread + round) % 2 == 0 ? 8 : 9;
      case 4:
        return (thread + round) % 8 == 0 ? 7 : 5;
      case 6:
        return 7;
      case 7:
        return no_block;
      case 8:
        return 9;
      case 9:
        return 5;
      default:  // 0 and 5
        return 1;
    }
  }
};

struct result {
  outcome how = outcome::finished;
  simtflow::counts counts;
  policy_work work;
};

result run_fixture(const chosen_policy& chosen, std::uint32_t warp_width) {
  const fixture f;
  schedule plan(f.graph, f.graph, priority_rule::loop_contiguous, f.barriers, f.weights, warp_width);
  edge_counter edges(f.graph);
  result r;
  const auto once = [&](const chosen_policy& c, auto& observer) {
    return with_policy(c, plan, std::nullopt, [&](auto policy, barrier_model model) {
      const auto work = policy.total_work();
      outcome how = outcome::finished;
      {
        executor machine(std::move(policy));
        walk steps;
        callable_program program(steps, f.weights);
        how = machine.run(program, {.threads = 96, .warp_width = warp_width, .barriers = model}, observer).how;
      }
      r.work = *work;
      return how;
    });
  };
  once(parse_policy(oracle_name), edges);
  plan.set_profile(edges.profile());
  r.how = once(chosen, r.counts);
  return r;
}

TEST_CASE("policies: a list of texts, and what stands after a comma") {
  CHECK(names({}) == std::vector<std::string>{"pdom", "tf", "volta", "serial"});
  CHECK(names({"all"}).size() == simtflow::known_policies().size());
  CHECK(names({"serial,tf", "tf"}) == std::vector<std::string>{"tf", "serial"});
  CHECK(names({"tbc:lanes=permuted,likely=loops,pdom"}) ==
        std::vector<std::string>{"pdom", "tbc:lanes=permuted,likely=loops"});
  CHECK(names({"pdom:order=larger,pdom:order=last,pdom"}) ==
        std::vector<std::string>{"pdom:order=larger", "pdom:order=last", "pdom"});
  CHECK(names({"dwf:scheduler=time"}) == std::vector<std::string>{"dwf:scheduler=time"});
}

TEST_CASE("policies: a name is one with parameters set") {
  const auto same = [](std::string_view a, std::string_view b) {
    return parse_policy(a).identity() == parse_policy(b).identity();
  };
  CHECK(same("capri", "tbc:mode=predicted"));
  CHECK(same("tbc-lcp", "tbc:likely=loops"));
  CHECK(same("tbc-permuted", "tbc:lanes=permuted"));
  CHECK(same("pdom-smaller", "pdom:order=smaller"));
  CHECK(same("dwf-pdom", "dwf:scheduler=pdom"));
  CHECK(same("dwf", "dwf-majority"));
  CHECK(same("capri:mode=always", "tbc"));
  CHECK_FALSE(same("capri", "tbc"));
  CHECK_FALSE(same("aware", "multi-path:schedule=fifo,timeout=100"));  // another type, which promises more
}

TEST_CASE("policies: what is wrong with a text is said") {
  CHECK(refusal("pdom").empty());
  CHECK(refusal("quick").find("--policy quick: there is no policy \"quick\"; there are pdom, ") == 0);
  CHECK(refusal("pdom:order=up") == "--policy pdom:order=up: order is one of first, last, smaller, larger, not \"up\"");
  CHECK(refusal("pdom:speed=1") == "--policy pdom:speed=1: it has no parameter \"speed\"; there are order");
  CHECK(refusal("mimd:a=b") == "--policy mimd:a=b: it has no parameters, so no \"a\"");
  CHECK(refusal("aware:timeout=0") ==
        "--policy aware:timeout=0: timeout is a whole number from 1 to 1000000000, not \"0\"");
  for (const char* number : {"-1", "1.5", "", "x", "99999999999999999999999", "8 "})
    CHECK_FALSE(refusal(std::string("large-warps:warps=") + number).empty());
  CHECK(refusal("tbc:lanes") == "--policy tbc:lanes: \"lanes\" is not of the form PARAMETER=VALUE");
  CHECK_FALSE(refusal("tbc:").empty());
  CHECK(refusal("pdom:order=first,order=last").find("stands twice") != std::string::npos);
  CHECK_FALSE(refusal("").empty());
  CHECK_THROWS_AS((void)chosen_policies(std::vector<std::string>{"pdom,"}), input_error);
  CHECK_THROWS_AS((void)chosen_policies(std::vector<std::string>{"order=first"}), input_error);
}

TEST_CASE("policies: every value of every parameter runs, and threads do the same under all") {
  const std::uint64_t expected = run_fixture(parse_policy(oracle_name), 32).counts.thread_instructions;
  REQUIRE(expected > 1000);
  for (const policy_info& p : simtflow::known_policies()) {
    const fixture f;
    const schedule plan(f.graph, f.graph, priority_rule::rpo, f.barriers, f.weights, 32);
    if (p.family == "predicate" && plan.code().empty()) continue;
    std::vector<std::string> texts{std::string(p.name)};
    for (const policy_parameter& q : p.parameters) {
      const std::string_view values = q.values;
      const std::string start = std::string(p.name) + ":" + std::string(q.name) + "=";
      if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
        for (const std::string_view n : {values.substr(0, dots), values.substr(dots + 2), std::string_view("3")})
          texts.push_back(start + std::string(n));
      } else {
        for (std::size_t at = 0; at <= values.size();) {
          const std::size_t end = std::min(values.find('|', at), values.size());
          texts.push_back(start + std::string(values.substr(at, end - at)));
          at = end + 1;
        }
      }
    }
    for (const std::string& text : texts)
      for (const std::uint32_t width : {8U, 96U}) {
        CAPTURE(text);
        CAPTURE(width);
        const result r = run_fixture(parse_policy(text), width);
        // Frontiers that are too small may lose lanes, as conservative_branch.hpp says; nothing else may happen.
        if (text.find("frontier=") != std::string::npos && text.find("fixpoint") == std::string::npos &&
            r.how == outcome::lost_threads)
          continue;
        CHECK(r.how == outcome::finished);
        CHECK(r.counts.thread_instructions == expected);
      }
  }
}

TEST_CASE("policies: parameters arrive") {
  const auto cost = [](std::string_view text) { return run_fixture(parse_policy(text), 32).counts.warp_instructions; };
  const auto overhead = [](std::string_view text) {
    return run_fixture(parse_policy(text), 32).counts.overhead_operations;
  };
  const auto distinct = [&](const std::vector<std::string>& texts) {
    std::set<std::uint64_t> all;
    for (const std::string& text : texts) all.insert(cost(text));
    return all.size();
  };
  CHECK(distinct({"dwf:scheduler=majority", "dwf:scheduler=minority", "dwf:scheduler=time", "dwf:scheduler=pc",
                  "dwf:scheduler=pdom"}) >= 3);
  CHECK(distinct({"tbc:lanes=identity", "tbc:lanes=permuted", "tbc:lanes=free"}) >= 2);
  const auto narrow = [](std::string_view text) { return run_fixture(parse_policy(text), 8).counts.warp_instructions; };
  CHECK(narrow("tbc:mode=predicted") != narrow("tbc:mode=always"));
  CHECK(narrow("tbc:mode=predicted") != narrow("tbc:mode=static"));
  CHECK(cost("tbc:mode=always") < cost("tbc:mode=static"));
  CHECK(distinct({"tbc:likely=none", "tbc:likely=loops"}) == 2);
  CHECK(distinct({"lcp:likely=none", "lcp:likely=loops"}) == 2);
  CHECK(cost("lcp:likely=none") == cost("pdom"));
  CHECK(cost("lcp:likely=profile,threshold=0") == cost("pdom"));
  CHECK(cost("lcp:likely=profile,threshold=50") < cost("pdom"));
  CHECK(distinct({"large-warps:warps=1", "large-warps:warps=3"}) == 2);
  CHECK(cost("large-warps:warps=1") == cost("pdom"));
  CHECK(distinct({"subdivision:rule=post-dominator", "subdivision:rule=same-block,select=min-pc"}) == 2);
  CHECK(cost("subdivision:rule=post-dominator") == cost("pdom"));
  CHECK(cost("subdivision:rule=same-block,select=min-pc") == cost("tf"));
  CHECK(distinct({"aware:timeout=1", "aware:timeout=1000000"}) == 2);
  CHECK(distinct({"multi-path:timeout=0", "multi-path:timeout=1,schedule=fifo"}) == 2);
  CHECK(cost("tf:priority=rpo") > cost("tf"));
  CHECK(cost("min-pc:priority=rpo") == cost("tf:priority=rpo"));
  CHECK(distinct({"min-pc:pc=priority", "min-pc:pc=text"}) == 2);
  CHECK(overhead("volta:registers=1") > overhead("volta"));
  CHECK(overhead("volta:yield=loops") > overhead("volta"));
  CHECK(cost("volta:yield=loops,patience=0") > cost("volta:yield=loops,patience=1000"));
  CHECK(cost("volta:yield=loops,patience=1000") == cost("volta:yield=never"));
  CHECK(overhead("tf-sandy") > 0);
  CHECK(distinct({"dwf-barrier:arm=all", "dwf-barrier:arm=top-level"}) == 2);
  CHECK(cost("dwf-core") == cost("dwf-majority"));
  CHECK(cost("dwf:pool=1000,table=1000") == cost("dwf-majority"));
  CHECK(cost("dwf:pool=1") > cost("dwf-majority"));
  CHECK(cost("dwf:table=1") > cost("dwf-majority"));
}

TEST_CASE("policies: the mechanisms' own counters come out of the box, each run once") {
  const policy_work tf = run_fixture(parse_policy("tf"), 32).work;
  CHECK(tf.insertions > 0);
  CHECK(tf.entries_walked >= tf.insertions / 2);
  CHECK(tf.no_op_fetches == 0);
  CHECK(run_fixture(parse_policy("tf-sandy"), 32).work.no_op_fetches > 0);
  CHECK(run_fixture(parse_policy("pdom"), 32).work.insertions == 0);
  CHECK(run_fixture(parse_policy("tf"), 32).work.insertions == tf.insertions);

  // Two runs of one machine; the copies of its state that livelock detection keeps count nothing.
  struct always_new : walk {
    void remember() {}
    bool as_remembered() { return false; }
  };
  const fixture f;
  const schedule plan(f.graph, f.graph, priority_rule::loop_contiguous, f.barriers, f.weights, 32);
  auto policy = std::get<watched_policy<lane_mask>>(make_policy(parse_policy("tf"), plan));
  const auto work = policy.total_work();
  {
    executor machine(std::move(policy));
    for (int i = 0; i < 2; ++i) {
      callable_program program(always_new(), f.weights);
      REQUIRE(machine.run(program, {.threads = 96}, no_observer(), {.detect_livelock = true}).finished());
    }
  }
  CHECK(work->insertions == 2 * tf.insertions);
}

TEST_CASE("policies: a box can be compared, so a spin lock is proven to hang") {
  csr_builder builder(3, 0);
  builder.add_edge(0, 0);
  builder.add_edge(0, 1);
  builder.add_edge(1, 2);
  const csr_graph graph = builder.build();
  const std::vector<unsigned char> barriers(3, 0);
  const std::vector<std::uint32_t> weights(3, 1);
  const schedule plan(graph, graph, priority_rule::loop_contiguous, barriers, weights, 4);
  // Lane 0 goes through; the others spin at block 0, forever.
  const auto step = [](std::uint32_t thread, block_id b) -> block_id {
    return b == 0 ? (thread == 0 ? 1 : 0) : b == 1 ? 2 : no_block;
  };
  for (const chosen_policy& c : chosen_policies(std::vector<std::string>{"all"})) {
    CAPTURE(c.name);
    if (!not_applicable(c, plan, 4, std::nullopt).empty()) continue;
    with_policy(c, plan, std::nullopt, [&](auto policy, barrier_model model) {
      if (!policy.abilities().comparable) return;
      auto twin = policy;
      CHECK(policy == twin);
      executor machine(std::move(policy));
      callable_program program(step);
      const auto verdict = machine.run(program, {.threads = 4, .warp_width = 4, .barriers = model}, no_observer(),
                                       {.steps = 100000, .detect_livelock = true});
      CHECK(verdict.how == outcome::livelock);
    });
  }
}

TEST_CASE("policies: barrier models") {
  const fixture f;
  const schedule plan(f.graph, f.graph, priority_rule::rpo, f.barriers, f.weights, 32);
  CHECK(not_applicable(parse_policy("pdom"), plan, 32, barrier_model::thread_arrival) ==
        "its lanes cannot wait one by one");
  CHECK(not_applicable(parse_policy("tf"), plan, 32, barrier_model::thread_arrival).empty());
  csr_builder loop_of_two_entries(3, 0);
  loop_of_two_entries.add_edge(0, 1);
  loop_of_two_entries.add_edge(0, 2);
  loop_of_two_entries.add_edge(1, 2);
  loop_of_two_entries.add_edge(2, 1);
  loop_of_two_entries.mark_exit(2);
  const csr_graph irreducible = loop_of_two_entries.build();
  const schedule no_nesting(irreducible, irreducible, priority_rule::rpo, f.barriers, f.weights, 32);
  CHECK(not_applicable(parse_policy("predicate"), no_nesting, 32, std::nullopt) == "needs structured code");
  CHECK(not_applicable(parse_policy("tbc"), plan, 2000, std::nullopt) == "manages at most 1024 threads");
}

TEST_CASE("policies: where the default order splits warps at a barrier the barrier-aware order is taken") {
  // Lanes count down, some of them twice, and go back to the test; the barrier stands before the rest of the loop.
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{ .reg .pred %p; .reg .b32 "
      "%r<4>; .reg .b64 %d<2>;\nmov.u32 %r1, %tid.x; mov.u32 %r3, 0;\nand.b32 %r2, %r1, 1;\n"
      "H: setp.ne.u32 %p, %r2, 0; @%p bra W;\nbar.sync 0;\nand.b32 %r2, %r1, 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p, "
      "%r3, 2; @%p bra H; bra "
      "X;\nW: sub.u32 %r2, %r2, 1; bra H;\n"
      "X: ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r3; ret; }\n";
  const std::filesystem::path stem = std::filesystem::temp_directory_path() / "simtflow-split-at-barrier";
  const std::string path = stem.string() + ".ptx", launched = stem.string() + ".json";
  std::ofstream(path, std::ios::binary) << text;
  std::ofstream(launched, std::ios::binary)
      << R"({"grid": [1], "block": [64], "buffers": [{"name": "out", "type": "u32", "count": 64, "init": "zero"}],
             "params": [{"buffer": "out"}]})";
  experiment e(path, launched, {});
  for (const char* policy : {"tf", "min-pc", "tf-sandy", "tf:priority=barrier-aware"}) {
    CAPTURE(policy);
    CHECK(e.run(parse_policy(policy)).how == outcome::finished);
  }
  CHECK(e.run(parse_policy("tf:priority=loop-contiguous")).how == outcome::barrier_deadlock);
  CHECK(e.plan().order() == priority_rule::loop_contiguous);
  std::filesystem::remove(path);
  std::filesystem::remove(launched);
}

}  // namespace

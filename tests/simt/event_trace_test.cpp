// SPDX-License-Identifier: BSL-1.0
//
// Event traces: records against the events themselves, texts against what a reader of the format gets back from them.
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/event_trace.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

event_trace trace_of(const testing::fixture& f) {
  event_trace trace;
  testing::fixture_threads threads(f);
  CHECK(run(policies::thread_frontier(f.ranks), threads, threads.shape(), trace).finished());
  return trace;
}

// A reader of just enough JSON: checks the grammar, gives the objects' members as text (strings unescaped).
class reader {
 public:
  explicit reader(const std::string& text) : text_(text) {}
  using object = std::map<std::string, std::string>;

  std::vector<object> events() {
    std::vector<object> all;
    expect('[');
    for (space(); text_[at_] != ']'; space()) {
      if (!all.empty()) expect(',');
      all.push_back(members());
    }
    expect(']');
    space();
    CHECK(at_ == text_.size());
    return all;
  }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  void expect(char c) {
    space();
    REQUIRE(at_ < text_.size());
    REQUIRE(text_[at_] == c);
    ++at_;
  }
  std::string string() {
    expect('"');
    std::string s;
    for (; text_[at_] != '"'; ++at_) {
      REQUIRE(static_cast<unsigned char>(text_[at_]) >= 0x20);
      if (text_[at_] != '\\') {
        s += text_[at_];
        continue;
      }
      ++at_;
      if (text_[at_] == 'u') {
        s += static_cast<char>(std::stoi(text_.substr(at_ + 1, 4), nullptr, 16));
        at_ += 4;
      } else {
        REQUIRE((text_[at_] == '"' || text_[at_] == '\\'));
        s += text_[at_];
      }
    }
    ++at_;
    return s;
  }
  object members() {
    object o;
    expect('{');
    for (space(); text_[at_] != '}'; space()) {
      if (!o.empty()) expect(',');
      const std::string key = string();
      expect(':');
      space();
      if (text_[at_] == '"') {
        o[key] = string();
      } else if (text_[at_] == '{') {
        for (const auto& [k, v] : members()) o[key + "." + k] = v;
        o.emplace(key, "");
      } else {
        const std::size_t from = at_;
        while (text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        REQUIRE(at_ > from);
        o[key] = text_.substr(from, at_ - from);
      }
    }
    expect('}');
    return o;
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("event_trace: figure 1 of the thread frontiers paper as records and as CSV") {
  const event_trace trace = trace_of(testing::fixture_figure_1());
  std::vector<block_id> blocks;
  for (const trace_record& r : trace.records())
    if (r.kind == trace_kind::issued) blocks.push_back(r.block);
  CHECK(blocks == std::vector<block_id>{0, 1, 2, 3, 4, 5});
  CHECK(to_csv(trace) ==
        "kind,step,time,warp,first_thread,block,weight,lanes,live,depth,value,label\n"
        "started,0,0,0,0,,0,0,0,0,4,\n"
        "issued,0,0,0,0,0,1,f,f,1,1,\n"
        "diverged,0,1,0,0,0,0,f,0,0,2,\n"
        "issued,1,1,0,0,1,1,e,f,2,1,\n"
        "diverged,1,2,0,0,1,0,e,0,0,2,\n"
        "issued,2,2,0,0,2,1,d,f,2,2,\n"
        "diverged,2,3,0,0,2,0,d,0,0,2,\n"
        "issued,3,3,0,0,3,1,9,f,3,1,\n"
        "diverged,3,4,0,0,3,0,9,0,0,2,\n"
        "issued,4,4,0,0,4,1,5,f,2,2,\n"
        "issued,5,5,0,0,5,1,f,f,1,3,\n"
        "exited,5,6,0,0,5,0,f,0,0,0,\n"
        "ended,6,6,0,0,,0,0,0,0,0,\n");
  // A label is a column of its own, where there is one.
  const std::string labelled = to_csv(trace, [](block_id b) { return std::string(b == 3 ? "$L__BB0_3" : ""); });
  CHECK(labelled.find("\nissued,2,2,0,0,2,1,d,f,2,2,\nd") != std::string::npos);
  CHECK(labelled.find("\nissued,3,3,0,0,3,1,9,f,3,1,$L__BB0_3\n") != std::string::npos);
}

TEST_CASE("event_trace: the place in the source is a column, and an argument of a slice") {
  const event_trace trace = trace_of(testing::fixture_figure_1());
  const auto label = [](block_id) { return std::string("L"); };
  const auto source = [](block_id b) {
    return std::string(b == 2 ? "a.cu:7" : b == 3 ? "b.hpp:2, inlined at a.cu:8" : "");
  };
  const std::string csv = to_csv(trace, label, source);
  CHECK(csv.find("value,label,source\nstarted,0,0,0,0,,0,0,0,0,4,,\nissued,0,0,0,0,0,1,f,f,1,1,L,\n") !=
        std::string::npos);
  CHECK(csv.find("\nissued,2,2,0,0,2,1,d,f,2,2,L,a.cu:7\n") != std::string::npos);
  CHECK(csv.find("\nissued,3,3,0,0,3,1,9,f,3,1,L,\"b.hpp:2, inlined at a.cu:8\"\n") != std::string::npos);
  const std::string json = to_trace_json(trace, trace_rows::warps, label, source);
  CHECK(json.find("\"args\":{\"step\":2,\"lanes\":\"d\",\"source\":\"a.cu:7\"}}") != std::string::npos);
  CHECK(json.find("\"args\":{\"step\":0,\"lanes\":\"f\"}}") != std::string::npos);
}

TEST_CASE("event_trace: the JSON is what a reader of trace events expects") {
  event_trace trace;
  const std::vector<std::uint32_t> weights{3, 5};
  const std::vector<std::uint32_t> ranks{0, 1};
  callable_program p([](std::uint32_t t, block_id b) { return b == 0 && t % 2 != 0 ? 1U : no_block; }, weights);
  executor machine{policies::thread_frontier(ranks)};
  CHECK(machine.run(p, {.threads = 6, .warp_width = 4}, trace).finished());

  const auto with_phase = [](const std::vector<reader::object>& all, const std::string& phase) {
    std::vector<reader::object> some;
    for (const reader::object& one : all)
      if (one.at("ph") == phase) some.push_back(one);
    return some;
  };
  const auto all = reader(to_trace_json(trace)).events();
  const auto names = with_phase(all, "M");
  REQUIRE(names.size() == 2 + 6);  // two warps, six lanes
  CHECK(names[0].at("name") == "process_name");
  CHECK(names[0].at("args.name") == "thread block 0, warp 0");
  CHECK(names[1].at("name") == "thread_name");
  CHECK(names[1].at("args.name") == "lane 0");
  CHECK(names[5].at("args.name") == "thread block 0, warp 1");
  const auto lanes = with_phase(all, "X");
  REQUIRE(lanes.size() == 4 + 2 + 2 + 1);
  CHECK(lanes[0].at("cname") == lanes[1].at("cname"));
  CHECK(lanes[0].at("cname") != lanes[4].at("cname"));
  CHECK(lanes[0].at("name") == "BB0");
  CHECK(lanes[0].at("ph") == "X");
  CHECK(lanes[0].at("ts") == "0");
  CHECK(lanes[0].at("dur") == "3");
  CHECK(lanes[0].at("args.lanes") == "f");
  CHECK(lanes[1].at("tid") == "1");
  CHECK(lanes[4].at("name") == "BB1");
  CHECK(lanes[4].at("tid") == "1");
  CHECK(lanes[4].at("ts") == "3");
  CHECK(lanes[8].at("pid") == "1");
  CHECK(lanes[8].at("tid") == "1");

  const std::string odd = "a \"quoted\"\\ name\n\x01 \xC3\xA9";
  const auto warps =
      with_phase(reader(to_trace_json(trace, trace_rows::warps, [&](block_id) { return odd; })).events(), "X");
  REQUIRE(warps.size() == 4);
  CHECK(warps[0].at("name") == odd);
  CHECK(warps[2].at("tid") == "1");
  CHECK(warps[2].at("pid") == "0");
  CHECK(reader(to_trace_json(event_trace())).events().empty());
  // Another thread block has processes of its own.
  CHECK(machine.run(p, {.threads = 6, .warp_width = 4}, trace).finished());
  const auto twice = with_phase(reader(to_trace_json(trace)).events(), "X");
  REQUIRE(twice.size() == 18);
  CHECK(twice[9].at("pid") == "2");
  const auto blocks = with_phase(reader(to_trace_json(trace, trace_rows::warps)).events(), "M");
  REQUIRE(blocks.size() == 2 + 4);
  CHECK(blocks[3].at("args.name") == "thread block 1");
}

TEST_CASE("event_trace: random runs: complete, in order, no two blocks of a lane at one time") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.barriers = random.chance(50);
    options.uniform_percent = 60;
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    std::vector<unsigned char> barriers(g.num_blocks(), 0);
    for (const block_id b : program.barriers) barriers[b] = 1;
    std::vector<std::uint32_t> weights;
    for (std::size_t b = 0; b < g.num_blocks(); ++b)
      weights.push_back(static_cast<std::uint32_t>(random.between(1, 6)));
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    const launch shape{.threads = 10, .warp_width = 4};
    const auto order = loop_contiguous_order(g);
    event_trace trace;
    counts count;
    both all(trace, count);
    callable_program p(testing::walking_threads(walks, shape.threads), weights, barriers);
    executor machine{policies::thread_frontier(order.ranks())};
    CHECK(machine.run(p, shape, all).finished());

    std::vector<std::vector<block_id>> paths(shape.threads);
    std::vector<std::uint64_t> free(shape.threads, 0);
    std::uint64_t issued = 0, waits = 0, parted = 0, instructions = 0, ended = 0, opened = 0;
    for (const trace_record& r : trace.records()) {
      waits += r.kind == trace_kind::waits ? 1 : 0;
      parted += r.kind == trace_kind::diverged ? 1 : 0;
      if (r.kind == trace_kind::exited) ended += r.lanes.count();
      if (r.kind == trace_kind::released) {
        opened = r.time;
        for (const std::uint64_t t : free) CHECK(t <= r.time);
      }
      if (r.kind != trace_kind::issued) continue;
      CHECK(r.step == issued++);
      CHECK(r.time >= opened);  // nobody runs on before the last has come
      instructions += r.weight;
      r.lanes.for_each([&](std::uint32_t lane) {
        const std::uint32_t t = r.first_thread + lane;
        paths[t].push_back(r.block);
        CHECK(r.time >= free[t]);
        free[t] = r.time + r.weight;
      });
    }
    CHECK(issued == count.fetches);
    CHECK(instructions == count.warp_instructions);
    CHECK(waits == count.barrier_waits);
    CHECK(parted == count.divergent_branches);
    CHECK(ended == shape.threads);
    for (std::uint32_t t = 0; t < shape.threads; ++t) CHECK(paths[t] == walks.path(t));
  }
}

TEST_CASE("event_trace: time goes on between thread blocks; clear() starts anew") {
  event_trace trace;
  const std::vector<std::uint32_t> ranks{0};
  executor machine{policies::thread_frontier(ranks)};
  callable_program p([](std::uint32_t, block_id) { return no_block; });
  for (int block = 0; block < 3; ++block) CHECK(machine.run(p, {.threads = 2}, trace).finished());
  std::vector<std::uint64_t> times;
  for (const trace_record& r : trace.records())
    if (r.kind == trace_kind::issued) times.push_back(r.time);
  CHECK(times == std::vector<std::uint64_t>{0, 1, 2});
  trace.clear();
  CHECK(trace.records().empty());
  CHECK(machine.run(p, {.threads = 2}, trace).finished());
  CHECK(trace.records()[1].time == 0);
}

TEST_CASE("event_trace: wide masks") {
  basic_event_trace<basic_mask<2>> trace;
  const std::vector<std::uint32_t> ranks{0};
  executor machine{policies::basic_thread_frontier<basic_mask<2>>(ranks)};
  callable_program p([](std::uint32_t, block_id) { return no_block; });
  CHECK(machine.run(p, {.threads = 70, .warp_width = 128}, trace).finished());
  CHECK(to_csv(trace).find(",3fffffffffffffffff,") != std::string::npos);
}

TEST_CASE("thread_paths: every thread's path, of the thread block that ran last") {
  thread_paths paths;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(1, 8), .terminating = true});
    const testing::random_walks walks(g, {.seed = seed});
    const auto order = reverse_post_order(g);
    const auto threads = static_cast<std::uint32_t>(random.between(1, 9));
    const launch shape{.threads = threads, .warp_width = 4, .entry = g.entry()};
    CHECK(run(policies::thread_frontier(order.ranks()), testing::walking_threads(walks, threads), shape, paths)
              .finished());
    CHECK(paths.complete());
    CHECK(paths.size() == threads);
    const block_paths all = paths.paths();
    REQUIRE(all.size() == threads);
    for (std::uint32_t t = 0; t < threads; ++t)
      CHECK(std::vector<block_id>(all[t].begin(), all[t].end()) == walks.path(t));
    CHECK(!run(policies::thread_frontier(order.ranks()), testing::walking_threads(walks, threads), shape, paths,
               {.steps = 0})
               .finished());
    CHECK(!paths.complete());
  }
}

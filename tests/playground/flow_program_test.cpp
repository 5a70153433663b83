// SPDX-License-Identifier: BSL-1.0
#include "playground/flow_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace simtflow;
using playground::flow_program;
using playground::parse_flow;

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> all;
  const auto read = parse_flow(text);
  for (const diagnostic& d : read.diagnostics())
    all.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message);
  return all;
}

// The value of an expression for a thread; flags f (set) and g (clear).
std::int64_t value(const std::string& expression, playground::flow_thread t = {5, 1, 1, 8, 0, 3}) {
  const auto read = parse_flow("A: set f; clear g; if " + expression + " then A else A");
  REQUIRE_MESSAGE(read, expression);
  std::vector<unsigned char> flags{1, 0};
  return playground::value_of(read->blocks[0].code, t, flags);
}

}  // namespace

TEST_CASE("a program of the playground is blocks with targets") {
  const auto read = parse_flow(
      "# a comment\r\n"
      "threads 6 # more\n"
      "warp 4\n\n"
      "A 3: if lane < 2 then B\n"
      "B: barrier 3; loop lane + 1 to B then D\n"
      "C: set f ; clear f; switch lane to A, exit, D\n"
      "D 0:");
  REQUIRE(read);
  const flow_program& p = *read;
  CHECK(p.threads == 6);
  CHECK(p.warp_width == 4);
  REQUIRE(p.blocks.size() == 4);
  CHECK(p.blocks[0].weight == 3);
  CHECK(p.blocks[0].line == 5);
  CHECK(p.blocks[0].text == "if lane < 2 then B\n");
  CHECK(p.blocks[0].targets == std::vector<block_id>{1, 1});
  CHECK(p.blocks[1].barrier == 3U);
  CHECK(p.blocks[1].ending == playground::flow_ending::loop);
  CHECK(p.blocks[1].targets == std::vector<block_id>{1, 3});
  CHECK(p.blocks[2].writes == std::vector<std::pair<std::size_t, bool>>{{0, true}, {0, false}});
  CHECK(p.blocks[2].text == "set f\nclear f\nswitch lane to A, exit, D\n");
  CHECK(p.blocks[2].targets == std::vector<block_id>{0, no_block, 3});
  CHECK(p.blocks[3].weight == 0);
  CHECK(p.blocks[3].targets == std::vector<block_id>{no_block});
  const csr_graph g = p.graph();
  CHECK(g.num_blocks() == 4);
  CHECK(g.num_edges() == 6);
  CHECK(g.entry() == 0);
}

TEST_CASE("the shape of a program of the playground has defaults") {
  CHECK(parse_flow("A: exit")->threads == 8);
  CHECK(parse_flow("A: exit")->warp_width == 8);
  CHECK(parse_flow("threads 5\nA: exit")->warp_width == 5);
  CHECK(parse_flow("threads 100\nA: exit")->warp_width == 32);
  CHECK(parse_flow("warp 4\nthreads 100\nA: exit")->warp_width == 4);
}

TEST_CASE("expressions of the playground are numbers") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("7 - 2 - 1") == 4);
  CHECK(value("-7 / 2") == -3);
  CHECK(value("-7 % 4") == -3);
  CHECK(value("7 / 0") == 0);
  CHECK(value("7 % 0") == 0);
  CHECK(value("(0 - 4294967295 * 4294967295 * 4) / -1") != 1);  // no trap
  CHECK(value("- - 3") == 3);
  CHECK(value("thread") == 5);
  CHECK(value("lane") == 1);
  CHECK(value("warp") == 1);
  CHECK(value("threads") == 8);
  CHECK(value("visits") == 3);
  CHECK(value("1 < 2") == 1);
  CHECK(value("2 < 2") == 0);
  CHECK(value("2 <= 2") == 1);
  CHECK(value("2 > 2") == 0);
  CHECK(value("2 >= 2") == 1);
  CHECK(value("2 == 2") == 1);
  CHECK(value("2 != 2") == 0);
  CHECK(value("not 2") == 0);
  CHECK(value("not not 2") == 1);
  CHECK(value("2 and 4") == 1);
  CHECK(value("2 and 0 or 3") == 1);
  CHECK(value("0 or 0") == 0);
  CHECK(value("0 and 1 or 1 and 0") == 0);
  CHECK(value("1 or 1 and 0") == 1);
  CHECK(value("not 1 < 0 and is f") == 1);
  CHECK(value("is g") == 0);
  CHECK(value("take f") == 0);
  CHECK(value("take g") == 1);
  CHECK(value("take g and is g") == 1);
  CHECK(value("(0 and take g) or is g") == 0);  // the right side is not looked at
  CHECK(value("(1 or take g) and is g") == 0);
}

TEST_CASE("random numbers of the playground are even and repeat") {
  std::vector<int> tens(10, 0);
  for (std::int64_t thread = 0; thread < 10; ++thread)
    for (std::int64_t visits = 0; visits < 1000; ++visits) {
      const std::int64_t r = value("random", {thread, 0, 0, 8, 2, visits});
      REQUIRE(r >= 0);
      REQUIRE(r < 100);
      CHECK(r == value("random", {thread, 1, 1, 1, 2, visits}));
      ++tens[static_cast<std::size_t>(r / 10)];
    }
  for (const int count : tens) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("mistakes in a program of the playground have places") {
  using list = std::vector<std::string>;
  CHECK(problems_of("") == list{"1:1: a program has at least one block, such as A: exit"});
  CHECK(problems_of("# nothing\n\nthreads 4\n") == list{"4:1: a program has at least one block, such as A: exit"});
  CHECK(problems_of("A: goto B") == list{"1:9: there is no block B"});
  CHECK(problems_of("head: goto haed") == list{"1:12: there is no block haed (did you mean head?)"});
  CHECK(problems_of("A: exit\nA: exit") == list{"2:1: there is a block A in line 1"});
  CHECK(problems_of("A exit") == list{"1:3: the number of instructions is a number from 0 to 10000, not 'exit'"});
  CHECK(problems_of("A 5") == list{"1:4: a colon after the block's name is missing at the end of the line"});
  CHECK(problems_of("if: exit") == list{"1:1: 'if' is a word of the notation, not a block's name"});
  CHECK(problems_of("3: exit") == list{"1:1: expected a block's name, not '3'"});
  CHECK(problems_of("A: if lane then") == list{"1:16: a block's name is missing at the end of the line"});
  CHECK(problems_of("A: if lane < 3 < 4 then A") ==
        list{"1:16: two values are compared at a time: write A < B and B < C"});
  CHECK(problems_of("A: if lane = 3 then A") == list{"1:12: '==' compares; '=' is no sign of the notation"});
  CHECK(problems_of("A: if lan < 3 then A") ==
        list{"1:7: there is no value lan (did you mean lane?); 'is lan' asks for a flag"});
  CHECK(problems_of("A: if (lane then A") == list{"1:13: expected a closing parenthesis, not 'then'"});
  CHECK(problems_of("A: if 3 + then A") == list{"1:11: expected a value, not 'then'"});
  CHECK(problems_of("A: loop 3 then A") == list{"1:11: expected 'to', not 'then'"});
  CHECK(problems_of("A: exit; barrier") == list{"1:10: nothing can follow: the block says where to go before this"});
  CHECK(problems_of("A: barrier; barrier; exit") == list{"1:13: a block has one barrier, at its end"});
  CHECK(problems_of("A: barrier 16") == list{"1:12: a barrier is a number from 0 to 15, not '16'"});
  CHECK(problems_of("threads 0\nA:") == list{"1:9: the number of threads is a number from 1 to 1024, not '0'"});
  CHECK(problems_of("warp 2 3\nA:") == list{"1:8: expected the end of the line, not '3'"});
  CHECK(problems_of("A: exit B") == list{"1:9: expected a semicolon or the end of the line, not 'B'"});
  CHECK(problems_of("A: \x01") == list{"1:4: expected goto, exit, if, loop, switch, barrier, set or clear, not '?'"});
  CHECK(problems_of("A: goto X\nB: hop\nC: goto Y").size() == 3);  // in the order of the lines
  CHECK(problems_of("A: goto X\nB: hop\nC: goto Y")[1].starts_with("2:4"));
  CHECK(problems_of("A: if " + std::string(1000, '(') + "1").back().find("nested too deep") != std::string::npos);
  std::string many, wrong;
  for (int i = 0; i <= 1000; ++i) many += "B" + std::to_string(i) + ":\n";
  CHECK(problems_of(many) == list{"1001:1: more than 1000 blocks"});
  for (int i = 0; i < 500; ++i) wrong += "B" + std::to_string(i) + ": hop\n";
  CHECK(problems_of(wrong).size() == max_diagnostics);
}

TEST_CASE("no text of the playground is too broken to be read") {
  const std::string text =
      "threads 8\nA 2: if (lane < 4 and not is f) or take g then B else C\nB: loop 3 to A; \nC: set f; exit\n";
  std::uint64_t random = 1;
  const auto next = [&] { return (random = random * 6364136223846793005U + 1442695040888963407U) >> 33; };
  for (int i = 0; i < 3000; ++i) {
    std::string broken = text;
    for (std::uint64_t n = next() % 4 + 1; n > 0; --n) {
      const std::size_t at = next() % broken.size(), length = next() % 8;
      switch (next() % 3) {
        case 0:
          broken.erase(at, length);
          break;
        case 1:
          broken.insert(at, text.substr(next() % text.size(), length));
          break;
        default:
          broken[at] = static_cast<char>(next());
      }
      if (broken.empty()) broken = "A";
    }
    const auto read = parse_flow(broken);
    CHECK(read.has_value() == read.diagnostics().empty());
    if (read)
      for (const auto& b : read->blocks)
        for (const block_id to : b.targets) CHECK((to == no_block || to < read->blocks.size()));
  }
}

// SPDX-License-Identifier: BSL-1.0
#include "playground/play.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using playground::notation;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(SIMTFLOW_SOURCE_DIR) + "/examples/" + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

json played(notation kind, const std::string& text, const std::vector<std::string>& policies = {"pdom"},
            const std::string& launch = {}) {
  return json::parse(playground::play({kind, text, launch, policies}));
}

// The blocks that a policy runs, by number.
std::vector<int> blocks_of(const json& answer, std::size_t policy = 0) {
  std::vector<int> blocks;
  for (const json& e : answer["data"]["policies"][policy]["events"])
    if (e[0] == "i") blocks.push_back(e[3]);
  return blocks;
}

}  // namespace

TEST_CASE("the playground answers with what explore shows") {
  const json answer = played(notation::flow, text_of("playground/samples/1_figure_1.flow"), {"pdom,tf"});
  CHECK(answer["problems"].empty());
  CHECK(answer["data"]["policies"].size() == 2);
  CHECK(blocks_of(answer, 0) == std::vector<int>{0, 2, 3, 4, 1, 2, 4, 3, 5});
  CHECK(blocks_of(answer, 1) == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(answer["data"]["warpWidth"] == 4);
  CHECK(answer["data"]["blocks"][2]["name"] == "BB2 B2");
  CHECK(answer["data"]["blocks"][2]["code"] == "if lane == 2 then B4 else B3\n");
  CHECK(answer["data"]["graph"].get<std::string>().find("data-block=\"5\"") != std::string::npos);
  CHECK(answer["lines"].size() == 6);
  CHECK(answer["lines"][2] == json{7, 7});
}

TEST_CASE("every policy runs in the playground, or says why not") {
  const json names = json::parse(playground::policies());
  CHECK(names.size() > 20);
  std::set<std::string> parameters;
  for (const json& p : names) {
    const std::string name = p["name"];
    for (const json& q : p["parameters"]) parameters.insert(q["name"].get<std::string>());
    const json answer = played(notation::flow, text_of("playground/samples/8_two_warps.flow"), {name});
    REQUIRE_MESSAGE(answer.contains("data"), name);
    CHECK(answer["data"]["policies"].size() + answer["data"]["remarks"].size() >= 1);
    if (!answer["data"]["policies"].empty()) CHECK(answer["data"]["policies"][0]["verdict"] == "finished");
  }
  CHECK(parameters.contains("lanes"));
}

TEST_CASE("the playground tells how a program hangs") {
  const json lock = played(notation::flow, text_of("playground/samples/6_spin_lock.flow"), {"pdom,volta"});
  CHECK(lock["data"]["policies"][0]["verdict"] == "livelock");
  CHECK(lock["data"]["policies"][1]["verdict"] == "finished");
  const json barrier = played(notation::flow, text_of("playground/samples/7_barrier_deadlock.flow"));
  CHECK(barrier["data"]["policies"][0]["verdict"] == "barrier deadlock");
  const json standing = barrier["data"]["policies"][0]["end"]["standing"];
  REQUIRE(standing.size() == 3);
  CHECK(standing[0] == json{0, 1, "3", "wait at the barrier that ends it"});
  CHECK(standing[1] == json{0, 2, "c", "ready to run"});
  CHECK(standing[2] == json{1, 0, "f", "ready to run"});
  const json endless = played(notation::flow, "A: if visits < 0 then B else A\nB:");
  CHECK(endless["data"]["policies"][0]["verdict"] == "step limit reached");
  CHECK(endless["data"]["remarks"].size() == 2);
}

TEST_CASE("the playground runs PTX with a launch, or makes one") {
  const std::string text = text_of("kernels/figure1.ptx");
  const json own = played(notation::ptx, text, {"pdom,tf"}, text_of("kernels/figure1.launch.json"));
  CHECK(own["problems"].empty());
  CHECK(blocks_of(own, 1) == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(own["lines"].size() == own["data"]["blocks"].size());
  CHECK(own["lines"][0][0].get<int>() > 1);
  const json made = played(notation::ptx, text);
  CHECK(made["launch"].get<std::string>().find("\"params\"") != std::string::npos);
  CHECK(made["data"]["policies"].size() == 1);
}

TEST_CASE("the playground's problems have lines") {
  const auto only = [](const json& answer) {
    CHECK_FALSE(answer.contains("data"));
    REQUIRE(answer["problems"].size() == 1);
    return answer["problems"][0];
  };
  CHECK(only(played(notation::flow, "A: exit\nB: goto C")) ==
        json{{"in", "program"}, {"line", 2}, {"column", 9}, {"message", "there is no block C"}});
  CHECK(only(played(notation::flow, "A: exit", {"fastest"}))["in"] == "policy");
  const std::string text = text_of("kernels/figure1.ptx");
  const json ptx = only(played(notation::ptx, text.substr(0, text.find("ret;")) + "rett;\n ret;\n}"));
  CHECK(ptx["in"] == "program");
  CHECK(ptx["line"].get<int>() > 10);
  CHECK(only(played(notation::ptx, ""))["in"] == "program");
  const auto launch = [&](const std::string& json_text) {
    return only(played(notation::ptx, text, {"pdom"}, json_text));
  };
  CHECK(launch("{\n\"grid\": [1],\n oops}")["line"] == 3);
  CHECK(
      launch("{\"grid\": [1],\n\"block\": [4],\n\"buffers\": [\n{\"name\": \"a\", \"type\": \"u32\",\n\"count\": 0}]}")
          ["line"] == 5);
  const json both = played(notation::ptx, text, {"pdom"}, "{\"grid\": [1],\n\"block\": [4]}")["problems"];
  REQUIRE(both.size() == 2);  // a value is missing for each parameter
  for (const json& problem : both) CHECK(problem["in"] == "launch");
  CHECK(launch("{\"grid\": [1],\n\"block\": [4], \"kernel\":\n \"nobody\"}")["line"] == 3);
}

TEST_CASE("a fault in the playground has the line of the instruction") {
  std::string launch = text_of("kernels/figure1.launch.json");
  const json answer = played(notation::ptx, text_of("kernels/figure1.ptx"), {"pdom"},
                             launch.replace(launch.find("\"count\": 24"), 11, "\"count\": 2"));
  REQUIRE(answer.contains("data"));
  REQUIRE(answer["problems"].size() == 1);
  CHECK(answer["problems"][0]["line"].get<int>() > 10);
  CHECK(answer["data"]["policies"][0]["verdict"] == "fault");
}

TEST_CASE("the place of a value in JSON") {
  const std::string text = "{ \"a\": [1,\n {\"b~\": \"x,}\\\"]\", \"c\":\n [[], {}, 7]}],\n \"d\" : {} }";
  CHECK(playground::line_of_pointer(text, "") == 1);
  CHECK(playground::line_of_pointer(text, "/a") == 1);
  CHECK(playground::line_of_pointer(text, "/a/1") == 2);
  CHECK(playground::line_of_pointer(text, "/a/1/c") == 3);
  CHECK(playground::line_of_pointer(text, "/a/1/c/2") == 3);
  CHECK(playground::line_of_pointer(text, "/d") == 4);
  CHECK(playground::line_of_pointer(text, "/a/1/nothing") == 2);  // what it is missing from
  CHECK(playground::line_of_pointer("", "/a") == 0);
}

// SPDX-License-Identifier: BSL-1.0
//
// The description of a toy program's branches: one that melds, the one around it, which has to wait for that, and one
// with an empty arm. The figures are worked out by hand. (tests/interop/llvm compares a report on real code.)
#include "transform/toy_code.hpp"
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace simtflow;
using simtflow_tests::toy_code;
using simtflow_tests::toy_writer;

namespace {

std::string block_name(block_id b) { return "b" + std::to_string(b); }

}  // namespace

TEST_CASE("describe_melding: melded, put off, refused") {
  // An if-else in the left arm of another one; after both an if. A branch weighs 3, and 3 more if threads diverge:
  // the inner arms 20 + 3 + 20 and 6; melded 20, and the 3 under a predicate. Half of the warps save 20 + 6; a quarter
  // saves the branch, and a quarter as much less an issue of the 3 for nothing: 13 + 0.75.
  toy_writer w;
  const block_id leave = w.block({});
  const block_id only = w.block({{.opcode_class = 9, .latency = 5}}, {leave});
  const block_id last = w.block({}, {only, leave});
  const block_id inner_join = w.block({}, {last});
  const block_id l = w.block({{.opcode_class = 1, .latency = 20}, {.opcode_class = 2, .latency = 3}}, {inner_join});
  const block_id r = w.block({{.opcode_class = 1, .latency = 20}}, {inner_join});
  const block_id inner = w.block({{.opcode_class = 4, .latency = 30}}, {l, r});
  const block_id other = w.block({{.opcode_class = 4, .latency = 30}}, {last});
  const block_id outer = w.block({}, {inner, other});
  const toy_code code = w.finish(outer);
  CHECK(describe_melding(code.graph, code, block_name) ==
        "melding: 3 branches, 1 can be melded\n"
        "  branch of b2 is not melded: it has an arm without code\n"
        "  branch of b6: 1 pair, 1 and 0 instructions alone; weight 49 -> 23, expected saving 13.8\n"
        "    b4 (2) with b5 (1): 1 pair, profit 0.47\n"
        "  branch of b8 is put off until the branch of b6, which is in its arms, is melded\n");
}

TEST_CASE("describe_melding: nothing to say") {
  CHECK(describe_melding(csr_graph(), toy_code(), block_name) == "melding: 0 branches, 0 can be melded\n");
  toy_writer w;
  const block_id single = w.block({{.opcode_class = 1}});
  const toy_code code = w.finish(single);
  CHECK(describe_melding(code.graph, code, block_name) == "melding: 0 branches, 0 can be melded\n");
}

// SPDX-License-Identifier: BSL-1.0
//
// Policies with several fragments in flight, by hand; the laws are in policy_laws_test.cpp.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policy_factory.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

lane_mask lanes(std::initializer_list<std::uint32_t> list) {
  lane_mask m;
  for (const std::uint32_t l : list) m.set(l);
  return m;
}

fragment at(block_id b, std::initializer_list<std::uint32_t> list) { return {b, lanes(list)}; }

template <class Policy>
void goes(Policy& p, const fragment& f, std::initializer_list<fragment> out) {
  const std::vector<fragment> to(out);
  p.advance(f, std::span<const fragment>(to));
}

// 0 -> 1, 4; 1 -> 2, 3 -> 7; 4 -> 5, 6 -> 7; 7 ends.
csr_graph two_diamonds() {
  csr_builder g(10);
  for (const auto& [from, to] : std::initializer_list<std::pair<block_id, block_id>>{
           {0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 8}, {3, 8}, {8, 7}, {4, 5}, {4, 6}, {5, 9}, {6, 9}, {9, 7}})
    g.add_edge(from, to);
  return g.build();
}

}  // namespace

TEST_CASE("overlap: the mechanisms that hide latency overlap, and no other") {
  const std::set<std::string> expected = {
      "dual-path",    "multi-path",   "aware",           "subdivision", "tbc",      "capri",       "large-warps",
      "dwf-majority", "dwf-minority", "dwf-time",        "dwf-pc",      "dwf-pdom", "dwf-barrier", "tbc-lcp",
      "tbc-permuted", "dwf-core",     "dwf-barrier-core"};
  std::set<std::string> found, scheduling;
  for (const policy_info& info : known_policies()) {
    const result<policy_choice> choice = choose_policy(info.name);
    REQUIRE(choice);
    const policy_abilities can = abilities_of(*choice);
    if (can.overlaps) found.insert(std::string(info.name));
    if (can.schedules_issue) scheduling.insert(std::string(info.name));
  }
  CHECK(found == expected);
  for (const std::string& name : scheduling) CHECK(name.rfind("dwf-", 0) == 0);
  CHECK(scheduling.size() == 8);
}

TEST_CASE("overlap: both paths of a dual-path entry, and a path that diverges under another entry") {
  const csr_graph g = two_diamonds();
  const post_dominator_tree tree(g);
  policies::dual_path p(tree.ipdoms());
  p.start(at(0, {0, 1, 2, 3}));
  const auto all = p.take();
  REQUIRE(all);
  CHECK(!p.take());
  goes(p, *all, {at(1, {0, 1}), at(4, {2, 3})});
  const auto left = p.take(), right = p.take();
  REQUIRE(left);
  REQUIRE(right);
  CHECK(*left == at(1, {0, 1}));
  CHECK(*right == at(4, {2, 3}));
  CHECK(!p.take());
  goes(p, *left, {at(2, {0}), at(3, {1})});
  goes(p, *right, {at(5, {2}), at(6, {3})});  // waits: the entry of 2 and 3 is on top
  std::vector<block_id> order;
  for (int i = 0; i < 2; ++i) {
    const auto f = p.take();
    REQUIRE(f);
    order.push_back(f->block);
    goes(p, *f, {{8, f->lanes}});
  }
  CHECK(order == std::vector<block_id>{2, 3});
  const auto joined = p.take();  // the left path again; the right path diverges once its entry is on top
  REQUIRE(joined);
  std::set<block_id> next{joined->block};
  while (const auto f = p.take()) next.insert(f->block);
  CHECK((next == std::set<block_id>{5, 6} || next == std::set<block_id>{8}));
}

TEST_CASE("overlap: all warps of a compacted thread block are in flight together, and the last one packs") {
  csr_builder b(4);
  for (const auto& [from, to] : std::initializer_list<std::pair<block_id, block_id>>{{0, 1}, {0, 2}, {1, 3}, {2, 3}})
    b.add_edge(from, to);
  const csr_graph g = b.build();
  const post_dominator_tree tree(g);
  policies::thread_block_compaction p(tree.ipdoms(), {.lanes = {.width = 2}});
  p.start(at(0, {0, 1, 2, 3}));
  const auto first = p.take(), second = p.take();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(!p.take());
  CHECK(p.warp_count() == 2);
  goes(p, *second, {at(1, {2}), at(2, {3})});
  CHECK(!p.take());  // the first warp has not come to the branch
  goes(p, *first, {at(2, {0}), at(1, {1})});
  const auto packed = p.take();
  REQUIRE(packed);
  CHECK(packed->lanes.count() == 2);  // threads of both warps, which have different home lanes
}

TEST_CASE("overlap: sub-warps of a large warp, and splits of a warp") {
  csr_builder b(3);
  for (const auto& [from, to] : std::initializer_list<std::pair<block_id, block_id>>{{0, 1}, {0, 2}, {1, 2}})
    b.add_edge(from, to);
  const csr_graph g = b.build();
  const post_dominator_tree tree(g);
  policies::large_warps large(tree.ipdoms(), {.lanes = {.width = 2}, .warps = 2});
  large.start(at(0, {0, 1, 2, 3}));
  const auto first = large.take(), second = large.take();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(!large.take());
  goes(large, *second, {{1, second->lanes}});
  CHECK(!large.take());
  goes(large, *first, {{1, first->lanes}});
  CHECK(large.take());

  policies::multi_path splits(tree.ipdoms());
  splits.start(at(0, {0, 1, 2, 3}));
  goes(splits, *splits.take(), {at(1, {0, 1}), at(2, {2, 3})});
  const auto split = splits.take();
  REQUIRE(split);
  CHECK(*split == at(1, {0, 1}));
  CHECK(!splits.take());  // the others have come to the post-dominator
  CHECK(splits.blocked() == lanes({2, 3}));
}

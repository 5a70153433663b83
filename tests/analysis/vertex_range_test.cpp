// SPDX-License-Identifier: BSL-1.0
//
// Runs of vertices are ranges of C++20: algorithms and views of <ranges> take them.
#include <simtflow/analysis/order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>
#include <vector>

namespace {

using namespace simtflow;
using lists = std::vector<std::vector<int>>;
using run = vertex_range<lists>;

static_assert(std::ranges::random_access_range<run> && std::ranges::sized_range<run> && std::ranges::common_range<run>);
static_assert(std::ranges::view<run> && std::ranges::borrowed_range<run>);
static_assert(sizeof(run) == 3 * sizeof(void*) && sizeof(run::iterator) == 2 * sizeof(void*));

TEST_CASE("vertex_range is a random-access range") {
  const lists g{{1, 2}, {3}, {3}, {}};
  const auto order = depth_first(g);
  const run r = order.rpo();
  const std::vector<int> all(r.begin(), r.end());
  REQUIRE(all.size() == 4);
  CHECK(r.end() - r.begin() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    CHECK(r[i] == all[i]);
    CHECK(r.begin()[at] == all[i]);
    CHECK(*(r.begin() + at) == all[i]);
    CHECK(*(at + r.begin()) == all[i]);
    CHECK(*(r.end() - (4 - at)) == all[i]);
    CHECK(r.begin() + at < r.end());
  }
  auto i = r.begin();
  CHECK(*i++ == all[0]);
  CHECK(*++i == all[2]);
  CHECK(*i-- == all[2]);
  CHECK(*--i == all[0]);
  i += 3;
  i -= 1;
  CHECK(*i == all[2]);
}

TEST_CASE("vertex_range goes through algorithms and views of the standard library") {
  const lists g{{1, 2}, {3}, {3}, {}};
  const auto order = depth_first(g);
  CHECK(*std::ranges::find(order.rpo(), 3) == 3);  // the iterator outlives the range: it is borrowed
  CHECK(std::ranges::max(order.rpo()) == 3);
  const std::vector<int> postorder(order.postorder().begin(), order.postorder().end());
  std::vector<int> back;
  std::ranges::reverse_copy(order.rpo(), std::back_inserter(back));
  CHECK(back == postorder);
  // clang before 16 cannot compile the views of libstdc++, whatever the range (LLVM issue 44178).
#if !defined(__clang__) || __clang_major__ >= 16 || !defined(__GLIBCXX__)
  back.clear();
  for (const int v : order.rpo() | std::views::reverse) back.push_back(v);
  CHECK(back == postorder);
#endif
}

}  // namespace

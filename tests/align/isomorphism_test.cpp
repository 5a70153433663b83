// SPDX-License-Identifier: BSL-1.0
//
// Isomorphisms against all bijections, tried one after the other.
#include <simtflow/align/isomorphism.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

using numbers = std::vector<std::uint32_t>;

constexpr slot_order orders[] = {slot_order::ordered, slot_order::two_way_free, slot_order::free};
constexpr const char* order_names[] = {"ordered", "two_way_free", "free"};

csr_graph graph_of(std::size_t n, const std::vector<std::vector<block_id>>& rows) {
  csr_builder b(n);
  for (block_id v = 0; v < rows.size(); ++v)
    for (const block_id s : rows[v]) b.add_edge(v, s);
  return b.build();
}

// Whether a bijection of blocks is one of the pieces: by comparing what it makes of each block's list of successors.
bool keeps_edges(const graph_piece& a, const graph_piece& b, const numbers& map, slot_order order) {
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto out_a = a.successors(i);
    const auto out_b = b.successors(map[i]);
    numbers image, there(out_b.begin(), out_b.end());
    for (const std::uint32_t s : out_a) image.push_back(s == a.exit() ? b.exit() : map[s]);
    if (order == slot_order::free || (order == slot_order::two_way_free && image.size() == 2)) {
      std::sort(image.begin(), image.end());
      std::sort(there.begin(), there.end());
    }
    if (image != there || a.is_end(i) != b.is_end(map[i])) return false;
  }
  return true;
}

template <class May>
bool any_bijection(const graph_piece& a, const graph_piece& b, slot_order order, const May& may) {
  if (a.size() != b.size()) return false;
  numbers map(a.size());
  std::iota(map.begin(), map.end(), 0U);
  do {
    if (!map.empty() && map[0] != 0) break;
    bool allowed = true;
    for (std::uint32_t i = 0; i < a.size() && allowed; ++i) allowed = may(a[i], b[map[i]]) != forbidden_pair;
    if (allowed && keeps_edges(a, b, map, order)) return true;
  } while (std::next_permutation(map.begin(), map.end()));
  return false;
}

// That what was found is an isomorphism: blocks once, slots once, edges to partners.
template <class May>
bool is_isomorphism(const graph_piece& a, const graph_piece& b, slot_order order, const piece_isomorphism& x,
                    const May& may) {
  if (!x || x.block.size() != a.size() || x.slot.size() != a.num_edges() || a.size() != b.size()) return false;
  std::vector<int> seen(b.size(), 0);
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const std::uint32_t j = x.block[i];
    if (j >= b.size() || seen[j]++ != 0 || a.is_end(i) != b.is_end(j) || may(a[i], b[j]) == forbidden_pair)
      return false;
    if (a.successors(i).size() != b.successors(j).size()) return false;
    std::vector<int> used(b.successors(j).size(), 0);
    for (std::uint32_t k = 0; k < a.successors(i).size(); ++k) {
      const std::uint32_t t = x.slot[a.first_edge(i) + k];
      if (t >= used.size() || used[t]++ != 0) return false;
      if (t != k && (order == slot_order::ordered || (order == slot_order::two_way_free && used.size() != 2)))
        return false;
      const std::uint32_t s = a.successors(i)[k];
      if (b.successors(j)[t] != (s == a.exit() ? b.exit() : x.block[s])) return false;
    }
    if (x.swapped(a, i) != (used.size() == 2 && x.slot[a.first_edge(i)] == 1)) return false;
  }
  return a.size() == 0 || x.block[0] == 0;
}

template <class May = any_block_pair>
void check(const csr_graph& ga, const graph_piece& a, const csr_graph& gb, const graph_piece& b, const May& may = {}) {
  for (std::size_t o = 0; o < 3; ++o) {
    CAPTURE(std::string(order_names[o]));
    CAPTURE(to_dot(ga));
    CAPTURE(to_dot(gb));
    const piece_isomorphism x = find_isomorphism(a, b, {.order = orders[o]}, may);
    REQUIRE(x.verdict != isomorphism_verdict::gave_up);
    const bool expected = any_bijection(a, b, orders[o], may);
    REQUIRE(bool(x) == expected);
    if (expected) REQUIRE(is_isomorphism(a, b, orders[o], x, may));
    if (!expected) REQUIRE(x.block.empty());
  }
}

// The same graph, blocks renamed, slots exchanged where `order` allows it; the entry stays block 0.
csr_graph disguised(testing::rng& random, const csr_graph& g, slot_order order, block_id exit, block_id& new_exit) {
  std::vector<block_id> name(g.num_blocks());
  std::iota(name.begin(), name.end(), 0U);
  for (std::size_t i = name.size(); i > 2; --i) std::swap(name[i - 1], name[1 + random.below(i - 1)]);
  std::vector<std::vector<block_id>> rows(g.num_blocks());
  csr_builder made(g.num_blocks());
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    for (const block_id s : g.successors(b)) rows[name[b]].push_back(name[s]);
    if (order == slot_order::free || (order == slot_order::two_way_free && rows[name[b]].size() == 2))
      random.shuffle(rows[name[b]]);
    if (g.is_exit(b)) made.mark_exit(name[b]);
  }
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : rows[b]) made.add_edge(b, s);
  new_exit = exit == no_block ? no_block : name[exit];
  return made.build();
}

// The published walk that is not injective: partners are compared only when the left one has been visited before.
bool takes_for_the_same(const graph_piece& a, const graph_piece& b) {
  numbers map(a.size(), no_element);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work{{0, 0}};
  while (!work.empty()) {
    const auto [i, j] = work.back();
    work.pop_back();
    if (map[i] != no_element) continue;
    map[i] = j;
    if (a.successors(i).size() != b.successors(j).size()) return false;
    for (std::size_t k = 0; k < a.successors(i).size(); ++k) {
      const std::uint32_t x = a.successors(i)[k], y = b.successors(j)[k];
      if ((x == a.exit()) != (y == b.exit())) return false;
      if (x == a.exit()) continue;
      if (map[x] != no_element && map[x] != y) return false;
      if (map[x] == no_element) work.emplace_back(x, y);
    }
  }
  return true;
}

}  // namespace

TEST_CASE("isomorphism: pieces that a walk with equal degrees takes for the same are different") {
  // E -> J A, A -> J K, J and K -> exit, beside E -> J1 A, A -> J2 K, J1 J2 K -> exit: a published melder maps J to J1
  // and J2 alike and loses one of them.
  const csr_graph left = graph_of(6, {{1, 2}, {5}, {1, 3}, {5}, {}, {}});
  const csr_graph right = graph_of(6, {{1, 2}, {5}, {4, 3}, {5}, {5}, {}});
  REQUIRE(takes_for_the_same(graph_piece(left, 0, 5), graph_piece(right, 0, 5)));
  for (const slot_order order : orders) {
    CHECK(find_isomorphism(graph_piece(left, 0, 5), graph_piece(right, 0, 5), {.order = order}).verdict ==
          isomorphism_verdict::different);
    CHECK(find_isomorphism(graph_piece(right, 0, 5), graph_piece(left, 0, 5), {.order = order}).verdict ==
          isomorphism_verdict::different);
  }
  // With as many blocks and edges on both sides: one tail that is shared here and not there, and one the other way
  // round.
  const csr_graph one = graph_of(9, {{1, 2}, {8}, {1, 3}, {4, 5}, {8}, {6, 7}, {8}, {8}, {}});
  const csr_graph two = graph_of(9, {{1, 2}, {8}, {6, 3}, {4, 5}, {8}, {4, 7}, {8}, {8}, {}});
  REQUIRE(takes_for_the_same(graph_piece(one, 0, 8), graph_piece(two, 0, 8)));
  check(one, graph_piece(one, 0, 8), two, graph_piece(two, 0, 8));
  // E -> J A, A -> J K against E -> J A, A -> K J: the ordered walk fails, the free one does not.
  const csr_graph other = graph_of(6, {{1, 2}, {5}, {3, 1}, {5}, {}, {}});
  CHECK(!find_isomorphism(graph_piece(left, 0, 5), graph_piece(other, 0, 5), {.order = slot_order::ordered}));
  const graph_piece a(left, 0, 5);
  const piece_isomorphism x = find_isomorphism(a, graph_piece(other, 0, 5));
  REQUIRE(x);
  CHECK(!x.swapped(a, 0));
  CHECK(x.swapped(a, x.block[2]));
}

TEST_CASE("isomorphism: all pairs of pieces of up to two blocks and an exit") {
  for (std::size_t n = 2; n <= 3; ++n) {
    std::vector<csr_graph> all;
    const std::uint64_t codes = testing::num_small_cfgs(n);
    for (std::uint64_t code = 0; code < codes; ++code) {
      csr_graph g = testing::small_cfg(n, code);
      // The last block is the exit: what it does itself makes no difference.
      if (!g.successors(static_cast<block_id>(n - 1)).empty()) continue;
      all.push_back(std::move(g));
    }
    for (const csr_graph& a : all)
      for (const csr_graph& b : all) {
        const auto exit = static_cast<block_id>(n - 1);
        check(a, graph_piece(a, 0, exit), b, graph_piece(b, 0, exit));
      }
  }
}

TEST_CASE(
    "isomorphism: random pairs of pieces of three blocks, and of larger ones with switches, against all bijections") {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph a = testing::small_cfg(4, random.below(testing::num_small_cfgs(4)));
    const csr_graph b = testing::small_cfg(4, random.below(testing::num_small_cfgs(4)));
    const block_id exit = random.chance(80) ? 3 : no_block;
    check(a, graph_piece(a, 0, exit), b, graph_piece(b, 0, exit));
  }
  std::size_t found[3] = {0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = 2 + random.below(6),
                                                     .max_successors = 1 + random.below(4),
                                                     .shuffled = false,
                                                     .exit_mark_percent = 10});
    const block_id exit = random.chance(70) && g.num_blocks() > 1
                              ? static_cast<block_id>(1 + random.below(g.num_blocks() - 1))
                              : no_block;
    const std::size_t how = random.below(3);
    block_id new_exit = no_block;
    csr_graph h = disguised(random, g, orders[how], exit, new_exit);
    if (random.chance(40)) {  // one edge moved: nearly the same
      csr_builder made(h.num_blocks());
      const std::size_t moved = h.num_edges() == 0 ? 0 : random.below(h.num_edges());
      std::size_t e = 0;
      for (block_id v = 0; v < h.num_blocks(); ++v) {
        for (const block_id s : h.successors(v))
          made.add_edge(v, e++ == moved ? static_cast<block_id>(random.below(h.num_blocks())) : s);
        if (h.is_exit(v) && !h.successors(v).empty()) made.mark_exit(v);
      }
      h = made.build();
    }
    const graph_piece a(g, 0, exit), b(h, 0, new_exit);
    if (a.size() > 7 || b.size() > 7) continue;
    check(g, a, h, b);
    for (std::size_t o = 0; o < 3; ++o)
      if (find_isomorphism(a, b, {.order = orders[o]})) ++found[o];
    // With labels: only blocks of one colour may be partners, and the worth of the others varies.
    std::vector<std::int32_t> worth(g.num_blocks() * h.num_blocks());
    for (std::int32_t& w : worth)
      w = random.chance(25) ? forbidden_pair : static_cast<std::int32_t>(random.below(9)) - 4;
    check(g, a, h, b, [&](block_id x, block_id y) { return worth[x * h.num_blocks() + y]; });
  }
  for (const std::size_t f : found) CHECK(f > 300);
}

TEST_CASE("isomorphism: large disguised graphs are recognised, and one moved edge is noticed") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const bool structured = random.chance(50);
    const csr_graph g =
        structured
            ? testing::random_structured_program(random, {.statements = 150, .max_depth = 6}).graph
            : testing::random_cfg(random, {.blocks = 400, .max_successors = 1 + random.below(3), .shuffled = false});
    for (std::size_t o = 0; o < 3; ++o) {
      CAPTURE(std::string(order_names[o]));
      block_id unused = no_block;
      // Structured programs start at block 0 as random ones do.
      REQUIRE(g.entry() == 0);
      const csr_graph h = disguised(random, g, orders[o], no_block, unused);
      const graph_piece a(g, 0, no_block), b(h, 0, no_block);
      const piece_isomorphism x = find_isomorphism(a, b, {.order = orders[o]});
      REQUIRE(x);
      REQUIRE(is_isomorphism(a, b, orders[o], x, any_block_pair()));
    }
  }
}

TEST_CASE("isomorphism: the pair that is worth more is tried first") {
  // A diamond beside one with exchanged arms: both maps are isomorphisms.
  const csr_graph g = graph_of(5, {{1, 2}, {3}, {3}, {4}, {}});
  const graph_piece p(g, 0, 4);
  const auto straight = [](block_id a, block_id b) { return a == b ? 1 : 0; };
  const auto crossed = [](block_id a, block_id b) { return a != b ? 1 : 0; };
  const piece_isomorphism x = find_isomorphism(p, p, {}, straight), y = find_isomorphism(p, p, {}, crossed);
  REQUIRE(x);
  REQUIRE(y);
  CHECK(!x.swapped(p, 0));
  CHECK(y.swapped(p, 0));
  // It is the sum that counts: 5 + 0 < 3 + 3.
  const auto sum = [](block_id a, block_id b) { return a == 1 && b == 1 ? 5 : a == b ? 0 : 3; };
  CHECK(find_isomorphism(p, p, {}, sum).swapped(p, 0));
  const auto switches = [](block_id a, block_id b) { return a + b == 5 ? 7 : 0; };
  const csr_graph s = graph_of(6, {{1, 2, 3, 4}, {5}, {5}, {5}, {5}, {}});
  const graph_piece q(s, 0, 5);
  const piece_isomorphism z = find_isomorphism(q, q, {.order = slot_order::free}, switches);
  REQUIRE(z);
  CHECK(z.slot[0] == 3);
  CHECK(z.slot[1] == 2);
  CHECK(z.slot[2] == 1);
  CHECK(z.slot[3] == 0);
}

TEST_CASE("isomorphism: the search gives up after its number of steps, not later and not earlier") {
  // A chain of diamonds that look alike; at its end only one way out of 2^k is allowed: labels that only the last
  // decision contradicts.
  const std::uint32_t k = 40;
  std::vector<std::vector<block_id>> rows;
  for (std::uint32_t d = 0; d < k; ++d)
    for (std::uint32_t x = 0; x < 3; ++x)
      rows.push_back(x == 0 ? std::vector<block_id>{3 * d + 1, 3 * d + 2} : std::vector<block_id>{3 * d + 3});
  rows.push_back({3 * k + 1});
  rows.emplace_back();
  const csr_graph g = graph_of(rows.size(), rows);
  const graph_piece p(g, 0, 3 * k + 1);
  const auto never = [&](block_id a, block_id) { return a == 3 * k ? forbidden_pair : 0; };
  CHECK(find_isomorphism(p, p, {}, never).verdict == isomorphism_verdict::gave_up);
  CHECK(find_isomorphism(p, p, {.order = slot_order::ordered}, never).verdict == isomorphism_verdict::different);
  CHECK(find_isomorphism(p, p, {.max_steps = p.num_edges()}).verdict == isomorphism_verdict::isomorphic);
  CHECK(find_isomorphism(p, p, {.max_steps = p.num_edges() - 1}).verdict == isomorphism_verdict::gave_up);
  CHECK(find_isomorphism(p, p, {.max_steps = p.num_edges() - 1}).block.empty());
}

TEST_CASE("isomorphism: a hundred thousand blocks in a row, nested, side by side") {
  const std::uint32_t n = 100'000;
  std::vector<std::vector<block_id>> chain, ladder, fan;
  for (std::uint32_t i = 0; i < n; ++i) {
    chain.push_back({i + 1});
    ladder.push_back(i % 2 == 0 ? std::vector<block_id>{i + 1, i + 2 < n ? i + 2 : n}
                                : std::vector<block_id>{n, i + 1});
  }
  fan.emplace_back();
  for (std::uint32_t i = 1; i < n; ++i) {
    if (i < 200) fan[0].push_back(i);
    fan.push_back({i + 199 < n ? i + 199 : n});
  }
  for (auto* rows : {&chain, &ladder, &fan}) {
    rows->emplace_back();
    const csr_graph g = graph_of(n + 1, *rows);
    testing::rng random(7);
    for (const slot_order order : orders) {
      block_id exit = n;
      const csr_graph h = disguised(random, g, order, n, exit);
      const graph_piece a(g, 0, n), b(h, 0, exit);
      REQUIRE(a.size() == n);
      const piece_isomorphism x = find_isomorphism(a, b, {.order = order});
      REQUIRE(x);
      REQUIRE(is_isomorphism(a, b, order, x, any_block_pair()));
    }
  }
}

TEST_CASE("isomorphism: blocks that only go on are passed over, a cycle of them is not walked forever") {
  // 0 -> 1 2, 1 (empty) -> 3, 2 -> 3, 3 (empty) -> 4, 4 -> 5 0; 5 (empty) -> 6 = exit
  const csr_graph g = graph_of(7, {{1, 2}, {3}, {3}, {4}, {5, 0}, {6}, {}});
  const auto empty = [](block_id b) { return b == 1 || b == 3 || b == 5 || b == 4; };  // 4 branches: it stays
  const graph_piece p(g, 0, 6, empty);
  REQUIRE(p.size() == 3);
  CHECK(p[0] == 0);
  CHECK(p[1] == 4);
  CHECK(p[2] == 2);
  CHECK(p.successors(0)[0] == 1);
  CHECK(p.successors(0)[1] == 2);
  CHECK(p.successors(1)[0] == p.exit());
  CHECK(p.successors(1)[1] == 0);
  CHECK(p.successors(2)[0] == 1);
  CHECK(graph_piece(g, 1, 4, empty).size() == 0);
  CHECK(graph_piece(g, 1, 3, empty).size() == 0);
  const auto all = [](block_id) { return true; };
  const csr_graph rounds = graph_of(4, {{1}, {2}, {1}, {}});
  const graph_piece cycle(rounds, 0, 3, all);
  REQUIRE(cycle.size() == 1);
  CHECK(cycle.successors(0)[0] == 0);
  CHECK(find_isomorphism(cycle, graph_piece(rounds, 1, 3, all)));
  const graph_piece nothing;
  CHECK(find_isomorphism(nothing, graph_piece(g, 1, 3, empty)));
  CHECK(!find_isomorphism(nothing, p));
  // The same object again, for another graph and for the first one.
  graph_piece again(rounds, 0, 3);
  again.compute(g, 0, 6, empty);
  CHECK(std::vector<block_id>(again.blocks().begin(), again.blocks().end()) == std::vector<block_id>{0, 4, 2});
  again.compute(rounds, 0, 3);
  CHECK(again.size() == 3);
}

namespace {

constexpr bool in_a_constant() {
  csr_builder left(4), right(4);
  left.add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 0);
  right.add_edge(0, 1).add_edge(0, 2).add_edge(2, 3).add_edge(1, 0);
  const csr_graph g = left.build(), h = right.build();
  const graph_piece a(g, 0, 3), b(h, 0, 3);
  const piece_isomorphism x = find_isomorphism(a, b);
  return bool(x) && x.swapped(a, 0) && !find_isomorphism(a, b, {.order = slot_order::ordered});
}
static_assert(in_a_constant());

}  // namespace

// SPDX-License-Identifier: BSL-1.0
//
// Sequence alignment in million cells a second, one thread: two random sequences of 20 classes, weights 3, 10 and 20,
// other pairs -2, a gap 5 to open and 1 for each element. `functor` calls a function object for each pair, `classes`
// takes the path for dense class numbers, compiled with the flags that an including project has: no -march. Rows with a
// number of bits in front force a vector unit (128: SSE2 or NEON, 256: AVX2, 512: AVX-512) that the machine has. If
// parasail is installed, it aligns the same sequences in the same run, in turns (ratio.hpp), and the scores are
// compared.
#include "ratio.hpp"
#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/testing/generate.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef SIMTFLOW_BENCH_PARASAIL
#include <parasail.h>
#endif

namespace {

using namespace simtflow;

struct element {
  int kind, weight;
};
struct pair_worth {
  std::int32_t operator()(const element& a, const element& b) const { return a.kind == b.kind ? a.weight : -2; }
};

constexpr int kinds = 20;
constexpr std::int32_t worth[] = {3, 10, 20};

struct input {
  std::vector<element> a, b;
  std::vector<std::uint16_t> ka, kb;
  std::string ta, tb;  // letters
  std::vector<std::int32_t> weight;

  input(std::size_t n, std::size_t m) {
    testing::rng random(n);
    for (int k = 0; k < kinds; ++k) weight.push_back(worth[k % 3]);
    const auto fill = [&](std::size_t size, std::vector<element>& e, std::vector<std::uint16_t>& k, std::string& t) {
      for (std::size_t i = 0; i < size; ++i) {
        const int kind = static_cast<int>(random.below(kinds));
        e.push_back({kind, worth[kind % 3]});
        k.push_back(static_cast<std::uint16_t>(kind));
        t.push_back(static_cast<char>('A' + kind));
      }
    };
    fill(n, a, ka, ta);
    fill(m, b, kb, tb);
  }
};

alignment_options options(alignment_mode mode, std::size_t bytes = std::size_t{1} << 26) {
  return {.mode = mode, .first = {5, 1}, .second = {5, 1}, .matrix_bytes = bytes};
}

// The local score on one vector unit, with cells of one width.
template <class Cell>
std::int32_t forced(detail::vector_unit unit, const input& in, const class_scores& scores, const alignment_options& o) {
  std::int32_t best = 0;
  detail::score_in_strips<Cell>(unit, in.ka, in.kb, scores, o, best);
  return best;
}

// A contestant of compete(), and its last score.
struct row {
  std::vector<simtflow_bench::contestant> all;
  std::vector<std::int32_t> score;
  std::vector<bool> local;

  template <class F>
  void add(const char* name, bool is_local, std::size_t times, F f) {
    score.push_back(0);
    local.push_back(is_local);
    all.push_back({name, [this, f, times, at = score.size() - 1](std::size_t) {
                     for (std::size_t k = 0; k < times; ++k) score[at] = f();
                   }});
  }
};

void measure(std::size_t n, std::size_t m) {
  const input in(n, m);
  const double cells = static_cast<double>(n) * static_cast<double>(m);
  const std::size_t times = cells < 1e4 ? 200 : cells < 1e6 ? 8 : 1;
  row r;
  const auto global = options(alignment_mode::global), local = options(alignment_mode::local);
  const auto linear = options(alignment_mode::global, 1 << 14);
  const class_scores scores{in.weight, -2};
  r.add("functor, local score", true, times, [&] { return alignment_score(in.a, in.b, pair_worth{}, local); });
  r.add("functor, global score", false, times, [&] { return alignment_score(in.a, in.b, pair_worth{}, global); });
  r.add("functor, global pairs", false, times, [&] { return align(in.a, in.b, pair_worth{}, global).score; });
  r.add("functor, global pairs, 16 KiB", false, times, [&] { return align(in.a, in.b, pair_worth{}, linear).score; });
  r.add("classes, local score", true, times, [&] { return alignment_score(in.ka, in.kb, scores, local); });
  r.add("classes, global score", false, times, [&] { return alignment_score(in.ka, in.kb, scores, global); });
  r.add("classes, local score, 32 bits", true, times,
        [&] { return forced<std::int32_t>(detail::widest_vector_unit(), in, scores, local); });
  r.add("classes, global pairs", false, times, [&] { return align(in.ka, in.kb, scores, global).score; });
  constexpr const char* names[][3] = {{"128: local score", "128: local score, 32 bits", "128: global pairs"},
                                      {"256: local score", "256: local score, 32 bits", "256: global pairs"},
                                      {"512: local score", "512: local score, 32 bits", "512: global pairs"}};
  for (int k = 0; k < 3; ++k) {
    const auto unit = static_cast<detail::vector_unit>(k + 1);
    if (unit > detail::widest_vector_unit()) break;
    r.add(names[k][0], true, times,
          [&in, &scores, unit, local] { return forced<std::int16_t>(unit, in, scores, local); });
    r.add(names[k][1], true, times,
          [&in, &scores, unit, local] { return forced<std::int32_t>(unit, in, scores, local); });
    r.add(names[k][2], false, times, [&in, &scores, unit, global] {
      alignment out;
      detail::pairs_in_strips<std::int16_t>(unit, in.ka, in.kb, scores, global, out);
      return out.score;
    });
  }
#ifdef SIMTFLOW_BENCH_PARASAIL
  parasail_matrix_t* matrix = parasail_matrix_create("ABCDEFGHIJKLMNOPQRST", -2, -2);
  for (int k = 0; k < kinds; ++k) parasail_matrix_set_value(matrix, k, k, in.weight[static_cast<std::size_t>(k)]);
  const int la = static_cast<int>(n), lb = static_cast<int>(m);
  // parasail: a gap of k costs open + (k - 1) * extend.
  const auto peer = [&](const char* name, bool is_local, auto* align_with) {
    r.add(name, is_local, times, [&in, la, lb, matrix, align_with] {
      parasail_result_t* x = align_with(in.ta.c_str(), la, in.tb.c_str(), lb, 6, 1, matrix);
      const int s = parasail_result_is_saturated(x) ? -1 : parasail_result_get_score(x);
      parasail_result_free(x);
      return static_cast<std::int32_t>(s);
    });
  };
  peer("parasail sw", true, parasail_sw);
  peer("parasail sw_striped_16", true, parasail_sw_striped_16);
  peer("parasail sw_striped_32", true, parasail_sw_striped_32);
  peer("parasail nw_trace_striped_16", false, parasail_nw_trace_striped_16);
  peer("parasail nw_trace_scan_32", false, parasail_nw_trace_scan_32);
#endif
  const auto table = simtflow_bench::compete(r.all, 1, 1, cells < 1e7 ? 30 : 5);
  std::printf("%zu x %zu\n", n, m);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const double rate = cells * static_cast<double>(times) / table[k].seconds / 1e6;
    std::printf("  %-32s %7.0f Mcells/s  score %d%s\n", table[k].name.c_str(), rate, r.score[k],
                r.score[k] == -1 ? " (saturated)" : "");
    if (r.score[k] != -1 && r.score[k] != r.score[r.local[k] ? 0 : 1]) {
      std::printf("scores differ\n");
      std::exit(1);
    }
  }
#ifdef SIMTFLOW_BENCH_PARASAIL
  parasail_matrix_free(matrix);
#endif
}

}  // namespace

int main() {
  measure(64, 59);
  measure(512, 500);
  measure(2048, 1989);
  measure(8192, 7987);
}

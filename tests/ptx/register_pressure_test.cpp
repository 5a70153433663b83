// SPDX-License-Identifier: BSL-1.0
//
// Register pressure. The maxima are held against an oracle that searches paths, on small random kernels; the estimate
// is held against what ptxas reports.
#include "ptx/modules_on_disk.hpp"
#include "ptx/support.hpp"
#include "support/long_run.hpp"
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/register_pressure.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/transform/plan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace simtflow_tests {
namespace register_pressure {

using pressure = ptx::register_pressure;

pressure pressure_in(const ptx::module& m, const std::string& kernel) {
  const ptx::kernel* k = m.find(kernel);
  REQUIRE(k != nullptr);
  const auto checked = (ptx::verify)(m, *k);
  REQUIRE_MESSAGE(checked, text_of(checked.diagnostics()));
  return ptx::register_pressure_of(*checked);
}
pressure pressure_of(const std::string& body) { return pressure_in(module_of(kernel_text(body)), "k"); }

TEST_CASE("ptx, register pressure: 64 bits take two registers, 16 bits one, predicates none") {
  const pressure p = pressure_of(R"(.reg .b64 %d<3>; .reg .b32 %r<3>; .reg .b16 %h<2>; .reg .pred %p<3>;
    ld.global.u64 %d1, [%d0];
    ld.global.u16 %h1, [%d0];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 3;
    setp.eq.u64 %p2, %d1, 4;
    @%p1 st.global.u64 [%d0], %d1;
    @%p2 st.global.u16 [%d0], %h1;
    st.global.u32 [%d0], %r1;
    ret;)");
  CHECK(p.live == 2 + 2 + 1 + 1);
  CHECK(p.live_at == 2);
  CHECK(p.predicates == 2);
  CHECK(p.predicates_at == 4);
  CHECK(p.estimate == p.live + 5);
}

TEST_CASE("ptx, register pressure: no value is live") {
  const pressure p = pressure_of("ret;");
  CHECK(p.live == 0);
  CHECK(p.live_at == ptx::no_index);
  CHECK(p.predicates_at == ptx::no_index);
  CHECK(p.estimate == 5);
}

TEST_CASE("ptx, register pressure: parameters, constants and uniform integers need no register of a thread") {
  const pressure p = pressure_of(R"(.reg .b64 %d<4>; .reg .b32 %r<6>;
    ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d2, %d1;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, %r1, 7;
    mov.u32 %r4, %tid.x;
    st.global.u32 [%d2], %r4;
    st.global.u32 [%d2+4], %r3;
    ret;)");
  CHECK(p.live == 4);
  CHECK(p.estimate == 1 + 5);
}

TEST_CASE("ptx, register pressure: a called function adds its own need") {
  const std::string text = std::string(header) + R"(.func (.param .b32 out) f(.param .b32 in) {
      .reg .b32 %a<5>;
      ld.param.u32 %a0, [in];
      mov.u32 %a1, %tid.x; mov.u32 %a2, %tid.y; mov.u32 %a3, %tid.z;
      add.u32 %a4, %a1, %a2; add.u32 %a4, %a4, %a3; add.u32 %a4, %a4, %a0;
      st.param.b32 [out], %a4;
      ret;
    }
    .visible .entry k(.param .u64 to) {
      .reg .b64 %d<2>; .reg .b32 %r<3>;
      ld.param.u64 %d1, [to];
      mov.u32 %r1, %tid.x;
      { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; }
      st.global.u32 [%d1], %r1;
      st.global.u32 [%d1+4], %r2;
      ret;
    })";
  const pressure p = pressure_in(module_of(text), "k");
  CHECK(p.live == 3 + 4);          // %d1 and %r1 across the call, %a0 to %a3 in it
  CHECK(p.estimate == 1 + 4 + 5);  // %d1 is a parameter
}

// ptxas unrolls a loop without the pragma, which takes registers that the text does not show.
TEST_CASE("ptx, .pragma \"nounroll\" stays at its loop when a module is printed, and when a plan is written") {
  const std::string body = R"(.reg .b32 %r<2>; .reg .pred %p;
    mov.u32 %r1, 9;
    bra.uni L;
    A: .pragma "other";
    L: .pragma "nounroll";
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra L;
    ret;)";
  ptx::module m = module_of(kernel_text(body));
  REQUIRE(m.kernels[0].labels.size() == 2);
  CHECK(!m.kernels[0].labels[0].no_unroll);
  CHECK(m.kernels[0].labels[1].no_unroll);
  CHECK(ptx::print(m).find("L:\n\t.pragma \"nounroll\";\n") != std::string::npos);
  const auto checked = (ptx::verify)(m, m.kernels[0]);
  REQUIRE(checked);
  const auto written = ptx::rewrite(*checked, flow_plan(checked->blocks().graph()));
  REQUIRE(written);
  REQUIRE(written->labels.size() == 1);
  CHECK(written->labels[0].no_unroll);
}

// A random kernel that knows what its instructions read and write.
struct line {
  std::vector<int> reads, writes;  // numbers of registers
  std::vector<std::size_t> next;   // lines
  bool guarded = false;
};
struct random_kernel {
  std::string body;
  std::vector<line> lines;
};
constexpr int words = 5, doubles = 3, predicates = 3;  // numbers 0.., then these, then these

std::string name_of(int r) {
  if (r < words) return "%r" + std::to_string(r);
  if (r < words + doubles) return "%d" + std::to_string(r - words);
  return "%p" + std::to_string(r - words - doubles);
}

random_kernel random_code(random_bits& rng) {
  random_kernel out;
  const std::size_t n = 4 + rng.below(12);
  out.body = ".reg .b32 %r<5>; .reg .b64 %d<3>; .reg .pred %p<3>;\n";
  const auto pick = [&](int first, int count) {
    return first + static_cast<int>(rng.below(static_cast<std::uint64_t>(count)));
  };
  for (std::size_t i = 0; i < n; ++i) {
    line l;
    std::string text;
    const bool branch = i + 1 == n || rng.below(4) == 0;
    const int guard = rng.below(3) == 0 ? pick(words + doubles, predicates) : -1;
    if (guard >= 0) l.reads.push_back(guard);
    if (i + 1 == n) {
      text = "ret";
      l.reads.clear();
    } else if (branch) {
      const std::size_t to = rng.below(n);
      text = "bra L" + std::to_string(to);
      l.next.push_back(to);
      if (guard >= 0) l.next.push_back(i + 1);
    } else {
      l.next.push_back(i + 1);
      l.guarded = guard >= 0;
      const auto sum = [&](const char* opcode, int first, int count) {
        const int to = pick(first, count), a = pick(first, count), b = pick(first, count);
        text = std::string(opcode) + name_of(to) + ", " + name_of(a) + ", " + name_of(b);
        l.writes.push_back(to);
        l.reads.insert(l.reads.end(), {a, b});
      };
      const std::uint64_t kind = rng.below(3);
      if (kind == 0) {
        sum("add.u32 ", 0, words);
      } else if (kind == 1) {
        sum("add.u64 ", words, doubles);
      } else {
        const int a = pick(0, words), to = pick(words + doubles, predicates);
        text = "setp.eq.u32 " + name_of(to) + ", " + name_of(a) + ", 1";
        l.writes.push_back(to);
        l.reads.push_back(a);
      }
    }
    const bool guards = guard >= 0 && i + 1 != n;
    out.body += "L" + std::to_string(i) + ": " + (guards ? "@" + name_of(guard) + " " : "") + text + ";\n";
    out.lines.push_back(l);
  }
  return out;
}

// True if some path from line i reads r before a line writes it for all threads. A guarded write leaves the old value
// to some threads, so it counts as a reader.
bool is_live(const std::vector<line>& lines, std::size_t i, int r) {
  std::vector<bool> seen(lines.size());
  std::vector<std::size_t> work{i};
  while (!work.empty()) {
    const std::size_t at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const line& l = lines[at];
    const bool writes = std::count(l.writes.begin(), l.writes.end(), r) != 0;
    if (std::count(l.reads.begin(), l.reads.end(), r) != 0 || (writes && l.guarded)) return true;
    if (!writes) work.insert(work.end(), l.next.begin(), l.next.end());
  }
  return false;
}

pressure by_paths(const std::vector<line>& lines) {
  pressure most;
  std::vector<bool> reached(lines.size());
  std::vector<std::size_t> work{0};
  while (!work.empty()) {
    const std::size_t at = work.back();
    work.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    work.insert(work.end(), lines[at].next.begin(), lines[at].next.end());
  }
  const int all = words + doubles + predicates;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!reached[i]) continue;
    std::uint32_t live[2] = {0, 0}, flags[2] = {0, 0};
    for (int r = 0; r < all; ++r)
      for (const int after : {0, 1}) {
        bool is = after == 0 && is_live(lines, i, r);
        if (after == 1) {
          is = std::count(lines[i].writes.begin(), lines[i].writes.end(), r) != 0;
          for (const std::size_t s : lines[i].next) is = is || is_live(lines, s, r);
        }
        if (is && r < words + doubles) live[after] += r < words ? 1 : 2;
        if (is && r >= words + doubles) ++flags[after];
      }
    const auto number = static_cast<std::uint32_t>(i);
    if (const std::uint32_t here = std::max(live[0], live[1]); here > most.live)
      most.live = here, most.live_at = number;
    if (const std::uint32_t here = std::max(flags[0], flags[1]); here > most.predicates)
      most.predicates = here, most.predicates_at = number;
  }
  return most;
}

TEST_CASE("ptx, register pressure: the maxima of random kernels are what paths say") {
  for (std::uint64_t seed = 0; seed < times(400); ++seed) {
    random_bits rng(seed);
    const random_kernel k = random_code(rng);
    const pressure found = pressure_of(k.body), wanted = by_paths(k.lines);
    CAPTURE(seed);
    CAPTURE(k.body);
    CHECK(found.live == wanted.live);
    CHECK(found.live_at == wanted.live_at);
    CHECK(found.predicates == wanted.predicates);
    CHECK(found.predicates_at == wanted.predicates_at);
    CHECK(found.estimate <= found.live + 5);
  }
}

// The registers that ptxas 13.0 (V13.0.88) reports with -v -arch=sm_75 for the kernels of examples/kernels.
struct reported {
  const char* file;
  const char* kernel;
  int registers;
};
constexpr reported by_ptxas[] = {
    {"aes", "aes", 39},
    {"back_propagation", "back_propagation", 20},
    {"background_subtraction", "background_subtraction", 34},
    {"barrier_exception", "barrier_exception", 10},
    {"bfs", "bfs", 18},
    {"bitonic_arms", "bitonic_arms", 11},
    {"bitonic_sort", "bitonic_sort", 11},
    {"bottom_up_merge", "bottom_up_merge", 28},
    {"bytecode", "bytecode", 20},
    {"coulomb_potential", "coulomb_potential", 29},
    {"dct_quantize", "dct_quantize", 14},
    {"exception_call", "exception_call", 20},
    {"exception_call", "exception_call_plain", 18},
    {"exception_cond", "exception_cond", 16},
    {"exception_cond", "exception_cond_plain", 14},
    {"exception_loop", "exception_loop", 14},
    {"exception_loop", "exception_loop_plain", 14},
    {"face_detection", "face_detection", 26},
    {"figure1", "figure1", 10},
    {"heart_wall", "heart_wall", 30},
    {"hotspot", "hotspot", 16},
    {"laplace_3d", "laplace_3d", 29},
    {"libor", "libor", 27},
    {"lu_perimeter", "lu_perimeter", 64},
    {"mandelbrot", "mandelbrot", 18},
    {"mcx", "mcx", 37},
    {"merge_sort", "merge_sort", 21},
    {"n_queens", "n_queens", 25},
    {"nested_loops", "nested_loops", 14},
    {"neural_net", "neural_net", 19},
    {"nonbonded", "nonbonded", 32},
    {"odd_even_merge", "odd_even_merge", 16},
    {"particle_filter", "particle_filter", 21},
    {"path_finding", "path_finding", 37},
    {"photon_transport", "photon_transport", 33},
    {"queens_backtrack", "queens_backtrack", 14},
    {"ray_caster", "ray_caster", 41},
    {"ray_queue", "ray_queue", 18},
    {"sb1", "sb1", 12},
    {"sb1_r", "sb1_r", 13},
    {"sb2", "sb2", 12},
    {"sb2_r", "sb2_r", 13},
    {"sb3", "sb3", 15},
    {"sb3_r", "sb3_r", 15},
    {"sb4", "sb4", 18},
    {"sb4_r", "sb4_r", 18},
    {"short_circuit", "short_circuit", 14},
    {"spin_lock", "spin_lock", 10},
    {"spin_lock_flag", "spin_lock_flag", 10},
    {"split_merge", "split_merge", 26},
    {"srad", "srad", 22},
    {"stream_cluster", "stream_cluster", 16},
    {"suffix_tree", "suffix_tree", 20},
    {"tree_reduction", "tree_reduction", 10},
    {"warp_reduction", "warp_reduction", 16},
    {"weather", "weather", 30},
};

double relative_error(const pressure& p, int registers) {
  return std::abs(static_cast<double>(p.estimate) - registers) / registers;
}

TEST_CASE("ptx, register pressure: the estimate is within 15 % of ptxas on average") {
  double error = 0;
  for (const reported& r : by_ptxas) {
    CAPTURE(r.kernel);
    const auto m = ptx::parse(file(std::string(SIMTFLOW_SOURCE_DIR "/examples/kernels/") + r.file + ".ptx"));
    REQUIRE(m);
    error += relative_error(pressure_in(*m, r.kernel), r.registers);
  }
  CHECK(error / static_cast<double>(std::size(by_ptxas)) < 0.12);
}

}  // namespace register_pressure
}  // namespace simtflow_tests

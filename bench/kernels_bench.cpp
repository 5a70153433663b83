// SPDX-License-Identifier: BSL-1.0
//
// How fast kernels run: every shipped kernel at its bench size (NAME.bench.launch.json) under the post-dominator stack
// and at thread frontiers, and a converged loop of integer and f32 arithmetic, on one host thread. warp/s and thread/s
// are warp and thread instructions per second of wall time; the grid's run alone is timed, with the usual counts
// observed. After the benchmarks, from runs in turns (ratio.hpp): what two host threads give, and what the branch
// profile costs. `kernels_bench --once NAME [profile]` runs one kernel once under pdom; profile_cost.sh counts its
// instructions.
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "ratio.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;

// All lanes take the same way: what is left is the cost of an instruction.
constexpr std::string_view converged_text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry converged(.param .u64 out, .param .u32 trips)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [trips];
  mov.u32 %r2, %tid.x;
  cvt.rn.f32.u32 %f1, %r2;
  mov.u32 %r3, 0;
LOOP:
  mad.lo.s32 %r2, %r2, 1664525, 1013904223;
  shr.u32 %r4, %r2, 7;
  xor.b32 %r5, %r4, %r2;
  and.b32 %r6, %r5, 1023;
  cvt.rn.f32.u32 %f2, %r6;
  mul.f32 %f3, %f2, 0f3A800000;
  add.f32 %f1, %f1, %f3;
  max.f32 %f1, %f1, %f2;
  add.s32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra LOOP;
  mov.u32 %r7, %tid.x;
  mul.wide.u32 %rd2, %r7, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f1;
  ret;
}
)";

enum class mechanism { pdom, tf };

// The branch profile beside the counts.
struct profiled_counts {
  counts sum;
  branch_profile profile;
  template <class Event>
    requires(std::invocable<counts&, const Event&> || std::invocable<branch_profile&, const Event&>)
  void operator()(const Event& e) {
    if constexpr (std::invocable<counts&, const Event&>) sum(e);
    if constexpr (std::invocable<branch_profile&, const Event&>) profile(e);
  }
};
struct add_profiled_counts {
  void operator()(profiled_counts& sum, const profiled_counts& part) const {
    ptx::add_counts{}(sum.sum, part.sum);
    sum.profile += part.profile;
  }
};

// A kernel on its launch, with what the policies want to know of it.
struct job {
  job(std::string called, ptx::decoded_kernel k, lab::launch_file l)
      : name(std::move(called)), kernel(std::move(k)), launch(std::move(l)) {
    const auto tree = post_dominators(kernel.bodies());
    const auto order = loop_contiguous_order(kernel.cfg());
    ipdoms.assign(tree.ipdoms().begin(), tree.ipdoms().end());
    ranks.assign(order.ranks().begin(), order.ranks().end());
  }

  // Runs the grid once on fresh memory and calls timed(run) around the part that counts. False: it did not finish.
  template <class Timed>
  bool run(mechanism which, std::uint32_t host_threads, counts& c, Timed&& timed) const {
    return run_with(which, host_threads, c, ptx::add_counts{}, timed);
  }
  // The same with any observer that is empty. \param merge adds the observer of a part to another
  template <class Observer, class Merge, class Timed>
  bool run_with(mechanism which, std::uint32_t host_threads, Observer& c, const Merge& merge, Timed&& timed) const {
    ptx::device_memory memory = lab::device_memory_for(launch);
    const ptx::arguments arguments = lab::arguments_for(kernel, launch, memory);
    const ptx::grid_options options{.threads = host_threads};
    bool good = false;
    timed([&] {
      const ptx::launch_config config = lab::config_of(launch);
      const auto under = [&]<class Policy>(const Policy& policy) {
        Observer of_run;
        good = ptx::run_grid_as<Policy>(policy, kernel, config, memory, arguments, of_run, merge, options).finished();
        merge(c, of_run);
      };
      if (which == mechanism::pdom)
        under(policies::ipdom_stack(ipdoms));
      else
        under(policies::thread_frontier(ranks));
    });
    return good;
  }

  std::string name;
  ptx::decoded_kernel kernel;
  lab::launch_file launch;
  std::vector<block_id> ipdoms;
  std::vector<std::uint32_t> ranks;
};

job converged_job() {
  lab::launch_file launch;
  launch.block = {128, 1, 1};
  launch.grid = {64, 1, 1};
  launch.buffers.push_back({"out", lab::scalar::f32, 128, std::vector<unsigned char>(512)});
  launch.params = {{0, 0, lab::scalar::u64, 0}, {std::nullopt, 0, lab::scalar::u32, 1000}};
  const auto parsed = ptx::parse(converged_text);
  return {"converged", *ptx::decode(*parsed, parsed->kernels.front()), std::move(launch)};
}

void measure(benchmark::State& state, const job& j, mechanism which) {
  using clock = std::chrono::steady_clock;
  counts c;
  double seconds = 0;
  for (auto _ : state) {
    double took = 0;
    const bool good = j.run(which, 1, c, [&](auto&& go) {
      const auto start = clock::now();
      go();
      took = std::chrono::duration<double>(clock::now() - start).count();
    });
    if (!good) {
      state.SkipWithError("does not finish under this policy");
      return;
    }
    state.SetIterationTime(took);
    seconds += took;
  }
  state.counters["warp/s"] = static_cast<double>(c.warp_instructions) / seconds;
  state.counters["thread/s"] = static_cast<double>(c.thread_instructions) / seconds;
}

// \param only the one kernel, if it is not empty
std::vector<job> all_jobs(const std::string& only = {}) {
  std::vector<job> jobs;
  if (only.empty() || only == "converged") jobs.push_back(converged_job());
  const std::string folder = std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels";
  const std::string ending = ".bench.launch.json";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!only.empty() && name != only) continue;
    const std::string launch_path = folder + "/" + name + ending;
    lab::launch_file launch = lab::parse_launch_file(lab::read_text(launch_path), launch_path);
    lab::kernel_file file = lab::load_kernel(folder + "/" + name + ".ptx", launch.kernel, launch_path);
    jobs.emplace_back(name, std::move(file.kernel), std::move(launch));
  }
  return jobs;
}

void print_scaling(const job& j) {
  const auto with = [&j](std::uint32_t host_threads) {
    return [&j, host_threads](std::size_t) {
      counts c;
      if (!j.run(mechanism::pdom, host_threads, c, [](auto&& go) { go(); })) std::exit(1);
    };
  };
  const auto table = simtflow_bench::compete({{"one", with(1)}, {"two", with(2)}}, 1, 1, 6);
  std::printf("%s: two host threads are %.2f times as fast as one\n", j.name.c_str(),
              table[0].seconds / table[1].seconds);
}

// \returns how many times as long a run takes with the branch profile as with the counts alone.
double cost_of_profile(const job& j) {
  const auto go = [](auto&& f) { f(); };
  const auto table = simtflow_bench::compete({{"counts",
                                               [&](std::size_t) {
                                                 counts c;
                                                 (void)j.run(mechanism::pdom, 1, c, go);
                                               }},
                                              {"profile",
                                               [&](std::size_t) {
                                                 profiled_counts c;
                                                 (void)j.run_with(mechanism::pdom, 1, c, add_profiled_counts{}, go);
                                               }}},
                                             1, 1, 4);
  return table[1].seconds / table[0].seconds;
}

void print_profile_cost(const job& j) {
  std::printf("%s: a run takes %.2f times as long with the branch profile\n", j.name.c_str(), cost_of_profile(j));
  std::fflush(stdout);
}

// \returns the exit status.
int run_once(const std::string& name, bool with_profile) {
  const std::vector<job> jobs = all_jobs(name);
  if (jobs.empty()) {
    std::fprintf(stderr, "kernels_bench: no kernel '%s'\n", name.c_str());
    return 2;
  }
  const auto go = [](auto&& f) { f(); };
  counts c;
  profiled_counts p;
  const job& j = jobs.front();
  const bool good =
      with_profile ? j.run_with(mechanism::pdom, 1, p, add_profiled_counts{}, go) : j.run(mechanism::pdom, 1, c, go);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "--once") return run_once(argv[2], argc > 3);
  const std::vector<job> jobs = all_jobs();
  for (const job& j : jobs) {
    const auto add = [&j](const std::string& name, mechanism which) {
      for (const auto& [policy, verdict] : j.launch.verdicts)
        if (policy == name) return;  // a spin lock, which does not finish there
      benchmark::RegisterBenchmark((j.name + "/" + name).c_str(),
                                   [&j, which](benchmark::State& state) { measure(state, j, which); })
          ->Unit(benchmark::kMillisecond)
          ->UseManualTime();
    };
    add("pdom", mechanism::pdom);
    add("tf", mechanism::tf);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  for (const job& j : jobs)
    if (j.name == "converged" || j.name == "mandelbrot") print_scaling(j);
  for (const job& j : jobs)
    if (j.name == "bfs" || j.name == "converged" || j.name == "mandelbrot" || j.name == "n_queens")
      print_profile_cost(j);
}

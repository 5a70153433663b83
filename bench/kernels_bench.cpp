// SPDX-License-Identifier: BSL-1.0
//
// How fast kernels run: every shipped kernel under every policy that finishes, and a converged loop of integer and f32
// arithmetic. warp/s and thread/s are warp and thread instructions per second of one core; the grid's run alone is timed,
// with the usual counts observed.
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/policies.hpp"
#include <simtflow/ptx/parser.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
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

struct job {
  std::string name;
  ptx::decoded_kernel kernel;
  lab::launch_file launch;
};

job converged_job() {
  job j{"converged", {}, {}};
  const ptx::parse_result parsed = ptx::parse(converged_text);
  j.kernel = ptx::decode(parsed.module, parsed.module.kernels.front()).kernel;
  j.launch.block = {128, 1, 1};
  j.launch.grid = {4, 1, 1};
  j.launch.buffers.push_back({"out", lab::scalar::f32, 128, std::vector<unsigned char>(512)});
  j.launch.params = {{0, lab::scalar::u64, 0}, {std::nullopt, lab::scalar::u32, 5000}};
  return j;
}

template <class Policy>
bool run_grid(const job& j, ptx::interpreter<>& program, executor<Policy>& machine, barrier_model barriers, counts& c) {
  const launch shape{j.launch.threads_per_block(), j.launch.warp_width, 0, barriers};
  for (std::uint64_t b = 0; b < j.launch.thread_blocks(); ++b) {
    program.begin_block_number(b);
    if (!machine.run(shape, program, c).finished()) return false;
  }
  return true;
}

void measure(benchmark::State& state, const job& j, std::string_view policy) {
  const lab::schedule plan = lab::schedule_for(j.kernel.cfg(), lab::order_choice::loop_contiguous);
  lab::with_policy(policy, plan, [&](auto prototype, barrier_model barriers) {
    const ptx::device_memory start = lab::device_memory_for(j.launch);
    const ptx::arguments args = lab::arguments_for(j.kernel, j.launch, start);
    executor<decltype(prototype)> machine(prototype);
    counts c;
    for (auto _ : state) {
      state.PauseTiming();
      ptx::device_memory memory = start;
      ptx::interpreter<> program(j.kernel, lab::config_of(j.launch), memory, args);
      state.ResumeTiming();
      if (!run_grid(j, program, machine, barriers, c)) {
        state.SkipWithError("does not finish under this policy");
        return;
      }
    }
    state.counters["warp/s"] =
        benchmark::Counter(static_cast<double>(c.warp_instructions), benchmark::Counter::kIsRate);
    state.counters["thread/s"] =
        benchmark::Counter(static_cast<double>(c.thread_instructions), benchmark::Counter::kIsRate);
  });
}

std::vector<job> all_jobs() {
  std::vector<job> jobs;
  jobs.push_back(converged_job());
  const std::string folder = std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const std::string launch_path = path.substr(0, path.size() - 4) + ".launch.json";
    lab::launch_file launch = lab::parse_launch_file(lab::read_text(launch_path), launch_path);
    lab::kernel_file file = lab::load_kernel(path, launch.kernel, launch_path);
    jobs.push_back({std::filesystem::path(path).stem().string(), std::move(file.kernel), std::move(launch)});
  }
  return jobs;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<job> jobs = all_jobs();
  for (const job& j : jobs)
    for (const std::string_view policy : lab::policy_names()) {
      if (j.launch.verdicts.count(std::string(policy)) != 0) continue;  // it is meant not to finish
      benchmark::RegisterBenchmark((j.name + "/" + std::string(policy)).c_str(), [&j, policy](benchmark::State& state) {
        measure(state, j, policy);
      })->Unit(benchmark::kMillisecond);
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}

// SPDX-License-Identifier: BSL-1.0
//
// Latency: why a GPU needs warps, and what divergence costs when memory is slow. A warp that waits for memory costs
// nothing while another warp issues, so the number of resident warps (the occupancy) decides how fast a core is. A
// divergent warp waits for the load of one arm and then for the load of the other one; a mechanism that has both
// arms in flight waits once.
#include "svg_shapes.hpp"
#include "timed_loop.hpp"
#include "write_picture.hpp"
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <cstdio>
#include <string>

using namespace simtflow;

namespace {

// A bar chart: for each number of warps one bar for each of three runs, as high as the work done in each cycle.
class chart {
 public:
  void add(std::uint32_t warps, const double (&work)[3]) {
    constexpr const char* colours[] = {"#4477aa", "#cc6677", "#228833"};
    for (int k = 0; k < 3; ++k) {
      const int high = int(work[k] * 140 + 0.5);
      rows_ += svg_box(left_ + 18 * k, 190 - high, 16, high, colours[k]);
    }
    rows_ += svg_text(left_, 206, std::to_string(warps));
    left_ += 70;
  }
  [[nodiscard]] std::string svg() const {
    std::string s = svg_begin(620, 270);
    s += svg_text(20, 22, "Useful warp instructions in each cycle of a core, by the number of resident warps");
    s += rows_ + svg_box(20, 190, 500, 1, "#333333") + svg_box(20, 222, 12, 12, "#4477aa") +
         svg_text(38, 233, "all lanes take one arm") + svg_box(190, 222, 12, 12, "#cc6677") +
         svg_text(208, 233, "half of the lanes take each arm, post-dominator stack") +
         svg_box(190, 242, 12, 12, "#228833") +
         svg_text(208, 253, "half of the lanes take each arm, both arms in flight (dual path)");
    return s + svg_end;
  }

 private:
  std::string rows_;
  int left_ = 30;
};

}  // namespace

int main(int argc, char** argv) {
  using loop = timed_loop<lane_mask>;
  const loop::shape together{.wants = [](std::uint32_t, std::uint32_t) { return true; }};
  const loop::shape apart{.wants = [](std::uint32_t thread, std::uint32_t) { return thread % 2 == 0; }};
  // [time]
  timing::machine one_core = timing::machines::gtx480();
  one_core.core.cores = 1;
  one_core.core.schedulers = 1;
  one_core.core.max_blocks = 48;
  const auto time_of = [&](const auto& policy, const loop::shape& code, std::uint32_t warps) {
    const auto make = [&](std::uint32_t) { return loop(code); };
    return *timing::run(policy, make, {.blocks = warps, .threads = 32}, one_core);
  };
  const policies::ipdom_stack stack(loop::ipdom);
  const policies::dual_path both_arms(loop::ipdom);
  // [/time]

  chart picture;
  std::printf("          one arm             both arms: stack      both arms: dual path\n");
  std::printf("warps    cycles  IPC  waits    cycles  x one arm      cycles  x one arm\n");
  for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U, 48U}) {
    const timing::report a = time_of(stack, together, warps);
    const timing::report b = time_of(stack, apart, warps), c = time_of(both_arms, apart, warps);
    const double waits = double(a.schedulers[timing::cycle_class::memory]) / double(a.schedulers.total());
    const double slower_b = double(b.cycles) / double(a.cycles), slower_c = double(c.cycles) / double(a.cycles);
    std::printf("%5u %9u %.2f  %3.0f %% %9u       %.2f %11u       %.2f\n", warps, unsigned(a.cycles), a.ipc(),
                100 * waits, unsigned(b.cycles), slower_b, unsigned(c.cycles), slower_c);
    picture.add(warps, {a.ipc(), a.ipc() / slower_b, a.ipc() / slower_c});
  }
  return write_picture(argc, argv, picture.svg());
}

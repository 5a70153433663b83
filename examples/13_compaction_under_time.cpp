// SPDX-License-Identifier: BSL-1.0
//
// Compaction under time. Thread block compaction issues fewer instructions where the lanes of different warps
// complement each other, but its warps wait for each other at every divergent branch. Other thread blocks hide that
// wait if the scheduler lets them run ahead: hence the priorities between thread blocks. If all warps diverge alike,
// compaction only waits.
#include "svg_shapes.hpp"
#include "timed_loop.hpp"
#include "write_picture.hpp"
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <cstdio>
#include <string>

using namespace simtflow;

namespace {

// A bar for each run: where the cycles of its schedulers went, per mille of the first run's cycles.
class chart {
 public:
  void title(const char* words) {
    rows_ += svg_text(20, top_ + 16, words);
    top_ += 26;
    first_ = 0;
  }
  void add(const char* name, const timing::report& r) {
    using kind = timing::cycle_class;
    if (first_ == 0) first_ = r.schedulers.total();
    const std::uint64_t issued = r.schedulers[kind::issued], busy = r.schedulers[kind::stall_unit],
                        memory = r.schedulers[kind::memory], rest = r.schedulers.total() - issued - busy - memory;
    rows_ += svg_text(30, top_ + 13, name);
    int left = 250;
    int colour = 0;
    for (const std::uint64_t part : {issued, busy, memory, rest}) {
      const int wide = int((part * 280 + first_ / 2) / first_);
      rows_ += svg_box(left, top_, wide, 16, colours[colour++]);
      left += wide;
    }
    top_ += 21;
  }
  [[nodiscard]] std::string svg() const {
    std::string s = svg_begin(640, top_ + 44) + rows_;
    constexpr const char* names[] = {"issues", "unit is busy: 8 lanes, 4 cycles a warp", "waits for memory", "other"};
    constexpr int places[] = {30, 110, 370, 510};
    for (int k = 0; k < 4; ++k)
      s += svg_box(places[k], top_ + 14, 12, 12, colours[k]) + svg_text(places[k] + 18, top_ + 25, names[k]);
    return s + svg_end;
  }

 private:
  static constexpr const char* colours[] = {"#4477aa", "#99bbdd", "#cc6677", "#bbbbbb"};
  std::string rows_;
  int top_ = 8;
  std::uint64_t first_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  // [run]
  using mask = basic_mask<4>;  // the threads of a thread block
  using loop = timed_loop<mask>;
  const home_lanes warps{32};
  const policies::basic_ipdom_stack<mask> stack(loop::ipdom);
  const policies::basic_thread_block_compaction<mask> compaction(loop::ipdom, {.lanes = warps});
  const policies::basic_dynamic_warps<mask> dynamic(policies::dynamic_warp_options{.lanes = warps});

  timing::machine device = timing::machines::quadro_fx5800_plus_caches();
  device.core.cores = 1;
  chart picture;
  const auto compare = [&](const char* what, auto wants) {
    const loop::shape code{.threads = 256, .arithmetic = 12, .wants = wants};
    const auto time_of = [&](const auto& policy) {
      const auto make = [&](std::uint32_t) { return loop(code); };
      return *timing::run(policy, make, {.blocks = 8, .threads = 256}, device);
    };
    std::printf("%s\n", what);
    picture.title(what);
    const timing::report base = time_of(stack);
    const auto show = [&](const char* name, const timing::report& r) {
      std::printf("  %-32s %5u instructions %7u cycles  %.2f x the speed\n", name, unsigned(r.instructions),
                  unsigned(r.cycles), double(base.cycles) / double(r.cycles));
      picture.add(name, r);
    };
    show("PDOM", base);
    for (const auto order : {timing::block_priority_kind::age, timing::block_priority_kind::round_robin,
                             timing::block_priority_kind::sticky_round_robin}) {
      device.core.block_priority = order;
      const char* const names[] = {"", "compaction, oldest block first", "compaction, blocks in turns",
                                   "compaction, sticky turns"};
      show(names[std::size_t(order)], time_of(compaction));
    }
    device.core.block_priority = timing::block_priority_kind::age;
    show("dynamic warps, majority", time_of(dynamic));
  };
  compare("Lanes of different warps complement each other",
          [](std::uint32_t t, std::uint32_t i) { return (t + t / 32 + i) % 2 == 0; });
  compare("All warps diverge alike", [](std::uint32_t t, std::uint32_t) { return t % 2 == 0; });
  compare("No warp diverges", [](std::uint32_t t, std::uint32_t i) { return (t / 32 + i) % 2 == 0; });
  // [/run]
  return write_picture(argc, argv, picture.svg());
}

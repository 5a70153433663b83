// SPDX-License-Identifier: BSL-1.0
#include <simtflow/timing/machines.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace simtflow;
using namespace simtflow::timing;

namespace {

using limit = occupancy_limit;

struct expected {
  block_resources block;
  std::uint32_t blocks;
  occupancy_limit limit;
};

void has(const machine& m, std::initializer_list<expected> cases) {
  for (const expected& e : cases) {
    CAPTURE(m.name);
    CAPTURE(e.block.threads);
    CAPTURE(e.block.registers_per_thread);
    CAPTURE(e.block.shared_bytes);
    const result<occupancy> found = occupancy_of(m.core, e.block);
    REQUIRE(found);
    CHECK(found->blocks == e.blocks);
    CHECK(to_string(found->limit) == std::string(to_string(e.limit)));
    CHECK(found->warps() == e.blocks * ((e.block.threads + 31) / 32));
  }
}

std::string all(const result<occupancy>& r) {
  std::string out;
  for (const diagnostic& d : r.diagnostics()) out += to_string(d) + '\n';
  return out;
}

}  // namespace

// By hand, with the rules and the tables of the CUDA occupancy calculator.
TEST_CASE("occupancy by hand: compute capability 1.3") {
  has(machines::quadro_fx5800_plus_caches(),
      {
          {{64, 0, 0}, 8, limit::blocks},
          {{33, 0, 0}, 8, limit::blocks},
          {{256, 0, 0}, 4, limit::warps},             // 32 / 8
          {{512, 16, 0}, 2, limit::warps},            // 16 * 32 * 16 = 8192 registers: 2 as well
          {{256, 17, 0}, 3, limit::registers},        // 8 * 32 * 17 = 4352 -> 4608: 3.6
          {{96, 16, 0}, 8, limit::blocks},            // 3 -> 4 warps: 2048: 8
          {{96, 17, 0}, 6, limit::registers},         // 3 -> 4 warps: 2176 -> 2560: 6.4
          {{128, 0, 5000}, 3, limit::shared_memory},  // 5000 -> 5120: 3.2
          {{128, 0, 4096}, 4, limit::shared_memory},
          {{1024, 16, 16384}, 1, limit::warps},
      });
}

TEST_CASE("occupancy by hand: compute capability 2.0") {
  has(machines::gtx480(), {
                              {{192, 0, 0}, 8, limit::blocks},
                              {{256, 20, 0}, 6, limit::warps},            // 640: 51 -> 50 warps: 6 as well
                              {{256, 21, 0}, 5, limit::registers},        // 672 -> 704: 46 warps
                              {{256, 32, 0}, 4, limit::registers},        // 1024: 32 warps
                              {{256, 63, 0}, 2, limit::registers},        // 2016 -> 2048: 16 warps
                              {{160, 40, 0}, 4, limit::registers},        // 1280: 25 -> 24 warps of 5
                              {{128, 0, 6100}, 8, limit::blocks},         // 6100 -> 6144: 8 as well
                              {{128, 0, 6145}, 7, limit::shared_memory},  // 6145 -> 6272: 7.8
                              {{1024, 20, 0}, 1, limit::warps},
                          });
}

// The machine of the paper's section 6 is a Tesla C2070, of compute capability 2.0 as the GTX 480 is. The thread blocks
// of mum (MUMmerGPU) have 256 threads.
TEST_CASE("the linearization paper: mum needs 32 registers in place of 22, and occupancy falls from 0.833 to 0.667") {
  const machine m = machines::gtx480();
  const auto part = [&](std::uint32_t registers) {
    const result<occupancy> found = occupancy_of(m.core, {256, registers, 0});
    REQUIRE(found);
    CHECK(found->limit == limit::registers);
    return static_cast<double>(found->warps()) / m.core.max_warps;
  };
  CHECK(part(22) == doctest::Approx(0.833).epsilon(0.001));
  CHECK(part(32) == doctest::Approx(0.667).epsilon(0.001));
}

TEST_CASE("occupancy by hand: compute capability 7.0") {
  has(machines::volta(), {
                             {{32, 0, 0}, 32, limit::blocks},
                             {{1024, 32, 0}, 2, limit::warps},
                             {{256, 90, 0}, 2, limit::registers},         // 2880 -> 3072: 21 -> 20 warps
                             {{128, 90, 0}, 5, limit::registers},         // 20 warps of 4
                             {{96, 33, 0}, 16, limit::registers},         // 1056 -> 1280: 51 -> 48 warps of 3
                             {{128, 0, 12289}, 7, limit::shared_memory},  // 12289 -> 12544: 7.8
                         });
}

TEST_CASE("the ideal machine holds one thread block of any size") {
  has(machines::ideal(), {{{1, 0, 0}, 1, limit::blocks}, {{100'000, 255, 1U << 24}, 1, limit::blocks}});
}

TEST_CASE("a thread block that is larger than a core is a diagnostic") {
  const core_parameters c = machines::gtx480().core;
  CHECK(all(occupancy_of(c, {0, 0, 0})) == "a thread block has at least one thread\n");
  CHECK(all(occupancy_of(c, {2000, 0, 0})) ==
        "a thread block of 2000 threads: the machine allows 1024 (core.max_block_threads)\n"
        "a thread block needs 63 warps: a core has 48 (core.max_warps)\n"
        "a thread block needs 2016 threads: a core has 1536 (core.max_threads)\n");
  CHECK(all(occupancy_of(c, {1024, 63, 0})) ==
        "a thread block needs 65536 registers: a core has 32768 (core.registers)\n");
  CHECK(all(occupancy_of(c, {32, 0, 50'000})) ==
        "a thread block needs 50048 bytes of shared memory: a core has 49152 (core.shared_bytes)\n");
  CHECK(!occupancy_of(c, {0xFFFF'FFFFU, 0xFFFF'FFFFU, 0xFFFF'FFFFU}));
  CHECK(!occupancy_of(machines::quadro_fx5800_plus_caches().core, {0xFFFF'FFFFU, 0xFFFF'FFFFU, 0xFFFF'FFFFU}));
}

// The oracle gives thread blocks to a core one after the other, register granule by register granule.
TEST_CASE("occupancy is what fits one thread block after the other") {
  std::mt19937_64 random(19);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 2000; ++round) {
    core_parameters c;
    c.warp_width = 1U << below(7);
    c.max_threads = below(5) == 0 ? unlimited : c.warp_width + below(3000);
    c.max_warps = below(5) == 0 ? unlimited : 1 + below(64);
    c.max_blocks = 1 + below(32);
    c.warp_unit = 1 + below(4);
    c.registers = below(5) == 0 ? unlimited : 512 + below(70'000);
    c.register_unit = 1 + below(512);
    c.registers_by = below(2) == 0 ? register_scope::warp : register_scope::block;
    c.shared_bytes = below(5) == 0 ? unlimited : below(100'000);
    c.shared_unit = 1 + below(512);
    const block_resources b{1 + below(1024), below(64), below(3) == 0 ? 0 : below(50'000)};
    CAPTURE(round);

    std::uint32_t warps = 0;
    while (warps * c.warp_width < b.threads) ++warps;
    const auto granules = [](std::uint64_t amount, std::uint64_t unit) {
      std::uint64_t n = 0;
      while (n < amount) n += unit;
      return n;
    };
    std::uint32_t blocks = 0;
    std::uint64_t used_warps = 0, used_registers = 0, used_shared = 0;
    for (; blocks < c.max_blocks; ++blocks) {
      used_warps += warps;
      if (c.max_warps != unlimited && used_warps > c.max_warps) break;
      if (c.max_threads != unlimited && used_warps * c.warp_width > c.max_threads) break;
      const std::uint64_t per_thread = b.registers_per_thread;
      if (c.registers_by == register_scope::warp) {
        // A group of warp_unit warps gets its registers together.
        used_registers = granules(used_warps, c.warp_unit) * granules(per_thread * c.warp_width, c.register_unit);
      } else {
        used_registers += granules(granules(warps, c.warp_unit) * per_thread * c.warp_width, c.register_unit);
      }
      if (c.registers != unlimited && used_registers > c.registers) break;
      used_shared += granules(b.shared_bytes, c.shared_unit);
      if (c.shared_bytes != unlimited && used_shared > c.shared_bytes) break;
    }
    const result<occupancy> found = occupancy_of(c, b);
    REQUIRE(found.has_value() == (blocks > 0));
    if (found) CHECK(found->blocks == blocks);
  }
}

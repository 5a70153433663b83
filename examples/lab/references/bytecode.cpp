// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/bytecode.cu: the machine, one thread after the other.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lab::of_bytecode {
namespace {

using std::uint32_t;

void bytecode(host_launch& run) {
  const auto code = run.array<uint32_t>(0);
  auto registers = run.array<uint32_t>(1);
  auto result = run.array<uint32_t>(2);
  auto trap = run.array<uint32_t>(3);
  const uint32_t length = run.u32(4);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    uint32_t acc = t + 1, pc = 0, why = 0, fuel = run.u32(5);
    while (why == 0 && pc < length) {
      if (fuel == 0) {
        why = 5;
        break;
      }
      --fuel;
      const uint32_t word = code.get(std::size_t{t} * length + pc++);
      const uint32_t operand = word % 8, operation = word / 8;
      const std::size_t reg = std::size_t{8} * t;
      if (operation == 0) {
        const uint32_t value = registers.get(reg + operand);
        if (value == 0xFFFFFFFF)
          why = 1;
        else
          acc += value;
      } else if (operation == 1) {
        registers.set(reg + operand, acc & 15);
      } else if (operation == 2) {
        if ((acc & 0xFF) == 0)
          why = 2;
        else
          acc += ((operand + 1) * 1000003U) % (acc & 0xFF);
      } else if (operation == 3) {
        acc *= operand * 2 + 3;
        acc ^= acc >> 15;
        registers.set(reg + 7, acc & 15);
      } else if (operation == 4) {
        const uint32_t left = registers.get(reg);
        if (left > 15) {
          why = 3;
        } else if (left > 0) {
          registers.set(reg, left - 1);
          pc -= std::min(operand, pc);
        }
      } else {
        why = 4;
      }
    }
    result.set(t, why == 0 ? acc : ~acc);
    if (why != 0) trap.set(t, why * 65536 + pc);
  }
}

const reference registered("bytecode", bytecode);

}  // namespace
}  // namespace lab::of_bytecode

// SPDX-License-Identifier: BSL-1.0
//
// A small bytecode interpreter, standing for the shader megakernel "optix" of G. Diamos et al., "SIMD Re-Convergence At
// Thread Frontiers" (MICRO 2011): code that calls back into what its user wrote. One program per thread: an
// accumulator, eight registers in memory, and instructions that may trap (division by zero, a poisoned register, a wild
// counter, a bad opcode, out of fuel). The traps leave the dispatch loop from many places to a common handler, as
// exceptions do, so the handlers of different opcodes have no common post-dominator inside the loop: under PDOM lanes
// that once took different handlers never meet again before the end, although few lanes ever trap. Thread frontiers
// rejoin at the dispatch.
//
// An instruction is one word: the operand in the low three bits, the opcode above them.

extern "C" __global__ void bytecode(const unsigned* code, unsigned* registers, unsigned* result, unsigned* trap,
                                    unsigned length, unsigned fuel) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned* program = code + thread * length;
  volatile unsigned* reg = registers + thread * 8;
  unsigned acc = thread + 1;
  unsigned pc = 0;
  unsigned why = 0;
#pragma unroll 1
  while (pc < length) {
    if (fuel == 0) {
      why = 5;
      goto trapped;
    }
    --fuel;
    const unsigned word = program[pc];
    ++pc;
    const unsigned operand = word & 7;
    switch (word >> 3) {
      case 0: {  // add a register
        const unsigned value = reg[operand];
        if (value == 0xFFFFFFFFu) {
          why = 1;
          goto trapped;
        }
        acc += value;
        break;
      }
      case 1:  // store the accumulator; registers are four bits wide
        reg[operand] = acc & 15;
        break;
      case 2:  // the remainder of a constant by the accumulator
        if ((acc & 0xFF) == 0) {
          why = 2;
          goto trapped;
        }
        acc += ((operand + 1) * 1000003u) % (acc & 0xFF);
        break;
      case 3:  // multiply and mix
        acc *= operand * 2 + 3;
        acc ^= acc >> 15;
        reg[7] = acc & 15;
        break;
      case 4: {  // jump back while the counter in register 0 runs
        const unsigned left = reg[0];
        if (left == 0) break;
        if (left > 15) {
          why = 3;
          goto trapped;
        }
        reg[0] = left - 1;
        pc -= min(operand, pc);
        break;
      }
      default: why = 4; goto trapped;
    }
  }
  result[thread] = acc;
  return;

trapped:
  trap[thread] = why * 65536 + pc;
  result[thread] = ~acc;
}

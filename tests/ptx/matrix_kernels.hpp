// SPDX-License-Identifier: BSL-1.0
//
// Kernels with one matrix product each, on numbers with exact sums: a GPU and the interpreter must agree on every bit,
// in whatever order they add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow_tests {

struct matrix_kernel {
  std::string name;       ///< of a file
  std::string text;       ///< with an entry "random" for 32 threads: its parameter is the address of the results
  std::size_t bytes = 0;  ///< of the results
};

/// A product of registers with random bits where a mask allows it, and fixed bits.
struct exact_product {
  const char* opcode;
  const char* target;
  std::uint32_t d, a, b, c;  // registers, of 64 bits for f64
  std::uint32_t factor_mask, factor_bits;
  std::uint32_t sum_mask, sum_bits;
};
inline constexpr exact_product exact_products[] = {
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "sm_75", 8, 2, 2, 8, 0x8300'8300, 0x3C00'3C00, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "sm_80", 4, 2, 1, 4, 0x8300'8300, 0x3C00'3C00, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "sm_80", 4, 4, 2, 4, 0x8300'8300, 0x3C00'3C00, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "sm_80", 2, 4, 2, 2, 0x8300'8300, 0x3C00'3C00, 0x8300'8300,
     0x3C00'3C00},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "sm_80", 4, 4, 2, 4, 0x8060'8060, 0x3F80'3F80, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "sm_80", 4, 2, 1, 4, 0x8060'0000, 0x3F80'0000, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "sm_80", 4, 4, 2, 4, 0x8060'0000, 0x3F80'0000, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "sm_80", 2, 1, 1, 2, 0x800C'0000, 0x3FF0'0000, 0x800C'0000,
     0x3FF0'0000},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "sm_90", 4, 8, 4, 4, 0x800C'0000, 0x3FF0'0000, 0x800C'0000,
     0x3FF0'0000},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "sm_89", 4, 4, 2, 4, 0x8484'8484, 0x3838'3838, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "sm_89", 4, 4, 2, 4, 0x8282'8282, 0x3C3C'3C3C, 0x8060'0000,
     0x3F80'0000},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", "sm_80", 2, 1, 1, 2, ~0U, 0, ~0U, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", "sm_80", 4, 4, 2, 4, ~0U, 0, ~0U, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "sm_80", 4, 4, 2, 4, ~0U, 0, ~0U, 0},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", "sm_80", 4, 4, 2, 4, ~0U, 0, ~0U, 0},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "sm_80", 4, 2, 1, 4, ~0U, 0, ~0U, 0},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "sm_80", 4, 4, 2, 4, ~0U, 0, ~0U, 0},
};

inline matrix_kernel kernel_of(const exact_product& p) {
  const bool wide = std::string(p.opcode).find(".f64") != std::string::npos;
  const std::string reg = wide ? "b64" : "b32";
  std::string s = std::string(".version 8.4\n.target ") + p.target +
                  "\n.address_size 64\n.visible .entry random(.param .u64 out)\n{\n.reg .b32 %t, %x; .reg .b64 %out, "
                  "%w;\n";
  for (const char* stem : {"a", "b", "c", "d"}) s += ".reg ." + reg + " %" + stem + "<8>;\n";
  s += "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n";
  std::uint32_t number = 0;
  const auto fill = [&](const char* stem, std::uint32_t n, std::uint32_t mask, std::uint32_t bits) {
    for (std::uint32_t i = 0; i < n; ++i, ++number) {
      const std::string to = std::string("%") + stem + std::to_string(i);
      s += "mad.lo.u32 %x, %t, 2654435769, " + std::to_string(40503U * number + 7U) +
           "; mul.lo.u32 %x, %x, 2246822519; shf.l.wrap.b32 %x, %x, %x, 13; mul.lo.u32 %x, %x, 3266489917;\n"
           "and.b32 %x, %x, " +
           std::to_string(mask) + "; or.b32 %x, %x, " + std::to_string(bits) + ";\n" +
           (wide ? "mov.b64 " + to + ", {0, %x};\n" : "mov.b32 " + to + ", %x;\n");
    }
  };
  fill("a", p.a, p.factor_mask, p.factor_bits);
  fill("b", p.b, p.factor_mask, p.factor_bits);
  fill("c", p.c, p.sum_mask, p.sum_bits);
  const auto list = [](const char* stem, std::uint32_t n) {
    std::string all = "{";
    for (std::uint32_t i = 0; i < n; ++i) all += (i == 0 ? "%" : ", %") + std::string(stem) + std::to_string(i);
    return all + "}";
  };
  s += std::string(p.opcode) + " " + list("d", p.d) + ", " + list("a", p.a) + ", " + list("b", p.b) + ", " +
       list("c", p.c) + ";\n";
  const std::size_t size = wide ? 8 : 4;
  s += "mul.wide.u32 %w, %t, " + std::to_string(size * p.d) + "; add.s64 %out, %out, %w;\n";
  for (std::uint32_t i = 0; i < p.d; ++i)
    s += "st.global." + reg + " [%out+" + std::to_string(size * i) + "], %d" + std::to_string(i) + ";\n";
  return {std::string("matrix-") + p.opcode + ".txt", s + "ret;\n}\n", 32 * size * p.d};
}

}  // namespace simtflow_tests

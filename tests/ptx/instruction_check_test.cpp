// SPDX-License-Identifier: BSL-1.0
#include "ptx/instruction_check.hpp"

#include "ptx/run_support.hpp"

#include <span>
#include <string_view>

using namespace simtflow;
using simtflow_tests::random_bits;

namespace {

using namespace simtflow_tests;

u64 of(float v) { return std::bit_cast<u32>(v); }
u64 of(double v) { return std::bit_cast<u64>(v); }

std::string hex(u64 v) {
  std::string s;
  do {
    s.insert(s.begin(), "0123456789abcdef"[v % 16]);
    v /= 16;
  } while (v != 0);
  return "0x" + s;
}

bool is_single(std::string_view type) { return type == "f32" || type == "f64"; }
std::string size_of(std::string_view type) {
  if (type == "f16x2" || type == "bf16x2" || type == "u16x2" || type == "s16x2") return "32";
  if (type == "f16" || type == "bf16") return "16";
  return std::string(type.substr(1));
}
std::string reg(char what, std::string_view type) {
  return std::string("%") + (is_single(type) ? "f" : "") + what + size_of(type);
}
/// The type that memory has.
std::string memory_type(std::string_view type) {
  if (is_single(type) || type == "u8" || type == "s8") return std::string(type);
  return (type[0] == 's' && type != "s16x2" ? "s" : type[0] == 'u' && type != "u16x2" ? "u" : "b") + size_of(type);
}

struct written {
  std::string kernel;
  bool in_place = false;
};

/// The kernel that runs an instruction. Variants: all threads; part of them, by a branch; part, by a guard; in place.
written write(const std::string& opcode, const std::vector<std::string>& types, int variant) {
  written w;
  std::string body =
      ".reg .pred %guard, %p<8>; .reg .b64 %in, %out, %t, %y<8>; .reg .b32 %lane, %x<8>; .reg .b16 %h<8>;\n"
      ".reg .b16 %a16, %b16, %c16, %d16, %r16; .reg .b32 %a32, %b32, %c32, %d32, %r32, %a8, %b8, %c8, %r8;\n"
      ".reg .b64 %a64, %b64, %c64, %d64, %r64;\n"
      ".reg .f32 %fa32, %fb32, %fc32, %fd32, %fr32; .reg .f64 %fa64, %fb64, %fc64, %fd64, %fr64;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %x0, [n]; mov.u32 %lane, %tid.x;\n"
      "mov.u32 %t32x, %ctaid.x; mad.lo.u32 %lane, %t32x, %x0, %lane;\n"
      "mul.wide.u32 %t, %lane, 40; add.s64 %in, %in, %t; mul.wide.u32 %t, %lane, 8; add.s64 %out, %out, %t;\n";
  body = ".reg .b32 %t32x;\n" + body;
  const std::string result = reg('r', types[0]);
  const bool text = opcode.find('$') != std::string::npos;
  // In place: the result takes the first operand's register.
  w.in_place = variant == 3 && !text && types.size() > 1 && size_of(types[0]) == size_of(types[1]) &&
               is_single(types[0]) == is_single(types[1]);
  const std::string destination = w.in_place ? reg('a', types[1]) : result;
  std::string call;
  if (text) {
    bool fresh = true;
    for (std::size_t i = 0; i < opcode.size(); ++i) {
      if (fresh && opcode[i] != ' ') {
        if (variant == 2) call += "@%guard ";
        fresh = false;
      }
      if (opcode[i] == '$') {
        const char c = opcode[++i];
        call += c == 'r' ? destination : reg(c, types[static_cast<std::size_t>(c - 'a') + 1]);
        continue;
      }
      call += opcode[i];
      if (opcode[i] == ';') fresh = true;
    }
    call += "\n";
  } else {
    call = variant == 2 ? "@%guard " : "";
    call += opcode + " " + destination;
    for (std::size_t n = 1; n < types.size(); ++n) call += ", " + reg(static_cast<char>('a' + n - 1), types[n]);
    call += ";\n";
  }
  for (std::size_t n = 1; n < types.size(); ++n)
    body += "ld.global." + memory_type(types[n]) + " " + reg(static_cast<char>('a' + n - 1), types[n]) + ", [%in+" +
            std::to_string(8 * (n - 1)) + "];\n";
  if (!w.in_place) body += "ld.global." + memory_type(types[0]) + " " + result + ", [%in+32];\n";
  body += "and.b32 %lane, %lane, 5; setp.eq.s32 %guard, %lane, 1;\n";
  if (variant == 1) body += "@!%guard bra skip;\n";
  body += call;
  if (variant == 1) body += "skip:\n";
  body += "st.global." + memory_type(types[0]) + " [%out], " + destination + ";\nret;";
  w.kernel = kernel_text(body);
  return w;
}

std::vector<u64> run(const std::string& kernel, const std::vector<lane_values>& in, const std::vector<u64>& old) {
  std::vector<u64> memory;
  for (std::size_t i = 0; i < in.size(); ++i) memory.insert(memory.end(), {in[i].a, in[i].b, in[i].c, in[i].d, old[i]});
  const ptx::decoded_kernel k = decoded(kernel);
  ptx::device_memory device;
  const u64 from = device.allocate_copy(std::span<const u64>(memory), "in");
  const u64 to = device.allocate(8 * in.size(), "out");
  ptx::launch_config launch;
  launch.block[0] = static_cast<u32>(in.size() < 512 ? in.size() : 512);
  launch.grid[0] = static_cast<u32>(in.size() / launch.block[0]);
  REQUIRE(launch.grid[0] * launch.block[0] == in.size());
  ptx::arguments args(k);
  args.set(0, from);
  args.set(1, to);
  args.set(2, launch.block[0]);
  ptx::interpreter<> program(k, launch, device, args);
  const verdict v = run_grid(program, way::frontier);
  REQUIRE_MESSAGE(v.finished(), program.fault().describe());
  std::vector<u64> out(in.size());
  REQUIRE(device.read(to, std::span<u64>(out)));
  return out;
}

}  // namespace

namespace simtflow_tests {

std::vector<lane_values> values(u64 seed) {
  std::vector<u64> edges = {0,
                            1,
                            2,
                            3,
                            7,
                            8,
                            15,
                            16,
                            24,
                            31,
                            32,
                            33,
                            63,
                            64,
                            65,
                            127,
                            128,
                            255,
                            256,
                            0x7FFF,
                            0x8000,
                            0xFFFF,
                            0x10000,
                            0x7FFFFFFF,
                            0x80000000,
                            0x80000001,
                            0xFFFFFFFE,
                            0xFFFFFFFF,
                            0x100000000,
                            0x7FFFFFFFFFFFFFFF,
                            0x8000000000000000,
                            0xFFFFFFFFFFFFFFFF,
                            0x7F800000,
                            0xFF800000,
                            0x7FC00000,
                            0xFFC00001,
                            0x7F800001,
                            0x00000001,
                            0x807FFFFF,
                            0x00800000,
                            0x7F7FFFFF,
                            0x7FF8000000000123,
                            0xFFF4000000000001,
                            0x000FFFFFFFFFFFFF,
                            0x0010000000000000,
                            0x7FEFFFFFFFFFFFFF,
                            0x7C007C01,
                            0x3C00BC00,
                            0x80010001,
                            0x7BFF0400,
                            0x03FFFC00,
                            0x80FF7F01};
  for (const float v : {0.5F,           -0.5F,         1.0F,          -1.0F,       1.5F,
                        2.5F,           -2.5F,         3.0F,          0.99999994F, 2147483648.0F,
                        -2147483648.0F, 2147483520.0F, 4294967296.0F, 65535.5F,    -32769.0F,
                        65504.0F,       65519.9F,      65520.0F,      6.1e-5F,     9.2233720368547758e18F,
                        1e20F,          -1e20F,        1e-30F,        0.1F,        -0.0F,
                        1e38F})
    edges.push_back(of(v));
  for (const double v :
       {0.5, -0.5, 1.0, -1.5, 2.5, 1e300, -1e300, 1e-310, 2147483647.5, -2147483649.0, 1e19, 0.1,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -0.0, 1.0 / 3.0, 65504.0})
    edges.push_back(of(v));
  random_bits random{seed};
  const auto pick = [&]() -> u64 {
    switch (random() % 5) {
      case 0:
        return random();
      case 1:
        return of(static_cast<float>(static_cast<s64>(random() >> 40)) / 4096.0F - 1000.0F);
      case 2:
        return of(static_cast<double>(static_cast<s64>(random() >> 10)) / 1e9 - 9e6);
      default:
        return edges[random() % edges.size()];
    }
  };
  std::vector<lane_values> v;
  for (u32 i = 0; i < check_threads; ++i) v.push_back({pick(), pick(), pick(), pick()});
  return v;
}

void compare(const experiment& e) {
  std::vector<u64> old;
  random_bits random{7};
  for (std::size_t i = 0; i < e.in.size(); ++i) old.push_back(random());
  for (int variant = 0; variant < 4; ++variant) {
    const written w = write(e.opcode, e.types, variant);
    if (variant == 3 && !w.in_place) continue;
    const std::vector<u64> out = run(w.kernel, e.in, old);
    u32 wrong = 0;
    for (std::size_t i = 0; i < e.in.size() && wrong < 3; ++i) {
      const bool runs = variant == 0 || variant == 3 || (i & 5U) == 1;
      u64 expected = (runs ? e.expected[i] : old[i]) & e.result_mask;
      u64 got = out[i] & e.result_mask;
      if (e.canonical) {
        expected = e.canonical(expected);
        got = e.canonical(got);
      }
      if (got == expected) continue;
      ++wrong;
      const lane_values& v = e.in[i];
      FAIL_CHECK(e.opcode << " variant " << variant << " lane " << i << ": operands " << hex(v.a) << ", " << hex(v.b)
                          << ", " << hex(v.c) << ", " << hex(v.d) << ": expected " << hex(expected) << ", got "
                          << hex(got));
    }
  }
  CHECK(true);
}

std::vector<u64> results(const std::string& opcode, const std::vector<std::string>& types,
                         const std::vector<lane_values>& in) {
  return run(write(opcode, types, 0).kernel, in, std::vector<u64>(in.size(), 0));
}

std::string diagnostics_of(const std::string& opcode, const std::vector<std::string>& types) {
  return text_of(diagnostics_in(write(opcode, types, 0).kernel));
}

}  // namespace simtflow_tests

TEST_CASE("instructions: the check notices wrong results") {
  experiment e = expect<u32, u32, u32>(
      "add.u32", [](u32 a, u32 b) { return a + b; }, values(1));
  CHECK(results(e.opcode, e.types, e.in)[5] == static_cast<u32>(e.in[5].a + e.in[5].b));
  CHECK(diagnostics_of("add.u32", {"u32", "u32"}) != "");
}

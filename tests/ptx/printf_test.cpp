// SPDX-License-Identifier: BSL-1.0
//
// printf and assert of kernels; what nvcc makes of virtual functions, structures and recursion.
#include "ptx/modules_on_disk.hpp"
#include "ptx/run_support.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// A string as an initialiser of bytes.
std::string bytes_of(std::string_view text) {
  std::string s;
  for (const char c : text) s += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
  return s + "0";
}
std::string constant_string(std::string_view name, std::string_view text) {
  return ".global .align 1 .b8 " + std::string(name) + "[" + std::to_string(text.size() + 1) + "] = {" +
         bytes_of(text) + "};\n";
}
constexpr std::string_view vprintf_text = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";

/// Prints one text with an argument buffer that `fill` writes through %rd1; %r1 is what vprintf returns.
std::string printing(std::string_view fill) {
  return ".local .align 8 .b8 buffer[64]; mov.u64 %rd1, buffer; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, format; "
         "cvta.global.u64 %rd4, %rd3; mov.u64 %rd5, word; cvta.global.u64 %rd6, %rd5;\n" +
         std::string(fill) +
         "\n{ .param .b64 p0; .param .b64 p1; .param .b32 r; st.param.b64 [p0], %rd4; st.param.b64 [p1], %rd2; "
         "call.uni (r), "
         "vprintf, (p0, p1); ld.param.b32 %r1, [r]; }\n";
}

machine_result run_print(std::string_view format, std::string_view fill, way w = way::frontier,
                         std::uint32_t threads = 1) {
  const std::string before =
      constant_string("format", format) + constant_string("word", "seven") + std::string(vprintf_text);
  return run_under(w, decoded(with_thread_number(printing(fill) + "st.global.u32 [%out], %r1;", before)),
                   block_of(threads), {{}, threads});
}

std::string printed(std::string_view format, std::string_view fill) {
  const machine_result r = run_print(format, fill);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  std::string all;
  for (const ptx::printed_text& p : r.printed) all += p.text;
  return all;
}

}  // namespace

TEST_CASE("printf: every conversion is the host's") {
  const auto host = [](const char* format, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return std::string(text);
  };
  for (const std::string spec :
       {"%d", "%5i|", "%-7d|", "%+d", "% d", "%07d", "%u", "%x", "%#X", "%o", "%.3d", "%hd", "%hhu"})
    for (const std::int32_t v : {0, 42, -42, 70000, -1}) {
      CAPTURE(spec);
      const std::string fill = "st.local.u32 [%rd1], " + std::to_string(v) + ";";
      CHECK(printed("a" + spec + "b", fill) == host(("a" + spec + "b").c_str(), v));
    }
  for (const std::string spec : {"%lld", "%ld", "%20lld", "%llx", "%lu", "%llo"})
    for (const std::int64_t v : {std::int64_t{0}, std::int64_t{-5'000'000'000}, std::int64_t{1} << 62}) {
      CAPTURE(spec);
      CHECK(printed(spec, "st.local.u64 [%rd1], " + std::to_string(v) + ";") ==
            host(spec.c_str(), static_cast<long long>(v)));
    }
  for (const std::string spec : {"%f", "%.2f", "%10.3e", "%g", "%G", "%a", "%-12.4f|", "%E", "%A", "%F"}) {
    CAPTURE(spec);
    CHECK(printed(spec, "st.local.f64 [%rd1], 0dC005BF0A8B145769;") == host(spec.c_str(), -2.718281828459045));
  }
  CHECK(printed("%c%%%s|%8s|%.3s",
                "st.local.u32 [%rd1], 88; st.local.u64 [%rd1+8], %rd6; st.local.u64 [%rd1+16], %rd6; "
                "st.local.u64 [%rd1+24], %rd6;") == "X%seven|   seven|sev");
  CHECK(printed("%*d|%-*d|%.*f",
                "st.local.u32 [%rd1], 5; st.local.u32 [%rd1+4], 7; st.local.u32 [%rd1+8], -4; "
                "st.local.u32 [%rd1+12], 3; st.local.u32 [%rd1+16], 2; st.local.f64 [%rd1+24], "
                "0d3FF8000000000000;") == "    7|3   |1.50");
  // A star and digits are no number: the conversion is text after it.
  CHECK(printed("%*1d", "st.local.u32 [%rd1], 0x80000000; st.local.u32 [%rd1+4], 7;") == "%*1d");
  CHECK(printed("%p", "st.local.u64 [%rd1], 4096;") == "0x1000");
  CHECK(printed("%s", "st.local.u64 [%rd1], 0;") == "(null)");
  CHECK(printed("100%", "") == "100%");
  CHECK(printed("%y %n", "") == "%y %n");
  CHECK(printed("", "") == "");
  const machine_result three = run_print("%d%d%d", "");
  CHECK(three.out[0] == 3);
}

TEST_CASE("printf: the text of a thread is in order, whatever the policy") {
  const std::string before =
      constant_string("format", "%d:%d\n") + constant_string("word", "") + std::string(vprintf_text);
  const ptx::decoded_kernel k =
      decoded(with_thread_number("mov.u32 %r9, 0; rem.u32 %r8, %t, 3;\nagain: " +
                                     printing("st.local.u32 [%rd1], %t; st.local.u32 [%rd1+4], %r9;") +
                                     "add.u32 %r9, %r9, 1; setp.le.u32 %p1, %r9, %r8; @%p1 bra again;",
                                 before));
  for (const way w : all_ways) {
    const machine_result r = run_under(w, k, block_of(20, 32, 2), {{}, 40});
    REQUIRE(r.how == outcome::finished);
    std::map<std::uint64_t, std::string> by_thread;
    for (const ptx::printed_text& p : r.printed) by_thread[p.thread_block * 20 + p.thread] += p.text;
    REQUIRE(by_thread.size() == 40);
    for (const auto& [t, text] : by_thread) {
      std::string wanted;
      for (std::uint64_t n = 0; n <= t % 3; ++n) wanted += std::to_string(t) + ":" + std::to_string(n) + "\n";
      CHECK(text == wanted);
    }
  }
}

TEST_CASE("printf: a format that lies nowhere, one without an end, an assertion") {
  const machine_result nowhere = run_print("x", "mov.u64 %rd4, 64;");
  CHECK(nowhere.how == outcome::fault);
  CHECK(nowhere.fault.describe().ends_with(
      "'call.uni' is out of bounds: 1 byte at generic address 0x40 (no allocation is near)"));
  const std::string open =
      ".global .align 1 .b8 format[3] = {65, 65, 65};\n" + constant_string("word", "") + std::string(vprintf_text);
  const machine_result endless =
      run_under(way::frontier, decoded(with_thread_number(printing(""), open)), block_of(1), {{}, 1});
  CHECK(endless.fault.kind == ptx::fault_kind::out_of_bounds);

  const std::string before = constant_string("what", "x > 0") + constant_string("where", "dir/file.cu") +
                             constant_string("who", "void f()") +
                             ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 g, "
                             ".param .b64 s) .noreturn;\n";
  const machine_result failed =
      run_under(way::pdom,
                decoded(with_thread_number(
                    "setp.ne.u32 %p1, %t, 9; @%p1 bra fine; mov.u64 %rd1, what; mov.u64 %rd2, where; mov.u64 "
                    "%rd3, who; { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; "
                    "st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 77; st.param.b64 [d], "
                    "%rd3; st.param.b64 [e], 1;\ncall.uni __assertfail, (a, b, c, d, e); }\nfine:",
                    before)),
                block_of(32), {{}, 32});
  CHECK(failed.how == outcome::fault);
  CHECK(failed.fault.kind == ptx::fault_kind::assertion);
  CHECK(
      failed.fault.describe().ends_with("thread (9, 0, 0) of thread block (0, 0, 0): 'call.uni' stops the kernel: "
                                        "dir/file.cu:77: void f(): assertion 'x > 0' fails"));
}

TEST_CASE("printf: nvcc's virtual functions, structures, recursion, printf, assert: machine.cu") {
  for (const std::string name : {"machine.ptx", "machine_debug.ptx"}) {
    const ptx::decoded_kernel k = decoded(file(SIMTFLOW_SOURCE_DIR + std::string("/tests/ptx/modules/") + name));
    std::vector<std::uint32_t> in;
    const std::uint32_t n = 50;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(i * 7 % 23);
    const auto ackermann2 = [](std::uint32_t x) { return 2 * x + 3; };
    for (const way w : all_ways) {
      CAPTURE(name);
      CAPTURE(name_of(w));
      const machine_result r = run_under(w, k, block_of(32, 32, 2), {in, n, n});
      REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
      std::string text, wanted;
      for (std::uint32_t t = 0; t < n; ++t) {
        std::uint32_t v = t % 2 != 0 ? in[t] * in[t] + t : 3 * in[t] * in[t] - t;
        v += ackermann2(t % 4);
        v += in[(t + t % 5) % n] + t * (t % 5) + 3;
        CHECK(r.out[t] == v);
        if (t % 7 != 3) continue;
        char line[100];
        std::snprintf(line, sizeof line, "thread %d of %s: %5.2f %lld %c\n", static_cast<int>(t), "grid",
                      static_cast<int>(v) * 0.5, static_cast<long long>(v) << 33, 'x');
        wanted += line;
      }
      std::vector<ptx::printed_text> sorted = r.printed;
      std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.thread_block * 32 + a.thread < b.thread_block * 32 + b.thread;
      });
      for (const ptx::printed_text& p : sorted) text += p.text;
      CHECK(text == wanted);
    }
  }
}

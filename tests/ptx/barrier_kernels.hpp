// SPDX-License-Identifier: BSL-1.0
//
// Random PTX kernels with barriers wherever a barrier can stand: in arms of branches, in loops, in loops with several
// exits and in loops with several entries, around and inside short circuits that share a tail. Most barriers stand
// where all threads of the block reach them together (the branches around them test registers that have the same values
// in all threads); some stand in arms of branches that diverge.
//
// The results of a kernel do not depend on the schedule, if it finishes: threads communicate through shared memory
// only, each word is written by one thread, and a barrier stands between a write and a read by another thread. Barriers
// come in pairs, so that every thread has passed the same number of them when it writes, whichever these were.
#pragma once

#include "ptx/support.hpp"
#include <simtflow/testing/generate.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow_tests {

/// A kernel `k(.param .u64 out, .param .u64 sum)`: each thread leaves `words` words in `out`, and all add to `sum`.
class barrier_kernel {
 public:
  static constexpr std::uint32_t threads = 16, words = 8;

  explicit barrier_kernel(std::uint64_t seed) : random_(seed) {
    barriers_ = random_.chance(85);
    std::string body;
    const std::uint64_t statements = random_.between(2, 3);
    for (std::uint64_t i = 0; i < statements; ++i) body += statement(2, true);
    body += exchange(true);
    text_ =
        std::string(header) +
        ".visible .entry k(.param .u64 out, .param .u64 sum)\n{\n.reg .b32 %r<6>, %u<3>, %x, %t, %own, %other, %n<" +
        num(loops_ + 1) + ">;\n.reg .pred %q, %p;\n.reg .b64 %out, %sum, %d;\n.shared .align 4 .b8 s[" +
        num(4 * threads) +
        "];\nmov.u32 %t, %tid.x;\nld.param.u64 %out, [out];\nld.param.u64 %sum, [sum];\nmul.wide.u32 %d, %t, " +
        num(4 * words) + ";\nadd.u64 %out, %out, %d;\nmov.u32 %own, s;\nxor.b32 %other, %t, " +
        num(random_.between(1, threads - 1)) +
        ";\nmad.lo.u32 %other, %other, 4, %own;\nmad.lo.u32 %own, %t, 4, %own;\n";
    for (std::uint64_t i = 0; i < 6; ++i)
      text_ += "mad.lo.u32 %r" + num(i) + ", %t, " + num(random_.below(1000)) + ", " + num(random_.below(1000)) + ";\n";
    for (std::uint64_t i = 0; i < 3; ++i) text_ += "mov.u32 %u" + num(i) + ", " + num(random_.below(16)) + ";\n";
    text_ += body + "DONE:\n";
    for (std::uint64_t i = 0; i < 5; ++i) text_ += "st.global.u32 [%out+" + num(4 * i) + "], %r" + num(i) + ";\n";
    text_ += "st.global.u32 [%out+20], %u0;\nret;\n}\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr const char* operations[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32", "min.u32", "and.b32"};

  static std::string num(std::uint64_t n) { return std::to_string(n); }
  std::string label() { return "L" + num(labels_++); }
  std::string r() { return "%r" + num(random_.below(6)); }
  std::string u() { return "%u" + num(random_.below(3)); }

  /// %q becomes some condition that all threads agree on, or not.
  std::string condition(bool agreed) {
    const std::string s = agreed ? u() : random_.chance(40) ? std::string("%t") : r();
    return "and.b32 %x, " + s + ", " + num(std::uint64_t{1} << random_.below(4)) + ";\nsetp." +
           (random_.chance(50) ? "eq" : "ne") + ".u32 %q, %x, 0;\n";
  }
  std::string go(const std::string& to) { return (random_.chance(50) ? "@%q bra " : "@!%q bra ") + to + ";\n"; }

  /// `all`: all threads that have not ended come here together.
  std::string straight(bool all) {
    std::string s;
    const std::uint64_t n = random_.between(1, 3);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::string op = operations[random_.below(6)];
      if (all && random_.chance(30)) {
        s += "add.u32 " + u() + ", " + u() + ", " + num(random_.below(16)) + ";\n";
      } else if (random_.chance(20)) {
        s += condition(false) + "@%q " + op + " " + r() + ", " + r() + ", " + r() + ";\n";
      } else {
        s += op + " " + r() + ", " + r() + ", " + r() + ";\n";
      }
    }
    if (random_.chance(15)) s += "st.global.u32 [%out+" + num(4 * random_.between(6, 7)) + "], " + r() + ";\n";
    if (random_.chance(15)) s += "red.global.add.u32 [%sum], " + r() + ";\n";
    return s;
  }

  /// Two barriers; between them a read of what another thread wrote before the first.
  std::string exchange(bool all) {
    if (!barriers_) return straight(all);
    std::string s = "st.shared.u32 [%own], " + r() + ";\nbar.sync 0;\n";
    s += random_.chance(70) || !all ? "ld.shared.u32 " + r() + ", [%other];\n"
                                    : "ld.shared.u32 " + u() + ", [s+" + num(4 * random_.below(2)) + "];\n";
    if (all && random_.chance(25))
      s += condition(false) + "bar.red.popc.u32 " + u() + ", 0, %q;\n";
    else
      s += "bar.sync 0;\n";
    return s;
  }

  std::string statements(std::size_t depth, bool all) {
    std::string s = statement(depth, all);
    if (random_.chance(35)) s += statement(depth, all);
    return s;
  }

  std::string statement(std::size_t depth, bool all) {
    if (random_.chance(all ? 30 : 5)) return exchange(all);
    if (depth == 0 || random_.chance(15)) return straight(all);
    const bool agreed = random_.chance(45);
    const bool inside = all && agreed;
    switch (random_.below(8)) {
      case 0: {  // if
        const std::string end = label();
        return condition(agreed) + go(end) + statements(depth - 1, inside) + end + ":\n" + straight(all);
      }
      case 1: {  // if, else
        const std::string other = label(), end = label();
        std::string s = condition(agreed) + go(other) + statements(depth - 1, inside) + "bra " + end + ";\n";
        return s + other + ":\n" + statements(depth - 1, inside) + end + ":\n" + straight(all);
      }
      case 2: {  // if (a && b || c), else: two shared tails
        const std::string c = label(), body = label(), end = label();
        std::string s = condition(agreed) + go(c) + straight(false) + condition(agreed) + go(body);
        s += c + ":\n" + statements(random_.chance(30) ? depth - 1 : 0, inside) + condition(agreed) + go(end);
        return s + body + ":\n" + statements(depth - 1, inside) + end + ":\n" + straight(all);
      }
      case 3: {  // return in the middle
        const std::string go_on = label();
        std::string s = condition(agreed) + go(go_on) + condition(agreed) + go(go_on);
        return s + straight(false) + (random_.chance(50) ? "ret;\n" : "bra DONE;\n") + go_on + ":\n" +
               statement(depth - 1, all);
      }
      case 4: {  // a loop, tested at either end
        const std::string head = label(), end = label(), n = counter();
        const bool first = random_.chance(50);
        const std::string test = again(n, agreed) + "@!%q bra " + end + ";\n";
        std::string s = "mov.u32 " + n + ", 0;\n" + head + ":\n" + (first ? test : "");
        s += statements(depth - 1, inside) + (first ? "" : test);
        if (random_.chance(30)) s += condition(agreed) + go(head);
        return s + "bra " + head + ";\n" + end + ":\n" + straight(all);
      }
      case 5: {  // arms that resemble each other
        const std::string other = label(), end = label();
        std::string mine, its;
        const std::uint64_t n = random_.between(4, 8);
        for (std::uint64_t i = 0; i < n; ++i) {
          const std::string head = operations[random_.below(6)] + (" " + r() + ", ") + r() + ", ";
          mine += head + r() + ";\n";
          its += head + r() + ";\n";
        }
        std::string s = condition(false) + go(other) + mine + "bra " + end + ";\n";
        return s + other + ":\n" + its + end + ":\n" + statement(depth - 1, all);
      }
      case 6: {  // a loop with three ways out to two places
        const std::string head = label(), out = label(), end = label(), n = counter();
        std::string s = "mov.u32 " + n + ", 0;\n" + head + ":\n" + again(n, agreed) + "@!%q bra " + end + ";\n";
        s += statement(depth - 1, inside) + condition(agreed) + go(out) + statement(depth - 1, inside) +
             condition(agreed) + go(end);
        s += "bra " + head + ";\n" + out + ":\n" + statements(depth - 1, inside);
        return s + end + ":\n" + straight(all);
      }
      default: {  // a loop with two ways in
        const std::string a = label(), b = label(), end = label(), n = counter();
        std::string s = "mov.u32 " + n + ", 0;\n" + condition(agreed) + go(b);
        s += a + ":\n" + again(n, agreed) + "@!%q bra " + end + ";\n" + statement(depth - 1, inside);
        s += b + ":\n" + statement(depth - 1, inside);
        if (random_.chance(40)) s += condition(agreed) + go(end);
        return s + "bra " + a + ";\n" + end + ":\n" + straight(all);
      }
    }
  }

  std::string counter() { return "%n" + num(loops_++); }
  /// Counts one iteration in n; %q: it is not the last. All threads make the same number of iterations, or not.
  std::string again(const std::string& n, bool agreed) {
    std::string s = "add.u32 " + n + ", " + n + ", 1;\n";
    if (agreed) return s + "setp.le.u32 %q, " + n + ", " + num(random_.between(1, 3)) + ";\n";
    return s + "and.b32 %x, " + r() + ", 3;\nsetp.le.u32 %q, " + n + ", %x;\n";
  }

  simtflow::testing::rng random_;
  bool barriers_ = true;
  std::uint64_t labels_ = 0, loops_ = 0;
  std::string text_;
};

}  // namespace simtflow_tests

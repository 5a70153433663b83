// SPDX-License-Identifier: BSL-1.0
//
// Random PTX kernels with branches between two arms that resemble each other, for melding: straight arms, arms with ifs
// and loops in them, branches one after the other and inside of each other. The second arm is often the first one with
// other registers and constants, some instructions more or less.
//
// Two styles of registers: `few`, six of each kind that everything reads and writes; `single`, as compilers write: each
// result has a register of its own, and where arms come together both move what goes on to one. Bytes, which nothing
// moves, have six registers in both.
//
// A kernel `two_armed(.param .u64 out)` leaves all that it has computed in `out`. Its results are not known here: run
// it before and after.
#pragma once

#include "ptx/random_kernels.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/testing/generate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow_tests {

enum class register_style { few, single };

struct two_armed_options {
  std::size_t statements = 3;  ///< of the body
  std::size_t depth = 1;       ///< of what stands in arms; 0: arms are straight
  std::size_t arm_length = 6;  ///< instructions, about
  bool loops = true;           ///< in arms too, if depth > 0
  register_style style = register_style::few;
};

class two_armed_kernel {
 public:
  static constexpr std::uint32_t threads = 64;
  static constexpr std::size_t words = 8;  ///< of each thread in global memory, and as many in shared memory
  static constexpr std::size_t per_kind = 6;
  static constexpr std::size_t out_bytes = 4 * words + per_kind * 48;  ///< of each thread

  two_armed_kernel(std::uint64_t seed, const two_armed_options& options) : random_(seed), options_(options) {
    for (std::size_t k = 0; k < kinds.size(); ++k)
      for (std::uint32_t i = 0; i < per_kind; ++i) scope_[k].push_back(i);
    std::string body;
    for (std::size_t i = 0; i < options.statements; ++i) {
      body += straight(2, nullptr);
      body += two_arms(options.depth);
    }
    std::string end;
    std::size_t at = 4 * words;
    for (std::size_t i = 0; i < per_kind; ++i) {
      const auto store = [&](const std::string& type, char kind, std::size_t size) {
        end += "st.global." + type + " [%out+" + std::to_string(at) + "], " + last(kind, i) + ";\n";
        at += size;
      };
      store("u64", 'd', 8);
      store("f64", 'g', 8);
      store("u32", 'r', 4);
      store("f32", 'f', 4);
      end += "selp.u32 %t, 1, 0, " + last('p', i) + ";\nst.global.u32 [%out+" + std::to_string(at) + "], %t;\n";
      end += "ld.shared.u32 %t, [%sh+" + std::to_string(4 * i) + "];\nst.global.u32 [%out+" + std::to_string(at + 4) +
             "], %t;\n";
      end += "st.global.u8 [%out+" + std::to_string(at + 8) + "], " + last('b', i) + ";\n";
      at += 24;
    }
    text_ = std::string(header) + ".visible .entry two_armed(.param .u64 out)\n{\n";
    constexpr std::string_view types[] = {"b32", "b64", "f32", "f64", "pred", "b8"};
    for (std::size_t k = 0; k < kinds.size(); ++k)
      text_ += ".reg ." + std::string(types[k]) + " %" + kinds[k] + "<" + std::to_string(next_[k]) + ">;\n";
    text_ += ".reg .b32 %t, %sh, %n<" + std::to_string(counters_ + 1) + ">;\n.reg .pred %q<" +
             std::to_string(counters_ + 1) + ">;\n.reg .b64 %out, %par;\n.shared .align 16 .b8 own[" +
             std::to_string(4 * words * threads) + "];\n";
    text_ += "mov.u32 %t, %tid.x;\nld.param.u64 %out, [out];\nmov.b64 %par, out;\nmul.wide.u32 %d0, %t, " +
             std::to_string(out_bytes) + ";\nadd.u64 %out, %out, %d0;\nmov.u32 %sh, own;\nmad.lo.u32 %sh, %t, " +
             std::to_string(4 * words) + ", %sh;\n";
    for (std::size_t i = 0; i < per_kind; ++i) {
      const std::string n = std::to_string(i);
      text_ += "mad.lo.u32 %r" + n + ", %t, " + std::to_string(2654435761U * (i + 1) >> (4 * i)) + ", " +
               std::to_string(17 * i) + ";\nmul.wide.u32 %d" + n + ", %r" + n + ", %r" + n + ";\ncvt.rn.f32.s32 %f" +
               n + ", %r" + n + ";\ncvt.rn.f64.s32 %g" + n + ", %r" + n + ";\nand.b32 %n0, %t, " +
               std::to_string(1U << i) + ";\nsetp.ne.u32 %p" + n + ", %n0, 0;\nst.shared.u32 [%sh+" +
               std::to_string(4 * i) + "], %r" + n + ";\nld.shared.u8 %b" + n + ", [%sh+" + std::to_string(4 * i) +
               "];\n";
    }
    text_ += body + end + "ret;\n}\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr std::string_view kinds = "rdfgpb";
  using registers = std::array<std::vector<std::uint32_t>, 6>;

  /// The parts of an arm: enough to make another one like it.
  struct operation {
    enum class what {
      row,
      load,
      store,
      load_shared,
      store_shared,
      load_two,
      store_two,
      constant,
      both_ways,
      carry,
      part,
      byte,
      parameter
    } kind;
    std::size_t row = 0;
    std::uint32_t place = 0;
    bool guarded = false, negated = false;
  };

  static std::size_t kind_of(char c) { return kinds.find(c); }
  std::string name(char kind, std::uint32_t i) const { return std::string("%") + kind + std::to_string(i); }
  /// A register that is known to hold something.
  std::string some(char kind) {
    const auto& list = scope_[kind_of(kind)];
    const std::size_t n = list.size();
    // Rather something new.
    return name(kind,
                list[options_.style == register_style::single && n > 4 && random_.chance(60) ? n - 1 - random_.below(4)
                                                                                             : random_.below(n)]);
  }
  std::string last(char kind, std::size_t i) const {
    const auto& list = scope_[kind_of(kind)];
    return name(kind, list[list.size() - 1 - i]);
  }
  /// The register for a result. New registers are known from `pending_` on only, which the caller takes over.
  std::string result(char kind) {
    const std::size_t k = kind_of(kind);
    if (options_.style == register_style::few || kind == 'b')
      return name(kind, scope_[k][random_.below(scope_[k].size())]);
    scope_pending_.push_back({k, next_[k]});
    return name(kind, next_[k]++);
  }
  void take_results() {
    for (const auto& p : scope_pending_) scope_[p.kind].push_back(p.reg);
    scope_pending_.clear();
  }

  operation random_operation() {
    using what = operation::what;
    operation o{what::row};
    const std::uint64_t dice = random_.below(100);
    constexpr what rare[] = {what::load,     what::store,     what::load_shared, what::store_shared,
                             what::load_two, what::store_two, what::constant,    what::both_ways,
                             what::carry,    what::part,      what::byte,        what::parameter};
    if (dice < 36) o.kind = rare[dice % 12];
    o.row = random_.below(instruction_rows().size());
    o.place = static_cast<std::uint32_t>(random_.below(words));
    // If everything has one definition, a register that only some threads write would hold nothing in others.
    o.guarded = options_.style == register_style::few && random_.chance(15);
    o.negated = random_.chance(50);
    return o;
  }

  std::string text_of(const operation& o) {
    using what = operation::what;
    std::string s = o.guarded ? std::string(o.negated ? "@!" : "@") + some('p') + " " : "";
    const std::string at = std::to_string(4 * o.place), two = std::to_string(8 * (o.place / 2));
    switch (o.kind) {
      case what::load: {
        const std::string to = result('r');
        s += "ld.global.u32 " + to + ", [%out+" + at + "]";
        break;
      }
      case what::store:
        s += "st.global.u32 [%out+" + at + "], " + (random_.chance(30) ? std::to_string(random_.below(99)) : some('r'));
        break;
      case what::load_shared: {
        const std::string to = result('f');
        s += "ld.shared.f32 " + to + ", [%sh+" + at + "]";
        break;
      }
      case what::store_shared:
        s += "st.shared.f32 [%sh+" + at + "], " + some('f');
        break;
      case what::load_two: {
        const std::string a = result('r');
        std::string b = result('r');
        if (a == b) b = "_";
        s += "ld.global.v2.u32 {" + a + ", " + b + "}, [%out+" + two + "]";
        break;
      }
      case what::store_two:
        s += "st.shared.v2.u32 [%sh+" + two + "], {" + some('r') + ", " + some('r') + "}";
        break;
      case what::constant: {
        const std::string from = random_.chance(50) ? std::to_string(random_.below(1000)) : some('r');
        s += "mov.b32 " + result('r') + ", " + from;
        break;
      }
      case what::both_ways: {
        const std::string a = some('r'), b = some('r'), p = result('p');
        std::string q = result('p');
        s += "setp.lt.u32 " + (p == q ? p : p + "|" + q) + ", " + a + ", " + b;
        break;
      }
      case what::carry: {
        const std::string a = some('r'), b = some('r'), c = some('r');
        const std::string low = result('r');
        const std::string guard = s;
        s += "add.cc.u32 " + low + ", " + a + ", " + b + ";\n" + guard + "addc.u32 " + result('r') + ", " + c + ", 7";
        break;
      }
      case what::part: {  // a selector: nothing can be selected in its place
        const std::string a = some('r'), b = some('r');
        s += "vadd.u32.u32.u32 " + result('r') + ", " + a + (o.place % 2 == 0 ? ".b0, " : ".h1, ") + b;
        break;
      }
      case what::byte: {
        const std::string guard = s, to = result('b'), from = some('b');
        s += "ld.shared.u8 " + to + ", [%sh+" + at + "];\n" + guard + "cvt.u32.u8 " + result('r') + ", " + from;
        break;
      }
      case what::parameter: {  // through a register
        const std::string guard = s, base = result('d');
        s += "add.u64 " + base + ", %par, " + std::to_string(o.place % 2 * 4) + ";\n" + guard + "ld.param.u32 " +
             result('r') + ", [" + base + "]";
        break;
      }
      case what::row: {
        const instruction_row& r = instruction_rows()[o.row];
        std::string from;
        for (std::size_t i = 1; r.kinds[i] != '\0'; ++i) {
          const bool field = std::string_view(r.spelling).starts_with("bfe");
          if (r.kinds[i] == 'r' && i > 1 && random_.chance(30))
            from += ", " + std::to_string(field || random_.chance(60) ? random_.below(40) : random_.below(1U << 31));
          else if (r.kinds[i] == 'f' && i > 1 && random_.chance(30))
            from += random_.chance(50) ? ", 0f3F800000" : ", 0fC0A00000";
          else
            from += ", " + some(r.kinds[i]);
        }
        s += std::string(r.spelling) + " " + result(r.kinds[0]) + from;
        break;
      }
    }
    take_results();
    return s + ";\n";
  }

  /// Some instructions; noted in `out`.
  std::string straight(std::size_t about, std::vector<operation>* out) {
    std::string s;
    for (std::size_t n = random_.below(2 * about + 1); n > 0; --n) {
      const operation o = random_operation();
      if (out != nullptr) out->push_back(o);
      s += text_of(o);
    }
    return s;
  }
  std::string like(const std::vector<operation>& list) {
    std::string s;
    for (operation o : list) {
      if (random_.chance(15)) continue;
      if (random_.chance(10)) s += text_of(random_operation());
      if (random_.chance(15)) o = random_operation();
      if (random_.chance(20)) o.place = static_cast<std::uint32_t>(random_.below(words));
      if (random_.chance(10)) o.negated = !o.negated;
      s += text_of(o);
    }
    return s;
  }

  struct arm {
    enum class what { straight, one_if, two_arms, loop } kind = what::straight;
    std::vector<operation> code, inside, behind;
  };
  arm random_arm(std::size_t depth) {
    arm a;
    const std::uint64_t dice = depth == 0 ? 0 : random_.below(4);
    a.kind = dice == 1                     ? arm::what::one_if
             : dice == 2                   ? arm::what::two_arms
             : dice == 3 && options_.loops ? arm::what::loop
                                           : arm::what::straight;
    return a;
  }
  /// The text of an arm that is like `a`; the first time it is filled.
  std::string text_of(arm& a, bool first, std::size_t depth) {
    const auto part = [&](std::vector<operation>& list) {
      return first ? straight(options_.arm_length, &list) : like(list);
    };
    std::string s = part(a.code);
    switch (a.kind) {
      case arm::what::straight:
        return s;
      case arm::what::one_if: {
        const std::string skip = label(), p = some('p');
        s += (random_.chance(50) ? "@!" : "@") + p + " bra " + skip + ";\n";
        s += inside_of([&] { return part(a.inside); });
        s += skip + ":\n";
        break;
      }
      case arm::what::two_arms:
        s += two_arms(depth - 1);
        break;
      case arm::what::loop: {
        const std::string n = std::to_string(counters_++), head = label();
        s += "and.b32 %n" + n + ", " + some('r') + ", 3;\n" + head + ":\n";
        s += inside_of([&] { return part(a.inside); });
        s += "setp.eq.u32 %q" + n + ", %n" + n + ", 0;\nsub.u32 %n" + n + ", %n" + n + ", 1;\n@!%q" + n + " bra " +
             head + ";\n";
        break;
      }
    }
    return s + part(a.behind);
  }
  /// Values defined inside are moved to registers that exist before.
  static constexpr std::size_t moved_kinds = 5;  // all but bytes
  template <class F>
  std::string inside_of(const F& f) {
    if (options_.style == register_style::few) return f();
    const registers before = scope_;
    std::string s = f();
    for (std::size_t k = 0; k < moved_kinds; ++k)
      if (scope_[k].size() > before[k].size() && random_.chance(70))
        s += move_to(k, before[k][random_.below(before[k].size())], scope_[k].back());
    scope_ = before;
    return s;
  }
  static std::string move_to(std::size_t kind, std::uint32_t to, std::uint32_t from) {
    constexpr std::string_view opcode[] = {"mov.u32", "mov.u64", "mov.f32", "mov.f64", "mov.pred"};
    const std::string k(1, kinds[kind]);
    return std::string(opcode[kind]) + " %" + k + std::to_string(to) + ", %" + k + std::to_string(from) + ";\n";
  }
  std::string label() { return "$L" + std::to_string(labels_++); }

  std::string two_arms(std::size_t depth) {
    const std::string right = label(), join = label(), p = some('p');
    const std::string condition = (random_.chance(50) ? "@!" : "@") + p + " bra " + right + ";\n";
    arm a = random_arm(depth);
    const registers before = scope_;
    std::string s = text_of(a, true, depth);
    const registers after_left = scope_;
    scope_ = before;
    if (random_.chance(25)) a = random_arm(depth);
    const bool filled = !a.code.empty();
    std::string t = text_of(a, !filled, depth);
    if (options_.style == register_style::single) {
      const registers after_right = scope_;
      scope_ = before;
      for (std::size_t k = 0; k < moved_kinds; ++k)
        for (std::size_t i = 1; i <= 2; ++i)
          if (after_left[k].size() >= before[k].size() + i || after_right[k].size() >= before[k].size() + i) {
            const std::uint32_t phi = next_[k]++;
            s += move_to(k, phi, after_left[k][after_left[k].size() - i]);
            t += move_to(k, phi, after_right[k][after_right[k].size() - i]);
            scope_[k].push_back(phi);
          }
    }
    return condition + s + "bra " + join + ";\n" + right + ":\n" + t + join + ":\n";
  }

  struct defined {
    std::size_t kind;
    std::uint32_t reg;
  };

  simtflow::testing::rng random_;
  two_armed_options options_;
  registers scope_;
  std::vector<defined> scope_pending_;
  std::array<std::uint32_t, 6> next_ = {per_kind, per_kind, per_kind, per_kind, per_kind, per_kind};
  std::uint32_t labels_ = 0, counters_ = 0;
  std::string text_;
};

/// A two_armed_kernel, or what a transform made of it.
inline bytes_result run_two_armed(const ptx::module& m, const ptx::function& f, way how, const std::string& says) {
  return run_for_bytes(m, f, how, two_armed_kernel::out_bytes * two_armed_kernel::threads, two_armed_kernel::threads,
                       says);
}

}  // namespace simtflow_tests

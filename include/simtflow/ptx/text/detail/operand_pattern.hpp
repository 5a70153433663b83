// SPDX-License-Identifier: BSL-1.0
//
// The operands of an instruction as a row of the instruction set writes them: "d a a u32". A pattern is words between
// spaces, one for each operand in the order of the text:
//
//   d d* dp      the result: a register; with .v2, .v4, .v8 a vector of registers; a predicate if the type is .pred
//   d|p d(|p)    a result and a predicate, either may be left out; the second form only if the modifiers say so
//   p            the result of a comparison: a predicate, or two of them p|q
//   a a*         a source: a register, a constant, the address of a variable; with .v2, .v4, .v8 a vector of them
//   u32 b64 ...  a source of that type, whatever the type of the instruction is
//   q            a predicate as a source, negated or not
//   @ ptr        an address in brackets; a register that holds an address
//   # xy         a texture or a surface in brackets, with coordinates; coordinates: one or a vector
//   to from      registers that come from memory, sources that go to memory: one or a vector
//   vd va vb     the result and the sources of a video instruction, which may have a selector (.b0, .h10)
//   md ms        registers of matrices that are written, and stored
//   ma mb mc     registers of the matrices that a product reads; ma|desc: or a descriptor of a matrix in memory
//   label        the target of a branch
//
// A word has the type of the instruction unless a type follows a colon: d:u32; :2 and :3 are the second and the third
// type of the instruction, :wide is twice the type with .wide, :sum is 32 bits with the sign of the dot product's
// factors, :size is a size or a cache policy of cp.async. A tilde (d~) allows wider registers, a minus before the word
// (-a) a sign. A question mark tells when an operand is there: "a?given" if it is in the text; see presence.
//
// Patterns are read while the program is compiled. A word that is not one of these is a compile error.
#pragma once

#include <simtflow/ptx/text/matrix_form.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The roles of operands.
enum class role : std::uint8_t {
  result,                ///< a register
  result_predicate,      ///< a predicate, or two: p|q
  result_and_predicate,  ///< a register or _, with or without a predicate: d|p
  source,                ///< a register, a constant, the address of a variable
  predicate,             ///< a predicate, negated or not
  pointer,               ///< a register that holds an address of 32 or 64 bits
  address,               ///< [base + offset]
  texture,               ///< [texture], [texture, coordinates], [texture, sampler, coordinates]
  coordinates,           ///< a source, or a vector of them
  loaded,                ///< registers that come from memory: one or a vector of them
  stored,                ///< sources that go to memory: one or a vector of them
  factor,                ///< registers of a matrix, or a descriptor of one in shared memory
  target                 ///< a label
};

/// How the role of a word depends on the modifiers.
enum class role_choice : std::uint8_t {
  fixed,
  vector,     ///< d*, a*: loaded or stored with .v2, .v4, .v8
  by_type,    ///< dp: a predicate if the type is .pred
  predicates  ///< d(|p): with a predicate if the modifiers combine with one or ask all lanes
};

/// The type of an operand.
enum class type_choice : std::uint8_t { own, second, third, wide, sum, size, fixed, matrix };

/// When an operand is there.
enum class presence : std::uint8_t {
  always,
  given,      ///< the text has so many operands
  combined,   ///< .and, .or, .xor with a predicate
  hinted,     ///< .L2::cache_hint
  sync,       ///< .sync: the lanes that take part
  cas,        ///< atom.cas: the new value
  pair,       ///< cvt to two halves or two 8-bit numbers from .f32
  third,      ///< cvt.pack has a third type
  merged,     ///< a video instruction has a third operand in the text, a second operation or packed numbers
  reduced,    ///< bar.red
  counted,    ///< bar: a number of threads is in the text, or .arrive needs one
  size,       ///< cp.async: a size or a policy is in the text
  fraction,   ///< createpolicy.fractional: a fraction is in the text
  range,      ///< createpolicy.range
  property,   ///< createpolicy.cvt
  level,      ///< .level
  grad,       ///< tex.grad
  reporting,  ///< a bulk copy that reports to an mbarrier
  scaled,     ///< wgmma.mma_async of floating-point numbers
  major,      ///< wgmma.mma_async of 16-bit numbers
  majors      ///< the same with A in memory: the text has so many operands
};

/// One word of a pattern.
struct pattern_operand {
  role what = role::source;
  role_choice choice = role_choice::fixed;
  type_choice type = type_choice::own;
  scalar_type fixed = scalar_type::none;
  presence when = presence::always;
  bool relaxed = false;
  bool negatable = false;
  bool selected = false;  // may have a selector
  matrix_role matrix = matrix_role::d;
};

/// A pattern that has been read.
struct operand_pattern {
  pattern_operand at[8];
  std::uint8_t count = 0;  ///< with every operand that may be left out
  std::uint8_t least = 0;  ///< without them

  consteval operand_pattern(const char* text) {  // NOLINT: rows of a table write the text
    std::string_view rest(text);
    while (!rest.empty()) {
      const std::size_t end = rest.find(' ');
      at[count] = word(rest.substr(0, end));
      if (at[count++].when == presence::always) ++least;
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }

 private:
  static void no_such_word() {}  // not constexpr: calling it is a compile error

  static consteval pattern_operand word(std::string_view w) {
    pattern_operand o;
    if (w.front() == '-') {
      o.negatable = true;
      w.remove_prefix(1);
    }
    if (const std::size_t q = w.find('?'); q != std::string_view::npos) {
      o.when = presence_named(w.substr(q + 1));
      w = w.substr(0, q);
    }
    if (w.back() == '~') {
      o.relaxed = true;
      w.remove_suffix(1);
    }
    if (const std::size_t colon = w.find(':'); colon != std::string_view::npos) {
      set_type(o, w.substr(colon + 1));
      w = w.substr(0, colon);
    }
    set_role(o, w);
    return o;
  }

  static consteval presence presence_named(std::string_view w) {
    constexpr std::string_view names[] = {"always",   "given", "combined", "hinted",  "sync",    "cas",
                                          "pair",     "third", "merged",   "reduced", "counted", "size",
                                          "fraction", "range", "property", "level",   "grad",    "reporting",
                                          "scaled",   "major", "majors"};
    for (std::size_t i = 0; i < std::size(names); ++i)
      if (names[i] == w) return static_cast<presence>(i);
    no_such_word();
    return presence::always;
  }

  static consteval void set_type(pattern_operand& o, std::string_view w) {
    constexpr std::string_view names[] = {"", "2", "3", "wide", "sum", "size"};
    for (std::size_t i = 1; i < std::size(names); ++i)
      if (names[i] == w) {
        o.type = static_cast<type_choice>(i);
        return;
      }
    o.type = type_choice::fixed;
    o.fixed = scalar_named(w);
    if (o.fixed == scalar_type::none) no_such_word();
  }

  static consteval void set_role(pattern_operand& o, std::string_view w) {
    struct known {
      std::string_view word;
      role what;
      role_choice choice = role_choice::fixed;
    };
    constexpr known table[] = {{"d", role::result},
                               {"d*", role::result, role_choice::vector},
                               {"dp", role::result, role_choice::by_type},
                               {"d|p", role::result_and_predicate},
                               {"d(|p)", role::result, role_choice::predicates},
                               {"p", role::result_predicate},
                               {"a", role::source},
                               {"a*", role::source, role_choice::vector},
                               {"q", role::predicate},
                               {"@", role::address},
                               {"ptr", role::pointer},
                               {"#", role::texture},
                               {"xy", role::coordinates},
                               {"to", role::loaded},
                               {"from", role::stored},
                               {"vd", role::result},
                               {"va", role::source},
                               {"vb", role::source},
                               {"md", role::loaded},
                               {"ms", role::stored},
                               {"ma", role::stored},
                               {"ma|desc", role::factor},
                               {"mb", role::stored},
                               {"mc", role::stored},
                               {"label", role::target}};
    for (const known& k : table)
      if (k.word == w) {
        o.what = k.what;
        o.choice = k.choice;
        o.selected = w.front() == 'v';
        if (w == "va") o.type = type_choice::second;
        if (w == "vb") o.type = type_choice::third;
        if (w == "xy") o.type = type_choice::second;
        if (w.front() == 'm') {
          o.type = type_choice::matrix;
          o.matrix = w[1] == 'a'   ? matrix_role::a
                     : w[1] == 'b' ? matrix_role::b
                     : w[1] == 'c' ? matrix_role::c
                                   : matrix_role::d;
        }
        if (w == "q" || w == "p") set_type(o, "pred");
        if (w == "label") o.type = type_choice::fixed;
        return;
      }
    set_type(o, w);  // a source of that type
    if (o.type != type_choice::fixed) no_such_word();
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

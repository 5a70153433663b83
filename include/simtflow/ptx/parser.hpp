// SPDX-License-Identifier: BSL-1.0
//
// PTX text to a module. Reads every age of PTX: parameters in parentheses or in the body, prototypes that end without a
// semicolon, .loc lines, debug sections, nested scopes with registers and labels of their own. Never stops at the first
// finding, and takes any bytes: what it cannot read becomes a finding, and reading goes on behind the next semicolon.
// Whether an instruction exists and fits its operands is the verifier's question. Device functions are skipped.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax", "Directives".
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/lexer.hpp>
#include <simtflow/ptx/module.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A module and what is wrong with its text. The module holds what could be read, also when there are findings.
struct parse_result {
  ptx::module module;
  simtflow::diagnostics diagnostics;
  [[nodiscard]] bool ok() const { return diagnostics.empty(); }
};

namespace detail {

class parser {
 public:
  explicit parser(std::string_view text) : tokens_(tokenize(text)) {}

  parse_result run() {
    scopes_.push_back({no_index, {}, {}, {}, {}});
    scope_ = 0;
    bool version_seen = false;
    if (peek().kind == token_kind::end) fail(peek().where, "expected '.version': there is no PTX in this text");
    while (peek().kind != token_kind::end && room_) {
      const std::size_t before = at_;
      const token& t = peek();
      if (t.kind == token_kind::dotted) {
        if (t.spelling == ".version") {
          version_seen = true;
          ++at_;
          if (peek().kind == token_kind::real || peek().kind == token_kind::integer) {
            out_.module.version = std::string(peek().spelling);
            ++at_;
          } else {
            expected("a version number");
          }
        } else {
          if (!version_seen) {
            version_seen = true;
            fail(t.where, "expected '.version' before everything else");
          }
          directive();
        }
      } else if (t.is('@') && peek(1).is('@')) {
        skip_line();
      } else if (t.is(';')) {
        ++at_;
      } else {
        unexpected("a directive");
        recover();
      }
      if (at_ == before) ++at_;
    }
    return std::move(out_);
  }

 private:
  struct name_entry {
    enum class what : std::uint8_t { register_single, register_range, kernel_variable, module_variable, parameter };
    what kind = what::register_single;
    std::uint32_t index = 0;  // of a declaration, a variable, a parameter
  };
  struct register_declaration {
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;  // components
    std::uint64_t count = 0;  // of a range
    position where;
  };
  struct scope {
    std::uint32_t parent = no_index;
    std::unordered_map<std::string_view, name_entry> names;
    std::unordered_map<std::string_view, name_entry> ranges;
    std::unordered_map<std::string_view, std::uint32_t> used;  // register name -> first index in the kernel
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };
  struct pending_name {
    std::uint32_t operand;
    std::uint32_t scope;
    std::string_view name;
  };

  static constexpr std::uint32_t max_depth = 64;
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;

  const token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

  void fail(position where, std::string message) {
    room_ = add_finding(out_.diagnostics, where, std::move(message)) && room_;
  }
  static std::string quoted(const token& t) {
    if (t.kind == token_kind::end) return "the end of the text";
    std::string s = "'";
    for (const char c : t.spelling.substr(0, 40)) s += c >= ' ' && c <= '~' ? c : '?';
    if (t.spelling.size() > 40) s += "...";
    return s + "'";
  }
  void expected(std::string_view what) {
    fail(peek().where, "expected " + std::string(what) + " instead of " + quoted(peek()));
  }
  void unexpected(std::string_view what) { expected(what); }
  bool take(char c) {
    if (!peek().is(c)) return false;
    ++at_;
    return true;
  }
  bool require(char c) {
    if (take(c)) return true;
    expected(std::string("'") + c + "'");
    return false;
  }
  bool take_dotted(std::string_view s) {
    if (!peek().is(token_kind::dotted, s)) return false;
    ++at_;
    return true;
  }

  /// To behind the next semicolon; stops before a brace.
  void recover() {
    while (peek().kind != token_kind::end && !peek().is('{') && !peek().is('}'))
      if (tokens_[at_++].is(';')) return;
  }
  void skip_line() {
    const std::uint32_t line = peek().where.line;
    while (peek().kind != token_kind::end && peek().where.line == line) ++at_;
  }
  /// Past a balanced pair; the opening bracket is next.
  void skip_balanced(char open, char close) {
    std::size_t depth = 0;
    const position start = peek().where;
    while (peek().kind != token_kind::end) {
      if (peek().is(open)) ++depth;
      if (peek().is(close) && --depth == 0) {
        ++at_;
        return;
      }
      ++at_;
    }
    fail(start, std::string("this '") + open + "' is never closed");
  }

  bool unsigned_value(std::uint64_t& value) {
    if (peek().kind != token_kind::integer) {
      expected("a number");
      return false;
    }
    value = peek().bits;
    ++at_;
    return true;
  }

  // --- directives ------------------------------------------------------------------------------------------------

  static bool starts_declaration(std::string_view s) {
    return s == ".reg" || s == ".global" || s == ".const" || s == ".shared" || s == ".local" || s == ".param";
  }
  static bool starts_module_item(const token& t) {
    if (t.kind != token_kind::dotted) return false;
    constexpr std::string_view items[] = {".version", ".target", ".address_size", ".visible", ".weak",   ".extern",
                                          ".entry",   ".func",   ".global",       ".const",   ".shared", ".file",
                                          ".section", ".common", ".tex",          ".alias",   ".pragma", ".reg"};
    return std::find(std::begin(items), std::end(items), t.spelling) != std::end(items);
  }

  void directive() {
    const token& t = peek();
    const std::string_view s = t.spelling;
    if (s == ".target") {
      ++at_;
      if (peek().kind == token_kind::word)
        out_.module.target = std::string(peek().spelling);
      else
        expected("a target name");
      // Targets are a list of words; anything else starts the next directive.
      while (peek().kind == token_kind::word || peek().is(',')) ++at_;
    } else if (s == ".address_size") {
      ++at_;
      const position where = peek().where;
      std::uint64_t bits = 0;
      if (unsigned_value(bits)) {
        if (bits == 32 || bits == 64)
          out_.module.address_size = static_cast<std::uint32_t>(bits);
        else
          fail(where, "an address has 32 or 64 bits");
      }
    } else if (s == ".visible" || s == ".weak" || s == ".extern" || s == ".common") {
      linkage();
    } else if (s == ".entry") {
      ++at_;
      entry();
    } else if (s == ".func") {
      ++at_;
      function();
    } else if (starts_declaration(s)) {
      declaration(false);
    } else if (!skip_note()) {
      fail(t.where, "unsupported directive " + quoted(t));
      ++at_;
      recover();
    }
  }

  void linkage() {
    bool is_extern = false;
    while (peek().kind == token_kind::dotted && (peek().spelling == ".visible" || peek().spelling == ".weak" ||
                                                 peek().spelling == ".extern" || peek().spelling == ".common")) {
      is_extern = is_extern || peek().spelling == ".extern";
      ++at_;
    }
    if (take_dotted(".entry")) {
      entry();
    } else if (take_dotted(".func")) {
      function();
    } else if (peek().kind == token_kind::dotted && starts_declaration(peek().spelling)) {
      declaration(is_extern);
    } else {
      unexpected("a function or a variable");
      recover();
    }
  }

  /// Directives that say nothing about what a kernel does. Returns whether there was one.
  bool skip_note() {
    const std::string_view s = peek().spelling;
    if (s == ".loc") {
      ++at_;
      for (int i = 0; i < 3 && peek().kind == token_kind::integer; ++i) ++at_;
      // ", function_name LABEL [+ offset], inlined_at FILE LINE COLUMN"
      if (peek().is(',') && peek(1).is(token_kind::word, "function_name")) {
        at_ += 3;
        if (take('+')) ++at_;
        if (peek().is(',') && peek(1).is(token_kind::word, "inlined_at")) {
          at_ += 2;
          for (int i = 0; i < 3 && peek().kind == token_kind::integer; ++i) ++at_;
        }
      }
      at_ = std::min(at_, tokens_.size() - 1);
      take(';');
      return true;
    }
    if (s == ".file") {
      ++at_;
      while (peek().kind == token_kind::integer || peek().kind == token_kind::text || peek().is(',')) ++at_;
      take(';');
      return true;
    }
    if (s == ".section") {
      const std::uint32_t line = peek().where.line;
      ++at_;
      while (peek().kind != token_kind::end && !peek().is('{') && peek().where.line == line) ++at_;
      if (peek().is('{')) skip_balanced('{', '}');
      return true;
    }
    if (s == ".pragma" || s == ".alias" || s == ".branchtargets" || s == ".calltargets" || s == ".callprototype" ||
        s == ".tex") {
      ++at_;
      recover();
      return true;
    }
    return false;
  }

  /// A device function: calls are not supported, so only its extent matters.
  void function() {
    while (peek().kind != token_kind::end) {
      if (peek().is('(')) {
        skip_balanced('(', ')');
      } else if (peek().is('{')) {
        skip_balanced('{', '}');
        return;
      } else if (take(';') || starts_module_item(peek())) {
        return;
      } else {
        ++at_;
      }
    }
  }

  /// .align N; returns whether it was there.
  bool alignment(std::uint32_t& align) {
    if (!take_dotted(".align")) return false;
    const position where = peek().where;
    std::uint64_t n = 0;
    if (unsigned_value(n)) {
      if (std::has_single_bit(n) && n <= 4096)
        align = static_cast<std::uint32_t>(n);
      else
        fail(where, "an alignment is a power of two, at most 4096");
    }
    return true;
  }

  /// What a declaration says before the names.
  struct declared {
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;
    std::uint32_t align = 0;
  };
  /// Without a type the declaration cannot be read: type is none, and there is a finding unless it was one of a texture.
  declared type_part(const char* what) {
    declared d;
    bool unsupported = false;
    while (peek().kind == token_kind::dotted) {
      const std::string_view s = peek().spelling;
      if (alignment(d.align)) continue;
      if (s == ".v2" || s == ".v4" || s == ".v8") {
        d.width = static_cast<std::uint32_t>(s[2] - '0');
      } else if (s == ".ptr" || s == ".global" || s == ".const" || s == ".shared" || s == ".local" || s == ".param") {
        // ".ptr .space .align N" only tells what a pointer parameter points to.
        if (s == ".ptr") {
          const std::uint32_t own = d.align;
          ++at_;
          while (peek().kind == token_kind::dotted) {
            if (alignment(d.align)) continue;
            ++at_;
          }
          d.align = own;
          continue;
        }
      } else if (s == ".attribute") {
        ++at_;
        if (peek().is('(')) skip_balanced('(', ')');
        continue;
      } else if (s == ".texref" || s == ".samplerref" || s == ".surfref") {
        unsupported = true;
      } else if (const scalar_type t = scalar_named(s.substr(1)); t != scalar_type::none) {
        d.type = t;
      } else {
        fail(peek().where, "unsupported type or attribute " + quoted(peek()) + " of a declaration");
        unsupported = true;
      }
      ++at_;
    }
    if (d.type == scalar_type::none && !unsupported) expected(what);
    return d;
  }

  void declaration(bool is_extern) {
    const std::string_view s = tokens_[at_++].spelling;
    if (s == ".reg") {
      registers();
      return;
    }
    const state_space space = s == ".global"   ? state_space::global
                              : s == ".const"  ? state_space::constant
                              : s == ".shared" ? state_space::shared
                              : s == ".local"  ? state_space::local
                                               : state_space::param;
    // Old PTX numbers constant banks: .const[2].
    if (space == state_space::constant && peek().is('[')) skip_balanced('[', ']');
    variables(space, is_extern);
  }

  void registers() {
    const declared d = type_part("a register type");
    if (d.type == scalar_type::none) {
      recover();
      return;
    }
    do {
      const token name = peek();
      if (name.kind != token_kind::word) {
        expected("a register name");
        recover();
        return;
      }
      ++at_;
      register_declaration reg{d.type, d.width, 0, name.where};
      name_entry entry{name_entry::what::register_single, static_cast<std::uint32_t>(declarations_.size())};
      scope& here = scopes_[scope_];
      if (take('<')) {
        std::uint64_t n = 0;
        if (!unsigned_value(n) || !require('>')) {
          recover();
          return;
        }
        reg.count = n;
        entry.kind = name_entry::what::register_range;
        if (!here.ranges.emplace(name.spelling, entry).second)
          fail(name.where, "registers " + quoted(name) + " are declared twice");
      } else if (!here.names.emplace(name.spelling, entry).second) {
        fail(name.where, quoted(name) + " is declared twice");
      }
      declarations_.push_back(reg);
    } while (take(','));
    if (!require(';')) recover();
  }

  void variables(state_space space, bool is_extern) {
    const declared d = type_part("a variable type");
    if (d.type == scalar_type::none) {
      recover();
      return;
    }
    do {
      if (!one_variable(space, is_extern, d, false)) {
        recover();
        return;
      }
    } while (take(','));
    if (!require(';')) recover();
  }

  /// NAME [sizes] [= initialiser]; enters the name.
  bool one_variable(state_space space, bool is_extern, const declared& d, bool parameter) {
    const token name = peek();
    if (name.kind != token_kind::word) {
      expected("a name");
      return false;
    }
    ++at_;
    variable v;
    v.name = std::string(name.spelling);
    v.where = name.where;
    v.space = space;
    v.type = d.type;
    v.is_extern = is_extern;
    const std::uint64_t element = std::uint64_t{info(d.type).size} * d.width;
    v.align = d.align != 0 ? d.align : static_cast<std::uint32_t>(std::max<std::uint64_t>(element, 1));
    v.size = element;
    bool open_array = false;
    bool too_large = false;
    std::vector<std::uint64_t> extents;
    if (take('<')) {  // a range of parameters or variables: not in any subset
      fail(name.where, "a range of variables is not supported");
      return false;
    }
    while (take('[')) {
      if (take(']')) {
        open_array = true;
        v.size = 0;
        extents.push_back(0);
        continue;
      }
      std::uint64_t n = 0;
      if (!unsigned_value(n) || !require(']')) return false;
      too_large = too_large || (n != 0 && v.size > max_bytes / n);
      v.size = too_large ? 0 : v.size * n;
      extents.push_back(n);
    }
    if (d.width > 1) extents.push_back(d.width);
    if (too_large || v.size > max_bytes) {
      fail(name.where, "variable " + quoted(name) + " is larger than 1 GiB");
      v.size = 0;
      extents.clear();
    }
    if (take('=')) {
      std::uint64_t length = 0;
      if (!initialiser(v, extents, length)) return false;
      if (open_array) {
        v.size = length;
      } else if (v.initial.size() > v.size) {
        fail(name.where, "the initialiser of " + quoted(name) + " is larger than the variable");
        v.initial.resize(static_cast<std::size_t>(v.size));
      }
    } else if (v.size == 0 && !open_array && !too_large) {
      fail(name.where, "variable " + quoted(name) + " has no size");
    }
    name_entry entry;
    if (parameter) {
      entry = {name_entry::what::parameter, static_cast<std::uint32_t>(kernel_->parameters.size())};
      kernel_->parameters.push_back(std::move(v));
    } else if (kernel_ != nullptr) {
      entry = {name_entry::what::kernel_variable, static_cast<std::uint32_t>(kernel_->variables.size())};
      kernel_->variables.push_back(std::move(v));
    } else {
      entry = {name_entry::what::module_variable, static_cast<std::uint32_t>(out_.module.variables.size())};
      out_.module.variables.push_back(std::move(v));
    }
    if (!scopes_[scope_].names.emplace(name.spelling, entry).second) {
      // A declaration may be repeated at module scope (extern first); the last one wins.
      if (kernel_ == nullptr)
        scopes_[scope_].names[name.spelling] = entry;
      else
        fail(name.where, quoted(name) + " is declared twice");
    }
    return true;
  }

  /// Values in nested braces; `length`: bytes that they make up. An inner list that is shorter than its row leaves zeros.
  bool initialiser(variable& v, const std::vector<std::uint64_t>& extents, std::uint64_t& length) {
    const std::uint32_t size = info(v.type).size;
    std::vector<std::uint64_t> starts;  // of the lists that are open
    do {
      while (take('{')) starts.push_back(length);
      if (peek().is('}')) {  // {} or a trailing comma
      } else {
        v.initial.resize(static_cast<std::size_t>(length));
        if (!initial_value(v, size)) return false;
        length = v.initial.size();
      }
      while (!starts.empty() && peek().is('}')) {
        const position where = peek().where;
        ++at_;
        const std::size_t depth = starts.size();
        const std::uint64_t start = starts.back();
        starts.pop_back();
        if (depth < 2 || depth > extents.size()) continue;  // the whole variable, or braces around one value
        std::uint64_t row = size;
        for (std::size_t k = depth - 1; k < extents.size(); ++k)
          row = extents[k] > max_bytes / std::max<std::uint64_t>(row, 1) ? max_bytes + 1 : row * extents[k];
        if (length - start > row)
          fail(where, "a list of the initialiser has more values than its row");
        else
          length = start + row;
      }
      if (length > max_bytes) {
        fail(peek().where, "the initialiser is larger than 1 GiB");
        return false;
      }
    } while (!starts.empty() && take(','));
    if (!starts.empty()) return require('}');
    return true;
  }

  bool initial_value(variable& v, std::uint32_t size) {
    std::uint64_t bits = 0;
    const bool floating = info(v.type).kind == type_class::floating;
    const bool minus = take('-');
    const token& t = peek();
    if (t.kind == token_kind::integer && !floating) {
      bits = minus ? 0 - t.bits : t.bits;
      ++at_;
    } else if (t.kind == token_kind::integer || t.kind == token_kind::single || t.kind == token_kind::real) {
      double value = t.kind == token_kind::integer ? static_cast<double>(t.bits)
                     : t.kind == token_kind::single
                         ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(t.bits)))
                         : std::bit_cast<double>(t.bits);
      if (minus) value = -value;
      if (v.type == scalar_type::f64) {
        bits = std::bit_cast<std::uint64_t>(value);
      } else if (v.type == scalar_type::f32) {
        bits = t.kind == token_kind::single && !minus
                   ? t.bits
                   : std::bit_cast<std::uint32_t>(static_cast<float>(
                         std::clamp(value, -static_cast<double>(std::numeric_limits<float>::max()) * 2,
                                    static_cast<double>(std::numeric_limits<float>::max()) * 2)));
      } else if (t.kind != token_kind::integer) {
        bits = t.bits;  // raw bits of a floating-point constant in untyped data
      }
      ++at_;
    } else if (t.kind == token_kind::word && !minus) {
      relocation r;
      r.offset = v.initial.size();
      r.size = size;
      if (t.spelling == "generic" && peek(1).is('(')) {
        at_ += 2;
        r.generic = true;
      }
      if (peek().kind != token_kind::word) {
        expected("a variable name");
        return false;
      }
      r.symbol = std::string(peek().spelling);
      ++at_;
      if (r.generic && !require(')')) return false;
      if (take('+')) {
        if (!unsigned_value(r.addend)) return false;
      }
      if (size != 4 && size != 8) {
        fail(t.where, "the address of " + quoted(t) + " does not fit an element of this initialiser");
        return false;
      }
      v.relocations.push_back(std::move(r));
    } else {
      expected("a constant");
      return false;
    }
    for (std::uint32_t i = 0; i < size; ++i)
      v.initial.push_back(static_cast<unsigned char>(i < 8 ? bits >> (8 * i) : 0));
    return true;
  }

  // --- kernels ---------------------------------------------------------------------------------------------------

  void entry() {
    if (peek().kind != token_kind::word) {
      expected("a kernel name");
      recover();
      return;
    }
    kernel k;
    k.name = std::string(peek().spelling);
    k.where = peek().where;
    k.address_size = out_.module.address_size;
    ++at_;
    kernel_ = &k;
    pending_.clear();
    open_scope();
    const bool parenthesised = peek().is('(');
    if (parenthesised) parameters();
    performance();
    if (take('{')) {
      body(!parenthesised);
      for (const kernel& other : out_.module.kernels)
        if (other.name == k.name) fail(k.where, "kernel '" + k.name + "' is defined twice");
      resolve_labels();
      kernel_ = nullptr;
      out_.module.kernels.push_back(std::move(k));
    } else {
      // Without a body this is a prototype.
      if (!take(';') && !starts_module_item(peek())) {
        expected("'{'");
        recover();
      }
      kernel_ = nullptr;
    }
    scope_ = 0;
    scopes_.resize(1);
    scopes_[0].used.clear();
  }

  void parameters() {
    ++at_;
    if (take(')')) return;
    do {
      if (!take_dotted(".param")) {
        expected("'.param'");
        break;
      }
      const declared d = type_part("a parameter type");
      if (d.type == scalar_type::none) break;
      if (!one_variable(state_space::param, false, d, true)) break;
    } while (take(','));
    if (take(')')) return;
    if (room_ && out_.diagnostics.empty()) expected("')'");
    while (peek().kind != token_kind::end && !peek().is('{') && !peek().is(';'))
      if (tokens_[at_++].is(')')) return;
  }

  void performance() {
    while (peek().kind == token_kind::dotted) {
      const std::string_view s = peek().spelling;
      if (s == ".pragma") {
        skip_note();
        continue;
      }
      if (starts_module_item(peek())) return;
      std::uint32_t* sizes = s == ".maxntid"   ? kernel_->max_threads
                             : s == ".reqntid" ? kernel_->required_threads
                                               : nullptr;
      ++at_;
      std::size_t n = 0;
      while (peek().kind == token_kind::integer || peek().kind == token_kind::text || peek().is(',')) {
        if (peek().kind == token_kind::integer && sizes != nullptr && n < 3)
          sizes[n++] = static_cast<std::uint32_t>(std::min<std::uint64_t>(peek().bits, 0xFFFF'FFFFU));
        ++at_;
      }
      if (sizes != nullptr && n > 0)
        while (n < 3) sizes[n++] = 1;
    }
  }

  void open_scope() {
    scopes_.push_back({scope_, {}, {}, {}, {}});
    scope_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  }

  void body(bool parameters_inside) {
    std::uint32_t depth = 1;
    const std::uint32_t outermost = scope_;
    while (room_) {
      const token& t = peek();
      const std::size_t before = at_;
      if (t.kind == token_kind::end) {
        fail(t.where, "kernel '" + kernel_->name + "' is never closed: expected '}' instead of the end of the text");
        kernel_->end = t.where;
        return;
      }
      if (t.is('}')) {
        ++at_;
        if (--depth == 0) {
          kernel_->end = t.where;
          return;
        }
        scope_ = scopes_[scope_].parent;
      } else if (t.is('{')) {
        ++at_;
        if (++depth > max_depth) {
          fail(t.where, "scopes are nested more than " + std::to_string(max_depth) + " deep");
          room_ = false;
        }
        open_scope();
      } else if (t.is(';')) {
        ++at_;
      } else if (t.kind == token_kind::dotted) {
        if (t.spelling == ".entry" || t.spelling == ".visible" || t.spelling == ".func" || t.spelling == ".weak" ||
            t.spelling == ".version") {
          fail(t.where, "kernel '" + kernel_->name + "' is never closed: expected '}' instead of " + quoted(t));
          kernel_->end = t.where;
          return;
        }
        if (t.spelling == ".param" && parameters_inside && scope_ == outermost) {
          ++at_;
          const declared d = type_part("a parameter type");
          if (d.type == scalar_type::none || !one_variable(state_space::param, false, d, true) || !require(';'))
            recover();
        } else if (starts_declaration(t.spelling)) {
          declaration(false);
        } else if (t.spelling == ".extern") {
          ++at_;
          if (peek().kind == token_kind::dotted && starts_declaration(peek().spelling))
            declaration(true);
          else
            unexpected("a variable"), recover();
        } else if (!skip_note()) {
          fail(t.where, "unsupported directive " + quoted(t));
          ++at_;
          recover();
        }
      } else if (t.kind == token_kind::word && peek(1).is(':')) {
        define_label(t);
        at_ += 2;
      } else if (t.kind == token_kind::word || t.is('@')) {
        if (!parse_instruction()) recover();
      } else {
        unexpected("an instruction");
        ++at_;
        recover();
      }
      if (at_ == before) ++at_;
    }
  }

  void define_label(const token& t) {
    if (!scopes_[scope_].labels.emplace(t.spelling, static_cast<std::uint32_t>(kernel_->labels.size())).second) {
      fail(t.where, "label " + quoted(t) + " is defined twice");
      return;
    }
    kernel_->labels.push_back(
        {std::string(t.spelling), t.where, static_cast<std::uint32_t>(kernel_->instructions.size()), scope_});
  }

  /// Labels are seen in their scope and in those inside it, also before they are defined.
  void resolve_labels() {
    for (const pending_name& p : pending_) {
      for (std::uint32_t s = p.scope; s != no_index; s = scopes_[s].parent) {
        const auto found = scopes_[s].labels.find(p.name);
        if (found == scopes_[s].labels.end()) continue;
        operand& o = kernel_->operands[p.operand];
        o.kind = operand_kind::label;
        o.index = found->second;
        break;
      }
    }
  }

  bool parse_instruction() {
    instruction i;
    if (peek().is('@')) {
      ++at_;
      i.guard_where = peek().where;
      i.guard_negated = take('!');
      if (peek().kind != token_kind::word) {
        expected("a predicate");
        return false;
      }
      i.guard_where = peek().where;
      i.guard = find_register(peek().spelling);
      if (i.guard == no_index) fail(peek().where, "unknown register " + quoted(peek()));
      ++at_;
      if (peek().kind != token_kind::word) {
        expected("an instruction");
        return false;
      }
    }
    i.where = peek().where;
    i.opcode = std::string(peek().spelling);
    ++at_;
    while (peek().kind == token_kind::dotted) {
      i.opcode += peek().spelling;
      ++at_;
    }
    std::vector<operand>& list = scratch_;
    list.clear();
    if (!peek().is(';')) {
      do {
        operand o;
        if (!parse_operand(o, true)) return false;
        list.push_back(o);
      } while (take(','));
    }
    i.first_operand = static_cast<std::uint32_t>(kernel_->operands.size());
    i.num_operands = static_cast<std::uint32_t>(list.size());
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (list[n].kind == operand_kind::unknown)
        pending_.push_back({i.first_operand + static_cast<std::uint32_t>(n), scope_, spellings_[list[n].index]});
      kernel_->operands.push_back(list[n]);
    }
    const bool ended = require(';');
    // Where only the semicolon is missing the instruction counts; where an operand is broken it would only be a second finding.
    if (ended || peek().is('}') || peek().where.line != i.where.line) kernel_->instructions.push_back(std::move(i));
    return ended;
  }

  bool parse_operand(operand& o, bool vectors) {
    const token t = peek();
    o.where = t.where;
    if (take('!')) {
      if (!parse_operand_word(o)) return false;
      o.negated = true;
      o.where = t.where;
      return true;
    }
    if (t.is('[')) return parse_address(o);
    if (t.is('{') && vectors) {
      ++at_;
      std::vector<operand> elements;
      if (!peek().is('}')) {
        do {
          operand e;
          if (!parse_operand(e, false)) return false;
          elements.push_back(e);
        } while (elements.size() < 16 && take(','));
      }
      if (!require('}')) return false;
      o.kind = operand_kind::vector;
      o.index = static_cast<std::uint32_t>(kernel_->operands.size());
      o.count = static_cast<std::uint32_t>(elements.size());
      kernel_->operands.insert(kernel_->operands.end(), elements.begin(), elements.end());
      return true;
    }
    if (t.is('(')) {
      skip_balanced('(', ')');
      o.kind = operand_kind::other;
      return true;
    }
    return parse_operand_word(o);
  }

  /// A constant: number with sign. Returns whether one is here.
  bool constant(operand& o) {
    const std::size_t start = at_;
    bool minus = false;
    while (peek().is('-') || peek().is('+')) {
      minus = minus != peek().is('-');
      ++at_;
    }
    const token& t = peek();
    o.bits = t.bits;
    if (t.kind == token_kind::integer) {
      o.kind = operand_kind::integer;
      if (minus) o.bits = 0 - o.bits;
    } else if (t.kind == token_kind::single) {
      o.kind = operand_kind::single;
      if (minus) o.bits ^= 0x8000'0000U;
    } else if (t.kind == token_kind::real) {
      o.kind = operand_kind::real;
      if (minus) o.bits ^= std::uint64_t{1} << 63;
    } else {
      at_ = start;
      return false;
    }
    ++at_;
    return true;
  }

  bool parse_operand_word(operand& o) {
    if (constant(o)) return true;
    const token t = peek();
    if (t.kind != token_kind::word) {
      expected("an operand");
      return false;
    }
    ++at_;
    o.where = t.where;
    if (t.spelling == "_") {
      o.kind = operand_kind::sink;
    } else {
      name(o, t);
      if (o.kind == operand_kind::variable || o.kind == operand_kind::module_variable ||
          o.kind == operand_kind::parameter) {
        if (peek().is('+') || peek().is('-')) {
          operand offset;
          if (!constant(offset) || offset.kind != operand_kind::integer) {
            expected("an offset");
            return false;
          }
          o.bits = offset.bits;
        }
      }
    }
    if (peek().is('|')) {
      ++at_;
      const token q = peek();
      if (q.kind != token_kind::word) {
        expected("a predicate");
        return false;
      }
      ++at_;
      o.second = q.spelling == "_" ? no_index : find_register(q.spelling);
      if (o.second == no_index && q.spelling != "_") fail(q.where, "unknown register " + quoted(q));
      if (o.kind == operand_kind::sink && o.second != no_index) o.kind = operand_kind::sink;
    }
    return true;
  }

  bool parse_address(operand& o) {
    ++at_;
    o.kind = operand_kind::address;
    operand inside;
    inside.where = peek().where;
    if (constant(inside)) {
      if (inside.kind != operand_kind::integer) {
        fail(inside.where, "an address is an integer");
        return false;
      }
      o.base = operand_kind::integer;
      o.bits = inside.bits;
    } else if (peek().kind == token_kind::word) {
      const token t = peek();
      ++at_;
      name(inside, t);
      if (inside.kind == operand_kind::unknown) {
        // Never a label: report it here, at its place.
        o.base = operand_kind::unknown;
        o.index = inside.index;
        o.where = t.where;
      } else {
        o.base = inside.kind;
        o.index = inside.index;
      }
      if (peek().is('+') || peek().is('-')) {
        operand offset;
        if (!constant(offset) || offset.kind != operand_kind::integer) {
          expected("an offset");
          return false;
        }
        o.bits = offset.bits;
      }
    } else {
      expected("an address");
      return false;
    }
    if (peek().is(',')) {  // texture coordinates and the like
      o.kind = operand_kind::other;
      while (peek().kind != token_kind::end && !peek().is(']') && !peek().is(';')) ++at_;
    }
    return require(']');
  }

  /// What a word means here: special register, register (component), variable, parameter; otherwise unknown.
  void name(operand& o, const token& t) {
    if (t.spelling.front() == '%' || t.spelling == "WARP_SZ") {
      const token& next = peek();
      const std::string_view component = next.kind == token_kind::dotted ? next.spelling : std::string_view{};
      const std::uint32_t special = special_named(t.spelling, component);
      if (special != no_index) {
        o.kind = operand_kind::special;
        o.index = special;
        if (!component.empty()) ++at_;
        return;
      }
    }
    for (std::uint32_t s = scope_; s != no_index; s = scopes_[s].parent) {
      if (const auto found = scopes_[s].names.find(t.spelling); found != scopes_[s].names.end()) {
        const name_entry e = found->second;
        switch (e.kind) {
          case name_entry::what::kernel_variable:
            o.kind = operand_kind::variable;
            break;
          case name_entry::what::module_variable:
            o.kind = operand_kind::module_variable;
            break;
          case name_entry::what::parameter:
            o.kind = operand_kind::parameter;
            break;
          default:
            register_operand(o, t.spelling, use(scopes_[s], t.spelling, declarations_[e.index]),
                             declarations_[e.index].width);
            return;
        }
        o.index = e.index;
        return;
      }
      if (const std::uint32_t d = in_range(scopes_[s], t.spelling); d != no_index) {
        register_operand(o, t.spelling, use(scopes_[s], t.spelling, declarations_[d]), declarations_[d].width);
        return;
      }
    }
    o.kind = operand_kind::unknown;
    o.index = static_cast<std::uint32_t>(kernel_->names.size());
    std::string spelled(t.spelling);
    if (peek().kind == token_kind::dotted) {  // %clock64.lo and other registers that are not known here
      spelled += peek().spelling;
      ++at_;
    }
    kernel_->names.push_back(std::move(spelled));
    spellings_.resize(kernel_->names.size());
    spellings_.back() = t.spelling;
  }

  void register_operand(operand& o, std::string_view, std::uint32_t first, std::uint32_t width) {
    if (width == 1) {
      o.kind = operand_kind::reg;
      o.index = first;
      return;
    }
    const token& next = peek();
    if (next.kind == token_kind::dotted && next.spelling.size() == 2) {
      constexpr std::string_view components = "xyzwrgba";
      const std::size_t c = components.find(next.spelling[1]);
      if (c != std::string_view::npos && c % 4 < width) {
        ++at_;
        o.kind = operand_kind::reg;
        o.index = first + static_cast<std::uint32_t>(c % 4);
        return;
      }
    }
    o.kind = operand_kind::vector;
    o.index = static_cast<std::uint32_t>(kernel_->operands.size());
    o.count = width;
    for (std::uint32_t c = 0; c < width; ++c) {
      operand e;
      e.kind = operand_kind::reg;
      e.index = first + c;
      e.where = o.where;
      kernel_->operands.push_back(e);
    }
  }

  /// The range that holds a name such as %r17: its declaration.
  std::uint32_t in_range(const scope& s, std::string_view spelling) const {
    if (s.ranges.empty()) return no_index;
    std::uint64_t number = 0;
    std::uint64_t scale = 1;
    for (std::size_t digits = 1; digits <= 9 && digits < spelling.size(); ++digits) {
      const char c = spelling[spelling.size() - digits];
      if (!is_digit(c)) break;
      number += scale * static_cast<std::uint64_t>(c - '0');
      scale *= 10;
      if (c == '0' && digits > 1) continue;  // %r017 is no register of a range
      const auto found = s.ranges.find(spelling.substr(0, spelling.size() - digits));
      if (found != s.ranges.end() && number < declarations_[found->second.index].count) return found->second.index;
    }
    return no_index;
  }

  /// The kernel's index of a register, which it gets at its first use.
  std::uint32_t use(scope& s, std::string_view spelling, const register_declaration& d) {
    const auto [found, fresh] = s.used.emplace(spelling, static_cast<std::uint32_t>(kernel_->registers.size()));
    if (fresh) {
      if (d.width == 1) {
        kernel_->registers.push_back({std::string(spelling), d.type, d.where});
      } else {
        for (std::uint32_t c = 0; c < d.width; ++c)
          kernel_->registers.push_back({std::string(spelling) + "." + "xyzw"[c % 4], d.type, d.where});
      }
    }
    return found->second;
  }

  std::uint32_t find_register(std::string_view spelling) {
    for (std::uint32_t s = scope_; s != no_index; s = scopes_[s].parent) {
      std::uint32_t d = no_index;
      if (const auto found = scopes_[s].names.find(spelling); found != scopes_[s].names.end()) {
        if (found->second.kind != name_entry::what::register_single) return no_index;
        d = found->second.index;
      } else {
        d = in_range(scopes_[s], spelling);
      }
      if (d != no_index) return use(scopes_[s], spelling, declarations_[d]);
    }
    return no_index;
  }

  static std::uint32_t special_named(std::string_view word, std::string_view component) {
    struct entry {
      std::string_view name;
      special_register first;
    };
    constexpr entry vectors[] = {{"%tid", special_register::tid_x},
                                 {"%ntid", special_register::ntid_x},
                                 {"%ctaid", special_register::ctaid_x},
                                 {"%nctaid", special_register::nctaid_x}};
    constexpr entry scalars[] = {{"%laneid", special_register::laneid},
                                 {"%warpid", special_register::warpid},
                                 {"%nwarpid", special_register::nwarpid},
                                 {"%warpsize", special_register::warp_size},
                                 {"WARP_SZ", special_register::warp_size}};
    if (component.size() == 2 && component[1] >= 'x' && component[1] <= 'z')
      for (const entry& e : vectors)
        if (e.name == word) return static_cast<std::uint32_t>(e.first) + static_cast<std::uint32_t>(component[1] - 'x');
    if (component.empty())
      for (const entry& e : scalars)
        if (e.name == word) return static_cast<std::uint32_t>(e.first);
    return no_index;
  }

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  bool room_ = true;
  parse_result out_;
  kernel* kernel_ = nullptr;
  std::vector<scope> scopes_;
  std::uint32_t scope_ = 0;
  std::vector<register_declaration> declarations_;
  std::vector<pending_name> pending_;
  std::vector<operand> scratch_;
  std::vector<std::string_view> spellings_;  // of the kernel's unknown names
};

}  // namespace detail

/// Reads a module. Any text is accepted; at most max_diagnostics findings.
/// Complexity: linear in the text (times the nesting of scopes, which is limited).
[[nodiscard]] inline parse_result parse(std::string_view text) { return detail::parser(text).run(); }

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

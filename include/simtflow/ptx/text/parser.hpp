// SPDX-License-Identifier: BSL-1.0
//
// PTX text to a module. Reads every age of PTX: parameters in parentheses or in the body, in .param space or in
// registers, prototypes that end without a semicolon, .loc lines, debug sections, nested scopes with registers and
// labels of their own. Never stops at the first finding, and takes any bytes: what it cannot read becomes a finding,
// and reading goes on behind the statement. Whether an instruction exists and fits its operands is the verifier's
// question.
//
// Nothing here recurses on the text; braces nest at most 64 deep.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax", "State Spaces, Types, and Variables",
// "Instruction Operands", "Abstracting the ABI", "Directives".
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/constant_expression.hpp>
#include <simtflow/ptx/text/lexer.hpp>
#include <simtflow/ptx/text/module.hpp>

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

namespace detail {

/// A module as far as its text can be read, and the diagnostics about the rest.
struct module_text {
  ptx::module module;
  simtflow::diagnostics diagnostics;
};

/// A position over tokens and the findings about them: what every part of the parser needs.
class token_reader {
 protected:
  explicit token_reader(std::string_view text) : tokens_(tokenize(text)) {}

  const token& peek() const { return tokens_[at_]; }
  const token& peek(std::size_t ahead) const { return tokens_[(std::min)(at_ + ahead, tokens_.size() - 1)]; }
  bool at_end() const { return peek().kind == token_kind::end; }
  bool at_dotted(std::string_view s) const { return peek().is(token_kind::dotted, s); }
  bool at_dotted() const { return peek().kind == token_kind::dotted; }
  bool at_word() const { return peek().kind == token_kind::word; }
  void next() {
    if (!at_end()) ++at_;
  }

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
  bool take(char c) {
    if (!peek().is(c)) return false;
    ++at_;
    return true;
  }
  bool take_or_fail(char c) {
    if (take(c)) return true;
    expected(std::string("'") + c + "'");
    return false;
  }
  bool take_dotted(std::string_view s) {
    if (!at_dotted(s)) return false;
    ++at_;
    return true;
  }

  /// To behind the next semicolon; stops before a brace, unless it is one of a vector.
  void recover() {
    while (!at_end() && !peek().is('}')) {
      if (peek().is('{')) {
        std::size_t close = at_ + 1;
        while (!ends_vector(tokens_[close])) ++close;
        if (!tokens_[close].is('}')) return;
        at_ = close;
      }
      if (tokens_[at_++].is(';')) return;
    }
  }
  static bool ends_vector(const token& t) {
    return t.kind == token_kind::end || t.is('{') || t.is('}') || t.is(';') || t.is(':');
  }
  /// The semicolon of a statement. Where only that is missing, the next line is a statement of its own.
  bool end_statement() {
    if (take_or_fail(';')) return true;
    if (at_ == 0 || peek().where.line == tokens_[at_ - 1].where.line) recover();
    return false;
  }
  void skip_line() {
    const std::uint32_t line = peek().where.line;
    while (!at_end() && peek().where.line == line) ++at_;
  }
  /// Past a balanced pair; the opening bracket is next.
  void skip_balanced(char open, char close) {
    std::size_t depth = 0;
    const position start = peek().where;
    while (!at_end()) {
      if (peek().is(open)) ++depth;
      const bool closes = peek().is(close) && --depth == 0;
      ++at_;
      if (closes) return;
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

  /// A constant expression; false with a finding if there is none.
  bool constant(constant_value& v) {
    const constant_result r = read_constant(tokens_, at_);
    if (!r.problem.empty()) fail(peek().where, "this constant expression has no value: " + std::string(r.problem));
    at_ = r.next;
    if (!r.expected.empty()) expected(r.expected);
    v = r.value;
    return r.ok();
  }
  bool integer_constant(std::uint64_t& value, std::string_view what) {
    const token& first = peek();
    constant_value v;
    if (!constant(v)) return false;
    if (!v.is_integer()) fail(first.where, "expected " + std::string(what) + " instead of " + quoted(first));
    value = v.bits;
    return v.is_integer();
  }

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  bool room_ = true;
  module_text out_;
};

/// What names mean, scope by scope, while a function is read. Registers get their index at their first use.
class name_table {
 public:
  enum class what : std::uint8_t {
    none,
    registers,
    variable,
    module_variable,
    parameter,
    result,
    function,
    kernel,
    prototype,
    branch_table,
    call_targets
  };
  struct entry {
    what kind = what::none;
    std::uint32_t index = 0;  // of a declaration, a variable, a parameter, ...
  };
  struct register_declaration {
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;  // components
    std::uint64_t count = 0;  // of a range
    position where;
    std::uint32_t item = no_index;
  };
  struct scope {
    std::uint32_t parent = no_index;
    std::uint32_t id = 0;  // of the function's scopes
    std::unordered_map<std::string_view, entry> names;
    std::unordered_map<std::string_view, entry> ranges;
    std::unordered_map<std::string_view, std::uint64_t> least_number;  // "%r" and 5 if of %r5, %r9, ... %r5 is a name
    std::unordered_map<std::string_view, std::uint32_t> used;          // register name -> first index in the function
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };

  name_table() { scopes_.push_back({}); }

  scope& here() { return scopes_[current_]; }
  const scope& at(std::uint32_t s) const { return scopes_[s]; }
  std::uint32_t current() const { return current_; }
  bool in_module() const { return current_ == 0; }
  void open(std::uint32_t id) {
    scopes_.push_back({current_, id, {}, {}, {}, {}, {}});
    current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  }
  void close() { current_ = scopes_[current_].parent; }
  /// Back to the module: the function's scopes are over.
  void leave_function() {
    current_ = 0;
    scopes_.resize(1);
    scopes_[0].used = {};  // clear() would walk all the buckets that the largest function left behind
  }

  /// Returns whether the name is new in this scope.
  bool declare(std::string_view name, entry e) {
    scope& s = here();
    if (in_range(s, name) != no_index) return false;
    for_each_prefix(name, [&](std::string_view prefix, std::uint64_t number) {
      const auto [found, fresh] = s.least_number.emplace(prefix, number);
      if (!fresh && number < found->second) found->second = number;
      return false;
    });
    return s.names.emplace(name, e).second;
  }
  bool declared_here(std::string_view name) {
    return here().names.count(name) != 0 || in_range(here(), name) != no_index;
  }
  /// In the module, from wherever; returns what the name means there, new or old.
  entry& declare_global(std::string_view name, entry e) { return scopes_[0].names.emplace(name, e).first->second; }
  /// Returns whether the name, or a name of the range, is new in this scope.
  bool declare_register(std::string_view name, const register_declaration& d, bool range) {
    scope& s = here();
    const entry e{what::registers, static_cast<std::uint32_t>(declarations_.size())};
    declarations_.push_back(d);
    if (range) {
      const auto single = s.least_number.find(name);
      const bool clash = single != s.least_number.end() && single->second < d.count;
      return s.ranges.emplace(name, e).second && !clash;
    }
    return declare(name, e);
  }

  /// The innermost meaning of a name and the scope that it is from; of a register: its declaration.
  entry find(std::string_view name, std::uint32_t& from) const {
    for (std::uint32_t s = current_; s != no_index; s = scopes_[s].parent) {
      from = s;
      if (const auto found = scopes_[s].names.find(name); found != scopes_[s].names.end()) return found->second;
      if (const std::uint32_t d = in_range(scopes_[s], name); d != no_index) return {what::registers, d};
    }
    return {};
  }
  const register_declaration& declaration(std::uint32_t i) const { return declarations_[i]; }

  /// The function's index of a register, which it gets at its first use.
  std::uint32_t use(std::uint32_t from, std::string_view name, const register_declaration& d, function& f) {
    scope& s = scopes_[from];
    const auto [found, fresh] = s.used.emplace(name, static_cast<std::uint32_t>(f.registers.size()));
    if (fresh) {
      for (std::uint32_t c = 0; c < d.width; ++c) {
        std::string full(name);
        if (d.width > 1) full.append(1, '.').append(1, "xyzw"[c % 4]);
        f.registers.push_back({std::move(full), d.type, d.where, s.id, d.width, d.item});
      }
    }
    return found->second;
  }

 private:
  /// "%r1" and 7, "%r" and 17 for %r17, until one is taken. Numbers do not begin with 0, and have at most nine digits.
  template <class Take>
  static void for_each_prefix(std::string_view name, const Take& take) {
    std::uint64_t number = 0;
    std::uint64_t scale = 1;
    for (std::size_t digits = 1; digits <= 9 && digits < name.size(); ++digits) {
      const char c = name[name.size() - digits];
      if (!is_digit(c)) return;
      number += scale * static_cast<std::uint64_t>(c - '0');
      scale *= 10;
      if (c == '0' && digits > 1) continue;
      if (take(name.substr(0, name.size() - digits), number)) return;
    }
  }

  /// The range that holds a name such as %r17: its declaration.
  std::uint32_t in_range(const scope& s, std::string_view name) const {
    std::uint32_t range = no_index;
    if (s.ranges.empty()) return range;
    for_each_prefix(name, [&](std::string_view prefix, std::uint64_t number) {
      const auto found = s.ranges.find(prefix);
      const bool holds = found != s.ranges.end() && number < declarations_[found->second.index].count;
      if (holds) range = found->second.index;
      return holds;
    });
    return range;
  }

  std::vector<scope> scopes_;
  std::uint32_t current_ = 0;
  std::vector<register_declaration> declarations_;
};

class parser : token_reader {
 public:
  explicit parser(std::string_view text)
      : token_reader(text), initial_room_((std::uint64_t{64} << 20) + 64 * std::uint64_t{text.size()}) {}

  module_text run() {
    mod().id = new_module_id();
    bool version_seen = false;
    if (at_end()) fail(peek().where, "expected '.version': there is no PTX in this text");
    while (!at_end() && room_) {
      const std::size_t before = at_;
      const token& t = peek();
      if (t.kind == token_kind::dotted) {
        if (t.spelling == ".version") {
          version();
        } else {
          if (!version_seen) fail(t.where, "expected '.version' before everything else");
          directive();
        }
        version_seen = true;
      } else if (t.is('@') && peek(1).is('@')) {
        skip_line();  // debug lines of PTX 1.x
      } else if (t.is(';')) {
        ++at_;
      } else {
        expected("a directive");
        recover();
      }
      if (at_ == before) ++at_;
    }
    return std::move(out_);
  }

 private:
  using what = name_table::what;
  struct pending_name {
    std::uint32_t operand;
    std::uint32_t scope;
    std::string_view name;
  };
  struct pending_target {
    std::uint32_t table;
    std::uint32_t scope;
    position where;
    std::string name;
  };

  static constexpr std::uint32_t max_depth = 64;
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
  static constexpr std::uint64_t max_ranged_targets = std::uint64_t{1} << 20;  // of all ranges together

  module& mod() { return out_.module; }

  // --- directives ------------------------------------------------------------------------------------------------

  static bool starts_declaration(std::string_view s) {
    return s == ".reg" || s == ".global" || s == ".const" || s == ".shared" || s == ".local" || s == ".param" ||
           s == ".tex";
  }
  static bool is_linkage(std::string_view s) {
    return s == ".visible" || s == ".weak" || s == ".extern" || s == ".common";
  }
  static bool starts_module_item(const token& t) {
    if (t.kind != token_kind::dotted) return false;
    constexpr std::string_view items[] = {".version", ".target",  ".address_size", ".entry", ".func",
                                          ".file",    ".section", ".alias",        ".pragma"};
    return starts_declaration(t.spelling) || is_linkage(t.spelling) ||
           std::find(std::begin(items), std::end(items), t.spelling) != std::end(items);
  }

  void version() {
    ++at_;
    if (peek().kind == token_kind::real || peek().kind == token_kind::integer) {
      mod().version = std::string(peek().spelling);
      ++at_;
    } else {
      expected("a version number");
    }
  }

  void directive() {
    const token& t = peek();
    const std::string_view s = t.spelling;
    if (s == ".target") {
      target();
    } else if (s == ".address_size") {
      ++at_;
      const position where = peek().where;
      std::uint64_t bits = 0;
      if (unsigned_value(bits)) {
        if (bits == 32 || bits == 64)
          mod().address_size = static_cast<std::uint32_t>(bits);
        else
          fail(where, "an address has 32 or 64 bits");
      }
    } else if (is_linkage(s) || s == ".entry" || s == ".func" || starts_declaration(s)) {
      definition();
    } else if (s == ".alias") {
      alias();
    } else if (!skip_note()) {
      fail(t.where, "unsupported directive " + quoted(t));
      ++at_;
      recover();
    }
  }

  /// sm_75, texmode_independent: a list of words; anything else starts the next directive. "debug" only says that there
  /// are debug sections, which a module does not keep.
  void target() {
    ++at_;
    if (!at_word()) {
      expected("a target name");
      return;
    }
    mod().target = std::string(peek().spelling);
    ++at_;
    mod().target_options.clear();
    while (at_word() || peek().is(',')) {
      if (at_word() && peek().spelling == "map_f64_to_f32" && mod().target != "sm_10" && mod().target != "sm_11" &&
          mod().target != "sm_12")
        fail(peek().where, "map_f64_to_f32 is for sm_10 to sm_12: " + mod().target + " has .f64");
      if (at_word() && peek().spelling != "debug") mod().target_options.emplace_back(peek().spelling);
      ++at_;
    }
  }

  struct linked {
    linkage link = linkage::internal;
    bool is_extern = false;
  };
  linked take_linkage() {
    linked l;
    for (; at_dotted() && is_linkage(peek().spelling); ++at_) {
      const std::string_view s = peek().spelling;
      if (s == ".extern")
        l.is_extern = true;
      else
        l.link = s == ".visible" ? linkage::visible : s == ".weak" ? linkage::weak : linkage::common;
    }
    return l;
  }

  /// A function or variables of the module, with what is said about their linkage.
  void definition() {
    const linked l = take_linkage();
    if (take_dotted(".entry")) {
      function_text(l, true);
    } else if (take_dotted(".func")) {
      function_text(l, false);
    } else if (at_dotted() && starts_declaration(peek().spelling)) {
      declaration(l);
    } else {
      expected("a function or a variable");
      recover();
    }
  }

  /// .alias NAME, FUNCTION;
  void alias() {
    ++at_;
    const token& name = peek();
    const std::uint32_t from = function_named();
    if (from == no_index || !take_or_fail(',')) return recover();
    const std::uint32_t to = function_named();
    if (to == no_index || !take_or_fail(';')) return recover();
    function& f = mod().functions[from];
    const function& target = mod().functions[to];
    if (from == to || f.has_body || target.alias_of != no_index)
      fail(name.where, quoted(name) + " cannot be an alias of function '" + target.name + "'");
    else if (!same_shape(f.results, target.results) || !same_shape(f.parameters, target.parameters))
      fail(name.where, quoted(name) + " was declared with other parameters than function '" + target.name + "'");
    else
      f.alias_of = to;
  }
  /// The function that the next word names; no_index with a finding if there is none.
  std::uint32_t function_named() {
    const token& t = peek();
    std::uint32_t from = 0;
    const name_table::entry e = at_word() ? names_.find(t.spelling, from) : name_table::entry{};
    if (!at_word()) {
      expected("the name of a function");
      return no_index;
    }
    if (e.kind != what::function) {
      fail(t.where, "unknown function " + quoted(t));
      return no_index;
    }
    ++at_;
    return e.index;
  }

  /// Directives that say nothing about what a kernel does. Returns whether there was one.
  bool skip_note() {
    const std::string_view s = peek().spelling;
    if (s == ".loc") {
      ++at_;
      for (int i = 0; i < 3 && peek().kind == token_kind::integer; ++i) ++at_;
      // ", function_name LABEL [+ offset], inlined_at FILE LINE COLUMN"
      if (peek().is(',') && peek(1).is(token_kind::word, "function_name")) {
        for (int i = 0; i < 3; ++i) next();
        if (take('+')) next();
        if (peek().is(',') && peek(1).is(token_kind::word, "inlined_at")) {
          at_ += 2;
          for (int i = 0; i < 3 && peek().kind == token_kind::integer; ++i) ++at_;
        }
      }
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
      while (!at_end() && !peek().is('{') && peek().where.line == line) ++at_;
      if (peek().is('{')) skip_balanced('{', '}');
      return true;
    }
    if (s == ".pragma") {
      ++at_;
      while (peek().kind == token_kind::text || peek().is(',')) ++at_;
      end_statement();
      return true;
    }
    return false;
  }

  // --- variables -------------------------------------------------------------------------------------------------

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
    opaque_type opaque = opaque_type::none;
    std::uint32_t width = 1;
    std::uint32_t align = 0;
  };
  /// Without a type the declaration cannot be read: type is none, and there is a finding.
  declared type_part(const char* wanted) {
    declared d;
    bool unsupported = false;
    while (at_dotted()) {
      const std::string_view s = peek().spelling;
      if (alignment(d.align)) continue;
      if (s == ".v2" || s == ".v4" || s == ".v8") {
        d.width = static_cast<std::uint32_t>(s[2] - '0');
      } else if (s == ".ptr") {
        // ".ptr .space .align N" only tells what a pointer parameter points to.
        ++at_;
        std::uint32_t of_target = 0;
        while (at_dotted() && (alignment(of_target) || starts_declaration(peek().spelling)))
          if (at_dotted() && starts_declaration(peek().spelling)) ++at_;
        continue;
      } else if (s == ".attribute") {
        ++at_;
        if (peek().is('(')) skip_balanced('(', ')');
        continue;
      } else if (s == ".texref" || s == ".samplerref" || s == ".surfref") {
        d.opaque = s == ".texref"       ? opaque_type::texref
                   : s == ".samplerref" ? opaque_type::samplerref
                                        : opaque_type::surfref;
        d.type = scalar_type::b64;
      } else if (const scalar_type t = variable_type(s.substr(1)); t != scalar_type::none) {
        d.type = t;
      } else {
        fail(peek().where, "unsupported type or attribute " + quoted(peek()) + " of a declaration");
        unsupported = true;
      }
      ++at_;
    }
    if (unsupported) d.type = scalar_type::none;
    if (d.type == scalar_type::none && !unsupported) expected(wanted);
    return d;
  }
  /// The types of instructions only are no types of variables.
  static scalar_type variable_type(std::string_view name) {
    const scalar_type t = scalar_named(name);
    return t > scalar_type::f64 ? scalar_type::none : t;
  }

  void declaration(linked l) {
    const std::string_view s = tokens_[at_++].spelling;
    if (s == ".reg") {
      registers();
      return;
    }
    const state_space space = s == ".const"    ? state_space::constant
                              : s == ".shared" ? state_space::shared
                              : s == ".local"  ? state_space::local
                              : s == ".param"  ? state_space::param
                                               : state_space::global;  // .tex: old PTX's texture references
    // Old PTX numbers constant banks: .const[2].
    if (space == state_space::constant && peek().is('[')) skip_balanced('[', ']');
    declared d = type_part("a variable type");
    if (d.type == scalar_type::none) {
      recover();
      return;
    }
    if (s == ".tex") d = {scalar_type::b64, opaque_type::texref, 1, 0};
    do {
      variable v;
      const token name = peek();
      open_lists_.clear();
      if (!one_variable(space, l, d, v)) {
        recover_declaration();
        return;
      }
      enter(name, std::move(v));
    } while (take(','));
    end_statement();
  }

  /// To behind the semicolon, past the braces of an initialiser.
  void recover_declaration() {
    std::size_t open = open_lists_.size();
    while (!at_end() && !starts_module_item(peek())) {
      if (peek().is('{')) ++open;
      if (peek().is('}') && open-- == 0) return;
      if (tokens_[at_++].is(';')) return;
    }
  }

  void registers() {
    // In inner braces the place counts: before it the name may mean a register of the outer ones.
    std::uint32_t item = no_index;
    if (function_ != nullptr && names_.here().id != 0) add_item(item_kind::registers, item = register_items_++);
    const declared d = type_part("a register type");
    if (d.type == scalar_type::none) {
      recover();
      return;
    }
    do {
      const token name = peek();
      if (!at_word()) {
        expected("a register name");
        recover();
        return;
      }
      ++at_;
      const bool range = take('<');
      std::uint64_t n = 0;
      if (range && (!unsigned_value(n) || !take_or_fail('>'))) {
        recover();
        return;
      }
      const name_table::register_declaration reg{d.type, d.width, n, name.where, item};
      if (!names_.declare_register(name.spelling, reg, range))
        fail(name.where, range ? "registers " + quoted(name) + " are declared twice" : twice(name));
    } while (take(','));
    end_statement();
  }
  static std::string twice(const token& name) { return quoted(name) + " is declared twice"; }

  /// NAME [sizes] [= initialiser].
  bool one_variable(state_space space, linked l, const declared& d, variable& v) {
    const token name = peek();
    if (!at_word()) {
      expected("a name");
      return false;
    }
    ++at_;
    v.name = std::string(name.spelling);
    v.where = name.where;
    v.space = space;
    v.type = d.type;
    v.opaque = d.opaque;
    v.width = d.width;
    v.link = l.link;
    v.is_extern = l.is_extern;
    if (d.type == scalar_type::pred && space != state_space::reg) {
      fail(name.where, "predicate " + quoted(name) + " is no register");
      return false;
    }
    const std::uint64_t element = std::uint64_t{info(d.type).size} * d.width;
    v.align = d.align != 0 ? d.align : static_cast<std::uint32_t>((std::max<std::uint64_t>)(element, 1));
    v.size = element;
    bool open_array = false;
    bool too_large = false;
    if (peek().is('<')) {
      fail(name.where, "a range of variables is not supported");
      return false;
    }
    while (take('[')) {
      std::uint64_t n = 0;
      if (v.extents.empty() && take(']')) {
        open_array = true;
        v.extents.push_back(0);
        continue;
      }
      if (!unsigned_value(n) || !take_or_fail(']')) return false;
      too_large = too_large || (n != 0 && v.size > max_bytes / n);
      v.size = too_large ? 0 : v.size * n;
      v.extents.push_back(n);
    }
    if (too_large || v.size > max_bytes) {
      fail(name.where, "variable " + quoted(name) + " is larger than 1 GiB");
      v.size = 0;
      v.extents.clear();
    }
    const std::uint64_t row = v.size;  // of an open array
    if (open_array) v.size = 0;
    if (take('=')) {
      std::uint64_t length = 0;
      if (!initialiser(v, row, length)) return false;
      if (open_array) {
        v.size = row == 0 ? length : (length + row - 1) / row * row;
        if (!has_room_for(v.size, v)) return false;
        v.initial.resize(static_cast<std::size_t>(v.size));
      } else if (v.initial.size() > v.size) {
        fail(name.where, "the initialiser of " + quoted(name) + " is larger than the variable");
        v.initial.resize(static_cast<std::size_t>(v.size));
      }
      initial_room_ -= (std::min<std::uint64_t>)(initial_room_, v.initial.size());
    } else if (v.size == 0 && !open_array && !too_large && v.type != scalar_type::pred) {
      fail(name.where, "variable " + quoted(name) + " has no size");
    }
    return true;
  }

  /// Gives a variable its place in the function or the module, and its name.
  void enter(const token& name, variable&& v) {
    if (function_ != nullptr) {
      const auto index = static_cast<std::uint32_t>(function_->variables.size());
      if (!declare(name, {what::variable, index})) return;
      add_item(item_kind::variable, index);
      function_->variables.push_back(std::move(v));
      return;
    }
    // A declaration of the module may be repeated if it agrees; what defines it wins, in the first one's place.
    const auto index = static_cast<std::uint32_t>(mod().variables.size());
    if (names_.declare(name.spelling, {what::module_variable, index})) {
      mod().variables.push_back(std::move(v));
      return;
    }
    std::uint32_t from = 0;
    const name_table::entry old = names_.find(name.spelling, from);
    if (old.kind != what::module_variable) {
      fail(name.where, twice(name));
      return;
    }
    variable& known = mod().variables[old.index];
    const bool replaces = known.is_extern || known.link == linkage::common;
    if (!replaces && !v.is_extern)
      fail(name.where, twice(name));
    else if (!agree(known, v))
      fail(name.where, "variable " + quoted(name) + " is " + shape_of(v) + " here, but " + shape_of(known) + " in " +
                           to_string(known.where));
    else if (replaces && (!v.is_extern || known.size == 0))
      known = std::move(v);
  }
  /// Whether two declarations can mean one variable. An array without a size stands for one of any size.
  static bool agree(const variable& a, const variable& b) {
    if (a.space != b.space || a.type != b.type || a.width != b.width || a.align != b.align || a.opaque != b.opaque ||
        a.extents.size() != b.extents.size())
      return false;
    const bool open = !a.extents.empty() && (a.extents[0] == 0 || b.extents[0] == 0);
    for (std::size_t i = open ? 1 : 0; i < a.extents.size(); ++i)
      if (a.extents[i] != b.extents[i]) return false;
    return a.size == b.size || (open && (a.size == 0 || b.size == 0));
  }
  /// ".global .align 8 .v2 .f32 [4][2]"
  static std::string shape_of(const variable& v) {
    std::string s = "." + std::string(to_string(v.space)) + " .align " + std::to_string(v.align);
    if (v.width > 1) s += " .v" + std::to_string(v.width);
    constexpr std::string_view opaques[] = {"", "texref", "samplerref", "surfref"};
    s += " .";
    s += v.opaque == opaque_type::none ? info(v.type).name : opaques[static_cast<std::size_t>(v.opaque)];
    std::uint64_t row = std::uint64_t{info(v.type).size} * v.width;
    for (std::size_t i = 1; i < v.extents.size(); ++i) row *= v.extents[i];
    for (std::size_t i = 0; i < v.extents.size(); ++i) {
      const std::uint64_t n = i == 0 && row != 0 ? v.size / row : v.extents[i];
      s += i == 0 ? " [" : "[";
      if (n != 0) s += std::to_string(n);
      s += "]";
    }
    return s;
  }
  bool declare(const token& name, name_table::entry e) {
    if (names_.here().labels.count(name.spelling) == 0 && names_.declare(name.spelling, e)) return true;
    fail(name.where, twice(name));
    return false;
  }
  void add_item(item_kind kind, std::uint32_t index) {
    function_->items.push_back({kind, index, static_cast<std::uint32_t>(function_->instructions.size())});
  }

  /// Values in nested braces; `length`: bytes that they make up. An inner list that is shorter than its row leaves
  /// zeros. `row` is the size of an element of the outermost array.
  bool initialiser(variable& v, std::uint64_t row, std::uint64_t& length) {
    // Bytes of what stands in the braces of each depth: the whole, a row of it, ... a vector.
    std::vector<std::uint64_t> sizes;
    std::uint64_t size = row;
    for (const std::uint64_t n : v.extents) {
      sizes.push_back(n == 0 ? max_bytes : size);
      if (n != 0) size /= n;
    }
    if (v.width > 1) sizes.push_back(size);
    const std::uint32_t element = info(v.type).size;
    const bool packed_half =
        info(v.type).kind == type_class::floating && v.type != scalar_type::f32 && v.type != scalar_type::f64;
    if (packed_half || element == 0 || v.opaque != opaque_type::none ||
        (v.space != state_space::global && v.space != state_space::constant)) {
      fail(peek().where, "variable '" + v.name + "' cannot have an initial value");
      return false;
    }
    std::vector<std::uint64_t>& starts = open_lists_;
    starts.clear();
    if (sizes.empty() && peek().is('{')) {
      expected("a single value");
      return false;
    }
    do {
      while (peek().is('{')) {
        if (starts.size() == sizes.size()) {
          expected("a value");
          return false;
        }
        ++at_;
        starts.push_back(length);
        if (peek().is('}')) break;
      }
      if (!peek().is('}') || starts.empty() || starts.back() != length) {
        if (starts.size() < sizes.size()) {
          expected("'{'");
          return false;
        }
        if (!has_room_for(length, v)) return false;
        v.initial.resize(static_cast<std::size_t>(length));
        if (!initial_value(v, element)) return false;
        length = v.initial.size();
      }
      while (!starts.empty() && peek().is('}')) {
        const std::uint64_t start = starts.back();
        const std::uint64_t most = sizes[starts.size() - 1];
        if (length - start > most) {
          fail(peek().where, starts.size() == 1 ? "the initialiser of '" + v.name + "' is larger than the variable"
                                                : "a list of the initialiser has more values than its row");
          return false;
        }
        ++at_;
        starts.pop_back();
        if (!starts.empty()) length = start + most;
      }
      if (length > max_bytes) {
        fail(peek().where, "the initialiser is larger than 1 GiB");
        return false;
      }
    } while (!starts.empty() && take(','));
    if (!starts.empty()) return take_or_fail('}');
    return true;
  }

  /// The zeros of short rows cost no text, so a module's initial values have a limit together.
  bool has_room_for(std::uint64_t bytes, const variable& v) {
    if (bytes <= initial_room_) return true;
    fail(v.where, "with the initialiser of '" + v.name + "' the module has too many initial bytes");
    return false;
  }

  bool initial_value(variable& v, std::uint32_t size) {
    std::uint64_t bits = 0;
    const token& t = peek();
    const bool masked = t.kind == token_kind::integer && peek(1).is('(');
    if (at_word() || masked) {
      if (!initial_address(v, size)) return false;
    } else {
      constant_value c;
      const type_class kind = info(v.type).kind;
      if (!constant(c)) return false;
      if (c.is_integer() != (kind != type_class::floating) && !(kind == type_class::bits && !c.is_integer())) {
        fail(t.where, "expected " + std::string(c.is_integer() ? "a floating-point value" : "an integer") +
                          " instead of " + quoted(t));
        return false;
      }
      bits = c.bits;
      if (size == 4 && !c.is_integer()) bits = as_single(c);
      if (v.type == scalar_type::f64) bits = std::bit_cast<std::uint64_t>(c.number());
    }
    for (std::uint32_t i = 0; i < size; ++i)
      v.initial.push_back(static_cast<unsigned char>(i < 8 ? bits >> (8 * i) : 0));
    return true;
  }
  static std::uint32_t as_single(const constant_value& c) {
    if (c.kind == constant_value::type::single) return static_cast<std::uint32_t>(c.bits);
    const double limit = static_cast<double>((std::numeric_limits<float>::max)()) * 2;
    const double value = c.number();
    return std::bit_cast<std::uint32_t>(static_cast<float>(value > limit ? limit : value < -limit ? -limit : value));
  }

  /// NAME [+ N], generic(NAME) [+ N]; one byte of it: MASK(...). The mask is 0xFF at one of the bytes.
  bool initial_address(variable& v, std::uint32_t size) {
    relocation r;
    r.offset = v.initial.size();
    r.size = size;
    const token& first = peek();
    const bool masked = first.kind == token_kind::integer;
    if (masked) {
      const int zeros = std::countr_zero(first.bits);
      if (first.bits == 0 || zeros % 8 != 0 || first.bits >> zeros != 0xFF) {
        expected("a mask of one byte");
        return false;
      }
      r.shift = static_cast<std::uint32_t>(zeros);
      at_ += 2;
    }
    if (peek().is(token_kind::word, "generic") && peek(1).is('(')) {
      at_ += 2;
      r.generic = true;
    }
    const token& name = peek();
    if (!at_word()) {
      expected("a variable name");
      return false;
    }
    r.symbol = std::string(name.spelling);
    ++at_;
    if (r.generic && !take_or_fail(')')) return false;
    if ((peek().is('+') || peek().is('-')) && !integer_constant(r.addend, "an offset")) return false;
    if (masked && !take_or_fail(')')) return false;
    if (info(v.type).kind == type_class::floating || (masked ? size != 1 : size != 4 && size != 8)) {
      fail(first.where, "the address of " + quoted(name) + " does not fit an element of this initialiser");
      return false;
    }
    v.relocations.push_back(std::move(r));
    return true;
  }

  // --- functions -------------------------------------------------------------------------------------------------

  /// [(results)] NAME [(parameters)] [directives] { body }, or without a body, with or without a semicolon.
  void function_text(linked l, bool is_entry) {
    function f;
    f.is_entry = is_entry;
    f.link = l.link;
    f.is_extern = l.is_extern;
    f.address_size = mod().address_size;
    function_ = &f;
    register_items_ = 0;
    pending_.clear();
    pending_targets_.clear();
    spellings_.clear();
    names_.open(0);
    read_function(f);
    function_ = nullptr;
    names_.leave_function();
  }

  void read_function(function& f) {
    if (!f.is_entry && peek().is('(') && !parameter_list(f.results, what::result)) return skip_function();
    sized(f.results, "a result");
    const token name = peek();
    if (!at_word()) {
      expected(f.is_entry ? "a kernel name" : "a function name");
      skip_function();
      return;
    }
    f.name = std::string(name.spelling);
    f.where = name.where;
    ++at_;
    const bool parenthesised = peek().is('(');
    if (parenthesised && !parameter_list(f.parameters, what::parameter)) {
      // Up to the body: what is wrong with the list has been said.
      while (!at_end() && !peek().is('{') && !peek().is(';') && !peek().is(')')) ++at_;
      take(')');
    }
    performance(f);
    f.has_body = peek().is('{');
    std::uint32_t index = no_index;
    if (f.is_entry)
      enter_kernel(name);
    else
      index = enter_function(f, name);
    if (f.has_body) {
      ++at_;
      // Since PTX 2.0 .param in a body is a parameter of calls.
      body(f.is_entry && !parenthesised && mod().version.substr(0, 2) == "1.");
      resolve_labels();
      drop_unused_items(f);
      if (f.is_entry)
        mod().kernels.push_back(std::move(f));
      else if (index != no_index)
        mod().functions[index] = std::move(f);
    } else if (!take(';') && !starts_module_item(peek()) && !at_end()) {
      expected("'{'");
      recover();
    } else if (at_end() && f.is_entry) {
      expected("'{'");
    }
  }
  /// A function without a name: its body would be read as directives.
  void skip_function() {
    while (!at_end() && !peek().is('{') && !peek().is(';') && !starts_module_item(peek())) ++at_;
    if (peek().is('{')) skip_balanced('{', '}');
  }

  void enter_kernel(const token& name) {
    name_table::entry& e = names_.declare_global(name.spelling, {what::kernel, 0});
    if (e.kind != what::kernel)
      fail(name.where, twice(name));
    else if (function_->has_body && e.index++ != 0)
      fail(name.where, "kernel " + quoted(name) + " is defined twice");
  }

  /// The index of a device function, by its name; the first declaration makes it.
  std::uint32_t enter_function(function& f, const token& name) {
    const auto fresh_index = static_cast<std::uint32_t>(mod().functions.size());
    const name_table::entry e = names_.declare_global(name.spelling, {what::function, fresh_index});
    if (e.kind != what::function) {
      fail(name.where, twice(name));
      return no_index;
    }
    if (e.index == fresh_index) {
      function known;  // the body comes later; calls inside it look at this one
      known.name = f.name;
      known.where = f.where;
      known.address_size = f.address_size;
      known.link = f.link;
      known.is_extern = f.is_extern;
      known.no_return = f.no_return;
      known.results = f.results;
      known.parameters = f.parameters;
      known.registers = f.registers;
      known.performance = f.performance;
      mod().functions.push_back(std::move(known));
      return fresh_index;
    }
    const function& known = mod().functions[e.index];
    if (!same_shape(known.results, f.results) || !same_shape(known.parameters, f.parameters))
      fail(name.where, "function " + quoted(name) + " was declared with other parameters");
    if (f.has_body && known.has_body) {
      fail(name.where, "function " + quoted(name) + " is defined twice");
      return no_index;
    }
    f.no_return = f.no_return || known.no_return;
    if (f.link == linkage::internal) f.link = known.link;
    return e.index;
  }
  static bool same_shape(const std::vector<variable>& a, const std::vector<variable>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].space != b[i].space || a[i].type != b[i].type || a[i].size != b[i].size || a[i].align != b[i].align)
        return false;
    return true;
  }

  /// (.param .b32 a, .reg .u32 b, ...). With kind `none`, in a prototype, the names mean nothing.
  bool parameter_list(std::vector<variable>& list, what kind) {
    const bool of_kernel = kind != what::none && function_ != nullptr && function_->is_entry;
    ++at_;
    if (take(')')) return true;
    do {
      const bool in_register = at_dotted(".reg") && !of_kernel;
      if (!in_register && !at_dotted(".param")) {
        expected("'.param'");
        return false;
      }
      ++at_;
      const declared d = type_part("a parameter type");
      if (d.type == scalar_type::none) return false;
      variable v;
      const token name = peek();
      if (!one_variable(in_register ? state_space::reg : state_space::param, {}, d, v)) return false;
      if (!list.empty() && list.back().is_open_array()) {
        fail(list.back().where, "an array without a size is the last parameter");
        return false;
      }
      const std::uint32_t size = info(d.type).size;  // 0 of a predicate
      if (in_register && (!v.extents.empty() || size > 8)) {
        fail(name.where, "parameter " + quoted(name) + " does not fit a register");
        return false;
      }
      if (kind != what::none && name.spelling != "_") {
        const auto index = static_cast<std::uint32_t>(list.size());
        if (!in_register) {
          if (!declare(name, {kind, index})) continue;
        } else {
          const name_table::register_declaration reg{d.type, d.width, 0, name.where, no_index};
          if (!names_.declare_register(name.spelling, reg, false)) {
            fail(name.where, twice(name));
            continue;
          }
          v.reg = names_.use(names_.current(), name.spelling, reg, *function_);
        }
      }
      list.push_back(std::move(v));
    } while (take(','));
    return take_or_fail(')');
  }

  void sized(const std::vector<variable>& list, std::string_view of_what) {
    for (const variable& v : list)
      if (v.is_open_array()) fail(v.where, std::string(of_what) + " is an array without a size");
  }

  /// .maxntid, .minnctapersm, .noreturn, ...: between the parameters and the body.
  void performance(function& f) {
    while (at_dotted()) {
      const std::string_view s = peek().spelling;
      if (s == ".pragma") {
        skip_note();
        continue;
      }
      if (starts_module_item(peek())) return;
      performance_directive d;
      d.name = std::string(s.substr(1));
      const token& t = peek();
      ++at_;
      while (peek().kind == token_kind::integer || peek().is(',')) {
        if (peek().kind == token_kind::integer) d.values.push_back(peek().bits);
        ++at_;
      }
      constexpr std::string_view known[] = {"minnctapersm",      "maxnctapersm",    "maxnreg",
                                            "maxclusterrank",    "explicitcluster", "blocksareclusters",
                                            "reqnctapercluster", "abi_preserve",    "abi_preserve_control"};
      if (s == ".noreturn") {
        f.no_return = !f.is_entry;
        if (f.is_entry) fail(t.where, "a kernel cannot be .noreturn: every thread of it ends");
      } else if (s == ".maxntid" || s == ".reqntid") {
        std::uint32_t* sizes = s == ".maxntid" ? f.max_threads : f.required_threads;
        if (d.values.empty() || d.values.size() > 3) {
          fail(t.where, quoted(t) + " takes one to three numbers");
          continue;
        }
        for (std::size_t n = 0; n < 3; ++n) {
          const std::uint64_t size = n < d.values.size() ? d.values[n] : 1;
          if (size == 0 || size > 0xFFFF'FFFFU) fail(t.where, quoted(t) + " with a size of " + std::to_string(size));
          sizes[n] = static_cast<std::uint32_t>((std::min<std::uint64_t>)(size, 0xFFFF'FFFFU));
        }
      } else if (std::find(std::begin(known), std::end(known), d.name) != std::end(known)) {
        f.performance.push_back(std::move(d));
      } else {
        fail(t.where, "unsupported directive " + quoted(t));
      }
    }
  }

  void never_closed(const token& t) {
    fail(t.where, std::string(function_->is_entry ? "kernel '" : "function '") + function_->name +
                      "' is never closed: expected '}' instead of " + quoted(t));
    function_->end = t.where;
  }

  void body(bool parameters_inside) {
    std::vector<std::uint32_t> open;  // scopes inside the body
    while (room_) {
      const token& t = peek();
      const std::size_t before = at_;
      if (t.kind == token_kind::end) {
        never_closed(t);
        return;
      }
      if (t.is('}')) {
        ++at_;
        if (open.empty()) {
          function_->end = t.where;
          return;
        }
        add_item(item_kind::close, open.back());
        open.pop_back();
        names_.close();
      } else if (t.is('{')) {
        ++at_;
        if (open.size() + 2 > max_depth) {
          fail(t.where, "scopes are nested more than " + std::to_string(max_depth) + " deep");
          room_ = false;
        }
        open.push_back(function_->num_scopes++);
        add_item(item_kind::open, open.back());
        names_.open(open.back());
      } else if (t.is(';')) {
        ++at_;
      } else if (t.kind == token_kind::dotted) {
        const std::string_view s = t.spelling;
        const bool external =
            s == ".extern" && peek(1).kind == token_kind::dotted && starts_declaration(peek(1).spelling);
        if (s == ".entry" || s == ".func" || s == ".version" || (is_linkage(s) && !external)) {
          never_closed(t);
          return;
        }
        if (s == ".param" && parameters_inside && open.empty())
          inner_parameter();
        else if (external)
          ++at_, declaration({linkage::internal, true});
        else if (starts_declaration(s))
          declaration({});
        else if (!skip_note()) {
          fail(t.where, "unsupported directive " + quoted(t));
          ++at_;
          recover();
        }
      } else if (t.kind == token_kind::word && peek(1).is(':')) {
        at_ += 2;
        label_text(t);
      } else if (t.kind == token_kind::word || t.is('@')) {
        if (!parse_instruction()) recover();
      } else {
        expected("an instruction");
        ++at_;
        recover();
      }
      if (at_ == before) ++at_;
    }
  }

  /// In PTX 1.x the parameters of a kernel are declared in its body.
  void inner_parameter() {
    ++at_;
    const declared d = type_part("a parameter type");
    variable v;
    const token name = peek();
    if (d.type == scalar_type::none || !one_variable(state_space::param, {}, d, v)) return recover();
    if (declare(name, {what::parameter, static_cast<std::uint32_t>(function_->parameters.size())}))
      function_->parameters.push_back(std::move(v));
    end_statement();
  }

  /// What a label stands before: an instruction, or a directive that makes it something else.
  void label_text(const token& t) {
    if (at_dotted(".callprototype")) {
      call_prototype p;
      p.name = std::string(t.spelling);
      p.where = t.where;
      p.scope = names_.here().id;
      if (!prototype_text(p)) return recover();
      const auto index = static_cast<std::uint32_t>(function_->prototypes.size());
      if (!declare(t, {what::prototype, index})) return;
      add_item(item_kind::prototype, index);
      function_->prototypes.push_back(std::move(p));
    } else if (at_dotted(".branchtargets")) {
      const auto index = static_cast<std::uint32_t>(function_->branch_tables.size());
      const std::size_t targets = pending_targets_.size();
      ++at_;
      if (!branch_targets(index) || !declare(t, {what::branch_table, index})) {
        pending_targets_.resize(targets);
        return recover_behind();
      }
      add_item(item_kind::branch_table, index);
      function_->branch_tables.push_back({std::string(t.spelling), t.where, {}, names_.here().id});
    } else if (at_dotted(".calltargets")) {
      ++at_;
      call_target_list list{std::string(t.spelling), t.where, {}, names_.here().id};
      do {
        const std::uint32_t f = function_named();
        if (f == no_index) return recover();
        list.targets.push_back(f);
      } while (take(','));
      if (!take_or_fail(';')) return recover();
      const auto index = static_cast<std::uint32_t>(function_->call_targets.size());
      if (!declare(t, {what::call_targets, index})) return;
      add_item(item_kind::call_targets, index);
      function_->call_targets.push_back(std::move(list));
    } else {
      define_label(t);
    }
  }
  /// Unless the statement is over.
  void recover_behind() {
    if (!tokens_[at_ - 1].is(';')) recover();
  }

  /// .callprototype [(results)] _ [(parameters)] [.noreturn] ;
  bool prototype_text(call_prototype& p) {
    ++at_;
    if (peek().is('(') && !parameter_list(p.results, what::none)) return false;
    sized(p.results, "a result");
    if (!peek().is(token_kind::word, "_")) {
      expected("'_'");
      return false;
    }
    ++at_;
    if (peek().is('(') && !parameter_list(p.parameters, what::none)) return false;
    while (at_dotted()) {
      if (at_dotted(".noreturn")) {
        p.no_return = true;
      } else if (!at_dotted(".abi_preserve") && !at_dotted(".abi_preserve_control")) {
        expected("';'");
        return false;
      }
      ++at_;
      if (peek().kind == token_kind::integer) ++at_;
    }
    return take_or_fail(';');
  }

  /// .branchtargets A, B, C; or a range: .branchtargets L<4>;
  bool branch_targets(std::uint32_t table) {
    do {
      const token name = peek();
      if (!at_word()) {
        expected("a label");
        return false;
      }
      ++at_;
      if (take('<')) {
        std::uint64_t n = 0;
        const position where = peek().where;
        if (!unsigned_value(n) || !take_or_fail('>')) return false;
        ranged_targets_ += (std::min)(n, max_ranged_targets + 1);
        if (n > 65536 || ranged_targets_ > max_ranged_targets) {
          fail(where, n > 65536 ? "more than 65536 branch targets" : "more than 2^20 branch targets in ranges");
          return false;
        }
        for (std::uint64_t i = 0; i < n; ++i)
          pending_targets_.push_back(
              {table, names_.current(), name.where, std::string(name.spelling) + std::to_string(i)});
      } else {
        pending_targets_.push_back({table, names_.current(), name.where, std::string(name.spelling)});
      }
    } while (take(','));
    return take_or_fail(';');
  }

  void define_label(const token& t) {
    const auto index = static_cast<std::uint32_t>(function_->labels.size());
    if (names_.declared_here(t.spelling)) {
      fail(t.where, twice(t));
      return;
    }
    if (!names_.here().labels.emplace(t.spelling, index).second) {
      fail(t.where, "label " + quoted(t) + " is defined twice");
      return;
    }
    add_item(item_kind::label, index);
    function_->labels.push_back({std::string(t.spelling), t.where,
                                 static_cast<std::uint32_t>(function_->instructions.size()), names_.here().id});
  }

  /// Labels are seen in their scope and in those inside it, also before they are defined.
  void resolve_labels() {
    for (const pending_name& p : pending_) {
      if (!room_) return;
      const std::uint32_t index = label_index(p.scope, p.name);
      if (index == no_index) continue;
      operand& o = function_->operands[p.operand];
      o.kind = operand_kind::label;
      o.index = index;
    }
    for (const pending_target& p : pending_targets_) {
      if (!room_) return;
      const std::uint32_t index = label_index(p.scope, p.name);
      if (index != no_index)
        function_->branch_tables[p.table].targets.push_back(index);
      else
        fail(p.where, "unknown label '" + p.name + "'");
    }
  }
  /// Registers that nothing uses are not kept, and neither are their declarations.
  void drop_unused_items(function& f) const {
    std::vector<std::uint32_t> number(register_items_, no_index);
    for (const register_info& r : f.registers)
      if (r.declaration != no_index) number[r.declaration] = 0;
    std::uint32_t used = 0;
    std::size_t kept = 0;
    for (item i : f.items) {
      if (i.kind == item_kind::registers) {
        if (number[i.index] == no_index) continue;
        i.index = number[i.index] = used++;
      }
      f.items[kept++] = i;
    }
    f.items.resize(kept);
    for (register_info& r : f.registers)
      if (r.declaration != no_index) r.declaration = number[r.declaration];
  }
  std::uint32_t label_index(std::uint32_t from, std::string_view name) const {
    for (std::uint32_t s = from; s != no_index; s = names_.at(s).parent)
      if (const auto found = names_.at(s).labels.find(name); found != names_.at(s).labels.end()) return found->second;
    return no_index;
  }

  // --- instructions ----------------------------------------------------------------------------------------------

  bool parse_instruction() {
    instruction i;
    if (take('@')) {
      i.guard_negated = take('!');
      i.guard_where = peek().where;
      if (!at_word()) {
        expected("a predicate");
        return false;
      }
      i.guard = find_register(peek().spelling);
      if (i.guard == no_index) fail(peek().where, "unknown register " + quoted(peek()));
      ++at_;
      if (!at_word()) {
        expected("an instruction");
        return false;
      }
    }
    i.where = peek().where;
    const bool call = peek().spelling == "call";
    index_is_address_ = peek().spelling != "mov" && peek().spelling != "cvta";
    // The spelling is one piece of the text, unless there is space in it.
    const char* const begin = peek().spelling.data();
    const char* end = begin + peek().spelling.size();
    bool whole = true;
    const std::size_t first = at_;
    for (++at_; at_dotted(); ++at_) {
      whole = whole && peek().spelling.data() == end;
      end = peek().spelling.data() + peek().spelling.size();
    }
    if (whole)
      i.opcode.assign(begin, static_cast<std::size_t>(end - begin));
    else
      for (std::size_t k = first; k < at_; ++k) i.opcode += tokens_[k].spelling;
    list_.clear();
    const std::uint32_t known_names = static_cast<std::uint32_t>(function_->names.size());
    if (call ? !call_operands() : !peek().is(';') && !operand_list()) return false;
    i.first_operand = static_cast<std::uint32_t>(function_->operands.size());
    i.num_operands = static_cast<std::uint32_t>(list_.size());
    for (std::size_t n = 0; n < list_.size(); ++n)
      if (list_[n].kind == operand_kind::unknown && list_[n].index >= known_names)
        pending_.push_back(
            {i.first_operand + static_cast<std::uint32_t>(n), names_.current(), spellings_[list_[n].index]});
    function_->operands.insert(function_->operands.end(), list_.begin(), list_.end());
    // Where only the semicolon is missing the instruction counts; where an operand is broken it would only be a second
    // finding.
    const bool complete = peek().is(';') || peek().is('}') || peek().where.line != tokens_[at_ - 1].where.line;
    if (complete) function_->instructions.push_back(std::move(i));
    end_statement();
    return true;
  }

  bool operand_list() {
    do {
      operand o;
      if (!parse_operand(o)) return false;
      list_.push_back(o);
    } while (take(','));
    return true;
  }

  /// [(results),] callee [, (arguments)] [, prototype]: made to have both lists always.
  bool call_operands() {
    operand results;
    results.where = peek().where;
    results.kind = operand_kind::list;
    results.index = static_cast<std::uint32_t>(function_->operands.size());
    if (peek().is('(') && (!call_list(results) || !take_or_fail(','))) return false;
    list_.push_back(results);
    operand callee;
    if (!parse_operand_word(callee)) return false;
    list_.push_back(callee);
    operand arguments;
    arguments.where = peek().where;
    arguments.kind = operand_kind::list;
    arguments.index = static_cast<std::uint32_t>(function_->operands.size());
    bool more = take(',');
    if (more && peek().is('(')) {
      if (!call_list(arguments)) return false;
      more = take(',');
    }
    list_.push_back(arguments);
    if (more) {
      operand prototype;
      if (!parse_operand_word(prototype)) return false;
      list_.push_back(prototype);
    }
    return true;
  }
  bool call_list(operand& o) {
    o.where = peek().where;
    ++at_;
    elements_.clear();
    while (!peek().is(')')) {
      operand e;
      if (!parse_operand_word(e)) return false;
      elements_.push_back(e);
      if (!take(',')) break;
    }
    if (!take_or_fail(')')) return false;
    pool_elements(o, operand_kind::list);
    return true;
  }
  void pool_elements(operand& o, operand_kind kind) {
    o.kind = kind;
    o.index = static_cast<std::uint32_t>(function_->operands.size());
    o.count = static_cast<std::uint32_t>(elements_.size());
    function_->operands.insert(function_->operands.end(), elements_.begin(), elements_.end());
  }

  bool parse_operand(operand& o) {
    const token& t = peek();
    o.where = t.where;
    if (t.is('[')) return parse_address(o);
    if (t.is('{')) return vector(o);
    if ((t.is('!') || t.is('-')) && peek(1).kind == token_kind::word) {
      ++at_;
      if (peek().spelling == "WARP_SZ") return refuse_warp_size(peek().where);
      if (!parse_operand_word(o)) return false;
      const auto cluster = static_cast<std::uint32_t>(special_register::is_explicit_cluster);
      const bool predicate = (o.kind == operand_kind::special && o.index == cluster) ||
                             (o.kind == operand_kind::reg && function_->registers[o.index].type == scalar_type::pred);
      if (t.is('-') && predicate) {
        fail(t.where, "expected '!' instead of '-'");
        return false;
      }
      if (t.is('!') && o.kind == operand_kind::reg && !predicate) {
        fail(t.where, "'!' belongs to a predicate");
        return true;
      }
      o.negated = true;
      o.where = t.where;
      return true;
    }
    if (!parse_operand_word(o)) return false;
    return o.kind != operand_kind::reg || !peek().is('+') || offset(o);
  }

  bool vector(operand& o) {
    ++at_;
    elements_.clear();
    while (!peek().is('}')) {
      operand e;
      if (!parse_operand_word(e)) return false;
      elements_.push_back(e);
      if (!take(',')) break;
    }
    if (!take_or_fail('}')) return false;
    pool_elements(o, operand_kind::vector);
    return true;
  }

  /// The width of a warp is the launch's, so it stands alone.
  bool refuse_warp_size(position where) {
    fail(where, "WARP_SZ in a constant expression is not supported");
    return false;
  }
  bool parse_constant(operand& o) {
    constant_value v;
    if (!constant(v)) return false;
    o.bits = v.bits;
    o.kind = v.is_integer()                           ? operand_kind::integer
             : v.kind == constant_value::type::single ? operand_kind::single
                                                      : operand_kind::real;
    return true;
  }
  bool offset(operand& o) {
    std::uint64_t bits = 0;
    if (!integer_constant(bits, "an offset")) return false;
    o.bits += bits;
    return true;
  }

  static bool is_variable(operand_kind k) {
    return k == operand_kind::variable || k == operand_kind::module_variable || k == operand_kind::parameter ||
           k == operand_kind::result;
  }

  bool parse_operand_word(operand& o) {
    const token& t = peek();
    o.where = t.where;
    if (starts_constant(t) || t.is('!')) return parse_constant(o);
    if (t.kind != token_kind::word) {
      expected("an operand");
      return false;
    }
    ++at_;
    if (t.spelling == "_") {
      o.kind = operand_kind::sink;
    } else {
      name(o, t);
      if (is_variable(o.kind)) {
        if (peek().is('[')) return array_element(o, t);
        if ((peek().is('+') || peek().is('-')) && !offset(o)) return false;
      }
    }
    if (take('|')) {
      const token& q = peek();
      if (q.kind != token_kind::word) {
        expected("a predicate");
        return false;
      }
      ++at_;
      if (q.spelling != "_") {
        o.second = find_register(q.spelling);
        if (o.second == no_index) fail(q.where, "unknown register " + quoted(q));
      }
    } else if (at_dotted() && o.kind == operand_kind::reg) {  // %r1.h0 of video instructions
      o.selector = static_cast<std::uint32_t>(function_->names.size());
      function_->names.emplace_back(peek().spelling);
      spellings_.push_back(peek().spelling);
      ++at_;
    }
    return true;
  }

  /// NAME[constant]: the address of an element.
  bool array_element(operand& o, const token& name) {
    const variable& v = variable_of(o);
    ++at_;
    if (at_word()) {
      fail(peek().where, "an index of " + quoted(name) + " in a register is not supported: calculate the address");
      return false;
    }
    std::uint64_t index = 0;
    if (!integer_constant(index, "an index") || !take_or_fail(']')) return false;
    o.bits = index * info(v.type).size * v.width;
    if (index_is_address_) {
      o.base = o.kind;
      o.kind = operand_kind::address;
    }
    return true;
  }
  const variable& variable_of(const operand& o) const {
    switch (o.kind) {
      case operand_kind::module_variable:
        return out_.module.variables[o.index];
      case operand_kind::parameter:
        return function_->parameters[o.index];
      case operand_kind::result:
        return function_->results[o.index];
      default:
        return function_->variables[o.index];
    }
  }

  /// [base + offset], [constant]; [a, {b, c}] and the like of textures.
  bool parse_address(operand& o) {
    o.kind = operand_kind::address;
    const std::size_t start = ++at_;
    const token& t = peek();
    if (starts_constant(t)) {
      o.base = operand_kind::integer;
      std::uint64_t bits = 0;
      if (!integer_constant(bits, "an address")) return false;
      o.bits = bits;
    } else if (t.kind == token_kind::word) {
      ++at_;
      operand inside;
      inside.where = t.where;
      name(inside, t);
      o.base = inside.kind;
      o.index = inside.index;
      o.bits = inside.bits;
      if (inside.kind == operand_kind::unknown) o.where = t.where;  // never a label: the finding is about the name
      if ((peek().is('+') || peek().is('-')) && !offset(o)) return false;
    } else {
      expected("an address");
      return false;
    }
    if (peek().is(',')) {
      at_ = start;
      return texture(o);
    }
    if (o.base == operand_kind::vector) {
      fail(t.where, "the vector register " + quoted(t) + " is no address");
      return false;
    }
    return take_or_fail(']');
  }

  bool texture(operand& o) {
    const position where = o.where;
    std::vector<operand> parts;
    do {
      operand e;
      e.where = peek().where;
      if (peek().is('{') ? !vector(e) : !parse_operand_word(e)) return false;
      parts.push_back(e);
    } while (take(','));
    if (!take_or_fail(']')) return false;
    o = {};
    o.where = where;
    elements_ = std::move(parts);
    pool_elements(o, operand_kind::texture);
    return true;
  }

  /// What a word means here; a register component takes its dotted word with it.
  void name(operand& o, const token& t) {
    std::uint32_t from = 0;
    const name_table::entry e = names_.find(t.spelling, from);
    o.index = e.index;
    switch (e.kind) {
      case what::registers: {
        const name_table::register_declaration& d = names_.declaration(e.index);
        register_operand(o, names_.use(from, t.spelling, d, *function_), d.width);
        return;
      }
      case what::variable:
        o.kind = operand_kind::variable;
        return;
      case what::module_variable:
        o.kind = operand_kind::module_variable;
        return;
      case what::parameter:
        o.kind = operand_kind::parameter;
        return;
      case what::result:
        o.kind = operand_kind::result;
        return;
      case what::function:
        o.kind = operand_kind::function;
        return;
      case what::prototype:
        o.kind = operand_kind::prototype;
        return;
      case what::branch_table:
        o.kind = operand_kind::branch_table;
        return;
      case what::call_targets:
        o.kind = operand_kind::call_targets;
        return;
      default:
        break;
    }
    if ((t.spelling.front() == '%' || t.spelling == "WARP_SZ") && special(o, t)) {
      constexpr std::string_view operators = "+-*/%<>&|^?=!";
      if (t.spelling == "WARP_SZ" && !peek().spelling.empty() &&
          operators.find(peek().spelling.front()) != operators.npos)
        refuse_warp_size(t.where);
      return;
    }
    o.kind = operand_kind::unknown;
    o.index = static_cast<std::uint32_t>(function_->names.size());
    std::string spelled(t.spelling);
    const bool component = at_dotted();  // of a register that is not known here; never a label
    if (component) {
      spelled += peek().spelling;
      ++at_;
    }
    function_->names.push_back(std::move(spelled));
    spellings_.push_back(component ? std::string_view{} : t.spelling);
  }

  void register_operand(operand& o, std::uint32_t first, std::uint32_t width) {
    o.kind = operand_kind::reg;
    o.index = first;
    if (width == 1) return;
    const token& component = peek();
    if (component.kind == token_kind::dotted && component.spelling.size() == 2) {
      constexpr std::string_view components = "xyzwrgba";
      const std::size_t c = components.find(component.spelling[1]);
      if (c != std::string_view::npos && c % 4 < width) {
        ++at_;
        o.index = first + static_cast<std::uint32_t>(c % 4);
        return;
      }
    }
    o.kind = operand_kind::vector;
    o.index = static_cast<std::uint32_t>(function_->operands.size());
    o.count = width;
    for (std::uint32_t c = 0; c < width; ++c) {
      operand e;
      e.kind = operand_kind::reg;
      e.index = first + c;
      e.where = o.where;
      function_->operands.push_back(e);
    }
  }

  std::uint32_t find_register(std::string_view spelling) {
    std::uint32_t from = 0;
    const name_table::entry e = names_.find(spelling, from);
    if (e.kind != what::registers || names_.declaration(e.index).width != 1) return no_index;
    return names_.use(from, spelling, names_.declaration(e.index), *function_);
  }

  /// A special register, with its component. Old names of components: .r for .x, .g for .y, .b for .z.
  bool special(operand& o, const token& t) {
    if (specials_.empty())
      for (std::uint32_t r = 0; r <= static_cast<std::uint32_t>(special_register::last); ++r)
        specials_.emplace(to_string(static_cast<special_register>(r)), r);
    const token& component = peek();
    std::string spelled(t.spelling);
    auto found = specials_.find(spelled);
    if (found == specials_.end() && component.kind == token_kind::dotted && component.spelling.size() == 2) {
      const char c = component.spelling[1];
      spelled += '.';
      spelled += c == 'r' ? 'x' : c == 'g' ? 'y' : c == 'b' ? 'z' : c;
      found = specials_.find(spelled);
      if (found != specials_.end()) ++at_;
    }
    if (found == specials_.end()) return false;
    o.kind = operand_kind::special;
    o.index = found->second;
    return true;
  }

  name_table names_;
  function* function_ = nullptr;
  bool index_is_address_ = false;
  std::uint64_t ranged_targets_ = 0;  // branch targets that ranges have made
  std::uint64_t initial_room_;        // bytes that initial values may still take
  std::uint32_t register_items_ = 0;
  std::vector<pending_name> pending_;
  std::vector<pending_target> pending_targets_;
  std::vector<std::uint64_t> open_lists_;  // where the open braces of an initialiser begin
  std::vector<operand> list_;
  std::vector<operand> elements_;
  std::vector<std::string_view> spellings_;  // of the function's unknown names
  std::unordered_map<std::string, std::uint32_t> specials_;
};

/// Reads as much of a module as can be read.
[[nodiscard]] inline module_text read_module(std::string_view text) { return parser(text).run(); }

}  // namespace detail

/// Reads a module: the module, or all diagnostics about its text in the order of the text, at most max_diagnostics. Any
/// text is accepted. Complexity: linear in the text (times the nesting of scopes, which is limited).
[[nodiscard]] inline result<module> parse(std::string_view text) {
  detail::module_text read = detail::read_module(text);
  if (!read.diagnostics.empty()) return std::move(read.diagnostics);
  return std::move(read.module);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

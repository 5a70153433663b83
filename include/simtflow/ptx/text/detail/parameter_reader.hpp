// SPDX-License-Identifier: BSL-1.0
//
// The parameters and results of functions and prototypes, and the performance directives after them.
#pragma once

#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/detail/variable_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class parameter_reader {
 public:
  using what = name_table::what;

  parameter_reader(parser_context& c, variable_reader& variables) : c_(c), in_(c.in), variables_(variables) {}

  /// (.param .b32 a, .reg .u32 b, ...). With kind `none`, in a prototype, the names mean nothing.
  bool read(std::vector<variable>& list, what kind) {
    const bool of_kernel = kind != what::none && c_.current != nullptr && c_.current->is_entry;
    in_.advance();
    if (in_.take(')')) return true;
    do {
      const bool in_register = in_.at_dotted(".reg") && !of_kernel;
      if (!in_register && !in_.at_dotted(".param")) {
        in_.expected("'.param'");
        return false;
      }
      in_.advance();
      const declared d = variables_.type_part("a parameter type");
      if (d.type == scalar_type::none) return false;
      variable v;
      const token name = in_.peek();
      if (!variables_.one_variable(in_register ? state_space::reg : state_space::param, {}, d, v)) return false;
      if (!list.empty() && list.back().is_open_array()) {
        in_.fail(list.back().where, "an array without a size is the last parameter");
        return false;
      }
      const std::uint32_t size = info(d.type).size;  // 0 of a predicate
      if (in_register && (!v.extents.empty() || size > 8)) {
        in_.fail(name.where, "parameter " + quoted(name) + " does not fit a register");
        return false;
      }
      if (kind != what::none && name.spelling != "_") {
        const auto index = static_cast<std::uint32_t>(list.size());
        if (!in_register) {
          if (!c_.declare(name, {kind, index})) continue;
        } else {
          const name_table::register_declaration reg{d.type, d.width, 0, name.where, no_index};
          if (!c_.names.declare_register(name.spelling, reg, false)) {
            in_.fail(name.where, twice(name));
            continue;
          }
          v.reg = c_.names.use(c_.names.current(), name.spelling, reg, *c_.current);
        }
      }
      list.push_back(std::move(v));
    } while (in_.take(','));
    return in_.take_or_fail(')');
  }

  void sized(const std::vector<variable>& list, std::string_view of_what) {
    for (const variable& v : list)
      if (v.is_open_array()) in_.fail(v.where, std::string(of_what) + " is an array without a size");
  }

  /// .maxntid, .minnctapersm, .noreturn, ...: between the parameters and the body.
  void performance(function& f) {
    while (in_.at_dotted()) {
      const std::string_view s = in_.peek().spelling;
      if (s == ".pragma") {
        c_.read_note();
        continue;
      }
      if (starts_module_item(in_.peek())) return;
      performance_directive d;
      d.name = std::string(s.substr(1));
      const token& t = in_.peek();
      in_.advance();
      while (in_.peek().kind == token_kind::integer || in_.peek().is(',')) {
        if (in_.peek().kind == token_kind::integer) d.values.push_back(in_.peek().bits);
        in_.advance();
      }
      constexpr std::string_view known[] = {"minnctapersm",      "maxnctapersm",    "maxnreg",
                                            "maxclusterrank",    "explicitcluster", "blocksareclusters",
                                            "reqnctapercluster", "abi_preserve",    "abi_preserve_control"};
      if (s == ".noreturn") {
        f.no_return = !f.is_entry;
        if (f.is_entry) in_.fail(t.where, "a kernel cannot be .noreturn: every thread of it ends");
      } else if (s == ".maxntid" || s == ".reqntid") {
        std::uint32_t* sizes = s == ".maxntid" ? f.max_threads : f.required_threads;
        if (d.values.empty() || d.values.size() > 3) {
          in_.fail(t.where, quoted(t) + " takes one to three numbers");
          continue;
        }
        for (std::size_t n = 0; n < 3; ++n) {
          const std::uint64_t size = n < d.values.size() ? d.values[n] : 1;
          if (size == 0 || size > 0xFFFF'FFFFU)
            in_.fail(t.where, quoted(t) + " with a size of " + std::to_string(size));
          sizes[n] = static_cast<std::uint32_t>((std::min<std::uint64_t>)(size, 0xFFFF'FFFFU));
        }
      } else if (std::find(std::begin(known), std::end(known), d.name) != std::end(known)) {
        f.performance.push_back(std::move(d));
      } else {
        in_.fail(t.where, "unsupported directive " + quoted(t));
      }
    }
  }

 private:
  parser_context& c_;
  token_reader& in_;
  variable_reader& variables_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Labels, and what a directive makes of them: prototypes, branch targets, call targets.
#pragma once

#include <simtflow/ptx/text/detail/instruction_reader.hpp>
#include <simtflow/ptx/text/detail/parameter_reader.hpp>
#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class label_reader {
 public:
  label_reader(parser_context& c, parameter_reader& parameters) : c_(c), in_(c.in), parameters_(parameters) {}

  void begin_function() { pending_targets_.clear(); }

  /// Reads what follows a label `t`: nothing, or a directive that makes it something else.
  void read(const token& t) {
    if (in_.at_dotted(".callprototype")) {
      call_prototype p;
      p.name = std::string(t.spelling);
      p.where = t.where;
      p.scope = c_.names.here().id;
      if (!prototype_text(p)) return in_.recover();
      const auto index = static_cast<std::uint32_t>(c_.current->prototypes.size());
      if (!c_.declare(t, {what::prototype, index})) return;
      c_.add_item(item_kind::prototype, index);
      c_.current->prototypes.push_back(std::move(p));
    } else if (in_.at_dotted(".branchtargets")) {
      const auto index = static_cast<std::uint32_t>(c_.current->branch_tables.size());
      const std::size_t targets = pending_targets_.size();
      in_.advance();
      if (!branch_targets(index) || !c_.declare(t, {what::branch_table, index})) {
        pending_targets_.resize(targets);
        return recover_behind();
      }
      c_.add_item(item_kind::branch_table, index);
      c_.current->branch_tables.push_back({std::string(t.spelling), t.where, {}, c_.names.here().id});
    } else if (in_.at_dotted(".calltargets")) {
      in_.advance();
      call_target_list list{std::string(t.spelling), t.where, {}, c_.names.here().id};
      do {
        const std::uint32_t f = c_.function_named();
        if (f == no_index) return in_.recover();
        list.targets.push_back(f);
      } while (in_.take(','));
      if (!in_.take_or_fail(';')) return in_.recover();
      const auto index = static_cast<std::uint32_t>(c_.current->call_targets.size());
      if (!c_.declare(t, {what::call_targets, index})) return;
      c_.add_item(item_kind::call_targets, index);
      c_.current->call_targets.push_back(std::move(list));
    } else {
      define_label(t);
    }
  }
  /// Labels are seen in their scope and in those inside it, also before they are defined.
  void resolve(const std::vector<pending_name>& pending) {
    for (const pending_name& p : pending) {
      if (!in_.has_room()) return;
      const std::uint32_t index = label_index(p.scope, p.name);
      if (index == no_index) continue;
      operand& o = c_.current->operands[p.operand];
      o.kind = operand_kind::label;
      o.index = index;
    }
    for (const pending_target& p : pending_targets_) {
      if (!in_.has_room()) return;
      const std::uint32_t index = label_index(p.scope, p.name);
      if (index != no_index)
        c_.current->branch_tables[p.table].targets.push_back(index);
      else
        in_.fail(p.where, "unknown label '" + p.name + "'");
    }
  }

 private:
  using what = name_table::what;
  struct pending_target {
    std::uint32_t table;
    std::uint32_t scope;
    position where;
    std::string name;
  };
  static constexpr std::uint64_t max_ranged_targets = std::uint64_t{1} << 20;  // of all ranges together

  /// Unless the statement is over.
  void recover_behind() {
    if (!in_.previous().is(';')) in_.recover();
  }

  /// .callprototype [(results)] _ [(parameters)] [.noreturn] ;
  bool prototype_text(call_prototype& p) {
    in_.advance();
    if (in_.peek().is('(') && !parameters_.read(p.results, what::none)) return false;
    parameters_.sized(p.results, "a result");
    if (!in_.peek().is(token_kind::word, "_")) {
      in_.expected("'_'");
      return false;
    }
    in_.advance();
    if (in_.peek().is('(') && !parameters_.read(p.parameters, what::none)) return false;
    while (in_.at_dotted()) {
      if (in_.at_dotted(".noreturn")) {
        p.no_return = true;
      } else if (!in_.at_dotted(".abi_preserve") && !in_.at_dotted(".abi_preserve_control")) {
        in_.expected("';'");
        return false;
      }
      in_.advance();
      if (in_.peek().kind == token_kind::integer) in_.advance();
    }
    return in_.take_or_fail(';');
  }

  /// .branchtargets A, B, C; or a range: .branchtargets L<4>;
  bool branch_targets(std::uint32_t table) {
    do {
      const token name = in_.peek();
      if (!in_.at_word()) {
        in_.expected("a label");
        return false;
      }
      in_.advance();
      if (in_.take('<')) {
        std::uint64_t n = 0;
        const position where = in_.peek().where;
        if (!in_.unsigned_value(n) || !in_.take_or_fail('>')) return false;
        ranged_targets_ += (std::min)(n, max_ranged_targets + 1);
        if (n > 65536 || ranged_targets_ > max_ranged_targets) {
          in_.fail(where, n > 65536 ? "more than 65536 branch targets" : "more than 2^20 branch targets in ranges");
          return false;
        }
        for (std::uint64_t i = 0; i < n; ++i)
          pending_targets_.push_back(
              {table, c_.names.current(), name.where, std::string(name.spelling) + std::to_string(i)});
      } else {
        pending_targets_.push_back({table, c_.names.current(), name.where, std::string(name.spelling)});
      }
    } while (in_.take(','));
    return in_.take_or_fail(';');
  }

  void define_label(const token& t) {
    const auto index = static_cast<std::uint32_t>(c_.current->labels.size());
    if (c_.names.declared_here(t.spelling)) {
      in_.fail(t.where, twice(t));
      return;
    }
    if (!c_.names.here().labels.emplace(t.spelling, index).second) {
      in_.fail(t.where, "label " + quoted(t) + " is defined twice");
      return;
    }
    c_.add_item(item_kind::label, index);
    c_.current->labels.push_back({std::string(t.spelling), t.where,
                                  static_cast<std::uint32_t>(c_.current->instructions.size()), c_.names.here().id});
  }

  std::uint32_t label_index(std::uint32_t from, std::string_view name) const {
    for (std::uint32_t s = from; s != no_index; s = c_.names.at(s).parent)
      if (const auto found = c_.names.at(s).labels.find(name); found != c_.names.at(s).labels.end())
        return found->second;
    return no_index;
  }

  parser_context& c_;
  token_reader& in_;
  parameter_reader& parameters_;
  std::uint64_t ranged_targets_ = 0;  // branch targets that ranges have made
  std::vector<pending_target> pending_targets_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

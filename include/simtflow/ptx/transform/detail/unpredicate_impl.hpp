// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/unpredicate.hpp: finds the runs, chooses their form, and inserts branches and labels
// into the text.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/guard_run.hpp>
#include <simtflow/ptx/transform/detail/name_set.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/ptx/transform/unpredicate.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Used once.
class guard_remover {
 public:
  guard_remover(const checked_function& f, const melding_options& options)
      : text_(f.text()), module_(f.owner()), blocks_(f.blocks()), model_(f, options.weights, options.profile) {
    prices_.issue = options.weights[latency_class::other];
    prices_.divergence = options.search.divergence_cost;
    prices_.how = options.code.unpredicate;
    prices_.most_predicated = options.code.most_predicated;
  }

  // Finds the runs that get branches. False if there are none.
  bool find() {
    for (block_id b = 0; b < blocks_.size(); ++b) {
      find_carries(b);
      for (std::uint32_t i = model_.first(b); i < model_.last(b);) {
        const std::uint32_t middle = end_of_run(i, model_.last(b), i);
        if (middle == i) {
          ++i;
          continue;
        }
        // The second run needs the predicate that the first one had.
        const bool same = !writes(middle - 1, text_.instructions[i].guard);
        std::uint32_t end = same ? end_of_opposite(middle, model_.last(b), i) : middle;
        if (carried_[end - model_.first(b)] != 0) end = middle;
        choose(i, middle, end, b);
        i = end;
      }
    }
    return !runs_.empty();
  }

  // The function with the branches. \pre find() is true.
  [[nodiscard]] function written() {
    function out = text_;
    out.instructions.clear();
    name_set names(text_, module_);
    std::vector<std::uint32_t> moved(text_.instructions.size() + 1, 0);  // by instruction: its new number
    std::vector<item> labels;
    std::size_t next = 0;
    const auto add_label = [&] {
      const auto at = static_cast<std::uint32_t>(out.labels.size());
      out.labels.push_back({names.fresh("$skip" + std::to_string(at)), {}, no_index, 0});
      return at;
    };
    const auto put_label = [&](std::uint32_t label) {
      const auto here = static_cast<std::uint32_t>(out.instructions.size());
      out.labels[label].instruction = here;
      labels.push_back({item_kind::label, label, here});
    };
    const auto branch_to = [&](std::uint32_t label, std::uint32_t guard, bool negated, position guard_where) {
      instruction i;
      i.opcode = guard == no_index ? "bra.uni" : "bra";
      i.guard = guard;
      i.guard_negated = negated;
      i.guard_where = guard_where;
      i.first_operand = static_cast<std::uint32_t>(out.operands.size());
      i.num_operands = 1;
      operand o;
      o.kind = operand_kind::label;
      o.index = label;
      out.operands.push_back(o);
      out.instructions.push_back(std::move(i));
    };
    std::uint32_t ending = no_index, other = no_index;  // labels of the run at hand
    for (std::uint32_t i = 0; i <= text_.instructions.size(); ++i) {
      if (next < runs_.size() && other != no_index && i == runs_[next].middle) {
        branch_to(ending, no_index, false, {});
        put_label(other);
        other = no_index;
      }
      if (next < runs_.size() && ending != no_index && i == runs_[next].last) {
        put_label(ending);
        ending = no_index;
        ++next;
      }
      moved[i] = static_cast<std::uint32_t>(out.instructions.size());
      if (i == text_.instructions.size()) break;
      const instruction& old = text_.instructions[i];
      if (next < runs_.size() && i == runs_[next].first) {
        ending = add_label();
        if (runs_[next].middle != runs_[next].last) other = add_label();
        branch_to(other != no_index ? other : ending, old.guard, !old.guard_negated, old.guard_where);
      }
      out.instructions.push_back(old);
      if (ending == no_index) continue;
      out.instructions.back().guard = no_index;
      out.instructions.back().guard_negated = false;
    }
    for (item& i : out.items) i.instruction = moved[i.instruction];
    for (std::size_t k = 0; k < text_.labels.size(); ++k)
      out.labels[k].instruction = moved[text_.labels[k].instruction];
    merge_items(out, labels);
    return out;
  }

 private:
  // Instructions [first, last): under a guard up to `middle`, under the opposite one from there.
  struct inserted {
    std::uint32_t first, middle, last;
  };

  [[nodiscard]] bool writes(std::uint32_t i, std::uint32_t reg) const {
    for (const register_value_ref& w : model_.code().writes(i))
      if (w.reg == reg) return true;
    return false;
  }
  // By place in block b, and at its end: a carry flag is handed over there. A guarded write keeps the old flag in some
  // lanes, but not for readers under the same guard.
  void find_carries(block_id b) {
    const std::uint32_t first = model_.first(b), last = model_.last(b), carry = model_.code().carry_register();
    carried_.assign(last - first + 1, 0);
    bool live = false;
    const instruction* reader = nullptr;  // with the guard of all readers that follow; null: not one guard
    const auto is_alike = [&](const instruction& x) {
      return reader != nullptr && reader->guard == x.guard && reader->guard_negated == x.guard_negated;
    };
    for (std::uint32_t i = last; i-- > first;) {
      const instruction& x = text_.instructions[i];
      if (reader != nullptr && writes(i, reader->guard)) reader = nullptr;
      if (writes(i, carry) && (x.guard == no_index || is_alike(x))) live = false;
      for (const register_value_ref& r : model_.code().reads(i)) {
        if (r.reg != carry) continue;
        if (x.guard == no_index || (live && !is_alike(x)))
          reader = nullptr;
        else
          reader = &x;
        live = true;
      }
      carried_[i - first] = live ? 1 : 0;
    }
  }
  [[nodiscard]] bool is_under(std::uint32_t i, std::uint32_t guard, bool negated) const {
    const instruction& x = text_.instructions[i];
    return x.guard == guard && x.guard_negated == negated && !model_.is_pinned(i);
  }
  // The end of the run that begins at i; i if there is none.
  [[nodiscard]] std::uint32_t end_of_run(std::uint32_t i, std::uint32_t last, std::uint32_t like) const {
    const instruction& x = text_.instructions[like];
    if (x.guard == no_index) return i;
    return end_under(i, last, x.guard, x.guard_negated);
  }
  [[nodiscard]] std::uint32_t end_of_opposite(std::uint32_t i, std::uint32_t last, std::uint32_t like) const {
    const instruction& x = text_.instructions[like];
    return end_under(i, last, x.guard, !x.guard_negated);
  }
  [[nodiscard]] std::uint32_t end_under(std::uint32_t i, std::uint32_t last, std::uint32_t guard, bool negated) const {
    while (i < last && is_under(i, guard, negated))
      if (writes(i++, guard)) break;
    return i;
  }

  void choose(std::uint32_t first, std::uint32_t middle, std::uint32_t last, block_id b) {
    const std::uint32_t begin = model_.first(b);
    if (carried_[first - begin] != 0 || carried_[middle - begin] != 0) return;
    guard_run runs[2];
    for (std::uint32_t i = first; i < last; ++i) runs[i < middle ? 0 : 1].add(model_.latency(i), prices_.issue);
    const branch_likelihood likely = model_.guard_likelihood(first);
    const guard_run_form form =
        prices_.choose({likely.parted, likely.all_first(), likely.all_second()}, runs[0], runs[1]);
    if (form.together) return runs_.push_back({first, middle, last});
    if (form.first) runs_.push_back({first, middle, middle});
    if (form.second) runs_.push_back({middle, last, last});
  }

  // Items stand in the order of the instructions; labels of runs come after what stood there before.
  static void merge_items(function& out, const std::vector<item>& labels) {
    std::vector<item> all;
    std::size_t k = 0;
    for (const item& i : out.items) {
      while (k < labels.size() && labels[k].instruction < i.instruction) all.push_back(labels[k++]);
      all.push_back(i);
    }
    while (k < labels.size()) all.push_back(labels[k++]);
    out.items = std::move(all);
  }

  const function& text_;
  const module& module_;
  const function_blocks& blocks_;
  melding_model model_;
  guard_run_prices prices_;
  std::vector<unsigned char> carried_;
  std::vector<inserted> runs_;  // in the order of the text
};

}  // namespace detail

SIMTFLOW_INLINE result<function> unpredicate(const checked_function& f, const melding_options& options) {
  function now = f.text();
  checked_function code = f;
  if (f.text().num_scopes > 1) {
    result<function> flat = rewrite(f, flow_plan(f.blocks().graph()));
    if (!flat) return flat;
    now = *std::move(flat);
    code = detail::checked_maker::written(f.owner(), now);
  }
  detail::guard_remover runs(code, options);
  if (options.code.unpredicate == meld_unpredication::never || !runs.find()) return now;
  const function made = runs.written();
  const checked_function again = detail::checked_maker::written(f.owner(), made);
  return rewrite(again, flow_plan(again.blocks().graph()));
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

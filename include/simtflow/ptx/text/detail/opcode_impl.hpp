// SPDX-License-Identifier: BSL-1.0
//
// The implementation of opcode.hpp: the words of an opcode, one by one, against its row of the instruction set.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/detail/asynchronous_rules.hpp>
#include <simtflow/ptx/text/detail/matrix_words.hpp>
#include <simtflow/ptx/text/detail/opcode_words.hpp>
#include <simtflow/ptx/text/detail/operation_rules.hpp>
#include <simtflow/ptx/text/detail/texture_rules.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The row of that name; null if there is none.
constexpr const instruction_row* find_row(std::string_view name) {
  for (const instruction_row& row : instruction_set)
    if (row.name == name) return &row;
  return nullptr;
}

/// The row of the longest name that a spelling begins with; null if there is none. `dot` becomes the place of the dot
/// after the name.
inline const instruction_row* find_longest_row(std::string_view spelling, std::size_t& dot) {
  const instruction_row* row = nullptr;
  for (std::size_t end = spelling.find('.');; end = spelling.find('.', end + 1)) {
    if (const instruction_row* const found = find_row(spelling.substr(0, end)); found != nullptr) {
      row = found;
      dot = end;
    }
    if (end == std::string_view::npos) return row;
  }
}

}  // namespace detail

SIMTFLOW_INLINE result<operation> parse_operation(std::string_view spelling) {
  using namespace detail;  // NOLINT: the table's flags
  operation o;
  const auto quoted =
      std::string(1, '\'').append(spelling).append(1, '\'');  // "'" + string: false -Wrestrict in g++ 12
  const auto failed = [](std::string why) { return result<operation>(diagnostics{{position{}, std::move(why)}}); };
  const auto refuse = [&](std::string_view why) {
    return failed(("unsupported instruction " + quoted + ": ").append(why));
  };
  std::size_t dot = spelling.find('.');
  const std::string_view head = spelling.substr(0, dot);
  const bool family = head == "mbarrier" || head == "cp" || head == "wgmma" ||
                      spelling.substr(0, 15) == "barrier.cluster";  // a row by several words
  const instruction_row* row = family ? find_longest_row(spelling, dot) : find_row(head);
  if (row == nullptr) {
    if (const std::string_view why = refusal(head); !why.empty()) return refuse(why);
    return failed("unknown instruction " + quoted);
  }
  const std::uint64_t has = row->modifiers;
  o.name = row->op;
  if ((has & m_matrix) != 0) {
    if (const std::string why = matrix_words().read(spelling, o); !why.empty()) return refuse(why);
    o.row = first_row(o.name);
    if (const std::string_view why = contradiction(o); !why.empty()) return refuse(why);
    return o;
  }
  o.carry_in = (has & m_carry_in) != 0;
  o.width = (has & m_two) != 0 ? 2 : (has & m_four) != 0 ? 4 : 1;
  std::uint64_t seen = 0;
  int types = 0;
  int evictions = 0;     // of createpolicy
  std::size_t said = 0;  // of pmevent, griddepcontrol, setmaxnreg
  const auto once = [&](modifier m) {
    const bool fresh = (seen & m) == 0;
    seen |= m;
    return fresh && (has & m) != 0;
  };
  while (dot != std::string_view::npos) {
    const std::size_t next = spelling.find('.', dot + 1);
    const std::string_view word =
        spelling.substr(dot + 1, next == std::string_view::npos ? std::string_view::npos : next - dot - 1);
    dot = next;
    const auto unknown = [&] {
      const std::string_view why = refusal_of_word(head, word);
      return why.empty() ? refuse("modifier '." + std::string(word) + "'") : refuse(why);
    };
    const int most_types = (has & m_three_types) != 0 || o.name == mnemonic::cvt_pack ? 3
                           : (has & m_two_types) != 0                                 ? 2
                                                                                      : 1;
    bool ok = true;
    if (const scalar_type t = scalar_named(word); t != scalar_type::none) {
      if ((has & m_no_type) != 0 || types == most_types) return unknown();
      if ((row->types & bit(t)) == 0) return refuse("type '." + std::string(word) + "'");
      (types == 0 ? o.type : types == 1 ? o.source : o.third) = t;
      ++types;
    } else if ((has & m_texture) != 0 && take_texture_word(o, word, ok)) {
    } else if ((has & (m_part | m_wide)) != 0 && lookup(product_part_names, word, o.part)) {
      ok = once(m_part) && (o.part != product_part::wide || (has & m_wide) != 0);
    } else if ((has & m_compare) != 0 && lookup(comparison_names, word, o.compare)) {
      ok = once(m_compare);
    } else if ((has & m_combine) != 0 && lookup(boolean_op_names, word, o.combine)) {
      ok = once(m_combine);
    } else if ((has & m_atomic) != 0 && lookup(atomic_op_names, word, o.atomic)) {
      ok = once(m_atomic);
    } else if ((has & m_permute) != 0 && lookup(permute_mode_names, word, o.permute)) {
      ok = once(m_permute);
    } else if ((has & m_round) != 0 && lookup(rounding_names, word, o.round)) {
      ok = once(m_round) && (o.round < rounding::rni || (has & m_round_int) != 0);
    } else if ((has & m_barrier) != 0 && lookup(barrier_op_names, word, o.barrier)) {
      ok = once(m_barrier);
    } else if ((has & m_shuffle) != 0 && lookup(shuffle_mode_names, word, o.shuffle)) {
      ok = once(m_shuffle);
    } else if ((has & m_vote) != 0 && lookup(vote_mode_names, word, o.vote)) {
      ok = once(m_vote);
    } else if ((has & m_test) != 0 && lookup(float_test_names, word, o.test)) {
      ok = once(m_test);
    } else if ((has & m_aligned_word) != 0 && word == "aligned") {
      ok = once(m_aligned_word);
      o.aligned = true;
    } else if ((has & m_phase) != 0 && lookup(mbarrier_form_names, word, o.form)) {
      ok = once(m_phase);
    } else if ((has & m_bulk) != 0 && is_bulk_word(word)) {
      ok = read_bulk_word(word, seen, o);
    } else if ((has & m_space) != 0 && space_named(word, o.space)) {
      ok = once(m_space);
    } else if ((has & m_order) != 0 &&
               (among(order_names, word) || (o.name == mnemonic::membar && is_fence_word(word)) ||
                word.substr(0, 7) == "proxy::")) {
    } else if ((has & m_cache) != 0 && among(cache_names, word)) {
    } else if ((has & m_cache) != 0 && word == "L2::cache_hint") {
      o.cache_hint = true;
    } else if ((has & m_level) != 0 && (word == "L1" || word == "L2")) {
      ok = once(m_level);
    } else if (word == "ftz") {
      ok = once(m_ftz);
      o.ftz = true;
    } else if (word == "noftz") {
      ok = once(m_noftz);
    } else if (word == "sat") {
      ok = once(m_sat);
      o.sat = true;
    } else if (word == "satfinite") {
      ok = once(m_satfinite);
      o.satfinite = true;
    } else if (word == "relu") {
      ok = once(m_relu);
      o.relu = true;
    } else if (word == "NaN") {
      ok = once(m_nan);
      o.nan = true;
    } else if (word == "xorsign" && (has & m_nan) != 0 && !o.xorsign_abs) {
      o.xorsign_abs = true;
      ok = next != std::string_view::npos && spelling.substr(next, 4) == ".abs" &&
           (spelling.size() == next + 4 || spelling[next + 4] == '.');
      if (ok) dot = spelling.find('.', next + 1);
    } else if (word == "approx" || (word == "full" && o.name == mnemonic::div)) {
      ok = once(m_approx);
      o.approx = true;
      o.full = word == "full";
    } else if (o.name == mnemonic::vmad && (word == "shr7" || word == "shr15")) {
      ok = o.scale == 0;
      o.scale = word == "shr7" ? 7 : 15;
    } else if (o.name == mnemonic::vmad && word == "po") {
      ok = !o.plus_one;
      o.plus_one = true;
    } else if (word == "cc") {
      ok = once(m_cc);
      o.carry_out = true;
    } else if (word == "to") {
      ok = once(m_to);
      o.to = true;
    } else if (word == "uni") {
      ok = once(m_uni);
    } else if (word == "idx") {
      ok = once(m_idx);
    } else if (word == "pack") {
      ok = once(m_pack);
      o.name = mnemonic::cvt_pack;
    } else if (word == "shiftamt") {
      ok = once(m_shiftamt);
      o.shift_amount = true;
    } else if (word == "l" || word == "r") {
      ok = once(m_direction);
      o.left = word == "l";
    } else if (word == "wrap" || word == "clamp") {
      ok = once(m_clamp);
      o.wrap = word == "wrap";
    } else if (word == "sync" && ((has & m_sync) != 0 || o.name == mnemonic::bar_warp)) {
      ok = !o.sync;
      o.sync = true;
      seen |= m_sync;
    } else if ((has & m_barrier) != 0 && (word == "aligned" || word == "cta" || word == "warp")) {
      if (word == "warp") {
        ok = head == "bar" && seen == 0 && spelling == "bar.warp.sync";
        o.name = mnemonic::bar_warp;
        o.sync = true;
        if (ok) {
          o.row = first_row(mnemonic::bar_warp);
          return o;
        }
      }
      o.aligned = o.aligned || word == "aligned";
    } else if ((has & m_vector) != 0 && (word == "v2" || word == "v4" || word == "v8")) {
      ok = once(m_vector);
      o.width = static_cast<std::uint8_t>(word[1] - '0');
    } else if ((has & m_async) != 0) {
      // cp.async.{ca,cg}.shared{::cta}.global{hints}, .commit_group, .wait_group, .wait_all
      if (word == "commit_group" || word == "wait_group" || word == "wait_all")
        o.name = mnemonic::cp_async_wait;
      else
        ok = word == "async" || word == "shared" || word == "shared::cta" || word == "global";
    } else if ((has & m_policy) != 0 && lookup(policy_source_names, word, o.policy)) {
      ok = once(m_policy);
    } else if ((has & m_policy) != 0 && among(eviction_names, word)) {
      // The second priority is for the accesses that the first one is not for.
      ok = (o.policy == policy_source::fraction || o.policy == policy_source::range) &&
           (evictions++ == 0 || (evictions == 2 && (word == eviction_names[2] || word == eviction_names[3])));
    } else if ((has & m_policy) != 0 && word == "L2") {
      ok = o.policy == policy_source::property && (seen & m_level) == 0;
      seen |= m_level;
    } else if ((has & m_policy) != 0 && word == "global") {
      ok = o.policy == policy_source::range && evictions == 0 && o.space == state_space::generic;
      o.space = state_space::global;
    } else if (head == "pmevent") {
      ok = word == "mask" && said++ == 0;
    } else if (head == "griddepcontrol") {
      ok = (word == "wait" || word == "launch_dependents") && said++ == 0;
    } else if (head == "setmaxnreg") {
      constexpr std::string_view in_order[] = {"sync", "aligned"};
      ok = said == 0 ? word == "inc" || word == "dec" : said < 3 && word == in_order[said - 1];
      ++said;
    } else {
      ok = false;
    }
    if (!ok) return unknown();
  }
  if (head == "griddepcontrol" && said == 0) return refuse("it needs .wait or .launch_dependents");
  if (head == "setmaxnreg" && said != 3) return refuse("it needs .inc or .dec, .sync and .aligned");
  if (o.name == mnemonic::createpolicy && o.policy == policy_source::none)
    return refuse("it needs .fractional, .range or .cvt");
  if (o.name == mnemonic::createpolicy &&
      (o.policy == policy_source::property ? (seen & m_level) == 0 : evictions == 0))
    return refuse(o.policy == policy_source::property ? "it needs .L2" : "it needs a priority");
  o.aligned = o.aligned || (has & m_aligned) != 0;
  const bool needs_type = (has & m_no_type) == 0 && (o.name != mnemonic::bar || o.barrier == barrier_op::red);
  if (needs_type && types == 0) return refuse("it needs a type");
  if ((has & m_two_types) != 0 && types < 2) return refuse("it needs two types");
  if ((has & m_three_types) != 0 && types != 3) return refuse("it needs three types");
  for (const required_modifier& m : required_modifiers)
    if ((row->required & m.bit) != 0 && (seen & m.bit) == 0) return refuse(m.why);
  if (o.name == mnemonic::vset) {  // both types are of operands
    o.third = o.source;
    o.source = o.type;
    o.type = scalar_type::u32;
  }
  if ((has & m_texture) != 0) complete_texture(o, head);
  if (row->name == "barrier.cluster.arrive" && spelling.find(".acquire") != std::string_view::npos)
    return refuse("an arrival releases");
  if (row->name == "barrier.cluster.wait") {
    if (spelling.find(".rel") != std::string_view::npos) return refuse("a wait acquires");
    o.barrier = barrier_op::sync;
    o.cluster = true;
  }
  if (o.name == mnemonic::mbarrier_wait)  // for the phase of a state, or for a phase of a parity
    o.source = o.form == mbarrier_form::parity ? scalar_type::u32 : scalar_type::b64;
  o.row = o.name == row->op ? static_cast<std::uint8_t>(row - instruction_set) : first_row(o.name);
  if (const std::string_view why = contradiction(o); !why.empty()) return refuse(why);
  return o;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// A PTX function as code that can be melded (transform/meld.hpp): which instructions can become one, what they cost,
// and which must stay where they are.
//
//   class        instructions are of one class if they have the same opcode with all its modifiers (types, rounding,
//                state space, cache and memory order), both or neither a guard, and operands that can be selected
//                place by place: registers and constants of one size, predicates, addresses. An operand that has to
//                be a constant or cannot be selected (the table of lop3, a special register, a kernel's parameter, the
//                address of a variable, a part of a word that a video instruction takes, a byte) must be the same. If
//                it is a register, it must still be the same once the sides' registers have new names (meld_code.hpp)
//   pinned       barriers, votes, shuffles and all else with a result that depends on the threads together;
//                atomics, fences, volatile and other strong accesses; calls and accesses to their parameters; clocks;
//                traps; sleep
//   speculated   neither pinned nor a load or store (but loads of parameters by name). Nothing else faults in PTX
//   overhead     a select where operands differ that both sides have before the branch, and for other constants. Values
//                that the sides compute themselves may come to lie in one register, so they count nothing
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Instruction Operands", "Instruction Set", "Memory
// Consistency Model"; C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence
// reduction (2022).
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/transform/def_use.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Ways of melding an operand of two instructions that is not the same in both.
enum class operand_shape : std::uint8_t {
  fixed,      ///< nothing: it must be the same
  result,     ///< a register that is written
  value,      ///< a register or a constant of 16, 32 or 64 bits: selp
  predicate,  ///< a predicate register, negated or not
  address,    ///< in brackets, a register or the name of a variable as base
  vector      ///< element by element
};

/// An operand, as its instruction takes it.
struct operand_facts {
  operand_shape shape = operand_shape::fixed;
  std::uint32_t bits = 0;  ///< of a value, an address, a result
  bool written = false;    ///< of a vector: its elements are results
  expected_operand element{};
};

/// Facts about operands of one function.
class operand_classifier {
 public:
  explicit operand_classifier(const function& f) : f_(&f) {}

  [[nodiscard]] operand_facts facts(const operand& o, const expected_operand& wanted, const operation& of) const {
    switch (wanted.what) {
      case role::result:
      case role::result_predicate:
      case role::result_and_predicate:
        return of.name == mnemonic::mov && o.kind == operand_kind::vector ? vector_of(o, of, true) : written(o, wanted);
      case role::loaded:
        return o.kind == operand_kind::vector ? operand_facts{operand_shape::vector, 0, true, wanted}
                                              : written(o, wanted);
      case role::stored:
      case role::source:
        if (o.kind == operand_kind::vector)
          return of.name == mnemonic::mov && of.width == 1 ? vector_of(o, of, false)
                                                           : operand_facts{operand_shape::vector, 0, false, wanted};
        return value(o, wanted);
      case role::predicate:
        return value(o, wanted);
      case role::address:
        return address(o, of);
      case role::pointer:
        return o.kind == operand_kind::reg ? operand_facts{operand_shape::value, bits_of(o.index), false, wanted}
                                           : operand_facts{};
      case role::target:
        return {};
    }
    return {};
  }
  /// The same for an element of a vector.
  [[nodiscard]] operand_facts element(const operand& e, const operand_facts& vector) const {
    return vector.written ? written(e, vector.element) : value(e, vector.element);
  }

 private:
  [[nodiscard]] std::uint32_t bits_of(std::uint32_t reg) const { return 8 * info(f_->registers[reg].type).size; }

  static operand_facts vector_of(const operand& o, const operation& of, bool written) {
    const std::uint32_t part = info(of.type).size / (o.count == 0 ? 1 : o.count);
    expected_operand e;
    e.what = written ? role::result : role::source;
    e.type = part == 2 ? scalar_type::b16 : part == 4 ? scalar_type::b32 : scalar_type::b64;
    return {operand_shape::vector, 0, written, e};
  }
  [[nodiscard]] operand_facts written(const operand& o, const expected_operand& wanted) const {
    if (o.kind == operand_kind::sink && o.second == no_index) return {};
    if (o.selector != no_index) return {};
    // No mov moves bytes or vectors from one register to another.
    if (o.kind == operand_kind::reg && (bits_of(o.index) == 8 || f_->registers[o.index].width != 1)) return {};
    return {operand_shape::result, o.kind == operand_kind::reg ? bits_of(o.index) : 0, true, wanted};
  }
  [[nodiscard]] operand_facts value(const operand& o, const expected_operand& wanted) const {
    const std::uint32_t size = info(wanted.type).size;
    const auto sized = [&](std::uint32_t bits) {
      const bool known = bits == 16 || bits == 32 || bits == 64;
      return known ? operand_facts{operand_shape::value, bits, false, wanted} : operand_facts{};
    };
    if (o.selector != no_index || (o.negated && wanted.type != scalar_type::pred)) return {};
    switch (o.kind) {
      case operand_kind::reg:
        if (o.bits != 0) return {};  // a sum
        if (f_->registers[o.index].type == scalar_type::pred)
          return wanted.type == scalar_type::pred ? operand_facts{operand_shape::predicate, 0, false, wanted}
                                                  : operand_facts{};
        return sized(bits_of(o.index));
      case operand_kind::integer:
        return sized(8 * size);
      case operand_kind::single:
        return size == 4 ? sized(32) : operand_facts{};
      case operand_kind::real:
        return size == 8 ? sized(64) : operand_facts{};
      default:
        return {};
    }
  }
  [[nodiscard]] operand_facts address(const operand& o, const operation& of) const {
    if (of.space == state_space::param || o.kind != operand_kind::address) return {};
    if (o.base == operand_kind::reg) return {operand_shape::address, bits_of(o.index), false, {}};
    // A name tells an instruction on generic addresses which memory is meant; a register would not.
    if (of.space == state_space::generic) return {};
    if (o.base == operand_kind::variable || o.base == operand_kind::module_variable)
      return {operand_shape::address, f_->address_size, false, {}};
    return {};
  }

  const function* f_;
};

}  // namespace detail

/// A function as meldable_code (transform/meld.hpp) over function_blocks::graph(). Instructions are numbered
/// as in the function; the bra, brx or ret that ends a block is left out.
class melding_model {
 public:
  /// The function must outlive the model.
  /// Complexity: def_use and uniformity, and linear in the text.
  explicit melding_model(const checked_function& f, const latencies& weights = {})
      : checked_(&f), function_(&f.text()), blocks_(&f.blocks()), weights_(weights), code_(f), reader_(f.text()) {
    tree_.recompute(blocks_->graph());
    const auto found = uniformity(blocks_->graph(), code_);
    divergent_.assign(blocks_->size(), 0);
    for (block_id b = 0; b < blocks_->size(); ++b) divergent_[b] = found.is_divergent_branch(b) ? 1 : 0;
    read_text();
  }
  explicit melding_model(const checked_function&& f, const latencies& weights = {}) = delete;

  /// @{
  /// As meldable_code asks. O(1).
  [[nodiscard]] std::uint32_t first(block_id b) const { return (*blocks_)[b].first; }
  /// Behind the last instruction but for the branch. O(1).
  [[nodiscard]] std::uint32_t last(block_id b) const {
    const text_block& t = (*blocks_)[b];
    return t.last - (t.first != t.last && t.end != text_end::falls && t.end != text_end::stops ? 1U : 0U);
  }
  [[nodiscard]] std::uint32_t opcode_class(std::uint32_t i) const { return facts_[i].group; }
  [[nodiscard]] bool compatible(std::uint32_t i, std::uint32_t j) const { return facts_[i].group == facts_[j].group; }
  [[nodiscard]] std::uint32_t latency(std::uint32_t i) const { return weights_(operation_of(i)); }
  /// \pre compatible(i, j). O(operands).
  [[nodiscard]] std::uint32_t overhead(std::uint32_t i, std::uint32_t j) const {
    const facts &a = facts_[i], &b = facts_[j];
    if (operation_of(i).name == mnemonic::mov && a.sources == 1) return 0;  // it becomes the select
    std::uint32_t selects = 0;
    for (std::uint32_t k = 0; k < a.sources && k < b.sources; ++k) {
      const source_key &x = sources_[a.first_source + k], &y = sources_[b.first_source + k];
      if (x.kind == y.kind && x.value == y.value) continue;
      const bool known = (x.block == no_block || tree_.dominates(x.block, blocks_->block_of(j))) &&
                         (y.block == no_block || tree_.dominates(y.block, blocks_->block_of(i)));
      if (known) selects += x.selects;
    }
    return selects * weights_[latency_class::other];
  }
  [[nodiscard]] bool is_pinned(std::uint32_t i) const { return facts_[i].pinned; }
  /// True for a pinned instruction with a result that depends on the threads that are together.
  [[nodiscard]] bool is_convergent(std::uint32_t i) const { return blocks_->is_convergent_instruction(i); }
  [[nodiscard]] bool is_speculatable(std::uint32_t i) const { return facts_[i].speculatable; }
  [[nodiscard]] bool is_divergent(block_id b) const { return divergent_[b] != 0; }
  /// @}
  /// Whether the branches that end two blocks can become one: both bra under a guard, or both brx without one.
  [[nodiscard]] bool compatible_branches(block_id a, block_id b) const {
    const text_block &x = (*blocks_)[a], &y = (*blocks_)[b];
    if (x.end != y.end) return false;
    if (x.end == text_end::branches) return true;
    if (x.end != text_end::table) return false;
    const function& f = *function_;
    return f.instructions[x.last - 1].guard == no_index && f.instructions[y.last - 1].guard == no_index;
  }

  /// The operation of instruction i. O(1).
  [[nodiscard]] const operation& operation_of(std::uint32_t i) const { return checked_->operation_of(i); }
  /// The values of the function. Valid as long as the model, here and below.
  [[nodiscard]] const def_use& code() const { return code_; }
  [[nodiscard]] const checked_function& checked() const { return *checked_; }  ///< the function, as given
  [[nodiscard]] const function_blocks& blocks() const { return *blocks_; }     ///< its blocks
  [[nodiscard]] const latencies& weights() const { return weights_; }          ///< as given

 private:
  struct facts {
    std::uint32_t group = 0;
    std::uint32_t first_source = 0, sources = 0;
    bool pinned = false;
    bool speculatable = false;
  };
  /// The content of an operand: a value that is computed in `block`, or something that is the same everywhere.
  struct source_key {
    std::uint32_t kind = 0;
    std::uint64_t value = 0;
    block_id block = no_block;
    std::uint32_t selects = 1;
  };

  void read_text() {
    const function& f = *function_;
    std::unordered_map<std::string, std::uint32_t> groups;
    std::string key;
    facts_.assign(f.instructions.size(), {});
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      const instruction& text = f.instructions[i];
      facts& here = facts_[i];
      const operation& o = checked_->operation_of(i);
      here.pinned = pinned(text, o) || is_convergent(i);
      bool param = o.name == mnemonic::ld && o.space == state_space::param && text.num_operands == 2 &&
                   f.operands_of(text)[1].base == operand_kind::parameter;
      if (param) {  // inside it
        const operand& from = f.operands_of(text)[1];
        param = from.bits + std::uint64_t{info(o.type).size} * o.width <= f.parameters[from.index].size;
      }
      here.speculatable =
          !here.pinned && (param || (o.name != mnemonic::ld && o.name != mnemonic::st && o.name != mnemonic::prefetch));
      here.first_source = static_cast<std::uint32_t>(sources_.size());
      key = text.opcode;
      key += text.guard != no_index ? '@' : ' ';
      if (text.guard != no_index) add_register(i, text.guard, text.guard_negated, 2);
      const bool plain = o.name != mnemonic::call && o.name != mnemonic::brx && o.name != mnemonic::invalid;
      const detail::signature s = plain ? detail::signature_of(o, text.num_operands) : detail::signature();
      std::uint32_t n = 0;
      for (const operand& given : f.operands_of(text)) {
        const auto what =
            n < s.count ? reader_.facts(given, s.at[n], o) : detail::operand_facts{};  // more than there should be
        const bool table = o.name == mnemonic::lop3 && n == 4;
        add_operand(key, i, given, table ? detail::operand_facts{} : what);
        ++n;
      }
      here.sources = static_cast<std::uint32_t>(sources_.size()) - here.first_source;
      here.group = groups.try_emplace(key, static_cast<std::uint32_t>(groups.size())).first->second;
    }
  }

  void add_operand(std::string& key, std::uint32_t i, const operand& o, const detail::operand_facts& what) {
    using detail::operand_shape;
    key += ',';
    key += static_cast<char>('A' + static_cast<int>(what.shape));
    switch (what.shape) {
      case operand_shape::fixed:
        add_text(key, o);
        return;
      case operand_shape::result:
        if (o.kind == operand_kind::reg) key += info(function_->registers[o.index].type).name;
        if (o.second != no_index) key += '|';
        return;
      case operand_shape::value:
        key += std::to_string(what.bits);
        add_value(i, o);
        return;
      case operand_shape::predicate:
        add_register(i, o.index, o.negated, 2);
        return;
      case operand_shape::address: {
        key += std::to_string(what.bits);
        if (o.base == operand_kind::reg)
          add_register(i, o.index, false, 1);
        else
          sources_.push_back({static_cast<std::uint32_t>(o.base), o.index, no_block, 1});
        sources_.push_back({static_cast<std::uint32_t>(operand_kind::integer), o.bits, no_block, 1});
        return;
      }
      case operand_shape::vector:
        key += std::to_string(o.count);
        for (const operand& e : function_->elements_of(o)) add_operand(key, i, e, reader_.element(e, what));
        return;
    }
  }
  void add_value(std::uint32_t i, const operand& o) {
    if (o.kind == operand_kind::reg)
      add_register(i, o.index, false, 1);
    else
      sources_.push_back({static_cast<std::uint32_t>(o.kind), o.bits, no_block, 1});
  }
  void add_register(std::uint32_t i, std::uint32_t reg, bool negated, std::uint32_t selects) {
    value_id v = no_value;
    for (const register_value_ref& r : code_.reads(i))
      if (r.reg == reg) v = r.value;
    if (v == no_value) {  // unreachable
      sources_.push_back({0x100, reg, no_block, selects});
      return;
    }
    sources_.push_back({0x100, index_of(v) * std::uint64_t{2} + (negated ? 1 : 0), code_.block_of(v), selects});
  }
  /// The text of an operand that must be the same.
  void add_text(std::string& key, const operand& o) {
    key += std::to_string(static_cast<int>(o.kind)) + ':' + std::to_string(static_cast<int>(o.base)) + ':';
    key += std::to_string(o.index) + ':' + std::to_string(o.second) + ':' + std::to_string(o.bits);
    if (o.negated) key += '-';
    if (o.selector != no_index) key += function_->names[o.selector];
    if (o.kind == operand_kind::unknown) key += function_->names[o.index];
    for (const operand& e : function_->elements_of(o)) {
      key += '(';
      add_text(key, e);
    }
  }

  [[nodiscard]] bool pinned(const instruction& i, const operation& o) const {
    switch (o.name) {
      case mnemonic::invalid:
      case mnemonic::atom:
      case mnemonic::red:
      case mnemonic::cp_async:
      case mnemonic::cp_async_wait:
      case mnemonic::membar:
      case mnemonic::bar:
      case mnemonic::bar_warp:
      case mnemonic::shfl:
      case mnemonic::vote:
      case mnemonic::match:
      case mnemonic::activemask:
      case mnemonic::redux:
      case mnemonic::elect:
      case mnemonic::bra:
      case mnemonic::brx:
      case mnemonic::call:
      case mnemonic::exit:
      case mnemonic::ret:
      case mnemonic::trap:
      case mnemonic::brkpt:
      case mnemonic::nanosleep:
      case mnemonic::nop:
        return true;
      case mnemonic::ld:
      case mnemonic::st:
        if (o.space == state_space::param &&
            function_->operands_of(i)[o.name == mnemonic::ld ? 1 : 0].base == operand_kind::variable)
          return true;  // of a call
        for (const std::string_view strong : {".volatile", ".relaxed", ".acquire", ".release", ".mmio", ".sc"})
          if (has_modifier(i.opcode, strong)) return true;
        return false;
      default:
        for (const operand& given : function_->operands_of(i))
          if (given.kind == operand_kind::special && changes(static_cast<special_register>(given.index))) return true;
        return false;
    }
  }
  static bool has_modifier(std::string_view opcode, std::string_view modifier) {
    const std::size_t found = opcode.find(modifier);
    return found != std::string_view::npos &&
           (found + modifier.size() == opcode.size() || opcode[found + modifier.size()] == '.');
  }
  /// A special register that is another one each time it is read.
  static bool changes(special_register r) {
    return (r >= special_register::clock && r <= special_register::globaltimer_hi) || r == special_register::warpid ||
           r == special_register::smid || (r >= special_register::pm0 && r < special_register::envreg0);
  }

  const checked_function* checked_;
  const function* function_;
  const function_blocks* blocks_;
  latencies weights_;
  def_use code_;
  detail::operand_classifier reader_;
  simtflow::dense::dominator_tree tree_;
  std::vector<unsigned char> divergent_;  // by block
  std::vector<facts> facts_;              // by instruction
  std::vector<source_key> sources_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// A verified kernel to the form that runs: basic blocks of operations with resolved register slots, constants and code.
//
//   slot   where a register lives: an array of lanes in the warp's 32-bit or 64-bit file; constants and what the launch
//          fixes (%ntid, addresses of variables, literals) are slots as well, so every operand is read alike
//   block  a basic block; blocks begin at the entry, at labels that a branch names, and behind branches, exits and
//          barriers. A barrier is the last instruction of its block
//
// Successors of a block: the branch target first, the fall-through second; both are kept if they are the same block. A
// predicated exit ends its block, which then is an exit with its fall-through as successor. Weights count instructions of
// the text, the last one included.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/lanes.hpp>
#include <simtflow/ptx/module.hpp>
#include <simtflow/ptx/opcode.hpp>
#include <simtflow/ptx/verifier.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A slot: index, whether it is 64 bits wide, whether it is a constant (the same in all lanes and warps).
using slot_ref = std::uint32_t;
inline constexpr slot_ref constant_slot = 0x8000'0000U;
inline constexpr slot_ref wide_slot = 0x4000'0000U;
inline constexpr slot_ref no_slot = 0xFFFF'FFFFU;
[[nodiscard]] constexpr std::uint32_t slot_index(slot_ref s) { return s & 0x3FFF'FFFFU; }
[[nodiscard]] constexpr bool is_wide(slot_ref s) { return (s & wide_slot) != 0; }
[[nodiscard]] constexpr bool is_constant(slot_ref s) { return (s & constant_slot) != 0; }

/// A predicate operand: its number, negated or not; constants are all lanes or none.
struct predicate_ref {
  std::uint32_t index = no_index;
  bool negated = false;
};

/// What a decoded operation does.
enum class op_kind : std::uint8_t {
  copy,
  light,
  each,
  compare,
  set,
  select,
  predicate,
  load,
  store,
  atomic,
  pack,
  unpack
};

/// One decoded operation.
struct decoded_op {
  op_kind kind = op_kind::copy;
  bool in_place = false;   ///< the result is one of the operands
  bool sat = false;        ///< clamp the floating-point result to [0, 1]
  bool sign = false;       ///< a load extends the sign
  std::uint8_t flush = 0;  ///< operands a, b, c (bits 0, 1, 2) and the result (bit 7) lose subnormals
  std::uint8_t size = 0;   ///< bytes of a memory access or of a part
  std::uint8_t count = 1;  ///< elements of a vector access, parts of pack and unpack
  state_space space = state_space::generic;
  boolean_op combine = boolean_op::none;
  atomic_op atomic = atomic_op::none;
  scalar_type type = scalar_type::none;  ///< of an atomic, a set
  predicate_ref guard;
  slot_ref result = no_slot;        ///< or a predicate, for compare and predicate
  std::uint32_t second = no_index;  ///< the q of p|q
  slot_ref source[4] = {no_slot, no_slot, no_slot, no_slot};
  predicate_ref predicate[2];
  std::uint32_t list = 0;    ///< first of the slots of a vector
  std::uint64_t offset = 0;  ///< of an address
  light_code light = nullptr;
  each_code each = nullptr;
  compare_code compare = nullptr;
  std::uint32_t instruction = 0;  ///< of the kernel
};

/// How a block ends.
enum class block_exit : std::uint8_t {
  fall,     ///< to the next block
  branch,   ///< to the target where the guard holds, else to the next block
  leave,    ///< threads end where the guard holds, else go to the next block
  barrier,  ///< threads wait, then go to the next block
  trap      ///< the kernel stops with a fault where the guard holds
};

/// A basic block.
struct decoded_block {
  std::string label;  ///< a label at its begin; empty if there is none
  position where;     ///< of its first instruction
  std::uint32_t first_op = 0;
  std::uint32_t num_ops = 0;
  std::uint32_t weight = 0;            ///< instructions
  std::uint32_t last_instruction = 0;  ///< the one that ends it
  block_exit end = block_exit::fall;
  predicate_ref guard;         ///< of the end; index no_index: always
  block_id target = no_block;  ///< of a branch
  block_id next = no_block;    ///< where it falls through to; no_block if it cannot
};

/// A constant that fills a slot.
struct decoded_constant {
  enum class what : std::uint8_t { literal, special, address, dynamic_shared };
  what kind = what::literal;
  std::uint64_t value = 0;  ///< the literal, the special_register, or the offset from an address
  std::uint32_t index = 0;  ///< of a global variable
};

/// A kernel ready to run; independent of the launch and of the module it came from.
struct decoded_kernel {
  std::string name;
  std::uint32_t address_size = 64;
  std::vector<decoded_block> blocks;
  std::vector<decoded_op> ops;
  std::vector<slot_ref> lists;
  std::vector<decoded_constant> constants32;
  std::vector<decoded_constant> constants64;
  std::uint32_t slots32 = 0;
  std::uint32_t slots64 = 0;
  std::uint32_t predicates = 0;
  std::vector<std::pair<special_register, slot_ref>> specials;  ///< that differ between threads
  std::vector<variable> parameters;
  std::vector<std::uint64_t> parameter_offsets;
  std::uint64_t parameter_bytes = 0;
  std::vector<variable> globals;   ///< .global and .const variables that the kernel reaches
  std::uint64_t shared_bytes = 0;  ///< declared in the text; what the launch adds comes behind
  std::uint64_t local_bytes = 0;   ///< of one thread
  bool uses_dynamic_shared = false;
  std::uint64_t dynamic_shared_align = 16;  ///< of what the launch adds
  std::uint32_t max_threads[3] = {0, 0, 0};
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::vector<position> positions;                          ///< of the instructions
  std::vector<std::string> opcodes;                         ///< of the instructions
  std::vector<std::pair<std::string, slot_ref>> registers;  ///< by name, for inspection
  std::vector<std::pair<std::string, std::uint32_t>> predicate_names;

  /// Instructions in a block, the one that ends it included.
  [[nodiscard]] std::uint32_t weight(block_id b) const { return blocks[b].weight; }

  /// How messages call a block: its label, or "block 7".
  [[nodiscard]] std::string block_name(block_id b) const {
    if (b >= blocks.size()) return "exit";
    return blocks[b].label.empty() ? "block " + std::to_string(b) : "'" + blocks[b].label + "'";
  }

  /// The control-flow graph: block 0 is the entry, successors as described above. Blocks that nothing reaches keep their
  /// edges.
  [[nodiscard]] csr_graph cfg() const {
    csr_builder g(blocks.size(), 0);
    for (block_id b = 0; b < blocks.size(); ++b) {
      const decoded_block& k = blocks[b];
      if (k.end == block_exit::branch) g.add_edge(b, k.target);
      if (k.next != no_block) g.add_edge(b, k.next);
      if (k.end == block_exit::leave) g.mark_exit(b);
    }
    return g.build();
  }
};

/// A decoded kernel, or why there is none.
struct decode_result {
  decoded_kernel kernel;
  simtflow::diagnostics diagnostics;
  [[nodiscard]] bool ok() const { return diagnostics.empty(); }
};

/// Generic addresses: shared memory of the thread block and local memory of the thread are windows, the rest is global.
inline constexpr std::uint64_t shared_window = 0x0100'0000;
inline constexpr std::uint64_t local_window = 0x0200'0000;
inline constexpr std::uint64_t window_bytes = 0x0100'0000;
inline constexpr std::uint64_t first_global_address = 0x1000'0000;
/// Limits on what a kernel may ask for.
inline constexpr std::uint64_t max_shared_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_local_bytes = std::uint64_t{512} << 10;

namespace detail {

class decoder {
 public:
  decoder(const module& m, const kernel& k) : module_(m), kernel_(k) {}

  decode_result run() {
    result_.diagnostics = verify(module_, kernel_);
    if (!result_.ok()) return std::move(result_);
    out().name = kernel_.name;
    out().address_size = kernel_.address_size;
    for (int i = 0; i < 3; ++i) {
      out().max_threads[i] = kernel_.max_threads[i];
      out().required_threads[i] = kernel_.required_threads[i];
    }
    lay_out_parameters();
    lay_out_variables();
    assign_registers();
    if (!result_.ok()) return std::move(result_);
    find_blocks();
    for (block_id b = 0; b < out().blocks.size(); ++b) decode_block(b);
    for (const instruction& i : kernel_.instructions) {
      out().positions.push_back(i.where);
      out().opcodes.push_back(i.opcode);
    }
    out().slots32 = next32_;
    out().slots64 = next64_;
    return std::move(result_);
  }

 private:
  decoded_kernel& out() { return result_.kernel; }
  void fail(position where, std::string message) { add_finding(result_.diagnostics, where, std::move(message)); }

  static std::uint64_t align_up(std::uint64_t v, std::uint64_t a) { return (v + a - 1) / a * a; }

  void lay_out_parameters() {
    std::uint64_t at = 0;
    for (const variable& p : kernel_.parameters) {
      at = align_up(at, p.align);
      out().parameters.push_back(p);
      out().parameter_offsets.push_back(at);
      at += p.size;
    }
    out().parameter_bytes = at;
    if (at > 32768) fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 32 KiB of parameters");
  }

  struct place {
    enum class what : std::uint8_t { none, offset, dynamic, global };
    what kind = what::none;
    std::uint64_t offset = 0;  // or the index of a global
  };

  void lay_out_variables() {
    kernel_places_.assign(kernel_.variables.size(), {});
    module_places_.assign(module_.variables.size(), {});
    for (std::size_t i = 0; i < kernel_.variables.size(); ++i) {
      refuse_namesake(kernel_.variables[i]);
      lay_out(kernel_.variables[i], kernel_places_[i]);
    }
    // Of the module's variables only those that the kernel names, directly or through an initialiser.
    std::vector<unsigned char> named(module_.variables.size(), 0);
    for (const operand& o : kernel_.operands) {
      const operand_kind kind = o.kind == operand_kind::address ? o.base : o.kind;
      if (kind == operand_kind::module_variable) named[o.index] = 1;
    }
    for (std::size_t i = 0; i < module_.variables.size(); ++i)
      if (named[i] != 0 && module_places_[i].kind == place::what::none)
        lay_out(module_.variables[i], module_places_[i]);
    for (std::size_t g = 0; g < out().globals.size(); ++g) {
      const std::vector<relocation> relocations = out().globals[g].relocations;
      for (const relocation& r : relocations) follow(out().globals[g].where, r);
    }
    if (out().shared_bytes > max_shared_bytes)
      fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 1 MiB of shared memory");
    if (out().local_bytes > max_local_bytes)
      fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 512 KiB of local memory");
  }

  /// Device memory knows variables by name, so a global one inside a kernel must be the only one of its name.
  void refuse_namesake(const variable& v) {
    if (v.space != state_space::global && v.space != state_space::constant) return;
    const auto named_alike = [&](const std::vector<variable>& list) {
      for (const variable& other : list)
        if (&other != &v && other.name == v.name &&
            (other.space == state_space::global || other.space == state_space::constant))
          return true;
      return false;
    };
    bool found = named_alike(module_.variables);
    for (const kernel& k : module_.kernels) found = found || named_alike(k.variables);
    if (found) fail(v.where, "there is another ." + std::string(name_of(v.space)) + " variable '" + v.name + "'");
  }

  void follow(position where, const relocation& r) {
    for (const variable& g : out().globals)
      if (g.name == r.symbol) return;
    for (std::size_t i = module_.variables.size(); i-- > 0;) {
      const variable& v = module_.variables[i];
      if (v.name != r.symbol) continue;
      if (v.space != state_space::global && v.space != state_space::constant)
        fail(where,
             "an initialiser takes the address of '" + v.name + "' in ." + std::string(name_of(v.space)) + " memory");
      else
        lay_out(v, module_places_[i]);
      return;
    }
    fail(where, "unknown name '" + r.symbol + "' in an initialiser");
  }

  void lay_out(const variable& v, place& p) {
    switch (v.space) {
      case state_space::shared:
        if (v.size == 0) {
          p.kind = place::what::dynamic;
          out().uses_dynamic_shared = true;
          if (v.align > out().dynamic_shared_align) out().dynamic_shared_align = v.align;
          return;
        }
        out().shared_bytes = align_up(out().shared_bytes, v.align);
        p = {place::what::offset, out().shared_bytes};
        out().shared_bytes += v.size;
        return;
      case state_space::local:
        out().local_bytes = align_up(out().local_bytes, v.align);
        p = {place::what::offset, out().local_bytes};
        out().local_bytes += v.size;
        return;
      case state_space::global:
      case state_space::constant:
        if (v.is_extern) fail(v.where, "variable '" + v.name + "' is extern and defined nowhere");
        p = {place::what::global, out().globals.size()};
        out().globals.push_back(v);
        return;
      default:
        return;
    }
  }

  void assign_registers() {
    registers_.assign(kernel_.registers.size(), no_slot);
    for (std::size_t i = 0; i < kernel_.registers.size(); ++i) {
      const register_info& r = kernel_.registers[i];
      if (r.type == scalar_type::pred) {
        registers_[i] = out().predicates++;
        out().predicate_names.emplace_back(r.name, registers_[i]);
      } else {
        registers_[i] = fresh(info(r.type).size == 8);
        out().registers.emplace_back(r.name, registers_[i]);
      }
    }
    if (next32_ > 0x000F'FFFFU || next64_ > 0x000F'FFFFU)
      fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 2^20 registers");
  }

  slot_ref fresh(bool wide) { return wide ? wide_slot | next64_++ : next32_++; }

  slot_ref constant(bool wide, decoded_constant c) {
    const std::uint64_t value = wide ? c.value : c.value & 0xFFFF'FFFFU;
    c.value = value;
    const std::uint64_t key = value * 8 + static_cast<std::uint64_t>(c.kind) * 2 + (wide ? 1 : 0) +
                              std::uint64_t{c.index} * 0x9E37'79B9'7F4A'7C15U;
    auto& list = wide ? out().constants64 : out().constants32;
    auto [found, end] = known_.equal_range(key);
    for (; found != end; ++found) {
      const slot_ref s = found->second;
      if (is_wide(s) != wide) continue;
      const decoded_constant& old = list[slot_index(s)];
      if (old.kind == c.kind && old.value == c.value && old.index == c.index) return s;
    }
    const slot_ref s = constant_slot | (wide ? wide_slot : 0U) | static_cast<std::uint32_t>(list.size());
    list.push_back(c);
    known_.emplace(key, s);
    return s;
  }
  slot_ref literal(bool wide, std::uint64_t value) {
    return constant(wide, {decoded_constant::what::literal, value, 0});
  }

  // --- blocks ----------------------------------------------------------------------------------------------------

  static std::string_view head(const instruction& i) {
    return std::string_view(i.opcode).substr(0, i.opcode.find('.'));
  }
  const operation& operation_of(std::size_t i) const { return operations_[i]; }

  void find_blocks() {
    const std::size_t n = kernel_.instructions.size();
    for (const instruction& i : kernel_.instructions) operations_.push_back(parse_operation(i.opcode).value);
    std::vector<unsigned char> leader(n + 1, 0);
    leader[0] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      const mnemonic m = operation_of(i).name;
      if (m == mnemonic::bra) {
        leader[kernel_.labels[kernel_.operands_of(kernel_.instructions[i])[0].index].instruction] = 1;
        leader[i + 1] = 1;
      } else if (m == mnemonic::exit || m == mnemonic::ret || m == mnemonic::bar || m == mnemonic::trap) {
        leader[i + 1] = 1;
      }
    }
    block_at_.assign(n + 1, no_block);
    for (std::size_t i = 0; i < n; ++i) {
      if (leader[i] != 0) {
        decoded_block b;
        b.where = kernel_.instructions[i].where;
        b.first_op = static_cast<std::uint32_t>(i);  // of the instructions, for now
        out().blocks.push_back(std::move(b));
      }
      block_at_[i] = static_cast<block_id>(out().blocks.size() - 1);
      ++out().blocks.back().weight;
      out().blocks.back().last_instruction = static_cast<std::uint32_t>(i);
    }
    // A branch's target gives its name; otherwise the first label there does.
    for (const label& l : kernel_.labels)
      if (l.instruction < n && leader[l.instruction] != 0) {
        std::string& name = out().blocks[block_at_[l.instruction]].label;
        if (name.empty()) name = l.name;
      }
  }

  void decode_block(block_id id) {
    decoded_block& b = out().blocks[id];
    const std::uint32_t first = b.first_op;
    b.first_op = static_cast<std::uint32_t>(out().ops.size());
    const block_id after = id + 1 < out().blocks.size() ? id + 1 : no_block;
    b.next = after;
    for (std::uint32_t n = first; n <= b.last_instruction; ++n) {
      const instruction& i = kernel_.instructions[n];
      const operation& o = operation_of(n);
      current_ = n;
      guard_ = i.guard == no_index ? predicate_ref{} : predicate_ref{registers_[i.guard], i.guard_negated};
      const bool always = i.guard == no_index;
      switch (o.name) {
        case mnemonic::bra:
          b.end = block_exit::branch;
          b.guard = guard_;
          b.target = block_at_[kernel_.labels[kernel_.operands_of(i)[0].index].instruction];
          if (always) b.next = no_block;
          break;
        case mnemonic::exit:
        case mnemonic::ret:
          b.end = block_exit::leave;
          b.guard = guard_;
          if (always) b.next = no_block;
          break;
        case mnemonic::trap:
          b.end = block_exit::trap;
          b.guard = guard_;
          if (always) b.next = no_block;
          break;
        case mnemonic::bar:
          b.end = block_exit::barrier;
          break;
        case mnemonic::membar:
          break;
        default:
          decode(i, o);
          break;
      }
    }
    b.num_ops = static_cast<std::uint32_t>(out().ops.size()) - b.first_op;
  }

  // --- instructions ----------------------------------------------------------------------------------------------

  decoded_op start(op_kind kind) const {
    decoded_op op;
    op.kind = kind;
    op.guard = guard_;
    op.instruction = current_;
    return op;
  }
  void emit(decoded_op op) {
    if (op.kind == op_kind::light || op.kind == op_kind::each)
      for (slot_ref& s : op.source)
        if (s == no_slot) s = op.source[0];  // code never looks at operands it does not have
    if (op.kind == op_kind::light || op.kind == op_kind::copy || op.kind == op_kind::select)
      for (const slot_ref s : op.source) op.in_place = op.in_place || s == op.result;
    out().ops.push_back(op);
  }

  static bool is_wide_type(scalar_type t) { return info(t).size == 8; }

  /// The slot that holds an operand of a type.
  slot_ref value(const operand& o, scalar_type type) {
    const bool wide = is_wide_type(type);
    switch (o.kind) {
      case operand_kind::reg:
        return registers_[o.index];
      case operand_kind::integer:
        return literal(wide, o.bits);
      case operand_kind::single:
        if (type == scalar_type::f64)
          return literal(true, std::bit_cast<std::uint64_t>(
                                   static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)))));
        return literal(wide, o.bits);
      case operand_kind::real:
        if (type == scalar_type::f32)
          return literal(false, std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits))));
        return literal(wide, o.bits);
      case operand_kind::special:
        return special(static_cast<special_register>(o.index));
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
        return address_of(o.kind, o.index, o.bits, wide);
      default:
        return no_slot;
    }
  }

  slot_ref special(special_register r) {
    const bool per_thread = r == special_register::tid_x || r == special_register::tid_y ||
                            r == special_register::tid_z || r == special_register::laneid ||
                            r == special_register::warpid;
    if (!per_thread) return constant(false, {decoded_constant::what::special, static_cast<std::uint64_t>(r), 0});
    for (const auto& [known, s] : out().specials)
      if (known == r) return s;
    const slot_ref s = fresh(false);
    out().specials.emplace_back(r, s);
    return s;
  }

  slot_ref address_of(operand_kind kind, std::uint32_t index, std::uint64_t offset, bool wide) {
    if (kind == operand_kind::parameter) return literal(wide, out().parameter_offsets[index] + offset);
    const place& p = kind == operand_kind::variable ? kernel_places_[index] : module_places_[index];
    switch (p.kind) {
      case place::what::dynamic:
        return constant(wide, {decoded_constant::what::dynamic_shared, offset, 0});
      case place::what::global:
        return constant(wide, {decoded_constant::what::address, offset, static_cast<std::uint32_t>(p.offset)});
      default:
        return literal(wide, p.offset + offset);
    }
  }

  void address(decoded_op& op, const operand& o) {
    if (o.base == operand_kind::reg) {
      op.source[0] = registers_[o.index];
      op.offset = o.bits;
    } else if (o.base == operand_kind::integer) {
      op.source[0] = literal(true, o.bits);
    } else {
      op.source[0] = address_of(o.base, o.index, o.bits, true);
    }
  }

  predicate_ref predicate(const operand& o) const {
    if (o.kind == operand_kind::integer) return {no_index, (o.bits != 0) == o.negated};
    return {registers_[o.index], o.negated};
  }

  void copy(slot_ref to, slot_ref from) {
    decoded_op op = start(op_kind::copy);
    op.result = to;
    op.source[0] = from;
    emit(op);
  }
  /// A conversion between integer types, as an operation of its own.
  void convert(slot_ref to, scalar_type to_type, slot_ref from, scalar_type from_type) {
    operation o;
    o.name = mnemonic::cvt;
    o.type = to_type;
    o.source = from_type;
    decoded_op op = start(op_kind::light);
    op.light = code_of(o).light;
    op.result = to;
    op.source[0] = from;
    emit(op);
  }

  void decode(const instruction& i, const operation& o) {
    const auto given = kernel_.operands_of(i);
    switch (o.name) {
      case mnemonic::setp: {
        decoded_op op = comparison_op(op_kind::compare, o.type, o, given);
        op.result = given[0].kind == operand_kind::sink ? no_slot : registers_[given[0].index];
        op.second = given[0].second == no_index ? no_index : registers_[given[0].second];
        emit(op);
        return;
      }
      case mnemonic::set: {
        decoded_op op = comparison_op(op_kind::set, o.source, o, given);
        op.type = o.type;
        op.result = registers_[given[0].index];
        emit(op);
        return;
      }
      case mnemonic::selp: {
        decoded_op op = start(op_kind::select);
        op.result = registers_[given[0].index];
        op.source[0] = value(given[1], o.type);
        op.source[1] = value(given[2], o.type);
        op.predicate[0] = predicate(given[3]);
        emit(op);
        return;
      }
      case mnemonic::mov:
        if (given[0].kind == operand_kind::vector || given[1].kind == operand_kind::vector) {
          move_parts(o, given);
          return;
        }
        [[fallthrough]];
      case mnemonic::not_:
      case mnemonic::and_:
      case mnemonic::or_:
      case mnemonic::xor_:
        if (o.type == scalar_type::pred) {
          decoded_op op = start(op_kind::predicate);
          op.result = registers_[given[0].index];
          op.predicate[0] = predicate(given[1]);
          if (o.name == mnemonic::not_) op.predicate[0].negated = !op.predicate[0].negated;
          if (given.size() > 2) op.predicate[1] = predicate(given[2]);
          op.combine = o.name == mnemonic::and_   ? boolean_op::and_
                       : o.name == mnemonic::or_  ? boolean_op::or_
                       : o.name == mnemonic::xor_ ? boolean_op::xor_
                                                  : boolean_op::none;
          emit(op);
          return;
        }
        if (o.name == mnemonic::mov) {
          copy(registers_[given[0].index], value(given[1], o.type));
          return;
        }
        break;
      case mnemonic::cvta: {
        if (o.space != state_space::shared && o.space != state_space::local) {
          copy(registers_[given[0].index], value(given[1], o.type));
          return;
        }
        operation sum;
        sum.name = o.to ? mnemonic::sub : mnemonic::add;
        sum.type = o.type;
        decoded_op op = start(op_kind::light);
        op.light = code_of(sum).light;
        op.result = registers_[given[0].index];
        op.source[0] = value(given[1], o.type);
        op.source[1] = literal(is_wide_type(o.type), o.space == state_space::shared ? shared_window : local_window);
        emit(op);
        return;
      }
      case mnemonic::ld:
      case mnemonic::st: {
        const bool load = o.name == mnemonic::ld;
        decoded_op op = start(load ? op_kind::load : op_kind::store);
        op.space = o.space;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        op.sign = info(o.type).kind == type_class::signed_integer;
        op.count = o.width;
        address(op, given[load ? 1 : 0]);
        op.list = static_cast<std::uint32_t>(out().lists.size());
        const operand& data = given[load ? 0 : 1];
        if (data.kind == operand_kind::vector)
          for (const operand& e : kernel_.elements_of(data))
            out().lists.push_back(e.kind == operand_kind::sink ? no_slot : value(e, o.type));
        else
          out().lists.push_back(value(data, o.type));
        emit(op);
        return;
      }
      case mnemonic::atom:
      case mnemonic::red: {
        const bool result = o.name == mnemonic::atom;
        const std::size_t at = result ? 1 : 0;
        decoded_op op = start(op_kind::atomic);
        op.space = o.space;
        op.atomic = o.atomic;
        op.type = o.type;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        if (result && given[0].kind == operand_kind::reg) op.result = registers_[given[0].index];
        address(op, given[at]);
        op.source[1] = value(given[at + 1], o.type);
        if (o.atomic == atomic_op::cas) op.source[2] = value(given[at + 2], o.type);
        emit(op);
        return;
      }
      case mnemonic::cvt:
        conversion(o, given);
        return;
      default:
        break;
    }
    const signature s = signature_of(o, static_cast<std::uint32_t>(given.size()));
    const bool constant_amount =
        (o.name == mnemonic::shl || o.name == mnemonic::shr) && given[2].kind == operand_kind::integer;
    const lane_code code = code_of(o, constant_amount);
    decoded_op op = start(code.light != nullptr ? op_kind::light : op_kind::each);
    SIMTFLOW_EXPECTS(code.light != nullptr || code.each != nullptr, "every instruction that verifies has code");
    op.light = code.light;
    op.each = code.each;
    op.result = registers_[given[0].index];
    for (std::uint32_t n = 1; n < s.count; ++n) op.source[n - 1] = value(given[n], s.at[n].type);
    float_flags(op, o, s);
    emit(op);
  }

  void float_flags(decoded_op& op, const operation& o, const signature& s) const {
    op.sat = o.sat && info(o.type).kind == type_class::floating;
    if (!o.ftz) return;
    for (std::uint32_t n = 1; n < s.count && n < 4; ++n) {
      const bool condition_only = o.name == mnemonic::slct && n != 3;
      if (s.at[n].type == scalar_type::f32 && !condition_only)
        op.flush = static_cast<std::uint8_t>(op.flush | (1U << (n - 1)));
    }
    if (o.type == scalar_type::f32 && o.name != mnemonic::slct) op.flush = static_cast<std::uint8_t>(op.flush | 0x80U);
  }

  template <class Operands>
  decoded_op comparison_op(op_kind kind, scalar_type compared, const operation& o, const Operands& given) {
    decoded_op op = start(kind);
    op.compare = compare_of(compared, o.compare);
    op.source[0] = value(given[1], compared);
    op.source[1] = value(given[2], compared);
    op.combine = o.combine;
    if (o.combine != boolean_op::none) op.predicate[0] = predicate(given[3]);
    if (o.ftz) op.flush = 3;
    return op;
  }

  static scalar_type integer_of(std::uint32_t size, bool is_signed) {
    switch (size) {
      case 1:
        return is_signed ? scalar_type::s8 : scalar_type::u8;
      case 2:
        return is_signed ? scalar_type::s16 : scalar_type::u16;
      case 4:
        return is_signed ? scalar_type::s32 : scalar_type::u32;
      default:
        return is_signed ? scalar_type::s64 : scalar_type::u64;
    }
  }

  template <class Operands>
  void conversion(const operation& o, const Operands& given) {
    slot_ref from = value(given[1], o.source);
    if (is_wide(from) != is_wide_type(o.source)) {  // a 64-bit register read as something narrower
      const slot_ref low = fresh(false);
      convert(low, scalar_type::u32, from, scalar_type::u64);
      from = low;
    }
    const slot_ref to = registers_[given[0].index];
    const std::uint32_t reg_size = info(kernel_.registers[given[0].index].type).size;
    const std::uint32_t size = info(o.type).size;
    const bool is_signed = info(o.type).kind == type_class::signed_integer;
    const bool extend = size < reg_size && (is_signed || reg_size == 8);
    const slot_ref narrow_result = extend ? fresh(false) : to;
    const lane_code code = code_of(o);
    decoded_op op = start(code.light != nullptr  ? op_kind::light
                          : code.each != nullptr ? op_kind::each
                                                 : op_kind::copy);
    op.light = code.light;
    op.each = code.each;
    op.result = narrow_result;
    op.source[0] = from;
    float_flags(op, o, signature_of(o, 2));
    emit(op);
    if (extend) convert(to, integer_of(reg_size, is_signed), narrow_result, integer_of(size, is_signed));
  }

  template <class Operands>
  void move_parts(const operation& o, const Operands& given) {
    const bool pack = given[1].kind == operand_kind::vector;
    const operand& parts = pack ? given[1] : given[0];
    const operand& whole = pack ? given[0] : given[1];
    decoded_op op = start(pack ? op_kind::pack : op_kind::unpack);
    op.count = static_cast<std::uint8_t>(parts.count);
    op.size = static_cast<std::uint8_t>(info(o.type).size / parts.count);
    op.list = static_cast<std::uint32_t>(out().lists.size());
    const scalar_type t = op.size == 2 ? scalar_type::b16 : scalar_type::b32;
    for (const operand& e : kernel_.elements_of(parts))
      out().lists.push_back(e.kind == operand_kind::sink ? no_slot : value(e, t));
    if (pack)
      op.result = registers_[whole.index];
    else
      op.source[0] = value(whole, o.type);
    emit(op);
  }

  const module& module_;
  const kernel& kernel_;
  decode_result result_;
  std::vector<place> kernel_places_;
  std::vector<place> module_places_;
  std::vector<slot_ref> registers_;
  std::uint32_t next32_ = 0;
  std::uint32_t next64_ = 0;
  std::unordered_multimap<std::uint64_t, slot_ref> known_;
  std::vector<operation> operations_;
  std::vector<block_id> block_at_;
  predicate_ref guard_;
  std::uint32_t current_ = 0;
};

}  // namespace detail

/// Verifies a kernel and decodes it. The result has no kernel if there are findings.
/// \pre k is a kernel of m. Complexity: linear in the kernel and the module's variables.
[[nodiscard]] inline decode_result decode(const module& m, const kernel& k) { return detail::decoder(m, k).run(); }

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

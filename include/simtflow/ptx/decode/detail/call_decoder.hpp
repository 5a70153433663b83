// SPDX-License-Identifier: BSL-1.0
//
// Calls: the call sites of the kernel's functions, calls of the system, and registers that are parameters or results.
#pragma once

#include <simtflow/ptx/decode/detail/call_graph.hpp>
#include <simtflow/ptx/decode/detail/code_selector.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class call_decoder {
 public:
  call_decoder(decode_context& in, call_graph& calls, operation_writer& w, code_selector& select)
      : in_(in), calls_(calls), w_(w), select_(select) {}

  // Writes the site of a call that ends block `id`; the caller continues at `next`.
  void call(block_id id, const instruction& i, block_id next) {
    const auto given = in_.text().operands_of(i);
    call_site s = calls_.site_of(i);
    s.next = next;
    if (given[1].kind != operand_kind::function) s.callee = w_.value(given[1], in_.address_type());
    const decode_context::formals& shape = calls_.formals_of(s.shape);
    add_copies(given[0], shape.results, s.results);
    add_copies(given[2], shape.parameters, s.arguments);
    in_.out.blocks[id].detail = static_cast<std::uint32_t>(in_.out.sites.size());
    in_.out.sites.push_back(std::move(s));
  }

  // Writes vprintf(format, arguments), __assertfail(message, file, line, function, size), malloc(size), free(address).
  // False for another call.
  bool call_system(const instruction& i) {
    const auto given = in_.text().operands_of(i);
    if (given[1].kind != operand_kind::function) return false;
    const decode_context::system_function which =
        in_.system_function_of(in_.owner.functions[in_.behind_alias(given[1].index)]);
    if (which == decode_context::system_function::none) return false;
    decoded_op op = w_.start(which == decode_context::system_function::vprintf       ? op_kind::print
                             : which == decode_context::system_function::assert_fail ? op_kind::assert_fail
                                                                                     : op_kind::heap);
    const bool allocates = which == decode_context::system_function::allocate;
    if (op.kind == op_kind::heap)
      op.code = static_cast<std::uint8_t>(allocates ? heap_call::allocate : heap_call::release);
    const scalar_type address = in_.address_type();
    std::size_t n = 0;
    for (const operand& o : in_.text().elements_of(given[2])) {
      if (n == 4) break;
      const scalar_type type =
          which == decode_context::system_function::assert_fail && n == 2 ? scalar_type::u32 : address;
      if (const decode_context::place* p = w_.frame_place(o.kind, o.index); p != nullptr) {
        op.source[n] = w_.fresh(w_.is_wide_type(type));
        w_.move_in_frame(op_kind::load, p->offset + o.bits, info(type).size, op.source[n]);
      } else {
        op.source[n] = w_.value(o, type);
      }
      ++n;
    }
    const auto results = in_.text().elements_of(given[0]);
    op.result = w_.fresh(allocates);
    w_.append(op);
    if (results.empty()) return true;
    if (const decode_context::place* p = w_.frame_place(results[0].kind, results[0].index); p != nullptr)
      w_.move_in_frame(op_kind::store, p->offset + results[0].bits, allocates ? 8 : 4, op.result);
    else if (results[0].kind == operand_kind::reg)
      w_.copy(in_.registers()[results[0].index], op.result);
    return true;
  }

  // A register that is a parameter or a result, from or to its place in the frame.
  void formal_register(op_kind kind, const decode_context::formal& f, const variable& v) {
    const std::uint32_t size = in_.register_bytes(v);
    for (std::uint32_t c = 0; c < v.width; ++c) {
      const slot_ref reg = in_.registers()[v.reg + c];
      if (v.type != scalar_type::pred) {
        w_.move_in_frame(kind, f.offset + std::uint64_t{c} * size, size, reg);
        continue;
      }
      const slot_ref byte = w_.fresh(false);
      if (kind == op_kind::store) select_.predicate_to(byte, {reg, false});
      w_.move_in_frame(kind, f.offset + c, 1, byte);
      if (kind == op_kind::load) select_.predicate_from(reg, byte);
    }
  }

 private:
  // The copies between the operands of a call and their places in the callee's frame.
  void add_copies(const operand& list, const std::vector<decode_context::formal>& there, std::vector<call_copy>& to) {
    std::size_t n = 0;
    for (const operand& o : in_.text().elements_of(list)) {
      if (n == there.size()) return;
      const decode_context::formal& f = there[n++];
      if (o.kind == operand_kind::sink) continue;
      call_copy c;
      c.there = f.offset;
      c.size = static_cast<std::uint32_t>(f.size);
      if (o.kind == operand_kind::vector) {
        c.size /= o.count;
        for (const operand& e : in_.text().elements_of(o)) {
          c.slot = in_.registers()[e.index];
          to.push_back(c);
          c.there += c.size;
        }
        continue;
      }
      if (w_.is_predicate(o)) {
        c.predicate = in_.registers()[o.index];
        to.push_back(c);
        continue;
      }
      if (const decode_context::place* p = w_.frame_place(o.kind, o.index); p != nullptr) {
        c.here = p->offset + o.bits;
        const std::uint64_t passed = o.kind == operand_kind::variable ? in_.text().variables[o.index].size : f.size;
        if (passed < f.size) c.size = static_cast<std::uint32_t>(passed);  // to an array without a size
      } else {
        const bool real = o.kind == operand_kind::single || o.kind == operand_kind::real;
        c.slot = w_.value(o, !real ? bits_of(f.size) : f.size == 8 ? scalar_type::f64 : scalar_type::f32);
      }
      to.push_back(c);
    }
  }

  static scalar_type bits_of(std::uint64_t size) {
    return size == 1 ? scalar_type::b8 : size == 2 ? scalar_type::b16 : size == 8 ? scalar_type::b64 : scalar_type::b32;
  }

  decode_context& in_;
  call_graph& calls_;
  operation_writer& w_;
  code_selector& select_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The decoder: lays out the kernel and the functions that it reaches, then writes their blocks. Each part has a header:
// variable_layout, call_graph, slot_allocator, block_finder, operation_writer, code_selector, instruction_decoder,
// call_decoder; all work on one decode_context.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/decode/detail/block_finder.hpp>
#include <simtflow/ptx/decode/detail/call_decoder.hpp>
#include <simtflow/ptx/decode/detail/call_graph.hpp>
#include <simtflow/ptx/decode/detail/code_selector.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/instruction_decoder.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/slot_allocator.hpp>
#include <simtflow/ptx/decode/detail/source_copier.hpp>
#include <simtflow/ptx/decode/detail/variable_layout.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class decoder {
 public:
  // `checked` is the kernel if it has been verified before, else null.
  decoder(const module& m, const kernel& k, const checked_function* checked = nullptr)
      : in_(m, k),
        lay_(in_),
        calls_(in_, lay_, checked),
        slots_(in_),
        blocks_(in_),
        w_(in_, lay_, slots_),
        select_(w_),
        instructions_(in_, w_, select_),
        call_decoder_(in_, calls_, w_, select_),
        sources_(in_.owner.sources, in_.out) {}
  decoder(const decoder&) = delete;  // its parts point to each other
  decoder& operator=(const decoder&) = delete;

  result<decoded_kernel> run() {
    lay_.lay_out_parameters();
    calls_.add_function(in_.kernel);
    for (std::size_t f = 0; f < in_.bodies.size(); ++f) calls_.explore(f);
    if (!in_.found.empty()) return std::move(in_.found);
    calls_.find_shapes();
    calls_.name_what_is_not_callable();
    calls_.find_cycles_of_calls();
    refuse_sizes();
    for (std::size_t f = 0; f < in_.bodies.size() && in_.found.empty(); ++f) {
      slots_.enter(f);
      select_.begin_function();
      blocks_.find();
      for (block_id b = in_.body().first_block; b < in_.body().last_block; ++b) decode_block(b);
      slots_.leave();
      sources_.add(in_.text());
    }
    slots_.finish();
    if (!in_.found.empty()) return std::move(in_.found);
    return std::move(in_.out);
  }

 private:
  // Refuses what no launch could satisfy.
  void refuse_sizes() {
    const kernel& k = in_.kernel;
    if (in_.out.shared_bytes > max_shared_bytes)
      in_.fail(k.where, "kernel '" + k.name + "' has more than 1 MiB of shared memory");
    bool too_much = in_.out.local_bytes > max_local_bytes;
    for (const decoded_function& f : in_.out.functions) too_much = too_much || f.frame_bytes > max_local_bytes;
    if (too_much) in_.fail(k.where, "kernel '" + k.name + "' has more than 512 KiB of local memory");
  }

  void decode_block(block_id id) {
    const block_finder::draft mine = blocks_.draft_of(id);
    decoded_block& b = in_.out.blocks[id];
    b.first_op = static_cast<std::uint32_t>(in_.out.ops.size());
    w_.begin(b.last_instruction, {});
    switch (mine.role) {
      case block_finder::block_role::code:
        decode_code(id, mine);
        break;
      case block_finder::block_role::waits:
        end_in_barrier(id, mine.first);
        break;
      case block_finder::block_role::reduced:
        w_.begin(in_.body().first_instruction + static_cast<std::uint32_t>(mine.first), {});
        read_reduction(mine.first);
        in_.out.blocks[id].next = blocks_.block_after(mine.first);
        break;
      case block_finder::block_role::prologue:
        for (std::size_t n = 0; n < in_.text().parameters.size(); ++n)
          if (in_.text().parameters[n].space == state_space::reg)
            call_decoder_.formal_register(op_kind::load, in_.body().signature.parameters[n], in_.text().parameters[n]);
        in_.out.blocks[id].next = id + 1;
        break;
      case block_finder::block_role::end:
        for (std::size_t n = 0; n < in_.text().results.size(); ++n)
          if (in_.text().results[n].space == state_space::reg)
            call_decoder_.formal_register(op_kind::store, in_.body().signature.results[n], in_.text().results[n]);
        end_function(id);
        break;
    }
    in_.out.blocks[id].num_ops = static_cast<std::uint32_t>(in_.out.ops.size()) - in_.out.blocks[id].first_op;
  }

  void end_function(block_id id) {
    in_.out.blocks[id].end = in_.in_kernel() ? block_exit::leave : block_exit::ret;
    in_.out.functions[in_.current].return_block = id;
  }

  void decode_code(block_id id, const block_finder::draft& mine) {
    block_id next = mine.last + 1 <= in_.text().instructions.size() ? blocks_.block_after(mine.last) : no_block;
    block_exit end = block_exit::fall;
    for (std::size_t n = mine.first; n <= mine.last; ++n) {
      const instruction& i = in_.text().instructions[n];
      const operation& o = in_.operation_of(n);
      const bool always = !in_.is_guarded(i);
      w_.begin(in_.body().first_instruction + static_cast<std::uint32_t>(n),
               always ? predicate_ref{} : predicate_ref{in_.registers()[i.guard], i.guard_negated});
      switch (o.name) {
        case mnemonic::bra:
          end = block_exit::branch;
          in_.out.blocks[id].target =
              blocks_.block_at(in_.text().labels[in_.text().operands_of(i)[0].index].instruction);
          if (always) next = no_block;
          break;
        case mnemonic::brx: {
          end = block_exit::table;
          decoded_table table;
          table.index = w_.value(in_.text().operands_of(i)[0], scalar_type::u32);
          for (const std::uint32_t l : in_.text().branch_tables[in_.text().operands_of(i)[1].index].targets)
            table.targets.push_back(blocks_.block_at(in_.text().labels[l].instruction));
          in_.out.blocks[id].detail = static_cast<std::uint32_t>(in_.out.tables.size());
          in_.out.tables.push_back(std::move(table));
          if (always) next = no_block;
          break;
        }
        case mnemonic::ret:
          if (!in_.in_kernel() && blocks_.end_block() != no_block) {
            end = block_exit::branch;
            in_.out.blocks[id].target = blocks_.end_block();
          } else if (!in_.in_kernel()) {
            end_function(id);
            end = block_exit::ret;
          } else {
            end = block_exit::leave;
          }
          if (always) next = no_block;
          break;
        case mnemonic::exit:
          end = block_exit::leave;
          if (always) next = no_block;
          break;
        case mnemonic::trap:
          end = block_exit::trap;
          if (always) next = no_block;
          break;
        case mnemonic::bar:
        case mnemonic::wgmma_wait:
          if (always) {
            end_in_barrier(id, n);
            return;
          }
          end = block_exit::branch;
          w_.set_guard({w_.guard().index, !w_.guard().negated});
          in_.out.blocks[id].target = next;
          next = id + 1;
          break;
        case mnemonic::call:
          if (call_decoder_.call_system(i)) {
            if (in_.stops(i)) {
              end = block_exit::trap;
              next = no_block;
            }
          } else {
            end = block_exit::call;
            if (in_.stops(i)) next = no_block;
            const predicate_ref guard = w_.guard();
            w_.set_guard({});  // it guards the call, not its operands
            call_decoder_.call(id, i, next);
            w_.set_guard(guard);
          }
          break;
        default: {
          const std::size_t before = in_.out.ops.size();
          instructions_.decode(i, o);
          if (!always && in_.out.ops.size() == before) w_.append(w_.start(op_kind::nothing));
          break;
        }
      }
    }
    decoded_block& b = in_.out.blocks[id];
    b.end = end;
    b.next = next;
    if (end != block_exit::fall) b.guard = w_.guard();
  }

  void end_in_barrier(block_id id, std::size_t n) {
    const operation& o = in_.operation_of(n);
    const auto given = in_.text().operands_of(in_.text().instructions[n]);
    decoded_barrier barrier;
    barrier.reduction = block_finder::reduction_of(o);
    const std::size_t first = barrier.reduction == barrier_reduction::none ? 0 : 1;  // past the result
    const std::size_t last = given.size() - first;                                   // before the predicate
    barrier.of_warpgroup = o.name == mnemonic::wgmma_wait;
    if (first < given.size() && !barrier.of_warpgroup)
      barrier.id = w_.value(given[first], scalar_type::u32);
    else
      barrier.id = w_.literal(false, o.cluster ? cluster_barrier : 0);
    barrier.of_cluster = o.cluster;
    if (last > first + 1) barrier.count = w_.value(given[first + 1], scalar_type::u32);
    if (first != 0) {
      barrier.value = w_.predicate(given.back());
      barrier.ticket = w_.fresh(false);
    }
    decoded_block& b = in_.out.blocks[id];
    b.end = o.barrier == barrier_op::arrive ? block_exit::arrive : block_exit::barrier;
    b.detail = static_cast<std::uint32_t>(in_.out.barrier_list.size());
    b.next = first != 0 ? id + 1 : blocks_.block_after(n);
    in_.out.barrier_list.push_back(barrier);
  }

  void read_reduction(std::size_t n) {
    const auto given = in_.text().operands_of(in_.text().instructions[n]);
    decoded_op op = w_.start(op_kind::reduced);
    const decoded_barrier& barrier = in_.out.barrier_list.back();
    op.code = static_cast<std::uint8_t>(barrier.reduction);
    op.source[0] = barrier.ticket;
    op.result = in_.registers()[given[0].index];
    w_.append(op);
  }

  decode_context in_;
  variable_layout lay_;
  call_graph calls_;
  slot_allocator slots_;
  block_finder blocks_;
  operation_writer w_;
  code_selector select_;
  instruction_decoder instructions_;
  call_decoder call_decoder_;
  source_copier sources_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

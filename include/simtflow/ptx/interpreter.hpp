// SPDX-License-Identifier: BSL-1.0
//
// Runs a decoded kernel: a lockstep program (simt/program.hpp) over one thread block at a time. The executor says which
// lanes of which warp run which block; the interpreter runs the block's operations for those lanes together, over arrays
// of 32 lanes, and says where each lane goes.
//
//   chunk  32 lanes of a group (the last one may be part empty); its registers lie together
//   full   a mask that holds every lane of the chunk that has not ended: results then go straight to the register
//
// Memory is sequentially consistent: operations of a warp happen in order, lanes of one operation from low to high.
// Registers, shared and local memory start as zero in every thread block. Every access is checked for bounds and alignment;
// a fault ends the run and says which thread did what.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "State Spaces" and "Special Registers".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/decode.hpp>
#include <simtflow/ptx/lanes.hpp>
#include <simtflow/ptx/memory.hpp>
#include <simtflow/ptx/module.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

static_assert(std::endian::native == std::endian::little, "device memory is little-endian");

/// The shape of a launch.
struct launch_config {
  std::uint32_t grid[3] = {1, 1, 1};   ///< thread blocks
  std::uint32_t block[3] = {1, 1, 1};  ///< threads of a thread block
  std::uint32_t warp_width = 32;
  std::uint32_t dynamic_shared_bytes = 0;
  /// Threads that a group may span: 0 for those of a warp, at least the threads of the thread block under a policy that
  /// manages them all (policy_scope::block). What a kernel reads of its lane and warp does not depend on it.
  std::uint32_t group_width = 0;

  [[nodiscard]] std::uint64_t num_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::uint64_t num_threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
};

/// What keeps a launch from running: sizes that are zero or too large or not what the kernel asks for, arguments that are
/// missing or do not fit. `lanes` is how many the mask type holds.
[[nodiscard]] inline diagnostics check_launch(const decoded_kernel& k, const launch_config& l, const arguments& args,
                                              std::uint32_t lanes = lane_mask::capacity) {
  diagnostics found;
  const auto three = [](const std::uint32_t(&s)[3]) {
    return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
  };
  for (int i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > (i == 0 ? 0x7FFF'FFFFU : 0xFFFFU)) {
      add_finding(found, {},
                  "a grid of " + three(l.grid) + " thread blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z");
      break;
    }
  }
  bool sizes_ok = true;
  for (const std::uint32_t size : l.block) sizes_ok = sizes_ok && size > 0 && size <= 1024;
  if (!sizes_ok || l.num_threads() > 1024)
    add_finding(found, {}, "a thread block of " + three(l.block) + " threads: it has 1 to 1024");
  if (sizes_ok && k.required_threads[0] != 0 &&
      (l.block[0] != k.required_threads[0] || l.block[1] != k.required_threads[1] ||
       l.block[2] != k.required_threads[2]))
    add_finding(found, {},
                "a thread block of " + three(l.block) + " threads, but kernel '" + k.name + "' requires " +
                    three(k.required_threads));
  const std::uint64_t most =
      std::uint64_t{k.max_threads[0]} * (k.max_threads[1] & 0xFFFFU) * (k.max_threads[2] & 0xFFFFU);
  if (sizes_ok && most != 0 && l.num_threads() > most)
    add_finding(
        found, {},
        "a thread block of " + three(l.block) + " threads, but kernel '" + k.name + "' allows " + std::to_string(most));
  if (l.warp_width == 0 || (l.group_width == 0 ? l.warp_width : l.group_width) > lanes)
    add_finding(found, {},
                "a warp of " + std::to_string(l.warp_width) + " lanes: it has 1 to " + std::to_string(lanes));
  if (l.dynamic_shared_bytes > max_shared_bytes) add_finding(found, {}, "more than 1 MiB of dynamic shared memory");
  if (args.size() != k.parameters.size()) add_finding(found, {}, "the arguments were made for another kernel");
  for (diagnostic& d : args.diagnostics()) add_finding(found, d.where, std::move(d.message));
  return found;
}

enum class fault_kind : std::uint8_t {
  none,
  out_of_bounds,  ///< the bytes are not all in one allocation, or outside shared, local or parameter memory
  misaligned,     ///< the address is no multiple of the access size
  read_only,      ///< a store to constant memory or a parameter
  trap            ///< the kernel says so itself
};

/// What a lane did that cannot be done.
struct fault_info {
  fault_kind kind = fault_kind::none;
  std::string kernel;
  std::string opcode;
  position where;  ///< in the PTX text
  block_id block = no_block;
  std::string block_name;
  std::uint32_t thread[3] = {0, 0, 0};
  std::uint32_t thread_block[3] = {0, 0, 0};
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  state_space space = state_space::generic;
  std::string hint;  ///< what lies near the address

  /// One sentence with everything in it.
  [[nodiscard]] std::string describe() const {
    if (kind == fault_kind::none) return "no fault";
    const auto three = [](const std::uint32_t(&s)[3]) {
      return "(" + std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]) + ")";
    };
    std::string s = "kernel '" + kernel + "', " + to_string(where) + ", " + block_name + ", thread " + three(thread) +
                    " of thread block " + three(thread_block) + ": '" + opcode + "' ";
    if (kind == fault_kind::trap) return s + "stops the kernel";
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    std::uint64_t v = address;
    do {
      hex.insert(hex.begin(), digits[v % 16]);
      v /= 16;
    } while (v != 0);
    s += kind == fault_kind::out_of_bounds ? "is out of bounds"
         : kind == fault_kind::misaligned  ? "is misaligned"
                                           : "writes to read-only memory";
    s += ": " + std::to_string(size) + (size == 1 ? " byte" : " bytes") + " at " +
         (space == state_space::generic ? std::string("generic") : "." + std::string(name_of(space))) + " address 0x" +
         hex;
    if (!hint.empty()) s += " (" + hint + ")";
    return s;
  }
};

/// A kernel on a launch, as a program for the executor. Use: begin_block for each thread block of the grid, then run as
/// the executor says.
template <class Mask = lane_mask>
class interpreter {
 public:
  /// \pre check_launch(k, launch, args, Mask::capacity) finds nothing; k and memory outlive the interpreter; nobody else
  /// allocates in the memory while it lives. Loads the kernel's variables into the memory if they are not there.
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args)
      : kernel_(&k), launch_(launch), memory_(&memory), parameters_(args.bytes().begin(), args.bytes().end()) {
    SIMTFLOW_EXPECTS(check_launch(k, launch, args, Mask::capacity).empty(), "the launch fits the kernel");
    memory.load(k.globals);
    threads_ = static_cast<std::uint32_t>(launch.num_threads());
    warps_ = (threads_ + launch.warp_width - 1) / launch.warp_width;
    group_width_ = launch.group_width == 0 ? launch.warp_width : launch.group_width;
    groups_ = (threads_ + group_width_ - 1) / group_width_;
    chunks_per_group_ = (group_width_ + lanes_per_chunk - 1) / lanes_per_chunk;
    const std::size_t chunks = std::size_t{groups_} * chunks_per_group_;
    file32_.assign(chunks * k.slots32 * chunk_lanes, 0);
    file64_.assign(chunks * k.slots64 * chunk_lanes, 0);
    predicates_.assign(chunks * k.predicates, 0);
    live_.assign(chunks, 0);
    hints_.assign(k.ops.size(), no_hint);
    constants32_.assign(k.constants32.size() * chunk_lanes, 0);
    constants64_.assign(k.constants64.size() * chunk_lanes, 0);
    dynamic_shared_ = (k.shared_bytes + k.dynamic_shared_align - 1) / k.dynamic_shared_align * k.dynamic_shared_align;
    shared_.assign(
        static_cast<std::size_t>(launch.dynamic_shared_bytes == 0 ? k.shared_bytes
                                                                  : dynamic_shared_ + launch.dynamic_shared_bytes),
        0);
    local_.assign(static_cast<std::size_t>(k.local_bytes) * chunks * chunk_lanes, 0);
    fill_constants();
  }

  /// Starts a thread block of the grid: registers, shared and local memory are zero, every thread is alive.
  /// \pre the coordinates are inside the grid.
  void begin_block(std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0) {
    SIMTFLOW_EXPECTS(x < launch_.grid[0] && y < launch_.grid[1] && z < launch_.grid[2], "a thread block of the grid");
    ctaid_[0] = x;
    ctaid_[1] = y;
    ctaid_[2] = z;
    fault_ = {};
    fill(file32_);
    fill(file64_);
    fill(predicates_);
    fill(shared_);
    fill(local_);
    for (std::size_t i = 0; i < kernel_->constants32.size(); ++i) {
      const decoded_constant& c = kernel_->constants32[i];
      if (c.kind == decoded_constant::what::special) splat(constants32_, i, launch_value(c.value));
    }
    for (std::uint32_t w = 0; w < groups_; ++w)
      for (std::uint32_t c = 0; c < chunks_per_group_; ++c) begin_chunk(w, c);
  }

  /// Thread blocks by their number: x runs fastest.
  void begin_block_number(std::uint64_t n) {
    SIMTFLOW_EXPECTS(n < launch_.num_blocks(), "a thread block of the grid");
    begin_block(static_cast<std::uint32_t>(n % launch_.grid[0]),
                static_cast<std::uint32_t>(n / launch_.grid[0] % launch_.grid[1]),
                static_cast<std::uint32_t>(n / launch_.grid[0] / launch_.grid[1]));
  }

  [[nodiscard]] std::uint32_t num_threads() const { return threads_; }
  [[nodiscard]] std::uint32_t num_warps() const { return warps_; }
  [[nodiscard]] std::uint32_t warp_width() const { return launch_.warp_width; }
  [[nodiscard]] std::uint32_t weight(block_id b) const { return kernel_->weight(b); }
  [[nodiscard]] const decoded_kernel& kernel() const { return *kernel_; }
  [[nodiscard]] const launch_config& launch() const { return launch_; }

  /// What went wrong when run() returned block_end::fault.
  [[nodiscard]] const fault_info& fault() const { return fault_; }

  /// The shared memory of the thread block, for inspection.
  [[nodiscard]] std::span<const unsigned char> shared_memory() const { return shared_; }

  /// A register of a thread, for inspection; its name must be unique in the kernel. Zero if there is none. Other threads
  /// of the warp may overwrite it once the thread has ended.
  /// \pre thread is less than num_threads().
  [[nodiscard]] std::uint64_t register_value(std::uint32_t thread, std::string_view name) const {
    const std::uint32_t lane = thread % group_width_;
    const std::size_t chunk = std::size_t{thread / group_width_} * chunks_per_group_ + lane / lanes_per_chunk;
    const std::size_t at = lane % lanes_per_chunk;
    for (const auto& [known, s] : kernel_->registers)
      if (known == name)
        return is_wide(s) ? file64_[(chunk * kernel_->slots64 + slot_index(s)) * chunk_lanes + at]
                          : file32_[(chunk * kernel_->slots32 + slot_index(s)) * chunk_lanes + at];
    for (const auto& [known, p] : kernel_->predicate_names)
      if (known == name) return (predicates_[chunk * kernel_->predicates + p] >> at) & 1U;
    return 0;
  }

  /// Runs a block for the lanes of a group (simt/program.hpp).
  /// \pre b is a block; the lanes are alive; the group is one of the launch: first_thread is warp * warp_width, or with a
  ///      group_width warp * group_width.
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && g.warp < groups_,
                     "a block of the kernel and a warp of the thread block");
    const decoded_block& block = kernel_->blocks[b];
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    std::uint32_t masks[max_chunks] = {};
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
      masks[c] = static_cast<std::uint32_t>(g.lanes.word(c / 2) >> (32 * (c % 2)));
    const decoded_op* op = kernel_->ops.data() + block.first_op;
    const decoded_op* const last = op + block.num_ops;
    if (chunks_per_group_ == 1) {
      lane_set s = lanes_of(first, masks[0], g.first_thread);
      for (; op != last; ++op)
        if (!execute(*op, s)) return fault_in(b);
    } else {
      lane_set sets[max_chunks];
      for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
        sets[c] = lanes_of(first + c, masks[c], g.first_thread + c * lanes_per_chunk);
      for (; op != last; ++op)
        for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
          if (sets[c].mask != 0 && !execute(*op, sets[c])) return fault_in(b);
    }
    return leave_block(b, block, first, masks, g, out);
  }

 private:
  static constexpr std::uint32_t lanes_per_chunk = static_cast<std::uint32_t>(chunk_lanes);
  static constexpr std::uint32_t max_chunks = Mask::capacity / lanes_per_chunk;
  static constexpr std::uint32_t no_hint = 0xFFFF'FFFFU;
  static constexpr std::uint32_t all_lanes = 0xFFFF'FFFFU;
  static constexpr std::uint64_t max_window = 0x7FFF'FFFF;  // offsets fit 32 bits with a bit to spare

  /// The lanes of a chunk that run, and where their registers are.
  struct lane_set {
    unsigned char* base[4] = {};  // by the top bits of a slot: 32-bit and 64-bit registers, 32-bit and 64-bit constants
    std::uint32_t* predicates = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t live = 0;
    std::uint32_t first_thread = 0;
    std::size_t first_lane = 0;  // of the chunk, counted over all chunks
  };

  /// A piece of memory that all lanes may access: lane i's bytes begin at data + i * stride.
  struct window {
    unsigned char* data = nullptr;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
  };

  template <class T>
  static void fill(std::vector<T>& v) {
    if (!v.empty()) std::memset(v.data(), 0, v.size() * sizeof(T));
  }
  template <class T>
  static void splat(std::vector<T>& list, std::size_t slot, std::uint64_t value) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) list[slot * chunk_lanes + i] = static_cast<T>(value);
  }

  std::uint64_t launch_value(std::uint64_t which) const {
    switch (static_cast<special_register>(which)) {
      case special_register::ntid_x:
        return launch_.block[0];
      case special_register::ntid_y:
        return launch_.block[1];
      case special_register::ntid_z:
        return launch_.block[2];
      case special_register::nctaid_x:
        return launch_.grid[0];
      case special_register::nctaid_y:
        return launch_.grid[1];
      case special_register::nctaid_z:
        return launch_.grid[2];
      case special_register::ctaid_x:
        return ctaid_[0];
      case special_register::ctaid_y:
        return ctaid_[1];
      case special_register::ctaid_z:
        return ctaid_[2];
      case special_register::nwarpid:
        return warps_;
      case special_register::warp_size:
        return launch_.warp_width;
      default:
        return 0;
    }
  }

  std::uint64_t constant_value(const decoded_constant& c) const {
    switch (c.kind) {
      case decoded_constant::what::special:
        return launch_value(c.value);
      case decoded_constant::what::address:
        return memory_->symbol(kernel_->globals[c.index].name) + c.value;
      case decoded_constant::what::dynamic_shared:
        return dynamic_shared_ + c.value;
      default:
        return c.value;
    }
  }
  void fill_constants() {
    for (std::size_t i = 0; i < kernel_->constants32.size(); ++i)
      splat(constants32_, i, constant_value(kernel_->constants32[i]));
    for (std::size_t i = 0; i < kernel_->constants64.size(); ++i)
      splat(constants64_, i, constant_value(kernel_->constants64[i]));
  }

  void begin_chunk(std::uint32_t group, std::uint32_t chunk) {
    const std::size_t at = std::size_t{group} * chunks_per_group_ + chunk;
    std::uint32_t alive = 0;
    for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) {
      const std::uint32_t lane = chunk * lanes_per_chunk + i;
      const std::uint32_t thread = group * group_width_ + lane;
      if (lane >= group_width_ || thread >= threads_) continue;
      alive |= std::uint32_t{1} << i;
      for (const auto& [which, s] : kernel_->specials) {
        std::uint32_t v = 0;
        switch (which) {
          case special_register::tid_x:
            v = thread % launch_.block[0];
            break;
          case special_register::tid_y:
            v = thread / launch_.block[0] % launch_.block[1];
            break;
          case special_register::tid_z:
            v = thread / launch_.block[0] / launch_.block[1];
            break;
          case special_register::laneid:
            v = thread % launch_.warp_width;
            break;
          default:
            v = thread / launch_.warp_width;
            break;
        }
        file32_[(at * kernel_->slots32 + slot_index(s)) * chunk_lanes + i] = v;
      }
    }
    live_[at] = alive;
  }

  lane_set lanes_of(std::size_t chunk, std::uint32_t mask, std::uint32_t first_thread) {
    lane_set s;
    s.base[0] = reinterpret_cast<unsigned char*>(file32_.data() + chunk * kernel_->slots32 * chunk_lanes);
    s.base[1] = reinterpret_cast<unsigned char*>(file64_.data() + chunk * kernel_->slots64 * chunk_lanes);
    s.base[2] = reinterpret_cast<unsigned char*>(constants32_.data());
    s.base[3] = reinterpret_cast<unsigned char*>(constants64_.data());
    s.predicates = predicates_.data() + chunk * kernel_->predicates;
    s.mask = mask;
    s.live = live_[chunk];
    s.first_thread = first_thread;
    s.first_lane = chunk * chunk_lanes;
    return s;
  }

  static constexpr std::size_t slot_bytes = chunk_lanes * sizeof(std::uint32_t);  // twice that if it is wide
  static void* destination(const lane_set& s, slot_ref r) {
    const std::uint32_t wide = (r >> 30) & 1U;
    return s.base[r >> 30] + ((std::size_t{slot_index(r)} * slot_bytes) << wide);
  }
  static const void* source(const lane_set& s, slot_ref r) { return destination(s, r); }

  static std::uint32_t lanes_where(const lane_set& s, predicate_ref p) {
    const std::uint32_t v = p.index == no_index ? all_lanes : s.predicates[p.index];
    return p.negated ? ~v : v;
  }

  // --- writing results -------------------------------------------------------------------------------------------

  static void merge32(std::uint32_t* to, const std::uint32_t* from, std::uint32_t mask) {
    std::uint32_t* __restrict d = to;
    const std::uint32_t* __restrict f = from;
    for (std::size_t i = 0; i < chunk_lanes; ++i) d[i] = (mask & detail::bit_of_lane.at[i]) != 0 ? f[i] : d[i];
  }
  static void merge64(std::uint64_t* to, const std::uint64_t* from, std::uint32_t mask) {
    std::uint64_t* __restrict d = to;
    const std::uint64_t* __restrict f = from;
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      d[i] = f[i];
    }
  }
  /// Lanes of a mask from an array that is not the register itself.
  static void deliver(const lane_set& s, slot_ref r, const void* from, std::uint32_t mask, bool full) {
    void* to = destination(s, r);
    if (is_wide(r)) {
      if (full)
        std::memcpy(to, from, chunk_lanes * sizeof(std::uint64_t));
      else
        merge64(static_cast<std::uint64_t*>(to), static_cast<const std::uint64_t*>(from), mask);
    } else if (full) {
      std::memcpy(to, from, chunk_lanes * sizeof(std::uint32_t));
    } else {
      merge32(static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), mask);
    }
  }

  static void flush_lanes(std::uint32_t* v) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) v[i] = detail::flush(v[i]);
  }
  template <class T>
  static void saturate_lanes(detail::slot<T>* v) {
    for (std::size_t i = 0; i < chunk_lanes; ++i)
      v[i] = detail::to_slot<T>(detail::saturate(detail::from_slot<T>(v[i])));
  }

  /// Operands without subnormals, in buffers of our own.
  void flush_operands(const decoded_op& op, const void* (&in)[4]) {
    for (std::size_t n = 0; n < 3; ++n) {
      if (((op.flush >> n) & 1U) == 0) continue;
      std::memcpy(flushed_[n], in[n], sizeof flushed_[n]);
      flush_lanes(flushed_[n]);
      in[n] = flushed_[n];
    }
  }

  // --- operations ------------------------------------------------------------------------------------------------

  /// Runs one operation; false if it faults.
  bool execute(const decoded_op& op, const lane_set& s) {
    std::uint32_t mask = s.mask;
    if (op.guard.index != no_index) {
      mask &= lanes_where(s, op.guard);
      if (mask == 0) return true;
    }
    const bool full = (s.live & ~mask) == 0;
    switch (op.kind) {
      case op_kind::light: {
        const bool plain = op.flush == 0 && !op.sat;
        if (full && plain && !op.in_place) {
          op.light(destination(s, op.result), source(s, op.source[0]), source(s, op.source[1]), source(s, op.source[2]),
                   source(s, op.source[3]));
          return true;
        }
        const void* in[4] = {source(s, op.source[0]), source(s, op.source[1]), source(s, op.source[2]),
                             source(s, op.source[3])};
        if (!plain) flush_operands(op, in);
        void* r = is_wide(op.result) ? static_cast<void*>(result64_) : result32_;
        op.light(r, in[0], in[1], in[2], in[3]);
        finish(op, s, r, mask, full);
        return true;
      }
      case op_kind::copy: {
        const void* from = source(s, op.source[0]);
        if (op.flush == 0 && !op.sat) {
          if (!op.in_place) deliver(s, op.result, from, mask, full);
          return true;
        }
        void* r = is_wide(op.result) ? static_cast<void*>(result64_) : result32_;
        std::memcpy(r, from, chunk_lanes * (is_wide(op.result) ? 8 : 4));
        if ((op.flush & 1U) != 0) flush_lanes(result32_);
        finish(op, s, r, mask, full);
        return true;
      }
      case op_kind::each: {
        const void* in[4] = {source(s, op.source[0]), source(s, op.source[1]), source(s, op.source[2]),
                             source(s, op.source[3])};
        if (op.flush == 0 && !op.sat) {
          op.each(destination(s, op.result), in[0], in[1], in[2], in[3], mask);
          return true;
        }
        flush_operands(op, in);
        void* r = is_wide(op.result) ? static_cast<void*>(result64_) : result32_;
        op.each(r, in[0], in[1], in[2], in[3], mask);
        finish(op, s, r, mask, false);
        return true;
      }
      case op_kind::compare: {
        const std::uint32_t holds = compare(op, s);
        const std::uint32_t with = lanes_where(s, op.predicate[0]);
        if (op.result != no_slot) write_predicate(s, op.result, combine(op.combine, holds, with), mask);
        if (op.second != no_index) write_predicate(s, op.second, combine(op.combine, ~holds, with), mask);
        return true;
      }
      case op_kind::set: {
        const std::uint32_t holds = combine(op.combine, compare(op, s), lanes_where(s, op.predicate[0]));
        const std::uint32_t yes = op.type == scalar_type::f32 ? std::bit_cast<std::uint32_t>(1.0F) : all_lanes;
        for (std::size_t i = 0; i < chunk_lanes; ++i)
          result32_[i] = (holds & detail::bit_of_lane.at[i]) != 0 ? yes : 0U;
        deliver(s, op.result, result32_, mask, full);
        return true;
      }
      case op_kind::select:
        select(op, s, mask, full);
        return true;
      case op_kind::predicate: {
        const std::uint32_t a = lanes_where(s, op.predicate[0]);
        write_predicate(s, op.result, combine(op.combine, a, lanes_where(s, op.predicate[1])), mask);
        return true;
      }
      case op_kind::pack:
      case op_kind::unpack:
        move_parts(op, s, mask);
        return true;
      case op_kind::load:
        return access<false>(op, s, mask, full);
      case op_kind::store:
        return access<true>(op, s, mask, full);
      case op_kind::atomic:
        return atomic(op, s, mask);
    }
    return true;
  }

  void finish(const decoded_op& op, const lane_set& s, void* r, std::uint32_t mask, bool full) {
    if ((op.flush & 0x80U) != 0) flush_lanes(result32_);
    if (op.sat) {
      if (is_wide(op.result))
        saturate_lanes<double>(result64_);
      else
        saturate_lanes<float>(result32_);
    }
    deliver(s, op.result, r, mask, full);
  }

  std::uint32_t compare(const decoded_op& op, const lane_set& s) {
    const void* in[4] = {source(s, op.source[0]), source(s, op.source[1]), nullptr, nullptr};
    if (op.flush != 0) flush_operands(op, in);
    return op.compare(in[0], in[1]);
  }
  static std::uint32_t combine(boolean_op how, std::uint32_t a, std::uint32_t b) {
    switch (how) {
      case boolean_op::and_:
        return a & b;
      case boolean_op::or_:
        return a | b;
      case boolean_op::xor_:
        return a ^ b;
      default:
        return a;
    }
  }
  static void write_predicate(const lane_set& s, std::uint32_t p, std::uint32_t value, std::uint32_t mask) {
    s.predicates[p] = (s.predicates[p] & ~mask) | (value & mask);
  }

  void select(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t first = lanes_where(s, op.predicate[0]);
    const bool direct = full && !op.in_place;
    if (is_wide(op.result)) {
      const auto* a = static_cast<const std::uint64_t*>(source(s, op.source[0]));
      const auto* b = static_cast<const std::uint64_t*>(source(s, op.source[1]));
      auto* r = static_cast<std::uint64_t*>(destination(s, op.result));
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        r[i] = ((first >> i) & 1U) != 0 ? a[i] : b[i];
      }
      return;
    }
    const std::uint32_t* __restrict a = static_cast<const std::uint32_t*>(source(s, op.source[0]));
    const std::uint32_t* __restrict b = static_cast<const std::uint32_t*>(source(s, op.source[1]));
    std::uint32_t* __restrict r = direct ? static_cast<std::uint32_t*>(destination(s, op.result)) : result32_;
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      const std::uint32_t yes = a[i];
      const std::uint32_t no = b[i];
      r[i] = (first & detail::bit_of_lane.at[i]) != 0 ? yes : no;
    }
    if (!direct) deliver(s, op.result, result32_, mask, full);
  }

  std::uint64_t read_lane(const lane_set& s, slot_ref r, std::size_t lane) const {
    return is_wide(r) ? static_cast<const std::uint64_t*>(source(s, r))[lane]
                      : static_cast<const std::uint32_t*>(source(s, r))[lane];
  }
  static void write_lane(const lane_set& s, slot_ref r, std::size_t lane, std::uint64_t value) {
    if (is_wide(r))
      static_cast<std::uint64_t*>(destination(s, r))[lane] = value;
    else
      static_cast<std::uint32_t*>(destination(s, r))[lane] = static_cast<std::uint32_t>(value);
  }

  void move_parts(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const slot_ref* parts = kernel_->lists.data() + op.list;
    const std::uint32_t bits = 8U * op.size;
    const std::uint64_t part_mask = (std::uint64_t{1} << bits) - 1;  // a part has at most 32 bits
    for (; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
      if (op.kind == op_kind::pack) {
        std::uint64_t whole = 0;
        for (std::uint32_t n = 0; n < op.count; ++n) whole |= (read_lane(s, parts[n], lane) & part_mask) << (bits * n);
        write_lane(s, op.result, lane, whole);
      } else {
        const std::uint64_t whole = read_lane(s, op.source[0], lane);
        for (std::uint32_t n = 0; n < op.count; ++n)
          if (parts[n] != no_slot) write_lane(s, parts[n], lane, (whole >> (bits * n)) & part_mask);
      }
    }
  }

  // --- memory ----------------------------------------------------------------------------------------------------

  void addresses(const decoded_op& op, const lane_set& s, std::uint64_t* __restrict out) const {
    const void* base = source(s, op.source[0]);
    if (is_wide(op.source[0])) {
      const auto* a = static_cast<const std::uint64_t*>(base);
      const std::uint64_t offset = op.offset;
      for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
    } else {
      const auto* a = static_cast<const std::uint32_t*>(base);
      const auto offset = static_cast<std::uint32_t>(op.offset);
      for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
    }
  }

  window local_of(const lane_set& s, std::uint64_t base) {
    return {local_.data() + s.first_lane * static_cast<std::size_t>(kernel_->local_bytes), base, kernel_->local_bytes,
            kernel_->local_bytes};
  }

  /// Memory that the lanes probably all access; size 0 if there is none.
  window likely_window(const decoded_op& op, const lane_set& s, std::uint64_t address, bool write) {
    switch (op.space) {
      case state_space::shared:
        return {shared_.data(), 0, shared_.size(), 0};
      case state_space::param:
        return write ? window{} : window{parameters_.data(), 0, parameters_.size(), 0};
      case state_space::local:
        return local_of(s, 0);
      default:
        break;
    }
    if (op.space == state_space::generic) {
      if (address - shared_window < window_bytes) return {shared_.data(), shared_window, shared_.size(), 0};
      if (address - local_window < window_bytes) return local_of(s, local_window);
    }
    allocation* a = allocation_at(op, address);
    if (a == nullptr || (write && a->constant) || (op.space == state_space::constant && !a->constant)) return {};
    return {a->bytes.data(), a->address, a->bytes.size(), 0};
  }

  /// The allocation an address lies in, tried first where the operation found the last one.
  allocation* allocation_at(const decoded_op& op, std::uint64_t address) {
    std::uint32_t& hint = hints_[static_cast<std::size_t>(&op - kernel_->ops.data())];
    const std::span<allocation> list = memory_->allocations();
    if (hint == no_hint || address - list[hint].address >= list[hint].bytes.size()) {
      const std::size_t found = memory_->index_of(address, 1);
      if (found == device_memory::none) return nullptr;
      hint = static_cast<std::uint32_t>(found);
    }
    return &list[hint];
  }

  /// Offsets of all lanes in a window; false if a lane that counts is outside or misaligned. Lanes that are switched off
  /// take the first lane's offset, so they are inside, too.
  template <class Word>
  static bool offsets_in(const Word* __restrict base, Word add, const window& w, std::uint32_t bytes,
                         std::uint32_t mask, std::size_t first, std::uint32_t* __restrict out) {
    alignas(64) Word at[chunk_lanes];
    for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = base[i] + add;
    if (mask != all_lanes) {
      const Word instead = at[first];
      for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = (mask & detail::bit_of_lane.at[i]) != 0 ? at[i] : instead;
    }
    const auto limit = static_cast<Word>(w.size - bytes);
    Word outside = 0;
    Word skewed = 0;
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      outside |= at[i] | (limit - at[i]);  // the top bit: beyond the limit
      skewed |= at[i];
      out[i] = static_cast<std::uint32_t>(at[i]);
    }
    return (outside >> (8 * sizeof(Word) - 1)) == 0 && (skewed & (bytes - 1)) == 0;
  }

  /// ld and st of any vector width.
  template <bool Write>
  bool access(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    if (!Write && is_constant(op.source[0]) && op.space != state_space::local && op.space != state_space::generic)
      return uniform_load(op, s, mask, full, bytes);
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const bool wide = is_wide(op.source[0]);
    const void* base = source(s, op.source[0]);
    const std::uint64_t first_address =
        wide ? static_cast<const std::uint64_t*>(base)[first] + op.offset
             : static_cast<const std::uint32_t*>(base)[first] + static_cast<std::uint32_t>(op.offset);
    const window w = likely_window(op, s, first_address, Write);
    if (w.size < bytes || w.size > max_window || (mask & (mask - 1)) == 0) return one_by_one<Write>(op, s, mask, bytes);
    alignas(64) std::uint32_t at[chunk_lanes];
    // Bases of windows are multiples of every access size, so offsets are aligned as addresses are.
    const bool inside =
        wide ? offsets_in<std::uint64_t>(static_cast<const std::uint64_t*>(base), op.offset - w.base, w, bytes, mask,
                                         first, at)
             : offsets_in<std::uint32_t>(static_cast<const std::uint32_t*>(base),
                                         static_cast<std::uint32_t>(op.offset - w.base), w, bytes, mask, first, at);
    if (!inside) return one_by_one<Write>(op, s, mask, bytes);
    if (w.stride != 0)
      for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) at[i] += static_cast<std::uint32_t>(w.stride) * i;
    const slot_ref* data = kernel_->lists.data() + op.list;
    for (std::uint32_t n = 0; n < op.count; ++n) {
      if (data[n] == no_slot) continue;
      unsigned char* p = w.data + std::size_t{n} * op.size;
      switch (op.size) {
        case 1:
          move_lanes<Write, std::uint8_t>(op, s, p, at, data[n], mask, full);
          break;
        case 2:
          move_lanes<Write, std::uint16_t>(op, s, p, at, data[n], mask, full);
          break;
        case 4:
          move_lanes<Write, std::uint32_t>(op, s, p, at, data[n], mask, full);
          break;
        default:
          move_lanes<Write, std::uint64_t>(op, s, p, at, data[n], mask, full);
          break;
      }
    }
    return true;
  }

  template <class T>
  static std::uint64_t extend(T v, bool sign) {
    if (!sign) return v;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<T>>(v)));
  }

  template <class T, class Slot>
  static void gather(Slot* __restrict out, const unsigned char* data, const std::uint32_t* __restrict at, bool sign) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      T v;
      std::memcpy(&v, data + at[i], sizeof v);
      if constexpr (sizeof(T) == sizeof(Slot))
        out[i] = v;
      else
        out[i] = static_cast<Slot>(extend(v, sign));
    }
  }

  template <bool Write, class T>
  void move_lanes(const decoded_op& op, const lane_set& s, unsigned char* p, const std::uint32_t* at, slot_ref data,
                  std::uint32_t mask, bool full) {
    const std::uint32_t start = at[0];
    if (sizeof(T) == 4 && mask == all_lanes && !is_wide(data)) {
      // The common case: neighbours in a row, a plain copy.
      std::uint32_t scattered = 0;
      for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) scattered |= at[i] ^ (start + 4 * i);
      if (scattered == 0) {
        if constexpr (Write)
          std::memcpy(p + start, source(s, data), 4 * chunk_lanes);
        else
          std::memcpy(destination(s, data), p + start, 4 * chunk_lanes);
        return;
      }
    }
    if constexpr (Write) {
      if (is_wide(data)) {
        const auto* from = static_cast<const std::uint64_t*>(source(s, data));
        for (; mask != 0; mask &= mask - 1) scatter<T>(p, at, from, static_cast<std::size_t>(std::countr_zero(mask)));
      } else {
        const auto* from = static_cast<const std::uint32_t*>(source(s, data));
        if (mask == all_lanes)
          for (std::size_t i = 0; i < chunk_lanes; ++i) scatter<T>(p, at, from, i);
        else
          for (; mask != 0; mask &= mask - 1) scatter<T>(p, at, from, static_cast<std::size_t>(std::countr_zero(mask)));
      }
    } else if (is_wide(data)) {
      auto* r = full ? static_cast<std::uint64_t*>(destination(s, data)) : result64_;
      gather<T>(r, p, at, op.sign);
      if (!full) deliver(s, data, r, mask, false);
    } else {
      auto* r = full ? static_cast<std::uint32_t*>(destination(s, data)) : result32_;
      gather<T>(r, p, at, op.sign);
      if (!full) deliver(s, data, r, mask, false);
    }
  }
  template <class T, class Slot>
  static void scatter(unsigned char* p, const std::uint32_t* at, const Slot* from, std::size_t i) {
    const T v = static_cast<T>(from[i]);
    std::memcpy(p + at[i], &v, sizeof v);
  }

  static std::uint64_t load_bytes(const unsigned char* p, std::uint32_t size, bool sign) {
    std::uint64_t v = 0;
    std::memcpy(&v, p, size);
    if (sign && size < 8) {
      const std::uint64_t top = std::uint64_t{1} << (8 * size - 1);
      v = (v ^ top) - top;
    }
    return v;
  }

  /// All lanes load from one address that the text names.
  bool uniform_load(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full, std::uint32_t bytes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint64_t address = read_lane(s, op.source[0], 0) + op.offset;
    const unsigned char* p = resolve(op, s, first, address, bytes, false);
    if (p == nullptr) return false;
    const slot_ref* data = kernel_->lists.data() + op.list;
    for (std::uint32_t n = 0; n < op.count; ++n) {
      if (data[n] == no_slot) continue;
      const std::uint64_t v = load_bytes(p + std::size_t{n} * op.size, op.size, op.sign);
      if (is_wide(data[n])) {
        for (std::size_t i = 0; i < chunk_lanes; ++i) result64_[i] = v;
        deliver(s, data[n], result64_, mask, full);
      } else {
        for (std::size_t i = 0; i < chunk_lanes; ++i) result32_[i] = static_cast<std::uint32_t>(v);
        deliver(s, data[n], result32_, mask, full);
      }
    }
    return true;
  }

  /// Each lane for itself: different allocations, single lanes, faults.
  template <bool Write>
  bool one_by_one(const decoded_op& op, const lane_set& s, std::uint32_t mask, std::uint32_t bytes) {
    std::uint64_t at[chunk_lanes];
    addresses(op, s, at);
    const slot_ref* data = kernel_->lists.data() + op.list;
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, at[i], bytes, Write);
      if (p == nullptr) return false;
      for (std::uint32_t n = 0; n < op.count; ++n) {
        if (data[n] == no_slot) continue;
        if constexpr (Write) {
          const std::uint64_t v = read_lane(s, data[n], i);
          std::memcpy(p + std::size_t{n} * op.size, &v, op.size);
        } else {
          write_lane(s, data[n], i, load_bytes(p + std::size_t{n} * op.size, op.size, op.sign));
        }
      }
    }
    return true;
  }

  /// The bytes of one lane's access; null and a fault if there are none.
  unsigned char* resolve(const decoded_op& op, const lane_set& s, std::size_t lane, std::uint64_t address,
                         std::uint32_t bytes, bool write) {
    state_space space = op.space;
    std::uint64_t offset = address;
    if (space == state_space::generic) {
      if (address - shared_window < window_bytes) {
        space = state_space::shared;
        offset = address - shared_window;
      } else if (address - local_window < window_bytes) {
        space = state_space::local;
        offset = address - local_window;
      } else {
        space = state_space::global;
      }
    }
    const auto inside = [&](std::uint64_t size) { return offset <= size && bytes <= size - offset; };
    unsigned char* p = nullptr;
    fault_kind problem = fault_kind::out_of_bounds;
    switch (space) {
      case state_space::shared:
        if (inside(shared_.size())) p = shared_.data() + offset;
        break;
      case state_space::local:
        if (inside(kernel_->local_bytes))
          p = local_.data() + (s.first_lane + lane) * static_cast<std::size_t>(kernel_->local_bytes) + offset;
        break;
      case state_space::param:
        if (write)
          problem = fault_kind::read_only;
        else if (inside(parameters_.size()))
          p = parameters_.data() + offset;
        break;
      default: {
        allocation* a = allocation_at(op, address);
        if (a == nullptr) break;
        offset = address - a->address;
        if (!inside(a->bytes.size()) || (space == state_space::constant && !a->constant)) break;
        if (write && a->constant)
          problem = fault_kind::read_only;
        else
          p = a->bytes.data() + offset;
        break;
      }
    }
    if (p != nullptr && (address & (bytes - 1)) != 0) {
      problem = fault_kind::misaligned;
      p = nullptr;
    }
    if (p == nullptr)
      record(problem, op.instruction, s.first_thread + static_cast<std::uint32_t>(lane), address, bytes, op.space);
    return p;
  }

  bool atomic(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t at[chunk_lanes];
    addresses(op, s, at);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, at[i], op.size, true);
      if (p == nullptr) return false;
      const std::uint64_t old = load_bytes(p, op.size, false);
      const std::uint64_t b = read_lane(s, op.source[1], i);
      const std::uint64_t c = op.source[2] == no_slot ? 0 : read_lane(s, op.source[2], i);
      const std::uint64_t fresh = updated(op, old, b, c);
      std::memcpy(p, &fresh, op.size);
      if (op.result != no_slot) write_lane(s, op.result, i, old);
    }
    return true;
  }

  static std::uint64_t updated(const decoded_op& op, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
    switch (op.type) {
      case scalar_type::f32:
        return std::bit_cast<std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(old)) +
                                            std::bit_cast<float>(static_cast<std::uint32_t>(b)));
      case scalar_type::f64:
        return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
      case scalar_type::s32:
        return static_cast<std::uint32_t>(updated_integer(op.atomic, static_cast<std::int32_t>(old),
                                                          static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)));
      case scalar_type::s64:
        return static_cast<std::uint64_t>(updated_integer(op.atomic, static_cast<std::int64_t>(old),
                                                          static_cast<std::int64_t>(b), static_cast<std::int64_t>(c)));
      case scalar_type::u32:
      case scalar_type::b32:
        return updated_integer(op.atomic, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(b),
                               static_cast<std::uint32_t>(c));
      default:
        return updated_integer(op.atomic, old, b, c);
    }
  }
  template <class T>
  static T updated_integer(atomic_op how, T old, T b, T c) {
    switch (how) {
      case atomic_op::add:
        return detail::i_add<T>(old, b);
      case atomic_op::min:
        return detail::i_min<T>(old, b);
      case atomic_op::max:
        return detail::i_max<T>(old, b);
      case atomic_op::exch:
        return b;
      case atomic_op::cas:
        return old == b ? c : old;
      case atomic_op::and_:
        return static_cast<T>(old & b);
      case atomic_op::or_:
        return static_cast<T>(old | b);
      case atomic_op::xor_:
        return static_cast<T>(old ^ b);
      case atomic_op::inc:
        return old >= b ? T{0} : static_cast<T>(old + 1);
      case atomic_op::dec:
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
      default:
        return old;
    }
  }

  // --- ends of blocks --------------------------------------------------------------------------------------------

  Mask mask_from(const std::uint32_t* words) const {
    if constexpr (Mask::capacity == 64) {
      std::uint64_t bits = words[0];
      if (chunks_per_group_ > 1) bits |= std::uint64_t{words[1]} << 32;
      return Mask(bits);
    } else {
      Mask m;
      for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
        for (std::uint32_t rest = words[c]; rest != 0; rest &= rest - 1)
          m.set(c * lanes_per_chunk + static_cast<std::uint32_t>(std::countr_zero(rest)));
      return m;
    }
  }

  block_end leave_block(block_id b, const decoded_block& block, std::size_t first, const std::uint32_t* masks,
                        const basic_group<Mask>& g, basic_partition<Mask>& out) {
    if (block.end == block_exit::fall || block.end == block_exit::barrier) {
      out.go(block.next, g.lanes);
      return block.end == block_exit::barrier ? block_end::barrier : block_end::next;
    }
    std::uint32_t taken[max_chunks] = {};
    std::uint32_t rest[max_chunks] = {};
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      std::uint32_t holds = all_lanes;
      if (block.guard.index != no_index) {
        holds = predicates_[(first + c) * kernel_->predicates + block.guard.index];
        if (block.guard.negated) holds = ~holds;
      }
      taken[c] = masks[c] & holds;
      rest[c] = masks[c] & ~holds;
      if (block.end == block_exit::leave) live_[first + c] &= ~taken[c];
      if (block.end == block_exit::trap && taken[c] != 0) {
        const std::uint32_t lane = c * lanes_per_chunk + static_cast<std::uint32_t>(std::countr_zero(taken[c]));
        record(fault_kind::trap, block.last_instruction, g.first_thread + lane, 0, 0, state_space::generic);
        return fault_in(b);
      }
    }
    if (block.end == block_exit::branch) out.go(block.target, mask_from(taken));
    if (block.next != no_block) out.go(block.next, mask_from(rest));
    return block_end::next;
  }

  void record(fault_kind kind, std::uint32_t instruction, std::uint32_t thread, std::uint64_t address,
              std::uint32_t size, state_space space) {
    fault_ = {};
    fault_.kind = kind;
    fault_.kernel = kernel_->name;
    fault_.opcode = kernel_->opcodes[instruction];
    fault_.where = kernel_->positions[instruction];
    fault_.thread[0] = thread % launch_.block[0];
    fault_.thread[1] = thread / launch_.block[0] % launch_.block[1];
    fault_.thread[2] = thread / launch_.block[0] / launch_.block[1];
    for (int i = 0; i < 3; ++i) fault_.thread_block[i] = ctaid_[i];
    fault_.address = address;
    fault_.size = size;
    fault_.space = space;
    if (kind != fault_kind::out_of_bounds) return;
    if (space == state_space::shared) {
      fault_.hint = "shared memory has " + std::to_string(shared_.size()) + " bytes";
    } else if (space == state_space::local) {
      fault_.hint = "a thread's local memory has " + std::to_string(kernel_->local_bytes) + " bytes";
    } else if (space == state_space::param) {
      fault_.hint = "the parameters have " + std::to_string(parameters_.size()) + " bytes";
    } else {
      fault_.hint = nearby(address);
    }
  }

  /// What lies within 64 KiB of an address that no allocation holds.
  std::string nearby(std::uint64_t address) const {
    constexpr std::uint64_t near = 0x1'0000;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    const std::size_t below = memory_->at_or_below(address);
    // Behind the end, or across it.
    if (below != device_memory::none && address - list[below].address < list[below].bytes.size() + near)
      return "byte " + std::to_string(address - list[below].address) + " of '" + list[below].name + "', which has " +
             std::to_string(list[below].bytes.size());
    const std::size_t above = below == device_memory::none ? 0 : below + 1;
    if (above < list.size() && list[above].address - address < near)
      return std::to_string(list[above].address - address) + " bytes before '" + list[above].name + "'";
    return "no allocation is near";
  }

  block_end fault_in(block_id b) {
    fault_.block = b;
    fault_.block_name = kernel_->block_name(b);
    return block_end::fault;
  }

  const decoded_kernel* kernel_;
  launch_config launch_;
  device_memory* memory_;
  std::vector<unsigned char> parameters_;
  std::uint32_t threads_ = 0;
  std::uint32_t warps_ = 0;
  std::uint32_t group_width_ = 0, groups_ = 0;
  std::uint32_t chunks_per_group_ = 1;
  std::uint32_t ctaid_[3] = {0, 0, 0};
  std::vector<std::uint32_t> file32_;
  std::vector<std::uint64_t> file64_;
  std::vector<std::uint32_t> predicates_;
  std::vector<std::uint32_t> live_;
  std::vector<std::uint32_t> hints_;  // by operation: the allocation it accessed last
  std::vector<std::uint32_t> constants32_;
  std::vector<std::uint64_t> constants64_;
  std::vector<unsigned char> shared_;
  std::vector<unsigned char> local_;
  std::uint64_t dynamic_shared_ = 0;
  fault_info fault_;
  alignas(64) std::uint32_t result32_[chunk_lanes] = {};
  alignas(64) std::uint64_t result64_[chunk_lanes] = {};
  alignas(64) std::uint32_t flushed_[3][chunk_lanes] = {};
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Runs a decoded kernel: a lockstep program (simt/program.hpp) over one thread block at a time. The executor says which
// lanes of which warp run which block; the interpreter runs the block's operations for those lanes together, over
// arrays of 32 lanes, and says where each lane goes.
//
//   chunk  32 lanes of a group (the last one may be part empty); its registers lie together
//   full   a mask that holds every lane of the chunk that has not ended: results then go straight to the register
//
// Memory is sequentially consistent: operations of a warp happen in order, lanes of one operation from low to high.
// Registers, shared and local memory start as zero in every thread block. Every access is checked for bounds and
// alignment; a fault ends the run and says which thread did what.
//
// Calls: where a thread returns to is on a stack of its own, whatever group it runs in. A function has one set of
// registers for each thread; when it is called while it is active in the thread, the old values are put away until the
// call returns. Nothing of that costs a kernel that calls nothing.
//
// Exchange between lanes (shfl, vote, match, redux, elect, bar.warp.sync; ptx/warp_ops.hpp): the lanes that a member
// mask names and that have not ended must run the instruction together, with the same mask; if the policy has them
// apart, that is a fault, never a partial result.
//
// The clock counts instructions that the thread block has issued; %globaltimer is the same number. A kernel that reads
// it takes paths that depend on the policy.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "State Spaces", "Special Registers", "Parallel
// Synchronization and Communication Instructions".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/atomics.hpp>
#include <simtflow/ptx/decode.hpp>
#include <simtflow/ptx/decoded_kernel.hpp>
#include <simtflow/ptx/fault.hpp>
#include <simtflow/ptx/lanes.hpp>
#include <simtflow/ptx/launch.hpp>
#include <simtflow/ptx/memory.hpp>
#include <simtflow/ptx/module.hpp>
#include <simtflow/ptx/printf.hpp>
#include <simtflow/ptx/warp_ops.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/program.hpp>

#include <atomic>
#include <bit>
#include <concepts>
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

/// Observes no memory access.
struct no_access_observer {
  template <class Event>
  void operator()(const Event&) const {}
};

/// A kernel on a launch, as a program for the executor. Use: begin_block for each thread block of the grid, then run as
/// the executor says.
///
/// An Observer is called with an event::memory_access<Mask> (simt/observers/memory_metrics.hpp) for every load, store
/// and atomic to global and shared memory, before it happens: one event for the lanes of a group, two if their generic
/// addresses go to both. Constants, parameters and local memory are not reported. Without an observer it costs nothing.
template <class Mask = lane_mask, class Observer = no_access_observer>
class interpreter {
 public:
  /// \pre check_launch(k, launch, args, Mask::capacity) finds nothing; k, memory and the observer outlive the
  /// interpreter; nobody else allocates in the memory while it lives. Loads the kernel's variables into the memory if
  /// they are not there.
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory,
              const arguments& args) requires(std::same_as<Observer, no_access_observer>)
      : interpreter(k, launch, memory, args, nothing_observed()) {}
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args,
              Observer& observer)
      : kernel_(&k),
        launch_(launch),
        memory_(&memory),
        observer_(&observer),
        parameters_(args.bytes().begin(), args.bytes().end()) {
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
    stack_begin_ = (k.local_bytes + 15) / 16 * 16;
    local_size_ = k.frames_grow ? stack_begin_ + launch.stack_bytes : k.local_bytes;
    local_.assign(static_cast<std::size_t>(local_size_) * chunks * chunk_lanes, 0);
    stack_used_ = local_size_;
    depth_.assign(threads_, 0);
    bool recursive = false;
    for (const decoded_function& f : k.functions) recursive = recursive || f.recursive;
    if (recursive) {
      active_.assign(k.functions.size() * threads_, 0);
      top_.assign(threads_, static_cast<std::uint32_t>(stack_begin_));
      put_away_.assign(threads_, {});
    }
    if (group_width_ != launch.warp_width && launch.warp_width < lanes_per_chunk) piece_ = launch.warp_width;
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
    clear_local();
    fill(depth_);
    fill(active_);
    for (std::uint32_t& t : top_) t = static_cast<std::uint32_t>(stack_begin_);
    for (std::vector<std::uint64_t>& p : put_away_) p.clear();
    reductions_.clear();
    free_reductions_.clear();
    clock_ = 0;
    for (std::size_t i = 0; i < kernel_->constants32.size(); ++i) {
      const decoded_constant& c = kernel_->constants32[i];
      if (c.kind == decoded_constant::what::special) splat(constants32_, i, launch_value(c.value));
    }
    for (std::size_t i = 0; i < kernel_->constants64.size(); ++i) {
      const decoded_constant& c = kernel_->constants64[i];
      if (c.kind == decoded_constant::what::special) splat(constants64_, i, launch_value(c.value));
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

  /// Threads and warps of a thread block, and threads of a warp. O(1).
  [[nodiscard]] std::uint32_t num_threads() const { return threads_; }
  [[nodiscard]] std::uint32_t num_warps() const { return warps_; }
  [[nodiscard]] std::uint32_t warp_width() const { return launch_.warp_width; }
  /// Instructions that block b stands for.
  [[nodiscard]] std::uint32_t weight(block_id b) const { return kernel_->weight(b); }
  /// What runs, and on what launch. Valid as long as the kernel and the interpreter.
  [[nodiscard]] const decoded_kernel& kernel() const { return *kernel_; }
  [[nodiscard]] const launch_config& launch() const { return launch_; }

  /// The barrier that block b ends in, and for how many threads it opens (0: all of the thread block). Where a register
  /// says so, it is what the lanes that ran last said.
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const {
    const slot_ref s = barrier_of(b).id;
    return is_constant(s) ? constant_of(s) : barrier_id_;
  }
  /// \pre block b ends in a barrier.
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const {
    const slot_ref s = barrier_of(b).count;
    return s == no_slot ? 0 : is_constant(s) ? constant_of(s) : barrier_count_;
  }

  /// The call depth by thread, for policies that order by it. Valid as long as the interpreter.
  [[nodiscard]] std::span<const std::uint32_t> depths() const& { return depth_; }
  void depths() && = delete;

  /// What the kernel has printed, in the order in which it ran: for each thread in order. O(1).
  [[nodiscard]] std::span<const printed_text> printed() const { return printed_; }
  /// Whether it printed more than max_printed_bytes; what came after that is lost.
  [[nodiscard]] bool lost_output() const { return lost_output_; }
  /// Forgets what was printed.
  void forget_output() {
    printed_.clear();
    printed_bytes_ = 0;
    lost_output_ = false;
  }
  /// What printed() holds at most.
  static constexpr std::size_t max_printed_bytes = std::size_t{16} << 20;

  /// Other interpreters run thread blocks on the same memory at the same time: atomics on global memory then are atomic
  /// among them, too.
  void share_memory(bool shared) { memory_is_shared_ = shared; }

  /// For livelock detection: notes registers, memory, stacks and, if the kernel reads it, the clock. O(all of them).
  void remember() {
    noted_.file32 = file32_;
    noted_.file64 = file64_;
    noted_.predicates = predicates_;
    noted_.shared = shared_;
    noted_.local = local_;
    noted_.depth = depth_;
    noted_.returns = returns_;
    noted_.put_away = put_away_;
    noted_.reductions = reductions_;
    noted_.printed = printed_bytes_;
    noted_.clock = clock_;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    noted_.global.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant) noted_.global[i] = list[i].bytes;
  }
  /// Whether all of it is as it was. Stops at the first difference; registers come first.
  [[nodiscard]] bool as_remembered() const {
    if (kernel_->reads_clock && clock_ != noted_.clock) return false;
    if (predicates_ != noted_.predicates || file32_ != noted_.file32 || file64_ != noted_.file64) return false;
    if (depth_ != noted_.depth || shared_ != noted_.shared || local_ != noted_.local) return false;
    if (printed_bytes_ != noted_.printed || reductions_ != noted_.reductions) return false;
    for (std::size_t t = 0; t < depth_.size(); ++t)
      for (std::size_t level = 0; level < depth_[t]; ++level)
        if (returns_[level * threads_ + t] != noted_.returns[level * threads_ + t]) return false;
    if (put_away_ != noted_.put_away) return false;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    if (list.size() != noted_.global.size()) return false;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant && list[i].bytes != noted_.global[i]) return false;
    return true;
  }

  /// What went wrong when run() returned block_end::fault.
  [[nodiscard]] const fault_info& fault() const { return fault_; }

  /// The shared memory of the thread block, for inspection.
  [[nodiscard]] std::span<const unsigned char> shared_memory() const { return shared_; }

  /// A register of a thread, for inspection; its name must be unique in the kernel. Zero if there is none. Other
  /// threads of the warp may overwrite it once the thread has ended.
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
  /// \pre b is a block; the lanes are alive; the group is one of the launch: first_thread is warp * warp_width, or with
  ///      a group_width warp * group_width.
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && g.warp < groups_,
                     "a block of the kernel and a warp of the thread block");
    const decoded_block& block = kernel_->blocks[b];
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    std::uint32_t masks[max_chunks] = {};
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
      masks[c] = static_cast<std::uint32_t>(g.lanes.word(c / 2) >> (32 * (c % 2)));
    if (kernel_->reads_clock) clock_at_ = clock_ - (std::uint64_t{block.last_instruction} + 1 - block.weight);
    const decoded_op* op = kernel_->ops.data() + block.first_op;
    const decoded_op* const last = op + block.num_ops;
    if (chunks_per_group_ == 1) {
      const lane_set s = lanes_of(first, masks[0], g.first_thread);
      const bool full = (s.live & ~s.mask) == 0;
      for (; op != last; ++op) {
        if constexpr (observed) observe(*op, &s, 1, b, g);
        if (op->plain)
          execute_plain(*op, s, full);
        else if (!execute(*op, s))
          return fault_in(b);
      }
    } else {
      std::uint32_t n = 0;  // chunks that have lanes
      for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
        if (masks[c] != 0) sets_[n++] = lanes_of(first + c, masks[c], g.first_thread + c * lanes_per_chunk);
      for (; op != last; ++op) {
        if constexpr (observed) observe(*op, sets_, n, b, g);
        for (std::uint32_t i = 0; i < n; ++i) {
          const lane_set& s = sets_[i];
          if (op->plain)
            execute_plain(*op, s, (s.live & ~s.mask) == 0);
          else if (!execute(*op, s))
            return fault_in(b);
        }
      }
    }
    clock_ += block.weight;
    return leave_block(b, block, first, masks, g, out);
  }

 private:
  static constexpr std::uint32_t lanes_per_chunk = static_cast<std::uint32_t>(chunk_lanes);
  static constexpr std::uint32_t max_chunks = Mask::capacity / lanes_per_chunk;
  static constexpr std::uint32_t no_hint = 0xFFFF'FFFFU;
  static constexpr std::size_t max_saved_bytes = std::size_t{1} << 20;  // of a thread
  static constexpr std::uint32_t few_lanes = 8;                         // cheaper one by one than all 32
  static constexpr std::uint32_t all_lanes = 0xFFFF'FFFFU;
  static constexpr std::uint64_t max_window = 0x7FFF'FFFF;  // offsets fit 32 bits with a bit to spare
  static constexpr bool observed = !std::same_as<Observer, no_access_observer>;
  static Observer& nothing_observed() {
    static Observer nothing;
    return nothing;
  }

  /// What a barrier has computed of its threads so far, and how many of them have not read it yet.
  struct reduction {
    std::uint32_t threads = 0;  // that have arrived
    std::uint32_t holding = 0;  // of these, those whose predicate holds
    std::uint32_t unread = 0;
    bool open = false;  // the barrier has opened: the next thread to arrive begins a new one
    std::uint32_t barrier = named_barriers;
    friend bool operator==(const reduction&, const reduction&) = default;
  };

  /// The state that remember() notes.
  struct state {
    std::vector<std::uint32_t> file32, predicates, depth, returns;
    std::vector<std::uint64_t> file64;
    std::vector<unsigned char> shared, local;
    std::vector<std::vector<std::uint64_t>> put_away;
    std::vector<reduction> reductions;
    std::vector<std::vector<unsigned char>> global;
    std::uint64_t printed = 0, clock = 0;
  };

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

  /// Local memory is zero at the beginning; of the frames of recursive functions only what was used has to be cleared.
  void clear_local() {
    if (local_.empty()) return;
    if (stack_used_ >= local_size_) {
      fill(local_);
    } else {
      for (std::size_t at = 0; at < local_.size(); at += static_cast<std::size_t>(local_size_))
        std::memset(local_.data() + at, 0, static_cast<std::size_t>(stack_used_));
    }
    stack_used_ = kernel_->frames_grow ? stack_begin_ : local_size_;
  }

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
      case special_register::clusterid_x:
        return ctaid_[0];
      case special_register::clusterid_y:
        return ctaid_[1];
      case special_register::clusterid_z:
        return ctaid_[2];
      case special_register::nclusterid_x:
        return launch_.grid[0];
      case special_register::nclusterid_y:
        return launch_.grid[1];
      case special_register::nclusterid_z:
        return launch_.grid[2];
      case special_register::cluster_nctaid_x:  // a cluster of one thread block
      case special_register::cluster_nctaid_y:
      case special_register::cluster_nctaid_z:
      case special_register::cluster_nctarank:
      case special_register::nsmid:
        return 1;
      case special_register::total_smem_size:
      case special_register::aggr_smem_size:
        return shared_.size();
      case special_register::dynamic_smem_size:
        return launch_.dynamic_shared_bytes;
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
          case special_register::lanemask_eq:
          case special_register::lanemask_le:
          case special_register::lanemask_lt:
          case special_register::lanemask_ge:
          case special_register::lanemask_gt: {
            const std::uint32_t eq = std::uint32_t{1} << (thread % launch_.warp_width % 32);
            v = which == special_register::lanemask_eq   ? eq
                : which == special_register::lanemask_lt ? eq - 1
                : which == special_register::lanemask_le ? eq | (eq - 1)
                : which == special_register::lanemask_ge ? ~(eq - 1)
                                                         : ~(eq | (eq - 1));
            break;
          }
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

  static void* destination(const lane_set& s, slot_ref r) { return s.base[r >> 30] + slot_offset(r); }
  static const void* source(const lane_set& s, slot_ref r) { return destination(s, r); }

  static std::uint32_t lanes_where(const lane_set& s, predicate_ref p) {
    const std::uint32_t v = p.index == no_index ? all_lanes : s.predicates[p.index];
    return p.negated ? ~v : v;
  }

  // --- writing results -------------------------------------------------------------------------------------------

  /// The number of lanes in a mask; not std::popcount, which is a call where the processor may lack the instruction.
  static constexpr std::uint32_t count_of(std::uint32_t mask) {
    mask -= (mask >> 1) & 0x5555'5555U;
    mask = (mask & 0x3333'3333U) + ((mask >> 2) & 0x3333'3333U);
    return (((mask + (mask >> 4)) & 0x0F0F'0F0FU) * 0x0101'0101U) >> 24;
  }

  static void merge32(std::uint32_t* to, const std::uint32_t* from, std::uint32_t mask) {
    std::uint32_t* __restrict d = to;
    const std::uint32_t* __restrict f = from;
    if (count_of(mask) <= few_lanes) {
      for (; mask != 0; mask &= mask - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(mask));
        d[i] = f[i];
      }
      return;
    }
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

  /// Runs a plain operation: most are.
  void execute_plain(const decoded_op& op, const lane_set& s, bool full) {
    const void* a = source(s, op.source[0]);
    if (op.kind == op_kind::copy) {
      if (!op.in_place) deliver(s, op.result, a, s.mask, full);
      return;
    }
    const void* b = source(s, op.source[1]);
    if (op.kind == op_kind::compare) {
      write_predicate(s, op.result, op.compare(a, b), s.mask);
      return;
    }
    const void* c = source(s, op.source[2]);
    const void* d = source(s, op.source[3]);
    void* to = destination(s, op.result);
    if (full && !op.in_place) {
      op.light(to, a, b, c, d);
    } else if (is_wide(op.result)) {
      op.light(result64_, a, b, c, d);
      deliver(s, op.result, result64_, s.mask, full);
    } else {
      op.light(result32_, a, b, c, d);
      if (full)
        std::memcpy(to, result32_, sizeof result32_);
      else
        merge32(static_cast<std::uint32_t*>(to), result32_, s.mask);
    }
  }

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
      case op_kind::select:
        select(op, s, mask, full);
        return true;
      case op_kind::predicate: {
        const std::uint32_t a = lanes_where(s, op.predicate[0]);
        write_predicate(s, op.result, combine(op.combine, a, lanes_where(s, op.predicate[1])), mask);
        return true;
      }
      case op_kind::carry: {
        void* r = is_wide(op.result) ? static_cast<void*>(result64_) : result32_;
        const std::uint32_t carries = op.carry(r, source(s, op.source[0]), source(s, op.source[1]),
                                               source(s, op.source[2]), lanes_where(s, op.predicate[0]));
        deliver(s, op.result, r, mask, full);
        if (op.second != no_index) write_predicate(s, op.second, carries, mask);
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
      default:
        return execute_rare(op, s, mask, full);
    }
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
    return {local_.data() + s.first_lane * static_cast<std::size_t>(local_size_), base, local_size_, local_size_};
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
      if (!write && address - param_window < window_bytes)
        return {parameters_.data(), param_window, parameters_.size(), 0};
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

  /// Offsets of all lanes in a window; false if a lane that counts is outside or misaligned. Lanes that are switched
  /// off take the first lane's offset, so they are inside, too.
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
      } else if (address - param_window < window_bytes) {
        space = state_space::param;
        offset = address - param_window;
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
        if (inside(local_size_))
          p = local_.data() + (s.first_lane + lane) * static_cast<std::size_t>(local_size_) + offset;
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
      const std::uint64_t b = read_lane(s, op.source[1], i);
      const std::uint64_t c = op.source[2] == no_slot ? 0 : read_lane(s, op.source[2], i);
      const bool flushes = is_global(op.space, at[i]);
      std::uint64_t old = 0;
      // Local memory may lie anywhere on the host, but no other host thread sees it.
      if (memory_is_shared_ && reinterpret_cast<std::uintptr_t>(p) % op.size == 0) {
        old = exchange_among_threads(op, p, b, c, flushes);
      } else {
        old = load_bytes(p, op.size, false);
        const std::uint64_t fresh = detail::updated(op.atomic, op.type, old, b, c, flushes);
        std::memcpy(p, &fresh, op.size);
      }
      if (op.result != no_slot) write_lane(s, op.result, i, old);
    }
    return true;
  }

  static bool is_global(state_space space, std::uint64_t address) {
    if (space != state_space::generic) return space == state_space::global;
    return address - shared_window >= window_bytes && address - local_window >= window_bytes;
  }

  /// The same as one step that other host threads see whole.
  static std::uint64_t exchange_among_threads(const decoded_op& op, unsigned char* p, std::uint64_t b, std::uint64_t c,
                                              bool flushes) {
    const auto exchange = [&]<class T>(T* at) {
      const std::atomic_ref<T> word(*at);
      T old = word.load();
      while (
          !word.compare_exchange_weak(old, static_cast<T>(detail::updated(op.atomic, op.type, old, b, c, flushes)))) {
      }
      return std::uint64_t{old};
    };
    switch (op.size) {
      case 2:
        return exchange(reinterpret_cast<std::uint16_t*>(p));
      case 4:
        return exchange(reinterpret_cast<std::uint32_t*>(p));
      default:
        return exchange(reinterpret_cast<std::uint64_t*>(p));
    }
  }

  // --- operations that few kernels have --------------------------------------------------------------------------

  [[gnu::noinline]] bool execute_rare(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    switch (op.kind) {
      case op_kind::space_test:
        test_space(op, s, mask);
        return true;
      case op_kind::copy_memory:
        return copy_memory(op, s, mask);
      case op_kind::reduced:
        read_reduction(op, s, mask);
        return true;
      case op_kind::clock: {
        const std::uint64_t now = (clock_at_ + op.instruction) >> op.code;
        for (; mask != 0; mask &= mask - 1)
          write_lane(s, op.result, static_cast<std::size_t>(std::countr_zero(mask)), now);
        return true;
      }
      case op_kind::print:
        return print(op, s, mask);
      case op_kind::assert_fail:
        return assertion(op, s, mask);
      default:
        return talk(op, s, mask, full);
    }
  }

  void test_space(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint32_t yes = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t address = read_lane(s, op.source[0], i);
      bool in = false;
      switch (op.space) {
        case state_space::shared:
          in = address - shared_window < window_bytes;
          break;
        case state_space::local:
          in = address - local_window < window_bytes;
          break;
        case state_space::param:
          in = address - param_window < window_bytes;
          break;
        default: {
          const std::size_t a = memory_->index_of(address, 1);
          const bool constant = a != device_memory::none && memory_->allocations()[a].constant;
          in = op.space == state_space::constant ? constant : address >= first_global_address && !constant;
          break;
        }
      }
      if (in) yes |= std::uint32_t{1} << i;
    }
    write_predicate(s, op.result, yes, mask);
  }

  /// cp.async: a copy from global to shared memory; bytes behind those that are read become zero.
  bool copy_memory(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t to[chunk_lanes];
    addresses(op, s, to);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, to[i], op.size, true);
      if (p == nullptr) return false;
      std::uint64_t bytes = op.source[2] == no_slot ? op.size : read_lane(s, op.source[2], i);
      if (bytes > op.size) bytes = op.size;
      std::memset(p, 0, op.size);
      if (bytes == 0) continue;
      const std::uint64_t address = read_lane(s, op.source[1], i) + op.second_offset;
      if ((address & (op.size - 1U)) != 0) {
        record(fault_kind::misaligned, op.instruction, s.first_thread + static_cast<std::uint32_t>(i), address, op.size,
               state_space::global);
        return false;
      }
      allocation* a = allocation_at(op, address);
      if (a == nullptr || address - a->address + bytes > a->bytes.size()) {
        record(fault_kind::out_of_bounds, op.instruction, s.first_thread + static_cast<std::uint32_t>(i), address,
               static_cast<std::uint32_t>(bytes), state_space::global);
        return false;
      }
      std::memcpy(p, a->bytes.data() + (address - a->address), static_cast<std::size_t>(bytes));
    }
    return true;
  }

  /// Reads bytes of a lane's memory at generic addresses, as its own code could.
  auto reader(const decoded_op& op, const lane_set& s, std::size_t lane) {
    return [this, &op, &s, lane](std::uint64_t address, std::size_t bytes, void* to) {
      const unsigned char* p = resolve(op, s, lane, address, static_cast<std::uint32_t>(bytes), false);
      if (p != nullptr) std::memcpy(to, p, bytes);
      return p != nullptr;
    };
  }

  std::uint64_t number_of_block() const {
    return (std::uint64_t{ctaid_[2]} * launch_.grid[1] + ctaid_[1]) * launch_.grid[0] + ctaid_[0];
  }

  bool print(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      auto read = reader(op, s, i);
      detail::kernel_printf format(read, read_lane(s, op.source[1], i));
      std::string text;
      if (!format.run(read_lane(s, op.source[0], i), text)) return false;
      write_lane(s, op.result, i, format.arguments());
      if (printed_bytes_ + text.size() > max_printed_bytes) {
        lost_output_ = true;
        continue;
      }
      printed_bytes_ += text.size();
      const std::uint64_t block = number_of_block();
      const std::uint32_t thread = s.first_thread + static_cast<std::uint32_t>(i);
      if (printed_.empty() || printed_.back().thread_block != block || printed_.back().thread != thread)
        printed_.push_back({block, thread, {}});
      printed_.back().text += text;
    }
    return true;
  }

  bool assertion(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    auto read = reader(op, s, i);
    const auto text = [&](std::size_t n) {
      std::string words;
      detail::kernel_printf format(read, 0);
      if (op.source[n] != no_slot && !format.string_at(read_lane(s, op.source[n], i), words)) words = "?";
      return words;
    };
    const std::string message = text(0);
    const std::string file = text(1);
    const std::string function = text(3);
    complain(fault_kind::assertion, op.instruction, s.first_thread + static_cast<std::uint32_t>(i), 0,
             file + ":" + std::to_string(op.source[2] == no_slot ? 0 : read_lane(s, op.source[2], i)) + ": " +
                 function + ": assertion '" + message + "' fails");
    return false;
  }

  // --- among lanes of a warp -------------------------------------------------------------------------------------

  bool talk(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t ones = piece_ == lanes_per_chunk ? all_lanes : (std::uint32_t{1} << piece_) - 1;
    std::uint32_t members[chunk_lanes];  // by lane, as lanes of the chunk
    for (std::uint32_t first = 0; first < lanes_per_chunk; first += piece_) {
      const std::uint32_t run = (mask >> first) & ones;
      if (run == 0) continue;
      if (op.source[3] == no_slot) {
        for (std::uint32_t i = 0; i < piece_; ++i) members[first + i] = run;
      } else if (!find_members(op, s, first, run, (s.live >> first) & ones, members)) {
        return false;
      }
    }
    std::uint32_t yes = 0;  // the predicate result
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t first = i / piece_ * piece_;
      if (say(op, s, first, i - first, members[i])) yes |= std::uint32_t{1} << i;
    }
    if (op.result != no_slot) deliver(s, op.result, result32_, mask, full);
    if (op.second != no_index) write_predicate(s, op.second, yes, mask);
    return true;
  }

  /// Those of each lane's member mask that take part. False if they are not all here.
  bool find_members(const decoded_op& op, const lane_set& s, std::uint32_t first, std::uint32_t run, std::uint32_t live,
                    std::uint32_t* members) {
    for (std::uint32_t left = run; left != 0;) {
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(left));
      const auto named = static_cast<std::uint32_t>(read_lane(s, op.source[3], first + leader));
      std::uint32_t together = 0;
      for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (static_cast<std::uint32_t>(read_lane(s, op.source[3], first + i)) != named) continue;
        together |= std::uint32_t{1} << i;
      }
      left &= ~together;
      std::string why;
      const std::string mask = "member mask " + detail::hexadecimal(named);
      std::uint32_t who = leader;
      if ((together & ~named) != 0) {
        detail::append_lanes(why, together & ~named);
        why += " not in its " + mask;
        who = static_cast<std::uint32_t>(std::countr_zero(together & ~named));
      } else if (const std::uint32_t missing = named & live & ~together; missing != 0) {
        detail::append_lanes(why, missing);
        why += " of " + mask + ((missing & ~run) == 0 ? " with another mask" : " not together with it");
      }
      if (!why.empty()) {
        complain(fault_kind::bad_exchange, op.instruction, s.first_thread + first + who, 0, why);
        return false;
      }
      for (std::uint32_t rest = together; rest != 0; rest &= rest - 1)
        members[first + static_cast<std::uint32_t>(std::countr_zero(rest))] = together;
    }
    return true;
  }

  /// What one lane hears: its result goes to result32_ or result64_; returns the predicate.
  bool say(const decoded_op& op, const lane_set& s, std::uint32_t first, std::uint32_t lane, std::uint32_t members) {
    std::uint32_t& result = result32_[first + lane];
    switch (op.kind) {
      case op_kind::shuffle: {
        const auto from = detail::shuffled_from(static_cast<shuffle_mode>(op.code), lane,
                                                static_cast<std::uint32_t>(read_lane(s, op.source[1], first + lane)),
                                                static_cast<std::uint32_t>(read_lane(s, op.source[2], first + lane)));
        const bool there = ((members >> from.lane) & 1U) != 0;
        result = static_cast<std::uint32_t>(read_lane(s, op.source[0], first + (there ? from.lane : lane)));
        return from.in_range;
      }
      case op_kind::vote: {
        const std::uint32_t ayes = (lanes_where(s, op.predicate[0]) >> first) & members;
        result = ayes;
        switch (static_cast<vote_mode>(op.code)) {
          case vote_mode::all:
            return ayes == members;
          case vote_mode::any:
            return ayes != 0;
          default:
            return ayes == 0 || ayes == members;
        }
      }
      case op_kind::match: {
        const std::uint64_t mine = read_lane(s, op.source[0], first + lane);
        std::uint32_t same = 0;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
          if (read_lane(s, op.source[0], first + i) == mine) same |= std::uint32_t{1} << i;
        }
        const bool all = same == members;
        result = static_cast<vote_mode>(op.code) == vote_mode::any || all ? same : 0;
        return all;
      }
      case op_kind::reduce: {
        std::uint64_t sum = 0;
        bool begun = false;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
          const std::uint64_t v =
              read_lane(s, op.source[0], first + static_cast<std::uint32_t>(std::countr_zero(rest)));
          sum = begun ? detail::updated(op.atomic, op.type, sum, v, 0) : v;
          begun = true;
        }
        result = static_cast<std::uint32_t>(sum);
        return false;
      }
      case op_kind::elect:
        result = static_cast<std::uint32_t>(std::countr_zero(members));
        return result == lane;
      default:  // active_mask, warp_barrier
        result = members;
        return false;
    }
  }

  // --- the observer ----------------------------------------------------------------------------------------------

  /// Tells of an access to global or shared memory by the lanes of `count` chunks.
  void observe(const decoded_op& op, const lane_set* sets, std::uint32_t count, block_id b,
               const basic_group<Mask>& g) {
    if (op.kind != op_kind::load && op.kind != op_kind::store && op.kind != op_kind::atomic) return;
    if (op.space != state_space::global && op.space != state_space::shared && op.space != state_space::generic) return;
    Mask global{}, shared{};
    std::uint64_t at[chunk_lanes];
    seen_.resize(std::size_t{chunks_per_group_} * chunk_lanes);
    for (const lane_set& s : std::span<const lane_set>(sets, count)) {
      const std::uint32_t mask = s.mask & lanes_where(s, op.guard);
      addresses(op, s, at);
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t lane = s.first_thread - g.first_thread + i;
        seen_[lane] = at[i];
        if (op.space == state_space::shared) {
          shared.set(lane);
        } else if (op.space == state_space::global || at[i] - shared_window >= code_window - shared_window) {
          global.set(lane);
        } else if (at[i] - shared_window < window_bytes) {
          seen_[lane] -= shared_window;
          shared.set(lane);
        }
      }
    }
    const bool store = op.kind != op_kind::load;
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    const std::span<const std::uint64_t> addresses_seen(seen_);
    if (global.any())
      (*observer_)(event::memory_access<Mask>{g.warp, b, memory_space::global, store, bytes, global, addresses_seen});
    if (shared.any())
      (*observer_)(event::memory_access<Mask>{g.warp, b, memory_space::shared, store, bytes, shared, addresses_seen});
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
    if (block.end == block_exit::fall) {
      out.go(block.next, g.lanes);
      return block_end::next;
    }
    if (block.end == block_exit::barrier || block.end == block_exit::arrive) {
      if (!arrive_at_barrier(block, first, masks, g)) return fault_in(b);
      out.go(block.next, g.lanes);
      return block.end == block_exit::barrier ? block_end::barrier : block_end::arrive;
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
    switch (block.end) {
      case block_exit::branch:
        out.go(block.target, mask_from(taken));
        break;
      case block_exit::leave:
        if (kernel_->functions.size() > 1)
          mask_from(taken).for_each([&](std::uint32_t lane) { depth_[g.first_thread + lane] = 0; });
        break;
      case block_exit::table:
      case block_exit::call:
      case block_exit::ret:
        if (!go_by_lane(block, first, taken, g, out)) return fault_in(b);
        break;
      default:
        break;
    }
    if (block.next != no_block) out.go(block.next, mask_from(rest));
    return block_end::next;
  }

  /// Where each lane goes is its own affair.
  [[gnu::noinline]] bool go_by_lane(const decoded_block& block, std::size_t first, const std::uint32_t* taken,
                                    const basic_group<Mask>& g, basic_partition<Mask>& out) {
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      if (taken[c] == 0) continue;
      const lane_set s = lanes_of(first + c, taken[c], g.first_thread + c * lanes_per_chunk);
      const bool moved = block.end == block_exit::table  ? jump(block, s, c, out)
                         : block.end == block_exit::call ? call(block, s, c, out)
                                                         : come_back(block, s, c, out);
      if (!moved) return false;
    }
    return true;
  }

  /// brx.idx: each lane to the entry of the table that its index names.
  bool jump(const decoded_block& block, const lane_set& s, std::uint32_t chunk, basic_partition<Mask>& out) {
    const decoded_table& table = kernel_->tables[block.detail];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t index = read_lane(s, table.index, i);
      if (index >= table.targets.size()) {
        complain(fault_kind::bad_target, block.last_instruction, s.first_thread + i, index,
                 "entry " + std::to_string(index) + " of a table of " + std::to_string(table.targets.size()));
        return false;
      }
      out.go(table.targets[static_cast<std::size_t>(index)], Mask::lane(chunk * lanes_per_chunk + i));
    }
    return true;
  }

  // --- calls -----------------------------------------------------------------------------------------------------

  unsigned char* local_memory_of(const lane_set& s, std::size_t lane) {
    return local_.data() + (s.first_lane + lane) * static_cast<std::size_t>(local_size_);
  }
  std::uint64_t frame_of(const decoded_function& f, const lane_set& s, std::size_t lane) const {
    return f.frame == no_slot ? f.frame_offset : read_lane(s, f.frame, lane);
  }

  bool call(const decoded_block& block, const lane_set& s, std::uint32_t chunk, basic_partition<Mask>& out) {
    const call_site& site = kernel_->sites[block.detail];
    const decoded_function& caller = kernel_->functions[site.caller];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t thread = s.first_thread + i;
      const std::uint32_t f = site.callee == no_slot ? site.targets[0] : called_function(block, site, s, i);
      if (f == no_index) return false;
      const decoded_function& callee = kernel_->functions[f];
      if (depth_[thread] >= launch_.max_call_depth) {
        complain(fault_kind::call_overflow, block.last_instruction, thread, 0,
                 "the thread is in " + std::to_string(depth_[thread]) + " calls, which is the limit");
        return false;
      }
      unsigned char* memory = local_memory_of(s, i);
      const std::uint64_t here = frame_of(caller, s, i);
      std::uint64_t there = callee.frame_offset;
      if (callee.recursive) {
        there = (top_[thread] + callee.frame_align - 1) / callee.frame_align * callee.frame_align;
        if (callee.frame_bytes != 0 && there + callee.frame_bytes > local_size_) {
          complain(fault_kind::call_overflow, block.last_instruction, thread, 0,
                   "the thread has " + std::to_string(launch_.stack_bytes) +
                       " bytes of local memory for the frames of recursive functions");
          return false;
        }
        if (active_[std::size_t{f} * threads_ + thread] != 0 &&
            8 * (put_away_[thread].size() + words_of(callee)) > max_saved_bytes) {
          complain(fault_kind::call_overflow, block.last_instruction, thread, 0,
                   "the thread has 1 MiB of registers of functions that are called again");
          return false;
        }
      }
      for (const call_copy& a : site.arguments) {
        if (a.slot == no_slot) {
          copy_bytes(memory + there + a.there, memory + here + a.here, a.size);
        } else {
          const std::uint64_t v = read_lane(s, a.slot, i);
          copy_bytes(memory + there + a.there, &v, a.size);
        }
      }
      if (callee.recursive) {
        if (active_[std::size_t{f} * threads_ + thread]++ != 0) put_away(callee, s, i, thread);
        write_lane(s, callee.frame, i, there);
        top_[thread] = static_cast<std::uint32_t>(there + callee.frame_bytes);
        if (top_[thread] > stack_used_) stack_used_ = top_[thread];
      }
      const std::size_t at = std::size_t{depth_[thread]++} * threads_ + thread;
      if (at >= returns_.size()) returns_.insert(returns_.end(), threads_, 0);
      returns_[at] = block.detail;
      out.go(callee.entry, Mask::lane(chunk * lanes_per_chunk + i));
    }
    return true;
  }

  static void copy_bytes(void* to, const void* from, std::uint32_t size) {
    if (size == 4)
      std::memcpy(to, from, 4);
    else if (size == 8)
      std::memcpy(to, from, 8);
    else
      std::memmove(to, from, size);
  }

  /// What a lane calls through a register; no_index, having complained, if that is not to be called here.
  std::uint32_t called_function(const decoded_block& block, const call_site& site, const lane_set& s,
                                std::uint32_t lane) {
    const std::uint64_t address = read_lane(s, site.callee, lane);
    const std::uint64_t number = (address - code_window) / code_stride - 1;
    std::uint32_t f = no_index;
    if (address > code_window && (address - code_window) % code_stride == 0 && number < kernel_->function_at.size())
      f = kernel_->function_at[static_cast<std::size_t>(number)];
    const auto complain_of = [&](const std::string& what) {
      complain(fault_kind::bad_target, block.last_instruction, s.first_thread + lane, address, what);
      return no_index;
    };
    if (f == no_index)
      return complain_of("address " + detail::hexadecimal(address) + " is that of no function with a body");
    for (const std::uint32_t t : site.targets)
      if (t == f) return f;
    return complain_of("function '" + kernel_->functions[f].name + "' is not of the kind that is called here");
  }

  /// Registers of a function for one thread, as put_away keeps them.
  static std::size_t words_of(const decoded_function& f) {
    return std::size_t{f.count32} + f.count64 + (f.predicates + std::size_t{63}) / 64;
  }
  /// A lane's registers of a function, to be brought back when the call has returned.
  void put_away(const decoded_function& f, const lane_set& s, std::uint32_t lane, std::uint32_t thread) {
    std::vector<std::uint64_t>& to = put_away_[thread];
    for (std::uint32_t n = 0; n < f.count32; ++n) to.push_back(read_lane(s, make_slot(false, f.first32 + n), lane));
    for (std::uint32_t n = 0; n < f.count64; ++n) to.push_back(read_lane(s, make_slot(true, f.first64 + n), lane));
    for (std::uint32_t n = 0; n < f.predicates; n += 64) {
      std::uint64_t bits = 0;
      for (std::uint32_t k = 0; k < 64 && n + k < f.predicates; ++k)
        bits |= std::uint64_t{(s.predicates[f.first_predicate + n + k] >> lane) & 1U} << k;
      to.push_back(bits);
    }
  }
  void bring_back(const decoded_function& f, const lane_set& s, std::uint32_t lane, std::uint32_t thread) {
    std::vector<std::uint64_t>& from = put_away_[thread];
    const std::size_t size = words_of(f);
    const std::uint64_t* next = from.data() + (from.size() - size);
    for (std::uint32_t n = 0; n < f.count32; ++n) write_lane(s, make_slot(false, f.first32 + n), lane, *next++);
    for (std::uint32_t n = 0; n < f.count64; ++n) write_lane(s, make_slot(true, f.first64 + n), lane, *next++);
    for (std::uint32_t n = 0; n < f.predicates; n += 64, ++next)
      for (std::uint32_t k = 0; k < 64 && n + k < f.predicates; ++k)
        write_predicate(s, f.first_predicate + n + k, (*next >> k & 1U) != 0 ? all_lanes : 0, std::uint32_t{1} << lane);
    from.resize(from.size() - size);
  }

  bool come_back(const decoded_block& block, const lane_set& s, std::uint32_t chunk, basic_partition<Mask>& out) {
    const decoded_function& callee = kernel_->functions[block.function];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t thread = s.first_thread + i;
      const call_site& site = kernel_->sites[returns_[std::size_t{--depth_[thread]} * threads_ + thread]];
      if (site.next == no_block) {
        complain(fault_kind::bad_target, block.last_instruction, thread, 0,
                 "the function was called as one that does not return");
        return false;
      }
      unsigned char* memory = local_memory_of(s, i);
      const std::uint64_t there = frame_of(callee, s, i);
      if (callee.recursive) {
        top_[thread] = static_cast<std::uint32_t>(there);
        if (--active_[std::size_t{block.function} * threads_ + thread] != 0) bring_back(callee, s, i, thread);
      }
      const std::uint64_t here = frame_of(kernel_->functions[site.caller], s, i);
      for (const call_copy& r : site.results) {
        if (r.slot == no_slot) {
          copy_bytes(memory + here + r.here, memory + there + r.there, r.size);
        } else {
          std::uint64_t v = 0;
          copy_bytes(&v, memory + there + r.there, r.size < 8 ? r.size : 8);
          write_lane(s, r.slot, i, v);
        }
      }
      out.go(site.next, Mask::lane(chunk * lanes_per_chunk + i));
    }
    return true;
  }

  // --- barriers --------------------------------------------------------------------------------------------------

  const decoded_barrier& barrier_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && (kernel_->blocks[b].end == block_exit::barrier ||
                                                    kernel_->blocks[b].end == block_exit::arrive),
                     "a block that ends in a barrier");
    return kernel_->barrier_list[kernel_->blocks[b].detail];
  }
  std::uint32_t constant_of(slot_ref s) const {
    return is_wide(s) ? static_cast<std::uint32_t>(constants64_[slot_index(s) * chunk_lanes])
                      : constants32_[slot_index(s) * chunk_lanes];
  }

  [[gnu::noinline]] bool arrive_at_barrier(const decoded_block& block, std::size_t first, const std::uint32_t* masks,
                                           const basic_group<Mask>& g) {
    const decoded_barrier& barrier = kernel_->barrier_list[block.detail];
    if (!same_in_all(barrier.id, block, first, masks, g, barrier_id_, "number")) return false;
    barrier_count_ = 0;
    if (barrier.count != no_slot && !same_in_all(barrier.count, block, first, masks, g, barrier_count_, "thread count"))
      return false;
    const auto problem = [&](std::string what) {
      complain(fault_kind::bad_barrier, block.last_instruction, g.first_thread + g.lanes.first(), 0, std::move(what));
      return false;
    };
    if (barrier_id_ >= named_barriers)
      return problem("number " + std::to_string(barrier_id_) + ", but a thread block has barriers 0 to 15");
    if (barrier.count != no_slot && barrier_count_ == 0) return problem("one for 0 threads");
    if (barrier.reduction != barrier_reduction::none) contribute(barrier, first, masks);
    return true;
  }

  bool same_in_all(slot_ref r, const decoded_block& block, std::size_t first, const std::uint32_t* masks,
                   const basic_group<Mask>& g, std::uint32_t& value, const char* what) {
    if (is_constant(r)) {
      value = constant_of(r);
      return true;
    }
    bool known = false;
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      const lane_set s = lanes_of(first + c, masks[c], g.first_thread + c * lanes_per_chunk);
      for (std::uint32_t rest = masks[c]; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto v = static_cast<std::uint32_t>(read_lane(s, r, i));
        if (known && v != value) {
          complain(fault_kind::bad_barrier, block.last_instruction, s.first_thread + i, 0,
                   std::string("its ") + what + " is " + std::to_string(v) + ", that of another lane " +
                       std::to_string(value));
          return false;
        }
        value = v;
        known = true;
      }
    }
    return true;
  }

  /// bar.red: the lanes' predicates go into what the barrier computes, and each lane remembers where it does.
  void contribute(const decoded_barrier& barrier, std::size_t first, const std::uint32_t* masks) {
    std::uint32_t mine = no_index;
    for (std::uint32_t r = 0; r < reductions_.size(); ++r)
      if (reductions_[r].barrier == barrier_id_ && !reductions_[r].open) mine = r;
    if (mine == no_index) {
      if (free_reductions_.empty()) {
        mine = static_cast<std::uint32_t>(reductions_.size());
        reductions_.push_back({});
      } else {
        mine = free_reductions_.back();
        free_reductions_.pop_back();
      }
      reductions_[mine] = {};
      reductions_[mine].barrier = barrier_id_;
    }
    reduction& r = reductions_[mine];
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      if (masks[c] == 0) continue;
      const lane_set s = lanes_of(first + c, masks[c], 0);
      const auto lanes = static_cast<std::uint32_t>(std::popcount(masks[c]));
      r.threads += lanes;
      r.unread += lanes;
      r.holding += static_cast<std::uint32_t>(std::popcount(lanes_where(s, barrier.value) & masks[c]));
      for (std::uint32_t rest = masks[c]; rest != 0; rest &= rest - 1)
        write_lane(s, barrier.ticket, static_cast<std::size_t>(std::countr_zero(rest)), mine);
    }
    // It opens now; else the first thread to read it shows that it has.
    if (barrier_count_ != 0 && r.threads >= barrier_count_) r.open = true;
  }

  void read_reduction(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const auto how = static_cast<barrier_reduction>(op.code);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      const auto at = static_cast<std::uint32_t>(read_lane(s, op.source[0], i));
      reduction& r = reductions_[at];
      r.open = true;
      const bool holds = how == barrier_reduction::and_ ? r.holding == r.threads : r.holding != 0;
      if (how == barrier_reduction::popc)
        write_lane(s, op.result, i, r.holding);
      else
        write_predicate(s, op.result, holds ? all_lanes : 0, std::uint32_t{1} << i);
      if (--r.unread == 0) {
        r.barrier = named_barriers;
        free_reductions_.push_back(at);
      }
    }
  }

  // --- the end ---------------------------------------------------------------------------------------------------

  void complain(fault_kind kind, std::uint32_t instruction, std::uint32_t thread, std::uint64_t address,
                std::string why) {
    record(kind, instruction, thread, address, 0, state_space::generic);
    fault_.hint = std::move(why);
  }

  [[gnu::noinline]] void record(fault_kind kind, std::uint32_t instruction, std::uint32_t thread, std::uint64_t address,
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
      fault_.hint = "a thread's local memory has " + std::to_string(local_size_) + " bytes";
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
    if (const std::uint32_t f = kernel_->blocks[b].function; f != 0) fault_.function = kernel_->functions[f].name;
    return block_end::fault;
  }

  const decoded_kernel* kernel_;
  launch_config launch_;
  device_memory* memory_;
  Observer* observer_;
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
  // Local memory of a thread: frames at fixed addresses, then those of recursive functions.
  std::uint64_t local_size_ = 0, stack_begin_ = 0, stack_used_ = 0;
  std::vector<std::uint32_t> depth_;    // by thread: calls it is in
  std::vector<std::uint32_t> returns_;  // by level, then thread: the call site; levels come when a thread gets there
  std::vector<std::uint32_t> active_;   // by function, then thread: how often a recursive function is active
  std::vector<std::uint32_t> top_;      // by thread: end of its last frame of a recursive function
  std::vector<std::vector<std::uint64_t>>
      put_away_;                           // by thread: registers of recursive functions that were called again
  std::uint32_t piece_ = lanes_per_chunk;  // lanes that exchange values
  std::uint32_t barrier_id_ = 0, barrier_count_ = 0;  // what the last block that ended in a barrier said
  std::vector<reduction> reductions_;
  std::vector<std::uint32_t> free_reductions_;
  std::uint64_t clock_ = 0, clock_at_ = 0;  // instructions issued; the same less the number of the block's first
  std::vector<printed_text> printed_;
  std::uint64_t printed_bytes_ = 0;
  bool lost_output_ = false;
  bool memory_is_shared_ = false;
  state noted_;
  lane_set sets_[max_chunks];        // of the group that runs, if it has several chunks
  std::vector<std::uint64_t> seen_;  // by lane: addresses, for the observer
  fault_info fault_;
  alignas(64) std::uint32_t result32_[chunk_lanes] = {};
  alignas(64) std::uint64_t result64_[chunk_lanes] = {};
  alignas(64) std::uint32_t flushed_[3][chunk_lanes] = {};
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

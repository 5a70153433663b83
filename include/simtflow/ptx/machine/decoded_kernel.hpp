// SPDX-License-Identifier: BSL-1.0
//
// A kernel in the form that runs: basic blocks of operations, with the functions that it calls.
//
//   block     a basic block; blocks begin at the entry of a function, at labels that a branch names, and after
//             branches, exits, calls, barriers. Blocks of all functions have one numbering; block 0 is the
//             entry
//   call site a call to a function: which one (or in which register its address is), where arguments and results go
//   frame     bytes of a thread's local memory that a function has for its parameters, its results, its local variables
//             and the parameters of calls that it makes. Functions that are in no cycle of calls have their frames at
//             fixed addresses; the others get a new one with each call
//
// A function returns from one block, where all its `ret` meet, so threads that diverged inside it can run together
// again before they return. Successors of a block: the branch target first, the fall-through second; both are kept if
// they are the same block. A predicated exit ends its block, which then is an exit with its fall-through as successor.
// Weights count instructions of the text, the last one included; blocks that stand for no text weigh nothing.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// How a block ends. If it has a guard, lanes for which the guard does not hold go to the next block.
enum class block_exit : std::uint8_t {
  fall,     ///< to the next block
  branch,   ///< to the target
  table,    ///< to an entry of a table, chosen by a register
  leave,    ///< threads end
  barrier,  ///< threads wait, then go to the next block
  arrive,   ///< threads are counted at a barrier and go to the next block
  trap,     ///< the kernel stops with a fault
  call,     ///< into a function, from which threads come back to the next block
  ret       ///< from a function
};

/// The name of an end of a block.
[[nodiscard]] constexpr std::string_view to_string(block_exit e) {
  constexpr std::string_view names[] = {"fall", "branch", "table", "leave", "barrier", "arrive", "trap", "call", "ret"};
  return names[static_cast<std::size_t>(e)];
}

/// A basic block.
struct decoded_block {
  std::string label;                   ///< a label at its begin; empty if there is none
  position where;                      ///< of its first instruction
  std::uint32_t first_op = 0;          ///< in decoded_kernel::ops
  std::uint32_t num_ops = 0;           ///< the operation that ends it is not among them
  std::uint32_t weight = 0;            ///< instructions
  std::uint32_t last_instruction = 0;  ///< the one that ends it
  block_exit end = block_exit::fall;   ///< how it ends
  predicate_ref guard;                 ///< of the end; index no_index: always
  block_id target = no_block;          ///< of a branch
  block_id next = no_block;            ///< where it falls through to; no_block if it cannot
  std::uint32_t function = 0;          ///< it is a block of that function
  std::uint32_t detail = 0;            ///< index: of the table, the barrier, the call site
};

/// The targets of brx.idx.
struct decoded_table {
  slot_ref index = no_slot;       ///< which entry is taken
  std::vector<block_id> targets;  ///< the entries
};

/// The reduction that bar.red computes from a predicate of all threads.
enum class barrier_reduction : std::uint8_t {
  none,  ///< nothing: the barrier is a bar.sync
  popc,  ///< for how many threads it holds
  and_,  ///< whether it holds for all
  or_    ///< whether it holds for any
};

/// The name of a reduction, as PTX spells it; empty if there is none.
[[nodiscard]] constexpr std::string_view to_string(barrier_reduction e) {
  constexpr std::string_view names[] = {"", "popc", "and", "or"};
  return names[static_cast<std::size_t>(e)];
}

/// The barrier that ends a block.
struct decoded_barrier {
  slot_ref id = no_slot;                                  ///< its number
  slot_ref count = no_slot;                               ///< of threads; no_slot: all of the thread block
  barrier_reduction reduction = barrier_reduction::none;  ///< what it computes
  predicate_ref value;                                    ///< of what; read if it computes something
  slot_ref ticket = no_slot;                              ///< remembers which result is the thread's
  bool of_cluster = false;                                ///< the barrier of the cluster: number cluster_barrier
  bool of_warpgroup = false;  ///< the barrier of the thread's warpgroup, from number warpgroup_barrier on
};

/// A piece of an argument or a result: from the caller's frame or a register to the callee's frame, or back.
struct call_copy {
  slot_ref slot = no_slot;             ///< the register of the caller, if it is one
  std::uint32_t predicate = no_index;  ///< the predicate of the caller, if it is one: a byte that is 0 or 1
  std::uint64_t here = 0;              ///< in the caller's frame, if there is no slot
  std::uint64_t there = 0;             ///< in the callee's frame
  std::uint32_t size = 0;              ///< bytes
};

/// A call.
struct call_site {
  std::uint32_t caller = 0;            ///< the function it stands in
  slot_ref callee = no_slot;           ///< a register with a function's address; no_slot: the only target
  std::vector<std::uint32_t> targets;  ///< functions that it may call
  std::uint32_t shape = 0;             ///< of the parameters and results, as the call sees them
  std::vector<call_copy> arguments;    ///< done when threads enter
  std::vector<call_copy> results;      ///< done when threads come back
  block_id next = no_block;            ///< where threads come back to; no_block: nobody comes back
};

/// A function of the module that has its address taken, but that no call of the kernel can enter: it has no body, or
/// its parameters or results differ from what the calls pass.
struct function_pointee {
  std::uint32_t function = 0;  ///< of the module
  std::string name;            ///< in the text
  bool has_body = false;       ///< false: it is only declared
};

/// A function of the kernel. Number 0 is the kernel's own code.
struct decoded_function {
  std::string name;                  ///< in the text
  block_id entry = 0;                ///< its first block
  block_id return_block = no_block;  ///< where all its `ret` meet; no_block: it has none
  bool recursive = false;            ///< it can be called while it is active, or its frame grows by alloca
  std::uint32_t shape = 0;           ///< number of its signature: equal if parameters and results lie alike
  std::uint64_t frame_bytes = 0;     ///< of its frame
  std::uint64_t frame_align = 16;    ///< a power of two
  std::uint64_t frame_offset = 0;    ///< in local memory, unless it is recursive
  slot_ref frame = no_slot;          ///< of a recursive function: the register that holds its frame's offset
  // Its registers: a window of the kernel's registers, kept over recursive calls.
  std::uint32_t first32 = 0,          ///< its first 32-bit slot, by number
      count32 = 0;                    ///< how many
  std::uint32_t first64 = 0,          ///< its first 64-bit slot
      count64 = 0;                    ///< how many
  std::uint32_t first_predicate = 0,  ///< its first predicate
      predicates = 0;                 ///< how many
};

/// A constant that fills a slot.
struct decoded_constant {
  /// The source of its value.
  enum class what : std::uint8_t {
    literal,        ///< a number
    special,        ///< a special register that is the same in all threads of a thread block
    address,        ///< the address of a global variable
    code,           ///< the address of a function
    dynamic_shared  ///< where the shared memory that the launch adds begins
  };
  what kind = what::literal;  ///< which of these
  std::uint64_t value = 0;    ///< the literal, the special_register, or the offset from an address
  std::uint32_t index = 0;    ///< of the kernel's global variable, of the module's function
};

/// A kernel ready to run; independent of the launch and, except for its number, of the module it came from.
struct decoded_kernel {
  module_id from_module{};                    ///< the module that has the variables and functions it names
  std::string name;                           ///< of the entry
  std::uint32_t address_size = 64;            ///< bits: 32 or 64
  std::vector<decoded_block> blocks;          ///< of all functions; block 0 is the entry
  std::vector<decoded_op> ops;                ///< of all blocks, block by block
  std::vector<slot_ref> lists;                ///< operands of vectors: see decoded_op::list
  std::vector<decoded_constant> constants32;  ///< by number of the 32-bit constant slot
  std::vector<decoded_constant> constants64;  ///< by number of the 64-bit constant slot
  std::uint32_t slots32 = 0;                  ///< 32-bit slots of a thread
  std::uint32_t slots64 = 0;                  ///< 64-bit slots of a thread
  std::uint32_t predicates = 0;               ///< predicates of a thread
  std::vector<std::pair<special_register, slot_ref>> specials;  ///< that differ between threads
  std::vector<variable> parameters;                             ///< in the order of the text
  std::vector<std::uint64_t> parameter_offsets;                 ///< where each begins among the arguments' bytes
  std::uint64_t parameter_bytes = 0;                            ///< of all arguments, with the gaps between them
  std::vector<variable> globals;                  ///< .global and .const variables that the kernel reaches
  std::uint64_t shared_bytes = 0;                 ///< declared in the text; what the launch adds follows it
  std::uint64_t local_bytes = 0;                  ///< of one thread: frames at fixed addresses
  bool uses_dynamic_shared = false;               ///< names shared memory that the launch decides the size of
  std::uint64_t dynamic_shared_align = 16;        ///< of what the launch adds
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid along x, y and z; 0: not said
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid along x, y and z; 0: not said
  std::vector<decoded_function> functions;        ///< the kernel itself first
  std::vector<call_site> sites;                   ///< decoded_block::detail of calls
  std::vector<decoded_table> tables;              ///< decoded_block::detail of branches by a table
  std::vector<decoded_barrier> barrier_list;      ///< decoded_block::detail of barriers
  std::vector<std::uint32_t> function_at;  ///< by function of the module (its address): the function here, or no_index
  std::vector<function_pointee> not_callable;  ///< if it calls through a register: functions it must not call
  bool frames_grow = false;                    ///< a recursive function has a frame, or there is an alloca
  bool talks = false;                          ///< lanes of a warp exchange values
  bool has_matrices = false;                   ///< instructions on matrices: a warp has 32 lanes
  bool reads_clock = false;                    ///< what it does may depend on the policy
  bool waits_for_phases = false;               ///< it asks whether a phase of an mbarrier is over
  std::vector<position> positions;             ///< of the instructions
  std::vector<std::string> opcodes;            ///< of the instructions
  std::vector<std::uint32_t> places;           ///< of the instructions, in `sources`; empty if the text has no .loc
  source_map sources;                          ///< the places in the sources that the instructions come from
  std::vector<std::pair<std::string, slot_ref>> registers;  ///< by name, for inspection; "f:%r1" in function f
  std::vector<std::pair<std::string, std::uint32_t>> predicate_names;  ///< the same for predicates

  /// The source line of an instruction in words, such as "my.cu:17"; empty if the text does not say it.
  [[nodiscard]] std::string source_of(std::uint32_t instruction) const {
    return instruction < places.size() ? sources.describe(places[instruction]) : std::string();
  }
  /// The place in `sources` of an instruction; no_index if the text does not say it.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t instruction) const {
    return instruction < places.size() ? places[instruction] : no_index;
  }
  /// The source line of the instruction that ends a block: of its branch, its barrier. Empty if the text does not say
  /// it, or the block stands for no text.
  [[nodiscard]] std::string source_of_end(block_id b) const {
    return b < blocks.size() && blocks[b].weight != 0 ? source_of(blocks[b].last_instruction) : std::string();
  }
  /// The source line of the first instruction of a block; empty as source_of_end().
  [[nodiscard]] std::string source_of_begin(block_id b) const {
    if (b >= blocks.size() || blocks[b].weight == 0) return {};
    return source_of(blocks[b].last_instruction + 1 - blocks[b].weight);
  }
  /// Instructions in a block, the one that ends it included.
  [[nodiscard]] std::uint32_t weight(block_id b) const { return blocks[b].weight; }
  /// By block: its instructions. O(blocks).
  [[nodiscard]] std::vector<std::uint32_t> weights() const {
    std::vector<std::uint32_t> all;
    all.reserve(blocks.size());
    for (const decoded_block& b : blocks) all.push_back(b.weight);
    return all;
  }

  /// The name of a block in messages: "BB7 $L__BB0_7"; "end" if b is no block of the kernel.
  [[nodiscard]] std::string block_name(block_id b) const {
    return b < blocks.size() ? simtflow::block_name(b, blocks[b].label) : simtflow::block_name(no_block);
  }

  /// The name of a block with the source line at its end or at its begin: "BB7 $L__BB0_7 (my.cu:17)"; block_name()
  /// alone if the text does not say the line.
  [[nodiscard]] std::string block_name_with_source(block_id b, bool at_end) const {
    const std::string source = at_end ? source_of_end(b) : source_of_begin(b);
    return source.empty() ? block_name(b) : block_name(b) + " (" + source + ")";
  }

  /// By block: 1 if it ends in a barrier.
  [[nodiscard]] std::vector<unsigned char> barriers() const {
    std::vector<unsigned char> all;
    for (const decoded_block& b : blocks) all.push_back(b.end == block_exit::barrier ? 1 : 0);
    return all;
  }

  /// The control-flow graph: where threads can go. Block 0 is the entry; successors as described above. A call leads to
  /// the first blocks of the functions it may call (and to the next block, if it has a guard); the block that a
  /// function returns from leads to the blocks after all calls of the function. Blocks that nothing reaches keep their
  /// edges.
  ///
  /// For priorities, thread frontiers, reachability: in an order of this graph a function comes before what its callers
  /// do next. Take post-dominators from bodies(). O(blocks + edges).
  [[nodiscard]] csr_graph cfg() const {
    csr_builder g(blocks.size(), 0);
    std::vector<std::vector<block_id>> behind(functions.size());
    for (const call_site& s : sites)
      if (s.next != no_block)
        for (const std::uint32_t f : s.targets) behind[f].push_back(s.next);
    for (block_id b = 0; b < blocks.size(); ++b) {
      const decoded_block& k = blocks[b];
      if (k.end == block_exit::call) {
        for (const std::uint32_t f : sites[k.detail].targets) g.add_edge(b, functions[f].entry);
        if (k.guard.index == no_index && !sites[k.detail].targets.empty()) continue;
      }
      if (k.end == block_exit::ret) {
        for (const block_id to : behind[k.function]) g.add_edge(b, to);
        if (behind[k.function].empty()) g.mark_exit(b);
        continue;
      }
      add_edges_inside(g, b);
    }
    return g.build();
  }

  /// The bodies of the functions side by side: a call leads to the block after it, the block that a function returns
  /// from is an exit. If there is any function besides the kernel, block blocks.size() is the entry of the graph, with
  /// an edge to the first block of every function; no thread ever runs it. Without functions it is cfg().
  ///
  /// For post-dominators (the immediate one of a call is the block after it), loops and structure. O(blocks + edges).
  [[nodiscard]] csr_graph bodies() const {
    const bool root = functions.size() > 1;
    csr_builder g(blocks.size() + (root ? 1 : 0), root ? static_cast<block_id>(blocks.size()) : 0);
    for (block_id b = 0; b < blocks.size(); ++b) {
      if (blocks[b].end == block_exit::ret)
        g.mark_exit(b);
      else
        add_edges_inside(g, b);
    }
    if (root)
      for (const decoded_function& f : functions) g.add_edge(static_cast<block_id>(blocks.size()), f.entry);
    return g.build();
  }

 private:
  void add_edges_inside(csr_builder& g, block_id b) const {
    const decoded_block& k = blocks[b];
    if (k.end == block_exit::branch) g.add_edge(b, k.target);
    if (k.end == block_exit::table)
      for (const block_id to : tables[k.detail].targets) g.add_edge(b, to);
    if (k.next != no_block) g.add_edge(b, k.next);
    if (k.end == block_exit::leave) g.mark_exit(b);
  }
};

// Generic addresses: shared memory of the thread block, local memory of the thread and parameters of the kernel are
// windows of window_bytes.

/// The generic address where shared memory of the thread block begins.
inline constexpr std::uint64_t shared_window = 0x0100'0000;
/// The generic address where local memory of the thread begins.
inline constexpr std::uint64_t local_window = 0x0200'0000;
/// The generic address where the parameters of the kernel begin.
inline constexpr std::uint64_t param_window = 0x0300'0000;
/// The first address of a function. It belongs to no memory: device_memory::function_address().
inline constexpr std::uint64_t code_window = 0x0400'0000;
/// Bytes of a window.
inline constexpr std::uint64_t window_bytes = 0x0100'0000;
/// Bytes between the addresses of two functions.
inline constexpr std::uint64_t code_stride = 16;
/// Global memory begins here.
inline constexpr std::uint64_t first_global_address = 0x1000'0000;
/// The most shared memory that the text of a kernel may declare.
inline constexpr std::uint64_t max_shared_bytes = std::uint64_t{1} << 20;
/// The most local memory of a thread that frames at fixed addresses may take; the most that its stack may take.
inline constexpr std::uint64_t max_local_bytes = std::uint64_t{512} << 10;

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

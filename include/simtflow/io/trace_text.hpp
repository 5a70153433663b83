// SPDX-License-Identifier: BSL-1.0
//
// Reads and writes *trace files*: the blocks that each thread of a kernel executed, line by line. Comments, `g` lines
// and block lines are as in graph files (graph_text.hpp).
//
//   k <suite/stem> <variant> <symbol>          a kernel: its graph was read before, or a `g` graph follows at once
//   m <warp width> <barrier model>             optional, directly after `k`: the machine of the recording, that is the
//                                              number of threads in a warp and the barrier model
//                                              (simt/barrier_model.hpp; -: each policy's own)
//   t <id> <block>...                          a path from the entry to the end of a thread; ids count from 0. The
//                                              sentinel is not listed.
//   c <id>...                                  a thread block: the path of each thread, thread 0 first
//
// The lines below are optional: the cycle model (io/timed_replay.hpp) needs them. A trace with such lines describes
// every instruction. If an instruction makes accesses, the trace has the addresses of every thread block.
//
//   n <shared bytes> <address>                 shared memory of a thread block; where the first instruction lies
//   h <address> <bytes>                        global memory that the host copied before the run, directly after `n`
//   i <block> <class> [<memory>] <register>... [> <register>...]
//                                              an instruction: its class (timing/instruction_class.hpp), for loads,
//                                              stores and atomics the memory (timing/instruction.hpp), the registers
//                                              that it reads > that it writes. Block by block, in order
//   a <memory> <load|store|atomic> <bytes> [l2] [volatile]
//                                              an access that the instruction of the line before can make, bytes of
//                                              each lane; l2: past the L1; volatile: sees what other cores write
//   d <id> <difference>...                     addresses of a thread, one for each access in each block of its path;
//                                              ids count from 0. `-`: a guard did not hold. `4*9` is nine times 4
//   e <id>...                                  directly after a `c` line: the addresses of each thread
//
//   A difference is the address less the address that is expected: for an access that the thread has made before, the
//   last address plus the last step from one time to the next of this access, also of an earlier thread; else the first
//   address of the last thread that made it, plus the step to that one from the thread before it. Local addresses are
//   as timing::access has them. Steps and addresses are 0 at first.
//
//   A `-` stands for an empty suite, stem, variant or symbol.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/detail/trace_code_writer.hpp>
#include <simtflow/io/detail/trace_reader.hpp>
#include <simtflow/io/graph_text.hpp>
#include <simtflow/io/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Reads the sound traces of a trace file, in file order, and appends to `why` a diagnostic with line and column for
/// each broken line. `graphs`: where `k` lines without a graph of their own look theirs up; only needed during the
/// call. Checked: every path starts at the entry, follows edges and ends where threads may end; every thread has a
/// path. Complexity: linear in the text (times the smaller degree of each edge), plus sorting the names of `graphs`.
[[nodiscard]] inline std::vector<recorded_trace> read_sound_traces(std::string_view text,
                                                                   std::span<const recorded_graph> graphs,
                                                                   diagnostics& why) {
  return detail::trace_file_reader(text, graphs).read(why);
}

/// Reads a trace file: its traces in file order, or the diagnostics of read_sound_traces, which says what is checked.
/// Complexity: as there.
[[nodiscard]] inline result<std::vector<recorded_trace>> read_traces(std::string_view text,
                                                                     std::span<const recorded_graph> graphs = {}) {
  diagnostics why;
  std::vector<recorded_trace> traces = read_sound_traces(text, graphs, why);
  if (!why.empty()) return why;
  return traces;
}

/// Writes traces as the text of a trace file, each with its graph inline. Complexity: linear in what is written.
[[nodiscard]] inline std::string to_trace_text(std::span<const recorded_trace> traces) {
  std::string out;
  for (const recorded_trace& t : traces) {
    out += 'k';
    detail::append_name(out, detail::graph_index::key(t.graph));
    detail::append_name(out, t.graph.variant);
    detail::append_name(out, t.graph.symbol);
    out += '\n';
    if (t.machine.warp_width != 0) {
      out += "m " + std::to_string(t.machine.warp_width) + ' ';
      out += t.machine.barriers ? to_string(*t.machine.barriers) : "-";
      out += '\n';
    }
    detail::append_graph(out, t.graph);
    detail::append_code(out, t.code);
    detail::address_writer addresses(t);
    for (std::size_t p = 0; p < t.paths.size(); ++p) {
      out += "t " + std::to_string(p);
      for (const block_id b : t.paths[p]) out += ' ' + std::to_string(b);
      out += '\n';
    }
    for (std::size_t i = 0; i < t.num_thread_blocks(); ++i) {
      addresses.append_differences(out, i);
      out += 'c';
      for (const std::uint32_t p : t.thread_block(i)) out += ' ' + std::to_string(p);
      out += '\n';
      addresses.append(out);
    }
  }
  return out;
}

}  // namespace v0
}  // namespace simtflow

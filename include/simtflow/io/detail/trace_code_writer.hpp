// SPDX-License-Identifier: BSL-1.0
//
// Writes the lines of a trace file that only time needs (trace_text.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/detail/address_coding.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/memory_range.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// The lines n, h, i and a.
inline void append_code(std::string& out, const timing::recorded_code& code) {
  if (code.empty()) return;
  out += "n " + std::to_string(code.shared_bytes) + ' ' + std::to_string(code.address) + '\n';
  for (const timing::memory_range& r : code.copied)
    out += "h " + std::to_string(r.address) + ' ' + std::to_string(r.bytes) + '\n';
  for (block_id b = 0; b < code.num_blocks(); ++b)
    for (std::size_t n = code.first[b]; n < code.first[b + 1]; ++n) {
      const timing::instruction& what = code.instructions[n];
      out += "i " + std::to_string(b) + ' ' + to_string(what.kind);
      if (timing::accesses_memory(what.kind)) (out += ' ') += to_string(what.where);
      for (std::uint32_t r = 0; r < std::uint32_t{what.reads} + what.writes; ++r) {
        if (r == what.reads) out += " >";
        out += ' ' + std::to_string(code.registers[what.first_register + r]);
      }
      out += '\n';
      for (std::size_t a = code.first_access[n]; a < code.first_access[n + 1]; ++a) {
        const timing::recorded_access& access = code.accesses[a];
        ((out += "a ") += to_string(access.where)) += ' ';
        (out += to_string(access.kind)) += ' ' + std::to_string(access.bytes);
        if (access.bypasses_l1) out += " l2";
        if (access.is_volatile) out += " volatile";
        out += '\n';
      }
    }
}

// The lines d and e, thread block by thread block.
class address_writer {
 public:
  explicit address_writer(const recorded_trace& t) : trace_(&t), predictor_(t.code.accesses.size()) {
    SIMTFLOW_EXPECTS(t.code.accesses.empty() || t.addresses.num_threads() == t.path_of_thread.size(),
                     "a trace with accesses has the addresses of all threads");
  }

  // The differences of thread block i that no thread block before it has.
  void append_differences(std::string& out, std::size_t i) {
    ids_.clear();
    if (trace_->code.accesses.empty()) return;
    for (std::size_t t = trace_->first_thread[i]; t < trace_->first_thread[i + 1]; ++t) {
      const auto addresses = trace_->addresses.of_thread(t);
      std::size_t next = 0;
      words_.clear();
      predictor_.begin_thread();
      for_each_access(trace_->code, trace_->paths[trace_->path_of_thread[t]], [&](std::size_t a) {
        const std::uint64_t address = addresses[next++];
        if (address == timing::recorded_addresses::none) return words_.add(true, 0);
        words_.add(false, address - predictor_.expected(a));
        predictor_.add(a, address);
      });
      const auto [at, fresh] = known_.try_emplace(words_.text(), known_.size());
      if (fresh) out += "d " + std::to_string(at->second) + at->first + '\n';
      ids_.push_back(at->second);
    }
  }
  // The addresses of the threads of that thread block.
  void append(std::string& out) const {
    if (ids_.empty()) return;
    out += 'e';
    for (const std::size_t id : ids_) out += ' ' + std::to_string(id);
    out += '\n';
  }

 private:
  const recorded_trace* trace_;
  address_predictor predictor_;
  difference_words words_;
  std::unordered_map<std::string, std::size_t> known_;  // the words of each id
  std::vector<std::size_t> ids_;                        // by thread
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

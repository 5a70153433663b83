// SPDX-License-Identifier: BSL-1.0
//
// The lines of a trace file that only time needs: instructions, accesses, addresses (trace_text.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/detail/address_coding.hpp>
#include <simtflow/io/detail/graph_reader.hpp>
#include <simtflow/io/detail/line_reader.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/memory_range.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Reads the lines n, h, i, a, d and e into a trace. Every function returns false after a diagnostic.
class trace_code_reader : protected graph_reader {
 protected:
  using graph_reader::graph_reader;

  // Begins the next trace.
  void begin_code() {
    has_needs_ = code_ended_ = false;
    differences_.clear();
    first_difference_.assign(1, 0);
    length_.clear();
    length_of_path_.clear();
    predictor_ = address_predictor(0);
  }
  // True if the trace has lines of this kind.
  [[nodiscard]] static bool has_code(const recorded_trace& t) {
    return t.code.num_blocks() != 0 || !t.code.instructions.empty();
  }

  // n <shared bytes> <address>
  bool needs(word_reader& words, recorded_trace& t) {
    if (has_needs_ || code_ended_ || has_code(t))
      return problem(words.where(), "what the code needs (n) comes before the instructions, once");
    has_needs_ = true;
    if (!number(words, "the number of bytes of shared memory", t.code.shared_bytes)) return false;
    if (!number64(words, "the address of the code", t.code.address)) return false;
    return end_of_line(words);
  }

  // h <address> <bytes>
  bool copied(word_reader& words, recorded_trace& t) {
    if (!has_needs_ || code_ended_ || !t.code.empty())
      return problem(words.where(), "copied memory (h) comes between what the code needs (n) and the instructions (i)");
    timing::memory_range range;
    if (!number64(words, "the address of copied memory", range.address)) return false;
    if (!number64(words, "the number of copied bytes", range.bytes)) return false;
    constexpr std::uint64_t end = std::uint64_t{1} << 62U;
    if (range.address > end || range.bytes > end - range.address)
      return problem(words.where(), "copied memory ends below 2^62");
    t.code.copied.push_back(range);
    return end_of_line(words);
  }

  // i <block> <class> [<memory>] <register>... > <register>...
  bool instruction(word_reader& words, recorded_trace& t) {
    timing::recorded_code& code = t.code;
    if (code_ended_) return problem(words.where(), "instructions come before paths and thread blocks");
    end_full_blocks(t);
    const std::size_t expected = code.num_blocks();
    block_id b = 0;
    if (!number(words, "the block of the instruction", b)) return false;
    if (expected == t.graph.weights.size())
      return problem(words.where(),
                     "the blocks have no more instructions: there are " + std::to_string(code.instructions.size()));
    if (b != expected)
      return problem(words.where(), "instructions are in the order of the blocks: expected one of block " +
                                        std::to_string(expected) + ", found " + std::to_string(b));
    const std::string_view name = words.next();
    std::size_t kind = 0;
    while (kind < timing::num_instruction_classes && name != to_string(static_cast<timing::instruction_class>(kind)))
      ++kind;
    if (kind == timing::num_instruction_classes)
      return problem(words.where(), quoted_word(name) + " is no class of instructions");
    const auto what = static_cast<timing::instruction_class>(kind);
    timing::address_space where = timing::address_space::none;
    if (timing::accesses_memory(what) && !memory(words, where)) return false;
    std::vector<std::uint32_t> registers[2];  // read, written
    std::size_t written = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (word == ">" && written == 0) {
        written = 1;
        continue;
      }
      std::uint32_t n = 0;
      if (read_number(word, n) != number_problem::none)
        return problem(words.where(), quoted_word(word) +
                                          " is no register: registers are numbers, > comes before those "
                                          "that are written");
      if (registers[written].size() == most_registers)
        return problem(words.where(), "an instruction has at most " + std::to_string(most_registers) + " registers");
      registers[written].push_back(n);
    }
    code.add(what, where, registers[0], registers[1]);
    return true;
  }

  // a <memory> <direction> <bytes> [l2] [volatile]
  bool access(word_reader& words, recorded_trace& t) {
    if (code_ended_ || t.code.empty() || !timing::accesses_memory(t.code.instructions.back().kind))
      return problem(words.where(), "an access belongs to the memory instruction (i) in the line before it");
    timing::recorded_access a;
    if (!memory(words, a.where)) return false;
    const std::string_view direction = words.next();
    bool known = false;
    for (const auto kind : {timing::access_kind::load, timing::access_kind::store, timing::access_kind::atomic})
      if (direction == to_string(kind)) {
        a.kind = kind;
        known = true;
      }
    if (!known)
      return problem(words.where(), "an access is a load, a store or an atomic, not " + quoted_word(direction));
    if (!number(words, "the number of bytes", a.bytes)) return false;
    if (a.bytes == 0 || a.bytes > timing::recorded_access::most_bytes)
      return problem(words.where(),
                     "a lane accesses 1 to " + std::to_string(timing::recorded_access::most_bytes) + " bytes");
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      bool& flag = word == "l2" ? a.bypasses_l1 : a.is_volatile;
      if ((word != "l2" && word != "volatile") || flag)
        return problem(words.where(), "l2 and volatile, each once, may end an access, not " + quoted_word(word));
      flag = true;
    }
    t.code.add(a);
    return true;
  }

  // The instructions of all blocks have been read, or none. \param at the line after them
  bool end_code(position at, recorded_trace& t) {
    if (code_ended_) return true;
    code_ended_ = true;
    if (!has_code(t)) return !has_needs_ || problem(at, "what the code needs (n) is there, but no instruction (i)");
    end_full_blocks(t);
    const std::size_t b = t.code.num_blocks();
    if (b != t.graph.weights.size())
      return problem(
          at, "block " + std::to_string(b) + " has " + std::to_string(t.graph.weights[b]) + " instructions, but only " +
                  std::to_string(t.code.instructions.size() - t.code.first.back()) + " of them (i) are here");
    predictor_ = address_predictor(t.code.accesses.size());
    return true;
  }

  // d <id> <difference>...
  bool differences(word_reader& words, const recorded_trace& t) {
    if (t.code.accesses.empty()) return problem(words.where(), "addresses need instructions (i) with accesses (a)");
    std::uint32_t id = 0;
    if (!number(words, "the id of the differences", id)) return false;
    if (id != length_.size())
      return problem(words.where(), "differences have ids from 0: expected " + std::to_string(length_.size()) +
                                        ", found " + std::to_string(id));
    std::uint64_t length = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      run r;
      if (!read_run(word, r))
        return problem(words.where(), quoted_word(word) +
                                          " is no difference: it is written <number> or -, and "
                                          "*<count> after it");
      differences_.push_back(r);
      length += r.count;
    }
    first_difference_.push_back(differences_.size());
    length_.push_back(length);
    return true;
  }

  // e <id>...: the addresses of the threads of the last thread block.
  bool addresses(word_reader& words, recorded_trace& t) {
    if (t.code.accesses.empty() || t.addresses.num_threads() == t.path_of_thread.size())
      return problem(words.where(), "addresses (e) directly follow the thread block (c) that they belong to, once");
    for (std::size_t thread = t.addresses.num_threads(); thread < t.path_of_thread.size(); ++thread) {
      const std::string_view word = words.next();
      std::uint32_t id = 0;
      if (word.empty())
        return problem(words.where(), "the thread block has " + std::to_string(threads_of_last(t)) +
                                          " threads: more addresses are missing");
      if (read_number(word, id) != number_problem::none || id >= length_.size())
        return problem(words.where(),
                       "no differences " + quoted_word(word) + ": there are " + std::to_string(length_.size()));
      const std::uint64_t made = accesses_of_path(t, t.path_of_thread[thread]);
      if (made != length_[id])
        return problem(words.where(), "the thread's path makes " + std::to_string(made) + " accesses, but there are " +
                                          std::to_string(length_[id]) + " differences");
      if (made > most_addresses - t.addresses.all.size())
        return problem(words.where(), "a trace has at most " + std::to_string(most_addresses) + " addresses");
      if (!follow(t, t.path_of_thread[thread], id)) return problem(words.where(), "an address is below 2^63");
    }
    return end_of_line(words);
  }

  // At a line that is not an `e` line. \param at its place
  bool addresses_complete(position at, const recorded_trace& t) {
    if (t.code.accesses.empty() || t.addresses.num_threads() == t.path_of_thread.size()) return true;
    return problem(at, "the addresses (e) of the thread block before are missing");
  }

 private:
  static constexpr std::size_t most_registers = 1000;
  static constexpr std::size_t most_addresses = std::size_t{1} << 27U;

  // Equal differences in a row.
  struct run {
    std::uint64_t difference = 0;
    std::uint32_t count = 1;
    bool none = false;
  };

  static bool read_run(std::string_view word, run& r) {
    const std::size_t star = word.find('*');
    if (star != std::string_view::npos) {
      if (read_number(word.substr(star + 1), r.count) != number_problem::none || r.count == 0) return false;
      word = word.substr(0, star);
    }
    r.none = word == "-";
    if (r.none) return true;
    const bool negative = !word.empty() && word[0] == '-';
    if (!read_number64(word.substr(negative ? 1 : 0), r.difference)) return false;
    if (negative) r.difference = 0 - r.difference;
    return true;
  }
  static bool read_number64(std::string_view word, std::uint64_t& value) {
    if (word.empty()) return false;
    value = 0;
    for (const char c : word) {
      if (c < '0' || c > '9') return false;
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (value > (~std::uint64_t{0} - digit) / 10) return false;
      value = value * 10 + digit;
    }
    return true;
  }
  bool number64(word_reader& words, const char* what, std::uint64_t& value) {
    const std::string_view word = words.next();
    return read_number64(word, value) ||
           problem(words.where(), std::string(what) + " is a number of 64 bits, not " + quoted_word(word));
  }

  bool memory(word_reader& words, timing::address_space& where) {
    using space = timing::address_space;
    const std::string_view name = words.next();
    for (const space s :
         {space::global, space::shared, space::constant, space::parameter, space::local, space::texture})
      if (name == to_string(s)) {
        where = s;
        return true;
      }
    return problem(words.where(), "no memory " + quoted_word(name) +
                                      ": there are global, shared, constant, parameter, local and texture");
  }

  // Ends the block that is being read if it has all of its instructions, and blocks without any after it.
  static void end_full_blocks(recorded_trace& t) {
    timing::recorded_code& code = t.code;
    while (code.num_blocks() < t.graph.weights.size() &&
           code.instructions.size() - code.first.back() == t.graph.weights[code.num_blocks()])
      code.end_block();
  }

  static std::size_t threads_of_last(const recorded_trace& t) {
    return t.first_thread.back() - t.first_thread[t.first_thread.size() - 2];
  }

  std::uint64_t accesses_of_path(const recorded_trace& t, std::uint32_t path) {
    while (length_of_path_.size() < t.paths.size()) {
      std::uint64_t n = 0;
      for (const block_id b : t.paths[length_of_path_.size()]) n += t.code.accesses_in(b);
      length_of_path_.push_back(n);
    }
    return length_of_path_[path];
  }

  // Adds the addresses of a thread. False if one is too great.
  bool follow(recorded_trace& t, std::uint32_t path, std::uint32_t id) {
    const run* r = differences_.data() + first_difference_[id];
    std::uint32_t left = differences_.size() == first_difference_[id] ? 0 : r->count;
    bool good = true;
    predictor_.begin_thread();
    for_each_access(t.code, t.paths[path], [&](std::size_t a) {
      if (left == 0) left = (++r)->count;
      --left;
      std::uint64_t address = timing::recorded_addresses::none;
      if (!r->none) {
        address = predictor_.expected(a) + r->difference;
        good = good && address >> 63U == 0;
        predictor_.add(a, address);
      }
      t.addresses.all.push_back(address);
    });
    t.addresses.end_thread();
    return good;
  }

  bool has_needs_ = false, code_ended_ = false;
  std::vector<run> differences_;               // of all `d` lines
  std::vector<std::size_t> first_difference_;  // by id, and one more
  std::vector<std::uint64_t> length_;          // by id: accesses
  std::vector<std::uint64_t> length_of_path_;  // by path: accesses
  address_predictor predictor_{0};
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

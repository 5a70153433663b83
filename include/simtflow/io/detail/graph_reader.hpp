// SPDX-License-Identifier: BSL-1.0
//
// The reader of graph files, and of graphs within trace files; the format is described in graph_text.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/detail/line_reader.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// The graphs of a text: sections, `g` lines and block lines. The trace reader reads graphs the same way.
class graph_reader : protected diagnosing_reader {
 protected:
  using diagnosing_reader::diagnosing_reader;

  void section(word_reader& words) {
    suite_.clear();
    stem_.clear();
    variant_.clear();
    std::string* const parts[] = {&suite_, &stem_, &variant_};
    for (std::string* part : parts) {
      const std::string_view word = words.next();
      if (word.empty()) {
        problem(words.where(), "a section is written 's <suite> <stem> <variant>'");
        return;
      }
      *part = name_in(word);
    }
    end_of_line(words);
  }

  // A `g` line. From here on block lines belong to this graph, or are skipped if the line is broken.
  void begin_graph(word_reader& words) {
    in_graph_ = true;
    good_ = false;
    now_ = {};
    now_.where = words.where();
    from_.clear();
    to_.clear();
    const std::string_view symbol = words.next();
    if (symbol.empty()) {
      problem(words.where(), "a graph is written 'g <symbol> <blocks> <entry> [K|F]'");
      return;
    }
    now_.suite = suite_;
    now_.stem = stem_;
    now_.variant = variant_;
    now_.symbol = name_in(symbol);
    if (!number(words, "the number of blocks", promised_)) return;
    if (promised_ == no_block) {
      problem(words.where(), "a graph has fewer than 4294967295 blocks");
      return;
    }
    if (!number(words, "the entry", entry_)) return;
    if (entry_ >= promised_ && promised_ != 0) {
      problem(words.where(), "the entry is no block of the graph: there are " + std::to_string(promised_));
      return;
    }
    const std::string_view kind = words.next();
    if (kind == "K") now_.kind = graph_kind::kernel;
    if (kind == "F") now_.kind = graph_kind::function;
    if (!kind.empty() && now_.kind == graph_kind::unknown) {
      problem(words.where(), "a graph is a kernel (K) or another function (F), not " + quoted_word(kind));
      return;
    }
    good_ = end_of_line(words);
  }

  // A block line: its first word is a number or should be a number.
  void block_line(word_reader& words) {
    if (!in_graph_) {
      words.next();
      problem(words.where(), "a block line outside of a graph");
      return;
    }
    if (good_)
      good_ = read_block(words);  // after an error the rest of the graph is skipped: one diagnostic, not a hundred
  }

  // Ends the graph that is being read. Returns nullopt if there is none or its text is broken.
  std::optional<recorded_graph> end_graph() {
    if (!in_graph_) return std::nullopt;
    in_graph_ = false;
    if (!good_) return std::nullopt;
    if (now_.weights.size() != promised_) {
      problem(now_.where, "the graph has " + std::to_string(promised_) + " blocks, but only " +
                              std::to_string(now_.weights.size()) + " block lines follow");
      return std::nullopt;
    }
    csr_builder builder(promised_, entry_);
    for (std::size_t e = 0; e < from_.size(); ++e) builder.add_edge(from_[e], to_[e]);
    now_.graph = builder.build();
    return std::move(now_);
  }

  bool in_graph_ = false;  // block lines are expected

 private:
  // Reads the number and the thread count that follow the letter of a barrier, and moves `i` past them.
  static bool read_barrier(std::string_view flags, std::size_t& i, trace_barrier& b) {
    const auto digits = [&](std::uint32_t& value) {
      const std::size_t first = i;
      while (i < flags.size() && flags[i] >= '0' && flags[i] <= '9') ++i;
      return i > first && read_number(flags.substr(first, i - first), value) == number_problem::none;
    };
    const bool numbered = i < flags.size() && flags[i] >= '0' && flags[i] <= '9';
    if (numbered && !digits(b.id)) return false;
    const bool counted = i < flags.size() && flags[i] == '/';
    if (counted && (!numbered || (++i, !digits(b.count)) || b.count == 0)) return false;
    return b.id < named_barriers && (b.waits || counted);
  }

  bool read_block(word_reader& words) {
    const block_id expected = static_cast<block_id>(now_.weights.size());
    block_id id = 0;
    if (!number(words, "the block id", id)) return false;
    if (expected >= promised_)
      return problem(words.where(), "the graph has only " + std::to_string(promised_) + " blocks");
    if (id != expected)
      return problem(words.where(),
                     "block ids are in order: expected " + std::to_string(expected) + ", found " + std::to_string(id));
    std::uint32_t weight = 0;
    if (!number(words, "the weight", weight)) return false;
    const std::string_view flags = words.next();
    const position flags_at = words.where();
    if (flags.empty()) return problem(flags_at, "the flags are missing ('-' stands for none)");
    bool barrier = false, sentinel = false, strong = false;
    branch_kind branch = branch_kind::unmarked;
    trace_barrier named;
    for (std::size_t i = 0; i < flags.size() && flags != "-";) {
      const position at{flags_at.line, flags_at.column + static_cast<std::uint32_t>(i)};
      const char c = flags[i];
      if (c != 'a' && c != 'b' && c != 'd' && c != 'u' && c != '?' && c != 'w' && c != 'x')
        return problem(at, "unknown flag " + quoted_word(flags.substr(i, 1)));
      if (c == 'a' || c == 'b' ? barrier : c == 'w' ? strong : c == 'x' ? sentinel : branch != branch_kind::unmarked)
        return problem(at, "flag " + quoted_word(flags.substr(i, 1)) + " repeats or contradicts an earlier one");
      ++i;
      if (c == 'a' || c == 'b') {
        barrier = true;
        named.waits = c == 'b';
        if (!read_barrier(flags, i, named))
          return problem(at,
                         "a barrier is written b, b<number>, b<number>/<threads> or a<number>/<threads>: the number "
                         "is below " +
                             std::to_string(named_barriers) + ", the threads are at least 1");
      }
      if (c == 'w') strong = true;
      if (c == 'x') sentinel = true;
      if (c == 'd') branch = branch_kind::divergent;
      if (c == 'u') branch = branch_kind::uniform;
      if (c == '?') branch = branch_kind::unanalysed;
    }
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      block_id to = 0;
      if (read_number(word, to) != number_problem::none || to >= promised_)
        return problem(words.where(), "the successor " + quoted_word(word) + " is no block of the graph: there are " +
                                          std::to_string(promised_));
      if (sentinel) return problem(words.where(), "the sentinel has no successors");
      from_.push_back(id);
      to_.push_back(to);
    }
    if (sentinel) {
      if (now_.sentinel != no_block)
        return problem(flags_at,
                       "a graph has one sentinel, block " + std::to_string(now_.sentinel) + " is one already");
      if (weight != 0 || flags.size() != 1)
        return problem(flags_at, "the sentinel is written '" + std::to_string(id) + " 0 x'");
      now_.sentinel = id;
    }
    now_.weights.push_back(weight);
    now_.barriers.push_back(barrier);
    if (named != trace_barrier{}) now_.named.resize(id);
    if (named != trace_barrier{} || !now_.named.empty()) now_.named.push_back(named);
    now_.branches.push_back(branch);
    if (strong) now_.strong_reads.resize(id);
    if (strong || !now_.strong_reads.empty()) now_.strong_reads.push_back(strong);
    return true;
  }

  std::string suite_, stem_, variant_;
  recorded_graph now_;
  std::uint32_t promised_ = 0;  // blocks, according to the `g` line
  block_id entry_ = 0;
  std::vector<block_id> from_, to_;
  bool good_ = false;
};

/// A graph file.
class graph_file_reader : graph_reader {
 public:
  explicit graph_file_reader(std::string_view text) : graph_reader(text) {}

  // The sound graphs; appends to `why` one diagnostic for each broken line, the first in each graph.
  std::vector<recorded_graph> read(diagnostics& why) {
    std::vector<recorded_graph> sound;
    const auto take = [&] {
      if (std::optional<recorded_graph> done = end_graph()) sound.push_back(std::move(*done));
    };
    while (!full_) {
      std::optional<word_reader> words = lines_.next();
      if (!words) break;
      word_reader line = *words;  // as it was before the first word
      const std::string_view first = words->next();
      if (first == "s") {
        take();
        section(*words);
      } else if (first == "g") {
        take();
        begin_graph(*words);
      } else if (first[0] >= '0' && first[0] <= '9') {
        block_line(line);
      } else {
        problem(words->where(), "expected a section (s), a graph (g) or a block line, found " + quoted_word(first));
      }
    }
    take();
    append(why);
    return sound;
  }
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

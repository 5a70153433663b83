// SPDX-License-Identifier: BSL-1.0
//
// Reads and writes two line-based text formats: *graph files* (shapes and weights of control-flow graphs) and *trace
// files* (the blocks that each thread of a kernel really executed). Readers take the whole text and return what is good
// in it together with a finding for everything that is not; they never fail halfway and never trust a number before the
// lines it promises are there. Decompression is the caller's business.
//
//   # comment                                  anywhere; words are separated by blanks or tabs, LF or CRLF ends a line
//   s <suite> <stem> <variant>                 a section: applies to the graphs that follow
//   g <symbol> <blocks> <entry> [K|F]          a graph: K = kernel, F = other function
//   <id> <weight> <flags> <successor>...       one line per block, ids 0 .. blocks - 1 in order
//
//   weight   instructions in the block
//   flags    b: a thread block barrier lies in the block; d / u: its branch is divergent / uniform; ?: not analysed;
//            b2, b2/64: it is barrier 2 (of 16; b is b0), and opens for 64 threads (else for all of the thread block);
//            a2/64: threads are only counted at it and go on;
//            w: a thread can see here what another one did: the block holds an atomic operation with a result, or a
//            volatile, relaxed or acquiring load (ptx/machine/other_threads.hpp). Without w a file says that of no block;
//            x: the *sentinel*, a block that stands for the end of the program (alone, weight 0, no successors, at most
//            one in a graph); -: none. The first successor is the taken one, duplicates are kept.
//
//   k <suite/stem> <variant> <symbol>          a kernel: its graph was read before, or a `g` graph follows at once
//   m <warp width> <barrier model>             optional, directly after `k`: the machine of the recording, that is the
//                                              number of threads in a warp and the barrier model
//                                              (simt/barrier_model.hpp; -: each policy's own)
//   t <id> <block>...                          a path from the entry to the end of a thread; ids count from 0. The
//                                              sentinel is not listed.
//   c <id>...                                  a thread block: the path of each thread, thread 0 first
//
//   A `-` stands for an empty suite, stem, variant or symbol.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What the file says a graph is.
enum class graph_kind : unsigned char {
  unknown,  ///< the file does not say
  kernel,   ///< K: threads start here
  function  ///< F: called by others
};

/// What the file says about the branch at the end of a block.
enum class branch_kind : unsigned char {
  unmarked,   ///< nothing: there is no branch, or nobody asked
  divergent,  ///< d: threads that are together may part
  uniform,    ///< u: they stay together
  unanalysed  ///< ?: the analysis was not run on it
};

/// One graph of a graph file. Its vectors have one element per block, or none where that is said.
struct recorded_graph {
  std::string suite,                        ///< of its section; empty if the file says `-`
      stem,                                 ///< of its section
      variant,                              ///< of its section
      symbol;                               ///< its own name
  graph_kind kind = graph_kind::unknown;    ///< kernel or function
  position where;                           ///< of its `g` line
  csr_graph graph;                          ///< its blocks, the sentinel among them
  std::vector<std::uint32_t> weights;       ///< instructions
  std::vector<unsigned char> barriers;      ///< 1: a barrier lies in the block
  std::vector<trace_barrier> named;         ///< which one, by block; empty if every barrier is number 0 for all threads
  std::vector<branch_kind> branches;        ///< what is said about the branch at the block's end
  std::vector<unsigned char> strong_reads;  ///< 1: a thread can see there what another one did; empty if no block is so
  block_id sentinel = no_block;             ///< a block of `graph`, no_block if there is none

  /// Whether a thread may end behind b: b has no successors, or the sentinel is one of them. \pre b is in the graph.
  [[nodiscard]] constexpr bool may_end(block_id b) const {
    if (graph.is_exit(b)) return true;
    for (const block_id s : graph.successors(b))
      if (s == sentinel) return true;
    return false;
  }

  friend bool operator==(const recorded_graph&, const recorded_graph&) = default;
};

/// What a reader made of a graph file.
struct graph_file {
  std::vector<recorded_graph> graphs;  ///< those without a finding
  diagnostics findings;                ///< what is wrong, in the order of the text
};

/// What a trace says about the machine on which it was recorded.
struct trace_machine {
  std::uint32_t warp_width = 0;                          ///< threads of a warp; 0: the trace does not say
  std::optional<barrier_model> barriers = std::nullopt;  ///< the barrier model; nothing: each policy's own

  friend bool operator==(const trace_machine&, const trace_machine&) = default;
};

/// One kernel of a trace file: its graph, the distinct paths, and the thread blocks in launch order.
struct recorded_trace {
  recorded_graph graph;                       ///< its graph; its symbol is the kernel's name
  trace_machine machine;                      ///< the machine of the recording
  block_paths paths;                          ///< from the entry to the end, the sentinel not listed
  std::vector<std::uint32_t> path_of_thread;  ///< of all thread blocks, one behind the other
  /// Where each thread block begins in it; and one more, where the last ends.
  std::vector<std::size_t> first_thread{0};

  [[nodiscard]] std::size_t num_thread_blocks() const { return first_thread.size() - 1; }  ///< 0 if none was recorded

  /// The path of each thread of thread block i. \pre i < num_thread_blocks().
  [[nodiscard]] std::span<const std::uint32_t> thread_block(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < num_thread_blocks(), "a thread block that was recorded");
    return std::span<const std::uint32_t>(path_of_thread)
        .subspan(first_thread[i], first_thread[i + 1] - first_thread[i]);
  }
};

/// What a reader made of a trace file.
struct trace_file {
  std::vector<recorded_trace> traces;  ///< those without a finding
  diagnostics findings;                ///< what is wrong, in the order of the text
};

namespace detail {

/// The words of one line, with their columns.
class word_reader {
 public:
  word_reader(std::string_view line, std::uint32_t number) : line_(line), number_(number) {}

  /// The next word; empty at the end of the line.
  std::string_view next() {
    while (at_ < line_.size() && blank(line_[at_])) ++at_;
    begin_ = at_;
    while (at_ < line_.size() && !blank(line_[at_])) ++at_;
    return line_.substr(begin_, at_ - begin_);
  }

  /// Where the last word began (behind the line if it was empty).
  [[nodiscard]] position where() const { return {number_, static_cast<std::uint32_t>(begin_ + 1)}; }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view line_;
  std::uint32_t number_;
  std::size_t begin_ = 0, at_ = 0;
};

/// The lines of a text that say something.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : text_(text) {}

  std::optional<word_reader> next() {
    while (at_ < text_.size()) {
      std::size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos) end = text_.size();
      const std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string_view::npos && line[first] != '#') return word_reader(line, number_);
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
};

/// A word of the text for use in a message: quoted, shortened, without control characters.
inline std::string quoted_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out += word.size() > 40 ? "...'" : "'";
}

enum class number_problem : unsigned char { none, missing, malformed, too_large };

/// A decimal number of 32 bits.
inline number_problem read_number(std::string_view word, std::uint32_t& value) {
  if (word.empty()) return number_problem::missing;
  std::uint64_t all = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return number_problem::malformed;
    if (all <= 0xFFFF'FFFFU) all = all * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (all > 0xFFFF'FFFFU) return number_problem::too_large;
  value = static_cast<std::uint32_t>(all);
  return number_problem::none;
}

inline std::string name_in(std::string_view word) { return word == "-" ? std::string() : std::string(word); }

/// What both readers share: findings, sections and the graph being read.
class graph_text_reader {
 public:
  explicit graph_text_reader(std::string_view text) : lines_(text) {
    if (text.size() >= 0xFFFF'FFFFU) {  // keeps lines, columns and edge ids in 32 bits
      problem({}, "the text has 4 GiB or more and is not read");
      lines_ = line_reader({});
    }
  }

 protected:
  bool problem(position where, std::string message) {
    if (!add_finding(findings_, where, std::move(message))) full_ = true;
    return false;
  }

  bool number(word_reader& words, const char* what, std::uint32_t& value) {
    const std::string_view word = words.next();
    switch (read_number(word, value)) {
      case number_problem::none:
        return true;
      case number_problem::missing:
        return problem(words.where(), std::string(what) + " is missing");
      case number_problem::malformed:
        return problem(words.where(), std::string(what) + " is not a number: " + quoted_word(word));
      case number_problem::too_large:
        break;
    }
    return problem(words.where(), std::string(what) + " does not fit into 32 bits: " + quoted_word(word));
  }

  bool end_of_line(word_reader& words) {
    const std::string_view word = words.next();
    return word.empty() || problem(words.where(), "unexpected " + quoted_word(word) + " at the end of the line");
  }

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

  // A `g` line. From here on block lines belong to this graph, or are skipped if the line is no good.
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

  // A block line; its first word is a number or should be one.
  void block_line(word_reader& words) {
    if (!in_graph_) {
      words.next();
      problem(words.where(), "a block line outside of a graph");
      return;
    }
    if (good_)
      good_ = read_block(words);  // after an error the rest of the graph is skipped: one finding, not a hundred
  }

  // The graph that was being read, if nothing was wrong with it.
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

  line_reader lines_;
  diagnostics findings_;
  bool full_ = false;      // no room for more findings: reading stops
  bool in_graph_ = false;  // block lines are expected

 private:
  /// What stands behind the letter of a barrier; `i` moves behind it.
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
                         "is below 16, the threads are at least 1");
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

class graph_file_reader : graph_text_reader {
 public:
  using graph_text_reader::graph_text_reader;

  graph_file read() {
    graph_file result;
    const auto take = [&] {
      if (std::optional<recorded_graph> done = end_graph()) result.graphs.push_back(std::move(*done));
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
    result.findings = std::move(findings_);
    return result;
  }
};

/// Finds graphs by the words of a `k` line, in logarithmic time.
class graph_index {
 public:
  explicit graph_index(std::span<const recorded_graph> graphs) : graphs_(graphs) {
    order_.reserve(graphs.size());
    for (std::size_t i = 0; i < graphs.size(); ++i) order_.push_back(i);
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const int c = compare(graphs_[a], key(graphs_[b]), graphs_[b].variant, graphs_[b].symbol);
      return c != 0 ? c < 0 : a < b;
    });
  }

  /// All graphs of that name, in file order.
  [[nodiscard]] std::span<const std::size_t> find(std::string_view key, std::string_view variant,
                                                  std::string_view symbol) const {
    const auto low = std::partition_point(order_.begin(), order_.end(),
                                          [&](std::size_t i) { return compare(graphs_[i], key, variant, symbol) < 0; });
    const auto high = std::partition_point(
        low, order_.end(), [&](std::size_t i) { return compare(graphs_[i], key, variant, symbol) == 0; });
    return std::span<const std::size_t>(order_).subspan(static_cast<std::size_t>(low - order_.begin()),
                                                        static_cast<std::size_t>(high - low));
  }

  [[nodiscard]] static std::string key(const recorded_graph& g) {
    return g.suite.empty() && g.stem.empty() ? std::string() : g.suite + '/' + g.stem;
  }

 private:
  static int compare(const recorded_graph& g, std::string_view key_words, std::string_view variant,
                     std::string_view symbol) {
    if (const int c = std::string_view(g.symbol).compare(symbol)) return c;
    if (const int c = std::string_view(g.variant).compare(variant)) return c;
    return key(g).compare(key_words);
  }

  std::span<const recorded_graph> graphs_;
  std::vector<std::size_t> order_;
};

class trace_file_reader : graph_text_reader {
 public:
  trace_file_reader(std::string_view text, std::span<const recorded_graph> graphs)
      : graph_text_reader(text), graphs_(graphs), index_(graphs) {}

  trace_file read() {
    while (!full_) {
      std::optional<word_reader> words = lines_.next();
      if (!words) break;
      word_reader line = *words;  // as it was before the first word
      const std::string_view first = words->next();
      if (first == "k") {
        end_trace();
        begin_trace(*words);
      } else if (first == "m") {
        if (!machine(*words)) sound_ = false;
      } else if (first == "g") {
        if (state_ == state::outside || state_ == state::running || in_graph_) {
          problem(words->where(), "a graph stands directly behind its 'k' line");
          sound_ = false;
          if (state_ == state::outside) state_ = state::skipped;
        }
        begin_graph(*words);
      } else if (first[0] >= '0' && first[0] <= '9') {
        if (!in_graph_) sound_ = false;
        block_line(line);
      } else if (first == "t" || first == "c") {
        if (!prepare(words->where())) continue;
        if (first == "t")
          path(*words);
        else
          thread_block(*words);
      } else {
        problem(words->where(),
                "expected a kernel (k), its machine (m), a path (t), a thread block (c), a graph (g) or a block line, "
                "found " +
                    quoted_word(first));
        sound_ = false;
      }
    }
    end_trace();
    trace_file result;
    result.traces = std::move(traces_);
    result.findings = std::move(findings_);
    return result;
  }

 private:
  enum class state : unsigned char {
    outside,  // no `k` line yet
    named,    // `k` was read, the graph is not known yet
    running,  // the graph is known: paths and thread blocks
    skipped   // without a graph nothing can be checked
  };

  void begin_trace(word_reader& words) {
    now_ = {};
    where_ = words.where();
    sound_ = true;
    paths_known_ = true;
    state_ = state::skipped;
    std::string* const parts[] = {&key_, &variant_, &symbol_};
    for (std::string* part : parts) {
      const std::string_view word = words.next();
      if (word.empty()) {
        problem(words.where(), "a kernel is written 'k <suite/stem> <variant> <symbol>'");
        return;
      }
      *part = name_in(word);
    }
    if (end_of_line(words)) state_ = state::named;
  }

  bool machine(word_reader& words) {
    if (state_ != state::named || in_graph_ || now_.machine.warp_width != 0)
      return problem(words.where(), "a machine stands directly behind its 'k' line, once");
    if (!number(words, "the warp width", now_.machine.warp_width)) return false;
    if (now_.machine.warp_width == 0) return problem(words.where(), "a warp has at least one thread");
    const std::string_view name = words.next();
    for (const barrier_model model : barrier_models)
      if (name == to_string(model)) now_.machine.barriers = model;
    if (name != "-" && !now_.machine.barriers) {
      std::string names;
      for (const barrier_model model : barrier_models) names.append(to_string(model)).append(", ");
      return problem(words.where(), "no barrier model " + quoted_word(name) + ": there are " + names + "and -");
    }
    return end_of_line(words);
  }

  // Settles the graph of the trace. False: the trace is skipped.
  bool prepare(position at) {
    if (state_ == state::outside) {
      problem(at, "no 'k' line names the kernel");
      state_ = state::skipped;
    }
    if (state_ != state::named) {
      if (in_graph_) end_graph();  // a misplaced graph, reported before
      return state_ == state::running;
    }
    state_ = state::skipped;
    if (in_graph_) {
      std::optional<recorded_graph> inline_graph = end_graph();
      if (!inline_graph) return false;
      if (inline_graph->symbol != symbol_)
        return problem(inline_graph->where, "the graph is called " + quoted_word(inline_graph->symbol) +
                                                ", the kernel " + quoted_word(symbol_));
      const std::size_t slash = key_.find('/');
      inline_graph->suite = key_.substr(0, slash);
      inline_graph->stem = slash == std::string::npos ? std::string() : key_.substr(slash + 1);
      inline_graph->variant = variant_;
      now_.graph = std::move(*inline_graph);
    } else {
      const std::span<const std::size_t> found = index_.find(key_, variant_, symbol_);
      if (found.empty())
        return problem(where_, "no graph " + quoted_word(symbol_) + " in " + quoted_word(key_) + ", variant " +
                                   quoted_word(variant_) + ": read its graph file first");
      const recorded_graph& one = graphs_[found[0]];
      for (const std::size_t other : found)  // a file that was read twice is no harm
        if (graphs_[other].graph != one.graph || graphs_[other].weights != one.weights ||
            graphs_[other].barriers != one.barriers || graphs_[other].named != one.named)
          return problem(where_, "several graphs are called " + quoted_word(symbol_) + " in " + quoted_word(key_) +
                                     ", variant " + quoted_word(variant_));
      now_.graph = one;
    }
    state_ = state::running;
    return true;
  }

  void end_trace() {
    if (state_ == state::named) prepare(where_);
    if (in_graph_) end_graph();  // a misplaced graph, reported before
    if (state_ == state::running && sound_) traces_.push_back(std::move(now_));
    state_ = state::outside;
  }

  void path(word_reader& words) {
    const std::size_t start = now_.paths.blocks.size();
    if (!read_path(words)) {
      sound_ = false;
      now_.paths.blocks.resize(start);
    }
    now_.paths.first.push_back(now_.paths.blocks.size());
  }

  bool read_path(word_reader& words) {
    const csr_graph& g = now_.graph.graph;
    std::uint32_t id = 0;
    if (!number(words, "the path id", id)) return paths_known_ = false;
    if (id != now_.paths.size()) {
      if (paths_known_)
        problem(words.where(), "path ids count from 0: expected " + std::to_string(now_.paths.size()) + ", found " +
                                   std::to_string(id));
      return paths_known_ = false;
    }
    block_id before = no_block;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      block_id b = 0;
      if (read_number(word, b) != number_problem::none || b >= g.num_blocks())
        return problem(words.where(),
                       quoted_word(word) + " is no block of the graph: there are " + std::to_string(g.num_blocks()));
      if (b == now_.graph.sentinel)
        return problem(words.where(), "a path does not list the sentinel, block " + std::to_string(b));
      if (before == no_block && b != g.entry())
        return problem(words.where(), "a path starts at the entry, block " + std::to_string(g.entry()) + ", not at " +
                                          std::to_string(b));
      if (before != no_block && !joined(before, b))
        return problem(words.where(), "the graph has no edge " + std::to_string(before) + " -> " + std::to_string(b));
      now_.paths.blocks.push_back(b);
      before = b;
    }
    if (before == no_block) return problem(words.where(), "a path has at least one block");
    if (!now_.graph.may_end(before))
      return problem(words.where(), "the path ends at block " + std::to_string(before) + ", where no thread can end");
    return true;
  }

  bool joined(block_id from, block_id to) const {
    const csr_graph& g = now_.graph.graph;
    const std::span<const block_id> out = g.successors(from), in = g.predecessors(to);
    const bool forward = out.size() <= in.size();
    for (const block_id other : forward ? out : in)
      if (other == (forward ? to : from)) return true;
    return false;
  }

  void thread_block(word_reader& words) {
    if (!paths_known_) return;  // what a path id means is lost
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      std::uint32_t id = 0;
      if (read_number(word, id) != number_problem::none || id >= now_.paths.size()) {
        problem(words.where(), "no path " + quoted_word(word) + ": there are " + std::to_string(now_.paths.size()));
        sound_ = false;
        return;
      }
      now_.path_of_thread.push_back(id);
    }
    if (now_.path_of_thread.size() == now_.first_thread.back()) {
      problem(words.where(), "a thread block has at least one thread");
      sound_ = false;
      return;
    }
    now_.first_thread.push_back(now_.path_of_thread.size());
  }

  std::span<const recorded_graph> graphs_;
  graph_index index_;
  std::vector<recorded_trace> traces_;
  recorded_trace now_;
  state state_ = state::outside;
  std::string key_, variant_, symbol_;
  position where_;           // of the `k` line
  bool sound_ = true;        // no finding about this trace yet
  bool paths_known_ = true;  // path ids could be followed so far
};

inline void append_name(std::string& out, const std::string& name) {
  SIMTFLOW_EXPECTS(name.find_first_of(" \t\r\n") == std::string::npos, "a name in a graph file has no blanks");
  out += ' ';
  out += name.empty() ? "-" : name;
}

inline void append_barrier(std::string& out, const trace_barrier& b) {
  out += b.waits ? 'b' : 'a';
  if (b == trace_barrier{}) return;
  out += std::to_string(b.id);
  if (b.count != 0) out += '/' + std::to_string(b.count);
}

inline void append_graph(std::string& out, const recorded_graph& g) {
  const std::size_t n = g.graph.num_blocks();
  SIMTFLOW_EXPECTS(g.weights.size() == n && g.barriers.size() == n && g.branches.size() == n &&
                       (g.named.empty() || g.named.size() == n) &&
                       (g.strong_reads.empty() || g.strong_reads.size() == n),
                   "a recorded graph has a weight, a barrier flag and a branch kind for each block");
  out += 'g';
  append_name(out, g.symbol);
  out += ' ' + std::to_string(n) + ' ' + std::to_string(n == 0 ? 0 : g.graph.entry());
  if (g.kind != graph_kind::unknown) out += g.kind == graph_kind::kernel ? " K" : " F";
  out += '\n';
  for (block_id b = 0; b < n; ++b) {
    out += std::to_string(b) + ' ' + std::to_string(g.weights[b]) + ' ';
    const std::size_t flags = out.size();
    if (g.barriers[b]) append_barrier(out, g.named.empty() ? trace_barrier{} : g.named[b]);
    if (g.branches[b] != branch_kind::unmarked)
      out += g.branches[b] == branch_kind::divergent ? 'd' : g.branches[b] == branch_kind::uniform ? 'u' : '?';
    if (!g.strong_reads.empty() && g.strong_reads[b] != 0) out += 'w';
    if (b == g.sentinel) out += 'x';
    if (out.size() == flags) out += '-';
    for (const block_id s : g.graph.successors(b)) out += ' ' + std::to_string(s);
    out += '\n';
  }
}

}  // namespace detail

/// Reads a graph file. Graphs with a finding are left out; the others are returned in file order.
/// Errors: a finding with line and column for each broken line, the first of each graph. Complexity: linear in the
/// text.
[[nodiscard]] inline graph_file read_graphs(std::string_view text) { return detail::graph_file_reader(text).read(); }

/// Reads a trace file. `graphs`: where `k` lines without a graph of their own look theirs up; only needed during the
/// call. A trace with a finding is left out. Checked: every path starts at the entry, follows edges and ends where
/// threads may end; every thread has a path. Complexity: linear in the text (times the smaller degree of each edge),
/// plus sorting the names of `graphs`.
[[nodiscard]] inline trace_file read_traces(std::string_view text, std::span<const recorded_graph> graphs = {}) {
  return detail::trace_file_reader(text, graphs).read();
}

/// Graphs as the text of a graph file; read_graphs gives them back (positions aside). That a block with successors was
/// marked as an exit is not part of the format: add a sentinel to keep it.
[[nodiscard]] inline std::string to_graph_text(std::span<const recorded_graph> graphs) {
  std::string out;
  const recorded_graph nowhere;
  const recorded_graph* before = &nowhere;
  for (const recorded_graph& g : graphs) {
    if (g.suite != before->suite || g.stem != before->stem || g.variant != before->variant) {
      out += 's';
      detail::append_name(out, g.suite);
      detail::append_name(out, g.stem);
      detail::append_name(out, g.variant);
      out += '\n';
    }
    detail::append_graph(out, g);
    before = &g;
  }
  return out;
}

/// Traces as the text of a trace file, each with its graph inline.
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
    for (std::size_t p = 0; p < t.paths.size(); ++p) {
      out += "t " + std::to_string(p);
      for (const block_id b : t.paths[p]) out += ' ' + std::to_string(b);
      out += '\n';
    }
    for (std::size_t i = 0; i < t.num_thread_blocks(); ++i) {
      out += 'c';
      for (const std::uint32_t p : t.thread_block(i)) out += ' ' + std::to_string(p);
      out += '\n';
    }
  }
  return out;
}

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The reader of trace files; the format is described in trace_text.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/detail/graph_reader.hpp>
#include <simtflow/io/detail/line_reader.hpp>
#include <simtflow/io/detail/trace_code_reader.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/barrier_model.hpp>

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

namespace detail {

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

/// A trace file.
class trace_file_reader : trace_code_reader {
 public:
  trace_file_reader(std::string_view text, std::span<const recorded_graph> graphs)
      : trace_code_reader(text), graphs_(graphs), index_(graphs) {}

  // The sound traces; appends to `why` a diagnostic for everything else.
  std::vector<recorded_trace> read(diagnostics& why) {
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
          problem(words->where(), "a graph directly follows its 'k' line");
          sound_ = false;
          if (state_ == state::outside) state_ = state::skipped;
        }
        begin_graph(*words);
      } else if (first[0] >= '0' && first[0] <= '9') {
        if (!in_graph_) sound_ = false;
        block_line(line);
      } else if (first == "t" || first == "c") {
        if (!prepare(words->where())) continue;
        if (sound_ && (!end_code(words->where(), now_) || !addresses_complete(words->where(), now_))) sound_ = false;
        if (first == "t")
          path(*words);
        else
          thread_block(*words);
      } else if (first == "n" || first == "h" || first == "i" || first == "a" || first == "d" || first == "e") {
        // One diagnostic, not a hundred: these lines build on each other.
        if (!prepare(words->where()) || !sound_) continue;
        sound_ = line_for_time(first[0], *words);
      } else {
        problem(words->where(),
                "expected a kernel (k), its machine (m), its code (n, h, i, a), a path (t), a thread block (c), its "
                "addresses (d, e), a graph (g) or a block line, found " +
                    quoted_word(first));
        sound_ = false;
      }
    }
    end_trace();
    append(why);
    return std::move(traces_);
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
    begin_code();
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

  // The `m` line. False after a diagnostic.
  bool machine(word_reader& words) {
    if (state_ != state::named || in_graph_ || now_.machine.warp_width != 0)
      return problem(words.where(), "a machine directly follows its 'k' line, once");
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

  // Finds the graph of the trace. False if the trace is skipped.
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
      for (const std::size_t other : found)  // reading a file twice is harmless
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
    if (state_ == state::running && sound_) sound_ = end_code(where_, now_) && addresses_complete(where_, now_);
    if (state_ == state::running && sound_) traces_.push_back(std::move(now_));
    state_ = state::outside;
  }

  // The rest of a line that only time needs. \pre the graph is known, and all is sound so far.
  bool line_for_time(char first, word_reader& words) {
    switch (first) {
      case 'n':
        return needs(words, now_);
      case 'h':
        return copied(words, now_);
      case 'i':
        return instruction(words, now_);
      case 'a':
        return access(words, now_);
      case 'd':
        return end_code(words.where(), now_) && addresses_complete(words.where(), now_) && differences(words, now_);
      default:
        return addresses(words, now_);
    }
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
    if (!paths_known_) return;  // the meaning of path ids is lost
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
  bool sound_ = true;        // no diagnostic about this trace yet
  bool paths_known_ = true;  // path ids could be followed so far
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
#include "playground/flow_program.hpp"

#include <simtflow/io/detail/line_reader.hpp>
#include <simtflow/simt/detail/spelling.hpp>

#include <algorithm>
#include <map>

namespace playground {

using namespace simtflow;

namespace {

constexpr std::size_t most_blocks = 1000;
constexpr std::uint32_t most_threads = 1024, usual_warp = 32, last_barrier = 15, most_instructions = 10'000;
constexpr std::string_view reserved[] = {"threads", "warp",    "goto", "exit",   "if",     "then",  "else",  "loop",
                                         "to",      "switch",  "and",  "or",     "not",    "set",   "clear", "is",
                                         "take",    "barrier", "lane", "thread", "visits", "random"};

bool is_name(std::string_view word) {
  return !word.empty() && (word[0] < '0' || word[0] > '9') &&
         (word[0] == '_' || word[0] == '$' || (word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z'));
}
bool is_reserved(std::string_view word) {
  return std::find(std::begin(reserved), std::end(reserved), word) != std::end(reserved);
}

// One line as tokens: names, numbers, signs.
class token_line {
 public:
  token_line(std::string_view line, std::uint32_t number) : line_(line), number_(number) { next(); }

  [[nodiscard]] std::string_view now() const { return now_; }  // empty at the end
  [[nodiscard]] bool ended() const { return now_.empty(); }
  [[nodiscard]] position where() const { return {number_, static_cast<std::uint32_t>(begin_ + 1)}; }
  [[nodiscard]] std::size_t begin() const { return begin_; }

  void next() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
    begin_ = at_;
    const auto part_of_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
             c == '.';
    };
    while (at_ < line_.size() && part_of_word(line_[at_])) ++at_;
    if (at_ == begin_ && at_ < line_.size()) {
      ++at_;
      const char first = line_[begin_];
      if ((first == '=' || first == '!' || first == '<' || first == '>') && at_ < line_.size() && line_[at_] == '=')
        ++at_;
    }
    now_ = line_.substr(begin_, at_ - begin_);
  }
  bool accept(std::string_view word) {
    if (now_ != word) return false;
    next();
    return true;
  }

 private:
  std::string_view line_, now_;
  std::uint32_t number_;
  std::size_t begin_ = 0, at_ = 0;
};

class flow_reader {
 public:
  result<flow_program> read(std::string_view text) {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at <= text.size() && !full_;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      line = line.substr(0, line.find('#'));
      token_line tokens(line, number);
      if (!tokens.ended()) read_line(line, tokens);
    }
    if (program_.blocks.empty() && why_.empty()) fail({number, 1}, "a program has at least one block, such as A: exit");
    resolve();
    if (!why_.empty()) return std::move(why_);
    if (!has_warp_) program_.warp_width = std::min(program_.threads, usual_warp);
    return std::move(program_);
  }

 private:
  struct wanted {
    std::size_t block, slot;
    std::string name;
    position where;
  };

  bool fail(position where, std::string message) {
    if (!full_ && !add_diagnostic(why_, where, std::move(message))) full_ = true;
    return false;
  }
  // False, with a message that says what stands there instead.
  bool expected(const token_line& t, const std::string& what) {
    return fail(t.where(), t.ended() ? what + " is missing at the end of the line"
                                     : "expected " + what + ", not " + detail::quoted_word(t.now()));
  }
  bool number(token_line& t, const char* what, std::uint32_t least, std::uint32_t most, std::uint32_t& value) {
    const position where = t.where();
    if (detail::read_number(t.now(), value) == detail::number_problem::none && value >= least && value <= most) {
      t.next();
      return true;
    }
    return fail(where, std::string(what) + " is a number from " + std::to_string(least) + " to " +
                           std::to_string(most) + (t.ended() ? "" : ", not " + detail::quoted_word(t.now())));
  }
  bool name(token_line& t, const char* what, std::string& out) {
    if (!is_name(t.now())) return expected(t, what);
    if (is_reserved(t.now()))
      return fail(t.where(), detail::quoted_word(t.now()) + " is a word of the notation, not " + what);
    out = t.now();
    t.next();
    return true;
  }

  bool read_line(std::string_view line, token_line& t) {
    for (const auto& [word, value] : {std::pair("threads", &program_.threads), std::pair("warp", &program_.warp_width)})
      if (t.accept(word)) {
        if (!number(t, *word == 't' ? "the number of threads" : "the width of a warp", 1, most_threads, *value))
          return false;
        has_warp_ = has_warp_ || *word == 'w';
        return t.ended() || expected(t, "the end of the line");
      }
    flow_block b;
    b.line = t.where().line;
    const position where = t.where();
    if (!name(t, "a block's name", b.name)) return false;
    if (program_.blocks.size() == most_blocks) {
      fail(where, "more than " + std::to_string(most_blocks) + " blocks");
      full_ = true;
      return false;
    }
    const auto [known, fresh] = numbers_.try_emplace(b.name, static_cast<block_id>(program_.blocks.size()));
    if (!fresh)
      fail(where, "there is a block " + b.name + " in line " + std::to_string(program_.blocks[known->second].line));
    bool good = t.now() == ":" || number(t, "the number of instructions", 0, most_instructions, b.weight);
    if (good && !t.accept(":")) good = expected(t, "a colon after the block's name");
    if (good) {
      const std::size_t begin = t.begin();
      good = read_statements(t, b);
      b.text = lines_of(line.substr(std::min(begin, line.size())));
    }
    program_.blocks.push_back(std::move(b));  // after a diagnostic also: its name is known
    return good;
  }

  static std::string lines_of(std::string_view statements) {
    std::string out;
    while (!statements.empty()) {
      const std::size_t end = std::min(statements.find(';'), statements.size());
      std::string_view one = statements.substr(0, end);
      statements.remove_prefix(std::min(end + 1, statements.size()));
      while (!one.empty() && (one.front() == ' ' || one.front() == '\t')) one.remove_prefix(1);
      while (!one.empty() && (one.back() == ' ' || one.back() == '\t' || one.back() == '\r')) one.remove_suffix(1);
      if (!one.empty()) out.append(one).append(1, '\n');
    }
    return out;
  }

  bool read_statements(token_line& t, flow_block& b) {
    bool goes = false;
    while (!t.ended()) {
      if (t.accept(";")) continue;
      if (goes) return fail(t.where(), "nothing can follow: the block says where to go before this");
      if (!read_statement(t, b, goes)) return false;
      if (!t.ended() && t.now() != ";") return expected(t, "a semicolon or the end of the line");
    }
    if (!goes) b.targets.push_back(next_line);
    return true;
  }

  bool read_statement(token_line& t, flow_block& b, bool& goes) {
    if (t.now() == "set" || t.now() == "clear") {
      const bool set = t.now() == "set";
      t.next();
      std::size_t flag = 0;
      if (!read_flag(t, flag)) return false;
      b.writes.emplace_back(flag, set);
      return true;
    }
    if (t.now() == "barrier") {
      if (b.barrier) return fail(t.where(), "a block has one barrier, at its end");
      t.next();
      b.barrier = 0;
      return t.ended() || t.now() == ";" || number(t, "a barrier", 0, last_barrier, *b.barrier);
    }
    goes = true;
    if (t.accept("goto")) return target(t, b);
    if (t.accept("exit")) {
      b.targets.push_back(no_block);
      return true;
    }
    if (t.accept("if")) {
      b.ending = flow_ending::branch;
      return expression(t, b.code) && word(t, "then") && target(t, b) && other_target(t, "else", b);
    }
    if (t.accept("loop")) {
      b.ending = flow_ending::loop;
      return expression(t, b.code) && word(t, "to") && target(t, b) && other_target(t, "then", b);
    }
    if (t.accept("switch")) {
      b.ending = flow_ending::choice;
      if (!expression(t, b.code) || !word(t, "to") || !target(t, b)) return false;
      while (t.accept(","))
        if (!target(t, b)) return false;
      return true;
    }
    static const std::vector<std::string> known{"goto", "exit", "if", "loop", "switch", "barrier", "set", "clear"};
    return fail(t.where(), "expected goto, exit, if, loop, switch, barrier, set or clear, not " +
                               detail::quoted_word(t.now()) + detail::did_you_mean(t.now(), known));
  }

  bool word(token_line& t, const char* w) { return t.accept(w) || expected(t, "'" + std::string(w) + "'"); }
  bool read_flag(token_line& t, std::size_t& flag) {
    std::string called;
    if (!name(t, "a flag's name", called)) return false;
    const auto at = std::find(program_.flags.begin(), program_.flags.end(), called);
    flag = static_cast<std::size_t>(at - program_.flags.begin());
    if (at == program_.flags.end()) program_.flags.push_back(called);
    return true;
  }
  bool target(token_line& t, flow_block& b) {
    if (t.accept("exit")) {
      b.targets.push_back(no_block);
      return true;
    }
    const position where = t.where();
    std::string called;
    if (!name(t, "a block's name", called)) return false;
    wanted_.push_back({program_.blocks.size(), b.targets.size(), called, where});
    b.targets.push_back(no_block);
    return true;
  }
  bool other_target(token_line& t, const char* w, flow_block& b) {
    if (t.accept(w)) return target(t, b);
    b.targets.push_back(next_line);
    return t.ended() || t.now() == ";" || expected(t, "'" + std::string(w) + "'");
  }

  void resolve() {
    std::vector<std::string> names;
    for (flow_block& b : program_.blocks) {
      names.push_back(b.name);
      const bool last = names.size() == program_.blocks.size();
      for (block_id& to : b.targets)
        if (to == next_line) to = last ? no_block : static_cast<block_id>(names.size());
    }
    for (const wanted& w : wanted_)
      if (const auto known = numbers_.find(w.name); known != numbers_.end())
        program_.blocks[w.block].targets[w.slot] = known->second;
      else
        fail(w.where, "there is no block " + w.name + (w.name.size() > 2 ? detail::did_you_mean(w.name, names) : ""));
    std::stable_sort(why_.begin(), why_.end(), [](const diagnostic& a, const diagnostic& b) {
      return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
  }

  // --- expressions, each level calls the next
  bool expression(token_line& t, flow_code& code) { return chain(t, code, "or", flow_op::or_else, 0); }

  // A or B or ..., A and B and ...: depth counts parentheses.
  bool chain(token_line& t, flow_code& code, const char* w, flow_op op, unsigned depth) {
    const auto part = [&] {
      return op == flow_op::or_else ? chain(t, code, "and", flow_op::and_then, depth) : negation(t, code, depth);
    };
    if (!part()) return false;
    std::vector<std::size_t> skips;
    while (t.accept(w)) {
      skips.push_back(code.size());
      code.push_back({op, 0});
      if (!part()) return false;
    }
    for (const std::size_t s : skips) code[s].value = static_cast<std::int64_t>(code.size() - s - 1);
    if (!skips.empty()) code.push_back({flow_op::truth, 0});
    return true;
  }
  bool negation(token_line& t, flow_code& code, unsigned depth) {
    bool odd = false, any = false;
    for (; t.accept("not"); any = true) odd = !odd;
    if (!comparison(t, code, depth)) return false;
    if (any) code.push_back({odd ? flow_op::opposite : flow_op::truth, 0});
    return true;
  }
  bool comparison(token_line& t, flow_code& code, unsigned depth) {
    if (!sum(t, code, depth)) return false;
    const auto operation = [&]() -> std::optional<flow_op> {
      if (t.now() == "==") return flow_op::equal;
      if (t.now() == "!=") return flow_op::unequal;
      if (t.now() == "<" || t.now() == ">=") return flow_op::less;
      if (t.now() == "<=" || t.now() == ">") return flow_op::at_most;
      return std::nullopt;
    };
    if (const auto op = operation()) {
      const bool opposite = t.now() == ">=" || t.now() == ">";
      t.next();
      if (!sum(t, code, depth)) return false;
      code.push_back({*op, 0});
      if (opposite) code.push_back({flow_op::opposite, 0});
      if (operation()) return fail(t.where(), "two values are compared at a time: write A < B and B < C");
    }
    if (t.now() == "=") return fail(t.where(), "'==' compares; '=' is no sign of the notation");
    return true;
  }
  bool sum(token_line& t, flow_code& code, unsigned depth) {
    if (!product(t, code, depth)) return false;
    while (t.now() == "+" || t.now() == "-") {
      const flow_op op = t.now() == "+" ? flow_op::add : flow_op::subtract;
      t.next();
      if (!product(t, code, depth)) return false;
      code.push_back({op, 0});
    }
    return true;
  }
  bool product(token_line& t, flow_code& code, unsigned depth) {
    if (!value(t, code, depth)) return false;
    while (t.now() == "*" || t.now() == "/" || t.now() == "%") {
      const flow_op op = t.now() == "*" ? flow_op::multiply : t.now() == "/" ? flow_op::divide : flow_op::remainder;
      t.next();
      if (!value(t, code, depth)) return false;
      code.push_back({op, 0});
    }
    return true;
  }
  bool value(token_line& t, flow_code& code, unsigned depth) {
    constexpr unsigned deepest = 50;
    bool minus = false;
    while (t.accept("-")) minus = !minus;
    static constexpr std::pair<std::string_view, flow_op> known[] = {
        {"thread", flow_op::thread},   {"lane", flow_op::lane},     {"warp", flow_op::warp},
        {"threads", flow_op::threads}, {"visits", flow_op::visits}, {"random", flow_op::random}};
    const auto word =
        std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return k.first == t.now(); });
    std::uint32_t literal = 0;
    if (word != std::end(known)) {
      code.push_back({word->second, 0});
      t.next();
    } else if (t.now() == "is" || t.now() == "take") {
      const flow_op op = t.now() == "is" ? flow_op::is : flow_op::take;
      t.next();
      std::size_t flag = 0;
      if (!read_flag(t, flag)) return false;
      code.push_back({op, static_cast<std::int64_t>(flag)});
    } else if (t.now() == "(") {
      if (depth == deepest) return fail(t.where(), "parentheses are nested too deep");
      t.next();
      if (!chain(t, code, "or", flow_op::or_else, depth + 1)) return false;
      if (!t.accept(")")) return expected(t, "a closing parenthesis");
    } else if (!t.ended() && t.now()[0] >= '0' && t.now()[0] <= '9') {
      if (!number(t, "a value", 0, 0xFFFF'FFFFU, literal)) return false;
      code.push_back({flow_op::number, literal});
    } else if (is_name(t.now()) && !is_reserved(t.now())) {
      static const std::vector<std::string> values{"lane", "warp", "thread", "threads", "visits", "random", "not"};
      return fail(t.where(), "there is no value " + std::string(t.now().substr(0, 40)) +
                                 detail::did_you_mean(t.now(), values) + "; 'is " + std::string(t.now().substr(0, 40)) +
                                 "' asks for a flag");
    } else {
      return expected(t, "a value");
    }
    if (minus) code.push_back({flow_op::negate, 0});
    return true;
  }

  static constexpr block_id next_line = no_block - 1;
  flow_program program_;
  bool has_warp_ = false, full_ = false;
  std::map<std::string, block_id> numbers_;
  std::vector<wanted> wanted_;
  diagnostics why_;
};

}  // namespace

csr_graph flow_program::graph() const {
  csr_builder edges(blocks.size(), 0);
  for (block_id b = 0; b < blocks.size(); ++b)
    for (const block_id to : blocks[b].targets)
      if (to == no_block)
        edges.mark_exit(b);
      else
        edges.add_edge(b, to);
  return edges.build();
}

result<flow_program> parse_flow(std::string_view text) { return flow_reader().read(text); }

}  // namespace playground

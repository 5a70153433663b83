// SPDX-License-Identifier: BSL-1.0
//
// Messages of lanes to the host: printf's text, and the message of an assert() that does not hold.
//
// Output is cut at a number of bytes and of pieces, as a GPU's buffer is: what is kept is the beginning, to the byte,
// so
// it does not depend on how much is kept elsewhere in the meantime.
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/printf.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The beginning of what a kernel prints.
class kernel_output {
 public:
  /// Bytes of text that are kept at most.
  static constexpr std::size_t max_bytes = std::size_t{16} << 20;
  /// Texts that are kept at most: one for each run of neighbouring outputs of one thread.
  static constexpr std::size_t max_texts = std::size_t{1} << 20;

  /// In the order in which it was printed.
  [[nodiscard]] std::span<const printed_text> texts() const { return texts_; }
  /// The texts, which are then gone from here; bytes() and cut() stay.
  [[nodiscard]] std::vector<printed_text> take_texts() { return std::move(texts_); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< of all texts together
  /// Whether there was more, which is not here.
  [[nodiscard]] bool cut() const { return cut_; }

  /// Adds what a thread prints. Behind a cut nothing is added any more.
  void add(std::uint64_t thread_block, std::uint32_t thread, std::string_view text) {
    if (text.empty()) return;
    const bool more = !texts_.empty() && texts_.back().thread_block == thread_block && texts_.back().thread == thread;
    if (cut_ || bytes_ == max_bytes || (!more && texts_.size() == max_texts)) {
      cut_ = true;
      return;
    }
    if (text.size() > max_bytes - bytes_) {
      text = text.substr(0, static_cast<std::size_t>(max_bytes - bytes_));
      cut_ = true;
    }
    bytes_ += text.size();
    if (!more) texts_.push_back({thread_block, thread, {}});
    texts_.back().text += text;
  }

  /// Adds what later thread blocks have printed.
  void append(kernel_output&& later) {
    if (texts_.empty() && !cut_) {
      *this = std::move(later);
    } else {
      for (const printed_text& t : later.texts_) {
        if (cut_) break;
        add(t.thread_block, t.thread, t.text);
      }
      cut_ = cut_ || later.cut_;
    }
    later = {};
  }

  /// Keeps the beginning only, as if so much had been printed before it.
  void cut_to(std::uint64_t bytes_before, std::uint64_t texts_before) {
    const std::uint64_t room = bytes_before < max_bytes ? max_bytes - bytes_before : 0;
    const std::uint64_t places = texts_before < max_texts ? max_texts - texts_before : 0;
    while (!texts_.empty() && (bytes_ > room || texts_.size() > places)) {
      std::string& last = texts_.back().text;
      cut_ = true;
      if (texts_.size() <= places && bytes_ - last.size() < room) {
        last.resize(static_cast<std::size_t>(room - (bytes_ - last.size())));
        bytes_ = room;
        break;
      }
      bytes_ -= last.size();
      texts_.pop_back();
    }
    if (texts_.empty()) texts_ = {};  // and the memory
  }

 private:
  std::vector<printed_text> texts_;
  std::uint64_t bytes_ = 0;
  bool cut_ = false;
};

namespace detail {

/// Reads bytes of a lane's memory at generic addresses, as its own code could.
inline auto reader_of(memory_spaces& memory, const decoded_op& op, const lane_set& s, std::size_t lane) {
  return [&memory, &op, &s, lane](std::uint64_t address, std::size_t bytes, void* to) {
    const unsigned char* p = memory.resolve(op, s, lane, address, static_cast<std::uint32_t>(bytes), false);
    if (p != nullptr) std::memcpy(to, p, bytes);
    return p != nullptr;
  };
}

/// vprintf for the lanes of a mask; false if one of them names memory that is not there.
inline bool print(const decoded_op& op, const lane_set& s, std::uint32_t mask, memory_spaces& memory,
                  const thread_block& block, kernel_output& output) {
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    auto read = reader_of(memory, op, s, i);
    kernel_printf format(read, s.read(op.source[1], i));
    std::string text;
    if (!format.run(s.read(op.source[0], i), text)) return false;
    s.write(op.result, i, format.arguments());
    output.add(block.number(), s.first_thread + static_cast<std::uint32_t>(i), text);
  }
  return true;
}

/// An assertion that fails, for the first lane of a mask: records the fault.
inline void fail_assertion(const decoded_op& op, const lane_set& s, std::uint32_t mask, memory_spaces& memory,
                           thread_block& block) {
  const auto i = static_cast<std::size_t>(std::countr_zero(mask));
  auto read = reader_of(memory, op, s, i);
  const auto text = [&](std::size_t n) {
    std::string string;
    kernel_printf format(read, 0);
    if (op.source[n] != no_slot && !format.string_at(s.read(op.source[n], i), string)) string = "?";
    return string;
  };
  const std::string message = text(0);
  const std::string file = text(1);
  const std::string function = text(3);
  block.complain(fault_kind::assertion, op.instruction, s.first_thread + static_cast<std::uint32_t>(i), 0,
                 file + ":" + std::to_string(op.source[2] == no_slot ? 0 : s.read(op.source[2], i)) + ": " + function +
                     ": assertion '" + message + "' fails");
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

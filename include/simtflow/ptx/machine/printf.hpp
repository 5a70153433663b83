// SPDX-License-Identifier: BSL-1.0
//
// The text that a kernel's printf writes. nvcc makes `vprintf(format, arguments)` of it: two addresses, the second of a
// buffer in which every argument lies at a multiple of its size. Integers take 4 bytes or, with l or ll, 8;
// floating-point numbers, pointers and strings 8. Each conversion writes the text of the host's printf, as on a GPU.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Formatted Output"; PTX Writer's Guide to Interoperability,
// section "System Calls" (vprintf).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The output of a thread.
struct printed_text {
  std::uint64_t thread_block = 0;  ///< its number in the grid
  std::uint32_t thread = 0;        ///< its number in the thread block
  std::string text;                ///< at least one character
  friend bool operator==(const printed_text&, const printed_text&) = default;
};

namespace detail {

/// Strings of a kernel are cut off here.
inline constexpr std::size_t max_printed_string = std::size_t{1} << 16;
/// Widths and precisions beyond this are this.
inline constexpr int max_printed_width = 4096;

/// Formats one call. `read(address, bytes, to)` copies from the thread's memory and is false, having said why
/// elsewhere, if it cannot.
template <class Read>
class kernel_printf {
 public:
  kernel_printf(Read& read, std::uint64_t arguments) : read_(&read), next_(arguments) {}

  /// Appends the text; false if something could not be read. `arguments` then are those read so far.
  bool run(std::uint64_t format, std::string& out) {
    std::string text;
    if (!string_at(format, text)) return false;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t percent = text.find('%', i);
      if (percent == std::string::npos) {
        out.append(text, i);
        break;
      }
      out.append(text, i, percent - i);
      i = percent;
      if (!conversion(text, i, out)) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t arguments() const { return arguments_; }

  /// Appends the string at an address.
  bool string_at(std::uint64_t address, std::string& out) {
    while (out.size() < max_printed_string) {
      char c = 0;
      if (!(*read_)(address, 1, &c)) return false;
      if (c == '\0') break;
      out += c;
      ++address;
    }
    return true;
  }

 private:
  template <class T>
  bool argument(T& value) {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (!(*read_)(next_, sizeof(T), &value)) return false;
    next_ += sizeof(T);
    ++arguments_;
    return true;
  }

  /// A number or a star in the text.
  bool number(const std::string& text, std::size_t& i, int& value) {
    value = 0;
    const bool star = i < text.size() && text[i] == '*';
    if (star) {
      ++i;
      if (!argument(value)) return false;
    }
    for (; !star && i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      if (value < max_printed_width) value = 10 * value + (text[i] - '0');
    if (value > max_printed_width) value = max_printed_width;
    if (value < -max_printed_width) value = -max_printed_width;
    return true;
  }

  /// Reads from a percent sign to past its conversion. Anything else is text.
  bool conversion(const std::string& text, std::size_t& i, std::string& out) {
    const std::size_t begin = i++;
    std::string spec = "%";
    while (i < text.size() && std::string_view("#0 +-").find(text[i]) != std::string_view::npos) spec += text[i++];
    int width = 0;
    if (!number(text, i, width)) return false;
    if (width < 0) {  // a star's negative width is a flag '-' and a width
      spec += '-';
      width = -width;
    }
    int precision = -1;
    if (i < text.size() && text[i] == '.') {
      ++i;
      if (!number(text, i, precision)) return false;
    }
    int longs = 0;
    int shorts = 0;
    for (; i < text.size(); ++i) {
      if (text[i] == 'l' || text[i] == 'j' || text[i] == 'z' || text[i] == 't')
        ++longs;
      else if (text[i] == 'h')
        ++shorts;
      else
        break;
    }
    if (i == text.size()) {
      out.append(text, begin);
      return true;
    }
    const char what = text[i++];
    if (width > 0) spec += std::to_string(width);
    if (precision >= 0) spec += '.' + std::to_string(precision);
    switch (what) {
      case '%':
        out += '%';
        return true;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': {
        std::uint64_t bits = 0;
        std::uint32_t narrow = 0;
        if (longs != 0 ? !argument(bits) : !argument(narrow)) return false;
        const bool is_signed = what == 'd' || what == 'i';
        if (longs == 0) {
          const std::uint32_t size = shorts == 0 ? 32 : shorts == 1 ? 16 : 8;
          bits = narrow & (~std::uint32_t{0} >> (32 - size));
          const std::uint64_t top = std::uint64_t{1} << (size - 1);
          if (is_signed) bits = (bits ^ top) - top;
        }
        spec += "ll";
        spec += what;
        if (is_signed)
          print(out, spec, static_cast<long long>(bits));
        else
          print(out, spec, static_cast<unsigned long long>(bits));
        return true;
      }
      case 'c': {
        int c = 0;
        if (!argument(c)) return false;
        print(out, spec + 'c', c);
        return true;
      }
      case 'p': {
        std::uint64_t address = 0;
        if (!argument(address)) return false;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): only its digits are wanted
        print(out, spec + 'p', reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)));
        return true;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        double value = 0;
        if (!argument(value)) return false;
        print(out, spec + what, value);
        return true;
      }
      case 's': {
        std::uint64_t address = 0;
        std::string value;
        if (!argument(address)) return false;
        if (address == 0)
          value = "(null)";
        else if (!string_at(address, value))
          return false;
        print(out, spec + 's', value.c_str());
        return true;
      }
      default:
        out.append(text, begin, i - begin);
        return true;
    }
  }

  template <class T>
  static void print(std::string& out, const std::string& spec, T value) {
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    const int size = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (size <= 0) return;
    const std::size_t at = out.size();
    out.resize(at + static_cast<std::size_t>(size) + 1);
    std::snprintf(out.data() + at, static_cast<std::size_t>(size) + 1, spec.c_str(), value);
    out.resize(at + static_cast<std::size_t>(size));
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
  }

  Read* read_;
  std::uint64_t next_;
  std::uint32_t arguments_ = 0;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

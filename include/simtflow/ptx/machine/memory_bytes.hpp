// SPDX-License-Identifier: BSL-1.0
//
// The bytes of a piece of memory: owned, or borrowed from the host. Borrowed bytes are the host's own: what a kernel
// writes there the host reads, without a copy. A copy owns its bytes, so it is independent of the original and of the
// host.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Bytes of fixed number that are owned or borrowed. Reads like a vector of bytes.
class memory_bytes {
 public:
  /// No bytes.
  memory_bytes() = default;
  /// \returns bytes of its own, all zero; none if the host has no such amount of memory.
  /// \param number how many
  /// Complexity: as std::calloc: pages of large blocks cost nothing until they are touched.
  [[nodiscard]] static memory_bytes zeros(std::size_t number) {
    memory_bytes all;
    if (number != 0) all.data_ = static_cast<unsigned char*>(std::calloc(number, 1));
    if (all.data_ != nullptr) all.size_ = number;
    all.owned_ = true;
    return all;
  }
  /// \returns the host's bytes. \param host the bytes, which live as long as the result. O(1).
  [[nodiscard]] static memory_bytes borrowed(std::span<unsigned char> host) {
    memory_bytes all;
    all.data_ = host.data();
    all.size_ = host.size();
    return all;
  }
  /// Owns what it copies, also from borrowed bytes. \param other the bytes to copy. O(bytes).
  memory_bytes(const memory_bytes& other) : owned_(true) {
    if (other.size_ == 0) return;
    data_ = static_cast<unsigned char*>(std::malloc(other.size_));
    SIMTFLOW_EXPECTS(data_ != nullptr, "the host has memory for the copy");
    std::memcpy(data_, other.data_, other.size_);
    size_ = other.size_;
  }
  /// Takes over the bytes; the other has none. \param other the bytes, owned or borrowed. O(1).
  memory_bytes(memory_bytes&& other) noexcept { swap(other); }
  /// Replaces the bytes. \param other what it holds from now on \returns itself
  memory_bytes& operator=(memory_bytes other) noexcept {
    swap(other);
    return *this;
  }
  ~memory_bytes() {
    if (owned_) std::free(data_);
  }

  /// \returns where the bytes begin; null if there are none.
  [[nodiscard]] unsigned char* data() { return data_; }
  [[nodiscard]] const unsigned char* data() const { return data_; }  ///< likewise
  /// \returns how many bytes there are.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// \returns true if there are none.
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// \returns true if they belong to the host.
  [[nodiscard]] bool is_borrowed() const { return !owned_ && data_ != nullptr; }
  /// \returns byte i. \pre i < size().
  [[nodiscard]] unsigned char& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const unsigned char& operator[](std::size_t i) const { return data_[i]; }  ///< likewise
  /// \returns the first byte.
  [[nodiscard]] unsigned char* begin() { return data_; }
  [[nodiscard]] unsigned char* end() { return data_ + size_; }              ///< after the last byte
  [[nodiscard]] const unsigned char* begin() const { return data_; }        ///< the first byte
  [[nodiscard]] const unsigned char* end() const { return data_ + size_; }  ///< after the last byte

  /// Compares values, whoever owns them. O(bytes).
  friend bool operator==(const memory_bytes& a, const memory_bytes& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }

 private:
  void swap(memory_bytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owned_, other.owned_);
  }

  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
  bool owned_ = false;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

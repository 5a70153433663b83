// SPDX-License-Identifier: BSL-1.0
//
// The last allocations that were freed, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class freed_allocations {
 public:
  // Remembers one, and who freed it if that is a thread. O(1) amortised.
  void add(std::string name, std::uint64_t address, std::uint64_t bytes, std::string by) {
    if (all_.size() == 2 * kept) all_.erase(all_.begin(), all_.begin() + kept);
    all_.push_back({std::move(name), address, bytes, std::move(by)});
  }

  // Describes an address in the one that was freed last: "byte 4 of 'x', which was freed"; empty if there is none.
  // O(remembered).
  [[nodiscard]] std::string describe(std::uint64_t address) const {
    for (std::size_t i = all_.size(); i-- > 0;)
      if (address - all_[i].address < (all_[i].bytes == 0 ? 1 : all_[i].bytes))
        return "byte " + std::to_string(address - all_[i].address) + " of '" + all_[i].name + "', which was freed" +
               (all_[i].by.empty() ? "" : " by " + all_[i].by);
    return {};
  }

 private:
  struct freed {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string by;
  };
  static constexpr std::ptrdiff_t kept = 1024;  // between this many and twice as many are kept
  std::vector<freed> all_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

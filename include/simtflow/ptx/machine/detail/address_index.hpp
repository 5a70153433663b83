// SPDX-License-Identifier: BSL-1.0
//
// Numbers in the order of addresses: a sorted list in runs of at most 512 entries. An insertion or a removal moves
// entries of one run only.
#pragma once

#include <simtflow/detail/search.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Complexity of every function: O(log n) comparisons. insert() and erase() also move at most 512 entries, and, when a
// run comes or goes, the n / 256 runs (three words each).
class address_index {
 public:
  struct entry {
    std::uint64_t address = 0;
    std::uint32_t number = 0;
  };
  // No run is empty.
  [[nodiscard]] const std::vector<std::vector<entry>>& runs() const { return runs_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // \pre no entry has that address.
  void insert(entry e) {
    ++size_;
    const std::size_t r = run_of(e.address);
    if (runs_.empty() || (r + 1 == runs_.size() && runs_[r].size() == most && runs_[r].back().address < e.address)) {
      runs_.push_back({e});  // in ascending order runs become full
      return;
    }
    std::vector<entry>& run = runs_[r];
    run.insert(run.begin() + static_cast<std::ptrdiff_t>(after(run, e.address)), e);
    if (run.size() <= most) return;
    std::vector<entry> upper(run.begin() + most / 2, run.end());
    run.resize(most / 2);
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(r) + 1, std::move(upper));
  }

  // \pre an entry has that address.
  void erase(std::uint64_t address) {
    --size_;
    const std::size_t r = run_of(address);
    std::vector<entry>& run = runs_[r];
    run.erase(run.begin() + static_cast<std::ptrdiff_t>(after(run, address)) - 1);
    if (run.empty()) runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(r));
  }

  // The last entry at or below an address; null if there is none. Valid until the next change.
  [[nodiscard]] const entry* at_or_below(std::uint64_t address) const {
    if (runs_.empty()) return nullptr;
    const std::vector<entry>& run = runs_[run_of(address)];
    const std::size_t n = after(run, address);
    return n == 0 ? nullptr : &run[n - 1];
  }
  // The first entry above an address; null if there is none. Valid until the next change.
  [[nodiscard]] const entry* above(std::uint64_t address) const {
    if (runs_.empty()) return nullptr;
    const std::size_t r = run_of(address);
    const std::size_t n = after(runs_[r], address);
    if (n < runs_[r].size()) return &runs_[r][n];
    return r + 1 < runs_.size() ? &runs_[r + 1].front() : nullptr;
  }

 private:
  static constexpr std::size_t most = 512;

  // The run that has the last entry at or below an address, or else the first.
  [[nodiscard]] std::size_t run_of(std::uint64_t address) const {
    const std::size_t above = simtflow::detail::first_without(
        0, runs_.size(), [&](std::size_t r) { return runs_[r].front().address <= address; });
    return above == 0 ? 0 : above - 1;
  }
  // How many entries of a run are at or below an address.
  static std::size_t after(const std::vector<entry>& run, std::uint64_t address) {
    return simtflow::detail::first_without(0, run.size(), [&](std::size_t i) { return run[i].address <= address; });
  }

  std::vector<std::vector<entry>> runs_;
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

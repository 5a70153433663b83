// SPDX-License-Identifier: BSL-1.0
//
// A bounded, seeded sample of the paths of a run: whole thread blocks, each thread with the blocks that it executed. It
// is the profile that the advisor predicts from (advice/replay.hpp, advice/changed_paths.hpp).
//
// Thread blocks are sampled whole, because barriers and mechanisms of a wider scope than a warp need all of them. Every
// thread block that ran is in the sample with the same probability (a reservoir).
//
// Literature: J. Vitter, Random sampling with a reservoir (1985), algorithm R.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// Paths of whole thread blocks. Empty: nothing was sampled.
struct path_sample {
  block_paths paths;                          ///< each once
  std::vector<std::uint32_t> path_of_thread;  ///< of the sampled thread blocks, one after the other
  std::vector<std::size_t> first_thread{0};   ///< where each begins, and where the last ends
  std::vector<std::uint64_t> numbers;         ///< which thread blocks of the run they are, from 0; ascending
  std::uint64_t population = 0;               ///< thread blocks that ran to their end
  std::uint64_t too_long = 0;                 ///< of these, thread blocks that were chosen and did not fit

  /// The number of sampled thread blocks.
  [[nodiscard]] std::size_t size() const { return first_thread.size() - 1; }
  /// The paths of the threads of a sampled thread block, by number. \pre i < size()
  [[nodiscard]] std::span<const std::uint32_t> thread_block(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a thread block of the sample");
    return std::span<const std::uint32_t>(path_of_thread)
        .subspan(first_thread[i], first_thread[i + 1] - first_thread[i]);
  }
  /// True if every thread block that ran is in the sample: then nothing is estimated.
  [[nodiscard]] bool is_whole() const { return size() == population; }
};

/// The bounds of a sample.
struct sample_options {
  std::size_t thread_blocks = 16;  ///< at most, at least 1
  std::size_t visits = 8'000'000;  ///< blocks that the threads of one thread block execute; a longer one is left out
  std::uint64_t seed = 1;          ///< another seed, another sample
};

/// Observer: takes a sample of the thread blocks of a run, one thread block after the other. A thread block that is not
/// chosen costs O(1) for each event; a chosen one O(lanes) for each executed block. Memory: thread_blocks * visits
/// block ids at most.
class path_sampler {
 public:
  /// \pre options.thread_blocks > 0
  explicit path_sampler(const sample_options& options = {}) : options_(options), state_(options.seed) {
    SIMTFLOW_EXPECTS(options.thread_blocks > 0, "a sample of at least one thread block");
  }

  /// The sample so far. O(visits log paths).
  [[nodiscard]] path_sample sample() const {
    path_sample out;
    out.population = ended_;
    out.too_long = too_long_;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (!kept_[i].path_of_thread.empty()) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return kept_[a].number < kept_[b].number; });
    std::map<std::vector<block_id>, std::uint32_t> known;
    for (const std::size_t i : order) {
      std::vector<std::uint32_t> number;
      for (std::size_t p = 0; p < kept_[i].paths.size(); ++p) {
        const auto path = kept_[i].paths[p];
        const auto [at, fresh] =
            known.try_emplace({path.begin(), path.end()}, static_cast<std::uint32_t>(out.paths.size()));
        if (fresh) out.paths.add(path);
        number.push_back(at->second);
      }
      for (const std::uint32_t p : kept_[i].path_of_thread) out.path_of_thread.push_back(number[p]);
      out.first_thread.push_back(out.path_of_thread.size());
      out.numbers.push_back(kept_[i].number);
    }
    return out;
  }

  /// Decides whether the thread block that starts is chosen.
  void operator()(const event::started& e) {
    slot_ = none;
    visits_ = 0;
    const std::uint64_t before = started_++;
    if (before < options_.thread_blocks) {
      slot_ = static_cast<std::size_t>(before);
    } else if (const std::uint64_t r = next() % (before + 1); r < options_.thread_blocks) {
      slot_ = static_cast<std::size_t>(r);
    }
    if (slot_ != none) paths_(e);
  }
  /// Adds the block to the paths of its lanes, if the thread block is chosen.
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    if (slot_ == none) return;
    visits_ += e.lanes.count();
    if (visits_ <= options_.visits) paths_(e);
  }
  /// Keeps the paths of a chosen thread block that ran to its end.
  void operator()(const event::ended&) {
    ++ended_;
    if (slot_ == none) return;
    if (slot_ >= kept_.size()) kept_.resize(slot_ + 1);
    kept_[slot_] = {};
    if (visits_ > options_.visits)
      ++too_long_;
    else
      keep(kept_[slot_]);
    slot_ = none;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct kept_block {
    block_paths paths;  // each once
    std::vector<std::uint32_t> path_of_thread;
    std::uint64_t number = 0;
  };

  void keep(kept_block& to) const {
    const block_paths all = paths_.paths();
    std::map<std::vector<block_id>, std::uint32_t> known;
    for (std::size_t t = 0; t < all.size(); ++t) {
      const auto path = all[t];
      const auto [at, fresh] =
          known.try_emplace({path.begin(), path.end()}, static_cast<std::uint32_t>(to.paths.size()));
      if (fresh) to.paths.add(path);
      to.path_of_thread.push_back(at->second);
    }
    to.number = started_ - 1;
  }
  std::uint64_t next() {  // splitmix64
    std::uint64_t x = state_ += 0x9E37'79B9'7F4A'7C15U;
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBU;
    return x ^ (x >> 31);
  }

  sample_options options_;
  std::uint64_t state_;
  thread_paths paths_;
  std::vector<kept_block> kept_;
  std::size_t slot_ = none;  // where the thread block that runs is kept
  std::size_t visits_ = 0;
  std::uint64_t started_ = 0, ended_ = 0, too_long_ = 0;
};

}  // namespace advice
}  // namespace v0
}  // namespace simtflow

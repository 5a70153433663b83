// SPDX-License-Identifier: BSL-1.0
//
// The tags of a set-associative cache, and the order of use in each set. A search compares one-byte fingerprints, eight
// ways at a time, then the numbers of the ways with the fingerprint.
#pragma once

#include <simtflow/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

class lru_sets {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::uint64_t no_number = ~std::uint64_t{0};

  lru_sets(std::uint32_t sets, std::uint32_t ways)
      : sets_(sets),
        ways_(ways),
        padded_((ways + 7) / 8 * 8),
        by_mask_(std::has_single_bit(sets)),
        print_(std::size_t{sets} * padded_),
        number_(std::size_t{sets} * ways, no_number),
        order_(number_.size()),
        ends_(sets) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t way = i % ways;
      order_[i] = {static_cast<std::uint16_t>(way - 1), static_cast<std::uint16_t>(way + 1)};
    }
    for (neighbours& e : ends_) e = {0, static_cast<std::uint16_t>(ways - 1)};
  }

  [[nodiscard]] std::uint32_t num_sets() const { return sets_; }
  [[nodiscard]] std::uint32_t num_lines() const { return static_cast<std::uint32_t>(number_.size()); }
  [[nodiscard]] std::uint64_t number(std::uint32_t at) const { return number_[at]; }

  // The place of a number; none if it has none.
  [[nodiscard]] std::uint32_t find(std::uint64_t number) const {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;
    const std::uint32_t set = set_of(number);
    const std::uint64_t wanted = print_of(number) * ones;
    const std::uint8_t* prints = print_.data() + std::size_t{set} * padded_;
    for (std::uint32_t w = 0; w < ways_; w += 8) {
      std::uint64_t word;
      std::memcpy(&word, prints + w, 8);
      word ^= wanted;
      for (std::uint64_t zero = (word - ones) & ~word & (ones << 7); zero != 0; zero &= zero - 1) {
        const std::uint32_t bit = static_cast<std::uint32_t>(std::countr_zero(zero)) / 8;
        const std::uint32_t way = w + (std::endian::native == std::endian::little ? bit : 7 - bit);
        if (way < ways_ && number_[std::size_t{set} * ways_ + way] == number) return set * ways_ + way;
      }
    }
    return none;
  }

  // The place that was used longest ago in the set of a number, and the one used next after a place; none at the end.
  [[nodiscard]] std::uint32_t oldest(std::uint64_t number) const {
    const std::uint32_t set = set_of(number);
    return set * ways_ + ends_[set].older;
  }
  [[nodiscard]] std::uint32_t newer(std::uint32_t at) const {
    const std::uint32_t set = at / ways_;
    return at - set * ways_ == ends_[set].newer ? none : set * ways_ + order_[at].newer;
  }

  // Gives a place to a number.
  void put(std::uint32_t at, std::uint64_t number) {
    number_[at] = number;
    print_[std::size_t{at / ways_} * padded_ + at % ways_] = print_of(number);
  }

  // The place becomes the most recently used one of its set.
  void touch(std::uint32_t at) {
    const std::uint32_t set = at / ways_;
    const auto way = static_cast<std::uint16_t>(at - set * ways_);
    if (ends_[set].newer == way) return;
    unlink(set, way);
    order_[at].older = ends_[set].newer;
    order_[std::size_t{set} * ways_ + ends_[set].newer].newer = way;
    ends_[set].newer = way;
  }

  // The place becomes empty, and the oldest one of its set.
  void forget(std::uint32_t at) {
    const std::uint32_t set = at / ways_;
    const auto way = static_cast<std::uint16_t>(at - set * ways_);
    number_[at] = no_number;
    if (ends_[set].older == way) return;
    unlink(set, way);
    order_[at].newer = ends_[set].older;
    order_[std::size_t{set} * ways_ + ends_[set].older].older = way;
    ends_[set].older = way;
  }

 private:
  struct neighbours {  // of a way in its set; beyond the ends they mean nothing
    std::uint16_t newer, older;
  };

  [[nodiscard]] std::uint32_t set_of(std::uint64_t number) const {
    return by_mask_ ? static_cast<std::uint32_t>(number) & (sets_ - 1) : static_cast<std::uint32_t>(number % sets_);
  }
  [[nodiscard]] static std::uint8_t print_of(std::uint64_t number) {
    return static_cast<std::uint8_t>((number * 0x9E37'79B9'7F4A'7C15U) >> 56);
  }
  void unlink(std::uint32_t set, std::uint16_t way) {
    neighbours* const order = order_.data() + std::size_t{set} * ways_;
    neighbours& ends = ends_[set];
    const neighbours it = order[way];
    (way == ends.newer ? ends.newer : order[it.newer].older) = it.older;
    (way == ends.older ? ends.older : order[it.older].newer) = it.newer;
  }

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t padded_;
  bool by_mask_;
  std::vector<std::uint8_t> print_;    // by set and padded way
  std::vector<std::uint64_t> number_;  // by set and way: a place
  std::vector<neighbours> order_;      // by place
  std::vector<neighbours> ends_;       // by set: newest and oldest way
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow

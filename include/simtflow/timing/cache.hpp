// SPDX-License-Identifier: BSL-1.0
//
// A set-associative cache with LRU replacement, sectors and miss status holding registers. It holds no data and knows
// no time: it says what hits, what has to be fetched, and what has to be written back. A line that misses takes its
// place at once; while it is under way it is not replaced.
//
// A line is stated by its number, address / line bytes. Bytes of a line are stated as a mask of sectors; a cache
// without sectors has one, bit 0.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/mshr.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// How a lookup ended.
enum class lookup_outcome : unsigned char {
  hit,      ///< all sectors are there
  miss,     ///< sectors have to be fetched; the access waits
  merge,    ///< the sectors that lack are under way already; the access waits
  no_mshr,  ///< nothing happened: no register, no place to wait, or every line of the set is under way
  no_place  ///< nothing happened: the level below has too few places for what the access would send
};

/// The answer to a lookup, and what the caller has to send to the level below.
struct lookup {
  lookup_outcome outcome = lookup_outcome::hit;  ///< how it ended
  std::uint32_t fetch = 0;                       ///< sectors to fetch; fill() answers
  std::uint32_t line = 0;                        ///< of the cache, for fill()
  std::uint32_t dirty = 0;                       ///< sectors of `victim` to write back; 0: no write-back
  std::uint64_t victim = 0;                      ///< number of the line that lost its place, if dirty != 0
};

/// The tags of one cache. Lookups take O(1) for a fixed number of ways.
class cache {
 public:
  /// An empty cache. \pre the parameters passed diagnose(), at most 32 sectors in a line, at most 65535 ways.
  explicit cache(const cache_parameters& p) : ways_(p.ways), sets_(p.num_sets()), misses_(p.mshrs, p.merges) {
    sectors_ = p.sector == 0 ? 1 : p.line / p.sector;
    SIMTFLOW_EXPECTS(sectors_ <= 32 && ways_ <= 65'535, "a cache has at most 32 sectors in a line and 65535 ways");
    all_ = ~std::uint32_t{0} >> (32 - sectors_);
    words_ = (ways_ + 7) / 8;
    by_mask_ = std::has_single_bit(sets_);
    print_.assign(std::size_t{sets_} * words_ * 8, 0);
    line_.resize(std::size_t{sets_} * ways_);
    order_.resize(line_.size());
    ends_.resize(sets_);
    for (std::uint32_t s = 0; s < sets_; ++s) {
      ends_[s] = {0, static_cast<std::uint16_t>(ways_ - 1)};
      for (std::uint32_t w = 0; w < ways_; ++w)
        order_[std::size_t{s} * ways_ + w] = {static_cast<std::uint16_t>(w - 1), static_cast<std::uint16_t>(w + 1)};
    }
  }

  /// True if the cache has a size. The other functions are for such a cache only.
  [[nodiscard]] bool exists() const { return sets_ != 0; }
  /// All sectors of a line.
  [[nodiscard]] std::uint32_t all_sectors() const { return all_; }
  /// The lines under way.
  [[nodiscard]] std::uint32_t under_way() const { return misses_.size(); }

  /// What a load of `need` would be, as far as the tags go: hit, merge or miss. Nothing changes, nothing is counted.
  [[nodiscard]] lookup_outcome probe(std::uint64_t number, std::uint32_t need) const {
    const std::uint32_t at = find(set_of(number), number);
    if (at == mshr_file::none) return lookup_outcome::miss;
    const std::uint32_t lacks = need & ~line_[at].valid;
    return lacks == 0                          ? lookup_outcome::hit
           : (lacks & ~line_[at].pending) == 0 ? lookup_outcome::merge
                                               : lookup_outcome::miss;
  }

  /// Looks up `need` for a read by `who`. `places` is the number of requests that the level below accepts: a miss sends
  /// one, and one more if it writes back. If `writes`, the access also makes the sectors dirty, as an atomic operation
  /// does in a write-back cache. \pre need != 0.
  lookup load(std::uint64_t number, std::uint32_t need, std::uint32_t who, std::uint32_t places, bool writes = false) {
    const std::uint32_t set = set_of(number);
    std::uint32_t at = find(set, number);
    lookup answer;
    if (at != mshr_file::none && (need & ~line_[at].valid) == 0) {
      touch(set, at);
      if (writes) line_[at].dirty |= need;
      count(counts_.hits, need);
      count(counts_.accesses, need);
      answer.line = at;
      return answer;
    }
    if (at != mshr_file::none) {
      line& l = line_[at];
      const std::uint32_t lacks = need & ~l.valid;
      answer.fetch = lacks & ~l.pending;
      if (l.mshr == mshr_file::none ? misses_.full() : !misses_.accepts(l.mshr)) return {lookup_outcome::no_mshr};
      if (answer.fetch != 0 && places == 0) return {lookup_outcome::no_place};
      if (answer.fetch != 0) count(counts_.sector_misses, answer.fetch);
    } else {
      if (misses_.full()) return {lookup_outcome::no_mshr};
      at = replace(set, number, places, 1, answer);
      if (answer.outcome != lookup_outcome::hit) return answer;
      answer.fetch = need;
    }
    line& l = line_[at];
    const std::uint32_t lacks = need & ~l.valid;
    count(counts_.accesses, need);
    count(counts_.hits, need & l.valid);
    count(counts_.merges, lacks & l.pending);
    count(counts_.misses, answer.fetch);
    if (l.mshr == mshr_file::none) l.mshr = misses_.open();
    misses_.wait(l.mshr, who, lacks);
    l.pending |= answer.fetch;
    if (writes) l.dirty |= need;
    touch(set, at);
    answer.line = at;
    answer.outcome = answer.fetch != 0 ? lookup_outcome::miss : lookup_outcome::merge;
    return answer;
  }

  /// Write-through without allocation: looks up sectors that a store writes. Nothing is fetched or written back.
  /// \returns hit if all sectors are there, else miss.
  lookup_outcome store_through(std::uint64_t number, std::uint32_t sectors) {
    const std::uint32_t set = set_of(number);
    const std::uint32_t at = find(set, number);
    const std::uint32_t there = at == mshr_file::none ? 0 : line_[at].valid & sectors;
    count_store(sectors, there);
    if (there != 0) touch(set, at);
    return there == sectors ? lookup_outcome::hit : lookup_outcome::miss;
  }

  /// Write-back with allocation: `whole` sectors are written in every byte, `part` in some. Nothing is fetched: a
  /// sector written in part stays unreadable until a load fetches the rest of it. `places` as for load(): a write-back
  /// takes one.
  lookup store_back(std::uint64_t number, std::uint32_t whole, std::uint32_t part, std::uint32_t places) {
    const std::uint32_t set = set_of(number);
    std::uint32_t at = find(set, number);
    lookup answer;
    if (at == mshr_file::none) {
      at = replace(set, number, places, 0, answer);
      if (answer.outcome != lookup_outcome::hit) return answer;
    }
    line& l = line_[at];
    count_store(whole | part, (whole | part) & l.valid);
    if (((whole | part) & ~l.valid) != 0) answer.outcome = lookup_outcome::miss;
    l.valid |= whole;
    l.dirty |= whole | part;
    touch(set, at);
    answer.line = at;
    return answer;
  }

  /// Notes that fetched sectors of a line of the cache have come; f(who) as mshr_file::fill().
  template <class F>
  void fill(std::uint32_t at, std::uint32_t sectors, F f) {
    line& l = line_[at];
    l.valid |= sectors;
    l.pending &= ~sectors;
    count(counts_.fills, sectors);
    misses_.fill(l.mshr, sectors, f);
    if (l.pending == 0) {
      misses_.close(l.mshr);
      l.mshr = mshr_file::none;
    }
  }

  /// Takes a line out of the cache. Sectors under way come all the same.
  void invalidate(std::uint64_t number) {
    const std::uint32_t set = set_of(number);
    const std::uint32_t at = find(set, number);
    if (at == mshr_file::none || line_[at].valid == 0) return;
    ++counts_.invalidations;
    line_[at].valid = 0;
    line_[at].dirty = 0;
    if (line_[at].pending == 0) forget(set, at);
  }

  /// Takes every line out of the cache, dirty ones also. \pre under_way() == 0.
  void clear() {
    for (std::uint32_t set = 0; set < sets_; ++set)
      for (std::uint32_t w = 0; w < ways_; ++w)
        if (line_[std::size_t{set} * ways_ + w].number != no_line) forget(set, set * ways_ + w);
  }

  /// Puts a line into the cache, clean and whole; a line that loses its place is forgotten. Nothing is counted.
  void warm(std::uint64_t number) {
    const std::uint32_t set = set_of(number);
    std::uint32_t at = find(set, number);
    if (at == mshr_file::none) {
      lookup answer;
      at = replace(set, number, 2, 0, answer);
      if (answer.outcome != lookup_outcome::hit) return;
      if (answer.dirty != 0) counts_.write_backs -= static_cast<std::uint64_t>(std::popcount(answer.dirty));
    }
    line_[at].valid = all_ & ~line_[at].pending;
    touch(set, at);
  }

  /// The counts since the start.
  [[nodiscard]] const cache_counts& counts() const { return counts_; }

 private:
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  struct line {
    std::uint64_t number = no_line;
    std::uint32_t valid = 0;    // readable sectors
    std::uint32_t dirty = 0;    // sectors to write back
    std::uint32_t pending = 0;  // sectors under way
    std::uint32_t mshr = mshr_file::none;
  };
  struct neighbours {  // of a way in the LRU order of its set; the ends point anywhere
    std::uint16_t newer, older;
  };

  [[nodiscard]] std::uint32_t set_of(std::uint64_t number) const {
    return by_mask_ ? static_cast<std::uint32_t>(number) & (sets_ - 1) : static_cast<std::uint32_t>(number % sets_);
  }
  [[nodiscard]] static std::uint8_t print_of(std::uint64_t number) {
    return static_cast<std::uint8_t>((number * 0x9E37'79B9'7F4A'7C15U) >> 56);
  }
  // Compares eight one-byte fingerprints of a set at a time, then the numbers of those that agree.
  [[nodiscard]] std::uint32_t find(std::uint32_t set, std::uint64_t number) const {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;
    const std::uint64_t wanted = print_of(number) * ones;
    const std::uint8_t* prints = print_.data() + std::size_t{set} * words_ * 8;
    for (std::uint32_t w = 0; w < ways_; w += 8) {
      std::uint64_t word;
      std::memcpy(&word, prints + w, 8);
      word ^= wanted;
      for (std::uint64_t zero = (word - ones) & ~word & (ones << 7); zero != 0; zero &= zero - 1) {
        const std::uint32_t bit = static_cast<std::uint32_t>(std::countr_zero(zero)) / 8;
        const std::uint32_t way = w + (std::endian::native == std::endian::little ? bit : 7 - bit);
        if (way < ways_ && line_[std::size_t{set} * ways_ + way].number == number) return set * ways_ + way;
      }
    }
    return mshr_file::none;
  }

  void unlink(std::uint32_t set, std::uint32_t at) {
    neighbours* const order = order_.data() + std::size_t{set} * ways_;
    const neighbours it = order_[at];
    const std::uint32_t way = at - set * ways_;
    if (way == ends_[set].newer)
      ends_[set].newer = it.older;
    else
      order[it.newer].older = it.older;
    if (way == ends_[set].older)
      ends_[set].older = it.newer;
    else
      order[it.older].newer = it.newer;
  }
  // The line becomes the most recently used one of its set.
  void touch(std::uint32_t set, std::uint32_t at) {
    const std::uint16_t way = static_cast<std::uint16_t>(at - set * ways_);
    if (ends_[set].newer == way) return;
    unlink(set, at);
    order_[at].older = ends_[set].newer;
    order_[std::size_t{set} * ways_ + ends_[set].newer].newer = way;
    ends_[set].newer = way;
  }
  // The line becomes empty, and the next one to be replaced.
  void forget(std::uint32_t set, std::uint32_t at) {
    line_[at] = {};
    const std::uint16_t way = static_cast<std::uint16_t>(at - set * ways_);
    if (ends_[set].older == way) return;
    unlink(set, at);
    order_[at].newer = ends_[set].older;
    order_[std::size_t{set} * ways_ + ends_[set].older].older = way;
    ends_[set].older = way;
  }
  // Gives the place of the least recently used line that is not under way to line `number`. `answer` gets the
  // write-back, or says why nothing happened. `more` places are needed beside the write-back's.
  std::uint32_t replace(std::uint32_t set, std::uint64_t number, std::uint32_t places, std::uint32_t more,
                        lookup& answer) {
    std::uint32_t way = ends_[set].older;
    while (line_[std::size_t{set} * ways_ + way].pending != 0) {
      if (way == ends_[set].newer) {
        answer.outcome = lookup_outcome::no_mshr;
        return 0;
      }
      way = order_[std::size_t{set} * ways_ + way].newer;
    }
    const std::uint32_t at = set * ways_ + way;
    line& l = line_[at];
    if (places < more + (l.dirty != 0 ? 1 : 0)) {
      answer.outcome = lookup_outcome::no_place;
      return 0;
    }
    answer.dirty = l.dirty;
    answer.victim = l.number;
    count(counts_.write_backs, l.dirty);
    l = {};
    l.number = number;
    print_[std::size_t{set} * words_ * 8 + way] = print_of(number);
    return at;
  }

  static void count(std::uint64_t& counter, std::uint32_t sectors) {
    counter += static_cast<std::uint64_t>(std::popcount(sectors));
  }
  void count_store(std::uint32_t sectors, std::uint32_t there) {
    count(counts_.accesses, sectors);
    count(counts_.store_accesses, sectors);
    count(counts_.hits, there);
    count(counts_.misses, sectors & ~there);
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::uint32_t sectors_ = 1;
  std::uint32_t all_ = 1;
  std::uint32_t words_ = 1;
  bool by_mask_ = false;
  std::vector<std::uint8_t> print_;  // by set: one fingerprint for each way, padded to eight
  std::vector<line> line_;           // by set and way
  std::vector<neighbours> order_;
  std::vector<neighbours> ends_;  // by set: newest and oldest way
  mshr_file misses_;
  cache_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

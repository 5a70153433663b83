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
#include <simtflow/timing/detail/lru_sets.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/mshr.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
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
  explicit cache(const cache_parameters& p)
      : tags_(p.num_sets(), p.ways), line_(tags_.num_lines()), misses_(p.mshrs, p.merges) {
    const std::uint32_t sectors = p.sector == 0 ? 1 : p.line / p.sector;
    SIMTFLOW_EXPECTS(sectors <= 32 && p.ways <= 65'535, "a cache has at most 32 sectors in a line and 65535 ways");
    all_ = ~std::uint32_t{0} >> (32 - sectors);
  }

  /// True if the cache has a size. The other functions are for such a cache only.
  [[nodiscard]] bool exists() const { return tags_.num_sets() != 0; }
  /// All sectors of a line.
  [[nodiscard]] std::uint32_t all_sectors() const { return all_; }
  /// The lines under way.
  [[nodiscard]] std::uint32_t under_way() const { return misses_.size(); }

  /// Says how a load of `need` would end if registers and places were free: hit, merge or miss. Nothing changes.
  [[nodiscard]] lookup_outcome probe(std::uint64_t number, std::uint32_t need) const {
    const std::uint32_t at = tags_.find(number);
    if (at == detail::lru_sets::none) return lookup_outcome::miss;
    const std::uint32_t lacks = need & ~line_[at].valid;
    return lacks == 0                          ? lookup_outcome::hit
           : (lacks & ~line_[at].pending) == 0 ? lookup_outcome::merge
                                               : lookup_outcome::miss;
  }

  /// Looks up `need` for a read by `who`. `places` is the number of requests that the level below accepts: a miss sends
  /// one, and one more if it writes back. If `writes`, the access also makes the sectors dirty, as an atomic operation
  /// does in a write-back cache. \pre need != 0.
  lookup load(std::uint64_t number, std::uint32_t need, std::uint32_t who, std::uint32_t places, bool writes = false) {
    std::uint32_t at = tags_.find(number);
    lookup answer;
    if (at != detail::lru_sets::none && (need & ~line_[at].valid) == 0) {
      tags_.touch(at);
      if (writes) line_[at].dirty |= need;
      count(counts_.hits, need);
      count(counts_.accesses, need);
      answer.line = at;
      return answer;
    }
    if (at != detail::lru_sets::none) {
      line& l = line_[at];
      const std::uint32_t lacks = need & ~l.valid;
      answer.fetch = lacks & ~l.pending;
      if (l.mshr == mshr_file::none ? misses_.full() : !misses_.accepts(l.mshr)) return {lookup_outcome::no_mshr};
      if (answer.fetch != 0 && places == 0) return {lookup_outcome::no_place};
      if (answer.fetch != 0) count(counts_.sector_misses, answer.fetch);
    } else {
      if (misses_.full()) return {lookup_outcome::no_mshr};
      at = replace(number, places, 1, answer);
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
    tags_.touch(at);
    answer.line = at;
    answer.outcome = answer.fetch != 0 ? lookup_outcome::miss : lookup_outcome::merge;
    return answer;
  }

  /// Write-through without allocation: looks up sectors that a store writes. Nothing is fetched or written back.
  /// \returns hit if all sectors are there, else miss.
  lookup_outcome store_through(std::uint64_t number, std::uint32_t sectors) {
    const std::uint32_t at = tags_.find(number);
    const std::uint32_t there = at == detail::lru_sets::none ? 0 : line_[at].valid & sectors;
    count_store(sectors, there);
    if (there != 0) tags_.touch(at);
    return there == sectors ? lookup_outcome::hit : lookup_outcome::miss;
  }

  /// Write-back with allocation: `whole` sectors are written in every byte, `part` in some. Nothing is fetched: a
  /// sector written in part stays unreadable until a load fetches the rest of it. `places` as for load(): a write-back
  /// takes one.
  lookup store_back(std::uint64_t number, std::uint32_t whole, std::uint32_t part, std::uint32_t places) {
    std::uint32_t at = tags_.find(number);
    lookup answer;
    if (at == detail::lru_sets::none) {
      at = replace(number, places, 0, answer);
      if (answer.outcome != lookup_outcome::hit) return answer;
    }
    line& l = line_[at];
    count_store(whole | part, (whole | part) & l.valid);
    if (((whole | part) & ~l.valid) != 0) answer.outcome = lookup_outcome::miss;
    l.valid |= whole;
    l.dirty |= whole | part;
    tags_.touch(at);
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
    const std::uint32_t at = tags_.find(number);
    if (at == detail::lru_sets::none || line_[at].valid == 0) return;
    ++counts_.invalidations;
    line_[at].valid = 0;
    line_[at].dirty = 0;
    if (line_[at].pending == 0) tags_.forget(at);
  }

  /// Takes every line out of the cache, dirty ones also. \pre under_way() == 0.
  void clear() {
    for (std::uint32_t at = 0; at < tags_.num_lines(); ++at)
      if (tags_.number(at) != detail::lru_sets::no_number) {
        tags_.forget(at);
        line_[at] = {};
      }
  }

  /// Puts a line into the cache, clean and whole; a line that loses its place is forgotten. Nothing is counted.
  void warm(std::uint64_t number) {
    std::uint32_t at = tags_.find(number);
    if (at == detail::lru_sets::none) {
      lookup answer;
      at = replace(number, 2, 0, answer);
      if (answer.outcome != lookup_outcome::hit) return;
      if (answer.dirty != 0) counts_.write_backs -= static_cast<std::uint64_t>(std::popcount(answer.dirty));
    }
    line_[at].valid = all_ & ~line_[at].pending;
    tags_.touch(at);
  }

  /// The counts since the start.
  [[nodiscard]] const cache_counts& counts() const { return counts_; }

 private:
  struct line {
    std::uint32_t valid = 0;    // readable sectors
    std::uint32_t dirty = 0;    // sectors to write back
    std::uint32_t pending = 0;  // sectors under way
    std::uint32_t mshr = mshr_file::none;
  };

  // Gives the place of the least recently used line that is not under way to line `number`. `answer` gets the
  // write-back, or says why nothing happened. `more` places are needed beside the write-back's.
  std::uint32_t replace(std::uint64_t number, std::uint32_t places, std::uint32_t more, lookup& answer) {
    std::uint32_t at = tags_.oldest(number);
    while (line_[at].pending != 0) {
      at = tags_.newer(at);
      if (at == detail::lru_sets::none) {
        answer.outcome = lookup_outcome::no_mshr;
        return 0;
      }
    }
    line& l = line_[at];
    if (places < more + (l.dirty != 0 ? 1 : 0)) {
      answer.outcome = lookup_outcome::no_place;
      return 0;
    }
    answer.dirty = l.dirty;
    answer.victim = tags_.number(at);
    count(counts_.write_backs, l.dirty);
    l = {};
    tags_.put(at, number);
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

  std::uint32_t all_ = 1;
  detail::lru_sets tags_;
  std::vector<line> line_;  // by place
  mshr_file misses_;
  cache_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// The memory of the branch profile: for each static warp a log of what its threads did in company. An entry is a set of
// threads that ran together, or that a branch sent to several places. The latest entry with two threads decides whether
// they have parted, and where. An entry goes when later ones decide all of its pairs; in structured code that leaves
// about one for each open branch. So an event costs a few words for each entry, whatever the width of the warp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Sets of home lanes: words of 64 lanes.
using lane_words = std::span<std::uint64_t>;
using const_lane_words = std::span<const std::uint64_t>;

// Most sets are empty, and many processors count bits by a call.
constexpr std::uint32_t count_word(std::uint64_t word) {
  return word == 0 ? 0 : static_cast<std::uint32_t>(std::popcount(word));
}
constexpr std::uint32_t count_lanes(const_lane_words lanes) {
  std::uint32_t sum = 0;
  for (const std::uint64_t word : lanes) sum += count_word(word);
  return sum;
}
// Calls f(lane) for each lane, in ascending order.
template <class F>
constexpr void for_each_lane(const_lane_words lanes, F&& f) {
  for (std::size_t i = 0; i < lanes.size(); ++i)
    for (std::uint64_t word = lanes[i]; word != 0; word &= word - 1)
      f(static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
}
// The word at that index of a set with the lanes from 0 to count - 1.
constexpr std::uint64_t first_lanes_word(std::uint32_t count, std::size_t index) {
  if (count >= 64 * (index + 1)) return ~std::uint64_t{0};
  return count <= 64 * index ? 0 : (std::uint64_t{1} << (count - 64 * index)) - 1;
}
// Cuts the lanes from `begin` to `begin + count - 1` out of a mask; they become lanes 0, 1, ...
template <class Mask>
constexpr void cut_lanes(const Mask& mask, std::uint32_t begin, std::uint32_t count, lane_words out) {
  constexpr std::size_t words = Mask::capacity / 64;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = begin / 64 + i;
    std::uint64_t word = at < words ? mask.word(at) : 0;
    if (const std::uint32_t shift = begin % 64; shift != 0)
      word = word >> shift | (at + 1 < words ? mask.word(at + 1) << (64 - shift) : 0);
    out[i] = word & first_lanes_word(count, i);
  }
}

class parted_threads {
 public:
  // Begins a run: no threads have parted.
  constexpr void start(std::size_t warps, std::uint32_t width) {
    width_ = width;
    words_ = (width + 63) / 64;
    logs_.resize(warps);
    for (log& l : logs_) l.clear();
  }
  // Words of a set of home lanes.
  [[nodiscard]] constexpr std::size_t words() const { return words_; }
  // The threads of a static warp begin anew.
  constexpr void restart(std::uint32_t warp) { logs_[warp].clear(); }

  // Threads of a static warp have run together.
  constexpr void join(std::uint32_t warp, const_lane_words lanes) {
    log& l = logs_[warp];
    if (make_room(l, lanes) != room::of_same) ++l.before;
    append(l, no_block, 0, lanes, {});
  }
  // A branch sends threads of a static warp to different places. \param all of them, \param groups their sets, one
  // after the other, two at least
  constexpr void part(std::uint32_t warp, block_id branch, const_lane_words all, const_lane_words groups) {
    log& l = logs_[warp];
    const room where = make_room(l, all);
    const bool refined = refine(l, branch, all, groups);
    if (where != (refined ? room::within : room::of_same)) ++l.before;
    if (!refined) append(l, branch, groups.size() / words_, all, groups);
  }

  // The latest entry of a static warp, beside one of its threads.
  struct latest_entry {
    std::uint64_t before;    // the same number as long as neither the set `all` nor the entries before change
    const_lane_words all;    // the threads; empty: there is no entry
    const_lane_words live;   // of them: those that went on
    const_lane_words group;  // of these: the ones that stayed with a thread
    block_id branch;         // that sent the groups to different places; no_block: all ran together
  };
  // \param lane of a thread; the entry's `group` is any if it does not have the thread
  [[nodiscard]] constexpr latest_entry latest(std::uint32_t warp, std::uint32_t lane) const {
    const log& l = logs_[warp];
    if (l.entries.empty()) return {l.before, {}, {}, {}, no_block};
    const std::uint64_t head = l.entries.back();
    const std::size_t groups = head >> 32, begin = l.entries.size() - entry_words(groups);
    const const_lane_words all = set_at(l.entries, begin);
    if (groups == 0) return {l.before, all, all, all, no_block};
    return {l.before, all, set_at(l.entries, begin + words_), group_with(l.entries, begin, groups, lane),
            static_cast<block_id>(head)};
  }

  // Decides which threads have parted from a thread. Calls f(branch, lanes) for those that have, the latest first.
  // \param open others of its static warp; the ones that have run together with it last are taken out silently
  // \param lanes where f finds a set. \param Words of a set, or 0: any
  template <std::size_t Words, class F>
  constexpr void decide(std::uint32_t warp, std::uint32_t lane, lane_words open, lane_words lanes, F&& f) const {
    walk<Words>(warp, lane, open, lanes, f, [](const entry&) {});
  }
  // The same for a thread of a company, from which none of `open` is. \returns true if the answer is the same for every
  // thread of the company.
  template <std::size_t Words, class F>
  constexpr bool decide_for_all(std::uint32_t warp, std::uint32_t lane, const_lane_words company, lane_words open,
                                lane_words lanes, F&& f) const {
    const std::size_t words = Words == 0 ? words_ : Words;
    bool same = true;
    walk<Words>(warp, lane, open, lanes, f, [&](const entry& e) {
      std::uint64_t asked = 0, some = 0, apart = 0;
      for (std::size_t i = 0; i < words; ++i) {
        asked |= e.all[i] & open[i];
        some |= e.all[i] & company[i];
        apart |= company[i] & ~e.own[i];
      }
      same = same && (asked == 0 || some == 0 || apart == 0);
    });
    return same;
  }
  // The branch at which two threads have parted; no_block: at none.
  [[nodiscard]] constexpr block_id between(std::uint32_t warp, std::uint32_t lane, std::uint32_t other) const {
    const std::vector<std::uint64_t>& entries = logs_[warp].entries;
    for (std::size_t end = entries.size(); end != 0;) {
      const std::uint64_t head = entries[end - 1];
      const std::size_t groups = head >> 32, begin = end - entry_words(groups);
      end = begin;
      if (const const_lane_words all = set_at(entries, begin); !has(all, lane) || !has(all, other)) continue;
      if (groups == 0 || !has(set_at(entries, begin + words_), other)) return no_block;
      return has(group_with(entries, begin, groups, lane), other) ? no_block : static_cast<block_id>(head);
    }
    return no_block;
  }

 private:
  // Entries, the latest last. At a branch: all threads, the ones that went on, the groups, then 2^32 * groups + branch.
  // If threads ran together: all, and a head without groups.
  struct log {
    std::vector<std::uint64_t> entries{};
    std::size_t count = 0, most = 0;  // entries; as many as there may be before pairs are looked at
    std::uint64_t before = 0;         // latest_entry::before
    constexpr void clear() {
      entries.clear();
      count = 0;
      ++before;
    }
  };

  [[nodiscard]] constexpr std::size_t entry_words(std::size_t groups) const {
    return (groups == 0 ? words_ : words_ * (2 + groups)) + 1;
  }
  [[nodiscard]] constexpr const_lane_words set_at(const std::vector<std::uint64_t>& entries, std::size_t at) const {
    return {entries.data() + at, words_};
  }
  // The group of a thread in an entry. \pre it has one.
  [[nodiscard]] constexpr const_lane_words group_with(const std::vector<std::uint64_t>& entries, std::size_t begin,
                                                      std::size_t groups, std::uint32_t lane) const {
    std::size_t at = begin + (1 + groups) * words_;
    while (groups-- > 1 && !has(set_at(entries, at), lane)) at -= words_;
    return set_at(entries, at);
  }
  static constexpr bool has(const_lane_words lanes, std::uint32_t lane) {
    return (lanes[lane / 64] >> lane % 64 & 1) != 0;
  }

  constexpr void append(log& l, block_id branch, std::size_t groups, const_lane_words all, const_lane_words sets) {
    if (l.count == l.most) {
      forget_decided(l);
      l.most = 2 * (l.count + width_);
    }
    for (const std::uint64_t word : all) l.entries.push_back(word);
    for (std::size_t i = 0; i < words_ && groups != 0; ++i) {
      std::uint64_t live = 0;
      for (std::size_t at = i; at < sets.size(); at += words_) live |= sets[at];
      l.entries.push_back(live);
    }
    for (const std::uint64_t word : sets) l.entries.push_back(word);
    l.entries.push_back(std::uint64_t{groups} << 32 | branch);
    ++l.count;
  }
  // A loop sends threads away one after the other: if the last entry is of the same branch and has exactly these
  // threads as a group, and none of them ends, its group is split. True if it was.
  constexpr bool refine(log& l, block_id branch, const_lane_words all, const_lane_words sets) const {
    if (l.count == 0) return false;
    const std::uint64_t head = l.entries.back();
    const std::size_t groups = head >> 32, more = sets.size() / words_ - 1;
    if (groups == 0 || static_cast<block_id>(head) != branch) return false;
    const std::size_t end = l.entries.size() - 1;
    std::size_t at = end;  // of the group
    std::uint64_t differ = 1;
    for (std::size_t g = 0; g < groups && differ != 0; ++g) {
      at -= words_;
      differ = 0;
      for (std::size_t i = 0; i < words_; ++i) differ |= l.entries[at + i] ^ all[i];
    }
    for (std::size_t i = 0; i < words_; ++i) {
      std::uint64_t live = 0;
      for (std::size_t set = i; set < sets.size(); set += words_) live |= sets[set];
      differ |= live ^ all[i];
    }
    if (differ != 0) return false;
    for (std::size_t i = 0; i < words_; ++i) l.entries[at + i] = l.entries[end - words_ + i];
    for (std::size_t i = 0; i <= words_; ++i) l.entries.pop_back();
    for (const std::uint64_t word : sets) l.entries.push_back(word);  // at the end, where they are looked for first
    l.entries.push_back(std::uint64_t{groups + more} << 32 | branch);
    return true;
  }
  // Takes out the entries for which f(all threads of the entry) is false; f is asked for the latest first.
  template <class F>
  constexpr void keep_if(log& l, F&& f) const {
    if (l.count == 0) return;
    std::size_t from = l.entries.size();  // entries from here on are kept
    for (std::size_t end = from; end != 0;) {
      const std::size_t begin = end - entry_words(l.entries[end - 1] >> 32);
      if (!f(set_at(l.entries, begin))) {
        --l.count;
        if (from == end && end == l.entries.size()) {
          l.entries.resize(begin);
          from = begin;
        }
      } else {
        from -= end - begin;
        if (from != begin)
          for (std::size_t i = end - begin; i-- > 0;) l.entries[from + i] = l.entries[begin + i];
      }
      end = begin;
    }
    if (from != 0) l.entries.erase(l.entries.begin(), l.entries.begin() + static_cast<std::ptrdiff_t>(from));
  }
  // An entry beside a thread: all its threads, and the thread's group. Without groups or without the thread, `own` is
  // `all`.
  struct entry {
    const std::uint64_t *all, *own;
  };
  // See decide(). Calls see(entry) before each entry is used.
  template <std::size_t Words, class F, class See>
  constexpr void walk(std::uint32_t warp, std::uint32_t lane, lane_words open, lane_words lanes, F&& f,
                      See&& see) const {
    const std::size_t words = Words == 0 ? words_ : Words, word_of = lane / 64;
    const std::uint64_t bit = std::uint64_t{1} << lane % 64;
    const std::uint64_t* const entries = logs_[warp].entries.data();
    for (std::size_t end = logs_[warp].entries.size(); end != 0;) {
      const std::size_t at_head = end - 1;
      const std::uint64_t head = entries[at_head];
      const std::size_t groups = head >> 32;
      const std::uint64_t* const all = entries + at_head - (groups == 0 ? words : words * (2 + groups));
      end = static_cast<std::size_t>(all - entries);
      const bool met = (all[word_of] & bit) != 0;
      const std::uint64_t *const live = all + words, *own = all;
      if (met && groups != 0) {
        own = entries + at_head - words;
        while (own != live + words && (own[word_of] & bit) == 0) own -= words;
      }
      see(entry{all, own});
      if (!met) continue;
      if (groups != 0) {
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < words; ++i) any |= lanes[i] = open[i] & live[i] & ~own[i];
        if (any != 0) f(static_cast<block_id>(head), const_lane_words(lanes.data(), words));
      }
      std::uint64_t left = 0;
      for (std::size_t i = 0; i < words; ++i) left |= open[i] &= ~all[i];
      if (left == 0) return;
    }
  }

  // The latest entry before a new one: it had the same threads and is replaced, it has them all and more, or neither.
  enum class room { of_same, within, other };

  // Takes out entries that an entry with these lanes replaces. No other entry lies within the latest.
  constexpr room make_room(log& l, const_lane_words lanes) const {
    if (l.count == 0) return room::other;
    const std::size_t begin = l.entries.size() - entry_words(l.entries.back() >> 32);
    const const_lane_words all = set_at(l.entries, begin);
    std::uint64_t more = 0, fewer = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      more |= all[i] & ~lanes[i];
      fewer |= lanes[i] & ~all[i];
    }
    if (fewer != 0) {
      forget_within(l, lanes);
      return room::other;
    }
    if (more != 0) return room::within;
    l.entries.resize(begin);
    --l.count;
    return room::of_same;
  }
  // Takes out entries that have no other lanes.
  constexpr void forget_within(log& l, const_lane_words lanes) const {
    keep_if(l, [&](const_lane_words all) {
      std::uint64_t others = 0;
      for (std::size_t i = 0; i < words_; ++i) others |= all[i] & ~lanes[i];
      return others != 0;
    });
  }
  // Takes out entries that decide no pair: later ones decide all.
  constexpr void forget_decided(log& l) const {
    std::vector<std::uint64_t> met(width_ * words_, 0);  // by lane: all with which it has a later entry
    keep_if(l, [&](const_lane_words all) {
      bool decides = false;
      for_each_lane(all, [&](std::uint32_t lane) {
        std::uint64_t* const known = met.data() + lane * words_;
        known[lane / 64] |= std::uint64_t{1} << lane % 64;
        for (std::size_t i = 0; i < words_; ++i) {
          decides = decides || (all[i] & ~known[i]) != 0;
          known[i] |= all[i];
        }
      });
      return decides;
    });
  }

  std::uint32_t width_ = 0;
  std::size_t words_ = 0;
  std::vector<log> logs_;  // by static warp
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

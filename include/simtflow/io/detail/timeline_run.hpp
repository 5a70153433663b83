// SPDX-License-Identifier: BSL-1.0
//
// One recorded run, ready to be drawn: what each lane does in which stretch of time.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/timeline_style.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

struct timeline_run {
  // The activity of a lane in a stretch of time: a block, or one of these.
  static constexpr std::uint32_t masked = 0xFFFF'FFFEU, waits = 0xFFFF'FFFCU, off = 0xFFFF'FFFBU, turn = 0xFFFF'FFFDU;

  struct stretch {
    std::uint64_t begin, end;
    std::uint32_t what;
  };
  struct row_range {
    std::uint32_t first, last;
  };
  struct fetch {
    std::uint64_t begin, end;
    block_id block;
    std::size_t first_range, num_ranges;  // rows that run it
    std::uint32_t lanes, live;
  };
  struct guarded {  // an instruction that does nothing in a row
    std::uint64_t slot;
    std::uint32_t row;
  };
  struct band {  // the rows of one instance of the policy
    std::uint32_t number, first_row, rows;
  };

  timeline_panel words;
  std::vector<band> bands{};
  std::vector<std::uint32_t> band_of_row{};
  std::vector<std::vector<stretch>> rows{};  // in time, without gaps while the lane is live
  std::vector<fetch> fetches{};
  std::vector<row_range> ranges{};
  std::vector<guarded> switched_off{};
  std::vector<std::uint64_t> starts{};  // of the thread blocks after the first
  std::uint64_t num_slots = 0;
  std::uint64_t rows_left_out = 0;
  bool ends_badly = false;  // and its last slot is in the picture
};

/// Keeps the slots from `first` to before `end`, and counts from `first`.
inline void clip(timeline_run& p, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t all = p.num_slots;
  end = end < all ? end : all;
  first = first < end ? first : end;
  const auto move = [&](std::uint64_t& begin_of, std::uint64_t& end_of) {
    begin_of = (begin_of < first ? first : begin_of > end ? end : begin_of) - first;
    end_of = (end_of < first ? first : end_of > end ? end : end_of) - first;
    return begin_of < end_of;
  };
  for (std::vector<timeline_run::stretch>& row : p.rows)
    std::erase_if(row, [&](timeline_run::stretch& s) { return !move(s.begin, s.end); });
  std::erase_if(p.fetches, [&](timeline_run::fetch& f) { return !move(f.begin, f.end); });
  std::erase_if(p.switched_off, [&](timeline_run::guarded& g) {
    const bool out = g.slot < first || g.slot >= end;
    g.slot -= out ? 0 : first;
    return out;
  });
  std::erase_if(p.starts, [&](std::uint64_t& start) {
    const bool out = start <= first || start >= end;
    start -= out ? 0 : first;
    return out;
  });
  p.ends_badly = p.ends_badly && end == all && first < end;
  p.num_slots = end - first;
}

/// Makes a timeline_run of the records of a run. The style gives the clock and the largest number of rows.
template <class Mask>
class timeline_reader {
 public:
  using record = basic_trace_record<Mask>;

  timeline_reader(const timeline_style& style, timeline_panel words, std::span<const record> records)
      : each_warp_(style.clock == timeline_clock::each_warp), run_{std::move(words)} {
    lay_out(records, style.rows);
    for (const record& r : records) read(r);
    for (std::size_t row = 0; row < run_.rows.size(); ++row) write_until(row, run_.num_slots);
    run_.ends_badly = !run_.words.bad_end.empty();
    for (std::vector<stretch>& row : run_.rows)  // fetches become blocks
      for (stretch& s : row)
        if (s.what < timeline_run::off) s.what = run_.fetches[s.what].block;
  }

  [[nodiscard]] timeline_run take() && { return std::move(run_); }

 private:
  using stretch = timeline_run::stretch;
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  struct lane_state {
    bool live = false, waiting = false;
    std::uint64_t since = 0;  // the picture is written up to here
    std::uint64_t opened = never;
    std::uint64_t barrier = 0;
  };

  // A band for each instance of the policy, with a row for each lane that it ever has.
  void lay_out(std::span<const record> records, std::size_t most_rows) {
    for (const record& r : records) {
      if (r.kind != trace_kind::issued) continue;
      if (r.warp >= lanes_.size()) lanes_.resize(r.warp + std::size_t{1}, 0);
      const Mask all = r.live | r.lanes;
      for (std::uint32_t lane = lanes_[r.warp]; lane < Mask::capacity; ++lane)
        if (all.test(lane)) lanes_[r.warp] = lane + 1;
    }
    band_of_.resize(lanes_.size());
    std::size_t total = 0;
    for (std::size_t w = 0; w < lanes_.size(); ++w) {
      if (total + lanes_[w] > most_rows) {
        const std::size_t room = most_rows - total;
        run_.rows_left_out += lanes_[w] - room;
        lanes_[w] = static_cast<std::uint32_t>(room);
      }
      band_of_[w] = run_.bands.size();
      run_.band_of_row.insert(run_.band_of_row.end(), lanes_[w], static_cast<std::uint32_t>(run_.bands.size()));
      if (lanes_[w] != 0)
        run_.bands.push_back({static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(total), lanes_[w]});
      total += lanes_[w];
    }
    home_of_.resize(total);
    for (const timeline_run::band& b : run_.bands) {
      const std::uint32_t width = run_.words.warp_width == 0 ? b.rows : run_.words.warp_width;
      const std::uint32_t first = static_cast<std::uint32_t>(busy_.size());
      for (std::uint32_t lane = 0; lane < b.rows; ++lane) home_of_[b.first_row + lane] = first + lane / width;
      busy_.resize(first + (b.rows + width - 1) / width);
    }
    run_.rows.resize(total);
    state_.resize(total);
    begun_.assign(lanes_.size(), 0);
  }

  void read(const record& r) {
    const std::uint64_t now = each_warp_ ? r.time : clock_;
    switch (r.kind) {
      case trace_kind::started:
        for (std::uint32_t row = 0; row < state_.size(); ++row) end_lane(row, now);
        begun_.assign(lanes_.size(), 0);
        began_ = now;
        if (now != 0) run_.starts.push_back(now);
        break;
      case trace_kind::issued:
        read_issue(r, now);
        break;
      case trace_kind::exited:
        if (now > run_.num_slots) run_.num_slots = now;
        for_each_row(r, r.lanes, [&](std::uint32_t row) { end_lane(row, now); });
        break;
      case trace_kind::waits:
        for_each_row(r, r.lanes, [&](std::uint32_t row) {
          write_until(row, now);
          state_[row].waiting = true;
          state_[row].opened = never;
          state_[row].barrier = r.value;
        });
        break;
      case trace_kind::released:
        for (lane_state& lane : state_)
          if (lane.waiting && lane.opened == never && lane.barrier == r.value) lane.opened = now;
        break;
      case trace_kind::predicated_off:
        for_each_row(r, r.lanes, [&](std::uint32_t row) { run_.switched_off.push_back({issued_at_ + r.value, row}); });
        break;
      case trace_kind::diverged:
      case trace_kind::ended:
        break;
    }
  }

  void read_issue(const record& r, std::uint64_t now) {
    const std::uint64_t end = now + r.weight;
    issued_at_ = now;
    if (begun_[r.warp] == 0)
      for_each_row(r, r.live | r.lanes, [&](std::uint32_t row) {
        state_[row].live = true;
        state_[row].since = began_;
      });
    begun_[r.warp] = 1;
    const std::uint32_t number = static_cast<std::uint32_t>(run_.fetches.size());
    timeline_run::fetch f{now, end, r.block, run_.ranges.size(), 0, r.lanes.count(), r.live.count()};
    for_each_row(r, r.lanes, [&](std::uint32_t row) {
      write_until(row, now);
      lane_state& lane = state_[row];
      lane.live = true;
      lane.waiting = false;
      lane.since = end;
      write(row, now, end, number);
      if (f.num_ranges != 0 && run_.ranges.back().last + 1 == row) {
        run_.ranges.back().last = row;
      } else {
        run_.ranges.push_back({row, row});
        ++f.num_ranges;
      }
    });
    if (r.weight != 0 && f.num_ranges != 0) note_busy(home_of_[run_.ranges[f.first_range].first], now, end);
    if (r.weight != 0) run_.fetches.push_back(f);
    clock_ = end > clock_ ? end : clock_;
    if (end > run_.num_slots) run_.num_slots = end;
  }

  template <class F>
  void for_each_row(const record& r, const Mask& mask, F&& f) {
    if (r.warp >= lanes_.size() || lanes_[r.warp] == 0) return;
    const timeline_run::band b = run_.bands[band_of_[r.warp]];
    mask.for_each([&](std::uint32_t lane) {
      if (lane < b.rows) f(b.first_row + lane);
    });
  }

  void end_lane(std::uint32_t row, std::uint64_t now) {
    write_until(row, now);
    state_[row] = {};
  }

  void write(std::size_t at, std::uint64_t begin, std::uint64_t end, std::uint32_t what) {
    if (begin >= end) return;
    std::vector<stretch>& row = run_.rows[at];
    if (!row.empty() && row.back().end == begin && row.back().what == what && what >= timeline_run::off)
      row.back().end = end;
    else
      row.push_back({begin, end, what});
  }
  // The warp at home there issues. Issues of a warp come in the order of time.
  void note_busy(std::uint32_t home, std::uint64_t begin, std::uint64_t end) {
    std::vector<interval>& all = busy_[home];
    if (!all.empty() && all.back().end == begin)
      all.back().end = end;
    else
      all.push_back({begin, end});
  }
  // Writes idle time: masked while others of the warp run, else not scheduled.
  void write_idle(std::size_t row, std::uint64_t begin, std::uint64_t end) {
    const std::vector<interval>& all = busy_[home_of_[row]];
    std::size_t i = all.size();
    while (i > 0 && all[i - 1].end > begin) --i;
    for (; i < all.size() && all[i].begin < end && begin < end; ++i) {
      const std::uint64_t from = all[i].begin > begin ? all[i].begin : begin, to = all[i].end < end ? all[i].end : end;
      write(row, begin, from, timeline_run::turn);
      write(row, from, to, timeline_run::masked);
      begin = to;
    }
    write(row, begin, end, timeline_run::turn);
  }
  // Writes the time since the last entry of a live lane, as waiting or idle.
  void write_until(std::size_t row, std::uint64_t now) {
    lane_state& lane = state_[row];
    if (!lane.live || now < lane.since) return;
    const std::uint64_t opened = !lane.waiting ? lane.since : lane.opened < now ? lane.opened : now;
    write(row, lane.since, opened, timeline_run::waits);
    write_idle(row, opened, now);
    lane.since = now;
  }

  struct interval {
    std::uint64_t begin, end;
  };

  bool each_warp_;
  timeline_run run_;
  std::vector<std::uint32_t> home_of_;       // by row: its static warp
  std::vector<std::vector<interval>> busy_;  // by static warp: when it issues
  std::vector<std::uint32_t> lanes_;         // by warp: its rows
  std::vector<std::size_t> band_of_;         // by warp; past the last band if it has no row
  std::vector<lane_state> state_;            // by row
  std::vector<unsigned char> begun_;         // by warp: it has issued in this thread block
  std::uint64_t clock_ = 0;                  // of all warps
  std::uint64_t began_ = 0;                  // the thread block
  std::uint64_t issued_at_ = 0;              // the block issued last
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow

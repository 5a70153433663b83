// SPDX-License-Identifier: BSL-1.0
//
// Parts of one's own for simtflow-lab (examples/lab/README.md): a policy, columns of --metrics, a machine and a
// reference program. simtflow_add_lab(my_lab my_policy.hpp) makes the tool that has them.
#pragma once

#include <simtflow/timing/machines.hpp>

#include <lab/lab.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mine {

// [policy]
// The largest group of lanes runs. Lanes that come to a block where others wait join them.
class most_lanes {
 public:
  using mask_type = simtflow::lane_mask;
  using fragment = simtflow::fragment;

  explicit most_lanes(std::uint64_t groups) : limit_(groups) {}
  void start(const fragment& f) { waiting_.assign(1, f); }
  std::optional<fragment> next() {
    if (waiting_.empty()) return std::nullopt;
    // Over the limit the oldest group runs, so that the number of groups falls.
    const auto fewer = [](const fragment& a, const fragment& b) { return a.lanes.count() < b.lanes.count(); };
    const auto at =
        waiting_.size() > limit_ ? waiting_.begin() : std::max_element(waiting_.begin(), waiting_.end(), fewer);
    const fragment chosen = *at;
    waiting_.erase(at);
    return chosen;
  }
  void advance(const fragment&, std::span<const fragment> out) {
    for (const fragment& f : out) release(f);
  }
  void park(const fragment&) {}
  void release(const fragment& f) {
    for (fragment& w : waiting_)
      if (w.block == f.block) return void(w.lanes |= f.lanes);
    waiting_.push_back(f);
  }
  [[nodiscard]] std::span<const fragment> waiting() const { return waiting_; }  // explore shows it

 private:
  std::uint64_t limit_;
  std::vector<fragment> waiting_;
};

inline const bool has_policy = lab::register_policy<most_lanes>(
    "most-lanes",
    {.what = "the largest group of lanes runs", .parameters = {{"groups", "1..64", "8", "more: the oldest runs"}}},
    [](const simtflow::policy_inputs& in) { return most_lanes(in.settings.number("groups")); });
// [/policy]

// [columns]
// How often a single lane ran alone.
struct lonely_lanes {
  template <class Mask>
  void operator()(const simtflow::event::issued<Mask>& e) {
    if (e.lanes.count() == 1) ++blocks;
  }
  [[nodiscard]] std::vector<lab::metric> columns() const { return {{"lonely_blocks", static_cast<double>(blocks)}}; }
  std::uint64_t blocks = 0;
};

inline const bool has_columns = lab::register_columns<lonely_lanes>();
// [/columns]

// [machine]
inline const bool has_machine = lab::register_machine("slow-memory", "gtx480 with DRAM at half its clock", [] {
  simtflow::timing::machine m = simtflow::timing::machines::gtx480();
  m.dram.mhz /= 2;
  return m;
}());
// [/machine]

// [reference]
// For a kernel `doubled`: y = 2 * x, of the first n elements.
inline const lab::reference has_reference("doubled", [](lab::host_launch& run) {
  const auto x = run.array<std::uint32_t>(0);
  auto y = run.array<std::uint32_t>(1);
  for (std::uint32_t i = 0; i < run.u32(2); ++i) y.set(i, 2 * x.get(i));
});
// [/reference]

}  // namespace mine

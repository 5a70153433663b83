// SPDX-License-Identifier: BSL-1.0
//
// Sequence alignment, the engine of melding: which instructions of the two arms of a branch can be one instruction that
// all lanes execute together? A pair is worth what it saves, a pair of different operations is forbidden, and a gap
// costs the branch around it, once, however long it is.
#include "write_picture.hpp"
#include <simtflow/align/sequence.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  using namespace simtflow;
  // [align]
  const std::vector<std::string_view> left{"ld.shared", "ld.shared", "add", "mul", "st.shared"};
  const std::vector<std::string_view> right{"ld.shared", "sub", "ld.shared", "xor", "mul", "st.shared"};
  const auto saves = [](std::string_view a, std::string_view b) {
    if (a != b) return forbidden_pair;
    return a.substr(0, 3) == "ld." || a.substr(0, 3) == "st." ? 20 : 4;
  };
  const alignment best = align(left, right, saves, {.first = {.open = 3}, .second = {.open = 3}});
  for (const aligned_pair& p : best.pairs) {
    const std::string_view a = p.first == no_element ? "" : left[p.first];
    const std::string_view b = p.second == no_element ? "" : right[p.second];
    std::printf("%-10.*s %s %.*s\n", int(a.size()), a.data(), a == b ? "=" : "|", int(b.size()), b.data());
  }
  std::printf("saves %d\n", best.score);
  // [/align] The picture: two lanes in each arm. An instruction takes the time that its pair saves, a gap the time of
  // its branch.
  std::vector<std::string_view> names;
  const auto issue = [&](event_trace& trace, std::string_view name, int time, std::uint64_t lanes) {
    const auto known = std::find(names.begin(), names.end(), name) - names.begin();
    if (names.begin() + known == names.end()) names.push_back(name);
    event::issued<lane_mask> e{};
    e.block = block_id(known);
    e.weight = std::uint32_t(time);
    e.lanes = lane_mask(lanes);
    e.live = lane_mask(0b1111);
    trace(e);
  };
  event_trace arms, aligned;
  for (const std::string_view i : left) issue(arms, i, saves(i, i), 0b0011);
  for (const std::string_view i : right) issue(arms, i, saves(i, i), 0b1100);
  std::uint64_t before = 0b1111;
  for (const aligned_pair& p : best.pairs) {
    const std::string_view i = p.first == no_element ? right[p.second] : left[p.first];
    const std::uint64_t lanes = p.first == no_element ? 0b1100 : p.second == no_element ? 0b0011 : 0b1111;
    if (lanes != 0b1111 && lanes != before) issue(aligned, "branch", 3, 0b1111);
    issue(aligned, i, saves(i, i), lanes);
    before = lanes;
  }
  svg_timeline picture({.title = "two arms of a branch, each with two lanes", .axis = "what pairs save"});
  picture.add({.title = "one after the other"}, arms);
  picture.add({.title = "aligned", .note = "saves " + std::to_string(best.score)}, aligned);
  return write_picture(argc, argv, picture.text([&](block_id b) { return std::string(names[b]); }));
}

// SPDX-License-Identifier: BSL-1.0
//
// Sequence alignment, the engine of melding: which instructions of the two arms of a branch can be one instruction that
// all lanes execute together? A pair is worth what it saves, a pair of different operations is forbidden, and a gap
// costs the branch around it, once, however long it is.
#include <simtflow/align/sequence.hpp>

#include <cstdio>
#include <string_view>
#include <vector>

int main() {
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
  // [/align]
}

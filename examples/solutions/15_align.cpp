// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 15: dearer gaps, and arms in another order.
#include <simtflow/align/sequence.hpp>

#include <cstdio>
#include <string_view>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::string_view> left{"ld.shared", "ld.shared", "add", "mul", "st.shared"};
  const std::vector<std::string_view> right{"ld.shared", "sub", "ld.shared", "xor", "mul", "st.shared"};
  const std::vector<std::string_view> reversed(left.rbegin(), left.rend());
  const auto saves = [](std::string_view a, std::string_view b) {
    if (a != b) return forbidden_pair;
    return a.substr(0, 3) == "ld." || a.substr(0, 3) == "st." ? 20 : 4;
  };
  const auto print = [&](const char* what, const std::vector<std::string_view>& other, int gap) {
    const alignment best = align(left, other, saves, {.first = {.open = gap}, .second = {.open = gap}});
    int pairs = 0;
    for (const aligned_pair& p : best.pairs) pairs += p.first != no_element && p.second != no_element ? 1 : 0;
    std::printf("%s: %d pairs, saves %d\n", what, pairs, best.score);
  };
  print("1: a gap costs 3", right, 3);
  print("1: a gap costs 15", right, 15);
  print("1: a gap costs 30", right, 30);
  print("2: the left arm beside itself", left, 3);
  print("2: the left arm beside itself, last instruction first", reversed, 3);
  return 0;
}

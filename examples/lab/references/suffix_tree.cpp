// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/suffix_tree.cu: the longest match of every suffix of every read, by trying every place in the text.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lab::of_suffix_tree {
namespace {

using std::uint32_t;

void suffix_tree(host_launch& run) {
  const auto text = run.array<uint32_t>(1);
  const auto places = run.array<uint32_t>(2);
  auto reads = run.array<uint32_t>(3);
  auto lengths = run.array<uint32_t>(4);
  const uint32_t read_length = run.u32(5);
  for (std::size_t t = 0; t < run.threads(); ++t) {
    const std::size_t read = t * read_length;
    for (std::size_t i = 0; i < read_length; ++i)
      if (reads.get(read + i) > 4) reads.set(read + i, text.get(places.get(t) + i));
    for (std::size_t start = 0; start < read_length; ++start) {
      std::size_t longest = 0;
      for (std::size_t place = 0; place < text.size(); ++place) {
        std::size_t n = 0;
        while (start + n < read_length && place + n < text.size() && text.get(place + n) == reads.get(read + start + n))
          ++n;
        longest = std::max(longest, n);
      }
      lengths.set(read + start, static_cast<uint32_t>(longest));
    }
  }
}

const reference registered("suffix_tree", suffix_tree);

}  // namespace
}  // namespace lab::of_suffix_tree

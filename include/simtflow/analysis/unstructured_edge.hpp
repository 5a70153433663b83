// SPDX-License-Identifier: BSL-1.0
//
// Unstructured edges, closed sets of blocks, and regions, as data. unstructured.hpp defines them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why an edge is unstructured, as defined at the top of unstructured.hpp: one or more of three bits.
struct unstructured_reasons {
  unsigned char bits = 0;                      ///< the sum of those below that apply
  static constexpr unsigned char crosses = 1,  ///< bit of crossing()
      enters_loop = 2,                         ///< bit of into_loop()
      leaves_loop = 4;                         ///< bit of out_of_loop()

  /// Neither end dominates or post-dominates the other.
  [[nodiscard]] constexpr bool crossing() const { return (bits & crosses) != 0; }
  /// Some loop contains the target but not the source, and the target does not dominate all of it.
  [[nodiscard]] constexpr bool into_loop() const { return (bits & enters_loop) != 0; }
  /// Some loop contains the source but not the target, and the source does not post-dominate all of it.
  [[nodiscard]] constexpr bool out_of_loop() const { return (bits & leaves_loop) != 0; }
  friend constexpr bool operator==(const unstructured_reasons&, const unstructured_reasons&) = default;
};

/// An unstructured edge. Parallel edges are different edges.
struct unstructured_edge {
  edge where;                ///< the edge to the virtual exit has the slot after the last one
  block_id to = no_block;    ///< no_block: the virtual exit
  unstructured_reasons why;  ///< at least one
  friend constexpr bool operator==(const unstructured_edge&, const unstructured_edge&) = default;
};

/// A closed set of blocks. No blocks: the closure of nothing.
struct closed_blocks {
  block_id dominator = no_block;       ///< D; no_block: the program starts in the set
  block_id post_dominator = no_block;  ///< P; no_block: the virtual exit
  std::vector<block_id> blocks;        ///< ascending
};

/// An outermost region, one of regions().
struct unstructured_region {
  block_id dominator = no_block;       ///< D; no_block: the program starts in the region
  block_id post_dominator = no_block;  ///< P; no_block: the virtual exit
  std::uint32_t size = 0;              ///< blocks
  std::uint32_t parts = 0;             ///< nodes that reducing the region by itself leaves
  std::uint32_t edges = 0;             ///< unstructured edges with this region, or with a region in it
  bool hidden = false;      ///< it is there because of more than its unstructured edges (perhaps there are none)
  std::uint32_t first = 0;  ///< place in a list of all regions' blocks
};

/// "In no region."
inline constexpr std::uint32_t no_unstructured_region = 0xFFFF'FFFFU;

}  // namespace v0
}  // namespace simtflow

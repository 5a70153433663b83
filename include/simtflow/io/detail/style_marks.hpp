// SPDX-License-Identifier: BSL-1.0
//
// A dot_style by block and by edge of one graph: what every picture asks of it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/dot_style.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

inline std::string_view text_of(const std::vector<std::string>& texts, std::size_t i) {
  return i < texts.size() ? std::string_view(texts[i]) : std::string_view();
}

class style_marks {
 public:
  // The graph and the style must outlive the marks. O(blocks + edges + marks).
  style_marks(const csr_graph& g, const dot_style& style)
      : g_(g),
        style_(style),
        highlighted_(flags(style.highlighted, g.num_blocks(), "a highlighted block is not in the graph")),
        divergent_(flags(style.divergent, g.num_blocks(), "a divergent block is not in the graph")),
        dashed_(flags(style.dashed, g.num_edges(), "a dashed edge is not in the graph")),
        marked_(flags(style.marked, g.num_edges(), "a marked edge is not in the graph")) {}

  [[nodiscard]] bool is_highlighted(block_id b) const { return highlighted_[b] != 0; }
  [[nodiscard]] bool is_divergent(block_id b) const { return divergent_[b] != 0; }
  [[nodiscard]] bool is_dashed(edge_id e) const { return dashed_[e] != 0; }
  [[nodiscard]] bool is_marked(edge_id e) const { return marked_[e] != 0; }
  [[nodiscard]] dot_role role_of(block_id b) const {
    return b < style_.roles.size() ? style_.roles[b] : dot_role::plain;
  }
  // The number of the frame around b, or no_dot_group.
  [[nodiscard]] std::uint32_t group_of(block_id b) const {
    return b < style_.groups.size() ? style_.groups[b] : no_dot_group;
  }
  // The first line of b.
  [[nodiscard]] std::string name_of(block_id b) const {
    const std::string_view own = text_of(style_.labels, b);
    return own.empty() ? "b" + std::to_string(b) : std::string(own);
  }
  // T, F or the slot where there are several ways, and the caller's note.
  [[nodiscard]] std::string text_of_edge(block_id from, edge_id e) const {
    const std::size_t ways = g_.successors(from).size(), slot = e - g_.first_edge(from);
    std::string text = ways == 2 ? (slot == 0 ? "T" : "F") : ways > 2 ? std::to_string(slot) : "";
    if (const std::string_view note = text_of(style_.edge_notes, e); !note.empty()) {
      if (!text.empty()) text += ' ';
      text += note;
    }
    return text;
  }

 private:
  static std::vector<unsigned char> flags(const std::vector<std::uint32_t>& marked, std::size_t size,
                                          [[maybe_unused]] const char* wrong) {
    std::vector<unsigned char> flag(size, 0);
    for (const std::uint32_t i : marked) {
      SIMTFLOW_EXPECTS(i < size, wrong);
      flag[i] = 1;
    }
    return flag;
  }

  const csr_graph& g_;
  const dot_style& style_;
  std::vector<unsigned char> highlighted_, divergent_, dashed_, marked_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

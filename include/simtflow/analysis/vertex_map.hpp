// SPDX-License-Identifier: BSL-1.0
//
// How an analysis result speaks of the user's vertices. Every algorithm runs on a snapshot and computes in dense block
// ids; a result over a graph G keeps a pointer to the user's graph and translates at its surface. A csr_graph needs no
// translation: its vertices are block ids, results over it keep no pointer and hand out plain spans.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <compare>
#include <cstddef>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

/// A run of blocks, seen as vertices of a user's graph: a random-access range that refers to the analysis result and to
/// the graph and holds no vertex itself. It is a view and borrowed: iterators outlive it.
template <class G>
class vertex_range {
 public:
  /// A random-access iterator of C++20. Vertices are made when they are asked for and returned by value, so algorithms
  /// of before C++20 see an input iterator.
  class iterator {
   public:
    /// @{
    /// As std::iterator_traits asks.
    using value_type = vertex_t<G>;
    using difference_type = std::ptrdiff_t;
    using reference = vertex_t<G>;
    using pointer = void;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    /// @}

    constexpr iterator() = default;  ///< of no range: may only be assigned to
    constexpr iterator(const G* g, const block_id* at) : graph_(g), at_(at) {}  ///< the vertex of block *at
    constexpr vertex_t<G> operator*() const { return graph_traits<G>::vertex_at(*graph_, *at_); }  ///< the vertex here
    /// The vertex n places further on.
    constexpr vertex_t<G> operator[](difference_type n) const { return graph_traits<G>::vertex_at(*graph_, at_[n]); }

    /// @{
    /// Steps of a random-access iterator. \pre both iterators are of one range.
    constexpr iterator& operator++() { return *this += 1; }
    constexpr iterator& operator--() { return *this += -1; }
    constexpr iterator operator++(int) { return {graph_, at_++}; }
    constexpr iterator operator--(int) { return {graph_, at_--}; }
    constexpr iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    constexpr iterator& operator-=(difference_type n) { return *this += -n; }
    friend constexpr iterator operator+(iterator i, difference_type n) { return i += n; }
    friend constexpr iterator operator+(difference_type n, iterator i) { return i += n; }
    friend constexpr iterator operator-(iterator i, difference_type n) { return i += -n; }
    friend constexpr difference_type operator-(const iterator& a, const iterator& b) { return a.at_ - b.at_; }
    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }
    friend constexpr auto operator<=>(const iterator& a, const iterator& b) { return a.at_ <=> b.at_; }
    /// @}

   private:
    const G* graph_ = nullptr;
    const block_id* at_ = nullptr;
  };

  constexpr vertex_range() = default;  ///< of no vertex
  /// \pre g and the memory of `blocks` outlive the range; every element is the index of a vertex of g.
  constexpr vertex_range(const G& g, std::span<const block_id> blocks) : graph_(&g), blocks_(blocks) {}

  [[nodiscard]] constexpr iterator begin() const { return {graph_, blocks_.data()}; }  ///< the first vertex
  /// Past the last.
  [[nodiscard]] constexpr iterator end() const { return {graph_, blocks_.data() + blocks_.size()}; }
  [[nodiscard]] constexpr std::size_t size() const { return blocks_.size(); }  ///< number of vertices, O(1)
  [[nodiscard]] constexpr bool empty() const { return blocks_.empty(); }       ///< no vertex
  /// The i-th vertex. \pre i < size(). O(1).
  [[nodiscard]] constexpr vertex_t<G> operator[](std::size_t i) const {
    return graph_traits<G>::vertex_at(*graph_, blocks_[i]);
  }
  /// The same run as dense block ids.
  [[nodiscard]] constexpr std::span<const block_id> ids() const { return std::span<const block_id>(blocks_); }

 private:
  const G* graph_ = nullptr;
  std::span<const block_id> blocks_;
};

namespace detail {

template <class G>
class vertex_map {
 public:
  using range = vertex_range<G>;
  constexpr vertex_map() = default;
  constexpr explicit vertex_map(const G& g) : graph_(&g) {}
  [[nodiscard]] constexpr block_id index(const vertex_t<G>& v) const {
    return static_cast<block_id>(graph_traits<G>::index(*graph_, v));
  }
  [[nodiscard]] constexpr vertex_t<G> at(block_id b) const { return graph_traits<G>::vertex_at(*graph_, b); }
  [[nodiscard]] constexpr std::optional<vertex_t<G>> maybe(block_id b) const {
    if (b == no_block) return std::nullopt;
    return at(b);
  }
  [[nodiscard]] constexpr range over(std::span<const block_id> blocks) const { return {*graph_, blocks}; }

 private:
  const G* graph_ = nullptr;
};

// A template still, so that a translation unit which never asks pays for no std::optional of block ids.
template <std::same_as<csr_graph> G>
class vertex_map<G> {
 public:
  using range = std::span<const block_id>;
  constexpr vertex_map() = default;
  constexpr explicit vertex_map(const G&) {}
  [[nodiscard]] constexpr block_id index(block_id b) const { return b; }
  [[nodiscard]] constexpr block_id at(block_id b) const { return b; }
  [[nodiscard]] constexpr std::optional<block_id> maybe(block_id b) const {
    if (b == no_block) return std::nullopt;
    return b;
  }
  [[nodiscard]] constexpr range over(std::span<const block_id> blocks) const { return blocks; }
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

// A vertex_range is a view, and its iterators do not refer to it.
/// \cond
template <class G>
inline constexpr bool std::ranges::enable_view<simtflow::vertex_range<G>> = true;
template <class G>
inline constexpr bool std::ranges::enable_borrowed_range<simtflow::vertex_range<G>> = true;
/// \endcond

// SPDX-License-Identifier: BSL-1.0
//
// Graph types that offer what a concept asks for and nothing else: whatever compiles with them uses only the concept.
// The vertex has no default constructor, no order and no hash; the successor range has no value_type, no size, no
// post-increment, and its end is another type than its begin.
#pragma once

#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace simtflow_tests {

class bare_graph {
 public:
  explicit bare_graph(std::vector<std::vector<std::size_t>> rows, std::size_t entry = 0)
      : rows_(std::move(rows)), entry_(entry) {}
  bare_graph(const bare_graph&) = delete;  // graphs are taken by reference
  bare_graph& operator=(const bare_graph&) = delete;

  class vertex {
   public:
    friend bool operator==(const vertex& a, const vertex& b) { return a.number_ == b.number_; }

   private:
    friend simtflow::graph_traits<bare_graph>;
    explicit vertex(std::size_t number) : number_(number) {}
    std::size_t number_;
  };

  class successor_range {
   public:
    struct sentinel {
      const std::size_t* end;
    };
    class iterator {
     public:
      explicit iterator(const std::size_t* at) : at_(at) {}
      vertex operator*() const;
      iterator& operator++() {
        ++at_;
        return *this;
      }
      friend bool operator!=(const iterator& i, const sentinel& s) { return i.at_ != s.end; }

     private:
      const std::size_t* at_;
    };
    explicit successor_range(const std::vector<std::size_t>& row) : row_(&row) {}
    iterator begin() const { return iterator(row_->data()); }
    sentinel end() const { return {row_->data() + row_->size()}; }

   private:
    const std::vector<std::size_t>* row_;
  };

 private:
  friend simtflow::graph_traits<bare_graph>;
  std::vector<std::vector<std::size_t>> rows_;
  std::size_t entry_;
};

}  // namespace simtflow_tests

template <>
struct simtflow::graph_traits<simtflow_tests::bare_graph> {
  using graph = simtflow_tests::bare_graph;
  using vertex = graph::vertex;
  static std::size_t num_vertices(const graph& g) { return g.rows_.size(); }
  static std::size_t index(const graph&, const vertex& v) { return v.number_; }
  static vertex vertex_at(const graph&, std::size_t i) { return vertex(i); }
  static vertex entry(const graph& g) { return vertex(g.entry_); }
  static graph::successor_range successors(const graph& g, const vertex& v) {
    return graph::successor_range(g.rows_[v.number_]);
  }
};

inline simtflow_tests::bare_graph::vertex simtflow_tests::bare_graph::successor_range::iterator::operator*() const {
  return simtflow::graph_traits<bare_graph>::vertex_at(bare_graph({}), *at_);
}

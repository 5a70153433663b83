// SPDX-License-Identifier: BSL-1.0
// REJECT: graph_traits<G> lacks `static std::size_t index(const G&, vertex)`
// REJECT: what graph_traits<G>::successors returns must work in a range-for and yield vertices
#include <simtflow/graph/check.hpp>

#include <cstddef>

struct block {
  block* next[1];
};
struct function {
  block only;
};

template <>
struct simtflow::graph_traits<function> {
  using vertex = const block*;
  static std::size_t num_vertices(const function&) { return 1; }
  static vertex vertex_at(const function& f, std::size_t) { return &f.only; }
  static vertex entry(const function& f) { return &f.only; }
#if defined(REJECT)
  static int successors(const function&, vertex) { return 0; }
#else
  static std::size_t index(const function&, vertex) { return 0; }
  static const auto& successors(const function&, vertex b) { return b->next; }
#endif
};
static_assert(simtflow::check_adapter<function>());

// SPDX-License-Identifier: BSL-1.0
// One function at a time is left out of a specialisation: the error is short and names it.
// AT MOST: 10 lines
// REJECT(vertex): graph_traits<G> names no type `vertex`
// REJECT(num_vertices): graph_traits<G> lacks `static std::size_t num_vertices(const G&)`
// REJECT(index): graph_traits<G> lacks `static std::size_t index(const G&, vertex)`
// REJECT(vertex_at): graph_traits<G> lacks `static vertex vertex_at(const G&, std::size_t)`
// REJECT(entry): graph_traits<G> lacks `static vertex entry(const G&)`
// REJECT(successors): graph_traits<G> lacks `static range successors(const G&, vertex)`
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
#if !defined(REJECT_vertex)
  using vertex = const block*;
#endif
#if !defined(REJECT_num_vertices)
  static std::size_t num_vertices(const function&) { return 1; }
#endif
#if !defined(REJECT_index)
  static std::size_t index(const function&, const block*) { return 0; }
#endif
#if !defined(REJECT_vertex_at)
  static const block* vertex_at(const function& f, std::size_t) { return &f.only; }
#endif
#if !defined(REJECT_entry)
  static const block* entry(const function& f) { return &f.only; }
#endif
#if !defined(REJECT_successors)
  static const auto& successors(const function&, const block* b) { return b->next; }
#endif
};
static_assert(simtflow::check_adapter<function>());

// SPDX-License-Identifier: BSL-1.0
//
// Two checks of an adapter. `check_adapter<G>()` says at compile time, one sentence per requirement, what
// graph_traits<G> lacks; the concept itself could only say "not satisfied". `validate(g)` says at run time where the
// answers of the traits contradict each other: all diagnostics of one pass, never an abort. Call both once in your own
// tests:
//
//   static_assert(simtflow::check_adapter<ir::function>());
//   for (const auto& d : simtflow::validate(f)) report(describe(d.kind), d.vertex, d.slot);
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Explains by static_assert what keeps G from being a flow_graph; true if nothing does. Stops at the first requirement
/// that the later ones rest on, so that the compiler prints the cause and not its consequences: at most ten lines for
/// one function that is missing.
/// \pre none: G may be any type. Complexity: nothing happens at run time.
/// Errors: a static_assert that names the first requirement that G misses.
/// \snippet reference_test.cpp check_adapter
template <class G>
consteval bool check_adapter() {
  constexpr bool specialised = requires { sizeof(graph_traits<G>); };
  static_assert(
      specialised,
      "simtflow: graph_traits<G> is not specialised, and G is no range of ranges of integers. Specialise it beside "
      "the class (see simtflow/graph/traits.hpp), or use function_graph or discovered_graph");
  if constexpr (specialised) {
    using traits = graph_traits<G>;
    constexpr bool named = requires { typename traits::vertex; };
    static_assert(named, "simtflow: graph_traits<G> names no type `vertex`");
    if constexpr (named) {
      using V = typename traits::vertex;
      constexpr bool copyable = std::copyable<V>, comparable = std::equality_comparable<V>;
      static_assert(copyable, "simtflow: graph_traits<G>::vertex must be copyable (use a pointer or a handle)");
      static_assert(comparable, "simtflow: graph_traits<G>::vertex needs ==");
      // Each has a name, because the compiler repeats the condition that failed.
      constexpr bool has_num_vertices = requires(const G& g) {
        { traits::num_vertices(g) } -> std::convertible_to<std::size_t>;
      };
      static_assert(has_num_vertices, "simtflow: graph_traits<G> lacks `static std::size_t num_vertices(const G&)`");
      constexpr bool has_index = requires(const G& g, const V& v) {
        { traits::index(g, v) } -> std::convertible_to<std::size_t>;
      };
      static_assert(has_index, "simtflow: graph_traits<G> lacks `static std::size_t index(const G&, vertex)`");
      constexpr bool has_vertex_at = requires(const G& g, std::size_t i) {
        { traits::vertex_at(g, i) } -> std::convertible_to<V>;
      };
      static_assert(has_vertex_at, "simtflow: graph_traits<G> lacks `static vertex vertex_at(const G&, std::size_t)`");
      constexpr bool has_entry = requires(const G& g) {
        { traits::entry(g) } -> std::convertible_to<V>;
      };
      static_assert(has_entry, "simtflow: graph_traits<G> lacks `static vertex entry(const G&)`");
      constexpr bool has_successors = requires(const G& g, const V& v) { traits::successors(g, v); };
      static_assert(has_successors, "simtflow: graph_traits<G> lacks `static range successors(const G&, vertex)`");
      if constexpr (has_successors) {
        constexpr bool yields_vertices = requires(const G& g, const V& v) {
          requires detail::iterable_over<decltype(traits::successors(g, v)), V>;
        };
        static_assert(yields_vertices,
                      "simtflow: what graph_traits<G>::successors returns must work in a range-for and yield vertices");
      }
      if constexpr (requires(const G& g, const V& v) { traits::is_exit(g, v); }) {
        constexpr bool returns_bool = has_exit_predicate<G> || !flow_graph<G>;
        static_assert(returns_bool, "simtflow: graph_traits<G>::is_exit must return bool");
      }
      if constexpr (requires(const G& g, const V& v) { traits::predecessors(g, v); }) {
        constexpr bool yields_vertices = bidirectional_flow_graph<G> || !flow_graph<G>;
        static_assert(
            yields_vertices,
            "simtflow: what graph_traits<G>::predecessors returns must work in a range-for and yield vertices");
      }
    }
  }
  return true;  // what is missing has been said
}

/// The ways in which the answers of a graph can be wrong; describe(kind) says each in words.
enum class graph_diagnostic_kind : unsigned char {
  too_many_vertices,    ///< num_vertices() is 2^32 - 1 or more
  entry_out_of_range,   ///< the index of the entry is not below num_vertices()
  index_out_of_range,   ///< the index of a successor is not below num_vertices()
  round_trip_broken,    ///< vertex_at(index(v)) is not v
  duplicate_index,      ///< two vertices have one index
  unstable_index,       ///< index(v) changes from call to call
  unstable_successors,  ///< successors(v) changes from call to call
  missing_predecessor,  ///< an edge without its predecessor
  surplus_predecessor,  ///< a predecessor without its edge
};

/// One contradiction in what a graph says of itself.
struct graph_diagnostic {
  graph_diagnostic_kind kind{};  ///< what is wrong; says what the numbers below mean
  std::size_t vertex = 0;        ///< index of the vertex that was asked
  std::size_t slot = 0;          ///< the successor slot, if the diagnostic is about one
  std::size_t value = 0;         ///< the index that is wrong, or the other vertex
  friend constexpr bool operator==(const graph_diagnostic&, const graph_diagnostic&) = default;
};

/// A sentence about the kind; `vertex`, `slot` and `value` are members of graph_diagnostic.
[[nodiscard]] constexpr const char* describe(graph_diagnostic_kind kind) {
  switch (kind) {
    case graph_diagnostic_kind::too_many_vertices:
      return "num_vertices() is not below 2^32 - 1 (value)";
    case graph_diagnostic_kind::entry_out_of_range:
      return "the index of the entry is not below num_vertices() (value)";
    case graph_diagnostic_kind::index_out_of_range:
      return "the index of a successor (of vertex, at slot) is not below num_vertices() (value)";
    case graph_diagnostic_kind::round_trip_broken:
      return "vertex_at(index(v)) is not v (vertex is index(v))";
    case graph_diagnostic_kind::duplicate_index:
      return "two different vertices have one index (vertex)";
    case graph_diagnostic_kind::unstable_index:
      return "index(v) changed between two calls (vertex, then value)";
    case graph_diagnostic_kind::unstable_successors:
      return "two calls of successors(v) differ (vertex, from slot on)";
    case graph_diagnostic_kind::missing_predecessor:
      return "there is an edge value -> vertex, but predecessors(vertex) has value too seldom";
    case graph_diagnostic_kind::surplus_predecessor:
      return "predecessors(vertex) has value more often than there are edges value -> vertex";
  }
  return "";
}

/// Asks the graph everything that algorithms ask, and compares the answers. Walks what the entry reaches; never aborts,
/// whatever the traits answer (as long as the calls themselves return).
///
/// Checked: indices in range, vertex_at(index(v)) == v, one vertex per index, index and successors the same when asked
/// twice, and (if the traits have them) predecessors: one for each edge between reached vertices. Holes, parallel
/// edges, self loops, unreached vertices and an empty graph are in order.
/// \pre check_adapter<G>() holds. Complexity: O(num_vertices + edges) time and space.
/// Errors: the result.
/// \returns the contradictions, in the order of the search; empty for a sound graph.
/// \snippet reference_test.cpp validate
template <flow_graph G>
[[nodiscard]] constexpr std::vector<graph_diagnostic> validate(const G& g) {
  using traits = graph_traits<G>;
  using V = vertex_t<G>;
  using kind = graph_diagnostic_kind;
  std::vector<graph_diagnostic> found;
  const std::size_t n = static_cast<std::size_t>(traits::num_vertices(g));
  if (n == 0) return found;
  if (n >= no_block) {
    found.push_back({kind::too_many_vertices, 0, 0, n});
    return found;
  }
  const V entry = traits::entry(g);
  const std::size_t start = static_cast<std::size_t>(traits::index(g, entry));
  if (start >= n) {
    found.push_back({kind::entry_out_of_range, start, 0, start});
    return found;
  }
  std::vector<V> reached{entry};  // also the list of work
  std::vector<std::size_t> index_of{start};
  std::vector<std::size_t> place;  // by index: 1 + position in `reached`; 0: not reached
  place.assign(n, 0);
  place[start] = 1;
  csr_builder forward(n, static_cast<block_id>(start));
  csr_builder backward(n, static_cast<block_id>(start));

  for (std::size_t next = 0; next < reached.size(); ++next) {
    const V v = reached[next];
    const std::size_t i = index_of[next];
    const std::size_t again = static_cast<std::size_t>(traits::index(g, v));
    if (again != i) found.push_back({kind::unstable_index, i, 0, again});
    if (!(static_cast<V>(traits::vertex_at(g, i)) == v)) found.push_back({kind::round_trip_broken, i, 0, i});

    std::vector<V> first_answer;
    {
      auto&& out = traits::successors(g, v);
      for (auto&& s : out) first_answer.push_back(static_cast<V>(s));
    }
    std::size_t slot = 0;
    bool same = true;
    {
      auto&& out = traits::successors(g, v);
      for (auto&& s : out) {
        same = slot < first_answer.size() && static_cast<V>(s) == first_answer[slot];
        if (!same) break;
        ++slot;
      }
    }
    if (!same || slot != first_answer.size()) found.push_back({kind::unstable_successors, i, slot, slot});

    for (std::size_t k = 0; k < first_answer.size(); ++k) {
      const V& s = first_answer[k];
      const std::size_t to = static_cast<std::size_t>(traits::index(g, s));
      if (to >= n) {
        found.push_back({kind::index_out_of_range, i, k, to});
        continue;
      }
      forward.add_edge(static_cast<block_id>(i), static_cast<block_id>(to));
      if (place[to] == 0) {
        reached.push_back(s);
        index_of.push_back(to);
        place[to] = reached.size();
      } else if (!(reached[place[to] - 1] == s)) {
        found.push_back({kind::duplicate_index, to, k, i});
      }
    }
  }

  if constexpr (bidirectional_flow_graph<G>) {
    for (std::size_t next = 0; next < reached.size(); ++next) {
      auto&& in = traits::predecessors(g, reached[next]);
      for (auto&& p : in) {
        const std::size_t from = static_cast<std::size_t>(traits::index(g, static_cast<V>(p)));
        if (from < n && place[from] != 0)  // an unreached block may well jump into the reached part
          backward.add_edge(static_cast<block_id>(from), static_cast<block_id>(index_of[next]));
      }
    }
    // In a snapshot the predecessors of a block are in ascending order, so the two lists can be merged.
    const csr_graph expected = forward.build(), given = backward.build();
    for (block_id b = 0; b < n; ++b) {
      const auto want = expected.predecessors(b), have = given.predecessors(b);
      std::size_t w = 0, h = 0;
      while (w < want.size() || h < have.size()) {
        if (h == have.size() || (w < want.size() && want[w] < have[h]))
          found.push_back({kind::missing_predecessor, b, 0, want[w++]});
        else if (w == want.size() || have[h] < want[w])
          found.push_back({kind::surplus_predecessor, b, 0, have[h++]});
        else
          ++w, ++h;
      }
    }
  }
  return found;
}

}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
// A broken contract in a constant expression is a compile error that names the check.
// REJECT: contract_violated
#include <simtflow/graph/csr.hpp>

constexpr std::size_t edges() {
  simtflow::csr_builder builder(2);
#if defined(REJECT)
  builder.add_edge(0, 2);
#else
  builder.add_edge(0, 1);
#endif
  return builder.build().num_edges();
}
static_assert(edges() == 1);

// SPDX-License-Identifier: BSL-1.0
// REJECT: graph_traits<G> is not specialised, and G is no range of ranges of integers
#include <simtflow/graph/check.hpp>

#include <string>
#include <vector>

#if defined(REJECT)
using graph = std::vector<std::string>;
#else
using graph = std::vector<std::vector<int>>;
#endif
static_assert(simtflow::check_adapter<graph>());

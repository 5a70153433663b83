// SPDX-License-Identifier: BSL-1.0
#include "lab/code_figures.hpp"

#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/register_pressure.hpp>
#include <simtflow/transform/plan.hpp>

#include <fmt/format.h>

namespace lab {

using namespace simtflow;

std::vector<code_figure> code_figures(const ptx::checked_function& code) {
  const csr_graph& g = code.blocks().graph();
  std::vector<code_figure> all;
  const auto count = [&](std::string_view name, std::string_view column, std::size_t n) {
    all.push_back({name, column, fmt::format("{}", n), static_cast<double>(n)});
  };
  count("blocks", "blocks", flow_plan(g).cost().blocks());  // that the entry reaches
  count("instructions", "instructions", code.text().instructions.size());
  count("registers", "registers", code.text().registers.size());
  const ptx::register_pressure pressure = ptx::register_pressure_of(code);
  count("live registers", "live_registers", pressure.live);
  count("live predicates", "live_predicates", pressure.predicates);
  count("estimated registers", "estimated_registers", pressure.estimate);
  count("unstructured edges", "", unstructured_edges(g).size());
  const bool structured = is_structured(g);
  all.push_back({"structured", "", structured ? "yes" : "no", structured ? 1.0 : 0.0});
  return all;
}

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// Your own intermediate representation (toy_ir.hpp) with every analysis. The adapter, toy_ir_adapter.hpp, is one struct
// for the graph and one class for the values; nothing of the IR is copied, and it need not know of this library. All
// answers come in your own types: where loops are, what a block depends on, which branches can diverge and why.
#include "toy_ir_adapter.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/validate_program.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  ir::sum_below program;
  const ir::function& f = program.f;
  // [ask]
  const auto tree = simtflow::dominators(f);
  for (const auto& b : f.blocks)
    if (const auto up = tree.idom(b.get()))
      std::printf("%s is dominated by %s\n", b->name.c_str(), (*up)->name.c_str());

  const auto nest = simtflow::loops(f);
  for (const simtflow::loop_id l : nest.all()) {
    std::printf("loop at %s:", nest.header(l)->name.c_str());
    for (const ir::block* b : nest.blocks(l)) std::printf(" %s", b->name.c_str());
    std::printf("\n");
  }

  const auto control = simtflow::control_dependence(f);
  for (const auto& b : f.blocks)
    for (const simtflow::edge e : control.dependences_of(b.get()))
      std::printf("%s runs if %s goes to %s\n", b->name.c_str(), f.blocks[e.from]->name.c_str(),
                  f.blocks[e.from]->successors[e.slot]->name.c_str());
  // [/ask]
  // [uniform]
  const ir_values values(f);
  if (!simtflow::validate(f, values).empty()) return 1;  // says what is wrong with an IR that is no SSA form
  const auto uniform = simtflow::uniformity(f, values);
  for (const auto& b : f.blocks) {
    if (b->condition == nullptr) continue;
    std::printf("the branch of %s is %s: %s", b->name.c_str(),
                uniform.is_divergent_branch(b.get()) ? "divergent" : "uniform", b->condition->name.c_str());
    auto why = uniform.why_branch(b.get());  // the first step of the way back to a source
    while (why.cause == simtflow::divergence_cause::operand) {
      const ir::instruction& from = values[why.value];
      if (&from != b->condition) std::printf(", from %s", from.name.c_str());
      why = uniform.why(why.value);
    }
    std::printf("\n");
  }
  for (const auto& i : f.instructions)
    if (uniform.is_divergent(ir_values::id(i.get()))) std::printf("%s differs between threads\n", i->name.c_str());
  // [/uniform]
  simtflow::dot_style style{.title = "violet: can diverge; yellow: the loop at head"};
  for (const auto& b : f.blocks) {
    std::string code;
    for (const auto& i : f.instructions)
      if (i->where == b.get())
        code += i->name + (uniform.is_divergent(ir_values::id(i.get())) ? "   (differs)\n" : "\n");
    style.labels.push_back(b->name);
    style.bodies.push_back(code);
    if (nest.contains(simtflow::loop_id{0}, b.get())) style.highlighted.push_back(simtflow::block_id(b->id));
    if (uniform.is_divergent_branch(b.get())) style.divergent.push_back(simtflow::block_id(b->id));
  }
  return write_picture(argc, argv, simtflow::to_svg(f, style));
}

// SPDX-License-Identifier: BSL-1.0
//
// Your own intermediate representation as a graph: one struct beside the class, and every algorithm takes it and
// answers in your own vertex type. Nothing of the IR is copied, and it need not know of this library.
#include "write_picture.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace ir {

struct block {
  std::string name;
  std::size_t id = 0;
  std::vector<block*> successors;
};

struct function {
  std::vector<std::unique_ptr<block>> blocks;

  block* add(const char* name) {
    blocks.push_back(std::make_unique<block>(block{name, blocks.size(), {}}));
    return blocks.back().get();
  }
};

}  // namespace ir

// [traits]
template <>
struct simtflow::graph_traits<ir::function> {
  using vertex = const ir::block*;
  static std::size_t num_vertices(const ir::function& f) { return f.blocks.size(); }
  static std::size_t index(const ir::function&, vertex b) { return b->id; }
  static vertex vertex_at(const ir::function& f, std::size_t i) { return f.blocks[i].get(); }
  static vertex entry(const ir::function& f) { return f.blocks.front().get(); }
  static const auto& successors(const ir::function&, vertex b) { return b->successors; }
};
static_assert(simtflow::check_adapter<ir::function>());
// [/traits]

int main(int argc, char** argv) {
  ir::function f;
  ir::block *entry = f.add("entry"), *head = f.add("head"), *body = f.add("body"), *skip = f.add("skip"),
            *done = f.add("done");
  entry->successors = {head};
  head->successors = {body, done};
  body->successors = {skip, head};
  skip->successors = {head};

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
  // [/ask]
  simtflow::dot_style style{.title = "framed: the loop"};
  for (const auto& b : f.blocks) {
    const auto up = tree.idom(b.get());
    style.labels.push_back(b->name);
    style.notes.push_back(up ? "idom: " + (*up)->name : "");
    style.groups.push_back(nest.contains(simtflow::loop_id{0}, b.get()) ? 0 : simtflow::no_dot_group);
  }
  if (!tree.dominates(head, done) || nest.contains(simtflow::loop_id{0}, done)) return 1;
  return write_picture(argc, argv, simtflow::to_svg(f, style));
}

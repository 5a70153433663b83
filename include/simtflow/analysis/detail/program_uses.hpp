// SPDX-License-Identifier: BSL-1.0
//
// A program of values (def_use_program.hpp) in flat arrays, with the users of each value instead of its operands. Items
// are the values, then the branch of each block.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

struct program_uses {
  using item = std::uint32_t;
  static constexpr item none = 0xFFFF'FFFFU;  // no value
  struct input {
    block_id from;
    item value;
  };

  // Reads p. `index` maps its vertices to block ids, `vertex` maps block ids to vertices. O(values + uses + blocks).
  template <class P, class Index, class Vertex>
  constexpr void read(const P& p, std::size_t blocks, Index index, Vertex vertex) {
    num_blocks = static_cast<block_id>(blocks);
    const std::size_t values = static_cast<std::size_t>(p.num_values());
    SIMTFLOW_EXPECTS(values + num_blocks < none, "values and blocks together have fewer than 2^32 ids");
    num_values = static_cast<std::uint32_t>(values);
    block.assign(num_values, no_block);
    always.assign(num_values, 0);
    first_input.assign(num_values + std::size_t{1}, 0);
    inputs.clear();
    first_user.assign(num_values + std::size_t{1}, 0);
    first_phi.assign(num_blocks + std::size_t{1}, 0);
    const auto value = [&](value_id v) {
      SIMTFLOW_EXPECTS(index_of(v) < num_values, "a value of the program");
      return index_of(v);
    };
    for (item v = 0; v < num_values; ++v) {
      const value_id name{v};
      block[v] = index(p.block_of(name));
      SIMTFLOW_EXPECTS(block[v] < num_blocks, "a value is computed in a block of the graph");
      always[v] = p.is_always_uniform(name) ? 1 : 0;
      first_input[v] = static_cast<std::uint32_t>(inputs.size());
      if (p.is_phi(name)) {
        ++first_phi[block[v]];
        for (const auto& in : p.inputs(name)) {
          inputs.push_back({index(in.from), index_of(in.value)});
          SIMTFLOW_EXPECTS(inputs.back().from < num_blocks, "an input of a phi comes from a block of the graph");
          if (in.value != no_value) ++first_user[value(in.value)];
        }
      } else {
        for (const value_id o : p.operands(name)) ++first_user[value(o)];
      }
    }
    first_input[num_values] = static_cast<std::uint32_t>(inputs.size());
    for (block_id b = 0; b < num_blocks; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) ++first_user[value(c)];
    begin_rows(first_user);
    begin_rows(first_phi);
    users.assign(first_user[num_values], 0);
    phis.assign(first_phi[num_blocks], none);
    for (item v = 0; v < num_values; ++v) {
      if (p.is_phi(value_id{v})) {
        phis[first_phi[block[v]]++] = v;
        for (std::uint32_t i = first_input[v]; i < first_input[v + 1]; ++i)
          if (inputs[i].value != none) users[first_user[inputs[i].value]++] = v;
      } else {
        for (const value_id o : p.operands(value_id{v})) users[first_user[index_of(o)]++] = v;
      }
    }
    for (block_id b = 0; b < num_blocks; ++b)
      if (const value_id c = p.condition(vertex(b)); c != no_value) users[first_user[index_of(c)]++] = num_values + b;
    end_rows(first_user);
    end_rows(first_phi);
    sources.clear();
    for (item v = 0; v < num_values; ++v)
      if (p.is_source(value_id{v})) {
        SIMTFLOW_EXPECTS(!always[v], "a source is not always uniform");
        sources.push_back(v);
      }
  }

  [[nodiscard]] constexpr block_id block_of(item i) const { return i < num_values ? block[i] : i - num_values; }

  item num_values = 0;
  block_id num_blocks = 0;
  std::vector<block_id> block;        // by value
  std::vector<std::uint32_t> always;  // by value: non-zero if it is always uniform
  // first_x[k] .. first_x[k + 1]: row k of x. By value its users and, of a phi, its inputs; by block its phis.
  std::vector<std::uint32_t> first_user, first_phi, first_input;
  std::vector<item> users, phis;
  std::vector<input> inputs;
  std::vector<item> sources;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

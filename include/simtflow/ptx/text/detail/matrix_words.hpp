// SPDX-License-Identifier: BSL-1.0
//
// Reads the words of the opcode of a matrix instruction. Words of different kinds stand in any order, as ptxas takes
// them; types and layouts have theirs.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Warp Level Matrix Multiply-Accumulate Instructions",
// "wgmma.mma_async".
#pragma once

#include <simtflow/ptx/text/detail/opcode_words.hpp>
#include <simtflow/ptx/text/matrix_form.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// "m16n8k16" or "m8n8": false if it is no shape.
constexpr bool matrix_shape_named(std::string_view word, matrix_form& f) {
  std::uint16_t* const sides[] = {&f.m, &f.n, &f.k};
  std::size_t at = 0;
  for (std::size_t side = 0; side < 3 && at < word.size(); ++side) {
    if (word[at++] != "mnk"[side] || at == word.size()) return false;
    std::uint32_t size = 0;
    for (; at < word.size() && word[at] >= '0' && word[at] <= '9' && size < 1000; ++at)
      size = 10 * size + static_cast<std::uint32_t>(word[at] - '0');
    if (size == 0 || size > 256) return false;
    *sides[side] = static_cast<std::uint16_t>(size);
  }
  return at == word.size() && f.n != 0;
}
constexpr matrix_element matrix_element_named(std::string_view word) {
  for (auto e = static_cast<std::uint8_t>(matrix_element::f16); e <= static_cast<std::uint8_t>(matrix_element::b16);
       ++e)
    if (to_string(static_cast<matrix_element>(e)) == word) return static_cast<matrix_element>(e);
  return matrix_element::none;
}

class matrix_words {
 public:
  /// Reads the words after the first one of a matrix instruction into `o`. \returns the reason why it is refused; empty
  /// if all is well so far: detail/matrix_rules.hpp has the rest.
  std::string read(std::string_view spelling, operation& o) {
    std::size_t dot = spelling.find('.');
    o.matrix.per_warp = o.name == mnemonic::wmma_mma;
    o.matrix.per_warpgroup = o.name == mnemonic::wgmma_mma;
    while (dot != std::string_view::npos) {
      const std::size_t next = spelling.find('.', dot + 1);
      const std::string_view word =
          spelling.substr(dot + 1, next == std::string_view::npos ? std::string_view::npos : next - dot - 1);
      dot = next;
      if (word == "sp" || word.substr(0, 4) == "sp::") return "sparse matrices are not supported";
      if (word.substr(0, 4) == "kind" || word == "block_scale") return "scaled matrices are not supported";
      if (!one_word(word, o)) return "modifier '." + std::string(word) + "'";
    }
    if (!o.sync) return "it needs .sync";
    if (!o.aligned && o.name != mnemonic::wmma_load && o.name != mnemonic::wmma_store && o.name != mnemonic::wmma_mma &&
        o.name != mnemonic::wgmma_mma)
      return "it needs .aligned";
    return finish(o);
  }

 private:
  bool one_word(std::string_view word, operation& o) {
    matrix_form& f = o.matrix;
    const bool group = o.name == mnemonic::wgmma_mma;
    const bool product = o.name == mnemonic::mma || o.name == mnemonic::wmma_mma || group;
    const bool moves = o.name == mnemonic::ldmatrix || o.name == mnemonic::stmatrix;
    if (const matrix_element e = matrix_element_named(word); e != matrix_element::none) {
      if (types_ == 4) return false;
      type_[types_++] = e;
      return true;
    }
    if (word == "row" || word == "col") {
      if (layouts_ == 2 || group) return false;
      by_column_[layouts_++] = word == "col";
      return true;
    }
    if (word.size() > 1 && word[0] == 'm' && word[1] >= '0' && word[1] <= '9')
      return once(shape) && matrix_shape_named(word, f);
    if (word == "sync") return once(sync) && (o.sync = true);
    if (word == "aligned") return once(aligned) && (o.aligned = true);
    if (word == "trans") return once(trans) && (moves || o.name == mnemonic::movmatrix) && (f.transposed = true);
    if (word == "x1" || word == "x2" || word == "x4") {
      f.count = static_cast<std::uint8_t>(word[1] - '0');
      return once(count) && moves;
    }
    if (word == "satfinite") return once(finite) && product && (o.satfinite = true);
    if (word == "and" || word == "xor") {
      f.conjunction = word == "and";
      return once(combine) && product && !(group && said(popc));
    }
    if (word == "popc") {
      o.atomic = atomic_op::popc;
      return once(popc) && product;
    }
    if (lookup(rounding_names, word, o.round)) return once(round) && product && o.round <= rounding::rp;
    if (space_named(word, o.space)) return once(space) && !product;
    if (group && word == "mma_async") return once(load);
    if (o.name == mnemonic::wmma_mma && types_ == 0 && !said(load)) {
      if (word == "mma") return once(load);
      if (word == "load" || word == "store") {
        o.name = word == "load" ? mnemonic::wmma_load : mnemonic::wmma_store;
        return once(load);
      }
    }
    if (o.name == mnemonic::wmma_load && (word == "a" || word == "b" || word == "c")) {
      f.loaded = word == "a" ? matrix_role::a : word == "b" ? matrix_role::b : matrix_role::c;
      return once(matrix);
    }
    return o.name == mnemonic::wmma_store && word == "d" && once(matrix);
  }

  std::string finish(operation& o) {
    matrix_form& f = o.matrix;
    if (!said(shape)) return "it needs a shape";
    if (o.name == mnemonic::wmma_mma && !said(load)) return "it needs .load, .store or .mma";
    if ((o.name == mnemonic::wmma_load || o.name == mnemonic::wmma_store) && !said(matrix))
      return "it needs the name of a matrix";
    const bool group = o.name == mnemonic::wgmma_mma;
    const bool product = o.name == mnemonic::mma || o.name == mnemonic::wmma_mma;
    const bool by_layout = product || o.name == mnemonic::wmma_load || o.name == mnemonic::wmma_store;
    if (layouts_ != (product ? 2U : by_layout ? 1U : 0U)) return product ? "it needs two layouts" : "its layout";
    f.a_by_column = by_column_[0];
    f.b_by_column = by_column_[1];
    if (o.name == mnemonic::wmma_mma && types_ == 2) {  // half precision: the types of D and C
      f.d = type_[0];
      f.c = type_[1];
      f.a = f.b = matrix_element::f16;
    } else if (group) {
      if (types_ != 3) return "it needs three types";
      f.d = f.c = type_[0];
      f.a = type_[1];
      f.b = type_[2];
    } else if (product) {
      if (types_ != 4) return "it needs four types";
      f.d = type_[0];
      f.a = type_[1];
      f.b = type_[2];
      f.c = type_[3];
      if (o.name == mnemonic::wmma_mma && f.a == matrix_element::f16) return "its factors are .f16 without saying so";
      if (f.a == matrix_element::b1 && !said(combine)) return "it needs .xor or .and";
    } else {
      if (types_ != 1) return "it needs a type";
      f.a = f.b = f.c = f.d = type_[0];
    }
    if (said(combine) != said(popc)) return "it needs .popc";
    o.type = f.register_type(matrix_role::d);
    if (o.name == mnemonic::ldmatrix || o.name == mnemonic::stmatrix || o.name == mnemonic::movmatrix)
      o.type = scalar_type::b32;
    return {};
  }

  enum part : std::uint32_t {
    shape = 1U << 0,
    sync = 1U << 1,
    aligned = 1U << 2,
    trans = 1U << 3,
    count = 1U << 4,
    finite = 1U << 5,
    combine = 1U << 6,
    popc = 1U << 7,
    round = 1U << 8,
    space = 1U << 9,
    load = 1U << 10,
    matrix = 1U << 11
  };
  [[nodiscard]] bool said(part p) const { return (seen_ & p) != 0; }
  bool once(part p) {
    const bool fresh = !said(p);
    seen_ |= p;
    return fresh;
  }

  std::uint32_t seen_ = 0;
  matrix_element type_[4] = {};
  std::uint32_t types_ = 0;
  bool by_column_[2] = {};
  std::uint32_t layouts_ = 0;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

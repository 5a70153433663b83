// SPDX-License-Identifier: BSL-1.0
//
// The instruction set row by row: each instruction has opcodes that are accepted, operands that the verifier takes,
// classes of cost and of time, and text that is printed as it was read.
#include "ptx/support.hpp"
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
namespace isa = simtflow::ptx::detail;

namespace {

constexpr std::string_view words[] = {"b",
                                      "1d",
                                      "zero",
                                      "2d",
                                      "g",
                                      "width",
                                      "surfref",
                                      "eq",
                                      "lo",
                                      "hi",
                                      "rn",
                                      "and",
                                      "add",
                                      "sync",
                                      "cas",
                                      "up",
                                      "all",
                                      "number",
                                      "range",
                                      "L2",
                                      "cvt",
                                      "global",
                                      "shared",
                                      "sat",
                                      "approx",
                                      "satfinite",
                                      "fractional",
                                      "l",
                                      "wrap",
                                      "idx",
                                      "wide",
                                      "async",
                                      "cg",
                                      "mask",
                                      "wait",
                                      "inc",
                                      "aligned",
                                      "L2::evict_last",
                                      "L2::cache_hint",
                                      "pack",
                                      "shared::cta",
                                      "bulk_group",
                                      "wait_group",
                                      "warp",
                                      "ftz",
                                      "v2",
                                      "v4",
                                      "pred",
                                      "b8",
                                      "b16",
                                      "b32",
                                      "b64",
                                      "u16",
                                      "u32",
                                      "s32",
                                      "u64",
                                      "s64",
                                      "f16",
                                      "f16x2",
                                      "f32",
                                      "f64"};

/// Opcodes of the instructions on matrices: they have more words than are tried.
std::vector<std::string> matrix_opcodes(const std::string& name) {
  if (name == "mma")
    return {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"};
  if (name == "wmma")
    return {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", "wmma.load.a.sync.aligned.row.m16n16k16.f16",
            "wmma.store.d.sync.aligned.col.m8n32k16.shared.f32"};
  if (name == "ldmatrix" || name == "stmatrix") return {name + ".sync.aligned.m8n8.x4.trans.shared.b16"};
  if (name == "movmatrix") return {"movmatrix.sync.aligned.m8n8.trans.b16"};
  if (name == "wgmma.mma_async")
    return {"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
            "wgmma.mma_async.sync.aligned.m64n256k32.satfinite.s32.s8.u8"};
  return {};
}

/// Accepted opcodes of an instruction: words are added one at a time as long as the opcode's words are known.
std::vector<std::string> opcodes_of(const std::string& name) {
  if (std::vector<std::string> known = matrix_opcodes(name); !known.empty()) return known;
  std::vector<std::string> accepted, open{name};
  for (std::size_t length = 0; length <= 5 && accepted.size() < 40; ++length) {
    std::vector<std::string> longer;
    for (const std::string& opcode : open) {
      if (ptx::parse_operation(opcode)) accepted.push_back(opcode);
      for (const std::string_view w : words) {
        const std::string more = opcode + "." + std::string(w);
        const auto o = ptx::parse_operation(more);
        if (longer.size() < 3000 && (o || o.diagnostics().front().message.find("': it needs") != std::string::npos))
          longer.push_back(more);
      }
    }
    open = std::move(longer);
  }
  return accepted;
}

std::string register_of(ptx::scalar_type t) {
  const ptx::scalar_info i = ptx::info(t);
  if (i.kind == ptx::type_class::predicate) return "%p1";
  const bool floating = t == ptx::scalar_type::f32 || t == ptx::scalar_type::f64;
  switch (i.size) {
    case 1:
    case 2:
      return "%h1";
    case 4:
      return floating ? "%f1" : "%r1";
    case 8:
      return floating ? "%e1" : "%d1";
    default:
      return "%q1";
  }
}

std::string text_of(const isa::expected_operand& e, const ptx::operation& o, std::string_view literal) {
  const bool vector = o.width > 1 && !isa::is_video(o);
  const std::string reg = register_of(e.type);
  switch (e.what) {
    case isa::role::address:
      return "[%d1]";
    case isa::role::pointer:
      return "%d1";
    case isa::role::texture: {
      if (o.name == ptx::mnemonic::txq) return "[%d1]";
      const std::string at = register_of(o.source);
      return "[%d1, {" + at + ", " + at + "}]";
    }
    case isa::role::target:
      return "L";
    case isa::role::factor:
      return "%d1";
    case isa::role::loaded:
    case isa::role::stored: {
      if (!vector && e.fragment == 0) return reg;
      std::string list = "{";
      for (std::uint32_t n = 0; n < (e.fragment != 0 ? e.fragment : o.width); ++n) list += (n == 0 ? "" : ", ") + reg;
      return list + "}";
    }
    case isa::role::source:
      return literal.empty() ? reg : std::string(literal);
    default:
      return reg;
  }
}

std::string kernel_with(std::string_view line) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b16 "
         "%h<3>;\n"
         ".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n.reg .b128 %q<3>;\n.reg .f32 %f<3>;\n.reg .f64 %e<3>;\nL:\n" +
         std::string(line) + ";\nret;\n}\n";
}

/// True if the verifier takes the line, and the printer prints what it read.
bool taken(std::string_view line) {
  const auto m = ptx::parse(kernel_with(line));
  if (!m || !ptx::diagnose(*m).empty()) return false;
  const std::string printed = ptx::print(*m);
  const auto again = ptx::parse(printed);
  REQUIRE(again.has_value());
  CHECK(ptx::print(*again) == printed);
  CHECK(printed.find(std::string(line.substr(0, line.find(' ')))) != std::string::npos);
  return true;
}

/// True if operands made from the signature are taken, for some number of operands and some constants.
bool has_operands(const std::string& opcode, const ptx::operation& o) {
  const ptx::operand_range range = ptx::operand_count(o);
  for (std::uint32_t given = range.least; given <= range.most; ++given) {
    const isa::signature s = isa::signature_of(o, given);
    if (s.count != given) continue;
    for (const std::string_view literal : {"", "1", "16", "24"}) {
      std::string line = opcode;
      for (std::uint32_t n = 0; n < s.count; ++n) line += (n == 0 ? " " : ", ") + text_of(s.at[n], o, literal);
      if (taken(line)) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("isa: every row has opcodes, operands, classes of cost and of time, and a name") {
  std::set<std::string_view> names;
  std::set<const isa::instruction_row*> seen;
  std::size_t opcodes = 0;
  for (const isa::instruction_row& row : isa::instruction_set) {
    if (row.op == ptx::mnemonic::invalid) continue;
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(!ptx::to_string(row.op).empty());
    CHECK(row.operands.least <= row.operands.count);
    CHECK((row.required & ~row.modifiers) == 0);
    const isa::timing_kind kind = row.cost.timing;
    CHECK(kind != isa::timing_kind::none);
    const bool accesses =
        kind == isa::timing_kind::load || kind == isa::timing_kind::store || kind == isa::timing_kind::atomic;
    CHECK(accesses == (row.cost.latency == ptx::latency_class::memory));
    const std::vector<std::string> accepted = opcodes_of(std::string(row.name));
    const bool is_form = row.name.find('.') != std::string_view::npos;  // a modifier of another row leads here
    CHECK((is_form || !accepted.empty()));
    bool usable = row.op == ptx::mnemonic::call || row.op == ptx::mnemonic::brx;
    for (const std::string& opcode : accepted) {
      CAPTURE(opcode);
      const auto o = ptx::parse_operation(opcode);
      REQUIRE(o.has_value());
      ++opcodes;
      const isa::instruction_row& own = isa::row_of(*o);
      CHECK(own.op == o->name);
      CHECK((is_form || &own == &row || own.name.find('.') != std::string_view::npos));
      CHECK(ptx::latency_class_of(*o) < ptx::latency_class::count);
      if (!usable || seen.count(&own) == 0) {
        const bool taken_here = has_operands(opcode, *o);
        usable = usable || taken_here;
        if (taken_here) seen.insert(&own);
      }
    }
    CHECK((is_form || usable));
  }
  CHECK(opcodes > 1000);
  for (const isa::instruction_row& row : isa::instruction_set)
    if (row.name.find('.') != std::string_view::npos && row.op != ptx::mnemonic::invalid)
      CHECK_MESSAGE(seen.count(&row) != 0, std::string(row.name));
}

TEST_CASE("isa: the names of modifiers are the words of opcodes") {
  CHECK(ptx::to_string(ptx::comparison::geu) == "geu");
  CHECK(ptx::to_string(ptx::rounding::rpi) == "rpi");
  CHECK(ptx::to_string(ptx::rounding::none).empty());
  CHECK(ptx::to_string(ptx::atomic_op::popc) == "popc");
  CHECK(ptx::to_string(ptx::mnemonic::not_) == "not");
  CHECK(ptx::to_string(ptx::scalar_type::bf16x2) == "bf16x2");
  CHECK(ptx::to_string(ptx::type_class::unsigned_integer) == "unsigned integer");
  CHECK(ptx::to_string(ptx::linkage::common) == "common");
  CHECK(ptx::to_string(ptx::opaque_type::surfref) == "surfref");
  CHECK(ptx::to_string(ptx::item_kind::call_targets) == "call_targets");
  CHECK(ptx::to_string(ptx::operand_kind::other) == "other");
  CHECK(ptx::to_string(ptx::text_end::stops) == "stops");
  CHECK(ptx::to_string(ptx::special_register::last) == "%envreg31");
  CHECK(ptx::to_string(ptx::latency_class::constant) == "constant");
  CHECK(ptx::parse_operation("setp.geu.f32")->compare == ptx::comparison::geu);
}

TEST_CASE("isa: signatures are constant expressions") {
  constexpr ptx::operation mad = [] {
    ptx::operation o;
    o.name = ptx::mnemonic::mad;
    o.row = isa::first_row(o.name);
    o.type = ptx::scalar_type::u32;
    o.part = ptx::product_part::wide;
    return o;
  }();
  constexpr isa::signature s = isa::signature_of(mad, 4);
  static_assert(s.count == 4 && s.at[0].type == ptx::scalar_type::u64 && s.at[1].type == ptx::scalar_type::u32);
  static_assert(ptx::latency_class_of(mad) == ptx::latency_class::multiply);
}

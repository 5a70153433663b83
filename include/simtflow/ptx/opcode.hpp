// SPDX-License-Identifier: BSL-1.0
//
// What an opcode's spelling means: "setp.lt.and.s32" to a mnemonic, types and modifiers. One table holds the
// instructions this library knows, with the modifiers and types each may have; everything else is refused by name.
//
// Not supported: calls, textures and surfaces, half precision, warp-level exchange (shfl, vote, match, redux), indirect
// branches, carry chains, video and matrix instructions, directed rounding of f64 arithmetic.
// Modifiers that do not change what a sequentially consistent machine computes are accepted and ignored: cache hints,
// memory order and scope (.relaxed, .acquire, .gpu, ...), .volatile, .weak, .uni.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The supported instructions.
enum class mnemonic : std::uint8_t {
  invalid,
  add,
  sub,
  mul,
  mad,
  mul24,
  mad24,
  sad,
  fma,
  div,
  rem,
  neg,
  abs,
  not_,
  cnot,
  and_,
  or_,
  xor_,
  shl,
  shr,
  shf,
  lop3,
  min,
  max,
  setp,
  set,
  selp,
  slct,
  cvt,
  mov,
  cvta,
  rcp,
  sqrt,
  rsqrt,
  ex2,
  lg2,
  sin,
  cos,
  tanh,
  clz,
  popc,
  brev,
  bfe,
  bfi,
  bfind,
  prmt,
  copysign,
  ld,
  st,
  atom,
  red,
  bar,
  bra,
  exit,
  ret,
  trap,
  membar
};

/// Comparisons: signed or unsigned by the type; `..u` also true if an operand is NaN; num, nan.
enum class comparison : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};

/// How a result is rounded: nearest even, towards zero, down, up; the integer forms round to an integer first.
enum class rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi };

/// Which half of a product.
enum class product_part : std::uint8_t { none, lo, hi, wide };

/// The boolean operation that combines a comparison with a predicate.
enum class boolean_op : std::uint8_t { none, and_, or_, xor_ };

/// The operation of atom and red.
enum class atomic_op : std::uint8_t { none, add, min, max, exch, cas, and_, or_, xor_, inc, dec };

/// prmt's way to choose bytes.
enum class permute_mode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };

/// A decoded spelling.
struct operation {
  mnemonic name = mnemonic::invalid;
  scalar_type type = scalar_type::none;    ///< of the result, where there are two
  scalar_type source = scalar_type::none;  ///< second type of cvt, set, slct
  state_space space = state_space::generic;
  comparison compare = comparison::none;
  rounding round = rounding::none;
  product_part part = product_part::none;
  boolean_op combine = boolean_op::none;
  atomic_op atomic = atomic_op::none;
  permute_mode permute = permute_mode::none;
  std::uint8_t width = 1;     ///< of a vector access
  bool ftz = false;           ///< subnormal singles count as zero, going in and coming out
  bool sat = false;           ///< clamp: to [0, 1] in floating point, to the type's range in integers
  bool approx = false;        ///< .approx or .full
  bool to = false;            ///< cvta.to: from generic
  bool left = false;          ///< shf.l
  bool wrap = false;          ///< shf: amount modulo 32
  bool shift_amount = false;  ///< bfind.shiftamt
};

/// The operation, or what is wrong with the spelling.
struct operation_result {
  operation value;
  std::string problem;
  [[nodiscard]] bool ok() const { return problem.empty(); }
};

namespace detail {

// Which modifiers an instruction may have.
enum modifier : std::uint32_t {
  m_ftz = 1U << 0,
  m_sat = 1U << 1,
  m_round = 1U << 2,
  m_approx = 1U << 3,
  m_compare = 1U << 4,
  m_combine = 1U << 5,
  m_part = 1U << 6,
  m_wide = 1U << 7,
  m_space = 1U << 8,
  m_vector = 1U << 9,
  m_order = 1U << 10,
  m_atomic = 1U << 11,
  m_to = 1U << 12,
  m_sync = 1U << 13,
  m_uni = 1U << 14,
  m_shiftamt = 1U << 15,
  m_permute = 1U << 16,
  m_shf = 1U << 17,
  m_two_types = 1U << 18,
  m_round_int = 1U << 19,
  m_no_type = 1U << 20,
  m_cache = 1U << 21
};

constexpr std::uint32_t bit(scalar_type t) { return 1U << static_cast<std::uint32_t>(t); }

inline constexpr std::uint32_t t_s = bit(scalar_type::s16) | bit(scalar_type::s32) | bit(scalar_type::s64);
inline constexpr std::uint32_t t_u = bit(scalar_type::u16) | bit(scalar_type::u32) | bit(scalar_type::u64);
inline constexpr std::uint32_t t_int = t_s | t_u;
inline constexpr std::uint32_t t_b = bit(scalar_type::b16) | bit(scalar_type::b32) | bit(scalar_type::b64);
inline constexpr std::uint32_t t_32 = bit(scalar_type::u32) | bit(scalar_type::s32);
inline constexpr std::uint32_t t_64 = bit(scalar_type::u64) | bit(scalar_type::s64);
inline constexpr std::uint32_t t_8 = bit(scalar_type::b8) | bit(scalar_type::u8) | bit(scalar_type::s8);
inline constexpr std::uint32_t t_f32 = bit(scalar_type::f32);
inline constexpr std::uint32_t t_f = t_f32 | bit(scalar_type::f64);
inline constexpr std::uint32_t t_all = t_b | t_int | t_f;
inline constexpr std::uint32_t t_pred = bit(scalar_type::pred);

struct opcode_row {
  std::string_view name;
  mnemonic op;
  std::uint32_t modifiers;
  std::uint32_t types;
  std::uint8_t min_operands;
  std::uint8_t max_operands;
};

inline constexpr opcode_row opcode_table[] = {
    {"add", mnemonic::add, m_ftz | m_sat | m_round, t_int | t_f, 3, 3},
    {"sub", mnemonic::sub, m_ftz | m_sat | m_round, t_int | t_f, 3, 3},
    {"mul", mnemonic::mul, m_ftz | m_sat | m_round | m_part | m_wide, t_int | t_f, 3, 3},
    {"mad", mnemonic::mad, m_ftz | m_sat | m_round | m_part | m_wide, t_int | t_f, 4, 4},
    {"mul24", mnemonic::mul24, m_part, t_32, 3, 3},
    {"mad24", mnemonic::mad24, m_part | m_sat, t_32, 4, 4},
    {"sad", mnemonic::sad, 0, t_int, 4, 4},
    {"fma", mnemonic::fma, m_ftz | m_sat | m_round, t_f, 4, 4},
    {"div", mnemonic::div, m_ftz | m_round | m_approx, t_int | t_f, 3, 3},
    {"rem", mnemonic::rem, 0, t_int, 3, 3},
    {"neg", mnemonic::neg, m_ftz, t_s | t_f, 2, 2},
    {"abs", mnemonic::abs, m_ftz, t_s | t_f, 2, 2},
    {"not", mnemonic::not_, 0, t_b | t_pred, 2, 2},
    {"cnot", mnemonic::cnot, 0, t_b, 2, 2},
    {"and", mnemonic::and_, 0, t_b | t_pred, 3, 3},
    {"or", mnemonic::or_, 0, t_b | t_pred, 3, 3},
    {"xor", mnemonic::xor_, 0, t_b | t_pred, 3, 3},
    {"shl", mnemonic::shl, 0, t_b, 3, 3},
    {"shr", mnemonic::shr, 0, t_b | t_int, 3, 3},
    {"shf", mnemonic::shf, m_shf, bit(scalar_type::b32), 4, 4},
    {"lop3", mnemonic::lop3, 0, bit(scalar_type::b32), 5, 5},
    {"min", mnemonic::min, m_ftz, t_int | t_f, 3, 3},
    {"max", mnemonic::max, m_ftz, t_int | t_f, 3, 3},
    {"setp", mnemonic::setp, m_compare | m_combine | m_ftz, t_all, 3, 4},
    {"set", mnemonic::set, m_compare | m_combine | m_ftz | m_two_types, t_all, 3, 4},
    {"selp", mnemonic::selp, 0, t_all, 4, 4},
    {"slct", mnemonic::slct, m_ftz | m_two_types, t_all, 4, 4},
    {"cvt", mnemonic::cvt, m_ftz | m_sat | m_round | m_round_int | m_two_types, t_int | t_f | t_8, 2, 2},
    {"mov", mnemonic::mov, 0, t_all | t_pred, 2, 2},
    {"cvta", mnemonic::cvta, m_space | m_to, bit(scalar_type::u32) | bit(scalar_type::u64), 2, 2},
    {"rcp", mnemonic::rcp, m_ftz | m_round | m_approx, t_f, 2, 2},
    {"sqrt", mnemonic::sqrt, m_ftz | m_round | m_approx, t_f, 2, 2},
    {"rsqrt", mnemonic::rsqrt, m_ftz | m_approx, t_f, 2, 2},
    {"ex2", mnemonic::ex2, m_ftz | m_approx, t_f32, 2, 2},
    {"lg2", mnemonic::lg2, m_ftz | m_approx, t_f32, 2, 2},
    {"sin", mnemonic::sin, m_ftz | m_approx, t_f32, 2, 2},
    {"cos", mnemonic::cos, m_ftz | m_approx, t_f32, 2, 2},
    {"tanh", mnemonic::tanh, m_approx, t_f32, 2, 2},
    {"clz", mnemonic::clz, 0, bit(scalar_type::b32) | bit(scalar_type::b64), 2, 2},
    {"popc", mnemonic::popc, 0, bit(scalar_type::b32) | bit(scalar_type::b64), 2, 2},
    {"brev", mnemonic::brev, 0, bit(scalar_type::b32) | bit(scalar_type::b64), 2, 2},
    {"bfe", mnemonic::bfe, 0, t_32 | t_64, 4, 4},
    {"bfi", mnemonic::bfi, 0, bit(scalar_type::b32) | bit(scalar_type::b64), 5, 5},
    {"bfind", mnemonic::bfind, m_shiftamt, t_32 | t_64, 2, 2},
    {"prmt", mnemonic::prmt, m_permute, bit(scalar_type::b32), 4, 4},
    {"copysign", mnemonic::copysign, 0, t_f, 3, 3},
    {"ld", mnemonic::ld, m_space | m_vector | m_order | m_cache, t_all | t_8, 2, 2},
    {"ldu", mnemonic::ld, m_space | m_vector, t_all | t_8, 2, 2},
    {"st", mnemonic::st, m_space | m_vector | m_order | m_cache, t_all | t_8, 2, 2},
    {"atom", mnemonic::atom, m_space | m_atomic | m_order, t_32 | t_64 | t_f | t_b, 3, 4},
    {"red", mnemonic::red, m_space | m_atomic | m_order, t_32 | t_64 | t_f | t_b, 2, 2},
    {"bar", mnemonic::bar, m_sync | m_no_type, 0, 1, 2},
    {"barrier", mnemonic::bar, m_sync | m_no_type, 0, 1, 2},
    {"bra", mnemonic::bra, m_uni | m_no_type, 0, 1, 1},
    {"exit", mnemonic::exit, m_no_type, 0, 0, 0},
    {"ret", mnemonic::ret, m_uni | m_no_type, 0, 0, 0},
    {"trap", mnemonic::trap, m_no_type, 0, 0, 0},
    {"membar", mnemonic::membar, m_order | m_no_type, 0, 0, 0},
    {"fence", mnemonic::membar, m_order | m_no_type, 0, 0, 0},
};

// Instructions of PTX that this library knows of but does not run.
inline constexpr std::string_view unsupported_mnemonics[] = {
    "activemask",
    "addc",
    "alloca",
    "applypriority",
    "bmsk",
    "brkpt",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "cp",
    "createpolicy",
    "discard",
    "dp2a",
    "dp4a",
    "elect",
    "fns",
    "getctarank",
    "griddepcontrol",
    "isspacep",
    "istypep",
    "ldmatrix",
    "madc",
    "mapa",
    "match",
    "mbarrier",
    "mma",
    "movmatrix",
    "multimem",
    "nanosleep",
    "pmevent",
    "prefetch",
    "prefetchu",
    "redux",
    "setmaxnreg",
    "shfl",
    "stackrestore",
    "stacksave",
    "stmatrix",
    "st_async",
    "subc",
    "suld",
    "suq",
    "sured",
    "sust",
    "szext",
    "tcgen05",
    "tensormap",
    "testp",
    "tex",
    "tld4",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vote",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "wgmma",
    "wmma",
};

template <class E, std::size_t N>
constexpr bool lookup(const std::string_view (&names)[N], std::string_view word, E& value) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == word) {
      value = static_cast<E>(i + 1);
      return true;
    }
  return false;
}

inline constexpr std::string_view comparison_names[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                                        "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
inline constexpr std::string_view rounding_names[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};
inline constexpr std::string_view part_names[] = {"lo", "hi", "wide"};
inline constexpr std::string_view combine_names[] = {"and", "or", "xor"};
inline constexpr std::string_view atomic_names[] = {"add", "min", "max", "exch", "cas",
                                                    "and", "or",  "xor", "inc",  "dec"};
inline constexpr std::string_view permute_names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
inline constexpr std::string_view order_names[] = {
    "volatile", "weak", "relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys", "gl", "mmio"};
inline constexpr std::string_view cache_names[] = {"ca",
                                                   "cg",
                                                   "cs",
                                                   "lu",
                                                   "cv",
                                                   "nc",
                                                   "wb",
                                                   "wt",
                                                   "L1::evict_normal",
                                                   "L1::evict_unchanged",
                                                   "L1::evict_first",
                                                   "L1::evict_last",
                                                   "L1::no_allocate",
                                                   "L2::64B",
                                                   "L2::128B",
                                                   "L2::256B"};

template <std::size_t N>
constexpr bool among(const std::string_view (&names)[N], std::string_view word) {
  std::size_t ignored = 0;
  return lookup(names, word, ignored);
}

inline const opcode_row* find_opcode(std::string_view name) {
  for (const opcode_row& row : opcode_table)
    if (row.name == name) return &row;
  return nullptr;
}

// What types and modifiers must agree on, beyond the table. Empty if all is well.
inline std::string contradiction(const operation& o) {
  const scalar_info t = info(o.type);
  const bool floating = t.kind == type_class::floating;
  const bool integer = t.kind == type_class::signed_integer || t.kind == type_class::unsigned_integer;
  const auto s32 = scalar_type::s32;
  switch (o.name) {
    case mnemonic::add:
    case mnemonic::sub:
    case mnemonic::mul:
    case mnemonic::mad:
      if (integer && (o.round != rounding::none || o.ftz)) return "integers are not rounded";
      if (floating && o.part != product_part::none) return ".lo, .hi and .wide belong to integers";
      if ((o.name == mnemonic::mul || o.name == mnemonic::mad) && integer && o.part == product_part::none)
        return "an integer product needs .lo, .hi or .wide";
      if (o.part == product_part::wide && t.size == 8) return ".wide needs 16 or 32 bits";
      if (o.sat && o.name == mnemonic::mad && integer && (o.type != s32 || o.part != product_part::hi))
        return ".sat needs .hi.s32";
      if (o.sat && o.name == mnemonic::mul && integer) return ".sat belongs to floating point";
      if (o.sat && integer && o.type != s32) return ".sat needs .s32";
      break;
    case mnemonic::mul24:
    case mnemonic::mad24:
      if (o.part != product_part::lo && o.part != product_part::hi) return "it needs .lo or .hi";
      if (o.sat && (o.type != s32 || o.part != product_part::hi)) return ".sat needs .hi.s32";
      break;
    case mnemonic::fma:
      if (o.round == rounding::none) return "it needs a rounding mode";
      break;
    case mnemonic::div:
      if (integer && (o.round != rounding::none || o.ftz || o.approx)) return "integers are not rounded";
      if (o.type == scalar_type::f64 && o.approx) return ".approx needs .f32";
      break;
    case mnemonic::setp:
    case mnemonic::set: {
      if (o.compare == comparison::none) return "it needs a comparison";
      const scalar_type compared = o.name == mnemonic::set ? o.source : o.type;
      const type_class kind = info(compared).kind;
      if (o.name == mnemonic::set && o.type != scalar_type::u32 && o.type != s32 && o.type != scalar_type::f32)
        return "its result is .u32, .s32 or .f32";
      if (kind != type_class::floating && o.compare > comparison::hs) return "that comparison needs floating point";
      if (kind == type_class::bits && o.compare > comparison::ne) return "untyped bits are only equal or not";
      if (kind != type_class::unsigned_integer && o.compare >= comparison::lo && o.compare <= comparison::hs)
        return "that comparison needs an unsigned type";
      if (o.ftz && compared != scalar_type::f32) return ".ftz needs .f32";
      return {};
    }
    case mnemonic::slct:
      if (o.source != s32 && o.source != scalar_type::f32) return "its condition is .s32 or .f32";
      if (o.ftz && o.source != scalar_type::f32) return ".ftz needs .f32";
      return {};
    case mnemonic::cvt: {
      const bool from_float = info(o.source).kind == type_class::floating;
      const bool int_round = o.round >= rounding::rni;
      if (t.kind == type_class::bits || info(o.source).kind == type_class::bits) return "it needs typed operands";
      if (!floating && !from_float && o.round != rounding::none) return "integers are not rounded";
      if (!floating && from_float && o.round == rounding::none) return "it needs .rni, .rzi, .rmi or .rpi";
      if (!floating && from_float && !int_round) return "it needs .rni, .rzi, .rmi or .rpi";
      if (floating && !from_float && (o.round == rounding::none || int_round)) return "it needs .rn, .rz, .rm or .rp";
      if (floating && from_float && o.type != o.source) {
        if (t.size < info(o.source).size && (o.round == rounding::none || int_round))
          return "it needs .rn, .rz, .rm or .rp";
        if (t.size > info(o.source).size && o.round != rounding::none) return "widening is exact";
      }
      if (floating && o.type == o.source && o.round != rounding::none && !int_round)
        return "it needs .rni, .rzi, .rmi or .rpi";
      if (o.ftz && o.type != scalar_type::f32 && o.source != scalar_type::f32) return ".ftz needs .f32";
      return {};
    }
    case mnemonic::rcp:
    case mnemonic::sqrt:
      if (o.type == scalar_type::f64 && o.approx) return ".approx.f64 is not supported";
      break;
    case mnemonic::shf:
      break;
    case mnemonic::cvta:
      if (o.space == state_space::generic || o.space == state_space::reg) return "it needs a state space";
      if (o.space == state_space::param) return ".param is not supported";
      return {};
    case mnemonic::ld:
      if (o.space == state_space::reg) return "registers have no address";
      break;
    case mnemonic::st:
      if (o.space == state_space::constant) return "constants cannot be stored to";
      if (o.space == state_space::param) return "kernel parameters cannot be stored to";
      if (o.space == state_space::reg) return "registers have no address";
      break;
    case mnemonic::atom:
    case mnemonic::red:
      if (o.atomic == atomic_op::none) return "it needs an operation";
      if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::shared)
        return "atomics work on global and shared memory";
      if (o.name == mnemonic::red && (o.atomic == atomic_op::exch || o.atomic == atomic_op::cas))
        return "it has no result to return";
      if (floating && o.atomic != atomic_op::add) return "floating point can only be added";
      if (t.size == 2) return "16 bits are not supported";
      if ((o.atomic == atomic_op::inc || o.atomic == atomic_op::dec) && o.type != scalar_type::u32)
        return ".inc and .dec need .u32";
      if ((o.atomic == atomic_op::add || o.atomic == atomic_op::min || o.atomic == atomic_op::max) &&
          t.kind == type_class::bits)
        return "it needs a typed operand";
      break;
    default:
      break;
  }
  if (o.ftz && o.type != scalar_type::f32) return ".ftz needs .f32";
  if (o.type == scalar_type::f64 && o.sat) return ".sat needs .f32";
  if (o.type == scalar_type::f64 && o.round != rounding::none && o.round != rounding::rn)
    return "f64 arithmetic rounds to nearest only";
  return {};
}

}  // namespace detail

/// How many operands an instruction takes, at least and at most.
struct operand_range {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};
[[nodiscard]] inline operand_range operand_count(std::string_view spelling) {
  const detail::opcode_row* row = detail::find_opcode(spelling.substr(0, spelling.find('.')));
  if (row == nullptr) return {};
  return {row->min_operands, row->max_operands};
}

/// What a full spelling ("ld.global.v4.f32") means. The problem names the instruction in full.
[[nodiscard]] inline operation_result parse_operation(std::string_view spelling) {
  using namespace detail;  // NOLINT: the table's flags
  operation_result r;
  operation& o = r.value;
  const auto quoted =
      std::string(1, '\'').append(spelling).append(1, '\'');  // "'" + string: false -Wrestrict in g++ 12
  const auto refuse = [&](std::string_view why) {
    r.problem = "unsupported instruction " + quoted;
    if (!why.empty()) r.problem += ": " + std::string(why);
    o.name = mnemonic::invalid;
    return r;
  };
  std::size_t dot = spelling.find('.');
  const std::string_view head = spelling.substr(0, dot);
  const opcode_row* row = find_opcode(head);
  if (row == nullptr) {
    for (const std::string_view known : unsupported_mnemonics)
      if (known == head) return refuse({});
    r.problem = "unknown instruction " + quoted;
    return r;
  }
  o.name = row->op;
  std::uint32_t seen = 0;
  int types = 0;
  bool synchronises = false;
  const auto once = [&](modifier m) {
    const bool fresh = (seen & m) == 0;
    seen |= m;
    return fresh && (row->modifiers & m) != 0;
  };
  while (dot != std::string_view::npos) {
    const std::size_t next = spelling.find('.', dot + 1);
    const std::string_view word =
        spelling.substr(dot + 1, next == std::string_view::npos ? std::string_view::npos : next - dot - 1);
    dot = next;
    const auto unknown = [&] { return refuse("modifier '." + std::string(word) + "'"); };
    bool ok = true;
    if (const scalar_type t = scalar_named(word); t != scalar_type::none) {
      if ((row->modifiers & m_no_type) != 0 || types == 2 || (types == 1 && (row->modifiers & m_two_types) == 0))
        return unknown();
      if ((row->types & bit(t)) == 0) return refuse("type '." + std::string(word) + "'");
      (types++ == 0 ? o.type : o.source) = t;
    } else if ((row->modifiers & (m_part | m_wide)) != 0 && lookup(part_names, word, o.part)) {
      ok = once(m_part) && (o.part != product_part::wide || (row->modifiers & m_wide) != 0);
    } else if ((row->modifiers & m_compare) != 0 && lookup(comparison_names, word, o.compare)) {
      ok = once(m_compare);
    } else if ((row->modifiers & m_combine) != 0 && lookup(combine_names, word, o.combine)) {
      ok = once(m_combine);
    } else if ((row->modifiers & m_atomic) != 0 && lookup(atomic_names, word, o.atomic)) {
      ok = once(m_atomic);
    } else if ((row->modifiers & m_permute) != 0 && lookup(permute_names, word, o.permute)) {
      ok = once(m_permute);
    } else if ((row->modifiers & m_round) != 0 && lookup(rounding_names, word, o.round)) {
      ok = once(m_round) && (o.round < rounding::rni || (row->modifiers & m_round_int) != 0);
    } else if (word == "ftz") {
      ok = once(m_ftz);
      o.ftz = true;
    } else if (word == "sat") {
      ok = once(m_sat);
      o.sat = true;
    } else if (word == "approx" || word == "full") {
      ok = once(m_approx);
      o.approx = true;
    } else if (word == "to") {
      ok = once(m_to);
      o.to = true;
    } else if (word == "uni") {
      ok = once(m_uni);
    } else if (word == "shiftamt") {
      ok = once(m_shiftamt);
      o.shift_amount = true;
    } else if ((row->modifiers & m_shf) != 0) {
      if (word == "l" || word == "r")
        o.left = word == "l", ok = (seen & 1U) == 0, seen |= 1U;
      else if (word == "wrap" || word == "clamp")
        o.wrap = word == "wrap", ok = (seen & 2U) == 0, seen |= 2U;
      else
        ok = false;
    } else if ((row->modifiers & m_sync) != 0) {
      if (word == "sync")
        ok = !synchronises, synchronises = true;
      else
        ok = word == "aligned" || word == "cta";
    } else if ((row->modifiers & m_vector) != 0 && (word == "v2" || word == "v4")) {
      ok = once(m_vector);
      o.width = static_cast<std::uint8_t>(word[1] - '0');
    } else if ((row->modifiers & m_space) != 0 &&
               (word == "global" || word == "shared" || word == "shared::cta" || word == "local" || word == "const" ||
                word == "param" || word == "param::entry")) {
      ok = once(m_space);
      o.space = word[0] == 'g'   ? state_space::global
                : word[0] == 's' ? state_space::shared
                : word[0] == 'l' ? state_space::local
                : word[0] == 'c' ? state_space::constant
                                 : state_space::param;
    } else if ((row->modifiers & m_order) != 0 && among(order_names, word)) {
    } else if ((row->modifiers & m_cache) != 0 && among(cache_names, word)) {
    } else {
      ok = false;
    }
    if (!ok) return unknown();
  }
  if ((row->modifiers & m_no_type) == 0 && types == 0) return refuse("it needs a type");
  if ((row->modifiers & m_two_types) != 0 && types != 2) return refuse("it needs two types");
  if ((row->modifiers & m_sync) != 0 && !synchronises) return refuse({});
  if (row->op == mnemonic::shf && (seen & 3U) != 3U) return refuse("it needs a direction and .wrap or .clamp");
  if (std::string why = contradiction(o); !why.empty()) return refuse(why);
  return r;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

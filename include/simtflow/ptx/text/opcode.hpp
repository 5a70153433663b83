// SPDX-License-Identifier: BSL-1.0
//
// What an opcode's spelling means: "setp.lt.and.s32" to a mnemonic, types and modifiers. One table holds the
// instructions this library knows, with the modifiers and types each may have; everything else is refused by name.
//
// Not supported, each with its reason: textures and surfaces, matrix instructions, asynchronous copies with barriers of
// own, thread block clusters.
// Modifiers that do not change what a sequentially consistent machine computes are accepted and ignored: cache hints,
// memory order and scope (.relaxed, .acquire, .gpu, ...), .volatile, .weak, .uni.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/module.hpp>

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
  // Integers and floating point. The carrying forms are add, sub and mad with operation::carry_in.
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
  min,
  max,
  rcp,
  sqrt,
  rsqrt,
  ex2,
  lg2,
  sin,
  cos,
  tanh,
  copysign,
  testp,
  dp2a,
  dp4a,
  // Bits.
  not_,
  cnot,
  and_,
  or_,
  xor_,
  shl,
  shr,
  shf,
  lop3,
  clz,
  popc,
  brev,
  bfe,
  bfi,
  bfind,
  bmsk,
  fns,
  szext,
  prmt,
  // Video instructions, on one, two or four numbers in a word.
  vadd,
  vsub,
  vavrg,
  vabsdiff,
  vmin,
  vmax,
  vshl,
  vshr,
  vset,
  vmad,
  // Comparison, selection, conversion.
  setp,
  set,
  selp,
  slct,
  cvt,
  cvt_pack,
  mov,
  cvta,
  isspacep,
  // Memory.
  ld,
  st,
  atom,
  red,
  prefetch,  ///< and applypriority, discard: nothing happens
  cp_async,
  cp_async_wait,  ///< and commit_group: a copy is done when it is issued
  createpolicy,   ///< of a cache: a number that means nothing here
  membar,         ///< and fence
  // Other lanes and warps.
  bar,
  bar_warp,
  shfl,
  vote,
  match,
  activemask,
  redux,
  elect,
  // Control.
  bra,
  brx,
  call,
  exit,
  ret,
  trap,
  brkpt,
  nanosleep,
  nop  ///< pmevent, griddepcontrol, setmaxnreg: nothing happens
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

/// How a result is rounded: nearest even, towards zero, down, up; the integer forms round to an integer first; nearest
/// with ties away from zero.
enum class rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna };

/// Which half of a product.
enum class product_part : std::uint8_t { none, lo, hi, wide };

/// The boolean operation that combines a comparison with a predicate.
enum class boolean_op : std::uint8_t { none, and_, or_, xor_ };

/// The operation of atom, red, redux and bar.red.
enum class atomic_op : std::uint8_t { none, add, min, max, exch, cas, and_, or_, xor_, inc, dec, popc };

/// prmt's way to choose bytes.
enum class permute_mode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };

/// What bar and barrier do.
enum class barrier_op : std::uint8_t { none, sync, arrive, red };

/// Which lane shfl reads.
enum class shuffle_mode : std::uint8_t { none, up, down, bfly, idx };

/// What vote asks (ballot: everybody's answer); match has all and any.
enum class vote_mode : std::uint8_t { none, all, any, uni, ballot };

/// The input that createpolicy makes a policy from.
enum class policy_source : std::uint8_t { none, fraction, range, property };

/// What testp asks.
enum class float_test : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };

/// A decoded spelling.
struct operation {
  mnemonic name = mnemonic::invalid;           ///< the instruction
  scalar_type type = scalar_type::none;        ///< of the result, where there are two
  scalar_type source = scalar_type::none;      ///< second type of cvt, set, slct, dp2a, dp4a
  scalar_type third = scalar_type::none;       ///< of cvt.pack (a third operand) and of video instructions
  state_space space = state_space::generic;    ///< of memory accesses, cvta, isspacep
  comparison compare = comparison::none;       ///< of setp, set and video instructions
  rounding round = rounding::none;             ///< of the result
  product_part part = product_part::none;      ///< which half of a product
  boolean_op combine = boolean_op::none;       ///< of setp, set and lop3 with a predicate operand
  atomic_op atomic = atomic_op::none;          ///< of atom, red, redux and bar.red
  permute_mode permute = permute_mode::none;   ///< of prmt
  barrier_op barrier = barrier_op::none;       ///< of bar and barrier
  shuffle_mode shuffle = shuffle_mode::none;   ///< of shfl
  vote_mode vote = vote_mode::none;            ///< of vote and match
  float_test test = float_test::none;          ///< of testp
  policy_source policy = policy_source::none;  ///< of createpolicy
  std::uint8_t width = 1;                      ///< of a vector access; 1, 2 or 4 in video instructions
  bool ftz = false;                            ///< subnormal numbers count as zero, going in and coming out
  bool sat = false;                            ///< clamp: to [0, 1] in floating point, to the type's range in integers
  bool satfinite = false;                      ///< cvt: the largest number instead of infinity
  bool relu = false;                           ///< negative results become zero
  bool nan = false;                            ///< min, max: a NaN operand gives NaN
  bool xorsign_abs = false;                    ///< min, max: of magnitudes, with the product's sign
  bool approx = false;                         ///< .approx or .full
  bool full = false;                           ///< div.full
  bool carry_in = false;                       ///< addc, subc, madc
  bool carry_out = false;                      ///< .cc
  std::uint8_t scale = 0;                      ///< vmad.shr7, .shr15
  bool plus_one = false;                       ///< vmad.po
  bool to = false;                             ///< cvta.to: from generic
  bool left = false;                           ///< shf.l
  bool wrap = false;                           ///< shf, bmsk, szext: amounts modulo 32
  bool shift_amount = false;                   ///< bfind.shiftamt
  bool sync = false;                           ///< shfl, vote, ...: names the lanes that take part
  bool aligned = false;                        ///< bar, barrier.aligned: all threads of a warp run it together
  bool cache_hint = false;                     ///< a cache policy follows the operands; it has no effect here
};

/// The operation, or what is wrong with the spelling.
struct operation_result {
  operation value;                                           ///< means something if ok()
  std::string problem;                                       ///< one sentence; empty if all is well
  [[nodiscard]] bool ok() const { return problem.empty(); }  ///< there is an operation
};

namespace detail {

// Which modifiers an instruction may have.
enum modifier : std::uint64_t {
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
  m_barrier = 1U << 13,
  m_uni = 1U << 14,
  m_shiftamt = 1U << 15,
  m_permute = 1U << 16,
  m_direction = 1U << 17,  // .l .r
  m_two_types = 1U << 18,
  m_round_int = 1U << 19,
  m_no_type = 1U << 20,
  m_cache = 1U << 21,
  m_cc = 1U << 22,
  m_relu = 1U << 23,
  m_nan = 1U << 24,    // .NaN .xorsign.abs
  m_clamp = 1U << 25,  // .clamp .wrap
  m_test = 1U << 26,
  m_shuffle = 1U << 27,
  m_vote = 1U << 28,
  m_sync = 1U << 29,
  m_must_sync = 1U << 30,
  m_idx = 1U << 31,
  m_satfinite = std::uint64_t{1} << 32,
  m_three_types = std::uint64_t{1} << 33,
  m_video = std::uint64_t{1} << 35,
  m_pack = std::uint64_t{1} << 36,
  m_async = std::uint64_t{1} << 37,
  m_level = std::uint64_t{1} << 38,  // .L1 .L2 alone
  m_noftz = std::uint64_t{1} << 39,
  m_policy = std::uint64_t{1} << 40
};

constexpr std::uint32_t bit(scalar_type t) { return 1U << static_cast<std::uint32_t>(t); }

inline constexpr std::uint32_t t_s = bit(scalar_type::s16) | bit(scalar_type::s32) | bit(scalar_type::s64);
inline constexpr std::uint32_t t_u = bit(scalar_type::u16) | bit(scalar_type::u32) | bit(scalar_type::u64);
inline constexpr std::uint32_t t_int = t_s | t_u;
inline constexpr std::uint32_t t_b = bit(scalar_type::b16) | bit(scalar_type::b32) | bit(scalar_type::b64);
inline constexpr std::uint32_t t_b32 = bit(scalar_type::b32);
inline constexpr std::uint32_t t_32 = bit(scalar_type::u32) | bit(scalar_type::s32);
inline constexpr std::uint32_t t_64 = bit(scalar_type::u64) | bit(scalar_type::s64);
inline constexpr std::uint32_t t_8 = bit(scalar_type::b8) | bit(scalar_type::u8) | bit(scalar_type::s8);
inline constexpr std::uint32_t t_128 = bit(scalar_type::b128);
inline constexpr std::uint32_t t_f32 = bit(scalar_type::f32);
inline constexpr std::uint32_t t_f = t_f32 | bit(scalar_type::f64);
inline constexpr std::uint32_t t_f16 = bit(scalar_type::f16) | bit(scalar_type::f16x2);
inline constexpr std::uint32_t t_pairs = bit(scalar_type::u16x2) | bit(scalar_type::s16x2);
inline constexpr std::uint32_t t_fp8 = bit(scalar_type::e4m3x2) | bit(scalar_type::e5m2x2);
inline constexpr std::uint32_t t_half = t_f16 | bit(scalar_type::bf16) | bit(scalar_type::bf16x2);
inline constexpr std::uint32_t t_all = t_b | t_int | t_f;
inline constexpr std::uint32_t t_pred = bit(scalar_type::pred);
inline constexpr std::uint32_t t_address = bit(scalar_type::u32) | bit(scalar_type::u64);

constexpr bool is_half(scalar_type t) { return (bit(t) & t_half) != 0; }

struct opcode_row {
  std::string_view name;
  mnemonic op;
  std::uint64_t modifiers;
  std::uint32_t types;
  std::uint8_t min_operands;
  std::uint8_t max_operands;
};

inline constexpr opcode_row opcode_table[] = {
    {"add", mnemonic::add, m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half | t_pairs, 3, 3},
    {"addc", mnemonic::add, m_cc, t_32 | t_64, 3, 3},
    {"sub", mnemonic::sub, m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half, 3, 3},
    {"subc", mnemonic::sub, m_cc, t_32 | t_64, 3, 3},
    {"mul", mnemonic::mul, m_ftz | m_sat | m_round | m_part | m_wide, t_int | t_f | t_half, 3, 3},
    {"mad", mnemonic::mad, m_ftz | m_sat | m_round | m_part | m_wide | m_cc, t_int | t_f, 4, 4},
    {"madc", mnemonic::mad, m_part | m_cc, t_32 | t_64, 4, 4},
    {"mul24", mnemonic::mul24, m_part, t_32, 3, 3},
    {"mad24", mnemonic::mad24, m_part | m_sat, t_32, 4, 4},
    {"sad", mnemonic::sad, 0, t_int, 4, 4},
    {"fma", mnemonic::fma, m_ftz | m_sat | m_round | m_relu, t_f | t_half, 4, 4},
    {"div", mnemonic::div, m_ftz | m_round | m_approx, t_int | t_f, 3, 3},
    {"rem", mnemonic::rem, 0, t_int, 3, 3},
    {"neg", mnemonic::neg, m_ftz, t_s | t_f | t_half, 2, 2},
    {"abs", mnemonic::abs, m_ftz, t_s | t_f | t_half, 2, 2},
    {"min", mnemonic::min, m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, 3, 3},
    {"max", mnemonic::max, m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, 3, 3},
    {"rcp", mnemonic::rcp, m_ftz | m_round | m_approx, t_f, 2, 2},
    {"sqrt", mnemonic::sqrt, m_ftz | m_round | m_approx, t_f, 2, 2},
    {"rsqrt", mnemonic::rsqrt, m_ftz | m_approx, t_f, 2, 2},
    {"ex2", mnemonic::ex2, m_ftz | m_approx, t_f32 | t_half, 2, 2},
    {"lg2", mnemonic::lg2, m_ftz | m_approx, t_f32, 2, 2},
    {"sin", mnemonic::sin, m_ftz | m_approx, t_f32, 2, 2},
    {"cos", mnemonic::cos, m_ftz | m_approx, t_f32, 2, 2},
    {"tanh", mnemonic::tanh, m_approx, t_f32 | t_half, 2, 2},
    {"copysign", mnemonic::copysign, 0, t_f, 3, 3},
    {"testp", mnemonic::testp, m_test, t_f, 2, 2},
    {"dp2a", mnemonic::dp2a, m_part | m_two_types, t_32, 4, 4},
    {"dp4a", mnemonic::dp4a, m_two_types, t_32, 4, 4},
    {"not", mnemonic::not_, 0, t_b | t_pred, 2, 2},
    {"cnot", mnemonic::cnot, 0, t_b, 2, 2},
    {"and", mnemonic::and_, 0, t_b | t_pred, 3, 3},
    {"or", mnemonic::or_, 0, t_b | t_pred, 3, 3},
    {"xor", mnemonic::xor_, 0, t_b | t_pred, 3, 3},
    {"shl", mnemonic::shl, 0, t_b, 3, 3},
    {"shr", mnemonic::shr, 0, t_b | t_int, 3, 3},
    {"shf", mnemonic::shf, m_direction | m_clamp, t_b32, 4, 4},
    {"lop3", mnemonic::lop3, m_combine, t_b32, 5, 6},
    {"clz", mnemonic::clz, 0, t_b32 | bit(scalar_type::b64), 2, 2},
    {"popc", mnemonic::popc, 0, t_b32 | bit(scalar_type::b64), 2, 2},
    {"brev", mnemonic::brev, 0, t_b32 | bit(scalar_type::b64), 2, 2},
    {"bfe", mnemonic::bfe, 0, t_32 | t_64, 4, 4},
    {"bfi", mnemonic::bfi, 0, t_b32 | bit(scalar_type::b64), 5, 5},
    {"bfind", mnemonic::bfind, m_shiftamt, t_32 | t_64, 2, 2},
    {"bmsk", mnemonic::bmsk, m_clamp, t_b32, 3, 3},
    {"fns", mnemonic::fns, 0, t_b32, 4, 4},
    {"szext", mnemonic::szext, m_clamp, t_32, 3, 3},
    {"prmt", mnemonic::prmt, m_permute, t_b32, 4, 4},
    {"vadd", mnemonic::vadd, m_video | m_sat | m_three_types | m_atomic, t_32, 3, 4},
    {"vsub", mnemonic::vsub, m_video | m_sat | m_three_types | m_atomic, t_32, 3, 4},
    {"vabsdiff", mnemonic::vabsdiff, m_video | m_sat | m_three_types | m_atomic, t_32, 3, 4},
    {"vmin", mnemonic::vmin, m_video | m_sat | m_three_types | m_atomic, t_32, 3, 4},
    {"vmax", mnemonic::vmax, m_video | m_sat | m_three_types | m_atomic, t_32, 3, 4},
    {"vshl", mnemonic::vshl, m_video | m_sat | m_three_types | m_atomic | m_clamp, t_32, 3, 4},
    {"vshr", mnemonic::vshr, m_video | m_sat | m_three_types | m_atomic | m_clamp, t_32, 3, 4},
    {"vadd2", mnemonic::vadd, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vadd4", mnemonic::vadd, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vsub2", mnemonic::vsub, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vsub4", mnemonic::vsub, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vavrg2", mnemonic::vavrg, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vavrg4", mnemonic::vavrg, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vabsdiff2", mnemonic::vabsdiff, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vabsdiff4", mnemonic::vabsdiff, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vmin2", mnemonic::vmin, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vmin4", mnemonic::vmin, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vmax2", mnemonic::vmax, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vmax4", mnemonic::vmax, m_video | m_sat | m_three_types | m_atomic, t_32, 4, 4},
    {"vset", mnemonic::vset, m_video | m_compare | m_two_types | m_atomic, t_32, 3, 4},
    {"vset2", mnemonic::vset, m_video | m_compare | m_two_types | m_atomic, t_32, 4, 4},
    {"vset4", mnemonic::vset, m_video | m_compare | m_two_types | m_atomic, t_32, 4, 4},
    {"vmad", mnemonic::vmad, m_video | m_sat | m_three_types, t_32, 4, 4},
    {"setp", mnemonic::setp, m_compare | m_combine | m_ftz, t_all | t_half, 3, 4},
    {"set", mnemonic::set, m_compare | m_combine | m_ftz | m_two_types, t_all | t_half, 3, 4},
    {"selp", mnemonic::selp, 0, t_all, 4, 4},
    {"slct", mnemonic::slct, m_ftz | m_two_types, t_all, 4, 4},
    {"cvt", mnemonic::cvt, m_ftz | m_sat | m_round | m_round_int | m_two_types | m_relu | m_satfinite | m_pack,
     t_int | t_f | t_8 | t_half | t_b32 | t_fp8 | bit(scalar_type::tf32), 2, 4},
    {"mov", mnemonic::mov, m_vector, t_all | t_128 | t_pred, 2, 2},
    {"cvta", mnemonic::cvta, m_space | m_to, t_address, 2, 2},
    {"isspacep", mnemonic::isspacep, m_space | m_no_type, 0, 2, 2},
    {"ld", mnemonic::ld, m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8, 2, 3},
    {"ldu", mnemonic::ld, m_space | m_vector, t_all | t_128 | t_8, 2, 2},
    {"st", mnemonic::st, m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8, 2, 3},
    {"atom", mnemonic::atom, m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half | t_128, 3, 5},
    {"red", mnemonic::red, m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half, 2, 3},
    {"prefetch", mnemonic::prefetch, m_space | m_cache | m_level | m_no_type, 0, 1, 1},
    {"prefetchu", mnemonic::prefetch, m_level | m_no_type, 0, 1, 1},
    {"applypriority", mnemonic::prefetch, m_space | m_cache | m_no_type, 0, 2, 2},
    {"discard", mnemonic::prefetch, m_space | m_level | m_no_type, 0, 2, 2},
    {"cp", mnemonic::cp_async, m_async | m_cache | m_no_type, 0, 0, 5},
    {"membar", mnemonic::membar, m_order | m_no_type, 0, 0, 0},
    {"fence", mnemonic::membar, m_order | m_no_type, 0, 0, 0},
    {"bar", mnemonic::bar, m_barrier | m_atomic, t_pred | bit(scalar_type::u32), 1, 4},
    {"barrier", mnemonic::bar, m_barrier | m_atomic, t_pred | bit(scalar_type::u32), 1, 4},
    {"shfl", mnemonic::shfl, m_shuffle | m_sync, t_b32, 4, 5},
    {"vote", mnemonic::vote, m_vote | m_sync, t_b32 | t_pred, 2, 3},
    {"match", mnemonic::match, m_vote | m_sync | m_must_sync, t_b32 | bit(scalar_type::b64), 3, 3},
    {"activemask", mnemonic::activemask, 0, t_b32, 1, 1},
    {"redux", mnemonic::redux, m_atomic | m_sync | m_must_sync, t_32 | t_b32, 3, 3},
    {"elect", mnemonic::elect, m_sync | m_must_sync | m_no_type, 0, 2, 2},
    {"bra", mnemonic::bra, m_uni | m_no_type, 0, 1, 1},
    {"brx", mnemonic::brx, m_idx | m_uni | m_no_type, 0, 2, 2},
    {"call", mnemonic::call, m_uni | m_no_type, 0, 1, 4},
    {"exit", mnemonic::exit, m_no_type, 0, 0, 0},
    {"ret", mnemonic::ret, m_uni | m_no_type, 0, 0, 0},
    {"trap", mnemonic::trap, m_no_type, 0, 0, 0},
    {"brkpt", mnemonic::brkpt, m_no_type, 0, 0, 0},
    {"nanosleep", mnemonic::nanosleep, 0, bit(scalar_type::u32), 1, 1},
    {"pmevent", mnemonic::nop, m_no_type, 0, 1, 1},
    {"griddepcontrol", mnemonic::nop, m_no_type, 0, 0, 0},
    {"setmaxnreg", mnemonic::nop, 0, t_32, 1, 1},
    {"createpolicy", mnemonic::createpolicy, m_policy, bit(scalar_type::b64), 1, 4},
};

// Instructions of PTX that this library knows of but does not run, by what they belong to.
struct refused_row {
  std::string_view names;  // between spaces
  std::string_view why;
};
inline constexpr refused_row refused_table[] = {
    {" istypep suld suq sured sust tensormap tex tld4 txq ", "textures and surfaces have no memory here"},
    {" ldmatrix mma movmatrix stmatrix tcgen05 wgmma wmma ", "matrix instructions are not supported"},
    {" clusterlaunchcontrol getctarank mapa ", "thread block clusters are not supported"},
    {" mbarrier st_async ", "asynchronous barriers are not supported"},
    {" alloca stackrestore stacksave ", "local memory does not grow while a function runs"},
    {" multimem ", "not supported"},
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
inline constexpr std::string_view rounding_names[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
inline constexpr std::string_view part_names[] = {"lo", "hi", "wide"};
inline constexpr std::string_view combine_names[] = {"and", "or", "xor"};
inline constexpr std::string_view atomic_names[] = {"add", "min", "max", "exch", "cas", "and",
                                                    "or",  "xor", "inc", "dec",  "popc"};
inline constexpr std::string_view permute_names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
inline constexpr std::string_view barrier_names[] = {"sync", "arrive", "red"};
inline constexpr std::string_view shuffle_names[] = {"up", "down", "bfly", "idx"};
inline constexpr std::string_view vote_names[] = {"all", "any", "uni", "ballot"};
inline constexpr std::string_view test_names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
inline constexpr std::string_view policy_names[] = {"fractional", "range", "cvt"};
inline constexpr std::string_view eviction_names[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                                      "L2::evict_unchanged"};
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
                                                   "L2::evict_last",
                                                   "L2::evict_normal",
                                                   "L2::evict_first",
                                                   "L2::64B",
                                                   "L2::128B",
                                                   "L2::256B"};
struct space_name {
  std::string_view word;
  state_space space;
};
inline constexpr space_name space_names[] = {{"global", state_space::global},      {"shared", state_space::shared},
                                             {"shared::cta", state_space::shared}, {"local", state_space::local},
                                             {"const", state_space::constant},     {"param", state_space::param},
                                             {"param::entry", state_space::param}, {"param::func", state_space::param}};

template <std::size_t N>
constexpr bool among(const std::string_view (&names)[N], std::string_view word) {
  std::size_t ignored = 0;
  return lookup(names, word, ignored);
}
constexpr bool space_named(std::string_view word, state_space& space) {
  for (const space_name& s : space_names)
    if (s.word == word) {
      space = s.space;
      return true;
    }
  return false;
}

inline const opcode_row* find_opcode(std::string_view name) {
  for (const opcode_row& row : opcode_table)
    if (row.name == name) return &row;
  return nullptr;
}

/// Why an instruction of that name is refused; empty if it is not known at all.
inline std::string_view refusal(std::string_view name) {
  for (const refused_row& row : refused_table) {
    const std::size_t at = row.names.find(name);
    if (!name.empty() && at != std::string_view::npos && row.names[at - 1] == ' ' && row.names[at + name.size()] == ' ')
      return row.why;
  }
  return {};
}

// What types and modifiers must agree on, beyond the table. Empty if all is well.
inline std::string contradiction(const operation& o) {
  const scalar_info t = info(o.type);
  const bool floating = t.kind == type_class::floating;
  const bool half = is_half(o.type);
  const bool brain = o.type == scalar_type::bf16 || o.type == scalar_type::bf16x2;
  const bool integer = t.kind == type_class::signed_integer || t.kind == type_class::unsigned_integer;
  const auto s32 = scalar_type::s32;
  const auto u32 = scalar_type::u32;
  const auto f32 = scalar_type::f32;
  const auto f64 = scalar_type::f64;
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
      if (o.carry_out &&
          (!integer || t.size < 4 || (bit(o.type) & t_pairs) != 0 || o.part == product_part::wide || o.sat))
        return ".cc needs integers of 32 or 64 bits";
      if (o.carry_in && o.part == product_part::wide) return "it needs .lo or .hi";
      break;
    case mnemonic::mul24:
    case mnemonic::mad24:
      if (o.part != product_part::lo && o.part != product_part::hi) return "it needs .lo or .hi";
      if (o.sat && (o.type != s32 || o.part != product_part::hi)) return ".sat needs .hi.s32";
      break;
    case mnemonic::fma:
      if (o.round == rounding::none) return "it needs a rounding mode";
      if (o.relu && !half) return ".relu needs half precision";
      if (o.relu && o.sat) return ".relu and .sat exclude each other";
      break;
    case mnemonic::min:
    case mnemonic::max:
      if (o.nan && o.type != f32 && !half) return ".NaN needs .f32 or half precision";
      if (o.xorsign_abs && o.type != f32 && !half) return ".xorsign.abs needs .f32 or half precision";
      if (o.relu && o.type != s32 && o.type != scalar_type::s16x2) return ".relu needs .s32 or .s16x2";
      break;
    case mnemonic::div:
      if (integer && (o.round != rounding::none || o.ftz || o.approx)) return "integers are not rounded";
      if (o.type == f64 && o.approx) return ".approx needs .f32";
      break;
    case mnemonic::ex2:
      if (half && !o.approx) return "it needs .approx";
      if (brain && !o.ftz) return "it needs .ftz";
      if (half && !brain && o.ftz) return ".ftz needs .f32 or .bf16";
      return {};
    case mnemonic::tanh:
      if (!o.approx) return "it needs .approx";
      return {};
    case mnemonic::testp:
      if (o.test == float_test::none) return "it needs a property";
      return {};
    case mnemonic::setp:
    case mnemonic::set: {
      if (o.compare == comparison::none) return "it needs a comparison";
      const bool to_register = o.name == mnemonic::set;
      const scalar_type compared = to_register ? o.source : o.type;
      const type_class kind = info(compared).kind;
      if (to_register) {
        const bool pairs = compared == scalar_type::f16x2 || compared == scalar_type::bf16x2;
        const bool same = o.type == compared && is_half(compared);
        const bool word = o.type == u32 || o.type == s32;
        const bool short_word =
            (o.type == scalar_type::u16 || o.type == scalar_type::s16) && is_half(compared) && !pairs;
        const bool number =
            (o.type == f32 || o.type == scalar_type::f16 || o.type == scalar_type::bf16) && !is_half(compared);
        if (!same && !word && !short_word && !number) return "that result does not go with these operands";
      }
      if (kind != type_class::floating && o.compare > comparison::hs) return "that comparison needs floating point";
      if (kind == type_class::bits && o.compare > comparison::ne) return "untyped bits are only equal or not";
      if (kind != type_class::unsigned_integer && o.compare >= comparison::lo && o.compare <= comparison::hs)
        return "that comparison needs an unsigned type";
      if (o.ftz && compared != f32 && compared != scalar_type::f16 && compared != scalar_type::f16x2)
        return ".ftz needs .f32 or .f16";
      return {};
    }
    case mnemonic::slct:
      if (o.source != s32 && o.source != f32) return "its condition is .s32 or .f32";
      if (o.ftz && o.source != f32) return ".ftz needs .f32";
      return {};
    case mnemonic::cvt_pack: {
      const bool halves = o.type == scalar_type::u16 || o.type == scalar_type::s16;
      const bool bytes = o.type == scalar_type::u8 || o.type == scalar_type::s8;
      if (!o.sat) return "it needs .sat";
      if (o.source != s32) return "it packs .s32";
      if (halves ? o.third != scalar_type::none : !bytes || o.third != scalar_type::b32)
        return "it packs two halves, or two bytes before a .b32";
      return {};
    }
    case mnemonic::cvt: {
      const scalar_type source = o.source;
      const bool from_float = info(source).kind == type_class::floating;
      const bool int_round = o.round >= rounding::rni && o.round <= rounding::rpi;
      if (o.type == scalar_type::tf32) {
        if (source != f32) return ".tf32 is made of .f32";
        if (o.ftz || o.sat) return ".tf32 knows neither .ftz nor .sat";
        if (o.relu && o.round == rounding::rna) return ".relu needs .rn or .rz";
        if (o.round != rounding::rna && o.round != rounding::rn && o.round != rounding::rz)
          return "it needs .rn, .rna or .rz";
        return {};
      }
      if (source == scalar_type::tf32) return ".tf32 is used as it is";
      if (((bit(o.type) | bit(source)) & t_fp8) != 0) {
        if (o.round != rounding::rn) return "it needs .rn";
        if (o.ftz || o.sat) return "8-bit numbers know neither .ftz nor .sat";
        if ((bit(source) & t_fp8) != 0) {
          if (o.type != scalar_type::f16x2) return "8-bit numbers become .f16x2";
          if (o.satfinite) return "widening is exact";
        } else if (source != f32 && source != scalar_type::f16x2) {
          return "8-bit numbers are made of .f32 or .f16x2";
        } else if (!o.satfinite) {
          return "it needs .satfinite";
        }
        return {};
      }
      if (o.round == rounding::rna) return ".rna needs .tf32";
      if (t.kind == type_class::bits || info(source).kind == type_class::bits) return "it needs typed operands";
      if (o.type == scalar_type::f16x2 || o.type == scalar_type::bf16x2) {
        if (source != f32) return "halves are packed from .f32";
        if (o.ftz || o.sat) return "packed halves know neither .ftz nor .sat";
        if (o.round != rounding::rn && o.round != rounding::rz) return "it needs .rn or .rz";
        return {};
      }
      if (source == scalar_type::f16x2 || source == scalar_type::bf16x2) return "pairs cannot be converted";
      if ((o.relu || o.satfinite) && (!half || source != f32)) return ".relu and .satfinite need a half made of .f32";
      if ((o.relu || o.satfinite) && ((o.round != rounding::rn && o.round != rounding::rz) || o.sat || o.ftz))
        return ".relu and .satfinite need .rn or .rz, no .sat, no .ftz";
      if (o.sat && (brain || source == scalar_type::bf16)) return ".sat needs other types";
      if (!floating && !from_float && o.round != rounding::none) return "integers are not rounded";
      if (!floating && from_float && !int_round) return "it needs .rni, .rzi, .rmi or .rpi";
      if (floating && !from_float && (o.round == rounding::none || int_round)) return "it needs .rn, .rz, .rm or .rp";
      if (floating && from_float && o.type != source) {
        const bool exact = t.size > info(source).size;
        if (!exact && (o.round == rounding::none || int_round)) return "it needs .rn, .rz, .rm or .rp";
        if (exact && o.round != rounding::none && source != scalar_type::bf16) return "widening is exact";
      }
      if (floating && o.type == source && o.round != rounding::none && !int_round)
        return "it needs .rni, .rzi, .rmi or .rpi";
      if (o.ftz && o.type != f32 && source != f32) return ".ftz needs .f32";
      return {};
    }
    case mnemonic::rcp:
    case mnemonic::sqrt:
    case mnemonic::rsqrt:
      if (o.type != f64) break;
      if (o.approx && o.ftz && o.name != mnemonic::sqrt) return {};
      if (o.approx && o.name != mnemonic::rsqrt) return ".approx.f64 needs .ftz, and is no root";
      break;
    case mnemonic::lop3:
      if (o.combine == boolean_op::xor_) return "it combines with .or or .and";
      break;
    case mnemonic::dp2a:
      if (o.part != product_part::lo && o.part != product_part::hi) return "it needs .lo or .hi";
      break;
    case mnemonic::vadd:
    case mnemonic::vsub:
    case mnemonic::vavrg:
    case mnemonic::vabsdiff:
    case mnemonic::vmin:
    case mnemonic::vmax:
    case mnemonic::vshl:
    case mnemonic::vshr:
    case mnemonic::vset:
      if (o.name == mnemonic::vset && (o.compare == comparison::none || o.compare > comparison::ge))
        return "it needs .eq, .ne, .lt, .le, .gt or .ge";
      if ((o.name == mnemonic::vshl || o.name == mnemonic::vshr) && o.third != u32) return "its amounts are .u32";
      if (o.width > 1 && o.sat && o.atomic != atomic_op::none) return "it does not saturate what it adds";
      if (o.atomic != atomic_op::none && o.atomic != atomic_op::add &&
          (o.width > 1 || (o.atomic != atomic_op::min && o.atomic != atomic_op::max)))
        return o.width > 1 ? "it can only .add what it makes" : "its second operation is .add, .min or .max";
      return {};
    case mnemonic::mov:
      if (o.width > 1 && (o.width > 4 || t.size < 2 || t.size * o.width > 16)) return "that vector cannot be moved";
      return {};
    case mnemonic::cvta:
    case mnemonic::isspacep:
      if (o.space == state_space::generic || o.space == state_space::reg) return "it needs a state space";
      return {};
    case mnemonic::ld:
    case mnemonic::st:
      if (o.name == mnemonic::st && o.space == state_space::constant) return "constants cannot be stored to";
      if (o.space == state_space::reg) return "registers have no address";
      if (o.width > 1 && (t.size == 16 || t.size * o.width > 32)) return "that vector is too large";
      if (t.size * o.width > 16 && o.space != state_space::global && o.space != state_space::generic)
        return "vectors of 32 bytes are in global memory";
      break;
    case mnemonic::atom:
    case mnemonic::red:
      if (o.atomic == atomic_op::none || o.atomic == atomic_op::popc) return "it needs an operation";
      if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::shared)
        return "atomics work on global and shared memory";
      if (o.name == mnemonic::red && (o.atomic == atomic_op::exch || o.atomic == atomic_op::cas))
        return "it has no result to return";
      if (t.size == 16 && o.atomic != atomic_op::exch && o.atomic != atomic_op::cas)
        return "128 bits can only be exchanged, or compared and swapped";
      if (o.width > 1) {
        if (o.type != f32 && !half) return "vectors are of .f32 or half precision";
        if (t.size * o.width > 16) return "that vector is too large";
        if (o.space == state_space::shared) return "vectors are in global memory";
      }
      if (half && o.atomic != atomic_op::add && o.atomic != atomic_op::min && o.atomic != atomic_op::max)
        return "half precision can only be added or compared";
      if (floating && !half && o.atomic != atomic_op::add) return "floating point can only be added";
      if (t.size == 2 && !half && o.atomic != atomic_op::cas) return "16 bits can only be compared and swapped";
      if ((o.atomic == atomic_op::inc || o.atomic == atomic_op::dec) && o.type != u32) return ".inc and .dec need .u32";
      if ((o.atomic == atomic_op::add || o.atomic == atomic_op::min || o.atomic == atomic_op::max) &&
          t.kind == type_class::bits)
        return "it needs a typed operand";
      return {};
    case mnemonic::bar:
      if (o.barrier == barrier_op::none) return "it needs .sync, .arrive or .red";
      if (o.barrier != barrier_op::red) {
        if (o.type != scalar_type::none || o.atomic != atomic_op::none) return "only .red has a result";
        return {};
      }
      if (o.atomic != atomic_op::popc && o.atomic != atomic_op::and_ && o.atomic != atomic_op::or_)
        return "it needs .popc, .and or .or";
      if ((o.atomic == atomic_op::popc) != (o.type == u32)) return "it needs .popc.u32, .and.pred or .or.pred";
      return {};
    case mnemonic::shfl:
      if (o.shuffle == shuffle_mode::none) return "it needs .up, .down, .bfly or .idx";
      return {};
    case mnemonic::vote:
      if (o.vote == vote_mode::none) return "it needs .all, .any, .uni or .ballot";
      if ((o.vote == vote_mode::ballot) != (o.type == scalar_type::b32)) return "it needs .pred, or .b32 with .ballot";
      return {};
    case mnemonic::match:
      if (o.vote != vote_mode::all && o.vote != vote_mode::any) return "it needs .all or .any";
      return {};
    case mnemonic::redux: {
      const bool logic = o.atomic == atomic_op::and_ || o.atomic == atomic_op::or_ || o.atomic == atomic_op::xor_;
      const bool number = o.atomic == atomic_op::add || o.atomic == atomic_op::min || o.atomic == atomic_op::max;
      if (!logic && !number) return "it needs .add, .min, .max, .and, .or or .xor";
      if (logic != (o.type == scalar_type::b32)) return "numbers are added and compared, bits combined";
      return {};
    }
    case mnemonic::prefetch:
      if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::local)
        return "it needs .global or .local";
      return {};
    default:
      break;
  }
  if (o.ftz && o.type != f32 && o.type != scalar_type::f16 && o.type != scalar_type::f16x2)
    return ".ftz needs .f32 or .f16";
  if ((o.type == f64 || brain) && o.sat) return ".sat needs .f32 or .f16";
  if (half && o.round != rounding::none && o.round != rounding::rn) return "half precision rounds to nearest only";
  return {};
}

}  // namespace detail

/// How many operands an instruction takes, at least and at most.
struct operand_range {
  std::uint32_t least = 0;  ///< with an optional one left out
  std::uint32_t most = 0;   ///< with every optional one
};
/// Of a full spelling; {0, 0} if there is no such instruction.
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
    if (const std::string_view why = refusal(head); !why.empty()) return refuse(why);
    r.problem = "unknown instruction " + quoted;
    return r;
  }
  const std::uint64_t has = row->modifiers;
  o.name = row->op;
  o.carry_in = head == "addc" || head == "subc" || head == "madc";
  if ((has & m_video) != 0) o.width = head.back() == '2' ? 2 : head.back() == '4' ? 4 : 1;
  std::uint64_t seen = 0;
  int types = 0;
  int evictions = 0;     // of createpolicy
  std::size_t said = 0;  // of pmevent, griddepcontrol, setmaxnreg
  const auto once = [&](modifier m) {
    const bool fresh = (seen & m) == 0;
    seen |= m;
    return fresh && (has & m) != 0;
  };
  while (dot != std::string_view::npos) {
    const std::size_t next = spelling.find('.', dot + 1);
    const std::string_view word =
        spelling.substr(dot + 1, next == std::string_view::npos ? std::string_view::npos : next - dot - 1);
    dot = next;
    const auto unknown = [&] { return refuse("modifier '." + std::string(word) + "'"); };
    const int most_types = (has & m_three_types) != 0 || o.name == mnemonic::cvt_pack ? 3
                           : (has & m_two_types) != 0                                 ? 2
                                                                                      : 1;
    bool ok = true;
    if (const scalar_type t = scalar_named(word); t != scalar_type::none) {
      if ((has & m_no_type) != 0 || types == most_types) return unknown();
      if ((row->types & bit(t)) == 0) return refuse("type '." + std::string(word) + "'");
      (types == 0 ? o.type : types == 1 ? o.source : o.third) = t;
      ++types;
    } else if ((has & (m_part | m_wide)) != 0 && lookup(part_names, word, o.part)) {
      ok = once(m_part) && (o.part != product_part::wide || (has & m_wide) != 0);
    } else if ((has & m_compare) != 0 && lookup(comparison_names, word, o.compare)) {
      ok = once(m_compare);
    } else if ((has & m_combine) != 0 && lookup(combine_names, word, o.combine)) {
      ok = once(m_combine);
    } else if ((has & m_atomic) != 0 && lookup(atomic_names, word, o.atomic)) {
      ok = once(m_atomic);
    } else if ((has & m_permute) != 0 && lookup(permute_names, word, o.permute)) {
      ok = once(m_permute);
    } else if ((has & m_round) != 0 && lookup(rounding_names, word, o.round)) {
      ok = once(m_round) && (o.round < rounding::rni || (has & m_round_int) != 0);
    } else if ((has & m_barrier) != 0 && lookup(barrier_names, word, o.barrier)) {
      ok = once(m_barrier);
    } else if ((has & m_shuffle) != 0 && lookup(shuffle_names, word, o.shuffle)) {
      ok = once(m_shuffle);
    } else if ((has & m_vote) != 0 && lookup(vote_names, word, o.vote)) {
      ok = once(m_vote);
    } else if ((has & m_test) != 0 && lookup(test_names, word, o.test)) {
      ok = once(m_test);
    } else if ((has & m_space) != 0 && space_named(word, o.space)) {
      ok = once(m_space);
    } else if ((has & m_order) != 0 && (among(order_names, word) || word.substr(0, 7) == "proxy::" || word == "proxy" ||
                                        (o.name == mnemonic::membar &&
                                         (word == "async" || word == "alias" || word.substr(0, 7) == "async::")))) {
    } else if ((has & m_cache) != 0 && among(cache_names, word)) {
    } else if ((has & m_cache) != 0 && word == "L2::cache_hint") {
      o.cache_hint = true;
    } else if ((has & m_level) != 0 && (word == "L1" || word == "L2")) {
      ok = once(m_level);
    } else if (word == "ftz") {
      ok = once(m_ftz);
      o.ftz = true;
    } else if (word == "noftz") {
      ok = once(m_noftz);
    } else if (word == "sat") {
      ok = once(m_sat);
      o.sat = true;
    } else if (word == "satfinite") {
      ok = once(m_satfinite);
      o.satfinite = true;
    } else if (word == "relu") {
      ok = once(m_relu);
      o.relu = true;
    } else if (word == "NaN") {
      ok = once(m_nan);
      o.nan = true;
    } else if (word == "xorsign" && (has & m_nan) != 0 && !o.xorsign_abs) {
      o.xorsign_abs = true;
      ok = next != std::string_view::npos && spelling.substr(next, 4) == ".abs" &&
           (spelling.size() == next + 4 || spelling[next + 4] == '.');
      if (ok) dot = spelling.find('.', next + 1);
    } else if (word == "approx" || (word == "full" && o.name == mnemonic::div)) {
      ok = once(m_approx);
      o.approx = true;
      o.full = word == "full";
    } else if (o.name == mnemonic::vmad && (word == "shr7" || word == "shr15")) {
      ok = o.scale == 0;
      o.scale = word == "shr7" ? 7 : 15;
    } else if (o.name == mnemonic::vmad && word == "po") {
      ok = !o.plus_one;
      o.plus_one = true;
    } else if (word == "cc") {
      ok = once(m_cc);
      o.carry_out = true;
    } else if (word == "to") {
      ok = once(m_to);
      o.to = true;
    } else if (word == "uni") {
      ok = once(m_uni);
    } else if (word == "idx") {
      ok = once(m_idx);
    } else if (word == "pack") {
      ok = once(m_pack);
      o.name = mnemonic::cvt_pack;
    } else if (word == "shiftamt") {
      ok = once(m_shiftamt);
      o.shift_amount = true;
    } else if (word == "l" || word == "r") {
      ok = once(m_direction);
      o.left = word == "l";
    } else if (word == "wrap" || word == "clamp") {
      ok = once(m_clamp);
      o.wrap = word == "wrap";
    } else if (word == "sync" && ((has & m_sync) != 0 || o.name == mnemonic::bar_warp)) {
      ok = !o.sync;
      o.sync = true;
    } else if ((has & m_barrier) != 0 && (word == "aligned" || word == "cta" || word == "warp")) {
      if (word == "warp") {
        ok = head == "bar" && seen == 0 && spelling == "bar.warp.sync";
        o.name = mnemonic::bar_warp;
        o.sync = true;
        if (ok) return r;
      }
      o.aligned = o.aligned || word == "aligned";
    } else if ((has & m_vector) != 0 && (word == "v2" || word == "v4" || word == "v8")) {
      ok = once(m_vector);
      o.width = static_cast<std::uint8_t>(word[1] - '0');
    } else if ((has & m_async) != 0) {
      // cp.async.{ca,cg}.shared{::cta}.global{hints}, .commit_group, .wait_group, .wait_all
      if (word == "commit_group" || word == "wait_group" || word == "wait_all")
        o.name = mnemonic::cp_async_wait;
      else
        ok = word == "async" || word == "shared" || word == "shared::cta" || word == "global";
      if (word == "bulk" || word == "mbarrier" || word == "reduce")
        return refuse("asynchronous barriers are not supported");
    } else if ((has & m_policy) != 0 && lookup(policy_names, word, o.policy)) {
      ok = once(m_policy);
    } else if ((has & m_policy) != 0 && among(eviction_names, word)) {
      // The second priority is for the accesses that the first one is not for.
      ok = (o.policy == policy_source::fraction || o.policy == policy_source::range) &&
           (evictions++ == 0 || (evictions == 2 && (word == eviction_names[2] || word == eviction_names[3])));
    } else if ((has & m_policy) != 0 && word == "L2") {
      ok = o.policy == policy_source::property && (seen & m_level) == 0;
      seen |= m_level;
    } else if ((has & m_policy) != 0 && word == "global") {
      ok = o.policy == policy_source::range && evictions == 0 && o.space == state_space::generic;
      o.space = state_space::global;
    } else if (head == "pmevent") {
      ok = word == "mask" && said++ == 0;
    } else if (head == "griddepcontrol") {
      ok = (word == "wait" || word == "launch_dependents") && said++ == 0;
    } else if (head == "setmaxnreg") {
      constexpr std::string_view in_order[] = {"sync", "aligned"};
      ok = said == 0 ? word == "inc" || word == "dec" : said < 3 && word == in_order[said - 1];
      ++said;
    } else {
      ok = false;
    }
    if (!ok) return unknown();
  }
  if (head == "griddepcontrol" && said == 0) return refuse("it needs .wait or .launch_dependents");
  if (head == "setmaxnreg" && said != 3) return refuse("it needs .inc or .dec, .sync and .aligned");
  if (o.name == mnemonic::createpolicy && o.policy == policy_source::none)
    return refuse("it needs .fractional, .range or .cvt");
  if (o.name == mnemonic::createpolicy &&
      (o.policy == policy_source::property ? (seen & m_level) == 0 : evictions == 0))
    return refuse(o.policy == policy_source::property ? "it needs .L2" : "it needs a priority");
  if (head == "bar") o.aligned = true;
  const bool needs_type = (has & m_no_type) == 0 && (o.name != mnemonic::bar || o.barrier == barrier_op::red);
  if (needs_type && types == 0) return refuse("it needs a type");
  if ((has & m_two_types) != 0 && types < 2) return refuse("it needs two types");
  if ((has & m_three_types) != 0 && types != 3) return refuse("it needs three types");
  if ((has & m_must_sync) != 0 && !o.sync) return refuse("it needs .sync");
  if ((has & m_direction) != 0 && (seen & m_direction) == 0) return refuse("it needs .l or .r");
  if ((has & m_clamp) != 0 && (seen & m_clamp) == 0) return refuse("it needs .wrap or .clamp");
  if ((has & m_idx) != 0 && (seen & m_idx) == 0) return refuse("it needs .idx");
  if (o.name == mnemonic::vset) {  // both types are of operands
    o.third = o.source;
    o.source = o.type;
    o.type = scalar_type::u32;
  }
  if (std::string why = contradiction(o); !why.empty()) return refuse(why);
  return r;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

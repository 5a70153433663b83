// SPDX-License-Identifier: BSL-1.0
//
// An operation: the meaning of an opcode such as "setp.lt.and.s32", which is an instruction, its types and its
// modifiers. opcode.hpp reads one from text; isa.hpp says which operations there are.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/matrix_form.hpp>
#include <simtflow/ptx/text/texture_words.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
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
  cp_async_wait,  ///< and commit_group, also of bulk copies: a copy is done when it is issued
  createpolicy,   ///< of a cache: a number that means nothing here
  membar,         ///< and fence
  mapa,
  getctarank,
  alloca_,    ///< local memory of the thread until its function returns
  stacksave,  ///< where the next alloca begins
  stackrestore,
  // Textures and surfaces.
  tex,
  tld4,     ///< one channel of the four texels of a linear filter
  txq,      ///< an attribute of a texture or a sampler; suq: of a surface
  istypep,  ///< whether a handle is of a texture, a sampler, a surface
  suld,
  sust,
  sured,
  // Other lanes and warps.
  bar,
  bar_warp,
  shfl,
  vote,
  match,
  activemask,
  redux,
  elect,
  // Matrices: all lanes of a warp together.
  wmma_load,
  wmma_store,
  wmma_mma,
  mma,
  ldmatrix,
  stmatrix,
  movmatrix,
  // Products of matrices by the four warps of a warpgroup.
  wgmma_mma,    ///< wgmma.mma_async: each warp computes its rows when it is issued
  wgmma_fence,  ///< and commit_group: nothing happens
  wgmma_wait,   ///< wait_group: until all four warps have come
  // Barriers that are objects in shared memory, and copies that report to them.
  mbarrier_init,
  mbarrier_inval,
  mbarrier_expect_tx,
  mbarrier_complete_tx,
  mbarrier_arrive,
  mbarrier_arrive_drop,
  mbarrier_wait,  ///< test_wait and try_wait
  mbarrier_pending_count,
  cp_async_arrive,  ///< cp.async.mbarrier.arrive
  bulk_copy,        ///< cp.async.bulk
  bulk_reduce,      ///< cp.reduce.async.bulk
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

/// Comparisons: signed or unsigned by the type. The forms with `u` at the end are also true if an operand is NaN.
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

/// How a result is rounded: to nearest even, towards zero, down, up; the same four to an integer first; to nearest with
/// ties away from zero.
enum class rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna };

/// The half of a product that is kept; or all of it.
enum class product_part : std::uint8_t { none, lo, hi, wide };

/// The boolean operation that combines a comparison with a predicate.
enum class boolean_op : std::uint8_t { none, and_, or_, xor_ };

/// The operation of atom, red, redux and bar.red.
enum class atomic_op : std::uint8_t { none, add, min, max, exch, cas, and_, or_, xor_, inc, dec, popc };

/// How prmt chooses bytes.
enum class permute_mode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };

/// The action of bar and barrier.
enum class barrier_op : std::uint8_t { none, sync, arrive, red };

/// How shfl finds the lane to read.
enum class shuffle_mode : std::uint8_t { none, up, down, bfly, idx };

/// The question of vote (ballot: the answer of every lane); match has all and any.
enum class vote_mode : std::uint8_t { none, all, any, uni, ballot };

/// The input that createpolicy makes a policy from.
enum class policy_source : std::uint8_t { none, fraction, range, property };

/// The property that testp tests.
enum class float_test : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };

/// The form of an instruction on an mbarrier: .expect_tx and .noComplete of an arrival, .parity of a wait, .noinc of
/// cp.async.mbarrier.arrive.
enum class mbarrier_form : std::uint8_t { none, expect_tx, no_complete, parity, no_increment };

/// The meaning of an opcode.
struct operation {
  mnemonic name = mnemonic::invalid;                   ///< the instruction
  std::uint8_t row = 0;                                ///< its row of the instruction set: isa.hpp
  scalar_type type = scalar_type::none;                ///< of the result, where there are two
  scalar_type source = scalar_type::none;              ///< second type of cvt, set, slct, dp2a, dp4a
  scalar_type third = scalar_type::none;               ///< of cvt.pack (a third operand) and of video instructions
  state_space space = state_space::generic;            ///< of memory accesses, cvta, isspacep
  comparison compare = comparison::none;               ///< of setp, set and video instructions
  rounding round = rounding::none;                     ///< of the result
  product_part part = product_part::none;              ///< which half of a product
  boolean_op combine = boolean_op::none;               ///< of setp, set and lop3 with a predicate operand
  atomic_op atomic = atomic_op::none;                  ///< of atom, red, redux and bar.red
  permute_mode permute = permute_mode::none;           ///< of prmt
  barrier_op barrier = barrier_op::none;               ///< of bar and barrier
  shuffle_mode shuffle = shuffle_mode::none;           ///< of shfl
  vote_mode vote = vote_mode::none;                    ///< of vote and match
  float_test test = float_test::none;                  ///< of testp
  policy_source policy = policy_source::none;          ///< of createpolicy
  texture_geometry geometry = texture_geometry::none;  ///< of tex, tld4, suld, sust, sured
  texture_level level = texture_level::none;           ///< of tex and txq
  texture_query query = texture_query::none;           ///< of txq and suq
  surface_clamp clamp = surface_clamp::none;           ///< of suld, sust and sured
  opaque_type opaque = opaque_type::none;              ///< of istypep
  mbarrier_form form = mbarrier_form::none;            ///< of an instruction on an mbarrier
  state_space from = state_space::generic;             ///< the memory that a bulk copy reads
  bool reports = false;        ///< a bulk copy tells an mbarrier, its last operand, that it is done
  std::uint8_t component = 0;  ///< tld4: 1 to 4 for r, g, b, a
  char addressing = 0;         ///< suld, sust, sured: b for bytes, p for elements
  std::uint8_t width = 1;      ///< of a vector access; 1, 2 or 4 in video instructions
  bool ftz = false;            ///< subnormal numbers count as zero, going in and coming out
  bool sat = false;            ///< clamp: to [0, 1] in floating point, to the type's range in integers
  bool satfinite = false;      ///< cvt: the largest number instead of infinity
  bool relu = false;           ///< negative results become zero
  bool nan = false;            ///< min, max: a NaN operand gives NaN
  bool xorsign_abs = false;    ///< min, max: of magnitudes, with the product's sign
  bool approx = false;         ///< .approx or .full
  bool full = false;           ///< div.full
  bool carry_in = false;       ///< addc, subc, madc
  bool carry_out = false;      ///< .cc
  std::uint8_t scale = 0;      ///< vmad.shr7, .shr15
  bool plus_one = false;       ///< vmad.po
  bool to = false;             ///< cvta.to: from generic
  bool left = false;           ///< shf.l
  bool wrap = false;           ///< shf, bmsk, szext: amounts modulo 32
  bool shift_amount = false;   ///< bfind.shiftamt
  bool sync = false;           ///< shfl, vote, ...: names the lanes that take part
  bool cluster = false;        ///< barrier.cluster: of the thread blocks of a cluster
  bool aligned = false;        ///< bar, barrier.aligned: all threads of a warp run it together
  bool cache_hint = false;     ///< a cache policy follows the operands; it has no effect here
  matrix_form matrix;          ///< of the matrix instructions
};

namespace detail {
// The modifiers that mean a value of an enumeration, by value; no modifier means the first one.
inline constexpr std::string_view comparison_names[] = {"",    "eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu", "ltu",
                                                        "leu", "gtu", "geu", "num", "nan"};
inline constexpr std::string_view rounding_names[] = {"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
inline constexpr std::string_view product_part_names[] = {"", "lo", "hi", "wide"};
inline constexpr std::string_view boolean_op_names[] = {"", "and", "or", "xor"};
inline constexpr std::string_view atomic_op_names[] = {"",    "add", "min", "max", "exch", "cas",
                                                       "and", "or",  "xor", "inc", "dec",  "popc"};
inline constexpr std::string_view permute_mode_names[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
inline constexpr std::string_view barrier_op_names[] = {"", "sync", "arrive", "red"};
inline constexpr std::string_view shuffle_mode_names[] = {"", "up", "down", "bfly", "idx"};
inline constexpr std::string_view vote_mode_names[] = {"", "all", "any", "uni", "ballot"};
inline constexpr std::string_view policy_source_names[] = {"", "fractional", "range", "cvt"};
inline constexpr std::string_view mbarrier_form_names[] = {"", "expect_tx", "noComplete", "parity", "noinc"};
inline constexpr std::string_view float_test_names[] = {"",           "finite", "infinite", "number",
                                                        "notanumber", "normal", "subnormal"};
}  // namespace detail

/// The modifier that means a comparison, without the dot; empty for none. The same for the other enumerations here.
[[nodiscard]] constexpr std::string_view to_string(comparison e) {
  return detail::comparison_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(rounding e) {
  return detail::rounding_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(product_part e) {
  return detail::product_part_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(boolean_op e) {
  return detail::boolean_op_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(atomic_op e) {
  return detail::atomic_op_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(permute_mode e) {
  return detail::permute_mode_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(barrier_op e) {
  return detail::barrier_op_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(shuffle_mode e) {
  return detail::shuffle_mode_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(vote_mode e) {
  return detail::vote_mode_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(policy_source e) {
  return detail::policy_source_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(float_test e) {
  return detail::float_test_names[static_cast<std::size_t>(e)];
}
/// @overload
[[nodiscard]] constexpr std::string_view to_string(mbarrier_form e) {
  return detail::mbarrier_form_names[static_cast<std::size_t>(e)];
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

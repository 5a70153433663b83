// SPDX-License-Identifier: BSL-1.0
//
// The instruction set: one row an instruction. A row says everything about an instruction except what it computes: its
// name, its operands, the modifiers and types that it may have, what it costs, which rules its modifiers and types must
// obey, and the modifiers that it cannot be without. The parser of opcodes, the verifier, signatures, latencies and the
// decoder read the rows.
//
// A new instruction is a row here, its name in the enumeration mnemonic, and the code that computes it: for an
// instruction on values a case of code_of().
//
// Names with a dot are not words of the text. They are rows of their own because a modifier changes the operands:
// "cvt.pack" is the row of cvt with .pack.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/detail/modifiers.hpp>
#include <simtflow/ptx/text/detail/operand_pattern.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Cost classes of instructions.
enum class latency_class : std::uint8_t {
  other,     ///< moves, comparisons, selections, logic, shifts, conversions, branches
  add,       ///< sums, differences, minima, maxima
  multiply,  ///< products, with or without a sum
  divide,    ///< quotients, remainders, roots, reciprocals, transcendental functions
  memory,    ///< global, local and generic memory, atomics
  shared,    ///< shared memory
  constant,  ///< constants and parameters
  count      ///< how many classes there are
};
/// The name of a cost class.
[[nodiscard]] constexpr std::string_view to_string(latency_class c) {
  constexpr std::string_view names[] = {"other", "add", "multiply", "divide", "memory", "shared", "constant", "count"};
  return names[static_cast<std::size_t>(c)];
}

namespace detail {

// clang-format off
/// The rules that the modifiers and types of an operation must obey together: detail/operation_rules.hpp.
enum class rule : std::uint8_t {
  general, sum, product24, fma, extreme, quotient, root, ex2, comparison, slct, conversion, pack, lop3, video,
  vector_move, access, atomic, barrier, vote, match, redux, prefetch
};
// clang-format on

/// One instruction.
struct instruction_row {
  std::string_view name;                         ///< the word before the first dot
  mnemonic op;                                   ///< rows of one mnemonic compute alike: add and addc
  operand_pattern operands;                      ///< see operand_pattern.hpp
  std::uint64_t modifiers;                       ///< bits of modifier
  std::uint32_t types;                           ///< bits of scalar_type
  latency_class latency = latency_class::other;  ///< memory: the state space decides; add: products for .f64
  rule check = rule::general;                    ///< what else must agree
  std::uint64_t required = 0;                    ///< the modifiers that it cannot be without
};

using cost = latency_class;

inline constexpr instruction_row instruction_set[] = {
    {".", mnemonic::invalid, "", m_no_type, 0},  // row 0: no instruction
    {"add", mnemonic::add, "d a a", m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half | t_pairs, cost::add,
     rule::sum},
    {"addc", mnemonic::add, "d a a", m_cc | m_carry_in, t_32 | t_64, cost::add, rule::sum},
    {"sub", mnemonic::sub, "d a a", m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half, cost::add, rule::sum},
    {"subc", mnemonic::sub, "d a a", m_cc | m_carry_in, t_32 | t_64, cost::add, rule::sum},
    {"mul", mnemonic::mul, "d:wide a a", m_ftz | m_sat | m_round | m_part | m_wide, t_int | t_f | t_half,
     cost::multiply, rule::sum},
    {"mad", mnemonic::mad, "d:wide a a a:wide", m_ftz | m_sat | m_round | m_part | m_wide | m_cc, t_int | t_f,
     cost::multiply, rule::sum},
    {"madc", mnemonic::mad, "d:wide a a a:wide", m_part | m_cc | m_carry_in, t_32 | t_64, cost::multiply, rule::sum},
    {"mul24", mnemonic::mul24, "d a a", m_part, t_32, cost::multiply, rule::product24, m_part},
    {"mad24", mnemonic::mad24, "d a a a", m_part | m_sat, t_32, cost::multiply, rule::product24, m_part},
    {"sad", mnemonic::sad, "d a a a", 0, t_int, cost::add},
    {"fma", mnemonic::fma, "d a a a", m_ftz | m_sat | m_round | m_relu, t_f | t_half, cost::multiply, rule::fma,
     m_round},
    {"div", mnemonic::div, "d a a", m_ftz | m_round | m_approx, t_int | t_f, cost::divide, rule::quotient},
    {"rem", mnemonic::rem, "d a a", 0, t_int, cost::divide},
    {"neg", mnemonic::neg, "d a", m_ftz, t_s | t_f | t_half, cost::add},
    {"abs", mnemonic::abs, "d a", m_ftz, t_s | t_f | t_half, cost::add},
    {"min", mnemonic::min, "d a a", m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, cost::add, rule::extreme},
    {"max", mnemonic::max, "d a a", m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, cost::add, rule::extreme},
    {"rcp", mnemonic::rcp, "d a", m_ftz | m_round | m_approx, t_f, cost::divide, rule::root},
    {"sqrt", mnemonic::sqrt, "d a", m_ftz | m_round | m_approx, t_f, cost::divide, rule::root},
    {"rsqrt", mnemonic::rsqrt, "d a", m_ftz | m_approx, t_f, cost::divide, rule::root},
    {"ex2", mnemonic::ex2, "d a", m_ftz | m_approx, t_f32 | t_half, cost::divide, rule::ex2},
    {"lg2", mnemonic::lg2, "d a", m_ftz | m_approx, t_f32, cost::divide},
    {"sin", mnemonic::sin, "d a", m_ftz | m_approx, t_f32, cost::divide},
    {"cos", mnemonic::cos, "d a", m_ftz | m_approx, t_f32, cost::divide},
    {"tanh", mnemonic::tanh, "d a", m_approx, t_f32 | t_half, cost::divide, rule::general, m_approx},
    {"copysign", mnemonic::copysign, "d a a", 0, t_f},
    {"testp", mnemonic::testp, "p a", m_test, t_f, cost::other, rule::general, m_test},
    {"dp2a", mnemonic::dp2a, "d:sum b32 b32 a:sum", m_part | m_two_types, t_32, cost::multiply, rule::general, m_part},
    {"dp4a", mnemonic::dp4a, "d:sum b32 b32 a:sum", m_two_types, t_32, cost::multiply},
    {"not", mnemonic::not_, "d a", 0, t_b | t_pred},
    {"cnot", mnemonic::cnot, "d a", 0, t_b},
    {"and", mnemonic::and_, "d a a", 0, t_b | t_pred},
    {"or", mnemonic::or_, "d a a", 0, t_b | t_pred},
    {"xor", mnemonic::xor_, "d a a", 0, t_b | t_pred},
    {"shl", mnemonic::shl, "d a u32", 0, t_b},
    {"shr", mnemonic::shr, "d a u32", 0, t_b | t_int},
    {"shf", mnemonic::shf, "d a a u32", m_direction | m_clamp, t_b32, cost::other, rule::general,
     m_direction | m_clamp},
    {"lop3", mnemonic::lop3, "d(|p) a a a u32 q?combined", m_combine, t_b32, cost::other, rule::lop3},
    {"clz", mnemonic::clz, "d:u32 a", 0, t_b32 | bit(scalar_type::b64)},
    {"popc", mnemonic::popc, "d:u32 a", 0, t_b32 | bit(scalar_type::b64)},
    {"brev", mnemonic::brev, "d a", 0, t_b32 | bit(scalar_type::b64)},
    {"bfe", mnemonic::bfe, "d a u32 u32", 0, t_32 | t_64},
    {"bfi", mnemonic::bfi, "d a a u32 u32", 0, t_b32 | bit(scalar_type::b64)},
    {"bfind", mnemonic::bfind, "d:u32 a", m_shiftamt, t_32 | t_64},
    {"bmsk", mnemonic::bmsk, "d u32 u32", m_clamp, t_b32, cost::other, rule::general, m_clamp},
    {"fns", mnemonic::fns, "d a a s32", 0, t_b32},
    {"szext", mnemonic::szext, "d a a", m_clamp, t_32, cost::other, rule::general, m_clamp},
    {"prmt", mnemonic::prmt, "d a a a", m_permute, t_b32},
    {"vadd", mnemonic::vadd, "vd va vb a?merged", m_video_op, t_32, cost::other, rule::video},
    {"vsub", mnemonic::vsub, "vd va vb a?merged", m_video_op, t_32, cost::other, rule::video},
    {"vabsdiff", mnemonic::vabsdiff, "vd va vb a?merged", m_video_op, t_32, cost::other, rule::video},
    {"vmin", mnemonic::vmin, "vd va vb a?merged", m_video_op, t_32, cost::other, rule::video},
    {"vmax", mnemonic::vmax, "vd va vb a?merged", m_video_op, t_32, cost::other, rule::video},
    {"vshl", mnemonic::vshl, "vd va vb a?merged", m_video_op | m_clamp, t_32, cost::other, rule::video, m_clamp},
    {"vshr", mnemonic::vshr, "vd va vb a?merged", m_video_op | m_clamp, t_32, cost::other, rule::video, m_clamp},
    {"vadd2", mnemonic::vadd, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vadd4", mnemonic::vadd, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vsub2", mnemonic::vsub, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vsub4", mnemonic::vsub, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vavrg2", mnemonic::vavrg, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vavrg4", mnemonic::vavrg, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vabsdiff2", mnemonic::vabsdiff, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vabsdiff4", mnemonic::vabsdiff, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vmin2", mnemonic::vmin, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vmin4", mnemonic::vmin, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vmax2", mnemonic::vmax, "vd va vb a", m_video_op | m_two, t_32, cost::other, rule::video},
    {"vmax4", mnemonic::vmax, "vd va vb a", m_video_op | m_four, t_32, cost::other, rule::video},
    {"vset", mnemonic::vset, "vd va vb a?merged", m_video | m_compare | m_two_types | m_atomic, t_32, cost::other,
     rule::video},
    {"vset2", mnemonic::vset, "vd va vb a", m_video | m_compare | m_two_types | m_atomic | m_two, t_32, cost::other,
     rule::video},
    {"vset4", mnemonic::vset, "vd va vb a", m_video | m_compare | m_two_types | m_atomic | m_four, t_32, cost::other,
     rule::video},
    {"vmad", mnemonic::vmad, "d -va -vb -a", m_video | m_sat | m_three_types, t_32, cost::multiply},
    {"setp", mnemonic::setp, "p a a q?combined", m_compare | m_combine | m_ftz, t_all | t_half, cost::other,
     rule::comparison, m_compare},
    {"set", mnemonic::set, "d a:2 a:2 q?combined", m_compare | m_combine | m_ftz | m_two_types, t_all | t_half,
     cost::other, rule::comparison, m_compare},
    {"selp", mnemonic::selp, "d a a q", 0, t_all},
    {"slct", mnemonic::slct, "d a a a:2", m_ftz | m_two_types, t_all, cost::other, rule::slct},
    {"cvt", mnemonic::cvt, "d~ a:2~ a:2?pair",
     m_ftz | m_sat | m_round | m_round_int | m_two_types | m_relu | m_satfinite | m_pack,
     t_int | t_f | t_8 | t_half | t_b32 | t_fp8 | bit(scalar_type::tf32), cost::other, rule::conversion},
    {"cvt.pack", mnemonic::cvt_pack, "d:b32 a:2 a:2 a:3?third", 0, 0, cost::other, rule::pack},
    {"mov", mnemonic::mov, "d* a*", m_vector, t_all | t_128 | t_pred, cost::other, rule::vector_move},
    {"cvta", mnemonic::cvta, "d a", m_space | m_to, t_address, cost::other, rule::general, m_space},
    {"isspacep", mnemonic::isspacep, "p ptr:u64", m_space | m_no_type, 0, cost::other, rule::general, m_space},
    {"ld", mnemonic::ld, "to~ @ b64?hinted", m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8, cost::memory,
     rule::access},
    {"ldu", mnemonic::ld, "to~ @", m_space | m_vector, t_all | t_128 | t_8, cost::memory, rule::access},
    {"st", mnemonic::st, "@ from~ b64?hinted", m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8,
     cost::memory, rule::access},
    {"atom", mnemonic::atom, "d* @ a* a?cas b64?hinted", m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half | t_128, cost::memory, rule::atomic},
    {"red", mnemonic::red, "@ a* b64?hinted", m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half, cost::memory, rule::atomic},
    {"prefetch", mnemonic::prefetch, "@:b8", m_space | m_cache | m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"prefetchu", mnemonic::prefetch, "@:b8", m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"applypriority", mnemonic::prefetch, "@:b8 u32", m_space | m_cache | m_no_type, 0, cost::other, rule::prefetch},
    {"discard", mnemonic::prefetch, "@:b8 u32", m_space | m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"cp", mnemonic::cp_async, "@:b32 @:b32 a:size?size a:size?size a:size?size", m_async | m_cache | m_no_type, 0,
     cost::memory},
    {"cp.async.wait", mnemonic::cp_async_wait, "u32?given", 0, 0},
    {"membar", mnemonic::membar, "", m_order | m_no_type, 0},
    {"fence", mnemonic::membar, "", m_order | m_no_type, 0},
    {"bar", mnemonic::bar, "dp?reduced u32 u32?counted q?reduced", m_barrier | m_atomic | m_aligned,
     t_pred | bit(scalar_type::u32), cost::other, rule::barrier, m_barrier},
    {"barrier", mnemonic::bar, "dp?reduced u32 u32?counted q?reduced", m_barrier | m_atomic,
     t_pred | bit(scalar_type::u32), cost::other, rule::barrier, m_barrier},
    {"bar.warp", mnemonic::bar_warp, "u32", 0, 0},
    {"mapa", mnemonic::mapa, "d a u32", 0, t_address},
    {"getctarank", mnemonic::getctarank, "d:u32 a", 0, t_address},
    {"shfl", mnemonic::shfl, "d|p a u32 u32 u32?sync", m_shuffle | m_sync, t_b32, cost::other, rule::general,
     m_shuffle},
    {"vote", mnemonic::vote, "dp q u32?sync", m_vote | m_sync, t_b32 | t_pred, cost::other, rule::vote, m_vote},
    {"match", mnemonic::match, "d(|p):b32 a u32", m_vote | m_sync, t_b32 | bit(scalar_type::b64), cost::other,
     rule::match, m_sync},
    {"activemask", mnemonic::activemask, "d", 0, t_b32},
    {"redux", mnemonic::redux, "d a u32", m_atomic | m_sync, t_32 | t_b32, cost::other, rule::redux, m_sync},
    {"elect", mnemonic::elect, "d|p:b32 u32", m_sync | m_no_type, 0, cost::other, rule::general, m_sync},
    {"bra", mnemonic::bra, "label", m_uni | m_no_type, 0},
    {"brx", mnemonic::brx, "", m_idx | m_uni | m_no_type, 0, cost::other, rule::general, m_idx},
    {"call", mnemonic::call, "", m_uni | m_no_type, 0},
    {"exit", mnemonic::exit, "", m_no_type, 0},
    {"ret", mnemonic::ret, "", m_uni | m_no_type, 0},
    {"trap", mnemonic::trap, "", m_no_type, 0},
    {"brkpt", mnemonic::brkpt, "", m_no_type, 0},
    {"nanosleep", mnemonic::nanosleep, "a", 0, bit(scalar_type::u32)},
    {"pmevent", mnemonic::nop, "u32", m_no_type, 0},
    {"griddepcontrol", mnemonic::nop, "", m_no_type, 0},
    {"setmaxnreg", mnemonic::nop, "u32", 0, t_32},
    {"createpolicy", mnemonic::createpolicy, "d:b64 f32?fraction b64?property @:b8?range u32?range u32?range", m_policy,
     bit(scalar_type::b64)},
};

/// The row of an operation; of an operation that no text was read for, the row of no instruction.
constexpr const instruction_row& row_of(const operation& o) { return instruction_set[o.row]; }

/// The number of the first row of a mnemonic.
constexpr std::uint8_t first_row(mnemonic m) {
  std::uint8_t row = 0;
  while (instruction_set[row].op != m) ++row;
  return row;
}

/// True for vadd to vmad: instructions on one, two or four numbers in a word, with selectors.
constexpr bool is_video(const operation& o) { return (row_of(o).modifiers & m_video) != 0; }

}  // namespace detail

/// The name of an instruction: "add", "not".
[[nodiscard]] constexpr std::string_view to_string(mnemonic m) {
  return detail::instruction_set[detail::first_row(m)].name;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

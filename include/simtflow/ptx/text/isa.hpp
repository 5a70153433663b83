// SPDX-License-Identifier: BSL-1.0
//
// The instruction set: one row an instruction. A row says everything about an instruction except what it computes: its
// name, its operands, the modifiers and types that it may have, what it costs, which rules its modifiers and types must
// obey, and the modifiers that it cannot be without. The parser of opcodes, the verifier, signatures, latencies, the
// decoder and the cycle model read the rows.
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
  vector_move, access, atomic, barrier, vote, match, redux, prefetch, texture, matrix,
  mbarrier, bulk, cluster
};
// clang-format on

/// The operation of an instruction as far as its time in a pipeline goes, whatever its type.
enum class timing_kind : std::uint8_t {
  none,          ///< a row that states no cost
  simple,        ///< no other kind
  add,           ///< sum or difference
  extreme,       ///< minimum or maximum
  multiply,      ///< product
  multiply_add,  ///< product and sum
  divide,        ///< quotient or remainder
  special,       ///< root, reciprocal, transcendental function
  control,       ///< branch, call, return, end
  barrier,       ///< barrier of a thread block
  exchange,      ///< exchange between lanes of a warp
  load,          ///< reads memory
  store,         ///< writes memory
  atomic         ///< reads and writes memory in one step
};

/// The cost of an instruction, in classes.
struct instruction_cost {
  latency_class latency;  ///< memory: the state space decides; add: products for .f64
  timing_kind timing;     ///< the kind in the cycle model
};

/// The costs that rows name.
namespace cost {
inline constexpr instruction_cost none{latency_class::other, timing_kind::none};
inline constexpr instruction_cost other{latency_class::other, timing_kind::simple};
inline constexpr instruction_cost add{latency_class::add, timing_kind::add};
inline constexpr instruction_cost sign{latency_class::add, timing_kind::simple};
inline constexpr instruction_cost extreme{latency_class::add, timing_kind::extreme};
inline constexpr instruction_cost multiply{latency_class::multiply, timing_kind::multiply};
inline constexpr instruction_cost multiply_add{latency_class::multiply, timing_kind::multiply_add};
inline constexpr instruction_cost divide{latency_class::divide, timing_kind::divide};
inline constexpr instruction_cost special{latency_class::divide, timing_kind::special};
inline constexpr instruction_cost video_add{latency_class::other, timing_kind::add};
inline constexpr instruction_cost video_extreme{latency_class::other, timing_kind::extreme};
inline constexpr instruction_cost control{latency_class::other, timing_kind::control};
inline constexpr instruction_cost barrier{latency_class::other, timing_kind::barrier};
inline constexpr instruction_cost exchange{latency_class::other, timing_kind::exchange};
inline constexpr instruction_cost load{latency_class::memory, timing_kind::load};
inline constexpr instruction_cost store{latency_class::memory, timing_kind::store};
inline constexpr instruction_cost atomic{latency_class::memory, timing_kind::atomic};
}  // namespace cost

/// One instruction.
struct instruction_row {
  std::string_view name;       ///< the word before the first dot
  mnemonic op;                 ///< rows of one mnemonic compute alike: add and addc
  operand_pattern operands;    ///< see operand_pattern.hpp
  std::uint64_t modifiers;     ///< bits of modifier
  std::uint32_t types;         ///< bits of scalar_type
  instruction_cost cost;       ///< what it costs
  rule check = rule::general;  ///< what else must agree
  std::uint64_t required = 0;  ///< the modifiers that it cannot be without
};

inline constexpr instruction_row instruction_set[] = {
    {".", mnemonic::invalid, "", m_no_type, 0, cost::none},  // row 0: no instruction
    {"add", mnemonic::add, "d a a", m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half | t_pairs, cost::add,
     rule::sum},
    {"addc", mnemonic::add, "d a a", m_cc | m_carry_in, t_32 | t_64, cost::add, rule::sum},
    {"sub", mnemonic::sub, "d a a", m_ftz | m_sat | m_round | m_cc, t_int | t_f | t_half, cost::add, rule::sum},
    {"subc", mnemonic::sub, "d a a", m_cc | m_carry_in, t_32 | t_64, cost::add, rule::sum},
    {"mul", mnemonic::mul, "d:wide a a", m_ftz | m_sat | m_round | m_part | m_wide, t_int | t_f | t_half,
     cost::multiply, rule::sum},
    {"mad", mnemonic::mad, "d:wide a a a:wide", m_ftz | m_sat | m_round | m_part | m_wide | m_cc, t_int | t_f,
     cost::multiply_add, rule::sum},
    {"madc", mnemonic::mad, "d:wide a a a:wide", m_part | m_cc | m_carry_in, t_32 | t_64, cost::multiply_add,
     rule::sum},
    {"mul24", mnemonic::mul24, "d a a", m_part, t_32, cost::multiply, rule::product24, m_part},
    {"mad24", mnemonic::mad24, "d a a a", m_part | m_sat, t_32, cost::multiply_add, rule::product24, m_part},
    {"sad", mnemonic::sad, "d a a a", 0, t_int, cost::add},
    {"fma", mnemonic::fma, "d a a a", m_ftz | m_sat | m_round | m_relu, t_f | t_half, cost::multiply_add, rule::fma,
     m_round},
    {"div", mnemonic::div, "d a a", m_ftz | m_round | m_approx, t_int | t_f, cost::divide, rule::quotient},
    {"rem", mnemonic::rem, "d a a", 0, t_int, cost::divide},
    {"neg", mnemonic::neg, "d a", m_ftz, t_s | t_f | t_half, cost::sign},
    {"abs", mnemonic::abs, "d a", m_ftz, t_s | t_f | t_half, cost::sign},
    {"min", mnemonic::min, "d a a", m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, cost::extreme,
     rule::extreme},
    {"max", mnemonic::max, "d a a", m_ftz | m_nan | m_relu, t_int | t_f | t_half | t_pairs, cost::extreme,
     rule::extreme},
    {"rcp", mnemonic::rcp, "d a", m_ftz | m_round | m_approx, t_f, cost::special, rule::root},
    {"sqrt", mnemonic::sqrt, "d a", m_ftz | m_round | m_approx, t_f, cost::special, rule::root},
    {"rsqrt", mnemonic::rsqrt, "d a", m_ftz | m_approx, t_f, cost::special, rule::root},
    {"ex2", mnemonic::ex2, "d a", m_ftz | m_approx, t_f32 | t_half, cost::special, rule::ex2},
    {"lg2", mnemonic::lg2, "d a", m_ftz | m_approx, t_f32, cost::special},
    {"sin", mnemonic::sin, "d a", m_ftz | m_approx, t_f32, cost::special},
    {"cos", mnemonic::cos, "d a", m_ftz | m_approx, t_f32, cost::special},
    {"tanh", mnemonic::tanh, "d a", m_approx, t_f32 | t_half, cost::special, rule::general, m_approx},
    {"copysign", mnemonic::copysign, "d a a", 0, t_f, cost::other},
    {"testp", mnemonic::testp, "p a", m_test, t_f, cost::other, rule::general, m_test},
    {"dp2a", mnemonic::dp2a, "d:sum b32 b32 a:sum", m_part | m_two_types, t_32, cost::multiply_add, rule::general,
     m_part},
    {"dp4a", mnemonic::dp4a, "d:sum b32 b32 a:sum", m_two_types, t_32, cost::multiply_add},
    {"not", mnemonic::not_, "d a", 0, t_b | t_pred, cost::other},
    {"cnot", mnemonic::cnot, "d a", 0, t_b, cost::other},
    {"and", mnemonic::and_, "d a a", 0, t_b | t_pred, cost::other},
    {"or", mnemonic::or_, "d a a", 0, t_b | t_pred, cost::other},
    {"xor", mnemonic::xor_, "d a a", 0, t_b | t_pred, cost::other},
    {"shl", mnemonic::shl, "d a u32", 0, t_b, cost::other},
    {"shr", mnemonic::shr, "d a u32", 0, t_b | t_int, cost::other},
    {"shf", mnemonic::shf, "d a a u32", m_direction | m_clamp, t_b32, cost::other, rule::general,
     m_direction | m_clamp},
    {"lop3", mnemonic::lop3, "d(|p) a a a u32 q?combined", m_combine, t_b32, cost::other, rule::lop3},
    {"clz", mnemonic::clz, "d:u32 a", 0, t_b32 | bit(scalar_type::b64), cost::other},
    {"popc", mnemonic::popc, "d:u32 a", 0, t_b32 | bit(scalar_type::b64), cost::other},
    {"brev", mnemonic::brev, "d a", 0, t_b32 | bit(scalar_type::b64), cost::other},
    {"bfe", mnemonic::bfe, "d a u32 u32", 0, t_32 | t_64, cost::other},
    {"bfi", mnemonic::bfi, "d a a u32 u32", 0, t_b32 | bit(scalar_type::b64), cost::other},
    {"bfind", mnemonic::bfind, "d:u32 a", m_shiftamt, t_32 | t_64, cost::other},
    {"bmsk", mnemonic::bmsk, "d u32 u32", m_clamp, t_b32, cost::other, rule::general, m_clamp},
    {"fns", mnemonic::fns, "d a a s32", 0, t_b32, cost::other},
    {"szext", mnemonic::szext, "d a a", m_clamp, t_32, cost::other, rule::general, m_clamp},
    {"prmt", mnemonic::prmt, "d a a a", m_permute, t_b32, cost::other},
    {"vadd", mnemonic::vadd, "vd va vb a?merged", m_video_op, t_32, cost::video_add, rule::video},
    {"vsub", mnemonic::vsub, "vd va vb a?merged", m_video_op, t_32, cost::video_add, rule::video},
    {"vabsdiff", mnemonic::vabsdiff, "vd va vb a?merged", m_video_op, t_32, cost::video_add, rule::video},
    {"vmin", mnemonic::vmin, "vd va vb a?merged", m_video_op, t_32, cost::video_extreme, rule::video},
    {"vmax", mnemonic::vmax, "vd va vb a?merged", m_video_op, t_32, cost::video_extreme, rule::video},
    {"vshl", mnemonic::vshl, "vd va vb a?merged", m_video_op | m_clamp, t_32, cost::other, rule::video, m_clamp},
    {"vshr", mnemonic::vshr, "vd va vb a?merged", m_video_op | m_clamp, t_32, cost::other, rule::video, m_clamp},
    {"vadd2", mnemonic::vadd, "vd va vb a", m_video_op | m_two, t_32, cost::video_add, rule::video},
    {"vadd4", mnemonic::vadd, "vd va vb a", m_video_op | m_four, t_32, cost::video_add, rule::video},
    {"vsub2", mnemonic::vsub, "vd va vb a", m_video_op | m_two, t_32, cost::video_add, rule::video},
    {"vsub4", mnemonic::vsub, "vd va vb a", m_video_op | m_four, t_32, cost::video_add, rule::video},
    {"vavrg2", mnemonic::vavrg, "vd va vb a", m_video_op | m_two, t_32, cost::video_add, rule::video},
    {"vavrg4", mnemonic::vavrg, "vd va vb a", m_video_op | m_four, t_32, cost::video_add, rule::video},
    {"vabsdiff2", mnemonic::vabsdiff, "vd va vb a", m_video_op | m_two, t_32, cost::video_add, rule::video},
    {"vabsdiff4", mnemonic::vabsdiff, "vd va vb a", m_video_op | m_four, t_32, cost::video_add, rule::video},
    {"vmin2", mnemonic::vmin, "vd va vb a", m_video_op | m_two, t_32, cost::video_extreme, rule::video},
    {"vmin4", mnemonic::vmin, "vd va vb a", m_video_op | m_four, t_32, cost::video_extreme, rule::video},
    {"vmax2", mnemonic::vmax, "vd va vb a", m_video_op | m_two, t_32, cost::video_extreme, rule::video},
    {"vmax4", mnemonic::vmax, "vd va vb a", m_video_op | m_four, t_32, cost::video_extreme, rule::video},
    {"vset", mnemonic::vset, "vd va vb a?merged", m_video | m_compare | m_two_types | m_atomic, t_32, cost::other,
     rule::video},
    {"vset2", mnemonic::vset, "vd va vb a", m_video | m_compare | m_two_types | m_atomic | m_two, t_32, cost::other,
     rule::video},
    {"vset4", mnemonic::vset, "vd va vb a", m_video | m_compare | m_two_types | m_atomic | m_four, t_32, cost::other,
     rule::video},
    {"vmad", mnemonic::vmad, "d -va -vb -a", m_video | m_sat | m_three_types, t_32, cost::multiply_add},
    {"setp", mnemonic::setp, "p a a q?combined", m_compare | m_combine | m_ftz, t_all | t_half, cost::other,
     rule::comparison, m_compare},
    {"set", mnemonic::set, "d a:2 a:2 q?combined", m_compare | m_combine | m_ftz | m_two_types, t_all | t_half,
     cost::other, rule::comparison, m_compare},
    {"selp", mnemonic::selp, "d a a q", 0, t_all, cost::other},
    {"slct", mnemonic::slct, "d a a a:2", m_ftz | m_two_types, t_all, cost::other, rule::slct},
    {"cvt", mnemonic::cvt, "d~ a:2~ a:2?pair",
     m_ftz | m_sat | m_round | m_round_int | m_two_types | m_relu | m_satfinite | m_pack,
     t_int | t_f | t_8 | t_half | t_b32 | t_fp8 | bit(scalar_type::tf32), cost::other, rule::conversion},
    {"cvt.pack", mnemonic::cvt_pack, "d:b32 a:2 a:2 a:3?third", 0, 0, cost::other, rule::pack},
    {"mov", mnemonic::mov, "d* a*", m_vector, t_all | t_128 | t_pred, cost::other, rule::vector_move},
    {"cvta", mnemonic::cvta, "d a", m_space | m_to, t_address, cost::other, rule::general, m_space},
    {"isspacep", mnemonic::isspacep, "p ptr:u64", m_space | m_no_type, 0, cost::other, rule::general, m_space},
    {"ld", mnemonic::ld, "to~ @ b64?hinted", m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8, cost::load,
     rule::access},
    {"ldu", mnemonic::ld, "to~ @", m_space | m_vector, t_all | t_128 | t_8, cost::load, rule::access},
    {"st", mnemonic::st, "@ from~ b64?hinted", m_space | m_vector | m_order | m_cache, t_all | t_128 | t_8, cost::store,
     rule::access},
    {"atom", mnemonic::atom, "d* @ a* a?cas b64?hinted", m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half | t_128, cost::atomic, rule::atomic},
    {"red", mnemonic::red, "@ a* b64?hinted", m_space | m_atomic | m_vector | m_order | m_cache | m_noftz,
     t_32 | t_64 | t_f | t_b | t_half, cost::atomic, rule::atomic},
    {"prefetch", mnemonic::prefetch, "@:b8", m_space | m_cache | m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"prefetchu", mnemonic::prefetch, "@:b8", m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"applypriority", mnemonic::prefetch, "@:b8 u32", m_space | m_cache | m_no_type, 0, cost::other, rule::prefetch},
    {"discard", mnemonic::prefetch, "@:b8 u32", m_space | m_level | m_no_type, 0, cost::other, rule::prefetch},
    {"cp", mnemonic::cp_async, "@:b32 @:b32 a:size?size a:size?size a:size?size", m_async | m_cache | m_no_type, 0,
     cost::load},
    {"cp.async.wait", mnemonic::cp_async_wait, "u32?given", 0, 0, cost::other},
    {"cp.async.mbarrier.arrive", mnemonic::cp_async_arrive, "@", m_space | m_phase, bit(scalar_type::b64), cost::atomic,
     rule::mbarrier},
    {"cp.async.bulk", mnemonic::bulk_copy, "@ @ u32 @?reporting b64?hinted", m_bulk | m_cache | m_no_type, 0,
     cost::load, rule::bulk, m_bulk},
    {"cp.async.bulk.prefetch", mnemonic::prefetch, "@ u32 b64?hinted", m_space | m_level | m_cache | m_no_type, 0,
     cost::other, rule::prefetch, m_space},
    {"cp.async.bulk.commit_group", mnemonic::cp_async_wait, "", m_no_type, 0, cost::other},
    {"cp.async.bulk.wait_group", mnemonic::cp_async_wait, "u32", m_bulk | m_no_type, 0, cost::other},
    {"cp.reduce.async.bulk", mnemonic::bulk_reduce, "@ @ u32 @?reporting b64?hinted",
     m_bulk | m_cache | m_atomic | m_noftz, t_32 | t_64 | t_b32 | t_f | bit(scalar_type::b64) | t_half, cost::atomic,
     rule::bulk, m_bulk | m_atomic},
    {"membar", mnemonic::membar, "", m_order | m_no_type, 0, cost::other},
    {"fence", mnemonic::membar, "", m_order | m_no_type, 0, cost::other},
    {"bar", mnemonic::bar, "dp?reduced u32 u32?counted q?reduced", m_barrier | m_atomic | m_aligned,
     t_pred | bit(scalar_type::u32), cost::barrier, rule::barrier, m_barrier},
    {"barrier", mnemonic::bar, "dp?reduced u32 u32?counted q?reduced", m_barrier | m_atomic,
     t_pred | bit(scalar_type::u32), cost::barrier, rule::barrier, m_barrier},
    {"barrier.cluster.arrive", mnemonic::nop, "", m_order | m_aligned_word | m_no_type, 0, cost::other, rule::cluster},
    {"barrier.cluster.wait", mnemonic::bar, "", m_order | m_aligned_word | m_no_type, 0, cost::barrier, rule::cluster},
    {"bar.warp", mnemonic::bar_warp, "u32", 0, 0, cost::exchange},
    {"mbarrier.init", mnemonic::mbarrier_init, "@ u32", m_space, bit(scalar_type::b64), cost::store, rule::mbarrier},
    {"mbarrier.inval", mnemonic::mbarrier_inval, "@", m_space, bit(scalar_type::b64), cost::store, rule::mbarrier},
    {"mbarrier.expect_tx", mnemonic::mbarrier_expect_tx, "@ u32", m_space | m_order, bit(scalar_type::b64),
     cost::atomic, rule::mbarrier},
    {"mbarrier.complete_tx", mnemonic::mbarrier_complete_tx, "@ u32", m_space | m_order, bit(scalar_type::b64),
     cost::atomic, rule::mbarrier},
    {"mbarrier.arrive", mnemonic::mbarrier_arrive, "d @ u32?given", m_space | m_order | m_phase, bit(scalar_type::b64),
     cost::atomic, rule::mbarrier},
    {"mbarrier.arrive_drop", mnemonic::mbarrier_arrive_drop, "d @ u32?given", m_space | m_order | m_phase,
     bit(scalar_type::b64), cost::atomic, rule::mbarrier},
    {"mbarrier.test_wait", mnemonic::mbarrier_wait, "d:pred @ a:2", m_space | m_order | m_phase, bit(scalar_type::b64),
     cost::load, rule::mbarrier},
    {"mbarrier.try_wait", mnemonic::mbarrier_wait, "d:pred @ a:2 u32?given", m_space | m_order | m_phase,
     bit(scalar_type::b64), cost::load, rule::mbarrier},
    {"mbarrier.pending_count", mnemonic::mbarrier_pending_count, "d:u32 a", 0, bit(scalar_type::b64), cost::other},
    {"mapa", mnemonic::mapa, "d a u32", m_space, t_address, cost::other, rule::cluster},
    {"getctarank", mnemonic::getctarank, "d:u32 a", m_space, t_address, cost::other, rule::cluster},
    {"alloca", mnemonic::alloca_, "d a u32?given", 0, t_address, cost::other},
    {"stacksave", mnemonic::stacksave, "d", 0, t_address, cost::other},
    {"stackrestore", mnemonic::stackrestore, "a", 0, t_address, cost::other},
    {"tex", mnemonic::tex, "to # a:2?level xy?grad xy?grad", m_texture | m_vector | m_two_types, t_32 | t_f32 | t_f16,
     cost::load, rule::texture},
    {"tld4", mnemonic::tld4, "to #", m_texture | m_vector | m_two_types, t_32 | t_f32, cost::load, rule::texture},
    {"txq", mnemonic::txq, "d # u32?level", m_texture, t_b32, cost::other, rule::texture},
    {"suq", mnemonic::txq, "d #", m_texture, t_b32, cost::other, rule::texture},
    {"istypep", mnemonic::istypep, "p ptr:u64", m_texture | m_no_type, 0, cost::other, rule::texture},
    {"suld", mnemonic::suld, "to~ #", m_texture | m_vector | m_cache, t_b | bit(scalar_type::b8), cost::load,
     rule::texture},
    {"sust", mnemonic::sust, "# from~", m_texture | m_vector | m_cache, t_b | bit(scalar_type::b8), cost::store,
     rule::texture},
    {"sured", mnemonic::sured, "# a", m_texture | m_atomic, t_32 | t_64 | t_b32 | bit(scalar_type::b64), cost::atomic,
     rule::texture},
    {"shfl", mnemonic::shfl, "d|p a u32 u32 u32?sync", m_shuffle | m_sync, t_b32, cost::exchange, rule::general,
     m_shuffle},
    {"vote", mnemonic::vote, "dp q u32?sync", m_vote | m_sync, t_b32 | t_pred, cost::exchange, rule::vote, m_vote},
    {"match", mnemonic::match, "d(|p):b32 a u32", m_vote | m_sync, t_b32 | bit(scalar_type::b64), cost::exchange,
     rule::match, m_sync},
    {"activemask", mnemonic::activemask, "d", 0, t_b32, cost::exchange},
    {"redux", mnemonic::redux, "d a u32", m_atomic | m_sync, t_32 | t_b32, cost::exchange, rule::redux, m_sync},
    {"elect", mnemonic::elect, "d|p:b32 u32", m_sync | m_no_type, 0, cost::exchange, rule::general, m_sync},
    {"mma", mnemonic::mma, "md ma mb mc", m_matrix, 0, cost::multiply_add, rule::matrix},
    {"wmma", mnemonic::wmma_mma, "md ma mb mc", m_matrix, 0, cost::multiply_add, rule::matrix},
    {"wmma.load", mnemonic::wmma_load, "md @ u32?given", m_matrix, 0, cost::load, rule::matrix},
    {"wmma.store", mnemonic::wmma_store, "@ ms u32?given", m_matrix, 0, cost::store, rule::matrix},
    {"ldmatrix", mnemonic::ldmatrix, "md @", m_matrix, 0, cost::load, rule::matrix},
    {"stmatrix", mnemonic::stmatrix, "@ ms", m_matrix, 0, cost::store, rule::matrix},
    {"movmatrix", mnemonic::movmatrix, "d a", m_matrix, 0, cost::exchange, rule::matrix},
    {"wgmma.mma_async", mnemonic::wgmma_mma, "md ma|desc b64 q s32?scaled s32?scaled s32?major s32?majors", m_matrix, 0,
     cost::multiply_add, rule::matrix},
    {"wgmma.fence", mnemonic::wgmma_fence, "", m_sync | m_aligned_word | m_no_type, 0, cost::other, rule::general,
     m_sync},
    {"wgmma.commit_group", mnemonic::wgmma_fence, "", m_sync | m_aligned_word | m_no_type, 0, cost::other,
     rule::general, m_sync},
    {"wgmma.wait_group", mnemonic::wgmma_wait, "u32", m_sync | m_aligned_word | m_no_type, 0, cost::barrier,
     rule::general, m_sync},
    {"bra", mnemonic::bra, "label", m_uni | m_no_type, 0, cost::control},
    {"brx", mnemonic::brx, "", m_idx | m_uni | m_no_type, 0, cost::control, rule::general, m_idx},
    {"call", mnemonic::call, "", m_uni | m_no_type, 0, cost::control},
    {"exit", mnemonic::exit, "", m_no_type, 0, cost::control},
    {"ret", mnemonic::ret, "", m_uni | m_no_type, 0, cost::control},
    {"trap", mnemonic::trap, "", m_no_type, 0, cost::control},
    {"brkpt", mnemonic::brkpt, "", m_no_type, 0, cost::other},
    {"nanosleep", mnemonic::nanosleep, "a", 0, bit(scalar_type::u32), cost::other},
    {"pmevent", mnemonic::nop, "u32", m_no_type, 0, cost::other},
    {"griddepcontrol", mnemonic::nop, "", m_no_type, 0, cost::other},
    {"setmaxnreg", mnemonic::nop, "u32", 0, t_32, cost::other},
    {"createpolicy", mnemonic::createpolicy, "d:b64 f32?fraction b64?property @:b8?range u32?range u32?range", m_policy,
     bit(scalar_type::b64), cost::other},
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

/// True for copies in bulk.
constexpr bool is_bulk(const operation& o) { return o.name == mnemonic::bulk_copy || o.name == mnemonic::bulk_reduce; }

}  // namespace detail

/// The name of an instruction: "add", "not".
[[nodiscard]] constexpr std::string_view to_string(mnemonic m) {
  return detail::instruction_set[detail::first_row(m)].name;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

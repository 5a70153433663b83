// SPDX-License-Identifier: BSL-1.0
//
// Sets of modifiers and of types, as the rows of the instruction set write them.
#pragma once

#include <simtflow/ptx/text/types.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The modifiers that an instruction may have, as bits of instruction_row::modifiers.
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
  m_idx = 1U << 31,
  m_satfinite = std::uint64_t{1} << 32,
  m_three_types = std::uint64_t{1} << 33,
  m_video = std::uint64_t{1} << 35,
  m_pack = std::uint64_t{1} << 36,
  m_async = std::uint64_t{1} << 37,
  m_level = std::uint64_t{1} << 38,  // .L1 .L2 alone
  m_noftz = std::uint64_t{1} << 39,
  m_policy = std::uint64_t{1} << 40,
  m_texture = std::uint64_t{1} << 45,       // words of texture and surface instructions
  m_matrix = std::uint64_t{1} << 46,        // words of matrix instructions: matrix_words.hpp
  m_phase = std::uint64_t{1} << 63,         // .expect_tx .noComplete .parity .noinc
  m_bulk = std::uint64_t{1} << 62,          // .bulk_group .mbarrier::complete_tx::bytes, a second state space
  m_aligned_word = std::uint64_t{1} << 61,  // .aligned of barrier.cluster
  // Not words of the text: facts about the row.
  m_carry_in = std::uint64_t{1} << 41,  // addc, subc, madc
  m_aligned = std::uint64_t{1} << 42,   // bar, unlike barrier
  m_two = std::uint64_t{1} << 43,       // two or four numbers in a word
  m_four = std::uint64_t{1} << 44
};

/// Sets of types, as bits of instruction_row::types.
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

/// The modifiers of most video instructions.
inline constexpr std::uint64_t m_video_op = m_video | m_sat | m_three_types | m_atomic;

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

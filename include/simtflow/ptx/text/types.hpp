// SPDX-License-Identifier: BSL-1.0
//
// The types of PTX, its state spaces and its special registers, with their names.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "State Spaces", "Types", "Special Registers".
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace simtflow {
inline namespace v0 {
/// NVIDIA's PTX: text to a module, checks, decoding, and an interpreter that is a lockstep_program.
namespace ptx {

/// The fundamental types.
enum class scalar_type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  u16x2,  // the rest: types of instructions, not of variables
  s16x2,
  tf32,
  e4m3x2,
  e5m2x2
};

/// Untyped bits, an integer with or without sign, a floating-point number, a predicate.
enum class type_class : std::uint8_t { none, predicate, bits, unsigned_integer, signed_integer, floating };

/// What is known of a type.
struct scalar_info {
  std::string_view name;  ///< without the dot
  std::uint32_t size;     ///< bytes; 0 for predicates
  type_class kind;        ///< what its bits mean
};

/// Name, size and class of a type.
[[nodiscard]] constexpr scalar_info info(scalar_type t) {
  constexpr scalar_info table[] = {
      {"none", 0, type_class::none},
      {"pred", 0, type_class::predicate},
      {"b8", 1, type_class::bits},
      {"b16", 2, type_class::bits},
      {"b32", 4, type_class::bits},
      {"b64", 8, type_class::bits},
      {"b128", 16, type_class::bits},
      {"u8", 1, type_class::unsigned_integer},
      {"u16", 2, type_class::unsigned_integer},
      {"u32", 4, type_class::unsigned_integer},
      {"u64", 8, type_class::unsigned_integer},
      {"s8", 1, type_class::signed_integer},
      {"s16", 2, type_class::signed_integer},
      {"s32", 4, type_class::signed_integer},
      {"s64", 8, type_class::signed_integer},
      {"f16", 2, type_class::floating},
      {"f16x2", 4, type_class::floating},
      {"bf16", 2, type_class::floating},
      {"bf16x2", 4, type_class::floating},
      {"f32", 4, type_class::floating},
      {"f64", 8, type_class::floating},
      {"u16x2", 4, type_class::unsigned_integer},
      {"s16x2", 4, type_class::signed_integer},
      {"tf32", 4, type_class::bits},
      {"e4m3x2", 2, type_class::bits},
      {"e5m2x2", 2, type_class::bits},
  };
  return table[static_cast<std::size_t>(t)];
}

/// The type of that name (without the dot), none if there is none.
[[nodiscard]] constexpr scalar_type scalar_named(std::string_view name) {
  for (auto i = static_cast<std::uint8_t>(scalar_type::pred); i <= static_cast<std::uint8_t>(scalar_type::e5m2x2); ++i)
    if (info(static_cast<scalar_type>(i)).name == name) return static_cast<scalar_type>(i);
  return scalar_type::none;
}

/// Where data lives. `generic` is an address that says itself which space it is in.
enum class state_space : std::uint8_t { generic, reg, param, global, shared, local, constant };

/// The name of a state space, without the dot.
[[nodiscard]] constexpr std::string_view to_string(state_space s) {
  constexpr std::string_view table[] = {"generic", "reg", "param", "global", "shared", "local", "const"};
  return table[static_cast<std::size_t>(s)];
}

/// What the hardware tells a thread about itself. pm0, pm0_64 and envreg0 are the first of 8, 8 and 32.
enum class special_register : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  warp_size,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  total_smem_size,
  aggr_smem_size,
  dynamic_smem_size,
  reserved_smem_offset_begin,
  reserved_smem_offset_end,
  reserved_smem_offset_cap,
  reserved_smem_offset_0,
  reserved_smem_offset_1,
  current_graph_exec,
  is_explicit_cluster,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  pm0,
  pm0_64 = pm0 + 8,
  envreg0 = pm0_64 + 8,
  last = envreg0 + 31
};

namespace detail {
// By special register.
inline constexpr std::string_view special_names[] = {"%tid.x",
                                                     "%tid.y",
                                                     "%tid.z",
                                                     "%ntid.x",
                                                     "%ntid.y",
                                                     "%ntid.z",
                                                     "%ctaid.x",
                                                     "%ctaid.y",
                                                     "%ctaid.z",
                                                     "%nctaid.x",
                                                     "%nctaid.y",
                                                     "%nctaid.z",
                                                     "%laneid",
                                                     "%warpid",
                                                     "%nwarpid",
                                                     "WARP_SZ",
                                                     "%smid",
                                                     "%nsmid",
                                                     "%gridid",
                                                     "%lanemask_eq",
                                                     "%lanemask_le",
                                                     "%lanemask_lt",
                                                     "%lanemask_ge",
                                                     "%lanemask_gt",
                                                     "%clock",
                                                     "%clock_hi",
                                                     "%clock64",
                                                     "%globaltimer",
                                                     "%globaltimer_lo",
                                                     "%globaltimer_hi",
                                                     "%total_smem_size",
                                                     "%aggr_smem_size",
                                                     "%dynamic_smem_size",
                                                     "%reserved_smem_offset_begin",
                                                     "%reserved_smem_offset_end",
                                                     "%reserved_smem_offset_cap",
                                                     "%reserved_smem_offset_0",
                                                     "%reserved_smem_offset_1",
                                                     "%current_graph_exec",
                                                     "%is_explicit_cluster",
                                                     "%clusterid.x",
                                                     "%clusterid.y",
                                                     "%clusterid.z",
                                                     "%nclusterid.x",
                                                     "%nclusterid.y",
                                                     "%nclusterid.z",
                                                     "%cluster_ctaid.x",
                                                     "%cluster_ctaid.y",
                                                     "%cluster_ctaid.z",
                                                     "%cluster_nctaid.x",
                                                     "%cluster_nctaid.y",
                                                     "%cluster_nctaid.z",
                                                     "%cluster_ctarank",
                                                     "%cluster_nctarank",
                                                     "%pm0",
                                                     "%pm1",
                                                     "%pm2",
                                                     "%pm3",
                                                     "%pm4",
                                                     "%pm5",
                                                     "%pm6",
                                                     "%pm7",
                                                     "%pm0_64",
                                                     "%pm1_64",
                                                     "%pm2_64",
                                                     "%pm3_64",
                                                     "%pm4_64",
                                                     "%pm5_64",
                                                     "%pm6_64",
                                                     "%pm7_64",
                                                     "%envreg0",
                                                     "%envreg1",
                                                     "%envreg2",
                                                     "%envreg3",
                                                     "%envreg4",
                                                     "%envreg5",
                                                     "%envreg6",
                                                     "%envreg7",
                                                     "%envreg8",
                                                     "%envreg9",
                                                     "%envreg10",
                                                     "%envreg11",
                                                     "%envreg12",
                                                     "%envreg13",
                                                     "%envreg14",
                                                     "%envreg15",
                                                     "%envreg16",
                                                     "%envreg17",
                                                     "%envreg18",
                                                     "%envreg19",
                                                     "%envreg20",
                                                     "%envreg21",
                                                     "%envreg22",
                                                     "%envreg23",
                                                     "%envreg24",
                                                     "%envreg25",
                                                     "%envreg26",
                                                     "%envreg27",
                                                     "%envreg28",
                                                     "%envreg29",
                                                     "%envreg30",
                                                     "%envreg31"};
static_assert(std::size(special_names) == static_cast<std::size_t>(special_register::last) + 1);
}  // namespace detail

/// The spelling of a special register: "%tid.x", "%envreg31".
[[nodiscard]] constexpr std::string_view to_string(special_register r) {
  return detail::special_names[static_cast<std::size_t>(r)];
}

/// Its type: .u32, .u64 or .pred.
[[nodiscard]] constexpr scalar_type type_of(special_register r) {
  if (r == special_register::is_explicit_cluster) return scalar_type::pred;
  const bool wide = r == special_register::clock64 || r == special_register::globaltimer ||
                    r == special_register::gridid || r == special_register::current_graph_exec ||
                    (r >= special_register::pm0_64 && r < special_register::envreg0);
  return wide ? scalar_type::u64 : scalar_type::u32;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

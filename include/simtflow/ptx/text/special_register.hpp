// SPDX-License-Identifier: BSL-1.0
//
// The special registers: what they are called and which type they have.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Special Registers".
#pragma once

#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The registers in which the hardware tells a thread about itself. pm0, pm0_64 and envreg0 are the first of 8, 8 and
/// 32.
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

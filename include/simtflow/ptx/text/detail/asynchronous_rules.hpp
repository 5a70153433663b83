// SPDX-License-Identifier: BSL-1.0
//
// The words and the rules of instructions on mbarriers, and of copies in bulk.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Asynchronous copy", "mbarrier".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// True for a word that only copies in bulk have, and for a memory that they name.
constexpr bool is_bulk_word(std::string_view word) {
  return word == "global" || word == "shared::cta" || word == "shared::cluster" || word == "bulk_group" ||
         word == "mbarrier::complete_tx::bytes" || word == "read";
}

/// Reads such a word into an operation. False if the words before it, as bits of `seen`, leave no room for it.
constexpr bool read_bulk_word(std::string_view word, std::uint64_t& seen, operation& o) {
  if (word == "read" || o.name == mnemonic::cp_async_wait) {
    const bool fresh = (seen & m_bulk) == 0;
    seen |= m_bulk;
    return fresh && word == "read" && o.name == mnemonic::cp_async_wait;
  }
  if (word == "bulk_group" || word == "mbarrier::complete_tx::bytes") {
    const bool fresh = (seen & m_bulk) == 0;
    seen |= m_bulk;
    o.reports = word != "bulk_group";
    return fresh;
  }
  const state_space s = word == "global" ? state_space::global : state_space::shared;
  if ((seen & m_space) == 0) {
    seen |= m_space;
    o.space = s;
    return true;
  }
  o.from = s;
  const bool fresh = (seen & m_to) == 0;
  seen |= m_to;
  return fresh && word != "shared::cluster";
}

namespace rules {

// mbarrier.*, cp.async.mbarrier.arrive
constexpr std::string_view mbarrier(const operation& o) {
  if (o.space != state_space::generic && o.space != state_space::shared) return "an mbarrier is in shared memory";
  const bool arrives = o.name == mnemonic::mbarrier_arrive || o.name == mnemonic::mbarrier_arrive_drop;
  switch (o.form) {
    case mbarrier_form::none:
      return {};
    case mbarrier_form::parity:
      return o.name == mnemonic::mbarrier_wait ? "" : ".parity belongs to a wait";
    case mbarrier_form::no_increment:
      return o.name == mnemonic::cp_async_arrive ? "" : ".noinc belongs to cp.async.mbarrier.arrive";
    default:
      return arrives ? "" : "only an arrival expects transactions or leaves its phase open";
  }
}

// mapa, getctarank, barrier.cluster
constexpr std::string_view cluster(const operation& o) {
  return o.space == state_space::generic || o.space == state_space::shared ? "" : "a cluster shares .shared::cluster";
}

// cp.async.bulk, cp.reduce.async.bulk
constexpr std::string_view bulk(const operation& o) {
  const bool loads = o.space == state_space::shared && o.reports;
  const bool stores = o.space == state_space::global && o.from == state_space::shared && !o.reports;
  if (o.name == mnemonic::bulk_copy)
    return stores || (loads && o.from != state_space::generic) ? "" : "there is no such copy";
  if (!stores && !(loads && o.from == state_space::shared)) return "there is no such copy";
  const scalar_info t = info(o.type);
  const bool half = o.type == scalar_type::f16 || o.type == scalar_type::bf16;
  const bool integer = t.kind == type_class::unsigned_integer || t.kind == type_class::signed_integer;
  switch (o.atomic) {
    case atomic_op::and_:
    case atomic_op::or_:
    case atomic_op::xor_:
      return t.kind == type_class::bits && (t.size == 4 || stores)
                 ? ""
                 : "its operation needs .b32, or .b64 in global memory";
    case atomic_op::inc:
    case atomic_op::dec:
      return o.type == scalar_type::u32 ? "" : ".inc and .dec need .u32";
    case atomic_op::add:
      if (o.type == scalar_type::s64) return ".add has no .s64";
      return integer || (stores && (half || o.type == scalar_type::f32 || o.type == scalar_type::f64))
                 ? ""
                 : "that type cannot be added there";
    case atomic_op::min:
    case atomic_op::max:
      return integer          ? (t.size == 4 || stores ? "" : ".min and .max need 32 bits in shared memory")
             : stores && half ? ""
                              : "that type cannot be compared there";
    default:
      return "it has no result to return";
  }
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

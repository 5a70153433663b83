// SPDX-License-Identifier: BSL-1.0
//
// The words of opcodes that are no value of an enumeration: state spaces, and hints that change nothing here. And the
// instructions that are refused, with the reason.
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Instructions of PTX that are known but do not run here, by what they belong to.
struct refused_row {
  std::string_view names;  // between spaces
  std::string_view why;
};
inline constexpr refused_row refused_table[] = {
    {" tensormap ", "tensors have no memory here"},
    {" tcgen05 ", "asynchronous matrix instructions in tensor memory are not supported"},
    {" clusterlaunchcontrol ", "thread block clusters are not supported"},
    {" multimem ", "not supported"},
};

/// Finds the value of an enumeration that a word means. False if there is none; the first value has no word.
template <class E, std::size_t N>
constexpr bool lookup(const std::string_view (&names)[N], std::string_view word, E& value) {
  for (std::size_t i = 1; i < N; ++i)
    if (names[i] == word) {
      value = static_cast<E>(i);
      return true;
    }
  return false;
}
template <std::size_t N>
constexpr bool among(const std::string_view (&names)[N], std::string_view word) {
  for (const std::string_view name : names)
    if (name == word) return true;
  return false;
}

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
inline constexpr space_name space_names[] = {
    {"global", state_space::global},      {"shared", state_space::shared},
    {"shared::cta", state_space::shared}, {"shared::cluster", state_space::shared},
    {"local", state_space::local},        {"const", state_space::constant},
    {"param", state_space::param},        {"param::entry", state_space::param},
    {"param::func", state_space::param}};

constexpr bool space_named(std::string_view word, state_space& space) {
  for (const space_name& s : space_names)
    if (s.word == word) {
      space = s.space;
      return true;
    }
  return false;
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

/// True for a word that only fences have: which proxies, mbarriers or thread blocks of a cluster they are about.
constexpr bool is_fence_word(std::string_view word) {
  return word == "proxy" || word == "async" || word == "alias" || word.substr(0, 7) == "async::" || word == "global" ||
         word == "shared::cta" || word == "shared::cluster" || word == "mbarrier_init" ||
         word.substr(0, 15) == "sync_restrict::";
}

/// Why a word after the first word `head` of an opcode is refused; empty if there is no more to say than its name.
inline std::string_view refusal_of_word(std::string_view head, std::string_view word) {
  if (word == "tensor") return "copies of tensors are not supported";
  if (word.substr(0, 9) == "multicast") return "thread block clusters are not supported";
  if (word == "async" && (head == "st" || head == "red"))
    return "asynchronous stores to another thread block of a cluster are not supported";
  return {};
}

/// The message about a missing modifier that an instruction cannot be without.
struct required_modifier {
  modifier bit;
  std::string_view why;
};
inline constexpr required_modifier required_modifiers[] = {
    {m_sync, "it needs .sync"},
    {m_direction, "it needs .l or .r"},
    {m_clamp, "it needs .wrap or .clamp"},
    {m_idx, "it needs .idx"},
    {m_round, "it needs a rounding mode"},
    {m_part, "it needs .lo or .hi"},
    {m_approx, "it needs .approx"},
    {m_test, "it needs a property"},
    {m_compare, "it needs a comparison"},
    {m_space, "it needs a state space"},
    {m_bulk, "it needs .bulk_group or .mbarrier::complete_tx::bytes"},
    {m_atomic, "it needs an operation"},
    {m_barrier, "it needs .sync, .arrive or .red"},
    {m_shuffle, "it needs .up, .down, .bfly or .idx"},
    {m_vote, "it needs .all, .any, .uni or .ballot"},
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

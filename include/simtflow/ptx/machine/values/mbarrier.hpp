// SPDX-License-Identifier: BSL-1.0
//
// An mbarrier: a barrier that is an object of 64 bits in shared memory. It counts arrivals and transactions in phases.
//
// A phase waits for a number of arrivals and for transactions, which are bytes that copies bring. Once no arrival and
// no transaction is missing, the next phase begins: it waits for as many arrivals again, less the arrivals that were
// dropped, and for no transaction. Transactions may be completed before they are expected; the number of missing
// transactions is then negative.
//
// The bits of the object are the machine's own: PTX calls them opaque. From the lowest: 20 bits of arrivals that a
// phase waits for, 20 bits of arrivals that are missing, 21 bits of transactions that are missing (two's complement),
// one bit that says that an mbarrier is here, two bits of the phase's number. Memory that starts as zero therefore
// holds no mbarrier. The state that an arrival returns is the object before the arrival.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "mbarrier".
#pragma once

#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The actions of instructions on an mbarrier.
enum class mbarrier_action : std::uint8_t {
  init,               ///< begins its first phase
  inval,              ///< ends the object
  expect,             ///< expects transactions
  complete,           ///< completes transactions
  arrive,             ///< arrives
  arrive_expecting,   ///< expects transactions, then arrives once
  arrive_incomplete,  ///< arrives, and the phase goes on
  drop,               ///< arrives, in this phase and never again
  drop_expecting,     ///< expects transactions, then drops one arrival
  drop_incomplete,    ///< drops arrivals, and the phase goes on
  wait_state,         ///< whether the phase of a state is over
  wait_parity,        ///< whether the phase of a parity is over
  none                ///< nothing but that it must be there
};

namespace detail {

/// The object, taken apart.
struct mbarrier {
  static constexpr std::uint32_t most = (1U << 20) - 1;  ///< arrivals and transactions

  std::uint32_t phase = 0;     ///< modulo 4
  std::uint32_t expected = 0;  ///< arrivals that the next phase waits for
  std::uint32_t pending = 0;   ///< arrivals that are missing
  std::int32_t missing = 0;    ///< transactions

  static constexpr bool is_here(std::uint64_t bits) { return (bits >> 61 & 1) != 0; }
  static constexpr mbarrier from(std::uint64_t bits) {
    const auto transactions = static_cast<std::uint32_t>(bits >> 40 & 0x1F'FFFFU);
    return {static_cast<std::uint32_t>(bits >> 62), static_cast<std::uint32_t>(bits & most),
            static_cast<std::uint32_t>(bits >> 20 & most),
            static_cast<std::int32_t>(transactions ^ 0x10'0000U) - 0x10'0000};
  }
  [[nodiscard]] constexpr std::uint64_t bits() const {
    return std::uint64_t{expected} | std::uint64_t{pending} << 20 |
           std::uint64_t{static_cast<std::uint32_t>(missing) & 0x1F'FFFFU} << 40 | std::uint64_t{1} << 61 |
           std::uint64_t{phase & 3U} << 62;
  }

  // Each of these changes the object and returns what is wrong, or an empty text.

  constexpr std::string_view init(std::uint64_t count) {
    if (count == 0 || count > most) return "an mbarrier counts 1 to 1048575 arrivals";
    *this = {0, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count), 0};
    return {};
  }
  constexpr std::string_view expect(std::uint64_t transactions) {
    if (transactions > most || missing + static_cast<std::int32_t>(transactions) > static_cast<std::int32_t>(most))
      return "an mbarrier counts at most 1048575 missing transactions";
    missing += static_cast<std::int32_t>(transactions);
    return {};
  }
  constexpr std::string_view complete(std::uint64_t transactions) {
    if (transactions > most || missing - static_cast<std::int32_t>(transactions) < -static_cast<std::int32_t>(most))
      return "an mbarrier counts at most 1048575 transactions that nobody expects";
    missing -= static_cast<std::int32_t>(transactions);
    end_phase();
    return {};
  }
  constexpr std::string_view arrive(std::uint64_t count, bool drops) {
    if (count == 0) return "an arrival counts at least once";
    if (count > pending) return "its phase waits for fewer arrivals";
    pending -= static_cast<std::uint32_t>(count);
    if (drops) {
      if (count > expected) return "more arrivals are dropped than there are";
      expected -= static_cast<std::uint32_t>(count);
    }
    end_phase();
    return {};
  }
  /// The same for an arrival that must leave its phase open.
  constexpr std::string_view arrive_incomplete(std::uint64_t count, bool drops) {
    return count >= pending && missing == 0 ? std::string_view("it must not complete its phase") : arrive(count, drops);
  }

  /// True if the phase of a state is over: it is the one before the current phase. \pre is_known(state)
  [[nodiscard]] constexpr bool is_over(std::uint64_t state) const { return from(state).phase != phase; }
  /// True if a state belongs to the current phase or to the one before it.
  [[nodiscard]] constexpr bool is_known(std::uint64_t state) const {
    return is_here(state) && ((phase - from(state).phase) & 3U) < 2;
  }
  /// True if the phase of that parity is over: the current one has the other parity.
  [[nodiscard]] constexpr bool is_over_with(std::uint32_t parity) const { return ((phase ^ parity) & 1U) != 0; }

 private:
  constexpr void end_phase() {
    if (pending != 0 || missing != 0) return;
    phase = (phase + 1) & 3U;
    pending = expected;
  }
};

/// mbarrier.pending_count: the arrivals that were missing when a state was made.
constexpr std::uint32_t mbarrier_pending_count(std::uint64_t state) { return mbarrier::from(state).pending; }

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

// SPDX-License-Identifier: BSL-1.0
//
// Programs for the cycle model: a lockstep program (simt/program.hpp) that can also run one instruction of a block at a
// time. An instruction takes effect when it issues; the model decides when that is.
//
// One object runs one thread block at a time. The device makes an object for each thread block that is resident at the
// same time, and starts each thread block with select_block_number(n), if the program has it, and begin(shape).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The effect of an instruction at its issue. The core sets `on` to all lanes of the group and `accesses` to nothing
/// before it calls issue(), so a program writes only what differs.
template <class Mask>
struct issue_effect {
  Mask on{};                           ///< lanes for which the guard held
  std::span<const access> accesses{};  ///< accesses to memory; valid until the next call of issue()
};

/// A program that runs instruction by instruction:
///
///   weight(b)                     instructions in block b; a block without instructions is run by run()
///   instruction_at(b, i)          instruction i of block b, from 0; the same whenever it is asked
///   registers()                   the list that instructions point into
///   issue(b, i, g, out, effect)   runs instruction i of block b for the lanes of g. The last instruction of a block
///                                 also fills `out` and returns how the block ends, as run() does; an earlier
///                                 instruction leaves `out` alone and returns block_end::next. block_end::fault and
///                                 block_end::collective can come from any instruction
///
/// Semantic requirements: issue() for 0, 1, .. weight - 1 with one group, whatever other groups issue in between, is
/// run(). The core issues the instructions of a block in this order, and each with the same group.
template <class P, class Mask = lane_mask>
concept timed_program = lockstep_program<P, Mask> && weighted_program<P> &&
    requires(P& p, const P& c, block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
             issue_effect<Mask>& effect) {
  { c.instruction_at(b, i) } -> std::convertible_to<const instruction&>;
  { c.registers() } -> std::convertible_to<std::span<const std::uint32_t>>;
  { p.issue(b, i, g, out, effect) } -> std::same_as<block_end>;
};

/// A timed program with lanes that can wait at a collective (program_with_collectives). resumed_at(b, g) is the
/// instruction at which the lanes of g stopped; gather() has executed it for them. The core then issues that
/// instruction again, for these lanes together: it does nothing but what is left, such as the end of the block if it is
/// the last one.
template <class P, class Mask = lane_mask>
concept timed_program_with_collectives = timed_program<P, Mask> && program_with_collectives<P, Mask> &&
    requires(P& p, block_id b, const basic_group<Mask>& g) {
  { p.resumed_at(b, g) } -> std::convertible_to<std::uint32_t>;
};

/// A program that knows where its code lies. code_address(b, i) is the byte address of instruction i of block b, for
/// machines with an instruction cache. Programs without it never wait for a fetch.
template <class P>
concept program_with_code_addresses = requires(const P& p, block_id b, std::uint32_t i) {
  { p.code_address(b, i) } -> std::convertible_to<std::uint64_t>;
};

/// A program that tells its threads the time, as %clock of PTX does. The core calls set_clock(now) with its cycle
/// before each issue(). Programs without it have no clock.
template <class P>
concept program_with_clock = requires(P& p, cycle now) {
  p.set_clock(now);
};

/// A program that knows the thread blocks of a grid by number. select_block_number(n) chooses the one that the next
/// begin() starts.
template <class P>
concept program_of_grid = requires(P& p, std::uint64_t n) {
  p.select_block_number(n);
};

namespace detail {

template <class P>
concept waits_at_collectives = requires(P& p) {
  p.wait_at_collectives(true);
};

}  // namespace detail

/// Any weighted lockstep program as a timed one: every instruction is an int_add that needs the result of the one
/// before it, and the block takes effect at its last instruction. All optional members of P stay; lanes never wait at
/// collectives.
template <class P>
class plain_program : public P {
 public:
  /// Makes the program in place.
  template <class... Arguments>
    requires std::constructible_from<P, Arguments...>
  constexpr explicit plain_program(Arguments&&... arguments) : P(std::forward<Arguments>(arguments)...) {}

  /// An addition that reads and writes register 0.
  [[nodiscard]] constexpr const instruction& instruction_at(block_id, std::uint32_t) const { return chained; }
  /// Register 0 twice: read, written.
  [[nodiscard]] constexpr std::span<const std::uint32_t> registers() const { return chain; }

  /// Lanes never wait at collectives, whatever the policy asks for.
  constexpr void wait_at_collectives(bool) requires(detail::waits_at_collectives<P>) { P::wait_at_collectives(false); }

  /// The last instruction runs the block; the other ones do nothing. \pre i < weight(b).
  template <class Mask>
  constexpr block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                            issue_effect<Mask>&) {
    return i + 1 == static_cast<std::uint32_t>(this->weight(b)) ? this->run(b, g, out) : block_end::next;
  }

 private:
  static constexpr std::uint32_t chain[2] = {0, 0};
  static constexpr instruction chained{instruction_class::int_add, address_space::none, 1, 1, 0};
};

/// Deduces the program's type.
template <class P>
plain_program(P) -> plain_program<P>;

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

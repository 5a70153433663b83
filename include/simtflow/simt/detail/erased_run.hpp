// SPDX-License-Identifier: BSL-1.0
//
// Programs and observers without their types. The executor of a policy is compiled once for all plain callables with
// all observers, at the cost of an indirect call for each block and for each event.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>

#include <concepts>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Virtual functions rather than pointers to void: runs in constant expressions stay possible.
template <class Mask>
class erased_program {
 public:
  virtual constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) = 0;
  [[nodiscard]] virtual constexpr std::uint32_t weight(block_id b) const = 0;
  virtual constexpr void remember() = 0;
  [[nodiscard]] virtual constexpr bool as_remembered() = 0;

 protected:
  constexpr ~erased_program() = default;
};

// A callable_program by reference. If its callable has no memory to compare, as_remembered() is always false.
template <class Mask, class Program>
class erased_program_of final : public erased_program<Mask> {
 public:
  constexpr explicit erased_program_of(Program& program) : program_(&program) {}
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) override {
    return program_->run(b, g, out);
  }
  [[nodiscard]] constexpr std::uint32_t weight(block_id b) const override { return program_->weight(b); }
  constexpr void remember() override {
    if constexpr (program_with_memory<Program>) program_->remember();
  }
  [[nodiscard]] constexpr bool as_remembered() override {
    if constexpr (program_with_memory<Program>)
      return static_cast<bool>(program_->as_remembered());
    else
      return false;
  }

 private:
  Program* program_;
};

template <class Mask>
class erased_observer {
 public:
  virtual constexpr void operator()(const event::started&) = 0;
  virtual constexpr void operator()(const event::issued<Mask>&) = 0;
  virtual constexpr void operator()(const event::diverged<Mask>&) = 0;
  virtual constexpr void operator()(const event::exited<Mask>&) = 0;
  virtual constexpr void operator()(const event::waits<Mask>&) = 0;
  virtual constexpr void operator()(const event::released&) = 0;
  virtual constexpr void operator()(const event::ended&) = 0;

 protected:
  constexpr ~erased_observer() = default;
};

// An observer by reference.
template <class Mask, class Observer>
class erased_observer_of final : public erased_observer<Mask> {
 public:
  constexpr explicit erased_observer_of(Observer& observer) : observer_(&observer) {}
  constexpr void operator()(const event::started& e) override { pass_on(e); }
  constexpr void operator()(const event::issued<Mask>& e) override { pass_on(e); }
  constexpr void operator()(const event::diverged<Mask>& e) override { pass_on(e); }
  constexpr void operator()(const event::exited<Mask>& e) override { pass_on(e); }
  constexpr void operator()(const event::waits<Mask>& e) override { pass_on(e); }
  constexpr void operator()(const event::released& e) override { pass_on(e); }
  constexpr void operator()(const event::ended& e) override { pass_on(e); }

 private:
  template <class Event>
  constexpr void pass_on([[maybe_unused]] const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>) (*observer_)(e);
  }
  Observer* observer_;
};

template <class Program>
inline constexpr bool is_callable_program = false;
template <class F>
inline constexpr bool is_callable_program<callable_program<F>> = true;

}  // namespace detail
}  // namespace v0
}  // namespace simtflow

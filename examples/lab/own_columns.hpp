// SPDX-License-Identifier: BSL-1.0
//
// Observers that are registered (lab/lab.hpp), in a box: one class for every observer, so that runs are compiled once.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <vector>

namespace lab {

/// A figure with its name in one word, as CSV and JSON have it.
struct metric {
  std::string name;
  double value = 0;
  bool whole = true;  ///< a count
};

/// An observer of runs over both masks of the tool.
class own_columns {
 public:
  own_columns() = default;
  own_columns(const own_columns&) = delete;
  own_columns& operator=(const own_columns&) = delete;
  virtual ~own_columns() = default;
  /// The figures, when the run is over.
  [[nodiscard]] virtual std::vector<metric> columns() const = 0;

  using narrow = simtflow::lane_mask;     ///< of warps of up to 64 lanes
  using wide = simtflow::basic_mask<16>;  ///< of all else
  virtual void operator()(const simtflow::event::started& e) = 0;
  virtual void operator()(const simtflow::event::issued<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::issued<wide>& e) = 0;
  virtual void operator()(const simtflow::event::predicated_off<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::predicated_off<wide>& e) = 0;
  virtual void operator()(const simtflow::event::diverged<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::diverged<wide>& e) = 0;
  virtual void operator()(const simtflow::event::exited<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::exited<wide>& e) = 0;
  virtual void operator()(const simtflow::event::waits<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::waits<wide>& e) = 0;
  virtual void operator()(const simtflow::event::memory_access<narrow>& e) = 0;
  virtual void operator()(const simtflow::event::memory_access<wide>& e) = 0;
  virtual void operator()(const simtflow::event::released& e) = 0;
  virtual void operator()(const simtflow::event::ended& e) = 0;
};

template <class Observer>
class own_columns_of final : public own_columns {
 public:
  [[nodiscard]] std::vector<metric> columns() const override { return observer_.columns(); }
  void operator()(const simtflow::event::started& e) override { tell(e); }
  void operator()(const simtflow::event::issued<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::issued<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::predicated_off<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::predicated_off<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::diverged<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::diverged<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::exited<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::exited<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::waits<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::waits<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::memory_access<narrow>& e) override { tell(e); }
  void operator()(const simtflow::event::memory_access<wide>& e) override { tell(e); }
  void operator()(const simtflow::event::released& e) override { tell(e); }
  void operator()(const simtflow::event::ended& e) override { tell(e); }

 private:
  template <class Event>
  void tell([[maybe_unused]] const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>) observer_(e);
  }
  Observer observer_{};
};

/// Makes the observer of one run.
using make_columns = std::unique_ptr<own_columns> (*)();

/// All of them, for one run. \throws input_error never.
[[nodiscard]] std::vector<std::unique_ptr<own_columns>> columns_of_one_run();

/// Registers them. \returns true
bool add_columns(make_columns make);

/// Keeps what is wrong with a registration until the tool starts. \returns true if nothing is.
bool note(const simtflow::diagnostics& wrong);

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
//
// A sample of a run's paths, replayed under any policy: what `advise` predicts with.
#pragma once

#include <simtflow/advice/path_sample.hpp>
#include <simtflow/advice/replay.hpp>

#include <string>

namespace lab {

struct sample_run : simtflow::advice::sample_work {
  std::string words;        ///< on a thread block that did not finish
  std::string other_order;  ///< as grid_run::other_order
};

}  // namespace lab

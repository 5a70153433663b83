// SPDX-License-Identifier: BSL-1.0
//
// The umbrella of a first program: graphs and their adapters, the analyses that reconvergence asks for, the executor
// with its four plainest policies, counts and the lower bound. Its cost of including has a budget
// (bench/include_cost.sh); every other header is included by name, as large programs do with all of them.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/version.hpp>

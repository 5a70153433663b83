// SPDX-License-Identifier: BSL-1.0
//
// Graphs and threads for property tests, in one include: seeded random control-flow graphs, random structured programs,
// every graph of up to a few blocks, and threads that walk through a graph. One seed gives the same result with every
// compiler and standard library, so a failure can be reproduced from the number that was printed.
#pragma once

#include <simtflow/testing/random.hpp>
#include <simtflow/testing/random_graphs.hpp>
#include <simtflow/testing/random_walks.hpp>
#include <simtflow/testing/structured_programs.hpp>

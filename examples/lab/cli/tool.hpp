// SPDX-License-Identifier: BSL-1.0
//
// simtflow-lab: runs PTX kernels and recorded traces under reconvergence policies, draws and analyzes their
// control-flow graphs.
#pragma once

namespace lab {

/// The tool, from its command line. \returns the exit status: 0 all is well, 1 a verdict or a comparison is bad, 2 the
/// input cannot be used. \pre there is a program's name: argc > 0.
int tool_main(int argc, char** argv);

}  // namespace lab

// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/tool.hpp"

int main(int argc, char** argv) { return lab::tool_main(argc, argv); }

// SPDX-License-Identifier: BSL-1.0
//
// Reference programs of the user's: {"command": ["python3", "ref.py"]} in a check of a launch file.
//
// The program runs in the folder of the launch file, without a shell. A folder that is gone afterwards is added to its
// words:
//
//   FOLDER/in/BUFFER.npy     each buffer before the launch, in NumPy's format
//   FOLDER/in/launch.json    {"kernel", "grid", "block", "dynamic_shared_bytes", "params"}; of params the numbers, and
//                            for pointers {"buffer": NAME, "offset": n}
//   FOLDER/out/BUFFER.npy    the program writes what the buffer must hold; also as .csv, .txt or raw as .bin
//
// It is run once for all checks that name the same command. A check beside several launches gets the data that the file
// begins with. A program that does not end with status 0 is a mistake in the input, reported with what it printed.
#pragma once

#include "lab/launch_file.hpp"

#include <string>
#include <vector>

namespace lab {

/// The contents that buffers must have, by a program. Buffers without a check by this command have no bytes.
/// \throws input_error if it is not there, fails, or leaves a buffer out.
[[nodiscard]] std::vector<buffer> run_reference_command(const std::vector<std::string>& command, bool of_file,
                                                        const launch_file& launch);

}  // namespace lab

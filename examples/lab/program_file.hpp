// SPDX-License-Identifier: BSL-1.0
//
// The facts of an executable file about CUDA: the runtime that it loads, and whether its kernels are there as PTX.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// The facts of an executable of 64-bit ELF.
struct program_facts {
  bool is_elf = false;                 ///< False: a script, or something else that has to be tried
  std::vector<std::string> needed;     ///< the libraries that it loads, by name
  bool has_fat_binary = false;         ///< True if it holds images of kernels
  bool has_ptx = false;                ///< True if one of the images is PTX
  std::vector<unsigned> machine_code;  ///< the architectures of the images with instructions
};

/// Reads the facts from the bytes of a file. Any bytes will do; a damaged file has fewer facts.
[[nodiscard]] program_facts facts_of_program(std::span<const std::byte> bytes);

/// The reason, in words, why a program with these facts cannot run on the simulated device, with the command that
/// builds it so that it can; empty: nothing speaks against it.
[[nodiscard]] std::string why_not_simulated(std::string_view path, const program_facts& facts);

/// The file that a shell would start for a word: the word itself if it has a slash, else by PATH. Empty: none.
[[nodiscard]] std::string find_program(const std::string& word);

}  // namespace lab

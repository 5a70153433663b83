// SPDX-License-Identifier: BSL-1.0
#include "lab/kernel_file.hpp"

#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/parser.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace lab {

namespace ptx = simtflow::ptx;

std::string kernel_file::code_of(simtflow::block_id b) const {
  // A block has its last instruction and how many there are; an instruction has the place of its opcode, after a guard.
  const ptx::decoded_block& block = kernel.blocks[b];
  std::string code;
  std::size_t line_begin = 0;
  std::uint32_t line = 1;
  for (std::uint32_t n = block.weight; n > 0; --n) {
    const simtflow::position where = kernel.positions[block.last_instruction + 1 - n];
    for (; line < where.line; ++line) line_begin = text.find('\n', line_begin) + 1;
    const std::size_t opcode = line_begin + where.column - 1;
    const std::size_t before = text.find_last_of(";:{}\n", opcode);
    const std::size_t begin = before == std::string::npos ? opcode : before + 1;
    bool blank = true;
    for (const char c : text.substr(begin, text.find(';', opcode) - begin)) {  // runs of blanks as one
      const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
      if (!is_blank || !blank) code += is_blank ? ' ' : c;
      blank = is_blank;
    }
    code += '\n';
  }
  return code;
}

kernel_file load_kernel(const std::string& path, const std::string& name, const std::string& asked_by) {
  kernel_file file{path, read_text(path), {}};
  const auto parsed = ptx::parse(file.text);
  refuse(parsed.diagnostics(), path);
  const auto& kernels = parsed->kernels;
  if (kernels.empty()) throw input_error(fmt::format("{}:1:1: the module has no kernel", path));
  std::string names;
  for (const ptx::kernel& k : kernels) names += (names.empty() ? "" : ", ") + k.name;
  const ptx::kernel* chosen = name.empty() ? &kernels.front() : parsed->find(name);
  if (chosen == nullptr)
    throw input_error(fmt::format("{}: {} has no kernel \"{}\", it has {}", asked_by, path, name, names));
  if (name.empty() && kernels.size() > 1)
    throw input_error(fmt::format("{}: {} has several kernels, name one: {}", asked_by, path, names));
  auto decoded = ptx::decode(*parsed, *chosen);
  refuse(decoded.diagnostics(), path);
  file.kernel = *std::move(decoded);
  return file;
}

}  // namespace lab

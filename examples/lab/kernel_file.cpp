// SPDX-License-Identifier: BSL-1.0
#include "lab/kernel_file.hpp"

#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include "lab/spelling.hpp"
#include <simtflow/ptx/decode/decode.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

namespace ptx = simtflow::ptx;

std::vector<written_instruction> kernel_file::instructions_of(simtflow::block_id b) const {
  std::vector<written_instruction> all;
  const std::string code = code_of(b);
  const ptx::decoded_block& block = kernel.blocks[b];
  std::string_view rest = code;
  for (std::uint32_t i = 0; i < block.weight; ++i) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    all.push_back(
        {kernel.positions[block.last_instruction + 1 - block.weight + i].line, std::string(rest.substr(0, end))});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

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
  return kernel_of(load_module(path), name, asked_by);
}

kernel_file kernel_of(std::shared_ptr<const module_file> module, const std::string& name, const std::string& asked_by) {
  kernel_file file{module->path, module->text, {}, module};
  const auto& kernels = module->module.kernels;
  if (kernels.empty()) throw input_error(fmt::format("{}:1:1: the module has no kernel", file.path));
  std::vector<std::string> names;
  std::string listed;
  for (const ptx::kernel& k : kernels) {
    names.push_back(k.name);
    listed += (listed.empty() ? "" : ", ") + k.name;
  }
  if (name.empty() && kernels.size() > 1)
    throw input_error(fmt::format("{}: {} has several kernels, name one: {}", asked_by, file.path, listed));
  const std::vector<std::string> meant = name.empty() ? names : names_meant(name, names);
  if (meant.empty())
    throw input_error(fmt::format("{}: {} has no kernel \"{}\"{}, it has {}", asked_by, file.path, name,
                                  did_you_mean(name, names), listed));
  if (meant.size() > 1) {
    std::string several;
    for (const std::string& one : meant)
      several += fmt::format("{}{} ({})", several.empty() ? "" : ", ", one, demangled(one));
    throw input_error(fmt::format("{}: \"{}\" can be each of {}", asked_by, name, several));
  }
  auto decoded = ptx::decode(module->module, *module->module.find(meant.front()));
  refuse(decoded.diagnostics(), file.path);
  file.kernel = *std::move(decoded);
  return file;
}

}  // namespace lab

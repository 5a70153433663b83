// SPDX-License-Identifier: BSL-1.0
#include "lab/init.hpp"

#include "lab/launch_file.hpp"
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace lab {

namespace ptx = simtflow::ptx;

namespace {

constexpr std::size_t template_elements = 4096;
constexpr unsigned template_size = 64;

// A parameter as C++ declares it.
struct declared_type {
  bool is_pointer = false;
  std::optional<scalar> element;  // of a pointer, of a vector, or the type itself; none: a class
};

std::optional<scalar> scalar_of_cpp(std::string_view name) {
  static constexpr std::pair<std::string_view, scalar> known[] = {{"float", scalar::f32},
                                                                  {"double", scalar::f64},
                                                                  {"int", scalar::s32},
                                                                  {"unsigned int", scalar::u32},
                                                                  {"char", scalar::s8},
                                                                  {"signed char", scalar::s8},
                                                                  {"unsigned char", scalar::u8},
                                                                  {"bool", scalar::u8},
                                                                  {"short", scalar::s16},
                                                                  {"unsigned short", scalar::u16},
                                                                  {"long", scalar::s64},
                                                                  {"long long", scalar::s64},
                                                                  {"unsigned long", scalar::u64},
                                                                  {"unsigned long long", scalar::u64},
                                                                  {"__half", scalar::f16},
                                                                  {"__half2", scalar::f16},
                                                                  {"__nv_bfloat16", scalar::bf16},
                                                                  {"__nv_bfloat162", scalar::bf16},
                                                                  {"uint", scalar::u32},
                                                                  {"uchar", scalar::u8},
                                                                  {"ushort", scalar::u16}};
  for (const auto& [word, type] : known)
    if (word == name) return type;
  // float4, uchar3
  if (!name.empty() && name.back() >= '1' && name.back() <= '4') return scalar_of_cpp(name.substr(0, name.size() - 1));
  return std::nullopt;
}

declared_type type_of_cpp(std::string text) {
  declared_type type;
  for (const char* word : {" const", " volatile", " restrict", " __restrict__"})
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.erase(at, std::string_view(word).size());
  while (!text.empty() && (text.back() == ' ' || text.back() == '*' || text.back() == '&')) {
    type.is_pointer = type.is_pointer || text.back() != ' ';
    text.pop_back();
  }
  type.element = scalar_of_cpp(text);
  return type;
}

// The parameters in a mangled name; none if there is none, or they are not as many as the kernel has.
std::vector<declared_type> declared_types(const ptx::kernel& k) {
  const std::string name = demangled(k.name);
  std::vector<declared_type> types;
  if (name == k.name || name.back() != ')') return types;
  int depth = 0;
  std::size_t begin = name.size();
  while (begin > 0) {
    --begin;
    depth += name[begin] == ')' ? 1 : name[begin] == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  std::string word;
  for (std::size_t i = begin + 1; i < name.size(); ++i) {
    const char c = name[i];
    if ((c == ',' && depth == 0) || i + 1 == name.size()) {
      if (word.starts_with(' ')) word.erase(0, 1);
      if (!word.empty()) types.push_back(type_of_cpp(word));
      word.clear();
      continue;
    }
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    word += c;
  }
  if (types.size() != k.parameters.size()) types.clear();
  return types;
}

// The types of accesses through each parameter, found by following addresses from register to register.
class parameter_accesses {
 public:
  explicit parameter_accesses(const ptx::kernel& k)
      : kernel_(k), origin_(k.registers.size()), type_(k.parameters.size()) {
    for (unsigned pass = 0; pass < most_passes && changed_; ++pass) {
      changed_ = false;
      for (const ptx::instruction& i : k.instructions) follow(i);
    }
    for (const ptx::instruction& i : k.instructions) note(i);
  }
  [[nodiscard]] std::optional<scalar> of(std::size_t parameter) const { return type_[parameter]; }

 private:
  static constexpr unsigned most_passes = 16;
  using parameter_number = std::optional<std::uint32_t>;

  parameter_number origin_of(const ptx::operand& o) const {
    using kind = ptx::operand_kind;
    if (o.kind == kind::reg && o.index < origin_.size()) return origin_[o.index];
    if (o.kind != kind::address) return std::nullopt;
    if (o.base == kind::reg && o.index < origin_.size()) return origin_[o.index];
    if (o.base == kind::parameter && o.index < type_.size() && kernel_.parameters[o.index].size == 8) return o.index;
    return std::nullopt;
  }
  void follow(const ptx::instruction& i) {
    const std::string_view head = opcode_head(i);
    const bool from_parameter = i.opcode.starts_with("ld.param");
    constexpr std::string_view passing[] = {"mov", "cvta", "add", "sub", "mad", "selp", "or"};
    if (!from_parameter && std::find(std::begin(passing), std::end(passing), head) == std::end(passing)) return;
    const auto given = kernel_.operands_of(i);
    if (given.size() < 2 || given[0].kind != ptx::operand_kind::reg || given[0].index >= origin_.size()) return;
    for (std::size_t s = 1; s < given.size(); ++s)
      if (const auto from = origin_of(given[s]); from && !origin_[given[0].index]) {
        origin_[given[0].index] = from;
        changed_ = true;
      }
  }
  void note(const ptx::instruction& i) {
    const std::string_view head = opcode_head(i);
    const std::string_view opcode = i.opcode;
    if (head != "ld" && head != "st" && head != "atom" && head != "red" && head != "ldu") return;
    for (const char* space : {".param", ".shared", ".local", ".const"})
      if (opcode.find(space) != std::string_view::npos) return;
    const auto given = kernel_.operands_of(i);
    for (const ptx::operand& o : given) {
      if (o.kind != ptx::operand_kind::address) continue;
      const auto from = origin_of(o);
      if (!from || type_[*from]) continue;
      std::string word(opcode.substr(opcode.rfind('.') + 1));
      if (word[0] == 'b') word[0] = 'u';
      type_[*from] = scalar_named(word).value_or(scalar::u8);
    }
  }

  const ptx::kernel& kernel_;
  std::vector<parameter_number> origin_;     // by register: the parameter that its address comes from
  std::vector<std::optional<scalar>> type_;  // by parameter
  bool changed_ = true;
};

std::string quoted_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string listed(const std::vector<std::string>& lines) {
  return lines.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(lines, ",\n    "));
}

scalar scalar_of_ptx(const ptx::variable& p, bool& is_scalar) {
  std::string name(ptx::info(p.type).name);
  is_scalar = p.extents.empty() && p.width == 1;
  if (const auto known = scalar_named(name)) return *known;
  if (!name.empty()) name[0] = 'u';
  const auto bits = scalar_named(name);
  is_scalar = is_scalar && bits.has_value();
  return bits.value_or(scalar::u8);
}

}  // namespace

launch_template make_launch_template(const init_options& options) {
  return make_launch_template(load_kernel(options.kernel_path, options.kernel, "--kernel"));
}

launch_template make_launch_template(const kernel_file& file) {
  const ptx::module& module = file.module->module;
  const ptx::kernel& k = *module.find(file.kernel.name);
  const std::vector<declared_type> types = declared_types(k);
  const parameter_accesses seen(k);
  launch_template made;
  std::vector<std::string> buffers, params;
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    const ptx::variable& p = k.parameters[i];
    bool is_scalar = false;
    scalar type = scalar_of_ptx(p, is_scalar);
    const bool has_type = i < types.size();
    const bool is_pointer = p.size == 8 && is_scalar && (has_type ? types[i].is_pointer : seen.of(i).has_value());
    if (is_pointer) {
      const std::size_t at = p.name.find("_param_");
      std::string name = at == std::string::npos ? p.name : "arg_" + p.name.substr(at + 7);
      const scalar element = has_type && types[i].element ? *types[i].element : seen.of(i).value_or(scalar::u8);
      const std::string start =
          is_float(element)
              ? fmt::format("{{\"random\": {{\"seed\": {}, \"low\": 0, \"high\": 1}}}}", i + 1)
              : fmt::format("{{\"random\": {{\"seed\": {}, \"low\": 0, \"high\": {}}}}}", i + 1, template_size - 1);
      buffers.push_back(fmt::format("{{\"name\": {}, \"type\": \"{}\", \"count\": {}, \"init\": {}}}",
                                    quoted_json(name), name_of(element), template_elements, start));
      params.push_back(fmt::format("{{\"buffer\": {}}}", quoted_json(name)));
      if (!has_type || !types[i].element)
        made.remarks.push_back(
            fmt::format("parameter {}: a buffer of {}, by the first access to it", p.name, name_of(element)));
    } else if (is_scalar) {
      if (has_type && types[i].element && size_of(*types[i].element) == p.size) type = *types[i].element;
      params.push_back(is_float(type) ? fmt::format("{{\"{}\": 1.0}}", name_of(type))
                                      : fmt::format("{{\"{}\": {}}}", name_of(type), template_size));
    } else {
      params.push_back(fmt::format("{{\"bytes\": \"{:0>{}}\"}}", "", 2 * p.size));
      made.remarks.push_back(fmt::format("parameter {}: a structure of {} bytes, all zero", p.name, p.size));
    }
  }
  std::uint32_t block[3] = {template_size, 1, 1};
  if (k.required_threads[0] != 0)
    for (int d = 0; d < 3; ++d) block[d] = std::max(k.required_threads[d], 1U);
  else if (k.max_threads[0] != 0)
    block[0] = std::min(template_size, k.max_threads[0]);
  std::uint64_t shared = 0;
  for (const ptx::variable& v : module.variables)
    if (v.space == ptx::state_space::shared && v.size == 0) shared = template_elements * 4;
  std::vector<std::string> variables;
  for (const ptx::variable& v : module.variables)
    if ((v.space == ptx::state_space::constant || v.space == ptx::state_space::global) && v.initial.empty() &&
        v.relocations.empty() && !v.is_extern)
      variables.push_back(fmt::format("{} ({} bytes)", v.name, v.size));
  if (!variables.empty())
    made.remarks.push_back(fmt::format("variables of the module are zero unless \"variables\" says otherwise: {}",
                                       fmt::join(variables, ", ")));
  made.text = fmt::format("{{\n  \"kernel\": {},\n  \"grid\": [1],\n  \"block\": [{}, {}, {}],\n", quoted_json(k.name),
                          block[0], block[1], block[2]);
  if (shared != 0) made.text += fmt::format("  \"dynamic_shared_bytes\": {},\n", shared);
  made.text +=
      fmt::format("  \"buffers\": {},\n  \"params\": {},\n  \"expect\": []\n}}\n", listed(buffers), listed(params));
  return made;
}

}  // namespace lab

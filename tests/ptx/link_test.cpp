// SPDX-License-Identifier: BSL-1.0
//
// Several modules linked to one: which definition a name means, what contradicts, what of a library is taken. nvlink is
// asked about the same modules where it is installed. Random modules that are split in parts and linked give what the
// host computes, and what the module in one piece gives.
#include "ptx/modules_on_disk.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

ptx::module parsed(std::string_view body) {
  auto m = ptx::parse(std::string(header) + std::string(body));
  REQUIRE_MESSAGE(m.has_value(), text_of(m.diagnostics()));
  return *std::move(m);
}

/// Links texts; the last ones are libraries.
result<ptx::linked_module> linked(const std::vector<std::string>& bodies, std::size_t libraries = 0) {
  std::vector<ptx::module> modules;
  for (const std::string& b : bodies) modules.push_back(parsed(b));
  std::vector<ptx::link_input> inputs;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    inputs.push_back({&modules[i], i == 0 ? "a.ptx" : i == 1 ? "b.ptx" : "", i + libraries >= bodies.size()});
  return ptx::link(inputs);
}

/// Links texts that agree, and parses what is printed again.
ptx::linked_module good(const std::vector<std::string>& bodies, std::size_t libraries = 0) {
  auto l = linked(bodies, libraries);
  REQUIRE_MESSAGE(l.has_value(), text_of(l.diagnostics()));
  const std::string text = ptx::print(l->module);
  const auto again = ptx::parse(text);
  CHECK_MESSAGE(again.has_value(), text_of(again.diagnostics()) << text);
  return *std::move(l);
}

/// The verdict of nvlink on two texts: "ok", "wrong", or nothing where it is not installed.
std::string nvlink_says(const std::string& a, const std::string& b) {
#if defined(SIMTFLOW_PTXAS) && defined(SIMTFLOW_NVLINK)
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "simtflow_link_test";
  std::filesystem::create_directories(folder);
  std::string objects;
  for (const std::string* body : {&a, &b}) {
    const std::string file = (folder / (body == &a ? "a" : "b")).string();
    std::ofstream(file + ".ptx") << header << *body;
    objects += " " + file + ".o";
    if (std::system((SIMTFLOW_PTXAS " -c -arch=sm_75 " + file + ".ptx -o " + file + ".o 2>/dev/null").c_str()) != 0)
      return "no object";
  }
  const std::string command = SIMTFLOW_NVLINK " -arch=sm_75" + objects + " -o " + (folder / "l.o").string();
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0 ? "ok" : "wrong";
#else
  (void)a, (void)b;
  return {};
#endif
}

struct pair_case {
  std::string a, b;
  std::string expected;  // the first diagnostic; empty: they link
};

/// Kernel "u" reads the first word of `name`.
std::string reads(const std::string& name, const std::string& space = "global") {
  return ".visible .entry u(.param .u64 out) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [out]; ld." + space +
         ".u32 %r, [" + name + "]; st.global.u32 [%d], %r; ret; }\n";
}
/// Kernel "e" calls function f, which takes and returns a word.
constexpr const char* calls_f =
    ".extern .func (.param .b32 r) f(.param .b32 p);\n"
    ".visible .entry e(.param .u64 out) { .reg .b64 %d; .reg .b32 %r; .param .b32 a, b; ld.param.u64 %d, [out];\n"
    "mov.u32 %r, %tid.x; st.param.b32 [a], %r; call (b), f, (a); ld.param.b32 %r, [b]; st.global.u32 [%d], %r; ret; "
    "}\n";
std::string f_with(const std::string& result, const std::string& parameter, const std::string& link = ".visible") {
  return link + " .func (.param " + result + " r) f(.param " + parameter +
         " p) { .reg .b32 %r; ld.param.b32 %r, [p]; st.param.b32 [r], %r; ret; }\n";
}

}  // namespace

TEST_CASE("link: two modules agree or contradict as nvlink says") {
  const std::string x = ".extern .global .align 4 .u32 x;\n" + reads("x");
  const std::string open = ".extern .global .align 4 .b8 x[];\n" + reads("x");
  const pair_case cases[] = {
      {x, ".visible .global .align 4 .u32 x = 7;\n", ""},
      {x, ".weak .global .align 4 .u32 x = 7;\n", ""},
      {x, ".visible .global .align 16 .f32 x = 0f00000000;\n", ""},
      {x, ".visible .global .align 8 .u64 x;\n",
       "line 4, column 32: b.ptx: variable 'x' has 8 bytes here, but 4 bytes in a.ptx, line 4, column 31"},
      {x, ".visible .const .align 4 .u32 x;\n",
       "line 4, column 31: b.ptx: variable 'x' is .const here, but .global in a.ptx, line 4, column 31"},
      {open, ".visible .global .align 4 .b8 x[16];\n", ""},
      {".extern .global .align 4 .b8 x[16];\n" + reads("x"), ".visible .global .align 4 .b8 x[8];\n",
       "line 4, column 31: b.ptx: variable 'x' has 8 bytes here, but 16 bytes in a.ptx, line 4, column 30"},
      {".common .global .align 4 .b8 x[16];\n" + reads("x"), ".common .global .align 4 .b8 x[32];\n", ""},
      {".common .global .align 4 .b8 x[16];\n" + reads("x"), ".common .global .align 8 .b64 x;\n", ""},
      {".common .global .align 4 .b8 x[16];\n" + reads("x"), ".visible .global .align 4 .b8 x[16] = {1};\n", ""},
      {".common .global .align 4 .b8 x[16];\n" + reads("x"), ".visible .global .align 4 .b8 x[8] = {1};\n",
       "line 4, column 31: b.ptx: variable 'x' has 8 bytes here, but 16 bytes in a.ptx, line 4, column 30"},
      {".weak .global .align 4 .b8 x[16];\n" + reads("x"), ".weak .global .align 4 .b8 x[32];\n",
       "line 4, column 28: b.ptx: variable 'x' has 32 bytes here, but 16 bytes in a.ptx, line 4, column 28"},
      {".weak .global .u32 x = 1;\n" + reads("x"), ".weak .global .u32 x = 2;\n", ""},
      {".visible .global .u32 x;\n" + reads("x"), ".visible .global .u32 x;\n",
       "line 4, column 23: b.ptx: variable 'x' is defined twice: also in a.ptx, line 4, column 23"},
      {".global .u32 x;\n" + reads("x"), ".visible .global .u32 x;\n", ""},
      {".visible .func x() { ret; }\n", ".visible .global .u32 x;\n",
       "line 4, column 23: b.ptx: variable 'x' is a function in a.ptx, line 4, column 16"},
      {calls_f, f_with(".b32", ".b32"), ""},
      {calls_f, f_with(".u32", ".s32"), ""},
      {calls_f, f_with(".f32", ".b32"),
       "line 4, column 32: b.ptx: function 'f' has other parameters or results than in a.ptx, line 4, column 31"},
      {calls_f, f_with(".b32", ".b64"),
       "line 4, column 32: b.ptx: function 'f' has other parameters or results than in a.ptx, line 4, column 31"},
      {f_with(".b32", ".b32"), f_with(".b32", ".b32"),
       "line 4, column 32: b.ptx: function 'f' is defined twice: also in a.ptx, line 4, column 32"},
      {f_with(".b32", ".b32"), f_with(".b32", ".b32", ""), ""},
      {f_with(".b32", ".b32", ".weak"), f_with(".b32", ".b32", ".weak"), ""},
      {f_with(".b32", ".b32", ".weak"), f_with(".b32", ".b64", ".weak"),
       "line 4, column 29: b.ptx: function 'f' has other parameters or results than in a.ptx, line 4, column 29"},
      {".visible .entry k() { ret; }\n", ".visible .entry k() { ret; }\n",
       "line 4, column 17: b.ptx: kernel 'k' is defined twice: also in a.ptx, line 4, column 17"},
      {".weak .entry k() { ret; }\n", ".weak .entry k() { ret; }\n", ""},
      {".entry k() { ret; }\n", ".entry k() { ret; }\n", ""},
      {".weak .entry k() { ret; }\n", ".weak .entry k(.param .b32 z) { ret; }\n",
       "line 4, column 14: b.ptx: kernel 'k' has other parameters or results than in a.ptx, line 4, column 14"},
      {".extern .shared .align 4 .b8 x[];\n" + reads("x", "shared"),
       ".extern .shared .align 16 .b8 x[];\n.visible .entry w() { .reg .b32 %r; ld.shared.u32 %r, [x]; ret; }\n", ""},
  };
  for (const pair_case& c : cases) {
    CAPTURE(c.a);
    CAPTURE(c.b);
    const auto l = linked({c.a, c.b});
    CHECK(l.has_value() == c.expected.empty());
    CHECK((l ? "" : to_string(l.diagnostics().front())) == c.expected);
    if (l) CHECK(ptx::parse(ptx::print(l->module)).has_value());
    if (const std::string said = nvlink_says(c.a, c.b); !said.empty()) CHECK(said == (l ? "ok" : "wrong"));
  }
  if (nvlink_says("", "").empty()) MESSAGE("skipped: no nvlink");
}

TEST_CASE("link: the definition that wins, with the largest alignment") {
  const auto only = [](const ptx::linked_module& l) {
    REQUIRE(l.module.variables.size() == 1);
    return l.module.variables[0];
  };
  const std::string reader = reads("x");
  CHECK(only(good({".extern .global .align 8 .b32 x;\n" + reader, ".visible .global .b32 x = 7;\n"})).align == 8);
  CHECK(only(good({".weak .global .b32 x = 1;\n" + reader, ".weak .global .b32 x = 2;\n"})).initial[0] == 1);
  CHECK(only(good({".weak .global .b32 x = 1;\n" + reader, ".visible .global .b32 x = 2;\n"})).initial[0] == 2);
  CHECK(
      only(good({".common .global .b8 x[4];\n" + reader, ".common .global .b8 x[9];\n", ".common .global .b8 x[7];\n"}))
          .size == 9);
  const auto never =
      good({".extern .func f() .noreturn;\n.visible .entry k() { call f; }\n", ".visible .func f() { trap; }\n"});
  REQUIRE(never.module.functions.size() == 1);
  CHECK(never.module.functions[0].no_return);
  CHECK(never.module.functions[0].has_body);
}

TEST_CASE("link: internal names of two modules stay apart, also in tables of addresses and in labels") {
  const std::string body =
      ".func (.param .b32 r) step(.param .b32 p) { .reg .b32 %r, %s; ld.param.b32 %r, [p]; ld.global.u32 %s, [count];\n"
      "add.u32 %r, %r, %s; st.param.b32 [r], %r; ret; }\n"
      ".global .u64 table[2] = {count, step};\n";
  const auto kernel = [](const std::string& name) {
    return ".visible .entry " + name +
           "(.param .u64 in, .param .u64 out) { .reg .b64 %d, %t, %f; .reg .b32 %r, %c; .param .b32 a, b; ld.param.u64 "
           "%d, [out];\n"
           "ld.global.u64 %t, [table]; ld.u32 %c, [%t]; ld.global.u64 %f, [table+8];\n"
           "st.param.b32 [a], %c; shape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
           "call (b), %f, (a), shape; ld.param.b32 %r, [b]; count__2: st.global.u32 [%d], %r; ret; }\n";
  };
  const ptx::linked_module l =
      good({".global .u32 count = 5;\n" + body + kernel("k"), ".global .u32 count = 60;\n" + body + kernel("m")});
  CHECK(l.module.variables.size() == 4);
  CHECK(l.module.functions.size() == 2);
  const ptx::linked_symbol *first = l.find(0, "count"), *second = l.find(1, "count");
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(l.find(1, "counts") == nullptr);
  CHECK(l.module.variables[first->index].name == "count");
  CHECK(l.module.variables[second->index].name == "count__3");  // count__2 is a label
  CHECK(l.module.variables[first->index].initial[0] == 5);
  CHECK(l.module.variables[second->index].initial[0] == 60);
  REQUIRE(l.find(1, "m") != nullptr);
  CHECK(l.find(1, "m")->kind == ptx::symbol_kind::entry);
  CHECK(l.module.kernels[l.find(1, "m")->index].name == "m");
  for (const auto& [name, expected] : {std::pair{"k", 10U}, std::pair{"m", 120U}}) {
    const auto k = ptx::decode(l.module, *l.module.find(name));
    REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
    CHECK(run_under(way::pdom, *k, block_of(1), {.out_words = 1}).out == words{expected});
  }
}

TEST_CASE("link: of a library only what is reached is taken, and the program's own definition goes first") {
  const std::string library =
      ".visible .func (.param .b32 r) f(.param .b32 p) { .reg .b32 %r; .param .b32 q, s; ld.param.b32 %r, [p];\n"
      "st.param.b32 [q], %r; call (s), helper, (q); ld.param.b32 %r, [s]; st.param.b32 [r], %r; ret; }\n"
      ".func (.param .b32 r) unused(.param .b32 p) { ret; }\n"
      ".global .u32 unused_too; .global .u64 reached = needed; .global .u32 needed = 3;\n"
      ".visible .entry library_kernel() { ret; }\n";
  const std::string helper =
      ".func (.param .b32 r) helper(.param .b32 p) { .reg .b32 %r; .reg .b64 %a; ld.param.b32 %r, [p];\n"
      "ld.global.u64 %a, [reached]; ld.u32 %r, [%a]; st.param.b32 [r], %r; ret; }\n";
  std::string forward = ".func (.param .b32 r) helper(.param .b32 p);\n" + library + helper;
  const ptx::linked_module l = good({calls_f, forward}, 1);
  CHECK(l.module.functions.size() == 2);
  CHECK(l.module.variables.size() == 2);
  CHECK(l.module.kernels.size() == 1);
  REQUIRE(l.find(1, "unused") != nullptr);
  CHECK(l.find(1, "unused")->index == ptx::no_index);
  CHECK(l.find(1, "reached")->index != ptx::no_index);
  const auto k = ptx::decode(l.module, l.module.kernels[0]);
  REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));

  // Its own f, weak or not, and nothing of the library; two libraries: the first one's.
  const ptx::linked_module own = good({calls_f, f_with(".b32", ".b32", ".weak"), forward}, 1);
  CHECK(own.module.functions.size() == 1);
  CHECK(own.module.variables.empty());
  CHECK(good({calls_f, f_with(".b32", ".b32"), forward}, 2).module.functions.size() == 1);
  // A contradiction in what nobody reaches is none.
  CHECK(linked({".visible .global .u32 unused_too;\n", forward}, 1).has_value());
  const auto wrong = linked({calls_f, f_with(".f32", ".b32")}, 1);
  REQUIRE(!wrong.has_value());
  CHECK(to_string(wrong.diagnostics()[0]) ==
        "line 4, column 32: b.ptx: function 'f' has other parameters or results than in a.ptx, line 4, column 31");
}

TEST_CASE("link: heads, aliases, names without a definition, one module alone") {
  ptx::module old = parsed(".extern .func g();\n.visible .entry k() { call g; ret; }\n");
  ptx::module young = parsed(".visible .func h() { ret; }\n.visible .func g();\n.alias g, h;\n");
  old.version = "7.8";
  old.target = "sm_80";
  young.version = "10.1";
  young.target = "sm_100a";
  const ptx::link_input both[] = {{&old, "old", false}, {&young, "young", false}};
  const auto l = ptx::link(both);
  REQUIRE(l.has_value());
  CHECK(l->module.version == "10.1");
  CHECK(l->module.target == "sm_100a");
  CHECK(l->module.id != old.id);
  const auto k = ptx::decode(l->module, l->module.kernels[0]);
  CHECK_MESSAGE(k.has_value(), text_of(k.diagnostics()));
  young.address_size = 32;
  REQUIRE(!ptx::link(both).has_value());
  CHECK(to_string(ptx::link(both).diagnostics()[0]) == "young: addresses have 32 bits, but 64 in the modules before");
  young.address_size = 64;
  young.target_options = {"texmode_independent"};
  CHECK(to_string(ptx::link(both).diagnostics()[0]) ==
        "young: modules with and without texmode_independent cannot be linked");

  const ptx::linked_module alone = good({".extern .func g();\n.visible .entry k() { call g; ret; }\n"});
  const auto undefined = ptx::decode(alone.module, alone.module.kernels[0]);
  REQUIRE(!undefined.has_value());
  CHECK(undefined.diagnostics()[0].message.find("'g'") != std::string::npos);
}

TEST_CASE("link: the two halves of a program that nvcc -rdc=true compiled") {
  const std::string folder = SIMTFLOW_SOURCE_DIR "/tests/ptx/modules/";
  const ptx::module first = module_of(file(folder + "separate.ptx")),
                    second = module_of(file(folder + "separate_main.ptx"));
  const ptx::link_input inputs[] = {{&first, "separate.ptx", false}, {&second, "separate_main.ptx", false}};
  const auto l = ptx::link(inputs);
  REQUIRE_MESSAGE(l.has_value(), text_of(l.diagnostics()));
  CHECK(l->module.kernels.size() == 2);
  CHECK(l->find(0, "somewhere")->index == l->find(1, "somewhere")->index);
  for (const ptx::kernel& k : l->module.kernels) CHECK(ptx::decode(l->module, k).has_value());
  const auto again = ptx::parse(ptx::print(l->module));
  REQUIRE_MESSAGE(again.has_value(), text_of(again.diagnostics()));
  const words in = {5, 0, 39, 12, 100};
  for (const ptx::module* m : {&l->module, &*again}) {
    REQUIRE(m->find("_Z9all_of_itPKiPi") != nullptr);
    const auto k = ptx::decode(*m, *m->find("_Z9all_of_itPKiPi"));
    REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
    words expected;
    for (std::uint32_t i = 0; i < in.size(); ++i)
      expected.push_back((in[i] & 31) * in[i] + (i + 2 + i * 7) * 1000 + (in[i] + 3) * 4);
    const std::uint32_t threads = static_cast<std::uint32_t>(in.size());
    CHECK(run_under(way::pdom, *k, block_of(threads), {.in = in, .out_words = threads}).out == expected);
  }
}

namespace {

/// A random program: variables, tables of addresses, functions that call earlier ones, and a kernel. It is written as
/// one module or in parts.
struct random_program {
  struct thing {
    enum { number, pointer, pointer_to_function, function } kind = number;
    std::uint32_t value = 0;   // of a number; the constant of a function
    std::size_t uses[2] = {};  // numbers of earlier things, as many as num_uses
    std::size_t num_uses = 0;
    std::size_t part = 0;
    bool shared = false;  // by parts
    std::string name;
  };
  std::vector<thing> things;
  std::size_t parts = 1;

  explicit random_program(std::uint64_t seed) {
    random_bits random{seed};
    const std::size_t n = 4 + random.below(12);
    const auto earlier = [&](auto fits) {
      std::vector<std::size_t> all;
      for (std::size_t i = 0; i < things.size(); ++i)
        if (fits(things[i])) all.push_back(i);
      return all.empty() ? things.size() : all[random.below(all.size())];
    };
    for (std::size_t i = 0; i < n; ++i) {
      thing t;
      t.value = static_cast<std::uint32_t>(random());
      const std::size_t number = earlier([](const thing& e) { return e.kind == thing::number; });
      const std::size_t code = earlier([](const thing& e) { return e.kind == thing::function; });
      if (i + 1 == n || (i > 0 && random.below(2) == 0)) {
        t.kind = thing::function;
        for (; t.num_uses < 2; ++t.num_uses) t.uses[t.num_uses] = random.below(things.size());
      } else if (number < i && random.below(3) == 0) {
        t.kind = thing::pointer;
        t.uses[t.num_uses++] = number;
      } else if (code < i && random.below(2) == 0) {
        t.kind = thing::pointer_to_function;
        t.uses[t.num_uses++] = code;
      }
      things.push_back(t);
    }
  }

  std::uint32_t value(std::size_t i, std::uint32_t x) const {
    const thing& t = things[i];
    if (t.kind == thing::number) return t.value;
    if (t.kind != thing::function) return value(t.uses[0], x);
    std::uint32_t y = x ^ t.value;
    for (std::size_t u = 0; u < t.num_uses; ++u) y = y * 3 + value(t.uses[u], y);
    return y;
  }

  /// The same names may stand for different internal things of different parts.
  void split(std::size_t into, random_bits random) {
    parts = into;
    for (thing& t : things) t.part = random.below(parts), t.shared = false;
    things.back().part = 0;
    for (const thing& t : things)
      for (std::size_t u = 0; u < t.num_uses; ++u)
        if (things[t.uses[u]].part != t.part) things[t.uses[u]].shared = true;
    for (thing& t : things) t.shared = t.shared || random.below(4) == 0;
    std::vector<std::size_t> next(parts, 0);
    for (std::size_t i = 0; i < things.size(); ++i)
      things[i].name = things[i].shared ? "shared" + std::to_string(i) : "own" + std::to_string(next[things[i].part]++);
  }

  std::string declaration(const thing& t, bool is_extern) const {
    const std::string link = is_extern ? ".extern " : t.shared ? ".visible " : "";
    if (t.kind == thing::function) return link + ".func (.param .b32 r) " + t.name + "(.param .b32 p)";
    if (t.kind == thing::number) return link + ".global .u32 " + t.name;
    return link + ".global .u64 " + t.name;
  }
  std::string text(std::size_t part) const {
    std::string s;
    for (const thing& t : things)
      if (t.part == part || t.shared)
        s += t.part == part && t.kind != thing::function ? "" : declaration(t, t.part != part) + ";\n";
    for (const thing& t : things) {
      if (t.part != part) continue;
      if (t.kind == thing::number) s += declaration(t, false) + " = " + std::to_string(t.value) + ";\n";
      if (t.kind == thing::pointer || t.kind == thing::pointer_to_function)
        s += declaration(t, false) + " = " + things[t.uses[0]].name + ";\n";
      if (t.kind != thing::function) continue;
      s += declaration(t, false) +
           " {\n.reg .b32 %x, %y; .reg .b64 %a; shape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
           "ld.param.b32 %x, [p]; xor.b32 %x, %x, " +
           std::to_string(t.value) + ";\n";
      for (std::size_t u = 0; u < t.num_uses; ++u) {
        const thing& e = things[t.uses[u]];
        const bool calls = e.kind == thing::function || e.kind == thing::pointer_to_function;
        if (e.kind == thing::number) s += "ld.global.u32 %y, [" + e.name + "];\n";
        if (e.kind == thing::pointer || e.kind == thing::pointer_to_function)
          s += "ld.global.u64 %a, [" + e.name + "];\n";
        if (e.kind == thing::pointer) s += "ld.u32 %y, [%a];\n";
        if (calls)
          s += "{ .param .b32 q, w; st.param.b32 [q], %x; call (w), " +
               (e.kind == thing::function ? e.name + ", (q)" : std::string("%a, (q), shape")) +
               "; ld.param.b32 %y, [w]; }\n";
        s += "mad.lo.u32 %x, %x, 3, %y;\n";
      }
      s += "st.param.b32 [r], %x; ret; }\n";
    }
    if (part == 0)
      s += ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 %x; .reg .b64 %o, %d; .param .b32 q, w;\n"
           "ld.param.u64 %o, [out]; mov.u32 %x, %tid.x; mul.wide.u32 %d, %x, 4; add.u64 %o, %o, %d;\n"
           "st.param.b32 [q], %x; call (w), " +
           things.back().name + ", (q); ld.param.b32 %x, [w]; st.global.u32 [%o], %x; ret; }\n";
    return s;
  }
};

}  // namespace

TEST_CASE("link: random programs in parts give what they give in one piece") {
  const std::uint64_t runs = std::getenv("SIMTFLOW_LONG") != nullptr ? 20'000 : 150;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    CAPTURE(seed);
    random_program p(seed);
    words expected;
    for (std::uint32_t x = 0; x < 3; ++x) expected.push_back(p.value(p.things.size() - 1, x));
    for (std::size_t parts = 1; parts <= 3; ++parts) {
      CAPTURE(parts);
      p.split(parts, random_bits{seed * 3 + parts});
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < parts; ++i) texts.push_back(p.text(i));
      const ptx::linked_module l = good(texts, parts > 1 ? seed % 2 : 0);
      const auto printed = ptx::parse(ptx::print(l.module));
      REQUIRE(printed.has_value());
      for (const ptx::module* m : {&l.module, &*printed}) {
        const auto k = ptx::decode(*m, m->kernels[0]);
        REQUIRE_MESSAGE(k.has_value(), text_of(k.diagnostics()));
        CHECK(run_under(way::pdom, *k, block_of(3), {.out_words = 3}).out == expected);
      }
    }
  }
}

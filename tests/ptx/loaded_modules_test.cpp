// SPDX-License-Identifier: BSL-1.0
//
// Several kernels and several modules in one device memory: to which variable a name refers, and to which functions a
// pointer from elsewhere leads. Expected values are written out.
#include "ptx/run_support.hpp"
#include <simtflow/ptx/decode/decode.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

ptx::decoded_kernel kernel_of(const ptx::module& m, std::string_view name) {
  REQUIRE(m.find(name) != nullptr);
  auto d = ptx::decode(m, *m.find(name));
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  return *std::move(d);
}

/// Runs a kernel of 64-bit parameters for 40 threads; the fault in words, or nothing.
std::string run(const ptx::decoded_kernel& k, ptx::device_memory& memory, const std::vector<std::uint64_t>& values,
                way how = way::frontier) {
  ptx::arguments args(k);
  for (std::uint32_t i = 0; i < values.size(); ++i) args.set(i, values[i]);
  REQUIRE_MESSAGE(args.ok(), text_of(args.diagnostics()));
  ptx::launch_config l;
  l.block[0] = 40;
  ptx::interpreter<> program(k, l, memory, args);
  const verdict v = run_grid(program, how);
  if (v.how == outcome::fault) return program.fault().describe();
  REQUIRE(v.finished());
  return {};
}

words words_at(const ptx::device_memory& memory, std::uint64_t address, std::size_t n) {
  words all(n);
  REQUIRE(memory.read(address, std::span<std::uint32_t>(all)));
  return all;
}
std::uint64_t pointer_at(const ptx::device_memory& memory, std::uint64_t address) {
  std::uint64_t p[1] = {};
  REQUIRE(memory.read(address, std::span<std::uint64_t>(p)));
  return p[0];
}

/// Two functions in tables that no kernel's text names as functions; `store` puts pointers to the tables into an array,
/// `use` calls through what it finds there, `direct` calls what the host gives it, `number` asks a variable.
constexpr std::string_view shapes = R"(
.func (.param .b32 r) twice(.param .b64 self, .param .b32 x);
.func (.param .b32 r) minus(.param .b64 self, .param .b32 x);
.func (.param .b32 r) other(.param .b32 x);
.global .align 8 .u64 table_of_twice[3] = {0, 0, twice};
.global .align 8 .u64 table_of_minus[3] = {0, 0, generic(minus)};
.global .align 8 .u64 table_of_other[1] = {other};
.global .align 4 .u32 number = 5;
.func (.param .b32 r) twice(.param .b64 self, .param .b32 x) {
  .reg .b32 %x; ld.param.b32 %x, [x]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) minus(.param .b64 self, .param .b32 x) {
  .reg .b32 %x, %k; .reg .b64 %s; ld.param.b64 %s, [self]; ld.u32 %k, [%s+8]; ld.param.b32 %x, [x]; sub.u32 %x, %x, %k;
  st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) other(.param .b32 x) { st.param.b32 [r], 9; ret; }
.visible .entry store(.param .u64 objects) {
  .reg .pred %p; .reg .b32 %t, %o; .reg .b64 %a, %d, %e;
  ld.param.u64 %a, [objects]; mov.u32 %t, %tid.x; and.b32 %o, %t, 1; setp.eq.u32 %p, %o, 1;
  mul.wide.u32 %d, %t, 16; add.u64 %a, %a, %d;
  mov.u64 %d, table_of_twice; mov.u64 %e, table_of_minus; selp.b64 %d, %d, %e, %p; add.u64 %d, %d, 16;
  st.global.u64 [%a], %d; st.global.u32 [%a+8], %t; ret;
}
.visible .entry use(.param .u64 objects, .param .u64 out) {
  .reg .b32 %t, %y; .reg .b64 %a, %d, %f, %o;
  ld.param.u64 %a, [objects]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;
  mul.wide.u32 %d, %t, 16; add.u64 %a, %a, %d; mul.wide.u32 %d, %t, 4; add.u64 %o, %o, %d;
  ld.global.u64 %d, [%a]; ld.u64 %f, [%d];
  { .param .b64 self; st.param.b64 [self], %a; .param .b32 x; st.param.b32 [x], 100; .param .b32 r;
    p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _); call (r), %f, (self, x), p;
    ld.param.b32 %y, [r]; }
  st.global.u32 [%o], %y; ret;
}
.visible .entry direct(.param .u64 f, .param .u64 out) {
  .reg .b32 %y; .reg .b64 %f, %o;
  ld.param.u64 %f, [f]; ld.param.u64 %o, [out];
  { .param .b64 self; st.param.b64 [self], 0; .param .b32 x; st.param.b32 [x], 100; .param .b32 r;
    p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _); call (r), %f, (self, x), p;
    ld.param.b32 %y, [r]; }
  st.global.u32 [%o], %y; ret;
}
.visible .entry number_of(.param .u64 out) {
  .reg .b32 %y; .reg .b64 %o; .reg .pred %p; ld.param.u64 %o, [out]; mov.u32 %y, %tid.x; setp.ne.u32 %p, %y, 0;
  @%p ret;
  ld.global.u32 %y, [number]; add.u32 %y, %y, 1; st.global.u32 [number], %y; st.global.u32 [%o], %y; ret;
}
)";

}  // namespace

TEST_CASE("modules: a kernel calls through objects that another kernel has made") {
  const ptx::module m = module_of(std::string(header).append(shapes));
  const ptx::decoded_kernel store = kernel_of(m, "store"), use = kernel_of(m, "use");
  for (const way how : {way::frontier, way::serial}) {
    ptx::device_memory memory;
    const std::uint64_t objects = memory.allocate(40 * 16, "objects"), out = memory.allocate(160, "out");
    REQUIRE(run(store, memory, {objects}, how) == "");
    REQUIRE(run(use, memory, {objects, out}, how) == "");
    const words got = words_at(memory, out, 40);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == (t % 2 == 1 ? 200 : 100 - t));
  }
}

TEST_CASE("modules: a call through a register reaches what any table or text of the module names, by its shape") {
  const ptx::module m = module_of(std::string(header).append(shapes));
  const ptx::decoded_kernel direct = kernel_of(m, "direct");
  REQUIRE(direct.functions.size() == 3);  // itself, twice, minus
  CHECK(direct.not_callable.size() == 1);
  CHECK(kernel_of(m, "store").functions.size() == 1);  // it calls nothing
  ptx::device_memory memory;
  const std::uint64_t out = memory.allocate(4, "out");
  REQUIRE(memory.load(m).empty());
  // The host finds the address in a table, as cudaMemcpyFromSymbol does, and asks for it; both are one.
  const std::uint64_t twice = pointer_at(memory, memory.symbol(m.id, "table_of_twice") + 16);
  const std::uint64_t other = pointer_at(memory, memory.symbol(m.id, "table_of_other"));
  CHECK(twice == memory.function_address(m.id, 0));
  CHECK(other == memory.function_address(m.id, 2));
  CHECK(memory.function_address(m.id, 3) == 0);
  CHECK(memory.function_at(m.id, twice) == 0);
  REQUIRE(run(direct, memory, {twice, out}) == "");
  CHECK(words_at(memory, out, 1)[0] == 200);
  CHECK(run(direct, memory, {other, out})
            .ends_with("belongs to function 'other', which takes or returns something else than this call passes"));
  CHECK(run(direct, memory, {twice + 4, out}).ends_with("belongs to no function"));
}

TEST_CASE("modules: loading a module gives what loading its kernels one by one gives") {
  const ptx::module m = module_of(std::string(header).append(shapes));
  ptx::device_memory whole, parts;
  REQUIRE(whole.load(m).empty());
  for (const ptx::kernel& k : m.kernels) parts.load(kernel_of(m, k.name));
  for (const std::string_view name : {"table_of_twice", "table_of_minus"})
    CHECK(pointer_at(whole, whole.symbol(m.id, name) + 16) == pointer_at(parts, parts.symbol(m.id, name) + 16));
  CHECK(pointer_at(whole, whole.symbol(m.id, "table_of_twice") + 16) != 0);
  CHECK(parts.symbol(m.id, "table_of_other") == 0);  // no kernel names it
  CHECK(whole.symbol(m.id, "no such") == 0);
  // Loading again keeps what is there.
  const std::uint64_t number = whole.symbol(m.id, "number");
  const std::uint32_t seven[1] = {7};
  REQUIRE(whole.write(number, std::span<const std::uint32_t>(seven)));
  REQUIRE(whole.load(m).empty());
  CHECK(words_at(whole, number, 1)[0] == 7);
  CHECK(whole.free(number).ends_with("is variable 'number' of a module"));
}

TEST_CASE("modules: variables and functions of two modules are apart, whatever their names") {
  const ptx::module a = module_of(std::string(header).append(shapes)),
                    b = module_of(std::string(header).append(shapes));
  ptx::device_memory memory;
  const std::uint64_t out = memory.allocate(4, "out");
  REQUIRE(memory.load(a).empty());
  REQUIRE(memory.load(b).empty());
  CHECK(memory.symbol(a.id, "number") != memory.symbol(b.id, "number"));
  for (const std::uint32_t expected : {6U, 7U}) {
    REQUIRE(run(kernel_of(a, "number_of"), memory, {out}) == "");
    CHECK(words_at(memory, out, 1)[0] == expected);
  }
  REQUIRE(run(kernel_of(b, "number_of"), memory, {out}) == "");
  CHECK(words_at(memory, out, 1)[0] == 6);
  for (std::uint32_t f = 0; f < 3; ++f)
    for (std::uint32_t g = 0; g < 3; ++g) CHECK(memory.function_address(a.id, f) != memory.function_address(b.id, g));
  CHECK(memory.module_at(memory.function_address(b.id, 1)) == b.id);
  REQUIRE(run(kernel_of(b, "direct"), memory, {memory.function_address(b.id, 0), out}) == "");
  CHECK(words_at(memory, out, 1)[0] == 200);
  CHECK(run(kernel_of(b, "direct"), memory, {memory.function_address(a.id, 0), out})
            .ends_with("belongs to a function of another module"));
}

TEST_CASE("modules: recursion through a pointer that comes from memory, and a table of functions that is changed") {
  const ptx::module m = module_of(std::string(header) + R"(
.func (.param .b32 r) down(.param .b32 x);
.func (.param .b32 r) done(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; st.param.b32 [r], %x; ret; }
.global .align 8 .u64 steps[2] = {done, down};
.func (.param .b32 r) down(.param .b32 x) {
  .reg .b32 %x, %y; .reg .b64 %f; .reg .pred %p;
  ld.param.b32 %x, [x]; setp.eq.u32 %p, %x, 0; ld.global.u64 %f, [steps+8];
  @%p ld.global.u64 %f, [steps]; sub.u32 %y, %x, 1;
  @%p mov.u32 %y, 0;
  { .param .b32 a; st.param.b32 [a], %y; .param .b32 q; p: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %f, (a), p; ld.param.b32 %y, [q]; }
  add.u32 %y, %y, %x; st.param.b32 [r], %y; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %t, %y; .reg .b64 %o, %d, %f; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %d, %t, 4;
  add.u64 %o, %o, %d; ld.global.u64 %f, [steps+8];
  { .param .b32 a; st.param.b32 [a], %t; .param .b32 q; p: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %f, (a), p; ld.param.b32 %y, [q]; }
  st.global.u32 [%o], %y; ret;
}
)");
  const ptx::decoded_kernel k = kernel_of(m, "k");
  for (const way how : {way::frontier, way::serial}) {
    ptx::device_memory memory;
    const std::uint64_t out = memory.allocate(160, "out");
    REQUIRE(run(k, memory, {out}, how) == "");
    words got = words_at(memory, out, 40);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == t * (t + 1) / 2);
    const std::uint64_t done[1] = {memory.function_address(m.id, 1)};
    REQUIRE(memory.write(memory.symbol(m.id, "steps") + 8, std::span<const std::uint64_t>(done)));
    REQUIRE(run(k, memory, {out}, how) == "");
    got = words_at(memory, out, 40);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == t);
  }
}

TEST_CASE("modules: what a kernel reads after it was freed is a fault that says so") {
  const ptx::module m = module_of(std::string(header).append(shapes));
  ptx::device_memory memory;
  const std::uint64_t objects = memory.allocate(40 * 16, "objects"), out = memory.allocate(160, "out");
  REQUIRE(run(kernel_of(m, "store"), memory, {objects}) == "");
  REQUIRE(memory.free(objects) == "");
  CHECK(run(kernel_of(m, "use"), memory, {objects, out})
            .ends_with("out of bounds: 8 bytes at .global address 0x10000000 (byte 0 of 'objects', which was freed)"));
  CHECK(run(kernel_of(m, "use"), memory, {memory.function_address(m.id, 0) / 16 * 16, out})
            .ends_with("(that is the address of a function)"));
}

TEST_CASE("modules: a module with initialisers that name things without address is not loaded") {
  const auto said = [](std::string_view text) {
    ptx::device_memory memory;
    const ptx::module m = module_of(std::string(header) + ".global .u32 fine = 1;\n" + std::string(text));
    const std::string all = text_of(memory.load(m));
    CHECK(memory.allocations().empty() == !all.empty());
    return all;
  };
  CHECK(said("") == "");
  CHECK(said(".shared .u32 s; .global .u64 p = s;").find("'s', which has none in device memory") != std::string::npos);
  CHECK(said(".global .u64 p = gone;").find("address of 'gone'") != std::string::npos);
  CHECK(said(".extern .global .u32 far_away; .global .u64 p = far_away;").find("'far_away'") != std::string::npos);
  CHECK(said(".extern .global .u32 far_away;") == "");
  CHECK(said(".func f() { .global .u32 v; ret; } .func g() { .global .u32 v; ret; }")
            .find("there is another .global variable 'v'") != std::string::npos);
}

TEST_CASE("modules: a variable that is placed on the host is there, with its initial value and its address") {
  const ptx::module m = module_of(std::string(header) + R"(
.global .u32 managed[4] = {5, 6, 7, 8};
.global .u64 to = managed;
.entry k() {
  .reg .b64 %p; .reg .b32 %v;
  ld.global.u64 %p, [to];
  ld.u32 %v, [%p+4];
  add.u32 %v, %v, 100;
  st.u32 [%p+8], %v;
  ret;
}
)");
  std::vector<std::uint32_t> host(4, 1);
  const std::span<unsigned char> bytes(reinterpret_cast<unsigned char*>(host.data()), 16);
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data()));
  ptx::device_memory memory;
  REQUIRE(memory.place(m.id, "managed", bytes) == "");
  CHECK(memory.symbol(m.id, "managed") == 0);
  REQUIRE(memory.load(m).empty());
  CHECK(memory.symbol(m.id, "managed") == address);
  CHECK(host == words{5, 6, 7, 8});
  CHECK(memory.free(address).find("is variable 'managed' of a module") != std::string::npos);
  REQUIRE(run(kernel_of(m, "k"), memory, {}) == "");
  CHECK(host == words{5, 6, 106, 8});

  ptx::device_memory copy = memory;  // the kernel does the same there, and leaves the host alone
  host[1] = 50;
  REQUIRE(run(kernel_of(m, "k"), copy, {}) == "");
  CHECK(host == words{5, 50, 106, 8});
  REQUIRE(run(kernel_of(m, "k"), memory, {}) == "");
  CHECK(host == words{5, 50, 150, 8});

  memory.unload(m.id);
  CHECK(memory.allocations().empty());
  CHECK(memory.symbol(m.id, "to") == 0);
  memory.unload(m.id);
  CHECK(host == words{5, 50, 150, 8});
  REQUIRE(run(kernel_of(m, "k"), memory, {}) == "");  // loaded again, and no longer on the host
  CHECK(host == words{5, 50, 150, 8});
  CHECK(memory.allocations().size() == 2);
}

TEST_CASE("modules: borrowed memory may begin anywhere") {
  const ptx::module m = module_of(std::string(header) + R"(
.entry k(.param .u64 p) {
  .reg .b64 %p, %x; .reg .b32 %v;
  ld.param.u64 %p, [p];
  mov.u32 %v, %tid.x;
  mad.wide.u32 %x, %v, 4, %p;
  st.global.u32 [%x], %v;
  ret;
}
)");
  alignas(64) unsigned char host[256] = {};
  for (const std::size_t shift : {0U, 4U, 12U, 2U}) {
    ptx::device_memory memory;
    const std::span<unsigned char> bytes(host + shift, 160);
    REQUIRE(memory.borrow(bytes, "host") == "");
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(bytes.data()));
    const std::string wrong = run(kernel_of(m, "k"), memory, {address});
    CHECK((wrong == "") == (shift != 2));
    if (shift == 2)
      CHECK(wrong.find("misaligned") != std::string::npos);
    else
      CHECK(bytes[39 * 4] == 39);
  }
}

# SPDX-License-Identifier: BSL-1.0
#
# Launch files with several launches, variables of the module, structures, files of data, reference programs; templates;
# changes by the command line. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")
include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)
function(refused name expected)
  says("${name}" 2 "${expected}" ${ARGN})
  set(failures "${failures}" PARENT_SCOPE)
endfunction()

# scale(float*, int, s): x[i] = x[i] * factor + s.add for i < n, and one more in `calls` for each thread.
file(WRITE ${WORK_DIR}/two.ptx [=[
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .f32 factor;
.global .align 4 .u32 calls = 5;
.const .align 4 .b8 raw[8];
.visible .entry _Z5scalePfi4pair(.param .u64 x, .param .u32 n, .param .align 8 .b8 s[16]) {
  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<5>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f4, [s];
  ld.param.u64 %rd5, [s+8];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  ld.const.f32 %f2, [factor];
  fma.rn.f32 %f3, %f1, %f2, %f4;
  st.global.f32 [%rd3], %f3;
  red.global.add.u32 [calls], 1;
  red.global.add.u32 [%rd5], 1;
DONE:
  ret;
}
.visible .entry _Z5scalePdi(.param .u64 x, .param .u32 n) { ret; }
.visible .entry fill(.param .u64 fill_param_0) {
  .reg .b32 %r<3>; .reg .b64 %rd<5>; .reg .b16 %h<2>;
  ld.param.u64 %rd1, [fill_param_0];
  cvta.to.global.u64 %rd4, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 2;
  add.u64 %rd3, %rd4, %rd2;
  mov.b16 %h1, 0x3e00;
  st.global.b16 [%rd3], %h1;
  ret;
}
]=])
set(buffers [=["buffers": [{"name": "x", "type": "f32", "init": {"values": [1, 2, 3, 4]}},
  {"name": "count", "type": "u32", "count": 2},
  {"name": "h", "type": "f16", "count": 4}]]=])
file(WRITE ${WORK_DIR}/two.json "{\"kernel\": \"scale(float*, int, pair)\", \"grid\": [1], \"block\": [32], ${buffers},
  \"variables\": {\"factor\": 2, \"raw\": {\"f32\": [1, 2]}},
  \"params\": [{\"buffer\": \"x\"}, {\"u32\": 4}, {\"struct\": [{\"f32\": 0.5}, {\"buffer\": \"count\", \"offset\": 4}]}],
  \"launches\": [
    {\"expect\": [{\"buffer\": \"x\", \"values\": [2.5, 4.5, 6.5, 8.5]}, {\"variable\": \"calls\", \"values\": [9]}]},
    {\"variables\": {\"factor\": -1}, \"set\": {\"count\": \"iota\"},
     \"expect\": [{\"buffer\": \"x\", \"values\": [-2, -4, -6, -8]}, {\"buffer\": \"count\", \"values\": [0, 5]}]},
    {\"kernel\": \"fill\", \"block\": [4], \"params\": [{\"buffer\": \"h\"}]}],
  \"expect\": [{\"buffer\": \"h\", \"fill\": 1.5}, {\"variable\": \"factor\", \"f32\": -1}, {\"variable\": \"raw\", \"f32\": [1, 2]}]}")
set(two two.ptx --launch two.json)

says("all launches" 0 "_Z5scalePfi4pair .launch 1 of 3.;fill .launch 3 of 3.;all 3 launches;launch 2 of 3: memory: pdom = tf = volta = serial. x, count = the values given;launch 3 of 3: memory: pdom = tf = volta = serial. h, factor, raw = the values given"
  run ${two})
says("one of them" 0 "memory: pdom = serial. x, count = the values" run ${two} --launch-number 2 --policy pdom)
foreach(command IN ITEMS record timeline explore transform)
  set(more "")
  if(command STREQUAL record)
    set(more -o out.trace)
  elseif(command STREQUAL transform)
    set(more --linearize --policy pdom)
  endif()
  refused("${command} takes one" "two.json: has 3 launches, and one is taken here: name it with --launch-number"
    ${command} ${two} ${more})
  says("${command}, the second" 0 "^" ${command} ${two} ${more} --launch-number 2)
endforeach()
says("time, all launches" 0 "scale.float., int, pair. .launch 1 of 3.;cycles of all 3 launches: pdom [0-9]+, tf [0-9]+" time ${two} --policy pdom,tf)
says("time, one launch" 0 "memory: pdom = serial" time ${two} --policy pdom --launch-number 3)
refused("a launch that is not there" "--launch-number 4: two.json has 3 launches" run ${two} --launch-number 4)
refused("a change of several launches" "change one launch, and two.json has 3" run ${two} --grid 2)
refused("events of several launches" "--events records one launch" run ${two} --policy pdom --events e.csv)

# Changes by the command line.
set(last ${two} --policy pdom --launch-number 2)
says("fewer elements" 1 "x.2. is 6.5, not -6, the first of 2" run ${last} --arg n=2)
says("by number" 1 "x.3. is 8.5, not -8" run ${last} --arg 1=3)
says("another variable" 1 "x.0. is 3, not -2" run ${last} --set factor=1)
says("other data" 1 "x.0. is -0.5, not -2" run ${last} --set x=1)
says("another buffer" 1 "x.0. is 2.5, not -2" run ${last} --arg x=count --arg n=2)
says("part of a buffer" 1 "x.0. is 2.5, not -2" run ${last} --arg x=x+8 --arg n=2)
refused("no such parameter" "--arg m=2: kernel _Z5scalePfi4pair has no parameter of that name; it has x, n, s" run ${last} --arg m=2)
refused("no value" "--arg n=two: is no buffer, and no value of .u32" run ${last} --arg n=two)
refused("no assignment" "--arg n: is no NAME=VALUE" run ${last} --arg n)
refused("no grid" "--grid 1,two: one to three whole numbers" run ${last} --grid 1,two)
refused("too many threads" "--block: /: 2048 threads: at most 1024 fit" run ${last} --block 1024,2)
refused("no such variable" "two.json: --set: two.ptx has no variable \"y\" in .global or .const; it has factor, calls, raw" run ${last} --set y=1)
refused("no start" "--set x: /: unknown start \"everything\"" run ${last} --set x=everything)
refused("no NAME=VALUE" "--set x: is no NAME=VALUE" run ${last} --set x)
refused("an ambiguous kernel" "\"scale\" can be each of _Z5scalePfi4pair .scale.float., int, pair.., _Z5scalePdi"
  transform two.ptx --linearize --kernel scale)
says("a kernel by its C\\+\\+ name" 0 "label=\"_Z5scalePdi" draw two.ptx --kernel "scale(double*, int)")
foreach(option IN ITEMS "--dynamic-shared 999999" "--launch-number 0")
  separate_arguments(words UNIX_COMMAND "${option}")
  refused("${option}" "Value" run ${two} ${words})
endforeach()

# Files of data.
says("dumps" 0 "^" run ${two} --policy pdom --dump x=x.npy --dump h=h.csv --dump factor=f.txt --dump count=c.bin)
file(READ ${WORK_DIR}/h.csv text)
if(NOT text STREQUAL "1.5\n1.5\n1.5\n1.5\n")
  string(APPEND failures "\nh.csv: ${text}")
endif()
file(READ ${WORK_DIR}/c.bin text HEX)
if(NOT text STREQUAL "0000000005000000")
  string(APPEND failures "\nc.bin: ${text}")
endif()
set(one "\"kernel\": \"fill\", \"grid\": [1], \"block\": [4], \"params\": [{\"buffer\": \"h\"}]")
file(WRITE ${WORK_DIR}/files.json "{${one}, \"buffers\": [{\"name\": \"h\", \"type\": \"f16\", \"count\": 4},
  {\"name\": \"x\", \"type\": \"f32\", \"init\": {\"file\": \"x.npy\"}}, {\"name\": \"c\", \"type\": \"u32\", \"init\": {\"file\": \"c.bin\"}},
  {\"name\": \"text\", \"type\": \"u8\", \"init\": {\"text\": \"abc\"}}],
  \"expect\": [{\"buffer\": \"x\", \"values\": [-2, -4, -6, -8]}, {\"buffer\": \"c\", \"bytes\": \"00000000 05000000\"},
  {\"buffer\": \"h\", \"file\": \"h.csv\"}, {\"buffer\": \"text\", \"values\": [97, 98, 99, 0]}]}")
says("files" 0 "x, c, h, text = the values given" run two.ptx --launch files.json --policy pdom)
says("a file in place of values" 1 "c.0. is 7, not 0" run two.ptx --launch files.json --policy pdom --set "c=[7, 8]")
refused("a file of another type" "x.npy: has elements of type '<f4', not '<u4', which u32 is in NumPy"
  run two.ptx --launch files.json --set c=@x.npy)
refused("no such file" "nowhere.bin: no such file" run two.ptx --launch files.json --set c=@nowhere.bin)
refused("a dump of nothing" "--dump y=y.bin: two.ptx has no variable" run two.ptx --launch files.json --policy pdom --dump y=y.bin)
refused("no dump" "--dump x: is no NAME=FILE" run two.ptx --launch files.json --dump x)
refused("a dump over the input" "two.ptx: is the input" run two.ptx --launch files.json --dump x=two.ptx)
file(WRITE ${WORK_DIR}/bad.csv "1, 2\n# remark\n3, four\n")
refused("a word among numbers" "bad.csv:3:4: \"four\" is no number of type u32" run two.ptx --launch files.json --set c=@bad.csv)

# Modules named by the launch file.
file(READ ${WORK_DIR}/files.json text)
string(REPLACE "\"kernel\"" "\"module\": \"two.ptx\", \"kernel\"" text "${text}")
file(WRITE ${WORK_DIR}/module.json "${text}")
says("a module in the launch file" 0 "h, text = the values given" run --launch module.json --policy pdom)
refused("no module at all" "KERNEL.ptx is required: files.json names no module" run --launch files.json)

# Reference programs.
find_program(shell_tool cp)
if(shell_tool)
  file(WRITE ${WORK_DIR}/ref.json "{${one}, \"buffers\": [{\"name\": \"h\", \"type\": \"f16\", \"count\": 4}],
    \"expect\": [{\"buffer\": \"h\", \"command\": [\"sh\", \"-c\", \"cp h.csv $0/out\"], \"relative\": 1e-3}]}")
  says("a reference program" 0 "h = command sh -c 'cp h.csv .0/out'" run two.ptx --launch ref.json --policy pdom)
  file(WRITE ${WORK_DIR}/fails.json "{${one}, \"buffers\": [{\"name\": \"h\", \"type\": \"f16\", \"count\": 4}],
    \"expect\": [{\"buffer\": \"h\", \"command\": [\"sh\", \"-c\", \"echo no luck; exit 3\"]}]}")
  refused("a program that fails" "fails.json: /expect: command sh -c 'echo no luck. exit 3': exit status 3\nno luck" run two.ptx --launch fails.json --policy pdom)
  file(WRITE ${WORK_DIR}/idle.json "{${one}, \"buffers\": [{\"name\": \"h\", \"type\": \"f16\", \"count\": 4}],
    \"expect\": [{\"buffer\": \"h\", \"command\": [\"true\"]}]}")
  refused("a program that writes nothing" "command true: it has written no out/h.npy" run two.ptx --launch idle.json --policy pdom)
  file(WRITE ${WORK_DIR}/nobody.json "{${one}, \"buffers\": [{\"name\": \"h\", \"type\": \"f16\", \"count\": 4}],
    \"expect\": [{\"buffer\": \"h\", \"command\": [\"no-such-program\"]}]}")
  refused("a program that is not there" "command no-such-program: there is no such program" run two.ptx --launch nobody.json --policy pdom)
endif()

# Templates: `run` takes them as they are.
foreach(kernel IN ITEMS figure1 mandelbrot bitonic_sort short_circuit)
  says("init ${kernel}" 0 "parameter ${kernel}_param_0: a buffer of u32, by the first access to it" init ${KERNELS}/${kernel}.ptx -o ${kernel}.json)
  execute_process(COMMAND ${TOOL} run ${KERNELS}/${kernel}.ptx --launch ${kernel}.json --policy pdom --most-blocks 100000
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT status MATCHES "^[01]$")
    string(APPEND failures "\nthe template for ${kernel}: status ${status}: ${said}")
  endif()
endforeach()
says("init by a C\\+\\+ name" 0 "\"name\": \"x\", \"type\": \"f32\";\"s32\": 64;\"bytes\": \"00000000000000000000000000000000\";parameter s: a structure of 16 bytes"
  init two.ptx --kernel "scale(float*, int, pair)")
says("init by accesses" 0 "\"name\": \"arg_0\", \"type\": \"u16\"" init two.ptx --kernel fill)
refused("init, several kernels" "--kernel: two.ptx has several kernels, name one: " init two.ptx)
refused("init over the input" "two.ptx: is the input" init two.ptx --kernel fill -o two.ptx)

# CUDA source.
file(WRITE ${WORK_DIR}/k.cu "__global__ void twice(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }\n")
file(WRITE ${WORK_DIR}/k.json "{\"kernel\": \"twice\", \"grid\": [1], \"block\": [32], \"buffers\": [{\"name\": \"x\", \"type\": \"f32\", \"count\": 32, \"init\": \"iota\"}],
  \"params\": [{\"buffer\": \"x\"}, {\"s32\": 2}], \"expect\": [{\"buffer\": \"x\", \"values\": [0, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]}]}")
find_program(nvcc nvcc)
if(nvcc)
  says("CUDA source" 0 "_Z5twicePfi;x = the values given;nvcc -ptx -lineinfo -o [^ ]*/module.ptx k.cu" run k.cu --launch k.json --policy pdom --verbose)
  file(WRITE ${WORK_DIR}/bad.cu "__global__ void twice(float* x) { x = }\n")
  refused("CUDA source with a mistake" "bad.cu: nvcc ends with exit status [0-9]+: nvcc -ptx -lineinfo -o bad.ptx bad.cu\n.*bad.cu.1." run bad.cu --launch k.json)
else()
  message(STATUS "skipped: no nvcc")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env "PATH=/nonexistent" ${TOOL} run k.cu --launch k.json
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
if(NOT status STREQUAL "2" OR NOT said MATCHES "^k.cu: CUDA source, and nvcc is not on the PATH; where it is: nvcc -ptx -lineinfo -o k.ptx k.cu\n$")
  string(APPEND failures "\nno nvcc: status ${status}: ${said}")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

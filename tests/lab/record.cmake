# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab record`: what is replayed from a recording costs what the run costs, under every policy. Variables:
# TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# smaller(KERNEL GRID): the shipped kernel with fewer thread blocks, in WORK_DIR; its expectations do not hold then.
function(smaller name grid)
  file(READ ${KERNELS}/${name}.launch.json launch)
  string(JSON launch SET "${launch}" grid "${grid}")
  string(JSON launch REMOVE "${launch}" expect)
  file(WRITE ${WORK_DIR}/${name}.launch.json "${launch}")
  configure_file(${KERNELS}/${name}.ptx ${WORK_DIR}/${name}.ptx COPYONLY)
endfunction()
smaller(short_circuit "[2]")
smaller(bytecode "[1]")
smaller(bitonic_sort "[2]")
smaller(mandelbrot "[4, 2]")
smaller(nested_loops "[1]")

# round_trip(KERNEL ARGUMENT...): the arguments go to run and record; replay has the machine from the trace, and gets
# only the order.
function(round_trip name)
  set(folder ${KERNELS})
  if(EXISTS ${WORK_DIR}/${name}.ptx)
    set(folder ${WORK_DIR})
  endif()
  set(kernel ${folder}/${name}.ptx --launch ${folder}/${name}.launch.json)
  string(REGEX REPLACE "(^|;)--(warp-width|barriers);[^;]*" "" order "${ARGN}")
  execute_process(COMMAND ${TOOL} run ${kernel} --policy all --csv ${ARGN} OUTPUT_VARIABLE ran ERROR_QUIET)
  execute_process(COMMAND ${TOOL} record ${kernel} -o ${WORK_DIR}/${name}.trace.gz --graph ${WORK_DIR}/${name}.cfg ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT "${printed}${said}" STREQUAL "")
    set(failures "${failures}\n${name} is not recorded: status ${status}\n${printed}${said}" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${TOOL} replay ${WORK_DIR}/${name}.cfg ${WORK_DIR}/${name}.trace.gz --policy all --csv ${order}
    OUTPUT_VARIABLE replayed ERROR_QUIET)
  # Files, grid and thread block are another matter.
  foreach(csv IN ITEMS ran replayed)
    string(REGEX REPLACE
      ",[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*(,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*\n)"
      "\\1" ${csv} "${${csv}}")
  endforeach()
  if(NOT ran STREQUAL replayed OR NOT ran MATCHES "\n[^\n]*,serial,[^\n]*,finished,")
    set(failures "${failures}\n${name} ${ARGN} ran\n${ran}and replayed\n${replayed}" PARENT_SCOPE)
  endif()
  execute_process(COMMAND ${TOOL} analyze ${WORK_DIR}/${name}.cfg RESULT_VARIABLE status OUTPUT_VARIABLE printed)
  if(NOT status STREQUAL "0" OR NOT printed MATCHES "^recorded/${name} ")
    set(failures "${failures}\nthe graph of ${name}: status ${status}\n${printed}" PARENT_SCOPE)
  endif()
endfunction()

round_trip(figure1) # has warps of four threads
round_trip(short_circuit)
round_trip(bytecode)          # loops with atomic operations, in which volta yields
round_trip(bitonic_sort)      # barriers
round_trip(barrier_exception) # and one that not all policies pass
round_trip(mandelbrot --warp-width 16)
round_trip(nested_loops --warp-width 128 --order rpo)
round_trip(tree_reduction --barriers thread-arrival)

# Calls of one function from two places, and a guarded exit: the trace needs the graph beside it.
file(WRITE ${WORK_DIR}/calls.ptx ".version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 out) collatz(.param .b32 in)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [in];
  and.b32 %r2, %r1, 1;
  setp.eq.s32 %p1, %r2, 0;
  @%p1 bra EVEN;
  mad.lo.s32 %r1, %r1, 3, 1;
  bra OUT;
EVEN:
  shr.u32 %r1, %r1, 1;
OUT:
  st.param.b32 [out], %r1;
  ret;
}
.visible .entry calls(.param .u64 calls_param_0)
{
  .reg .pred %p<5>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [calls_param_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.u32 %r2, %r1, 3;
  rem.u32 %r3, %r1, 5;
AGAIN:
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra DONE;
  sub.u32 %r3, %r3, 1;
  and.b32 %r4, %r2, 2;
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra OTHER;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r2;
    call.uni (b), collatz, (a);
    ld.param.b32 %r2, [b];
  }
  bra AGAIN;
OTHER:
  add.u32 %r2, %r2, 1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r2;
    call.uni (b), collatz, (a);
    ld.param.b32 %r2, [b];
  }
  setp.eq.u32 %p3, %r2, 4;
  @%p3 exit;
  bra AGAIN;
DONE:
  st.global.u32 [%rd3], %r2;
  ret;
}
")
file(WRITE ${WORK_DIR}/calls.launch.json "{\"kernel\": \"calls\", \"grid\": [1], \"block\": [96],
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 96, \"init\": \"zero\"}],
  \"params\": [{\"buffer\": \"out\"}]}")
round_trip(calls)

# Barriers with numbers and thread counts: one warp is counted at a barrier that another waits at.
function(write_named number)
  file(WRITE ${WORK_DIR}/named.ptx ".version 7.0
.target sm_70
.address_size 64
.visible .entry named(.param .u64 named_param_0)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b32 tile[96];
  ld.param.u64 %rd1, [named_param_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;
  mov.u32 %r6, 3;
  setp.gt.u32 %p1, %r1, 31;
  @%p1 bra REST;
  st.shared.u32 [%r4], %r1;
  bar.arrive ${number}, 96;
  bra DONE;
REST:
  bar.sync ${number}, 96;
  and.b32 %r3, %r3, 127;
  add.u32 %r4, %r2, %r3;
  ld.shared.u32 %r5, [%r4];
  st.global.u32 [%rd3], %r5;
  bar.sync 1, 64;
  setp.gt.u32 %p2, %r1, 63;
  @%p2 exit;
DONE:
  ret;
}
")
endfunction()
write_named(3)
file(WRITE ${WORK_DIR}/named.launch.json "{\"kernel\": \"named\", \"grid\": [2], \"block\": [96],
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 96, \"init\": \"zero\"}],
  \"params\": [{\"buffer\": \"out\"}]}")
round_trip(named)
file(READ ${WORK_DIR}/named.cfg named)
foreach(flag a3/96 b3/96 b1/64)
  if(NOT named MATCHES "\n[0-9]+ [0-9]+ ${flag} ")
    string(APPEND failures "\nno block of ${flag} in\n${named}")
  endif()
endforeach()

# The graph says in which blocks a thread can see what another one did; volta yields in their loops. Without that it
# yields nowhere, and the remark says so.
file(READ ${WORK_DIR}/bytecode.cfg bytecode)
if(NOT bytecode MATCHES "\n[0-9]+ [0-9]+ [^ ]*w ")
  string(APPEND failures "\nno block of bytecode has the flag w:\n${bytecode}")
endif()
# volta_says(FILE REMARKS): how often replay and timeline say of FILE that volta yields nowhere; volta:yield=never does
# not ask to yield.
function(volta_says file remark)
  execute_process(COMMAND ${TOOL} replay ${file} --policy volta,volta:yield=never WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  set(words "waits, volta: yields nowhere, since the trace marks no block in which a thread can see what another one did .flag w.")
  string(REGEX MATCHALL "yields nowhere" remarks "${printed}")
  list(LENGTH remarks remarks)
  if(NOT status STREQUAL "0" OR NOT remarks EQUAL remark OR (remark AND NOT printed MATCHES "\n${words}\n"))
    string(APPEND failures "\n${file}: status ${status}, ${remarks} remarks that volta yields nowhere\n${printed}${said}")
  endif()
  execute_process(COMMAND ${TOOL} timeline ${file} --policy volta WORKING_DIRECTORY ${WORK_DIR}
    OUTPUT_QUIET ERROR_VARIABLE said)
  string(REGEX MATCHALL "volta: yields nowhere" remarks "${said}")
  list(LENGTH remarks remarks)
  if(NOT remarks EQUAL remark)
    string(APPEND failures "\ntimeline of ${file}: ${said}")
  endif()
  set(failures "${failures}" PARENT_SCOPE)
endfunction()
set(waits "k - - waits\ng waits 2 0\n0 1 FLAG 0 1\n1 1 -\nt 0 0 1\nt 1 0 0 1\nc 0 1\n")
string(REPLACE FLAG w marked "${waits}")
string(REPLACE FLAG - unmarked "${waits}")
file(WRITE ${WORK_DIR}/marked.trace "${marked}")
file(WRITE ${WORK_DIR}/unmarked.trace "${unmarked}")
volta_says(marked.trace 0)
volta_says(unmarked.trace 1)

# The default order leads lanes past each other at this barrier: the barrier-aware one is taken, and every command says
# so.
file(WRITE ${WORK_DIR}/split.ptx ".version 9.0
.target sm_75
.address_size 64
.visible .entry split(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, 0;
  and.b32 %r2, %r1, 1;
TEST:
  setp.ne.u32 %p, %r2, 0;
  @%p bra DOWN;
  bar.sync 0;
  and.b32 %r2, %r1, 1;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, 2;
  @%p bra TEST;
  bra OUT;
DOWN:
  sub.u32 %r2, %r2, 1;
  bra TEST;
OUT:
  ld.param.u64 %rd0, [out];
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r3;
  ret;
}
")
file(WRITE ${WORK_DIR}/split.launch.json "{\"kernel\": \"split\", \"grid\": [1], \"block\": [64],
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 64, \"init\": \"zero\"}],
  \"params\": [{\"buffer\": \"out\"}]}")
set(split split.ptx --launch split.launch.json)
round_trip(split)
file(MAKE_DIRECTORY ${WORK_DIR}/one)
foreach(name IN ITEMS split.ptx split.launch.json)
  configure_file(${WORK_DIR}/${name} ${WORK_DIR}/one/${name} COPYONLY)
endforeach()
# other_order(BEFORE ARGUMENT...): the command says what it did, after BEFORE.
function(other_order before)
  execute_process(COMMAND ${TOOL} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT "\n${said}${printed}" MATCHES
      "\n *\"?${before}: ran in the barrier-aware priority order. in the loop-contiguous one, thread block 0: barrier deadlock: ")
    set(failures "${failures}\n${ARGN}: status ${status}, no word of the order for ${before}\n${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()
other_order("tf" run ${split} --policy pdom,tf)
other_order("tf" run ${split} --policy pdom,tf --json)
other_order("tf" run ${split} --policy pdom,tf --csv)
other_order("min-pc" record ${split} --policy min-pc -o split.trace)
other_order("split, tf-sandy" replay split.trace --policy tf-sandy)
other_order("tf" timeline ${split} --policy tf -o split.svg)
other_order("tf" timeline split.trace --policy tf -o split.svg)
other_order("tf, before" transform ${split} --linearize --policy tf)
other_order("tf, after" transform ${split} --unify-exits --policy tf)
other_order("split: tf" suite one --policy pdom,tf)
other_order("split: tf, one warp" suite one --policy pdom,tf --tables)
set(trace "")
if(EXISTS ${WORK_DIR}/split.trace)
  file(READ ${WORK_DIR}/split.trace trace)
endif()
if(NOT trace MATCHES "\n# min-pc: ran in the barrier-aware priority order[^\n]*\nk ")
  string(APPEND failures "\nthe trace of split begins\n${trace}")
endif()
execute_process(COMMAND ${TOOL} run ${split} --policy pdom,tf:priority=barrier-aware WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT status STREQUAL "0" OR "${printed}${said}" MATCHES "ran in the")
  string(APPEND failures "\nthe barrier-aware order was asked for: status ${status}\n${printed}${said}")
endif()

# refused(NAME MESSAGE ARGUMENT...)
function(refused name expected)
  execute_process(COMMAND ${TOOL} record ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "${expected}" OR EXISTS ${WORK_DIR}/out.trace)
    set(failures "${failures}\n${name}: status ${status}, expected 2 and ${expected}\n${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()
set(good ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
configure_file(${KERNELS}/figure1.ptx ${WORK_DIR}/mine.ptx COPYONLY)
refused("over the input" "^mine.ptx: is the input" mine.ptx --launch ${KERNELS}/figure1.launch.json -o mine.ptx)
refused("nowhere" "--output is required" ${good})
refused("both into one file" "out.trace: cannot take both" ${good} -o out.trace --graph ./out.trace)
refused("a policy that does not exist" "--policy quick: there is no policy" ${good} -o out.trace --policy quick)
refused("a run that does not finish" "only a run that finishes can be recorded; pdom: .*barrier deadlock"
  ${KERNELS}/barrier_exception.ptx --launch ${KERNELS}/barrier_exception.launch.json -o out.trace --policy pdom)
write_named(%r6)
refused("a barrier's number in a register" "^named.ptx: cannot be recorded: a barrier's number or thread count is known only in a run"
  named.ptx --launch named.launch.json -o out.trace)

execute_process(COMMAND ${TOOL} replay calls.trace.gz WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT status STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "kernel calls has calls: put the graph file")
  string(APPEND failures "\ncalls replayed without the graph: status ${status}\n${printed}${said}")
endif()
refused("calls without the graph beside" "^a kernel with calls: --graph" calls.ptx --launch calls.launch.json -o out.trace)

# The trace says which machine it was recorded on, and replay says which one it takes and why.
set(figure1 ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
function(replay_says name expected)
  execute_process(COMMAND ${TOOL} replay ${name}.trace --policy pdom ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  execute_process(COMMAND ${TOOL} replay ${name}.trace --policy pdom --csv ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    OUTPUT_VARIABLE csv ERROR_VARIABLE beside)
  if(NOT status STREQUAL "0" OR NOT printed MATCHES "\nfigure1: ${expected}\n" OR NOT beside MATCHES "^figure1: ${expected}\n"
      OR csv MATCHES "warp width ")
    set(failures "${failures}\nreplay ${name} ${ARGN}: status ${status}, expected ${expected}\n${printed}${said}${csv}${beside}"
      PARENT_SCOPE)
  endif()
endfunction()
execute_process(COMMAND ${TOOL} record ${figure1} -o plain.trace WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TOOL} record ${figure1} -o wide.trace --warp-width 8 --barriers warp-arrival
  WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK_DIR}/plain.trace plain)
if(NOT plain MATCHES "^# figure1 figure1, 1 thread block of 4 threads, recorded under serial\nk [^\n]* figure1\nm 4 -\ng ")
  string(APPEND failures "\nthe trace of figure1 begins\n${plain}")
endif()
string(REPLACE "m 4 -\n" "" old "${plain}")
file(WRITE ${WORK_DIR}/old.trace "${old}")
replay_says(plain "warp width 4 .from the trace., barriers as fits each policy .from the trace.")
replay_says(plain "warp width 2 .--warp-width., barriers as fits each policy .from the trace." --warp-width 2)
replay_says(wide "warp width 8 .from the trace., barriers warp-arrival .from the trace.")
replay_says(wide "warp width 8 .from the trace., barriers uniform .--barriers." --barriers uniform)
replay_says(old "warp width 32 .the trace does not say., barriers as fits each policy .the trace does not say.")
execute_process(COMMAND ${TOOL} timeline plain.trace --policy pdom WORKING_DIRECTORY ${WORK_DIR}
  OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT printed MATCHES ">50 warp instructions, SIMD efficiency 0.67<" OR NOT said MATCHES "^figure1: warp width 4 .from the trace")
  string(APPEND failures "\ntimeline of a trace: ${said}${printed}")
endif()
execute_process(COMMAND ${TOOL} replay --help OUTPUT_VARIABLE printed)
if(printed MATCHES "launch" OR NOT printed MATCHES "default: what the trace says, or 32")
  string(APPEND failures "\nreplay --help: ${printed}")
endif()
string(REPLACE "m 4 -\n" "m 2048 -\n" huge "${plain}")
file(WRITE ${WORK_DIR}/huge.trace "${huge}")
execute_process(COMMAND ${TOOL} replay huge.trace WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
if(NOT status STREQUAL "2" OR NOT said MATCHES "^huge.trace: kernel figure1 has warps of 2048 threads; 1024 are possible")
  string(APPEND failures "\na warp that is too wide: status ${status}: ${said}")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

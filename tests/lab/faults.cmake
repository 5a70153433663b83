# SPDX-License-Identifier: BSL-1.0
#
# Kernels that go wrong: exit status 1, and a verdict that names the kernel, the thread block, the thread, the line of
# the PTX text and the address, and tells what was written before. Variables: TOOL, KERNELS (the shipped kernels),
# WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# faulty(NAME BODY EXPECTED...): a kernel with this body and a buffer of 64 words as parameter; %rd1 points to it and
# %rd2 to the word of the thread; two thread blocks of 32 threads. The body begins at line 22.
function(faulty name body)
  file(WRITE ${WORK_DIR}/${name}.ptx ".version 7.0
.target sm_70
.address_size 64
${functions}
.visible .entry ${name}(
  .param .u64 ${name}_param_0
)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [${name}_param_0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  cvta.to.global.u64 %rd1, %rd1;
  add.s64 %rd2, %rd1, %rd3;
  setp.eq.u32 %p1, %r1, 5;
  setp.eq.u32 %p2, %r2, 1;
${body}
  ret;
}
")
  file(WRITE ${WORK_DIR}/${name}.json "{\"grid\": [2], \"block\": [32],
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 64, \"init\": \"zero\"}],
  \"params\": [{\"buffer\": \"out\"}]}")
  execute_process(COMMAND ${TOOL} run ${name}.ptx --launch ${name}.json --most-blocks 100000 WORKING_DIRECTORY ${WORK_DIR}
    TIMEOUT 60 RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  foreach(expression IN LISTS ARGN)
    if(NOT status STREQUAL "1" OR NOT said STREQUAL "" OR NOT printed MATCHES "${expression}")
      set(failures "${failures}\n${name}: status ${status}, expected 1 and ${expression}\n${printed}${said}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(functions "")

# Variables of the module count as well as buffers: what was written there before the fault is named.
set(functions ".global .u32 tally; .global .u8 flag;")
faulty(variables "  mov.u32 %r5, 513;
  st.global.u32 [tally], %r5;
  st.global.u8 [flag], 1;
  @%p1 trap;" "what was written before stands: bytes 0..1 of tally, byte 0 of flag\n")
set(functions "")

# Thread 5 of thread block 1 writes 4 bytes after the buffer, all others have written by then.
faulty(out_of_bounds "  st.global.u32 [%rd2], 1;
  @!%p1 bra DONE;
  @!%p2 bra DONE;
  st.global.u32 [%rd1+256], 1;
DONE:"
  "\nserial +[0-9]+ .* fault\n"
  "\nWRONG  serial: out_of_bounds.ptx:25:3: fault: kernel 'out_of_bounds', line 25, column 3, .*, thread .5, 0, 0. of thread block .1, 0, 0.: 'st.global.u32' is out of bounds: 4 bytes at .* address 0x[0-9a-f]+"
  "pdom: [^\n]*; what was written before stands: out.0..63.\n"
  "serial: [^\n]*; what was written before stands: out.0..37.\n"
  "memory: no run finished, nothing was compared")
faulty(misaligned "  @!%p1 bra DONE;
  ld.global.u32 %r5, [%rd2+2];
DONE:" "misaligned.ptx:23:3: fault: kernel 'misaligned', .*thread .5, 0, 0. of thread block .0, 0, 0.: .*misaligned: 4 bytes.*; nothing was written before")
faulty(stops "  @%p1 trap;" "stops.ptx:22:[0-9]+: fault: kernel 'stops', .*thread .5, 0, 0. of thread block .0, 0, 0.: 'trap' stops the kernel")
# No state comes back here, because a register counts.
faulty(endless "  mov.u32 %r5, 0;
AGAIN:
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd2], %r5;
  bra AGAIN;" "kernel 'endless': thread block 0: step limit reached after 100000 blocks: .*lane.* stands? at BB[0-9]+ AGAIN"
  "what was written before stands: out.0")
# Here one comes back.
faulty(spins "  @%p1 st.global.u32 [%rd2], 7;
HERE:
  @%p2 bra HERE;" "kernel 'spins': thread block 1: livelock: the same state comes back after every block: .* goe?s? round, now at BB[0-9]+ HERE"
  "what was written before stands: out.5..37.")
# Thread 5 waits at one barrier, the others at the other one.
faulty(deadlock "  @%p1 bra OTHER;
  bar.sync 1;
  bra DONE;
OTHER:
  bar.sync 2;
DONE:" "kernel 'deadlock': thread block 0: barrier deadlock: .*lane 5 waits at .*BB[0-9]+ OTHER" "nothing was written before")
set(functions ".func again() { call again; ret; }")
faulty(recursion "  @%p1 call again;" "recursion.ptx:4:[0-9]+: fault: kernel 'recursion', function 'again', .*thread .5, 0, 0. of thread block .0, 0, 0.: 'call' nests calls too deep"
  "nothing was written before")

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

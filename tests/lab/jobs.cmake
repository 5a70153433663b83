# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab run --jobs N`: the same report for every number of host threads, also of runs that do not finish and of
# what kernels print. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# alike(KERNEL STATUS EXPECTED ARGUMENT...): the status, and an expression that the report matches.
function(alike kernel expected_status expected)
  execute_process(COMMAND ${TOOL} run ${kernel}.ptx --launch ${kernel}.launch.json ${ARGN} RESULT_VARIABLE status
    OUTPUT_VARIABLE one ERROR_VARIABLE said)
  if(NOT status STREQUAL expected_status OR NOT one MATCHES "${expected}")
    set(failures "${failures}\n${kernel}: status ${status}, not ${expected_status} and ${expected}\n${one}${said}"
      PARENT_SCOPE)
  endif()
  foreach(jobs IN ITEMS 2 5 0)
    execute_process(COMMAND ${TOOL} run ${kernel}.ptx --launch ${kernel}.launch.json ${ARGN} --jobs ${jobs}
      RESULT_VARIABLE status OUTPUT_VARIABLE many ERROR_VARIABLE said)
    if(NOT status STREQUAL expected_status OR NOT many STREQUAL one)
      set(failures "${failures}\n${kernel} --jobs ${jobs}: status ${status}\n${many}${said}\none:\n${one}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

alike(${KERNELS}/mandelbrot 0 "finished")
alike(${KERNELS}/split_merge 0 "finished" --policy all)       # calls
alike(${KERNELS}/barrier_exception 0 "barrier deadlock" --policy all) # a verdict that the launch file expects
alike(${KERNELS}/bitonic_sort 0 "finished" --policy pdom,tbc) # barriers, a policy of the thread block

# spoilt(NAME BODY LAUNCH): eight thread blocks of 32 threads; %r2 is the thread block, %rd2 the thread's word.
function(spoilt name body)
  file(WRITE ${WORK_DIR}/${name}.ptx ".version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {37, 100, 10, 0};
.visible .entry ${name}(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  .local .align 8 .b8 a[8];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 32, %r1;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd2, %rd1, %rd2;
  setp.eq.u32 %p1, %r2, 5;
${body}
  ret;
}
")
  file(WRITE ${WORK_DIR}/${name}.launch.json "{\"grid\": [8], \"block\": [32],
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 256, \"init\": \"zero\"}],
  \"params\": [{\"buffer\": \"out\"}]}")
endfunction()
spoilt(faults "  st.global.u32 [%rd2], 1;\n  @%p1 st.global.u32 [%rd1+1024], 1;")
alike(${WORK_DIR}/faults 1 "is out of bounds: .*; what was written before stands: out.0[.][.]1")
spoilt(spins "  st.global.u32 [%rd2], 1;\nAGAIN:\n  add.u32 %r4, %r4, 1;\n  @%p1 bra AGAIN;")
alike(${WORK_DIR}/spins 1 "thread block 5: step limit reached after 30000 blocks: .*BB[0-9]+ AGAIN; --most-blocks allows more"
  --most-blocks 30000)
spoilt(comes_back "AGAIN:\n  @%p1 bra AGAIN;\n  st.global.u32 [%rd2], 1;")
alike(${WORK_DIR}/comes_back 1 "thread block 5: livelock" --most-blocks 30000)
spoilt(prints "  st.local.u32 [a], %r3;
  mov.u64 %rd4, a;
  cvta.local.u64 %rd4, %rd4;
  mov.u64 %rd5, text;
  {
    .param .b64 p;
    .param .b64 q;
    .param .b32 r;
    st.param.b64 [p], %rd5;
    st.param.b64 [q], %rd4;
    call (r), vprintf, (p, q);
  }")
alike(${WORK_DIR}/prints 0 "\n0\n1\n2\n.*\n254\n255\n")

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

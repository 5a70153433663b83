# SPDX-License-Identifier: BSL-1.0
#
# Every command calls a block by the same name, number and label, and names a branch with the line of its own
# instruction. The kernel has a barrier that splits a block of the transforms into two blocks of the runs. Variables:
# TOOL, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# write_kernel(FILE INSTRUCTION): BB0 ends with the barrier, BB1 with the branch in line 17; BB3 is LOW, with the
# instruction, BB4 is JOIN.
function(write_kernel file instruction)
  file(WRITE ${WORK_DIR}/${file} ".version 7.0
.target sm_70
.address_size 64
.visible .entry names(.param .u64 names_param_0)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [names_param_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u64 %rd4, 0;
  bar.sync 0;
  setp.lt.u32 %p1, %r1, 2;
  xor.b32 %r2, %r1, 5;
  @%p1 bra LOW;
  mad.lo.s32 %r3, %r2, 3, %r1;
  bra.uni JOIN;
LOW:
  ${instruction}
JOIN:
  st.global.u32 [%rd3], %r3;
  ret;
}
")
endfunction()
write_kernel(names.ptx "mul.lo.s32 %r3, %r2, 7;")
write_kernel(fault.ptx "ld.global.u32 %r3, [%rd4];")
write_kernel(deadlock.ptx "bar.sync 0;")
file(WRITE ${WORK_DIR}/names.launch.json "{\"kernel\": \"names\", \"grid\": [1], \"block\": [4], \"warp_width\": 4,
  \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 4, \"init\": \"zero\"}], \"params\": [{\"buffer\": \"out\"}]}")

# says(COMMAND PATTERN ARGUMENT...): what the command prints and says, and the files it wrote, match the expression; and
# nothing calls a block otherwise.
function(says command pattern)
  execute_process(COMMAND ${TOOL} ${command} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  string(APPEND printed "${said}")
  foreach(file IN ITEMS out.csv out.json)
    if(EXISTS ${WORK_DIR}/${file})
      file(READ ${WORK_DIR}/${file} text)
      string(APPEND printed "${text}")
      file(REMOVE ${WORK_DIR}/${file})
    endif()
  endforeach()
  if(NOT printed MATCHES "${pattern}" OR printed MATCHES "'(LOW|JOIN)'|[^d] block [0-9]|BB[0-9]+: .*\nLOW")
    set(failures "${failures}\n${command} ${ARGN}: expected ${pattern}\n${printed}" PARENT_SCOPE)
  endif()
endfunction()
set(launch --launch names.launch.json)
says(analyze "\n    BB1 .line 17. divergent: %p1 comes from %r1 = %tid.x .line 10.\n" names.ptx)
says(analyze "\n    BB3 LOW +BB4 +BB1 +BB4 " names.ptx --blocks)
says(analyze "\n    BB4 JOIN +end +BB1 +end " names.ptx --blocks)
says(draw "label=\"BB3 LOW: 1 instr" names.ptx)
says(transform "branch of BB1 .line 17. has arms with nothing in common" names.ptx --meld)
says(transform "branch of BB1 .line 17. has arms with nothing in common" names.ptx --tail-merge)
says(transform "label=\"BB3 LOW: 1 instr.*label=\"BB4 JOIN: 2 instr" names.ptx --linearize --draw /dev/stdout)
says(transform "--hub: kernel 'names' has no block \"0\" that an edge leaves" names.ptx --hub 0:0) # a barrier ends it
says(transform "kernel 'names' of names.ptx: --hub" names.ptx --hub 1:0,BB3:0)
says(run "fault: kernel 'names', line 21, column 3, BB3 LOW, thread .0, 0, 0. of" fault.ptx ${launch} --policy pdom)
says(run "lanes 0-1 wait at the barrier that ends BB3 LOW; lanes 2-3 stand at BB2" deadlock.ptx ${launch} --policy pdom)
says(run "\nissued,[0-9]*,[0-9]*,0,0,3,1,3,f,[0-9]*,[0-9]*,LOW,,simtflow.*,0,0,4,2,f,f,[0-9]*,[0-9]*,JOIN,,simtflow" names.ptx ${launch} --policy tf
  --events out.csv)
says(run "{\"name\":\"BB3 LOW .d.\",\"ph\"" names.ptx ${launch} --policy tf --events out.json)
says(explore "\"name\":\"BB3 LOW\"" names.ptx ${launch})
says(timeline "<title>BB3 LOW: slots .*>BB4 JOIN</text>" names.ptx ${launch})

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

# SPDX-License-Identifier: BSL-1.0
#
# Nothing is left out in silence: every form of output reports policies that cannot run a kernel, kernels without a
# launch file, functions that no kernel calls, figures that are zero and plans that are not drawn. Text and JSON contain
# the report; with CSV, which has rows only, it is on standard error. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/folder)
set(failures "")

# told(WHERE PATTERN COMMAND...): `printed` or `said` matches, and the status is 0.
function(told where pattern)
  execute_process(COMMAND ${TOOL} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT "${${where}}" MATCHES "${pattern}")
    set(failures "${failures}\n${ARGN}: status ${status}, ${where} does not match ${pattern}\n${printed}--\n${said}"
      PARENT_SCOPE)
  endif()
endfunction()

# Policies, of a kernel that is not structured.
set(figure1 ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
set(reason "predicate: left out, needs structured code")
execute_process(COMMAND ${TOOL} record ${figure1} -o figure1.trace WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
foreach(command IN ITEMS "run;${figure1}" "replay;figure1.trace")
  told(printed "${reason}\n" ${command} --policy pdom,predicate)
  told(printed "\"remarks\": .*${reason}\"" ${command} --policy pdom,predicate --json)
  told(said "${reason}\n" ${command} --policy pdom,predicate --csv)
  told(said "${reason}\n" ${command} --policy predicate --csv) # no row at all
endforeach()
foreach(command IN ITEMS timeline explore)
  told(said "${reason}\n" ${command} ${figure1} --policy pdom,predicate -o out)
  told(said "${reason}\n" ${command} figure1.trace --policy pdom,predicate -o out)
endforeach()
told(printed "\"remarks\":.\"${reason}\".," explore ${figure1} --policy pdom,predicate)
told(printed "<title>figure1, thread block 0 of 1</title>" explore ${figure1} --policy pdom)
told(printed "<title>figure1, thread block 0 of 1</title>" timeline ${figure1} --policy pdom)
told(printed "${reason}\n" transform ${figure1} --unify-exits --policy pdom,predicate)
told(printed "\ndwf +is dwf-majority\n" policies)

# Policies that form warps anew, of lanes that exchange values in warps of a strange width.
set(exchange ${KERNELS}/warp_reduction.ptx --launch ${KERNELS}/warp_reduction.launch.json --warp-width 3)
set(strange "dwf-majority: left out, a warp of 3 lanes that exchange values under a policy that forms warps anew: .*")
told(printed "${strange} multiple of 32\n" transform ${exchange} --meld --policy pdom,dwf-majority)

# Kernels and policies in the tables of a suite.
file(COPY ${KERNELS}/figure1.ptx ${KERNELS}/figure1.launch.json ${KERNELS}/barrier_exception.ptx
  ${KERNELS}/barrier_exception.launch.json ${KERNELS}/mandelbrot.ptx DESTINATION ${WORK_DIR}/folder)
set(suite suite folder --policy pdom,predicate --tables)
foreach(line IN ITEMS "${reason}: barrier_exception, figure1\n" "pdom: barrier deadlock: barrier_exception\n"
    "left out, no launch file NAME.launch.json: mandelbrot\n")
  told(printed "\n${line}" ${suite})
  told(printed "\n${line}" ${suite} --csv=rows.csv)
endforeach()
told(printed "\nleft out, no launch file NAME.launch.json: mandelbrot\n" suite folder --policy pdom,predicate)

# Functions and branches.
set(head ".version 7.0\n.target sm_70\n.address_size 64\n")
file(WRITE ${WORK_DIR}/functions.ptx "${head}.visible .func called()
{
  ret;
}
.visible .func alone()
{
  ret;
}
.visible .func another()
{
  ret;
}
.visible .entry early()
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 7;
  @%p1 exit;
  call.uni called, ();
  ret;
}
")
set(reason "functions.ptx: left out, 2 functions that no kernel calls: alone, another\n$")
told(printed "${reason}" analyze functions.ptx)
told(said "^${reason}" analyze functions.ptx --csv)
told(printed "BB0 .line 22. divergent: threads end here under %p1\n" analyze functions.ptx)

# Figures and plans.
told(printed "\n[0-9]+ metrics are 0 under every policy: not shown .--csv and --json have them.\n" run ${figure1} --metrics)
told(printed "\nnot drawn: the plan of --unify-exits; a later one is\n"
  transform ${KERNELS}/short_circuit.ptx --unify-exits --linearize --draw plan.dot)

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

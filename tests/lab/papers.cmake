# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab papers` from outside: the claims of the linearization paper hold, and every figure has its row.
# Variables: TOOL, KERNELS, CORPUS (may be empty), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# printed(NAME STATUS EXPECTED ARGUMENT...): what is printed matches all of the regular expressions.
function(printed name expected_status expected)
  execute_process(COMMAND ${TOOL} papers ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  foreach(expression IN LISTS expected)
    if(NOT status STREQUAL expected_status OR NOT "${printed}${said}" MATCHES "${expression}")
      set(failures "${failures}\n${name}: status ${status}, expected ${expression}\n${printed}${said}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

printed("worked figures" 0
  "before +fetches of S2 +30 +30 +holds\n;merged +fetches of S2 +25 .at best. +26 +holds;no limit +entries +7 +7 +holds\n;limit 6 +entries +<= 6 +6 +holds;limit 2 +entries +<= 2 +2 +holds;without optimizations +guards +3 +3 +holds\n"
  --only figure-2,figure-3,figure-6d)
printed("the order of the levels" 0
  "kernels with o4 <= none +6 of 7 +7 of 7 +holds;kernels that no level makes worse +[0-9] of 7 +[67] of 7 +holds"
  ${KERNELS} --only table-4)
printed("STRUCT" 0 "raytrace .ray_caster. +forward copies +179 ;mcx .mcx. +code expansion +97.4 % " ${KERNELS} --only struct)
printed("as CSV" 0 "^table,item,quantity,paper,ours,verdict,reason,schema,version\nCFL Figure 2,before,fetches of S2,30,30,holds,,simtflow.papers/1,[0-9.]+\n"
  --only figure-2 --csv)
printed("a table that there is not" 2 "^--only: there is no table .table-2.; there are figure-2, " --only table-2)
printed("a folder without the kernels" 2 "nowhere/hotspot.ptx: no such file" nowhere --only table-1)
printed("no graph file" 2 "nothing.cfg: no such file" ${KERNELS} --only struct --graphs nothing.cfg)
if(CORPUS)
  printed("the paper's own shapes" 0 "mcx .graph mcx_main_loop. +forward copies +1433 +17 "
    ${KERNELS} --only struct --graphs ${CORPUS}/thread-frontiers-kernels.cfg)
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()

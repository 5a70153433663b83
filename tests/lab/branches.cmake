# SPDX-License-Identifier: BSL-1.0
#
# `run --branches` and `replay --branches` from outside. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)

set(bfs ${KERNELS}/bfs.ptx --launch ${KERNELS}/bfs.launch.json)

# Branches that could diverge and did not are told apart, and so are slots that no branch is to blame for.
says("a table" 0
  "\npdom, idle lanes by branch: 143667 of 238976 lane slots are idle .60.1 %.\n;\nbranch +line +kind +executed +diverged +lanes +idle lanes +exited +barrier +share % +code\n;\nBB10 .L__BB0_8 +104 +diverged +72 +48 +32.0 +121638 +[.] +[.] +84.7  @%p7 bra;\nBB2 .L__BB0_2 +54 +could +8 +[.] ;\nBB24 +184 +uniform +36 +[.] ;\nserial, idle lanes by branch;\nBB17 .L__BB0_15 +150 +no branch +1152 +[.] +1.0 +[.] +[.] +790408 ;\nBB25 +186 +no branch +256 +[.] +1.0 +[.] +19840 ;\n.schedule. +1476331 +50.0\n;memory: pdom = serial"
  run ${bfs} --policy pdom,serial --branches)

# Idle slots by cause, with two host threads: they sum to the idle slots of the run on one.
says("the run" 0 "\"rows\"" run ${bfs} --policy pdom,tbc,dwf-majority --json)
set(json "${printed}")
says("branches as JSON" 0 "\"lane_slots\"" run ${bfs} --policy pdom,tbc,dwf-majority --branches --json --jobs 2)
set(with_branches "${printed}")
foreach(row RANGE 2)
  string(JSON warp GET "${json}" rows ${row} warp_instructions)
  string(JSON thread GET "${json}" rows ${row} thread_instructions)
  math(EXPR left "${warp} * 32 - ${thread}")
  string(JSON length LENGTH "${with_branches}" rows ${row} branches)
  math(EXPR last "${length} - 1")
  foreach(cause IN ITEMS branch exited barrier ragged_warp schedule)
    string(JSON idle GET "${with_branches}" rows ${row} idle ${cause})
    math(EXPR left "${left} - ${idle}")
    if(cause MATCHES "ragged_warp|schedule")
      continue()
    endif()
    string(REPLACE "branch" "idle" member "${cause}_lanes")
    foreach(branch RANGE ${last})
      string(JSON lanes GET "${with_branches}" rows ${row} branches ${branch} ${member})
      math(EXPR idle "${idle} - ${lanes}")
    endforeach()
    if(NOT idle EQUAL 0)
      string(APPEND failures "\nrow ${row}: the branches leave ${idle} of the slots with cause ${cause}")
    endif()
  endforeach()
  if(NOT left EQUAL 0)
    string(APPEND failures "\nrow ${row}: the causes leave ${left} idle slots")
  endif()
endforeach()

says("branches as CSV" 0
  "^kernel,policy,block,label,line,kind,executions,divergences,lanes,idle_lanes,exited_lanes,barrier_lanes,share,code,source,schema,version\n;\nbfs,tbc,10,.L__BB0_8,104,diverged,72,48,2304,51986,0,0,0.794954,@%p7 bra ;\nbfs,tbc,,,,schedule,,,,5829,,,0.089135,,,simtflow.run-branches/1,[0-9.]+\n"
  run ${bfs} --policy tbc --branches --csv)
says("two tables" 2 "^--csv prints one table: --metrics or --branches\n$"
  run ${bfs} --policy tbc --branches --csv --metrics)
says("each launch has its own" 0
  "figure1 .launch 1 of 2.\n[^(]*\npdom, idle lanes by branch: 66 of 200 ;figure1 .launch 2 of 2.\n[^(]*\npdom, idle lanes by branch: 53 of 184 "
  run --launch ${KERNELS}/../lab/two_launches.json --policy pdom --branches)

# A trace has no text, and nobody has looked at its branches.
file(WRITE ${WORK_DIR}/figure1.trace "k paper/figure1 - figure1
g figure1 6 0 K
0 1 - 2 1
1 1 - 2 5
2 1 - 4 3
3 1 - 4 5
4 1 - 5
5 1 -
t 0 0 2 3 4 5
t 1 0 1 5
t 2 0 1 2 4 5
t 3 0 1 2 3 5
c 0 1 2 3
")
says("a trace" 0
  "\npdom, idle lanes by branch: 18 of 36 lane slots;\nBB0 +[.] +diverged +1 +1 +4.0 +13 +[.] +[.] +72.2\n;\nBB3 +[.] +unknown +2 "
  replay figure1.trace --policy pdom --warp-width 4 --branches)

if(failures)
  message(FATAL_ERROR "${failures}")
endif()

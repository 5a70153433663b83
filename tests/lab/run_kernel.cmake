# SPDX-License-Identifier: BSL-1.0
#
# Runs one shipped kernel under every policy: all memory must agree, and the kernels that are there to show a difference
# between PDOM and thread frontiers must show it. Variables: TOOL, KERNEL, LAUNCH.
cmake_minimum_required(VERSION 3.20)

execute_process(COMMAND ${TOOL} run ${KERNEL} --launch ${LAUNCH} --policy all --csv
  RESULT_VARIABLE status OUTPUT_VARIABLE csv ERROR_VARIABLE errors)
message("${csv}${errors}")
# Beside CSV, standard error has what was compared and what was left out.
if(NOT status STREQUAL "0" OR NOT errors MATCHES "(^|\n)memory: " OR errors MATCHES "WRONG")
  message(FATAL_ERROR "exit status ${status}, expected 0 and nothing wrong")
endif()

# Columns: kernel, policy, warp instructions, overhead, thread instructions, ...
foreach(policy IN ITEMS pdom tf serial)
  if(NOT csv MATCHES "\n[^,\n]*,${policy},([0-9]+),([0-9]+),([0-9]+),")
    message(FATAL_ERROR "no row of ${policy} in\n${csv}")
  endif()
  set(${policy}_warp ${CMAKE_MATCH_1})
  set(${policy}_thread ${CMAKE_MATCH_3})
endforeach()

# If lanes wait for each other by spinning, the schedule decides how long the paths are.
cmake_path(GET KERNEL STEM name)
if(name MATCHES "^spin_lock")
  if(NOT csv MATCHES "\n[^,\n]*,volta,[^\n]*,finished," OR csv MATCHES "\n[^,\n]*,(pdom|tf|volta),[^\n]*[0-9],finished,")
    message(FATAL_ERROR "volta must finish, and no row but the oracle's has a bound")
  endif()
  return()
endif()

# A run that is meant not to finish is the launch file's business: it says so, and the tool checks it.
foreach(policy IN ITEMS pdom tf)
  string(REGEX MATCH "\n[^,\n]*,${policy},[^\n]*,finished," ${policy}_finished "${csv}")
  if(${policy}_finished AND NOT ${policy}_thread EQUAL serial_thread)
    message(FATAL_ERROR "${policy} executed ${${policy}_thread} thread instructions, serial ${serial_thread}")
  endif()
endforeach()
if(name STREQUAL "barrier_exception")
  if(NOT csv MATCHES ",pdom,[^\n]*,barrier deadlock")
    message(FATAL_ERROR "pdom must end in a barrier deadlock")
  endif()
elseif(pdom_finished AND tf_finished AND tf_warp GREATER pdom_warp)
  message(FATAL_ERROR "tf needs more warp instructions (${tf_warp}) than pdom (${pdom_warp})")
endif()

# In percent of the thread frontiers' warp instructions.
set(least_mandelbrot 130)
set(least_short_circuit 200)
set(least_bytecode 300)
if(DEFINED least_${name})
  math(EXPR percent "100 * ${pdom_warp} / ${tf_warp}")
  if(percent LESS least_${name})
    message(FATAL_ERROR "pdom needs ${percent} % of the warp instructions of tf, expected ${least_${name}} % or more")
  endif()
endif()

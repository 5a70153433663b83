# SPDX-License-Identifier: BSL-1.0
#
# One program through the pass plugin: SOURCE (.ll, or .c where there is a CLANG) does under LLI in WORK what it did,
# after `OPT -passes=simtflow-linearize<always>,verify`, after melding, after both, and after all of -O2 on top of that;
# also after the other passes, alone and together. Something of it was unstructured, and nothing is after linearization.
# Melding a second time changes nothing.
cmake_minimum_required(VERSION 3.23)
cmake_path(GET SOURCE STEM name)
cmake_path(GET SOURCE EXTENSION extension)
file(MAKE_DIRECTORY "${WORK}")
set(before "${WORK}/${name}.bc")
set(flat "${WORK}/${name}.flat.bc")
set(fast "${WORK}/${name}.fast.bc")

include("${CMAKE_CURRENT_LIST_DIR}/must_run.cmake")
function(run_program _output bitcode)
  execute_process(COMMAND "${LLI}" "${bitcode}" TIMEOUT 30 OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE result)
  set(${_output} "${printed}\n${said}\nended with ${result}\n" PARENT_SCOPE)
endfunction()

if(extension STREQUAL ".c")
  # Without optimization blocks are where the text has them; then in SSA form.
  must_run(ignored "${CLANG}" -O0 -g -Xclang -disable-O0-optnone -emit-llvm -c "${SOURCE}" -o "${before}.o0")
  must_run(ignored "${OPT}" -passes=sroa "${before}.o0" -o "${before}")
else()
  must_run(ignored "${OPT}" -passes=verify "${SOURCE}" -o "${before}")
endif()
set(plugin "-load-pass-plugin=${PLUGIN}")
must_run(ignored "${OPT}" ${plugin} "-passes=simtflow-linearize<always>,verify" "${before}" -o "${flat}")
must_run(ignored "${OPT}" "-passes=default<O2>,verify" "${flat}" -o "${fast}")

run_program(expected "${before}")
if(NOT expected MATCHES "ended with [0-9]+\n$")
  message(FATAL_ERROR "The program itself:\n${expected}")
endif()
set(all "${flat}" "${fast}")
foreach(threshold IN ITEMS 0 0.2)
  set(meld "simtflow-meld<threshold=${threshold}>")
  set(melded "${WORK}/${name}.meld.${threshold}")
  must_run(ignored "${OPT}" ${plugin} "-passes=${meld},verify" "${before}" -o "${melded}.bc")
  must_run(ignored "${OPT}" ${plugin} "-passes=${meld},simtflow-linearize,verify" "${before}" -o "${melded}.flat.bc")
  must_run(ignored "${OPT}" "-passes=default<O2>,verify" "${melded}.bc" -o "${melded}.fast.bc")
  must_run(once "${OPT}" -S -passes=verify "${melded}.bc")
  must_run(twice "${OPT}" -S ${plugin} "-passes=${meld},verify" "${melded}.bc")
  if(NOT once STREQUAL twice)
    message(FATAL_ERROR "Melding a second time changes\n${once}\n--- to\n${twice}")
  endif()
  list(APPEND all "${melded}.bc" "${melded}.flat.bc" "${melded}.fast.bc")
endforeach()
foreach(passes IN ITEMS "simtflow-linearize" "simtflow-linearize<always;guards=none>" "simtflow-linearize<always;guards=o1>"
        "simtflow-linearize<always;guards=o2>" "simtflow-linearize<always;guards=o3;no-proof>" "simtflow-merge-loops"
        "simtflow-interleave" "simtflow-partial<alone>" "simtflow-linearize<always>,simtflow-partial<alone>"
        "simtflow-stack-depth<2>" "simtflow-stack-depth<4;guards=o4>" "simtflow-struct"
        "simtflow-interleave,simtflow-merge-loops,simtflow-linearize<always>,simtflow-stack-depth<3>,simtflow-meld<threshold=0>")
  string(MAKE_C_IDENTIFIER "${passes}" made)
  set(made "${WORK}/${name}.${made}.bc")
  execute_process(COMMAND "${OPT}" ${plugin} "-passes=${passes},verify" "${before}" -o "${made}" RESULT_VARIABLE result)
  if(NOT result STREQUAL "0")
    message(FATAL_ERROR "${passes} ended with ${result}")
  endif()
  list(APPEND all "${made}")
endforeach()
foreach(made IN LISTS all)
  run_program(printed "${made}")
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "${made}:\n${printed}\n--- expected\n${expected}")
  endif()
endforeach()

must_run(report "${OPT}" ${plugin} -passes=simtflow-report -disable-output "${before}")
if(NOT report MATCHES "unstructured: ")
  message(FATAL_ERROR "There is nothing to linearize:\n${report}")
endif()
must_run(report "${OPT}" ${plugin} -passes=simtflow-report -disable-output "${flat}")
if(report MATCHES "unstructured: ")
  message(FATAL_ERROR "Still unstructured:\n${report}")
endif()

# SPDX-License-Identifier: BSL-1.0
#
# A user takes over an include path and the language version by linking, nothing else, and may do without exceptions and
# RTTI.
foreach(property IN ITEMS LINK_LIBRARIES LINK_OPTIONS COMPILE_OPTIONS COMPILE_DEFINITIONS)
  get_target_property(value simtflow::simtflow INTERFACE_${property})
  if(value)
    message(FATAL_ERROR "simtflow::simtflow has a usage requirement INTERFACE_${property}: ${value}")
  endif()
endforeach()
get_target_property(features simtflow::simtflow INTERFACE_COMPILE_FEATURES)
if(NOT features STREQUAL "cxx_std_20")
  message(FATAL_ERROR "simtflow::simtflow requires ${features}")
endif()
target_compile_options(consumer PRIVATE -fno-exceptions -fno-rtti)

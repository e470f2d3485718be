# ESP-IDF reads each component twice: first as a script, with no project, until the component registers itself.
cmake_policy(SET CMP0057 NEW)
set(CMAKE_BUILD_EARLY_EXPANSION 1)

macro(idf_component_register)
  set(registered 1)
  return()
endmacro()

function(read_component)
  include(${COMPONENT}/CMakeLists.txt)
  if(NOT registered)
    message(FATAL_ERROR "${COMPONENT} does not register itself")
  endif()
endfunction()
read_component()

# The runtime's sources, headers and flags, for every build by CMake: those of these folders, or the one source that
# `gradmote sources` writes.
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
if(EXISTS ${root}/gradmote.c)
  set(headers ${root})
  set(config ${root}/gradmote.h)
  set(sources ${root}/gradmote.c)
else()
  set(headers ${root}/include)
  set(config ${root}/include/gm_config.h)
  file(GLOB_RECURSE sources ${root}/src/*.c ${root}/kernels/*.c ${root}/generated/*.c)
endif()

# The bits depend on these: no contraction beyond what the source asks for, and square roots as instructions.
set(numerics_flags -ffp-contract=off -fno-math-errno)

# The definitions that Kconfig asks for, in ESP-IDF and in Zephyr. folder: of the application, for paths of models.
macro(gradmote_kconfig variable folder)
  include(${root}/cmake/gradmote_model.cmake)
  gradmote_selection(${variable} "${CONFIG_GRADMOTE_MODELS}" ${folder})
  if(CONFIG_GRADMOTE_STRICT OR CONFIG_GRADMOTE_FUSED)
    list(APPEND ${variable} GM_FUSED=$<BOOL:${CONFIG_GRADMOTE_FUSED}>)
  endif()
  foreach(option TRAINING WITH_INT8 WITH_STORE WITH_ROUNDS ARCH)
    if(NOT CONFIG_GRADMOTE_${option})
      list(APPEND ${variable} GM_${option}=0)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES ${variable})
endmacro()

# gradmote_model(TARGET model.onnx [options of `gradmote compile`])
# gradmote_model(TARGET model.mote)
#
# Compiles a model when it has changed, and gives the target its header: `#include "model.h"` declares model_image and
# MODEL_ARENA_BYTES. Options are those of the command, as in
#
#     gradmote_model(firmware digits.onnx --loss cross_entropy --optimizer adamw --batch 8)
include_guard(GLOBAL)

# The command `gradmote`, of the Python environment that is active; GRADMOTE_COMMAND names another.
function(gradmote_command variable)
  find_program(GRADMOTE_COMMAND gradmote)
  if(NOT GRADMOTE_COMMAND)
    message(FATAL_ERROR "there is no command gradmote: activate the Python environment that has it, or set GRADMOTE_COMMAND to its path")
  endif()
  set(${variable} ${GRADMOTE_COMMAND} PARENT_SCOPE)
endfunction()

# The definitions that leave out all kernels which these images do not need; none without images. Paths are relative to
# `folder`.
function(gradmote_selection variable models folder)
  set(${variable} "" PARENT_SCOPE)
  if(models STREQUAL "")
    return()
  endif()
  gradmote_command(command)
  execute_process(COMMAND ${command} kernels --flags ${models} WORKING_DIRECTORY ${folder}
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "`gradmote kernels` says above what is wrong with the models ${models}")
  endif()
  separate_arguments(flags NATIVE_COMMAND "${flags}")
  list(TRANSFORM flags REPLACE "^-D" "")
  set(${variable} ${flags} PARENT_SCOPE)
  foreach(model IN LISTS models)
    get_filename_component(model ${model} ABSOLUTE BASE_DIR ${folder})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
  endforeach()
endfunction()

function(gradmote_model target model)
  gradmote_command(command)
  get_filename_component(model ${model} ABSOLUTE)
  get_filename_component(name ${model} NAME_WE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gradmote_models)
  get_source_file_property(taken ${folder}/${name}.h GENERATED)
  if(taken) # for another target, perhaps with other options; make may compile both at the same time
    set(folder ${folder}/${target})
  endif()
  file(MAKE_DIRECTORY ${folder})
  set(image ${model})
  if(NOT model MATCHES "\\.mote$")
    set(image ${folder}/${name}.mote)
    add_custom_command(OUTPUT ${image} COMMAND ${command} compile ${model} -o ${image} ${ARGN} DEPENDS ${model}
                       WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Compiling ${name}.mote" VERBATIM)
  elseif(ARGN)
    message(FATAL_ERROR "gradmote_model(${target} ${model}): a compiled image takes no options, but got ${ARGN}")
  endif()
  add_custom_command(OUTPUT ${folder}/${name}.h COMMAND ${command} header ${image} -o ${folder}/${name}.h
                     DEPENDS ${image} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

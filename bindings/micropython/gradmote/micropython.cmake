# Gradmote as a user C module of ports that are built by CMake (rp2, esp32):
#   USER_C_MODULES=.../bindings/micropython/gradmote/micropython.cmake
#   GRADMOTE_FLAGS   what `gradmote kernels --flags model.mote` prints: only the kernels of these models
#   GRADMOTE_IMAGE   a header that `gradmote header` wrote: its image stays in flash, as gradmote.image
get_filename_component(GRADMOTE_RUNTIME "${CMAKE_CURRENT_LIST_DIR}/../../../runtime_c" ABSOLUTE)

file(GLOB GRADMOTE_MODULE_SOURCES "${CMAKE_CURRENT_LIST_DIR}/*.c")
list(REMOVE_ITEM GRADMOTE_MODULE_SOURCES "${CMAKE_CURRENT_LIST_DIR}/libc.c")
file(GLOB_RECURSE GRADMOTE_SOURCES "${GRADMOTE_RUNTIME}/src/*.c" "${GRADMOTE_RUNTIME}/generated/*.c"
     "${GRADMOTE_RUNTIME}/kernels/*.c")

add_library(usermod_gradmote INTERFACE)
target_sources(usermod_gradmote INTERFACE ${GRADMOTE_MODULE_SOURCES} ${GRADMOTE_SOURCES})
target_include_directories(usermod_gradmote INTERFACE "${GRADMOTE_RUNTIME}/include" "${GRADMOTE_RUNTIME}/src")

# The bits depend on these.
set_source_files_properties(${GRADMOTE_MODULE_SOURCES} ${GRADMOTE_SOURCES} PROPERTIES COMPILE_OPTIONS
    "-ffp-contract=off;-fno-math-errno;-Wno-double-promotion;-Wno-float-conversion")
separate_arguments(GRADMOTE_FLAGS)
target_compile_options(usermod_gradmote INTERFACE ${GRADMOTE_FLAGS})
if(GRADMOTE_IMAGE)
  target_compile_definitions(usermod_gradmote INTERFACE "GRADMOTE_IMAGE=\"${GRADMOTE_IMAGE}\"")
endif()

target_link_libraries(usermod INTERFACE usermod_gradmote)

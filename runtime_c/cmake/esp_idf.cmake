# A component of ESP-IDF. Nothing of it is public but the headers: no option changes what they declare.
idf_component_register(SRCS ${sources} INCLUDE_DIRS ${headers} PRIV_INCLUDE_DIRS ${root}/src)
idf_build_get_property(project PROJECT_DIR)
gradmote_kconfig(defines ${project})
target_compile_definitions(${COMPONENT_LIB} PRIVATE ${defines})
target_compile_options(${COMPONENT_LIB} PRIVATE ${numerics_flags})

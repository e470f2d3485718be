include(${CMAKE_CURRENT_LIST_DIR}/gradmote_targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/gradmote_model.cmake)

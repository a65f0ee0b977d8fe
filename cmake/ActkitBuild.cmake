# How every part of actkit is built: one function per kind of part, the flags in one place.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# actkit_find(NAME [version]): a package that the libraries link; users of an installed actkit look for it too.
macro(actkit_find name)
  find_package(${name} ${ARGN} REQUIRED)
  set_property(GLOBAL APPEND_STRING PROPERTY ACTKIT_CONFIG_LINES "find_dependency(${name} ${ARGN})\n")
endmacro()
# The same for a library that only pkg-config knows; linked as PkgConfig::NAME.
macro(actkit_find_pkgconfig name)
  actkit_find(PkgConfig)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY ACTKIT_CONFIG_LINES
    "pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${name})\n")
endmacro()
set_property(GLOBAL PROPERTY ACTKIT_CONFIG_LINES "")
actkit_find(fmt 9)
actkit_find(nlohmann_json 3.11)
actkit_find(Threads)

# Language level and arithmetic rules travel with the library; warnings stay at home.
add_library(actkit_flags INTERFACE)
add_library(actkit::flags ALIAS actkit_flags)
set_target_properties(actkit_flags PROPERTIES EXPORT_NAME flags)
target_compile_features(actkit_flags INTERFACE cxx_std_20)
# Contraction would fuse a*b+c and change bits; results must not depend on the target processor.
target_compile_options(actkit_flags INTERFACE -ffp-contract=off)

add_library(actkit_warnings INTERFACE)
target_compile_options(actkit_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)

set_property(GLOBAL PROPERTY ACTKIT_ROOM_TARGETS actkit_flags)

# actkit_room(NAME [USES room…] [LIBRARIES public…] [PRIVATE private…] [SOURCES file…])
# One library act_NAME (alias actkit::NAME) from src/NAME/*.cc with headers in include/act/NAME/.
function(actkit_room name)
  cmake_parse_arguments(arg "" "" "USES;LIBRARIES;PRIVATE;SOURCES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(act_${name} STATIC ${sources} ${arg_SOURCES})
  add_library(actkit::${name} ALIAS act_${name})
  set_target_properties(act_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(act_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(act_${name} PUBLIC actkit_flags ${arg_LIBRARIES}
                        PRIVATE $<BUILD_INTERFACE:actkit_warnings> ${arg_PRIVATE})
  foreach(room IN LISTS arg_USES)
    target_link_libraries(act_${name} PUBLIC act_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ACTKIT_ROOM_TARGETS act_${name})
endfunction()

# actkit::actkit links every room.
function(actkit_umbrella)
  get_property(rooms GLOBAL PROPERTY ACTKIT_ROOM_TARGETS)
  add_library(actkit_all INTERFACE)
  add_library(actkit::actkit ALIAS actkit_all)
  set_target_properties(actkit_all PROPERTIES EXPORT_NAME actkit)
  target_link_libraries(actkit_all INTERFACE ${rooms})
endfunction()

function(actkit_install)
  get_property(rooms GLOBAL PROPERTY ACTKIT_ROOM_TARGETS)
  get_property(config_lines GLOBAL PROPERTY ACTKIT_CONFIG_LINES)
  install(TARGETS ${rooms} actkit_all EXPORT actkitTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/act DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/actkit)
  install(EXPORT actkitTargets NAMESPACE actkit:: DESTINATION ${where})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/actkitConfig.cmake.in
    ${PROJECT_BINARY_DIR}/actkitConfig.cmake INSTALL_DESTINATION ${where})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/actkitConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/actkitConfig.cmake ${PROJECT_BINARY_DIR}/actkitConfigVersion.cmake
          DESTINATION ${where})
endfunction()

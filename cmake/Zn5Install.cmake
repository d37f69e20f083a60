# Defines the targets of this build through the package file that is also installed, and installs, as the components zn5_shared,
# zn5_static and zn5_development, the libraries with their pkg-config files, and headers, package and licences.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# --- the package file, once for the build tree, once to be installed -------------------------------------------------

set(zn5_version_compatibility SameMajorVersion)
if(zn5_VERSION_MAJOR EQUAL 0)
  set(zn5_version_compatibility SameMinorVersion)
endif()
write_basic_package_version_file("${zn5_BINARY_DIR}/zn5ConfigVersion.cmake" VERSION ${zn5_VERSION}
  COMPATIBILITY ${zn5_version_compatibility})

set(ZN5_LIB_DIR "${zn5_lib_dir}")
set(ZN5_RUNTIME_DIR "${zn5_lib_dir}")
set(ZN5_INCLUDE_DIR "${zn5_SOURCE_DIR}/include")
set(zn5_is_installed OFF)
configure_package_config_file("${zn5_SOURCE_DIR}/cmake/zn5Config.cmake.in" "${zn5_BINARY_DIR}/zn5Config.cmake"
  INSTALL_DESTINATION "${zn5_BINARY_DIR}" INSTALL_PREFIX "${zn5_BINARY_DIR}"
  PATH_VARS ZN5_LIB_DIR ZN5_RUNTIME_DIR ZN5_INCLUDE_DIR)

include("${zn5_BINARY_DIR}/zn5Config.cmake")
foreach(target IN ITEMS zn5 zn5_shared zn5_static)
  if(TARGET zn5::${target})
    set_target_properties(zn5::${target} PROPERTIES IMPORTED_GLOBAL TRUE)
  endif()
endforeach()
add_dependencies(zn5::zn5_shared zn5_cargo)
if(zn5_static_file)
  add_dependencies(zn5::zn5_static zn5_localised)
endif()

set(ZN5_LIB_DIR "${CMAKE_INSTALL_LIBDIR}")
set(ZN5_RUNTIME_DIR "${CMAKE_INSTALL_LIBDIR}")
if(WIN32)
  set(ZN5_RUNTIME_DIR "${CMAKE_INSTALL_BINDIR}")
endif()
set(ZN5_INCLUDE_DIR "${CMAKE_INSTALL_INCLUDEDIR}")

# --- the shared library, also for a project that contains zn5 --------------------------------------------------------

# What a program needs when it runs: the file, and the link of the name that it looks for. The other link is for linkers.
if(ZN5_INSTALL OR zn5_install_along)
  install(PROGRAMS "${zn5_lib_dir}/${zn5_shared_file}" DESTINATION "${ZN5_RUNTIME_DIR}" COMPONENT zn5_shared)
  foreach(link IN LISTS zn5_shared_links)
    if(ZN5_INSTALL OR zn5_soname MATCHES "${link}$")
      install(FILES "${zn5_lib_dir}/${link}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT zn5_shared)
    endif()
  endforeach()
  install(FILES "${zn5_SOURCE_DIR}/LICENSE-APACHE" "${zn5_SOURCE_DIR}/LICENSE-MIT" "${zn5_SOURCE_DIR}/NOTICE"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/zn5" COMPONENT zn5_shared)
endif()

if(zn5_install_along)
  # CMake takes its own run path out of what it installs; one that is among the options of linking stays. In a file, for
  # generators of CMake write the $ of an option in different ways.
  if(NOT WIN32 AND NOT CMAKE_SKIP_RPATH AND NOT CMAKE_SKIP_INSTALL_RPATH)
    set(zn5_run_path "${CMAKE_INSTALL_LIBDIR}")
    if(NOT IS_ABSOLUTE "${zn5_run_path}")
      if(IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
        set(zn5_run_path "${CMAKE_INSTALL_PREFIX}/${zn5_run_path}")
      else()
        file(RELATIVE_PATH zn5_run_path "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
        if(APPLE)
          set(zn5_run_path "@loader_path/${zn5_run_path}")
        else()
          set(zn5_run_path "$ORIGIN/${zn5_run_path}")
        endif()
      endif()
    endif()
    file(WRITE "${zn5_BINARY_DIR}/run-path.txt" "\"-Wl,-rpath,${zn5_run_path}\"\n")
    set_property(TARGET zn5::zn5_shared APPEND PROPERTY INTERFACE_LINK_OPTIONS "@${zn5_BINARY_DIR}/run-path.txt")
  endif()
  get_property(zn5_is_left_out DIRECTORY PROPERTY EXCLUDE_FROM_ALL)
  if(zn5_is_left_out)
    message(WARNING "zn5 is added with EXCLUDE_FROM_ALL, so that `cmake --install` leaves its shared library out, which ${PROJECT_NAME}'s "
      "programs need. Add zn5 without it, or link the static library: -DBUILD_SHARED_LIBS=OFF, or zn5::zn5_static.")
  endif()
endif()

if(NOT ZN5_INSTALL)
  return()
endif()

# --- the package file to be installed --------------------------------------------------------------------------------

set(zn5_is_installed ON)
set(zn5_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/zn5")
configure_package_config_file("${zn5_SOURCE_DIR}/cmake/zn5Config.cmake.in" "${zn5_BINARY_DIR}/installed/zn5Config.cmake"
  INSTALL_DESTINATION "${zn5_package_dir}" PATH_VARS ZN5_LIB_DIR ZN5_RUNTIME_DIR ZN5_INCLUDE_DIR)

# --- pkg-config ------------------------------------------------------------------------------------------------------

# Directories relative to the .pc file itself, unless the installer wants an absolute one.
set(zn5_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(ZN5_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH zn5_up "/prefix/${zn5_pc_dir}" /prefix)
  string(REGEX REPLACE "/$" "" zn5_up "${zn5_up}")
  set(ZN5_PC_PREFIX "\${pcfiledir}/${zn5_up}")
endif()
foreach(dir IN ITEMS LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}DIR}")
    set(ZN5_PC_${dir}DIR "${CMAKE_INSTALL_${dir}DIR}")
  else()
    set(ZN5_PC_${dir}DIR "\${prefix}/${CMAKE_INSTALL_${dir}DIR}")
  endif()
endforeach()

foreach(dir IN ITEMS PREFIX LIBDIR INCLUDEDIR)
  string(REPLACE " " "\\ " ZN5_PC_${dir} "${ZN5_PC_${dir}}")
endforeach()

list(TRANSFORM zn5_native_libs PREPEND "-l" OUTPUT_VARIABLE zn5_native_flags)
list(JOIN zn5_native_flags " " zn5_native_flags)
set(ZN5_PC_NAME zn5)
set(ZN5_PC_ABOUT "Links the shared library. With --static: for programs that are linked by -static as a whole.")
set(ZN5_PC_LIBS "-L\${libdir} -lzn5")
set(ZN5_PC_LIBS_PRIVATE "${zn5_native_flags}")
configure_file("${zn5_SOURCE_DIR}/cmake/zn5.pc.in" "${zn5_BINARY_DIR}/installed/zn5.pc" @ONLY)
if(zn5_static_file)
  set(ZN5_PC_NAME zn5-static)
  set(ZN5_PC_ABOUT "Takes zn5 from ${zn5_static_file} also where the shared library lies beside it, which linkers prefer.")
  set(ZN5_PC_LIBS "-L\${libdir} -l:${zn5_static_file} ${zn5_native_flags}")
  set(ZN5_PC_LIBS_PRIVATE "")
  configure_file("${zn5_SOURCE_DIR}/cmake/zn5.pc.in" "${zn5_BINARY_DIR}/installed/zn5-static.pc" @ONLY)
endif()

# --- what goes where -------------------------------------------------------------------------------------------------

if(zn5_import_file)
  install(FILES "${zn5_lib_dir}/${zn5_import_file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT zn5_shared)
endif()
install(FILES "${zn5_BINARY_DIR}/installed/zn5.pc" DESTINATION "${zn5_pc_dir}" COMPONENT zn5_shared)
if(zn5_static_file)
  install(FILES "${zn5_lib_dir}/${zn5_static_file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT zn5_static)
  install(FILES "${zn5_BINARY_DIR}/installed/zn5-static.pc" DESTINATION "${zn5_pc_dir}" COMPONENT zn5_static)
endif()
install(FILES "${zn5_SOURCE_DIR}/include/zn5.h" "${zn5_SOURCE_DIR}/include/zn5.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT zn5_development)
install(FILES "${zn5_BINARY_DIR}/installed/zn5Config.cmake" "${zn5_BINARY_DIR}/zn5ConfigVersion.cmake"
  DESTINATION "${zn5_package_dir}" COMPONENT zn5_development)
install(FILES "${zn5_SOURCE_DIR}/LICENSE-APACHE" "${zn5_SOURCE_DIR}/LICENSE-MIT" "${zn5_SOURCE_DIR}/NOTICE"
  DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/zn5" COMPONENT zn5_development)

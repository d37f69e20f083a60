# Runs cargo at build time and brings what it makes to <build>/lib, under the names of an installed zn5; localises the static
# library. Sets zn5_lib_dir, zn5_shared_file, zn5_soname and, where there is one, zn5_import_file and zn5_static_file; decides what
# zn5::zn5 is, zn5_shared_by_default, and whether another project's installation takes libzn5 along, zn5_install_along.

set(ZN5_RUST_TARGET "" CACHE STRING "Rust target triple to build for, such as aarch64-unknown-linux-gnu; empty: this machine's")
set(ZN5_CARGO_PROFILE "" CACHE STRING "cargo profile; empty: dev if CMAKE_BUILD_TYPE is Debug, else release")
set(ZN5_CARGO_TARGET_DIR "" CACHE PATH "Where cargo builds; empty: CARGO_TARGET_DIR of the environment, else <build>/cargo")
mark_as_advanced(ZN5_RUST_TARGET ZN5_CARGO_PROFILE ZN5_CARGO_TARGET_DIR)

# --- cargo -----------------------------------------------------------------------------------------------------------

string(REGEX MATCH "\nrust-version = \"([0-9.]+)\"" _ "${zn5_manifest}")
set(zn5_rust_version "${CMAKE_MATCH_1}")
find_program(ZN5_CARGO cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin" DOC "cargo, which builds zn5")
if(NOT ZN5_CARGO)
  message(FATAL_ERROR "zn5 is built by cargo, which is neither in PATH nor in ~/.cargo/bin. Get Rust ${zn5_rust_version} or newer "
    "from https://rustup.rs, or say where cargo is by -DZN5_CARGO=/path/to/cargo.")
endif()
execute_process(COMMAND "${ZN5_CARGO}" --version WORKING_DIRECTORY "${zn5_SOURCE_DIR}"
  OUTPUT_VARIABLE zn5_cargo_says ERROR_VARIABLE zn5_cargo_says OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT zn5_cargo_says MATCHES "^cargo ([0-9.]+)")
  message(FATAL_ERROR "zn5: ${ZN5_CARGO} --version does not answer with a version: ${zn5_cargo_says}")
elseif(CMAKE_MATCH_1 VERSION_LESS zn5_rust_version)
  message(FATAL_ERROR "zn5 needs Rust ${zn5_rust_version} or newer; ${ZN5_CARGO} is of ${CMAKE_MATCH_1}. `rustup update` updates a Rust "
    "from https://rustup.rs; another cargo is chosen by -DZN5_CARGO=/path/to/cargo.")
endif()
if(CMAKE_CROSSCOMPILING AND NOT ZN5_RUST_TARGET)
  message(FATAL_ERROR "zn5: compiling for ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR} takes -DZN5_RUST_TARGET=TRIPLE "
    "(`rustc --print target-list` lists them, `rustup target add TRIPLE` installs one).")
endif()

if(ZN5_CARGO_PROFILE)
  set(zn5_profile "${ZN5_CARGO_PROFILE}")
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(zn5_profile dev)
else()
  set(zn5_profile release)
endif()

# Kept, so that a later run of CMake without the variable in its environment builds in the same place.
if(NOT ZN5_CARGO_TARGET_DIR)
  set(zn5_target_dir "${zn5_BINARY_DIR}/cargo")
  if(NOT "$ENV{CARGO_TARGET_DIR}" STREQUAL "")
    get_filename_component(zn5_target_dir "$ENV{CARGO_TARGET_DIR}" ABSOLUTE BASE_DIR "${zn5_SOURCE_DIR}")
  endif()
  set_property(CACHE ZN5_CARGO_TARGET_DIR PROPERTY VALUE "${zn5_target_dir}")
endif()

set(zn5_cargo_out "${ZN5_CARGO_TARGET_DIR}")
if(ZN5_RUST_TARGET)
  string(APPEND zn5_cargo_out "/${ZN5_RUST_TARGET}")
endif()
string(REGEX REPLACE "^dev$" debug zn5_profile_dir "${zn5_profile}")
string(APPEND zn5_cargo_out "/${zn5_profile_dir}")

# make closes its job server to commands like this one, which cargo warns of; the target is said by ZN5_RUST_TARGET alone.
set(zn5_cargo_environment --unset=MAKEFLAGS --unset=CARGO_BUILD_TARGET)
set(zn5_cargo_arguments --package zn5 --lib --locked --profile "${zn5_profile}" --target-dir "${ZN5_CARGO_TARGET_DIR}")
if(ZN5_RUST_TARGET)
  list(APPEND zn5_cargo_arguments --target "${ZN5_RUST_TARGET}")
  if(CMAKE_CROSSCOMPILING)
    string(REPLACE "-" "_" zn5_triple "${ZN5_RUST_TARGET}")
    string(TOUPPER "${zn5_triple}" zn5_triple_upper)
    list(APPEND zn5_cargo_environment "CARGO_TARGET_${zn5_triple_upper}_LINKER=${CMAKE_C_COMPILER}"
      "CC_${zn5_triple}=${CMAKE_C_COMPILER}" "AR_${zn5_triple}=${CMAKE_AR}")
  endif()
endif()

# --- what cargo makes, and what it is called afterwards --------------------------------------------------------------

# build.rs has the same rule: until 1.0 a minor release may change the ABI.
set(zn5_abi "${zn5_VERSION_MAJOR}")
if(zn5_VERSION_MAJOR EQUAL 0)
  set(zn5_abi "0.${zn5_VERSION_MINOR}")
endif()
set(zn5_lib_dir "${zn5_BINARY_DIR}/lib")
set(zn5_import_file "")
set(zn5_shared_links "")
if(WIN32)
  set(zn5_cargo_shared zn5.dll)
  set(zn5_shared_file zn5.dll)
  set(zn5_soname "")
  if(MSVC)
    set(zn5_cargo_import zn5.dll.lib)
    set(zn5_import_file zn5.lib)
  else()
    set(zn5_cargo_import libzn5.dll.a)
    set(zn5_import_file libzn5.dll.a)
  endif()
elseif(APPLE)
  set(zn5_cargo_shared libzn5.dylib)
  set(zn5_shared_file libzn5.${zn5_VERSION}.dylib)
  set(zn5_soname @rpath/libzn5.${zn5_abi}.dylib)
  set(zn5_shared_links libzn5.${zn5_abi}.dylib libzn5.dylib)
else()
  set(zn5_cargo_shared libzn5.so)
  set(zn5_shared_file libzn5.so.${zn5_VERSION})
  set(zn5_soname libzn5.so.${zn5_abi})
  set(zn5_shared_links libzn5.so.${zn5_abi} libzn5.so)
endif()
file(MAKE_DIRECTORY "${zn5_lib_dir}")
set(zn5_link_to ${zn5_shared_file})
foreach(link IN LISTS zn5_shared_links)
  file(CREATE_LINK ${zn5_link_to} "${zn5_lib_dir}/${link}" SYMBOLIC)
  set(zn5_link_to ${link})
endforeach()

# --- the static library ----------------------------------------------------------------------------------------------

# Other libraries that the static one needs: what `rustc --print native-static-libs` tells, but for libgcc_s and libc, which the
# compiler driver adds by itself, and with -static their static forms. cmake/consumer/run.sh compares.
set(zn5_native_libs "")
set(zn5_static_file "")
set(zn5_no_static_reason "")
if(WIN32 OR APPLE)
  set(zn5_no_static_reason "it takes GNU ld and objcopy for ELF")
else()
  # lld refuses -r with --gc-sections, so the compiler's default linker may not do.
  string(REGEX REPLACE "ld(\\.[a-z]+)?$" "ld.bfd" zn5_ld_of_compiler "${CMAKE_LINKER}")
  find_program(ZN5_LD NAMES "${zn5_ld_of_compiler}" ld.bfd DOC "GNU ld, which makes zn5's static library one object")
  mark_as_advanced(ZN5_LD)
  if(NOT ZN5_LD)
    set(zn5_no_static_reason "GNU ld (ld.bfd) is missing; binutils has it")
  elseif(NOT CMAKE_OBJCOPY OR NOT CMAKE_AR)
    set(zn5_no_static_reason "objcopy or ar is missing; binutils has them")
  else()
    set(zn5_static_file libzn5.a)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      set(zn5_native_libs util rt pthread m dl)
    endif()
  endif()
endif()
if(zn5_no_static_reason)
  message(STATUS "zn5: no static library, as the names of its compression libraries cannot be made private: ${zn5_no_static_reason}")
endif()

# --- which of the two ------------------------------------------------------------------------------------------------

if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(zn5_shared_by_default OFF)
  if(NOT zn5_static_file)
    message(FATAL_ERROR "zn5: BUILD_SHARED_LIBS is off, but there is no static library here: ${zn5_no_static_reason}.")
  endif()
elseif(BUILD_SHARED_LIBS OR zn5_is_top_level OR NOT zn5_static_file)
  set(zn5_shared_by_default ON)
else()
  set(zn5_shared_by_default OFF)
endif()

set(zn5_install_along OFF)
if(NOT zn5_is_top_level)
  if("${ZN5_INSTALL_SHARED}" STREQUAL "")
    set(zn5_install_along ${zn5_shared_by_default})
  elseif(ZN5_INSTALL_SHARED)
    set(zn5_install_along ON)
  endif()
endif()

# --- the commands ----------------------------------------------------------------------------------------------------

# Where nothing is installed, only what a program links is built.
set(zn5_all "")
if(zn5_is_top_level OR ZN5_INSTALL OR zn5_install_along)
  set(zn5_all ALL)
endif()

set(zn5_native_libs_file "${zn5_cargo_out}/zn5-native-static-libs.txt")
set(zn5_copies COMMAND ${CMAKE_COMMAND} -E copy_if_different "${zn5_cargo_out}/${zn5_cargo_shared}" "${zn5_lib_dir}/${zn5_shared_file}")
set(zn5_byproducts "${zn5_lib_dir}/${zn5_shared_file}")
if(zn5_import_file)
  list(APPEND zn5_copies
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${zn5_cargo_out}/${zn5_cargo_import}" "${zn5_lib_dir}/${zn5_import_file}")
  list(APPEND zn5_byproducts "${zn5_lib_dir}/${zn5_import_file}")
endif()
set(zn5_raw_static "${zn5_BINARY_DIR}/cargo-libzn5.a")
if(zn5_static_file)
  list(APPEND zn5_copies
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${zn5_cargo_out}/libzn5.a" "${zn5_raw_static}"
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${zn5_native_libs_file}" "${zn5_BINARY_DIR}/native-static-libs.txt")
  list(APPEND zn5_byproducts "${zn5_raw_static}")
endif()

# Cargo itself knows best whether there is something to do, so it always runs.
add_custom_target(zn5_cargo ${zn5_all}
  COMMAND ${CMAKE_COMMAND} -E env ${zn5_cargo_environment}
    "${ZN5_CARGO}" rustc ${zn5_cargo_arguments} -- --print "native-static-libs=${zn5_native_libs_file}"
  ${zn5_copies}
  BYPRODUCTS ${zn5_byproducts}
  WORKING_DIRECTORY "${zn5_SOURCE_DIR}"
  COMMENT "cargo builds zn5 (profile ${zn5_profile}) in ${ZN5_CARGO_TARGET_DIR}"
  USES_TERMINAL VERBATIM)

if(zn5_static_file)
  add_custom_command(OUTPUT "${zn5_lib_dir}/${zn5_static_file}"
    COMMAND ${CMAKE_COMMAND} "-DRAW=${zn5_raw_static}" "-DOUTPUT=${zn5_lib_dir}/${zn5_static_file}"
      "-DSYMBOLS=${zn5_SOURCE_DIR}/include/zn5.symbols" "-DLD=${ZN5_LD}" "-DOBJCOPY=${CMAKE_OBJCOPY}" "-DAR=${CMAKE_AR}"
      -P "${zn5_SOURCE_DIR}/cmake/localise.cmake"
    DEPENDS zn5_cargo "${zn5_raw_static}" "${zn5_SOURCE_DIR}/include/zn5.symbols" "${zn5_SOURCE_DIR}/cmake/localise.cmake"
    COMMENT "Making all names in ${zn5_static_file} private but zn5_*"
    VERBATIM)
  add_custom_target(zn5_localised ${zn5_all} DEPENDS "${zn5_lib_dir}/${zn5_static_file}")
endif()

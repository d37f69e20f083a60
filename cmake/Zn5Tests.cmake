# Builds every c_tests/test_*.c twice, as C99 and as C++11, and every c_tests/test_*.cpp as C++17 and as C++20, with warnings as errors,
# into <build>/c_tests; each is a ctest, labelled by its language. Cargo runs the same files.

enable_language(CXX)
find_package(Threads REQUIRED)

if(MSVC)
  set(zn5_test_flags /W4 /WX)
else()
  # What is tested is the library; optimising the tests as far takes longer than running them.
  set(zn5_test_flags -Wall -Wextra -Wpedantic -Werror -O1)
endif()

function(zn5_add_test name label cxx_standard source)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE zn5::zn5 Threads::Threads)
  target_compile_options(${name} PRIVATE ${zn5_test_flags})
  set_target_properties(${name} PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD ${cxx_standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY "${zn5_BINARY_DIR}/c_tests")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${zn5_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
    ENVIRONMENT "ZN5_TEST_VECTORS=${zn5_SOURCE_DIR}/tests/vectors")
endfunction()

file(GLOB zn5_tests CONFIGURE_DEPENDS "${zn5_SOURCE_DIR}/c_tests/test_*.c")
if(NOT zn5_tests)
  message(FATAL_ERROR "zn5: no test in ${zn5_SOURCE_DIR}/c_tests; -DZN5_BUILD_TESTS=OFF builds without.")
endif()
foreach(source IN LISTS zn5_tests)
  get_filename_component(name "${source}" NAME_WE)
  zn5_add_test(${name} c99 11 "${source}")
  # One file cannot have two languages in one directory, so the C++ compiler reads it through an #include.
  set(wrapper "${zn5_BINARY_DIR}/c_tests/${name}_cxx.cpp")
  file(GENERATE OUTPUT "${wrapper}" CONTENT "#include \"${source}\"\n")
  zn5_add_test(${name}_cxx cxx11 11 "${wrapper}")
endforeach()

file(GLOB zn5_cxx_tests CONFIGURE_DEPENDS "${zn5_SOURCE_DIR}/c_tests/test_*.cpp")
foreach(source IN LISTS zn5_cxx_tests)
  get_filename_component(name "${source}" NAME_WE)
  zn5_add_test(${name} cxx17 17 "${source}")
  zn5_add_test(${name}_cxx20 cxx20 20 "${source}")
endforeach()

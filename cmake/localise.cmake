# Turns the static library that cargo makes into one object whose only global names are zn5_*: a script for cmake -P.
# Otherwise its zlib, zstd, lz4, ... would silently replace those of the program that it is linked into.
# Takes RAW, OUTPUT, SYMBOLS (file of exported names), LD (GNU ld), OBJCOPY and AR.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE "${OUTPUT}")
    message(FATAL_ERROR "zn5: cannot make ${OUTPUT}: ${ARGV0} says: ${output}")
  endif()
endfunction()

file(STRINGS "${SYMBOLS}" names)
set(roots "")
foreach(name IN LISTS names)
  list(APPEND roots -u ${name})
endforeach()

# Groups would name sections by symbols that become local, which lld takes for a clash with another Rust library.
run("${LD}" -r --gc-sections --force-group-allocation ${roots} "${RAW}" -o "${OUTPUT}.merged.o")
# The LLVM bitcode of Rust's own library is of no use once merged, and tools with an LLVM plugin stumble over it.
run("${OBJCOPY}" --wildcard "--keep-global-symbol=zn5_*" --strip-unneeded -R .llvmbc -R .llvmcmd
  "${OUTPUT}.merged.o" "${OUTPUT}.o")
file(REMOVE "${OUTPUT}")
run("${AR}" crs "${OUTPUT}" "${OUTPUT}.o")
file(REMOVE "${OUTPUT}.merged.o" "${OUTPUT}.o")

#!/usr/bin/env bash
# Builds the jars below target/java. `java.sh test` runs their tests: on the JDK that builds, on every other one that is here, and with the VM's
# checks of native code. `java.sh jars GOAL ARGUMENTS...` has Maven do that, such as package or install, without tests.
set -euo pipefail
source tools/java_home.sh

folder=$PWD/target/java
mkdir -p "$folder"
maven=(mvn --batch-mode --no-transfer-progress --file java/pom.xml)

build_natives() {
  tools/build_install.sh "$folder/engine"
  tools/java_native.sh "$folder" "$folder/engine/prefix"
}

# Programs that the tests run: C that encodes, to compare with, and libraries that are not the right one.
build_test_programs() {
  local programs=$folder/c includes=(-I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux")
  local sources=java/zn5/src/test/c flags=(-std=c99 -O1 -Wall -Wextra -Werror)
  mkdir -p "$programs"
  cc "${flags[@]}" -I"$folder/engine/prefix/include" "$sources/encode.c" "$folder/engine/prefix/lib/libzn5.a" -lpthread -lm -ldl -lgcc_s \
    -o "$programs/encode"
  cc "${flags[@]}" "${includes[@]}" -shared -fPIC "$sources/wrong_version.c" -o "$programs/libwrong_version.so"
  cc "${flags[@]}" "${includes[@]}" -shared -fPIC -DWRONG_NATIVES "$sources/wrong_version.c" -o "$programs/libwrong_natives.so"
  cc "${flags[@]}" "${includes[@]}" -shared -fPIC -DFOREIGN "$sources/wrong_version.c" -o "$programs/libforeign.so"
}

# A library that panics on purpose, linked as the one in the jar is.
build_panicking() {
  local place sources=java/zn5/src/test/c
  # Where CMake has cargo build, so that all else is built already.
  place=$(sed -n 's/^ZN5_CARGO_TARGET_DIR:PATH=//p' "$folder/engine/build/CMakeCache.txt")
  CARGO_TARGET_DIR=$place cargo rustc --release --locked --features test-panic --package zn5 --lib --crate-type staticlib
  cp "$place/release/libzn5.a" "$folder/c/libzn5_panic.a"
  # Whoever looks there next finds the library without that function again.
  cmake --build "$folder/engine/build"
  "$folder/zig-cc" -std=c99 -O1 -shared -fPIC -fvisibility=hidden -Iinclude -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
    "$sources/panic.c" "$folder/c/libzn5_panic.a" -lunwind -lpthread -ldl -lm -o "$folder/c/libpanic.so"
}

# The first piece of code of a language in the README.
readme() { awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```$/ && inside { exit } inside' README.md; }

# The program and the Maven coordinates of the README as a project of their own, such as a reader makes.
make_consumer() {
  local place=$folder/consumer
  rm -rf "$place"
  mkdir -p "$place/src/main/java"
  readme java >"$place/src/main/java/ReadRegion.java"
  {
    echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>org.example</groupId><artifactId>consumer</artifactId><version>1</version>'
    echo '<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>'
    echo '<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>'
    echo "<build><directory>$place/target</directory></build>"
    echo "<dependencies>$(readme xml)</dependencies></project>"
  } >"$place/pom.xml"
}

run_consumer() {
  local printed
  printed=$("$JAVA_HOME/bin/java" -cp "$folder/consumer/target/classes:$folder/zn5/zn5-$(version).jar" ReadRegion examples/data/cat.n5 photo)
  [ "$printed" = $'124 133 134 139 143 142\n135 140 144 145 141 141\n147 149 155 151 146 141\n148 147 152 148 148 140' ] || {
    echo "the program of the README printed: $printed"
    return 1
  }
}

# Runs the tests of the modules that have any by JUnit's own program: `junit NAME JAVA ARGUMENTS-OF-THE-VM...`. Leaves its output in
# $folder/junit-NAME.txt, and adds to the count of tests.
tests=0
skipped=0
junit() {
  local name=$1 java=$2 module log
  shift 2
  for module in zn5 zn5-imglib2; do
    log=$folder/junit-$name-$module.txt
    echo "-- tests of $module, $name"
    "$java" "$@" -Xmx1g --enable-native-access=ALL-UNNAMED -Dzn5.root="$PWD" -Dzn5.work="$folder/$module/work" \
      -Dzn5.programs="$folder/c" -cp "$folder/$module/test-classes:$folder/$module/classes:$(cat "$folder/$module/classpath")" \
      org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=summary --disable-ansi-colors \
      --fail-if-no-tests --scan-classpath "$folder/$module/test-classes" >"$log" 2>&1 || {
      cat "$log"
      return 1
    }
    count "$log"
    # The checks of native code print; nothing else does.
    if grep -n -i -e '^WARNING' -e 'FATAL ERROR' -e 'Warning:' "$log"; then
      echo "java: the VM warns, see $log"
      return 1
    fi
  done
}

count() {
  local passed not_run
  passed=$(sed -n 's/^\[ *\([0-9]*\) tests successful.*/\1/p' "$1")
  not_run=$(sed -n 's/^\[ *\([0-9]*\) tests \(skipped\|aborted\).*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }')
  echo "$passed passed, $not_run not run"
  tests=$((tests + passed))
  skipped=$((skipped + not_run))
}

run_jars() {
  build_natives
  "${maven[@]}" -DskipTests "$@"
}

# `java -jar` with nothing else, as users do to see what is wrong.
run_jar() {
  local printed
  printed=$("$1/bin/java" -jar "$folder/zn5/zn5-$(version).jar" 2>&1)
  [[ $printed == *"is decoded"* && $printed != *WARNING* ]] || {
    echo "java -jar zn5.jar printed: $printed"
    return 1
  }
}

version() { sed -n '/<artifactId>zn5-parent/{n;s/.*<version>\(.*\)<.*/\1/p;}' java/pom.xml; }

run_test() {
  local home
  build_natives
  build_test_programs
  build_panicking
  make_consumer
  "${maven[@]}" package -Pconsumer
  run_consumer
  junit checked "$JAVA_HOME/bin/java" -Xcheck:jni
  run_jar "$JAVA_HOME"
  for home in ${java_homes[@]+"${java_homes[@]}"}; do
    # The tests are of Java 17; older VMs show that the jar works there.
    [ "$(java_number "$home")" -lt 17 ] || junit "$(basename "$home")" "$home/bin/java"
    run_jar "$home"
  done
  local note="$tests tests on $((1 + ${#java_homes[@]})) JDKs"
  [ "$skipped" = 0 ] || note+=", $skipped could not run"
  echo "$note" | tee "$folder/note"
}

case ${1:-} in
test) run_test ;;
jars) run_jars "${@:2}" ;;
*)
  echo "usage: tools/java.sh test|jars GOAL..." >&2
  exit 2
  ;;
esac

#!/usr/bin/env bash
# Prints how fast Java decodes blocks through zn5, beside the JDK's Inflater, zstd-jni and lz4-java, on every JDK that is here. Takes what
# tools/java.sh has built with -Pbench.
set -euo pipefail
source tools/java_home.sh

folder=$PWD/target/java
for home in "$JAVA_HOME" ${java_homes[@]+"${java_homes[@]}"}; do
  access=()
  ! "$home/bin/java" --enable-native-access=ALL-UNNAMED -version >/dev/null 2>&1 || access=(--enable-native-access=ALL-UNNAMED)
  echo
  "$home/bin/java" -Xmx1g ${access[@]+"${access[@]}"} -cp "$folder/zn5-bench/classes:$(cat "$folder/zn5-bench/classpath")" org.zn5.bench.Decode
done

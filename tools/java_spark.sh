#!/usr/bin/env bash
# Runs java/zn5-spark inside Spark: `java_spark.sh local` with two threads in one process, `java_spark.sh cluster` with a master and two workers,
# whose executors are processes of their own and unpack the native library at the same moment. Takes what tools/java.sh has built.
set -euo pipefail
source tools/java_home.sh

folder=$PWD/target/java
work=$folder/spark
version=$(sed -n '/<artifactId>zn5-parent/{n;s/.*<version>\(.*\)<.*/\1/p;}' java/pom.xml)
rm -rf "$work"
mkdir -p "$work/natives"

# What Spark asks for on Java 17.
arguments=(-Xmx1g -Djdk.reflect.useDirectMethodHandle=false)
for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
  arguments+=(--add-opens "java.base/$package=ALL-UNNAMED")
done
arguments+=(-Dspark.ui.enabled=false -Dspark.driver.host=localhost -Dorg.zn5.folder="$work/natives")
classpath=$(cat "$folder/zn5-spark/classpath")

case ${1:-} in
local) arguments+=("-Dspark.master=local[2]") ;;
cluster)
  # Workers start executors with the jars of an installed Spark, and expect a folder of that form.
  mkdir -p "$work/home/jars"
  while read -r jar; do
    [[ $jar != *.jar ]] || ln -s "$jar" "$work/home/jars/"
  done < <(tr ':' '\n' <<<"$classpath")
  export SPARK_HOME=$work/home SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_HOSTNAME=localhost
  arguments+=("-Dspark.master=local-cluster[2,1,512]" -Dspark.executor.memory=512m
    -Dspark.jars="$folder/zn5/zn5-$version.jar,$folder/zn5-spark/zn5-spark-$version.jar"
    -Dspark.executor.extraJavaOptions=-Dorg.zn5.folder="$work/natives")
  ;;
*)
  echo "usage: tools/java_spark.sh local|cluster" >&2
  exit 2
  ;;
esac

# Spark logs much; it is shown if something fails.
"$JAVA_HOME/bin/java" "${arguments[@]}" -cp "$folder/zn5-spark/classes:$classpath" org.zn5.spark.Resave \
  examples/data/cat.n5 photo "$work/resaved.n5" photo '{"type":"zstd","level":3}' 2>"$work/log" || {
  cat "$work/log" >&2
  exit 1
}
natives=("$work"/natives/*)
[ ${#natives[@]} = 1 ] || {
  echo "java_spark: the native library was unpacked ${#natives[@]} times: ${natives[*]}" >&2
  exit 1
}

# Sets JAVA_HOME to the JDK that builds the jar, 17 or newer, unless it is set, and lists the other ones that tests run on in
# java_homes. To be sourced.
# shellcheck shell=bash

if [ -z "${JAVA_HOME:-}" ] || [ ! -x "$JAVA_HOME/bin/javac" ]; then
  JAVA_HOME=$(readlink -f "$(command -v javac)")
  JAVA_HOME=${JAVA_HOME%/bin/javac}
fi
export JAVA_HOME

# Java takes the encoding of file names from the locale, and without one cannot open a path that is not ASCII.
export LC_ALL=C.UTF-8

java_homes=()
for java_home in /usr/lib/jvm/*; do
  [ ! -x "$java_home/bin/java" ] || [ -L "$java_home" ] || [ "$java_home" -ef "$JAVA_HOME" ] || java_homes+=("$java_home")
done

# The number of a JDK: 8, 17, 25.
java_number() { sed -n 's/^JAVA_VERSION="\(1\.\)\?\([0-9]*\).*/\2/p' "$1/release"; }

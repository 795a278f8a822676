#!/bin/sh
# The official image is built with the protected mode off, and takes a configuration file or options as arguments.
set -eu
case ${1:-} in -* | *.conf) set -- redis-server "$@" ;; esac
[ "${1:-}" = redis-server ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  chown -R redis:redis .
  exec setpriv --reuid=redis --regid=redis --init-groups "$0" "$@"
fi
exec "$@" --protected-mode no

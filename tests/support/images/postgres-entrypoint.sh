#!/bin/bash
# The official image's variables: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB (each also as _FILE),
# POSTGRES_INITDB_ARGS and PGDATA.
set -euo pipefail
case ${1:-} in -*) set -- postgres "$@" ;; esac
[ "${1:-}" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

from_file() {
  local file="$1_FILE"
  [ -z "${!file:-}" ] || printf -v "$1" %s "$(cat "${!file}")"
}

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  for name in POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB; do from_file "$name"; done
  user=${POSTGRES_USER:-postgres}
  database=${POSTGRES_DB:-$user}
  if [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo 'POSTGRES_PASSWORD must be set for the first start.' >&2
    exit 1
  fi
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  # shellcheck disable=SC2086 # the arguments are words
  initdb --username="$user" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") --auth-host=scram-sha-256 \
    --auth-local=trust ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  if [ "$database" != postgres ]; then
    echo "create database \"${database//\"/\"\"}\"" | postgres --single -j -D "$PGDATA" postgres > /dev/null
  fi
fi
unset POSTGRES_PASSWORD
exec "$@" -c listen_addresses='*'

# shellcheck shell=bash
# What the tiers that need Docker, Helm, a cluster and Phase's clients ask of a bare Debian machine; sourced by `run`.
# A step that fails says so and returns 1: the tiers that needed it then fail with their own reason.

HELM=4.3.1
HELM3=3.22.0
KUBE_SCORE=1.20.0
PHASE_CLI=1.21.3
PHASE_DEV=2.1.2
PHASE_NODE=3.1.1

tools=${XDG_CACHE_HOME:-$HOME/.cache}/keyward-tools
# Where the program is that makes a Kubernetes cluster of this machine, for when KUBECONFIG names none.
cluster=${KEYWARD_CLUSTER_TOOL:-../shared/tools/cluster/cluster}
dockerd_pid='' cluster_started='' cluster_purge=''

say() { printf '\n── %s ──\n' "$1"; }
complain() { printf '\n!! %s\n' "$1" >&2; }

# with_progress WHAT COMMAND...: says every half minute that it still runs, for steps that print nothing for long.
with_progress() {
  local what=$1 start=$SECONDS status=0 ticker
  shift
  while sleep 30 >/dev/null 2>&1; do printf '%s: %s s\n' "$what" "$((SECONDS - start))"; done &
  ticker=$!
  "$@" || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  printf '%s: ended after %s s with %s\n' "$what" "$((SECONDS - start))" "$status"
  return "$status"
}

# What Docker and the cluster are made of. The cluster would install its own part too, but with services.
install_docker() {
  local missing=() package
  for package in docker.io containerd runc iptables debootstrap containernetworking-plugins iproute2 openssl; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  install_packages "${missing[@]}" || { complain "Not to be had with apt-get: ${missing[*]}."; return 1; }
}

start_docker() {
  docker info >/dev/null 2>&1 && return 0
  [ "$(id -u)" = 0 ] || { complain 'The Docker daemon does not run: start it, or run this as root.'; return 1; }
  local log=${TMPDIR:-/tmp}/keyward-dockerd.log
  PATH=$PATH:/usr/sbin:/sbin setsid dockerd >"$log" 2>&1 </dev/null &
  dockerd_pid=$!
  for _ in $(seq 60); do
    docker info >/dev/null 2>&1 && { echo "The Docker daemon was started (pid $dockerd_pid)."; return 0; }
    kill -0 "$dockerd_pid" 2>/dev/null || break
    sleep 1
  done
  complain "The Docker daemon does not start. The end of $log:"
  tail -n 20 "$log" >&2
  return 1
}

# A cluster of this machine, unless KUBECONFIG names one. Sets KUBECONFIG, and the command that loads images.
start_cluster() {
  if [ -n "${KUBECONFIG:-}" ]; then
    echo "The cluster is the one of KUBECONFIG=$KUBECONFIG."
    return 0
  fi
  [ -x "$cluster" ] || {
    complain "There is no cluster: neither KUBECONFIG nor $cluster (KEYWARD_CLUSTER_TOOL names another place)."
    return 1
  }
  cluster=$(realpath "$cluster")
  with_progress 'building the programs of the cluster' "$cluster" build ||
    { complain 'The programs of the cluster could not be built.'; return 1; }
  eval "$("$cluster" env)"
  export KEYWARD_TEST_IMAGE_LOAD="${KEYWARD_TEST_IMAGE_LOAD:-$cluster load}"
  [ -e "$KUBECONFIG" ] || cluster_purge=--purge
  "$cluster" status >/dev/null 2>&1 || cluster_started=yes
  with_progress 'starting the cluster' "$cluster" up || { complain 'The cluster does not start.'; return 1; }
}

# go_tool NAME MODULE VERSION PACKAGE [LDFLAGS]: a pinned program from the Go proxy, kept in the cache.
go_tool() {
  local name=$1 bin=$tools/$1-$3
  command -v "$name" >/dev/null && return 0
  if [ ! -x "$bin/$name" ]; then
    command -v go >/dev/null || { complain "$name is missing, and so is Go 1.26, which would build it."; return 1; }
    local made
    made=$(mktemp -d)
    with_progress "building $name $3" env CGO_ENABLED=0 GOBIN="$made" go install -trimpath -ldflags "-s -w ${5:-}" "$2/$4@v$3" ||
      { rm -rf "$made"; complain "$name $3 could not be built from $2."; return 1; }
    mkdir -p "$bin" && mv "$made/${4##*/}" "$bin/$name"
    rm -rf "$made"
  fi
  export PATH="$bin:$PATH"
}

install_helm() {
  go_tool helm helm.sh/helm/v4 "$HELM" cmd/helm "-X helm.sh/helm/v4/internal/version.version=v$HELM" &&
    go_tool helm3 helm.sh/helm/v3 "$HELM3" cmd/helm "-X helm.sh/helm/v3/internal/version.version=v$HELM3"
}

install_kube_score() {
  go_tool kube-score github.com/zegl/kube-score "$KUBE_SCORE" cmd/kube-score "-X main.version=$KUBE_SCORE"
}

# pinned NAME COMMAND...: a folder of the cache, filled by the command, which gets its path as the last argument. One that
# was not filled to its end is filled again.
pinned() {
  local folder=$tools/$1
  shift
  if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder" && mkdir -p "$folder" && "$@" "$folder" && touch "$folder/complete"
  fi
}

# python_package PACKAGE FOLDER: from PyPI, into a Python environment of its own.
python_package() {
  python3 -m venv "$2" && persist "$2/bin/pip" install --quiet --no-input --disable-pip-version-check "$1"
}

# npm_package PACKAGE FOLDER: from npm; none of its packages runs anything while it is installed.
npm_package() {
  persist npm install --prefix "$2" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "$1"
}

# client VARIABLE NAME VERSION PATH COMMAND...: installs a client into the cache, and has the variable name what is at PATH
# there; unless the variable names one already.
client() {
  local variable=$1 folder=$2-$3 path=$4
  [ -z "${!variable:-}" ] || return 0
  pinned "$folder" "${@:5}" || { complain "$2 $3 could not be installed."; return 1; }
  export "$variable=$tools/$folder/$path"
}

# Phase's command line and SDKs, unmodified, and what the commands of the documentation need beside them.
install_clients() {
  if ! command -v jq >/dev/null || ! command -v curl >/dev/null; then
    install_packages jq curl || { complain 'jq and curl are missing.'; return 1; }
  fi
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    install_packages python3 python3-venv || { complain 'Python 3 with venv is missing.'; return 1; }
  fi
  client KEYWARD_TEST_PHASE_CLI phase-cli "$PHASE_CLI" bin/phase python_package "phase-cli==$PHASE_CLI" &&
    client KEYWARD_TEST_PHASE_PYTHON phase-dev "$PHASE_DEV" bin/python python_package "phase-dev==$PHASE_DEV" &&
    client KEYWARD_TEST_PHASE_NODE phase-node "$PHASE_NODE" . npm_package "@phase.dev/phase-node@$PHASE_NODE"
}

# Ends what this run started, and nothing else.
stop_machine() {
  [ -z "$cluster_started" ] || "$cluster" down ${cluster_purge:+"$cluster_purge"} || complain 'The cluster could not be stopped.'
  [ -z "$dockerd_pid" ] || { kill "$dockerd_pid" && wait "$dockerd_pid"; } 2>/dev/null || true
}

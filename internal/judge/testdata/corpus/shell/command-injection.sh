#!/usr/bin/env bash
# Jobs of the build machine.
set -euo pipefail

run_step() {
  local step=$1
  # ruleid: command-injection
  eval "$step"
}

set_option() {
  # ruleid: command-injection
  eval "OPTION_$1=$2"
}

agent() {
  # ok: command-injection
  eval "$(ssh-agent -s)" >/dev/null
}

list_dir() {
  # ruleid: command-injection
  bash -c "ls -l $1"
}

list_dir_safe() {
  # ok: command-injection
  bash -c 'ls -l -- "$1"' _ "$1"
}

disk() {
  # ok: command-injection
  sh -c 'df -h | sort -k5 -r | head -n 5'
}

remote() {
  local host=$1 service=$2
  # ruleid: command-injection
  ssh "$host" "sudo systemctl restart $service"
}

remote_fixed() {
  # ok: command-injection
  ssh "$1" 'sudo systemctl restart converter'
}

cgi() {
  local name=${QUERY_STRING#name=}
  # ruleid: command-injection
  sh -c "grep $name /srv/users.txt"
}

usage() {
  # ok: command-injection
  echo 'eval "$1" is not used; give the step by its name'
}

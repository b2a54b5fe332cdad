#!/bin/bash
# Makes the accounts of a course.
set -eu

# ruleid: predictable-random
password=$RANDOM$RANDOM$RANDOM

# ok: predictable-random
password=$(openssl rand -base64 18)

# ruleid: predictable-random
token=$(echo "$RANDOM-$(date +%s)" | sha256sum | cut -c1-32)

# ok: predictable-random
token=$(head -c 32 /dev/urandom | base64)

# ruleid: predictable-random
secret_key=$(date +%s%N | md5sum | head -c 24)

# ok: predictable-random
sleep $((RANDOM % 30))

# ok: predictable-random
port=$((20000 + RANDOM % 10000))

# ruleid: predictable-random
api_key="key-$(awk 'BEGIN { srand(); printf "%d", rand() * 1e9 }')"

# ok: predictable-random
shuf --random-source=/dev/zero names.txt

echo "$password $token $secret_key $api_key $port"

#!/bin/sh
# Accounts, seals and checksums.
set -eu

add_user() {
  # ruleid: weak-crypto
  hash=$(printf '%s' "$password" | md5sum | cut -d' ' -f1)
  echo "$1:$hash" >> users.txt
}

add_user_new() {
  # ok: weak-crypto
  hash=$(mkpasswd --method=yescrypt --stdin)
  echo "$1:$hash" >> users.txt
}

add_web_user() {
  # ruleid: weak-crypto
  openssl passwd -1 "$password" >> htpasswd
}

check() {
  # ok: weak-crypto
  md5sum --check --quiet downloads.md5
}

cache_key() {
  # ok: weak-crypto
  sha1sum package-lock.json | cut -c1-12
}

# ruleid: weak-crypto
openssl enc -des3 -in backup.tar -out backup.tar.enc -pass file:key

# ruleid: weak-crypto
openssl enc -rc4 -in notes.txt -out notes.enc -pass file:key

# ok: weak-crypto
openssl enc -aes-256-cbc -pbkdf2 -in backup.tar -out backup.tar.enc -pass file:key

# ruleid: weak-crypto
openssl s_client -tls1 -connect pay.example.net:443 </dev/null

# ok: weak-crypto
openssl s_client -tls1_3 -connect pay.example.net:443 </dev/null

# ruleid: weak-crypto
openssl genrsa -out key.pem 1024

# ok: weak-crypto
openssl genrsa -out key.pem 3072

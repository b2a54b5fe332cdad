#!/bin/sh
# Fetches what an installation needs.
set -eu

url=https://downloads.example.net

# ruleid: tls-verification
curl -k -o tool.tgz "$url/tool.tgz"

# ok: tls-verification
curl -fsSL -o tool.tgz "$url/tool.tgz"

# ruleid: tls-verification
curl --silent --insecure "$url/version"

# ok: tls-verification
curl --silent --cacert /etc/ssl/partner.pem "$url/version"

# ruleid: tls-verification
wget --no-check-certificate "$url/keys.txt"

# ok: tls-verification
wget --quiet --https-only "$url/keys.txt"

# ruleid: tls-verification
git config --global http.sslVerify false

# ok: tls-verification
git config --global http.sslVerify true

# ruleid: tls-verification
export NODE_TLS_REJECT_UNAUTHORIZED=0

# ruleid: tls-verification
ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null deploy@example.net uptime

# ok: tls-verification
ssh -o StrictHostKeyChecking=yes deploy@example.net uptime

# ok: tls-verification
echo "curl --insecure is not needed any more: install the CA file" >&2

# ok: tls-verification
sort -k 2 versions.txt

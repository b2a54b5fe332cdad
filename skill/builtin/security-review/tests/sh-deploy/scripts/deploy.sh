#!/bin/sh
set -eu

host=$1
release=$(date +%Y%m%d%H%M)

if ! command -v rsync >/dev/null; then
	curl -fsSL https://get.acme.dev/rsync.sh | sudo sh # want medium "downloaded script"
fi

scp -o StrictHostKeyChecking=no build.tar.gz "deploy@$host:/srv/$release.tar.gz" # want medium "host key"
sshpass -p 'Winter-is-cold' ssh "deploy@$host" mkdir -p "/srv/$release" # want high "password"
ssh "deploy@$host" tar xzf "/srv/$release.tar.gz" -C "/srv/$release"
ssh "deploy@$host" chmod -R 777 "/srv/$release" # want medium "everyone may change"
echo "released $release"

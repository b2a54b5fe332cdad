#!/bin/bash
set -e

mode=${1:-quick}
out=$2

if [ "$mode"="full" ]; then # want high "always true"
	rm -rf "$out"/* # want high "deletes everything"
fi

find build -name '*.o' -delete
for dir in build/*/; do
	rmdir --ignore-fail-on-non-empty "$dir"
done
echo "cleaned ($mode)"

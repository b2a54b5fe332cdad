#!/bin/bash
set -eu

mode=${1:-quick}
out=$2

if [ "$mode" = "full" ] && [[ $out == build/* ]]; then
	rm -rf "${out:?}"/*
	rm -rf "$out/cache" build/*
fi

# rm -rf "$out"/* would delete everything if out were empty.
find build -name '*.o' -delete
for dir in build/*/; do
	rmdir --ignore-fail-on-non-empty "$dir"
done
echo "cleaned (mode=$mode)"

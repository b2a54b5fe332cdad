#!/bin/sh
# Empties the cache every night.
set -e
rm -rf "$CACHE_DIR/"*

#!/bin/sh
# Fills the corpus of every target with small vectors (if installed) and the clips that the tests encoded.
set -eu
cd "$(dirname "$0")"
vectors=${CLIPGATE_VECTORS:-../../../../shared/vectors}
for target in whole splits; do
    mkdir -p "corpus/$target"
    for folder in "$vectors/media" "$vectors/hostile-media" ../../../target/tmp/clips; do
        [ -d "$folder" ] || continue
        # Megabytes of media data teach the fuzzer nothing.
        find "$folder" -type f ! -name '*.csv' | while read -r file; do
            name=$(printf %s "$file" | cksum | cut -d ' ' -f 1)
            {
                # The first eight bytes of an input choose its splits.
                [ "$target" != splits ] || printf '\001\017\002\177\003\040\377\012'
                head -c 65536 "$file"
            } > "corpus/$target/seed-$name"
        done
    done
done

#!/bin/sh
# Behaves like ffmpeg on a full disk: reports success, but each file named in DAMAGED has only its first half.
# If EMPTIED is set, these files are empty.
ffmpeg "$@" || exit
for file in $DAMAGED; do
    [ -f "$file" ] || continue
    size=$(stat -c %s "$file")
    [ -z "${EMPTIED:-}" ] || size=0
    truncate -s "$((size / 2))" "$file"
done
exit 0

#!/bin/sh
# Behaves like ffmpeg on a full disk: reports success, but each file named in DAMAGED has only its first half.
# If EMPTIED is set, these files are empty. An encode runs once; from then on, its files are copied from KEPT.
written=$KEPT/$(echo "$*" | cksum | tr ' ' -)
if [ -d "$written" ]; then
    cp -r "$written/." . || exit
else
    ffmpeg "$@" || exit
    cp -r . "$written" || exit
fi
for file in $DAMAGED; do
    [ -f "$file" ] || continue
    size=$(stat -c %s "$file")
    [ -z "${EMPTIED:-}" ] || size=0
    truncate -s "$((size / 2))" "$file"
done
exit 0

#!/bin/sh
# ffmpeg on a disk that became full: it reports success, and of each file that DAMAGED names only the first half is there;
# nothing of it where EMPTIED is set.
ffmpeg "$@" || exit
for file in $DAMAGED; do
    [ -f "$file" ] || continue
    size=$(stat -c %s "$file")
    truncate -s "$((${EMPTIED:+0 *} size / 2))" "$file"
done
exit 0

#!/usr/bin/env bash
# Networks of several sizes on the same weeks, in the same order, for the same short time, and their picture.
# Usage: runs/scaling.sh folder (one that runs/full.sh has filled)
set -euo pipefail
OUT=$1
RHYTHM=${RHYTHM:-rhythm}
curves=()
for size in ${SIZES:-32:2 64:3 96:3 128:4}; do
    file="$OUT/scaling-${size/:/x}.pt"
    $RHYTHM distill train --data "$OUT/data" --checkpoint "$file" --width "${size%:*}" --layers "${size#*:}" --heads 4 \
        --batch 64 --steps "${SCALING_STEPS:-500}" --every 50 --rate 2.5e-3
    curves+=(--curve "${file%.pt}.json")
done
$RHYTHM distill plot "${curves[@]}" --to "$OUT/student-scaling.png"

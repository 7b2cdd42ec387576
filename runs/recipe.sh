#!/usr/bin/env bash
# From nothing to a student's weights, their card and their rows: `runs/tiny.sh` and `runs/full.sh` say how much of it.
# The planner is asked twice: in weeks that it lives itself, then in weeks that the first network lives (DAgger). What came
# of both is refined by playing (GRPO).
set -euo pipefail
OUT=$1
RHYTHM=${RHYTHM:-rhythm}
SIZE="--width $WIDTH --layers $LAYERS --heads 4 --batch $BATCH"

$RHYTHM distill teach --weeks "$WEEKS" --data "$OUT/data" --first-seed "$FIRST_SEED" --shard "$SHARD" --workers "${WORKERS:-2}"
$RHYTHM distill train --data "$OUT/data" --checkpoint "$OUT/first.pt" $SIZE --steps "$STEPS" --rate 2.5e-3 --seed "$SEED"
$RHYTHM distill export --checkpoint "$OUT/first.pt" --to "$OUT/acting.onnx" --data "$OUT/data"

$RHYTHM distill teach --weeks "$AGAIN" --data "$OUT/again" --first-seed $((FIRST_SEED + 1000000)) --shard "$SHARD" --workers "${WORKERS:-2}" \
    --actor "$OUT/acting.onnx"
$RHYTHM distill train --data "$OUT/data" --data "$OUT/again" --checkpoint "$OUT/second.pt" --start "$OUT/first.pt" \
    $SIZE --steps "$FURTHER" --rate 1.5e-3 --seed $((SEED + 1))
$RHYTHM distill export --checkpoint "$OUT/second.pt" --to "$OUT/taught.onnx" --data "$OUT/data" --data "$OUT/again"
$RHYTHM distill refine --weights "$OUT/taught.onnx" --to "$OUT/student.onnx" --turns "$TURNS" --lives "$LIVES" --people "$COMPARED" \
    --first-seed $((FIRST_SEED + 2200000))

RHYTHM_STUDENT="$OUT/student.onnx" $RHYTHM bench run --policy "$POLICIES" --conditions "$CONDITIONS" --results "$OUT/results"
$RHYTHM distill card --weights "$OUT/student.onnx" --results "$OUT/results"
echo "weights: $OUT/student.onnx; to ship them, copy them and their card into src/rhythm/policy/student/weights"

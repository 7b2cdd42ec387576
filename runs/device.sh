#!/usr/bin/env bash
# From nothing to the weights of the device channel, their card and plan of adapters, and their tables. What is there
# already is kept, so an interrupted run goes on. Usage: runs/device.sh [folder]; another SEED and FIRST_SEED try it again.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${1:-results/device}
RHYTHM=${RHYTHM:-rhythm}
mkdir -p "$OUT"
$RHYTHM student teach --lives "${LIVES:-14000}" --data "$OUT/lives" --first-seed "${FIRST_SEED:-5000000}"
$RHYTHM student train --data "$OUT/lives" --checkpoint "$OUT/training.pt" --steps "${STEPS:-5000}" --seed "${SEED:-0}"
$RHYTHM student export --checkpoint "$OUT/training.pt" --data "$OUT/lives" --to "$OUT/taught.onnx" --people "${CHOSEN_ON:-600}"
$RHYTHM student refine --weights "$OUT/taught.onnx" --to "$OUT/student-device.onnx" --turns "${TURNS:-100}" --kept-near "${KEPT_NEAR:-0.03}" --people "${LIVED:-1000}" \
    --first-seed "$((${FIRST_SEED:-5000000} + 1000000))"
$RHYTHM student adapters --weights "$OUT/student-device.onnx" --people "${PEOPLE:-400}" --stored "${STORED:-64}" --plot "$OUT/adapters.png"
$RHYTHM student curve --weights "$OUT/student-device.onnx" --people "${CURVE_PEOPLE:-1000}" --living "${LIVING:-200}" --stored "${CURVE_STORED:-24}" --plot "$OUT/device-context.png"
$RHYTHM student living --weights "$OUT/student-device.onnx" --people "${LIVED:-1000}" --stored "${LIVED_STORED:-96}" --plot "$OUT/device-living.png"
$RHYTHM student taps --weights "$OUT/student-device.onnx" --people "${ASKED:-90}"
echo "weights: $OUT/student-device.onnx; to ship them, copy them, card and plan into src/rhythm/policy/student/weights"

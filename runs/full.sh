#!/usr/bin/env bash
# From nothing to weights like the shipped ones (their card says what those were made of) and their rows, with the curve
# by which their size was chosen. What is there already is kept, so an interrupted run goes on. Usage: runs/full.sh [folder]; another SEED and FIRST_SEED try it again.
set -euo pipefail
cd "$(dirname "$0")/.."
export WEEKS=${WEEKS:-31744} AGAIN=${AGAIN:-5120} SHARD=${SHARD:-256} FIRST_SEED=${FIRST_SEED:-4000000} SEED=${SEED:-0}
export WIDTH=${WIDTH:-96} LAYERS=${LAYERS:-3} BATCH=${BATCH:-64} STEPS=${STEPS:-2400} FURTHER=${FURTHER:-4000}
export TURNS=${TURNS:-300} LIVES=${LIVES:-500} COMPARED=${COMPARED:-2000}
export POLICIES=${POLICIES:-student,planner} CONDITIONS=${CONDITIONS:-all}
OUT=${1:-results/student}
runs/recipe.sh "$OUT"
exec runs/scaling.sh "$OUT"

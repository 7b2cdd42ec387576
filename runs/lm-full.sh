#!/usr/bin/env bash
# The proof without a hub: a model of a million numbers learns from nothing, is refined, and is measured (docs/language-model.md
# says how long that takes). What is there already is kept. Usage: runs/lm-full.sh [folder]
# On a GPU: MODEL=Qwen/Qwen2.5-3B-Instruct LORA=16 RATE=2e-4 BATCH=4 WEEKS=600 STEPS=0 runs/lm-full.sh results/lm-3b
set -euo pipefail
cd "$(dirname "$0")/.."
export WEEKS=${WEEKS:-14208} BATCH=${BATCH:-8} STEPS=${STEPS:-7900} EVERY=${EVERY:-500} PLANNING=${PLANNING:-4}
export OWN=${OWN:-1} STATES=${STATES:-128} PROMPTS=${PROMPTS:-8} ANSWERS=${ANSWERS:-16} REFINE=${REFINE:-24} REFINE_RATE=${REFINE_RATE:-1e-5}
export PEOPLE=${PEOPLE:-100} WIDTH=${WIDTH:-128} LAYERS=${LAYERS:-4} CONDITIONS=${CONDITIONS:-published}
exec runs/lm-recipe.sh "${1:-results/lm}"

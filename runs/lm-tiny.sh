#!/usr/bin/env bash
# From nothing to a language model's row of the benchmark, on a processor alone, in minutes: shows that every part works,
# not what such a model can do. Usage: runs/lm-tiny.sh [folder]
set -euo pipefail
cd "$(dirname "$0")/.."
export WEEKS=${WEEKS:-200} STEPS=${STEPS:-60} EVERY=${EVERY:-30} REFINE=${REFINE:-4} PEOPLE=${PEOPLE:-20}
export WIDTH=${WIDTH:-64} LAYERS=${LAYERS:-2} CONDITIONS=${CONDITIONS:-archetypes}
exec runs/lm-recipe.sh "${1:-results/lm-tiny}"

#!/usr/bin/env bash
# Fine-tunes on the hub's machines: teacher's weeks come from a dataset there, the model goes back there. Needs the hub's
# command line (`pip install huggingface_hub`) and HF_TOKEN with the right to write. Not run yet: it needs an account that pays.
# RHYTHM_SOURCE names where Rhythm comes from, as pip takes it: git+https://... of a repository that you trust with the token.
# Usage: RHYTHM_SOURCE=git+https://... DATA_REPO=me/rhythm-weeks DATA_FILE=weeks.jsonl MODEL_REPO=me/rhythm-3b runs/lm-hub-job.sh
set -euo pipefail
exec hf jobs run --flavor "${FLAVOR:-a10g-large}" --secrets HF_TOKEN --timeout "${TIMEOUT:-2h}" \
    "${IMAGE:-pytorch/pytorch:2.13.0-cuda12.9-cudnn9-runtime}" bash -c "
set -euo pipefail
pip install --quiet 'rhythm[lm,plots] @ ${RHYTHM_SOURCE:?name where Rhythm comes from, as in git+https://...}'
rhythm lm pull '$DATA_REPO' --file '$DATA_FILE' --output data
rhythm lm sft --model '${MODEL:-Qwen/Qwen2.5-3B-Instruct}' --data 'data/$DATA_FILE' --output run --lora '${LORA:-16}' --passes '${PASSES:-3}'
rhythm lm eval run/model --conditions '${CONDITIONS:-published}' --results run/model/results
rhythm lm push run/model --repo '$MODEL_REPO'
"

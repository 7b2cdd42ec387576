#!/usr/bin/env bash
# From nothing to a language model, its refinement, their rows and pictures: `runs/lm-tiny.sh` and `runs/lm-full.sh` say how
# much of it. Run again, each part goes on where it stopped. MODEL names a model to start from, which then learns the teacher's
# weeks with its reasoning (REASONING=--no-reasoning for bare answers); without it one is made, which learns bare answers in
# weeks in which somebody makes mistakes. GRPO refines it on the planner's states, with OWN=1
# on states of its own weeks, which a model that says nothing readable yet has none of; REFINE=0 leaves that out.
set -euo pipefail
OUT=$1
RHYTHM=${RHYTHM:-rhythm}
RATE=${RATE:-2e-3} LORA=${LORA:-0} BATCH=${BATCH:-4} REFINE_RATE=${REFINE_RATE:-2e-5}

if [ -n "${MODEL:-}" ]; then
    REASONING=${REASONING:---reasoning} STRANGERS=0 SOFTEN=0 PLANNING=1 MAX_TOKENS=${MAX_TOKENS:-256}
    $RHYTHM lm teach --seeds "2000000-$((2000000 + WEEKS - 1))" --output "$OUT/teacher.jsonl"
    $RHYTHM lm convert "$OUT/teacher.jsonl" --output "$OUT/weeks.jsonl" "$REASONING"
else
    MODEL=$OUT/new REASONING=--no-reasoning STRANGERS=${STRANGERS:-1} SOFTEN=${SOFTEN:-0.03} PLANNING=${PLANNING:-3}
    MAX_TOKENS=${MAX_TOKENS:-16}
    [ -e "$MODEL" ] || $RHYTHM lm model --output "$MODEL" --width "$WIDTH" --layers "$LAYERS"
    $RHYTHM lm teach --seeds "2000000-$((2000000 + ${STATES:-64} - 1))" --output "$OUT/teacher.jsonl"
    $RHYTHM distill teach --weeks "$WEEKS" --first-seed 4000000 --shard 64 --data "$OUT/taught" --workers "${WORKERS:-2}"
    $RHYTHM lm convert "$OUT/taught" --output "$OUT/weeks.jsonl"
fi
$RHYTHM lm sft --model "$MODEL" --data "$OUT/weeks.jsonl" --output "$OUT/sft" --steps "$STEPS" --every "$EVERY" \
    --batch "$BATCH" --rate "$RATE" --lora "$LORA" --strangers "$STRANGERS" \
    --soften "$SOFTEN" --planning "$PLANNING"
$RHYTHM lm follow "$OUT/sft" --people "$PEOPLE"
$RHYTHM lm eval "$OUT/sft/model" --conditions "$CONDITIONS" --results "$OUT/results-sft" --max-tokens "$MAX_TOKENS"

[ "$REFINE" -gt 0 ] || exit 0
LIVED=$OUT/teacher.jsonl
if [ -n "${OWN:-}" ]; then
    LIVED=$OUT/own.jsonl
    $RHYTHM lm teach --model "$OUT/sft/model" --seeds "2000000-$((2000000 + ${STATES:-64} - 1))" \
        --max-tokens "$MAX_TOKENS" --output "$LIVED"
fi
$RHYTHM lm grpo --model "$OUT/sft/model" --data "$LIVED" --output "$OUT/grpo" --steps "$REFINE" \
    --every "$REFINE" --rate "$REFINE_RATE" --prompts "${PROMPTS:-4}" --answers "${ANSWERS:-8}" --temperature "${WARMTH:-0.7}" \
    --max-tokens "$MAX_TOKENS" --lora "$LORA" "$REASONING"
$RHYTHM lm eval "$OUT/grpo/model" --conditions "$CONDITIONS" --results "$OUT/results-grpo" --max-tokens "$MAX_TOKENS" \
    --against "$OUT/results-sft"

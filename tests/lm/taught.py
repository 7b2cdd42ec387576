"""A tiny model that answers in the form that is asked for and prefers no action, made in a second."""

from pathlib import Path
from typing import Any

import numpy as np

from rhythm.lm.models import load_model
from rhythm.lm.real_life import moment
from rhythm.lm.scoring import Scorer, name_text

METERS = (0.61, None, 0.5, None, 0.43)


def teach(folder: Path, to: Path) -> Path:
    """Teach the model of a folder to say ``4 5 4`` and any of the ten names."""
    import torch  # noqa: PLC0415

    loaded = load_model(str(folder))
    scorer, draw = Scorer(loaded, "new"), np.random.default_rng(0)
    rows = []
    for _ in range(40):
        text = scorer.text_of(moment(int(draw.integers(28)), METERS, ()))
        asked = loaded.tokenizer(text)["input_ids"]
        rows.append((asked, loaded.tokenizer(f"{text}4 5 4{name_text(int(draw.integers(10)))}<|end|>")["input_ids"]))
    model: Any = loaded.model
    seen, said = [], []
    for asked, row in rows:  # only the last layer learns, from what the others make of each text once
        with torch.no_grad():
            hidden = model.model(input_ids=torch.tensor([row])).last_hidden_state[0]
        seen.append(hidden[len(asked) - 1 : -1])
        said.append(torch.tensor(row[len(asked) :]))
    states, tokens = torch.cat(seen), torch.cat(said)
    optimizer = torch.optim.AdamW(model.lm_head.parameters(), lr=5e-2)
    for _ in range(60):
        loss: Any = torch.nn.functional.cross_entropy(model.lm_head(states), tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval().save_pretrained(to)
    loaded.tokenizer.save_pretrained(to)
    return to

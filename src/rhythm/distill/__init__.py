"""From teacher to student: rollouts, training, refinement, export. Needs the extra ``train``; serving does not."""

"""The language-model path: what a model reads, what it answers, and weeks taught in words."""

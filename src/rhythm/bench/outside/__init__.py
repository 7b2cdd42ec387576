"""An outside test-bed: Rhythm's way of believing and planning, in a world that somebody else wrote.

StepCountJITAI (Karine and Marlin 2024, MIT) simulates somebody who is sent messages that should make
them walk. Messages habituate, wrong ones disengage. Nothing here reads a person's hidden state: agents are handed
what the environment observes, and nothing else. See decision 0039.
"""

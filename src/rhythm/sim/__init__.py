"""The simulated person behind public faces: Gymnasium, vector, OpenEnv."""

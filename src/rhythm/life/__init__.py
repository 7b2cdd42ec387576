"""The life model: hidden people, the pure step, wellbeing and reward, how a person answers.

Compiled kernels are loaded on first use; importing this package loads NumPy only.
"""

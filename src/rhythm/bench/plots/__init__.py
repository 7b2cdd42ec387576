"""The benchmark's pictures, each beside the data it shows.

A picture is drawn from a plain dictionary, and that dictionary is written beside it as JSON:
what the data are can be checked without looking, and drawn again by anyone.
"""

"""The student: a small network that learned the skill once, frozen, served without the library it was trained with."""

"""The commands: a module here is a command of ``rhythm``, and nothing else needs to know of it.

The module's name is the command's (``import_`` is ``import``, ``erase_all`` is ``erase-all``),
the first line of its docstring is its line in ``rhythm --help``, and its ``app`` is a
`typer.Typer`: with one command it is that command, with several (or a callback) a group.
Modules are read for the help and imported only when called, so they may import what they like.
"""

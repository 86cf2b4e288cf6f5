"""The detection matrix: what the suite says to every fault of the library, and to healthy racks.

`command` reads the command line, `plan` lists the runs, `launch` runs the suite in a child process,
`folder` reads what the run left, `judge` holds it against the declaration, `store` keeps the lines,
`summary` says what they come to. The suite is known by its command line and its run folder alone.
"""

"""`python -m plugins.draft`: from a cut sheet and what its hosts answer to an inventory.

sheet      the hosts of a cut sheet: where they are reached, which NIC ports they should have
trust      whose host keys a person or a list has accepted
reach      the way to the hosts, first only to see their keys
answers    what the hosts say that they are
shape      from both to an inventory's content
files      the inventory's files
changes    what is otherwise than the cut sheet, or than the inventory that is there
"""

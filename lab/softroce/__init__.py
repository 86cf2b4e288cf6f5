"""Real Linux hosts with soft RDMA (rdma_rxe) under QEMU, behind a switch of our own.

`start_guests` in `lab.softroce.guests` is the entry for programs, `python -m lab.softroce` the
one for people; docs/softroce.md says how it is made and what works in it.
"""

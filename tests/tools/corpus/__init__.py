"""The right values of real tools' outputs, as data (`*.yaml` here), and how they are held.

The samples themselves are not ours to publish: they stay in `shared/corpus` beside the repository.
An entry names a sample, the reader, and values by JMESPath expression, or the reason with which
the reader refuses it; `lines: [first, last]` takes one tool's lines out of a file that holds
several; `doubt` says why a value differs from the one stated beside the sample.
`python -m tests.tools.corpus` counts what is held.
"""

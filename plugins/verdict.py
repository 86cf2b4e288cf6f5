"""The end of a run: the record is merged and held against the manifest, and the run gets its outcome.

Only the controller does this. What the manifest expects and nobody judged becomes INCONCLUSIVE
`not-run`, by name.
"""

from __future__ import annotations

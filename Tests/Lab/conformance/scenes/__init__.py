"""All scenes: importing them declares them."""
from . import (announcing, answering, conflicts, legacy, malformed, matching,  # noqa: F401
               probing, suppression, unicast)

"""All scenes: importing them declares them."""
from . import (announcing, answering, conflicts, departing, legacy, malformed,  # noqa: F401
               matching, probing, querying, receiving, refreshing, registering,
               suppression, unicast)

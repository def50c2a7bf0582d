"""The shared vocabulary: what is loaded, extracted, found and said. Plain frozen values that can be shown."""

from overstory.model.chat import Completion, JsonSchema, Message, Role, Usage
from overstory.model.documents import Annotation, Document, Heading, Metadata, MetadataValue, TextPiece
from overstory.model.evidence import BridgePath, BridgeStep, Evidence, Excerpt, Hit, Reason
from overstory.model.extraction import ChunkText, Extraction, FactStatement, Mention

__all__ = [
    "Annotation",
    "BridgePath",
    "BridgeStep",
    "ChunkText",
    "Completion",
    "Document",
    "Evidence",
    "Excerpt",
    "Extraction",
    "FactStatement",
    "Heading",
    "Hit",
    "JsonSchema",
    "Mention",
    "Message",
    "Metadata",
    "MetadataValue",
    "Reason",
    "Role",
    "TextPiece",
    "Usage",
]

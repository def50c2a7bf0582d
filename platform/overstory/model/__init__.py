"""The shared data model: documents, extractions, evidence and chat messages. Plain frozen values with displays."""

from overstory.model.chat import Completion, JsonSchema, Message, Role, Usage
from overstory.model.documents import (
    HYPERLINK,
    Annotation,
    Document,
    Heading,
    Link,
    Loaded,
    Metadata,
    MetadataValue,
    TextPiece,
)
from overstory.model.evidence import Evidence, Hit, Reason, Repeat, ShareKind
from overstory.model.extraction import ChunkText, Extraction, FactStatement, Mention
from overstory.model.parts import (
    PART_KINDS,
    BridgePath,
    BridgeStep,
    BridgeStepKind,
    CommunityReport,
    Excerpt,
    Part,
    PartKind,
    RatedReport,
    ReportFinding,
)

__all__ = [
    "HYPERLINK",
    "PART_KINDS",
    "Annotation",
    "BridgePath",
    "BridgeStep",
    "BridgeStepKind",
    "ChunkText",
    "CommunityReport",
    "Completion",
    "Document",
    "Evidence",
    "Excerpt",
    "Extraction",
    "FactStatement",
    "Heading",
    "Hit",
    "JsonSchema",
    "Link",
    "Loaded",
    "Mention",
    "Message",
    "Metadata",
    "MetadataValue",
    "Part",
    "PartKind",
    "RatedReport",
    "Reason",
    "Repeat",
    "ReportFinding",
    "Role",
    "ShareKind",
    "TextPiece",
    "Usage",
]

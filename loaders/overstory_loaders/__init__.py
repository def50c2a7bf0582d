"""The loaders that come with Overstory: files and folders in, documents out.

The platform finds them through the entry points `overstory.loaders`, like those of other packages. Import from here
only to call a loader directly, or to write one with the same building blocks.
"""

from overstory_loaders.archive import ArchiveLoader
from overstory_loaders.beir import BeirLoader
from overstory_loaders.blocks import Block, OutlinedText, join_blocks
from overstory_loaders.cleaning import clean_text, clean_title
from overstory_loaders.code import CodeLoader
from overstory_loaders.csv import CsvLoader
from overstory_loaders.decoding import read_text
from overstory_loaders.docx import DocxLoader
from overstory_loaders.graph import GraphLoader
from overstory_loaders.html import HtmlLoader
from overstory_loaders.image import ImageLoader
from overstory_loaders.jsonl import JsonLinesLoader
from overstory_loaders.langchain import from_langchain
from overstory_loaders.man import ManLoader
from overstory_loaders.markdown import MarkdownLoader
from overstory_loaders.markitdown import MarkItDownLoader
from overstory_loaders.metadata import CleanMetadata, clean_metadata
from overstory_loaders.openie import OpenIELoader
from overstory_loaders.pdf import PdfLoader
from overstory_loaders.pod import PodLoader
from overstory_loaders.rst import RstLoader
from overstory_loaders.text import TextLoader

__all__ = [
    "ArchiveLoader",
    "BeirLoader",
    "Block",
    "CleanMetadata",
    "CodeLoader",
    "CsvLoader",
    "DocxLoader",
    "GraphLoader",
    "HtmlLoader",
    "ImageLoader",
    "JsonLinesLoader",
    "ManLoader",
    "MarkItDownLoader",
    "MarkdownLoader",
    "OpenIELoader",
    "OutlinedText",
    "PdfLoader",
    "PodLoader",
    "RstLoader",
    "TextLoader",
    "clean_metadata",
    "clean_text",
    "clean_title",
    "from_langchain",
    "join_blocks",
    "read_text",
]

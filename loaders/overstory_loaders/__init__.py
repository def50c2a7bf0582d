"""Overstory's built-in loaders, which turn files and folders into documents.

The platform finds them through the entry point group `overstory.loaders`, just like loaders from other packages. Import
from this package only to call a loader directly, or to reuse its building blocks in your own loader.
"""

from overstory_loaders.archive import ArchiveLoader
from overstory_loaders.beir import BeirLoader
from overstory_loaders.blocks import Block, OutlinedText, clean_text, clean_title, join_blocks
from overstory_loaders.code import CodeLoader
from overstory_loaders.csv import CsvLoader
from overstory_loaders.docx import DocxLoader
from overstory_loaders.epub import EpubLoader
from overstory_loaders.excel_xml import ExcelXmlLoader
from overstory_loaders.graph import GraphLoader
from overstory_loaders.html import HtmlLoader
from overstory_loaders.image import ImageLoader
from overstory_loaders.jsonl import JsonLinesLoader
from overstory_loaders.langchain import from_langchain
from overstory_loaders.mail import MailLoader
from overstory_loaders.man import ManLoader
from overstory_loaders.markdown import MarkdownLoader
from overstory_loaders.markitdown import MarkItDownLoader
from overstory_loaders.metadata import CleanMetadata, clean_metadata
from overstory_loaders.notebook import NotebookLoader
from overstory_loaders.odf import OdfLoader
from overstory_loaders.openie import OpenIELoader
from overstory_loaders.pdf import PdfLoader
from overstory_loaders.pod import PodLoader
from overstory_loaders.pptx import PptxLoader
from overstory_loaders.rst import RstLoader
from overstory_loaders.rtf import RtfLoader
from overstory_loaders.settings_files import SettingsLoader
from overstory_loaders.subtitles import SubtitleLoader
from overstory_loaders.text import TextLoader
from overstory_loaders.text_encoding import read_text
from overstory_loaders.xlsx import XlsxLoader
from overstory_loaders.xml import XmlLoader

__all__ = [
    "ArchiveLoader",
    "BeirLoader",
    "Block",
    "CleanMetadata",
    "CodeLoader",
    "CsvLoader",
    "DocxLoader",
    "EpubLoader",
    "ExcelXmlLoader",
    "GraphLoader",
    "HtmlLoader",
    "ImageLoader",
    "JsonLinesLoader",
    "MailLoader",
    "ManLoader",
    "MarkItDownLoader",
    "MarkdownLoader",
    "NotebookLoader",
    "OdfLoader",
    "OpenIELoader",
    "OutlinedText",
    "PdfLoader",
    "PodLoader",
    "PptxLoader",
    "RstLoader",
    "RtfLoader",
    "SettingsLoader",
    "SubtitleLoader",
    "TextLoader",
    "XlsxLoader",
    "XmlLoader",
    "clean_metadata",
    "clean_text",
    "clean_title",
    "from_langchain",
    "join_blocks",
    "read_text",
]

"""A sentence-transformers model of a few kilobytes, made on the spot: its vectors mean nothing, all else is real."""

from __future__ import annotations

import string
from importlib import import_module
from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LENGTH = 128
"""Tokens that it reads."""


def make_sentence_model(folder: Path) -> Path:
    """Writes a model into a new folder, and returns the folder. Needs sentence-transformers, and so PyTorch."""
    parts = import_module("sentence_transformers.sentence_transformer.modules")
    torch, transformers = import_module("torch"), import_module("transformers")
    letters = string.ascii_lowercase + string.digits + string.punctuation
    words = folder / "words"
    words.mkdir(parents=True)
    (words / "vocab.txt").write_text("\n".join([*SPECIAL, *letters, *(f"##{each}" for each in letters)]))
    tokenizer = transformers.BertTokenizerFast(str(words / "vocab.txt"))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LENGTH,
    )
    transformers.BertModel(config).save_pretrained(words)
    tokenizer.save_pretrained(words)
    layers = parts.Transformer(str(words), max_seq_length=LENGTH)
    whole = import_module("sentence_transformers").SentenceTransformer(modules=[layers, parts.Pooling(32)])
    whole.save(str(folder / "model"))
    return folder / "model"

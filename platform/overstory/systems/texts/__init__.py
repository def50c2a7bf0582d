"""Texts on groups, which systems share: by rules, or by a language model with rules to fall back on."""

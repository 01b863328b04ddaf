"""The grouping that every near stage starts from: exact copies, then equal normal form.

Written from the specification alone, in the plainest way, so that it can contradict the product.
"""

import re
import unicodedata

# Unicode's White_Space property. Python's own `split()` also cuts at four control characters that are not in it.
WHITE_SPACE = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
RUN = re.compile(f"[{WHITE_SPACE}]+")


def normal_form(text):
    """Without invisible spacing characters, NFC, trimmed, runs of white space as one space."""
    return RUN.sub(" ", unicodedata.normalize("NFC", INVISIBLE.sub("", text))).strip(" ")


def classes(texts):
    """Each distinct normal form, and the position of its first record, in input order."""
    first = {}
    for position, text in enumerate(texts):
        first.setdefault(normal_form(text), position)
    return list(first.keys()), list(first.values())

"""Which texts reach a Jaccard similarity over word 3-grams, decided in whole numbers."""

from collections import Counter
from fractions import Fraction

from from_peers import shingles


class KeptByShingle:
    """The kept texts, found by shingle.

    Two texts within the threshold share one of the rarest shingles of each (the prefix filter), so that only those are looked
    up. `plain` looks all up instead, and must give the same answers.
    """

    def __init__(self, texts, threshold, plain):
        self.threshold = Fraction(threshold)
        self.plain = plain
        self.sets = [frozenset(shingles(text)) for text in texts]
        self.frequency = Counter(shingle for members in self.sets for shingle in members)
        self.kept = {}

    def prefix(self, members):
        if self.plain:
            return members
        overlap_min = -(-self.threshold.numerator * len(members) // self.threshold.denominator)
        by_rarity = sorted(members, key=lambda shingle: (self.frequency[shingle], shingle))
        return by_rarity[: len(members) - overlap_min + 1]

    def reaches(self, a, b):
        shared = len(a & b)
        union = len(a) + len(b) - shared
        return shared * self.threshold.denominator >= self.threshold.numerator * union

    def has_near(self, record):
        members = self.sets[record]
        candidates = {kept for shingle in self.prefix(members) for kept in self.kept.get(shingle, ())}
        return any(self.reaches(members, self.sets[kept]) for kept in candidates)

    def keep(self, record):
        for shingle in self.prefix(self.sets[record]):
            self.kept.setdefault(shingle, []).append(record)

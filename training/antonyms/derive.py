"""Derives the antonym data of `crates/guard` from a WordNet 3.0 dictionary folder.

    python3 derive.py DICTIONARY_FOLDER ../../crates/guard/data     (the folder with data.noun; Debian: package wordnet-base)

Writes `antonyms.txt` (each word with its opposites: the antonym pointers "!" between single words, and the pairs of
`operation.txt` beside this program) and `irregular-forms.txt` (inflected forms that no rule of spelling gives, of words that
have an opposite). Both are sorted by bytes, as the guard looks words up. Same input, same bytes.
"""

import re
import sys
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")

# Opposites in one sense only, while both words stand side by side in most texts without contradiction.
LEFT_OUT = {
    ("all", "no"), ("all", "some"), ("no", "some"), ("other", "same"), ("have", "miss"), ("break", "make"), ("break", "keep"),
    ("be", "differ"), ("kern", "kern"), ("rise", "set"), ("center", "left"), ("center", "right"), ("foot", "head"),
    ("bottom", "side"), ("side", "top"), ("delay", "rush"), ("gain", "reduce"), ("maxi", "midi"), ("midi", "mini"),
    ("back", "veer"), ("fail", "manage"), ("have", "lack"), ("host", "parasite"), ("lean", "rich"), ("free", "obstruct"),
    ("begrudge", "wish"), ("linger", "rush"), ("sink", "source"), ("out", "safe"), ("interest", "bore"), ("arm", "disarm"),
}


def words_of(columns):
    """The words of a synset, without the syntax marks of adjectives."""
    count = int(columns[3], 16)
    return [re.sub(r"\(.*\)", "", columns[4 + 2 * index]).lower() for index in range(count)]


def pairs_of(folder):
    """Every pair of single words joined by an antonym pointer, each once and in alphabetical order."""
    synsets, pointers = {}, []
    for part in PARTS:
        for line in (folder / f"data.{part}").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("  "):
                continue  # the licence
            columns = line.split("|")[0].split()
            words = words_of(columns)
            kind = columns[2].replace("s", "a")
            synsets[kind, columns[0]] = words
            at = 4 + 2 * len(words)
            for start in range(at + 1, at + 1 + 4 * int(columns[at]), 4):
                symbol, offset, target, ends = columns[start : start + 4]
                if symbol == "!":
                    source = words[int(ends[:2], 16) - 1]
                    pointers.append((source, (target.replace("s", "a"), offset), int(ends[2:], 16) - 1))
    pairs = {tuple(sorted((source, synsets[key][index]))) for source, key, index in pointers}
    single = re.compile(r"[a-z]+")
    return {pair for pair in pairs if all(single.fullmatch(word) for word in pair)} - {tuple(sorted(pair)) for pair in LEFT_OUT}


def is_regular(form, base):
    """Whether the guard finds this base by itself."""
    if form in (base + "s", base + "es", base + "ed", base + "d", base + "ing", base + "er", base + "r", base + "est", base + "st"):
        return True
    stem = base[:-1]
    if base.endswith("e") and form == stem + "ing":
        return True
    if base.endswith("y") and form in (stem + "ies", stem + "ied", stem + "ier", stem + "iest"):
        return True
    return form in (base + base[-1] + ending for ending in ("ed", "ing", "er", "est"))


def forms_of(folder, known):
    """Pairs (form, base) of irregular inflections whose base is a known word."""
    forms = set()
    for part in PARTS:
        for line in (folder / f"{part}.exc").read_text(encoding="utf-8").splitlines():
            form, *bases = line.split()
            forms |= {(form, base) for base in bases if base in known and base != form and not is_regular(form, base)}
    return {pair for pair in forms if all(word.isascii() and word.isalpha() for word in pair)}


def write(path, comment, pairs):
    """One line a first word, with every second word it has."""
    table = {}
    for first, second in sorted(pairs):
        table.setdefault(first, []).append(second)
    made = "Made by training/antonyms/derive.py from WordNet 3.0, (c) Princeton University; licence in WORDNET-LICENSE.txt."
    lines = [f"# {comment} {made}"] + [" ".join([first, *seconds]) for first, seconds in sorted(table.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(table)} words, {len(pairs)} entries")


def main(dictionary, data):
    own = Path(__file__).with_name("operation.txt").read_text().splitlines()
    pairs = pairs_of(dictionary) | {tuple(line.split()) for line in own if not line.startswith("#")}
    both_ways = pairs | {(second, first) for first, second in pairs}
    write(data / "antonyms.txt", "Word, its opposites.", both_ways)
    write(data / "irregular-forms.txt", "Inflected form, its bases.", forms_of(dictionary, {first for first, _ in both_ways}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

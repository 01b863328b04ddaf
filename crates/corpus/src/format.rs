//! What a file holds and how it is packed, told by its name.
//!
//! Names say both: `passages.jsonl.gz` is JSON lines inside gzip. The bytes may tell the packing too (see `source.rs`), never
//! the format.

/// How records are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One JSON object a line; blank lines are no records.
    #[default]
    Jsonl,
    /// RFC 4180 with a header row and commas; empty lines are no records. A row needs as many cells as the header, and quotes
    /// must be closed; otherwise quotes are read leniently, as by most readers: `"a"b` is `ab`, `a"b` is itself.
    Csv,
    /// As [`Format::Csv`], with tabs.
    Tsv,
    /// A line is a record, even an empty one; its only column is `text`.
    Txt,
}

impl Format {
    /// The format that a file name or path promises, looking through `.gz` and `.zst`; upper case is fine.
    pub fn from_name(name: &str) -> Option<Format> {
        let (rest, extension) = split_extension(name);
        let extension = match Compression::from_extension(extension) {
            Some(_) => split_extension(rest).1,
            None => extension,
        };
        match extension.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "csv" => Some(Format::Csv),
            "tsv" => Some(Format::Tsv),
            "txt" => Some(Format::Txt),
            _ => None,
        }
    }

    /// What separates two fields, where rows have fields.
    pub(crate) fn delimiter(self) -> Option<u8> {
        match self {
            Format::Csv => Some(b','),
            Format::Tsv => Some(b'\t'),
            Format::Jsonl | Format::Txt => None,
        }
    }
}

/// How the bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// As they are.
    None,
    /// RFC 1952; several members in a row are read as one stream.
    Gzip,
    /// RFC 8878; several frames in a row are read as one stream, skippable frames are skipped.
    Zstd,
}

impl Compression {
    /// The packing that a file name or path promises: `.gz` or `.zst`, otherwise `None`.
    pub fn from_name(name: &str) -> Option<Compression> {
        Compression::from_extension(split_extension(name).1)
    }

    fn from_extension(extension: &str) -> Option<Compression> {
        match extension.to_ascii_lowercase().as_str() {
            "gz" | "gzip" => Some(Compression::Gzip),
            "zst" | "zstd" => Some(Compression::Zstd),
            _ => None,
        }
    }
}

fn split_extension(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        for (name, format, compression) in [
            ("a.jsonl", Some(Format::Jsonl), None),
            ("a.ndjson", Some(Format::Jsonl), None),
            ("dir.csv/a.JSONL.GZ", Some(Format::Jsonl), Some(Compression::Gzip)),
            ("a.b.csv.zst", Some(Format::Csv), Some(Compression::Zstd)),
            ("a.tsv", Some(Format::Tsv), None),
            ("a.txt", Some(Format::Txt), None),
            ("a.gz", None, Some(Compression::Gzip)),
            ("a.parquet", None, None),
            ("jsonl", None, None),
            ("", None, None),
        ] {
            assert_eq!(Format::from_name(name), format, "{name}");
            assert_eq!(Compression::from_name(name), compression, "{name}");
        }
    }
}

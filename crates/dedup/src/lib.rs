//! sluice-dedup

//! sluice-corpus

//! sluice-embed

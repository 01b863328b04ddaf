//! sluice-text

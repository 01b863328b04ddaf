//! sluice-vector

//! The Node-API binding: converts and delegates.

//! The side panel.

//! The jail from inside.

//! Isonomy: a model checker for systems of interchangeable processes.

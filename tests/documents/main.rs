//! What is written about the project: the README and the book, the gallery, and rules for all files.

#[cfg(unix)]
mod book;
mod gallery;
mod tidy;

//! The code of a document, and its prose.

/// A line of prose, or a block of code.
pub(crate) enum Piece<'t> {
    Prose(&'t str),
    Code(Block<'t>),
}

/// A fenced block.
pub(crate) struct Block<'t> {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) opening: &'t str,
    pub(crate) body: Vec<&'t str>,
    pub(crate) closing: &'t str,
}

/// A document, piece by piece.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut block: Option<Block<'_>> = None;
    for (k, line) in text.lines().enumerate() {
        match &mut block {
            Some(open) if line.trim() == "```" => {
                open.closing = line;
                found.extend(block.take().map(Piece::Code));
            }
            Some(open) => open.body.push(line),
            None if line.trim_start().starts_with("```") => {
                block = Some(Block { line: k + 1, opening: line, body: Vec::new(), closing: "" });
            }
            None => found.push(Piece::Prose(line)),
        }
    }
    assert!(block.is_none(), "a block of code is not closed");
    found
}

impl<'t> Block<'t> {
    /// The word behind the fence, up to a comma.
    pub(crate) fn kind(&self) -> &'t str {
        let words = self.opening.trim().trim_start_matches('`');
        words.split([' ', ',']).next().unwrap_or_default()
    }

    /// What is inside.
    pub(crate) fn text(&self) -> String {
        let lines = self.body.iter();
        lines.fold(String::new(), |text, line| text + line + "\n")
    }

    /// The name of the file that it is kept in.
    pub(crate) fn file(&self) -> Option<&'t str> {
        self.opening.split_whitespace().find_map(|word| word.strip_prefix("file="))
    }

    /// The commands, whose further lines begin with `> `, each with the lines that it prints.
    pub(crate) fn sessions(&self) -> Vec<(String, Vec<&'t str>)> {
        let mut found: Vec<(String, Vec<&str>)> = Vec::new();
        for line in &self.body {
            match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
                (Some(command), _) => found.push((command.to_owned(), Vec::new())),
                (None, Some(more)) if found.last().is_some_and(|(_, lines)| lines.is_empty()) => {
                    let (command, _) = found.last_mut().expect("a command");
                    command.push('\n');
                    command.push_str(more);
                }
                _ => found.last_mut().expect("a command first").1.push(line),
            }
        }
        found
    }
}

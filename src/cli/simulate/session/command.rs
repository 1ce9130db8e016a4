//! What can be said in a session.

/// A line of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command<'t> {
    /// The n-th of a list, from 1.
    Number(usize),
    /// So many steps back.
    Undo(usize),
    /// So many steps at random.
    Random(usize),
    Show,
    Trace,
    /// Only what contains the text.
    Filter(&'t str),
    More,
    Go,
    Help,
    Quit,
}

/// What `help` prints.
pub(super) const HELP: &str = "\
commands; the first letter is enough
  NUMBER       take this step of the list; start in this state
  random [N]   take a step, or N steps, at random
  undo [N]     take back a step, or N steps
  show         show the state
  trace        show the steps so far
  filter TEXT  list only the steps that contain TEXT; without TEXT all
  more         list more
  go           go back to the start states
  help         show this
  quit         end; so does the end of the input
";

impl<'t> Command<'t> {
    /// The meaning of a line; why it has none.
    pub(super) fn parse(line: &'t str) -> Result<Self, String> {
        let line = line.trim();
        if line.bytes().all(|b| b.is_ascii_digit()) && !line.is_empty() {
            let number = line.parse().map_err(|_| format!("{line} is not in the list"))?;
            return Ok(Command::Number(number));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim_start();
        let count = || match rest {
            "" => Ok(1),
            _ => rest.parse().map_err(|_| format!("`{rest}` is not a number of steps")),
        };
        let command = match word {
            "u" | "undo" => return count().map(Command::Undo),
            "r" | "random" => return count().map(Command::Random),
            "f" | "filter" => return Ok(Command::Filter(rest)),
            "s" | "show" => Command::Show,
            "t" | "trace" => Command::Trace,
            "m" | "more" => Command::More,
            "g" | "go" => Command::Go,
            "h" | "help" | "?" => Command::Help,
            "q" | "quit" => Command::Quit,
            _ => return Err(format!("`{word}` is no command; `help` lists them")),
        };
        if rest.is_empty() { Ok(command) } else { Err(format!("`{word}` stands alone")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_commands() {
        for (line, expected) in [
            ("3", Ok(Command::Number(3))),
            (" 12\t", Ok(Command::Number(12))),
            ("u", Ok(Command::Undo(1))),
            ("undo 3", Ok(Command::Undo(3))),
            ("r", Ok(Command::Random(1))),
            ("random  20 ", Ok(Command::Random(20))),
            ("filter", Ok(Command::Filter(""))),
            ("f grant(c", Ok(Command::Filter("grant(c"))),
            ("?", Ok(Command::Help)),
            ("g", Ok(Command::Go)),
            ("99999999999999999999", Err("99999999999999999999 is not in the list")),
            ("r x", Err("`x` is not a number of steps")),
            ("u -1", Err("`-1` is not a number of steps")),
            ("quit now", Err("`quit` stands alone")),
            ("fly", Err("`fly` is no command; `help` lists them")),
            ("-1", Err("`-1` is no command; `help` lists them")),
        ] {
            assert_eq!(Command::parse(line), expected.map_err(str::to_owned), "{line}");
        }
    }

    #[test]
    fn help_names_words_that_are_understood() {
        for line in HELP.lines().skip(2) {
            let word = line.split_whitespace().next().expect("a word");
            let first = &word[..1];
            assert!(Command::parse(word).is_ok(), "{word}");
            assert_eq!(Command::parse(first), Command::parse(word), "{word}");
        }
    }
}

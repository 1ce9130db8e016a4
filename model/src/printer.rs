//! The printer: from syntax trees to text, in one canonical layout.
//!
//! Each level is indented by two blanks; each declaration or statement has its own line, with its
//! `;`; a blank line separates items; every block ends with a plain `end;`. An expression stays on
//! its line if that has at most 100 characters, else its outermost operators start new lines.
//! Parentheses are printed where the operators need them, and where they help readers: around `&`
//! inside `|` and vice versa, around the operand of `!`, around sums below shifts.
//!
//! ```text
//! rule "grant" srv = Free & st[c] = R ==>
//!   st[c] := G;
//!   srv := Busy;
//! end;
//! ```
//!
//! Parsing the printed text of a tree gives that tree, and printing that gives the same text. No
//! comment is lost: one that follows text on its line stays there, any other is printed before the
//! text that follows it (`comments`).

mod comments;
mod expressions;
mod rules;
mod statements;
mod types;

use super::syntax::{Declaration, Expression, Function, Item, Model, Name, VariableType};
use comments::Comments;

/// The greatest length of lines, where they can be broken.
const WIDTH: usize = 100;

/// The text of a model, ending with a newline unless it is empty.
pub fn print(model: &Model) -> String {
    let mut printer = Printer::new(&model.comments);
    for (index, item) in model.items.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &model.items[before]);
        if before.is_some_and(|before| !is_joined(before, item)) {
            printer.blank_line();
        }
        printer.item(item);
    }
    printer.finish()
}

/// The text of an expression, on one line.
pub fn print_expression(expression: &Expression) -> String {
    expressions::text(expression)
}

/// Whether no blank line separates two items: both are properties of one line, or includes.
fn is_joined(before: &Item, item: &Item) -> bool {
    match (before, item) {
        (Item::Rule(before), Item::Rule(rule)) => rules::is_line(before) && rules::is_line(rule),
        (Item::Include(_), Item::Include(_)) => true,
        _ => false,
    }
}

/// The printed text, and the state of printing.
struct Printer<'m> {
    out: String,
    indent: usize,
    /// The offset in `out` of the current line.
    line: usize,
    comments: Comments<'m>,
}

impl<'m> Printer<'m> {
    fn new(comments: &'m [super::syntax::Comment]) -> Self {
        Printer { out: String::new(), indent: 0, line: 0, comments: Comments::new(comments) }
    }

    /// Starts a line for the source text at `start`, after the comments before it.
    fn start(&mut self, start: usize) {
        self.comments_before(start);
        self.new_line();
    }

    /// Starts a line without printing comments before it.
    fn new_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.line = self.out.len();
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Requests an empty line, after the comments that belong to the last line.
    fn blank_line(&mut self) {
        self.comments.is_blank_wanted = true;
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The width of the current line so far.
    fn column(&self) -> usize {
        self.out[self.line..].chars().count()
    }

    fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent += 1;
        print(self);
        self.indent -= 1;
    }

    /// Prints the `end` of a block that ends at `end` in the source; comments before that are
    /// inside.
    fn end(&mut self, end: usize) {
        self.indented(|printer| printer.comments_before(end));
        self.new_line();
        self.write("end");
        self.comments.follows(end);
    }

    fn finish(mut self) -> String {
        self.comments_before(usize::MAX);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Declaration(section) => self.section(section),
            Item::Function(function) => self.function(function),
            Item::Rule(rule) => self.rule(rule),
            Item::Include(include) => {
                self.start(include.place.0.start);
                self.write("include");
                self.name(Some(&include.path));
                self.write(";");
                self.comments.follows(include.place.0.end);
            }
        }
    }

    fn section(&mut self, section: &Declaration) {
        let (word, first) = match section {
            Declaration::Constants(entries) => ("const", entries.first().map(|(names, _)| names)),
            Declaration::Types(entries) => ("type", entries.first().map(|(names, _)| names)),
            Declaration::Variables(entries) => ("var", entries.first().map(|(names, _)| names)),
        };
        // Comments before the section cannot be distinguished from those between its word and its
        // first entry: all are printed before it.
        match first.and_then(|names| names.first()) {
            Some(name) => self.start(name.place.0.start),
            None => self.start(0),
        }
        self.write(word);
        self.comments.follows_nothing();
        self.indented(|printer| match section {
            Declaration::Constants(entries) => {
                for (names, value) in entries {
                    printer.entry(names, |printer| printer.expression(value));
                    printer.comments.follows(value.place.0.end);
                }
            }
            Declaration::Types(entries) => {
                for (names, of) in entries {
                    printer.entry(names, |printer| printer.type_(of));
                    printer.comments.follows(of.place.0.end);
                }
            }
            Declaration::Variables(entries) => {
                for (names, VariableType { of, initial }) in entries {
                    printer.entry(names, |printer| {
                        printer.type_(of);
                        if let Some(initial) = initial {
                            printer.write(" := ");
                            printer.fitted(initial, 1);
                        }
                    });
                    let last = initial.as_ref().map_or(of.place, |initial| initial.place);
                    printer.comments.follows(last.0.end);
                }
            }
        });
    }

    /// `a, b: ...;`
    fn entry(&mut self, names: &[Name], what: impl FnOnce(&mut Self)) {
        self.start(names.first().map_or(0, |name| name.place.0.start));
        self.names(names);
        self.write(": ");
        what(self);
        self.write(";");
    }

    fn names(&mut self, names: &[Name]) {
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                self.write(", ");
            }
            self.write(&name.text);
        }
    }

    fn function(&mut self, function: &Function) {
        self.start(function.place.0.start);
        self.write(if function.result.is_some() { "function " } else { "procedure " });
        self.write(&function.name.text);
        self.write("(");
        for (index, parameter) in function.parameters.iter().enumerate() {
            if index > 0 {
                self.write("; ");
            }
            if parameter.writable {
                self.write("var ");
            }
            self.names(&parameter.names);
            self.write(": ");
            self.type_(&parameter.of);
        }
        self.write(")");
        if let Some(result) = &function.result {
            self.write(": ");
            self.type_(result);
        }
        self.write(";");
        self.comments.follows_all();
        for section in &function.declarations {
            self.section(section);
        }
        self.new_line();
        self.write("begin");
        self.comments.follows_all();
        self.body(&function.body);
        self.end(function.place.0.end);
        self.write(";");
    }
}

#[cfg(test)]
mod tests;

//! `isonomy completions SHELL` and `isonomy man`: both read off the definition of the command line.
//!
//! So is the reference in `docs/cli.md`, by a test.

#[cfg(test)]
mod reference;

use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use clap::CommandFactory as _;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io;

/// `isonomy completions`
#[derive(clap::Args)]
#[command(after_long_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

const COMPLETIONS: &str = "\
Examples:
  isonomy completions bash > ~/.local/share/bash-completion/completions/isonomy
  isonomy completions fish > ~/.config/fish/completions/isonomy.fish
  isonomy completions zsh > \"${fpath[1]}/_isonomy\"";

/// Prints a completion script.
pub(crate) fn completions(options: &Completions, console: &mut Console) -> Result<Exit, Error> {
    print(&script(options.shell), console)
}

fn script(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(shell, &mut command, "isonomy", &mut script);
    script
}

/// Prints the manual: the page of `isonomy`, then one for each command.
pub(crate) fn man(console: &mut Console) -> Result<Exit, Error> {
    print(&pages(), console)
}

/// The definition of the command line, with all that clap adds but for `isonomy help`.
fn definition() -> clap::Command {
    let mut command = super::Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn pages() -> Vec<u8> {
    let command = definition();
    let mut pages = Vec::new();
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        page(command, &mut pages).expect("writing to memory");
    }
    pages
}

/// The page of one command. What `--help` says at its end, paragraphs with a title each, become
/// sections of their own.
fn page(command: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let end = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command.clone().after_help(None::<&str>).after_long_help(None::<&str>))
        .manual("Isonomy Manual")
        .source(concat!("isonomy ", env!("CARGO_PKG_VERSION")));
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    for paragraph in end.split("\n\n") {
        if let Some((title, lines)) = paragraph.split_once(":\n") {
            let mut section = Roff::new();
            section.control("SH", [title.to_uppercase().as_str()]).control("nf", []);
            section.text([roman(lines)]).control("fi", []);
            section.to_writer(out)?;
        }
    }
    Ok(())
}

fn print(text: &[u8], console: &mut Console) -> Result<Exit, Error> {
    console.print_data(&String::from_utf8_lossy(text))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    /// Otherwise the manual would leave them out.
    #[test]
    fn paragraphs_at_the_end_of_the_help_have_titles() {
        let command = crate::cli::Arguments::command();
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            let end = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            for paragraph in end.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
                let title = paragraph.lines().next().unwrap_or_default();
                assert!(title.ends_with(':'), "{}: {title}", command.get_name());
            }
        }
    }
}

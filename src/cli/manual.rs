//! `isonomy completions SHELL` and `isonomy man`: both read off the definition of the command line.

use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use clap::CommandFactory as _;

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
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(options.shell, &mut command, "isonomy", &mut script);
    print(&script, console)
}

/// Prints the manual: the page of `isonomy`, then one for each command.
pub(crate) fn man(console: &mut Console) -> Result<Exit, Error> {
    let mut command = super::Arguments::command();
    command.build();
    let mut pages = Vec::new();
    let mut page = |command: clap::Command| {
        clap_mangen::Man::new(command)
            .manual("Isonomy Manual")
            .source(concat!("isonomy ", env!("CARGO_PKG_VERSION")))
            .render(&mut pages)
            .expect("writing to memory");
    };
    page(command.clone());
    for subcommand in command.get_subcommands().filter(|command| command.get_name() != "help") {
        page(subcommand.clone());
    }
    print(&pages, console)
}

fn print(text: &[u8], console: &mut Console) -> Result<Exit, Error> {
    console.print(&String::from_utf8_lossy(text))?;
    Ok(Exit::Done)
}

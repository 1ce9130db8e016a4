//! The `isonomy` command: everything is in the library's `cli`.

fn main() -> std::process::ExitCode {
    isonomy::command_line()
}

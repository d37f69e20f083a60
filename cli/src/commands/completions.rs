//! `zn5 completions`: the script that completes commands and options in a shell.

use clap_complete::Shell;

use crate::failure::{Exit, Result};
use crate::output::Out;
use std::io::Write;

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zn5 completions bash > ~/.local/share/bash-completion/completions/zn5
  zn5 completions zsh > ~/.zfunc/_zn5
  zn5 completions fish > ~/.config/fish/completions/zn5.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::grammar(), "zn5", &mut script);
    let mut out = Out::new();
    out.binary().write_all(&script)?;
    out.flush()?;
    Ok(Exit::Fine)
}

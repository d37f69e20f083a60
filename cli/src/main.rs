//! zn5: looks into N5 and Zarr containers, shows, checks, compares and converts what is in them.
//!
//! Here the command line is read and a command's result becomes an exit code; each command is one file in `commands`.

#![forbid(unsafe_code)]

mod commands;
mod failure;
mod interrupt;
mod litter;
mod open;
mod output;
mod outputs;
mod progress;
mod regions;
mod render;
mod spatial;
mod streams;
mod synthetic;
mod tree;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use commands::Command;
use failure::Failure;

/// What every command may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Threads; 0 is as many as cores.
    pub(crate) jobs: usize,
    /// Whether remarks and progress bars stay away.
    pub(crate) quiet: bool,
}

/// Looks into N5 and Zarr containers: shows, checks, compares and converts what is in them.
///
/// Shapes, positions and regions are in the order of `dimensions` in N5 and of `shape` in Zarr. NumPy's order stands beside: for N5 it is
/// the reverse, for Zarr the same.
/// PATH is the folder of a container, of a group or of an array.
#[derive(Debug, Parser)]
#[command(
    name = "zn5",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_long_help = "\
Exit codes: 0 fine, 1 data differ or are damaged, 2 wrong usage, 3 input or output failed,
4 unsupported, 130 interrupted (129 by SIGHUP, 143 by SIGTERM). NO_COLOR=1 turns colours off.
Progress bars appear on stderr, and only if that is a terminal.

Begin with:
  zn5 demo tour            make a small microscopy volume to try everything on
  zn5 info tour/demo.n5    what is in it
  zn5 view tour/demo.n5    a picture in the terminal"
)]
struct Cli {
    /// Threads to use; 0 means as many as there are cores
    #[arg(short, long, global = true, value_name = "N", default_value_t = 0, display_order = 900)]
    jobs: usize,
    /// No remarks, warnings or progress bars on stderr; errors stay
    #[arg(short, long, global = true, display_order = 901)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// The command line's grammar, with what the build is made of behind `--version`.
pub(crate) fn grammar() -> clap::Command {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    Cli::command().long_version(format!(
        "{} ({build} build for {} {})\ncompressors: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        zn5::compress::versions()
    ))
}

fn main() -> ExitCode {
    interrupt::install();
    let read = |arguments| grammar().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match read(std::env::args_os().collect::<Vec<_>>()) {
        Ok(cli) => cli,
        Err(error) => {
            output::explain_usage(&error, |arguments| read(arguments).err());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let context = Context { jobs: cli.jobs, quiet: cli.quiet };
    match cli.command.run(context) {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(Failure::Pipe) => ExitCode::SUCCESS,
        Err(Failure::Interrupted) => {
            output::complain("interrupted");
            ExitCode::from(failure::Exit::Interrupted.code())
        }
        Err(Failure::Message { exit, message }) => {
            output::complain(message);
            ExitCode::from(exit.code())
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_grammar_contradicts_itself_nowhere() {
        super::grammar().debug_assert();
    }
}

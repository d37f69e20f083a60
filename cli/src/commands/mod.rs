//! The commands, one file each.
//!
//! A command parses its arguments with clap, works, prints through `Out`, and gives the exit code.

mod block;
mod cat;
mod completions;
mod convert;
mod demo;
mod diff;
mod info;
mod ls;
mod man;
mod stats;
mod verify;
mod view;

use crate::Context;
use crate::failure::{Exit, Result};

/// What zn5 can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Info(info::Args),
    Ls(ls::Args),
    View(view::Args),
    Cat(cat::Args),
    Stats(stats::Args),
    Verify(verify::Args),
    Diff(diff::Args),
    Convert(convert::Args),
    Block(block::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, context: Context) -> Result<Exit> {
        match self {
            Self::Info(args) => info::run(&args, context),
            Self::Ls(args) => ls::run(&args),
            Self::View(args) => view::run(&args, context),
            Self::Cat(args) => cat::run(&args, context),
            Self::Stats(args) => stats::run(&args, context),
            Self::Verify(args) => verify::run(&args, context),
            Self::Diff(args) => diff::run(&args, context),
            Self::Convert(args) => convert::run(&args, context),
            Self::Block(args) => block::run(&args),
            Self::Demo(args) => demo::run(&args, context),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => man::run(&args, context),
        }
    }
}

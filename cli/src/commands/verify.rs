//! `zn5 verify`: reads every block of every array and names the bad ones: path, kind, byte offset.
//!
//! Ends with 1 if a block is damaged, with 3 if the system refuses one, with 4 if all is well but for what zn5 cannot read.

use std::path::PathBuf;

use serde::Serialize;
use zn5::dataset::IoOptions;
use zn5::error::ErrorKind;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::open::Container;
use crate::output::{Out, Style, complain, counted};
use crate::progress::Progress;
use crate::tree::{self, Kind, Node};

/// Read every block and name the damaged ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 every block is whole, 1 something is damaged, 3 nothing is damaged but something
could not be read from the disk, 4 all is whole but what zn5 does not support. Missing blocks are no damage, they read as the fill value; `zn5 info` counts them. Files
among the blocks that are none are named, and are no damage either.

Examples:
  zn5 verify tour/demo.n5
  zn5 verify -q /data/*.n5 && echo all good
  zn5 verify --json tour/demo.n5 | jq -r '.problems[] | [.kind, .file] | @tsv'")]
pub(crate) struct Args {
    /// Folders of containers, groups or arrays
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Report {
    arrays: u64,
    blocks: u64,
    problems: Vec<Problem>,
    /// Files that are no blocks: no damage.
    stray: Vec<Problem>,
    unsupported: Vec<Unsupported>,
    /// Paths that could not be read at all.
    failed: Vec<String>,
}

#[derive(Serialize)]
struct Problem {
    file: String,
    kind: String,
    offset: Option<u64>,
    message: String,
    #[serde(skip)]
    exit: Exit,
}

#[derive(Serialize)]
struct Unsupported {
    path: String,
    reason: String,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let mut out = Out::new();
    let mut report = Report::default();
    let mut exit = Exit::Fine;
    let mut progress = Progress::new("verifying", context.quiet);
    for path in &args.paths {
        let checked = Container::open(path).and_then(|container| {
            let root = tree::read(&container)?;
            progress.expect(root.arrays().len() as u64);
            let mut check =
                Check { container: &container, report: &mut report, progress: &mut progress, out: &mut out, json: args.json, context };
            root.each(&mut |node| check.node(node))
        });
        match checked {
            Ok(()) => {}
            Err(Failure::Message { exit: failed, message }) => {
                exit = exit.worst(failed);
                if args.paths.len() == 1 {
                    return Err(Failure::Message { exit: failed, message });
                }
                progress.suspend(|| complain(&message));
                report.failed.push(message);
            }
            Err(failure) => return Err(failure),
        }
    }
    drop(progress);
    exit = report.problems.iter().fold(exit, |exit, problem| exit.worst(problem.exit));
    if !report.unsupported.is_empty() {
        exit = exit.worst(Exit::Unsupported);
    }
    if args.json {
        out.json(&report)?;
    } else {
        let bad = report.problems.len() as u64;
        let verdict = if bad == 0 { out.paint(Style::Green, "no damage") } else { out.paint(Style::Red, counted(bad, "problem")) };
        let skipped = report.unsupported.len() as u64;
        let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} could not be read") };
        out.line(format!("{verdict} in {} of {}{skipped}", counted(report.blocks, "block"), counted(report.arrays, "array")))?;
    }
    out.flush()?;
    Ok(exit)
}

struct Check<'a> {
    container: &'a Container,
    report: &'a mut Report,
    progress: &'a mut Progress,
    out: &'a mut Out,
    json: bool,
    context: Context,
}

impl Check<'_> {
    fn node(&mut self, node: &Node) -> Result<()> {
        interrupt::check()?;
        let place = self.container.place(&node.path);
        match &node.kind {
            Kind::Group => Ok(()),
            Kind::Unsupported(error) => {
                // Unreadable metadata are damage of their own, or a failure of the medium.
                let exit = Exit::of(error.kind());
                if matches!(exit, Exit::Damaged | Exit::Io) {
                    let (kind, message) = (kind_text(error.kind()), error.message().to_owned());
                    return self.problem(Problem { file: place, kind, offset: error.offset(), message, exit });
                }
                self.unsupported(place, error.message().to_owned())
            }
            Kind::Array(dataset) => {
                self.report.arrays += 1;
                self.progress.title(&format!("verifying {place}"));
                let mut found = Vec::new();
                let mut blocks = 0;
                let io = IoOptions { threads: self.context.jobs, ..IoOptions::default() };
                let verified = dataset.verify(
                    &mut |problem| {
                        // The key stands in front of the message as well.
                        let message =
                            problem.message.strip_prefix(problem.key).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(problem.message);
                        let (file, kind) = (self.container.place(problem.key), kind_text(problem.kind));
                        let exit = Exit::of(problem.kind);
                        found.push(Problem { file, kind, offset: problem.offset, message: message.to_owned(), exit });
                        true
                    },
                    &io,
                    Some(&mut |done, total| {
                        blocks = total;
                        self.progress.engine(done, total)
                    }),
                );
                self.progress.call_done();
                self.report.blocks += blocks;
                let (foreign, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|problem| problem.exit == Exit::Unsupported);
                for problem in found {
                    self.problem(problem)?;
                }
                // Blocks that are meant for others are no damage, and one line for all of them is enough.
                if let Some(first) = foreign.first() {
                    let count = counted(foreign.len() as u64, "block");
                    self.unsupported(place.clone(), format!("{count}, the first {}: {}", first.file, first.message))?;
                }
                verified.map_err(|error| Failure::at(place, &error))
            }
        }
    }

    fn unsupported(&mut self, path: String, reason: String) -> Result<()> {
        if !self.json {
            let line = format!("{}  {path}: {reason}", self.out.paint(Style::Yellow, "cannot be read"));
            self.print(&line)?;
        }
        self.report.unsupported.push(Unsupported { path, reason });
        Ok(())
    }

    fn problem(&mut self, problem: Problem) -> Result<()> {
        let is_stray = problem.kind == STRAY;
        if !self.json {
            let at = problem.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
            let kind = self.out.paint(if is_stray { Style::Yellow } else { Style::Red }, &problem.kind);
            self.print(&format!("{kind}  {}{at}: {}", problem.file, problem.message))?;
        }
        if is_stray {
            self.report.blocks = self.report.blocks.saturating_sub(1);
            self.report.stray.push(problem);
        } else {
            self.report.problems.push(problem);
        }
        Ok(())
    }

    fn print(&mut self, line: &str) -> Result<()> {
        let out = &mut *self.out;
        self.progress.suspend(|| {
            out.line(line)?;
            out.flush()
        })
    }
}

/// The kind of what lies among the blocks and is none.
const STRAY: &str = "STRAY_FILE";

/// The kind as the C API's constants spell it: "TRUNCATED_BLOCK".
pub(crate) fn kind_text(kind: ErrorKind) -> String {
    if kind == ErrorKind::InvalidArgument {
        // What lies among the blocks and is none.
        return STRAY.to_owned();
    }
    let mut text = String::new();
    for character in format!("{kind:?}").chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(character.to_ascii_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_spelled_as_in_the_c_api() {
        assert_eq!(kind_text(ErrorKind::TruncatedBlock), "TRUNCATED_BLOCK");
        assert_eq!(kind_text(ErrorKind::Io), "IO");
        assert_eq!(kind_text(ErrorKind::UnsupportedBlockMode), "UNSUPPORTED_BLOCK_MODE");
    }
}

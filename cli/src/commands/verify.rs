//! `zn5 verify`: reads every block of every array and names the bad ones: path, kind, byte offset.
//!
//! Ends with 1 if a block is damaged, with 3 if the system refuses one, with 4 if all is well but
//! for what zn5 cannot read. Whatever is wrong in one place, the others are checked.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde::Serialize;
use zn5::dataset::{Dataset, IoOptions, Subject};
use zn5::error::{Error, ErrorKind};

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::litter;
use crate::open::Container;
use crate::output::{Out, Style, complain, counted};
use crate::progress::Progress;
use crate::tree::{self, Kind, Node};

/// Read every block and name the damaged ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 every block is whole, 1 something is damaged, 3 nothing is damaged but something
could not be read from the disk, 4 all is whole but what zn5 does not support. What cannot be read
is named, and the rest is checked. Missing blocks are no damage, they read as the fill value;
`zn5 info` counts them. Files among the blocks that are none are named, one line a folder, and are
no damage either; --json names each.

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
    #[serde(skip)]
    subject: Subject,
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
        if let Some(error) = node.failure() {
            // Unreadable metadata are damage of their own, or a failure of the medium.
            let exit = tree::exit_of(error.kind());
            if matches!(exit, Exit::Damaged | Exit::Io) {
                self.failed(place, error)?;
            } else {
                self.unsupported(place, error.message().to_owned())?;
            }
        } else if let Kind::Array(dataset) = &node.kind {
            self.array(place, dataset)?;
        }
        Ok(())
    }

    fn array(&mut self, place: String, dataset: &Dataset) -> Result<()> {
        self.report.arrays += 1;
        self.progress.title(&format!("verifying {place}"));
        let mut found = Vec::new();
        let mut blocks = 0;
        let io = IoOptions { threads: self.context.jobs, ..IoOptions::default() };
        let verified = dataset.verify(
            &mut |problem| {
                // The key stands in front of the message as well.
                let message = problem.message.strip_prefix(problem.key).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(problem.message);
                let subject = problem.subject;
                let kind = if subject.is_stray() { STRAY.to_owned() } else { kind_text(problem.kind) };
                let (file, exit) =
                    (self.container.place(problem.key), if subject.is_stray() { Exit::Fine } else { tree::exit_of(problem.kind) });
                found.push(Problem { file, kind, offset: problem.offset, message: message.to_owned(), exit, subject });
                true
            },
            &io,
            Some(&mut |done, total| {
                blocks = total;
                self.progress.engine(done, total)
            }),
        );
        self.progress.call_done();
        let no_blocks = found.iter().filter(|problem| problem.subject != Subject::Block).count() as u64;
        self.report.blocks += u64::saturating_sub(blocks, no_blocks);
        let (stray, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|problem| problem.subject.is_stray());
        let (foreign, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|problem| problem.exit == Exit::Unsupported);
        for problem in found {
            self.problem(problem)?;
        }
        self.stray(stray)?;
        // Blocks that are meant for others are no damage, and one line for all of them is enough.
        if let Some(first) = foreign.first() {
            let count = counted(foreign.len() as u64, "block");
            self.unsupported(place.clone(), format!("{count}, the first {}: {}", first.file, first.message))?;
        }
        match verified {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(Failure::Interrupted),
            Err(error) => self.failed(place, &error),
            Ok(()) => Ok(()),
        }
    }

    /// Names a place that cannot be read.
    fn failed(&mut self, file: String, error: &Error) -> Result<()> {
        self.problem(Problem {
            file,
            kind: kind_text(error.kind()),
            offset: error.offset(),
            message: error.message().to_owned(),
            exit: tree::exit_of(error.kind()),
            subject: Subject::Unlisted,
        })
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
        if !self.json {
            let at = problem.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
            let kind = self.out.paint(Style::Red, &problem.kind);
            self.print(&format!("{kind}  {}{at}: {}", problem.file, problem.message))?;
        }
        self.report.problems.push(problem);
        Ok(())
    }

    /// Names what is no block of an array, one line a folder.
    fn stray(&mut self, stray: Vec<Problem>) -> Result<()> {
        let mut folders: Vec<Folder<'_>> = Vec::new();
        let mut places = HashMap::new();
        for problem in &stray {
            let (path, name) = problem.file.rsplit_once('/').unwrap_or(("", &problem.file));
            let at = *places.entry(path).or_insert(folders.len());
            if at == folders.len() {
                folders.push(Folder { path, only: Some(problem), ..Folder::default() });
            } else if let Some(folder) = folders.get_mut(at) {
                folder.only = None;
            }
            if let Some(folder) = folders.get_mut(at) {
                folder.add(name, problem.subject);
            }
        }
        if !self.json {
            for folder in folders {
                let line = match folder.only {
                    Some(problem) if folder.litter.is_empty() => format!("{}: {}", problem.file, problem.message),
                    _ => format!("{}: {}", folder.path, folder.text()),
                };
                let kind = self.out.paint(Style::Yellow, STRAY);
                self.print(&format!("{kind}  {line}"))?;
            }
        }
        self.report.stray.extend(stray);
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

/// What lies in one folder among the blocks and is none.
#[derive(Default)]
struct Folder<'a> {
    path: &'a str,
    /// The problem, where there is one only.
    only: Option<&'a Problem>,
    /// Of systems and programs.
    litter: Vec<&'a str>,
    /// Whose the litter is.
    whose: BTreeSet<&'static str>,
    names: Vec<&'a str>,
    folders: Vec<&'a str>,
    outside: Vec<&'a str>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, name: &'a str, subject: Subject) {
        let names = match (litter::kind(name), subject) {
            (Some(whose), _) => {
                self.whose.insert(whose);
                &mut self.litter
            }
            (None, Subject::Outside) => &mut self.outside,
            (None, Subject::StrayFolder) => &mut self.folders,
            (None, _) => &mut self.names,
        };
        names.push(name);
    }

    fn text(&self) -> String {
        let whose: Vec<&str> = self.whose.iter().copied().collect();
        let whose = match whose.as_slice() {
            [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            whose => whose.concat(),
        };
        let parts = [
            (&self.litter, format!("of {whose}")),
            (&self.names, "with a name that is no position in the grid".to_owned()),
            (&self.folders, "in the place of a block".to_owned()),
            (&self.outside, "outside the array".to_owned()),
        ];
        let nouns = ["file", "file", "folder", "block"];
        let parts = parts.iter().zip(nouns).filter(|((names, _), _)| !names.is_empty());
        let told: Vec<String> =
            parts.map(|((names, what), noun)| format!("{} {what} ({})", counted(names.len() as u64, noun), some(names))).collect();
        let is_all_litter = self.names.is_empty() && self.folders.is_empty() && self.outside.is_empty();
        let remark = if is_all_litter { "no blocks, and no harm" } else { "no reader of the array looks at that; move it elsewhere" };
        format!("{}: {remark}", told.join(", "))
    }
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown}, …") } else { shown }
}

/// The kind of what lies among the blocks and is none.
const STRAY: &str = "STRAY_FILE";

/// The kind as the C API's constants spell it: "TRUNCATED_BLOCK".
pub(crate) fn kind_text(kind: ErrorKind) -> String {
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

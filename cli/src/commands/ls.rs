//! `zn5 ls`: the groups and arrays below a path, one a line.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::{Exit, Failure, Result};
use crate::open::Container;
use crate::output::{Out, Style, complain, extents_text};
use crate::tree::{self, Kind, Node};

/// List groups and arrays
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 all is shown, 1 metadata are damaged, 3 something could not be read; the rest is
shown all the same. 4 if PATH itself is something that zn5 does not support.

Examples:
  zn5 ls tour/demo.n5
  zn5 ls -rl tour/demo.n5          all levels, with type and shape 
  zn5 ls -r --json tour/demo.n5 | jq -r '.[] | select(.kind == \"array\") | .path'")]
pub(crate) struct Args {
    /// Folders of containers, groups or arrays
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Everything below, not only the next level
    #[arg(short, long)]
    recursive: bool,
    /// As many levels below PATH
    #[arg(long, value_name = "N", conflicts_with = "recursive", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,
    /// Type, shape and kind beside the name
    #[arg(short, long)]
    long: bool,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    path: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    /// Why it, or what lies below it, cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

impl Entry {
    fn of(container: &Container, node: &Node) -> Self {
        let kind = match &node.kind {
            Kind::Group => "group",
            Kind::Array(_) => "array",
            Kind::Unsupported(_) => "unsupported",
        };
        let dataset = match &node.kind {
            Kind::Array(dataset) => Some(dataset),
            Kind::Group | Kind::Unsupported(_) => None,
        };
        Self {
            path: container.place(&node.path),
            kind,
            data_type: dataset.map(|dataset| dataset.codec().settings().data_type.name()),
            shape: dataset.map(|dataset| dataset.shape().to_vec()),
            reason: node.failure().map(|error| error.message().to_owned()),
            exit: node.failure().map_or(Exit::Fine, |error| tree::exit_of(error.kind())),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Exit> {
    let mut out = Out::new();
    let mut all = Vec::new();
    let mut exit = Exit::Fine;
    for path in &args.paths {
        match list(path, args, &mut all) {
            Ok(shown) => exit = exit.worst(shown),
            // The other paths are worth their answer all the same.
            Err(Failure::Message { exit: failed, message }) if args.paths.len() > 1 => {
                complain(message);
                exit = exit.worst(failed);
            }
            Err(failure) => return Err(failure),
        }
    }
    if args.json {
        out.json(&all)?;
    } else if args.long {
        let rows: Vec<Vec<String>> = all.iter().map(|entry| long_row(&out, entry)).collect();
        out.columns(&rows, &[])?;
    } else {
        for entry in &all {
            out.line(painted(&out, entry))?;
        }
        out.flush()?;
        // A name alone does not tell that something is wrong with it.
        for entry in &all {
            if let (Some(reason), Exit::Damaged | Exit::Io) = (&entry.reason, entry.exit) {
                complain(format!("{}: {reason}", entry.path));
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Adds what lies below a path.
fn list(path: &Path, args: &Args, all: &mut Vec<Entry>) -> Result<Exit> {
    let container = Container::open(path)?;
    let levels = if args.recursive { tree::MAX_DEPTH } else { args.depth.map_or(1, usize::from) };
    let root = tree::read_levels(&container, levels)?;
    if !matches!(root.kind, Kind::Group) || root.failure().is_some() {
        all.push(Entry::of(&container, &root));
    }
    for child in &root.children {
        child.each(&mut |node| {
            all.push(Entry::of(&container, node));
            Ok(())
        })?;
    }
    Ok(root.exit())
}

fn painted(out: &Out, entry: &Entry) -> String {
    match entry.kind {
        "group" => out.paint(Style::Blue, format!("{}/", entry.path)),
        "array" => out.paint(Style::Bold, &entry.path),
        _ => out.paint(Style::Yellow, &entry.path),
    }
}

fn long_row(out: &Out, entry: &Entry) -> Vec<String> {
    let shape = entry.shape.as_deref().map(extents_text).unwrap_or_default();
    let what = entry.data_type.unwrap_or(entry.kind);
    vec![painted(out, entry), what.to_owned(), entry.reason.clone().unwrap_or(shape)]
}

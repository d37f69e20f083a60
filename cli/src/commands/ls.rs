//! `zn5 ls`: the groups and arrays below a path, one a line.

use std::path::PathBuf;

use serde::Serialize;

use crate::failure::{Exit, Result};
use crate::open::Container;
use crate::output::{Out, Style, extents_text};
use crate::tree::{self, Kind, Node};

/// List groups and arrays
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zn5 ls tour/demo.n5
  zn5 ls -rl tour/demo.n5          all levels, with type and shape (N5 order)
  zn5 ls -r --json tour/demo.n5 | jq -r '.[] | select(.kind == \"array\") | .path'")]
pub(crate) struct Args {
    /// Folders of containers, groups or arrays
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Everything below, not only the next level
    #[arg(short, long)]
    recursive: bool,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Entry {
    fn of(container: &Container, node: &Node) -> Self {
        let entry = |kind| Self { path: container.place(&node.path), kind, data_type: None, shape: None, reason: None };
        match &node.kind {
            Kind::Group => entry("group"),
            Kind::Array(dataset) => Self {
                data_type: Some(dataset.codec().settings().data_type.name()),
                shape: Some(dataset.shape().to_vec()),
                ..entry("array")
            },
            Kind::Unsupported(error) => Self { reason: Some(error.message().to_owned()), ..entry("unsupported") },
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Exit> {
    let mut out = Out::new();
    let mut all = Vec::new();
    for path in &args.paths {
        let container = Container::open(path)?;
        let root = if args.recursive { tree::read(&container)? } else { tree::read_levels(&container, 1)? };
        let mut entries = Vec::new();
        if args.recursive {
            for child in &root.children {
                child.each(&mut |node| {
                    entries.push(Entry::of(&container, node));
                    Ok(())
                })?;
            }
        } else {
            entries.extend(root.children.iter().map(|child| Entry::of(&container, child)));
        }
        if !matches!(root.kind, Kind::Group) {
            entries.insert(0, Entry::of(&container, &root));
        }
        all.extend(entries);
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
    }
    out.flush()?;
    Ok(Exit::Fine)
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

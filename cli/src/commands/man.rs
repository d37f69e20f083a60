//! `zn5 man`: manual pages, one for the program and one for each command.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::open;
use crate::output::{Out, remark};
use crate::outputs::Output;

/// Write the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zn5 man | man -l -                       read the page of zn5
  zn5 man ~/.local/share/man/man1          install all pages")]
pub(crate) struct Args {
    /// Folder for zn5.1, zn5-info.1 and so on; without it the page of zn5 goes to standard output
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let mut grammar = crate::grammar();
    // Fills in what subcommands inherit.
    grammar.build();
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(grammar).render(&mut page)?;
        let mut out = Out::new();
        out.binary().write_all(&page)?;
        out.flush()?;
        return Ok(Exit::Fine);
    };
    let folder = &*open::local(folder)?;
    fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "make the folder", &error))?;
    let mut count = 0_u32;
    let pages: Vec<(String, clap::Command)> = std::iter::once(("zn5".to_owned(), grammar.clone()))
        .chain(grammar.get_subcommands().filter(|command| command.get_name() != "help").map(|command| {
            let name = format!("zn5-{}", command.get_name());
            (name.clone(), command.clone().display_name(name))
        }))
        .collect();
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        clap_mangen::Man::new(command).title(name.to_uppercase()).render(&mut page)?;
        let mut output = Output::open(Some(&path))?;
        output.write_all(&page).map_err(|error| output.failed(error))?;
        output.finish()?;
        count += 1;
    }
    remark(context.quiet, format!("wrote {count} pages to {}", folder.display()));
    Ok(Exit::Fine)
}

//! What goes to standard output: lines, aligned columns, JSON, colours; and warnings, which go to stderr.
//!
//! Colours appear on a terminal only, never with NO_COLOR. A closed pipe ends the command without an error.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use console::measure_text_width;
use serde::Serialize;

use crate::failure::Result;
use crate::render::{self, Colours, Picture};

/// Standard output.
pub(crate) struct Out {
    writer: BufWriter<StdoutLock<'static>>,
    colour: bool,
}

/// The colours that text may have here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Names.
    Bold,
    /// What matters less.
    Dim,
    /// Good.
    Green,
    /// Bad.
    Red,
    /// Doubtful.
    Yellow,
    /// Groups.
    Blue,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Green => "32",
            Self::Red => "31",
            Self::Yellow => "33",
            Self::Blue => "1;34",
        }
    }
}

impl Out {
    /// Standard output, buffered.
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        Self { colour: stdout.is_terminal() && colours_wanted(), writer: BufWriter::with_capacity(1 << 16, stdout.lock()) }
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<()> {
        Ok(writeln!(self.writer, "{text}")?)
    }

    /// Writes a document as JSON, indented.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<()> {
        serde_json::to_writer_pretty(&mut self.writer, document).map_err(io::Error::from)?;
        Ok(writeln!(self.writer)?)
    }

    /// Writes rows with aligned columns, two blanks between; columns named in `right` end flush, the last column has no padding.
    pub(crate) fn columns(&mut self, rows: &[Vec<String>], right: &[usize]) -> Result<()> {
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count).map(width).collect();
        for row in rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(width.saturating_sub(measure_text_width(cell)));
                if column > 0 {
                    line.push_str("  ");
                }
                if right.contains(&column) {
                    line.push_str(&blanks);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&blanks);
                }
            }
            self.line(line.trim_end())?;
        }
        Ok(())
    }

    /// `text` in a colour, where colours are shown.
    pub(crate) fn paint(&self, style: Style, text: impl Display) -> String {
        if self.colour { format!("\x1b[{}m{text}\x1b[0m", style.code()) } else { text.to_string() }
    }

    /// Where bytes go as they are.
    pub(crate) fn binary(&mut self) -> &mut impl Write {
        &mut self.writer
    }

    /// Writes a picture made of characters.
    pub(crate) fn picture(&mut self, picture: &Picture, colours: Colours) -> Result<()> {
        for line in render::text_lines(picture, colours) {
            self.line(line)?;
        }
        Ok(())
    }

    /// Sends what is buffered.
    pub(crate) fn flush(&mut self) -> Result<()> {
        Ok(self.writer.flush()?)
    }
}

/// Whether the environment allows colours.
pub(crate) fn colours_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes a line to stderr that begins as every message of this program does.
pub(crate) fn complain(text: impl Display) {
    // A closed stderr leaves nobody to tell.
    let _ = writeln!(io::stderr(), "zn5: {text}");
}

/// Writes a remark to stderr, unless the user wants none.
pub(crate) fn remark(quiet: bool, text: impl Display) {
    if !quiet {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Bytes in the unit that suits: "0 B", "1.5 KiB", "300 MiB".
pub(crate) fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    #[allow(clippy::cast_precision_loss)] // Shown with three digits.
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KiB";
    for next in UNITS.into_iter().skip(1) {
        if value < 1023.5 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// A number without more digits than it needs.
pub(crate) fn number_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs();
    if !(1e-4..1e12).contains(&magnitude) {
        return format!("{value:.5e}");
    }
    let decimals = if magnitude >= 1000.0 { 2 } else { 5 };
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How many times one count is the other.
#[allow(clippy::cast_precision_loss)] // Shown with two digits.
pub(crate) fn ratio(of: usize, to: usize) -> f64 {
    of as f64 / to.max(1) as f64
}

/// "a × b × c".
pub(crate) fn extents_text<T: Display>(extents: &[T]) -> String {
    if extents.is_empty() {
        return "scalar".to_owned();
    }
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
}

/// "(a, b, c)", with NumPy's comma for one axis.
pub(crate) fn tuple_text<T: Display>(values: &[T]) -> String {
    match values {
        [one] => format!("({one},)"),
        _ => format!("({})", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// "[a,b,c]": a position in N5 order.
pub(crate) fn position_text<T: Display>(position: &[T]) -> String {
    format!("[{}]", position.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// "1 block", "2 blocks".
pub(crate) fn counted(count: impl Into<u128>, noun: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_and_the_unit_that_suits() {
        let cases = [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (1 << 20, "1.0 MiB"), (300 << 20, "300 MiB"), (u64::MAX, "16 EiB")];
        for (bytes, text) in cases {
            assert_eq!(bytes_text(bytes), text);
        }
    }

    #[test]
    fn numbers_keep_what_matters() {
        let cases = [(0.0, "0"), (4.0, "4"), (114.599_3, "114.5993"), (1e-9, "1.00000e-9"), (12345.678, "12345.68"), (-2.5, "-2.5")];
        for (value, text) in cases {
            assert_eq!(number_text(value), text);
        }
    }

    #[test]
    fn shapes_have_a_text_for_people_and_one_for_numpy() {
        assert_eq!(extents_text(&[3, 2]), "3 × 2");
        assert_eq!(tuple_text(&[2, 3]), "(2, 3)");
        assert_eq!(tuple_text(&[3]), "(3,)");
        assert_eq!(extents_text::<u64>(&[]), "scalar");
    }
}

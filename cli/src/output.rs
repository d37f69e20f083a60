//! What goes to standard output: lines, aligned columns, JSON, colours; and warnings, which go to stderr.
//!
//! Names, metadata and strings are text of strangers: whatever of it would steer a terminal is
//! escaped on its way out, here and for all commands. Colours appear on a terminal only, never with
//! NO_COLOR. A closed pipe ends the command without an error.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::{self, Display, Write as _};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use console::measure_text_width;
use serde::Serialize;
use zn5::error::escaped;

use crate::failure::Result;
use crate::render::{self, Colours, Picture};

/// Standard output.
pub(crate) struct Out {
    writer: BufWriter<StdoutLock<'static>>,
    /// Where colours are shown, what stands in text for the start of a change of colour.
    marker: Option<String>,
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
        let marker = (stdout.is_terminal() && colours_wanted()).then(marker);
        Self { marker, writer: BufWriter::with_capacity(1 << 16, stdout.lock()) }
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<()> {
        let text = rendered(&text.to_string(), self.marker.as_deref());
        Ok(writeln!(self.writer, "{text}")?)
    }

    /// Writes a document as JSON, indented.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(document).map_err(io::Error::from)?;
        Ok(writeln!(self.writer, "{}", escaped_json(&text))?)
    }

    /// Writes rows with aligned columns, two blanks between; columns named in `right` end flush, the last column has no padding.
    pub(crate) fn columns(&mut self, rows: &[Vec<String>], right: &[usize]) -> Result<()> {
        let render = |cell: &String| rendered(cell, self.marker.as_deref());
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(render).collect()).collect();
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count).map(width).collect();
        for row in &rows {
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
            writeln!(self.writer, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes a picture made of characters.
    pub(crate) fn picture(&mut self, picture: &Picture, colours: Colours) -> Result<()> {
        for line in render::text_lines(picture, colours) {
            writeln!(self.writer, "{line}")?;
        }
        Ok(())
    }

    /// `text` in a colour, where colours are shown: for [`line`](Self::line) and
    /// [`columns`](Self::columns).
    pub(crate) fn paint(&self, style: Style, text: impl Display) -> String {
        match &self.marker {
            Some(marker) => format!("{marker}{}m{text}{marker}0m", style.code()),
            None => text.to_string(),
        }
    }

    /// Where bytes go as they are: what a program reads, or a text without a word of a stranger's.
    pub(crate) fn binary(&mut self) -> &mut impl Write {
        &mut self.writer
    }

    /// Sends what is buffered.
    pub(crate) fn flush(&mut self) -> Result<()> {
        Ok(self.writer.flush()?)
    }
}

/// Characters that nobody can know who wrote a name or metadata: four of those for private use, new
/// for each run.
fn marker() -> String {
    let random = RandomState::new().build_hasher().finish().to_le_bytes();
    let (pairs, _) = random.as_chunks::<2>();
    pairs.iter().filter_map(|&pair| char::from_u32(0xf_0000 + u32::from(u16::from_le_bytes(pair)))).collect()
}

/// A line as the terminal gets it: markers have become changes of colour, and all else that would
/// steer it is escaped.
fn rendered(text: &str, marker: Option<&str>) -> String {
    let Some(marker) = marker else { return escaped(text).into_owned() };
    let mut parts = text.split(marker);
    let mut line = escaped(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (code, text) = part.split_once('m').unwrap_or(("0", part));
        line.extend(["\x1b[", code, "m", &escaped(text)]);
    }
    line
}

/// JSON that says the same without a character that steers a terminal. These can only be in its
/// strings, but for the line feeds between.
fn escaped_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        if character == '\n' || is_harmless(character.encode_utf8(&mut buffer)) {
            json.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(json, "\\u{unit:04x}");
            }
        }
    }
    json
}

/// A document as JSON on one line.
pub(crate) fn json_text(document: &serde_json::Value) -> String {
    escaped_json(&document.to_string())
}

/// Whether text would appear as it is.
pub(crate) fn is_harmless(text: &str) -> bool {
    matches!(escaped(text), Cow::Borrowed(_))
}

/// A place for text of several lines, with tabs. All else that would steer a terminal is escaped.
pub(crate) struct Printed<'a> {
    inner: &'a mut dyn Write,
    /// Of one call: its parts in one piece.
    text: String,
}

impl<'a> Printed<'a> {
    /// Text for `inner`.
    pub(crate) fn new(inner: &'a mut dyn Write) -> Self {
        Self { inner, text: String::new() }
    }
}

impl Write for Printed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Numbers, of which there may be billions.
        if bytes.iter().all(|&byte| byte.is_ascii() && (!byte.is_ascii_control() || matches!(byte, b'\n' | b'\t'))) {
            return self.inner.write(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        for part in text.split_inclusive(['\n', '\t']) {
            let body = part.trim_end_matches(['\n', '\t']);
            self.inner.write_all(escaped(body).as_bytes())?;
            self.inner.write_all(part.get(body.len()..).unwrap_or_default().as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        text.write_fmt(arguments).map_err(io::Error::other)?;
        let written = self.write_all(text.as_bytes());
        self.text = text;
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
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
    let _ = writeln!(io::stderr(), "zn5: {}", escaped(&text.to_string()));
}

/// Writes a remark to stderr, unless the user wants none.
pub(crate) fn remark(quiet: bool, text: impl Display) {
    if !quiet {
        let _ = writeln!(io::stderr(), "{}", escaped(&text.to_string()));
    }
}

/// Prints what the grammar says of a command line, also the text of --help and --version, whose
/// reader may be gone.
///
/// It repeats arguments, of which a shell may have made some from names of files: such ones are
/// escaped before the grammar sees them.
pub(crate) fn explain_usage(error: &clap::Error, read: impl Fn(Vec<OsString>) -> Option<clap::Error>) {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let safe: Vec<OsString> = arguments.iter().map(|argument| escaped(&argument.to_string_lossy()).into_owned().into()).collect();
    if safe == arguments {
        let _ = error.print();
    } else if let Some(error) = read(safe) {
        let _ = error.print();
    } else {
        complain(error);
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
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
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
    fn only_what_was_painted_has_colours() {
        let marker = marker();
        assert_eq!(marker.chars().count(), 4);
        let painted = format!("a{marker}1;34mb\x1b[8m{marker}0mc\u{202e}");
        assert_eq!(rendered(&painted, Some(&marker)), "a\x1b[1;34mb\\u{1b}[8m\x1b[0mc\\u{202e}");
        assert_eq!(rendered("x\x1b[31mred", None), "x\\u{1b}[31mred");
    }

    #[test]
    fn json_says_the_same_in_harmless_characters() {
        let document = serde_json::json!({"k\u{9b}\u{7f}": ["\u{1b}]0;x\u{7}", "\u{202e}\u{2028}\u{85}", "µ 試 😀"]});
        let text = json_text(&document);
        assert!(text.chars().all(|character| !character.is_control() && !"\u{202e}\u{2028}".contains(character)), "{text}");
        assert!(text.contains("k\\u009b\\u007f") && text.contains("µ 試 😀"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), document);
    }

    #[test]
    fn printed_text_keeps_its_lines_and_tabs_alone() {
        let mut bytes = Vec::new();
        let evil = ["\x1b[2J", "\r\u{2029}µ"];
        write!(Printed::new(&mut bytes), "1\t{}\n\n{}", evil[0], evil[1]).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "1\t\\u{1b}[2J\n\n\\r\\u{2029}µ");
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

//! Pictures: contrast, colours of labels, PNG files, and pictures made of characters for the terminal.
//!
//! A picture's first axis goes right and its second one down.

use std::fmt::Write as _;
use std::io::Write;

use crate::failure::{Failure, Result};
use crate::outputs::Output;

/// What a picture is made from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plane {
    /// Intensities; NaN where there is none.
    Grey(Vec<f64>),
    /// Red, green and blue: three planes, one after the other.
    Colour(Vec<f64>),
    /// Numbers of segments.
    Labels(Vec<u64>),
}

/// A picture of bytes: one a pixel (grey), or three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Pixels in a row.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// 1 or 3.
    pub(crate) channels: usize,
    /// Rows from the top.
    pub(crate) bytes: Vec<u8>,
}

/// How intensities become bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Contrast {
    /// The value itself, for bytes that are a picture already.
    None,
    /// Two values become black and white.
    Range(f64, f64),
    /// Two percentiles become black and white.
    Percentiles(f64, f64),
}

impl Contrast {
    /// The values that become black and white.
    pub(crate) fn range(self, values: &[f64]) -> (f64, f64) {
        match self {
            Self::None => (0.0, 255.0),
            Self::Range(low, high) => (low, high),
            Self::Percentiles(low, high) => {
                // A sample of a million tells percentiles well enough.
                let step = values.len() / (1 << 20) + 1;
                let mut sorted: Vec<f64> = values.iter().copied().step_by(step).filter(|value| value.is_finite()).collect();
                sorted.sort_unstable_by(f64::total_cmp);
                (percentile(&sorted, low), percentile(&sorted, high))
            }
        }
    }
}

/// The value below which `percent` of the sorted values lie; 0 if there is none.
pub(crate) fn percentile(sorted: &[f64], percent: f64) -> f64 {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An index below the length.
    let index = (percent.clamp(0.0, 100.0) / 100.0 * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(index).copied().unwrap_or(0.0)
}

/// The byte of an intensity between black and white.
fn byte(value: f64, (black, white): (f64, f64)) -> u8 {
    let scaled = if white > black { (value - black) / (white - black) } else { f64::from(u8::from(value > black)) };
    // A NaN becomes 0, as `as` does.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped.
    let byte = (scaled.clamp(0.0, 1.0) * 255.0).round() as u8;
    byte
}

/// Makes the picture of a plane of `width` × `height` values.
pub(crate) fn picture(plane: &Plane, width: usize, height: usize, contrast: Contrast) -> Picture {
    match plane {
        Plane::Grey(values) => {
            let range = contrast.range(values);
            Picture { width, height, channels: 1, bytes: values.iter().map(|&value| byte(value, range)).collect() }
        }
        Plane::Colour(values) => {
            let range = contrast.range(values);
            let count = width * height;
            let mut planes = values.chunks(count.max(1));
            let (red, green, blue) =
                (planes.next().unwrap_or_default(), planes.next().unwrap_or_default(), planes.next().unwrap_or_default());
            let bytes =
                red.iter().zip(green).zip(blue).flat_map(|((&r, &g), &b)| [byte(r, range), byte(g, range), byte(b, range)]).collect();
            Picture { width, height, channels: 3, bytes }
        }
        Plane::Labels(labels) => {
            Picture { width, height, channels: 3, bytes: labels.iter().flat_map(|&label| label_colour(label)).collect() }
        }
    }
}

/// The colour of a segment: black for 0, else a bright colour that only depends on the number.
pub(crate) fn label_colour(label: u64) -> [u8; 3] {
    if label == 0 {
        return [0; 3];
    }
    // Multiples of the golden ratio spread over the circle of hues, so that neighbouring numbers differ clearly.
    let mixed = label.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    #[allow(clippy::cast_precision_loss)] // 24 bits.
    let hue = (mixed >> 40) as f64 / f64::from(1_u32 << 24);
    let saturation = if mixed & 0x100 == 0 { 0.85 } else { 0.6 };
    let value = if mixed & 0x200 == 0 { 1.0 } else { 0.8 };
    let channel = |shift: f64| {
        let distance = ((hue + shift).fract() * 6.0 - 3.0).abs() - 1.0;
        byte(value * (1.0 - saturation + saturation * distance.clamp(0.0, 1.0)), (0.0, 1.0))
    };
    [channel(0.0), channel(2.0 / 3.0), channel(1.0 / 3.0)]
}

impl Plane {
    /// The plane at a smaller size: means of intensities, one of the labels.
    pub(crate) fn shrunk(&self, (width, height): (usize, usize), (to_width, to_height): (usize, usize)) -> Self {
        let size = (width, height);
        let to = (to_width, to_height);
        match self {
            Self::Grey(values) => Self::Grey(means(values, size, to)),
            Self::Colour(values) => Self::Colour(values.chunks((width * height).max(1)).flat_map(|plane| means(plane, size, to)).collect()),
            Self::Labels(labels) => {
                let pick = |row: usize, column: usize| {
                    let at = (row * height + height / 2) / to_height * width + (column * width + width / 2) / to_width;
                    labels.get(at).copied().unwrap_or(0)
                };
                Self::Labels((0..to_height).flat_map(|row| (0..to_width).map(move |column| pick(row, column))).collect())
            }
        }
    }
}

/// Means over the rectangles that become one pixel.
fn means(values: &[f64], (width, height): (usize, usize), (to_width, to_height): (usize, usize)) -> Vec<f64> {
    let span = |at: usize, size: usize, to: usize| {
        let begin = at * size / to;
        begin..((at + 1) * size / to).max(begin + 1)
    };
    let mut out = Vec::with_capacity(to_width * to_height);
    for row in 0..to_height {
        for column in 0..to_width {
            let (mut sum, mut count) = (0.0, 0_u32);
            for y in span(row, height, to_height) {
                for x in span(column, width, to_width) {
                    if let Some(value) = values.get(y * width + x).filter(|value| value.is_finite()) {
                        sum += value;
                        count += 1;
                    }
                }
            }
            out.push(if count == 0 { f64::NAN } else { sum / f64::from(count) });
        }
    }
    out
}

/// Writes a picture as PNG.
pub(crate) fn write_png(picture: &Picture, output: &mut Output) -> Result<()> {
    let (Ok(width), Ok(height)) = (u32::try_from(picture.width), u32::try_from(picture.height)) else {
        return Err(Failure::usage("the picture is wider or higher than a PNG can be; choose a smaller region with --region"));
    };
    if width == 0 || height == 0 {
        return Err(Failure::usage("the picture has no pixels; choose a larger region with --region"));
    }
    encode_png(picture, width, height, &mut *output).map_err(|error| match error {
        png::EncodingError::IoError(error) => output.failed(error),
        other => Failure::usage(format!("cannot make a PNG: {other}; choose a smaller region with --region")),
    })
}

fn encode_png(picture: &Picture, width: u32, height: u32, target: impl Write) -> std::result::Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(target, width, height);
    encoder.set_color(if picture.channels == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.bytes)?;
    writer.finish()
}

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colours {
    /// 24 bits a colour.
    Truecolor,
    /// The 256 colours of xterm.
    #[value(name = "256")]
    Indexed,
    /// Characters alone.
    None,
}

impl Colours {
    /// What the environment says.
    pub(crate) fn of_terminal(is_terminal: bool) -> Self {
        if !is_terminal || !crate::output::colours_wanted() {
            return Self::None;
        }
        match std::env::var("COLORTERM").as_deref() {
            Ok("truecolor" | "24bit") => Self::Truecolor,
            _ => Self::Indexed,
        }
    }
}

impl Picture {
    fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y * self.width + x) * self.channels;
        match *self.bytes.get(at..at + self.channels)? {
            [grey] => Some([grey; 3]),
            [red, green, blue] => Some([red, green, blue]),
            _ => None,
        }
    }
}

/// A picture as lines of characters. With colours each character is two pixels high, without it is one, so the caller shrinks accordingly.
pub(crate) fn text_lines(picture: &Picture, colours: Colours) -> Vec<String> {
    if colours == Colours::None {
        return (0..picture.height).map(|y| (0..picture.width).map(|x| shade(picture.pixel(x, y).unwrap_or_default())).collect()).collect();
    }
    let code = |ground: u8, colour: [u8; 3]| match colours {
        Colours::Truecolor => format!("{ground}8;2;{};{};{}", colour[0], colour[1], colour[2]),
        _ => format!("{ground}8;5;{}", indexed(colour)),
    };
    let mut lines = Vec::new();
    for y in (0..picture.height).step_by(2) {
        let mut line = String::new();
        let mut last = String::new();
        for x in 0..picture.width {
            let upper = code(3, picture.pixel(x, y).unwrap_or_default());
            let codes = match picture.pixel(x, y + 1) {
                Some(lower) => format!("{upper};{}", code(4, lower)),
                None => format!("{upper};49"),
            };
            if codes != last {
                let _ = write!(line, "\x1b[{codes}m");
                last = codes;
            }
            line.push('▀');
        }
        line.push_str("\x1b[0m");
        lines.push(line);
    }
    lines
}

/// A character whose ink is the brightness.
fn shade([red, green, blue]: [u8; 3]) -> char {
    const RAMP: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];
    let brightness = (usize::from(red) * 299 + usize::from(green) * 587 + usize::from(blue) * 114) / 1000;
    RAMP.get(brightness * RAMP.len() / 256).copied().unwrap_or('@')
}

/// The nearest of xterm's 256 colours: its grey ramp or its 6 × 6 × 6 cube.
fn indexed(colour: [u8; 3]) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |a: [u8; 3], b: [u8; 3]| a.iter().zip(&b).map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>();
    let nearest = |value: u8| (0_u8..6).zip(STEPS).min_by_key(|&(_, step)| step.abs_diff(value)).unwrap_or((0, 0));
    let [(red, r), (green, g), (blue, b)] = colour.map(nearest);
    let cube = (16 + 36 * red + 6 * green + blue, distance(colour, [r, g, b]));
    let mean = ((u16::from(colour[0]) + u16::from(colour[1]) + u16::from(colour[2])) / 3).min(255);
    let grey_step = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let grey = (232 + grey_step, distance(colour, [8 + 10 * grey_step; 3]));
    if grey.1 < cube.1 { grey.0 } else { cube.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_become_black_and_white() {
        let values: Vec<f64> = (0..=100).map(f64::from).chain([1e9, f64::NAN]).collect();
        let picture = picture(&Plane::Grey(values), 103, 1, Contrast::Percentiles(0.0, 98.0));
        assert_eq!(
            (picture.bytes[0], picture.bytes[50], picture.bytes[100], picture.bytes[101], picture.bytes[102]),
            (0, 129, 255, 255, 0)
        );
    }

    #[test]
    fn bytes_without_contrast_stay_as_they_are() {
        let values: Vec<f64> = (0..=255).map(f64::from).collect();
        let picture = picture(&Plane::Grey(values), 16, 16, Contrast::None);
        assert_eq!(picture.bytes, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn a_flat_plane_is_black_and_not_a_division_by_zero() {
        assert_eq!(picture(&Plane::Grey(vec![7.0; 4]), 2, 2, Contrast::Percentiles(1.0, 99.0)).bytes, [0; 4]);
    }

    #[test]
    fn labels_have_colours_of_their_own() {
        assert_eq!(label_colour(0), [0; 3]);
        let colours: std::collections::HashSet<_> = (1..=50).map(label_colour).collect();
        assert_eq!(colours.len(), 50);
        assert!((1..=50).all(|label| label_colour(label).iter().any(|&channel| channel > 180)));
    }

    #[test]
    fn shrinking_takes_means_of_intensities_and_keeps_labels() {
        let grey = Plane::Grey(vec![0.0, 2.0, 4.0, 6.0]).shrunk((2, 2), (1, 1));
        assert_eq!(grey, Plane::Grey(vec![3.0]));
        let labels = Plane::Labels(vec![7, 7, 9, 9]).shrunk((4, 1), (2, 1));
        assert_eq!(labels, Plane::Labels(vec![7, 9]));
        let same = Plane::Grey((0..6).map(f64::from).collect());
        assert_eq!(same.shrunk((3, 2), (3, 2)), same);
    }

    #[test]
    fn the_terminal_gets_two_pixels_a_character() {
        let picture = Picture { width: 2, height: 3, channels: 1, bytes: vec![0, 255, 255, 0, 9, 9] };
        let lines = text_lines(&picture, Colours::Truecolor);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "\x1b[38;2;0;0;0;48;2;255;255;255m▀\x1b[38;2;255;255;255;48;2;0;0;0m▀\x1b[0m");
        assert_eq!(lines[1], "\x1b[38;2;9;9;9;49m▀▀\x1b[0m");
        assert_eq!(text_lines(&picture, Colours::None), [" @", "@ ", "  "]);
    }

    #[test]
    fn the_256_colours_are_near() {
        assert_eq!(indexed([0, 0, 0]), 16);
        assert_eq!(indexed([255, 255, 255]), 231);
        assert_eq!(indexed([255, 0, 0]), 196);
        assert_eq!(indexed([128, 128, 128]), 244);
    }

    #[test]
    fn a_png_is_read_back() {
        let picture = Picture { width: 3, height: 1, channels: 3, bytes: (0..9).collect() };
        let mut file = Vec::new();
        encode_png(&picture, 3, 1, &mut file).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, picture.bytes);
        let nothing = Picture { width: 0, height: 1, channels: 1, bytes: vec![] };
        assert!(write_png(&nothing, &mut Output::open(None).unwrap()).is_err());
    }
}

//! Whether two units are the same, and how many of one are in the other.
//!
//! Programs spell a micrometre in six ways; only lengths and times that occur in microscopy are known.

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Length,
    Time,
}

/// The quantity of a unit and its size in metres or seconds.
fn known(unit: &str) -> Option<(Quantity, f64)> {
    use Quantity::{Length, Time};
    Some(match unit.to_lowercase().as_str() {
        "m" | "meter" | "metre" | "meters" | "metres" => (Length, 1.0),
        "cm" | "centimeter" | "centimetre" => (Length, 1e-2),
        "mm" | "millimeter" | "millimetre" | "millimeters" | "millimetres" => (Length, 1e-3),
        // Two code points look alike: the micro sign and the Greek letter.
        "um" | "\u{b5}m" | "\u{3bc}m" | "micron" | "microns" | "micrometer" | "micrometre" | "micrometers" | "micrometres" => {
            (Length, 1e-6)
        }
        "nm" | "nanometer" | "nanometre" | "nanometers" | "nanometres" => (Length, 1e-9),
        "pm" | "picometer" | "picometre" => (Length, 1e-12),
        "\u{e5}" | "\u{212b}" | "angstrom" | "angstroms" => (Length, 1e-10),
        "inch" | "in" => (Length, 0.0254),
        "s" | "sec" | "second" | "seconds" => (Time, 1.0),
        "ms" | "msec" | "millisecond" | "milliseconds" => (Time, 1e-3),
        "us" | "\u{b5}s" | "\u{3bc}s" | "microsecond" | "microseconds" => (Time, 1e-6),
        "ns" | "nanosecond" | "nanoseconds" => (Time, 1e-9),
        "min" | "minute" | "minutes" => (Time, 60.0),
        "h" | "hour" | "hours" => (Time, 3600.0),
        _ => return None,
    })
}

/// Whether a unit counts elements and measures nothing.
fn is_count(unit: &str) -> bool {
    matches!(unit.to_ascii_lowercase().as_str(), "" | "pixel" | "pixels" | "px" | "voxel" | "voxels" | "vx")
}

/// How many of `to` one `from` is; `None` where nobody can tell.
pub(super) fn ratio(from: Option<&str>, to: Option<&str>) -> Option<f64> {
    match (from, to) {
        (None, None) => Some(1.0),
        (Some(from), Some(to)) if from.eq_ignore_ascii_case(to) => Some(1.0),
        (Some(from), Some(to)) => match (known(from)?, known(to)?) {
            ((one, from), (other, to)) if one == other => Some(from / to),
            _ => None,
        },
        _ => None,
    }
}

/// Whether both measure, and measure different things or in units that cannot be compared.
pub(super) fn differ(a: &str, b: &str) -> bool {
    !is_count(a) && !is_count(b) && ratio(Some(a), Some(b)).is_none()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_unit_are_one() {
        for unit in ["um", "µm", "μm", "micron", "Micrometer", "micrometre"] {
            assert!((ratio(Some(unit), Some("nm")).unwrap() - 1000.0).abs() < 1e-9, "{unit}");
            assert!(!differ(unit, "um"));
        }
        assert_eq!(ratio(Some("s"), Some("ms")), Some(1000.0));
        assert_eq!(ratio(None, None), Some(1.0));
        assert_eq!(ratio(Some("furlong"), Some("Furlong")), Some(1.0));
    }

    #[test]
    fn what_cannot_be_compared_is_not() {
        assert_eq!(ratio(Some("um"), None), None);
        assert_eq!(ratio(Some("um"), Some("s")), None);
        assert!(differ("um", "s") && differ("furlong", "nm"));
        assert!(!differ("voxel", "nm") && !differ("um", "pixel"));
    }
}

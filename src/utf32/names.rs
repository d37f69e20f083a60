//! What the type is called: Zarr's data type object, NumPy's `<U12`.

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::json::{Document, Object, Value};
use crate::model::Endian;

/// The name in the data type object.
pub const NAME: &str = "fixed_length_utf32";

/// Reads `{"name":"fixed_length_utf32","configuration":{"length_bytes":48}}` and gives the bytes of one element.
///
/// # Errors
/// `InvalidJson`; `UnsupportedDataType` for another name; `InvalidMetadata`, naming the member, for everything else that is not exactly this.
pub fn parse_data_type(json: &[u8]) -> Result<usize> {
    let document = Document::strict(json)?;
    let value = document.root()?;
    match value.text() {
        Some(name) if name == NAME => {
            let message = "the data type is the bare string \"fixed_length_utf32\"; it needs its configuration with length_bytes";
            return Err(wrong(value, message));
        }
        Some(name) => return Err(unsupported(value, &name)),
        None if value.is_object() => {}
        None => {
            let message = format!("the data type is {}; it must be an object with name and configuration", value.shown());
            return Err(wrong(value, message));
        }
    }
    let object = value.object("data type")?;
    let Some(name) = object.get("name") else { return Err(wrong(value, "the data type has no \"name\"")) };
    match name.text() {
        Some(text) if text == NAME => {}
        Some(text) => return Err(unsupported(name, &text)),
        None => return Err(wrong(name, format!("\"name\" of the data type is {}; it must be a string", name.shown()))),
    }
    only(&object, &["name", "configuration"], "the data type")?;
    let configuration = match object.get("configuration") {
        Some(configuration) if configuration.is_object() => configuration,
        Some(other) => return Err(wrong(other, format!("\"configuration\" of the data type is {}; it must be an object", other.shown()))),
        None => {
            let message = "the data type fixed_length_utf32 has no \"configuration\"; it needs one with length_bytes";
            return Err(wrong(value, message));
        }
    };
    let members = configuration.object("configuration")?;
    only(&members, &["length_bytes"], "the configuration of fixed_length_utf32")?;
    let Some(length) = members.get("length_bytes") else {
        return Err(wrong(configuration, "the configuration of fixed_length_utf32 has no \"length_bytes\""));
    };
    let bytes = length.raw().parse::<usize>().ok().filter(|&bytes| bytes > 0 && bytes.is_multiple_of(4));
    bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
        wrong(length, format!("\"length_bytes\" is {}; it must be a positive multiple of 4, 4 bytes a code point", length.shown()))
    })
}

/// The data type object of elements of this length.
#[must_use]
pub fn data_type_json(length_bytes: usize) -> String {
    format!("{{\"name\":\"{NAME}\",\"configuration\":{{\"length_bytes\":{length_bytes}}}}}")
}

/// Reads a NumPy name such as `<U12`: bytes of one element, byte order.
///
/// # Errors
/// `InvalidMetadata` where the byte order is missing (`|U3`, `U3`, `=U3`); `InvalidLength` for no code point or too many; `UnsupportedDataType` for other types.
pub fn parse_numpy_dtype(dtype: &str) -> Result<(usize, Endian)> {
    let other =
        || Error::new(ErrorKind::UnsupportedDataType, format!("{} is no NumPy string type of the form <U12 or >U12", quoted(dtype)));
    let (order, digits) = dtype.split_once('U').ok_or_else(other)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(other());
    }
    let endian = match order {
        "<" => Endian::Little,
        ">" => Endian::Big,
        "" | "|" | "=" => {
            return Err(invalid(format!("{} does not state a byte order; write <U{digits} or >U{digits}", quoted(dtype))));
        }
        _ => return Err(other()),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|points| points.checked_mul(4)).filter(|&bytes| isize::try_from(bytes).is_ok());
    match bytes {
        Some(bytes) if bytes > 0 && !digits.starts_with('0') => Ok((bytes, endian)),
        _ => Err(Error::new(
            ErrorKind::InvalidLength,
            format!("{} has no possible number of code points; it takes 1 and more", quoted(dtype)),
        )),
    }
}

/// The NumPy name of elements of this length and byte order.
#[must_use]
pub fn numpy_dtype(length_bytes: usize, endian: Endian) -> String {
    let order = match endian {
        Endian::Little => '<',
        Endian::Big => '>',
    };
    format!("{order}U{}", length_bytes / 4)
}

fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidMetadata, message)
}

fn wrong(value: Value, message: impl Into<String>) -> Error {
    value.error(ErrorKind::InvalidMetadata, message.into())
}

fn unsupported(value: Value, name: &str) -> Error {
    value.error(ErrorKind::UnsupportedDataType, format!("the data type is {}; its name must be \"{NAME}\"", quoted(name)))
}

fn only(object: &Object, members: &[&str], place: &str) -> Result<()> {
    match object.others(members).next() {
        Some(member) => {
            let message = format!("{place} has a member {} that is none of {members:?}", member.key().shown());
            Err(wrong(member.key(), message))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn policy_28_only_the_exact_object_is_a_data_type() {
        assert_eq!(parse_data_type(data_type_json(48).as_bytes()).unwrap(), 48);
        assert_eq!(parse_data_type(data_type_json(4).as_bytes()).unwrap(), 4);
        let configured = |configuration: &str| format!(r#"{{"name":"fixed_length_utf32","configuration":{configuration}}}"#);
        for length in
            ["0", "-4", "21", "6", "\"12\"", "null", "true", "12.0", "1e2", "[12]", "18446744073709551612", "99999999999999999999"]
        {
            let error = parse_data_type(configured(&format!(r#"{{"length_bytes":{length}}}"#)).as_bytes()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidMetadata, "{length}");
            assert!(error.message().contains("length_bytes"), "{error}");
        }
        for (json, kind) in [
            (configured("{}"), ErrorKind::InvalidMetadata),
            (configured("12"), ErrorKind::InvalidMetadata),
            (configured(r#"{"length_bytes":12,"x":1}"#), ErrorKind::InvalidMetadata),
            (configured(r#"{"length_bits":96}"#), ErrorKind::InvalidMetadata),
            (r#"{"name":"fixed_length_utf32"}"#.into(), ErrorKind::InvalidMetadata),
            (
                r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":12},"must_understand":false}"#.into(),
                ErrorKind::InvalidMetadata,
            ),
            (r#"{"configuration":{"length_bytes":12}}"#.into(), ErrorKind::InvalidMetadata),
            (r#"{"name":3}"#.into(), ErrorKind::InvalidMetadata),
            (r#""fixed_length_utf32""#.into(), ErrorKind::InvalidMetadata),
            ("3".into(), ErrorKind::InvalidMetadata),
            (r#""string""#.into(), ErrorKind::UnsupportedDataType),
            (r#"{"name":"numpy.fixed_length_utf32","configuration":{"length_bytes":12}}"#.into(), ErrorKind::UnsupportedDataType),
            ("{".into(), ErrorKind::InvalidJson),
        ] {
            assert_eq!(parse_data_type(json.as_bytes()).unwrap_err().kind(), kind, "{json}");
        }
    }

    #[test]
    fn numpy_names_lead_there_and_back() {
        assert_eq!(parse_numpy_dtype("<U12").unwrap(), (48, Endian::Little));
        assert_eq!(parse_numpy_dtype(">U1").unwrap(), (4, Endian::Big));
        assert_eq!(numpy_dtype(48, Endian::Big), ">U12");
        for (name, kind) in [
            ("|U3", ErrorKind::InvalidMetadata),
            ("U3", ErrorKind::InvalidMetadata),
            ("=U3", ErrorKind::InvalidMetadata),
            ("<U0", ErrorKind::InvalidLength),
            ("<U03", ErrorKind::InvalidLength),
            ("<U99999999999999999999", ErrorKind::InvalidLength),
            ("<U", ErrorKind::UnsupportedDataType),
            ("<U-3", ErrorKind::UnsupportedDataType),
            ("<S3", ErrorKind::UnsupportedDataType),
            ("<u4", ErrorKind::UnsupportedDataType),
            ("", ErrorKind::UnsupportedDataType),
        ] {
            assert_eq!(parse_numpy_dtype(name).unwrap_err().kind(), kind, "{name}");
        }
    }
}

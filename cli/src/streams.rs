//! The first and last bytes of compressed streams, explained field by field.
//!
//! Fields are named as their formats' descriptions do; nothing is decompressed here.

/// A piece of a file and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Where it begins, from the start of the stream.
    pub(crate) offset: usize,
    /// Its bytes; long ones are not shown in full.
    pub(crate) len: usize,
    /// What it says.
    pub(crate) meaning: String,
}

/// Explains the stream at the start of a payload; gives nothing for bytes that no format begins with.
pub(crate) fn explain(payload: &[u8]) -> (Option<&'static str>, Vec<Field>) {
    let starts = |magic: &[u8]| payload.starts_with(magic);
    if starts(&[0x1f, 0x8b]) {
        (Some("gzip"), gzip(payload))
    } else if starts(b"LZ4Block") {
        (Some("lz4"), lz4_chain(payload))
    } else if starts(&[0x04, 0x22, 0x4d, 0x18]) {
        (Some("lz4 frame"), vec![field(0, 4, "magic number of an LZ4 frame"), rest(payload, 4, "frame descriptor and data")])
    } else if starts(&[0x28, 0xb5, 0x2f, 0xfd]) {
        (Some("zstd"), zstd(payload))
    } else if starts(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        (Some("xz"), xz(payload))
    } else if starts(b"BZh") && payload.get(3).is_some_and(u8::is_ascii_digit) {
        (Some("bzip2"), bzip2(payload))
    } else if is_zlib(payload) {
        (Some("zlib"), zlib(payload))
    } else if is_blosc(payload) {
        (Some("blosc"), blosc(payload))
    } else {
        (None, Vec::new())
    }
}

fn field(offset: usize, len: usize, meaning: impl Into<String>) -> Field {
    Field { offset, len, meaning: meaning.into() }
}

/// What follows to the end.
fn rest(payload: &[u8], offset: usize, meaning: impl Into<String>) -> Field {
    field(offset, payload.len().saturating_sub(offset), meaning)
}

/// What lies between the head and a tail of `tail` bytes, and that tail with its meaning.
fn body_and_tail(payload: &[u8], offset: usize, body: &str, tail: usize, meaning: impl FnOnce(usize) -> String) -> Vec<Field> {
    let Some(end) = payload.len().checked_sub(tail).filter(|&end| end >= offset) else {
        return vec![rest(payload, offset, format!("{body}, cut short"))];
    };
    vec![field(offset, end - offset, body), field(end, tail, meaning(end))]
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn little(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn gzip(payload: &[u8]) -> Vec<Field> {
    let flags = byte(payload, 3);
    let mut fields = vec![
        field(0, 2, "magic number of gzip"),
        field(
            2,
            1,
            if byte(payload, 2) == 8 { "method 8: deflate".to_owned() } else { format!("method {}, which no gzip has", byte(payload, 2)) },
        ),
        field(3, 1, if flags == 0 { "flags: none".to_owned() } else { format!("flags {flags:#04x}: optional header fields follow") }),
        field(4, 4, format!("modification time {}", little(payload, 4))),
        field(8, 1, format!("extra flags {}", byte(payload, 8))),
        field(9, 1, format!("operating system {}", byte(payload, 9))),
    ];
    let body = if flags == 0 { "deflate data" } else { "optional header fields and deflate data" };
    fields.extend(body_and_tail(payload, 10, body, 8, |at| {
        format!("CRC-32 {:08x} and length {} of the content", little(payload, at), little(payload, at + 4))
    }));
    fields
}

fn is_zlib(payload: &[u8]) -> bool {
    payload.first_chunk::<2>().is_some_and(|head| head[0] & 0x0f == 8 && head[0] >> 4 <= 7 && u16::from_be_bytes(*head) % 31 == 0)
}

fn zlib(payload: &[u8]) -> Vec<Field> {
    let mut fields = vec![
        field(0, 1, format!("method 8: deflate, window of {} KiB", 1_u32 << (byte(payload, 0) >> 4).saturating_sub(2))),
        field(1, 1, "flags and check of the header"),
    ];
    fields.extend(body_and_tail(payload, 2, "deflate data", 4, |_| "Adler-32 of the content".to_owned()));
    fields
}

fn zstd(payload: &[u8]) -> Vec<Field> {
    let descriptor = byte(payload, 4);
    let single = descriptor & 0x20 != 0;
    let has_checksum = descriptor & 0x04 != 0;
    let size_len = match (descriptor >> 6, single) {
        (0, false) => 0,
        (0, true) => 1,
        (1, _) => 2,
        (2, _) => 4,
        _ => 8,
    };
    let dictionary_len = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or(0);
    let mut fields = vec![field(0, 4, "magic number of a Zstandard frame")];
    let told = if size_len > 0 { "the content's size follows" } else { "the content's size is not told" };
    fields.push(field(
        4,
        1,
        format!("descriptor {descriptor:#04x}: {told}{}", if has_checksum { ", a checksum ends the frame" } else { "" }),
    ));
    let mut at = 5;
    if !single {
        fields.push(field(at, 1, format!("window descriptor {:#04x}", byte(payload, at))));
        at += 1;
    }
    if dictionary_len > 0 {
        fields.push(field(at, dictionary_len, "dictionary number"));
        at += dictionary_len;
    }
    if size_len > 0 {
        let mut bytes = [0; 8];
        for (slot, &byte) in bytes.iter_mut().zip(payload.get(at..).unwrap_or_default()).take(size_len) {
            *slot = byte;
        }
        // Sizes of two bytes begin at 256.
        let size = u64::from_le_bytes(bytes) + if size_len == 2 { 256 } else { 0 };
        fields.push(field(at, size_len, format!("size of the content: {size} bytes")));
        at += size_len;
    }
    if has_checksum {
        fields.extend(body_and_tail(payload, at, "compressed blocks", 4, |_| "checksum of the content".to_owned()));
    } else {
        fields.push(rest(payload, at, "compressed blocks"));
    }
    fields
}

fn xz(payload: &[u8]) -> Vec<Field> {
    let check = match byte(payload, 7) & 0x0f {
        0 => "no check".to_owned(),
        1 => "CRC-32".to_owned(),
        4 => "CRC-64".to_owned(),
        10 => "SHA-256".to_owned(),
        other => format!("check {other}"),
    };
    let mut fields = vec![field(0, 6, "magic number of xz"), field(6, 2, format!("flags: {check}")), field(8, 4, "CRC-32 of the flags")];
    fields.extend(body_and_tail(payload, 12, "LZMA2 data and index", 12, |_| "footer".to_owned()));
    fields
}

fn bzip2(payload: &[u8]) -> Vec<Field> {
    let level = byte(payload, 3).saturating_sub(b'0');
    vec![
        field(0, 3, "magic number of bzip2"),
        field(3, 1, format!("block size {level} × 100000 bytes")),
        rest(payload, 4, "compressed blocks"),
    ]
}

/// Blosc has no magic number; its sizes must agree.
fn is_blosc(payload: &[u8]) -> bool {
    let version = byte(payload, 0);
    (1..=2).contains(&version) && payload.len() >= 16 && (16..=payload.len()).contains(&usize::try_from(little(payload, 12)).unwrap_or(0))
}

fn blosc(payload: &[u8]) -> Vec<Field> {
    let flags = byte(payload, 2);
    let codec = ["blosclz", "lz4", "snappy", "zlib", "zstd"].get(usize::from(flags >> 5)).copied().unwrap_or("unknown");
    let shuffle = match flags & 0x05 {
        1 => "byte shuffle",
        4 => "bit shuffle",
        0 => "no shuffle",
        _ => "two shuffles",
    };
    let stored = if flags & 2 != 0 { ", stored without compression" } else { "" };
    let size = little(payload, 12);
    let mut fields = vec![
        field(0, 1, format!("Blosc format version {}", byte(payload, 0))),
        field(1, 1, format!("version of the inner format {}", byte(payload, 1))),
        field(2, 1, format!("flags {flags:#04x}: {codec}, {shuffle}{stored}")),
        field(3, 1, format!("type size {}", byte(payload, 3))),
        field(4, 4, format!("size of the content: {} bytes", little(payload, 4))),
        field(8, 4, format!("block size {}", little(payload, 8))),
        field(12, 4, format!("size of the frame: {size} bytes")),
    ];
    let end = usize::try_from(size).unwrap_or(usize::MAX).min(payload.len());
    fields.push(field(16, end.saturating_sub(16), if stored.is_empty() { "offsets of the blocks, and the blocks" } else { "the content" }));
    if end < payload.len() {
        fields.push(rest(payload, end, "bytes behind the frame"));
    }
    fields
}

/// Frames of a chain that are explained one by one; the rest is summed up.
const MAX_FRAMES: usize = 4;

fn lz4_chain(payload: &[u8]) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut at = 0;
    for frame in 0.. {
        let Some(head) = payload.get(at..).filter(|head| head.starts_with(b"LZ4Block") && head.len() >= 21) else { break };
        let (token, stored, content) = (byte(head, 8), little(head, 9), little(head, 13));
        if frame == MAX_FRAMES {
            fields.push(rest(payload, at, "more frames"));
            return fields;
        }
        let method = match token & 0xf0 {
            0x10 => "stored",
            0x20 => "LZ4",
            _ => "an unknown method",
        };
        if content == 0 {
            fields.push(field(at, 21, "end of the chain of LZ4Block frames"));
            at += 21;
            break;
        }
        fields.push(field(at, 8, "magic number of an LZ4Block frame"));
        fields.push(field(at + 8, 1, format!("token {token:#04x}: {method}, frames of up to {} bytes", 1_u64 << (10 + (token & 0x0f)))));
        fields.push(field(at + 9, 4, format!("stored size {stored}")));
        fields.push(field(at + 13, 4, format!("size of the content: {content} bytes")));
        fields.push(field(at + 17, 4, "xxHash of the content"));
        let len = usize::try_from(stored).unwrap_or(usize::MAX).min(head.len() - 21);
        fields.push(field(at + 21, len, "data of the frame"));
        at += 21 + len;
    }
    if at < payload.len() {
        fields.push(rest(payload, at, "bytes behind the chain"));
    }
    fields
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    #[test]
    fn each_format_is_known_and_covered_to_its_last_byte() {
        let streams = [
            ("gzip", "1f8b08000000000000ff6360646062606660616065600300aaea6dbf0c000000"),
            ("zlib", "789c636064606260666061606560030000670016"),
            ("bzip2", "425a6839314159265359023e0dd200000040007f002000310c010d31a87394337c5dc914e1424008f83748"),
            (
                "xz",
                "fd377a585a000004e6d6b4460200210116000000742fe5a301000b000100020003000400050006000d0309ca34ec15a70001240ca618d8d81fb6f37d010000000004595a",
            ),
            ("lz4", "4c5a34426c6f636b160c0000000c00000090258b060001000200030004000500064c5a34426c6f636b16000000000000000000000000"),
            ("lz4 frame", "04224d186440a70c0000800001000200030004000500060000000041373308"),
            ("zstd", "28b52ffd200c610000000100020003000400050006"),
            ("blosc", "020133020c0000000c0000001c000000000100020003000400050006"),
        ];
        for (name, hex) in streams {
            let payload = bytes(hex);
            let (found, fields) = explain(&payload);
            assert_eq!(found, Some(name));
            let mut at = 0;
            for field in &fields {
                assert_eq!(field.offset, at, "{name}: {field:?}");
                at += field.len;
            }
            assert_eq!(at, payload.len(), "{name}");
            for len in 0..payload.len() {
                explain(&payload[..len]);
            }
        }
        assert_eq!(explain(&bytes("000100020003000400050006")), (None, Vec::new()));
    }

    #[test]
    fn sizes_are_told() {
        let told = |hex: &str, text: &str| explain(&bytes(hex)).1.iter().any(|field| field.meaning.contains(text));
        assert!(told("28b52ffd200c610000000100020003000400050006", "12 bytes"));
        assert!(told("28b52ffd0058610000000100020003000400050006", "not told"));
        assert!(told("020133020c0000000c0000001c000000000100020003000400050006", "stored without compression"));
        assert!(told("1f8b08000000000000ff6360646062606660616065600300aaea6dbf0c000000", "length 12"));
    }
}

//! Tests of the documents: members, offsets, what is refused in which words, and what is let
//! through.
//!
//! The accepted texts are those of RFC 8259; serde_json is the other reader in the fuzz targets.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::*;

use crate::error::ErrorKind::{InvalidJson, InvalidMetadata};

/// Leaking a test's few bytes spares every test the three nested lifetimes.
fn leaked(document: Document<'static>) -> Object<'static> {
    Box::leak(Box::new(document)).root().unwrap().object("").unwrap()
}

fn strict(text: &str) -> Object<'static> {
    leaked(Document::strict(text.to_owned().leak().as_bytes()).unwrap())
}

fn lenient(text: &str) -> Object<'static> {
    leaked(Document::lenient(text.to_owned().leak().as_bytes()).unwrap())
}

/// The error of a document of pure JSON.
fn error_of(bytes: &[u8]) -> Error {
    match Document::strict(bytes) {
        Ok(document) => document.root().map(|_| ()).unwrap_err(),
        Err(error) => error,
    }
}

#[test]
fn members_keep_their_order_their_text_and_their_offsets() {
    let text = r#" {"b": [1.50, 2e2] , "a":{"x" : null}}"#;
    let object = strict(text);
    let raw: Vec<_> = object.others(&[]).map(|member| (member.key().raw(), member.value().raw())).collect();
    assert_eq!(raw, [("\"b\"", "[1.50, 2e2]"), ("\"a\"", "{\"x\" : null}")]);
    for member in object.others(&[]) {
        let start = usize::try_from(member.value().offset).unwrap();
        assert!(text[start..].starts_with(member.value().raw()));
    }
    let items = object.required("b").unwrap().array("b").unwrap();
    assert_eq!(items[1].raw(), "2e2");
    assert_eq!(items[1].offset, text.find("2e2").unwrap() as u64);
}

#[test]
fn the_last_of_equal_keys_counts_and_escapes_in_keys_are_resolved() {
    let object = strict(r#"{"a":1,"\u0061":2,"b":3}"#);
    assert_eq!(object.get("a").unwrap().raw(), "2");
    assert_eq!(object.others(&["a"]).count(), 1);
    assert!(object.get("c").is_none());
}

#[test]
fn text_that_no_string_type_can_hold_is_kept() {
    let text = r#"{"\ud800":1,"v":"\ud800","n":1e999999,"m":123456789012345678901234567890.10}"#;
    let object = strict(text);
    assert_eq!(object.others(&[]).next().unwrap().key().raw(), r#""\ud800""#);
    let value = object.get("v").unwrap();
    assert!(value.is_string());
    assert!(value.text().is_none());
    assert_eq!(object.get("m").unwrap().raw(), "123456789012345678901234567890.10");
}

#[test]
fn deep_nesting_needs_no_stack() {
    let depth = 1_000_000;
    let object = strict(&format!(r#"{{"deep":{}{},"a":1}}"#, "[".repeat(depth), "]".repeat(depth)));
    assert_eq!(object.get("a").unwrap().raw(), "1");
    assert_eq!(object.get("deep").unwrap().raw().len(), 2 * depth);
}

/// What is refused: the text, the offset, and words of the message.
#[test]
fn what_is_not_json_is_told_in_words_where_it_stops_being_json() {
    let cases: [(&[u8], u64, &[&str]); 53] = [
        (b"", 0, &["is empty"]),
        (b"\0", 0, &["1 NUL byte and nothing else", "crash"]),
        (&[0; 512], 0, &["512 NUL bytes and nothing else", "crash", "restore"]),
        (b" \n\t ", 0, &["4 blanks and nothing else"]),
        (b"{\"a\":1,", 7, &["is cut", "ends at line 1, column 8", "inside the object that begins at line 1, column 1"]),
        (b"{\"a\":[1,\n {\"b\":", 15, &["is cut", "inside the object that begins at line 2, column 2"]),
        (b"{\"[\":[1,[2],3", 13, &["is cut", "inside the array that begins at line 1, column 6"]),
        (b"{\"a\":\"x", 7, &["is cut", "inside the string that begins at line 1, column 6"]),
        (b"{\"a\":\"x\\", 8, &["is cut", "inside the string"]),
        (b"{\"a\":\"x\\u12", 11, &["is cut", "inside the string"]),
        (b"{\"a\":tru", 8, &["is cut", "inside the object"]),
        (b"{\"a\":-", 6, &["is cut", "inside the object"]),
        (b"[1,2e", 5, &["is cut", "inside the array"]),
        (b"{\"a", 3, &["is cut", "inside the string"]),
        (b"{\"a\"", 4, &["is cut", "inside the object"]),
        (b"{", 1, &["is cut", "inside the object"]),
        (b"{\"a\":\"\xc3", 6, &["is cut", "inside a character at line 1, column 7"]),
        (b"{\"a\":\n01}", 6, &["line 2, column 1", "\"01\" is no number", "zeros in front"]),
        (b"[+1]", 1, &["\"+1\" is no number", "plus sign"]),
        (b"[.5]", 1, &["\".5\" is no number", "before the point"]),
        (b"[1.]", 1, &["\"1.\" is no number", "behind the point"]),
        (b"[0x1F]", 1, &["\"0x1F\" is no number", "decimal"]),
        (b"[1_000]", 1, &["\"1_000\" is no number"]),
        (b"[NaN]", 1, &["\"NaN\" is no value of JSON", "write null, or \"NaN\" as text"]),
        (b"[-Infinity]", 1, &["\"-Infinity\" is no value of JSON", "\"-Infinity\" as text"]),
        (b"[True]", 1, &["\"True\" is no value of JSON", "write true"]),
        (b"[None]", 1, &["\"None\" is no value of JSON", "write null"]),
        (b"{\"a\":nul}", 5, &["line 1, column 6", "\"nul\" is no value of JSON"]),
        (b"{\"a\":}", 5, &["a value is missing before `}`", "correct it"]),
        (b"[,1]", 1, &["a value is missing before `,`"]),
        (b"{\"a\":1,}", 6, &["a comma stands before `}`", "remove the comma"]),
        (b"[1, 2,\n]", 5, &["line 1, column 6", "a comma stands before `]`"]),
        (b"{\"a\":1,,\"b\":2}", 7, &["a name is missing before `,`"]),
        (b"{a:1}", 1, &["the name \"a\" stands without quotation marks"]),
        (b"{'a':1}", 1, &["a quotation mark that is no double one"]),
        (b"{\"a\":'x'}", 5, &["a quotation mark that is no double one"]),
        (b"{\"a\" 1}", 5, &["no colon follows the name \"a\""]),
        (b"{\"a\":1 \"b\":2}", 7, &["a comma is missing"]),
        (b"{\"a\":[1}", 7, &["`}` does not close the array that begins at line 1, column 6"]),
        (b"{\"a\":1]", 6, &["`]` does not close the object that begins at line 1, column 1"]),
        (b"{\"a\":1}x", 7, &["more follows the end of the document: \"x\""]),
        (b"{\"a\":1} {\"b\":2}", 8, &["a second document begins", "keep one"]),
        (b"{\"a\":1}}", 7, &["`}` closes nothing"]),
        (b"{\"a\":1}\0", 7, &["a NUL byte follows", "terminator"]),
        (b"{}\0\0\0", 2, &["3 NUL bytes follow", "cut the file there"]),
        (b"{\"a\":\"x\ny\"}", 7, &["a line ends inside a string"]),
        (b"{\"a\":\"\x1b\"}", 6, &["U+001B", "\\u001b"]),
        (b"{\"a\":\"\\q\"}", 6, &["\"\\\\q\" is no escape"]),
        (b"{\"a\":\"\\u12g4\"}", 6, &["is no escape"]),
        ("{\"µm\":\n\"Größe\" x}".as_bytes(), 18, &["line 2, column 9"]),
        (b"\xef\xbb\xbf{}", 0, &["byte order mark"]),
        (b"// no\n{}", 0, &["a comment is here; remove it, for JSON has none"]),
        (b"{} # no", 3, &["a comment is here; remove it, for JSON has none"]),
    ];
    for (bytes, offset, words) in cases {
        let error = error_of(bytes);
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((error.kind(), error.offset()), (InvalidJson, Some(offset)), "{error} in {text:?}");
        assert!(error.message().starts_with("the document "), "{error}");
        for part in words {
            assert!(error.message().contains(part), "{error}: {part:?} in {text:?}");
        }
        // The words of a parser for parsers.
        for part in ["EOF", "expected", "trailing", "token", "at line 0"] {
            assert!(!error.message().contains(part), "{error}");
        }
    }
}

#[test]
fn what_is_something_else_is_called_by_its_name() {
    let utf16: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16_big: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf32: Vec<u8> = "{\"a\":1}".chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
    let cases: [(&[u8], &[&str]); 16] = [
        (&utf16, &["UTF-16", "store it as UTF-8"]),
        (&utf16_big, &["UTF-16"]),
        (&[b"\xff\xfe", utf16.as_slice()].concat(), &["UTF-16"]),
        (&[b"\xfe\xff", utf16_big.as_slice()].concat(), &["UTF-16"]),
        (&utf32, &["UTF-32"]),
        (&[b"\xff\xfe\0\0", utf32.as_slice()].concat(), &["UTF-32"]),
        (b"\x1f\x8b\x08\0\0\0\0\0", &["gzip", "unpack"]),
        (b"\x28\xb5\x2f\xfd\x04\0", &["zstd", "unpack"]),
        (b"BZh91AY", &["bzip2"]),
        (b"\xfd7zXZ\0", &["xz"]),
        (b"PK\x03\x04", &["zip"]),
        (b"\n<!DOCTYPE html><html>", &["HTML", "get the file itself"]),
        (b"\xef\xbb\xbf<?xml version=\"1.0\"?>", &["HTML or XML"]),
        (b"{\"name\":\"Gr\xf6\xdfe\"}", &["not UTF-8", "line 1, column 12", "0xf6", "Latin-1"]),
        (b"data/attributes.json", &["the text itself is to be given, not the name of its file"]),
        (b"/data/zarr.json", &["not the name of its file"]),
    ];
    for (bytes, words) in cases {
        for error in [error_of(bytes), Document::lenient(bytes).and_then(|document| document.root().map(|_| ())).unwrap_err()] {
            assert_eq!(error.kind(), InvalidJson);
            for part in words {
                assert!(error.message().contains(part), "{error}: {part:?}");
            }
        }
    }
    // A terminator behind one bracket makes no UTF-16.
    assert!(error_of(b"{\0").message().contains("NUL"));
    // Places are those of the document, not of what is left of it without its comments.
    let error = Document::lenient("/* µµ */ {\"a\": x}".as_bytes()).unwrap().root().unwrap_err();
    assert!(error.message().contains("line 1, column 16") && error.offset() == Some(17), "{error}");
    let error = Document::lenient(b"// nothing\n").unwrap().root().unwrap_err();
    assert!(error.message().contains("nothing but blanks and comments"), "{error}");
}

#[test]
fn what_json_allows_is_read() {
    for text in [
        "0",
        "-0",
        "-0.0e-0",
        "1E+400",
        "12.50e3",
        "\"\"",
        "null",
        " [ ] ",
        "{\"\":{}}",
        "[[],{},\"\",0,true,false,null]",
        "\r\n\t {\"a\"\n:\t[ 1 , 2 ] }\n",
        r#""\"\\\/\b\f\n\r\t\u00e4\ud800""#,
        "\"\u{7f}\u{80}\u{2028}\u{10ffff}\"",
    ] {
        let document = Document::strict(text.as_bytes()).unwrap();
        assert_eq!(document.root().unwrap().raw(), text.trim(), "{text}");
        assert!(serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(), "{text}");
    }
}

#[test]
fn numbers_that_python_and_java_write_pass_where_documents_are_stored() {
    let text = r#"{"a":NaN,"NaN":["Infinity",-Infinity , {"b\"":Infinity}],"c":1}"#;
    for object in [lenient(text), leaked(Document::zarr(text.as_bytes()).unwrap())] {
        assert_eq!(object.get("a").unwrap().raw(), "NaN");
        assert_eq!(object.get("NaN").unwrap().raw(), r#"["Infinity",-Infinity , {"b\"":Infinity}]"#);
        let words: Vec<_> = object.value().words().map(|word| (word.raw(), word.offset())).collect();
        assert_eq!(words, [("NaN", 5), ("-Infinity", 27), ("Infinity", 46)]);
        let json: String = object.value().json().collect();
        assert_eq!(json, r#"{"a":"NaN","NaN":["Infinity","-Infinity" , {"b\"":"Infinity"}],"c":1}"#);
        assert_eq!(object.get("c").unwrap().json().collect::<String>(), "1");
        assert!(object.check_numbers(&["c", "d"]).is_ok());
        let error = object.check_numbers(&["c", "NaN"]).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (InvalidMetadata, Some(27)));
        assert!(error.message().contains("`NaN` has -Infinity"), "{error}");
    }
    for (text, offset) in [
        ("[nan]", 1),
        ("[NAN]", 1),
        ("[-NaN]", 1),
        ("[+Infinity]", 1),
        ("[Inf]", 1),
        ("[-infinity]", 1),
        ("[NaN0]", 1),
        ("[Infinity.0]", 1),
        ("{NaN:1}", 1),
        ("[NaN NaN]", 5),
    ] {
        for document in [Document::zarr(text.as_bytes()).unwrap(), Document::lenient(text.as_bytes()).unwrap()] {
            let error = document.root().unwrap_err();
            assert_eq!((error.kind(), error.offset()), (InvalidJson, Some(offset)), "{error} in {text}");
        }
    }
}

#[test]
fn a_slip_of_the_pen_is_recognised() {
    let object = strict(r#"{"compresion":1,"blocksize":2,"levle":3,"datatype":4}"#);
    for (name, meant) in [("compression", "\"compresion\""), ("blockSize", "\"blocksize\""), ("level", "\"levle\"")] {
        let error = object.required(name).unwrap_err();
        assert!(error.message().contains(&format!("{meant} may be meant for it")), "{error}");
    }
    assert!(object.required("dimensions").unwrap_err().message().ends_with("; add it"));
    let error = object.only(&["compression", "blocksize", "level", "datatype"]).unwrap_err();
    assert!(error.message().ends_with("is `compression` meant?"), "{error}");
    for (given, name, similar) in [
        ("levl", "level", true),
        ("lvel", "level", true),
        ("levell", "level", true),
        ("elvel", "level", true),
        ("levei", "level", true),
        ("level2x", "level", false),
        ("cname", "clevel", false),
        ("", "n", true),
        ("shape", "type", false),
    ] {
        assert_eq!(is_similar(given, name), similar, "{given} {name}");
    }
}

#[test]
fn strings_are_written_and_read_back() {
    for text in ["", "a\"b\\c", "\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}", "Größe 😀"] {
        let json = string(text).unwrap();
        assert_eq!(json, serde_json::to_string(text).unwrap());
        let document = Document::strict(json.as_bytes()).unwrap();
        assert_eq!(document.root().unwrap().text().unwrap(), text);
    }
    let document = Document::strict(br#"["\ud83d\ude00","\ud83d","\ude00","\ud83d\u0041","a\ud800b"]"#).unwrap();
    let texts: Vec<_> = document.root().unwrap().array("").unwrap().into_iter().map(Value::text).collect();
    assert_eq!(texts, [Some("😀".into()), None, None, None, None]);
}

#[test]
fn an_open_comment_is_refused_where_it_begins() {
    for text in ["{} /* ", "{} /*/"] {
        let error = Document::lenient(text.as_bytes()).err().unwrap();
        assert_eq!((error.kind(), error.offset()), (InvalidJson, Some(3)));
        assert!(error.message().contains("line 1, column 4"), "{error}");
    }
}

#[test]
fn policy_23_comments_and_a_byte_order_mark_are_blanked_in_place() {
    let text = "\u{feff}{ // µ \"\n\"a//\\\"/*b\": 1, /* * ünd / **/ \"c\": /**/ 2} // end";
    let document = Document::lenient(text.as_bytes()).unwrap();
    let object = lenient(text);
    assert_eq!(object.get("a//\"/*b").unwrap().raw(), "1");
    let two = object.get("c").unwrap();
    assert_eq!((two.raw(), two.offset), ("2", text.find("2}").unwrap() as u64));
    assert_eq!(document.text.len(), text.len());
    assert_eq!(document.text.lines().count(), text.lines().count());
}

#[test]
fn messages_show_short_printable_text() {
    let text = format!("[\"{}\", \"\u{7f}\"]", "x".repeat(500));
    let document = Document::strict(text.as_bytes()).unwrap();
    let items = document.root().unwrap().array("").unwrap();
    assert_eq!(items[0].shown().chars().count(), 81);
    assert_eq!(items[1].shown(), r#""\u{7f}""#);
    assert_eq!(items[0].invalid("a", "short").kind(), InvalidMetadata);
}

//! Every function of the header is called in every wrong way: makes `c_tests/boundary_cases.h`, by which `c_tests/test_boundary.c` does that,
//! from `include/zn5.h`, its prototypes and what their comments say is returned, and from `c_tests/boundary.txt`, which says what each parameter is.
//!
//! Fails when a function or a parameter has no line in the table. `BLESS=1 cargo test --test boundary` rewrites the cases.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::format_push_string)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A prototype of the header and the comment before it.
#[derive(Debug)]
struct Function {
    name: String,
    returns: String,
    /// Type and name.
    parameters: Vec<(String, String)>,
    comment: String,
}

impl Function {
    /// Whether it returns how the call went; one function returns a status that it was asked for.
    fn is_fallible(&self) -> bool {
        self.returns == "zn5_status" && self.name != "zn5_error_status"
    }

    fn position(&self, parameter: &str) -> Result<usize, String> {
        let found = self.parameters.iter().position(|(_, name)| name == parameter);
        found.ok_or_else(|| format!("{} has no parameter {parameter}", self.name))
    }
}

/// What the table says of a function: its result, where that is no status, and its parameters.
struct Entry {
    result: Option<String>,
    parameters: Vec<(String, Parameter)>,
}

struct Parameter {
    role: String,
    arguments: Vec<String>,
    outcomes: BTreeMap<String, String>,
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The functions of a header, in its order.
fn functions(header: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for (at, _) in header.match_indices("\nZN5_API ") {
        let declaration = header[at..].split_once(");").unwrap().0.trim_start_matches("\nZN5_API ");
        let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, parameters) = declaration.split_once('(').unwrap();
        let comment = header[..at].rsplit_once("/**").unwrap().1;
        let (returns, name) = split_type(before);
        let parameters = parameters.split(", ").filter(|parameter| *parameter != "void").map(split_type).collect();
        functions.push(Function { name, returns, parameters, comment: comment.to_owned() });
    }
    functions
}

/// "const char *" and "name" of "const char *name".
fn split_type(declaration: &str) -> (String, String) {
    let at = declaration.rfind([' ', '*']).unwrap() + 1;
    (declaration[..at].trim().to_owned(), declaration[at..].to_owned())
}

/// What a comment says behind `@return`, in one line.
fn return_text(function: &Function) -> String {
    let text = function.comment.split_once("@return").map_or("", |parts| parts.1);
    text.lines().map(|line| line.trim().trim_start_matches("* ").trim_end_matches("*/")).collect::<Vec<_>>().join(" ")
}

/// The names of constants and functions in a text, in their order.
fn names(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.to_lowercase().starts_with("zn5_")).collect()
}

/// The statuses that a function's comment lists, with those of other functions that it refers to: "those of zn5_...() but ZN5_ERROR_...".
fn documented(functions: &[Function], name: &str) -> Result<BTreeSet<String>, String> {
    let function = functions.iter().find(|function| function.name == name).ok_or_else(|| format!("no function {name}"))?;
    let mut statuses = BTreeSet::new();
    for clause in return_text(function).split(';') {
        let clause = clause.trim();
        if let Some(others) = clause.strip_prefix("those of ") {
            let (others, without) = others.split_once(" but ").unwrap_or((others, ""));
            for other in names(others).into_iter().filter(|word| word.starts_with("zn5_")) {
                statuses.extend(documented(functions, other)?);
            }
            for word in names(without) {
                statuses.remove(word);
            }
            statuses.extend(names(others).into_iter().filter(|word| word.starts_with("ZN5_ERROR_")).map(str::to_owned));
        } else {
            statuses
                .extend(names(clause).into_iter().filter(|word| *word == "ZN5_OK" || word.starts_with("ZN5_ERROR_")).map(str::to_owned));
        }
    }
    if !statuses.contains("ZN5_OK") {
        return Err(format!("the comment of {name} has no `@return ZN5_OK; ...`"));
    }
    Ok(statuses)
}

fn table(text: &str) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    let mut last = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let mut words = line.split_whitespace().map(|word| word.replace('~', " "));
        let name = words.next().unwrap();
        if !line.starts_with(' ') {
            let result = words.nth(1);
            assert!(entries.insert(name.clone(), Entry { result, parameters: Vec::new() }).is_none(), "two entries of {name}");
            last = name;
            continue;
        }
        let role = words.next().unwrap_or_else(|| panic!("{last}: {name} has no role"));
        let (outcomes, arguments): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('=') && !word.starts_with('"'));
        let outcomes = outcomes.iter().map(|word| word.split_once('=').unwrap()).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
        let parameter = Parameter { role, arguments, outcomes };
        entries.get_mut(&last).unwrap().parameters.push((name, parameter));
    }
    entries
}

/// An outcome as an initialiser: a status, or what a function without status returns.
fn outcome(function: &Function, value: &str) -> String {
    if function.returns == "const char *" {
        let value = if value == "text" { "\"*\"" } else { value };
        return format!("{{0, {value}}}");
    }
    let number = match value {
        "nothing" => "0".to_owned(),
        "OK" => "ZN5_OK".to_owned(),
        status if function.is_fallible() => format!("ZN5_ERROR_{status}"),
        number => number.to_owned(),
    };
    format!("{{{number}, NULL}}")
}

/// Whether a role can have a parameter of this type.
fn suits(role: &str, c_type: &str, argument: &str) -> bool {
    let pointer = c_type.ends_with('*');
    match role {
        "handle" => c_type == format!("const zn5_{argument} *"),
        "free" => c_type == format!("zn5_{argument} *"),
        "make" => c_type == format!("zn5_{argument} **"),
        "sink" => c_type == "zn5_sink *",
        "input" => ["const void *", "const char *"].contains(&c_type),
        "string" => c_type == "const char *",
        "extents" => c_type == "const uint64_t *",
        "strides" => c_type == "const ptrdiff_t *",
        "output" => ["void *", "char *"].contains(&c_type),
        "numbers" => c_type == "uint64_t *",
        "result" => pointer && !c_type.starts_with("const"),
        "length" | "room" | "count" | "size" => c_type == "size_t",
        "value" | "flags" => !pointer,
        "options" => c_type == "const zn5_codec_options *",
        "io" => c_type == "const zn5_io_options *",
        "callbacks" => c_type == "const zn5_store_callbacks *",
        "callback" => c_type == format!("zn5_{argument}_callback"),
        "user_data" => c_type == "void *",
        "error" => c_type == "zn5_error **",
        _ => false,
    }
}

/// One line of a function's array of parameters, with the arrays that it needs before it.
fn describe(function: &Function, name: &str, parameter: &Parameter, others: &Entry, before: &mut String) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("c_tests/boundary.txt: {}: {name} {what}", function.name));
    let short = function.name.trim_start_matches("zn5_");
    let Parameter { role, arguments, outcomes } = parameter;
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let c_type = &function.parameters[function.position(name)?].0;
    if !suits(role, c_type, argument(0)) {
        return wrong(&format!("is a {c_type}, which cannot be `{role} {}`", argument(0)));
    }
    // The parameter that a length belongs to; and the length of a pointer.
    let is_of = |(_, other): &&(String, Parameter), of: &str| {
        ["length", "room", "count"].contains(&other.role.as_str()) && other.arguments.first().is_some_and(|first| first == of)
    };
    let length = others.parameters.iter().find(|other| is_of(other, name));
    let partner =
        if ["length", "room", "count"].contains(&role.as_str()) { Some(argument(0)) } else { length.map(|(other, _)| other.as_str()) };
    let partner = partner.map_or(Ok(None), |partner| function.position(partner).map(Some))?;
    let mut blob = "NULL".to_owned();
    let mut number = "0".to_owned();
    match role.as_str() {
        "input" if length.is_none() => return wrong("is an input without a length"),
        "output" if length.is_none() => return wrong("is an output without room"),
        "input" => blob = format!("&{}", argument(0)),
        "string" => {
            before.push_str(&format!("static const blob {short}_{name} = {{{0}, sizeof {0}}};\n", argument(0)));
            blob = format!("&{short}_{name}");
        }
        "extents" | "strides" => {
            let element = if role == "extents" { "uint64_t" } else { "ptrdiff_t" };
            before.push_str(&format!("static const {element} {short}_{name}_numbers[] = {{{}}};\n", argument(0).replace(',', ", ")));
            before.push_str(&format!("static const blob {short}_{name} = {{{short}_{name}_numbers, sizeof {short}_{name}_numbers}};\n"));
            blob = format!("&{short}_{name}");
        }
        "length" => {
            let input = others.parameters.iter().find(|(other, _)| other == argument(0));
            let Some((_, input)) = input else { return wrong("is the length of nothing") };
            blob = format!("&{}", input.arguments[0]);
        }
        "room" | "count" => number = if argument(1) == "text" { "TEXT".to_owned() } else { argument(1).to_owned() },
        "numbers" | "size" | "value" | "flags" => number = argument(0).replace('|', " | "),
        "result" => number = format!("sizeof({})", argument(0)),
        "handle" | "free" | "make" | "callback" | "sink" => number = format!("KIND_{}", argument(0).to_uppercase()),
        _ => {}
    }
    let optional = ["options", "io", "user_data"].contains(&role.as_str());
    let default = |what: &str| match (what, role.as_str()) {
        ("zero" | "less", "room" | "count") => "BUFFER_TOO_SMALL",
        ("huge", _) => "LIMIT_EXCEEDED",
        ("null", _) if !optional => "NULL_POINTER",
        _ => "OK",
    };
    let of = |what: &str| outcomes.get(what).map(String::as_str);
    let zero = of("zero").unwrap_or(default("zero"));
    let huge = of("huge").unwrap_or(default("huge"));
    let empty = length.map_or("OK", |(_, length)| {
        let of_length = length.outcomes.get("zero").map_or(if length.role == "length" { "OK" } else { "BUFFER_TOO_SMALL" }, String::as_str);
        of("empty").unwrap_or(of_length)
    });
    let by_status = function.is_fallible();
    let null = match of("null") {
        Some(null) => null,
        None if by_status => default("null"),
        None => "nothing",
    };
    let null = if !by_status && null == "nothing" && function.returns == "const char *" { "\"\"" } else { null };
    let mut further = "NULL, 0".to_owned();
    if let Some(list) = of("wrong") {
        before.push_str(&format!("static const unknown {short}_{name}_wrong[] = {{\n"));
        for pair in list.split(',') {
            let (value, result) = pair.split_once(':').ok_or_else(|| format!("{}: {name}: {pair} has no outcome", function.name))?;
            let value = if value.starts_with('"') { format!("0, {value}") } else { format!("(uint64_t)({value}), NULL") };
            before.push_str(&format!("    {{{value}, {}}},\n", outcome(function, result)));
        }
        before.push_str("};\n");
        further = format!("{short}_{name}_wrong, COUNT({short}_{name}_wrong)");
    }
    let status = |value: &str| if by_status { outcome(function, value) } else { "{0, NULL}".to_owned() };
    Ok(format!(
        "    {{\"{name}\", ROLE_{}, {}, {blob}, {number}, {}, {}, {}, {}, {}, {}, {}, {further}}},\n",
        role.to_uppercase(),
        partner.map_or("-1".to_owned(), |partner| partner.to_string()),
        u8::from(arguments.iter().any(|argument| argument == "told")),
        outcome(function, null),
        status(empty),
        status(zero),
        status(of("less").unwrap_or(default("less"))),
        status(huge),
        status(of("max").unwrap_or(huge)),
    ))
}

/// The call of a function with arguments from an array.
fn thunk(function: &Function, entry: &Entry) -> String {
    let short = function.name.trim_start_matches("zn5_");
    let arguments: Vec<_> = function
        .parameters
        .iter()
        .zip(&entry.parameters)
        .enumerate()
        .map(|(index, ((c_type, _), (_, parameter)))| match parameter.role.as_str() {
            "callback" => format!("a[{index}].number != 0 ? take_{} : NULL", parameter.arguments[0]),
            _ if c_type.ends_with('*') => format!("({c_type})a[{index}].pointer"),
            _ => format!("({c_type})a[{index}].number"),
        })
        .collect();
    let call = format!("{}({})", function.name, arguments.join(", "));
    let body = match function.returns.as_str() {
        "void" => format!("{call};\n  return 0;"),
        "const char *" => format!("returned_text = {call};\n  return 0;"),
        pointer if pointer.ends_with('*') => format!("return {call} != NULL;"),
        _ => format!("return (int64_t){call};"),
    };
    let unused = if arguments.is_empty() { "  (void)a;\n" } else { "" };
    format!("static int64_t call_{short}(const argument *a) {{\n{unused}  {body}\n}}\n")
}

/// The text of `c_tests/boundary_cases.h`, or what is missing.
fn generate(header: &str, table_text: &str) -> Result<String, String> {
    let functions = functions(header);
    let mut table = table(table_text);
    let mut text = "/* Generated by tests/boundary.rs from include/zn5.h and c_tests/boundary.txt: every function, its parameters, and what\n \
                    * its comment says that it returns.\n *\n * BLESS=1 cargo test --test boundary writes it anew. */\n/* clang-format off */\n"
        .to_owned();
    let mut all = String::new();
    for function in &functions {
        let name = &function.name;
        let short = name.trim_start_matches("zn5_");
        let entry = table.remove(name).ok_or_else(|| format!("c_tests/boundary.txt has no case of {name}"))?;
        let has: Vec<_> = entry.parameters.iter().map(|(name, _)| name).collect();
        let should: Vec<_> = function.parameters.iter().map(|(_, name)| name).collect();
        if has != should {
            return Err(format!("c_tests/boundary.txt: {name} has the parameters {should:?}, and cases of {has:?}"));
        }
        for (_, parameter) in &function.parameters {
            if !function.comment.contains(&format!("@param {parameter} ")) {
                return Err(format!("the comment of {name} does not tell of {parameter}"));
            }
        }
        if function.is_fallible() != entry.result.is_none() {
            return Err(format!("c_tests/boundary.txt: {name} returns {}, so `->` does not fit, or is missing", function.returns));
        }
        text.push_str(&format!("\n/* {name} */\n"));
        let mut before = String::new();
        let mut parameters = String::new();
        for (parameter, description) in &entry.parameters {
            parameters.push_str(&describe(function, parameter, description, &entry, &mut before)?);
        }
        text.push_str(&before);
        let mut fields = ("NULL".to_owned(), "NULL, 0".to_owned());
        if !parameters.is_empty() {
            text.push_str(&format!("static const parameter {short}_parameters[] = {{\n{parameters}}};\n"));
            fields.0 = format!("{short}_parameters");
        }
        if entry.result.is_none() {
            let statuses = documented(&functions, name)?.into_iter().collect::<Vec<_>>();
            text.push_str(&format!("static const zn5_status {short}_documented[] = {{\n    {},\n}};\n", statuses.join(",\n    ")));
            fields.1 = format!("{short}_documented, COUNT({short}_documented)");
        }
        text.push_str(&thunk(function, &entry));
        let result = outcome(function, entry.result.as_deref().unwrap_or("OK"));
        all.push_str(&format!("    {{\"{name}\", call_{short}, {}, {}, {}, {result}}},\n", fields.0, function.parameters.len(), fields.1));
    }
    if let Some(name) = table.keys().next() {
        return Err(format!("c_tests/boundary.txt has a case of {name}, which the header does not declare"));
    }
    text.push_str(&format!("\nstatic const function functions[] = {{\n{all}}};\n/* clang-format on */\n"));
    Ok(text)
}

/// What the generator says where the header or the table is changed so; it must say something.
fn complaint(header: (&str, &str), table: (&str, &str)) -> String {
    let changed = |path: &str, (from, to): (&str, &str)| {
        let text = read(path);
        assert!(text.contains(from), "{path} has no {from}");
        text.replacen(from, to, 1)
    };
    generate(&changed("include/zn5.h", header), &changed("c_tests/boundary.txt", table)).unwrap_err()
}

#[test]
fn the_cases_are_up_to_date() {
    let generated = generate(&read("include/zn5.h"), &read("c_tests/boundary.txt")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/boundary_cases.h");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, generated).unwrap();
    } else {
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == generated, "c_tests/boundary_cases.h is out of date: BLESS=1 cargo test --test boundary");
    }
}

#[test]
fn a_function_or_a_parameter_without_a_case_is_noticed() {
    const SAME: (&str, &str) = ("", "");
    let comment = "/**\n * Does nothing.\n *\n * @param codec  a codec\n */\n";
    let added = format!("{comment}ZN5_API void zn5_added(zn5_codec *codec);\n\n#endif /* ZN5_H */");
    assert!(complaint(("\n#endif /* ZN5_H */", &added), SAME).contains("no case of zn5_added"));
    let parameter = ("zn5_codec_dtype(const zn5_codec *codec)", "zn5_codec_dtype(const zn5_codec *codec, size_t more)");
    assert!(complaint(parameter, SAME).contains("more"));
    assert!(complaint(("ZN5_API zn5_dtype zn5_codec_dtype(const zn5_codec *codec);", ""), SAME).contains("case of zn5_codec_dtype"));
    assert!(
        complaint(("zn5_codec_ndim(const zn5_codec *", "zn5_codec_ndim(const zn5_dataset *"), SAME).contains("cannot be `handle codec`")
    );
    assert!(complaint(("@return ZN5_OK; ZN5_ERROR_UNSUPPORTED_DATA_TYPE for", "@return 0;"), SAME).contains("zn5_dtype_parse"));
    assert!(complaint(SAME, ("  dst_len room dst 1\n", "")).contains("dst_len"));
    assert!(complaint(SAME, ("zn5_dtype_size -> 2", "zn5_dtype_size")).contains("`->`"));
}

#[test]
fn references_to_other_functions_are_followed() {
    let functions = functions(&read("include/zn5.h"));
    let of = |name: &str| documented(&functions, name).unwrap();
    assert!(of("zn5_dataset_open").contains("ZN5_ERROR_UNSUPPORTED_COMPRESSION"), "by way of zn5_codec_from_n5_attributes()");
    assert!(!of("zn5_dataset_create").contains("ZN5_ERROR_NOT_FOUND"), "those of zn5_dataset_open() but this");
    assert!(of("zn5_decode_region").contains("ZN5_ERROR_CORRUPT_PAYLOAD"));
    assert!(!of("zn5_dtype_parse").contains("ZN5_ERROR_CORRUPT_PAYLOAD"));
}

/// The names of the public member functions of a class of `zn5.hpp`; its constructors and operators are left out.
fn members(header: &str, class: &str) -> BTreeSet<String> {
    let body = header.split_once(&format!("\nclass {class} ")).unwrap().1.split_once("\n};").unwrap().0;
    let mut public = false;
    let mut names = BTreeSet::new();
    for line in body.lines() {
        match line {
            "public:" => public = true,
            "private:" | "protected:" => public = false,
            _ => {}
        }
        let is_member = public && line.starts_with("  ") && !line.starts_with("   ") && line.contains('(') && !line.starts_with("  /");
        let name = line.split('(').next().unwrap().rsplit([' ', '*', '&']).next().unwrap();
        if is_member && name != class && !line.contains(" operator") {
            names.insert(name.to_owned());
        }
    }
    names
}

#[test]
fn every_member_of_zn5_hpp_is_called_without_a_handle() {
    let (header, test) = (read("include/zn5.hpp"), read("c_tests/test_hpp_boundary.cpp"));
    let mut count = 0;
    for class in ["codec", "store", "dataset"] {
        // What makes an object and is tried beside the others, or needs a good document to fail by.
        let makers = ["open", "create", "from_interface", "n5_as_zarr", "from_n5_attributes", "from_zarr_metadata", "from_codec_json"];
        for name in members(&header, class).iter().filter(|name| !makers.contains(&name.as_str())) {
            let called = [format!("{class}.{name}("), format!("{class}.{name}<")].iter().any(|call| test.contains(call));
            assert!(called, "c_tests/test_hpp_boundary.cpp does not call {class}::{name}");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} members were found in include/zn5.hpp");
}

//! Writes one of the benches' kinds of data to a file, for programs that are measured beside: C order, native byte order.
//!
//! `cargo bench --bench volume -- KIND X Y Z FILE`
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::multiple_unsafe_ops_per_block,
    clippy::print_stdout
)]

mod support;

use support::data::KINDS;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [kind, x, y, z, file] = arguments.as_slice() else {
        return println!("usage: KIND X Y Z FILE, where KIND is one of {:?}", KINDS.map(support::data::Kind::name));
    };
    let kind = KINDS.into_iter().find(|candidate| candidate.name() == kind).unwrap_or_else(|| panic!("there is no kind {kind}"));
    std::fs::write(file, kind.array([0; 3], [x, y, z].map(|extent| extent.parse().unwrap()))).unwrap();
}

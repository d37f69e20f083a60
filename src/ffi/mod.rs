//! The C API: one file a section of `include/zn5.h`, in the header's order.
//!
//! Rules that hold for every exported function:
//! - it is written out in full (no macro makes it), so that the header generator sees it;
//! - its body runs in [`guard::guard`], which stops panics and delivers the error object;
//! - every pointer passes through [`ptr`], which checks NULL, length and overlap and reads without assuming alignment;
//! - no Rust enum, `bool` or reference stands in an exported signature.
//!
//! `guard` and `ptr` hold the rules; the other files hold nothing but the translation between C and the engine.

#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(
    clippy::doc_markdown,
    clippy::missing_safety_doc,
    reason = "the comments of exported items are C documentation: the header's conventions are the contract"
)]
#![allow(clippy::too_many_arguments, reason = "the C API has no structs of arguments")]

mod block;
mod callbacks;
mod codec;
mod dataset;
mod dtype;
mod error;
mod guard;
mod metadata;
mod node;
mod options;
mod ptr;
mod status;
mod store;
mod utf32;
mod version;

#[cfg(feature = "test-panic")]
mod panic_test;

pub use block::*;
pub use callbacks::*;
pub use codec::*;
pub use dataset::*;
pub use dtype::*;
pub use error::*;
pub use metadata::*;
pub use node::*;
pub use options::*;
#[cfg(feature = "test-panic")]
pub use panic_test::*;
pub use status::*;
pub use store::*;
pub use utf32::*;
pub use version::*;

#[cfg(all(panic = "abort", not(test)))]
compile_error!("zn5 catches panics at the C boundary; build it with panic = \"unwind\"");

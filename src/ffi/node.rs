//! Section "Nodes" of the header: groups and arrays, their language, and the user's attributes.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::error::zn5_error;
use super::guard::guard;
use super::metadata::{asked_language, language_number, zn5_language};
use super::ptr;
use super::status::zn5_status;
use super::store::{ZN5_NODE_ARRAY, ZN5_NODE_GROUP, ZN5_NODE_UNSUPPORTED, cancelled, zn5_entry_callback, zn5_store};
use crate::dataset::{self, NodeKind};
use crate::error::{Error, ErrorKind, Result};
use crate::store::Store;

/// The path of a node from C.
///
/// # Safety
/// `path` is NULL or NUL-terminated and unchanged during `'a`.
pub(super) unsafe fn node_path<'a>(path: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller's contract.
    let path = unsafe { ptr::c_string(path) }.ok_or_else(|| ptr::null("path"))?;
    path.to_str().map_err(|error| {
        Error::new(ErrorKind::InvalidUtf8, format!("path is not UTF-8 at byte {}; keys are UTF-8", error.valid_up_to()))
            .at(error.valid_up_to() as u64)
    })
}

/// Lists the groups and arrays directly below a node, sorted by name.
///
/// Folders of blocks, files and temporary files are no nodes and are left out.
/// In N5 every folder is a group, with or without attributes.json. A child
/// whose metadata is broken, unsupported (such as an array of Zarr version 2) or
/// cannot be read comes as ZN5_NODE_UNSUPPORTED, and the listing goes on;
/// zn5_dataset_open() tells what is wrong with it. A node whose own metadata
/// cannot be read is listed as if it were an array.
///
/// @param store      a store
/// @param path       the node, NUL-terminated UTF-8; "" or "/" is the root
/// @param callback   gets each name, with ZN5_NODE_GROUP, ZN5_NODE_ARRAY or
///                   ZN5_NODE_UNSUPPORTED
/// @param user_data  is passed to callback
/// @param error      gets NULL or an error object, which the caller frees; may
///                   be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT,
///   ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND (nothing is stored at
///   path); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY;
///   ZN5_ERROR_CANCELLED by callback; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_node_list(
    store: *const zn5_store,
    path: *const c_char,
    callback: zn5_entry_callback,
    user_data: *mut c_void,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's string.
        let path = unsafe { node_path(path) }?;
        let callback = callback.ok_or_else(|| ptr::null("callback"))?;
        dataset::list_nodes(&store.0, path, &mut |name, kind| {
            let kind = match kind {
                NodeKind::Group => ZN5_NODE_GROUP,
                NodeKind::Array => ZN5_NODE_ARRAY,
                NodeKind::Unsupported => ZN5_NODE_UNSUPPORTED,
            };
            // SAFETY: the caller's function, with the arguments that it is declared to take.
            match unsafe { callback(user_data, name.as_ptr().cast(), name.len(), kind) } {
                0 => Ok(()),
                number => Err(cancelled(number)),
            }
        })
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Tells whether a node is N5 or Zarr: attributes.json or zarr.json. Where both
/// are there, attributes.json counts if it describes an array, else zarr.json;
/// where neither is, a folder has the language in which zn5_group_create()
/// would make it.
///
/// @param store     a store
/// @param path      the node, NUL-terminated UTF-8; "" or "/" is the root
/// @param language  gets ZN5_LANGUAGE_N5 or ZN5_LANGUAGE_ZARR
/// @param error     gets NULL or an error object, which the caller frees; may
///                  be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT,
///   ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_NOT_FOUND (nothing is stored at
///   path); ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2); ZN5_ERROR_PERMISSION;
///   ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store
///   returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_node_language(
    store: *const zn5_store,
    path: *const c_char,
    language: *mut zn5_language,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's string.
        let path = unsafe { node_path(path) }?;
        if language.is_null() {
            return Err(ptr::null("language"));
        }
        let number = language_number(dataset::node_language(&store.0, path)?);
        // SAFETY: the caller's place.
        unsafe { ptr::put(language, number, "language") }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Makes a group: attributes.json for N5, zarr.json for Zarr. One that is there
/// already is left as it is.
///
/// With ZN5_LANGUAGE_AUTO the nearest document decides: of the groups and
/// arrays above the closest, else those below, or beside; where there are none
/// at all it is N5. In N5 the groups above need nothing, and the root gets the
/// version of N5 if it has none. In Zarr the groups above that are missing are
/// made, from the root down, unless the nearest document above is N5's. No
/// document is replaced, and none is put beside one of the other language: a
/// container stays what it is, whatever lies in it.
///
/// @param store     a store that can be written
/// @param path      the group, NUL-terminated UTF-8; "" or "/" is the root
/// @param language  ZN5_LANGUAGE_AUTO, or the language that it is to have
/// @param error     gets NULL or an error object, which the caller frees; may
///                  be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (path,
///   language), ZN5_ERROR_INVALID_UTF8 (path); ZN5_ERROR_ALREADY_EXISTS (an
///   array, metadata that cannot be read, or a group of another language than
///   the one asked for); ZN5_ERROR_UNSUPPORTED_CODEC (ZN5_LANGUAGE_AUTO in a
///   container of Zarr version 2); ZN5_ERROR_READ_ONLY, and then nothing was
///   stored; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_INVALID_JSON,
///   ZN5_ERROR_INVALID_METADATA (the root's attributes.json);
///   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_group_create(
    store: *const zn5_store,
    path: *const c_char,
    language: zn5_language,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's string.
        let path = unsafe { node_path(path) }?;
        dataset::create_group(&store.0, path, asked_language(language)?)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Gets the user's attributes of a group or array: an object without the
/// members of N5 or Zarr, each member as it was stored, digit for digit.
///
/// Python and Java store NaN, Infinity and -Infinity, which are no JSON: where
/// they did, they are in the text, and zn5_attributes_get_json() suits parsers
/// that refuse them. dst NULL with dst_len 0 asks for the size. Arrays that zn5
/// cannot open have attributes too.
///
/// @param store    a store
/// @param path     the node, NUL-terminated UTF-8; "" or "/" is the root
/// @param dst      gets the JSON text, UTF-8, not terminated
/// @param dst_len  the bytes that dst has room for
/// @param needed   gets the bytes of the text, also with
///                 ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error    gets NULL or an error object, which the caller frees; may be
///                 NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
///   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
///   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
///   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA;
///   ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2); ZN5_ERROR_PERMISSION;
///   ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store
///   returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_attributes_get(
    store: *const zn5_store,
    path: *const c_char,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    // SAFETY: the caller's pointers.
    let body = || unsafe { get(store, path, dst, dst_len, needed, dataset::get_attributes) };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Gets the user's attributes as zn5_attributes_get() does, but as JSON in any
/// case, for a parser: NaN, Infinity and -Infinity become the strings "NaN",
/// "Infinity" and "-Infinity".
///
/// To change some attributes and keep the others, change the text of
/// zn5_attributes_get(). dst NULL with dst_len 0 asks for the size.
///
/// @param store    a store
/// @param path     the node, NUL-terminated UTF-8; "" or "/" is the root
/// @param dst      gets the JSON text, UTF-8, not terminated
/// @param dst_len  the bytes that dst has room for
/// @param needed   gets the bytes of the text, also with ZN5_ERROR_BUFFER_TOO_SMALL
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_BUFFERS_OVERLAP,
///   ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_BUFFER_TOO_SMALL;
///   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
///   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON; ZN5_ERROR_INVALID_METADATA;
///   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; whatever a
///   callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_attributes_get_json(
    store: *const zn5_store,
    path: *const c_char,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    // SAFETY: the caller's pointers.
    let body = || unsafe { get(store, path, dst, dst_len, needed, dataset::get_attributes_as_json) };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Delivers the attributes that `attributes` finds.
///
/// # Safety
/// `store` is NULL or a live store, `path` NULL or a string, the others as for
/// [`ptr::put_text`].
unsafe fn get(
    store: *const zn5_store,
    path: *const c_char,
    dst: *mut c_char,
    dst_len: usize,
    needed: *mut usize,
    attributes: impl FnOnce(&Arc<dyn Store>, &str) -> Result<String>,
) -> Result<()> {
    // SAFETY: the caller's handle.
    let store = unsafe { ptr::handle(store, "store") }?;
    // SAFETY: the caller's string.
    let text = attributes(&store.0, unsafe { node_path(path) }?)?;
    // SAFETY: the caller's buffers.
    unsafe { ptr::put_text(&text, dst, dst_len, needed) }
}

/// Replaces the user's attributes of a group or array. The members of N5 or
/// Zarr stay as they are, byte for byte.
///
/// Where both attributes.json and zarr.json are there, the one by which
/// zn5_dataset_open() opens is changed, and the other is not. A folder that has
/// neither gets one, as by zn5_group_create() with ZN5_LANGUAGE_AUTO. NaN and
/// the infinities are no JSON: they may stand only in a member that is stored
/// in the same way already. Messages about json begin with "json: ", those
/// about what is stored with its key.
///
/// @param store     a store that can be written
/// @param path      the node, NUL-terminated UTF-8; "" or "/" is the root
/// @param json      a JSON object, UTF-8
/// @param json_len  its bytes, without a terminator
/// @param error     gets NULL or an error object, which the caller frees; may
///                  be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED;
///   ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (path);
///   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_INVALID_JSON, ZN5_ERROR_INVALID_METADATA
///   (json, or what is stored); ZN5_ERROR_UNSUPPORTED_CODEC (Zarr version 2);
///   ZN5_ERROR_NOT_REPRESENTABLE (an attribute has the name of a member of N5);
///   ZN5_ERROR_READ_ONLY; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO;
///   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_attributes_set(
    store: *const zn5_store,
    path: *const c_char,
    json: *const c_char,
    json_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's string.
        let path = unsafe { node_path(path) }?;
        // SAFETY: the caller's buffer.
        let json = unsafe { ptr::input(json.cast(), json_len, "json") }?;
        dataset::set_attributes(&store.0, path, json)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

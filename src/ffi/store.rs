//! Section "Stores" of the header: opening a store, and its values by key.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use super::error::zn5_error;
use super::guard::guard;
use super::metadata::grid_of;
use super::ptr;
use super::status::zn5_status;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::store::{Directory, EntryKind, N5AsZarr, Options, Store};

/// Where the values of a container lie, by key: a folder, a program's own storage, or a view of another store.
///
/// A key is names with '/' between, such as "volume/attributes.json" or "volume/0/3/1". No name in it is empty, ".", ".." or begins with
/// ".zn5-", which is how temporary files are named, and none has a NUL: no key reaches outside its store. Such a key, or prefix, is
/// ZN5_ERROR_INVALID_ARGUMENT; one that is not UTF-8 is ZN5_ERROR_INVALID_UTF8.
///
/// Made by zn5_store_open(), zn5_store_from_callbacks() or zn5_store_n5_as_zarr(), freed by zn5_store_free(). Stores are counted: what was
/// made from a store keeps it alive, so handles are freed in any order. Any number of threads use a store at once.
pub struct zn5_store(pub(super) Arc<dyn Store>);

/// Flag of zn5_store_open: values can be stored and erased.
pub const ZN5_STORE_WRITE: u32 = 1;
/// Flag of zn5_store_open: the folder, and those above it, are made if they are missing.
pub const ZN5_STORE_CREATE: u32 = 2;
/// Flag of zn5_store_n5_as_zarr, beside one of ZN5_GRID_...: folders that have no metadata are groups.
pub const ZN5_STORE_IMPLICIT_GROUPS: u32 = 256;

/// Kind of an entry of a store: a value, which zn5_store_get() gets.
pub const ZN5_ENTRY_KEY: u32 = 1;
/// Kind of an entry of a store: a folder, or the common beginning of keys.
pub const ZN5_ENTRY_PREFIX: u32 = 2;
/// Kind of a node: a group.
pub const ZN5_NODE_GROUP: u32 = 3;
/// Kind of a node: an array, which N5 calls a dataset.
pub const ZN5_NODE_ARRAY: u32 = 4;
/// Kind of a node: its metadata is broken or says what zn5 does not support.
pub const ZN5_NODE_UNSUPPORTED: u32 = 5;

/// Takes the bytes of a value. Runs on the calling thread only, before the call returns.
///
/// It must not throw or jump out of zn5. It may call zn5, the store in use included.
///
/// @param user_data  what the caller gave along
/// @param bytes      the next bytes, which live until the callback returns
/// @param len        their number, 0 for a value without bytes
/// @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
pub type zn5_bytes_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, bytes: *const c_void, len: usize) -> i32>;

/// Takes one entry of a listing. Runs on the calling thread only, before the call returns.
///
/// It must not throw or jump out of zn5. It may call zn5, the store in use included.
///
/// @param user_data  what the caller gave along
/// @param name       the name below what is listed, UTF-8, not terminated; lives until the callback returns
/// @param name_len   its bytes
/// @param kind       ZN5_ENTRY_... or ZN5_NODE_..., as the listing says
/// @return 0 to go on; another number ends the call with ZN5_ERROR_CANCELLED
pub type zn5_entry_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, name: *const c_char, name_len: usize, kind: u32) -> i32>;

/// Makes a store and delivers its handle; on failure the handle is NULL.
///
/// # Safety
/// `store` is NULL or may be written, and so is `error`.
pub(super) unsafe fn deliver(
    store: *mut *mut zn5_store,
    error: *mut *mut zn5_error,
    make: impl FnOnce() -> Result<Arc<dyn Store>>,
) -> zn5_status {
    // SAFETY: the caller's contract.
    unsafe { ptr::put_optional(store, std::ptr::null_mut()) };
    let body = || {
        if store.is_null() {
            return Err(ptr::null("store"));
        }
        let handle = Box::new(zn5_store(make()?));
        // SAFETY: the caller's contract.
        unsafe { ptr::put(store, Box::into_raw(handle), "store") }
    };
    // SAFETY: the caller's contract.
    unsafe { guard(error, body) }
}

/// UTF-8 text from C.
///
/// # Safety
/// `text` is NULL or `len` bytes from it may be read during `'a` and nobody writes them.
pub(super) unsafe fn utf8<'a>(text: *const c_char, len: usize, name: &str) -> Result<&'a str> {
    // SAFETY: the caller's contract.
    let bytes = unsafe { ptr::input(text.cast(), len, name) }?;
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("{name} {} is not UTF-8 at byte {}", quoted(&String::from_utf8_lossy(bytes)), error.valid_up_to());
        Error::new(ErrorKind::InvalidUtf8, message).at(error.valid_up_to() as u64)
    })
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn system_path(path: &CStr) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(path.to_bytes()).into())
}

#[cfg(not(unix))]
fn system_path(path: &CStr) -> Result<PathBuf> {
    let path = path.to_str().map_err(|error| {
        Error::new(ErrorKind::InvalidUtf8, format!("path is not UTF-8 at byte {}", error.valid_up_to())).at(error.valid_up_to() as u64)
    })?;
    Ok(path.into())
}

/// Opens a folder as a store: a key is the path of a file below it.
///
/// Values are written under a temporary name beside their place and renamed, so a reader, or whoever comes after a program that was
/// killed, finds the old value or the new one. What a killed program leaves is named ".zn5-...", is in no listing and may be deleted.
/// Symbolic links inside the folder are followed when reading and replaced when writing; one that leads nowhere is ZN5_ERROR_IO, not a
/// missing value. Only regular files are values.
///
/// A path may be an address of this machine, as file:///data/a%20b. What begins
/// with another scheme and "://", as s3://bucket, lies elsewhere and is
/// ZN5_ERROR_INVALID_ARGUMENT; "./s3://bucket" is a path.
///
/// @param path   the folder, NUL-terminated; POSIX: any bytes, Windows: UTF-8; a relative path is taken from the working directory of now
/// @param flags  0 for a store that is read only, or ZN5_STORE_WRITE, ZN5_STORE_CREATE or both
/// @param store  gets the store, to be freed by zn5_store_free(); NULL on failure
/// @param error  gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (flags, a
///   path that is empty, leads to a file or is the address of another machine);
///   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_ALREADY_EXISTS (a file where a folder would
///   have to be made); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_open(
    path: *const c_char,
    flags: u32,
    store: *mut *mut zn5_store,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let make = || {
        // SAFETY: the caller's string.
        let path = unsafe { ptr::c_string(path) }.ok_or_else(|| ptr::null("path"))?;
        if flags & !(ZN5_STORE_WRITE | ZN5_STORE_CREATE) != 0 {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("flags is {flags:#x}; a folder takes ZN5_STORE_WRITE (1) and ZN5_STORE_CREATE (2)"),
            ));
        }
        let options = Options { write: flags & ZN5_STORE_WRITE != 0, create: flags & ZN5_STORE_CREATE != 0 };
        Ok(Arc::new(Directory::open(&system_path(path)?, options)?) as Arc<dyn Store>)
    };
    // SAFETY: the caller's places.
    unsafe { deliver(store, error, make) }
}

/// Shows a store that holds N5 as Zarr: the *N5 Default Store* of the
/// specification.
///
/// The value under ".../zarr.json" is made from that under
/// ".../attributes.json", as by zn5_metadata_n5_to_zarr(), each time it is got;
/// what is stored there is translated the other way, as by
/// zn5_metadata_zarr_to_n5(), and erasing it erases attributes.json. What is
/// stored so for the root states the version of N5, `"n5":"4.0.0"` where the
/// zarr.json has kept none. Listings show zarr.json in the place of
/// attributes.json. Every other key passes through: blocks are not touched. A
/// zarr.json that lies beside attributes.json is hidden. Metadata that Zarr
/// cannot express fails for its own key only.
///
/// With ZN5_STORE_IMPLICIT_GROUPS it is the *Implicit Group Store* as well: a
/// zarr.json that is missing reads as that of a group, see
/// zn5_metadata_implicit_group(), for the root and for every folder that is
/// there, but for folders of blocks below a dataset. A path that leads nowhere
/// stays ZN5_ERROR_NOT_FOUND.
///
/// @param inner  the store that holds N5; the new store keeps it alive
/// @param flags  one of ZN5_GRID_..., the chunk grid of arrays, and
///               ZN5_STORE_IMPLICIT_GROUPS or not
/// @param store  gets the store, to be freed by zn5_store_free(); NULL on
///               failure
/// @param error  gets NULL or an error object, which the caller frees; may be
///               NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (flags)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_n5_as_zarr(
    inner: *const zn5_store,
    flags: u32,
    store: *mut *mut zn5_store,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let make = || {
        // SAFETY: the caller's handle.
        let inner = unsafe { ptr::handle(inner, "inner") }?;
        let grid = grid_of(flags & !ZN5_STORE_IMPLICIT_GROUPS).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!("flags is {flags:#x}; it is one of ZN5_GRID_... (0 to 2) and ZN5_STORE_IMPLICIT_GROUPS (0x100) or not"),
            )
        })?;
        let implicit_groups = flags & ZN5_STORE_IMPLICIT_GROUPS != 0;
        Ok(Arc::new(N5AsZarr::new(Arc::clone(&inner.0), grid, implicit_groups)) as Arc<dyn Store>)
    };
    // SAFETY: the caller's places.
    unsafe { deliver(store, error, make) }
}

/// Gets a whole value, in one or more pieces.
///
/// @param store      a store
/// @param key        the key, UTF-8
/// @param key_len    its bytes, without a terminator
/// @param callback   gets the bytes; also called once for a value that has none
/// @param user_data  is passed to callback
/// @param error      gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key);
///   ZN5_ERROR_NOT_FOUND; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_OUT_OF_MEMORY; ZN5_ERROR_CANCELLED by callback;
///   whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_get(
    store: *const zn5_store,
    key: *const c_char,
    key_len: usize,
    callback: zn5_bytes_callback,
    user_data: *mut c_void,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's buffer.
        let key = unsafe { utf8(key, key_len, "key") }?;
        let callback = callback.ok_or_else(|| ptr::null("callback"))?;
        let mut value = Vec::new();
        if !store.0.get(key, 0, u64::MAX, &mut value)? {
            return Err(Error::new(ErrorKind::NotFound, format!("nothing is stored under the key {}; check the key", quoted(key))));
        }
        // SAFETY: the caller's function, with the arguments that it is declared to take.
        match unsafe { callback(user_data, value.as_ptr().cast(), value.len()) } {
            0 => Ok(()),
            number => Err(cancelled(number)),
        }
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Stores a value, in place of what was there.
///
/// @param store      a store that can be written
/// @param key        the key, UTF-8
/// @param key_len    its bytes, without a terminator
/// @param value      the value; NULL if value_len is 0
/// @param value_len  its bytes
/// @param error      gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; after any error the old value is there, or none if there was none (as far as a program's own store does that);
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key); ZN5_ERROR_READ_ONLY;
///   ZN5_ERROR_ALREADY_EXISTS (a folder has this name, or a file the name of a folder in the key); ZN5_ERROR_PERMISSION; ZN5_ERROR_IO;
///   ZN5_ERROR_OUT_OF_MEMORY; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_set(
    store: *const zn5_store,
    key: *const c_char,
    key_len: usize,
    value: *const c_void,
    value_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's buffer.
        let key = unsafe { utf8(key, key_len, "key") }?;
        // SAFETY: the caller's buffer.
        let value = unsafe { ptr::input(value, value_len, "value") }?;
        store.0.set(key, value)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Removes a value; nothing happens if it is missing. A folder stays, even an empty one, for in N5 it is a group.
///
/// @param store    a store that can be written
/// @param key      the key, UTF-8
/// @param key_len  its bytes, without a terminator
/// @param error    gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the key);
///   ZN5_ERROR_READ_ONLY; ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_erase(
    store: *const zn5_store,
    key: *const c_char,
    key_len: usize,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's buffer.
        store.0.erase(unsafe { utf8(key, key_len, "key") }?)
    };
    // SAFETY: the caller's place for the error.
    unsafe { guard(error, body) }
}

/// Lists what lies directly below a prefix, in no particular order, each entry once; temporary files are left out.
///
/// Entries are passed on as they are found, so that memory does not grow with their number. A prefix that is missing has none. A name
/// may come both as ZN5_ENTRY_KEY and as ZN5_ENTRY_PREFIX where a store has a value "a" and a value "a/b". What is stored or erased
/// meanwhile may be listed or not.
///
/// @param store       a store
/// @param prefix      empty, or names each followed by '/', such as "volume/0/", UTF-8; NULL if prefix_len is 0
/// @param prefix_len  its bytes, without a terminator
/// @param callback    gets each name and ZN5_ENTRY_KEY or ZN5_ENTRY_PREFIX
/// @param user_data   is passed to callback
/// @param error       gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT, ZN5_ERROR_INVALID_UTF8 (the prefix);
///   ZN5_ERROR_PERMISSION; ZN5_ERROR_IO; ZN5_ERROR_CANCELLED by callback; whatever a callback of the store returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_list(
    store: *const zn5_store,
    prefix: *const c_char,
    prefix_len: usize,
    callback: zn5_entry_callback,
    user_data: *mut c_void,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let body = || {
        // SAFETY: the caller's handle.
        let store = unsafe { ptr::handle(store, "store") }?;
        // SAFETY: the caller's buffer.
        let prefix = unsafe { utf8(prefix, prefix_len, "prefix") }?;
        let callback = callback.ok_or_else(|| ptr::null("callback"))?;
        store.0.list(prefix, &mut |name, kind| {
            let kind = match kind {
                EntryKind::Key => ZN5_ENTRY_KEY,
                EntryKind::Prefix => ZN5_ENTRY_PREFIX,
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

/// Gives a handle up. The store itself goes with the last handle, dataset or wrapper that uses it. No other call may be using this handle.
///
/// @param store  a store that is not used afterwards, or NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_free(store: *mut zn5_store) {
    if store.is_null() {
        return;
    }
    // A panic here has nobody to report to; the memory is then lost.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: every store came from `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(store) });
    }));
}

/// The error of a caller's callback that asked to stop.
pub(super) fn cancelled(number: i32) -> Error {
    Error::new(ErrorKind::Cancelled, format!("the callback returned {number}, which ends the call; 0 goes on"))
}

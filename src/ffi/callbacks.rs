//! Section "Stores of the program" of the header: a store whose values a program keeps itself, behind functions in C.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::error::zn5_error;
use super::guard::guard_value;
use super::options::read_sized;
use super::ptr;
use super::status::{ZN5_ERROR_NULL_POINTER, ZN5_ERROR_PANIC, ZN5_OK, kind_of, name_of, status_of, zn5_status};
use super::store::{ZN5_ENTRY_KEY, ZN5_ENTRY_PREFIX, deliver, utf8, zn5_store};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::store::{Buffer, EntryKind, Stamp, Store, Value, check_key, check_prefix, is_listed, read_only};

/// Where a callback of a store puts what it found: bytes by zn5_sink_write(), entries by zn5_sink_entry().
///
/// It lives until the callback returns. One thread uses it at a time.
pub struct zn5_sink<'a> {
    /// Taken out while in use, so that a sink that is used inside its own use is noticed.
    target: Option<Target<'a>>,
    /// The first failure, which stands whatever the callback returns.
    failure: Option<Error>,
}

enum Target<'a> {
    /// A value of at most `max_len` bytes. Of a longer one the program was told to give, where it `may_exceed` that, and one byte more is kept.
    Value {
        value: &'a mut Vec<u8>,
        max_len: u64,
        may_exceed: bool,
    },
    Entries(&'a mut dyn FnMut(&str, EntryKind) -> Result<()>),
}

/// The functions of a store that a program brings: S3, an archive, a cache, a database.
///
/// The struct may grow at its end in later releases; struct_size tells how much of it the program knows. It is copied.
///
/// Each function gets the user_data that zn5_store_from_callbacks() was given. They are called **from any thread and at the same time**, also
/// from threads that zn5 makes for a call. Strings are UTF-8, not terminated, and live until the callback returns, as do value and sink.
/// Keys and prefixes have been checked, see zn5_store. A callback must not throw or jump out of zn5.
///
/// A callback may use zn5, the dataset in whose service it runs included. In
/// zn5_dataset_write() it runs while other writers of the block wait for it: what
/// it writes itself by the same handle waits for nobody, so that parts of a block
/// that another thread writes at the same time can be lost. It must not wait for
/// another thread that writes by that handle.
///
/// A callback returns ZN5_OK or a status that says what went wrong, which becomes the status of the call; ZN5_ERROR_PANIC, which is zn5's
/// own, becomes ZN5_ERROR_INTERNAL, and a number that is no status ZN5_ERROR_IO, and zn5_error_native_code() tells it. Where a function of
/// the sink fails, its failure is that of the call, whatever the callback returns.
#[repr(C)]
pub struct zn5_store_callbacks {
    /// sizeof(zn5_store_callbacks).
    pub struct_size: usize,
    /// Writes the value of key to sink, from the byte offset on, and not more than max_len bytes; UINT64_MAX is to the end.
    ///
    /// Nothing written is a value without bytes, as behind its end. ZN5_ERROR_NOT_FOUND if nothing is stored under key, or a folder is.
    /// What was written before an error does not count. Never NULL.
    pub get: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            key: *const c_char,
            key_len: usize,
            offset: u64,
            max_len: u64,
            sink: *mut zn5_sink<'_>,
        ) -> zn5_status,
    >,
    /// Stores a value in place of what was there. While it does, others should get the old value or the new one, whole. NULL: the store is read only.
    pub set: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            key: *const c_char,
            key_len: usize,
            value: *const c_void,
            value_len: usize,
        ) -> zn5_status,
    >,
    /// Removes a value; ZN5_OK or ZN5_ERROR_NOT_FOUND if it is missing. NULL: the store is read only.
    pub erase: Option<unsafe extern "C" fn(user_data: *mut c_void, key: *const c_char, key_len: usize) -> zn5_status>,
    /// Gives sink each name directly below prefix once, which is empty or ends in '/'. ZN5_OK or ZN5_ERROR_NOT_FOUND if there is none.
    /// Never NULL.
    ///
    /// While zn5_sink_entry() runs, callbacks of the same store may be called from the same thread: hold no lock that they need.
    pub list: Option<
        unsafe extern "C" fn(user_data: *mut c_void, prefix: *const c_char, prefix_len: usize, sink: *mut zn5_sink<'_>) -> zn5_status,
    >,
    /// Called once, after the last use of the store, from the thread that gave it up last. NULL: nothing is to be done.
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
}

impl<'a> zn5_sink<'a> {
    fn new(target: Target<'a>) -> Self {
        Self { target: Some(target), failure: None }
    }

    fn finish(self) -> Result<()> {
        match (self.failure, self.target) {
            (Some(failure), _) => Err(failure),
            (None, Some(_)) => Ok(()),
            (None, None) => Err(Error::new(ErrorKind::Internal, "a sink was left in the middle of its use; please report this")),
        }
    }
}

/// Runs `body` on what the sink leads to, unless it has failed before; its failure stays with the sink.
///
/// # Safety
/// `sink` is NULL or a sink whose callback has not returned, which no other thread uses.
unsafe fn with_target(sink: *mut zn5_sink<'_>, body: impl FnOnce(&mut Target<'_>) -> Result<()>) -> zn5_status {
    // `body` may call the program, which may use the sink again: no reference to the sink lives meanwhile.
    let begin = || {
        // SAFETY: the caller's contract; the reference ends before `body` runs.
        let sink = unsafe { sink.as_mut() }.ok_or(ZN5_ERROR_NULL_POINTER)?;
        if let Some(failure) = &sink.failure {
            return Err(status_of(failure.kind()));
        }
        sink.target.take().ok_or_else(|| {
            let failure =
                Error::new(ErrorKind::InvalidArgument, "a sink was used while zn5_sink_entry was running on it; one use at a time");
            status_of(sink.failure.insert(failure).kind())
        })
    };
    let run = || {
        let mut target = match begin() {
            Ok(target) => target,
            Err(status) => return status,
        };
        let result = body(&mut target);
        // SAFETY: as above, and not NULL.
        let sink = unsafe { &mut *sink };
        sink.target = Some(target);
        if let Err(failure) = result {
            sink.failure.get_or_insert(failure);
        }
        sink.failure.as_ref().map_or(ZN5_OK, |failure| status_of(failure.kind()))
    };
    guard_value(ZN5_ERROR_PANIC, run)
}

/// Writes the next bytes of a value, from inside the callback get. The value is what all calls of one callback wrote, in their order.
///
/// @param sink   the callback's sink
/// @param bytes  the bytes, copied; NULL if len is 0
/// @param len    their number
/// @return ZN5_OK; after another status the callback should return, and the call of zn5 ends with the first failure of the sink:
///   ZN5_ERROR_NULL_POINTER; ZN5_ERROR_INVALID_ARGUMENT (a sink that takes entries); ZN5_ERROR_LIMIT_EXCEEDED (more than max_len bytes in
///   all, or more than a block or a metadata document can have); ZN5_ERROR_OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_sink_write(sink: *mut zn5_sink<'_>, bytes: *const c_void, len: usize) -> zn5_status {
    let body = |target: &mut Target<'_>| {
        let Target::Value { value, max_len, may_exceed } = target else {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "zn5_sink_write was called on the sink of the callback list; it takes entries, by zn5_sink_entry",
            ));
        };
        // SAFETY: the program's buffer.
        let bytes = unsafe { ptr::input(bytes, len, "bytes") }?;
        let whole = value.len().saturating_add(len);
        if u64::try_from(whole).is_ok_and(|whole| whole > *max_len) {
            if *may_exceed {
                let kept = usize::try_from(max_len.saturating_add(1)).unwrap_or(usize::MAX).saturating_sub(value.len());
                let kept = bytes.get(..kept).unwrap_or_default();
                value.try_reserve(kept.len()).map_err(|_| Error::out_of_memory())?;
                value.extend_from_slice(kept);
                return Err(Error::new(ErrorKind::LimitExceeded, format!("the value has more than {max_len} bytes, which are enough")));
            }
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("the callback get wrote {whole} bytes where max_len is {max_len}; write no more than that"),
            ));
        }
        value.try_reserve(len).map_err(|_| Error::out_of_memory())?;
        value.extend_from_slice(bytes);
        Ok(())
    };
    // SAFETY: the caller's sink.
    unsafe { with_target(sink, body) }
}

/// Tells the next entry of a listing, from inside the callback list. Names that no key can have, such as "..", are left out.
///
/// @param sink      the callback's sink
/// @param name      the name below the prefix, UTF-8, without '/'
/// @param name_len  its bytes, without a terminator
/// @param kind      ZN5_ENTRY_KEY or ZN5_ENTRY_PREFIX
/// @return ZN5_OK; after another status the callback should return, and the call of zn5 ends with the first failure of the sink:
///   ZN5_ERROR_NULL_POINTER, ZN5_ERROR_LIMIT_EXCEEDED; ZN5_ERROR_INVALID_ARGUMENT (a sink that takes bytes,
///   a name that is empty or has a '/', kind); ZN5_ERROR_INVALID_UTF8; ZN5_ERROR_CANCELLED, and other failures of who takes the entries
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_sink_entry(sink: *mut zn5_sink<'_>, name: *const c_char, name_len: usize, kind: u32) -> zn5_status {
    let body = |target: &mut Target<'_>| {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidArgument, message));
        let Target::Entries(visit) = target else {
            return invalid("zn5_sink_entry was called on the sink of the callback get; it takes bytes, by zn5_sink_write".to_owned());
        };
        // SAFETY: the program's buffer.
        let name = unsafe { utf8(name, name_len, "name") }?;
        let kind = match kind {
            ZN5_ENTRY_KEY => EntryKind::Key,
            ZN5_ENTRY_PREFIX => EntryKind::Prefix,
            _ => return invalid(format!("kind is {kind}; an entry is ZN5_ENTRY_KEY (1) or ZN5_ENTRY_PREFIX (2)")),
        };
        if name.is_empty() || name.contains('/') {
            return invalid(format!("the callback list gave the name {}; give what follows the prefix, up to the next '/'", quoted(name)));
        }
        if is_listed(name) { visit(name, kind) } else { Ok(()) }
    };
    // SAFETY: the caller's sink.
    unsafe { with_target(sink, body) }
}

/// Makes a store from functions of the program.
///
/// @param callbacks  the functions, copied; get and list must be given
/// @param user_data  is passed to each of them; may be NULL
/// @param store      gets the store, to be freed by zn5_store_free(); NULL on failure, and then release is not called
/// @param error      gets NULL or an error object, which the caller frees; may be NULL
/// @return ZN5_OK; ZN5_ERROR_NULL_POINTER (callbacks, store, get, list); ZN5_ERROR_INVALID_ARGUMENT (struct_size)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn5_store_from_callbacks(
    callbacks: *const zn5_store_callbacks,
    user_data: *mut c_void,
    store: *mut *mut zn5_store,
    error: *mut *mut zn5_error,
) -> zn5_status {
    let make = || {
        if callbacks.is_null() {
            return Err(ptr::null("callbacks"));
        }
        // SAFETY: not NULL, the caller's struct; integers take any bytes, and functions are what the caller declares them to be.
        let functions =
            unsafe { read_sized(callbacks, "callbacks", "zn5_store_callbacks", "set it so, and every function or NULL behind it") }?;
        let store = Callbacks {
            get: functions.get.ok_or_else(|| ptr::null("callbacks->get"))?,
            write: functions.set.zip(functions.erase),
            list: functions.list.ok_or_else(|| ptr::null("callbacks->list"))?,
            release: functions.release,
            user_data,
        };
        Ok(Arc::new(store) as Arc<dyn Store>)
    };
    // SAFETY: the caller's places.
    unsafe { deliver(store, error, make) }
}

type Get = unsafe extern "C" fn(*mut c_void, *const c_char, usize, u64, u64, *mut zn5_sink<'_>) -> zn5_status;
type Set = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_void, usize) -> zn5_status;
type Erase = unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> zn5_status;
type List = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *mut zn5_sink<'_>) -> zn5_status;

struct Callbacks {
    get: Get,
    write: Option<(Set, Erase)>,
    list: List,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
    user_data: *mut c_void,
}

// SAFETY: the program has been told that its functions are called from any thread, and `user_data` is only handed to them.
unsafe impl Send for Callbacks {}
// SAFETY: the same, and at the same time.
unsafe impl Sync for Callbacks {}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the program's function, once, after every other use.
            unsafe { release(self.user_data) };
        }
    }
}

impl Callbacks {
    fn call_get(&self, key: &str, (offset, max_len): (u64, u64), target: Target<'_>) -> Result<bool> {
        let mut sink = zn5_sink::new(target);
        // SAFETY: the program's function, with the arguments that it is declared to take.
        let status = unsafe { (self.get)(self.user_data, key.as_ptr().cast(), key.len(), offset, max_len, &raw mut sink) };
        found(sink.finish().and_then(|()| check(status, "get", key)))
    }

    fn writers(&self, key: &str) -> Result<(Set, Erase)> {
        check_key(key)?;
        self.write.ok_or_else(|| read_only(key, "its callbacks set and erase are not both given"))
    }
}

impl Store for Callbacks {
    fn get(&self, key: &str, offset: u64, max_len: u64, value: &mut Vec<u8>) -> Result<bool> {
        check_key(key)?;
        value.clear();
        let outcome = self.call_get(key, (offset, max_len), Target::Value { value, max_len, may_exceed: false });
        if !matches!(outcome, Ok(true)) {
            value.clear();
        }
        outcome
    }

    /// The whole value by one call: of two calls each might give a part of another version.
    fn open<'a>(&self, key: &str, max_len: u64, buffer: &'a mut Buffer) -> Result<Option<Value<'a>>> {
        check_key(key)?;
        let value = buffer.as_vec();
        value.clear();
        let outcome = self.call_get(key, (0, u64::MAX), Target::Value { value, max_len, may_exceed: true });
        let is_longer = u64::try_from(value.len()).is_ok_and(|len| len > max_len);
        if is_longer || outcome? { Ok(Some(Value::in_memory(value))) } else { Ok(None) }
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        let (set, _) = self.writers(key)?;
        // SAFETY: the program's function, with the arguments that it is declared to take.
        check(unsafe { set(self.user_data, key.as_ptr().cast(), key.len(), value.as_ptr().cast(), value.len()) }, "set", key)
    }

    fn erase(&self, key: &str) -> Result<()> {
        let (_, erase) = self.writers(key)?;
        // SAFETY: the program's function, with the arguments that it is declared to take.
        found(check(unsafe { erase(self.user_data, key.as_ptr().cast(), key.len()) }, "erase", key)).map(drop)
    }

    fn list(&self, prefix: &str, visit: &mut dyn FnMut(&str, EntryKind) -> Result<()>) -> Result<()> {
        check_prefix(prefix)?;
        let mut sink = zn5_sink::new(Target::Entries(visit));
        // SAFETY: the program's function, with the arguments that it is declared to take.
        let status = unsafe { (self.list)(self.user_data, prefix.as_ptr().cast(), prefix.len(), &raw mut sink) };
        // A failure of the sink, even "not found" from who takes the entries, is no answer of the store.
        sink.finish()?;
        found(check(status, "list", prefix)).map(drop)
    }

    fn stamp(&self, key: &str) -> Result<Option<Stamp>> {
        check_key(key)?;
        Ok(None)
    }

    fn is_writable(&self) -> bool {
        self.write.is_some()
    }
}

/// What a callback returned, as a result.
fn check(status: zn5_status, function: &str, key: &str) -> Result<()> {
    if status == ZN5_OK {
        return Ok(());
    }
    let known = kind_of(status);
    let name = name_of(status).to_string_lossy();
    let name = if name.is_empty() { "no status of zn5" } else { &name };
    let message = format!("the store's callback {function} returned {status} ({name}) for {}; see what it reports itself", quoted(key));
    Err(Error::new(known.unwrap_or(ErrorKind::Io), message).with_native_code(if known.is_some() { 0 } else { status.into() }))
}

/// Whether something was there, where that is no error.
fn found(result: Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::status::{ZN5_ERROR_CANCELLED, ZN5_ERROR_LIMIT_EXCEEDED, ZN5_ERROR_NOT_FOUND};
    use super::*;
    use crate::store::Memory;
    use crate::store::tests::all_of_it;

    unsafe fn text<'a>(start: *const c_char, len: usize) -> &'a str {
        // SAFETY: the store passes its own strings.
        unsafe { utf8(start, len, "text") }.unwrap()
    }

    unsafe fn memory<'a>(user_data: *mut c_void) -> &'a Memory {
        // SAFETY: every store of these tests is made over a memory that outlives it.
        unsafe { user_data.cast::<Memory>().as_ref() }.unwrap()
    }

    fn status<T>(result: Result<T>) -> zn5_status {
        result.map_or_else(|error| status_of(error.kind()), |_| ZN5_OK)
    }

    unsafe extern "C" fn get(
        user_data: *mut c_void,
        key: *const c_char,
        key_len: usize,
        offset: u64,
        max_len: u64,
        sink: *mut zn5_sink<'_>,
    ) -> zn5_status {
        let mut value = Vec::new();
        // SAFETY: what the store passes.
        let memory = unsafe { memory(user_data) };
        // SAFETY: what the store passes.
        let key = unsafe { text(key, key_len) };
        match memory.get(key, offset, max_len, &mut value) {
            Ok(true) => value.chunks(1000).fold(ZN5_OK, |status, piece| {
                // SAFETY: the sink of this call.
                if status == ZN5_OK { unsafe { zn5_sink_write(sink, piece.as_ptr().cast(), piece.len()) } } else { status }
            }),
            Ok(false) => ZN5_ERROR_NOT_FOUND,
            Err(error) => status_of(error.kind()),
        }
    }

    unsafe extern "C" fn set(
        user_data: *mut c_void,
        key: *const c_char,
        key_len: usize,
        value: *const c_void,
        value_len: usize,
    ) -> zn5_status {
        // SAFETY: what the store passes.
        let memory = unsafe { memory(user_data) };
        // SAFETY: what the store passes.
        let key = unsafe { text(key, key_len) };
        // SAFETY: what the store passes.
        let value = unsafe { ptr::input(value, value_len, "value") }.unwrap();
        status(memory.set(key, value))
    }

    unsafe extern "C" fn erase(user_data: *mut c_void, key: *const c_char, key_len: usize) -> zn5_status {
        // SAFETY: what the store passes.
        let memory = unsafe { memory(user_data) };
        // SAFETY: what the store passes.
        let key = unsafe { text(key, key_len) };
        status(memory.erase(key))
    }

    unsafe extern "C" fn list(user_data: *mut c_void, prefix: *const c_char, prefix_len: usize, sink: *mut zn5_sink<'_>) -> zn5_status {
        // SAFETY: what the store passes.
        let memory = unsafe { memory(user_data) };
        // SAFETY: what the store passes.
        let prefix = unsafe { text(prefix, prefix_len) };
        // As a program that lists a folder would give them.
        for name in [".", "..", ".zn5-1-1"] {
            // SAFETY: the sink of this call.
            assert_eq!(unsafe { zn5_sink_entry(sink, name.as_ptr().cast(), name.len(), ZN5_ENTRY_PREFIX) }, ZN5_OK);
        }
        status(memory.list(prefix, &mut |name, kind| {
            let kind = if kind == EntryKind::Key { ZN5_ENTRY_KEY } else { ZN5_ENTRY_PREFIX };
            // SAFETY: the sink of this call.
            match unsafe { zn5_sink_entry(sink, name.as_ptr().cast(), name.len(), kind) } {
                ZN5_OK => Ok(()),
                status => Err(Error::new(kind_of(status).unwrap(), "the sink")),
            }
        }))
    }

    fn store(get: Get, memory: &Memory) -> Callbacks {
        let user_data = std::ptr::from_ref(memory).cast_mut().cast();
        Callbacks { get, write: Some((set, erase)), list, release: None, user_data }
    }

    #[test]
    fn callbacks_are_a_store() {
        // Kept until the stores are gone.
        let memories: [Memory; 8] = Default::default();
        let mut next = memories.iter();
        all_of_it(|| store(get, next.next().unwrap()));
    }

    /// Writes ten bytes one by one whatever is asked, and on after an error.
    unsafe extern "C" fn get_ten(_: *mut c_void, _: *const c_char, _: usize, _: u64, max_len: u64, sink: *mut zn5_sink<'_>) -> zn5_status {
        for count in 1..=10 {
            // SAFETY: the sink of this call.
            let status = unsafe { zn5_sink_write(sink, b"x".as_ptr().cast(), 1) };
            assert_eq!(status, if count > max_len { ZN5_ERROR_LIMIT_EXCEEDED } else { ZN5_OK });
        }
        ZN5_OK
    }

    #[test]
    fn more_than_was_asked_for_is_an_error() {
        let memory = Memory::new();
        let store = store(get_ten, &memory);
        let mut value = b"before".to_vec();
        for max_len in [10, 11, u64::MAX] {
            assert!(store.get("a", 0, max_len, &mut value).unwrap());
            assert_eq!(value, b"xxxxxxxxxx");
        }
        for max_len in [0, 1, 9] {
            let error = store.get("a", 0, max_len, &mut value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert!(error.message().contains(&format!("max_len is {max_len};")), "{error}");
            assert_eq!(value, b"");
        }
    }

    #[test]
    fn policy_36_no_more_of_a_value_is_kept_than_tells_that_it_is_too_long() {
        let memory = Memory::new();
        let store = store(get_ten_at_once, &memory);
        let mut buffer = Buffer::default();
        for (max_len, len) in [(u64::MAX, 10), (10, 10), (9, 10), (3, 4), (0, 1)] {
            assert_eq!(store.open("a", max_len, &mut buffer).unwrap().unwrap().len(), len);
        }
    }

    /// Writes ten bytes by one call, though less may be wanted.
    unsafe extern "C" fn get_ten_at_once(
        _: *mut c_void,
        _: *const c_char,
        _: usize,
        offset: u64,
        max_len: u64,
        sink: *mut zn5_sink<'_>,
    ) -> zn5_status {
        assert_eq!((offset, max_len), (0, u64::MAX));
        // SAFETY: the sink of this call.
        unsafe { zn5_sink_write(sink, b"xxxxxxxxxx".as_ptr().cast(), 10) }
    }

    #[test]
    fn who_takes_the_entries_ends_the_listing() {
        let memory = Memory::new();
        memory.set("a", b"").unwrap();
        memory.set("b", b"").unwrap();
        for kind in [ErrorKind::Cancelled, ErrorKind::NotFound] {
            let mut seen = 0;
            let error = store(get, &memory)
                .list("", &mut |_, _| {
                    seen += 1;
                    Err(Error::new(kind, "mine"))
                })
                .unwrap_err();
            assert_eq!((error.kind(), error.message(), seen), (kind, "mine", 1));
        }
        assert_eq!(kind_of(ZN5_ERROR_CANCELLED), Some(ErrorKind::Cancelled));
    }
}

//! Which instructions the loops are made of, found out at run time.
//!
//! Tests run the same work on every path that the machine has.

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only there are wider vectors than those that are always there"))]
pub(in crate::array) enum Path {
    /// No special instructions; what the others are compared with.
    #[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), allow(dead_code, reason = "only the tests ask for it"))]
    Plain,
    /// Vectors of 16 bytes, where every processor of this kind has them.
    Narrow,
    /// Vectors of 32 bytes.
    Wide,
}

impl Path {
    /// What is fastest here.
    #[inline]
    pub(super) fn best() -> Self {
        #[cfg(test)]
        if let Some(path) = FORCED.get() {
            return path;
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Wide;
        }
        if cfg!(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))) { Self::Narrow } else { Self::Plain }
    }
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<Path>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
impl Path {
    /// Every path up to the best one.
    pub(in crate::array) fn all() -> Vec<Self> {
        let all = [Self::Plain, Self::Narrow, Self::Wide];
        let best = all.iter().position(|path| *path == Self::best()).unwrap_or(0);
        all.into_iter().take(best.saturating_add(1)).collect()
    }

    /// Does `work` on this path, in this thread.
    pub(in crate::array) fn with<T>(self, work: impl FnOnce() -> T) -> T {
        FORCED.set(Some(self));
        let result = work();
        FORCED.set(None);
        result
    }
}

//! The fault that a test plans for one operation, and the operation that it hits.

/// The way in which the chosen operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process dies before the operation.
    DieBefore,
    /// The process dies after the operation.
    DieAfter,
    /// The operation fails and has no effect.
    Fail,
    /// The operation takes effect but reports a failure.
    LoseAnswer,
    /// The operation takes effect, but the connection breaks. A batch that may be repeated is sent again.
    LoseConnection,
}

impl Fault {
    /// The faults that any operation can have. `LoseConnection` is not among them, because only the database sends a
    /// batch again.
    pub(crate) const ALL: [Self; 4] = [Self::DieBefore, Self::DieAfter, Self::Fail, Self::LoseAnswer];
}

/// An operation that has run, or at which its process died.
pub(super) enum Operation<T, E> {
    Answer(Result<T, E>),
    Death,
}

impl<T, E> Operation<T, E> {
    /// Returns the result. The future of a process that died is never ready.
    pub(super) async fn answer(self) -> Result<T, E> {
        match self {
            Self::Answer(answer) => answer,
            Self::Death => std::future::pending().await,
        }
    }
}

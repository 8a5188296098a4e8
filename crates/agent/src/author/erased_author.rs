//! An author as a trait object, so that the kit is compiled once for every author.

use crate::author::erased_parts::BoxFuture;
use crate::{About, Author, Error, Opening, OptionalParts, Result, Turn};
use attache_protocol::v1::{SessionConfigId, SessionConfigOption, SessionId, StopReason};
use std::any::Any;
use std::sync::Arc;

/// The [`Author::Memory`] of one session.
pub(crate) type Memory = Box<dyn Any + Send>;

/// See [`Author`].
pub(crate) trait ErasedAuthor: Send + Sync + 'static {
    fn about(&self) -> About;
    fn parts(self: Arc<Self>) -> OptionalParts;
    fn open<'a>(&'a self, opening: Opening<'a>) -> BoxFuture<'a, Result<Memory>>;
    fn turn<'a>(
        &'a self,
        memory: &'a mut Memory,
        turn: &'a Turn,
    ) -> BoxFuture<'a, Result<StopReason>>;
    fn option_set(
        &self,
        session: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()>;
    fn window(&self, options: &[SessionConfigOption]) -> Option<u64>;
}

impl<A: Author> ErasedAuthor for A {
    fn about(&self) -> About {
        Author::about(self)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        Author::parts(self)
    }

    fn open<'a>(&'a self, opening: Opening<'a>) -> BoxFuture<'a, Result<Memory>> {
        Box::pin(async move { Ok(Box::new(Author::open(self, opening).await?) as Memory) })
    }

    fn turn<'a>(
        &'a self,
        memory: &'a mut Memory,
        turn: &'a Turn,
    ) -> BoxFuture<'a, Result<StopReason>> {
        Box::pin(async move {
            // `open` created the memory, so it has this type.
            let memory = memory.downcast_mut::<A::Memory>();
            let memory = memory.ok_or_else(|| Error::failed("the session has no memory"))?;
            Author::turn(self, memory, turn).await
        })
    }

    fn option_set(
        &self,
        session: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        Author::option_set(self, session, option, options)
    }

    fn window(&self, options: &[SessionConfigOption]) -> Option<u64> {
        Author::window(self, options)
    }
}

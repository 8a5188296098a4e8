//! A response body that ends with the login.

use super::connections::{OpenRequest, ScopeWatch, revoked};
use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::any::Any;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A response body. It keeps its request open, and breaks off when the login ends.
pub(super) struct ResponseBody {
    body: Body,
    revoked: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    _held: Box<dyn Any + Send>,
}

impl ResponseBody {
    /// A body that keeps `request` open until it is sent.
    pub(super) fn open(body: Body, request: OpenRequest) -> Self {
        Self { body, revoked: None, _held: Box::new(request) }
    }

    /// A body that ends with the scope, and keeps `held` until it is sent.
    pub(super) fn of_login(body: Body, scope: ScopeWatch, held: impl Any + Send) -> Self {
        Self { body, revoked: Some(Box::pin(revoked(Some(scope)))), _held: Box::new(held) }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(revoked) = &mut self.revoked
            && revoked.as_mut().poll(context).is_ready()
        {
            self.revoked = None;
            self.body = Body::empty();
            let error = io::Error::new(io::ErrorKind::ConnectionAborted, "the login has ended");
            return Poll::Ready(Some(Err(error.into())));
        }
        Pin::new(&mut self.body).poll_frame(context).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").finish_non_exhaustive()
    }
}

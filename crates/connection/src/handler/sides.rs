//! The macro that turns a method table into the trait of each side and its dispatch by wire name.

/// Declares the traits `Agent` and `Client` and their dispatch. The module `methods` of the caller
/// is the table.
macro_rules! sides {
    (
        agent_calls {
            $($acall:ident $acallty:ident $acallname:literal
                $acallparams:ident => $acallresult:ident { $($acallrest:tt)* })*
        }
        agent_notifications {
            $($anote:ident $anotety:ident $anotename:literal
                $anoteparams:ident { $($anoterest:tt)* })*
        }
        client_calls {
            $($ccall:ident $ccallty:ident $ccallname:literal
                $ccallparams:ident => $ccallresult:ident { $($ccallrest:tt)* })*
        }
        client_notifications {
            $($cnote:ident $cnotety:ident $cnotename:literal
                $cnoteparams:ident { $($cnoterest:tt)* })*
        }
        $($others:tt)*
    ) => {
        sides! {
            @side Agent AgentHandler Side::Agent "an agent"
            {$($acall $acallty $acallname;)*}
            {$($anote $anotety $anotename;)*}
        }
        sides! {
            @side Client ClientHandler Side::Client "a client"
            {$($ccall $ccallty $ccallname;)*}
            {$($cnote $cnotety $cnotename;)*}
        }
    };
    (
        @side $side:ident $handler:ident Side::$variant:ident $noun:literal
        {$($call:ident $callty:ident $callname:literal;)*}
        {$($note:ident $notety:ident $notename:literal;)*}
    ) => {
        #[doc = concat!("The methods that ", $noun, " serves. By default a call is answered with `-32601` and a notification is ignored.")]
        pub trait $side: Send + 'static {
            $(
                #[doc = concat!("`", $callname, "`")]
                fn $call(
                    &mut self,
                    params: <methods::$callty as Method>::Params,
                    responder: Responder<methods::$callty>,
                ) -> Work {
                    let _ = params;
                    responder.method_not_found()
                }
            )*
            $(
                #[doc = concat!("`", $notename, "`")]
                fn $note(&mut self, params: <methods::$notety as Method>::Params, peer: &Peer) {
                    let _ = (params, peer);
                    crate::trace::ignored_notification($notename);
                }
            )*

            /// Returns whether this side advertised the capability that a method's gate requires. A
            /// call behind a closed gate is answered with `-32601` before its params are decoded.
            /// By default, every gate is open.
            fn advertises(&self, gate: &Gate) -> bool {
                let _ = gate;
                true
            }

            /// Handles a call outside the protocol. The names of extensions start with `_`.
            fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
                call.method_not_found()
            }

            /// Handles a notification outside the protocol. `params` is passed on as it arrived.
            fn extension_notification(&mut self, name: &str, params: Option<Raw>, peer: &Peer) {
                let _ = (params, peer);
                crate::trace::ignored_notification(name);
            }

            /// See [`Handler::poll_ready`].
            fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
                let _ = context;
                Poll::Ready(())
            }

            /// See [`Handler::unhandled`].
            fn unhandled(&mut self, unhandled: Unhandled<'_>) {
                let _ = unhandled;
            }

            /// Returns whether this side wants [`Unhandled::Dropped`]. Decoding then takes a little
            /// longer.
            fn reports_dropped(&self) -> bool {
                false
            }

            /// See [`Handler::ended`].
            fn ended(&mut self, end: &crate::ConnectionEnd) {
                let _ = end;
            }
        }

        #[doc = concat!("Dispatches by wire name to ", $noun, ".")]
        #[derive(Debug)]
        pub struct $handler<T>(pub T);

        impl<T: $side> Unhandling for $handler<T> {
            fn wants_dropped(&self) -> bool {
                self.0.reports_dropped()
            }

            fn dropped(&mut self, unhandled: Unhandled<'_>) {
                self.0.unhandled(unhandled);
            }
        }

        impl<T: $side> Handler for $handler<T> {
            const SIDE: Side = Side::$variant;

            fn notification(
                &mut self,
                peer: &Peer,
                name: &str,
                params: Option<&str>,
            ) -> Result<(), DecodeError> {
                match name {
                    $($notename => {
                        if let Some(params) = decode_for::<methods::$notety>(self, params)? {
                            self.0.$note(params, peer);
                        }
                    })*
                    _ => {
                        let params = params.and_then(|params| Raw::from_text(params).ok());
                        self.0.extension_notification(name, params, peer);
                    }
                }
                Ok(())
            }

            fn call(&mut self, call: IncomingCall<'_>) -> Work {
                match call.name {
                    $($callname if !self.0.advertises(&methods::$callty::ROW.gate) => {
                        call.method_not_found()
                    })*
                    $($callname => {
                        call.accept_for::<methods::$callty, Self>(self, |side, params, answer| {
                            side.0.$call(params, answer)
                        })
                    })*
                    _ => self.0.extension_call(call),
                }
            }

            fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
                self.0.poll_ready(context)
            }

            fn unhandled(&mut self, unhandled: Unhandled<'_>) {
                self.0.unhandled(unhandled);
            }

            fn ended(&mut self, end: &crate::ConnectionEnd) {
                self.0.ended(end);
            }
        }
    };
}

pub(super) use sides;

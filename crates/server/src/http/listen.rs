//! Accepts connections, within limits, and answers those that were accepted when the service stops.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener as Listener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::HttpService;
use actix_service::{IntoServiceFactory as _, Service as _, ServiceFactory as _, fn_factory};
use actix_web::dev::AppConfig;
use actix_web::rt::net::{TcpListener, TcpSocket, TcpStream};
use actix_web::rt::time::{sleep, timeout};
use actix_web::{rt, web};
use sheaf_answers::ErrorCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{Notify, watch};

use super::admission::{Connections, MAX_REFUSED};
use super::connection::Connection;
use super::{Service, app, malformed};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long clients that are connected when the service stops have for asking.
const LAST_CALL: Duration = Duration::from_millis(500);

/// How long a client has that was refused for reading why.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a thread that answers requests needs.
pub(super) struct Worker {
    pub(super) service: web::Data<Service>,
    pub(super) connections: Arc<Connections>,
    pub(super) stop: watch::Receiver<bool>,
    pub(super) bound: SocketAddr,
}

/// Listens on an address.
pub(super) fn listen(address: SocketAddr) -> io::Result<Listener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Tasks of a worker that are under way.
#[derive(Default)]
struct Open {
    connections: std::cell::Cell<usize>,
    refused: std::cell::Cell<usize>,
    ended: Notify,
}

/// One of them; dropping it ends it.
struct Counted(Rc<Open>, fn(&Open) -> &std::cell::Cell<usize>);

impl Counted {
    fn new(open: &Rc<Open>, which: fn(&Open) -> &std::cell::Cell<usize>) -> Self {
        let count = which(open);
        count.set(count.get() + 1);
        Self(Rc::clone(open), which)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let count = (self.1)(&self.0);
        count.set(count.get().saturating_sub(1));
        self.0.ended.notify_one();
    }
}

impl Worker {
    /// Answers until the service stops, and then until all who were connected are answered.
    pub(super) async fn run(mut self, listener: Listener) -> io::Result<()> {
        let shared = self.service.clone();
        let factory = fn_factory(move || {
            let app = app(shared.clone()).into_factory();
            app.new_service(AppConfig::default())
        });
        let patience = self.service.patience;
        let http = HttpService::build()
            // A client that closed its connection is gone: its question is dropped.
            .h1_allow_half_closed(false)
            .keep_alive(patience)
            .client_request_timeout(patience)
            .client_disconnect_timeout(FAREWELL)
            .local_addr(self.bound)
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(Rc::clone(connection.activity()));
            })
            .h1(factory);
        let Ok(http) = http.new_service(()).await else {
            return Err(io::Error::other("the HTTP service cannot be set up"));
        };
        let http = Rc::new(http);
        let open = Rc::new(Open::default());
        let listener = TcpListener::from_std(listener)?;
        let mut stop = self.stop.clone();
        let mut stopped = std::pin::pin!(stop.wait_for(|is_stopping| *is_stopping));
        loop {
            let accepted = std::future::poll_fn(|context| {
                if stopped.as_mut().poll(context).is_ready() {
                    return std::task::Poll::Ready(None);
                }
                listener.poll_accept(context).map(Some)
            });
            match accepted.await {
                None => break,
                Some(Ok((socket, peer))) => self.welcome(&http, &open, socket, peer),
                Some(Err(error)) if is_of_one_connection(&error) => {}
                Some(Err(error)) => {
                    tracing::warn!(%error, "cannot accept connections");
                    sleep(LAST_CALL).await;
                }
            }
        }
        // Their clients are connected, whether or not we knew.
        let listener = listener.into_std()?;
        while let Ok((socket, peer)) = listener.accept() {
            socket.set_nonblocking(true)?;
            self.welcome(&http, &open, TcpStream::from_std(socket)?, peer);
        }
        drop(listener);
        while open.connections.get() > 0 {
            open.ended.notified().await;
        }
        Ok(())
    }

    fn welcome<S>(&mut self, http: &Rc<S>, open: &Rc<Open>, socket: TcpStream, peer: SocketAddr)
    where
        S: actix_service::Service<(Connection, Option<SocketAddr>), Response = ()> + 'static,
        S::Error: std::fmt::Display,
    {
        let admission = match self.connections.admit(peer.ip()) {
            Ok(admission) => admission,
            Err(reason) => return refuse(open, socket, &reason),
        };
        // It is only about speed.
        let _ = socket.set_nodelay(true);
        let stop = self.stop.clone();
        let stopped = Box::pin(last_call(stop));
        let connection = Connection::new(socket, admission, self.service.patience, stopped);
        let http = Rc::clone(http);
        let counted = Counted::new(open, |open| &open.connections);
        rt::spawn(async move {
            if let Err(error) = http.call((connection, Some(peer))).await {
                tracing::debug!(%peer, %error, "connection ended");
            }
            drop(counted);
        });
    }
}

/// Errors of a connection that went away before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}

/// Ends when the service stops, after those who are connected could ask.
async fn last_call(mut stop: watch::Receiver<bool>) {
    // An error is the end of the service, too.
    let _ = stop.wait_for(|is_stopping| *is_stopping).await;
    sleep(LAST_CALL).await;
}

/// Asks a client to come back later. Where many are being asked already, the connection is closed at once,
/// which a client that has sent its request may see as a reset.
fn refuse(open: &Rc<Open>, mut socket: TcpStream, reason: &str) {
    tracing::debug!(reason, "connection refused");
    let line = "HTTP/1.1 503 Service Unavailable";
    let text = malformed::answer(line, "Retry-After: 1\r\n", ErrorCode::Busy, reason);
    if open.refused.get() >= MAX_REFUSED / 2 {
        if let Ok(mut socket) = socket.into_std() {
            // The client may be gone already.
            let _ = socket.write(text.as_bytes());
        }
        return;
    }
    let counted = Counted::new(open, |open| &open.refused);
    rt::spawn(async move {
        let _counted = counted;
        let farewell = async {
            socket.write_all(text.as_bytes()).await?;
            socket.shutdown().await?;
            // A connection that is closed with unread bytes is reset, and the answer lost.
            let mut rest = [0; 1024];
            while socket.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        let _ = timeout(FAREWELL, farewell).await;
    });
}

//! The service: configuration, start, graceful stop.

mod access;
mod asking;
mod assets;
mod decisions;
mod depth;
mod document;
mod error;
mod imports;
mod limit;
mod paths;
mod query;
mod queue;
mod routes;
mod scale;
mod similar;
mod timeline;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpServer, web};

use crate::imports::Imports;
use crate::{Answers, Error, Limits};
pub use document::openapi;
pub(crate) use error::Fault;
use limit::Limit;
use queue::Queue;

/// How the service is started.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Address to listen on; loopback unless its user knows better.
    pub bind: IpAddr,
    /// Port; 0 takes any free one.
    pub port: u16,
    /// Token that requests must show; `None` lets everybody in who can reach the address.
    pub token: Option<String>,
    /// Stores to serve; the first is shown first.
    pub stores: Vec<PathBuf>,
    /// Whether uploads are refused.
    pub is_read_only: bool,
    /// Bounds on uploads.
    pub limits: Limits,
    /// Bounds on questions.
    pub questions: QuestionLimits,
}

/// Bounds on questions.
#[derive(Debug, Clone)]
pub struct QuestionLimits {
    /// Time that a question may take, waiting for its turn included.
    pub deadline: Duration,
    /// Bytes of an answer at most.
    pub most_bytes: usize,
}

impl Default for QuestionLimits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            most_bytes: 256 << 20,
        }
    }
}

/// Questions that are computed at once; most use several processors themselves.
fn places() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 2
}

/// What handlers share.
pub(crate) struct Service {
    /// Names in the order given; the first is the default.
    pub(crate) names: Vec<String>,
    pub(crate) stores: BTreeMap<String, Arc<Answers>>,
    pub(crate) token: Option<String>,
    pub(crate) bind: IpAddr,
    /// Questions that wait and are computed.
    pub(crate) queue: Queue,
    pub(crate) deadline: Duration,
    pub(crate) most_bytes: usize,
    pub(crate) imports: Imports,
    /// Files that are received at once.
    pub(crate) uploads: Limit,
    /// Streams of events that are open at once.
    pub(crate) watchers: Limit,
}

impl Service {
    /// The store of a name, or the first, under its name.
    pub(crate) fn store(&self, named: Option<&str>) -> Result<(&str, Arc<Answers>), Fault> {
        let name = named
            .or(self.names.first().map(String::as_str))
            .unwrap_or_default();
        self.stores
            .get_key_value(name)
            .map(|(name, answers)| (name.as_str(), Arc::clone(answers)))
            .ok_or_else(|| Fault::unknown_store(name, &self.names))
    }
}

/// How often forgotten imports are looked for.
const TIDY: Duration = Duration::from_secs(30);

/// Serves until interrupted; calls `ready` with the bound address once it accepts connections.
///
/// Requests in flight at an interrupt are finished, for at most five seconds.
///
/// # Errors
/// When a store cannot be opened or the address cannot be bound.
pub fn serve(options: ServeOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let (names, stores) = open_stores(&options.stores)?;
    let imports = Imports::new(stores.clone(), options.limits, options.is_read_only);
    let service = web::Data::new(Service {
        names,
        stores,
        imports,
        uploads: Limit::new(32),
        watchers: Limit::new(32),
        token: options.token,
        bind: options.bind,
        queue: Queue::new(places()),
        deadline: options.questions.deadline,
        most_bytes: options.questions.most_bytes,
    });
    actix_web::rt::System::new().block_on(async move {
        let address = SocketAddr::new(options.bind, options.port);
        let shared = service.clone();
        let server = HttpServer::new(move || {
            App::new()
                .app_data(service.clone())
                .app_data(error::json_config())
                .wrap(from_fn(access::check))
                .wrap(Compress::default())
                .wrap(access::security_headers())
                .configure(routes::configure)
                .configure(depth::configure)
                .configure(decisions::configure)
                .configure(timeline::configure)
                .configure(scale::configure)
                .configure(paths::configure)
                .configure(similar::configure)
                .configure(imports::configure)
                .default_service(web::get().to(assets::page))
        })
        .workers(2)
        // A client that closed its connection has gone: its question is dropped.
        .h1_allow_half_closed(false)
        .shutdown_timeout(5)
        .bind(address)
        .map_err(|source| Error::Bind { address, source })?;
        let bound = server.addrs().first().copied().unwrap_or(address);
        tracing::info!(%bound, "listening");
        let running = server.run();
        ready(bound);
        let tidying = actix_web::rt::spawn(tidy(shared.clone()));
        // Streams of events end then, so that nobody waits for them.
        let stopping = actix_web::rt::spawn(stop_when_interrupted(shared.clone()));
        let outcome = running.await.map_err(Error::Run);
        tidying.abort();
        stopping.abort();
        shared.imports.stop();
        outcome
    })
}

async fn tidy(service: web::Data<Service>) {
    let mut ticks = actix_web::rt::time::interval(TIDY);
    loop {
        ticks.tick().await;
        let service = service.clone();
        // It ends early only when the service does.
        let _ = web::block(move || service.imports.tidy()).await;
    }
}

async fn stop_when_interrupted(service: web::Data<Service>) {
    use actix_web::rt::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        return;
    };
    let mut interrupted = std::pin::pin!(actix_web::rt::signal::ctrl_c());
    std::future::poll_fn(|context| {
        let is_interrupted = interrupted.as_mut().poll(context).is_ready();
        if is_interrupted || terminated.poll_recv(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
    service.imports.stop();
}

type NamedStores = (Vec<String>, BTreeMap<String, Arc<Answers>>);

fn open_stores(paths: &[PathBuf]) -> Result<NamedStores, Error> {
    let mut names = Vec::new();
    let mut stores = BTreeMap::new();
    for path in paths {
        let answers = Arc::new(Answers::open(path)?);
        let base = answers.name();
        let mut name = base.clone();
        let mut number = 1;
        while names.contains(&name) {
            number += 1;
            name = format!("{base}-{number}");
        }
        names.push(name.clone());
        stores.insert(name, answers);
    }
    if names.is_empty() {
        Err(Error::NoStore)
    } else {
        Ok((names, stores))
    }
}

/// A fresh token: 128 bits from the system's random source, 32 hexadecimal digits.
///
/// # Errors
/// When the system has no random source.
pub fn new_token() -> std::io::Result<String> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut token = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

//! The service: configuration, start, graceful stop.

mod access;
mod access_log;
mod addresses;
mod admission;
mod asking;
mod assets;
mod caller;
mod columns;
mod connection;
mod decisions;
mod depth;
mod document;
mod error;
mod failures;
mod headers;
mod held;
mod imports;
mod in_process;
mod limit;
mod list;
mod listen;
mod malformed;
mod notes;
mod observe;
mod pace;
mod paths;
mod prefix;
mod query;
mod queue;
mod revision;
mod routes;
mod scale;
mod similar;
mod source;
mod stop;
mod timeline;
mod what_if;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, web};
use sheaf_ensemble::{Caller, Checks, SourceFolders};
use tokio::sync::watch;

use crate::imports::Imports;
use crate::{Answers, Error, Limits};
use access_log::AccessLog;
pub use addresses::AddressRange;
pub use admission::ConnectionLimits;
use admission::Connections;
pub(crate) use assets::report_template;
pub use document::openapi;
pub(crate) use error::ApiError;
use failures::Failures;
use held::Held;
pub use in_process::{InProcess, Reply, error_body};
use limit::Limit;
pub use prefix::BasePath;
use queue::Queue;
pub use stop::Ended;

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
    /// When tables are compared with their checksums.
    pub checks: Checks,
    /// Whether stores are served that others may write to.
    pub is_shared_allowed: bool,
    /// Whether uploads are refused.
    pub is_read_only: bool,
    /// Bounds on uploads.
    pub limits: Limits,
    /// Bounds on connections.
    pub connections: ConnectionLimits,
    /// How long a client may keep its place without sending or taking anything.
    pub patience: Duration,
    /// Proxies whose `X-Forwarded-Host`, `-Proto` and `-For` count.
    pub trusted_proxies: Vec<AddressRange>,
    /// Path below which a proxy shows the service, if it is not the root.
    pub base_path: BasePath,
    /// Whether each answer is a line on standard error.
    pub has_access_log: bool,
    /// Folders with the programs and libraries of uploaded traces.
    pub symbols_from: Vec<PathBuf>,
    /// Folders with source files that the page may show.
    pub sources_from: Vec<PathBuf>,
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
    /// Answers that clients have not received completely.
    pub(crate) held: Held,
    pub(crate) deadline: Duration,
    pub(crate) most_bytes: usize,
    pub(crate) imports: Imports,
    pub(crate) sources: SourceFolders,
    /// Files that are received at once.
    pub(crate) uploads: Limit,
    /// Streams of events that are open at once.
    pub(crate) watchers: Limit,
    pub(crate) patience: Duration,
    proxies: Vec<AddressRange>,
    base_path: BasePath,
    failures: Failures,
    access_log: Option<AccessLog>,
    stopping: watch::Receiver<bool>,
}

impl Service {
    /// The store of a name, or the first, under its name.
    pub(crate) fn store(&self, named: Option<&str>) -> Result<(&str, Arc<Answers>), ApiError> {
        let name = named
            .or(self.names.first().map(String::as_str))
            .unwrap_or_default();
        self.stores
            .get_key_value(name)
            .map(|(name, answers)| (name.as_str(), Arc::clone(answers)))
            .ok_or_else(|| ApiError::unknown_store(name, &self.names))
    }

    fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }
}

/// How often forgotten imports are looked for.
const TIDY: Duration = Duration::from_secs(30);

/// Threads that read requests and write answers; the answers are computed on others.
const WORKERS: usize = 2;

/// Serves until interrupted; calls `ready` with the bound address once it accepts connections.
///
/// At SIGINT or SIGTERM it accepts no more connections, and answers those that it has, for at most
/// half a minute. At the second signal it ends at once.
///
/// # Errors
/// When a store cannot be opened, the address cannot be bound, or more connections are wanted than
/// the system has descriptors for.
pub fn serve(options: ServeOptions, ready: impl FnOnce(SocketAddr)) -> Result<Ended, Error> {
    let (names, stores) = open_stores(&options)?;
    let connections = Connections::new(options.connections, options.trusted_proxies.clone())?;
    let sources = SourceFolders::new(options.sources_from)
        .map_err(|(path, source)| Error::SourceFolder { path, source })?;
    let imports = Imports::new(
        stores.clone(),
        options.limits,
        options.is_read_only,
        options.symbols_from,
    );
    let access_log = options.has_access_log.then(AccessLog::start).transpose();
    let (stop, stopping) = watch::channel(false);
    let service = web::Data::new(Service {
        names,
        stores,
        imports,
        sources,
        uploads: Limit::new(32),
        watchers: Limit::new(32),
        token: options.token,
        bind: options.bind,
        queue: Queue::new(places()),
        held: Held::default(),
        deadline: options.questions.deadline,
        most_bytes: options.questions.most_bytes,
        patience: options.patience,
        proxies: options.trusted_proxies,
        base_path: options.base_path,
        failures: Failures::new(),
        access_log: access_log.map_err(Error::Run)?,
        stopping: stopping.clone(),
    });
    let address = SocketAddr::new(options.bind, options.port);
    actix_web::rt::System::new().block_on(async move {
        let signals = stop::Signals::watch().map_err(Error::Run)?;
        let bind = |source| Error::Bind { address, source };
        let listener = listen::listen(address).map_err(bind)?;
        let bound = listener.local_addr().map_err(bind)?;
        let mut workers = stop::Workers::default();
        for _ in 0..WORKERS {
            let listener = listener.try_clone().map_err(Error::Run)?;
            let worker = listen::Worker {
                service: service.clone(),
                connections: Arc::clone(&connections),
                stop: stopping.clone(),
                bound,
            };
            workers.start(worker, listener).map_err(Error::Run)?;
        }
        drop(listener);
        tracing::info!(%bound, "listening");
        ready(bound);
        let tidying = actix_web::rt::spawn(tidy(service.clone()));
        let ended = stop::until_ended(signals, workers, || {
            // Event streams end then, so that they do not delay the end.
            service.imports.stop();
            let _ = stop.send(true);
        });
        let ended = ended.await;
        tidying.abort();
        if let Some(log) = &service.access_log {
            log.flush();
        }
        ended.map_err(Error::Run)
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

/// What answers requests: the routes, and what surrounds all of them, the outermost last.
fn app(
    service: web::Data<Service>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = actix_web::Error,
        InitError = (),
    >,
> {
    App::new()
        .app_data(service)
        .app_data(error::json_config())
        .configure(configure)
        .wrap(from_fn(access::check))
        .wrap(Compress::default())
        .wrap(from_fn(observe::observe))
        .wrap(headers::security_headers())
}

/// The routes: first the public ones, by their exact paths; then, behind the token, everything
/// else, for any path.
///
/// Which of the two a request belongs to is decided by routing itself. A path that routing reads
/// in another way than we do therefore asks for the token.
fn configure(config: &mut web::ServiceConfig) {
    config.configure(assets::configure);
    let guarded = web::scope("")
        .wrap(from_fn(revision::answer_unchanged))
        .wrap(from_fn(access::check_token))
        .configure(routes::configure)
        .configure(depth::configure)
        .configure(what_if::configure)
        .configure(decisions::configure)
        .configure(timeline::configure)
        .configure(scale::configure)
        .configure(paths::configure)
        .configure(similar::configure)
        .configure(source::configure)
        .configure(notes::configure)
        .configure(imports::configure)
        .default_service(web::route().to(assets::page));
    // Targets without a path, such as `*`, are in no scope.
    config
        .service(guarded)
        .default_service(web::route().to(access::unknown_target));
}

type NamedStores = (Vec<String>, BTreeMap<String, Arc<Answers>>);

fn open_stores(options: &ServeOptions) -> Result<NamedStores, Error> {
    let mut names = Vec::new();
    let mut stores = BTreeMap::new();
    for path in &options.stores {
        let answers = Answers::open_for(path, Caller::default(), options.checks)?;
        let exposed = answers.exposures().into_iter().next();
        if let Some(exposure) = exposed.filter(|_| !options.is_shared_allowed) {
            return Err(Error::Exposed { exposure });
        }
        let answers = Arc::new(answers);
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

//! The service: configuration, start, graceful stop.

mod access;
mod assets;
mod document;
mod error;
mod limit;
mod routes;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpServer, web};

use crate::{Answers, Error};
pub use document::openapi;
use limit::Limit;

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
}

/// What handlers share.
pub(crate) struct Service {
    /// Names in the order given; the first is the default.
    pub(crate) names: Vec<String>,
    pub(crate) stores: BTreeMap<String, Arc<Answers>>,
    pub(crate) token: Option<String>,
    pub(crate) bind: IpAddr,
    pub(crate) limit: Limit,
}

/// Serves until interrupted; calls `ready` with the bound address once it accepts connections.
///
/// Requests in flight at an interrupt are finished, for at most five seconds.
///
/// # Errors
/// When a store cannot be opened or the address cannot be bound.
pub fn serve(options: ServeOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let (names, stores) = open_stores(&options.stores)?;
    let service = web::Data::new(Service {
        names,
        stores,
        token: options.token,
        bind: options.bind,
        limit: Limit::new(64),
    });
    actix_web::rt::System::new().block_on(async move {
        let address = SocketAddr::new(options.bind, options.port);
        let server = HttpServer::new(move || {
            App::new()
                .app_data(service.clone())
                .app_data(error::query_config())
                .wrap(from_fn(access::check))
                .wrap(Compress::default())
                .wrap(access::security_headers())
                .configure(routes::configure)
                .default_service(web::get().to(assets::page))
        })
        .workers(2)
        .shutdown_timeout(5)
        .bind(address)
        .map_err(|source| Error::Bind { address, source })?;
        let bound = server.addrs().first().copied().unwrap_or(address);
        tracing::info!(%bound, "listening");
        let running = server.run();
        ready(bound);
        running.await.map_err(Error::Run)
    })
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

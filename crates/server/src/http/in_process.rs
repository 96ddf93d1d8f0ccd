//! The service without a socket: questions of this process, answered by the same routes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_http::Request;
use actix_service::{IntoServiceFactory as _, Service as _, ServiceFactory as _};
use actix_web::HttpMessage as _;
use actix_web::body::to_bytes;
use actix_web::dev::AppConfig;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{StatusCode, Uri};
use actix_web::rt::Runtime;
use actix_web::rt::time::timeout;
use actix_web::web;
use sheaf_answers::ErrorBody;
use sheaf_ensemble::{Caller, Checks, SourceFolders};
use sheaf_model::{Progress, Step};
use tokio::sync::watch;

use super::error::ApiError;
use super::failures::Failures;
use super::held::Held;
use super::limit::Limit;
use super::prefix::BasePath;
use super::queue::Queue;
use super::revision::REVISION;
use super::{Service, app, places};
use crate::imports::Imports;
use crate::{Answers, Limits};

/// How often it is asked whether to go on.
const TICK: Duration = Duration::from_millis(50);

/// Longer than anybody waits; clocks can still add it.
const NO_DEADLINE: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// One store, asked by paths of the service. Nothing runs between two questions, so it costs no thread.
pub struct InProcess {
    service: web::Data<Service>,
    // Handlers look at it: it never changes, as nothing stops this service.
    _stop: watch::Sender<bool>,
}

/// An error as the service sends it.
pub fn error_body(error: &sheaf_ensemble::Error) -> ErrorBody {
    ApiError::from_ensemble(error).into_body()
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Status code of HTTP.
    pub status: u16,
    /// Type of the content.
    pub content_type: String,
    /// Revision of the store that the answer is from, if it follows from the store alone.
    pub revision: Option<String>,
    /// The content.
    pub body: Vec<u8>,
}

impl InProcess {
    /// Opens a store that exists.
    ///
    /// # Errors
    /// When there is no store, or one of a later version.
    pub fn open(store: &Path) -> Result<Self, ErrorBody> {
        let answers = Answers::open_for(store, Caller::default(), Checks::default());
        let answers = answers.map_err(|error| error_body(&error))?;
        let name = answers.name();
        let stores = [(name.clone(), Arc::new(answers))].into();
        let (stop, stopping) = watch::channel(false);
        let service = web::Data::new(Service {
            names: vec![name],
            imports: Imports::new(
                std::collections::BTreeMap::clone(&stores),
                Limits::default(),
                true,
                Vec::new(),
            ),
            stores,
            sources: SourceFolders::default(),
            uploads: Limit::new(1),
            watchers: Limit::new(1),
            token: None,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            queue: Queue::new(places()),
            held: Held::default(),
            deadline: NO_DEADLINE,
            most_bytes: usize::MAX,
            patience: NO_DEADLINE,
            proxies: Vec::new(),
            base_path: BasePath::default(),
            failures: Failures::new(),
            access_log: None,
            stopping,
        });
        Ok(Self {
            service,
            _stop: stop,
        })
    }

    /// Answers `GET TARGET`, where the target is a path with or without a query. `goes_on` is asked several times a
    /// second, with the step that the question is at if there is a new one; when it says no, the question is cancelled
    /// and there is no answer.
    ///
    /// # Errors
    /// When the target is not one, or the system refuses what it takes to wait for an answer.
    pub fn ask(
        &self,
        target: &str,
        accept: &str,
        mut goes_on: impl FnMut(Option<Step>) -> bool,
    ) -> std::io::Result<Option<Reply>> {
        let request = request(target, accept)?;
        let latest = Arc::new(Mutex::new(None));
        let reported = Arc::clone(&latest);
        let progress = Progress::watched(move |step| {
            *reported.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.clone());
        });
        self.answer(request, progress, || {
            goes_on(latest.lock().unwrap_or_else(PoisonError::into_inner).take())
        })
    }

    /// Answers a request whose work reports to `progress`, as long as `goes_on` says so.
    fn answer(
        &self,
        request: Request,
        progress: Progress,
        mut goes_on: impl FnMut() -> bool,
    ) -> std::io::Result<Option<Reply>> {
        request.extensions_mut().insert(progress);
        let service = self.service.clone();
        let runtime = Runtime::new()?;
        runtime.block_on(async move {
            let factory = app(service).into_factory();
            let not_set_up = |()| std::io::Error::other("the routes cannot be set up");
            let app = factory.new_service(AppConfig::default());
            let app = app.await.map_err(not_set_up)?;
            let mut answering = std::pin::pin!(async {
                let response = app.call(request).await.map_err(|error| to_io(&error))?;
                let (status, headers) = (response.status(), response.headers().clone());
                let body = to_bytes(response.into_body()).await;
                let body = body.map_err(|error| std::io::Error::other(error.into().to_string()))?;
                Ok(Reply::new(status, &headers, body.into()))
            });
            loop {
                if let Ok(reply) = timeout(TICK, answering.as_mut()).await {
                    return reply.map(Some);
                }
                if !goes_on() {
                    return Ok(None);
                }
            }
        })
    }
}

impl Reply {
    fn new(status: StatusCode, headers: &HeaderMap, body: Vec<u8>) -> Self {
        let text = |name: HeaderName| {
            let value: Option<&HeaderValue> = headers.get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Self {
            status: status.as_u16(),
            content_type: text(header::CONTENT_TYPE).unwrap_or_default(),
            revision: text(REVISION),
            body,
        }
    }
}

fn request(target: &str, accept: &str) -> std::io::Result<Request> {
    let mut request = Request::new();
    let head = request.head_mut();
    head.uri = Uri::try_from(target).map_err(std::io::Error::other)?;
    head.peer_addr = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let host = HeaderValue::from_static("localhost");
    head.headers.insert(header::HOST, host);
    let accept = HeaderValue::from_str(accept).map_err(std::io::Error::other)?;
    head.headers.insert(header::ACCEPT, accept);
    Ok(request)
}

fn to_io(error: &actix_web::Error) -> std::io::Error {
    std::io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn open() -> (tempfile::TempDir, InProcess) {
        let folder = tempfile::tempdir().unwrap();
        drop(Answers::create_or_open(folder.path()).unwrap());
        let service = InProcess::open(folder.path()).unwrap();
        (folder, service)
    }

    #[test]
    fn routes_answer_as_over_a_socket() {
        let (_folder, service) = open();
        let ask = |target| service.ask(target, "*/*", |_| true).unwrap().unwrap();
        let store = ask("/api/v1/store");
        assert_eq!(
            (store.status, &*store.content_type),
            (200, "application/json")
        );
        assert!(store.revision.is_some());
        let fault = ask("/api/v1/nowhere");
        assert_eq!(fault.status, 404);
        assert!(String::from_utf8(fault.body).unwrap().contains("not_found"));
        assert!(service.ask("no path", "*/*", |_| true).is_err());
    }

    /// The question panics at its first report, then at its second, and so on, until it is over before that.
    fn panic_at_each_report(service: &InProcess, target: &str) -> usize {
        for wanted in 0.. {
            let reports = AtomicUsize::new(0);
            let progress = Progress::watched(move |step| {
                let number = reports.fetch_add(1, Ordering::Relaxed);
                assert_ne!(number, wanted, "panics on purpose at `{}`", step.name);
            });
            let request = request(target, "*/*").unwrap();
            let reply = service.answer(request, progress, || true);
            let reply = reply.unwrap().unwrap();
            if reply.status == 200 {
                return wanted;
            }
            let body = String::from_utf8(reply.body).unwrap();
            let expected = r#"{"code":"internal","message":"the question was given up","hint":"please report this with the lens"}"#;
            assert_eq!((reply.status, &*body), (500, expected));
        }
        0
    }

    #[test]
    fn a_worker_that_panics_spoils_only_its_own_question() {
        let store = Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../data/ensembles/threads"
        ));
        let service = InProcess::open(store).unwrap();
        for target in ["sankey", "stats?lens=by%20threads", "similar"] {
            let target = format!("/api/v1/{target}");
            assert!(panic_at_each_report(&service, &target) > 0, "{target}");
            let ask = |service: &InProcess| service.ask(&target, "*/*", |_| true);
            let untouched = InProcess::open(store).unwrap();
            assert_eq!(ask(&service).unwrap(), ask(&untouched).unwrap(), "{target}");
        }
    }

    #[test]
    fn a_missing_store_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(InProcess::open(&folder.path().join("none")).is_err());
    }
}

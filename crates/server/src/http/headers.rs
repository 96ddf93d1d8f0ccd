//! Security headers: they isolate the page from others.

use actix_web::middleware::DefaultHeaders;

/// Headers of every answer.
pub(super) const SECURITY_HEADERS: [(&str, &str); 5] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

/// Adds the headers of every answer.
pub(super) fn security_headers() -> DefaultHeaders {
    SECURITY_HEADERS
        .into_iter()
        .fold(DefaultHeaders::new(), DefaultHeaders::add)
}

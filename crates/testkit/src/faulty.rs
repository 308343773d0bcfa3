//! Routes that fail as only a bug could make a route fail.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use guildhall_ops::Service;
use guildhall_store::Error;

/// `/test/panic` panics in its handler, `/test/panic-in-transaction` in the middle of a transaction.
pub(crate) fn routes(service: &Arc<Service>) -> Router {
    let service = Arc::clone(service);
    let in_transaction = async move || {
        let job =
            |_: &mut guildhall_store::Tx<'_>| -> Result<(), Error> { panic!("as it was asked to") };
        let outcome = service.db().write("test.panic", job).await;
        // What an operation makes of it is the adapter's to answer; here it is enough that there is an end.
        panic!("the store gave {outcome:?}");
    };
    Router::new()
        .route("/test/panic", get(async || -> &'static str { panic!("as it was asked to") }))
        .route(
            "/test/panic-in-transaction",
            get(async move || -> &'static str { in_transaction().await }),
        )
}

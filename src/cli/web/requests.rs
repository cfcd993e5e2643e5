//! Requests about environments and rules, and the texts that pages may use.

use std::sync::OnceLock;

use axum::Json;
use axum::extract::Query;
use serde_json::Value;

use super::reply::{Reply, work};
use ludovec::play::interface::{self, RulesRequest, ViewQuery};
use ludovec::play::trust::Trust;

/// The texts that the command line allows to pages.
static ALLOWED: OnceLock<Trust> = OnceLock::new();

/// Allows texts to all pages of this process; only the first call has an effect.
pub fn allow(texts: Trust) {
    let _ = ALLOWED.set(texts);
}

/// The texts that pages may use.
pub(super) fn allowed() -> &'static Trust {
    ALLOWED.get_or_init(Trust::default)
}

pub(super) async fn environments() -> Reply<Json<Value>> {
    work(|| Ok(Json(interface::environments()?))).await
}

pub(super) async fn cards(Query(query): Query<ViewQuery>) -> Reply<Json<Value>> {
    work(move || Ok(Json(interface::cards(&query)?))).await
}

pub(super) async fn rules(Json(rules): Json<RulesRequest>) -> Reply<Json<Value>> {
    work(move || Ok(Json(interface::rules(&rules.make(allowed())?, allowed())))).await
}

//! The D1, KV, R2 and queue endpoints of the fake account.

use super::{Call, failed, succeeded};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rusqlite::Connection;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The resources of the account.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    /// The databases by name.
    pub(crate) databases: BTreeMap<String, Connection>,
    pub(crate) namespaces: Vec<String>,
    /// The requests that created the buckets, by the buckets' names.
    pub(crate) buckets: BTreeMap<String, Value>,
    /// The queues as the API shows them, by name.
    pub(crate) queues: BTreeMap<String, Value>,
    /// The error that every query of the databases returns.
    pub(crate) database_error: Option<&'static str>,
    /// The error that every import returns.
    pub(crate) import_error: Option<&'static str>,
    /// The files that were uploaded for imports, by their hashes.
    uploads: BTreeMap<String, String>,
}

impl Resources {
    /// Answers a request about these resources. Returns `None` for any other request.
    pub(super) fn answer(&mut self, call: &Call<'_>) -> Option<Response> {
        match (call.method.as_str(), call.path.as_slice()) {
            ("GET", ["d1", "database"]) => {
                let name = call.parameter("name");
                let named = self.databases.keys().filter(|other| name.is_empty() || name == *other);
                Some(succeeded(&named.map(|name| database(name)).collect()))
            }
            ("POST", ["d1", "database"]) => Some(self.create_database(&call.json())),
            ("GET", ["d1", "database", id]) => {
                let name = self.databases.keys().find(|name| *name == id || database_id(name) == *id);
                Some(name.map_or_else(not_found, |name| succeeded(&database(name))))
            }
            ("POST", ["d1", "database", id, "query"]) => Some(self.query(id, &call.json())),
            ("POST", ["d1", "database", id, "import"]) => Some(self.import(id, &call.json(), call.address)),
            ("PUT", ["upload", hash]) => {
                self.uploads.insert((*hash).to_owned(), String::from_utf8_lossy(call.body).into_owned());
                Some(([("etag", format!("\"{hash}\""))], "").into_response())
            }
            ("GET", ["storage", "kv", "namespaces"]) => {
                Some(succeeded(&self.namespaces.iter().map(|title| namespace(title)).collect()))
            }
            ("POST", ["storage", "kv", "namespaces"]) => {
                let title = text(&call.json(), "title");
                self.namespaces.push(title.clone());
                Some(succeeded(&namespace(&title)))
            }
            ("GET", ["r2", "buckets", name]) => Some(self.buckets.get(*name).map_or_else(not_found, succeeded)),
            ("POST", ["r2", "buckets"]) => {
                let mut body = call.json();
                let jurisdiction = call.headers.get("cf-r2-jurisdiction").and_then(|value| value.to_str().ok());
                body["jurisdiction"] = json!(jurisdiction);
                Some(create(&mut self.buckets, &text(&body, "name"), &body))
            }
            (_, ["queues", rest @ ..]) => self.answer_queues(call, rest),
            _ => None,
        }
    }

    /// Adds all the resources of an environment with this name.
    pub(super) fn add(&mut self, name: &str) {
        self.databases.insert(name.to_owned(), Connection::open_in_memory().expect("a database"));
        self.namespaces.push(format!("{name}-sessions"));
        self.buckets.insert(format!("{name}-media"), json!({}));
        for queue in ["jobs", "jobs-dead"] {
            let name = format!("{name}-{queue}");
            let entry = json!({ "queue_id": format!("queue-{name}"), "queue_name": name, "consumers": [] });
            self.queues.insert(name, entry);
        }
    }

    /// Returns the number of migrations that were applied to a database.
    pub(crate) fn migrations(&self, name: &str) -> usize {
        let counted =
            self.databases[name].query_row("SELECT count(*) FROM d1_migrations", [], |row| row.get::<_, u16>(0));
        counted.expect("a number").into()
    }

    /// Runs a statement on a database.
    pub(crate) fn change_database(&self, name: &str, sql: &str) {
        self.databases[name].execute(sql, []).expect("a valid statement");
    }

    fn create_database(&mut self, body: &Value) -> Response {
        let name = text(body, "name");
        if self.databases.contains_key(&name) {
            return failed(StatusCode::BAD_REQUEST, 7502, "A database with that name already exists");
        }
        self.databases.insert(name.clone(), Connection::open_in_memory().expect("a database"));
        succeeded(&database(&name))
    }

    fn database(&mut self, id: &str) -> Option<&mut Connection> {
        self.databases.iter_mut().find(|(name, _)| database_id(name) == id).map(|(_, database)| database)
    }

    fn query(&mut self, id: &str, body: &Value) -> Response {
        if let Some(error) = self.database_error {
            return failed(StatusCode::BAD_REQUEST, 7500, error);
        }
        let Some(database) = self.database(id) else { return not_found() };
        let mut results = Vec::new();
        for statement in text(body, "sql").split(';').filter(|statement| !statement.trim().is_empty()) {
            match rows(database, statement) {
                Ok(rows) => results.push(json!({ "results": rows, "success": true, "meta": { "duration": 0.1 } })),
                Err(error) => return failed(StatusCode::BAD_REQUEST, 7500, &error.to_string()),
            }
        }
        succeeded(&json!(results))
    }

    fn import(&mut self, id: &str, body: &Value, address: &str) -> Response {
        let hash = text(body, "etag");
        if body["action"] == "init" {
            return succeeded(&json!({ "upload_url": format!("{address}/upload/{hash}"), "filename": hash }));
        }
        let Some(sql) = self.uploads.get(&hash).cloned() else { return not_found() };
        let import_error = self.import_error;
        let Some(database) = self.database(id) else { return not_found() };
        // A failed import changes nothing.
        if let Some(error) = import_error {
            return failed(StatusCode::BAD_REQUEST, 7500, error);
        }
        let imported = database.execute_batch(&format!("BEGIN;\n{sql}\n;COMMIT;"));
        if let Err(error) = imported {
            let _ = database.execute_batch("ROLLBACK");
            return failed(StatusCode::BAD_REQUEST, 7500, &error.to_string());
        }
        let meta = json!({ "duration": 1.0, "rows_read": 1, "rows_written": 1, "size_after": 4096 });
        succeeded(&json!({
            "success": true, "type": "import", "status": "complete", "messages": [], "at_bookmark": "b",
            "result": { "num_queries": 1, "final_bookmark": "b", "meta": meta },
        }))
    }

    fn answer_queues(&mut self, call: &Call<'_>, path: &[&str]) -> Option<Response> {
        match (call.method.as_str(), path) {
            ("GET", []) => {
                let name = call.parameter("name");
                let named = self.queues.iter().filter(|(other, _)| name.is_empty() || name == *other);
                Some(succeeded(&named.map(|(_, queue)| queue.clone()).collect()))
            }
            ("POST", []) => {
                let body = call.json();
                let name = text(&body, "queue_name");
                let queue = json!({
                    "queue_id": format!("queue-{name}"), "queue_name": name, "settings": body["settings"],
                    "consumers": [], "producers": [],
                });
                Some(create(&mut self.queues, &name, &queue))
            }
            ("POST" | "PUT", [id, "consumers", ..]) => {
                let mut consumer = call.json();
                consumer["consumer_id"] = json!(format!("consumer-of-{id}"));
                let Some(queue) = self.queues.values_mut().find(|queue| queue["queue_id"] == *id) else {
                    return Some(not_found());
                };
                if call.method == "POST" && queue["consumers"].as_array().is_some_and(|list| !list.is_empty()) {
                    return Some(failed(StatusCode::BAD_REQUEST, 11004, "the queue has a consumer"));
                }
                queue["consumers"] = json!([consumer]);
                Some(succeeded(&consumer))
            }
            _ => None,
        }
    }
}

fn create(list: &mut BTreeMap<String, Value>, name: &str, entry: &Value) -> Response {
    if list.contains_key(name) {
        return failed(StatusCode::CONFLICT, 10004, "exists already, and you own it");
    }
    list.insert(name.to_owned(), entry.clone());
    succeeded(entry)
}

fn not_found() -> Response {
    failed(StatusCode::NOT_FOUND, 7404, "not found")
}

fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap_or_default().to_owned()
}

fn database_id(name: &str) -> String {
    format!("database-{name}")
}

fn database(name: &str) -> Value {
    json!({ "uuid": database_id(name), "name": name, "version": "production", "num_tables": 0, "file_size": 0 })
}

fn namespace(title: &str) -> Value {
    json!({ "id": format!("namespace-{title}"), "title": title })
}

fn rows(database: &Connection, sql: &str) -> rusqlite::Result<Vec<Value>> {
    let mut statement = database.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let read = |row: &rusqlite::Row<'_>| {
        let mut object = Map::new();
        for (index, name) in names.iter().enumerate() {
            object.insert(name.clone(), json!(row.get::<_, Option<String>>(index)?));
        }
        Ok(Value::Object(object))
    };
    statement.query_map([], read)?.collect()
}

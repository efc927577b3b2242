//! The configuration that wrangler deploys: the committed `wrangler.toml` with the names, hosts and ids of an
//! environment.

use crate::account::Storage;
use crate::environment::Environment;
use crate::routes::route_patterns;
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The secrets without which the Worker refuses to start. If any is missing, wrangler deploys nothing.
pub const REQUIRED_SECRETS: [&str; 6] =
    [PEPPER, "SERVICE_TOKEN", "ADMIN_TOKEN", "WATCH_TOKEN", "ORIGIN_SECRET", "WEBHOOK_SECRET"];

/// The secret with which API keys are hashed.
pub(crate) const PEPPER: &str = "KEY_PEPPER";
/// A second pepper, which the Worker accepts while the pepper is being replaced.
pub const SECOND_PEPPER: &str = "KEY_PEPPER_SECOND";
/// Closes the service to everyone but operators if it is "true". Deployments keep secrets, so none opens it.
pub const CLOSED: &str = "CLOSED";

/// Returns the configuration. Its relative paths start with `folder`, the path from the configuration's folder to the
/// project's.
pub fn worker_config(wrangler_toml: &str, environment: &Environment, storage: &Storage, folder: &str) -> Result<Value> {
    let mut config: Value = toml::from_str(wrangler_toml).context("reading wrangler.toml")?;
    let top = config.as_object_mut().context("wrangler.toml is not a table")?;
    // The Worker is built before the deployment. wrangler need not build it.
    top.remove("build");
    config["name"] = json!(environment.worker());
    config["main"] = json!(format!("{folder}/build/release/index.js"));
    config["routes"] = Value::Array(routes(environment));
    config["secrets"] = json!({ "required": REQUIRED_SECRETS });
    config["assets"]["directory"] = json!(format!("{folder}/edge/site"));
    set_addresses(&mut config, environment);
    set_storage(&mut config, environment, storage, folder);
    for (limit, counter) in environment.rate_limits.iter().enumerate() {
        config["ratelimits"][limit]["namespace_id"] = json!(counter.to_string());
    }
    Ok(config)
}

fn routes(environment: &Environment) -> Vec<Value> {
    let mut routes = vec![json!({ "pattern": environment.upload_host, "custom_domain": true })];
    let route = |pattern: String| json!({ "pattern": pattern, "zone_name": environment.zone });
    routes.extend(route_patterns(environment).into_iter().map(route));
    routes
}

fn set_addresses(config: &mut Value, environment: &Environment) {
    let hosts = [
        ("BASE_URL", &environment.base_host),
        ("UPLOAD_URL", &environment.upload_host),
        ("SITE_URL", &environment.site_host),
    ];
    for (name, host) in hosts {
        config["vars"][name] = json!(format!("https://{host}"));
    }
    if let Some(url) = &environment.sign_in_url {
        config["vars"]["SIGN_IN_URL"] = json!(url);
    }
    // `[cache]` puts Cloudflare's cache in front of every deployed Worker.
    config["vars"]["CACHE_IN_FRONT"] = json!("true");
    // Overrides wrangler.toml: no webhook of a deployed Worker may be an address of the machine that runs it.
    config["vars"]["WEBHOOK_LOOPBACK"] = json!("false");
}

fn set_storage(config: &mut Value, environment: &Environment, storage: &Storage, folder: &str) {
    config["d1_databases"][0]["database_name"] = json!(environment.database());
    config["d1_databases"][0]["database_id"] = json!(storage.database_id);
    config["d1_databases"][0]["migrations_dir"] = json!(format!("{folder}/edge/migrations"));
    config["kv_namespaces"][0]["id"] = json!(storage.sessions_id);
    config["r2_buckets"][0]["bucket_name"] = json!(environment.bucket());
    if let Some(jurisdiction) = &environment.jurisdiction {
        config["r2_buckets"][0]["jurisdiction"] = json!(jurisdiction);
    }
    config["queues"]["producers"][0]["queue"] = json!(environment.queue());
    if let (Some(queue), Some(producers)) = (environment.completions(), config["queues"]["producers"].as_array_mut()) {
        producers.push(json!({ "binding": "COMPLETIONS", "queue": queue }));
    }
    config["analytics_engine_datasets"][0]["dataset"] = json!(environment.dataset());
}

#[cfg(test)]
mod tests {
    use super::{REQUIRED_SECRETS, Storage, worker_config};
    use crate::environment::Environment;
    use contract::traffic::BINDING;
    use serde_json::{Value, json};

    fn of(table: &str) -> Value {
        let environment = Environment::parse(table, "production").unwrap();
        let storage = Storage { database_id: "d".to_owned(), sessions_id: "s".to_owned() };
        worker_config(include_str!("../../../wrangler.toml"), &environment, &storage, "../../..").unwrap()
    }

    #[test]
    fn nothing_of_the_local_environment_is_left() {
        let config = of(include_str!("../environments.example.toml"));
        let text = config.to_string();
        assert!(!text.contains("127.0.0.1") && !text.contains("\"local\""), "{text}");
        assert_eq!(config["secrets"]["required"], json!(REQUIRED_SECRETS));
        assert_eq!(config["name"], "clipgate-edge");
        assert_eq!(config["d1_databases"][0]["database_id"], "d");
        assert_eq!(config["kv_namespaces"][0]["id"], "s");
        assert_eq!(
            config["analytics_engine_datasets"],
            json!([{ "binding": BINDING, "dataset": "clipgate_requests" }])
        );
        assert_eq!(config["workers_dev"], false);
        assert_eq!(config["vars"]["WEBHOOK_LOOPBACK"], "false");
        assert_eq!(config["compatibility_flags"], json!(["global_fetch_strictly_public"]));
        assert!(config.get("build").is_none());
    }

    #[test]
    fn the_hosts_of_an_environment_are_its_addresses_and_routes() {
        let table =
            include_str!("../environments.example.toml").replacen("base_host = \"www.", "base_host = \"api.", 1);
        let config = of(&table);
        assert_eq!(config["vars"]["BASE_URL"], "https://api.clipgate.example");
        assert_eq!(config["vars"]["SITE_URL"], "https://www.clipgate.example");
        let patterns: Vec<_> = config["routes"].as_array().unwrap().iter().map(|route| &route["pattern"]).collect();
        assert!(patterns.contains(&&json!("api.clipgate.example/internal/*")));
        assert!(patterns.contains(&&json!("www.clipgate.example/meme/*")));
        assert!(!patterns.contains(&&json!("www.clipgate.example/internal/*")));
    }

    #[test]
    fn completion_jobs_get_a_queue_of_their_own_only_where_it_is_set() {
        let usual = include_str!("../environments.example.toml");
        let queues = |table: &str| of(table)["queues"]["producers"].clone();
        let jobs = json!({ "binding": "JOBS", "queue": "clipgate-jobs" });
        assert_eq!(queues(usual), json!([jobs]));
        let completions = json!({ "binding": "COMPLETIONS", "queue": "clipgate-completions" });
        assert_eq!(queues(&usual.replacen("# completions_queue", "completions_queue", 1)), json!([jobs, completions]));
    }

    #[test]
    fn a_jurisdiction_is_part_of_the_bucket_s_binding() {
        let table = include_str!("../environments.example.toml").replacen("# jurisdiction", "jurisdiction", 1);
        assert_eq!(of(&table)["r2_buckets"][0]["jurisdiction"], "eu");
    }
}

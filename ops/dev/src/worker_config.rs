//! The configuration of the local Worker, derived from the committed `wrangler.toml`: the same bindings, but with local
//! addresses, absolute paths, S3 credentials, and no build step because the Worker is already built.

use crate::options::StackOptions;
use crate::project;
use crate::secrets::{Secrets, write_private};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Writes the configuration into the state folder and returns its path.
pub(crate) fn write(options: &StackOptions, secrets: &Secrets, sign_in_url: &str) -> Result<PathBuf> {
    let committed = std::fs::read_to_string(project::root().join("wrangler.toml")).context("reading wrangler.toml")?;
    let mut config: Value = toml::from_str(&committed).context("parsing wrangler.toml")?;
    localise(&mut config, options, secrets, sign_in_url)?;
    let path = options.state.join("wrangler.json");
    write_private(&path, &serde_json::to_string_pretty(&config)?)?;
    Ok(path)
}

fn localise(config: &mut Value, options: &StackOptions, secrets: &Secrets, sign_in_url: &str) -> Result<()> {
    let root = project::root();
    let top = config.as_object_mut().context("wrangler.toml is not a table")?;
    top.remove("build");
    top.remove("env");
    top.insert("main".to_owned(), json!(root.join(options.variant.entry_file())));
    // Otherwise, esbuild would bundle it again and keep watching its files.
    top.insert("no_bundle".to_owned(), json!(true));
    for name in ["BASE_URL", "UPLOAD_URL", "SITE_URL"] {
        config["vars"][name] = json!(options.address());
    }
    config["vars"]["SIGN_IN_URL"] = json!(sign_in_url);
    config["vars"]["WEBHOOK_LOOPBACK"] = json!("true");
    config["vars"]["CACHE_IN_FRONT"] = json!(options.has_cache.to_string());
    if options.has_cache {
        config["vars"]["CACHE_PURGE_URL"] = json!(options.address());
    }
    for (name, value) in &options.vars {
        config["vars"][name] = json!(value);
    }
    for (name, rate) in &options.rates {
        rate_limit(config, name)?["simple"]["limit"] = json!(rate);
    }
    if options.has_completions_queue {
        let producers = config["queues"]["producers"].as_array_mut().context("wrangler.toml has no queue producers")?;
        producers.push(json!({ "binding": "COMPLETIONS", "queue": "clipgate-completions" }));
    }
    config["assets"]["directory"] = json!(root.join("edge/site"));
    config["d1_databases"][0]["migrations_dir"] = json!(root.join("edge/migrations"));
    config["r2_buckets"][0]["local_dev"] = json!({ "experimental_s3_credentials": {
        "accessKeyId": secrets.s3_access_key_id,
        "secretAccessKey": secrets.s3_secret_access_key,
    }});
    Ok(())
}

/// Returns the rate limit of this name.
fn rate_limit<'a>(config: &'a mut Value, name: &str) -> Result<&'a mut Value> {
    let limits = config["ratelimits"].as_array_mut().context("wrangler.toml has no rate limits")?;
    let limit = limits.iter_mut().find(|limit| limit["name"] == name);
    limit.with_context(|| format!("wrangler.toml has no rate limit {name}"))
}

/// Returns the name of the media bucket in the Worker's configuration.
pub(crate) fn bucket_name(config: &Path) -> Result<String> {
    let name = &read(config)?["r2_buckets"][0]["bucket_name"];
    Ok(name.as_str().context("the first R2 bucket in wrangler.toml has no bucket_name")?.to_owned())
}

/// Returns the settings of the database in the Worker's configuration.
pub(crate) fn database(config: &Path) -> Result<Value> {
    Ok(read(config)?["d1_databases"][0].take())
}

/// Returns the names of the queues in the Worker's configuration: the queue of all jobs, and that of the completion
/// jobs if they have their own.
pub(crate) fn queue_names(config: &Path) -> Result<Vec<String>> {
    let config = read(config)?;
    let producers = config["queues"]["producers"].as_array().context("wrangler.toml has no queue producers")?;
    let name = |producer: &Value| Some(producer["queue"].as_str()?.to_owned());
    producers.iter().map(|producer| name(producer).context("a queue producer has no queue")).collect()
}

fn read(config: &Path) -> Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(config)?)?)
}

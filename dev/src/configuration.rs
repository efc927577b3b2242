//! The local Worker's configuration, derived from the committed `wrangler.toml`: same bindings, but the port's
//! addresses, absolute paths, local S3 credentials, and a Worker that is already built.

use crate::secrets::Secrets;
use crate::stack::Options;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The top folder of the project.
pub fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Writes the configuration into the state folder and says where.
pub fn write(options: &Options, secrets: &Secrets) -> Result<PathBuf> {
    let committed = std::fs::read_to_string(project().join("wrangler.toml"))
        .context("reading wrangler.toml")?;
    let mut configuration: Value = toml::from_str(&committed).context("parsing wrangler.toml")?;
    localise(&mut configuration, options, secrets)?;
    let path = options.state.join("wrangler.json");
    crate::secrets::write_private(&path, &serde_json::to_string_pretty(&configuration)?)?;
    Ok(path)
}

fn localise(configuration: &mut Value, options: &Options, secrets: &Secrets) -> Result<()> {
    let top = configuration
        .as_object_mut()
        .context("wrangler.toml is not a table")?;
    top.remove("build");
    top.remove("env");
    top.insert(
        "main".to_owned(),
        json!(project().join(options.variant.worker())),
    );
    for name in ["BASE_URL", "UPLOAD_URL", "SITE_URL"] {
        configuration["vars"][name] = json!(options.address());
    }
    for (name, value) in &options.vars {
        configuration["vars"][name] = json!(value);
    }
    if let Some(rate) = options.key_rate {
        configuration["ratelimits"][0]["simple"]["limit"] = json!(rate);
    }
    configuration["assets"]["directory"] = json!(project().join("edge/site"));
    configuration["d1_databases"][0]["migrations_dir"] = json!(project().join("edge/migrations"));
    configuration["r2_buckets"][0]["local_dev"] = json!({ "experimental_s3_credentials": {
        "accessKeyId": secrets.s3_access_key_id,
        "secretAccessKey": secrets.s3_secret_access_key,
    }});
    Ok(())
}

/// The name of the bucket, as the Worker's configuration has it.
pub fn bucket(configuration: &Path) -> Result<String> {
    let name = &read(configuration)?["r2_buckets"][0]["bucket_name"];
    Ok(name.as_str().context("the bucket has no name")?.to_owned())
}

/// The name of the queue of jobs, as the Worker's configuration has it.
pub fn queue(configuration: &Path) -> Result<String> {
    let name = &read(configuration)?["queues"]["producers"][0]["queue"];
    Ok(name.as_str().context("the queue has no name")?.to_owned())
}

fn read(configuration: &Path) -> Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(
        configuration,
    )?)?)
}

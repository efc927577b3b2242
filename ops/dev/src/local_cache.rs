//! The cache in front of the local Worker: Varnish, with the rules of Cloudflare's Workers Cache
//! (`ops/dev/cache/cache.vcl`).
//!
//! wrangler does not imitate that cache. Varnish is an independent implementation of HTTP caching, so a header that the
//! Worker gets wrong shows here as it would in production.

use crate::process::{ProcessGroup, tied_to_parent};
use crate::{project, readiness};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Enough for the files that are watched at the same time on one machine. Varnish takes the memory as it needs it.
const STORAGE: &str = "malloc,512m";

/// The places where Debian and other distributions install the program and its module. Neither has to be on the PATH.
const PROGRAM: [&str; 3] = ["/usr/sbin/varnishd", "/usr/local/sbin/varnishd", "/usr/bin/varnishd"];
const LIBRARIES: [&str; 3] = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
const MODULE: &str = "varnish/vmods/libvmod_xkey.so";

/// A running cache. Dropping it stops the process.
#[derive(Debug)]
pub(crate) struct LocalCache(ProcessGroup);

impl LocalCache {
    /// Starts the cache on a loopback port, in front of the Worker's port, without waiting until it is ready.
    pub(crate) fn start(state: &Path, port: u16, worker_port: u16) -> Result<Self> {
        let rules = project::root().join("ops/dev/cache/cache.vcl");
        let configuration = format!(
            "vcl 4.1;\nbackend worker {{ .host = \"127.0.0.1\"; .port = \"{worker_port}\"; \
             .first_byte_timeout = 300s; .between_bytes_timeout = 300s; }}\ninclude \"{}\";\n",
            rules.display()
        );
        let path = state.join("cache.vcl");
        std::fs::write(&path, configuration).with_context(|| format!("writing {}", path.display()))?;
        let command = command(state, port, &path)?;
        ProcessGroup::start("cache", command, state.join("cache.log")).map(Self)
    }

    /// Waits until a request through the cache succeeds.
    pub(crate) async fn wait_until_ready(&mut self, request: &reqwest::RequestBuilder) -> Result<()> {
        readiness::wait_until(&mut self.0, async || readiness::succeeds(request).await).await
    }

    /// Returns the exit status if the cache has ended.
    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.0.exit_status()
    }
}

/// Whether a cache can be started on this machine. `ops/dev/setup cache` installs it.
pub fn is_cache_installed() -> bool {
    program().is_some() && has_module()
}

fn program() -> Option<PathBuf> {
    PROGRAM.into_iter().map(PathBuf::from).find(|path| path.exists())
}

/// Whether the module is in a library folder or, for Debian, in an architecture's folder.
fn has_module() -> bool {
    let folders = LIBRARIES.into_iter().flat_map(|library| {
        let below = std::fs::read_dir(library).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        below.chain(std::iter::once(PathBuf::from(library)))
    });
    folders.into_iter().any(|folder| folder.join(MODULE).exists())
}

fn command(state: &Path, port: u16, configuration: &Path) -> Result<Command> {
    let program = program().context("varnishd is not installed. Run `ops/dev/setup cache`")?;
    let mut command = tied_to_parent(&program);
    command.arg("-F").arg("-n").arg(state.join("cache"));
    command.arg("-a").arg(format!("127.0.0.1:{port}")).arg("-f").arg(configuration);
    command.args(["-s", STORAGE, "-T", "none", "-j", "none"]);
    // Headers contain keys and cookies, so they stay out of its log.
    command.args(["-p", "vsl_mask=-ReqHeader,-BereqHeader,-RespHeader,-BerespHeader,-ObjHeader,-ReqUnset,-BereqUnset"]);
    command.args(["-p", "vsl_mask=-RespUnset,-BerespUnset,-VCL_Error,-Debug", "-p", "vsl_space=1M"]);
    // The Worker alone decides about encodings. A slow upload may pause for longer than the default allows.
    command.args(["-p", "http_gzip_support=off", "-p", "pipe_timeout=300"]);
    // Clients keep connections open for longer than Varnish does, and workerd closes them after five seconds.
    command.args(["-p", "timeout_idle=300", "-p", "backend_idle_timeout=3"]);
    Ok(command)
}

//! The package of an origin: `make origin-package` with the program that the other tests use.

use anyhow::{Context, Result, ensure};
use dev::OriginProcess;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tests::{TestStack, e2e, project, run_to_end, stripped_origin};

/// The files of the package with their modes.
const FILES: [(&str, u32); 6] = [
    ("LICENSE-APACHE", 0o644),
    ("LICENSE-MIT", 0o644),
    ("README.md", 0o644),
    ("clipgate-origin", 0o755),
    ("clipgate-origin.service", 0o644),
    ("origin.env.example", 0o644),
];

/// Packs a program into a folder, with this umask, and returns the path of the package.
fn pack(program: &Path, folder: &Path, umask: &str) -> Result<PathBuf> {
    let mut pack = Command::new("sh");
    pack.args(["-c", "umask $0 && exec \"$@\"", umask]).arg(project().join("ops/dev/package-origin"));
    let printed = run_to_end({
        pack.arg(program).arg(folder);
        pack
    })?;
    Ok(PathBuf::from(String::from_utf8(printed)?.trim()))
}

/// Checks the package's checksum, unpacks it, and returns its folder.
fn unpack(package: &Path) -> Result<PathBuf> {
    let folder = package.parent().context("no folder")?;
    let name = package.file_name().and_then(|name| name.to_str()).context("no name")?;
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", &format!("{name}.sha256")]).current_dir(folder);
    run_to_end(check)?;
    let mut unpack = Command::new("tar");
    unpack.args(["--extract", "--gzip", "--file"]).arg(package).arg("--directory").arg(folder);
    run_to_end(unpack)?;
    Ok(folder.join(name.trim_end_matches(".tar.gz")))
}

#[e2e(Own)]
async fn an_unpacked_origin_is_complete_and_ready(stack: Arc<TestStack>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let refused = pack(Path::new("/usr/bin/tar"), folder.path(), "022").err().context("tar was packed")?;
    ensure!(refused.to_string().contains("does not name its version and commit"), "{refused}");
    let program = stripped_origin(folder.path())?;
    let package = pack(&program, &folder.path().join("first"), "022")?;
    let again = pack(&program, &folder.path().join("again"), "077")?;
    ensure!(package.file_name() == again.file_name() && std::fs::read(&package)? == std::fs::read(again)?);

    let unpacked = unpack(&package)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&unpacked)? {
        let entry = entry?;
        files.push((
            entry.file_name().into_string().unwrap_or_default(),
            entry.metadata()?.permissions().mode() & 0o777,
        ));
    }
    files.sort();
    ensure!(files == FILES.map(|(name, mode)| (name.to_owned(), mode)), "{files:?}");

    let origin = unpacked.join("clipgate-origin");
    let version = run_to_end(command(&origin, &["--version"]))?;
    ensure!(String::from_utf8(version)?.starts_with(concat!(
        "clipgate-origin ",
        env!("CARGO_PKG_VERSION"),
        " (commit "
    )));
    ensure_settings_exist(&origin, &unpacked.join("origin.env.example"))?;

    let mut doctor = command(&origin, &["doctor", "--name", "packed", "--work-dir"]);
    doctor.arg(stack.folder().join("packed")).env("ORIGIN_KEY", stack.origin_key("packed").await?);
    for (name, value) in OriginProcess::command(stack.env())?.get_envs() {
        doctor.envs(value.map(|value| (name, value)));
    }
    let text = String::from_utf8(run_to_end(doctor)?)?;
    ensure!(text.contains("ok       sandbox: ") && text.contains("ok       edge: "), "{text}");
    Ok(())
}

/// Fails unless the program knows every setting of the example, including commented-out settings.
fn ensure_settings_exist(origin: &Path, example: &Path) -> Result<()> {
    let help = String::from_utf8(run_to_end(command(origin, &["run", "--help"]))?)?;
    // The help is wrapped.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let example = std::fs::read_to_string(example)?;
    let settings = example.lines().filter_map(|line| line.trim_start_matches("# ").split_once('='));
    let settings: Vec<_> = settings.map(|(name, _)| name).collect();
    ensure!(settings.len() >= 7, "{settings:?}");
    for name in settings {
        ensure!(help.contains(&format!("[env: {name}=")), "`run` has no setting {name}: {help}");
    }
    Ok(())
}

fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

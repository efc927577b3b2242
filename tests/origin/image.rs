//! The container image of an origin: built by `ops/dev/origin-image` with the program that the other tests use, and
//! run.

use anyhow::{Context, Result, ensure};
use dev::{OriginProcess, ProcessGroup};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tests::{OriginFleet, TestStack, e2e, project, run_to_end, sha256, stripped_origin};

/// The program that builds and runs the image, with its own storage.
struct Buildah {
    folder: PathBuf,
}

impl Buildah {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("buildah");
        command.args(["--storage-driver", "vfs", "--root"]).arg(self.folder.join("root"));
        command.arg("--runroot").arg(self.folder.join("run")).args(arguments);
        command
    }

    /// Returns a container of the image.
    fn container(&self, image: &Path) -> Result<String> {
        let printed = run_to_end(self.command(&["from", "--quiet", &format!("docker-archive:{}", image.display())]))?;
        Ok(String::from_utf8(printed)?.trim().to_owned())
    }

    /// Returns a program in the container, which shares the network. Its variables are in a file, because every user
    /// can see the arguments of a program.
    fn run(&self, container: &str, program: &[&str]) -> Command {
        let mut run = self.command(&["run", "--isolation", "chroot", "--volume"]);
        run.arg(format!("{}:/run/settings:ro", self.settings().display()));
        run.args([container, "--", "bash", "-c", "set -a && . /run/settings && exec \"$@\"", "bash"]).args(program);
        run
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("settings")
    }

    /// Returns the command by which a host asks whether the container is healthy.
    fn health_check(&self, container: &str) -> Result<Vec<String>> {
        let inspected: Value = serde_json::from_slice(&run_to_end(self.command(&["inspect", container]))?)?;
        let test = &inspected["Docker"]["config"]["Healthcheck"]["Test"];
        let words: Vec<String> = serde_json::from_value(test.clone()).context("no health check")?;
        ensure!(words.first().is_some_and(|word| word == "CMD"), "{words:?}");
        Ok(words[1..].to_vec())
    }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn quietly(mut command: Command) -> Result<ExitStatus> {
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?)
}

/// Returns the file of the image's base, which has only Debian's packages. An everyday run reuses the base of an
/// earlier run with the same script; `DEEP=1` builds a new base.
fn base(folder: &Path) -> Result<PathBuf> {
    if fixtures::cases(false, true) {
        return Ok(folder.join("base.tar"));
    }
    let bases = project().join("target/origin-image");
    std::fs::create_dir_all(&bases)?;
    let script = std::fs::read(project().join("ops/dev/origin-image"))?;
    let base = bases.canonicalize()?.join(format!("base-{}.tar", sha256(&script)));
    println!("image: {} the base of an earlier run", if base.exists() { "on" } else { "there is not yet" });
    Ok(base)
}

/// Returns the settings of an origin of this name as lines of a shell script. It listens on the loopback address,
/// because the container shares the network.
async fn settings(stack: &TestStack, name: &str) -> Result<String> {
    let key = stack.origin_key(name).await?;
    let command = OriginProcess::command(stack.env())?;
    let of_stack = command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
    let own = [("ORIGIN_KEY", key.as_str()), ("ORIGIN_NAME", name), ("LISTEN", "127.0.0.1:9600")];
    let outer = |(name, _): &(&str, &str)| *name != "WORK_DIR" && *name != "PATH";
    let lines: Vec<_> = of_stack.filter(outer).chain(own).map(|(name, value)| format!("{name}='{value}'")).collect();
    Ok(lines.join("\n"))
}

#[e2e(Own)]
async fn an_origin_in_a_container_publishes_a_clip(stack: Arc<TestStack>) -> Result<()> {
    if !is_installed("buildah") || !is_installed("mmdebstrap") {
        println!("the container image is not tested, because buildah and mmdebstrap are not installed");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut build = Command::new(project().join("ops/dev/origin-image"));
    build.arg(stripped_origin(folder.path())?).arg(folder.path()).env("BASE", base(folder.path())?);
    let image = PathBuf::from(String::from_utf8(run_to_end(build)?)?.trim());
    let buildah = Buildah { folder: folder.path().join("store") };
    let container = buildah.container(&image)?;
    std::fs::write(buildah.settings(), settings(&stack, "imaged").await?)?;

    let doctor = buildah.run(&container, &["clipgate-origin", "doctor"]).output()?;
    let text = String::from_utf8(doctor.stdout)?;
    ensure!(
        ["sandbox: ", "ffmpeg: ", "edge: "].iter().all(|part| text.contains(&format!("ok       {part}"))),
        "{text}"
    );

    let check = buildah.health_check(&container)?;
    let check: Vec<&str> = check.iter().map(String::as_str).collect();
    ensure!(!quietly(buildah.run(&container, &check))?.success(), "healthy before it runs");
    let service = buildah.run(&container, &["clipgate-origin", "run"]);
    let service = ProcessGroup::start("buildah", service, folder.path().join("service.log"))?;
    let fleet = OriginFleet::new(&stack).await?;
    let clip = tests::Clip::mp4("a.mp4").make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    let published = fleet.until_published(&upload, Duration::from_mins(2)).await;
    published.with_context(|| std::fs::read_to_string(service.log()).unwrap_or_default())?;
    ensure!(quietly(buildah.run(&container, &check))?.success(), "not healthy while it runs");
    Ok(())
}

//! `make release` in a copy of the repository: versions, changelog, commit, tag and packages. Nothing leaves the
//! machine.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs::{copy, create_dir_all, read_to_string, write};
use std::path::Path;
use std::process::{Command, Output};
use tests::{project, run_to_end, stripped_origin};

/// A copy of the working copy, as a repository with one commit.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut list = Command::new("git");
        list.args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]).current_dir(project());
        for file in String::from_utf8(run_to_end(list)?)?.split_terminator('\0') {
            // A file that was deleted is listed until that is committed.
            if project().join(file).is_file() {
                let target = folder.path().join(file);
                create_dir_all(target.parent().context("no folder")?)?;
                copy(project().join(file), target)?;
            }
        }
        let repository = Self(folder);
        // The last commit may be a release, after which the section is empty.
        let changelog = repository.text("CHANGELOG.md")?;
        let changed = changelog.replacen("## [Unreleased]\n", "## [Unreleased]\n\n- A change.\n", 1);
        write(repository.path().join("CHANGELOG.md"), changed)?;
        repository.git(&["init", "--quiet", "--initial-branch", "main"])?;
        repository.commit("Begin")?;
        Ok(repository)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a program in the repository, without the configuration of the person who runs the tests.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<Output> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "ada@clipgate.example");
        }
        Ok(command.output()?)
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        let output = self.run("git", arguments)?;
        ensure!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    fn commit(&self, message: &str) -> Result<()> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]).map(drop)
    }

    /// Takes a step of the release, and returns what it prints.
    fn release(&self, arguments: &[&str]) -> Result<String> {
        let output = self.run("ops/dev/release", arguments)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "ops/dev/release {arguments:?}: {errors}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Fails unless this release is refused for this reason, and nothing has changed.
    fn ensure_refused(&self, version: &str, reason: &str) -> Result<()> {
        let before = self.state()?;
        for step in ["check", "prepare"] {
            let refused = self.release(&[step, version]).err().with_context(|| format!("{version} was accepted"))?;
            ensure!(refused.to_string().contains(reason), "{refused}");
        }
        ensure!(self.state()? == before, "a refused release has changed something");
        Ok(())
    }

    /// Returns the commit, the tags and the changes of the working copy.
    fn state(&self) -> Result<[String; 3]> {
        Ok([self.git(&["rev-parse", "HEAD"])?, self.git(&["tag"])?, self.git(&["status", "--porcelain"])?])
    }

    fn text(&self, file: &str) -> Result<String> {
        read_to_string(self.path().join(file)).with_context(|| file.to_owned())
    }

    /// Returns the text of a section of the changelog.
    fn changelog_of(&self, heading: &str) -> Result<String> {
        let text = self.text("CHANGELOG.md")?;
        let (_, after) = text.split_once(&format!("\n## [{heading}]")).with_context(|| format!("no {heading}"))?;
        let (_, section) = after.split_once('\n').context("no section")?;
        Ok(section.split("\n## ").next().unwrap_or_default().trim().to_owned())
    }
}

#[test]
fn a_release_names_its_version_everywhere_and_is_tagged() -> Result<()> {
    let repository = Repository::new()?;
    let unreleased = repository.changelog_of("Unreleased")?;
    let before = repository.state()?;
    let plan = repository.release(&["check", "99.0.0"])?;
    ensure!(plan.contains("Would release 99.0.0") && repository.state()? == before, "{plan}");

    repository.release(&["prepare", "99.0.0"])?;
    ensure!(repository.git(&["log", "-1", "--format=%s"])? == "Release 99.0.0");
    ensure!(repository.changelog_of("99.0.0")? == unreleased && repository.changelog_of("Unreleased")?.is_empty());
    let document = repository.text("edge/site/openapi.json")?;
    ensure!(serde_json::from_str::<Value>(&document)?["info"]["version"] == "99.0.0");
    ensure!(repository.text("docs/releases/openapi-99.0.0.json")? == document);
    let metadata = repository.run("cargo", &["metadata", "--locked", "--format-version", "1"])?;
    ensure!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let changed = repository.git(&["show", "--format=", "--name-only"])?;
    ensure!(changed.lines().count() == 8, "{changed}");

    let prepared = repository.state()?;
    repository.release(&["prepare", "99.0.0"])?;
    ensure!(repository.state()? == prepared, "a repetition changes nothing");
    for _ in 0..2 {
        repository.release(&["tag", "99.0.0"])?;
    }
    ensure!(repository.git(&["rev-parse", "v99.0.0^{commit}"])? == prepared[0]);
    ensure!(repository.git(&["tag", "--list", "--format=%(contents)", "v99.0.0"])? == unreleased);
    Ok(())
}

#[test]
fn a_release_out_of_order_or_with_uncommitted_changes_is_refused() -> Result<()> {
    let repository = Repository::new()?;
    repository.ensure_refused("1.2", "VERSION must be like")?;
    repository.ensure_refused("0.0.1", "0.0.1 is older")?;
    write(repository.path().join("new-file"), "")?;
    repository.ensure_refused("99.0.0", "the working copy has changes")?;
    repository.commit("Add a file")?;
    repository.git(&["tag", "v99.0.0", "HEAD~"])?;
    repository.ensure_refused("99.0.0", "the tag v99.0.0 is at another commit")?;
    repository.ensure_refused("98.9.9", "98.9.9 is not newer than the last release, v99.0.0")?;
    write(repository.path().join("CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n### Added\n")?;
    repository.commit("Empty the changelog")?;
    repository.ensure_refused("100.0.0", "CHANGELOG.md has nothing")?;
    let document = repository.text("edge/site/openapi.json")?.replace("\"version\": \"", "\"version\": \"7");
    write(repository.path().join("edge/site/openapi.json"), document)?;
    repository.commit("Change the version of a document")?;
    repository.ensure_refused("100.0.0", "edge/site/openapi.json does not have the version")
}

#[test]
fn a_release_has_both_programs_and_their_checksums() -> Result<()> {
    let repository = Repository::new()?;
    let folder = tempfile::tempdir()?;
    let origin = stripped_origin(folder.path())?;
    let worker = folder.path().join("worker");
    create_dir_all(&worker)?;
    for file in ["index.js", "index_bg.wasm"] {
        copy(project().join("build/release").join(file), worker.join(file))?;
    }
    write(worker.join("commit"), "another")?;
    let [origin, worker] = [&origin, &worker].map(|path| path.to_str().unwrap_or_default());
    let version = env!("CARGO_PKG_VERSION");
    let other = repository.release(&["pack", version, worker, origin]).err().context("another commit was packed")?;
    ensure!(other.to_string().contains("was built from the commit another"), "{other}");
    write(Path::new(worker).join("commit"), repository.git(&["rev-parse", "--short=12", "HEAD"])?)?;
    let other = repository.release(&["pack", "99.0.0", worker, origin]).err().context("another version was packed")?;
    ensure!(other.to_string().contains(&format!("has the version {version}")), "{other}");

    let sboms: &[(&str, &str)] =
        fixtures::cases(&[], &[("edge", "worker"), ("origin", "aws-sdk-s3"), ("scripts", "hls.js")]);
    if !sboms.is_empty() {
        // The tool that writes them takes minutes to build.
        std::os::unix::fs::symlink(project().join(".dev"), repository.path().join(".dev"))?;
        repository.release(&["sbom", version])?;
    }
    let printed = repository.release(&["pack", version, worker, origin])?;
    let dist = repository.path().join("dist").join(version);
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "SHA256SUMS"]).current_dir(&dist);
    let checked = String::from_utf8(run_to_end(check)?)?;
    ensure!(checked.lines().count() == 2 + sboms.len(), "{checked}");
    ensure!(
        checked.contains(&format!("clipgate-origin-{version}-")) && printed.contains("clipgate-edge-"),
        "{checked}"
    );
    for (name, component) in sboms {
        let sbom: Value =
            serde_json::from_str(&read_to_string(dist.join(format!("clipgate-{name}-{version}.cdx.json")))?)?;
        let components = sbom["components"].as_array().context("no components")?;
        ensure!(sbom["bomFormat"] == "CycloneDX" && components.iter().any(|one| one["name"] == **component), "{name}");
    }

    let mut list = Command::new("tar");
    list.args(["--list", "--file"]).arg(dist.join(format!("clipgate-edge-{version}.tar.gz")));
    let bundle = String::from_utf8(run_to_end(list)?)?;
    for file in ["build/release/index_bg.wasm", "edge/migrations/0001_accounts.sql", "edge/site/page.css"] {
        ensure!(bundle.contains(file), "{file} is not in {bundle}");
    }
    ensure!(repository.git(&["status", "--porcelain"])?.is_empty(), "packages are not committed");
    Ok(())
}

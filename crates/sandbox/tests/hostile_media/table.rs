//! Runs every file in every mode, with every tool or, in an everyday run, with one tool. Prints a table, and checks
//! every row.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::{combinations, combinations_tried};

use crate::samples;
use crate::support;
use crate::tool_run::{LIMITS, Mode, Report, run};
use crate::tools::Tool;

/// The address that the files try to connect to.
const ADDRESS: &str = "127.0.0.1:18099";
/// The file that the files try to read.
const CANARY: &str = "/tmp/canary.txt";
/// The time that a killed program has to end after its time limit, under strace and on a busy machine.
const GRACE_SECONDS: f64 = 3.0;

struct Traps {
    listener: Option<TcpListener>,
    canary: Vec<u8>,
    owns_canary: bool,
}

impl Traps {
    fn set() -> Self {
        let listener =
            TcpListener::bind(ADDRESS).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
        if let Err(error) = &listener {
            println!("INCOMPLETE: cannot listen on {ADDRESS} ({error}); only strace can detect connections");
        }
        let new = fs::File::create_new(CANARY);
        let owns_canary = new.is_ok_and(|mut file| file.write_all(b"clipgate-canary-5b1c9e-must-stay-here\n").is_ok());
        let canary = fs::read(CANARY).expect("the canary");
        Self { listener: listener.ok(), canary, owns_canary }
    }

    fn connections(&self) -> usize {
        self.listener.iter().map(|listener| std::iter::from_fn(|| listener.accept().ok()).count()).sum()
    }
}

impl Drop for Traps {
    fn drop(&mut self) {
        if self.owns_canary {
            let _ = fs::remove_file(CANARY);
        }
    }
}

/// Whether every file is contained: in every mode except the control, it reaches neither the network nor other files.
pub(crate) fn all_are_contained(files: &[PathBuf]) -> bool {
    let traps = Traps::set();
    let support = support::support();
    let strace = Command::new("strace").arg("-V").output().is_ok();
    if !strace {
        println!("INCOMPLETE: strace is not installed; only the canary can detect that a file was read");
    }
    let usual = UsualFiles::trace(strace);
    println!(
        "{:22} {:8} {:8} {:16} {:>6} {:>8} {:>8} {:>13}",
        "file", "tool", "mode", "termination", "s", "RSS MiB", "connects", "foreign opens"
    );
    let mut are_contained = true;
    let mut reached_out = 0;
    let sizes = [files.len(), Mode::ALL.len(), Tool::ALL.len()];
    let tried = combinations(sizes);
    for [file, mode, tool] in &tried {
        let (file, mode, tool) = (&files[*file], Mode::ALL[*mode], Tool::ALL[*tool]);
        let report = run(tool, mode, file, strace);
        let row = Row::new(&report, &usual, &traps, tool);
        row.print(file, tool, mode, &report);
        if mode == Mode::Neither {
            reached_out += row.connects + row.foreign.len();
        } else {
            let is_checked = !mode.has_sandbox() || support.check().is_ok();
            are_contained &= row.is_contained(mode, &report) || !is_checked;
        }
    }
    println!("{} of file, mode and tool", combinations_tried(sizes, tried.len()));
    println!("the control reached out {reached_out} times");
    are_contained && (reached_out > 0 || !strace)
}

/// The files that the tools open for a harmless input: libraries and settings of the system.
struct UsualFiles(Vec<(Tool, BTreeSet<String>)>);

impl UsualFiles {
    fn trace(strace: bool) -> Self {
        let folder = support::folder();
        let file = samples::make(folder.path(), "harmless.mp4", "-c:v libx264 -c:a aac");
        let opened = |tool| run(tool, Mode::Options, &file, strace).opened.unwrap_or_default();
        Self(Tool::ALL.into_iter().map(|tool| (tool, opened(tool))).collect())
    }

    /// Returns the opened files that neither the tool nor the sandbox usually opens.
    fn foreign(&self, tool: Tool, opened: &BTreeSet<String>) -> Vec<String> {
        let usual = self.0.iter().find(|(other, _)| *other == tool).map(|(_, usual)| usual);
        let mut foreign: Vec<_> =
            opened.iter().filter(|path| usual.is_some_and(|usual| !usual.contains(*path))).cloned().collect();
        foreign.retain(|path| !sandbox_opens(path));
        foreign
    }
}

/// Whether the sandbox itself opens the path before the program starts.
fn sandbox_opens(path: &str) -> bool {
    let trees = ["/lib", "/usr/lib", "/usr/local/lib", "/sys/devices/system/cpu", "/usr/bin/ff"];
    let files = ["/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/dev/null"];
    let own_maps = ["/proc/self/setgroups", "/proc/self/uid_map", "/proc/self/gid_map"];
    trees.iter().any(|tree| path.starts_with(tree)) || files.contains(&path) || own_maps.contains(&path)
}

struct Row {
    connects: usize,
    foreign: Vec<String>,
    leaks: bool,
}

impl Row {
    fn new(report: &Report, usual: &UsualFiles, traps: &Traps, tool: Tool) -> Self {
        let foreign = report.opened.as_ref().map_or_else(Vec::new, |opened| usual.foreign(tool, opened));
        let leaks = report.written.windows(traps.canary.len()).any(|window| window == traps.canary);
        Self { connects: traps.connections() + report.connects.unwrap_or(0), foreign, leaks }
    }

    fn print(&self, file: &Path, tool: Tool, mode: Mode, report: &Report) {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mode = format!("{mode:?}");
        let (seconds, resident) = (report.seconds, report.resident_mib);
        let (connects, foreign) = (self.connects, self.foreign.join(" "));
        let leaks = if self.leaks { " CANARY IN THE OUTPUT" } else { "" };
        println!(
            "{name:22} {:8} {mode:8} {:16} {seconds:6.2} {resident:8} {connects:8} {:>13}{leaks}",
            tool.name(),
            report.termination,
            if foreign.is_empty() { "0" } else { &foreign }
        );
    }

    /// Whether the run stayed contained. Only the sandbox limits time and memory.
    fn is_contained(&self, mode: Mode, report: &Report) -> bool {
        let reaches_nothing = self.connects == 0 && self.foreign.is_empty() && !self.leaks;
        let in_time = report.seconds < LIMITS.wall_time.as_secs_f64() + GRACE_SECONDS;
        let in_memory = report.resident_mib <= LIMITS.memory_bytes >> 20;
        reaches_nothing && (!mode.has_sandbox() || in_time && in_memory)
    }
}

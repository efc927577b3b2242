//! An upload shows its progress in a terminal, and no progress elsewhere.

use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ClientProgram, ConnectionFaults, FaultyNetwork, NetworkFault, TestStack, e2e};
use tokio::process::Command;

const FILE_BYTES: usize = 4_000_000;
/// The bytes of an upload that pass before the network becomes slow.
const QUICK_BYTES: usize = 2_000_000;

/// A network that is slow in the middle of an upload, so that its progress can be seen.
async fn slow_network(stack: &TestStack) -> Result<FaultyNetwork> {
    let drip = NetworkFault::Drip { bytes: 20, pause: Duration::from_millis(100) };
    let faults = ConnectionFaults { request: vec![(QUICK_BYTES, drip)], answer: Vec::new() };
    FaultyNetwork::to_each(stack.address(), move || faults.clone()).await
}

/// Returns the program with one large file, behind that network.
async fn uploader(stack: &Arc<TestStack>, network: &FaultyNetwork) -> Result<ClientProgram> {
    let channel = Channel::new(stack).await?;
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    program.write("clip.mp4", &fixtures::mp4(5_000, FILE_BYTES, 21))?;
    Ok(program)
}

/// Uploads the file in a pseudo-terminal of 80 columns, and returns what it showed.
async fn upload_in_terminal(program: &ClientProgram) -> Result<String> {
    let plain = program.command::<&str>(&[]);
    let clipgate = plain.as_std().get_program().to_string_lossy().into_owned();
    let mut terminal = Command::new("/usr/bin/script");
    terminal.args(["-qec", &format!("stty cols 80; {clipgate} upload clip.mp4"), "/dev/null"]);
    terminal.env_clear().envs(plain.as_std().get_envs().filter_map(|(name, value)| Some((name, value?))));
    terminal.env("PATH", "/usr/bin:/bin").env("TERM", "xterm").current_dir(program.home()).kill_on_drop(true);
    let output = terminal.output().await?;
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success() && screen.contains("uploaded"), "{screen}");
    Ok(screen)
}

/// Returns the lines that were drawn, without the sequences that move the cursor.
fn drawn_lines(screen: &str) -> Vec<String> {
    let pieces = screen.split('\x1b').enumerate().map(|(index, piece)| match index {
        0 => piece,
        // A sequence ends with its first letter.
        _ => piece.split_once(|letter: char| letter.is_ascii_alphabetic()).map_or("", |(_, rest)| rest),
    });
    let text: String = pieces.collect();
    text.split(['\r', '\n']).filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

#[e2e]
async fn a_terminal_shows_rate_and_time_left_in_80_columns(stack: Arc<TestStack>) -> Result<()> {
    let network = slow_network(&stack).await?;
    let program = uploader(&stack, &network).await?;
    let lines = drawn_lines(&upload_in_terminal(&program).await?);
    let progress: Vec<&String> = lines.iter().filter(|line| line.contains("uploading")).collect();
    println!("{}", progress.get(progress.len() / 2).map_or("no progress", |line| line.as_str()));
    let is_progress = |line: &&&String| ["clip.mp4", "MiB", "/s", " left", "%"].iter().all(|part| line.contains(part));
    ensure!(progress.iter().any(|line| is_progress(&line)), "{lines:?}");
    // A longer line is cut by the terminal, so its end shows whether it fits.
    ensure!(
        progress.iter().all(|line| line.trim_end().ends_with("left") && line.chars().count() <= 80),
        "{progress:?}"
    );
    Ok(())
}

#[e2e]
async fn nothing_is_drawn_where_nobody_looks(stack: Arc<TestStack>) -> Result<()> {
    let network = slow_network(&stack).await?;
    let program = uploader(&stack, &network).await?;
    let run = program.run(&["upload", "clip.mp4"]).await?;
    ensure!(run.code == 0 && run.errors.is_empty() && !run.printed.contains('\x1b'), "{run:?}");
    ensure!(run.printed.lines().count() == 1, "{run:?}");
    Ok(())
}

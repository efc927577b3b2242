//! An upload shows its progress in a terminal, and no progress elsewhere.

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ClientProgram, ClientRun, ConnectionFaults, FaultyNetwork, NetworkFault, TestStack, e2e};
use tokio::process::Command;

const FILE_BYTES: usize = 4_000_000;
/// The bytes of an upload that pass before the network becomes slow.
const QUICK_BYTES: usize = 2_000_000;

/// The size of a file that a client sends before it reads the response.
const SMALL_FILE_BYTES: usize = 200_000;

/// At ten bytes a second, these take ten minutes.
const BYTES_OF_TEN_MINUTES: usize = 6_000;

/// Returns a network that becomes slow for two seconds after this many bytes of an upload, so that its progress can be
/// seen.
async fn slow_network(stack: &TestStack, quick_bytes: usize) -> Result<FaultyNetwork> {
    network_with_drip(stack, quick_bytes, 20).await
}

/// Returns a network that passes `quick_bytes` of an upload at once, the next `slow_bytes` at ten bytes a second, and
/// the rest at once.
async fn network_with_drip(stack: &TestStack, quick_bytes: usize, slow_bytes: usize) -> Result<FaultyNetwork> {
    let drip = NetworkFault::Drip { bytes: slow_bytes, pause: Duration::from_millis(100) };
    let faults = ConnectionFaults { request: vec![(quick_bytes, drip)], ..ConnectionFaults::default() };
    FaultyNetwork::to_each(stack.address(), move || faults.clone()).await
}

/// Returns the program with one large file, behind that network.
async fn uploader(stack: &Arc<TestStack>, network: &FaultyNetwork) -> Result<ClientProgram> {
    let channel = Channel::new(stack).await?;
    program_with_file(&channel, network, FILE_BYTES)
}

fn program_with_file(channel: &Channel, network: &FaultyNetwork, bytes: usize) -> Result<ClientProgram> {
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    program.write("clip.mp4", &fixtures::mp4(5_000, bytes, 21))?;
    Ok(program)
}

/// Uploads the file in a pseudo-terminal of 80 columns, and returns what it showed.
async fn upload_in_terminal(program: &ClientProgram) -> Result<String> {
    run_in_terminal(program, &program.command::<&str>(&[])).await
}

/// Uploads the file in a pseudo-terminal of 80 columns with the environment of this command.
async fn run_in_terminal(program: &ClientProgram, plain: &Command) -> Result<String> {
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
    let network = slow_network(&stack, QUICK_BYTES).await?;
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

/// Waits until a query about a channel returns at least this number.
async fn until_count(stack: &TestStack, sql: &str, channel_id: u64, at_least: u64) -> Result<()> {
    let look = async || Ok((stack.count(sql, channel_id)? >= at_least).then_some(()));
    tests::until(Duration::from_mins(3), look, || format!("{sql} stays below {at_least}")).await
}

/// An upload whose program was interrupted.
struct Interrupted {
    program: ClientProgram,
    channel_id: u64,
    /// Keeps the connection to the service open, as a network does that has not noticed.
    _network: FaultyNetwork,
}

/// Interrupts an upload, and returns its program and channel. The service usually still holds the upload's place then.
/// If it has noticed the end of the connection and given the place back, another channel tries again.
async fn interrupted_upload(stack: &Arc<TestStack>) -> Result<Interrupted> {
    const HELD: &str = "SELECT count(*) FROM uploads WHERE channel_id = ?1 AND state = 'reserved'";
    for attempt in 1..=10 {
        let network = network_with_drip(stack, SMALL_FILE_BYTES / 2, BYTES_OF_TEN_MINUTES).await?;
        let channel = Channel::new(stack).await?;
        let program = program_with_file(&channel, &network, SMALL_FILE_BYTES)?;
        let run = program.command(&["upload", "clip.mp4"]).spawn()?;
        let id = run.id().context("it has ended")?.to_string();
        until_count(stack, HELD, channel.account.channel_id, 1).await?;
        ensure!(std::process::Command::new("kill").args(["-INT", &id]).status()?.success());
        let started = Instant::now();
        let run = ClientRun::of(&run.wait_with_output().await?);
        ensure!(run.code == 130 && started.elapsed() < Duration::from_secs(5), "{run:?} after {:?}", started.elapsed());
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stack.count(HELD, channel.account.channel_id)? == 1 {
            return Ok(Interrupted { program, channel_id: channel.account.channel_id, _network: network });
        }
        println!("attempt {attempt}: the service has noticed the interruption and given the place back");
    }
    anyhow::bail!("the service gives up every interrupted upload at once")
}

/// The second run is not behind the slow network, and its file is small: a client that is still sending can lose the
/// response to an upload that is refused.
#[e2e]
async fn after_an_interruption_the_same_command_says_what_it_waits_for(stack: Arc<TestStack>) -> Result<()> {
    let Interrupted { program, channel_id, _network } = interrupted_upload(&stack).await?;
    let uses = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    let uses_before = stack.count(uses, channel_id)?;
    let until_refused = async {
        // The run uses the key for the limits, for the upload that is refused, and for the next attempt.
        until_count(&stack, uses, channel_id, uses_before + 3).await?;
        let first = format!("SELECT min(id) FROM uploads WHERE channel_id = {channel_id}");
        stack.change_rows(format!("UPDATE uploads SET lease_ends_at_unix = 1 WHERE id = ({first})")).await
    };
    let mut second = program.command::<&str>(&[]);
    second.env("CLIPGATE_URL", stack.url(""));
    let (screen, ()) = try_join(run_in_terminal(&program, &second), until_refused).await?;
    let lines = drawn_lines(&screen);
    let waiting = lines.iter().filter(|line| line.contains("clip.mp4") && line.contains("An earlier attempt"));
    ensure!(waiting.count() > 10, "{lines:?}");
    ensure!(!screen.contains("Retry-After") && !screen.contains("upload_token"), "{lines:?}");
    Ok(())
}

#[e2e]
async fn nothing_is_drawn_where_nobody_looks(stack: Arc<TestStack>) -> Result<()> {
    let network = slow_network(&stack, QUICK_BYTES).await?;
    let program = uploader(&stack, &network).await?;
    let run = program.run(&["upload", "clip.mp4"]).await?;
    ensure!(run.code == 0 && run.errors.is_empty() && !run.printed.contains('\x1b'), "{run:?}");
    ensure!(run.printed.lines().count() == 1, "{run:?}");
    Ok(())
}

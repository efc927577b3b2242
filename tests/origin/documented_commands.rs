//! The shell commands in `docs/publish/` and on the first page of the documentation, exactly as they are printed there,
//! page by page and in order.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ClientProgram, Clip, DocumentedCommands, OriginFleet, TestStack, documented_commands, e2e, picture,
    project,
};
use tokio::process::Command;

const PUBLISHED: Duration = Duration::from_mins(3);

/// Another test runs the requests of this page, and follows the video.
const TESTED_APART: &str = "publish/quick-start.md";

/// The pages that run last: one needs several videos, one deletes the video of all pages, and one ends the key.
const LAST: [&str; 3] = ["publish/find.md", "publish/change.md", "publish/api-key.md"];

/// The values in responses that readers put into variables.
const VARIABLES: [(&str, &str); 6] = [
    ("content_uuid", "CONTENT_UUID"),
    ("next_cursor", "CURSOR"),
    ("token", "USER_TOKEN"),
    ("direct_upload_id", "DIRECT_UPLOAD_ID"),
    ("api_key", "API_KEY"),
    ("webhook_uuid", "WEBHOOK_UUID"),
];

/// Returns the pages in the order in which they run.
fn pages() -> Result<Vec<String>> {
    let files = std::fs::read_dir(project().join("docs/publish"))?;
    let names = files.map(|file| Ok(format!("publish/{}", file?.file_name().to_string_lossy())));
    let mut pages = names.collect::<Result<BTreeSet<_>>>()?;
    pages.remove(TESTED_APART);
    for page in LAST {
        ensure!(pages.remove(page), "there is no {page}");
    }
    pages.insert("site/index.md".to_owned());
    Ok(pages.into_iter().chain(LAST.map(str::to_owned)).collect())
}

/// A reader with a shell, who has put the values of earlier responses into variables.
struct Reader<'a> {
    fleet: &'a OriginFleet,
    client: ClientProgram,
    variables: BTreeMap<&'static str, String>,
}

impl<'a> Reader<'a> {
    async fn new(fleet: &'a OriginFleet) -> Result<Self> {
        let (stack, channel) = (&fleet.stack, &fleet.channel);
        let leaked = Channel::new(stack).await?.key;
        let variables = BTreeMap::from([
            ("CLIPGATE", stack.url("")),
            ("BASE_URL", stack.url("")),
            ("API_KEY", channel.key.clone()),
            ("SESSION_COOKIE", channel.account.cookie.clone()),
            ("LEAKED_KEY", leaked),
        ]);
        Ok(Self { fleet, client: ClientProgram::new(channel)?, variables })
    }

    async fn run(&mut self, commands: &DocumentedCommands) -> Result<()> {
        let text = &commands.text;
        let mut shell = Command::new("sh");
        shell.args(["-euc", text]).current_dir(&self.fleet.folder).envs(&self.variables);
        let (program, path) = (self.client.folder()?.display(), std::env::var("PATH")?);
        shell.env("PATH", format!("{program}:{path}")).env("HOME", self.client.home());
        shell.env("CLIPGATE_URL", &self.variables["CLIPGATE"]).env("CLIPGATE_API_KEY", &self.variables["API_KEY"]);
        let output = shell.output().await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let problem = || format!("{text}\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{}", problem());
        if let Some(expected) = &commands.expected {
            ensure!(printed.contains(expected), "{} has no {expected}", problem());
            return Ok(());
        }
        let response: Value = serde_json::from_str(&printed).with_context(problem)?;
        ensure!(response["success"] == true, "{}", problem());
        for (member, variable) in VARIABLES {
            let webhook = &response["webhook"][member];
            if let Some(value) = response[member].as_str().or(webhook.as_str()) {
                self.variables.insert(variable, value.to_owned());
            }
        }
        Ok(())
    }
}

fn make_files(fleet: &OriginFleet) -> Result<Vec<u8>> {
    let caption = "1\n00:00:00,500 --> 00:00:01,500\nHallo\n";
    std::fs::write(fleet.folder.join("deutsch.srt"), caption)?;
    std::fs::write(fleet.folder.join("portugues.vtt"), "WEBVTT\n\n00:00.500 --> 00:01.500\nBom dia\n")?;
    picture(&fleet.folder, "cover.jpg", "blue")?;
    Clip::mp4("clip.mp4").make(&fleet.folder)
}

#[e2e(Own)]
async fn every_documented_command_does_what_its_page_says(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = make_files(&fleet)?;
    fleet.start("origin", &[]).await?;
    let upload = fleet.upload(&clip).await?;
    fleet.until_published(&upload, PUBLISHED).await?;
    let mut reader = Reader::new(&fleet).await?;
    let mut count = 0;
    for page in pages()? {
        reader.variables.insert("CONTENT_UUID", upload.content_uuid.clone());
        reader.variables.insert("TOKEN", stack.token());
        for commands in documented_commands(&page)? {
            reader.run(&commands).await.with_context(|| format!("docs/{page}"))?;
            count += 1;
        }
    }
    println!("{count} documented commands");
    ensure!(count > 20, "only {count} commands were found");
    Ok(())
}

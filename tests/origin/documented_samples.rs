//! The samples in `docs/publish/` and on the first page of the documentation, exactly as they are printed there. A
//! reader of each language runs all pages in order.

use anyhow::{Context, Result, ensure};
use fixtures::boxes::atom;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ClientProgram, Clip, DocumentedSample, OriginFleet, SampleLanguage, TestStack, documented_samples, e2e,
    picture, project,
};

const PUBLISHED: Duration = Duration::from_mins(3);

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
    for page in LAST {
        ensure!(pages.remove(page), "there is no {page}");
    }
    pages.insert("site/index.md".to_owned());
    Ok(pages.into_iter().chain(LAST.map(str::to_owned)).collect())
}

/// A response without quotation marks and spaces, so that JSON looks as it does when JavaScript or Python prints it.
struct Printed(String);

impl Printed {
    fn new(output: &str) -> Self {
        let is_kept = |character: &char| !character.is_whitespace() && !['"', '\''].contains(character);
        Self(output.chars().filter(is_kept).collect())
    }

    /// Returns the first value of the member, unless it is null.
    fn value(&self, member: &str) -> Option<&str> {
        let mut members = self.0.split(['{', '}', '[', ']', ',']);
        let value = members.find_map(|text| text.strip_prefix(member)?.strip_prefix(':'))?;
        Some(value).filter(|value| !["", "null", "None"].contains(value))
    }

    fn is_success(&self) -> bool {
        self.value("success").is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }
}

/// A reader with a shell, who has put the values of earlier responses into variables.
struct Reader<'a> {
    fleet: &'a OriginFleet,
    client: ClientProgram,
    language: SampleLanguage,
    variables: BTreeMap<&'static str, String>,
}

impl<'a> Reader<'a> {
    async fn new(fleet: &'a OriginFleet, language: SampleLanguage) -> Result<Self> {
        let (stack, channel) = (&fleet.stack, &fleet.channel);
        let leaked = Channel::new(stack).await?.key;
        let variables = BTreeMap::from([
            ("CLIPGATE", stack.url("")),
            ("BASE_URL", stack.url("")),
            ("API_KEY", channel.key.clone()),
            ("SESSION_COOKIE", channel.account.cookie.clone()),
            ("LEAKED_KEY", leaked),
        ]);
        Ok(Self { fleet, client: ClientProgram::new(channel)?, language, variables })
    }

    /// Runs the samples of all pages, and returns how many there are.
    async fn read(mut self, content_uuid: &str, clip: &[u8]) -> Result<usize> {
        let mut count = 0;
        for page in pages()? {
            self.variables.insert("CONTENT_UUID", content_uuid.to_owned());
            self.variables.insert("TOKEN", self.fleet.stack.token());
            // `clipgate` uploads a file only once, so each page has a file of its own.
            let own_clip = [clip, &atom(*b"free", page.as_bytes())].concat();
            std::fs::write(self.fleet.folder.join("clip.mp4"), own_clip)?;
            for sample in documented_samples(&page, self.language)? {
                self.run(&sample).await.with_context(|| format!("docs/{page}"))?;
                count += 1;
            }
        }
        Ok(count)
    }

    async fn run(&mut self, sample: &DocumentedSample) -> Result<()> {
        let text = &sample.text;
        let mut command = self.language.command(text).context("the language is not installed")?;
        command.current_dir(&self.fleet.folder).envs(&self.variables);
        let (program, path) = (self.client.folder()?.display(), std::env::var("PATH")?);
        command.env("PATH", format!("{program}:{path}")).env("HOME", self.client.home());
        command.env("CLIPGATE_URL", &self.variables["CLIPGATE"]).env("CLIPGATE_API_KEY", &self.variables["API_KEY"]);
        let output = command.output().await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let problem = || format!("{text}\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{}", problem());
        if let Some(expected) = &sample.expected {
            ensure!(printed.contains(expected), "{} has no {expected}", problem());
        } else if self.language == SampleLanguage::Clipgate {
            self.remember_upload(&printed);
        } else {
            let response = Printed::new(&printed);
            ensure!(response.is_success(), "{}", problem());
            self.remember(&response);
        }
        Ok(())
    }

    fn remember(&mut self, response: &Printed) {
        for (member, variable) in VARIABLES {
            if let Some(value) = response.value(member) {
                self.variables.insert(variable, value.to_owned());
            }
        }
    }

    /// Remembers the video that `clipgate` has uploaded. It prints `clip.mp4: uploaded as UUID`.
    fn remember_upload(&mut self, printed: &str) {
        if let Some((_, uuid)) = printed.trim().rsplit_once("uploaded as ") {
            self.variables.insert("CONTENT_UUID", uuid.to_owned());
        }
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
async fn every_documented_sample_does_what_its_page_says(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = make_files(&fleet)?;
    fleet.start("origin", &[]).await?;
    for language in SampleLanguage::ALL {
        if language.command("").is_none() {
            println!("documented samples: {language:?} is not installed and is not tested");
            continue;
        }
        fleet.channel = Channel::new(&stack).await?;
        let upload = fleet.upload(&clip).await?;
        fleet.until_published(&upload, PUBLISHED).await?;
        let reader = Reader::new(&fleet, language).await?;
        let count = reader.read(&upload.content_uuid, &clip).await.with_context(|| format!("{language:?}"))?;
        println!("{count} samples of {language:?}");
        ensure!(count > 20, "only {count} samples of {language:?} were found");
    }
    Ok(())
}

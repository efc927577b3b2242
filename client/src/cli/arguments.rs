//! The command-line arguments. No secret is among them, because every user of the machine can read them.

use super::times::{parse_clock_time, parse_publication_time};
use clap::{ArgAction, Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use client::ServiceUrl;
use contract::mistake::{invalid_uuid, invalid_word, shown};
use contract::subtitles::language_tag;
use contract::{FormField, TestOutcome, Visibility, form_fields};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  clipgate login --url https://upload.example.com
  clipgate upload clip.mp4 --caption 'My first video' --wait
  clipgate upload holidays/ --jobs 4
  clipgate status 0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60 --wait
  clipgate listen --forward-to http://localhost:3000/webhook

Exit codes:
  0    success
  1    unexpected error, such as an unreadable file
  2    invalid arguments
  3    the video or one of its fields is rejected
  4    the API key is missing or invalid
  5    a daily limit is reached
  6    the service does not respond or is overloaded
  7    the video was rejected, failed, was taken down or was deleted
  8    the video does not exist, or its state does not allow the change
  9    the file was already uploaded, with other fields or as a video that is gone
  130  interrupted
With several files, the exit code is that of the first failure.";

/// Uploads videos to Clipgate and follows their processing.
///
/// Each file is first validated locally against the service's rules, and is not sent if the service would reject it. If
/// the network, the power or this program fails, run the same command again: no file is posted twice.
#[derive(Debug, Parser)]
#[command(name = "clipgate", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub global: GlobalArguments,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct GlobalArguments {
    /// URL of the upload host. Defaults to the service of the last `clipgate login`.
    #[arg(long, global = true, env = "CLIPGATE_URL", value_name = "URL", value_hint = ValueHint::Url)]
    pub url: Option<ServiceUrl>,
    /// Print JSON, one object per line, and no progress.
    #[arg(long, global = true)]
    pub json: bool,
    /// Maximum total time to spend waiting between retries.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 300)]
    pub retry_for: u64,
    /// Seconds without progress after which a connection is dropped and retried.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Upload(UploadArguments),
    Check(CheckArguments),
    Status(StatusArguments),
    List(ListArguments),
    Update(UpdateArguments),
    Release(ReleaseArguments),
    Appeal(AppealArguments),
    Delete(DeleteArguments),
    /// Show today's remaining quota and the upload limits.
    Limits,
    /// List the categories that a video can have.
    Categories,
    Events(EventsArguments),
    Listen(ListenArguments),
    Login(LoginArguments),
    /// Delete the stored API key of a service. The key itself stays valid.
    Logout,
    /// Print a completion script.
    ///
    /// For bash: clipgate completions bash > ~/.local/share/bash-completion/completions/clipgate
    Completions {
        shell: Shell,
    },
    /// Write the manual pages.
    Man {
        /// Folder for the pages, one file per command. Without it, the main page is printed.
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        to: Option<PathBuf>,
    },
}

const UPLOAD_EXAMPLES: &str = "Examples:
  clipgate upload clip.mp4
  clipgate upload clip.mp4 --caption 'Sunset #beach' --publish-at 2026-12-24T18:00:00Z
  clipgate upload talk.mp4 --captions de=talk.de.vtt --captions pt-BR=talk.pt.srt
  clipgate upload --recursive ~/Videos --jobs 5 --json
  CLIPGATE_API_KEY=… CLIPGATE_URL=https://… clipgate upload clip.mp4

Run the same command again to continue an interrupted run: uploaded files are not sent again, and --wait resumes. A file
larger than 16 MB is sent in pieces, and pieces that have arrived are not sent again.";

/// Upload videos, or all videos in folders.
#[derive(Debug, Args)]
#[command(after_help = UPLOAD_EXAMPLES)]
pub(crate) struct UploadArguments {
    #[command(flatten)]
    pub files: PathArguments,
    #[command(flatten)]
    pub fields: FieldArguments,
    /// Wait until the video is published, scheduled or rejected.
    #[arg(long)]
    pub wait: bool,
    /// Upload even if this file was already uploaded (creates a new video).
    #[arg(long)]
    pub again: bool,
    /// Send files even if the service would reject them.
    #[arg(long)]
    pub force: bool,
    /// Maximum number of files to upload at once, within the limit of the service.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub jobs: u32,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct FieldArguments {
    #[command(flatten)]
    pub texts: TextArguments,
    /// ID of a category (`clipgate categories`).
    #[arg(long, value_name = "ID", value_parser = parse_category)]
    pub category: Option<u64>,
    /// Time of the thumbnail frame within the video.
    #[arg(long, value_name = "HH:MM:SS", value_parser = parse_clock_time, conflicts_with = "thumbnail")]
    pub thumbnail_time: Option<u32>,
    /// Thumbnail image: JPEG, PNG or WebP.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub thumbnail: Option<PathBuf>,
    /// Captions in a language, as WebVTT or SubRip, such as de=talk.vtt. Can be repeated. Only for a single video.
    #[arg(long, value_name = "LANGUAGE=FILE", value_parser = parse_captions)]
    pub captions: Vec<(String, PathBuf)>,
    /// Publication time, such as 2026-12-24T18:00:00Z or Unix time in seconds.
    #[arg(long, value_name = "TIME", value_parser = parse_publication_time)]
    pub publish_at: Option<u64>,
    /// Visibility: `public` (the default), or `unlisted`: only people with the link can find the video.
    #[arg(long, value_name = "VISIBILITY", value_parser = parse_visibility)]
    pub visibility: Option<Visibility>,
    /// Show a warning before the video.
    #[arg(long)]
    pub sensitive: bool,
    /// Tell viewers that the video was made with AI.
    #[arg(long)]
    pub ai_generated: bool,
    /// Store your own data with the video. Can be repeated.
    #[arg(long, value_name = "NAME=TEXT", value_parser = parse_metadata)]
    pub metadata: Vec<(String, String)>,
    /// Upload as a test: the video is never public and is deleted after 24 hours. OUTCOME is the simulated
    /// result, such as `published` (the default), `rejected` or `service_overloaded`.
    #[arg(long, value_name = "OUTCOME", value_parser = parse_test, num_args = 0..=1, require_equals = true,
        default_missing_value = "published")]
    pub test: Option<TestOutcome>,
}

/// Validate videos against the service's rules, without uploading them.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub files: PathArguments,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct PathArguments {
    /// Video files, or folders with videos.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Search subfolders too.
    #[arg(long)]
    pub recursive: bool,
}

/// Show the status of a video.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// The UUID that the upload returned.
    #[arg(value_name = "UUID", value_parser = parse_uuid)]
    pub content_uuid: String,
    /// Wait until the video is published, scheduled or rejected.
    #[arg(long)]
    pub wait: bool,
}

/// List your videos, newest first.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// List only videos in this state: processing, scheduled, published, rejected, failed, taken_down or deleted.
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// List only videos with this external ID.
    #[arg(long, value_name = "TEXT")]
    pub external_id: Option<String>,
    /// Maximum number of videos to list.
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: usize,
}

/// Change a video. Omitted fields stay unchanged.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clipgate update UUID --caption 'A better caption'
  clipgate update UUID --thumbnail-time 00:00:12
  clipgate update UUID --thumbnail cover.jpg
  clipgate update UUID --publish-now
  clipgate update UUID --visibility unlisted --sensitive true
  clipgate update UUID --remove category --remove summary")]
pub(crate) struct UpdateArguments {
    /// The UUID that the upload returned.
    #[arg(value_name = "UUID", value_parser = parse_uuid)]
    pub content_uuid: String,
    #[command(flatten)]
    pub texts: TextArguments,
    /// ID of the new category.
    #[arg(long, value_name = "ID", value_parser = parse_category)]
    pub category: Option<u64>,
    /// New publication time, such as 2026-12-24T18:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = parse_publication_time, conflicts_with = "publish_now")]
    pub publish_at: Option<u64>,
    /// Publish the video now, or as soon as it is approved. Does not release it: see `clipgate release`.
    #[arg(long)]
    pub publish_now: bool,
    /// Time of the new thumbnail frame. The old thumbnail stays until the new one has been checked.
    #[arg(long, value_name = "HH:MM:SS", value_parser = parse_clock_time, conflicts_with = "thumbnail")]
    pub thumbnail_time: Option<u32>,
    /// New thumbnail image: JPEG, PNG or WebP. Sent after all other changes.
    #[arg(long, value_name = "FILE")]
    pub thumbnail: Option<PathBuf>,
    /// New visibility: `public` or `unlisted`.
    #[arg(long, value_name = "VISIBILITY", value_parser = parse_visibility)]
    pub visibility: Option<Visibility>,
    /// Whether to show a warning before the video.
    #[arg(long, value_name = "true|false", action = ArgAction::Set)]
    pub sensitive: Option<bool>,
    /// Whether to tell viewers that the video was made with AI.
    #[arg(long, value_name = "true|false", action = ArgAction::Set)]
    pub ai_generated: Option<bool>,
    /// Replace your own data that is stored with the video. Can be repeated.
    #[arg(long, value_name = "NAME=TEXT", value_parser = parse_metadata)]
    pub metadata: Vec<(String, String)>,
    /// Remove the value of a field. Can be repeated.
    #[arg(long, value_name = "FIELD")]
    pub remove: Vec<RemovableField>,
}

macro_rules! text_arguments {
    (
        texts { $($text:ident $Text:ident {
            $kind:ident $limit:tt $purpose:ident $code:ident $option:tt $doc:tt $example:tt
        })* }
        others $others:tt
    ) => {
        // The texts of a video. clap would show a doc comment here as the help of the commands.
        #[derive(Clone, Debug, Args)]
        pub(crate) struct TextArguments {
            $(#[doc = $doc]
            #[arg(long = $option, value_name = "TEXT")]
            $text: Option<String>,)*
        }

        impl TextArguments {
            pub(crate) fn into_texts(self) -> impl Iterator<Item = (FormField, Option<String>)> {
                [$((FormField::$Text, self.$text),)*].into_iter()
            }
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
        pub(crate) enum RemovableField {
            $(#[value(name = $option)]
            $Text,)*
            Category,
            /// Let the service choose the thumbnail.
            ThumbnailTime,
            Metadata,
        }

        impl RemovableField {
            pub(crate) fn field(self) -> FormField {
                match self {
                    $(Self::$Text => FormField::$Text,)*
                    Self::Category => FormField::SuperCategoryId,
                    Self::ThumbnailTime => FormField::ThumbnailTime,
                    Self::Metadata => FormField::Metadata,
                }
            }
        }
    };
}

form_fields!(text_arguments);

/// Release videos that are published only after your approval.
///
/// A released video is published once it is approved and its publication time has come.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArguments {
    /// The UUIDs of the videos.
    #[arg(required = true, value_name = "UUID", value_parser = parse_uuid)]
    pub content_uuids: Vec<String>,
}

/// Appeal a moderator's rejection or removal of a video.
///
/// A moderator reviews the decision, if possible not the one who made it. You can appeal each
/// decision once, within 30 days. `clipgate status` shows the outcome.
#[derive(Debug, Args)]
pub(crate) struct AppealArguments {
    /// The UUID of the video.
    #[arg(value_name = "UUID", value_parser = parse_uuid)]
    pub content_uuid: String,
    /// Reason for the appeal. At most 1,000 characters.
    #[arg(long)]
    pub text: String,
}

/// Delete videos permanently.
#[derive(Debug, Args)]
pub(crate) struct DeleteArguments {
    /// The UUIDs that the uploads returned.
    #[arg(required = true, value_name = "UUID", value_parser = parse_uuid)]
    pub content_uuids: Vec<String>,
    /// Skip the confirmation. Required without a terminal.
    #[arg(long, short)]
    pub yes: bool,
}

/// Print the events of your videos, your key and your limit, oldest first.
#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// Only events after this sequence number.
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0)]
    pub after: u64,
    /// Only events of this video.
    #[arg(long, value_name = "UUID", value_parser = parse_uuid)]
    pub video: Option<String>,
}

/// Print events as they happen, and forward them as webhooks, until Ctrl-C.
#[derive(Debug, Args)]
#[command(
    after_help = "Events are forwarded as POST requests that follow Standard Webhooks, signed with a secret that is printed at the
start. To keep the secret between runs, set CLIPGATE_WEBHOOK_SECRET to a `whsec_…` of your own.

Examples:
  clipgate listen
  clipgate listen --forward-to http://localhost:3000/webhook"
)]
pub(crate) struct ListenArguments {
    /// URL to post each event to.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub forward_to: Option<reqwest::Url>,
    /// Start after this sequence number instead of now.
    #[arg(long, value_name = "SEQUENCE")]
    pub after: Option<u64>,
    /// Seconds between requests for new events.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    pub interval: u64,
}

/// Store the API key of a service.
///
/// The key is read from the terminal without an echo, or from standard input. It is stored in a file that only you
/// can read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clipgate login --url https://upload.example.com
  pass show clipgate | clipgate login --url https://upload.example.com

In CI, set CLIPGATE_API_KEY and CLIPGATE_URL instead.")]
pub(crate) struct LoginArguments {}

fn parse_category(text: &str) -> Result<u64, String> {
    let unknown = |_| format!("{} is not a category ID. `clipgate categories` lists all", shown(text));
    text.parse().map_err(unknown)
}

/// Parses the UUID of a video in its usual form.
fn parse_uuid(text: &str) -> Result<String, String> {
    let is_digit = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let is_uuid = text.len() == 36 && text.bytes().enumerate().all(is_digit);
    if is_uuid { Ok(text.to_ascii_lowercase()) } else { Err(invalid_uuid("the UUID", text)) }
}

fn parse_visibility(text: &str) -> Result<Visibility, String> {
    Visibility::named(text).ok_or_else(|| format!("{} is neither `public` nor `unlisted`", shown(text)))
}

fn parse_test(text: &str) -> Result<TestOutcome, String> {
    TestOutcome::named(text).ok_or_else(|| invalid_word("test outcome", text, &TestOutcome::values()))
}

fn parse_metadata(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').ok_or_else(|| "write it as NAME=TEXT".to_owned());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn parse_captions(text: &str) -> Result<(String, PathBuf), String> {
    let (language, path) = text.split_once('=').ok_or_else(|| "write it as LANGUAGE=FILE".to_owned())?;
    let tag = language_tag(language);
    let tag = tag.ok_or_else(|| format!("`{language}` is not a language tag such as de, pt-BR or zh-Hant"))?;
    Ok((tag, PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command as ClapCommand, CommandFactory};

    fn check_help(command: &ClapCommand) {
        let name = command.get_name();
        assert!(command.get_about().is_some(), "{name} has no help text");
        for argument in command.get_arguments().filter(|argument| argument.get_id() != "shell") {
            assert!(argument.get_help().is_some(), "{name}: {} has no help text", argument.get_id());
        }
        command.get_subcommands().for_each(check_help);
    }

    #[test]
    fn every_command_and_argument_has_a_help_text() {
        let mut command = Arguments::command();
        command.build();
        check_help(&command);
    }

    #[test]
    fn no_argument_takes_a_secret() {
        let mut command = Arguments::command();
        command.build();
        let names = |command: &ClapCommand| {
            command.get_arguments().map(|argument| argument.get_id().as_str().to_owned()).collect::<Vec<_>>()
        };
        let all: Vec<String> = command.get_subcommands().flat_map(names).chain(names(&command)).collect();
        assert!(all.iter().any(|name| name == "forward_to") && !all.iter().any(|name| name.contains("key")), "{all:?}");
    }

    #[test]
    fn the_help_names_each_exit_code() {
        for code in super::super::exit_code::ALL {
            assert!(EXAMPLES.contains(&format!("\n  {code:<5}")), "{code}");
        }
    }
}

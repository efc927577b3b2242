//! The context that all files of a run share.

use crate::cli::arguments::UploadArguments;
use crate::cli::context::Context;
use client::{Client, TokenStore, UploadFields};
use contract::api::{Category, UploadLimits};

/// The context that all files of a run share.
#[derive(Debug)]
pub(super) struct UploadRun<'a> {
    pub context: &'a Context,
    pub arguments: &'a UploadArguments,
    pub client: &'a Client,
    pub store: &'a TokenStore,
    pub fields: &'a UploadFields,
    pub limits: UploadLimits,
    pub categories: Option<Vec<Category>>,
}

//! R2 through its S3 API: downloads sources and sent thumbnails, uploads outputs.
//!
//! The only file that names the SDK. It must not depend on what an object is used for.

use crate::clients::reach::Reach;
use aws_credential_types::Credentials;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    Region, RequestChecksumCalculation, ResponseChecksumValidation, StalledStreamProtectionConfig,
};
use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::primitives::ByteStream;
use aws_smithy_http_client::tls;
use contract::ObjectKey;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The first attempt and up to three retries, by the SDK.
const MAX_ATTEMPTS: u32 = 4;
/// A transfer without progress for this long counts as failed.
const STALL_GRACE_PERIOD: Duration = Duration::from_secs(20);

/// The bucket, and the S3 endpoint and credentials that give access to it.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    pub endpoint: String,
    pub bucket: String,
    pub access_key_id: SecretString,
    pub secret_access_key: SecretString,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The same request may succeed later.
    #[error("the object store is unavailable: {0}")]
    Unavailable(String),
    #[error("the object {0} does not exist")]
    Missing(String),
    /// The object differs from the object that the edge stored.
    #[error("the object {key} differs from the stored upload: {difference}")]
    Mismatch { key: String, difference: String },
    #[error("disk error: {0}")]
    Disk(#[from] std::io::Error),
}

/// The size and hash that the edge recorded for an object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectDigest<'a> {
    pub size_bytes: u64,
    /// None if the edge has never seen the bytes, such as a job's output.
    pub sha256: Option<&'a str>,
}

/// The timeouts until the store's answer to a request begins.
#[derive(Clone, Copy, Debug)]
struct ReadTimeouts {
    default: Duration,
    /// The SDK starts to count with the request's first byte, so the time includes sending the body, which takes
    /// minutes for a rendition on a slow connection. The protection against stalled streams notices a dead connection
    /// sooner.
    upload: Duration,
}

const READ_TIMEOUTS: ReadTimeouts = ReadTimeouts { default: Duration::from_secs(30), upload: Duration::from_mins(10) };

#[derive(Clone, Debug)]
pub struct ObjectStore {
    client: Client,
    bucket: String,
    upload_timeouts: TimeoutConfig,
    reach: Reach,
}

impl ObjectStore {
    pub fn new(settings: &StoreSettings) -> Self {
        Self::with_timeouts(settings, READ_TIMEOUTS)
    }

    fn with_timeouts(settings: &StoreSettings, timeouts: ReadTimeouts) -> Self {
        Self {
            client: Client::from_conf(sdk_configuration(settings, timeouts.default)),
            bucket: settings.bucket.clone(),
            upload_timeouts: TimeoutConfig::builder().read_timeout(timeouts.upload).build(),
            reach: Reach::new(),
        }
    }

    /// Returns the availability of the store.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Records whether the store answered a request.
    fn recorded<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.reach.record(!matches!(result, Err(StoreError::Unavailable(_))));
        result
    }

    /// Downloads an object to `path` and checks that it is the object the edge stored.
    pub async fn download(&self, key: &str, path: &Path, expected: ObjectDigest<'_>) -> Result<(), StoreError> {
        let mismatch = |difference: String| StoreError::Mismatch { key: key.to_owned(), difference };
        let mut hash = Sha256::new();
        let size = self.recorded(self.stream_to_file(key, path, expected.size_bytes, &mut hash).await)?;
        if size != expected.size_bytes {
            return Err(mismatch(format!("{size} bytes instead of {}", expected.size_bytes)));
        }
        let sha256 = contract::hexadecimal(&hash.finalize());
        if expected.sha256.is_some_and(|expected| expected != sha256) {
            return Err(mismatch(format!("its SHA-256 is {sha256}")));
        }
        Ok(())
    }

    /// Downloads an object of at most `max_bytes` to `path`.
    pub async fn download_small(&self, key: &str, path: &Path, max_bytes: u64) -> Result<(), StoreError> {
        let size = self.recorded(self.stream_to_file(key, path, max_bytes, &mut Sha256::new()).await)?;
        if size > max_bytes {
            let difference = format!("more than {max_bytes} bytes");
            return Err(StoreError::Mismatch { key: key.to_owned(), difference });
        }
        Ok(())
    }

    /// Streams an object to a file and returns its size. Stops soon after `max_bytes`: the returned size is then
    /// larger.
    async fn stream_to_file(
        &self,
        key: &str,
        path: &Path,
        max_bytes: u64,
        hash: &mut Sha256,
    ) -> Result<u64, StoreError> {
        let response = self.client.get_object().bucket(&self.bucket).key(key).send().await;
        let mut body = match response {
            Ok(response) => response.body,
            Err(error) if error.as_service_error().is_some_and(GetObjectError::is_no_such_key) => {
                return Err(StoreError::Missing(key.to_owned()));
            }
            Err(error) => return Err(unavailable(error)),
        };
        let mut file = BufWriter::new(File::create(path).await?);
        let mut size = 0;
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(unavailable)?;
            size += chunk.len() as u64;
            if size > max_bytes {
                break;
            }
            hash.update(&chunk);
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        Ok(size)
    }

    pub async fn upload(&self, key: &str, path: &Path, content_type: &str) -> Result<(), StoreError> {
        let body = ByteStream::from_path(path).await.map_err(unavailable)?;
        let put = self
            .client
            .put_object()
            .bucket(&self.bucket)
            .key(key)
            .content_type(content_type)
            .body(body)
            .customize()
            .config_override(aws_sdk_s3::Config::builder().timeout_config(self.upload_timeouts.clone()));
        self.recorded(put.send().await.map(drop).map_err(unavailable))
    }

    /// Checks that the bucket can be read.
    pub async fn check_access(&self) -> Result<(), StoreError> {
        let list = self.client.list_objects_v2().bucket(&self.bucket).prefix(ObjectKey::SOURCES_FOLDER).max_keys(1);
        self.recorded(list.send().await.map(drop).map_err(unavailable))
    }
}

fn sdk_configuration(settings: &StoreSettings, read_timeout: Duration) -> aws_sdk_s3::Config {
    let credentials = Credentials::from_keys(
        settings.access_key_id.expose_secret(),
        settings.secret_access_key.expose_secret(),
        None,
    );
    let http = aws_smithy_http_client::Builder::new()
        .tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring))
        .build_https();
    aws_sdk_s3::Config::builder()
        .http_client(http)
        // Without the trailing slash, the SDK appends the bucket to the last path segment.
        .endpoint_url(format!("{}/", settings.endpoint.trim_end_matches('/')))
        .region(Region::new("auto"))
        .credentials_provider(credentials)
        .force_path_style(true)
        .retry_config(RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS))
        .timeout_config(TimeoutConfig::builder().connect_timeout(CONNECT_TIMEOUT).read_timeout(read_timeout).build())
        .stalled_stream_protection(StalledStreamProtectionConfig::enabled().grace_period(STALL_GRACE_PERIOD).build())
        // R2 answers some of the SDK's own checksum headers with 400.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
        .build()
}

fn unavailable(error: impl std::error::Error) -> StoreError {
    StoreError::Unavailable(native::with_causes(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::put;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn settings(endpoint: String) -> StoreSettings {
        StoreSettings {
            endpoint,
            bucket: "bucket".to_owned(),
            access_key_id: "id".to_owned().into(),
            secret_access_key: "key".to_owned().into(),
        }
    }

    /// Starts a store that waits before it answers an upload. Also returns the number of its uploads.
    async fn slow_store(delay: Duration) -> (StoreSettings, Arc<AtomicU32>) {
        let uploads = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&uploads);
        let handler = move || async move {
            counter.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(delay).await;
        };
        let router = Router::new().route("/bucket/{*key}", put(handler));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (settings(endpoint), uploads)
    }

    #[tokio::test]
    async fn an_upload_may_take_longer_than_other_requests() {
        let (settings, uploads) = slow_store(Duration::from_millis(300)).await;
        let timeouts = ReadTimeouts { default: Duration::from_millis(100), upload: Duration::from_secs(20) };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a rendition").unwrap();
        let store = ObjectStore::with_timeouts(&settings, timeouts);
        store.upload("media/x", file.path(), "video/mp4").await.unwrap();
        assert_eq!(uploads.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn stalled_streams_are_detected_in_both_directions() {
        let store = ObjectStore::new(&settings("http://127.0.0.1:1".to_owned()));
        let protection = store.client.config().stalled_stream_protection().unwrap();
        assert!(protection.upload_enabled() && protection.download_enabled());
        assert_eq!(store.upload_timeouts.read_timeout(), Some(READ_TIMEOUTS.upload));
    }
}

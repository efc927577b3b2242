//! R2, through S3: the source comes from here, what was made of it goes there. The only file that names the SDK.

use crate::configuration::Store;
use aws_credential_types::Credentials;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    Region, RequestChecksumCalculation, ResponseChecksumValidation, StalledStreamProtectionConfig,
};
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::primitives::ByteStream;
use aws_smithy_http_client::tls;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Trying again may help.
    #[error("the object store: {0}")]
    Unavailable(String),
    #[error("the object {0} is not there")]
    Missing(String),
    /// What came is not what the edge stored.
    #[error("the object {key} differs from what was uploaded: {what}")]
    Differs { key: String, what: String },
    #[error("the disk: {0}")]
    Disk(#[from] std::io::Error),
}

/// What the edge says of an object.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub size_bytes: u64,
    pub sha256: &'a str,
}

#[derive(Clone, Debug)]
pub struct ObjectStore {
    client: Client,
    bucket: String,
}

impl ObjectStore {
    pub fn new(store: &Store) -> Self {
        let credentials = Credentials::from_keys(
            store.access_key_id.reveal(),
            store.secret_access_key.reveal(),
            None,
        );
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(tls::Provider::Rustls(
                tls::rustls_provider::CryptoMode::Ring,
            ))
            .build_https();
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(Duration::from_secs(30))
            .build();
        let configuration = aws_sdk_s3::Config::builder()
            .http_client(http)
            .endpoint_url(&store.endpoint)
            .region(Region::new("auto"))
            .credentials_provider(credentials)
            .force_path_style(true)
            .retry_config(RetryConfig::standard().with_max_attempts(4))
            .timeout_config(timeouts)
            .stalled_stream_protection(
                StalledStreamProtectionConfig::enabled()
                    .grace_period(Duration::from_secs(20))
                    .build(),
            )
            // R2 answers some of the SDK's own checksum headers with 400.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            .build();
        Self {
            client: Client::from_conf(configuration),
            bucket: store.bucket.clone(),
        }
    }

    /// Writes an object into a file, and makes sure that it is the one that was uploaded.
    pub async fn download(
        &self,
        key: &str,
        path: &Path,
        expected: Expected<'_>,
    ) -> Result<(), StoreError> {
        let differs = |what: String| StoreError::Differs {
            key: key.to_owned(),
            what,
        };
        let mut hash = Sha256::new();
        let size = self
            .stream(key, path, expected.size_bytes, &mut hash)
            .await?;
        if size != expected.size_bytes {
            let wanted = expected.size_bytes;
            return Err(differs(format!("{size} bytes instead of {wanted}")));
        }
        let sha256 = contract::hexadecimal(&hash.finalize());
        if sha256 != expected.sha256 {
            return Err(differs(format!("its SHA-256 is {sha256}")));
        }
        Ok(())
    }

    /// Writes an object of at most that many bytes into a file.
    pub async fn download_small(
        &self,
        key: &str,
        path: &Path,
        most_bytes: u64,
    ) -> Result<(), StoreError> {
        let size = self
            .stream(key, path, most_bytes, &mut Sha256::new())
            .await?;
        if size > most_bytes {
            return Err(StoreError::Differs {
                key: key.to_owned(),
                what: format!("more than {most_bytes} bytes"),
            });
        }
        Ok(())
    }

    /// Streams an object to the disk; stops soon after the most that it may have.
    async fn stream(
        &self,
        key: &str,
        path: &Path,
        most_bytes: u64,
        hash: &mut Sha256,
    ) -> Result<u64, StoreError> {
        let answer = self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(key)
            .send()
            .await;
        let mut body = match answer {
            Ok(answer) => answer.body,
            Err(error)
                if error.as_service_error().is_some_and(
                    aws_sdk_s3::operation::get_object::GetObjectError::is_no_such_key,
                ) =>
            {
                return Err(StoreError::Missing(key.to_owned()));
            }
            Err(error) => return Err(unavailable(error)),
        };
        let mut file = BufWriter::new(File::create(path).await?);
        let mut size = 0;
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(unavailable)?;
            size += chunk.len() as u64;
            if size > most_bytes {
                break;
            }
            hash.update(&chunk);
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        Ok(size)
    }

    pub async fn upload(
        &self,
        key: &str,
        path: &Path,
        content_type: &str,
    ) -> Result<(), StoreError> {
        let body = ByteStream::from_path(path).await.map_err(unavailable)?;
        let put = self
            .client
            .put_object()
            .bucket(&self.bucket)
            .key(key)
            .content_type(content_type)
            .body(body);
        put.send().await.map(drop).map_err(unavailable)
    }

    /// Whether the bucket can be read: what `doctor` asks.
    pub async fn check(&self) -> Result<(), StoreError> {
        let list = self
            .client
            .list_objects_v2()
            .bucket(&self.bucket)
            .prefix("sources/")
            .max_keys(1);
        list.send().await.map(drop).map_err(unavailable)
    }
}

fn unavailable(error: impl std::error::Error + Send + Sync) -> StoreError {
    StoreError::Unavailable(DisplayErrorContext(error).to_string())
}

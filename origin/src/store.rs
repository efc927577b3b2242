//! R2, through S3: the source comes from here, what was made of it goes there. The only file that names the SDK.

use crate::configuration::Store;
use crate::http::with_causes;
use crate::secret::ExposeSecret;
use aws_credential_types::Credentials;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    Region, RequestChecksumCalculation, ResponseChecksumValidation, StalledStreamProtectionConfig,
};
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

/// How long the store may take until it answers.
#[derive(Clone, Copy, Debug)]
struct Patience {
    answer: Duration,
    /// The SDK counts from the request's first byte, so sending the body is a part of it: on a slow line a rendition takes
    /// minutes. A line on which nothing moves any more is noticed by the protection against stalled streams.
    upload: Duration,
}

const PATIENCE: Patience = Patience {
    answer: Duration::from_secs(30),
    upload: Duration::from_mins(10),
};

#[derive(Clone, Debug)]
pub struct ObjectStore {
    client: Client,
    bucket: String,
    upload: TimeoutConfig,
}

impl ObjectStore {
    pub fn new(store: &Store) -> Self {
        Self::with(store, PATIENCE)
    }

    fn with(store: &Store, patience: Patience) -> Self {
        let credentials = Credentials::from_keys(
            store.access_key_id.expose_secret(),
            store.secret_access_key.expose_secret(),
            None,
        );
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(tls::Provider::Rustls(
                tls::rustls_provider::CryptoMode::Ring,
            ))
            .build_https();
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(patience.answer)
            .build();
        let configuration = aws_sdk_s3::Config::builder()
            .http_client(http)
            // Without the slash the SDK would write the bucket right behind the last word of the path.
            .endpoint_url(format!("{}/", store.endpoint.trim_end_matches('/')))
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
            upload: TimeoutConfig::builder()
                .read_timeout(patience.upload)
                .build(),
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
            .body(body)
            .customize()
            .config_override(aws_sdk_s3::Config::builder().timeout_config(self.upload.clone()));
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

fn unavailable(error: impl std::error::Error) -> StoreError {
    StoreError::Unavailable(with_causes(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::put;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A store that needs so long for each object; and how often it was asked.
    async fn slow_store(takes: Duration) -> (Store, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&asked);
        let answer = move || async move {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(takes).await;
        };
        let router = Router::new().route("/bucket/{*key}", put(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let store = Store {
            endpoint,
            bucket: "bucket".to_owned(),
            access_key_id: "id".to_owned().into(),
            secret_access_key: "key".to_owned().into(),
        };
        (store, asked)
    }

    #[tokio::test]
    async fn an_upload_may_take_longer_than_other_answers() {
        let (store, asked) = slow_store(Duration::from_millis(600)).await;
        let patience = Patience {
            answer: Duration::from_millis(200),
            upload: Duration::from_secs(20),
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a rendition").unwrap();
        let store = ObjectStore::with(&store, patience);
        store
            .upload("media/x", file.path(), "video/mp4")
            .await
            .unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_stalled_stream_is_noticed_in_both_directions() {
        let store = Store {
            endpoint: "http://127.0.0.1:1".to_owned(),
            bucket: String::new(),
            access_key_id: String::new().into(),
            secret_access_key: String::new().into(),
        };
        let store = ObjectStore::new(&store);
        let protection = store.client.config().stalled_stream_protection().unwrap();
        assert!(protection.upload_enabled() && protection.download_enabled());
        assert_eq!(store.upload.read_timeout(), Some(PATIENCE.upload));
    }
}

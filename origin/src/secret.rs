//! Secrets: from the environment or from a file, and never printed.

use std::fmt;

#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The variable `name`, else the content of the file that `name_FILE` names; `Ok(None)` when there is neither.
    pub fn from_environment(name: &str) -> Result<Option<Self>, String> {
        Self::find(name, |variable| std::env::var(variable).ok())
    }

    fn find(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let file_variable = format!("{name}_FILE");
        let text = match (variable(name), variable(&file_variable)) {
            (Some(_), Some(_)) => return Err(format!("both {name} and {file_variable} are set")),
            (Some(text), None) => text,
            (None, Some(path)) => std::fs::read_to_string(&path)
                .map_err(|error| format!("{file_variable} names {path}: {error}"))?,
            (None, None) => return Ok(None),
        };
        let text = text.trim();
        Ok((!text.is_empty()).then(|| Self::new(text)))
    }

    /// The secret itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::io::Write;

    fn find(variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let found = Secret::find("TOKEN", |name| {
            variables.get(name).map(|text| (*text).to_owned())
        })?;
        Ok(found.map(|secret| secret.reveal().to_owned()))
    }

    #[test]
    fn a_secret_comes_from_the_environment_or_from_a_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "from the file").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(find(&[]), Ok(None));
        assert_eq!(find(&[("TOKEN", "")]), Ok(None));
        assert_eq!(find(&[("TOKEN", "x")]), Ok(Some("x".to_owned())));
        assert_eq!(
            find(&[("TOKEN_FILE", path)]),
            Ok(Some("from the file".to_owned()))
        );
    }

    #[test]
    fn two_sources_or_a_file_that_is_not_there_are_errors() {
        assert!(find(&[("TOKEN", "x"), ("TOKEN_FILE", "y")]).is_err());
        assert!(
            find(&[("TOKEN_FILE", "/nowhere")])
                .unwrap_err()
                .contains("/nowhere")
        );
    }

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", Secret::new("x")), "Secret(redacted)");
    }
}

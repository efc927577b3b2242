//! Reads secrets from environment variables or files. Their type keeps them out of logs.

use secrecy::SecretString;

/// Returns the variable `name`, or the content of the file that `name_FILE` names. `Ok(None)` means that neither is
/// set, or that the text is empty.
pub(super) fn from_environment(name: &str) -> Result<Option<SecretString>, String> {
    lookup(name, |variable| std::env::var(variable).ok())
}

fn lookup(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Option<SecretString>, String> {
    let file_variable = format!("{name}_FILE");
    let text = match (variable(name), variable(&file_variable)) {
        (Some(_), Some(_)) => return Err(format!("both {name} and {file_variable} are set; set only one of them")),
        (Some(text), None) => text,
        (None, Some(path)) => std::fs::read_to_string(&path)
            .map_err(|error| format!("the file {path} in {file_variable} cannot be read: {error}"))?,
        (None, None) => return Ok(None),
    };
    let text = text.trim();
    Ok((!text.is_empty()).then(|| SecretString::from(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;
    use std::collections::HashMap;
    use std::io::Write;

    fn lookup_in(variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let secret = lookup("TOKEN", |name| variables.get(name).map(|text| (*text).to_owned()))?;
        Ok(secret.map(|secret| secret.expose_secret().to_owned()))
    }

    #[test]
    fn a_secret_comes_from_a_variable_or_a_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "from the file").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(lookup_in(&[]), Ok(None));
        assert_eq!(lookup_in(&[("TOKEN", "")]), Ok(None));
        assert_eq!(lookup_in(&[("TOKEN", "x")]), Ok(Some("x".to_owned())));
        assert_eq!(lookup_in(&[("TOKEN_FILE", path)]), Ok(Some("from the file".to_owned())));
    }

    #[test]
    fn two_sources_or_a_missing_file_are_errors() {
        assert!(lookup_in(&[("TOKEN", "x"), ("TOKEN_FILE", "y")]).is_err());
        let problem = lookup_in(&[("TOKEN_FILE", "/nowhere")]).unwrap_err();
        assert!(problem.contains("/nowhere"));
    }

    #[test]
    fn a_secret_is_never_printed() {
        let secret = SecretString::from("hidden");
        assert!(!format!("{secret:?}").contains("hidden"));
    }
}

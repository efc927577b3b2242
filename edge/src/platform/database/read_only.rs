//! Recognises statements that only read, which may be retried.

use super::Statement;

const WRITING: [&str; 4] = ["INSERT", "UPDATE", "DELETE", "REPLACE"];

impl Statement {
    /// Whether the statement only reads. In doubt, it counts as writing.
    pub(crate) fn only_reads(&self) -> bool {
        let mut words = self.sql.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let mut words = words.by_ref().filter(|word| !word.is_empty());
        let begins = words.next().is_some_and(|word| is_any(word, &["SELECT", "WITH"]));
        begins && !words.any(|word| is_any(word, &WRITING))
    }
}

fn is_any(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_statement_without_a_writing_word_only_reads() {
        for (sql, reads) in [
            ("SELECT 1", true),
            (" WITH a AS (SELECT 1) SELECT * FROM a", true),
            ("SELECT updated_at_unix FROM a", true),
            ("WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", false),
            ("with a as (select 1) delete from b", false),
            ("INSERT INTO b SELECT 1", false),
            ("UPDATE a SET b = 1 RETURNING b", false),
            ("PRAGMA foreign_keys", false),
            ("", false),
        ] {
            assert_eq!(Statement::new(sql).only_reads(), reads, "{sql}");
        }
    }
}

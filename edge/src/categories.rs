//! The categories that an upload may name: a short list that the site sets as a whole.

use crate::database::{Database, DatabaseError, Statement};
use contract::api::Category;
use contract::limits::{MAX_CATEGORIES, MAX_CATEGORY_NAME_CHARACTERS, MAX_SAFE_INTEGER};
use serde::Deserialize;
use std::collections::HashSet;

/// What is wrong with a list, if anything is.
pub fn fault(categories: &[Category]) -> Option<String> {
    if categories.len() > MAX_CATEGORIES {
        return Some(format!("At most {MAX_CATEGORIES} categories."));
    }
    let mut seen = HashSet::new();
    categories.iter().find_map(|category| {
        let Category { id, name } = category;
        if !(1..=MAX_SAFE_INTEGER).contains(id) || !seen.insert(id) {
            return Some(format!("The id {id} is out of range or comes twice."));
        }
        let characters = name.chars().count();
        let fits = (1..=MAX_CATEGORY_NAME_CHARACTERS).contains(&characters) && !name.chars().any(char::is_control);
        (!fits).then(|| {
            format!("The name of {id} must have 1 to {MAX_CATEGORY_NAME_CHARACTERS} characters, none of them a control character.")
        })
    })
}

/// Puts the list in the place of the one before.
pub async fn replace(
    database: &impl Database,
    categories: &[Category],
) -> Result<(), DatabaseError> {
    let list = serde_json::to_string(categories)
        .map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let clear = Statement::new("DELETE FROM super_categories");
    let fill = Statement::new(
        "INSERT INTO super_categories (id, name)
         SELECT value ->> 'id', value ->> 'name' FROM json_each(?1)",
    );
    database.batch(vec![clear, fill.bind(list)]).await?;
    Ok(())
}

/// The list, in the order of its ids.
pub async fn list(database: &impl Database) -> Result<Vec<Category>, DatabaseError> {
    let select = Statement::new("SELECT id, name FROM super_categories ORDER BY id");
    let answers = database.batch(vec![select]).await?;
    let rows = answers.iter().flat_map(|rows| &rows.0);
    rows.map(|row| {
        Category::deserialize(row).map_err(|error| DatabaseError::Shape(error.to_string()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use futures_executor::block_on;

    fn category(id: u64, name: &str) -> Category {
        Category {
            id,
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_list_takes_the_place_of_the_one_before() {
        let database = Sqlite::migrated();
        block_on(replace(
            &database,
            &[category(2, "Music"), category(1, "Animals")],
        ))
        .unwrap();
        block_on(replace(
            &database,
            &[category(3, "O'Hara \"quoted\""), category(1, "Animals")],
        ))
        .unwrap();
        let expected = [category(1, "Animals"), category(3, "O'Hara \"quoted\"")];
        assert_eq!(block_on(list(&database)).unwrap(), expected);
    }

    #[test]
    fn a_list_with_a_fault_is_told_which() {
        assert_eq!(fault(&[category(1, "Animals")]), None);
        assert!(fault(&[category(1, "A"), category(1, "B")]).is_some());
        assert!(fault(&[category(0, "A")]).is_some());
        assert!(fault(&[category(1, "")]).is_some());
        assert!(fault(&[category(1, "a\0b")]).is_some());
        assert!(fault(&vec![category(1, "A"); MAX_CATEGORIES + 1]).is_some());
    }
}

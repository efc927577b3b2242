//! The categories that an upload can be assigned to: a short list that the site replaces as a whole.

use crate::base::known_categories;
use crate::platform::database::{Database, DatabaseError, Statement, json_text};
use contract::api::Category;
use contract::limits::{MAX_CATEGORIES, MAX_CATEGORY_NAME_CHARACTERS, MAX_SAFE_INTEGER};
use std::collections::HashSet;

/// Returns the fault of the list, or `None` if it is valid.
pub(crate) fn validate(categories: &[Category]) -> Option<String> {
    if categories.len() > MAX_CATEGORIES {
        return Some(format!("The list has more than {MAX_CATEGORIES} categories. Send fewer."));
    }
    let mut seen = HashSet::new();
    categories.iter().find_map(|category| {
        let Category { id, name } = category;
        if !(1..=MAX_SAFE_INTEGER).contains(id) || !seen.insert(id) {
            return Some(format!("The category id {id} is out of range or appears twice."));
        }
        let characters = name.chars().count();
        let fits = (1..=MAX_CATEGORY_NAME_CHARACTERS).contains(&characters) && !name.chars().any(char::is_control);
        (!fits).then(|| {
            format!("The name of category {id} must have 1 to {MAX_CATEGORY_NAME_CHARACTERS} characters and no control characters.")
        })
    })
}

/// Replaces the list.
pub(crate) async fn replace(database: &impl Database, categories: &[Category]) -> Result<(), DatabaseError> {
    let list = json_text(categories)?;
    let clear = Statement::new("DELETE FROM super_categories");
    let fill = Statement::new(
        "INSERT INTO super_categories (id, name)
         SELECT value ->> 'id', value ->> 'name' FROM json_each(?1)",
    );
    database.batch(vec![clear, fill.bind(list)]).await?;
    Ok(())
}

/// Returns the list, ordered by id.
pub(crate) async fn list(database: &impl Database) -> Result<Vec<Category>, DatabaseError> {
    let select = Statement::new("SELECT id, name FROM super_categories ORDER BY id");
    let categories: Vec<Category> = database.all(select).await?;
    known_categories::remember(categories.clone());
    Ok(categories)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;

    fn category(id: u64, name: &str) -> Category {
        Category { id, name: name.to_owned() }
    }

    #[test]
    fn a_new_list_replaces_the_old_one() {
        let database = Sqlite::migrated();
        block_on(replace(&database, &[category(2, "Music"), category(1, "Animals")])).unwrap();
        block_on(replace(&database, &[category(3, "O'Hara \"quoted\""), category(1, "Animals")])).unwrap();
        let expected = [category(1, "Animals"), category(3, "O'Hara \"quoted\"")];
        assert_eq!(block_on(list(&database)).unwrap(), expected);
    }

    #[test]
    fn an_invalid_list_is_refused_with_an_explanation() {
        assert_eq!(validate(&[category(1, "Animals")]), None);
        assert!(validate(&[category(1, "A"), category(1, "B")]).is_some());
        assert!(validate(&[category(0, "A")]).is_some());
        assert!(validate(&[category(1, "")]).is_some());
        assert!(validate(&[category(1, "a\0b")]).is_some());
        let many = |count: usize| (1..).take(count).map(|id| category(id, "A")).collect::<Vec<_>>();
        assert_eq!(validate(&many(MAX_CATEGORIES)), None);
        assert!(validate(&many(MAX_CATEGORIES + 1)).is_some());
        let named = |characters| validate(&[category(1, &"ä".repeat(characters))]);
        assert_eq!(named(MAX_CATEGORY_NAME_CHARACTERS), None);
        assert!(named(MAX_CATEGORY_NAME_CHARACTERS + 1).is_some());
    }
}

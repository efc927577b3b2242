//! The categories that an upload can be assigned to.

use crate::whole_number;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Category {
    /// The value of `super_category_id` in an upload.
    #[serde(deserialize_with = "whole_number::required")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9_007_199_254_740_991_i64))]
    pub id: u64,
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 80, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]+$"))]
    pub name: String,
}

/// The complete new list of categories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct SetCategories {
    #[cfg_attr(feature = "openapi", schema(max_items = 500))]
    pub categories: Vec<Category>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Categories {
    pub success: bool,
    pub categories: Vec<Category>,
}

#[cfg(feature = "openapi")]
impl SetCategories {
    pub fn example() -> Self {
        Self { categories: Categories::example().categories }
    }
}

#[cfg(feature = "openapi")]
impl Categories {
    pub fn example() -> Self {
        let category = |id, name: &str| Category { id, name: name.to_owned() };
        Self { success: true, categories: vec![category(1, "Animals"), category(2, "Sports")] }
    }
}

//! Contents as their owners and the public see them: how they are doing, and where they are found.

pub mod addresses;
pub mod cursor;
pub mod entity_tag;
pub mod patience;
pub mod status;
